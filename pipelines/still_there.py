"""What was forgotten of code and still stands in the user's own files, which are never touched."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..store.wording import Words
from .git.edits import FILE_BYTES

# So many files are looked at, those in order first.
FILES = 500


def look(files: Iterable[tuple[str, str]], words: Words) -> tuple[tuple[str, int], ...]:
    """
    Of (worktree, path) those in which words stand whole, and in how many places: 0 where only the path has them.
    """
    found = []
    if not words:
        return ()
    for worktree, path in sorted(files)[:FILES]:
        file = Path(worktree, path)
        try:
            if not file.is_file() or file.stat().st_size > FILE_BYTES:
                continue
            text = file.read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            continue
        places = len(words.spans(text))
        if places or words.whole(path):
            found.append((str(file), places))
    return tuple(found)
