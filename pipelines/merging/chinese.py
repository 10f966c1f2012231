"""A run of Chinese in words: those of the lexicon first, then what a cutter knows, then what is left between."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...store.cutter import Cut
from . import lexicon
from .lexicon import Entry


def words(run: str, cut: Cut | None) -> Iterator[tuple[str, Entry | None]]:
    """A run of Han characters, word by word: those of the tables first."""
    table = lexicon.load()
    apart = _cut_words(run, cut, table)
    at = 0
    while at < len(apart):
        for size in range(min(6, len(apart) - at), 0, -1):
            joined = "".join(apart[at : at + size])
            entry = table.chinese.get(joined)
            if entry is not None and (size == 1 or len(joined) > 1):
                yield joined, entry
                at += size
                break
        else:
            yield apart[at], None
            at += 1


def _cut_words(run: str, cut: Cut | None, table: lexicon.Lexicon) -> list[str]:
    """A run in words: each of them whole in the tables, or one that a cutter knows, or what is left between."""
    found: list[str] = []
    for word in _by_cutter(run, cut) if cut else [run]:
        found += [word] if word in table.chinese else _by_table(word, table)
    return found


def _by_cutter(run: str, cut: Cut) -> list[str]:
    words, end = [], 0
    for word, start, stop in sorted(cut(run), key=lambda span: (span[1], -span[2])):
        if start >= end:
            words.append(word)
            end = stop
    return words


def _by_table(word: str, table: lexicon.Lexicon) -> list[str]:
    """A word that is in no table by those in it: the longest first; single characters only where they deny or help."""
    if len(word) < 4 and all(char in table.chinese for char in word):
        return list(word)
    found: list[str] = []
    rest = ""
    at = 0
    while at < len(word):
        for size in range(min(table.longest, len(word) - at), 0, -1):
            part = word[at : at + size]
            entry = table.chinese.get(part)
            if entry is not None and (
                size > 1 or (part in _SINGLE and not _KEPT.match(word, max(0, at - 1)))
            ):
                if rest:
                    found.append(rest)
                found.append(part)
                rest = ""
                at += size
                break
        else:
            rest += word[at]
            at += 1
    return [*found, rest] if rest else found


# Characters that are words of their own wherever they stand, but in a few words.
_SINGLE = frozenset("的了吗呢吧请都也就很不没别勿未把将被从到在和与用我你您他她")
_KEPT = re.compile(
    "[一-鿿]?(?:目的|的确|了解|成就|就绪|就近|区别|级别|类别|识别|分别|性别|别名|个别|不同|不断|不仅|不错|不过|不如|不但|未来|未知"
    "|申请|请求|首都|都市|从库|从节点|到期|到达|达到|遇到|感到|存在|现在|实在|在线|在于|将来|即将|和平|用户|用例|作用|用途|应用|调用"
    "|通用|常用|占用|启用|停用|禁用|参与|与否|他人|其他|自我)"
)
