"""What a string looks like: drawn by lot, odd, a word, or a template, reference or address that is no secret."""

from __future__ import annotations

import re
from functools import cache

# What is redacted already stands in a text as one of these characters.
HIDDEN = "[\U000f0000-\U0010ffff]"
JUDGED = 200  # characters of a value that say what it is

# What stands where a secret would and is none: references, templates, examples, words about the secret.
_PLAIN_MARKS = tuple(
    str.split(
        "${ $( {{ #{ %( <% %s %d %r *** ... … ••• xxxxx ____ ---- placeholder redacted replace insert "
        "changeme change_me change-me .environ process.env getenv import.meta"
    )
)
_PLAIN = r"""
    \$(?:[a-z_]+|\d|\w*(?:pass|pwd|token|key|secret)\w*)$ %\w+%$ \{\w[\w.!:\[\]]*\}$ <[^<>]*>$ \[[^\[\]]*\]$
    .*(?<![a-z])(?:example|dummy|sample|fake|fixme|todo)(?![a-z]) .*your[_\-\s]?[a-z] .*[_\-]here$
    (?:.*\W)?secrets?\.[a-z_]+$ [\w.\-]{0,40}(?:pass|pwd|secret|token|key|cred)[\w.\-]{0,24}=
    (?:none|null|nil|true|false|undefined|optional|required|string|str|bytes|text|any|empty|unset|missing)\W?$
    (?:invalid|incorrect|wrong|expired|hidden|disabled|enabled|unknown|default|test|foo|bar|baz|include)\W?$
    (?:omit|same-origin|number|int|integer|bool|boolean|object|varchar|char|self|this|tbd|n/a|no|yes)\W?$
    (?:password|passwd|pwd|pass|secret|token|name|username)\W?$
"""
_SOURCE = r"[=(\[{<>*|&^~,;]|[A-Za-z_$][\w.]*[(\[{]|[A-Za-z_$]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+\Z"
_ADDRESS = (
    r"[a-z][a-z0-9+.\-]*://|(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.\-]+(?:[/\\]|\.\w|$)"
    r"|[\^~<>=v]*\d+(?:\.\d+)+$|--?[a-z]"
)
_WORDS = (
    "(?i:pass|pwd|secret|token|key|cred|user|field|input|name|login|auth|prompt|value$|string$|param|config)"
)
# How much a value looks like a secret.
WORD, LETTERS, ODD, MIXED, LOT, NEVER = range(6)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when first asked for."""
    return re.compile(pattern)


@cache
def any_of(patterns: str) -> re.Pattern[str]:
    """Patterns with white space between them as one, for any case of letters."""
    return re.compile("(?i:" + "|".join(patterns.split()) + ")")


def settled(value: str) -> bool:
    """Whether a value is redacted already (with no more than punctuation after it)."""
    return compiled(HIDDEN + r"[\W_]{0,8}\Z").match(value) is not None


def by_lot(value: str) -> bool:
    """Whether a string looks drawn by lot: many digits, or letters and digits that form no words."""
    digits = sum(map(str.isdigit, value))
    if digits >= max(3, 0.14 * len(value)):
        return digits < len(value)
    if value in (value.lower(), value.upper()):
        return False
    words = sum(map(len, compiled(r"[A-Z]?[a-z]{4,}|[A-Z]{5,}").findall(value)))
    return len(value) >= (12 if digits else 16) and words <= (0.6 if digits else 0.3) * len(value)


def plain(value: str) -> bool:
    """Whether a value is a template, a reference, an example or a word about secrets."""
    low = value.lower()
    return any(mark in low for mark in _PLAIN_MARKS) or any_of(_PLAIN).match(low) is not None


def possible(value: str, *, closed: bool) -> bool:
    """Whether a value can be a secret: not redacted, no template, reference, call, path, URL or version."""
    if len(value) < 4 or settled(value) or plain(value):
        return False
    if compiled("[\u2e80-\uffef]").search(value):  # Chinese, Japanese, Korean: words, not a secret
        return False
    other = _ADDRESS if closed else f"{_ADDRESS}|{_SOURCE}"
    return compiled(other).match(value) is None or (len(value) >= 20 and "://" not in value and by_lot(value))


def is_made_up(value: str, *, closed: bool) -> bool:
    """
    Whether a value is what people make up who need letters and digits, though it has a word about secrets in it:
    "hunter22secret", and not "dbPassword2", which names one.
    """
    if not 8 <= len(value) <= 40 or not value.isascii() or not (closed or value.isalnum()):
        return False
    digits = sum(map(str.isdigit, value))
    rest = compiled(
        rf"(?i:passw(?:or)?d)|{_WORDS}|(?i:db|my|the|new|old|root|admin|default|api|app|test|temp)|[^A-Za-z]+"
    ).sub("", value)
    letters = sum(map(str.isalpha, value))
    return (
        0 < digits < len(value) and letters >= 2 and (digits > 1 or not value[-1].isdigit() or len(rest) >= 4)
    )


def grade(value: str) -> int:
    """How much a value looks like a secret: a word about one, letters, odd, letters and digits, drawn by lot."""
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    wordy = sum(map(len, compiled(r"[A-Za-z]{4,}").findall(value))) > 0.6 * len(value)
    if by_lot(value) or (digits >= 2 and letters >= 2 and len(value) >= 8 and not wordy):
        return LOT if len(value) >= 8 else MIXED
    name = compiled(r"[\w.\-\[\]]+\Z").match(value)
    if digits and letters:
        return WORD if len(value) < 5 or (name and compiled(_WORDS).search(value)) else MIXED
    if not name or not letters:
        return ODD if letters == 0 or len(value) >= 6 else WORD
    return WORD if compiled(_WORDS).search(value) else LETTERS
