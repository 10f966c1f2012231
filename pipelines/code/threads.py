"""Which thread each round of a change goes on with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import apsw

from ...store import bodies, loose_ends, thread_names
from ...store.chains import NewChange
from ...store.clock import SECOND_US
from ...store.loose_ends import MOST, LooseEnd
from ...store.models import ThreadKind
from ...store.thread_names import Called
from .rounds import Draft
from .symbol_moves import End, matched

# Outside of a turn: what goes and comes within this time was moved.
TOGETHER_US = 300 * SECOND_US
NOW = 1 << 62
Name: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Renumbered:
    """A symbol that got another number among those of its name, and the hash of its body."""

    path: str
    old: str
    new: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Step:
    """
    A draft with the thread that it goes on with, None where it begins one; `sure` where that is called so already. It
    may be half of a move: what it brings had `gone` elsewhere before; or what it takes away `began` elsewhere, so that
    nothing has gone.
    """

    draft: Draft
    thread: int | None
    sure: bool = False
    gone: LooseEnd | None = None
    began: LooseEnd | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    What a thread is looked for by: a name of its symbol, and the hash of a body that it may have had. `stays`: it was
    there before the change, and is after it.
    """

    kind: ThreadKind
    name: Name
    body: bytes | None = None
    stays: bool = False


def going_on(
    con: apsw.Connection, drafts: Sequence[Draft], renumbered: Sequence[Renumbered], new: NewChange,
    family: Sequence[int], *, live: bool,
) -> tuple[list[Step], list[int | None]]:  # fmt: skip
    """
    For each draft its thread, and for each of `renumbered`; all are looked up as they were before the change, so that
    none is taken for another that gets its name in it. `live`: what came in one change and went in another is looked
    for, too.
    """
    search = _Search(con, new.user, family, new.branch or "", new.happened_at)
    before = [None if one.status == "added" else _before(one) for one in drafts]
    left = [Wanted("symbol", (one.path, one.old), one.body, stays=True) for one in renumbered]
    found = search.each([*before, *left])
    known, shifted = found[: len(drafts)], found[len(drafts) :]
    after = [None if one else _after(draft) for one, draft in zip(known, drafts, strict=True)]
    again = search.each(after)
    steps = [
        _step(draft, one or other, one is None)
        for one, other, draft in zip(known, again, drafts, strict=True)
    ]
    # A commit may have been seen being made, so that who has the old number now is another.
    going = [
        one.thread if one and (live or thread_names.had(con, one.thread, symbol.body)) else None
        for one, symbol in zip(shifted, renumbered, strict=True)
    ]
    if live:
        steps = _moved(con, steps, new, family)
        joined = {step.began.thread: step.thread for step in steps if step.began and step.thread}
        steps = [replace(step, thread=joined.get(step.thread or 0, step.thread)) for step in steps]
        going = [joined.get(one or 0, one) for one in going]
    return steps, going


def _step(draft: Draft, found: Called | None, is_new: bool) -> Step:
    same = is_new or (draft.path, draft.symbol) == (draft.old_path, draft.old_symbol)
    return Step(draft, found.thread if found else None, sure=found is not None and found.sure and same)


def gone_by(
    con: apsw.Connection, drafts: Sequence[Draft], user: str, family: Sequence[int], branch: str
) -> list[int | None]:
    """The threads of drafts that were recorded already; None where it was not."""
    search = _Search(con, user, family, branch, NOW)
    now = search.each([_after(one) for one in drafts])
    left = search.each([None if one else _before(draft) for one, draft in zip(now, drafts, strict=True)])
    return [one or other for one, other in zip(_threads(now), _threads(left), strict=True)]


def _threads(found: Iterable[Called | None]) -> list[int | None]:
    return [one.thread if one else None for one in found]


def _before(draft: Draft) -> Wanted:
    was = draft.before.hash if draft.before else None
    return Wanted(draft.kind, (draft.old_path, draft.old_symbol), was, _stays(draft))


def _after(draft: Draft) -> Wanted:
    left = draft.after or draft.before
    return Wanted(draft.kind, (draft.path, draft.symbol), left.hash if left else None, _stays(draft))


def _stays(draft: Draft) -> bool:
    return draft.status not in ("added", "deleted")


class _Search:
    """Threads as they went by their names at a moment; none is found twice."""

    def __init__(self, con: apsw.Connection, user: str, family: Sequence[int], branch: str, at: int) -> None:
        self.con, self.user, self.family, self.branch, self.at = con, user, family, branch, at
        self.taken: set[int] = set()

    def each(self, wanted: Sequence[Wanted | None]) -> list[Called | None]:
        """The likeliest thread of each."""
        found: list[Called | None] = [None] * len(wanted)
        likely = [(one.rank, i, one) for i, want in enumerate(wanted) if want for one in self._called(want)]
        for _, i, one in sorted(likely, key=lambda each: each[:2]):
            want = wanted[i]
            if want and not found[i] and one.thread not in self.taken and self._may_be(one, want):
                found[i] = one
                self.taken.add(one.thread)
        return found

    def _may_be(self, one: Called, want: Wanted) -> bool:
        """Whether it does not go on under another name; but what had the very body may have been put back there."""
        if one.sure or (one.knows and (want.stays or one.later)):
            return True
        return not thread_names.lives_elsewhere(self.con, one.thread, self.branch, *want.name, at=self.at)

    def _called(self, want: Wanted) -> list[Called]:
        return thread_names.called(
            self.con, self.user, self.family, *want.name, self.branch, kind=want.kind, at=self.at, body=want.body
        )  # fmt: skip


def _moved(con: apsw.Connection, steps: Sequence[Step], new: NewChange, family: Sequence[int]) -> list[Step]:
    """The steps, where what comes went elsewhere just before, or what goes had come elsewhere, as moves."""
    symbols = [i for i, step in enumerate(steps) if step.draft.kind == "symbol"]
    came = [i for i in symbols if steps[i].draft.status == "added" and not steps[i].sure]
    went = [i for i in symbols if steps[i].draft.status == "deleted"]
    made = list(steps)
    if not 0 < len(came) + len(went) <= MOST:
        return made
    ends = loose_ends.recent(
        con, new.user, family, new.worktree, new.branch or "", turn=new.turn,
        since=new.happened_at - TOGETHER_US, at=new.happened_at,
    )  # fmt: skip
    back = {step.thread for i, step in enumerate(steps) if i not in came}
    for i, end in _matched([one for one in ends if one.gone and one.thread not in back], came, steps):
        draft = replace(
            steps[i].draft, status="moved", old_path=end.path, old_symbol=end.symbol, before=end.body
        )
        made[i] = Step(draft, end.thread, gone=end)
    gone = {step.thread for step in made if step.gone}
    made = [replace(step, thread=None) if step.thread in gone and not step.gone else step for step in made]
    for i, end in _matched([one for one in ends if not one.gone], went, steps):
        if end.thread != steps[i].thread:
            made[i] = replace(made[i], began=end)
    return made


def _matched(
    ends: Sequence[LooseEnd], some: Sequence[int], steps: Sequence[Step]
) -> list[tuple[int, LooseEnd]]:
    if not ends or not some:
        return []
    drafts = [steps[i].draft for i in some]
    there = [End(one.path, one.symbol, bodies.unpack(one.body.packed)) for one in ends]
    here = [End(one.path, one.symbol, _text(one)) for one in drafts]
    return [
        (some[j], ends[i])
        for i, j in matched(
            there, here, lambda one, other: (one.path, one.symbol) != (other.path, other.symbol)
        )
    ]


def _text(draft: Draft) -> bytes:
    body = draft.after or draft.before
    return bodies.unpack(body.packed) if body else b""
