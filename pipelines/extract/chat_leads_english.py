"""The words by which a line introduces another's text, in English."""

from __future__ import annotations

# What is always another's: who has such a text at hand has it from elsewhere, or wrote it for a program.
_TEXT = (
    r"(?:(?:(?:system|bot|agent|chatbot|assistant|llm|model)(?:['’]s)? )?prompt|personas?|transcript(?:ion)?"
    r"|dialog(?:ue)?s?|screenplay|fixtures?|questionnaire|survey|interview|form|placeholder|faq|testimonials?"
    r"|(?:test|sample|example|dummy|demo|mock|seed)[ -](?:inputs?|data|messages?|sentences?|strings?|texts?|prompts?"
    r"|answers?|users?|outputs?|replies|reply|conversations?|chats?|utterances?|entry|entries|quotes?|reviews?)"
    r"|(?:expected|actual) (?:output|response|reply|answer|input)|few-shot (?:examples?|prompt)"
    r"|(?:survey|questionnaire|interview) (?:answers?|responses?|questions?)|user stor(?:y|ies)|system message"
    r"|about page"
    r"|character (?:sheet|card|profile)|(?:(?:bot|chatbot|gpt|llm)(?:['’]s)?) instructions"
    r"|instructions (?:for|of) (?:the|our|my|a) (?:bot|chatbot|gpt|llm)"
    r"|(?:sample|example|dummy|fake) (?:resume|cv|bio|letter|story|page|profile|ticket|comment|post)"
    r"|(?:web ?)?page|website|web ?site|article|blog ?post|post|newsletter|press release|job ad|landing page"
    r"|(?:chat|call|meeting|slack|irc|discord) (?:logs?|transcript|history|export|messages?|threads?)"
    r"|(?:customer|client|user|support|bug|forum|app store|play store)(?:['’]s)? (?:e-?mails?|mails?|messages?"
    r"|letters?"
    r"|feedback|complaints?|reviews?|comments?|reports?|tickets?|posts?|quotes?|answers?))"
)
# What is so only where it is pointed at, or said to read so: "Commit messages: …" heads rules.
_SHOWN = (
    rf"(?:{_TEXT}|e-?mails?|mails?|messages?|letters?|comments?|reviews?|feedback|tickets?|threads?|docs?"
    r"|documentation|readme|guide|wiki|output|logs?|response|answers?|reply|spec|changelog|texts?"
    r"|template|script|paragraphs?|snippet|quote|story|bio|description|contents?|strings?|notes from (?!me)\w+)"
)
FILE = (
    r"(?:[\w./~-]{0,80}\.(?:mdx?|txt|rst|adoc|html?|json|ya?ml|toml|ini|cfg|conf|env|log|csv|xml|docx?|pdf|py|[jt]sx?"
    r"|go|rs|java|rb|sh|mdc)|README|CONTRIBUTING|CHANGELOG|LICENSE|AGENTS|CLAUDE|\.cursorrules|\.windsurfrules"
    r"|copilot-instructions)"
)
_POINTS = (
    r"(?:(?:here(?:['’]s|\sis|\sare)|this is|these are|that is|below(?: is)?|from|see|read|look at|check(?: out)?"
    r"|(?:the )?(?:contents?|text|body) (?:of|from)|excerpt (?:of|from)|i (?:got|found|have|received"
    r"|copied)(?: this| these)?"
    r"|got this|we (?:got|have|received)|quoting|pasted from|copied from|cat|open(?:ed)?)\s)"
)
_WORKS = (
    r"(?:(?:please\s|can you\s|could you\s|now\s)?(?:improve|fix|rewrite|check|review|polish|optimi[sz]e|shorten"
    r"|test|tweak"
    r"|refine|debug|explain|extend|clean up|edit|analy[sz]e|evaluate|rate|judge|answer|update|try|use|run|take)\s)"
)
# A word of what is shown; what heads rules or limits them is none, nor what is to be built.
_WORD = (
    r"(?:(?!(?:rules?|notes?|fyi|preferences?|conventions?|requirements?|about|for|of|in|on|at|to|when|while|if|with"
    r"|and|or|regarding|concerning|style|i|we|you|remember|always|never|my|is|are|format|language|naming|build|make"
    r"|create|add|write|design|implement|update|change|refactor|redesign|improve|fix|use|rework|migrate|convert|port"
    r"|run|open|keep)\b)[\w'’./#-]{1,30}\s)"
)
_DET = (
    r"(?:(?:the|a|an|this|these|that|our|his|her|their|its|your|my|some|one|another|[A-Z][\w-]{1,20}['’]s)\s)"
)
_ABOUT = r"(?:\s(?:of|for|from|by|in|on|at|with|to|about|between|below|above|so far|again)\b[^:：.\n]{0,60})?"
# "The page has a bug: …" tells of it; "the page has these texts: …" shows it.
_READS = (
    r"(?:\s(?:(?:says?|said|reads?|goes|states?|looks? like)\b[^:：.\n]{0,30}"
    r"|(?:has|have|contains?|shows?|includes?|is|are|was|were)\b(?:\s(?:these|the following|this|as follows"
    r"|like this|now"
    r"|currently|so far)\b[^:：.\n]{0,30})?))"
)

_WHO = (
    r"(?!(?:it|like|also|and|but|that|which|let|he|she|they|already|previously|just|earlier|above|not|never|always"
    r"|please|once|well|enough|frankly|honestly|simply|being|having|what|things?|have|did|do)\b)"
    r"(?:(?!(?:i|we|you|me|as|rules?|notes?)\b)[\w.'’-]{1,24}\s){1,5}?"
)
_SAID = (
    r"(?:says?|said|wrote|writes|complain(?:s|ed)|asked|posted|replied|commented|reported|tweeted|messaged|e-?mailed"
    r"|texted|answered|(?:told|sent|pinged|asked) (?:me|us|him|her|them)|shouted|announced|insist(?:s|ed)|mentioned"
    r"|suggest(?:s|ed)|noted|requested|demanded)"
)
_PLACE = (
    r"(?:slack|teams|discord|whatsapp|wechat|telegram|irc|jira|github|gitlab|e-?mail|mail|chat|zoom|the (?:chat"
    r"|thread"
    r"|channel|call|meeting|standup|forum|review|group)|twitter|reddit|stack ?overflow|hn|linkedin)"
)
_NAMED = (
    r"(?-i:(?!(?:Rules?|Notes?|Preferences?|Work|Always|Never|Use|We|I|You|My|Our|Everyone|People)\b)"
    r"[A-Z][\w.'-]{1,20})"
)
_FOLK = (
    r"(?:an?|the|one|another|some|our) (?:[\w-]{1,20} ){0,2}?(?:users?|customers?|clients?|candidates?|interviewees?"
    r"|testers?|reviewers?|colleagues?|guy|persona?|speaker|author|bot|chatbot)"
)

_THEIRS = r"(?:(?:this|these|the following|his|her|their)\s|(?:(?:the|an?|one) )?[\w-]{1,20}['’]s\s)"
_PLAYED = r"(?:prompt|personas?|transcript|dialog(?:ue)?s?|interview|screenplay)"
_PUTS = r"(?:add|set|put|insert|change|type|display|render|show|print|enter|fill)\b[^:：.\n]{0,60}"
_PLACES = r"(?:footer|header|banner|label|button|tooltip|field|tests?|modal|toast|snackbar|title|template)"
_COLON = r"\s?[:：]"

# Each up to where the introduced text begins.
LEADS = (
    rf"{_DET}?{_WORD}{{0,3}}?{_TEXT}{_ABOUT}{_READS}?(?:{_COLON}|\s[-–—]\s)",
    rf"(?:{_POINTS}{_DET}?|{_WORKS}{_THEIRS}|{_THEIRS}){_WORD}{{0,3}}?{_SHOWN}{_ABOUT}{_READS}?{_COLON}",
    rf"{_WORKS}{_DET}?{_WORD}{{0,3}}?{_PLAYED}{_ABOUT}{_READS}?{_COLON}",
    rf"{_DET}{_WORD}{{0,3}}?{_SHOWN}{_ABOUT}{_READS}{_COLON}",
    r"i (?:got|found|received|copied|read|saw) (?:this|these)\b[^:：.\n]{0,60}[:：]",
    rf"(?:text|contents?|wording|copy|body|title|caption)\s(?:of|on|in|from|for)\s{_DET}[^:：.\n]{{1,40}}[:：]",
    rf"{_DET}?{_WORD}{{0,2}}?{_SHOWN}\sfrom\s(?!me\b|now\b|us\b)[^:：.\n]{{1,40}}[:：]",
    (
        rf"(?:{_POINTS}|{_WORKS})?{_DET}?(?:(?:current|new|old|file|whole)\s)?{FILE}"
        rf"(?:\s?\([^)\n]{{1,40}}\)|\sso far|\snow)?{_READS}?{_COLON}"
    ),
    (
        r"(?:comments?|reviews?|questions?)\son\s(?:the\s)?(?:pr|mr|pull request|merge request|issue|ticket|commit|#)"
        r"[^:：.\n]{0,30}[:：]"
    ),
    r"(?:release notes|changelog|lyrics|manual)\s(?:of|from)\s[^:：.\n]{1,40}[:：]",
    rf"{_PUTS}\b(?:{_TEXT}|{_PLACES})\b[^:：.\n]{{0,30}}[:：]",
    (
        rf"{_WHO}{_SAID}(?:\s(?:in|back|on|to|via|at|about|with|this|the|us|me|again|today"
        rf"|yesterday)\b[^:：.\n]{{0,40}})?"
        rf"{_COLON}"
    ),
    (rf"(?:{_POINTS})?{_NAMED}(?:\s{_NAMED})?\s(?:on|in|via|over|from)\s{_PLACE}\b[^:：.\n]{{0,30}}[:：]"),
)
# A heading that is a sentence: "Interview transcript."
HEADING = (
    r"(?:interview|dialog(?:ue)?|persona|transcript|(?:test|sample|example|demo|chat|call|meeting) "
    rf"(?:input|data|message|text|prompt|log|transcript|history|user))(?: {_TEXT})?"
    r"(?:\s(?:of|for|from)\s[^:：.\n]{1,40})?\.(?=\s)"
)
# Someone's own "I", told without a colon: the sentences after it are theirs, too.
TELLS = (
    rf"(?:{_NAMED}|{_FOLK})\s(?:said|says|wrote|complained)(?=,?\s"
    r"i (?:prefer|use|live|like|love|hate|only use|always use|never use|am from)\b(?![^.\n]{0,40}\btoo\b))"
)
SPEAKS = (
    r"what do you (?:think|make|say)|do you agree|any (?:thoughts|ideas)|thoughts\?"
    r"|how (?:should|do|would|can) (?:i|we|you) (?:reply|answer|respond|handle|react|fix)"
    r"|(?:is|are) (?:that|this|he|she|they|it|these|the page)"
    r" (?:right|ok(?:ay)?|true|correct|good|fine|safe|wrong)"
    r"|what (?:does|did|do) (?:he|she|it|this|that|they|the|[A-Z]\w+) (?:mean|say|want)"
    r"|(?:please |can you |could you |now )?(?:reply|respond|answer) to (?:him|her|them|this|it)\b"
    r"|(?:please |can you |could you |now )?(?:summari[sz]e|translate|fix|check|implement|review|explain|ignore"
    r"|improve|rewrite|analy[sz]e|polish|shorten|classify|apply|save|parse)"
    r" (?:this|that|it|these|those|them|the above|all of)\b"
    r"|as for me\b|for my part\b|i myself\b|end of (?:quote|page|mail|message)"
    r"|that['’]s (?:what|all) (?:he|she|it|they)\b"
)
# Directly under a bare address or a command, any request.
ASKS = (
    r"please|pls|can you|could you|would you|will you|(?:what|why|how|where|does|is|are|do|did)\b[^.!\n]{0,120}\?"
    r"|(?:review|check|read|look at|summari[sz]e|explain|compare|see|use|try|open|follow) (?:this|that|it"
    r"|these|the)\b"
    r"|summari[sz]e|explain|fix|implement|port|merge|rebase|apply|translate|debug|help|find|convert|reply|based on"
    r"|i (?:want|need) (?:you|this|it|that)\b|i (?:get|got|see) (?:this|an?|the) (?:error|warning)|let['’]?s"
)
DENIES = (
    r"but|however|actually|no\b|he\b|she\b|they\b|that['’]s|that is|which|personally|in fact|me,"
    r"|i (?:disagree|think|don['’]t think|told|myself)"
)
