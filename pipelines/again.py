"""Words that someone asked to have forgotten, kept out of a text until the user says them in a prompt again."""

from __future__ import annotations

from collections.abc import Callable

from ..store import passage_marks
from ..store.folded import fold
from ..store.passage_marks import Marked
from ..store.wording import Words
from .blanking import blanked


def without(text: str, marks: Marked, said_since: Callable[[int], list[tuple[int, str]]]) -> str:
    """A text with marked passages blanked, but for those that the user has said in a prompt again."""
    found = passage_marks.marked(text, marks, said_at=-1)
    if not found:
        return text
    gone = {fold(text[start:end]): when for (start, end), when in found}
    said = said_since(min(gone.values()))
    again = {
        one for one, when in gone.items() if any(at > when and Words([one]).whole(told) for at, told in said)
    }
    return blanked(text, [span for span, _ in found if fold(text[span[0] : span[1]]) not in again])
