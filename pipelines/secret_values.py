"""Secrets of no format, known by what gives them: a name with a value, a sentence, a word nearby."""

from __future__ import annotations

from functools import cache

from .secret_looks import (
    JUDGED,
    LETTERS,
    LOT,
    MIXED,
    NEVER,
    ODD,
    WORD,
    by_lot,
    compiled,
    grade,
    is_made_up,
    possible,
)

TYPE_CHECKING = False  # typing costs a cold hook more than all of these files
if TYPE_CHECKING:
    import re

    Spans = list[tuple[int, int, str]]  # start, end, type

# Words that name a password, and words that name other secrets ("key" only after one of its own words).
PASSWORDS = tuple(
    str.split(
        "password passwd passphrase passcode pwd pass passwort contraseña contrasena "
        "密码 密碼 口令 пароль パスワード 비밀번호"
    )
)
SECRETS = tuple(
    str.split("secret token credential apikey key 密钥 秘钥 密鑰 金钥 私钥 令牌 凭证 凭据 授权码")
)
_OF_KEYS = tuple(
    str.split(
        "api access auth private secret encryption encrypt signing signature service account client master "
        "db database shared deploy license webhook subscription consumer app application jwt hmac storage "
        "admin root ssh session cipher aes sas openai anthropic gemini dashscope deepseek zhipu"
    )
)
_SAYS = (" is", " was", " are", " to ", "是", "为", "為", "成", "\uff1a")

# What follows such a word, by form: the rest of its name (n), a sign (s), the value (v).
_PARTS = {
    "NAME": r"(?P<n>[A-Za-z0-9_.\-]{0,24})",
    "SHUT": r"(?P<shut>\\{0,3}[\"'`])?\]?(?:\[\d{0,4}\])?",
    "SIGN": r":[ ]{0,2}[\w.\[\]|?]{1,30}[ ]{0,2}=|={1,3}>?|!={1,2}|:=|::?|->|\uff1a|\uff1d|\\{1,2}uff1a",
    "OPEN": "[ \\t]*[:\uff1a]?[ \\t]*[\"'`“「『(\uff08]{0,2}",
    "VALUE": "(?P<v>[^\\s\"'`“”「」『』<>\u3000-\u3002\u3010\u3011\u4e00-\u9fff"
    "\uff01\uff08\uff09\uff0c\uff1b\uff1f]{1,2048}+)",
    # Every opening quote closes the one before it, so these need no bound to be linear.
    "CLOSED": r"(?:\"(?P<v>(?:[^\"\\\n]++|\\.)*+)\"|'(?P<v1>(?:[^'\\\n]++|\\.)*+)'|`(?P<v2>[^`\n]*+)`)",
    "ESCAPED": r"(?P<q>\\{1,3}[\"'])(?P<v>(?:[^\"'\\\n]++|\\[^\"'\\])*+)(?P=q)",
    "WHOSE": r"(?:[ \t]+(?:for|of|on|in)[ \t][^\n:=,.;\uff0c\u3002\uff1b\uff1a]{1,40}?)?",
    "SAYS": r"[ \t]+(?:is|was|are|to)(?=[ \t:])|[ \t]*(?:就是|是|改为|改成|设为|设置为|换成|为|為)"
    r"|(?=[ \t]*\uff1a)",
}
_FORMS = r"""
quoted NAMESHUT\s{0,8}(?P<s>SIGN|,|\()\s{0,8}[@frbuFRBUL]{0,2}CLOSED
quoted NAMESHUT\s{0,8}(?P<s>SIGN|,|\()\s{0,8}ESCAPED
bare NAMESHUT[ \t]{0,8}(?P<s>SIGN)[ \t]{0,8}(?P<q>[\"'`“「『])?VALUE
tag NAME[^<>\n]{0,60}>(?P<v>[^<>\n]{3,2048}+)</
pair NAME[\"']?\s{0,40},?\s{0,40}[\"']?value[\"']?\s?:\s{0,2}[\"']?(?P<v>[^\s\"'\n,}]{4,200})
option (?P<n>)(?P<s>[ \t]{1,2})[\"']?VALUE
beside (?P<n>)(?P<s>[ \t]{0,2})OPENVALUE
said (?P<n>)WHOSE(?P<s>SAYS)(?:[ \t]+(?:now|still))?OPENVALUE
"""

# A name that ends so says something about a secret and does not hold it.
_ABOUT = r"""
    name type url uri path file dir folder field label id prefix suffix hint header param format pattern
    regexp? len length size count limit ttl expir\w* policy message msg title text placeholder kind class
    method endpoint help prompt err error min max required valid\w* confirm\w* input env var store manager
    provider service host port issuer audience scope algo\w* alg status state version owner ref arn at by
    for to from in is page form link button timeout seconds minutes hours days age interval retries
    attempts strength enabled screen view list index map set table column
"""
_NOT_SAID = (
    r"(?i:base64|sha-?\d|md5|utf-?\d|bcrypt|argon2|pbkdf2|rsa|aes|hs\d|rs\d|oauth|ipv\d|http|v\d|\d+[\-\w]*"
    r"(?:char|bit|byte|day|digit|letter|hour|min|sec|px|ms|kb|mb))"
)
_SETTING = r"[+\-\s#*>\"'{,]*(?:(?:export|set|ENV|ARG|env:|-e)\s+)?\Z"

_NEAR = tuple(
    str.split(
        "key token secret passw pwd credential bearer auth "
        "密钥 秘钥 密鑰 金钥 私钥 令牌 口令 密码 密碼 凭证 凭据 授权码"
    )
)
_NOT_NEAR = r"sha-?\d|integrity|h1:|ssh-|commit|hash|digest|checksum|fingerprint|etag|base64,"


def assigned(text: str, low: str, *, code: bool) -> Spans:
    """Values given to a name that says it holds a secret."""
    spans = []
    for words, strong in ((PASSWORDS, True), (SECRETS, False)):
        for word in _spellings(tuple(words)):
            at = low.find(word)
            while at >= 0:
                span = _value_of(text, low, at, word, strong=strong, code=code)
                if span:
                    spans.append((*span, "assigned"))
                at = low.find(word, max(at + 1, span[1] if span else 0))
    return spans


@cache
def _spellings(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words, and those beyond ASCII also as JSON may spell them, once and twice escaped."""
    escaped = ["".join(f"\\u{ord(c):04x}" for c in word) for word in words if not word.isascii()]
    return (*words, *escaped, *(word.replace("\\", "\\\\") for word in escaped))


def _value_of(text: str, low: str, at: int, word: str, *, strong: bool, code: bool) -> tuple[int, int] | None:
    """The span of the secret that the word at `at` names, if there is one."""
    end = at + len(word)
    if word == "pass" and not _stands_alone(text, at, end):
        return None
    if word == "key" and not low[max(at - 16, 0) : at].rstrip("_-. ").endswith(_OF_KEYS):
        return None
    ahead = text[end : end + 300]
    for form, pattern in _forms():
        if _out_of_question(form, ahead, text[max(at - 24, 0) : at], code=code):
            continue
        m = compiled(pattern).match(text, end)
        if not m or not _names_secret(text, end, m["n"]):
            continue
        closed = form in ("quoted", "tag", "pair")
        group = next(g for g in ("v", "v1", "v2") if m.groupdict().get(g) is not None)
        value = m[group] if closed else _cut(m[group])
        if not closed and m[group].endswith(("...", "…")):  # an example cut short
            continue
        span = m.start(group), m.start(group) + len(value)
        if possible(value[:JUDGED], closed=closed):
            needed = _needed(form, m, value, span[1], strong=strong, code=code)
            looks = MIXED if strong and not code and is_made_up(value, closed=closed) else WORD
            if max(looks, grade(value[:JUDGED])) >= needed:
                return span
    return None


@cache
def _forms() -> tuple[tuple[str, str], ...]:
    table = _FORMS
    for part, pattern in _PARTS.items():
        table = table.replace(part, pattern)
    return tuple(
        (form, pattern) for form, _, pattern in (row.partition(" ") for row in table.strip().splitlines())
    )


def _out_of_question(form: str, ahead: str, behind: str, *, code: bool) -> bool:
    """Whether a form cannot match here, seen before its pattern is compiled."""
    match form:
        case "tag":
            return "</" not in ahead or "<" not in behind
        case "pair":
            return "value" not in ahead
        case "option":
            return "--" not in behind
        case "said":
            return code or not any(says in ahead[:64] for says in _SAYS)
        case "beside":
            return code or not any(map(str.isdigit, ahead[:40]))
    return not any(sign in ahead[:72] for sign in "=:(,\uff1a\uff1d\\>")


def _stands_alone(text: str, at: int, end: int) -> bool:
    """Whether "pass" is a word of its own (db_pass, dbPass), not a part of one (bypass, passed)."""
    before, after = text[max(at - 1, 0) : at], text[end : end + 1]
    free = not (before.isascii() and before.isalpha()) or (before.islower() and text[at].isupper())
    return free and not (after.isascii() and after.isalpha())


def _names_secret(text: str, end: int, tail: str) -> bool:
    """Whether a name that goes on with `tail` after its word still names a secret (not `token_type`)."""
    if tail[:1].isalpha() and tail[0].islower() == text[end - 1].islower():
        if tail[0] not in "sS":
            return False
        tail = tail[1:]
    about = r"(?:^|[_.\-]|(?<=[a-z])(?=[A-Z]))(?i:" + "|".join(_ABOUT.split()) + ")s?$"
    return not (tail and compiled(about).search(tail))


def _needed(form: str, m: re.Match[str], value: str, stop: int, *, strong: bool, code: bool) -> int:
    """The grade a value must have to be taken for a secret where it stands."""
    sign = m.groupdict().get("s") or ""
    match form:
        case "quoted" | "tag" | "pair":
            return _needed_quoted(m, sign, value, strong=strong, code=code)
        case "option":
            return MIXED if strong else LOT
        case "said" | "beside" if compiled(_NOT_SAID).match(value):
            return NEVER
        case "said":
            return ODD if strong else LOT
        case "beside":
            return LOT if sign or not m.string[m.start() - 1].isascii() else NEVER
    where = _where(m, stop)
    if where == "query":
        return LETTERS if strong or len(value) >= 16 else LOT
    if code and where != "pair":
        mixed = strong or (where == "variable" and len(value) >= 12)
        return NEVER if where == "sentence" else MIXED if mixed else LOT
    if where == "variable" and len(value) >= (6 if strong else 8):
        return WORD if len(value) >= 12 and value.isalnum() and not code else LETTERS
    if strong:
        return LETTERS if where == "line" and len(value) >= 6 else ODD
    return LOT


def _needed_quoted(m: re.Match[str], sign: str, value: str, *, strong: bool, code: bool) -> int:
    call = sign in ("(", ",")
    if call and ("." in m["n"] if sign == "(" else not m["shut"]):  # password.encode("…"); 'password', "…"
        return NEVER
    if any(c.isspace() for c in value):
        phrase = m.string[max(m.start() - 10, 0) : m.start()].lower() == "passphrase"
        if code or not strong or value.strip() != value or (value.count(" ") > 3 and not phrase):
            return NEVER
        return ODD if phrase else MIXED if set("!@#$%^&*") & set(value) else NEVER
    if strong:
        return MIXED if call else LETTERS
    if call or len(value) < 16 or not value.isalnum():
        return LOT
    return MIXED if code else LETTERS


def _where(m: re.Match[str], stop: int) -> str:
    """What a value stands in: a variable (KEY=value), a line of settings, a query, pairs, a sentence."""
    text, start, end = m.string, m.start(), m.end("n")
    while start > max(m.start() - 40, 0) and (text[start - 1].isalnum() or text[start - 1] in "_-.$"):
        start -= 1
    if text[max(start - 1, 0) : start] == "\\" and text[start] in "nrt":  # a line's end, escaped
        start += 1
    name, before = text[start:end], text[max(start - 90, 0) : start].replace("\\n", "\n")
    if name == name.upper() and name != name.lower() and text[end : end + 1] == "=" and " " not in m[0]:
        return "variable"
    if before[-1:] in ("'", '"') and text[stop : stop + 1] == before[-1]:
        return "line"
    line, rest = before[before.rfind("\n") + 1 :], text[stop : stop + 60].partition("\n")[0]
    alone = compiled(_SETTING).match(line) and compiled(r"[\s\"'`,;]*(?:#|//|$)").match(rest)
    if alone and len(line) < 90:
        return "line"
    if before[-1:] in ("?", "&"):
        return "query"
    if before[-1:] == ";" or "-" in name or compiled(r"\w=\S{1,80}\s\Z").search(before):
        return "pair"
    return "sentence"


def _cut(run: str) -> str:
    """A run of characters up to where a value ends: the next pair, an escaped line, punctuation."""
    if any(mark in run for mark in ";,&|\\"):
        run = compiled(r"[;,&|]+(?=[\w.\- ]{1,40}[=:])|\\[nrt]").split(run, maxsplit=1)[0]
    return run.rstrip(".,;:!?)]}\\|&")


def stray(text: str, low: str) -> Spans:
    """Long strings drawn by lot that a line of prose calls a secret."""
    spans = []
    if not any(word in low for word in _NEAR):
        return []
    lone = r"(?<![A-Za-z0-9+/_=\-.@:#])[A-Za-z0-9+/_\-]{20,256}={0,2}(?![A-Za-z0-9+/_=\-])"
    for m in compiled(lone).finditer(text):
        value, (start, end) = m[0], m.span()
        if value.lower() == value or not any(map(str.isdigit, value)):
            continue
        if not by_lot(value) or len(set(value)) < 12:
            continue
        near = low[max(low.rfind("\n", max(start - 60, 0), start), start - 60, 0) : start]
        near += low[end : end + 30].partition("\n")[0]
        if any(word in near for word in _NEAR) and not compiled(_NOT_NEAR).search(near):
            spans.append((start, end, "random"))
    return spans
