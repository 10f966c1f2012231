"""What was forgotten, kept out of commits that were made before and are read again: words blanked, files left out."""

from __future__ import annotations

from dataclasses import replace

import apsw

from ...store import tombstones
from ..blanking import blanked
from ..git.edits import FileEdit, Hunk
from . import observe
from .observe import Prepared, Whose
from .symbol_edits import Change


def without(con: apsw.Connection, prepared: Prepared, whose: Whose, key: bytes) -> Prepared:
    """The change without what was forgotten since it was made; itself where nothing was."""
    new = prepared.new
    if not tombstones.later_than(con, new.happened_at):
        return prepared
    edits = [edit for edit, _, _ in prepared.files]
    left = [clean for edit in edits if (clean := _edit(con, edit, new.happened_at)) is not None]
    words = None if new.words is None else _text(con, new.words, new.happened_at)
    branch = None if new.branch is None else _text(con, new.branch, new.happened_at)
    if left == edits and (words, branch) == (new.words, new.branch):
        return prepared
    change = Change(
        new.actor, new.happened_at, new.worktree, branch, new.head_before, new.head_after, tuple(left),
        new.turn, new.event, new.bulk, 0 if left != edits else new.files,
    )  # fmt: skip
    return observe.prepare(change, whose, key, words=words, commit=prepared.commit)


def _edit(con: apsw.Connection, edit: FileEdit, at: int) -> FileEdit | None:
    """The edit with forgotten words blanked; None where the file itself was forgotten."""
    for name in (edit.path, edit.old_path):
        if name and tombstones.passages(con, name, before=at):
            return None
    before, after, patch = (_bytes(con, raw, at) for raw in (edit.before, edit.after, edit.patch))
    if (before, after, patch) == (edit.before, edit.after, edit.patch):
        return edit
    hunks = tuple(_hunk(con, hunk, at) for hunk in edit.hunks)
    return replace(edit, before=before, after=after, patch=patch or b"", hunks=hunks)


def _hunk(con: apsw.Connection, hunk: Hunk, at: int) -> Hunk:
    # As one text, for words may stand on two lines; line feeds stay where they are.
    lines = (_bytes(con, b"\n".join(hunk.lines), at) or b"").split(b"\n") if hunk.lines else []
    return replace(hunk, section=_bytes(con, hunk.section, at) or b"", lines=tuple(lines))


def _bytes(con: apsw.Connection, raw: bytes | None, at: int) -> bytes | None:
    if not raw:
        return raw
    return _text(con, raw.decode("utf-8", "surrogateescape"), at).encode("utf-8", "surrogateescape")


def _text(con: apsw.Connection, text: str, at: int) -> str:
    return blanked(text, tombstones.passages(con, text, before=at))
