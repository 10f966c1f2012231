"""The two ends of a text too long to be looked at whole, cut so that no secret is cut in two."""

from __future__ import annotations

import re

_PRIVATE = re.compile(r"<\s{0,4}/?\s{0,4}private", re.IGNORECASE)
# The private-use character tells our own note from one in the text, until the cut is made.
_NOTE = "\ue000\n[… {n:,} characters cut …]\n"
_CUT = re.compile(r"\ue000(\n\[… [\d,]+ characters cut …\]\n)")


def ends(text: str, window: int) -> str:
    """
    The first and last `window` characters of a longer text, private passages gone before anything is cut.

    Redact what this returns, then give it to `trimmed`: what lay near the cut goes, whole or half secrets with it.
    """
    if len(text) <= 2 * window:
        return text
    tags = list(_PRIVATE.finditer(text))
    if tags:
        # From the first tag to the last closing one: more than was asked for, never less.
        end = text.find(">", tags[-1].start()) + 1 if "/" in tags[-1][0] else 0
        text = f"{text[: tags[0].start()]}[private]{text[end:] if end else ''}"
    if len(text) <= 2 * window:
        return text
    return text[:window] + _NOTE.format(n=len(text) - window) + text[-window:]


def trimmed(text: str, window: int) -> str:
    """What `ends` left, without the half of each end that lay near the cut."""
    note = _CUT.search(text)
    if note is None:
        return text
    head, tail = text[: note.start()], text[note.end() :]
    return head[: window // 2] + note[1] + tail[-window // 2 :]
