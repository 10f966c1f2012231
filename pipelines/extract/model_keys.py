"""Search words in English and Chinese, as a model gives them, within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .model_atoms import names, numbers

KEYS_EACH, KEY_CHARS = 6, 40
_HAN = re.compile(r"[\u3400-\u9fff]")
_ODD = re.compile(r"[<>{}\[\]|\\`;\n]|https?:|(?:^|\s)-{1,2}\w")


def keys(english: Iterable[str], chinese: Iterable[str], evidence: str) -> list[str]:
    """The words of either language that may be kept, each once, with no number or path that the evidence has not."""
    known = evidence.casefold()
    found: dict[str, str] = {}
    for given, in_chinese in ((english, False), (chinese, True)):
        count = 0
        for key in given:
            word = " ".join(key.split())
            if not 1 < len(word) <= KEY_CHARS or _ODD.search(word) or word.casefold() in found:
                continue
            # A name in Latin letters is the same in both.
            if (_HAN.search(word) is None) == in_chinese and not (in_chinese and word.casefold() in known):
                continue
            if numbers(word) - numbers(evidence) or any(
                name not in known for name in names(word) if "/" in name
            ):
                continue
            if count < KEYS_EACH:
                found[word.casefold()] = word
                count += 1
    return list(found.values())
