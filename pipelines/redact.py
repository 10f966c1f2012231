"""
Secrets and private passages taken out of a text before anything of it is written.

Hooks carry a copy of this file and the `secret_*` files beside it and run them cold, so they import nothing but
`re` and each other. A rule is looked at only where one of its needles stands, and compiled only then; every
repetition is bounded or starts at the left edge of its run. So time grows with the length of the text, whatever
the text is.
"""

from __future__ import annotations

from . import secret_formats, secret_values
from .secret_looks import HIDDEN, any_of, compiled

TYPE_CHECKING = False  # typing costs a cold hook more than all of these files
if TYPE_CHECKING:
    import re
    from typing import Any

    Spans = list[tuple[int, int, str]]  # start, end, type

_PLACEHOLDER = r"\[redacted:[a-z0-9]{1,16}:[0-9a-f]{8}\]|\[private\]"
_MARKUP = r"(?i:(?:<|&lt;|\\u003c)\s{0,4}(/?)\s{0,4}private(?:\s[^<>]*?)?/?\s{0,4}(?:>|&gt;|\\u003e|\Z))"
_ROUNDS = 6  # one is enough for nearly every text; a redaction can lay bare the edge of another secret
_DEEPEST = 64  # levels of nested JSON

_CODE_KEYS = frozenset(
    str.split("old_string new_string old_str new_str originalfile structuredpatch diff patch code")
)
_KEPT_FOR_SECRETS = r"""
    (?:^|/)\.env(?:rc|\.(?!(?:example|sample|template|dist|defaults?)$)[^/]*)?$ [^/]\.env$
    \.(?:pem|key|p12|pfx|p8|jks|jceks|keystore|kdbx?|ppk|ovpn|asc|gpg|agekey|keytab|secrets?)$
    \.tfvars$ \.tfstate(?:\.backup)?$ (?:^|/)(?:\.dockercfg|\.docker/config\.json|\.vault[-_][^/]*)$
    (?:^|/)(?:[._]netrc|\.npmrc|\.pypirc|\.pgpass|pgpass\.conf|\.htpasswd|\.git-credentials|\.my\.cnf)$
    (?:^|/)(?:\.s3cfg|\.boto|\.?kubeconfig|master\.key|etc/g?shadow)$
    (?:^|/)\.(?:bash|zsh|psql|mysql|python|node_repl)_history$
    (?:^|[/_\-.])id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$ (?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)[^/]*$
    (?:^|[/_\-.])(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|xml|properties|conf|cfg|csv|enc))?$
    (?:^|[/_\-.])(?:service[_\-]?account|client_secret)[^/]*\.json$
    (?:^|/)\.(?:ssh|gnupg|aws|azure|kube|password-store)/(?!(?:.*\.pub|config|known_hosts)$)
"""


def redact(text: str, *, code: bool = False, salt: bytes = b"") -> str:
    """
    The text with every secret as `[redacted:<type>:<8 hex>]` and every private passage as `[private]`.

    The same secret gives the same 8 hex under one salt. Redacting twice changes nothing more.

    Args:
        code: the text is source or a diff: known formats, quoted assignments and lines of configuration
            only; no rule that goes by entropy or by what a sentence says.
    """
    # At a NUL much that reads files ends; source is kept byte for byte.
    page = _Page(text if code else text.replace("\0", " "), salt)
    for _ in range(_ROUNDS):
        before = page.text
        page.put(_private(page.text, page.low, code=code))
        page.put(secret_formats.keys(page.text, page.low))
        for rule in secret_formats.in_question(page.low):
            page.put(secret_formats.known(page.text, page.low, rule))
        page.put(secret_formats.in_runs(page.text))
        page.put(secret_values.assigned(page.text, page.low, code=code))
        page.put([] if code else secret_values.stray(page.text, page.low))
        if page.text == before:
            break
    return page.shown()


def redact_json(value: Any, *, salt: bytes = b"") -> Any:
    """
    The same JSON value with each string and key redacted, knowing by its key what a string is.

    Below keys that hold source or diffs (`new_string`, `patch` …) strings are redacted as code.
    """
    return _json(value, salt, code=False, depth=0)


def is_secret_file(path: str) -> bool:
    """Whether a file of this name is kept for secrets, so that only its name may be recorded."""
    return any_of(_KEPT_FOR_SECRETS).search(path.replace("\\", "/")) is not None


def reaches_far(text: str) -> bool:
    """Whether a mark stands in the text from which lines far away are hidden too: a private tag, one of a key."""
    return compiled(f"{_MARKUP}|(?i:private key|private-mac|putty-user-key)").search(text) is not None


class _Page:
    """The text being worked on. What is redacted already stands in it as one private-use character each."""

    def __init__(self, text: str, salt: bytes) -> None:
        self.text = self.low = ""
        self._salt = salt
        self._shown: dict[str, str] = {}
        self._hidden: dict[str, str] = {}
        self._write(compiled(f"{_PLACEHOLDER}|{HIDDEN}").sub(lambda m: self._hide(m[0]), text))

    def put(self, spans: Spans) -> None:
        """Replace each (start, end, type) by its placeholder; of spans that overlap, the earliest stays."""
        if not spans:
            return
        out: list[str] = []
        at = 0
        for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start >= at:
                out += (self.text[at:start], self._hide(self._mark(self.text[start:end], kind)))
                at = end
        self._write("".join(out) + self.text[at:])

    def shown(self) -> str:
        """The text as it may be written."""
        return compiled(HIDDEN).sub(lambda m: self._shown[m[0]], self.text) if self._shown else self.text

    def _write(self, text: str) -> None:
        self.text = text
        low = text.lower()  # needles are sought here, so positions must agree: one letter grows when lowered
        self.low = low if len(low) == len(text) else text.replace("\u0130", "i").lower()

    def _mark(self, secret: str, kind: str) -> str:
        if kind == "private":
            return "[private]"
        import hashlib

        raw = compiled(HIDDEN).sub(lambda m: self._shown[m[0]], secret).encode("utf-8", "surrogatepass")
        key = hashlib.blake2s(self._salt).digest() if self._salt else b""
        return f"[redacted:{kind}:{hashlib.blake2s(raw, key=key, digest_size=4).hexdigest()}]"

    def _hide(self, shown: str) -> str:
        mark = self._hidden.get(shown)
        if mark is None:
            mark = self._hidden[shown] = chr(min(0xF0000 + len(self._hidden), 0x10FFFF))
            self._shown[mark] = shown
        return mark


def _private(text: str, low: str, *, code: bool) -> Spans:
    """
    Passages between private tags. One not closed goes on to the end; one not opened began before the text.

    A lone tag that is only spoken of does not count: one in backticks; in code, what may be a generic.
    """
    if "private" not in low:
        return []
    spans = []
    opened: list[re.Match[str]] = []
    for m in compiled(_MARKUP).finditer(text):
        if not m[1]:
            opened += [] if m[0].endswith("/>") else [m]
        elif opened:
            spans.append((opened.pop().start(), m.end(), "private"))
        elif not code and not _quoted_tag(text, m):
            spans.append((0, m.end(), "private"))
    for m in opened:
        before = text[max(m.start() - 1, 0) : m.start()]
        if not _quoted_tag(text, m) and not (code and before.isascii() and before.isidentifier()):
            spans.append((m.start(), len(text), "private"))
    return spans


def _quoted_tag(text: str, m: re.Match[str]) -> bool:
    return text[max(m.start() - 1, 0) : m.start()] == "`" == text[m.end() : m.end() + 1]


def _json(value: Any, salt: bytes, *, code: bool, depth: int) -> Any:
    if isinstance(value, str):
        return redact(value, code=code, salt=salt)
    if not isinstance(value, dict | list | tuple):
        return value
    if depth > _DEEPEST:
        return "[private]"
    if not isinstance(value, dict):
        return [_json(item, salt, code=code, depth=depth + 1) for item in value]
    out = {}
    for key, item in value.items():
        inside = code or str(key).lower() in _CODE_KEYS
        name = value.get("name", value.get("key")) if key == "value" else key
        if isinstance(item, str) and isinstance(name, str):
            shown: Any = _named(name, item, salt, code=inside)
        else:
            shown = _json(item, salt, code=inside, depth=depth + 1)
        out[redact(key, salt=salt) if isinstance(key, str) else key] = shown
    return out


def _named(name: str, value: str, salt: bytes, *, code: bool) -> str:
    """A string redacted as the value of `name`."""
    words = (*secret_values.PASSWORDS, *secret_values.SECRETS, "authorization", "cookie")
    telling = any(word in name.lower() for word in words)
    mark = next((q for q in "\"'`" if q not in value and q not in name), None)
    if telling and mark and len(value) <= 4096 and not set("\n\\") & set(name + value):
        lead = f"{mark}{name}{mark}: {mark}"
        pair = redact(f"{lead}{value}{mark}", salt=salt)
        if pair.startswith(lead):
            value = pair[len(lead) : -1]
    return redact(value, code=code, salt=salt)
