"""How Chinese tells the agent what to do always or never, and that it need not any longer."""

from __future__ import annotations

import re
from functools import partial

from .chat_chinese_values import WORK, is_order, is_routine
from .chat_chinese_words import DENIES, LANGUAGES, V, rule
from .chat_rule import Rule

_WEEKDAY = r"(?:(?:周|星期|礼拜)(?:[一二三四五六日天](?!期)|末)|工作日|节假日)"
# What may not be done on a day of each week: "周五不能来" is of one day, "周五不能上线" and "周五禁止加班" are not.
_FORBIDS = r"(?:一律|绝对|坚决|都|也|是)*(?:不许|不准|不得|禁止|严禁|不允许)(?:再|任何)?"
_MAY_NOT = (
    r"(?:一律|绝对|坚决|都|也|是)*(?:不能|不可以|不可)"
    r"(?=发布|上线|发版|部署|合并|合代码|推送|推代码|推到|升级|迁移|重启|变更|改(?:生产|线上|数据库|配置)|动(?:生产|线上|数据库))"
)
STANDING_DAY = (
    rf"(?:(?:我们|咱们?|团队|公司|组里|项目)(?:规定|要求)?[，,：:]?\s?)?{_WEEKDAY}"
    rf"(?:(?:到|至|[-~—、和])(?:[一二三四五六日天]|末)|(?:到|至|[-~—、和])?{_WEEKDAY}){{0,3}}(?:{_FORBIDS}|{_MAY_NOT})"
)
# The same, where it may be allowed as well.
EACH_WEEK = re.compile(
    rf"{_WEEKDAY}(?:(?:到|至|[-~—、和])?{_WEEKDAY}){{0,3}}(?:{_FORBIDS}|{_MAY_NOT}|允许|准许|可以)(?!.*[了吗呢]\s*[。.]?$)"
)
_STANDS = r"[，,]\s?(?:这是|以免|免得|防止|避免|谁都|没有例外|无一例外|规定|铁律)"


def orders() -> tuple[Rule, ...]:
    """What the agent is to do always or never."""
    order = partial(rule, "asks for", slotted="order", long=True, supposed=True, importance=0.8)
    later = (
        r"(?:(?:这个|本|我们的?)?(?:项目|仓库)(?:里面?|中)?)?(?:以后(?![缀台端门续果悔排轮半备置])|今后|往后|之后"
        r"|从现在(?:开始|起)|从今(?:天|以后|往后)(?:开始|起|以后)?|将来|从今往后"
        r"|接下来所有|从此(?:以后|之后)?|后面所有)"
    )
    you = (
        r"(?:请|你|您|麻烦|也|就|都|一律|统一|只|默认|凡是|所有的?|任何|的?话|，|,|\s|记得|务必|要"
        r"|必须|一定|得|尽量|帮我){0,6}"
    )
    return (
        order(
            rf"{later}{you}(?:[^，,。；;\n]{{0,16}}?)(?<!能)(?<!会){DENIES}(?:再|要|用再|老|总|动不动)?{V}",
            polarity="negated",
            check=is_order,
        ),
        order(
            rf"{later}{you}(?:(?<=[都就要请律，,])|(?=[^。；;\n]{{0,30}}(?:都|一律|统一|只|默认"
            rf"|必须|务必|请|要|先|记得"
            rf"|用)))(?:都)?{V}",
            check=is_order,
        ),
        order(
            rf"我(?:希望|想让|要|想要|需要)你(?:以后|今后|每次|一直|始终|永远)(?:都|就)?(?:要|先)?{V}",
            check=is_order,
        ),
        order(
            rf"(?:请|你|您|麻烦你?)?(?:永远|绝对|千万|任何时候|无论如何|任何情况下"
            rf"|从不)(?:都)?{DENIES}(?:再)?{V}",
            polarity="negated",
            check=is_order,
        ),
        order(
            rf"(?:请|你|您|麻烦你?)?(?:不要|别|不许|不准)(?:再|老|老是|总是|总|一直|每次都?|动不动就?){V}",
            polarity="negated",
            confidence=0.7,
            check=lambda v: is_order(v) and not re.match("试|来|问了|改了|动|管|说了|想|纠结|等", v),
        ),
        order(
            r"(?:请|你|您)?(?P<value>(?:每次|每回|每当|每个?[^，,。；;\n]{1,8}(?:之?前|之?后"
            r"|时))[^。；;！!？?\n]{0,30}?(?:先"
            r"|(?<!需)(?<!重)(?<!主)要|请|必须|务必|记得|别|不要|给我|得|都\s?(?=跑|更新|写|加"
            r"|检查|提交|用|同步|告诉|运行|执行|说明|列|附"
            r"|给))[^。；;！!？?\n]{2,80})",
            check=is_routine,
        ),
        order(
            r"(?:请|你|您)?(?:永远|始终|任何时候|无论何时|默认|总是)(?:都)?(?:要|请|得|给我"
            r"|先)?(?P<value>(?:用|使用|写|跑|先|保持|加|回|以"
            r"|按|放|遵|走|给|在|把|提交|运行|执行|检查|保留)[^。；;！!？?\n]{2,80})",
            check=is_order,
        ),
        order(
            r"(?P<value>(?!项目|团队|仓库)[^，,。；;\n我你他]{2,24}?(?:请|都)?(?:一律|统一)(?:请"
            r"|都|要|得)?(?:用|使用|写|放|按|走"
            r"|采用|不|以|加)[^。；;！!？?\n]{1,60})",
            check=is_order,
        ),
        *_of_the_agents_output(order),
        order(
            rf"{STANDING_DAY}(?P<value>[^，,。；;！!？?\n]{{0,24}}?[^，,。；;！!？?\n了吗呢])(?=\s*(?:$|{_STANDS}))",
            polarity="negated",
            check=is_order,
        ),
    )


def lifted() -> tuple[Rule, ...]:
    """That an order no longer stands: the order's own words, denied."""
    done = partial(
        rule, "asks for", slotted="order", long=True, polarity="negated", ended=True, importance=0.8
    )
    return (
        done(
            rf"(?:以后|今后|现在)?(?:你|您)?(?:就|都)?(?:不用|不必|无需|不需要|用不着)(?:再|每次|每次都)+{V}",
            check=is_order,
        ),
    )


def _of_the_agents_output(order: partial[Rule]) -> tuple[Rule, ...]:
    """Orders without "以后" that stand by what they speak of: replies, commit messages, comments."""
    return (
        order(
            r"(?P<value>(?!这|那|它)[^，,。；;！!？?\n]{3,40})[，,]\s?(?:以后|今后)(?:也|都|就|一直)*(?:这样|这么(?:做|办|来"
            r"|写)|按这个来|如此)",
            check=lambda v: is_order(v) and re.match(WORK + "|先|用|别|不要|把|每次|请", v) is not None,
        ),
        order(
            rf"(?:回答|回复|解释|答复)(?:我)?(?:时|的时候)?(?:请|都|一律|统一|就)(?:都|一律|统一)?(?P<value>(?:用|使用|说){LANGUAGES})(?=$"
            r"|[，,。；;！!])",
            confidence=0.7,
        ),
        order(
            r"(?P<value>(?:提交信息|commit message|代码注释|注释|pr\s?(?:的?(?:描述|标题|说明))|变量名|分支名)"
            r"\s?(?:也|请)?都"
            r"(?:用|写|要|按)[^，,。；;！!？?\n的]{1,40})(?=$|[，,。；;！!])",
            confidence=0.7,
        ),
        order(
            r"(?:请|你|您|麻烦)?(?:都|就|尽量|直接)?(?P<value>(?:用|说|讲)(?:中文|英文|英语|汉语"
            r"|普通话|简体中文|繁体中文|日语|日文)(?:跟我"
            r"|和我|来|给我)?(?:回答|回复|交流|沟通|说|讲|聊|答复|解释)(?:我|就行|就好|即可"
            r"|吧)?)(?=$|[，,。；;！!])",
            confidence=0.7,
        ),
    )
