"""English, as the rules for chat read it: its statements, requests to remember, plans and clause ends."""

from __future__ import annotations

import re
from functools import cache, partial

from .chat_english_facts import corrections, decisions, other_people
from .chat_english_self import names, occupation, places, tools, tools_left
from .chat_english_wishes import goals_and_habits, orders, preferences
from .chat_english_words import EVENTS
from .chat_rule import Language

_WILL = (
    r"(?:'ll| will|'m going to| am going to|'re going to| are going to| plan to| planning to"
    r"|'m planning to|'re planning to| intend to| hope to| have to| need to| must|'ve got to"
    r"| should|'m| am|'re| are|'ll be| want to|'ve to)"
)
_REMEMBER = (
    r"(?:(?:can|could|will|would) you (?:please )?|i(?:'d like| want) you to |please |also "
    r"|and |you (?:should|must) )?"
    r"(?:(?:remember|memori[sz]e|don'?t forget|do not forget|bear in mind|keep in mind"
    r"|make a (?:mental )?note|take note|note down|write down"
    r"|(?:save|store|add|commit|put)(?: this| the following| it)? (?:in|to"
    r"|into) (?:your )?(?:long-term )?memory)"
    r"(?: this| the following| these| for (?:later|next time|the future|me)| somewhere"
    r"| 一下)*(?:\s?[,:：]\s?(?:that\s)?|\sthat\s"
    r"|\s(?=(?:i|i'm|i've|my|we|our|all|prod|staging|every|only)\b|(?:the|this|these"
    r"|that)\s[^,;\n?]{1,80}\s(?:is|are|was|has|have|needs?|uses?|must|should|can(?:not)?"
    r"|can't|lives?|runs?|requires?|expires?|belongs?|returns?|doesn't|don't|isn't|aren't)\b))"
    r"|(?:memory(?=:)|note to self|for (?:your|the) memory|for future reference|to remember"
    r"|(?:something|things?|one thing) to remember)(?:\s?/\s?for your memory)?\s?[:,]\s?)"
)
_NO_REMEMBERING = (
    r"(?:when|how|why|what|where|who|which|if|whether|to|us|it|them|the time|the other day)\b"
    r"|the user (?:prefers?|wants?|likes?|hates?|asked|has|said|allows?|agreed|consents?"
    r"|is ok)"
)
_FORGET = (
    r"(?:(?:can|could|will|would) you (?:please )?|please |you can |you should |i(?:'d like"
    r"| want) you to )?(?:"
    r"forget (?:(?:about )?(?:everything|all|anything|what(?:ever)?) (?:that )?(?:i(?:'ve)?"
    r"|you|we) (?:(?:just |ever )?(?:said|told you|mentioned|know|remember|have|learned|saved"
    r"|stored)) ?(?:earlier |before |yesterday )?(?:about |on |of |regarding )?|(?:everything"
    r"|all) (?:about )?|about (?=my |our )|that (?=i\b|i'm|my|we|our)|(?=my |our |that i\b))"
    r"|(?:don'?t|do not|never) (?:remember|memori[sz]e)\s(?!why|how|what we|what the|where"
    r"|when|if|whether|who|seeing|exactly|the exact|off|which|having|any more|much)"
    r"|(?:don'?t|do not|never) (?:save|store|keep|record|put|write)\s(?=[^,;\n]{1,80}\s(?:in"
    r"|to|into) (?:your )?memory)"
    r"|(?:remove|delete|erase|wipe|drop|purge"
    r"|clear)\s(?=[^,;\n]{1,80}\s(?:from (?:your )?memory|from what you know"
    r"|you (?:have )?remember(?:ed)?)))(?P<value>[^;\n]{0,160})"
)
_CORRECTS = (
    r"(?:no|nope|sorry|wait|correction|my bad|i misspoke|actually|oops|i meant|not quite"
    r"|that's wrong|wrong)\b"
)
_NOT_OLD = r",?\s(?:and )?not\s(?:in |at |on |to |an? |the )?(?P<old>[^,;.\n]{1,60})"
_ONE_OFF = (
    r"\b(?:here|these|those|above|below|this time|for now|right now|just this once|for the moment"
    r"|this(?! (?:repo|repository|project|codebase|workspace|year|quarter|month|week|weekend"
    r"|company|team|kind|sort)\b)|that (?:file|function|one|test|line|bug|branch|class|method"
    r"|module|part|button)"
    r"|(?:the|your|my) (?:first|second|third|last|other|latter|former|above|same|previous"
    r"|next) \w+|(?:do|use|run|add|fix|keep|make|put|try|test|like|with|prefer|change|move"
    r"|delete|remove|of|for) (?:it|them|that)(?! (?:when|if|to))\b)"
)
_PROJECT = (
    r"\b(?:this|our|the) (?:repo(?:sitory)?|project|codebase|workspace|code base)\b"
    r"|\b[\w.-]{2,60}/(?=$|[\s,.])|\S/\S{2,}\b(?<!/them)(?<!/her)(?<!/him)|\b[\w-]{1,40}\.(?:py|js"
    r"|ts|tsx|go|rs|md|ya?ml"
    r"|json|toml|sql|java|c|cpp|sh|txt|lock)\b"
)
_WHY = (
    r",?\s?(?:[-–—]\s)?(?:mainly |mostly |just |simply )?(?:because|cause|cuz|since|due to"
    r"|as(?= (?:it|the|we|they|our|nobody|everyone|most)))\s(?P<why>[^\n]{3,240})"
)
_SHORT_END = (
    r"[,:(）（]|\s-{1,2}\s|\s?[—–]|[.!?]+$|\s(?:because|since|cause|so|but|though|although|which"
    r"|who|while|unless|where|if|when|whenever|even|except|anyway|instead of|rather than|over"
    r"|than|as opposed to|and not"
    r"|for (?:now|this|the last|years|most|everything|\d)|as (?:an?|my|the|it|far|of|well)|now"
    r"|nowadays|these days|btw|please|by the way|on (?:the|my)|and (?:i|i'm|we|he|she|they|my"
    r"|please|can|it|the|want|need|am|have|that|then|work|use|live|like|don't)|at (?:an?|the"
    r"|my|work|home|night)|in the|with (?:the|an?|my)|by trade|last (?:week|month|year)"
    r"|in general|anymore|any more|, not)\b"
)
_LONG_END = (
    r"[(（]|\s-{1,2}\s|\s?[—–]|[.!?]+$|,\s(?:but|so|because|since|can|could|please|what|how|why"
    r"|let's|i|i'm|we|it|it's|that|that's|the|my|not|otherwise|and (?:i|we|please|can|then))\b"
    r"|\s(?:because|since|so that|but|though|although|even if|, ok)\b|:\s"
)
_PLANS = (
    rf"(?:(?P<who>(?:i|we){_WILL}\s)(?!not\b)|(?:i|we) (?:ship|release|launch|deploy|fly|leave"
    rf"|present|demo|migrate|start|finish|meet|move|go live|go|switch|cut|travel|have|return"
    rf"|submit|deliver|close)\s"
    rf"|(?:the|our|my|next|a"
    rf"|an)\s(?:[\w.&/'-]{{1,30}}\s){{0,4}}?(?:{EVENTS})\b[^,;\n]{{0,60}}?\s(?:is|starts|ends"
    rf"|begins|happens|takes place|will be|are|expires|closes|opens|runs|has been|got|was|moved"
    rf"|needs to be)\b"
    rf"|(?P<reminder>(?:please )?remind me (?:to|about|that|on|next|tomorrow|in)\s(?:to\s)?"
    rf"|don'?t let me forget to\s)|(?:remember to|don'?t forget to)\s|(?:deadline|demo|release"
    rf"|meeting|launch|due)(?: is|:)?\s)(?P<value>[^;\n]{{0,200}})"
)
_SINCE = (
    r"\b(?:since|as of|starting(?: from| in)?|beginning(?: in)?|from"
    r"|ever since)\s(?:the beginning of |early |mid[- ]|late |about |around )?$"
)
_SINCE_AFTER = r"\s?(?:on(?:wards)?|forward)\b"


@cache
def english() -> Language:
    """The rules of English."""
    compiled = partial(re.compile, flags=re.IGNORECASE)
    return Language(
        rules=(
            *names(),
            *places(),
            *occupation(),
            *orders(),
            *tools_left(),
            *tools(),
            *preferences(),
            *goals_and_habits(),
            *decisions(),
            *other_people(),
            *corrections(),
        ),
        remember=compiled(_REMEMBER),
        no_remembering=compiled(_NO_REMEMBERING),
        forget=compiled(_FORGET),
        corrects=compiled(_CORRECTS),
        not_old=compiled(_NOT_OLD),
        one_off=compiled(_ONE_OFF),
        project=compiled(_PROJECT),
        why=compiled(_WHY),
        short_end=compiled(_SHORT_END),
        long_end=compiled(_LONG_END),
        plans=compiled(_PLANS),
        since=compiled(_SINCE),
        since_after=compiled(_SINCE_AFTER),
        subject="I ",
    )
