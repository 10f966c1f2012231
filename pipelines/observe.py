"""Conductor: a change of a worktree to the rounds of the symbols, regions and files that it touched."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from ..store import bodies, chains, settings
from ..store.bodies import Body
from ..store.chains import NewChange, NewRound, Region
from ..store.db import Database
from . import regions, rounds
from .edits import Change, FileEdit, Parts
from .redact import redact
from .rounds import Draft
from .symbols import moved, parts

# A change with so many files, as a generator or a formatter leaves it, is noted and not taken apart.
MAX_FILES = 500


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose code it is: the user, the workspace, and with it all workspaces that are the same one."""

    user: str
    workspace: int
    family: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The change's row, the rows of its rounds, and of those that were known already and only met again."""

    change: int
    rounds: tuple[int, ...]
    known: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A change taken apart and packed, before anything is looked up or written."""

    new: NewChange
    files: tuple[tuple[FileEdit, Parts, tuple[Draft, ...]], ...]
    commit: str | None = None


def key_of(db: Database, *, within_s: float = 10.0) -> bytes:
    """What bodies are named with in this file."""
    salt = db.read(settings.get, "salt")
    return bytes.fromhex(salt) if salt else db.write_within(within_s, settings.salt)


def prepare(
    change: Change, whose: Whose, key: bytes, *, words: str | None = None, commit: str | None = None
) -> Prepared:
    """
    The change, taken apart: the costly part, for which no lock is held.

    Args:
        words: what asked for it, where no turn of ours did.
        commit: the commit that holds it, where it is read from the repository's history.
    """
    bulk = change.bulk or len(change.files) > MAX_FILES
    looked = [] if bulk else moved([(edit, parts(edit)) for edit in change.files])
    files = tuple(
        (edit, its, (*rounds.of_symbols(its.symbols, key), *filter(None, [rounds.of_file(edit, its, key)])))
        for edit, its in looked
    )
    new = NewChange(
        whose.user, whose.workspace, change.worktree, change.actor, change.branch, change.head_before,
        change.head_after, change.at, change.count or len(change.files), bulk, change.turn, change.event,
        redact(words, salt=key) if words else None,
    )  # fmt: skip
    return Prepared(new, files, commit)


def record(change: Change, whose: Whose, *, db: Database, now: int, within_s: float = 10.0) -> Recorded:
    """
    Keep a change: one round for each symbol and region that it touched. What an event has made already is not made
    again.

    Raises:
        StoreBusy: the file stayed locked for `within_s`; nothing was written.
    """
    key = key_of(db, within_s=within_s)
    return db.write_within(within_s, write, prepare(change, whose, key), whose, key, now=now)


def write(con: apsw.Connection, prepared: Prepared, whose: Whose, key: bytes, *, now: int) -> Recorded:
    """Put a prepared change on the shelf; within a transaction of the caller's."""
    new = prepared.new
    done = set() if new.event is None else {(path, name) for path, name, _ in chains.of_event(con, new.event)}
    change = chains.add_change(con, new, now=now)
    branch, made, met = new.branch or "", [], []
    for edit, its, drafted in prepared.files:
        chains.add_file(
            con, change, _shown(edit.path, key), edit.status, old_path=edit.old_path and _shown(edit.old_path, key),
            named=edit.named, before_id=edit.before_id, after_id=edit.after_id,
        )  # fmt: skip
        for draft in drafted:
            if (draft.path, draft.symbol) in done:
                continue
            thread = _thread(con, draft, whose, branch, now=now)
            known = _met(con, thread, draft) if prepared.commit else None
            if known is None:
                made.append(_add(con, thread, change, draft, whose, branch))
            else:
                met.append(known)
        made += _regions(con, change, edit, its, whose, branch, key, now=now)
    if prepared.commit:
        chains.commits_hold(con, [*made, *met], prepared.commit)
    return Recorded(change, tuple(made), tuple(met))


def held(con: apsw.Connection, prepared: Prepared, whose: Whose, key: bytes) -> list[int]:
    """The rounds that a commit's change holds the outcome of: those that left a symbol or region as it has it."""
    branch, found = prepared.new.branch or "", []
    for edit, its, drafted in prepared.files:
        for draft in drafted:
            thread = _known_thread(con, draft, whose, branch)
            if thread is not None and draft.kind == "symbol":
                found += chains.left_as(con, thread, _name(draft.after), draft.patch_id)
        if its.loose and edit.after is not None:
            image = rounds.shown(edit.after, key)
            for round_, body in chains.loose_bodies(con, whose.user, whose.family, edit.path):
                if body in image:
                    found.append(round_)
    return found


def _shown(path: str, key: bytes) -> str:
    """A path as it is kept: a known secret in it is marked, and bytes that are no text are replaced."""
    return rounds.shown(path.encode("utf-8", "surrogateescape"), key).decode("utf-8", "replace")


def _met(con: apsw.Connection, thread: int, draft: Draft) -> int | None:
    """The round that is the same change already: it was seen when it was made, or under another commit."""
    return chains.same_round(con, thread, _name(draft.before), _name(draft.after), draft.patch_id)


def _name(body: Body | None) -> bytes | None:
    return None if body is None else body.hash


def _thread(con: apsw.Connection, draft: Draft, whose: Whose, branch: str, *, now: int) -> int:
    """The thread that the draft goes on with, by the name it had before, else by the one it has now."""
    found = _known_thread(con, draft, whose, branch)
    return (
        chains.open_thread(con, whose.user, whose.workspace, draft.kind, at=now) if found is None else found
    )


def _known_thread(con: apsw.Connection, draft: Draft, whose: Whose, branch: str) -> int | None:
    for path, symbol in dict.fromkeys([(draft.old_path, draft.old_symbol), (draft.path, draft.symbol)]):
        found = chains.thread_at(con, whose.user, whose.family, path, symbol, branch, kind=draft.kind)
        if found is not None:
            return found
    return None


def _add(con: apsw.Connection, thread: int, change: int, draft: Draft, whose: Whose, branch: str) -> int:
    new = NewRound(
        draft.path, draft.symbol, branch, draft.status, bodies.put(con, draft.before), bodies.put(con, draft.after),
        draft.patch, draft.patch_id, draft.start, draft.end, "low" if draft.confidence == "low" else "high",
    )  # fmt: skip
    return chains.add_round(con, thread, change, whose.workspace, new)


def _regions(
    con: apsw.Connection,
    change: int,
    edit: FileEdit,
    its: Parts,
    whose: Whose,
    branch: str,
    key: bytes,
    *,
    now: int,
) -> list[int]:
    known = chains.regions(con, whose.user, whose.family, edit.old_path or edit.path, branch)
    if not its.loose and not known:
        return []
    touched, laid = regions.settle(edit, its.loose, known)
    made = []
    for one in touched:
        thread = one.thread
        if thread is None:
            thread = chains.open_thread(con, whose.user, whose.workspace, "region", at=now)
        made.append(_add(con, thread, change, rounds.of_region(edit, one, key), whose, branch))
        if one.end >= one.start:
            laid.append(Region(thread, one.start, one.end))
    if edit.old_path and edit.old_path != edit.path:
        chains.lay_regions(con, whose.user, whose.family, edit.old_path, branch, [])
    chains.lay_regions(con, whose.user, whose.family, edit.path, branch, laid)
    return made
