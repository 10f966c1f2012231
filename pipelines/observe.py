"""Conductor: a change of a worktree to the rounds of the symbols, regions and files that it touched."""

from __future__ import annotations

from collections.abc import Iterable
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
from .shown import shown, shown_name
from .symbols import moved, parts


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


def prepare(
    change: Change, whose: Whose, key: bytes, *, words: str | None = None, commit: str | None = None
) -> Prepared:
    """
    The change, taken apart: the costly part, for which no lock is held.

    Args:
        words: what asked for it, where no turn of ours did.
        commit: the commit that holds it, where it is read from the repository's history.
    """
    looked = moved([(edit, parts(edit)) for edit in change.files])
    files = tuple(
        (edit, its, (*rounds.of_symbols(its.symbols, key), *filter(None, [rounds.of_file(edit, its, key)])))
        for edit, its in looked
    )
    new = NewChange(
        whose.user, whose.workspace, change.worktree, change.actor, change.branch, change.head_before,
        change.head_after, change.at, change.count or len(change.files), change.bulk, change.turn, change.event,
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
    key = settings.salt_of(db, within_s=within_s)
    return db.write_within(within_s, write, prepare(change, whose, key), whose, key, now=now)


def write(con: apsw.Connection, prepared: Prepared, whose: Whose, key: bytes, *, now: int) -> Recorded:
    """Put a prepared change on the shelf; within a transaction of the caller's."""
    new = prepared.new
    done = set() if new.event is None else chains.of_event(con, new.event)
    change = chains.add_change(con, new, now=now)
    branch, made, met = new.branch or "", [], []
    for edit, its, drafted in prepared.files:
        path, old_path = _paths(edit, key)
        chains.add_file(
            con, change, path, edit.status, old_path=old_path, named=edit.named, before_id=edit.before_id,
            after_id=edit.after_id,
        )  # fmt: skip
        for draft in drafted:
            if (draft.path, draft.symbol) in done:
                continue
            thread = _thread(con, draft, whose, branch, now=now)
            known = _met(con, thread, draft, prepared) if prepared.commit else None
            if known is None:
                made.append(_add(con, thread, change, draft, whose, branch))
            else:
                met.append(known)
        again, others = _regions(con, change, edit, its, prepared, whose, key, now=now)
        made, met = [*made, *again], [*met, *others]
    if prepared.commit:
        chains.commits_hold(con, [*made, *met], prepared.commit)
    return Recorded(change, tuple(made), tuple(met))


def held(con: apsw.Connection, prepared: Prepared, whose: Whose, key: bytes) -> list[int]:
    """The rounds that a commit's change holds the outcome of: those that left a symbol or region as it has it."""
    branch, found = prepared.new.branch or "", []
    for edit, its, drafted in prepared.files:
        for draft in drafted:
            thread = _known_thread(con, draft, whose, branch)
            if thread is None:
                continue
            if draft.kind == "symbol":
                found += chains.left_as(con, thread, _name(draft.after), draft.patch_id)
            elif (same := _met(con, thread, draft, prepared)) is not None:
                found.append(same)
        if its.loose and edit.after is not None:
            image = shown(edit.after, key)
            for round_, body in chains.loose_bodies(con, whose.user, whose.family, _paths(edit, key)[0]):
                if body in image:
                    found.append(round_)
    return found


def carry(con: apsw.Connection, brought: Iterable[FileEdit], whose: Whose, branch: str, key: bytes) -> None:
    """Note where regions went to by edits that are nobody's: what git brought."""
    for edit in brought:
        path, old_path = _paths(edit, key)
        if known := chains.regions(con, whose.user, whose.family, old_path or path, branch):
            _, laid = regions.settle(edit, (), known)
            _lay(con, path, old_path, laid, whose, branch)


def _lay(
    con: apsw.Connection, path: str, old_path: str | None, laid: Iterable[Region], whose: Whose, branch: str
) -> None:
    if old_path and old_path != path:
        chains.lay_regions(con, whose.user, whose.family, old_path, branch, [])
    chains.lay_regions(con, whose.user, whose.family, path, branch, laid)


def _paths(edit: FileEdit, key: bytes) -> tuple[str, str | None]:
    """Where the file lies and lay, as paths are kept."""
    old_path = None if edit.old_path is None else shown_name(edit.old_path, key)
    return shown_name(edit.path, key), old_path


def _met(con: apsw.Connection, thread: int, draft: Draft, prepared: Prepared) -> int | None:
    """The round that is the same change already: it was seen when it was made, or under another commit."""
    return chains.same_round(
        con, thread, draft.kind, _name(draft.before), _name(draft.after), draft.patch_id, draft.status,
        commit=prepared.commit or "", at=prepared.new.happened_at,
    )  # fmt: skip


def _met_region(
    con: apsw.Connection, draft: Draft, threads: Iterable[int], prepared: Prepared, whose: Whose
) -> int | None:
    """As `_met`, for a region: of those threads one, else one that left the lines that the commit has there."""
    for thread in threads:
        if (known := _met(con, thread, draft, prepared)) is not None:
            return known
    lines = b"" if draft.after is None else bodies.unpack(draft.after.packed)
    if not lines.strip():
        return None
    left = chains.loose_bodies(con, whose.user, whose.family, draft.path, commit=prepared.commit or "")
    return next((known for known, body in left if lines in body or (body.strip() and body in lines)), None)


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
        draft.patch, draft.patch_id, draft.start, draft.end, draft.confidence,
    )  # fmt: skip
    return chains.add_round(con, thread, change, whose.workspace, new)


def _regions(
    con: apsw.Connection, change: int, edit: FileEdit, its: Parts, prepared: Prepared, whose: Whose, key: bytes,
    *, now: int,
) -> tuple[list[int], list[int]]:  # fmt: skip
    """The rounds that were made of what lies in no symbol, and those that are a commit's already."""
    branch = prepared.new.branch or ""
    path, old_path = _paths(edit, key)
    # Where regions lie now is known from what was seen; what a commit did to them before says nothing of that.
    seen = chains.seen_regions(con, whose.user, whose.family, old_path or path) if prepared.commit else []
    known = [] if seen else chains.regions(con, whose.user, whose.family, old_path or path, branch)
    if not its.loose and not known:
        return [], []
    touched, laid = regions.settle(edit, its.loose, known)
    made, met = [], []
    for one, draft in zip(touched, rounds.of_regions(edit, touched, key), strict=True):
        thread = one.thread
        threads = seen or filter(None, [thread])
        same = _met_region(con, draft, threads, prepared, whose) if prepared.commit else None
        if same is None:
            if thread is None:
                thread = chains.open_thread(con, whose.user, whose.workspace, "region", at=now)
            made.append(_add(con, thread, change, draft, whose, branch))
        else:
            met.append(same)
        if thread is not None and one.end >= one.start:
            laid.append(Region(thread, one.start, one.end))
    if not seen:
        _lay(con, path, old_path, laid, whose, branch)
    return made, met
