"""The marks round what we hand to an agent, so that it is never captured as someone's words."""

from __future__ import annotations

import os
import re

NAME = "backstory-memory"

# A tag may be cut off by the end of the text; the fragment counts as the tag.
_TAG = re.compile(rf"<(/?){NAME}\b[^<>]*(?:>|\Z)", re.IGNORECASE)
# Tags that a client gives a meaning to, also spelled loosely: inside the block they are only letters.
_LIVE = re.compile(
    rf"<(?=\s*/?\s*(?:{NAME}|system[-_]reminder|system|user[-_]query|user-prompt-submit-hook|hook[-_]context|"
    r"task-notification|function[-_](?:calls|results)|environment[-_]context)\b)",
    re.IGNORECASE,
)
# Control characters and direction overrides can hide text from a person who reads it; tab and newline cannot.
_HIDDEN = dict.fromkeys(
    [
        *range(9),
        *range(11, 32),
        *range(127, 160),
        0x2028,
        0x2029,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ],
    " ",
)


def opening(nonce: str) -> str:
    """The mark before a block; `nonce` is told to nobody before."""
    return f'<{NAME} nonce="{nonce}">'


CLOSING = f"</{NAME}>"


def marked(body: str) -> str:
    """The text as a block of ours, between marks that nobody knew before."""
    return f"{opening(os.urandom(4).hex())}\n{body}\n{CLOSING}"


def harmless(text: str) -> str:
    """The text with nothing in it that could end our block, open another, or hide."""
    whole = text.replace("\r\n", "\n").encode("utf-8", "replace").decode()
    return _LIVE.sub("&lt;", whole.translate(_HIDDEN))


def strip(text: str) -> str:
    """
    The text without our blocks, however they were cut, nested or unbalanced.

    A block that is never closed runs to the end; one whose beginning is missing began before the text did.
    Rather a neighbouring word lost than a memory learned from itself.
    """
    text = text.replace("\0", " ")  # at which much that reads files ends
    kept: list[str] = []
    depth = at = 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[at : tag.start()])
        if not tag[1]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        at = tag.end()
    if depth == 0:
        kept.append(text[at:])
    return "".join(kept)
