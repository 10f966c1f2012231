"""Conductor: a change of a worktree to the rounds of the symbols, regions and files that it touched."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import apsw

from ...store import bodies, chains, loose_ends, settings, thread_names, turns, workspaces
from ...store.bodies import Body
from ...store.chains import NewChange, NewRound, Region
from ...store.db import Database
from ..git.edits import FileEdit
from ..redact import redact
from ..shown import shown, shown_name
from . import forgotten_code, regions, rounds, threads
from .rounds import Draft
from .symbol_edits import Change, Parts
from .symbols import moved, parts
from .threads import Renumbered, Step


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
    repository = workspaces.known_by(con, whose.workspace) if prepared.commit else ""
    commit = (repository, prepared.commit) if prepared.commit else None
    change, ulid = chains.add_change(con, new, now=now, commit=commit)
    drafts = [[one for one in drafted if not _is_done(one, done)] for _, _, drafted in prepared.files]
    shifts = _renumbered(prepared, key)
    every, shifted = threads.going_on(
        con, list(chain.from_iterable(drafts)), shifts, new, whose.family, live=not prepared.commit
    )
    for one in every:
        if one.began:
            loose_ends.join(con, one.began, one.thread, bodies.put(con, one.draft.before))
    steps, made, met = iter(every), list[int](), list[int]()
    for (edit, its, _), own in zip(prepared.files, drafts, strict=True):
        path, old_path = _paths(edit, key)
        chains.add_file(
            con, change, path, edit.status, old_path=old_path, named=edit.named, before_id=edit.before_id,
            after_id=edit.after_id,
        )  # fmt: skip
        for step in islice(steps, len(own)):
            added, known = _symbol(con, (change, ulid), step, prepared, whose, key, now=now)
            made += added
            met += known
        added, known = _regions(con, (change, ulid), edit, its, prepared, whose, key, now=now)
        made += added
        met += known
    _renumber(con, shifts, shifted, prepared, whose)
    if new.turn is not None and made:
        # What is drawn from a turn names the symbols that it changed.
        turns.distill_later(con, new.turn, now=now)
    if prepared.commit:
        chains.commits_hold(con, [*made, *met], prepared.commit)
    return Recorded(change, tuple(made), tuple(met))


def _is_done(draft: Draft, done: Container[tuple[str, str | None]]) -> bool:
    """Whether the event made it before. What it took away may be half of a move, of which no round is left."""
    return (draft.path, draft.symbol) in done or (draft.status == "deleted" and (draft.path, None) in done)


def _renumbered(prepared: Prepared, key: bytes) -> list[Renumbered]:
    return [
        Renumbered(
            shown_name(edit.path, key), shown_name(old, key), shown_name(new, key), bodies.name(raw, key)
        )
        for edit, its, _ in prepared.files
        for old, new, raw in its.renumbered
    ]


def _renumber(
    con: apsw.Connection,
    shifts: Sequence[Renumbered],
    found: Sequence[int | None],
    prepared: Prepared,
    whose: Whose,
) -> None:
    branch, at = prepared.new.branch or "", prepared.new.happened_at
    for one, thread in zip(shifts, found, strict=True):
        if thread is not None:
            old, new = (
                thread_names.place(con, whose.workspace, one.path, name) for name in (one.old, one.new)
            )
            thread_names.renumber(con, thread, branch, old, new, at=at)


def _symbol(
    con: apsw.Connection,
    change: tuple[int, str],
    step: Step,
    prepared: Prepared,
    whose: Whose,
    key: bytes,
    *,
    now: int,
) -> tuple[list[int], list[int]]:
    """The round that was made of a symbol or a file, or that is the commit's already."""
    draft, thread = step.draft, step.thread
    if step.began:
        return [], []
    if step.gone:
        loose_ends.take_back(con, step.gone)
    if thread is None:
        thread = _opened(con, change[1], draft, prepared, whose, now=now)
    known = _met(con, thread, draft, prepared) if prepared.commit else None
    if known is not None:
        return [], [known]
    made = _add(con, thread, change[0], forgotten_code.hidden(con, draft, key), prepared, whose)
    if not step.sure:
        at_place = thread_names.place(con, whose.workspace, draft.path, draft.symbol)
        thread_names.take(con, thread, prepared.new.branch or "", at_place, at=prepared.new.happened_at)
    return [made], []


def _opened(
    con: apsw.Connection, change: str, draft: Draft, prepared: Prepared, whose: Whose, *, now: int
) -> int:
    """A new thread; one that begins in a commit is the same for whoever reads that."""
    begins = (prepared.new.happened_at, change, f"{draft.path}\n{draft.symbol}\n{draft.start}")
    return chains.open_thread(
        con, whose.user, whose.workspace, draft.kind, at=now, begins=begins if prepared.commit else None
    )


def held(con: apsw.Connection, prepared: Prepared, whose: Whose, key: bytes) -> list[int]:
    """The rounds that a commit's change holds the outcome of: those that left a symbol or region as it has it."""
    branch, found = prepared.new.branch or "", list[int | None]()
    drafts = [draft for _, _, drafted in prepared.files for draft in drafted]
    for draft, thread in zip(
        drafts, threads.gone_by(con, drafts, whose.user, whose.family, branch), strict=True
    ):
        if thread is not None and draft.kind == "symbol":
            found.append(chains.left_as(con, thread, _name(draft.after), draft.patch_id))
        elif thread is not None:
            found.append(_met(con, thread, draft, prepared))
    for edit, its, _ in prepared.files:
        if its.loose and edit.after is not None:
            image = shown(edit.after, key)
            for round_, body in chains.loose_bodies(con, whose.user, whose.family, _paths(edit, key)[0]):
                if body in image:
                    found.append(round_)
    return [one for one in found if one is not None]


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


def _add(
    con: apsw.Connection, thread: int, change: int, draft: Draft, prepared: Prepared, whose: Whose
) -> int:
    new = NewRound(
        draft.path, draft.symbol, prepared.new.branch or "", draft.status, bodies.put(con, draft.before),
        bodies.put(con, draft.after), draft.patch, draft.patch_id, draft.start, draft.end, draft.confidence,
    )  # fmt: skip
    return chains.add_round(con, thread, change, whose.workspace, new)


def _regions(
    con: apsw.Connection, change: tuple[int, str], edit: FileEdit, its: Parts, prepared: Prepared, whose: Whose,
    key: bytes, *, now: int,
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
        among = seen or filter(None, [thread])
        same = _met_region(con, draft, among, prepared, whose) if prepared.commit else None
        if same is None:
            if thread is None:
                thread = _opened(con, change[1], draft, prepared, whose, now=now)
            made.append(_add(con, thread, change[0], forgotten_code.hidden(con, draft, key), prepared, whose))
        else:
            met.append(same)
        if thread is not None and one.end >= one.start:
            laid.append(Region(thread, one.start, one.end))
    if not seen:
        _lay(con, path, old_path, laid, whose, branch)
    return made, met
