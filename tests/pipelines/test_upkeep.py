"""Upkeep: every task in its turn and in pieces, whatever fails, is killed, or sets the clock back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import apsw
import pytest
from backstory.pipelines import upkeep as conductor
from backstory.pipelines import upkeep_tasks
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.pipelines.tend import once
from backstory.pipelines.upkeep import LEASE, LEASE_S, Upkeep
from backstory.pipelines.upkeep_tasks import TASKS, Piece, Task, Workplace
from backstory.store import deliveries, fading, jobs, memories, ratings, runs, signs, turns, upkeep
from backstory.store.clock import DAY_US, SECOND_US
from backstory.store.db import Database
from backstory.store.errors import StoreBusy
from backstory.store.memories import Quote
from backstory.store.models import Scope
from backstory.store.rows import fetch, value

from ..shelf import T0, add, shelve, take_turn
from .working import Clock

WAIT_S = 20
HOUR_S = 3600


class Steps:
    """A task of so many pieces, that fails or is busy where told."""

    def __init__(self, pieces: int = 1) -> None:
        self.pieces, self.ran = pieces, 0
        self.raises: Exception | None = None

    def __call__(self, _: Database, __: Workplace, ___: int) -> Piece:
        if self.raises:
            raise self.raises
        self.ran += 1
        return Piece(2, left_over=self.ran % self.pieces > 0)


def kept_up(db: Database, clock: Callable[[], int], *tasks: Task, owner: str = "me") -> Upkeep:
    return Upkeep(db, Workplace(), owner=owner, clock=clock, tasks=tasks or TASKS)


def to_the_end(work: Upkeep) -> int:
    """How many pieces were done until none was due."""
    pieces = 0
    while work.step():
        pieces += 1
        assert pieces < 1000
    return pieces


def told(db: Database) -> dict[str, tuple[int, bool, str | None]]:
    return {name: (done.did, done.left_over, done.error) for name, done in db.read(upkeep.every).items()}


def grown_old(db: Database, clock: Clock, *, days: int = 300) -> None:
    """Let so many days with work in each go by."""

    def worked(con: apsw.Connection) -> None:
        for _ in range(days):
            clock.move(DAY_US / SECOND_US)
            scope = Scope("me", None, f"s{clock.now}", "cursor")
            turns.open_turn(con, scope, "p", at=clock.now)

    db.write(worked)


# The table.


def test_each_task_runs_when_it_is_due_and_not_before(db: Database) -> None:
    clock, often, rarely = Clock(), Steps(), Steps()
    work = kept_up(db, clock, Task("often", 60, often), Task("rarely", HOUR_S, rarely))
    assert to_the_end(work) == 2
    clock.move(59)
    assert to_the_end(work) == 0
    clock.move(1)
    assert to_the_end(work) == 1
    clock.move(HOUR_S)
    assert to_the_end(work) == 2
    assert (often.ran, rarely.ran) == (3, 2)


def test_a_long_task_goes_on_in_pieces_between_which_others_have_their_turn(db: Database) -> None:
    clock, long, short = Clock(), Steps(4), Steps()
    work = kept_up(db, clock, Task("long", HOUR_S, long), Task("short", HOUR_S, short))
    assert work.step()
    assert told(db) == {"long": (2, True, None)}
    assert work.step()
    assert short.ran == 1
    to_the_end(work)
    assert told(db) == {"long": (8, False, None), "short": (2, False, None)}


def test_a_task_that_fails_is_named_is_tried_again_and_stops_no_other(
    db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    clock, broken, other = Clock(), Steps(), Steps()
    broken.raises = RuntimeError("a bug")
    work = kept_up(db, clock, Task("broken", 86_400, broken), Task("other", 60, other))
    assert to_the_end(work) == 2
    assert told(db) == {"broken": (0, False, "RuntimeError: a bug"), "other": (2, False, None)}
    clock.move(HOUR_S)
    assert to_the_end(work) == 2
    assert caplog.text.count("RuntimeError: a bug") == 1
    broken.raises = None
    clock.move(HOUR_S)
    to_the_end(work)
    assert told(db)["broken"] == (2, False, None)


def test_where_the_file_is_busy_a_task_waits_and_is_not_said_to_have_failed(db: Database) -> None:
    clock, busy = Clock(), Steps()
    busy.raises = StoreBusy("busy")
    work = kept_up(db, clock, Task("busy", 60, busy))
    assert to_the_end(work) == 1
    busy.raises = None
    assert told(db)["busy"][2] is None
    clock.move(60)
    assert to_the_end(work) == 1
    assert busy.ran == 1


def test_an_idle_file_is_left_in_peace(db: Database) -> None:
    clock = Clock()
    work = kept_up(db, clock)
    to_the_end(work)
    work.let_go()
    before = db.read(value, "select max(ran_at) from upkeep")
    clock.move(120)
    to_the_end(work)
    assert db.read(value, "select max(ran_at) from upkeep") == before


def test_a_clock_that_is_set_back_does_not_stop_it(db: Database) -> None:
    clock, steps = Clock(), Steps()
    work = kept_up(db, clock, Task("a", HOUR_S, steps))
    to_the_end(work)
    clock.move(-365 * 86_400)
    assert to_the_end(work) == 1
    assert to_the_end(work) == 0
    # Also for one that begins only now, with the lease still held by one of the other time.
    later = kept_up(db, clock, Task("a", HOUR_S, steps), owner="another")
    clock.move(365 * 86_400)
    assert db.write(jobs.take, LEASE, "gone", now=clock(), for_s=LEASE_S)
    clock.move(-365 * 86_400 + HOUR_S)
    assert to_the_end(later) == 1


def test_two_at_once_are_one(db: Database) -> None:
    clock, steps = Clock(), Steps(3)
    task = Task("a", HOUR_S, steps)
    first, second = (kept_up(db, clock, task, owner=name) for name in ("first", "second"))
    assert first.step()
    assert not second.step()
    assert second.everything() == {}
    to_the_end(first)
    first.let_go()
    assert (second.step(), steps.ran) == (False, 3)


def test_who_is_killed_in_the_middle_is_followed_when_the_lease_is_over(db: Database) -> None:
    clock = Clock()
    for n in range(70):
        add(db, f"memory {n} of the old harbour", at=clock.now)
    grown_old(db, clock)
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(db.path), str(clock())],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=db.path.parent,
    )  # fmt: skip
    assert child.stdout
    assert child.stdin
    for _ in range(2):
        assert child.stdout.readline() == "archiving\n"
        child.stdin.write("go on\n")
        child.stdin.flush()
    assert child.stdout.readline() == "archiving\n"
    child.kill()
    child.communicate(timeout=WAIT_S)
    done = db.read(value, "select count(*) from memory where archived_at is not null")
    assert done == 2 * upkeep_tasks.ARCHIVED
    assert told(db)["fading"][1]
    work = kept_up(db, clock)
    assert not work.step()
    clock.move(LEASE_S + 1)
    to_the_end(work)
    assert db.read(value, "select count(*) from memory where archived_at is null") == 0
    assert not told(db)["fading"][1]
    assert db.read(value, "select count(*) from terms") == 0
    assert db.read(value, "select count(*) from past_terms") == 70


KILLED = """
import sys
from pathlib import Path
from backstory.pipelines import upkeep_tasks
from backstory.pipelines.upkeep import Upkeep
from backstory.store.db import Database

whole = upkeep_tasks._archive
def archive(con, found, *, now):
    print("archiving", flush=True)
    if sys.stdin.readline() == "":
        raise SystemExit
    return whole(con, found, now=now)
upkeep_tasks._archive = archive
work = Upkeep(Database.open(Path(sys.argv[1])), upkeep_tasks.Workplace(), owner="child", clock=lambda: int(sys.argv[2]))
while work.step():
    pass
"""


# The tasks.


def test_what_faded_is_archived_with_the_reason_in_the_log_and_without_its_vector(db: Database) -> None:
    clock = Clock()
    faded, kept = (add(db, f"the old harbour {n}", at=clock.now, importance=n) for n in (0.3, 0.9))
    once(db, HashEmbedder(16), cut=None, clock=clock)
    grown_old(db, clock, days=240)
    once(db, HashEmbedder(16), cut=None, clock=clock)
    assert db.read(memories.by_id, faded).archived_at == clock.now
    assert db.read(memories.by_id, kept).archived_at is None
    assert db.read(fetch, "select memory from embedding") == [(kept,)]
    assert db.read(value, "select count(*) from vector_1") == 1
    (run,) = db.read(runs.naming, [faded])
    assert (run.step, run.verdict, run.memories) == ("fade", "archived", (faded,))
    assert told(db)["fading"] == (1, False, None)


def test_changes_to_the_code_of_a_memory_age_it(db: Database) -> None:
    clock = Clock()
    scope = Scope(workspace=1)

    def prepare(con: apsw.Connection) -> None:
        con.execute("insert into workspace(id, ulid, name, created_at) values (1, 'W', 'w', 1)")

    db.write(prepare)
    coded = add(db, "pay retries", at=clock.now, scope=scope, data={"files": ["src/pay.py"]})
    other = add(db, "cart retries", at=clock.now, scope=scope, data={"files": ["src/cart.py"]})

    def changed(con: apsw.Connection) -> None:
        for n in range(30):
            con.execute(
                "insert into change(ulid, user, workspace, worktree, actor, files, head_after, happened_at,"
                " recorded_at) values (?, 'me', 1, '/w', 'human', 1, ?, ?, ?)",
                (f"C{n}", f"c{n // 2}", clock.now + n + 1, clock.now),
            )
            con.execute(
                "insert into change_file(change, path, status) values ((select max(id) from change), 'src/pay.py', 'M')"
            )

    db.write(changed)
    both = [db.read(memories.by_id, id_) for id_ in (coded, other)]
    found = db.read(signs.of, both, busy=8)
    # The latest ten changes of a file are looked at, of which two make one commit.
    assert (found[coded].touched, found[other].touched) == (5, 0)


def test_what_a_further_turn_says_is_a_sign_of_life(db: Database) -> None:
    first, _ = db.write(take_turn, "the harbour", at=T0)
    second, _ = db.write(take_turn, "the harbour again", at=T0 + DAY_US)

    def evident(con: apsw.Connection) -> int:
        (id_,) = shelve(con, ["the old harbour"])
        for n, turn in enumerate((first, second)):
            con.execute(
                "insert into event(ulid, turn, seq, key, role, kind, content, origin, hash, occurred_at, recorded_at)"
                " values (?, ?, 9, 'k', 'user', 'prompt', 'the harbour', 'user', 'h', 0, ?)",
                (f"E{n}", turn, T0 + n * DAY_US),
            )
            event = con.last_insert_rowid()
            memories.support(con, id_, [Quote(event, 0, 3), Quote(event, 4, 7)])
        return id_

    id_ = db.write(evident)
    its = db.read(signs.of, [db.read(memories.by_id, id_)], busy=8)[id_]
    assert (its.confirmed, its.alive_at) == (1, T0 + DAY_US)


def test_what_had_faded_here_and_was_rated_elsewhere_is_recalled_after_the_files_have_met(
    db: Database,
) -> None:
    clock = Clock()
    ids = [add(db, f"the old harbour {n}", at=clock.now) for n in range(2)]
    grown_old(db, clock)
    to_the_end(kept_up(db, clock))
    root = db.read(memories.by_id, ids[0]).root
    clock.move(86_400)
    # As an import brings it.
    db.write(ratings.give, root, "helpful", Scope(source="cli"), now=clock.now - 1)
    to_the_end(kept_up(db, clock))
    assert [db.read(memories.by_id, id_).archived_at is None for id_ in ids] == [True, False]
    assert told(db)["revival"] == (1, False, None)


def test_days_of_work_are_counted_where_a_memory_belongs(db: Database) -> None:
    def worked(con: apsw.Connection) -> None:
        con.execute(
            "insert into workspace(id, ulid, name, same_as, created_at) values (1,'A','a',null,1), (2,'B','b',1,1),"
            " (3,'C','c',null,1)"
        )
        for day, workspace in enumerate((1, 2, 2, 3, None)):
            scope = Scope("me", None, f"s{day}", "cursor", workspace)
            for prompt in "pq":
                turns.open_turn(con, scope, prompt, at=T0 + (day + 1) * DAY_US)

    db.write(worked)
    found = db.read(fading.worked)
    assert [found.since(where, T0) for where in (1, 2, 3, 9, None)] == [3, 3, 1, 0, 5]
    assert found.since(None, T0 + 5 * DAY_US) == 0


def test_the_log_and_what_was_given_are_kept_for_so_long(db: Database) -> None:
    clock = Clock()
    for days, session in ((100, "old"), (10, "young")):
        db.write(runs.log, runs.Run(session, "x"), at=clock.now - days * DAY_US)
        db.write(deliveries.give_root, "cursor", session, "root", "h", at=clock.now - days * DAY_US)
    place = Workplace(log_days=30)
    Upkeep(db, place, owner="me", clock=clock).everything()
    assert db.read(fetch, "select step from run") == [("young",)]
    assert db.read(fetch, "select session from delivery") == [("young",)]


def test_a_plan_whose_day_is_over_is_a_fact_after_upkeep(db: Database) -> None:
    clock = Clock()
    plan = add(db, "visit the harbour", at=clock.now, kind="intention", expires_at=clock.now + DAY_US)
    clock.move(2 * 86_400)
    to_the_end(kept_up(db, clock))
    live = db.read(fetch, "select kind, text from memory where retired_at is null")
    assert live == [("fact", "visit the harbour")]
    assert db.read(memories.by_id, plan).retired_why == "its time has passed"


def test_a_file_that_search_cannot_trust_is_named(db: Database) -> None:
    clock = Clock()
    ids = db.write(shelve, [f"memory {n}" for n in range(3)])
    to_the_end(kept_up(db, clock))
    assert told(db)["search"] == (3, False, None)
    db.write(lambda con: con.execute("delete from terms where memory = ?", (ids[1],)))
    clock.move(86_400)
    to_the_end(kept_up(db, clock))
    assert told(db)["search"][2] == (
        f"1 of 3 memories are not where search looks for them (m{ids[1]}); run `backstory reindex`."
    )


def test_an_index_that_has_lost_a_word_is_named(db: Database) -> None:
    db.write(shelve, ["bollards stand here"])
    db.write(lambda con: con.execute("insert into terms_fts(terms_fts) values ('delete-all')"))
    to_the_end(kept_up(db, Clock()))
    assert "are not where search looks" in str(told(db)["search"][2])


def test_every_table_is_looked_at_and_a_row_that_points_nowhere_is_named(db: Database) -> None:
    clock = Clock()
    tables = db.read(value, "select count(*) from pragma_table_list where type in ('table', 'shadow') and name <> ?",
                     ("sqlite_schema",))  # fmt: skip
    work = kept_up(db, clock)
    to_the_end(work)
    assert "integrity" not in told(db)  # not while a client starts
    clock.move(600)
    to_the_end(work)
    did, left_over, error = told(db)["integrity"]
    assert (left_over, error) == (False, None)
    assert 20 < did <= tables

    def loose(con: apsw.Connection) -> None:
        con.execute("insert into run(turn, step, verdict, ran_at) values (999, 'x', 'y', ?)", (T0,))

    db._writer.pragma("foreign_keys", False)  # type: ignore[union-attr]
    db.write(loose)
    db._writer.pragma("foreign_keys", True)  # type: ignore[union-attr]
    clock.move(8 * 86_400)
    while work.step() and not told(db)["integrity"][2]:
        continue
    assert "points to a row of turn that is not there" in str(told(db)["integrity"][2])


def test_upkeep_of_a_file_in_memory_does_what_can_be_done() -> None:
    db = Database.open(":memory:")
    to_the_end(kept_up(db, Clock()))
    assert {error for _, _, error in told(db).values()} == {None}
    db.close()


def test_nobody_waits_for_the_lock_for_longer_than_a_piece(db: Database) -> None:
    # What is archived at once is bounded, whatever waits.
    clock = Clock()
    for n in range(45):
        add(db, f"memory {n} of the old harbour", at=clock.now)
    grown_old(db, clock)
    sizes: list[int] = []
    work = kept_up(db, clock, *(task for task in TASKS if task.name == "fading"))
    before = 0
    while work.step():
        now = db.read(value, "select count(*) from memory where archived_at is not null")
        sizes.append(now - before)
        before = now
    assert sizes == [10, 10, 10, 10, 5]
    assert conductor.LEASE == "upkeep"
