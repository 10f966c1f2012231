"""How English states what the user and the team work with, and no longer do."""

from __future__ import annotations

from .chat_english_values import is_craft, is_in_use, is_product, is_short
from .chat_english_words import ADVERBS, I_AM, I_HAVE, NOT, RATHER_THAN, WE, V, rule
from .chat_rule import Rule

# "I switched to Firefox to test, it's the same": tried in this task, and not changed for good.
_NOT_TO_TRY = (
    r"(?![^;\n]{0,80}\b(?:still|same|fails?|failed|broke|broken|crash\w*|errors?|hangs?|help"
    r"|to (?:test|check|see|debug|try|compare|verify|reproduce)"
    r"|(?:it|that) (?:works?|worked|is fine|helped|didn't))\b)"
)
# "I dropped Vim for Helix", "we replaced Jenkins with Buildkite": one thing by its name for another, and no more said
# of either, such as where or in which text.
_LEFT_FOR = (
    r"(?:'ve| have)?\s(?:just |recently |finally |now )*(?:(?:dropped|ditched|abandoned|left|swapped(?: out)?"
    r"|traded(?: in)?|gave up(?: on)?|given up(?: on)?)\s(?:using )?(?P<old>(?!the\b)[\w.+#-]{1,20})"
    r"\s(?:for|in favou?r of)"
    r"|(?:replaced|swapped(?: out)?)\s(?!the\b)[\w.+#-]{1,20}\s(?:with|by))\s"
    + _NOT_TO_TRY
    + r"(?P<value>[\w.+#-]{1,24}(?:\s(?-i:[A-Z])[\w.+#-]*)?)"
    r"(?=\s*$|\s?[,.;!(]|\s(?:because|since|as|last|this|now|years?|two|a)\b)"
)
# "The Zed editor" is Zed.
_THE = r"(?:the\s(?=[\w.+ ]{2,24}\s(?:editor|ide|shell|terminal|browser|app|database|keyboard)\b))?"


def tools() -> tuple[Rule, ...]:
    """What work is done with."""
    mine = (
        r"(?:editor|ide|shell|os|operating system|terminal|browser|laptop|machine|computer"
        r"|workstation|(?:main |daily |default |preferred |favou?rite )*(?:package manager"
        r"|language|editor|shell|driver|formatter|linter|ide|browser|terminal|distro))"
    )
    return (
        rule(
            "uses",
            rf"(?:i(?:'ve| have)?\s)?(?:just |recently |finally )*(?:(?:switched|moved|migrated"
            rf"|changed)\s(?:my [\w ]{{2,20}} )?(?:(?:over )?from"
            rf" (?P<old>[^,;\n]{{1,40}}?)\s)?(?:back |over )?to|(?:went|gone|came|come) back to|returned to)"
            rf"\s{_NOT_TO_TRY}{V}",
            slotted="uses",
            needs_topic=True,
            check=is_in_use,
        ),
        rule("uses", rf"i{_LEFT_FOR}", slotted="uses", needs_topic=True, check=is_in_use),
        rule(
            "uses",
            rf"{I_AM}(?:back )?(?:on|to|using|running|working on|working in|on an?|using an?"
            rf"|typing on an?)\s(?:an?\s)?{V}",
            slotted="uses",
            needs_topic=True,
            check=is_in_use,
        ),
        rule(
            "uses",
            rf"{I_HAVE}(?:been )?{ADVERBS}(?:use|run|using|running|work on|code in"
            rf"|work in)\s(?:an?\s(?=[^,;]{{0,30}}(?:mac|pc|laptop|thinkpad))"
            rf"|the\s(?=[^,;]{{0,20}}\blayout\b)|mostly |only )?{_THE}{V}",
            slotted="uses",
            check=is_product,
        ),
        rule(
            "uses",
            rf"i(?:'ve| have)\s{ADVERBS}used\s{_THE}{V}",
            slotted="uses",
            check=is_product,
            since=True,
        ),
        rule(
            "works with",
            rf"{I_HAVE}{ADVERBS}(?:work|code|write|program)\s(?:mostly |mainly |primarily |a lot )?(?:in"
            rf"|with)\s{V}",
            check=is_craft,
        ),
        rule(
            "uses",
            rf"my (?:work |home |dev |personal )?{mine} is\s{RATHER_THAN}(?:an?\s)?{V}",
            slotted="uses",
            check=is_product,
        ),
    )


def team_tools() -> tuple[Rule, ...]:
    """What a team works with."""
    return (
        rule(
            "uses",
            rf"{WE}(?:just |recently |finally )*(?:switched|moved|migrated"
            rf"|changed)\s(?:(?:over )?from (?P<old>[^,;\n]{{1,40}}?)\s)?(?:over )?to\s{_NOT_TO_TRY}{V}",
            kind="fact",
            whose="team",
            slotted="uses",
            needs_topic=True,
            check=is_in_use,
        ),
        rule(
            "uses",
            rf"we{_LEFT_FOR}",
            kind="fact",
            whose="team",
            slotted="uses",
            needs_topic=True,
            check=is_in_use,
        ),
        rule(
            "uses",
            rf"our (?:main |default |backend |frontend )?(?:linter|formatter|ci|database|db|test"
            rf" (?:framework|runner)|bundler"
            rf"|package manager|(?:issue )?tracker|chat|code host|message queue|queue|cache|cloud"
            rf"|stack|framework|language"
            rf"|backend|frontend|orm|monitoring)\sis\s(?:now |still |built on |written in )*{V}",
            kind="fact",
            whose="team",
            slotted="uses",
            check=is_product,
        ),
        rule(
            "uses",
            r"we(?:'re| are)\s(?:mostly |mainly )?an?\s(?:all-)?(?P<value>[\w+#./-]{1,20})\s(?:shop|house)\b",
            kind="fact",
            whose="team",
            check=is_product,
        ),
        rule(
            "uses",
            rf"we(?:'re| are)\s(?:now |still |all |currently )*(?:on|using|running)\s{V}",
            kind="fact",
            whose="team",
            slotted="uses",
            needs_topic=True,
            check=is_in_use,
        ),
        rule(
            "uses",
            rf"{WE}(?:have |has )?{ADVERBS}(?:been (?:using|running|on)|used)\s{V}",
            kind="fact",
            whose="team",
            slotted="uses",
            check=is_product,
            since=True,
        ),
        rule(
            "uses",
            rf"(?:{WE}|everyone here\s){ADVERBS}(?:uses?|run|runs|is on|are on|are using|is using"
            rf"|deploys? (?:to|on))\s{V}",
            kind="fact",
            whose="team",
            slotted="uses",
            check=is_product,
        ),
    )


def tools_left() -> tuple[Rule, ...]:
    """What work is no longer done with."""
    past = r"(?:(?:stopped|quit|gave up)\susing\s|(?:ditched|abandoned)\s)"
    longer = (
        rf"(?:no longer (?:use|run|like|prefer|want|need|work with)\s|{past}|(?:am|are|is|'m"
        rf"|'re) no longer (?:using|on|at|with)\s)"
    )
    any_more = (
        rf"{NOT}(?:really )?(?:use|run|like|prefer|support|work (?:with|in)|do|need"
        rf"|write)\s(?P<value>[^,;\n]{{1,80}}?)\s(?:any\s?more|any longer|these days)\b"
    )
    return (
        rule("uses", rf"i\s?{any_more}", slotted="uses", polarity="negated", ended=True),
        rule(
            "uses",
            rf"{WE}\s?{any_more}",
            kind="fact",
            whose="team",
            slotted="uses",
            polarity="negated",
            ended=True,
        ),
        rule(
            "uses",
            rf"i\s{ADVERBS}{NOT}(?:use|run)\s{V}",
            slotted="uses",
            polarity="negated",
            check=is_product,
        ),
        rule(
            "uses",
            rf"i(?:'ve|\shave|'m|\sam)?\s?{longer}{_THE}{V}",
            slotted="uses",
            polarity="negated",
            ended=True,
            check=is_short,
        ),
        rule(
            "uses",
            rf"{WE}\s?{longer}{_THE}{V}",
            kind="fact",
            whose="team",
            slotted="uses",
            polarity="negated",
            ended=True,
            check=is_short,
        ),
    )
