"""What was forgotten, kept out of code that is recorded: words blanked, files left out, bodies blanked whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import apsw

from ...store import bodies, events, passage_marks, tombstones
from ...store.bodies import Body
from ...store.db import Database
from .. import again
from ..blanking import all_blank_bytes, blanked, bytes_changed
from ..git.edits import FileEdit, Hunk
from .history import Here
from .rounds import Draft
from .symbol_edits import Change

Clean = Callable[[str], str]


def of_commit(con: apsw.Connection, change: Change, words: str | None) -> tuple[Change, str | None]:
    """The change of a commit, and its message, without what was forgotten since it was made."""
    if not passage_marks.later_than(con, change.at):
        return change, words

    def clean(text: str) -> str:
        return blanked(text, passage_marks.passages(con, text, before=change.at))

    return _cleaned(change, clean), clean(words) if words is not None else None


def of_now(db: Database, change: Change) -> Change:
    """
    A change that is seen being made, without what was forgotten by its words, also where the file still holds it: until
    the user says those words in a prompt again. No lock is held while it is looked for.
    """
    marks = db.read(passage_marks.asked) if change.files else {}
    if not marks:
        return change
    return _cleaned(
        change, lambda text: again.without(text, marks, lambda since: db.read(events.prompts_since, since))
    )


def as_recorded(con: apsw.Connection, here: Here) -> Here:
    """The reader's place, in which files read as what is recorded of them would: what is blanked there is here, too."""
    read = here.read
    marks = passage_marks.asked(con)
    if read is None or not marks:
        return here

    def clean(text: str) -> str:
        return again.without(text, marks, lambda since: events.prompts_since(con, since))

    return here._replace(read=lambda path: _bytes(clean, read(path)))


def _cleaned(change: Change, clean: Clean) -> Change:
    left = tuple(made for edit in change.files if (made := _edit(clean, edit)) is not None)
    branch = None if change.branch is None else clean(change.branch)
    if left == change.files and branch == change.branch:
        return change
    return replace(change, files=left, branch=branch, count=0 if left != change.files else change.count)


def _edit(clean: Clean, edit: FileEdit) -> FileEdit | None:
    """The edit with forgotten words blanked; None where the file itself was forgotten."""
    for name in (edit.path, edit.old_path):
        if name and clean(name) != name:
            return None
    before, after, patch = (_bytes(clean, raw) for raw in (edit.before, edit.after, edit.patch))
    if (before, after, patch) == (edit.before, edit.after, edit.patch):
        return edit
    hunks = tuple(_hunk(clean, hunk) for hunk in edit.hunks)
    return replace(edit, before=before, after=after, patch=patch or b"", hunks=hunks)


def _hunk(clean: Clean, hunk: Hunk) -> Hunk:
    # As one text, for words may stand on two lines; line feeds stay where they are.
    lines = (_bytes(clean, b"\n".join(hunk.lines)) or b"").split(b"\n") if hunk.lines else []
    return replace(hunk, section=_bytes(clean, hunk.section) or b"", lines=tuple(lines))


def _bytes(clean: Clean, raw: bytes | None) -> bytes | None:
    return bytes_changed(raw, clean) if raw else raw


def hidden(con: apsw.Connection, draft: Draft, key: bytes) -> Draft:
    """The draft with a body that was forgotten blanked, and the patch that leads to it; itself where neither was."""
    if not tombstones.any_of(con, "content"):
        return draft
    before, after = (_hidden(con, body, key) for body in (draft.before, draft.after))
    if before is draft.before and after is draft.after:
        return draft
    patch = bodies.pack(all_blank_bytes(bodies.unpack(draft.patch)))
    return replace(draft, before=before, after=after, patch=patch, patch_id=None)


def _hidden(con: apsw.Connection, body: Body | None, key: bytes) -> Body | None:
    if body is None or not tombstones.is_body_gone(con, kept := bodies.unpack(body.packed)):
        return body
    blank = all_blank_bytes(kept)
    return Body(bodies.name(blank, key), len(blank), bodies.pack(blank))
