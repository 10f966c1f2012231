"""Forgetting: no byte of it is left, what stands reads as before, and nothing brings it back."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines.forget import Forgotten
from backstory.pipelines.forget_preview import Preview
from backstory.server import logs, mcp_server, spool
from backstory.server.asked import Deleted
from backstory.server.memory import Memory
from backstory.store import runs
from backstory.store.db import Database
from backstory.store.errors import BadInput, NotFound
from backstory.store.rows import fetch

from .coding_agent import Agent, Git
from .forgetting import held, nowhere, packed, quotes


@dataclass
class Home:
    """A home in which an agent works, and the memory of it."""

    path: Path
    agent: Agent
    memory: Memory

    @property
    def db(self) -> Database:
        return self.memory.db

    def forget(self, id_: str | None = None, **which: Any) -> Forgotten:
        done = self.memory.delete(id_, forget=True, **which)
        assert isinstance(done, Forgotten)
        return done

    def tool(self, **arguments: Any) -> str:
        result = mcp_server.call(lambda: self.memory, "memory_delete", arguments)
        return str(result.content[0].text)  # type: ignore[union-attr]

    def asks(self, words: str, reply: str = "Done.") -> None:
        self.agent.asks(words)
        self.agent.hook("Stop", last_assistant_message=reply)

    def texts(self) -> list[str]:
        return [one.text for one in self.memory.list(status="all", limit=200).memories]

    def of(self, word: str) -> str:
        """The id of the one memory, beside turns' own, in whose text a word stands."""
        found = [m for m in self.memory.list(limit=200).memories if word in m.text and m.kind != "turn"]
        assert len(found) == 1, found
        return found[0].short


@pytest.fixture
def home(tmp_path: Path, repo: Path) -> Iterator[Home]:
    path = tmp_path / "home"
    with Memory.open(path / "backstory.db", folder=repo, source="test", embedder="hash") as memory:
        agent = Agent(memory.db, path, repo)
        yield Home(path, agent, memory)
        agent.following.stop()


TELLS = [
    ("Remember that the vault opens with Quillfeather-77.", "Quillfeather-77"),
    ("记住：保险库的口令是青瓷灯塔七号。", "青瓷灯塔七号"),
]


@pytest.mark.parametrize(("said", "secret"), TELLS, ids=["en", "zh"])
def test_a_memory_that_is_forgotten_leaves_no_byte(home: Home, said: str, secret: str) -> None:
    home.asks(said, f"Noted: {said}")
    home.asks("Use tabs in this repository, please.")
    home.memory.tend()
    assert held(home.path, secret)

    done = home.forget(home.of(secret))

    assert done.what.memories.count >= 1 and done.wiped.pending is None and not done.wiped.left
    assert nowhere(home.db, home.path, secret)
    assert not home.memory.search(secret).hits
    assert any("tabs" in text for text in home.texts())


def test_what_is_forgotten_by_id_takes_all_its_versions_and_copies(home: Home) -> None:
    (first,) = home.memory.add("The vault opens with Quillfeather-77 and nothing else.")
    second = home.memory.update(first.short, content="The vault opens with Quillfeather-78 since May.")
    home.memory.add("Seen today: The vault opens with Quillfeather-78 since May. Nobody minded.")
    home.asks("the vault opens with quillfeather-77 and nothing else, right?", "Right.")
    home.memory.tend()

    home.forget(second.short)

    assert nowhere(home.db, home.path, "Quillfeather-77", "Quillfeather-78")
    for gone in (first.short, second.short):
        with pytest.raises(NotFound, match="was forgotten"):
            home.memory.get(gone)
        with pytest.raises(NotFound, match="was forgotten"):
            home.memory.update(gone, restore=True)


def test_others_quotes_of_the_same_event_stay_where_they_are(home: Home) -> None:
    home.asks(
        "I prefer tabs over spaces. Remember that the vault opens with Quillfeather-77. My name is Ada."
    )
    home.memory.tend()
    before = quotes(home.db)
    gone = home.of("Quillfeather-77")
    stays = {m.short for m in home.memory.list(limit=50).memories if m.kind == "profile"}
    assert stays

    home.forget(gone)

    after = quotes(home.db)
    assert after and set(after) <= set(before) | {k for k in after if k not in before}
    for place, text in after.items():
        if "█" not in text:
            assert before.get(place, text) == text
    (prompt,) = home.db.read(fetch, "select content, blanked_at from event where kind = 'prompt'")
    assert (
        prompt[1] is not None and "I prefer tabs over spaces." in prompt[0] and "My name is Ada." in prompt[0]
    )
    assert stays == {m.short for m in home.memory.list(limit=50).memories if m.kind == "profile"}
    assert nowhere(home.db, home.path, "Quillfeather-77")


def test_a_preview_counts_and_shows_and_changes_nothing(home: Home) -> None:
    home.asks("Remember that the vault opens with Quillfeather-77.", "Noted.")
    home.memory.tend()
    before = _all_rows(home.db)

    shown = home.tool(query="Quillfeather-77", forget=True, preview=True)

    assert "nothing was changed yet" in shown and "Quillfeather-77" in shown
    assert _all_rows(home.db) == before
    done = home.forget(query="Quillfeather-77")
    assert f"{done.what.memories.count:,} memories that go whole" in shown


@pytest.mark.parametrize("secret", ["Quillfeather-77", "青瓷灯塔七号"], ids=["en", "zh"])
@pytest.mark.parametrize(
    "shape",
    [
        "prompt",
        "reply",
        "tool output",
        "tool input",
        "memory",
        "meta",
        "entity",
        "log text",
        "log file",
        "spool",
        "branch",
        "commit message",
        "file name",
        "code",
        "code gone",
    ],
)
def test_exact_words_are_erased_wherever_they_stand(
    home: Home, git: Git, repo: Path, shape: str, secret: str
) -> None:
    _plant(home, git, repo, shape, secret)
    assert held(home.path, secret) or packed(home.db, secret)

    home.forget(query=secret)

    assert nowhere(home.db, home.path, secret)
    assert home.memory.search("tabs").hits or any("tabs" in text for text in home.texts())


def _plant(home: Home, git: Git, repo: Path, shape: str, secret: str) -> None:  # noqa: PLR0912 - one shape each
    agent, memory = home.agent, home.memory
    agent.asks(
        f"Look at {secret} and run the tests." if shape == "prompt" else "Run the tests with tabs, please."
    )
    match shape:
        case "tool output":
            agent.uses("Bash", {"command": "pytest"}, {"stdout": f"FAILED {secret}", "stderr": ""})
        case "tool input":
            agent.uses("Bash", {"command": f"echo {secret}"}, {"stdout": "", "stderr": ""})
        case "memory":
            memory.add(f"The vault opens with {secret}.")
        case "meta":
            memory.add("The vault has a code.", meta={"code": [secret]})
        case "entity":
            _name_entity(home.db, memory.add("The vault has a name.")[0].id, secret)
        case "log text":
            row = runs.Run("extract", "drafts", "asked", None, prompt=f"… {secret} …", answer=f"{secret}!")
            home.db.write(runs.log, row, at=memory.now())
        case "log file":
            logs.start(home.path)
            logging.getLogger("backstory").warning("cannot read %s", secret)
        case "spool":
            folder = home.path / "spool" / "quarantine"
            path = Path(spool.put(home.path, spool.Record("claude-code", "Stop", {}, 1, {"text": secret})))
            folder.mkdir()
            path.rename(folder / path.name)
        case "branch":
            git(repo, "checkout", "-qb", f"fix/{secret}")
            agent.asks("Go on with tabs.")
            agent.writes("pay.py", "def fetch(url):\n    return 2\n")
        case "commit message":
            (repo / "pay.py").write_text("def fetch(url):\n    return 3\n")
            git(repo, "commit", "-qam", f"Let {secret} in")
            agent.imports()
        case "file name":
            agent.writes(f"src/{secret}.py", "def fetch(url):\n    return 2\n")
        case "code" | "code gone":
            agent.writes("pay.py", f"def fetch(url):\n    return '{secret}'\n")
            if shape == "code gone":
                agent.writes("pay.py", "def fetch(url):\n    return 'nothing'\n")
    agent.hook("Stop", last_assistant_message=f"It was {secret}." if shape == "reply" else "Done with tabs.")
    memory.tend()


def _name_entity(db: Database, memory: int, name: str) -> None:
    db.write(
        lambda con: (
            con.execute("insert into entity(kind, name) values ('thing', ?)", (name,))
            and con.execute(
                "insert into memory_entity(entity, memory) select max(id), ? from entity", (memory,)
            )
        )
    )


def test_code_with_forgotten_words_in_it_keeps_its_versions(home: Home) -> None:
    home.agent.asks("Put the key in.")
    home.agent.writes("pay.py", "def fetch(url):\n    return 'Quillfeather-77'\n")
    home.agent.writes("pay.py", "def fetch(url):\n    return read_key()\n")
    home.agent.ends()
    before = home.agent.texts("pay.py::fetch")

    home.forget(query="Quillfeather-77")

    after = home.agent.texts("pay.py::fetch")
    assert len(after) == len(before)
    assert after[-1] == before[-1] == "def fetch(url):\n    return read_key()"
    assert not any("Quillfeather" in (text or "") for text in after)


def test_a_file_is_forgotten_with_its_history_and_other_files_keep_theirs(home: Home) -> None:
    home.agent.asks("Write both.")
    home.agent.writes("src/vault.py", "def open_vault():\n    return 'pelican'\n")
    home.agent.writes("pay.py", "def fetch(url):\n    return 'heron'\n")
    home.agent.ends()
    home.memory.tend()

    home.forget(file="src/vault.py")

    assert nowhere(home.db, home.path, "src/vault.py", "open_vault", "pelican")
    assert home.agent.texts("pay.py::fetch")[-1] == "def fetch(url):\n    return 'heron'"


def test_a_session_is_forgotten_and_another_is_not(home: Home) -> None:
    other = home.agent.another("s2")
    home.asks("Remember that the vault opens with Quillfeather-77.", "Noted, Quillfeather-77.")
    home.agent.asks("Now write it.")
    home.agent.writes("pay.py", "def fetch(url):\n    return 'pelican'\n")
    home.agent.ends()
    other.asks("I prefer tabs over spaces.")
    other.ends()
    home.memory.tend()

    home.forget(session="s1")

    assert nowhere(home.db, home.path, "Quillfeather-77", "pelican")
    assert home.db.read(fetch, "select distinct session from turn") == [("s2",)]
    assert home.memory.search("tabs").hits


def test_a_workspace_is_forgotten_whole(home: Home, tmp_path: Path) -> None:
    home.asks("The release train is called Quillfeather-77, remember that.", "Noted.")
    home.agent.writes("pay.py", "def fetch(url):\n    return 'pelican'\n")
    home.memory.tend()
    home.memory.add("Everywhere: heron.", workspace="global")

    home.forget(workspace=str(home.agent.folder))

    assert nowhere(home.db, home.path, "Quillfeather-77", "pelican", str(home.agent.folder))
    assert [text for text in home.texts() if "heron" in text]
    for table in ("workspace", "workspace_key", "thread", "change", "round", "body", "place"):
        assert home.db.read(fetch, f"select count(*) from {table}") == [(0,)], table


def test_a_time_is_forgotten_and_what_came_before_is_not(home: Home) -> None:
    home.asks("I prefer tabs over spaces.")
    home.memory.tend()
    since = home.memory.now()
    home.asks("Remember that the vault opens with Quillfeather-77.")
    home.memory.tend()

    home.forget(since=since)

    assert nowhere(home.db, home.path, "Quillfeather-77")
    assert home.memory.search("tabs").hits


WAYS: dict[str, Callable[[Home], dict[str, Any]]] = {
    "id": lambda home: {"id_": _statement(home)},
    "query": lambda _: {"query": "quillfeather-77"},
    "session": lambda _: {"session": "s1"},
    "workspace": lambda home: {"workspace": str(home.agent.folder)},
    "since": lambda home: {"since": home.memory.now() - 3_600_000_000},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_same_session_told_again_does_not_bring_it_back(home: Home, way: str) -> None:
    _tell(home)
    home.memory.tend()
    # By id the statement goes, with its copies; what a command was given is other words.
    gone = "the vault opens with Quillfeather-77" if way == "id" else "Quillfeather-77"
    home.forget(**WAYS[way](home))
    assert nowhere(home.db, home.path, gone)

    home.agent.n = home.agent.calls = 0
    _tell(home)
    home.memory.tend()

    assert nowhere(home.db, home.path, gone)


def _statement(home: Home) -> str:
    found = [m for m in home.memory.list(limit=200).memories if (m.slot or "").startswith("says:")]
    (one,) = found
    return one.short


def _tell(home: Home) -> None:
    home.agent.hook("SessionStart", source="startup")
    home.agent.asks("Remember that the vault opens with Quillfeather-77.")
    home.agent.uses(
        "Bash", {"command": "vault Quillfeather-77"}, {"stdout": "vault opens with Quillfeather-77"}
    )
    home.agent.hook("Stop", last_assistant_message="Noted: the vault opens with Quillfeather-77.")


def test_commits_that_are_read_again_do_not_bring_it_back(home: Home, git: Git, repo: Path) -> None:
    (repo / "vault.py").write_text("def open_vault():\n    return 'Quillfeather-77'\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "Let Quillfeather-77 in")
    (repo / "pay.py").write_text("def fetch(url):\n    return 'heron'\n")
    git(repo, "commit", "-qam", "Herons")
    home.agent.imports()
    home.forget(query="Quillfeather-77")
    assert nowhere(home.db, home.path, "Quillfeather-77")
    before = home.db.read(fetch, "select count(*) from round")

    home.memory.import_git(since="2001-01-01")

    assert nowhere(home.db, home.path, "Quillfeather-77")
    assert home.agent.texts("vault.py::open_vault")
    assert home.db.read(fetch, "select count(*) from round") == before


def test_what_the_spool_held_back_does_not_bring_it_back(home: Home) -> None:
    at = home.memory.now()
    home.asks("Remember that the vault opens with Quillfeather-77.")
    home.memory.tend()
    home.forget(home.of("Quillfeather-77"))

    home.agent.n += 1
    home.agent.hook(
        "UserPromptSubmit",
        prompt="So: the vault opens with Quillfeather-77. I prefer tabs.",
        late=True,
        at=at,
    )
    home.memory.tend()

    assert nowhere(home.db, home.path, "Quillfeather-77")
    assert any("I prefer tabs." in text for text in home.texts())


def test_the_user_may_say_it_again(home: Home) -> None:
    home.asks("Remember that the vault opens with Quillfeather-77.")
    home.memory.tend()
    home.forget(home.of("Quillfeather-77"))
    with pytest.raises(BadInput, match="was forgotten on"):
        home.memory.add("The vault opens with Quillfeather-77")

    home.asks("Remember that the vault opens with Quillfeather-77.")
    home.memory.tend()

    assert home.of("Quillfeather-77")


def test_an_agent_does_not_keep_again_what_was_forgotten(home: Home) -> None:
    (added,) = home.memory.add("The vault opens with Quillfeather-77", origin="user")
    home.forget(added.short)
    for text in (
        "The vault opens with Quillfeather-77!",
        "He said: the vault opens with Quillfeather-77, I think",
    ):
        with pytest.raises(BadInput, match="the user says it in a prompt"):
            home.memory.add(text)
    home.memory.add("The vault opens at nine")
    home.memory.add("The vault opens with Quillfeather-77", origin="user")


def test_what_was_drawn_from_it_and_rests_on_something_else_stands_and_is_to_be_renewed(home: Home) -> None:
    home.asks("I prefer tabs over spaces.")
    home.agent.session = "s2"
    home.asks("I prefer tabs over spaces.")
    home.memory.tend()
    stays = home.of("tabs")

    home.forget(session="s1")

    (row,) = home.db.read(
        fetch, "select renew_at is not null, turn, session from memory where kind = 'profile'"
    )
    assert row == (1, None, None)
    assert home.memory.get(stays).evidence


def test_nothing_is_orphaned(home: Home) -> None:
    _tell(home)
    home.agent.writes("pay.py", "def fetch(url):\n    return 'Quillfeather-77'\n")
    home.memory.tend()
    home.forget(query="Quillfeather-77")
    home.forget(session="s1")
    assert home.db.read(fetch, "pragma foreign_key_check") == []
    assert home.db.read(fetch, "select count(*) from terms where memory not in (select id from memory)") == [
        (0,)
    ]
    assert home.db.read(fetch, "select rowid from vector_1 where rowid not in (select id from memory)") == []


def test_a_filter_without_forget_retires_all_that_answers(home: Home) -> None:
    for n in range(3):
        home.memory.add(f"The vault number {n} is open.")
    home.memory.add("I like herons.")
    assert home.tool(query="the vault", preview=True).startswith("would retire 3 memories")
    assert home.tool(query="the vault").startswith("retired 3 memories")
    assert [m.text for m in home.memory.list().memories] == ["I like herons."]
    assert held(home.path, "the vault")


def test_one_id_without_forget_is_retired_as_before(home: Home) -> None:
    (added,) = home.memory.add("I like herons.")
    done = home.memory.delete(added.short)
    assert done == Deleted(added.id, added.short)
    home.memory.update(added.short, restore=True)


def test_what_is_not_there_is_said_so(home: Home) -> None:
    home.memory.add("I like herons.")
    assert home.tool(query="never said", forget=True) == "Nothing of that is kept; nothing was changed."
    shown = home.memory.delete(query="never said", forget=True, preview=True)
    assert isinstance(shown, Preview) and shown.empty


def test_copies_of_the_file_that_hold_it_are_named_and_not_touched(home: Home) -> None:
    (added,) = home.memory.add("The vault opens with Quillfeather-77")
    copy = home.path / "backstory.db.7.bak"
    copy.write_bytes(b"... The vault opens with Quillfeather-77 ...")
    clean = home.path / "backstory.db.6.bak"
    clean.write_bytes(b"nothing")

    answer = home.tool(id=added.short, forget=True)

    assert str(copy) in answer and str(clean) not in answer
    assert copy.read_bytes() == b"... The vault opens with Quillfeather-77 ..."


def test_no_log_and_no_answer_says_it_again(home: Home) -> None:
    logs.start(home.path)
    (added,) = home.memory.add("The vault opens with Quillfeather-77")
    answer = home.tool(id=added.short, forget=True)
    assert "Quillfeather" not in answer
    assert nowhere(home.db, home.path, "Quillfeather-77")


def _all_rows(db: Database) -> dict[str, list[Any]]:
    tables = db.read(
        fetch, "select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'"
    )
    return {
        name: db.read(fetch, f'select * from "{name}"') for (name,) in tables if name not in ("run", "lease")
    }


def test_marks_hold_no_words(home: Home) -> None:
    (added,) = home.memory.add("The vault opens with Quillfeather-77")
    home.forget(added.short)
    kept = json.dumps(home.db.read(fetch, "select * from tombstone"))
    assert "vault" not in kept.lower() and "quill" not in kept.lower()
