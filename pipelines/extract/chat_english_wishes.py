"""How English states what the user likes, aims at and is used to."""

from __future__ import annotations

from .chat_english_values import HABIT, THING
from .chat_english_words import ADVERBS, I_AM, I_HAVE, NOT, RATHER_THAN, VERBS, WE, V, rule
from .chat_rule import Rule


def preferences() -> tuple[Rule, ...]:
    """What the user likes and dislikes."""
    dislikes = (
        rf"(?:{I_AM}(?:not (?:a|much of a) (?:big |huge )?fan of|not (?:that )?into|sick of"
        rf"|tired of|not fond of)\s"
        rf"|i\s{ADVERBS}(?:hate|dislike|despise|detest|loathe|can(?:'t|not) stand|{NOT}(?:really "
        rf"|particularly |much |even )?(?:like|enjoy|care for|love|want to see))\s(?:it when you\s"
        rf"|when you\s|to see\s|seeing\s)?)"
    )
    return (
        rule("prefers", dislikes + V, slotted="prefers", polarity="negated", check=THING),
        rule(
            "prefers",
            # "I'd rather have a table" is a wish of this task, "I'd rather have small commits" a way of working.
            rf"(?:i(?:'d| would)\s(?:much |really |always |generally )?(?:prefer|rather (?:have|see"
            rf"|use|get|keep))"
            rf"(?!\s(?:an?|one|no|some|if|to see|it)\b)|i\s{ADVERBS}prefer)\s(?:to (?:have|see|get"
            rf"|use|keep)\s|using\s"
            rf"|having\s|it when you\s|that you\s)?{V}",
            slotted="prefers",
            check=THING,
        ),
        rule(
            "prefers",
            rf"(?:i\s{ADVERBS}(?:like|love|enjoy|favou?r)|{I_AM}(?:a (?:big |huge )?fan of|into"
            rf"|fond of|a sucker for|all for)|i(?:'m| am) used to)\s(?:it when you\s|to see\s"
            rf"|having\s|using\s)?{V}",
            slotted="prefers",
            check=THING,
            confidence=0.8,
        ),
        rule(
            "prefers",
            rf"i(?:'ve| have)\s{ADVERBS}(?:preferred|liked|favou?red)\s(?:having\s|using\s)?{V}",
            slotted="prefers",
            check=THING,
            since=True,
        ),
        rule(
            "prefers",
            rf"my (?:(?:personal )?preference is|favou?rite (?P<what>[\w ]{{2,30}}?) is)\s{RATHER_THAN}(?!not\s){V}",
            slotted="prefers",
        ),
        rule(
            "prefers",
            rf"my favou?rite (?P<what>[\w ]{{2,30}}?) is (?:not|no longer)\s{V}",
            slotted="prefers",
            polarity="negated",
        ),
    )


def goals_and_habits() -> tuple[Rule, ...]:
    """What the user aims at and is used to."""
    return (
        rule(
            "has goal",
            rf"(?:my (?:main |big |current |personal )?(?:goal|aim|objective|ambition)(?: (?:for"
            rf"|this|right) [\w ]{{2,30}}?)? is (?:to )?|{I_AM}(?:trying|learning|working hard"
            rf"|aiming|hoping)\s(?:to (?=learn|get better|become|improve|understand|master|lose"
            rf"|read|finish my)|(?=learn))"
            rf"|i(?:'d like| want| would like|'d love) to (?=learn\b|get better|become|improve my"
            rf"|master\b)|i(?:'m| am) (?=learning\b)){V}",
            long=True,
            importance=0.7,
        ),
        rule(
            "has habit",
            rf"(?:as a (?:general )?rule,?\si |(?:i|{I_HAVE}) ?(?:always|usually|typically|normally"
            rf"|generally|mostly|often|tend to"
            rf"|prefer to|like to|try to always|try to)\s)(?P<value>(?:{VERBS})\b[^;\n]{{1,160}})",
            long=True,
            check=HABIT,
        ),
        rule(
            "has habit",
            rf"i (?:never|rarely|hardly ever|seldom)\s(?P<value>(?:{VERBS})\b[^;\n]{{1,160}})",
            polarity="negated",
            long=True,
            check=HABIT,
        ),
        rule(
            "has habit",
            rf"{WE}(?:always|usually|generally|only)\s(?P<value>(?:{VERBS})\b[^;\n]{{1,160}})",
            kind="fact",
            whose="team",
            long=True,
            check=HABIT,
        ),
        rule(
            "has habit",
            rf"{WE}(?:never|{NOT})\s?(?P<value>(?:{VERBS})\b[^;\n]{{1,160}})",
            kind="fact",
            whose="team",
            polarity="negated",
            long=True,
            check=HABIT,
        ),
    )
