"""A statement that is known already: evidence for what says the same, history for what says the opposite."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import apsw
import pytest
from backstory.pipelines import keep, placing, tend
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.pipelines.keep import Added
from backstory.pipelines.merging import late
from backstory.pipelines.merging.reading import VERSION
from backstory.pipelines.request import Request
from backstory.store import cutter, events, jobs, likeness, memories, turns, vectors, words, workspaces
from backstory.store.db import Database
from backstory.store.filters import Filter
from backstory.store.memories import Quote
from backstory.store.models import Kind, Memory, NewEvent, NewMemory, Origin, Scope

from ..shelf import T0, open_workspaces

CUT = cutter.load()
DAY = 86_400_000_000


@pytest.fixture
def add(db: Database) -> Callable[..., Added]:
    """Keep a text, one second after the other."""
    clock = count(T0, 1_000_000)

    def kept(
        text: str,
        *,
        at: int | None = None,
        kind: Kind | None = None,
        scope: Scope | None = None,
        **kw: object,
    ) -> Added:
        request = Request(scope or Scope(), text, kind=kind, **kw)  # type: ignore[arg-type]
        return keep.keep(request, db=db, now=next(clock) if at is None else at, cut=CUT)[0]

    return kept


def live(db: Database, now: int = T0 + DAY) -> list[str]:
    found, _ = db.read(memories.listing, Filter("me", now, None, kinds=likeness.COMPARED), limit=50)
    return sorted(memory.text for memory in found)


def memory(db: Database, id_: int) -> Memory:
    return db.read(memories.by_id, id_)


def logged(db: Database, step: str) -> list[tuple[str, str]]:
    def read(con: apsw.Connection) -> list[tuple[str, str]]:
        return [
            (v, r)
            for v, r in con.execute("select verdict, reason from run where step = ? order by id", (step,))
        ]

    return db.read(read)


@pytest.mark.parametrize(
    ("one", "again"),
    [
        ("The staging database listens on port 5433.", "Staging database listens on port 5433"),
        ("The worker pool has 3 threads.", "the worker pool has three threads"),
        ("默认分支是 main", "缺省分支是 main。"),
        ("线程池有四个线程", "线程池有 4 个线程"),
    ],
)
def test_what_is_said_again_in_other_words_adds_its_evidence(
    db: Database, add: Callable[..., Added], one: str, again: str
) -> None:
    first, second = add(one), add(again)
    assert (second.id, second.verdict) == (first.id, "same")
    assert live(db) == [one]
    assert [support.quote for support in db.read(memories.evidence, first.id)] == [one, again]
    assert logged(db, "add")[-1][0] == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [("Worker 3 has a thread pool.", "Worker 4 has a thread pool."), ("修复在 v1.2", "修复在 v1.3")],
)
def test_what_is_one_atom_apart_stays_beside_it(
    db: Database, add: Callable[..., Added], one: str, other: str
) -> None:
    add(one)
    assert add(other).verdict == "stored"
    assert live(db) == sorted((one, other))


@pytest.mark.parametrize(
    ("one", "opposite"),
    [
        (
            "Force pushes are allowed on personal branches.",
            "Force pushes are forbidden on personal branches.",
        ),
        ("允许直接推送到 main", "不允许直接推送到 main"),
    ],
)
def test_of_two_opposites_the_newer_is_current_and_the_older_history(
    db: Database, add: Callable[..., Added], one: str, opposite: str
) -> None:
    first, second = add(one, at=T0), add(opposite, at=T0 + DAY)
    assert live(db, T0 + 2 * DAY) == [opposite]
    old = memory(db, first.id)
    assert old.retired_at == T0 + DAY
    closed = db.read(memories.versions, old.root)[-1]
    assert (closed.text, closed.valid_from, closed.valid_to) == (one, T0, T0 + DAY)
    then, _ = db.read(memories.listing, Filter("me", T0 + 3 * DAY, as_of=T0 + DAY // 2), limit=9)
    assert [found.text for found in then if found.kind == "fact"] == [one]
    verdict, reason = logged(db, "reconcile")[-1]
    assert (verdict, reason.split("; ")[-1]) == ("update", "the newer is current")
    assert _links(db, second.id) == [(first.id, "supersedes", "negate")]


def _links(db: Database, id_: int) -> list[tuple[int, str, str]]:
    def read(con: apsw.Connection) -> list[tuple[int, str, str]]:
        return list(
            con.execute("select target, kind, data ->> 'relation' from link where source = ?", (id_,))
        )

    return db.read(read)


def test_dark_light_dark_ends_dark_and_light_again_ends_light(
    db: Database, add: Callable[..., Added]
) -> None:
    said = ["I prefer dark mode", "I prefer light mode", "The user prefers dark mode", "I like light mode"]
    for text in said:
        add(text, kind="profile")
        assert live(db) == [text]


@pytest.mark.parametrize(
    "apart",
    [
        {"kind": "profile"},
        {"scope": Scope(user="you")},
        {"scope": Scope(workspace=1)},
    ],
)
def test_what_stands_elsewhere_is_not_merged(
    db: Database, add: Callable[..., Added], apart: dict[str, object]
) -> None:
    db.write(open_workspaces, 1)
    first = add("The cache is shared between tenants.")
    second = add("The cache is shared between the tenants", **apart)
    third = add("The cache is not shared between the tenants", **apart)
    assert len({first.id, second.id, third.id}) == 3
    assert memory(db, first.id).retired_at is None


def test_two_workspaces_that_are_one_share_what_they_know(db: Database, add: Callable[..., Added]) -> None:
    db.write(open_workspaces, 2)
    first = add("The cache is shared between tenants.", scope=Scope(workspace=1))
    assert add("cache is shared between tenants", scope=Scope(workspace=2)).verdict == "stored"
    db.write(workspaces.unite, 1, 2)
    assert add("The cache is shared between the tenants!", scope=Scope(workspace=1)).verdict == "same"
    assert memory(db, first.id).retired_at is None


def test_tomorrow_is_another_day_the_day_after(db: Database, add: Callable[..., Added]) -> None:
    first = add("The release is tomorrow.", at=T0)
    assert add("the release is tomorrow", at=T0 + 60_000_000).id == first.id
    assert add("The release is tomorrow.", at=T0 + DAY).verdict == "stored"


def said(
    db: Database, text: str, at: int, slot: str | None = None, origin: Origin = "user", kind: Kind = "fact"
) -> placing.Placed:
    """A statement that was drawn from a turn, placed."""

    def place(con: apsw.Connection) -> placing.Placed:
        turn = turns.open_turn(con, Scope(source="c", session="s"), f"p{at}", at=at)
        assert turn is not None
        event, _ = events.append(con, turn.id, NewEvent("k", "user", "prompt", text, origin, at), now=at)
        new = NewMemory(kind, "chat", Scope(), text, origin, turn=turn.id, slot=slot, valid_from=at)
        return placing.place(con, new, [Quote(event, 0, len(text))], cut=CUT, now=at)

    return db.write(place)


def test_what_comes_from_a_web_page_does_not_make_the_users_words_history(db: Database) -> None:
    mine = said(db, "Squash commits when merging.", T0).memory or 0
    theirs = said(db, "Do not squash commits when merging.", T0 + DAY, origin="external").memory or 0
    assert memory(db, mine).retired_at is None
    assert _links(db, theirs) == [(mine, "contradicts", "conflict")]


def test_late_news_of_the_opposite_is_what_was_true_before(db: Database, add: Callable[..., Added]) -> None:
    now = add("The export is written asynchronously.", at=T0 + DAY, memory_at=T0)
    then = add("The export is written synchronously.", at=T0 + 2 * DAY, memory_at=T0 - DAY)
    assert live(db, T0 + 3 * DAY) == ["The export is written asynchronously."]
    assert memory(db, now.id).retired_at is None
    assert memory(db, then.id).valid_to == T0


def test_what_two_turns_did_is_never_one(db: Database) -> None:
    one = said(db, "Ran the tests.", T0, slot="did:1")
    other = said(db, "Ran the tests", T0 + 1, slot="did:2")
    opposite = said(db, "Did not run the tests", T0 + 2, slot="did:3")
    assert [placed.decision.verb for placed in (one, other, opposite)] == ["add", "add", "add"]


def test_the_users_own_words_take_over_what_an_agent_wrote_down(db: Database) -> None:
    noted = said(db, "The user prefers short answers.", T0, origin="agent", kind="profile").memory or 0
    placed = said(db, "I prefer short answers", T0 + DAY, slot="prefers:answers", kind="profile")
    assert placed.decision.verb == "version"
    new = memory(db, placed.memory or 0)
    assert (new.root, new.slot, new.origin) == (memory(db, noted).root, "prefers:answers", "user")
    assert len(db.read(memories.evidence, new.id)) == 2


def test_what_faded_says_still_what_it_said(db: Database, add: Callable[..., Added]) -> None:
    first = add("The staging database listens on port 5433.")
    db.write(_archive, first.id)
    assert add("staging database listens on port 5433").id == first.id


def _archive(con: apsw.Connection, id_: int) -> None:
    con.execute("update memory set archived_at = ? where id = ?", (T0, id_))


def test_keys_go_with_their_memories_and_are_made_again_when_the_rules_change(
    db: Database, add: Callable[..., Added]
) -> None:
    first = add("The cache is shared between tenants.")
    late.keep_up(db, CUT)
    before = db.read(_keys)
    assert [memory_ for memory_, _, _ in before] == list(range(1, before[-1][0] + 1))
    db.write(_age_keys)
    assert late.keep_up(db, CUT) == len(before)
    assert late.keep_up(db, CUT) == 0
    assert db.read(_keys) == before
    db.write(_erase, first.id)
    assert [row for row in db.read(_keys) if row[0] == first.id] == []


def _keys(con: apsw.Connection) -> list[tuple[int, str, int]]:
    return list(con.execute("select memory, key, version from likeness order by memory"))


def _age_keys(con: apsw.Connection) -> None:
    con.execute("update likeness set key = 'old', version = ?", (VERSION - 1,))


def _erase(con: apsw.Connection, id_: int) -> None:
    con.execute("delete from memory where id = ?", (id_,))


def put(db: Database, text: str, *, at: int, origin: Origin = "agent", scope: Scope | None = None) -> int:
    """A memory that comes past the funnel, as an import brings it."""
    new = NewMemory("fact", "chat", scope or Scope(), text, origin)

    def write(con: apsw.Connection) -> int:
        turn = turns.open_turn(con, Scope(source="c", session="s"), f"p{at}", at=at)
        assert turn is not None
        event, _ = events.append(con, turn.id, NewEvent("k", "user", "note", text, origin, at), now=at)
        return memories.insert(
            con, new, words.index(text, CUT), now=at, evidence=[Quote(event, 0, len(text))]
        )

    return db.write(write)


def tended(db: Database) -> None:
    tend.once(db, HashEmbedder(16), cut=CUT, clock=lambda: T0 + 5 * DAY)


def test_what_was_written_past_the_funnel_is_merged_later(db: Database) -> None:
    one = put(db, "The staging database listens on port 5433.", at=T0)
    other = put(db, "Staging database listens on port 5433", at=T0 + 1)
    apart = put(db, "Staging database listens on port 5432", at=T0 + 2)
    tended(db)
    gone = memory(db, other)
    assert memory(db, one).retired_at is None
    assert memory(db, apart).retired_at is None
    assert gone.retired_why == f"it says the same in other words as m{one}"
    assert len(db.read(memories.evidence, one)) == 2
    assert len(db.read(memories.evidence, other)) == 1
    assert _links(db, one) == [(other, "supersedes", "supplement")]
    assert logged(db, "merge") == [("same", "it says the same in other words")]
    assert db.read(jobs.counts) == {}


def test_of_opposites_written_past_the_funnel_the_later_is_current(db: Database) -> None:
    later = put(db, "个人分支禁止强推", at=T0 + DAY)
    earlier = put(db, "个人分支允许强推", at=T0)
    tended(db)
    assert memory(db, later).retired_at is None
    assert memory(db, earlier).retired_at is not None
    assert [v.valid_to for v in db.read(memories.versions, memory(db, earlier).root)] == [None, T0 + DAY]


def test_neighbours_of_another_workspace_are_left_alone(db: Database) -> None:
    db.write(open_workspaces, 2)
    ids = [put(db, "Use pnpm here.", at=T0 + n, scope=Scope(workspace=n)) for n in (1, 2)]
    tended(db)
    assert [memory(db, id_).retired_at for id_ in ids] == [None, None]


def test_a_step_takes_one_memory_and_only_what_lies_near_it(db: Database) -> None:
    for n in range(30):
        put(db, f"The worker number {n} reads from queue {n}.", at=T0 + n)
    while late.keep_up(db, CUT):
        continue
    db.write(jobs.enqueue, vectors.NEIGHBOURS, "1", now=T0)
    db.write(jobs.enqueue, vectors.NEIGHBOURS, "2", now=T0)
    assert late.step(db, "me", cut=CUT, now=T0)
    assert db.read(jobs.counts)[vectors.NEIGHBOURS].waiting == 1
    assert late.step(db, "me", cut=CUT, now=T0)
    assert not late.step(db, "me", cut=CUT, now=T0)


def test_a_turn_has_no_key(db: Database) -> None:
    turn = NewMemory("turn", "chat", Scope(), "The cache is shared.", "user")
    db.write(memories.insert, turn, words.index(turn.text, CUT), now=T0)
    late.keep_up(db, CUT)
    assert db.read(_keys) == [(1, "", VERSION)]
