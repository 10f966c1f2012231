"""English, as the rules for chat read it: its statements, requests to remember, plans and clause ends."""

from __future__ import annotations

import re
from functools import cache, partial

from . import lasted
from .chat_english_facts import corrections, decisions, other_people, surroundings
from .chat_english_left import left
from .chat_english_orders import lifted, orders
from .chat_english_self import employment, names, occupation, places
from .chat_english_tools import team_tools, tools, tools_left
from .chat_english_wishes import goals_and_habits, preferences
from .chat_events import EVENTS
from .chat_one_value import english_ones
from .chat_rule import Language

_WILL = (
    r"(?:'ll| will| plan to| intend to| hope to| have to| need to| must|'ve got to| should| want to|'ve to"
    r"|(?:'m| am|'re| are) (?:(?:going|planning) to|(?=(?!working|having|getting|trying|seeing"
    r"|looking|testing|debugging)\w+ing\b"
    r"|on (?:a )?(?:vacation|holidays?|leave|pto|sick|parental|call|duty|trip)\b|out\b|off\b|away\b"
    r"|back\b|busy\b|unavailable\b"
    r"|travell?ing\b|in (?-i:[A-Z])|at (?:the|a)\b)))"
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
    r"(?P<unled>when|how|why|what|where|who|which|if|whether|to|us|it|them|the time|the other day)\b"
    r"|the user (?:prefers?|wants?|likes?|hates?|asked|has|said|allows?|agreed|consents?"
    r"|is ok)"
)
_ASKS_POLITELY = r"(?:can|could|will|would) you\b"
_RECALLED = (
    r"(?:we|i|you) (?:just |once |already )?(?:talked|discussed|spoke|tried|saw|fixed|broke|had|did"
    r"|were talking|went)\b"
    r"|you (?:have|need|should|must|can|can't|cannot)\b[^;\n]{0,120}\bthis\b"
    r"|(?P<unled>bug|issue|error|problem|time|day|one|thing)\b(?!\s(?:is|are|must|should|has)\b)"
)
_REMINDS = r"remember\s?,|forget|bear in mind|keep in mind|take note|make a note"
_LASTING = (
    r"\b(?:i|i'm|i've|we|we're|we've|our|my|us|me|prod(?:uction)?|staging|customers?|clients?|team"
    r"|vpn|deadline|repo"
    r"|company|office|boss|manager)\b|\d"
)
_PAST = (
    r"left|went|came|took|made|got|gave|told|said|met|built|broke|ran|saw|wrote|began|became|chose|found|kept|lost|paid|put"
    r"|sent|set|sold|spent|won|thought|bought|brought|caught|held|knew|led|let|quit|read|spoke|stood|fell|grew|cost|cut|hit"
    r"|shut|split|drew|drove|flew|froze|taught|hid|rose|took|lent"
)
_VERBS = (
    r"\b(?:is|are|was|were|am|has|have|had|must|should|shall|can|cannot|could|will|would|may|need"
    r"|use|do|does|did|i|we"
    r"|\w+s|\w+n't|\w+ed|go|run|live|prefer|like|want|work)\b|'(?:s|m|re|ve|ll)\b"
    # "That library Bob wrote" names a thing.
    rf"|^(?:(?:(?:the|my|our|all|every|both|no)\s|(?-i:[A-Z])\S*\s)(?:\S+\s)?|\S+\s)(?:{_PAST})\b"
)
_ANOTHER = (
    r",?\s(?:and|but|then)\s(?=(?:from now on|going forward|in (?:the )?future|always|never|please"
    r"|remember|use|i|i'm|my|we)\b)"
    r"|,\s(?=(?:i|i'm|my|from now on|always|never|use|please|instead)\b)"
)
_FORGET = (
    r"(?:(?:can|could|will|would) you (?:please )?|please |you can |you may |you should |i(?:'d like"
    r"| want) you to )?(?:"
    r"forget (?:(?:about )?(?:everything|all|anything|what(?:ever)?) (?:that )?(?:i(?:'ve)?"
    r"|you|we) (?:(?:just |ever )?(?:said|told you|mentioned|know|remember|have|learned|saved"
    r"|stored)) ?(?:earlier |before |yesterday )?(?:about |on |of |regarding )?|(?:everything"
    r"|all) (?:about )?|about (?=my |our )|that (?=i\b|i'm|my|we|our)|(?=my |our |that i\b|where"
    r" (?:i|we)\b|who i\b|what i(?:'m| am| do)\b|how old))"
    r"|(?:(?:i )?(?:don'?t|do not) want you to|don'?t|do not|never|stop) (?:remember(?:ing)?"
    r"|memori[sz](?:e|ing))\s(?!why|how|what we|what the|where"
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
    r"\b(?:(?:in|on|at|of|from|to) the (?:[\w-]{1,20} )?(?:footer|header|sidebar|navbar|menu|page"
    r"|form|modal|dialog|button"
    r"|table|dashboard|screen|widget|banner|toolbar|popup|input|field|loop|handler|snippet)|here"
    r"|these|those|above|below|this time|for now|right now|just this once|for the moment"
    r"|this(?! (?:repo|repository|project|codebase|workspace|year|quarter|month|week|weekend"
    r"|company|team|kind|sort)\b)|that (?:file|function|one|test|line|bug|branch|class|method"
    r"|module|part|button)"
    r"|(?:the|your|my) (?:first|second|third|last|other|latter|former|above|same|previous"
    r"|next) \w+|(?:do|use|run|add|fix|keep|make|put|try|test|like|with|prefer|change|move"
    r"|delete|remove|of|for) (?:it|them|that)(?! (?:when|if|to|kind|sort|type))\b)"
)
_PROJECT = (
    r"\b(?:this|our|the) (?:[\w.-]{1,40} )?(?:repo(?:sitory)?|project|codebase|workspace|code base)\b"
    r"|\b[\w.-]{2,60}/(?=$|[\s,.])|\S/\S{2,}\b(?<!/them)(?<!/her)(?<!/him)|\b[\w-]{1,40}\.(?:py|js"
    r"|ts|tsx|go|rs|md|ya?ml"
    r"|json|toml|sql|java|c|cpp|sh|txt|lock)\b"
)
_TASK_FOLLOWS = (
    r"[,.:;!]\s(?:please |so |and |now |then |can you |could you )*(?:implement|address|build|add"
    r"|write|code|make|put|turn|fix"
    r"|apply|encode|enforce)\s(?:that|this|it|these|them|(?:the|a|an) [^,;\n]{2,40} (?:for|that"
    r" does) (?:it|that|this))\b"
    r"|[,.:;!]\s(?:please )?(?:implement|add) (?:that|this|it|a hook|an? [\w -]{2,30} (?:hook|rule"
    r"|check|action))\b"
)
_REPO = r"(?:repo(?:sitory)?|project|codebase|workspace|code base|monorepo)"
_LIMITS = (
    rf"\b(?:in|for|within|inside|on|across)\s(?:(?:this|our|the|my)\s(?:[\w.-]{{1,40}}\s)?{_REPO}"
    rf"|(?=[\w.]{{0,40}}[-_/])[\w./-]{{3,60}}(?:\s{_REPO})?)(?:\shere)?[,:]?\s"
)
_OF_TASK = (
    r"(?:and |but |so |also |please )*(?:in|for|on|at|within|during|inside|under|with|until)\s(?:the"
    r"|this|that|these|those"
    r"|your|my)\s(?:[\w.-]{1,30}\s){0,3}(?:script|function|method|class|file|test|tests|loop|page"
    r"|component|module"
    r"|section|screen|dialog|form|button|table|view|query|endpoint|handler|pr|branch|ticket|task"
    r"|example|version"
    r"|versions|commit|answer|question|case|snippet|demo|exercise|fixture|step|one|hook|template|config)$"
    r"|(?:here|this time|for now|right now|just once|in this case|in (?:future|later|new|old|other) \w+"
    r"|for (?:testing|the example|example))$"
)
_OWN_LABELS = (
    r"^(?:and |also |but |so |ok |okay |oh |hey |just |please |btw |a |an |the |one |two |some |few "
    r"|couple of |quick "
    r"|small |short |little |more |another |last |first |second |third |side |general |standing "
    r"|house |my |our "
    r"|personal |team |project |extra |important |of )*"
    r"(?:remember(?: this| the following| these)?|memori[sz]e(?: this)?|notes?(?: to self)?|side"
    r" note|unrelated|off[- ]topic|reminders?|memory"
    r"|future reference|reference|rules?|policy|policies|new policy|conventions?|preferences?"
    r"|set-?up|environment|env|stack"
    r"|context|background"
    r"|fyi|btw|info|information|update|corrections?|important|edit|ps|p\.s|intro|introduction"
    r"|things?(?: about me"
    r"| to (?:know|note|remember))?|about me|points?|one|decision|decided|plan|plans|goals?|heads up"
    r"|question|guidelines?"
    r"|again|clear|honest|deadline|due|habit|habits|workflow|demo|release|meeting|launch|job|role"
    r"|name|editor|shell|os"
    r"|for your memory|for the record|keep in mind|bear in mind|take note|case it matters"
    r"|to be clear|in short|as always|as usual|as i said|like i said|tip|hint|ask|request|wish"
    r"|favou?r|whatever)$"
    r"|^(?:(?:and|also|but|so|ok|oh|please|can you|could you|would you)\s)*(?:i|i'm|i've|i'd|we"
    r"|we're|we've|my|our|let me"
    r"|here's (?:how|what) (?:i|we)|remember|memori[sz]e|note|keep|save|don't|do not|forget|from now"
    r" on|going forward"
    r"|always|never|in (?:this|our))\b(?! (?:talk|paper|post|thesis|book|novel|speech|boss|manager"
    r"|colleague|client"
    r"|customer|teacher|docs?|style|system|bot|prompt|test|users?|chatbot))(?!.*\b(?:says?|said"
    r"|wrote|told|asks?|reads"
    r"|mail|e-?mail|reply|bio|translate|prompt|novel|story|hero)\b)"
)
_WHY = (
    r",?\s?(?:[-–—]\s)?(?:mainly |mostly |just |simply )?(?:because|cause|cuz|since|due to"
    r"|as(?= (?:it|the|we|they|our|nobody|everyone|most)))\s(?P<why>[^\n]{3,240})"
)
_SHORT_END = (
    rf"\s{lasted.ENGLISH}(?! of)\b|"
    r"[,:(）（]|\s-{1,2}\s|\s?[—–]|[.!?]+$|\s(?:because|since|cause|so|but|though|although|which"
    r"|who|while|unless|where|if|when|whenever|even|except|anyway|instead of|rather than|over"
    r"|than|as opposed to|and not"
    r"|for (?:now|this|the last|years|most|everything|\d)|as (?:an?|my|the|it|far|of|well)|now"
    r"|nowadays|these days|btw|please|by the way|on (?:the|my)|and (?:i|i'm|we|he|she|they|my"
    r"|please|can|it|the|want|need|am|have|that|then|work|use|live|like|don't)|at (?:an?|the"
    r"|my|work|home|night)|in the|with (?:the|an?|my)|by trade|last (?:week|month|year)|in"
    r" (?:january|february|march|april|may"
    r"|june|july|august|september|october|november|december|spring|summer|autumn|winter|20\d\d)"
    r"|in general|anymore|any more|, not|here(?= if (?:that|it) (?:matters|helps)))\b"
)
_LONG_END = (
    r"[(（]|\s-{1,2}\s|\s?[—–]|[.!?]+$|,\s(?:but|so|because|since|can|could|please|what|how|why"
    r"|let's|i|i'm|we|it|it's|that|that's|the|my|not|otherwise|and (?:i|we|please|can|then))\b"
    r"|\s(?:because|since|so that|but|though|although|even if|, ok)\b|:\s"
)
_PLANS = (
    rf"(?:(?P<who>(?:i|we){_WILL}\s?)(?!\s?(?:not\b|(?:be|come) back\b|check\b|look\b|see\b|think\b"
    rf"|continue\b|let you know\b"
    rf"|go and (?:check|look|see)\b|get back\b|be (?:here|there|honest)\b))|(?:i|we)'ve"
    rf" got\s(?=(?:an?|my|our|the)\s)|(?:i|we) (?:ship|release"
    rf"|launch|deploy|fly|leave"
    rf"|present|demo|migrate|start|finish|meet|move|go live|go|switch|cut|travel|have|return"
    rf"|submit|deliver|close)\s"
    rf"|(?:(?:the|our|my|next|a"
    rf"|an)\s(?:[\w.&/'-]{{1,30}}\s){{0,4}}?)?(?:{EVENTS})\b[^,;\n]{{0,60}}?\s(?:is|starts|ends"
    rf"|begins|happens|takes place|will be|are|expires|closes|opens|runs|moved|needs to be"
    rf"|(?:has been|got|was)(?=\s(?:moved|postponed|pushed|rescheduled|delayed|shifted|brought|set)))\b"
    rf"|(?P<reminder>(?:please )?remind me (?:to|about|that|on|next|tomorrow|in|every|each)\s(?:to\s)?"
    rf"|don'?t let me forget to\s)|(?:remember to|don'?t forget to)\s|(?:deadline|demo|release"
    rf"|meeting|launch|due)(?: is|:)?\s)(?P<value>[^;\n]{{0,200}})"
)
_SINCE = (
    r"\b(?:since|as of|starting(?: from| in)?|beginning(?: in)?|from"
    r"|ever since)\s(?:the |the beginning of |early |mid[- ]|late |about |around )?$"
)
_SINCE_AFTER = r"\s?(?:on(?:wards)?|forward)\b"


@cache
def english() -> Language:
    """The rules of English."""
    compiled = partial(re.compile, flags=re.IGNORECASE)
    return Language(
        rules=(
            *names(),
            *left(),
            *english_ones(),
            *places(),
            *occupation(),
            *employment(),
            *lifted(),
            *orders(),
            *tools_left(),
            *tools(),
            *team_tools(),
            *preferences(),
            *goals_and_habits(),
            *decisions(),
            *other_people(),
            *surroundings(),
            *corrections(),
        ),
        remember=compiled(_REMEMBER),
        no_remembering=compiled(_NO_REMEMBERING),
        forget=compiled(_FORGET),
        asks_politely=compiled(_ASKS_POLITELY),
        recalled=compiled(_RECALLED),
        reminds=compiled(_REMINDS),
        lasting=compiled(_LASTING),
        verbs=compiled(_VERBS),
        another=compiled(_ANOTHER),
        corrects=compiled(_CORRECTS),
        not_old=compiled(_NOT_OLD),
        one_off=compiled(_ONE_OFF),
        project=compiled(_PROJECT),
        task_follows=compiled(_TASK_FOLLOWS),
        limits=compiled(_LIMITS),
        of_task=compiled(_OF_TASK),
        own_labels=compiled(_OWN_LABELS),
        why=compiled(_WHY),
        short_end=compiled(_SHORT_END),
        long_end=compiled(_LONG_END),
        plans=compiled(_PLANS),
        since=compiled(_SINCE),
        since_after=compiled(_SINCE_AFTER),
        subject="I ",
    )
