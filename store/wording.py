"""
Words looked for in texts, however they are written: whole ones, and such as are only part of a longer word.

What counts as part of a longer word: letters and digits go on with letters and digits (Anna in Joanna, 77 in 771), not
with any mark (anna_service, /home/anna, anna@acme.com, Anna's). A Han name goes on where the cutter's word does (王伟
in 王伟强), but for characters that follow or lead any name (王伟好, 小王伟). Other scripts write no word's end:
there every place is whole.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from . import cutter, folded
from .folded import Folded, fold
from .unseen import UNSEEN

Span = tuple[int, int]
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\u3005\u3007]")
# So far to either side Han characters are cut to see where a word ends.
AROUND = 12
# What a cutter joins to a name now and then, though it is not part of it.
FOLLOWS = frozenset(
    "的了吗呢吧啊呀着过是在有和与跟同把被给对从向到让叫为以说也就都还又不没好先会要能想去来家人总市省县们等"
)
LEADS = frozenset("小老阿是在有和与跟同把被给对从向到让叫为以请找问由即若如及或")
# The end of what a string or a terminal writes for a character: the letter before a word is part of that.
_ESCAPED = re.compile(
    r"(?:(?<!\\)(?:\\\\)*\\(?:[nrtbfv0]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|\x1b\[[0-9;]*[A-Za-z]|%[0-9a-fA-F]{2})\Z"
)
_ESCAPE_CHARS = 16
# A text of more characters is looked at line by line.
LARGE = 100_000
# Of more words than this each text is folded only once for all of them.
FEW = 8
# So much of a piece is looked for, and so much with all that its letters may come from.
PIECE, BEGINNING = 64, 6


class Words:
    """Words to look for, as someone wrote them."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        self.given = tuple(dict.fromkeys(given))
        self.forms = tuple(dict.fromkeys(filter(None, map(fold, self.given))))
        # Of each the longest piece without a space: what a text must have before all of it is folded.
        self.pieces = tuple(dict.fromkeys(max(form.split(), key=len)[:PIECE] for form in self.forms))

    def __bool__(self) -> bool:
        return bool(self.forms)

    def __repr__(self) -> str:
        return f"Words({len(self.given)})"

    def may_stand(self, raw: str, *, has_piece: bool | None = None) -> bool:
        """
        Whether any of them may stand in a text, or in what JSON writes for it: no, where that is sure. `has_piece`:
        whether one of the `pieces` is in the text with its ASCII letters made small, where that is known.
        """
        if "\\u" in raw:
            return True
        if not raw.isascii() and (self._turning.search(raw) or folded.is_rare(raw)):
            return folded.is_rare(raw) or any(found.search(raw) for found in self._patterns)
        if has_piece is not None:
            return bool(has_piece)
        low = raw.casefold()
        return any(piece in low for piece in self.pieces)

    def stand(self, text: str) -> bool:
        """Whether any of them stands in a text, whole or as part of a longer word."""
        if not self.may_stand(text):
            return False
        plain = fold(text)
        return any(form in plain for form in self.forms)

    def whole(self, text: str) -> bool:
        """Whether any of them stands in a text as a whole word."""
        return bool(self.look(text)[0])

    def whole_in(self, raw: str) -> bool:
        """Whether any of them stands as a whole word in what may be JSON, or may be large."""
        texts = texts_of(raw)
        if len(texts) == 1 and len(raw) > LARGE and self.stand(raw):
            lines = raw.splitlines()
            # What stands on two lines is not looked at closely.
            return any(map(self.whole, lines)) or not any(map(self.stand, lines))
        return any(map(self.whole, texts))

    def look(self, text: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """Where they stand in a text: as whole words, joined where they touch; and as parts of longer ones, each."""
        if not self.forms or not self.stand(text):
            return (), ()
        places = folded.with_places(text)
        whole, inside = list[Span](), list[Span]()
        for form in self.forms:
            at = places.text.find(form)
            while at >= 0:
                span = at, at + len(form)
                (whole if is_whole(places, text, *span) else inside).append(places.span(*span))
                at = places.text.find(form, at + 1)
        found = joined(whole)
        # What is part of a whole one goes with it.
        left = {one for one in inside if not any(start <= one[0] and one[1] <= end for start, end in found)}
        return found, tuple(sorted(left))

    def spans(self, text: str) -> tuple[Span, ...]:
        """Where they stand as whole words, joined where they touch."""
        return self.look(text)[0]

    @cached_property
    def _turning(self) -> re.Pattern[str]:
        """What a text must have for folding to do more to it than make ASCII letters small: most have none."""
        return re.compile(folded.turning("".join(self.pieces)) if len(self.pieces) <= FEW else "")

    @cached_property
    def _patterns(self) -> Sequence[re.Pattern[str]]:
        if len(self.pieces) > FEW:
            return [re.compile("")]
        begins = [piece[:BEGINNING] for piece in self.pieces]
        wide = folded.expanding("".join(begins))
        found = [folded.pattern(one) for one in begins]
        return [*found, re.compile(f"[{re.escape(wide)}]")] if wide else found


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, those that touch as one."""
    whole: list[Span] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        elif end > start:
            whole.append((start, end))
    return tuple(whole)


def texts_of(raw: str) -> list[str]:
    """The texts in what may be JSON, with the names of members; the whole where it is none or has nothing escaped."""
    if "\\" not in raw:
        return [raw]
    try:
        return list(_texts(json.loads(raw)))
    except ValueError:
        return [raw]


def _texts(value: Any) -> Iterable[str]:
    match value:
        case str():
            yield value
        case dict():
            for name, item in value.items():
                yield name
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)


def longer(text: str, span: Span) -> str:
    """The longer word that a passage is part of."""
    start, end = span
    if _HAN.match(text[start]) or _HAN.match(text[end - 1]):
        run, at = _run(text, start, end)
        words = [(a + at, b + at) for a, b in _cut(run) if a + at < end and start < b + at]
        if words:
            start, end = min(start, *(a for a, _ in words)), max(end, *(b for _, b in words))
        if end < len(text) and text[end] == text[end - 1]:
            end += 1
    while start and _is_seen_on(text[start - 1]):
        start -= 1
    while end < len(text) and _is_seen_on(text[end]):
        end += 1
    return text[start:end]


def _is_seen_on(letter: str) -> bool:
    return bool(UNSEEN.match(letter)) or _goes_on(unicodedata.normalize("NFKC", letter)[0])


def is_whole(places: Folded, text: str, start: int, end: int) -> bool:
    """Whether a passage of a folded text begins and ends where words do."""
    plain = places.text
    if start and _goes_on(plain[start]) and _goes_on(plain[start - 1]):
        at = places.starts[start]
        if not _ESCAPED.search(text[max(0, at - _ESCAPE_CHARS) : at]):
            return False
    if end < len(plain) and _goes_on(plain[end - 1]) and _goes_on(plain[end]):
        return False
    before = start > 0 and _HAN.match(plain[start]) and _HAN.match(plain[start - 1])
    after = end < len(plain) and _HAN.match(plain[end - 1]) and _HAN.match(plain[end])
    return not (before or after) or not _is_in_han(plain, start, end)


def _goes_on(letter: str) -> bool:
    """Whether a word of a script that has spaces between words goes on with it."""
    return (
        letter.isalnum()
        and (letter < "\u0590" or "\u10a0" <= letter < "\u1100" or "\u1e00" <= letter < "\u2000")
    ) or (unicodedata.combining(letter) > 0)


def _is_in_han(plain: str, start: int, end: int) -> bool:
    run, at = _run(plain, start, end)
    words = _cut(run)
    for a, b in words:
        if a + at < end < b + at and plain[end : b + at] not in FOLLOWS:
            return True
        if a + at < start < b + at and plain[a + at : start] not in LEADS:
            return True
    # 李娜 | 娜: a name whose last character is said twice, which the cutter takes for two words.
    twice = end < at + len(run) and plain[end] == plain[end - 1] and end - start in (2, 3)
    return twice and (end - at, end - at + 1) in words


def _run(plain: str, start: int, end: int) -> tuple[str, int]:
    """The Han characters around a passage, and where they begin."""
    first, last = start, end
    while first and start - first < AROUND and _HAN.match(plain[first - 1]):
        first -= 1
    while last < len(plain) and last - end < AROUND and _HAN.match(plain[last]):
        last += 1
    return plain[first:last], first


def _cut(run: str) -> set[Span]:
    cut = cutter.load()
    return {(a, b) for _, a, b in cut(run)} if cut is not None else set()
