"""How English states decisions, other people's ways, and that something said was wrong."""

from __future__ import annotations

from functools import partial

from .chat_english_words import ADVERBS, RELATIVES, THING, V, is_short, rule, starts_otherwise
from .chat_rule import Rule


def decisions() -> tuple[Rule, ...]:
    """What was decided."""
    decided = (
        r"(?:(?:(?:we|i)(?:'ve| have)?|the team(?: has)?)\s(?:just |finally |now |both |all "
        r"|already |collectively )*"
        r"(?:decided|agreed|settled|opted|chose|chosen|picked|ended up (?:choosing|picking|going"
        r"|using|with)|went|gone|concluded|resolved|voted|committed)\s(?:on using|on|to go with"
        r"|to go for|to go|to|for|with|that|upon|against)?\s?"
        r"|(?:the )?(?:final )?decision(?: is|:| was)?(?: to)?\s|let's (?:go with|stick with"
        r"|stick to|settle on|standardi[sz]e on|go for)\s|we(?:'re| are) (?:going|sticking"
        r"|staying) with\s|we(?:'ll| will) (?:go|stick|stay) with\s|it's decided[:,]?\s)"
    )
    return (
        rule(
            "decided",
            decided + V,
            kind="fact",
            whose="team",
            slotted="decided",
            long=True,
            importance=0.7,
            check=partial(
                starts_otherwise,
                r"that\b(?! we)|this|it|one|option|the (?:first|second|third|last|latter|former|other"
                r"|same)|your|them|these|both|approach|whatever|already|nothing|not yet|later|about|so|yes"
                r"|no|what|whether|how|anything|something|everything|wrong|for|plan [a-z]\b|and|but",
            ),
        ),
    )


def other_people() -> tuple[Rule, ...]:
    """Whom the user speaks of, and their ways."""
    who = rf"(?P<who>(?:my|our)\s(?:{RELATIVES})(?:\s(?-i:[A-Z])\w+)?)\s"
    return (
        rule(
            "prefers",
            rf"{who}{ADVERBS}(?:hates|dislikes|can't stand|doesn't (?:really )?(?:like|want)"
            rf"|does not like|despises)\s{V}",
            kind="fact",
            whose="who",
            polarity="negated",
            check=THING,
        ),
        rule(
            "prefers",
            rf"{who}{ADVERBS}(?:likes|loves|prefers|insists on|is (?:a fan of|picky about"
            rf"|allergic to)|swears by)\s{V}",
            kind="fact",
            whose="who",
            check=THING,
        ),
        rule(
            "uses",
            rf"{who}{ADVERBS}(?:uses|works with|is on|runs)\s{V}",
            kind="fact",
            whose="who",
            check=is_short,
        ),
        rule("is", rf"{who}is (?:called\s|named\s){V}", kind="fact", whose="who"),
        rule(
            "has",
            rf"(?P<who>(?:my|our) (?:{RELATIVES}))(?:'s name is| is called) {V}",
            kind="fact",
            whose="who",
        ),
    )


def corrections() -> tuple[Rule, ...]:
    """That something said was wrong."""
    return (
        rule(
            "is",
            r"(?P<who>(?:the|our|my|that)\s[\w .'/-]{1,40}?|it|that)(?:'s|\s(?:is|are|should be"
            r"|was|runs on|listens on|lives in|has to be))\s(?P<value>[^,;\n]{1,60}?),?\s"
            r"(?:and )?not\s(?P<old>[^,;\n]{1,60})",
            kind="fact",
            whose="who",
            contrast=True,
            confidence=0.7,
        ),
        rule(
            "means",
            r"i meant?\s(?P<value>[^,;\n]{2,80}?)(?:,?\s(?:and )?not\s(?P<old>[^,;\n]{1,60}))?(?=[,;]|$)",
            kind="fact",
            contrast=True,
            confidence=0.6,
            check=partial(
                starts_otherwise,
                r"the (?:other|second|first|last|one|same|latter|former)|this|that|it|to|for you|in|on"
                r"|when|what|how|you|something|no|is|a different|another|exactly|just",
            ),
        ),
    )
