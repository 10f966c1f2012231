"""How English tells the agent what to do always or never, and that it need not any longer."""

from __future__ import annotations

from functools import partial

from .chat_english_values import is_imperative, is_order
from .chat_english_words import GERUNDS, LANGUAGES, NOT, VERBS, V, rule
from .chat_rule import Rule

ASKED = (
    r"(?:i(?:'d like| want| need| expect| would like) you to |you (?:should|must|need to"
    r"|have to|can) |make sure (?:to|you) |be sure to |try to |remember to )?"
)
FUTURE = (
    r"(?:from (?:now on|here on(?: out)?|today on|this point on|this point forward)|going forward"
    r"|in (?:the )?future(?!\s\w+s?\b(?<!always)(?<!please)(?<!never)(?<!just)(?<!do)(?<!use))|henceforth"
    r"|for the future|for future reference|as a (?:general |standing )?rule"
    r"|in all (?:your )?(?:replies|answers|responses))"
)
_DO = rf"(?P<value>(?:{VERBS})\b[^;\n]{{0,200}})"
_ANY_MORE = r"\s(?:any\s?more|any longer)\b"

# What an agent does, so that "whenever you …" tells it something; a program's users click and log in.
_WORK = (
    r"(?:add|change|edit|touch|modify|write|rewrite|create|delete|remove|rename|move|commit|push"
    r"|merge|rebase|open"
    r"|fix|refactor|finish|complete|are done|'re done|answer|reply|respond|explain|propose|suggest"
    r"|generate|make|update"
    r"|upgrade|install|bump|run|start|use|review|release|implement|build|introduce|need|want|ask|see"
    r"|find|document|plan"
    r"|summari[sz]e|give|show me|tell|translate)"
)
_PIECE = (
    r"(?:commits?|push|pushing|merges?|merging|pr|prs|pull request|pull requests|change|changes|edit"
    r"|edits|refactor"
    r"|refactoring|task|tasks|step|steps|session|answer|reply|response|release|feature|fix|schema"
    r" change|migration"
    r"|code change|big change|committing|code review|rebase)"
)
_WHENEVER = (
    rf"(?:(?:whenever|every time|each time|any time|anytime)\s(?:you|i|we)(?:'re|"
    rf" are)?\s{_WORK}\b[^,;\n]{{0,100}}"
    rf"|(?:before|after|with|on|for|in)\s(?:every|each|any)\s{_PIECE}\b[^,;\n]{{0,60}}"
    rf"|(?:before|after|when)\s(?:you\s{_WORK}|committing|pushing|merging|finishing)\b[^,;\n]{{0,100}}"
    rf"(?=,\s(?:please\s)?(?:always|never)\b))"
)
_REPLIES = r"(?:answers?|replies|responses|explanations)"
_MANNER = (
    r"(?:short|shorter|brief|briefer|concise|terse|succinct|crisp|simple|plain|polite|formal"
    r"|informal|casual|detailed"
    r"|technical|friendly|precise|to the point|to (?:a|one|two|three|\d)|under|below|in|at|free of"
    r"|within|focused)\b"
)


def lifted() -> tuple[Rule, ...]:
    """That an order no longer stands: the order's own words, denied."""
    done = partial(
        rule, "asks for", slotted="order", long=True, polarity="negated", ended=True, importance=0.8
    )
    need = (
        r"(?:you (?:do\s?n[o']?t|do not|dont) (?:have|need) to|you no longer (?:have|need) to|no need to"
        r"|(?:there's|there is) no (?:longer any )?need to)\s"
    )
    return (
        done(rf"{need}(?P<value>(?:{VERBS})\b[^;\n]{{0,160}}?){_ANY_MORE}", check=is_order),
        done(rf"you no longer (?:have|need) to\s{_DO}", check=is_order),
        done(
            r"(?:please )?(?:you can )?(?:stop|quit)\s(?:answering|replying|responding|talking"
            r"|speaking|writing)"
            rf"(?: to me)?\s(?P<value>in {LANGUAGES})\b",
        ),
    )


def orders() -> tuple[Rule, ...]:
    """What the agent is to do always or never."""
    order = partial(
        rule, "asks for", slotted="order", long=True, supposed=True, importance=0.8, check=is_order
    )
    no = rf"(?:{NOT}(?:ever )?|never |stop |no more |avoid |you (?:should|must) not )"
    return (
        order(
            rf"{FUTURE}[,:]?\s(?:please\s)?{ASKED}{no}{V}",
            polarity="negated",
        ),
        order(
            rf"{FUTURE}[,:]?\s(?:please\s|always\s|just\s|only\s|i want |i'd like )*{ASKED}(?:always\s)?{V}",
            check=is_imperative,
        ),
        order(
            rf"(?:{ASKED}never|you should never"
            rf"|never ever)\s(?P<value>(?:{VERBS})\b(?!\s(?:mind|happened))[^;\n]{{0,200}})",
            polarity="negated",
        ),
        order(rf"{ASKED}(?:don'?t|do not) ever\s(?P<value>[a-z]+\b[^;\n]{{1,200}})", polarity="negated"),
        order(rf"{ASKED}always\s{_DO}"),
        order(
            rf"(?:please )?(?:stop|quit)\s(?P<value>{GERUNDS}\b[^;\n]{{0,160}})",
            polarity="negated",
            confidence=0.7,
        ),
        order(rf"{_WHENEVER},\s(?:please\s|also\s|always\s|first\s|then\s)*{_DO}"),
        order(
            rf"(?:please )?(?:always )?keep (?:your |the |all"
            rf" )?{_REPLIES}\s(?P<value>{_MANNER}[^;\n]{{0,200}})"
        ),
        order(
            rf"(?:please )?(?:answer|reply|respond|talk to me|write to me|speak)(?: to me)? "
            rf"(?P<value>in {LANGUAGES}\b(?!\sto\s(?:this|the|that))[^;\n]{{0,80}})",
            confidence=0.7,
        ),
        order(
            rf"(?:please )?{NOT}(?P<value>(?:use (?:emojis?|em[- ]dash(?:es)?|exclamation marks)"
            rf"|apologi[sz]e|be (?:so )?(?:verbose|polite|chatty)|praise me|flatter me"
            rf"|summari[sz]e (?:at the end|what you did))\b[^;\n]{{0,80}})",
            polarity="negated",
            confidence=0.7,
        ),
        *_afterwards(order),
        order(
            r"no (?P<value>(?:emojis?|apologies|em[- ]dash(?:es)?|filler|fluff|pleasantries"
            r"|preamble)\b(?!\sin (?:the|this|that))[^,;\n]{0,60})",
            polarity="negated",
            confidence=0.7,
        ),
        *_on_weekdays(order),
    )


def _on_weekdays(order: partial[Rule]) -> tuple[Rule, ...]:
    """What is never to be done on a day of each week; what a program is to do then is not told so."""
    days = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends)"
    when = rf"(?:on|over|during)\s(?:the\s)?{days}(?:(?:\s(?:and|or)|,)\s(?:on\s)?{days}){{0,3}}"
    stands = (
        r"(?=\s*(?:$|[.;!]|,?\s(?:please|ever|period|no exceptions|no matter what|under any circumstances|because\b"
        r"|since\b|as a rule)))"
    )
    done = (
        r"(?:deploy|release|ship|merge|push|force-push|publish|roll out|launch|migrate|upgrade|commit|go live"
        r"|schedule (?:meetings|deploys|deployments|releases|calls))"
    )
    things = (
        r"(?:(?:production|prod|risky|big)\s)?(?:deploys|deployments|releases|merges|pushes|force[- ]pushes"
        r"|launches|rollouts|migrations|upgrades|commits|meetings|calls)"
    )
    thing = r"(?:(?!(?:this|that|these|it|them|next|until|unless|if|when)\b)[\w./-]+\s){0,4}?"
    return (
        order(
            rf"(?:(?:we|please)\s)?{NOT}(?P<value>{done}\s{thing}{when}){stands}",
            polarity="negated",
        ),
        order(rf"no (?P<value>{things}\s{thing}{when}){stands}", polarity="negated", check=None),
    )


def _afterwards(order: partial[Rule]) -> tuple[Rule, ...]:
    """Orders that say at their end that they stand."""
    stands = (
        rf"(?:(?:{FUTURE}|at all times|in general)(?=\s*(?:$|[,.;!]))|in (?:anything|everything"
        rf"|whatever) you\s"
        rf"|whenever (?:you|we)\s{_WORK}\b"
        rf"|(?:every|each|any) time (?:you|we)\s{_WORK}\b|(?:before|after|with|on) (?:every|each"
        rf"|any) {_PIECE}\b)"
    )
    return (
        order(
            rf"{NOT}(?:ever )?(?P<value>(?:{VERBS})\b[^;\n]{{1,160}}?),?\s"
            rf"(?:ever(?: again)?(?=$|[,.;!])|{FUTURE}|at all times|in anything you|in everything you)",
            polarity="negated",
        ),
        order(rf"(?P<value>(?:{VERBS})\b[^;\n]{{1,160}}?),?\s(?:always(?=$|[,.;!])|{stands})"),
    )
