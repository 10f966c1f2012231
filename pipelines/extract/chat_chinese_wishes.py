"""How Chinese states what the user likes, aims at and is used to."""

from __future__ import annotations

import re

from .chat_chinese_values import is_thing
from .chat_chinese_words import COMPLAINTS, HATE, LIKE, ME, SHORT, WE, rule
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
            rf"{ME}(?:也|就|是)?(?:{HATE})(?:用|看到)?{SHORT}",
            slotted="prefers",
            polarity="negated",
            check=is_thing,
        ),
        rule(
            "prefers",
            rf"(?:也|就|是)?(?:{HATE})(?:用|看到)?{SHORT}",
            slotted="prefers",
            polarity="negated",
            follows=True,
            check=is_thing,
        ),
        rule(
            "prefers",
            rf"{ME}(?:对)(?P<value>[^，,。；;\n]{{1,20}}?)(?<![不没])(?:过敏|无感|没兴趣|很反感|深恶痛绝)",
            slotted="prefers",
            polarity="negated",
            whole=True,
            check=is_thing,
        ),
        rule(
            "prefers",
            rf"(?:(?:[^，,。；;\n我你他她说]{{1,10}})?{ME}(?:的)?(?:(?:写|做|改|看|用)[^，,。；;\n我你他]{{1,6}}?(?:的时候"
            rf"|时)?(?:都|更|比较|一般)?(?={LIKE}))?|(?:平时|平常|一般|个人|还是"
            rf"|一直)(?:都|更|比较)?(?=喜欢|习惯|偏好)){LIKE}(?:的是|用|使用)?{SHORT}",
            slotted="prefers",
            check=lambda v: is_thing(v) and not re.match("了|上|于", v),
        ),
    )


def favourites() -> tuple[Rule, ...]:
    """What the user likes best of a kind."""
    return (
        rule(
            "prefers",
            r"我最(?:喜欢|爱)的?(?P<what>[^，,。；;\n是]{1,12}?)"
            r"(?:不是\s?(?P<old>[^，,。；;\n]{1,20}?)\s?[，,]?\s?而是|(?<!不)是)" + SHORT,
            slotted="prefers",
            check=is_thing,
        ),
    )


def goals_and_habits() -> tuple[Rule, ...]:
    """What the user aims at and is used to."""
    return (
        rule(
            "has goal",
            r"(?:我(?:的|今年的?|最近的?|这个?季度的?|现在的?)?(?:目标|梦想|志向|flag)(?:是|：|:"
            r"|就是)|我(?:今年|最近|正|现在|想|打算|希望|准备|正在|在)*(?=学会|学好|学习|学\s?[A-Za-z]|在学|自学"
            r"|精通|掌握|提高|提升|考过|转行|减肥|练|刚开始学))" + SHORT,
            importance=0.7,
        ),
        rule(
            "has habit",
            r"(?:我|我们)(?:一般|通常|平时|习惯|总是|一直|每天|每周[一二三四五六日天]?|每晚|早上"
            r"|晚上|向来)(?:都|习惯|会|是)*(?P<value>(?!用|喜欢|报|遇|出错|在想|在等|觉得|以为|忘|搞混|分不清|记不|连不|登不|打不|跑不"
            r"|是|了|不|的)[^。；;！!？?\n]{2,80})",
            long=True,
            check=lambda v: not re.search(COMPLAINTS, v),
        ),
        rule(
            "has habit",
            rf"{WE}(?:每?(?:周|星期)[一二三四五六日天末]|节假日|周末|晚上)?\s?(?:从来|一般|都)?(?:不|从不)"
            r"(?P<value>(?:发版|发布|上线|部署|加班|开会|提测|合并|合代码|推代码)[^，,。；;！!？?\n]{0,20})",
            kind="fact",
            whose="team",
            polarity="negated",
        ),
        rule(
            "has habit",
            r"我们?(?:组|团队|公司|项目组?|这边|部门)(?:里|内部)?(?:从来|一般|都|向来)?(?:不|从不)"
            r"(?P<value>(?:写|做|搞|提|走|开|打|加|跑|收|接)[^，,。；;！!？?\n了过]{1,16})(?=$|[，,。；;])",
            kind="fact",
            whose="team",
            polarity="negated",
            check=lambda v: not re.search(COMPLAINTS + "|这|那|完|动|通|出|好", v),
        ),
        rule(
            "has habit",
            r"我(?:从来|一向|平时|基本)?不(?P<value>(?:吃|喝|抽|碰|熬夜|加班|玩)[^，,。；;！!？?\n]{0,20})",
            polarity="negated",
        ),
        rule(
            "has habit",
            r"(?:我|我们)(?:从来|从|一向|基本)?(?:从不|从来不|很少|几乎不)(?P<value>(?!知|能"
            r"|行|是|记|懂|说|想|用再|了|这|那)[^。；;！!？?\n]{2,60})",
            polarity="negated",
            long=True,
            check=lambda v: not re.search(COMPLAINTS, v),
            confidence=0.7,
        ),
    )
