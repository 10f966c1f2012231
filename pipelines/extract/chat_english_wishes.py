"""How English states what the user likes, aims at, is used to, and wants always or never."""

from __future__ import annotations

from functools import partial

from .chat_english_words import ADVERBS, GERUNDS, HABIT, I_AM, I_HAVE, NOT, ORDER, THING, VERBS, WE, V, rule
from .chat_rule import Rule


def preferences() -> tuple[Rule, ...]:
    """What the user likes and dislikes."""
    dislikes = (
        rf"(?:{I_AM}(?:not (?:a|much of a) (?:big |huge )?fan of|not (?:that )?into|sick of"
        rf"|tired of|allergic to|not fond of)\s"
        rf"|i\s{ADVERBS}(?:hate|dislike|despise|detest|loathe|can(?:'t|not) stand|{NOT}(?:really "
        rf"|particularly |much |even )?(?:like|enjoy|care for|love|want to see))\s(?:it when you\s"
        rf"|when you\s|to see\s|seeing\s)?)"
    )
    return (
        rule("prefers", dislikes + V, slotted="prefers", polarity="negated", check=THING),
        rule(
            "prefers",
            rf"(?:i(?:'d| would)\s(?:much |really )?(?:prefer|rather (?:have|see|use|get|keep))"
            rf"|i\s{ADVERBS}prefer)\s(?:to (?:have|see|get|use|keep)\s|using\s|having\s"
            rf"|it when you\s|that you\s)?{V}",
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
            rf"my (?:(?:personal )?preference is|favou?rite (?P<what>[\w ]{{2,30}}) is)\s{V}",
            slotted="prefers",
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
            rf"(?:i|{I_HAVE}) ?(?:always|usually|typically|normally|generally|mostly|often|tend to"
            rf"|prefer to|like to|try to always|try to)\s(?P<value>(?:{VERBS})\b[^;\n]{{1,160}})",
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
            rf"{WE}never\s(?P<value>(?:{VERBS})\b[^;\n]{{1,160}})",
            kind="fact",
            whose="team",
            polarity="negated",
            long=True,
            check=HABIT,
        ),
    )


def orders() -> tuple[Rule, ...]:
    asked = (
        r"(?:i(?:'d like| want| need| expect| would like) you to |you (?:should|must|need to"
        r"|have to|can) |make sure (?:to|you) |be sure to |try to |remember to )?"
    )
    future = (
        r"(?:from (?:now on|here on(?: out)?|today on)|going forward|in (?:the )?future|henceforth"
        r"|from this point on|for the future|for future reference|as a (?:general |standing )?rule"
        r"|in all (?:your )?(?:replies|answers|responses))"
    )
    no = rf"(?:{NOT}(?:ever )?|never |stop |no more |avoid |you (?:should|must) not )"
    order = partial(rule, "asks for", slotted="order", long=True, supposed=True, importance=0.8, check=ORDER)
    return (
        order(rf"{future}[,:]?\s(?:please\s)?{asked}{no}{V}", polarity="negated"),
        order(
            rf"{future}[,:]?\s(?:please\s|always\s|just\s|only\s|i want "
            rf"|i'd like )*{asked}(?:always\s)?{V}"
        ),
        order(
            rf"(?:{asked}(?:never|don'?t ever|do not ever)|you should never"
            rf"|never ever)\s(?P<value>(?:{VERBS})\b(?!\s(?:mind|happened))[^;\n]{{1,200}})",
            polarity="negated",
        ),
        order(rf"{asked}always\s(?P<value>(?:{VERBS})\b[^;\n]{{1,200}})"),
        order(
            rf"(?:please )?(?:stop|quit)\s(?P<value>{GERUNDS}\b[^;\n]{{1,160}})",
            polarity="negated",
            confidence=0.7,
        ),
        order(
            rf"(?:whenever|every time|each time|any time|before (?:every|each|any)|after (?:every|each"
            rf"|any))\s(?:you |we |i )?[^,;\n]{{2,100}},\s(?:please\s|also\s|always\s|first\s"
            rf"|then\s)*(?P<value>(?:{VERBS})\b[^;\n]{{1,200}})"
        ),
        order(
            rf"(?:please )?(?:always )?keep (?:your |the |all )?(?:answers?|replies|responses"
            rf"|explanations)\s{V}"
        ),
        order(
            r"(?:please )?(?:answer|reply|respond|talk to me|write to me"
            r"|speak)(?: to me)? (?P<value>in (?:english|chinese|german|french|spanish|japanese"
            r"|portuguese|italian|korean|russian|polish|dutch)\b[^;\n]{0,80})",
            confidence=0.7,
        ),
        order(
            rf"(?:please )?{NOT}(?P<value>(?:use (?:emojis?|em[- ]dash(?:es)?|exclamation marks)"
            rf"|apologi[sz]e|be (?:so )?(?:verbose|polite|chatty)|praise me|flatter me"
            rf"|summari[sz]e (?:at the end|what you did))\b[^;\n]{{0,80}})",
            polarity="negated",
            confidence=0.7,
        ),
        order(
            rf"{NOT}(?:ever )?(?P<value>(?:{VERBS})\b[^;\n]{{1,160}}?),?\s(?:ever(?: again)?(?=$"
            rf"|[,.;!])|{future}|at all times|in anything you|in everything you)",
            polarity="negated",
        ),
        order(
            rf"(?P<value>(?:{VERBS})\b[^;\n]{{1,160}}?),?\s(?:always(?=$|[,.;!])|{future}|at all times"
            rf"|in (?:anything|everything|whatever) you\s|whenever (?:you|we)\s|(?:every|each"
            rf"|any) time (?:you|we)\s)"
        ),
        order(
            r"no (?P<value>(?:emojis?|apologies|em[- ]dash(?:es)?|filler|fluff|pleasantries"
            r"|preamble)\b[^,;\n]{0,60})",
            polarity="negated",
            confidence=0.7,
        ),
    )
