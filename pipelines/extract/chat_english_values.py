"""What a value must be in English to be one that lasts: a name, a place, an employer, a tool, an order to an agent."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from .chat_english_words import LANGUAGES, VERBS
from .topics import topic


def starts_otherwise(words: str, value: str) -> bool:
    """Whether a value begins with none of some words, which would make it another kind of statement."""
    return re.match(rf"(?:{words})\b", value, re.IGNORECASE) is None


# A choice in this task ("option B") or something shown in it ("the second one") is no liking that lasts.
THING: Callable[[str], bool] = partial(
    starts_otherwise,
    r"the|this|that|these|those|your|it(?! when)|its|it's|how (?:you|this|it|that)|him|her"
    r"|them|you(?! to)|to be able|what you|where this|an? (?:bit|lot|new|different|smaller|shorter|simpler)"
    r"|my (?:change|code|version|solution)|not to|both|either|neither|one(?!\s\w+ (?:per|at a)\b)"
    r"|all of|none|some(?:thing"
    r"|one)|(?:option|plan|variant|version|approach|solution|alternative|choice|number)\s?(?:[a-z]"
    r"|\d+|one|two|three)",
)

TOOL: Callable[[str], bool] = partial(
    starts_otherwise,
    r"a|an|the|this|that|these|those|your|it|them|to|my|his|her|one|two|three|both|some|all"
    r"|what|whatever|which|any|anything|same|something|such|different|both"
    r"|here|in|of|on|for|up|(?!1password|7-?zip)\d[\w.]*",
)

# What stands after "is" and says how something is just now.
_STATE = re.compile(
    r"(?:(?:now|still|just|always|also|only|really|very|so|too|quite|pretty|not|never|currently)\s)*"
    r"(?:\w+ing|\w{2,}(?<!r)ed|\w+n't|not|too|very|wrong|broken|slow|fast|full|empty|gone|dead|down"
    r"|up|off|on|out"
    r"|old|new|missing|null|none|undefined|unknown|invalid|valid|shown|hidden|taken|written|set"
    r"|stuck|fine|ok(?:ay)?"
    r"|good|bad|weird|different|hot|noisy|in|at|to|for|by|like|about|here|there|open|able|ready|sick"
    r"|away|busy"
    r"|happy|angry|late)\b",
    re.IGNORECASE,
)


def is_state(value: str) -> bool:
    """Whether a value says how something is just now, and not what it is."""
    return _STATE.match(value) is not None


def is_name(value: str) -> bool:
    """Whether a value is what someone may be called: capitals, or one plain word."""
    parts = value.split()
    if len(parts) == 1:
        return (
            re.fullmatch(r"[^\W\d_][\w'’.-]*", value) is not None
            and not (value.islower() and is_state(value))
            and starts_otherwise(
                r"when|if|back|later|once|crazy|the|a|an|it|that|this|not|now|asap|before|after"
                r"|paranoid|lazy|maybe"
                r"|stupid|picky|and|or|with|names?|tomorrow|today|again|is|was",
                value,
            )
        )
    return 1 < len(parts) <= 4 and all(
        part[0].isupper()
        or part in ("van", "von", "de", "der", "den", "da", "di", "la", "le", "bin", "al", "del")
        for part in parts
    )


# Written like names after "I'm", and none.
is_called: Callable[[str], bool] = partial(
    starts_otherwise,
    "Sorry|Done|Back|Sure|Happy|Stuck|Fine|Good|Ready|Lost|New|Not|On|In|Using|Working|Afraid|German"
    "|French|Dutch|Swiss"
    r"|Greek|Czech|Thai|\w+(?:ish|ese|ian|can)",
)


def is_handle(value: str) -> bool:
    """Whether a value is what an account may be called."""
    return re.fullmatch(r"@?[\w.-]{2,39}", value) is not None and not is_state(value)


def names_topic(value: str) -> bool:
    """Whether a value names something that is known, and not how something is just now."""
    return topic(value) is not None and not is_state(value)


# Written like places, and none.
TECHNOLOGY = re.compile(
    r"\b(?:react|vue|angular|svelte|next(?:\.js)?|nuxt|node(?:\.js)?|deno|django|flask|fastapi|rails"
    r"|laravel|spring"
    r"|rust|go|golang|python|java|javascript|typescript|kotlin|swift|scala|ruby|php|perl|haskell"
    r"|elixir|lua|zig|dart"
    r"|flutter|docker|kubernetes|k8s|helm|terraform|ansible|nix|aws|gcp|azure|heroku|vercel|netlify"
    r"|cloudflare|excel"
    r"|figma|notion|obsidian|confluence|graphql|grpc|rest|kafka|spark|airflow|git|gradle|maven|bazel"
    r"|cmake|openai|claude"
    r"|gpt\S*|copilot|sql|css|html|yaml|toml|json|xml|markdown|tailwind|bootstrap|webassembly|wasm"
    r"|unity|unreal)\b",
    re.IGNORECASE,
)
_PLACE_WORDS = frozenset(
    ("of", "de", "la", "le", "am", "upon", "sur", "near", "on", "the", "del", "el", "and", "do")
)
# Places that are often written without their capital.
_PLACES = re.compile(
    r"(?:berlin|munich|hamburg|cologne|frankfurt|vienna|zurich|geneva|bern|basel|paris|lyon|nice"
    r"|london|manchester"
    r"|leeds|oxford|cambridge|edinburgh|dublin|amsterdam|rotterdam|utrecht|brussels|antwerp|madrid"
    r"|barcelona|lisbon"
    r"|porto|rome|milan|turin|naples|athens|prague|warsaw|krakow|gdansk|budapest|bucharest|sofia"
    r"|belgrade|zagreb"
    r"|copenhagen|oslo|stockholm|gothenburg|helsinki|tallinn|riga|vilnius|kyiv|kiev|istanbul|ankara"
    r"|tel aviv|dubai"
    r"|cairo|lagos|nairobi|cape town|johannesburg|delhi|new delhi|mumbai|bangalore|bengaluru"
    r"|hyderabad|chennai|pune"
    r"|karachi|lahore|dhaka|bangkok|hanoi|saigon|singapore|kuala lumpur|jakarta|manila|hong kong"
    r"|taipei|shanghai"
    r"|beijing|shenzhen|guangzhou|hangzhou|chengdu|seoul|busan|tokyo|osaka|kyoto|sydney|melbourne"
    r"|brisbane|perth"
    r"|auckland|wellington|toronto|montreal|vancouver|ottawa|new york|nyc|brooklyn|boston|chicago"
    r"|seattle|portland"
    r"|austin|dallas|houston|denver|atlanta|miami|los angeles|san francisco|sf|san diego|mexico city"
    r"|bogota|lima"
    r"|santiago|buenos aires|sao paulo|germany|france|spain|portugal|italy|austria|switzerland"
    r"|poland|norway|sweden"
    r"|finland|denmark|netherlands|belgium|ireland|england|scotland|wales|greece|turkey|india|china"
    r"|japan|korea"
    r"|vietnam|thailand|indonesia|australia|canada|mexico|brazil|argentina|chile|usa|ukraine|estonia"
    r"|texas|california"
    r"|ohio)",
    re.IGNORECASE,
)


def is_known_place(value: str) -> bool:
    """Whether a value is a place that is known as one."""
    return _PLACES.fullmatch(value) is not None


def is_place(value: str) -> bool:
    """Whether a value is written as places are: in capitals and no technology, or a place known without them."""
    if _PLACES.fullmatch(value) or re.match(
        r"the (?:uk|us|usa|netherlands|hague|bay area|philippines)\b", value, re.IGNORECASE
    ):
        return True
    parts = re.split(r"[\s,]+", value)
    return (
        len(parts) <= 5
        and value[:1].isupper()
        and all(part[:1].isupper() or part in _PLACE_WORDS for part in parts)
        and not re.search(
            r"\d|[A-Z]{4,}|\b(?:Team|Department|Engineering|Product|Support|Sales|QA|DevOps|I)\b", value
        )
        and topic(value) is None
        and TECHNOLOGY.search(value) is None
    )


def is_origin(value: str) -> bool:
    """Whether someone may come from it: a place, and no place in jest."""
    return is_place(value) and re.search(r"\b(?:land|mars|hell|heaven)$", value, re.IGNORECASE) is None


def is_zone(value: str) -> bool:
    """Whether a value is a time zone by its code, its offset or its place."""
    return (
        re.match(
            r"(?:utc|gmt|[a-z]{2,4}t\b|(?:europe|america|asia|africa|australia|pacific)/|[+-]\d"
            r"|(?:central|eastern|western|pacific|mountain|greenwich|indian|japan|china|beijing)\b)",
            value,
            re.IGNORECASE,
        )
        is not None
        or is_place(value)
    ) and len(value.split()) <= 5


def is_employer(value: str) -> bool:
    """Whether a value is written as companies are."""
    return (
        len(value.split()) <= 5
        and re.match(r"[A-Z0-9\ue000]|[a-z]+\.(?:com|io|ai|org)", value) is not None
        and starts_otherwise("I|My|The same|Monday|Tuesday|Wednesday|Thursday|Friday", value)
    )


def is_short(value: str) -> bool:
    """Whether a value may be the name of a tool."""
    return len(value.split()) <= 8 and TOOL(value) and not is_state(value)


# A name out of code ("useEffect", "Header.tsx") is no tool; these are written like one.
_CODE = re.compile(
    r"\b(?!iTerm|macOS|iOS|iPad|jQuery|pgAdmin|gRPC|tRPC|eBPF|npm)[a-z]+[A-Z]\w*|\w_\w*\(|\(\)"
)
_FILE = re.compile(r"\b[\w-]+\.(?:py|jsx?|tsx?|go|rs|md|ya?ml|json|toml|sql|java|c|cpp|sh|txt|css|html)\b")
_TO_TRY = re.compile(
    r"\s(?:to (?:test|check|see|debug|try|reproduce|verify|compare|confirm|rule)|for (?:testing"
    r"|debugging|comparison|now|a (?:moment|test|minute|while)))\b",
    re.IGNORECASE,
)


# Words of their own besides names of tools: "cursor pagination", "linear regression".
_AMBIGUOUS = re.compile(
    r"(?:cursor|linear|black|brave|warp|drone|rider|nano|fish|bun|parcel|rye|poetry|mocha|jasmine"
    r"|dragonfly|oracle|kitty"
    r"|shortcut|discord|rest|helix|slack|mint|alpine|arch|tabs?|spaces)\s(?!and\b|or\b|for\b|on\b"
    r"|in\b|with\b|as\b|now\b|\d"
    r"|shell|editor|ide|linux|over\b|instead\b)\w"
)


# Written like names, and none: "we deploy on Fridays".
_DAYS = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)

# Ways of working that are named as tools are.
_PRACTICES = re.compile(
    r"trunk[- ]based development|semantic versioning|semver|tdd|bdd|scrum|kanban|pair programming|git ?flow"
    r"|conventional commits|feature flags|(?:a )?monorepo|squash merges|continuous deployment",
    re.IGNORECASE,
)


def is_product(value: str) -> bool:
    """Whether a value is something one can use by name: known, or written as names are."""
    if not is_short(value) or _AMBIGUOUS.match(value) or _TO_TRY.search(value) or _DAYS.match(value):
        return False
    if topic(value) is not None or _PRACTICES.match(value):
        return True
    if (
        "@" in value
        or _CODE.search(value)
        or re.search(r"\s(?:in|inside) \S+\.\w", value)
        or re.match(r"\w+/\w+\b(?!\.)$|_", value)
    ):
        return False
    if _FILE.search(value) and not re.match(r"[A-Z]\w*\.js\b", value):
        return False
    return re.search(r"[A-Z\ue000_/]|\w\.\w", value) is not None


def is_craft(value: str) -> bool:
    """Whether a value is a language or a technology that someone works in."""
    return (
        TOOL(value) and len(value.split()) <= 6 and (TECHNOLOGY.match(value) is not None or is_product(value))
    )


def is_in_use(value: str) -> bool:
    """Whether a known tool is used for good, and not just to try something."""
    return TOOL(value) and not is_state(value) and _TO_TRY.search(value) is None


HABIT: Callable[[str], bool] = partial(
    starts_otherwise,
    "get|have|take|wait|try|trust|be|do|say|think|expect|let|open up|run into|end up|start to|begin"
    " to|mix up|mix"
    "|call it|confuse|forget|fail|guess|give up|lose|break|pass",
)

ORDER: Callable[[str], bool] = partial(
    starts_otherwise, r"it|it's|this|that|there|they|i|i'm|he|she|everything|nothing"
)

# What a program does before its users, and an agent does not do.
_BEHAVIOURS = (
    r"(?:show|display|render|print|present|return|open|play|close)(?! (?:me|us|your)\b)|redirect"
    r"|highlight|hide|refresh"
    r"|reload|log (?:the|a|in|out|it|them|all|every)|emit|trigger|fire|toggle|store|save|reset|retry"
    r"|notify the user"
    r"|send (?:an?|the)|encrypt|hash|saniti[sz]e|cache|increment|decrement|delete (?:the )?(?:temp"
    r"|tmp)|remove the temp"
)
_IMPERATIVE = re.compile(
    rf"(?:please\s|always\s|only\s|just\s|also\s|first\s|never\s)*(?:(?:{VERBS})\b|in {LANGUAGES}\b"
    rf"|{LANGUAGES}\b"
    r"|(?:all|every|each|any) [^,;]{2,60} (?:must|should|need|has|have)\b|no (?!one\b|longer\b|matter\b))",
    re.IGNORECASE,
)


def is_order(value: str) -> bool:
    """Whether a value tells an agent what to do, rather than what a program does or is to do."""
    return (
        ORDER(value)
        and starts_otherwise(_BEHAVIOURS, value)
        and re.fullmatch(r"[\w-]+ (?:it|them|this|that)", value) is None
    )


def is_imperative(value: str) -> bool:
    """Whether a value is an order by its form: what is so "from now on" may be told as well."""
    return is_order(value) and _IMPERATIVE.match(value) is not None and _told(value) is None


def _told(value: str) -> re.Match[str] | None:
    """A noun that only looks like a verb: "the tests pass", "answers work"."""
    return re.match(
        r"(?:tests?|builds?|checks|logs|updates|changes)\s(?:is|are|pass|fail|work|run|take)\b",
        value,
        re.IGNORECASE,
    )
