"""
What strength costs: a search with and without its nudges, and one round of upkeep.

    python bench/strength.py [--search 10000] [--upkeep 100000] [--questions 300]

A file is filled with made-up memories, dated over two years, some about code that has changed since, some confirmed. A
search is timed with nudges and without, in turns. Then a whole round of upkeep is done piece by piece: how long the
pieces took, how much of it with the lock, and what they did. All in processor time.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import apsw
from backstory import Memory
from backstory.bench import filling
from backstory.pipelines import weigh
from backstory.pipelines.upkeep import Upkeep
from backstory.pipelines.upkeep_tasks import TASKS, Workplace
from backstory.store import cutter, memories, words
from backstory.store.clock import DAY_US
from backstory.store.db import Database
from backstory.store.memories import Quote
from backstory.store.models import Kind, NewMemory, Scope
from backstory.store.rows import value

NOW = 1_790_000_000_000_000
BATCH = 1000
KINDS: tuple[Kind, ...] = ("turn", "fact", "fact", "experience", "summary")


def fill(db: Database, number: int) -> None:
    """That many memories in one workspace: a quarter say which files they are about, an eighth are confirmed."""
    chance, cut = random.Random(2), cutter.load()
    db.write(
        lambda con: con.execute("insert into workspace(id, ulid, name, created_at) values (1, 'W', 'w', 1)")
    )
    texts = list(filling.texts(number))
    # Oldest first, as they came.
    dates = sorted(NOW - int(chance.uniform(0, 730) * DAY_US) for _ in texts)

    def some(con: apsw.Connection, start: int) -> None:
        for n in range(start, min(start + BATCH, number)):
            _one(con, n, texts[n], dates[n], chance, cut)

    for start in range(0, number, BATCH):
        db.write(some, start)
    db.checkpoint()


def _one(con: apsw.Connection, n: int, text: str, at: int, chance: random.Random, cut: Any) -> None:
    con.execute(
        "insert into turn(id, ulid, user, source, session, prompt_id, workspace, status, started_at)"
        " values (?, ?, 'me', 'bench', ?, ?, 1, 'done', ?)",
        (n + 1, f"T{n}", f"s{n // 4}", f"p{n}", at),
    )
    con.execute(
        "insert into event(id, ulid, turn, seq, key, role, kind, content, origin, hash, occurred_at, recorded_at)"
        " values (?, ?, ?, 0, 'k', 'user', 'prompt', ?, 'user', 'h', ?, ?)",
        (n + 1, f"E{n}", n + 1, text, at, at),
    )
    kind = KINDS[n % len(KINDS)]
    path = f"src/pay{n % 500}.py"
    new = NewMemory(
        kind, "coding", Scope("me", None, f"s{n // 4}", "bench", 1, "main"), text, "user" if n % 2 else "agent",
        turn=n + 1, importance=chance.choice((0.3, 0.5, 0.6, 0.8)), data={"files": [path]} if n % 4 == 0 else {},
    )  # fmt: skip
    evidence = [Quote(n + 1, 0, 9)]
    if n % 8 == 0 and n > 100:
        evidence.append(Quote(n - chance.randint(1, 99), 0, 9))
    memories.insert(con, new, words.index(text, cut), now=at, evidence=evidence)
    if n % 10 == 0:
        con.execute(
            "insert into change(ulid, user, workspace, worktree, actor, turn, files, happened_at, recorded_at)"
            " values (?, 'me', 1, '/w', 'agent', ?, 1, ?, ?)",
            (f"C{n}", n + 1, at, at),
        )
        con.execute(
            "insert into change_file(change, path, status) values (?, ?, 'M')",
            (con.last_insert_rowid(), path),
        )


def timed(call: Callable[[], object]) -> float:
    began = time.thread_time()
    call()
    return (time.thread_time() - began) * 1000


def of_search(folder: Path, number: int, questions: int) -> str:
    with Memory.open(folder / "backstory.db", embedder="none", now=lambda: NOW) as memory:
        fill(memory.db, number)
        weighed = weigh.weighed
        took: dict[str, list[float]] = {"without": [], "with": []}
        for question in filling.questions(questions):
            for how, step in (("without", lambda _, hits, *__: list(hits)), ("with", weighed)):
                weigh.weighed = step
                took[how].append(timed(lambda q=question: memory.search(q, workspace="all")))  # type: ignore[misc]
        weigh.weighed = weighed
    told = [
        f"{how} {median(times):.2f} ms (p95 {sorted(times)[len(times) * 95 // 100]:.2f})"
        for how, times in took.items()
    ]
    return f"a search among {number:,}: {', '.join(told)}"


def of_upkeep(folder: Path, number: int) -> str:
    with Memory.open(folder / "backstory.db", embedder="none", now=lambda: NOW) as memory:
        fill(memory.db, number)
        db = memory.db
        filling.give_vectors(memory, "made up", 64)
        lines = [f"a round of upkeep among {number:,}, of which were in recall {_live(db):,}:"]
        holds: list[float] = []
        write = db.write_within

        def watched(within_s: float, fn: Any, *args: Any, **kwargs: Any) -> Any:
            began = time.thread_time()
            try:
                return write(within_s, fn, *args, **kwargs)
            finally:
                holds.append((time.thread_time() - began) * 1000)

        db.write_within = watched  # type: ignore[method-assign, assignment]
        for task in TASKS:
            work = Upkeep(db, Workplace(), owner="bench", clock=lambda: NOW, tasks=(task,))
            holds.clear()
            pieces: list[float] = []
            began = time.thread_time()
            while True:
                start = time.thread_time()
                if not work.step():
                    break
                pieces.append((time.thread_time() - start) * 1000)
            cpu = time.thread_time() - began
            work.let_go()
            did = db.read(value, "select did from upkeep where name = ?", (task.name,))
            lines.append(
                f"  {task.name:12}{len(pieces):>6} pieces, {cpu:7.2f} s CPU; a piece {median(pieces):7.1f} ms, at most"
                f" {max(pieces):7.1f}; the lock {median(holds):5.1f} ms, at most {max(holds):6.1f}; did {did:,}"
            )
        lines.append(f"  in recall afterwards {_live(db):,}")
    return "\n".join(lines)


def _live(db: Database) -> int:
    return int(db.read(value, "select count(*) from memory where retired_at is null and archived_at is null"))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--search", type=int, default=10_000)
    parser.add_argument("--upkeep", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=300)
    options = parser.parse_args(arguments)
    for number, measure in ((options.search, "search"), (options.upkeep, "upkeep")):
        if not number:
            continue
        with tempfile.TemporaryDirectory() as folder:
            if measure == "search":
                print(of_search(Path(folder), number, options.questions), flush=True)
            else:
                print(of_upkeep(Path(folder), number), flush=True)


if __name__ == "__main__":
    main()
