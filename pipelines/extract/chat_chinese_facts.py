"""How Chinese states decisions, other people's ways, and that something said was wrong."""

from __future__ import annotations

import re

from .chat_chinese_values import is_thing, is_tool
from .chat_chinese_words import ADVERBS, HATE, LIKE, RELATIVE, SHORT, rule
from .chat_rule import Rule


def decisions() -> tuple[Rule, ...]:
    """What was decided."""
    decided = (
        r"(?:(?:(?:我们|咱们)(?:组|团队)?|咱|我|团队|大家|组里)?(?:今天|昨天|刚刚|刚|最终|最后"
        r"|已经|讨论后|商量后|一致|都|开会|投票|还是|上周"
        r"|会上|总算|终于)*(?:决定了?|敲定了?|选定了?|定下来了?|定了|选了|选择了?|商量好了?"
        r"|说好了?|达成一致|拍板了?|约定(?:好)?了?|约好了?|确定(?:了"
        r"|下来了?)?)(?:[，,：:]|\s)?(?:是|就|了|以后)?)"
    )
    return (
        rule(
            "decided",
            decided + r"(?P<value>(?!是|有|不了|因素|性|权|要不要|用不用|用哪|怎么|好|吗|吧|一下|下|这个"
            r"|这样|先|回家|去|休息|吃|走|等|明天|今天|今晚|改名|重命名|把)[^。；;！!？?\n]{2,120})",
            kind="fact",
            whose="team",
            slotted="decided",
            long=True,
            importance=0.7,
        ),
        rule(
            "decided",
            r"(?:那|还是|所以|行|好)?(?:我们|咱们|咱)?(?:就|还是)(?:定|选|用|采用|走"
            r"|上)(?P<value>(?!第|这|那|它|哪|你|上面|前|后|方案[一二三ABab123]|老|原来|上"
            r"|了)[^，,。；;\n]{1,24}?)(?:了)?(?:吧|好了|得了|就这么定了?)",
            kind="fact",
            whose="team",
            slotted="decided",
            long=True,
            importance=0.7,
            confidence=0.7,
        ),
    )


def other_people() -> tuple[Rule, ...]:
    """Whom the user speaks of, and their ways."""
    who = rf"(?P<who>(?:我|我们|咱|咱们)(?:的)?{RELATIVE}(?:[\u4e00-\u9fff]{{0,3}}?))"
    return (
        rule(
            "prefers",
            rf"(?P<who>我的?{RELATIVE}[\u4e00-\u9fff]{{0,3}}?)(?:对)"
            rf"(?P<value>[^，,。；;\n]{{1,20}}?)(?:过敏|很?反感|深恶痛绝)",
            kind="fact",
            whose="who",
            polarity="negated",
            check=is_thing,
        ),
        rule(
            "prefers",
            rf"{who}{ADVERBS}{{0,3}}{HATE}{SHORT}",
            kind="fact",
            whose="who",
            polarity="negated",
            check=is_thing,
        ),
        rule("prefers", rf"{who}{ADVERBS}{{0,3}}{LIKE}{SHORT}", kind="fact", whose="who", check=is_thing),
        rule(
            "uses",
            rf"{who}{ADVERBS}{{0,3}}(?:在|都)?用(?:的是)?{SHORT}",
            kind="fact",
            whose="who",
            check=is_tool,
        ),
    )


def corrections() -> tuple[Rule, ...]:
    """That something said was wrong."""
    return (
        rule(
            "is",
            r"(?:(?P<who>[^，,。；;\n是]{1,12}))?(?:应该)?不(?:是|叫)\s?(?P<old>(?!我|你|他|她|想"
            r"|要|说|因为|为了|让|没|不)[^，,。；;\n]{1,24}?)\s?[，,]\s?(?:而)?(?:应该)?(?:是"
            r"|叫)\s?(?P<value>[^，,。；;\n]{1,24})",
            kind="fact",
            whose="who",
            contrast=True,
            confidence=0.7,
            check=lambda v: not re.match("因为|为了|想|要|我|你|他|她|说|让|在|没|不", v),
        ),
        rule(
            "is",
            r"(?:(?P<who>[^，,。；;\n是]{1,12}))?(?:应该)?(?:是"
            r"|叫)\s?(?P<value>[^，,。；;\n]{1,24}?)\s?[，,]?\s?(?:而)?不(?:是|叫)\s?(?P<old>(?!我"
            r"|你|他|她|想|要|说|因为|为了|让|没|不)[^，,。；;\n]{1,24})",
            kind="fact",
            whose="who",
            contrast=True,
            confidence=0.7,
            check=lambda v: not re.match("因为|为了|想|要|我|你|他|她|说|让|在|没|不|这", v),
        ),
        rule(
            "means",
            r"我(?:的意思是|说的是|指的是|想说的是)(?P<value>(?!这|那|你|上面|刚才|第"
            r"|另)[^，,。；;\n]{1,40})(?:[，,]\s?不是(?P<old>[^，,。；;\n]{1,40}))?",
            kind="fact",
            contrast=True,
            confidence=0.6,
        ),
        rule(
            "is",
            r"(?P<who>(?!把|帮|你|请|能|可以|我想|想|要|再|先|都|全|给|将|这"
            r"|那)[^，,。；;\n把将]{1,14}?)(?:已经|现在|刚|都)?(?:改成|改到|改为|换成|挪到|推迟到"
            r"|提前到|延期到|延到)(?P<value>[^，,。；;\n]{1,24}?)了(?=$|[，,。；;\s])",
            kind="fact",
            whose="who",
            contrast=True,
            confidence=0.8,
        ),
    )
