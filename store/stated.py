"""
What a sentence states, whoever tells it: "My wife is called Zo" and "Zo is the user's wife" have one form.

Only what tells it is dropped: "remember that", "the user said", whose it is where that is the user, articles, ends of
plurals and of the third person, and the ways to say "is called". Every other word stays, in its order: a form is only
of use if no other statement has it. Marks are made of it that outlast a release, so whoever changes it forgets less.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .folded import fold

# So many sentences of a text are looked at, each up to so many characters.
SENTENCES, CHARS = 40, 600
# What has fewer words, or half as many Han characters, says too little to be known by.
LEAST = 2
_ENDS = re.compile(r"[。！？；\n]+|(?<=[.!?;])\s+")
_ASKS = re.compile(r"(?:[?？]|[吗呢]\s*[。.]?)\s*\Z")
_HAN = re.compile("[\u3400-\u9fff]")
_EDGES = " .,;:!?、。'\"`“”‘’「」()"
# Who tells it: the user, and of whom it is told where that is the user.
USER = "@"


def sentences(text: str) -> list[str]:
    """The sentences of a text, one after another."""
    return [one for one in map(str.strip, _ENDS.split(text)) if one][:SENTENCES]


def form(sentence: str) -> str | None:
    """What a sentence states, in one form; None where it asks, or says too little to be known by."""
    if len(sentence) > CHARS or _ASKS.search(sentence):
        return None
    plain = fold(sentence).replace("’", "'").strip(_EDGES)
    said = _chinese(plain) if _HAN.search(plain) else _english(plain)
    size = sum(len(part.split()) + len(_HAN.findall(part)) // 2 for part in said)
    return "\x1e".join(said) if size >= LEAST else None


_LEADS = re.compile(
    r"(?:(?:please |so |ok(?:ay)? |also )?"
    r"(?:remember|note|noted|fyi|btw|by the way|keep in mind|for the record|got it)\b"
    r"|(?:the )?user (?:said|says|mentioned|mentions|stated|states|noted|notes|confirmed|confirms|reported|reports"
    r"|told (?:me|us)|tells (?:me|us))\b|i (?:said|mentioned|told you)\b)[\s,:.-]*(?:that\b\s*)?"
)
_SPELLED = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"), (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"), (re.compile(r"\b(it|that|he|she|there|who|what|where)'s\b"), r"\1 is"),
    (re.compile(r"'m\b"), " am"), (re.compile(r"'re\b"), " are"), (re.compile(r"'ve\b"), " have"),
    (re.compile(r"\b(?:(?:the |this )?user(?:'s)?|i|me|my|mine|myself|you|your|yours|yourself)(?![\w'-])"), USER),
    (re.compile(r"\b(?:the team(?:'s)?|we|us|our|ours)(?![\w'-])"), "we"), (re.compile(r"'s?(?!\w)"), ""),
    (re.compile(r"\b(?:do|does) not\b"), "not"),
)  # fmt: skip
_IS = re.compile(
    r"(?:^|(?<=\s))(?:name )?(?:is|am|are)(?: (?:called|named|known as))?(?=\s|$)|(?: name)?:(?=\s)"
)
_ARTICLES = frozenset(("the", "a", "an"))
_IRREGULAR = {"has": "have", "does": "do", "goes": "go"}


def _english(plain: str) -> list[str]:
    plain = _led(plain, _LEADS)
    for found, to in _SPELLED:
        plain = found.sub(to, plain)
    return _halves(plain, list(_IS.finditer(plain)), lambda part: " ".join(_words(part)))


def _words(part: str) -> list[str]:
    words = [word for one in part.split() if (word := one.strip(_EDGES)) and word not in _ARTICLES]
    return [_singular(word) for word in words]


def _singular(word: str) -> str:
    """A word without the end of a plural or of the third person; a past keeps its own."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not (word.isascii() and word.isalpha() and len(word) > 3 and word.endswith("s")) or word.endswith(
        ("ss", "us", "is")
    ):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes", "zzes")) else word[:-1]


_LEADS_HAN = re.compile(
    r"(?:请|另外|好的)?(?:帮我)?(?:记住|记得|记一下|记下|注意|备注|对了|顺便说一下)(?:一下)?[\s,:]*"
    r"|(?:该)?用户(?:刚才|刚刚|曾)?(?:说|提到|表示|告诉我|提及|透露|确认)(?:过|了)?[\s,:]*(?:(?P<own>他|她|自己)的?)?"
)
_TELLERS_HAN = (
    (re.compile("(?:我们|咱们|咱)的?"), "we"), (re.compile("(?<!自)(?:该?用户|本人|我|您|你)(?!们)(?:自己)?的?"), USER),
)  # fmt: skip
_IS_HAN = re.compile(
    "(?:的?(?:名字|姓名))?(?:名?叫(?:做|作)|名叫|(?<![喊大惊吼])叫(?![好嚷喊醒])"
    "|(?<![因成认作以行改视但还就总不只可要于若凡硬老倒都也])(?:是|为)(?![否了什何非])|:)"
)
_BETWEEN_HAN = re.compile("(?<=[\u3400-\u9fff@]) | (?=[\u3400-\u9fff])")


def _chinese(plain: str) -> list[str]:
    plain = _BETWEEN_HAN.sub("", _led(plain, _LEADS_HAN))
    for found, to in _TELLERS_HAN:
        plain = found.sub(to, plain)
    return _halves(plain, list(_IS_HAN.finditer(plain)), lambda part: part.strip(_EDGES + "的"))


# Of "my name is" nothing else is left before it.
_NAMES = re.compile("name|call|known|名|叫")


def _led(plain: str, leads: re.Pattern[str]) -> str:
    while found := leads.match(plain):
        if not found.end():
            break
        own = USER if found.groupdict().get("own") else ""
        plain = own + plain[found.end() :]
    return plain


def _halves(plain: str, copulas: list[re.Match[str]], said: Callable[[str], str]) -> list[str]:
    """
    What is said of what, where one "is" stands between: whose it is first, whichever way round it was said. Whom it is
    told of goes from the beginning of each.
    """
    parts = [plain]
    names = ""
    if len(copulas) == 1:
        names = "name" if _NAMES.search(copulas[0][0]) else ""
        parts = [plain[: copulas[0].start()].strip(), plain[copulas[0].end() :].strip()]
        if parts[1].startswith(USER) and not parts[0].startswith(USER):
            parts.reverse()
    first, *rest = [said(part.removeprefix(USER)) for part in parts]
    return [first or names, *rest]
