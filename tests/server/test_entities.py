"""What a question names: under every name that is known to be its own, and nothing that is only like it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from backstory.pipelines import reindex, tend
from backstory.server.memory import Memory
from backstory.store import entities
from backstory.store.models import Scope

from .coding_agent import Git


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindex, "BREATH_S", 0)
    monkeypatch.setattr(tend, "BREATH_S", 0)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "backstory.db", embedder="none") as opened:
        yield opened


def found(memory: Memory, question: str) -> list[str]:
    return [hit.memory.text for hit in memory.search(question).hits]


def add(memory: Memory, *texts: str, **more: object) -> list[int]:
    return [added.id for text in texts for added in memory.add(text, **more)]  # type: ignore[arg-type]


def named(con: apsw.Connection) -> set[tuple[str, str]]:
    return set(con.execute("select kind, name from entity"))


def test_a_question_that_names_two_gets_both(memory: Memory) -> None:
    add(
        memory,
        *(f"{name} retries three times" for name in ("fetch_user", "fetch_users", "fetch_team", "get_user")),
    )
    assert set(found(memory, "fetch_user or get_user: which one retries?")[:2]) == {
        "fetch_user retries three times", "get_user retries three times"
    }  # fmt: skip


def test_a_file_name_means_every_file_of_that_name(memory: Memory) -> None:
    add(memory, "src/a/utils.py is frozen", "src/b/utils.py is generated", "src/a/test_utils.py is flaky")
    assert set(found(memory, "what about utils.py")[:2]) == {
        "src/a/utils.py is frozen",
        "src/b/utils.py is generated",
    }


def test_a_look_alike_with_nothing_else_of_the_question_is_left_out(memory: Memory) -> None:
    add(memory, "fetch_user retries three times", "fetch_users is cached")
    assert found(memory, "fetch_user?") == ["fetch_user retries three times"]
    assert found(memory, "is fetch_user cached?") == [
        "fetch_user retries three times",
        "fetch_users is cached",
    ]


@pytest.mark.parametrize("question", ["what about fetch_usr?", "v1.9 怎么样", "订单网关怎么了"])
def test_of_what_is_not_known_nothing_is_pretended(memory: Memory, question: str) -> None:
    add(memory, "fetch_user retries three times", "v1.2 drops the old format", "订单服务很慢")
    assert found(memory, question) == []


def test_what_does_not_name_the_unknown_says_so(memory: Memory) -> None:
    add(memory, "fetch_user retries the login three times with a backoff")
    (hit,) = memory.search("does fetch_usr retry the login three times with a backoff?").hits
    assert hit.remark == "does not name fetch_usr"
    (hit,) = memory.search("does fetch_user retry the login?").hits
    assert hit.remark is None


def test_a_stated_alias_leads_to_what_it_is_an_alias_of_and_back(memory: Memory) -> None:
    add(
        memory,
        "PG is short for PostgreSQL.",
        "the PostgreSQL pool is full at noon",
        "PG needs a vacuum on Sundays",
    )
    assert "the PostgreSQL pool is full at noon" in found(memory, "what is wrong with PG at noon?")
    assert "PG needs a vacuum on Sundays" in found(memory, "what does PostgreSQL need on Sundays?")
    assert "the PostgreSQL pool is full at noon" in found(memory, "PG")


def test_an_alias_that_two_claim_leads_to_neither(memory: Memory) -> None:
    add(memory, "PG is short for PostgreSQL.", "the PostgreSQL pool is full")
    assert "the PostgreSQL pool is full" in found(memory, "PG")
    (second,) = add(memory, "PG is short for Pangolin.")
    assert "the PostgreSQL pool is full" not in found(memory, "PG")
    memory.delete(second)
    assert "the PostgreSQL pool is full" in found(memory, "PG")


def test_an_alias_holds_where_the_memory_that_states_it_can_be_seen(memory: Memory) -> None:
    add(memory, "收银台是支付服务的简称", scope=Scope("somebody else"))
    add(memory, "支付服务中午很慢", "收银台需要扩容")
    assert found(memory, "收银台") == ["收银台需要扩容"]


@pytest.mark.parametrize(
    ("asked", "kept"), [("load_user", "fetch_user is slow"), ("new/pay.py", "old/pay.py is slow")]
)
def test_code_history_knows_a_name_that_was_another(tmp_path: Path, git: Git, asked: str, kept: str) -> None:
    repo = tmp_path / "repo"
    (repo / "old").mkdir(parents=True)
    (repo / "new").mkdir()
    git(repo, "init", "-q", "-b", "main")
    body = "    for attempt in range(3):\n        yield attempt\n        log(attempt)\n    return None\n"
    (repo / "old" / "pay.py").write_text("def pay():\n" + body)
    (repo / "user.py").write_text("def fetch_user():\n" + body.replace("3", "5"))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "base")
    (repo / "user.py").write_text("def load_user():\n" + body.replace("3", "5"))
    git(repo, "mv", "old/pay.py", "new/pay.py")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "other names")
    with Memory.open(tmp_path / "home" / "backstory.db", folder=repo, embedder="none") as memory:
        add(memory, kept, "fetch_users is fast", "old/pays.py is fast")
        assert kept not in found(memory, f"what of {asked}?")
        memory.import_git()
        assert found(memory, f"what of {asked}?")[0] == kept


def test_what_no_memory_names_any_more_leaves_no_row(memory: Memory) -> None:
    (id_,) = add(memory, "PG is short for PostgreSQL, in src/a/pool.py")
    assert ("thing", "postgresql") in memory.db.read(named)
    memory.db.write(lambda con: con.execute("delete from memory where id = ?", (id_,)))
    assert memory.db.read(named) == set()
    left = "select (select count(*) from entity_form), (select count(*) from entity_alias)"
    assert memory.db.read(lambda con: con.execute(left).fetchall()) == [(0, 0)]


def test_memories_of_an_older_file_are_read_in_the_background(memory: Memory) -> None:
    ids = add(memory, "fetch_user is slow", "支付服务很慢", "nothing to name here")
    memory.db.write(lambda con: con.execute("delete from entity"))
    memory.db.write(lambda con: con.execute("update memory set named = 0"))
    assert len(memory.db.read(entities.unread, limit=9)) == 3
    memory.tend()
    assert memory.db.read(entities.unread, limit=9) == []
    assert memory.db.read(entities.of, ids) == {
        ids[0]: [("symbol", "fetch_user")],
        ids[1]: [("thing", "支付服务")],
    }


def test_reindex_reads_all_anew_and_is_gone_on_with(memory: Memory) -> None:
    (id_,) = add(memory, "fetch_user is slow")
    memory.db.write(lambda con: con.execute("delete from entity"))
    stopped = threading.Event()
    stopped.set()
    assert reindex.name(memory.db, stop=stopped, everything=True) == 0
    assert memory.reindex().named == 1
    assert memory.db.read(entities.of, [id_]) == {id_: [("symbol", "fetch_user")]}


def test_a_turn_is_linked_to_what_it_names_now(memory: Memory) -> None:
    said = [
        {"role": "user", "content": "fix fetch_user"},
        {"role": "assistant", "content": "src/user.py is fixed"},
    ]
    (turn,) = memory.add(messages=said)
    assert memory.db.read(entities.of, [turn.id]) == {
        turn.id: [("file", "src/user.py"), ("symbol", "fetch_user")]
    }  # fmt: skip
