"""How Chinese states where the user is no longer: an employer that was left, a place that was moved away from."""

from __future__ import annotations

import re
from functools import partial

from . import lasted
from .chat_chinese_values import is_employer, is_known_place, is_place, is_thing, is_where
from .chat_chinese_words import rule
from .chat_rule import Rule

# When, between "我" and what was left; what is still to come is no leaving yet, and of others it is another's.
_NUMBER = r"[\d一二两三四五六七八九十几]{1,4}"
_WHEN = (
    r"(?:已经|早就|早|刚刚|刚|终于|最近|现在|目前|正式|后来|今天|昨天|前天|前几天|前阵子|前段时间|又|重新|再次|就|都|也|人|开始|起|\s"
    r"|上上?个?(?:周|星期|礼拜|月)[一二三四五六日天]?(?:底|初)?|去年|今年|前年|年初|年底|年中|(?:春)?节后"
    rf"|(?:20\d\d\s?年|{_NUMBER}\s?月份?|{_NUMBER}[号日])(?:底|初|中旬|末)?|{_NUMBER}个?多?(?:天|周|星期|月|年)(?:之|以)?前)*"
)
# Who is back, or still there, has not left for good.
_END = r"(?=$|[，,。；;！!\s])(?![^。；;\n]{0,20}(?:又回|回来|回去了|还在|仍))"
_LEFT = r"(?:离职|辞职|离开|跳槽|走人|退休|被?裁(?:员|掉)?|被?优化(?:掉)?|被?辞退|被?开除)"
_PAST = r"(?=[^，,。；;！!？?\n]{0,12}(?:去年|前年|上个?月|上上个?月|上周|上个?星期|昨天|前天|年前|个月前|周前|天前))"

_NO_EMPLOYER = re.compile(
    "(?:群|会议?|组|部门|团队|页面|分支|家|屋|房间|项目|现场|办公室)(?:里|上|中)?$|[这那哪]"
)

_works_no_longer = partial(
    rule, "works at", slot="works:employer", polarity="negated", ended=True, whole=True
)
_lives_no_longer = partial(rule, "lives in", slot="lives:city", polarity="negated", ended=True, whole=True)


def is_left(value: str) -> bool:
    """Whether one can resign from it: any name but of a place, a page or what was just spoken of."""
    return is_thing(value) and not is_known_place(value) and _NO_EMPLOYER.search(value) is None


def _is_named(value: str) -> bool:
    """Whether it is a company by its name: one goes back to "the company" every morning."""
    return is_employer(value) and value not in (
        "公司",
        "集团",
        "大学",
        "银行",
        "医院",
        "研究所",
        "研究院",
        "厂",
    )


def left() -> tuple[Rule, ...]:
    """What the user was part of, or lived in, and is and does no longer."""
    employer = r"(?P<value>[^，,。；;\n\s了的]{2,14}?)(?:公司)?"
    return (
        _works_no_longer(
            rf"我(?:们)?{_WHEN}从\s?(?P<value>[^，,。；;\n了的]{{2,14}}?)\s?{_LEFT}(?:出来)?了{_END}",
            check=is_left,
        ),
        _works_no_longer(
            rf"我{_PAST}{_WHEN}从\s?(?P<value>[^，,。；;\n了的]{{2,14}}?)\s?{_LEFT}(?:出来)?(?:的)?{_END}",
            check=is_left,
        ),
        _works_no_longer(rf"我{_WHEN}(?:离开|告别)了?\s?{employer}了?{_END}", check=is_employer),
        _works_no_longer(
            rf"我{_WHEN}(?:辞(?:掉|去)?了?|离开了?|丢了)\s?{employer}的?(?:工作|职位|岗位)了?{_END}",
            check=is_left,
        ),
        _works_no_longer(rf"我{_WHEN}被\s?{employer}(?:裁员?|优化|辞退|开除)(?:掉)?了{_END}", check=is_left),
        rule(
            "uses",
            rf"我{_WHEN}(?:就|再也)?(?:不再|不|没再|停)(?:用|使用)\s?(?P<value>[^，,。；;\n了]{{1,20}}?)了{_END}",
            slotted="uses",
            polarity="negated",
            ended=True,
            whole=True,
        ),
        _works_no_longer(
            r"我(?:们)?(?:人)?(?:已经|早就|早|现在)?(?:不在|没在|不去|不给)\s?(?P<value>[^，,。；;\n\s]{2,14}?)\s?"
            rf"(?:上班|工作|干|做事|任职|就职|打工|待|呆)了{_END}",
            check=is_left,
        ),
        _works_no_longer(
            rf"我{_WHEN}(?P<value>离职|辞职|被?裁员|被裁|失业)(?:了|了?{lasted.CHINESE})(?![^，,。；;！!？?\n])",
            importance=0.6,
        ),
        _lives_no_longer(
            rf"我(?:们|家)?{_WHEN}(?:离开|搬离|搬出|告别)了?\s?(?P<value>[^，,。；;\n\s了的]{{2,10}}?)(?:市)?了?{_END}",
            check=is_known_place,
        ),
        _lives_no_longer(
            rf"我(?:们|家)?{_WHEN}从\s?(?P<value>[^，,。；;\n\s了的]{{2,10}}?)(?:市)?(?:搬走|搬出来|搬离|离开)了{_END}",
            check=is_place,
        ),
        rule(
            "lives in",
            rf"我(?:们|家)?{_WHEN}(?:又|重新)?(?:搬回到?|迁回到?|回到?(?=[^，,。；;\n]{{2,8}}(?:定居|居住|生活|发展|住)))"
            r"(?:了)?\s?(?P<value>[^，,。；;\n\s了的]{2,10}?)(?:市)?(?:去|来)?(?:住|生活|定居|居住|发展|工作|上班)?了?"
            rf"{_END}",
            slot="lives:city",
            whole=True,
            check=is_place,
        ),
        rule(
            "works at",
            rf"我{_WHEN}从[^，,。；;\n\s]{{2,14}}?跳槽?(?:到|去)了?\s?(?P<value>[^，,。；;\n\s了的]{{2,14}}?)了?{_END}",
            slot="works:employer",
            whole=True,
            check=is_left,
        ),
        rule(
            "works at",
            rf"我{_WHEN}(?<=[又新次])回(?:到|去)?了?\s?(?P<value>[^，,。；;\n\s了的]{{2,14}}?)(?:上班|工作|任职|干)?了?{_END}",
            slot="works:employer",
            whole=True,
            check=_is_named,
        ),
        rule(
            "lives in",
            rf"我{_WHEN}住的是\s?(?P<value>[^，,。；;\n\s了的]{{2,10}}?)(?=$|[，,。；;！!\s])",
            slot="lives:city",
            check=is_place,
        ),
        rule(
            "lives in",
            rf"我(?:们|家)?{_WHEN}又(?:住|搬|回)(?:在|到|回)\s?(?P<value>[^，,。；;\n\s了的]{{2,10}}?)(?:市)?(?:住)?了?{_END}",
            slot="lives:city",
            whole=True,
            check=is_where,
        ),
    )
