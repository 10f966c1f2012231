"""Words and patterns that the rules for English share, and its verbs and roles."""

from __future__ import annotations

import re

from .chat_rule import Rule

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

# "Not Rust but Go" is Go.
RATHER_THAN = r"(?:(?:actually )?not (?:an? )?(?P<old>[^,;\n]{1,40}?),? but (?:rather |actually )?)?"

ROLES = (
    r"engineer|developer|dev|programmer|designer|student|manager|analyst|scientist|researcher"
    r"|teacher|admin(?:istrator)?|sysadmin|sre|architect"
    r"|lead|consultant|freelancer|founder|cto|ceo|intern|maintainer|writer|pm|tester|qa|dba"
    r"|professor|lecturer|doctor|nurse|lawyer|coder"
    r"|contractor|director|statistician|physicist|biologist|mathematician|economist|accountant"
    r"|artist|musician|owner"
)

VERBS = (
    "reformat|restructure|reorder|rewrite|redo|regenerate|rebuild|rerun|re-run|retest|consult"
    "|address|mark|use|run|write|add|put|keep|ask"
    "|answer|reply|respond|explain|show|commit|push|merge|rebase"
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
    r"(?:us|add|writ|run|answer|reply|respond|talk|speak|ask|apologi[sz]|repeat|explain|say|putt"
    r"|creat|remov|delet|chang|rewrit"
    r"|generat|suggest|guess|summari[sz]|mention|commit|push"
    r"|wrapp|refactor|comment|reformatt|renam|invent|mix|be|call|thank|flatter|append|prefix|install"
    r"|format|rebas|squash|bump|end|start|giv|mak|touch|tell"
    r"|insert|includ|print|praising|prais)ing"
)

# Of whom one has one, so that "my manager" is someone; and of whom one has many, so that they need a name.
RELATIVES = (
    r"boss|manager|wife|husband|partner|girlfriend|boyfriend|lead|team lead|tech lead|cto|ceo"
    r"|professor|supervisor"
    r"|advisor|brother|sister|son|daughter|mother|father|mom|mum|dad|pm|product manager|flatmate"
)
ONE_OF_MANY = r"colleague|coworker|co-worker|teammate|client|customer|friend|reviewer|designer|intern"


LANGUAGES = (
    r"(?:english|chinese|mandarin|cantonese|german|french|spanish|italian|portuguese|japanese|korean|russian"
    r"|polish|dutch|turkish|arabic|hindi|vietnamese|thai|swedish|danish|norwegian|finnish|czech|greek|hebrew"
    r"|ukrainian|hungarian|romanian|indonesian)"
)


def rule(predicate: str, source: str, **more: object) -> Rule:
    return Rule(predicate, re.compile(source, re.IGNORECASE), **more)  # type: ignore[arg-type]
