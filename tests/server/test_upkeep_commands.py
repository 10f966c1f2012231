"""What a person sees of upkeep by `tend` and `status`: all well, a task that fails, another process at it."""

from __future__ import annotations

import sqlite3

from backstory import Memory
from backstory.pipelines.upkeep import LEASE
from backstory.store import jobs

from .shells import Ran, Shell

FACT = "Releases are cut on Thursdays."


def test_tend_is_content_without_an_embedder_where_none_was_asked_for(shell: Shell) -> None:
    assert shell("tend") == Ran(0, "Nothing was waiting.\n", "")
    shell("add", FACT)
    assert shell("tend").code == 0


def test_tend_and_status_say_which_task_of_upkeep_failed_until_it_is_cured(shell: Shell) -> None:
    shell("add", FACT)
    con = sqlite3.connect(shell.home / "backstory.db")
    con.execute("insert into terms_fts(terms_fts) values ('delete-all')")
    con.commit()
    con.close()
    ran = shell("tend")
    assert ran.code == 1
    assert "Upkeep: search failed: 1 of 1 memories" in ran.out and "backstory reindex" in ran.out
    assert "search FAILED" in shell("status").out
    shell("reindex")
    assert shell("tend").code == 0
    assert "FAILED" not in shell("status").out


def test_tend_says_that_another_process_is_at_it(shell: Shell) -> None:
    shell("add", FACT)
    with Memory.open(shell.home / "backstory.db", embedder="none") as memory:
        memory.db.write(jobs.take, LEASE, "another", now=memory.now(), for_s=60)
        ran = shell("tend")
    assert (ran.code, ran.out.splitlines()[0]) == (
        0,
        "Upkeep: another process is at it; see `backstory status`.",
    )


def test_tend_says_what_is_to_come(shell: Shell) -> None:
    with Memory.open(shell.home / "backstory.db", embedder="none") as memory:
        later = memory.now() + 3_600_000_000
        memory.db.write(jobs.enqueue, "distill", "1", now=memory.now(), not_before_at=later)
    said = shell("tend").out
    assert said.startswith("Nothing was due; 1 task to come")
