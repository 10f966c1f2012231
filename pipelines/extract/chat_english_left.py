"""How English states where the user is no longer: an employer that was left, a place that was moved away from."""

from __future__ import annotations

from functools import partial

from .chat_english_values import TECHNOLOGY, is_employer, is_known_place, is_place
from .chat_english_words import I_AM, I_HAVE, rule
from .chat_rule import Rule
from .topics import topic

_JUST = r"(?:just |recently |finally |now |already |officially |actually )*"
_I = rf"i(?:'ve|\shave)?\s{_JUST}"
_NAME = r"(?P<value>(?-i:[A-Z0-9])[\w.&'-]*\w(?:\s(?-i:[A-Z])[\w.&'-]*\w){0,3})"
_MONTHS = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun"
    r"|jul|aug|sept?|oct|nov|dec"
)
# What may follow a name that was left: the end of the clause, or when and why.
_THEN = (
    r"(?=\s*$|\s?[,.;!(（—–]|\s-\s|\s(?:last|this|and|but|so|because|since|to|for|after|before|when|as|again|already"
    r"|now|any\s?more|any longer|back in|earlier|recently|yesterday|today|on|at the|by"
    r"|(?:\w+|a couple of|a few)\s(?:day|week|month|year)s?\sago"
    rf"|in\s(?:early\s|mid[- ]?|late\s|the\s)?(?:20\d\d|{_MONTHS}|spring|summer|autumn|fall|winter|q[1-4]))\b)"
    # Who is back, or still there, has not left for good.
    r"(?![^;\n]{0,60}\b(?:back(?! in\b)|rejoined|returned|still)\b)"
)
# A program is quit at any time, an employer at some.
_DATED = rf"[^,;.!\n]{{1,60}}\s(?:last|yesterday|back in|to|after|ago|in\s(?:early\s|late\s)?(?:20\d\d|{_MONTHS}))\b"
_ANY_MORE = r"(?=[^,;\n]{1,60}\s(?:any\s?more|any longer))"
_JOB = r"my\s(?:[\w-]{2,16}\s){0,2}?(?:job|position|role|post|internship|contract)"

_works_no_longer = partial(
    rule, "works at", slot="works:employer", polarity="negated", ended=True, whole=True, importance=0.6
)
_lives_no_longer = partial(rule, "lives in", slot="lives:city", polarity="negated", ended=True, whole=True)


def is_left(value: str) -> bool:
    """Whether a name after "I left" is one of an employer: programs are left and quit as well."""
    known = is_known_place(value) or topic(value) is not None or TECHNOLOGY.search(value) is not None
    return is_employer(value) and not known


def left() -> tuple[Rule, ...]:
    """What the user was part of, or lived in, and is and does no longer."""
    return (
        _works_no_longer(
            rf"{_I}(?:left|quit(?={_DATED})|resigned from|departed(?: from)?)\s{_NAME}{_THEN}", check=is_left
        ),
        _works_no_longer(
            rf"{_I}(?:left|quit|resigned from|gave up|lost|finished|ended)\s{_JOB}\s(?:at|with|for)\s{_NAME}{_THEN}"
        ),
        _works_no_longer(
            rf"{_I}(?:was |got |been )?(?:laid off|let go|fired|made redundant)\s(?:from|by|at)\s{_NAME}{_THEN}"
        ),
        _works_no_longer(
            rf"(?:{I_AM}no longer (?:at|with|employed (?:at|by)|working (?:at|for)|part of)"
            rf"|i(?:'m not| am not)\s(?:working )?(?:at|with|for){_ANY_MORE}|{_I}stopped working (?:at|for))"
            rf"\s{_NAME}{_THEN}",
            check=is_left,
        ),
        _works_no_longer(rf"{_I}(?:left|quit|resigned from|lost)\s(?P<value>{_JOB}){_THEN}"),
        _lives_no_longer(
            rf"{_I}(?:left|moved (?:away from|out of|from))\s{_NAME}{_THEN}(?!\sto\s(?-i:[A-Z]))",
            check=is_known_place,
        ),
        _lives_no_longer(
            rf"(?:{_I}(?:moved (?:away from|out of)|stopped living in)"
            rf"|{I_AM}no longer (?:living |based |located )?in|i no longer (?:live|reside) (?:in|near)"
            rf"|i(?:'m not| am not)\s(?:living |based )?in{_ANY_MORE}"
            rf"|i(?: do not|\s?don'?t) (?:live|reside) (?:in|near){_ANY_MORE})\s{_NAME}{_THEN}",
            check=is_place,
        ),
        rule(
            "works at",
            rf"(?:(?:(?:and |now |then |so |but )*i'?\s?(?:a?m)\s(?:now )?(?:at|with|working (?:at|for))"
            rf"|(?:now |then )i (?:now )?work (?:at|for)"
            rf"|(?:i(?:'ve)?\s)?(?:then |just |now |have )*joined)\s{_NAME}{_THEN})",
            slot="works:employer",
            whole=True,
            follows=True,
            check=is_left,
        ),
        rule(
            "works at",
            rf"(?:{I_AM}back (?:at|with)|{_I}(?:got|landed|found|started|took)\s(?:an?"
            rf"|my)\s(?:new\s)?(?:[\w-]+\s){{0,2}}?"
            rf"(?:job|position|role)\s(?:at|with)|{_I}(?:re-?joined|returned to|went back to"
            rf"|started (?:working )?(?:at|for)))"
            rf"\s{_NAME}(?=\s*$|\s?[,.;!]|\s(?:now|since|in|last|this|and|because|again|starting|from)\b)"
            r"(?!\s(?:and|to) (?:see|visit))",
            slot="works:employer",
            whole=True,
            check=is_left,
        ),
        rule(
            "lives in",
            rf"{I_AM}(?:now )?back in\s{_NAME}(?=\s*$|\s?[.;!]|\s(?:now|again|for good|since)\b)",
            slot="lives:city",
            whole=True,
            check=is_place,
        ),
        rule(
            "lives in",
            rf"(?:{I_HAVE}{_JUST}(?:moved|relocated|returned) back to|{I_AM}(?:living|based) (?:back )?in"
            rf"|i live in)\s"
            rf"{_NAME}\s(?:again|for good)(?=\s*$|\s?[,.;!]|\s(?:now|since|in|last|this|and|because)\b)",
            slot="lives:city",
            whole=True,
            check=is_place,
        ),
    )
