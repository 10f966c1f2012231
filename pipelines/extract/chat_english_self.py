"""How English states who and where the user is, and for whom they work."""

from __future__ import annotations

import re

from .chat_english_values import (
    TOOL,
    is_called,
    is_employer,
    is_name,
    is_origin,
    is_place,
    is_zone,
    names_topic,
)
from .chat_english_words import I_AM, I_HAVE, LANGUAGES, NOT, ROLES, V, rule
from .chat_rule import Rule


def names() -> tuple[Rule, ...]:
    """What the user is called, speaks and has."""
    return (
        rule(
            "is named",
            rf"(?:my\snickname(?:'s|\sis)\s|(?:you can |just |you may )?call me\s|i go by\s"
            rf"|i (?:prefer|like|want) to be (?:called|addressed as)\s){V}",
            slot="is:nickname",
            check=is_name,
            importance=0.8,
        ),
        rule(
            "is named",
            rf"(?:my\s(?:first |full )?name(?:'s|\sis)\s|{I_AM}called\s|the name's\s){V}",
            slot="is:name",
            check=is_name,
            importance=0.8,
        ),
        rule(
            "is named",
            r"(?:(?<=hi,\s)|(?<=hi\s)|(?<=hey,\s)|(?<=hey\s)|(?<=hello,\s)|(?<=intro:\s)"
            r"|(?<=there,\s)|(?<=morning,\s))"
            r"(?:i'?m|i am|this is)\s(?P<value>(?-i:[A-Z][a-z]+))(?=$|,|\sand\b|\sfrom\b)",
            slot="is:name",
            check=is_called,
        ),
        rule(
            "is named",
            r"(?:i'?m|i am)\s(?P<value>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?)),\s(?=(?:i (?:work|look"
            r"|lead|run|do|own|maintain|build"
            rf"|manage|am|take)|i'm|an?|the|your|our|(?:[\w-]{{2,20}}\s){{0,3}}(?:{ROLES}))\b)",
            slot="is:name",
            check=is_called,
        ),
        rule(
            "has pronouns",
            r"my pronouns are\s(?P<value>(?:they|she|he|xe|ze|it)\b[^,;\n]{0,20})",
            slot="is:pronouns",
            importance=0.8,
        ),
        rule(
            "has pronouns",
            r"(?:i use|i go by|please use|use)\s(?P<value>(?:they|she|he|xe|ze"
            r"|it)/\w{2,8}(?:/\w{2,8})?)(?:\spronouns)?(?:\s(?:for|with) me\b|\swhen|\s*(?=$|[,.;!]))",
            slot="is:pronouns",
            importance=0.8,
        ),
        rule(
            "speaks",
            r"(?:my (?:native|first|mother) (?:language|tongue) is\s|i(?:'m"
            r"| am) a native )(?P<value>\w+)(?: speaker)?",
            slot="is:native language",
        ),
        rule(
            "speaks",
            r"i (?:only |also |mostly |don't )?(?:speak|understand)\s"
            rf"(?P<value>{LANGUAGES}(?:(?:,| and| or|, and) {LANGUAGES}){{0,3}})",
        ),
        rule(
            "has", rf"my (?P<who>keyboard layout|layout)\s(?:is|are)\s{V}", slotted="uses", check=names_topic
        ),
    )


def places() -> tuple[Rule, ...]:
    """Where the user is."""
    place = (
        rf"{I_AM}(?:living|based|located|situated)\s(?:out of|in|near|over in|out in|at)\s"
        rf"|{I_HAVE}(?:actually |really |currently |still |also |now )?(?:been )?(?:live|living)\s(?:in|near)\s"
        rf"|i work (?:remotely )?(?:from|out of)\s"
        rf"|{I_HAVE}(?:just |recently |now "
        rf"|finally )*(?:moved|relocated)\s(?:back |over )?(?:from (?-i:[A-Z])[^,;\n]{{1,30}}? )?to\s"
    )
    return (
        rule(
            "lives in",
            rf"(?:{place}){V}",
            slot="lives:city",
            check=is_place,
        ),
        rule(
            "lives in",
            rf"(?:i(?:'ve| have)\s(?:now |actually |already )?(?:lived|been (?:based |located |living )?)\s?"
            rf"(?:in|near)\s){V}",
            slot="lives:city",
            check=is_place,
            since=True,
        ),
        rule(
            "lives in",
            rf"(?:{I_HAVE}{NOT}|i no longer\s)(?:live|reside)\s(?:in|near)\s{V}",
            slot="lives:city",
            polarity="negated",
            ended=True,
            check=is_place,
        ),
        rule(
            "comes from",
            rf"(?:{I_AM}(?:originally )?|i (?:originally )?come (?:originally )?)from\s"
            rf"(?P<value>[A-Z][^,;\n]{{1,60}})",
            check=is_origin,
        ),
        rule(
            "has time zone",
            rf"(?:my (?:time ?zone|tz|local time) is\s(?:now\s)?|{I_AM}(?:in|on)\s(?=utc|gmt|[a-z]{{2,4}}t\b"
            rf"|europe/|america/|asia/)){V}",
            slot="is:time zone",
            check=is_zone,
        ),
    )


def occupation() -> tuple[Rule, ...]:
    """What the user is and does."""
    return (
        rule(
            "is",
            rf"(?:{I_AM}(?:an?|the|mostly an?|mainly an?|by trade an?)\s|i work as (?:an?\s)?"
            rf"|i'?ve been an?\s|my (?:job|role|position|title|job title"
            rf"|profession) is\s(?:an?\s)?)"
            rf"(?P<value>(?:[^\s,;]+\s){{0,6}}?(?:{ROLES})\b(?!\s(?:of this|here))[^,;\n]{{0,40}})",
            slot="is:role",
            importance=0.7,
        ),
        rule("is", rf"i work as (?:an?\s)?{V}", slot="is:role", importance=0.7),
        rule(
            "is",
            rf"{I_AM}(?:an?\s)?(?P<value>(?:(?:total|complete|absolute|bit of an?|relative"
            rf"|self-taught)\s){{0,2}}(?:beginner|newbie|noob|novice|newcomer|new|expert|experienced"
            rf"|fluent|rusty|good|bad|terrible|at home|comfortable|familiar)\s(?:in|to|with"
            rf"|at)\s[^,;\n]{{2,60}})",
            check=lambda v: (
                not re.search(
                    r"\b(?:this(?! (?:repo|project|codebase|company|team)\b)|that|it|these|your|you)\b", v
                )
            ),
        ),
        rule(
            "is",
            rf"{I_AM}(?P<value>(?:(?:red-green |partially |totally |legally )?(?:colou?r[- ]?blind"
            rf"|left-handed|dyslexic|deaf|blind(?! to)|vegan|vegetarian|lactose intolerant|diabetic"
            rf"|pregnant|retired|self-employed)|allergic to (?:\w+ )?(?:nuts|peanuts|gluten|pollen"
            rf"|cats|dogs|shellfish|fish"
            rf"|lactose|dairy|milk|eggs|soy|wheat|penicillin|aspirin|latex|dust|bees|strawberries)"
            rf"|hard of hearing)\b)",
        ),
        rule(
            "is",
            rf"{I_AM}(?:not|no longer)\s(?:an?\s)?(?P<value>(?:colou?r[- ]?blind|left-handed|dyslexic|vegan|vegetarian"
            r"|lactose intolerant|diabetic|pregnant|retired|self-employed|allergic to (?:\w+\s){0,2}?\w+)"
            r"(?=$|[\s,.;!]))",
            polarity="negated",
        ),
        rule("is", rf"{I_AM}not an?\s(?P<value>(?:[^\s,;]+\s){{0,4}}?(?:{ROLES})\b)", polarity="negated"),
    )


def employment() -> tuple[Rule, ...]:
    """For whom and in which team the user works."""
    return (
        rule(
            "works at",
            rf"i\s?(?:no longer work (?:at|for)\s|{NOT}work (?:at"
            rf"|for)\s(?=[^,;\n]{{1,60}}\s(?:any\s?more|any longer)))"
            rf"(?P<value>(?-i:[A-Z])\w+(?:\s(?-i:[A-Z])\w+){{0,3}})"
            rf"(?=$|[,.;!]|\s(?:last|this|and|because|to|for|after|since|as of|any\s?more|any longer|a (?:week"
            rf"|month|year)|in (?:20\d\d"
            rf"|january|february|march|april|may|june|july|august|september|october|november|december))\b)",
            slot="works:employer",
            polarity="negated",
            ended=True,
        ),
        rule(
            "works in",
            r"i work (?:at|for) [^,;\n]{1,60}?\s(?:in|on)\s(?:the )?(?P<value>[^,;\n]{1,40}?)\s"
            r"(?:team|department|group|squad|division)\b",
            slot="works:team",
            beside=True,
        ),
        rule(
            "works at",
            r"(?:i'?m an?|i am an?|i work as)\s(?:[^\s,;]+\s){0,6}?\w*(?<=[a-z])\sat\s"
            r"(?P<value>(?-i:[A-Z])[^,;\n]{1,40})",
            slot="works:employer",
            beside=True,
            check=is_employer,
        ),
        rule(
            "works at",
            r"i(?:'m| am)? (?:work(?:ing)? )?(?:in|on) [^,;\n]{1,40}?\s(?:team|department|group"
            r"|squad|division)\s"
            r"(?:at|of)\s(?P<value>(?-i:[A-Z])[^,;\n]{1,40})",
            slot="works:employer",
            beside=True,
            check=is_employer,
        ),
        rule(
            "works at",
            rf"i(?:'ve| have)\s(?:now |already )?worked (?:at|for)\s{V}",
            slot="works:employer",
            check=is_employer,
            since=True,
        ),
        rule(
            "works at",
            r"i(?:'ve been| am|'m| have been)?(?: actually| currently| really| now| also)?"
            rf" work(?:ing)?(?: part[- ]time)? (?:at|for)\s{V}",
            slot="works:employer",
            check=is_employer,
        ),
        rule(
            "works at",
            rf"(?:{I_HAVE}(?:just |recently )?joined\s|my (?:employer|company) is\s){V}",
            slot="works:employer",
            check=is_employer,
        ),
        rule(
            "works in",
            rf"(?:{I_AM}|i(?:'m| am)? work(?:ing)?\s)(?:in|on|part of)\s(?:the"
            rf" )?(?P<value>[^,;\n]{{1,40}}?)\s(?:team"
            rf"|department|squad|division)\b",
            slot="works:team",
            check=TOOL,
        ),
    )
