"""Words and patterns that the rules for English share, and what a value must be."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from .chat_rule import Rule
from .topics import topic

ADVERBS = (
    r"(?:(?:really|generally|usually|mostly|strongly|much|still|also|kinda|kind of|typically"
    r"|normally|definitely|just|actually"
    r"|personally|always|absolutely|deeply|rather|truly|mainly|currently|now|do|very much"
    r"|tend to|quite|have always|simply)\s)*?"
)

I_HAVE = r"i(?:'ve| have)?\s"

I_AM = r"(?:i\s?am|i'?m|im)\s" + ADVERBS

WE = (
    r"(?:we|(?:my|our)\s(?:team|company|project|repo|org|startup|group|shop)|(?:this"
    r"|the)\s(?:team|project|repo|repository|codebase|company))(?:'ve| have| all|\s)*\s"
)

NOT = r"(?:do\s?n[o']?t|do not|dont)\s"

V = r"(?P<value>[^;\n]{1,240})"

ROLES = (
    r"engineer|developer|dev|programmer|designer|student|manager|analyst|scientist|researcher"
    r"|teacher|admin(?:istrator)?|sysadmin|sre|architect"
    r"|lead|consultant|freelancer|founder|cto|ceo|intern|maintainer|writer|pm|tester|qa|dba"
    r"|professor|lecturer|doctor|nurse|lawyer|coder"
    r"|contractor|director|statistician|physicist|biologist|mathematician|economist|accountant"
    r"|artist|musician|owner"
)

VERBS = (
    "use|run|write|add|put|keep|ask|answer|reply|respond|explain|show|commit|push|merge|rebase"
    "|squash|format|lint|test|check|make|create|delete"
    "|remove|touch|edit|change|modify|install|upgrade|start|stop|begin|end|give|tell|say|call"
    "|name|include|import|avoid|prefer|leave|do|be|assume"
    "|deploy|build|review|read|validate|verify|prefix|log|comment|document|type|annotate|wrap"
    "|throw|catch|handle|mock|sign|tag|update|open|close"
    "|generate|translate|speak|talk|apologi[sz]e|summari[sz]e|follow|set|store|save|cite|confirm"
    "|double-check|back|pin|bump|skip|force-push|amend"
    "|send|escape|sort|split|group|indent|target|branch|think|plan|propose|offer|suggest|quote"
    "|mention|output|print|get|work|go|pair|sketch|draft"
    "|hardcode|swallow|disable|enable|ignore|return early|refactor|fix|rename|move|bypass|invent"
    "|guess|repeat|mix|let|drop|trust|wait|take|try|rely|depend|reuse|copy|paste|load|expose|leak"
    "|block|pass|raise|retry|mutate|assign|declare|define|prepare"
    "|provide|present|pick|choose|respect|preserve|notify|inform|ping|warn|remind|list|link"
    "|number|describe|attach|mark|label|encode|parse|query|fetch"
    "|invoke|spawn|fork|clone|check out|pull|publish|release|ship|bundle|compile|cache|clean"
    "|clear|count|limit|cap|nest|inline|extract|export|hide"
    "|render|style|align|capitali[sz]e|lowercase|abbreviate|shorten|reveal|share|upload|download"
    "|overwrite|override|replace|swap|restart|reset|revert"
    "|roll back|encrypt|hash|saniti[sz]e|trim|round|cast|convert|treat|consider|expect|compare"
    "|measure|benchmark|profile|monitor|schedule|estimate|justify"
)

GERUNDS = (
    r"(?:us|add|writ|ask|apologi[sz]|repeat|explain|say|putt|creat|remov|delet|chang|rewrit"
    r"|generat|suggest|guess|summari[sz]|mention|commit|push"
    r"|wrapp|refactor|comment|reformatt|renam|invent|mix|be|call|end|start|giv|mak|touch|tell"
    r"|insert|includ|print|praising|prais)ing"
)

EVENTS = (
    r"demo|release|launch|deadline|freeze|code freeze|feature freeze|meeting|review|interview"
    r"|presentation|exam|migration|cutover|go-live|sprint"
    r"|conference|retro(?:spective)?|audit|standup|handover|workshop|talk|vacation|holiday"
    r"|call|kickoff|kick-off|rollout|maintenance|maintenance window"
    r"|submission|flight|appointment|offsite|hackathon|webinar|training|defen[cs]e|due date"
    r"|milestone|move|delivery|beta|trial|licen[cs]e|certificate|contract"
)

RELATIVES = (
    r"boss|manager|colleague|coworker|co-worker|teammate|client|customer|wife|husband|partner"
    r"|girlfriend|boyfriend|lead|team lead|tech lead|cto|ceo"
    r"|professor|supervisor|advisor|friend|brother|sister|son|daughter|mother|father|mom|mum"
    r"|dad|reviewer|pm|product manager|designer|intern|flatmate"
)


def starts_otherwise(words: str, value: str) -> bool:
    """Whether a value begins with none of some words, which would make it another kind of statement."""
    return re.match(rf"(?:{words})\b", value, re.IGNORECASE) is None


THING: Callable[[str], bool] = partial(
    starts_otherwise,
    r"the|this|that|these|those|your|it(?! when)|its|it's|how (?:you|this|it|that)|him|her"
    r"|them|you(?! to)|to be able|what you|where this|an? (?:bit|lot|new|different)"
    r"|my (?:change|code|version|solution)|not to|both|either|neither|one|all of|none|some(?:thing"
    r"|one)|the way",
)

TOOL: Callable[[str], bool] = partial(
    starts_otherwise,
    r"a|an|the|this|that|these|those|your|it|them|to|my|his|her|one|two|three|both|some|all"
    r"|what|whatever|which|any|anything|same|something|such|different|both"
    r"|here|in|of|on|for|up",
)

PLACE: Callable[[str], bool] = partial(
    starts_otherwise,
    r"the(?! (?:uk|us|usa|netherlands|hague|bay|philippines))|a|an|my|this|that|fear|hope|pain"
    r"|hell|your|production|prod|dev|main|debug\w*|it",
)


def is_name(value: str) -> bool:
    return len(value.split()) <= 4 and starts_otherwise(
        r"when|if|back|later|once|crazy|the|a|an|it|that|this|not|now|when|asap|on|at|by|before"
        r"|after|for|in|from|out|to|up|paranoid|old|lazy|maybe|stupid|picky"
        r"|and|or|with|names?",
        value,
    )


def is_employer(value: str) -> bool:
    return (
        len(value.split()) <= 5
        and re.match(r"[A-Z0-9\ue000]|[a-z]+\.(?:com|io|ai|org)", value) is not None
        and starts_otherwise("I|My|The same", value)
    )


def is_short(value: str) -> bool:
    return len(value.split()) <= 6 and TOOL(value)


def is_product(value: str) -> bool:
    """Whether a value is something one can use by name: known, or written as names are."""
    return is_short(value) and (
        topic(value) is not None or re.search(r"[A-Z0-9\ue000_/.]", value) is not None
    )


HABIT: Callable[[str], bool] = partial(
    starts_otherwise,
    "get|have|take|wait|try|trust|be|do|say|think|expect|let|open up|run into|end up|start to|begin to",
)

ORDER: Callable[[str], bool] = partial(
    starts_otherwise, r"it|it's|this|that|there|they|i|i'm|he|she|everything|nothing"
)


def rule(predicate: str, source: str, **more: object) -> Rule:
    return Rule(predicate, re.compile(source, re.IGNORECASE), **more)  # type: ignore[arg-type]
