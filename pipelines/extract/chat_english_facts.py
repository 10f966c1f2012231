"""How English states decisions, other people's ways, and that something said was wrong."""

from __future__ import annotations

import re
from functools import partial

from .chat_english_values import THING, is_name, is_product, starts_otherwise
from .chat_english_words import ADVERBS, ONE_OF_MANY, RELATIVES, V, rule
from .chat_rule import Rule

_NO_DECISION = (
    r"that\b(?! we| the)|this|it|one|option|the (?:first|second|third|last|latter|former|other|same)"
    r"|your|them|these"
    r"|both|approach|whatever|already|nothing|not yet|later|about|so|yes|no|what|whether|how"
    r"|anything|something"
    r"|everything|wrong|for|plan [a-z]\b|and|but|home|to|early|out|back|on"
    r"|(?:go|leave|wait|meet|stay|come|take a|have (?:a )?(?:lunch|dinner|break)|sleep|rename|delete"
    r"|remove|skip)"
)
# "rename it to foo", "go home early today": of this task or this day.
_PASSING = re.compile(r"\b(?:it|them|this|today|tonight|home|early|for now|lunch)\b", re.IGNORECASE)


def is_decision(value: str) -> bool:
    """Whether what was decided may hold for longer than this task."""
    return starts_otherwise(_NO_DECISION, value) and _PASSING.search(value[:40]) is None


def decisions() -> tuple[Rule, ...]:
    """What was decided."""
    decided = (
        r"(?:(?:(?:we|i)(?:'ve| have)?|the team(?: has)?)\s(?:just |finally |now |both |all "
        r"|already |collectively )*"
        r"(?:decided|agreed|settled|opted|chose|chosen|picked|ended up (?:choosing|picking|going"
        r"|using|with)|went|gone|concluded|resolved|voted|committed)\s(?:on using|on|to go with"
        r"|to go for|to go|to|for|with|that|upon)?\s?"
        r"|(?:the )?(?:final )?decision(?: is|:| was)?(?: to)?\s|let's (?:go with|stick with"
        r"|stick to|settle on|standardi[sz]e on|go for)\s|we(?:'re| are) (?:going|sticking"
        r"|staying) with\s|we(?:'ll| will) (?:go|stick|stay) with\s|it's decided[:,]?\s)"
    )
    team = r"(?:(?:we|i)(?:'ve| have)?|the team(?: has)?)\s(?:just |finally |now )?"
    against = (
        rf"(?:{team}(?:decided|voted|agreed|chose|chosen|opted)\snot to\s|{team}(?:decided|voted)\sagainst\s)"
    )
    return (
        _decided(against + V, polarity="negated"),
        _decided(decided + V),
        # "We're moving the billing service to Go": what is being changed, and to what.
        _decided(
            r"we(?:'re| are) (?:moving|switching|migrating|porting|rewriting)\s(?:(?:everything|all"
            r"|the|our) [^,;\n]{2,40}? )?"
            r"(?:over )?(?:from [^,;\n]{2,30} )?(?:to|in)\s" + V,
            check=is_product,
        ),
    )


_decided = partial(
    rule,
    "decided",
    kind="fact",
    whose="team",
    slotted="decided",
    long=True,
    importance=0.7,
    check=is_decision,
)


def other_people() -> tuple[Rule, ...]:
    """Whom the user speaks of, and their ways."""
    who = (
        rf"(?P<who>(?:my|our)\s(?:(?:{RELATIVES})(?:\s(?-i:[A-Z])\w+)?"
        rf"|(?:{ONE_OF_MANY})\s(?-i:[A-Z])\w+))\s"
    )
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
            check=is_product,
        ),
        rule(
            "is",
            rf"(?P<who>our (?:{RELATIVES}))\sis\s{V}",
            kind="fact",
            whose="who",
            check=lambda value: value[:1].isupper() and is_name(value),
        ),
        rule("is", rf"{who}is (?:called\s|named\s){V}", kind="fact", whose="who", check=is_name),
        rule(
            "has",
            rf"(?P<who>(?:my|our) (?:{RELATIVES}|{ONE_OF_MANY}))(?:'s name is| is called) {V}",
            kind="fact",
            whose="who",
            check=is_name,
        ),
    )


def surroundings() -> tuple[Rule, ...]:
    """Where the team's services and users are."""
    return (
        rule(
            "is",
            r"(?P<who>(?:our|the) (?:staging|prod(?:uction)?|dev|test|local|demo) [\w -]{2,30}?)\s"
            r"(?:is|runs|listens|lives|sits)\s(?P<value>(?:on|at|behind)\s(?:port\s\d+"
            r"|[\w-]+\.[\w.-]+)[^,;\n]{0,60})",
            kind="fact",
            whose="who",
        ),
        rule(
            "is",
            r"(?P<who>our (?:users|customers|clients|team|office|servers?|data|company))\s(?:is|are)\s"
            r"(?:all |mostly |mainly )?(?P<value>(?:in|based in|from)\s(?-i:[A-Z])[\w ]{1,40}?)(?=$"
            r"|[,;.]|\sso\b|\sand\b)",
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
            r"i (?:meant?|said)\s(?P<value>[^,;\n]{2,80}?)(?:,?\s(?:and"
            r" )?not\s(?P<old>[^,;\n]{1,60}))?(?=[,;]|$)",
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
