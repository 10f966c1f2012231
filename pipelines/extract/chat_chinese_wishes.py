"""How Chinese states what the user likes, aims at, is used to, and wants always or never."""

from __future__ import annotations

import re
from functools import partial

from .chat_chinese_words import (
    COMPLAINTS,
    DENIES,
    HATE,
    LIKE,
    ME,
    SHORT,
    V,
    is_order,
    is_thing,
    rule,
)
from .chat_rule import Rule


def preferences() -> tuple[Rule, ...]:
    """What the user likes and dislikes."""
    return (
        rule(
            "prefers",
            rf"(?:(?:比起|相比|相较于?|和|跟|与)(?P<old>[^，,。；;\n]{{1,24}}?)(?:相比"
            rf"|比起来)?[，,]\s?)(?:{ME}|我){LIKE}{SHORT}",
            slotted="prefers",
            check=is_thing,
        ),
        rule(
            "prefers",
            rf"(?:{ME}|(?={HATE}[^，,。；;\n]{{1,20}}))(?:也|就|是)?(?:{HATE})(?:用|看到)?{SHORT}",
            slotted="prefers",
            polarity="negated",
            check=is_thing,
        ),
        rule(
            "prefers",
            rf"{ME}(?:对)(?P<value>[^，,。；;\n]{{1,20}}?)(?:过敏|无感|没兴趣|很反感|深恶痛绝)",
            slotted="prefers",
            polarity="negated",
            check=is_thing,
        ),
        rule(
            "prefers",
            rf"(?:(?:[^，,。；;\n我你他她说]{{1,10}})?{ME}(?:的)?|(?:平时|平常|一般|个人|还是"
            rf"|一直)(?:都|更|比较)?(?=喜欢|习惯|偏好)){LIKE}(?:的是|用|使用)?{SHORT}",
            slotted="prefers",
            check=lambda v: is_thing(v) and not re.match("了|上|于", v),
        ),
    )


def goals_and_habits() -> tuple[Rule, ...]:
    """What the user aims at and is used to."""
    return (
        rule(
            "has goal",
            r"(?:我(?:的|今年的?|最近的?|这个?季度的?|现在的?)?(?:目标|梦想|志向|flag)(?:是|：|:"
            r"|就是)|我(?:今年|最近|正|现在|想|打算|希望|准备|正在|在)*(?=学会|学好|学习|在学|自学"
            r"|精通|掌握|提高|提升|考过|转行|减肥|练|刚开始学))" + SHORT,
            importance=0.7,
        ),
        rule(
            "has habit",
            r"(?:我|我们)(?:一般|通常|平时|习惯|总是|一直|每天|每周[一二三四五六日天]?|每晚|早上"
            r"|晚上|向来)(?:都|习惯|会|是)*(?P<value>(?!用|喜欢|报|遇|出错|在想|觉得|以为"
            r"|是|了|不|的)[^。；;！!？?\n]{2,80})",
            long=True,
            check=lambda v: not re.search(COMPLAINTS, v),
        ),
        rule(
            "has habit",
            r"我(?:从来|一向|平时|基本)?不(?P<value>(?:吃|喝|抽|碰|熬夜|加班|玩)[^，,。；;！!？?\n]{0,20})",
            polarity="negated",
        ),
        rule(
            "has habit",
            r"(?:我|我们)(?:从来|从|一向|基本)?(?:从不|从来不|不会|很少|几乎不)(?P<value>(?!知|能"
            r"|行|是|记|懂|说|想|用再|了|这|那)[^。；;！!？?\n]{2,60})",
            polarity="negated",
            long=True,
            check=lambda v: not re.search(COMPLAINTS, v),
            confidence=0.7,
        ),
    )


def orders() -> tuple[Rule, ...]:
    order = partial(rule, "asks for", slotted="order", long=True, supposed=True, importance=0.8)
    later = (
        r"(?:(?:这个|本|我们的?)?(?:项目|仓库)(?:里面?|中)?)?(?:以后|今后|往后|之后"
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
            check=lambda v: is_order(v[2:]) and "我" not in v[2:5] and not re.search(COMPLAINTS, v),
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
        order(
            r"(?:请|你|您|麻烦)?(?:都|就|尽量|直接)?(?P<value>(?:用|说|讲)(?:中文|英文|英语|汉语"
            r"|普通话|简体中文|繁体中文|日语|日文)(?:跟我"
            r"|和我|来|给我)?(?:回答|回复|交流|沟通|说|讲|聊|答复|解释)(?:我|就行|就好|即可"
            r"|吧)?)(?=$|[，,。；;！!])",
            confidence=0.7,
        ),
    )
