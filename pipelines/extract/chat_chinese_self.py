"""How Chinese states who and where the user is, and what they work with."""

from __future__ import annotations

import re

from . import lasted
from .chat_chinese_values import (
    is_employer,
    is_host,
    is_known_place,
    is_name,
    is_place,
    is_thing,
    is_tool,
    is_where,
)
from .chat_chinese_words import ME, ROLE, SHORT, WE, WHEN, rule
from .chat_rule import Rule


def names() -> tuple[Rule, ...]:
    """What the user is called, speaks and has."""
    return (
        rule(
            "is named",
            r"(?:我(?:希望|喜欢|想)被(?:称为|称作|叫做?|称呼为)|我的?昵称(?:是叫|叫做|叫|是|为)"
            r"|(?:从现在开始|以后|今后)?(?:你可以|你就|就|请|可以)?(?:叫|喊|称呼)我(?:为)?)(?!自己)" + SHORT,
            slot="is:nickname",
            check=is_name,
            importance=0.8,
        ),
        rule(
            "is named",
            r"我的?英文名(?:字)?(?:是叫|叫做|叫|是|为)" + SHORT,
            slot="is:english name",
            check=is_name,
            importance=0.8,
        ),
        rule(
            "is named",
            r"(?:(?:我|本人)(?:的)?(?:名字|中文名|全名)?(?:改名)?(?:是叫|叫做|叫|名叫)|我的?(?:名字|中文名|全名)(?:是|为))(?!自己)"
            + SHORT,
            slot="is:name",
            check=is_name,
            importance=0.8,
        ),
        rule(
            "has pronouns",
            r"(?:我的?(?:人称)?代词是|用|请用)[“\"「]?(?P<value>[她他它]|ta|they"
            r"|she)[”\"」]?(?:来)?(?:称呼|指代|代称)(?:我)?",
            slot="is:pronouns",
            importance=0.8,
        ),
        rule("speaks", r"我的?母语是" + SHORT, slot="is:native language"),
    )


def places() -> tuple[Rule, ...]:
    """Where the user is."""
    return (
        rule(
            "lives in",
            r"(?:我(?:们)?(?:家)?)?(?:已经|早就|现在)?(?:不住(?:在)?"
            r"|不在(?=[^，,。；;\n]{2,10}(?:住|生活)了))(?P<value>[^，,。；;\n]{2,10}?)(?:住|工作"
            r"|生活)?了",
            slot="lives:city",
            polarity="negated",
            ended=True,
            check=is_place,
        ),
        rule(
            "lives in",
            rf"(?:{ME}|我{WHEN}*|(?:刚|已经|最近"
            rf"|刚刚)?(?=搬))(?:住在|住|人在|定居在|定居|常驻|base\s?在|坐标|搬家?到了?|搬去了?"
            rf"|搬来了?)(?P<value>[^，,。；;\n在做工]{{2,12}}?)(?:市|这边)?(?:住|工作|上班|生活"
            rf"|定居|念书|读书|上学|办公|了|呢){{0,4}}(?:{lasted.CHINESE}呢?)?(?=$|[，,。；;\s和])",
            slot="lives:city",
            check=is_place,
        ),
        rule(
            "lives in",
            rf"(?:{ME}|我家(?:就|现在|目前)?)(?:住)?在(?P<value>[^，,。；;\n\s的]{{2,12}}?)(?:市|这边)?(?:住|工作|上班|生活"
            rf"|定居|念书|读书|上学|办公|了|呢){{0,4}}(?:{lasted.CHINESE}呢?)?"
            rf"(?=$|[，,。；;\s和])",
            slot="lives:city",
            check=is_where,
        ),
        rule(
            "lives in",
            r"我?(?:现在|目前|一直)?在(?P<value>[^，,。；;\n\sA-Za-z0-9的里]{2,4}?)(?=(?:做|搞"
            r"|工作|上班|生活|读书|念书|当|写)[^，,。；;\n]{0,12})",
            slot="lives:city",
            follows=True,
            beside=True,
            check=is_where,
        ),
        rule(
            "comes from",
            r"我(?:是|来自|老家在?)(?P<value>[^，,。；;\n是做]{2,10}?)(?:人|的)?(?=$|[，,。；;])",
            check=is_known_place,
            confidence=0.6,
        ),
        rule(
            "has time zone",
            r"(?:我的?)?(?:时区(?:现在|目前)?(?:是|为|在|按|用)|(?:我)?在(?=东[一二三四五六七八九十]+区"
            r"|西[一二三四五六七八九十]+区|utc|gmt))\s?(?P<value>[^，,。；;\n]{2,24})",
            slot="is:time zone",
        ),
    )


def occupation() -> tuple[Rule, ...]:
    """What the user is and does."""
    return (
        rule(
            "works at",
            r"我(?:们)?(?:已经|早就|现在)?不在(?P<value>[^，,。；;\n]{2,12}?)(?:上班|工作|干|做)?了",
            slot="works:employer",
            polarity="negated",
            ended=True,
            check=is_employer,
        ),
        rule(
            "is",
            r"我(?:现在|已经|其实|并)*不?对(?P<value>[^，,。；;\n不]{1,8}?)(?:已经|并|现在|也)*(?:不再?|(?<=不对.)|(?<=不对..)"
            r"|(?<=不对...)|(?<=不对....))过敏了?(?=$|[，,。；;！!\s])",
            polarity="negated",
            whole=True,
        ),
        rule(
            "is",
            r"我(?:是|有|对)?\s?(?P<value>(?:红绿)?色[弱盲]|左撇子|听障|视障|近视|聋人?|吃素的?|素食(?:主义)?者?|糖尿病|乳糖不耐(?:受)?"
            r"|(?:花生|海鲜|坚果|花粉|青霉素|牛奶|乳糖|尘螨|猫毛|酒精)过敏)(?:患者)?(?=$|[，,。；;])",
        ),
        rule(
            "is",
            rf"(?:我|本人|职业|我的职业|我的工作)(?:现在|目前|主要|平时|一直)?(?:是|的工作是"
            rf"|就是)(?:一?[名个位枚]|做|搞|干|当)?(?P<value>[^，,。；;\n]{{0,14}}?(?:{ROLE})"
            rf"(?:开发|工程师|方向|的|岗|工作)?)(?=$|[，,。；;\s）)]|出身)",
            slot="is:role",
            importance=0.7,
            check=lambda v: not re.search(r"想|说|要|让|用|在改|这|那|帮|觉得", v),
        ),
        rule(
            "is",
            rf"(?:我?(?:现在|目前|主要|平时|一直|在[^，,。；;\n]{{2,6}})?)(?P<value>(?:做|搞|干"
            rf"|当)(?:了\s?\d+\s?年)?[^，,。；;\n]{{0,8}}?(?:{ROLE})(?:开发|工程师|方向|的)?)(?=$"
            rf"|[，,。；;\s])",
            slot="is:role",
            follows=True,
            beside=True,
            importance=0.7,
            check=lambda v: not re.search("测试$|数据$", v),
        ),
        rule(
            "works in",
            r"我(?:现在|目前)?(?:在|是|调到了?|属于|转到了?)(?P<value>[^，,。；;\n\s]{1,10}(?:小组"
            r"|项目组|组|部门|部|团队|team))(?:工作|上班|干活|做事)?的?(?=了?(?:$|[，,。；;\s]))",
            slot="works:team",
            whole=True,
            check=is_thing,
        ),
        rule(
            "works at",
            rf"我(?:目前|{WHEN})*(?:就职于|任职于|供职于|入职了?|在|加入了?"
            r"|跳槽到了?)(?P<value>[^，,。；;\n\s]{2,14}?)(?=上班|工作|任职|做|$"
            r"|[，,。；;])(?:上班|工作|任职)?",
            slot="works:employer",
            whole=True,
            check=is_employer,
        ),
    )


def _is_for_good(value: str) -> bool:
    return not re.search("试|看看|复现|对比|还是|也", value)


def tools() -> tuple[Rule, ...]:
    """What work is done with."""
    things = (
        r"(?:电脑|机器|笔记本|系统|操作系统|编辑器|终端|浏览器|shell|主力机|开发机|ide|包管理器?"
        r"|工作机|键盘|开发环境)"
    )
    # What was changed, where no "把" says so: a thing or its name. "我同事换成 Zed 了" says it of somebody else.
    thing = rf"(?:的?(?:主力|日常|默认)?{things}|数据库|主题|框架|ci|\s?[A-Za-z][\w+#. -]{{0,20}}?\s?)"
    changed = (
        r"(?:刚|已经|最近|现在|全部|都|后来|前阵子|上个?月|上周)*"
        rf"(?:换成|换到|切到|切换到|迁移到|迁到|改用|换用|转到)了?{SHORT}"
    )
    return (
        rule(
            "uses",
            rf"{WE}(?:(?:把|从)\s?(?P<old>[^，,。；;\n会能想]{{1,16}}?))?{changed}",
            kind="fact",
            whose="team",
            slotted="uses",
            needs_topic=True,
            check=_is_for_good,
        ),
        rule(
            "uses",
            rf"(?:{ME}|我)(?:已经|现在|最近|终于)*(?:又|重新|再次)(?:开始|重新)?(?:用回|换回|改回|切回|用上|用|使用)(?:了|到)?"
            r"\s?(?P<value>[^，,。；;！!？?\n（(]{1,24}?)了?(?=$|[，,。；;！!])",
            slotted="uses",
            needs_topic=True,
            check=is_tool,
        ),
        rule(
            "uses",
            rf"(?:我们?)?(?:(?:(?:把|从)\s?(?P<old>(?!可能|要是|如果|能|想|考虑|建议|打算|应该|是否|麻烦|请|帮)"
            rf"[^，,。；;\n会能想]{{1,16}}?)|{thing}))?{changed}",
            slotted="uses",
            needs_topic=True,
            check=_is_for_good,
        ),
        rule(
            "uses",
            rf"(?:{ME}|我的?|(?:平时|日常|一般|主要|一直|目前|现在)(?:都|是|还)?(?=用))(?:从[^，,。]{{1,8}}?(?:开始|起)\s?(?:就"
            rf"|都|一直)?)?(?:在"
            rf"|还)?(?:用的是|用的|用|使用|跑的是|跑在|装的是|开发用)(?:的)?{SHORT}",
            slotted="uses",
            check=is_tool,
        ),
        rule(
            "uses",
            rf"(?:我的?|我家)?(?:公司|工作|家里)?(?:的)?{things}(?:我)?\s?(?:是|用的是|用|为|跑的是|："
            rf"|:)?{SHORT}",
            slotted="uses",
            needs_topic=True,
            check=lambda v: is_tool(v) and len(v) <= 24,
        ),
        rule(
            "runs on",
            rf"{WE}(?:都|全|统一|现在|目前|一直)*(?:的)?(?:代码|仓库|服务|网站|应用|文档)?(?:都)?(?:部署在|跑在|托管在|运行在|放在)"
            r"(?P<value>[^，,。；;！!？?\n（(]{1,30}?)(?:上|里)?(?=$|[，,。；;！!])",
            kind="fact",
            whose="team",
            check=is_host,
        ),
        rule(
            "uses",
            rf"(?:{WE}|线上|生产(?:环境)?|测试环境|服务器)(?:都|统一|全|内部|一律|现在|目前|一直|的)*(?:在用|用的是|选的是|用|使用|跑在|部署在"
            rf"|采用)(?:的是)?{SHORT}",
            kind="fact",
            whose="team",
            slotted="uses",
            check=is_tool,
        ),
        rule(
            "works with",
            rf"(?:{ME}(?:主要|平时|一般)*|(?:主要|平时|一般)(?:都|是)?)(?:写"
            rf"|搞)\s?(?P<value>[A-Za-z][\w+#./ -]{{0,24}}"
            rf"(?:\s?[和、与]\s?[A-Za-z][\w+#.]{{0,20}}){{0,3}})(?:多|比较多|为主|的)?(?=$"
            rf"|[，,。；;])",
        ),
    )


def tools_left() -> tuple[Rule, ...]:
    """What work is no longer done with."""
    return (
        rule(
            "uses",
            rf"(?:{ME}|我|(?=再也不))(?:已经|早就|现在|早)?(?:再也不|不再|不|没再|没)(?:用|使用"
            rf"|写)(?P<value>[^，,。；;\n]{{1,20}}?)了",
            slotted="uses",
            polarity="negated",
            ended=True,
        ),
        rule(
            "uses",
            rf"{WE}(?:已经|早就|现在|早)?(?:不再|不)(?:用|使用|支持|维护)(?P<value>[^，,。；;\n]{{1,24}}?)了",
            kind="fact",
            whose="team",
            slotted="uses",
            polarity="negated",
            ended=True,
        ),
        rule(
            "uses",
            rf"{WE}(?:从来|一般|都)?(?:不用|不使用|没用)(?:任何)?{SHORT}",
            kind="fact",
            whose="team",
            slotted="uses",
            polarity="negated",
            check=is_tool,
        ),
        rule(
            "uses",
            rf"(?:{ME}|我)(?:已经|早就)?不再(?:用|使用|写){SHORT}",
            slotted="uses",
            polarity="negated",
            ended=True,
        ),
    )
