"""The fence around what a model is shown: a name of chance that nothing inside can close."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Nonce = Callable[[], str]
_TRIES = 8
# What some servers read as the end of a message, wherever it stands.
_TOKENS = re.compile(r"<(?=\|)|(?<=\|)>|<(?=/?(?:s|bos|eos)>)|\[(?=/?INST\])")
_LEFT = str.maketrans("", "", "".join(map(chr, (*range(9), 11, 12, *range(14, 32), 127, 0xFEFF))))


def fresh() -> str:
    """Eight characters nobody knows beforehand."""
    return secrets.token_hex(4)


@dataclass(frozen=True, slots=True)
class Fence:
    """Tags whose names end in `nonce`, which stands in nothing that they hold."""

    nonce: str

    def block(self, name: str, text: str, **told: object) -> str:
        """One text between its tags; `told`: what is known of it, by us and not by the text."""
        known = "".join(f' {key}="{value}"' for key, value in told.items())
        return f"<{name}-{self.nonce}{known}>\n{harmless(text)}\n</{name}-{self.nonce}>"


def fence(texts: Iterable[str], nonce: Nonce = fresh) -> Fence:
    """A fence for those texts: its name is drawn again while one of them has it."""
    held = list(texts)
    for _ in range(_TRIES):
        name = nonce()
        if not any(name in text for text in held):
            return Fence(name)
    return Fence(fresh())


def harmless(text: str) -> str:
    """A text without control characters and without what a server takes for the end of a message."""
    return _TOKENS.sub(lambda found: " >" if found[0] == ">" else f"{found[0]} ", text.translate(_LEFT))


def cut(text: str, head: int, tail: int = 0) -> str:
    """The text, of a long one its ends with a mark between."""
    if len(text) <= head + tail + 5:
        return text
    return f"{text[:head].rstrip()} […] {text[len(text) - tail :].lstrip() if tail else ''}".rstrip()


def one_line(text: str, most: int) -> str:
    """The text as one line of so many characters at most."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
