"""Code that was forgotten: not recorded again from the files that still hold it, nor brought back by another file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory
from backstory.pipelines.forget import Forgotten
from backstory.server import forgetting_text
from backstory.store.rows import fetch

from .coding_agent import Agent, Git
from .forgetting import held, packed

SECRETS = pytest.mark.parametrize("secret", ["Quillfeather-77", "青瓷灯塔七号"], ids=["en", "zh"])


@pytest.fixture
def memory(tmp_path: Path, repo: Path) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "home" / "backstory.db", folder=repo, source="test", embedder="none"
    ) as opened:
        yield opened


@pytest.fixture
def agent(memory: Memory, tmp_path: Path, repo: Path) -> Iterator[Agent]:
    made = Agent(memory.db, tmp_path / "home", repo)
    yield made
    made.following.stop()


def fetches(secret: str, more: str = "") -> str:
    return f"def fetch(url):\n    key = '{secret}'\n    return get(url, key){more}\n"


def forgotten(memory: Memory, **which: Any) -> Forgotten:
    done = memory.delete(None, forget=True, **which)
    assert isinstance(done, Forgotten)
    return done


@SECRETS
def test_what_the_file_still_holds_is_said_and_not_recorded_at_the_next_edit(
    memory: Memory, agent: Agent, tmp_path: Path, repo: Path, secret: str
) -> None:
    agent.asks("Put the key in.")
    agent.writes("pay.py", fetches(secret))
    agent.ends()

    done = forgotten(memory, query=secret)

    answer = forgetting_text.told(done, preview=False)
    assert f"{repo / 'pay.py'}: 1 place" in answer
    assert "until you say the words in a prompt again" in answer
    assert secret in (repo / "pay.py").read_text()

    agent.asks("Retry it.")
    agent.writes("pay.py", fetches(secret, " or again(url)"))
    agent.runs("echo >> pay.py", lambda: (repo / "pay.py").write_text(fetches(secret, " or twice(url)")))
    agent.ends()

    # Snapshots are the bytes of the worktree as it is, and are looked at by nobody.
    assert not [one for one in held(tmp_path / "home", secret) if not one.startswith("snapshots")]
    assert not packed(memory.db, secret)
    texts = agent.texts("pay.py::fetch")
    assert texts[-1] == fetches("█" * len(secret), " or twice(url)").rstrip("\n")
    assert agent.chain("pay.py::fetch").now == "current"


def test_the_user_who_says_it_again_has_it_recorded(memory: Memory, agent: Agent) -> None:
    agent.asks("Put the key in.")
    agent.writes("pay.py", fetches("Quillfeather-77"))
    agent.ends()
    forgotten(memory, query="Quillfeather-77")
    agent.asks("Use the key quillfeather-77 in fetch, please.")
    agent.writes("pay.py", fetches("Quillfeather-77", " or again(url)"))
    agent.ends()
    assert "Quillfeather-77" in (agent.texts("pay.py::fetch")[-1] or "")


def test_a_forgotten_file_is_not_recorded_until_it_is_named(memory: Memory, agent: Agent) -> None:
    agent.asks("Write it.")
    agent.writes("src/vault.py", "def open_vault():\n    return 'pelican'\n")
    agent.ends()
    assert "vault.py" in forgetting_text.told(forgotten(memory, file="src/vault.py"), preview=False)
    agent.asks("Go on.")
    agent.writes("src/vault.py", "def open_vault():\n    return 'heron'\n")
    agent.ends()
    assert not packed(memory.db, "heron", "pelican")
    agent.asks("Now mend src/vault.py.")
    agent.writes("src/vault.py", "def open_vault():\n    return 'stork'\n")
    agent.ends()
    assert packed(memory.db, "stork")


def test_a_body_that_was_forgotten_with_its_session_is_not_recorded_as_what_was_before(
    memory: Memory, agent: Agent, tmp_path: Path
) -> None:
    agent.asks("Put the pelican in.")
    agent.writes("pay.py", fetches("pelican-in-the-harbour"))
    agent.ends()
    forgotten(memory, session="s1")
    other = agent.another("s2")
    other.asks("Make it a heron.")
    other.writes("pay.py", fetches("heron"))
    other.ends()
    assert not packed(memory.db, "pelican-in-the-harbour")
    assert other.texts("pay.py::fetch")[-1] == fetches("heron").rstrip("\n")


@SECRETS
@pytest.mark.parametrize("way", ["query", "session"])
def test_a_file_that_has_the_same_code_loses_it_by_an_import(
    memory: Memory, agent: Agent, tmp_path: Path, secret: str, way: str
) -> None:
    agent.asks("Put the key in.")
    agent.writes("pay.py", fetches(secret))
    agent.ends()
    agent.another("s2").asks("Something else.")
    older, newer = tmp_path / "older.jsonl", tmp_path / "newer.jsonl"
    memory.export(older)
    with Memory.open(tmp_path / "there" / "backstory.db", source="test", embedder="none") as there:
        there.import_(older)
        assert packed(there.db, secret)
        forgotten(memory, **({"query": secret} if way == "query" else {"session": "s1"}))
        memory.export(newer)
        there.import_(newer)
        assert not packed(there.db, secret)
        there.tend()
        assert not held(tmp_path / "there", secret)
        if way == "query":
            assert there.db.read(fetch, "select count(*) from round") == memory.db.read(
                fetch, "select count(*) from round"
            )
    memory.import_(older)
    assert not packed(memory.db, secret)
    assert not held(tmp_path / "home", secret)


def test_code_of_the_same_body_in_another_file_of_ones_own_is_blanked_too(
    memory: Memory, agent: Agent, git: Git, tmp_path: Path, repo: Path
) -> None:
    body = fetches("pelican-in-the-harbour")
    with Memory.open(
        tmp_path / "there" / "backstory.db", folder=repo, source="test", embedder="none"
    ) as there:
        second = Agent(there.db, tmp_path / "there", repo)
        for one in (agent, second):
            git(repo, "checkout", "-q", ".")
            one.asks("Put the key in.")
            one.writes("pay.py", body)
            one.ends()
        second.following.stop()
        forgotten(memory, session="s1")
        memory.export(tmp_path / "marks.jsonl")
        there.import_(tmp_path / "marks.jsonl")
        assert not packed(there.db, "pelican-in-the-harbour")


@SECRETS
def test_an_agent_that_repeats_it_does_not_bring_it_back_and_the_user_does(
    memory: Memory, agent: Agent, tmp_path: Path, secret: str
) -> None:
    agent.asks(f"The vault opens with {secret}.")
    agent.ends()
    forgotten(memory, query=secret)
    agent.asks("What did you forget?")
    agent.uses("Bash", {"command": f"grep {secret} *"}, {"stdout": f"pay.py: '{secret}'", "stderr": ""})
    agent.hook("Stop", last_assistant_message=f"I have forgotten {secret}.")
    memory.tend()
    assert not held(tmp_path / "home", secret)
    agent.asks(f"It is {secret} after all.")
    agent.hook("Stop", last_assistant_message=f"Noted: {secret}.")
    (reply,) = memory.db.read(
        fetch, "select content from event where kind = 'reply' order by id desc limit 1"
    )[0]
    assert secret in reply


@SECRETS
def test_an_older_export_does_not_bring_names_back(
    memory: Memory, agent: Agent, git: Git, tmp_path: Path, repo: Path, secret: str
) -> None:
    git(repo, "checkout", "-qb", f"fix/{secret}")
    agent.asks("Go on with tabs.")
    agent.writes(f"src/{secret}.py", "def fetch(url):\n    return 2\n")
    agent.ends()
    git(repo, "add", "-A")
    git(repo, "commit", "-qam", f"Let {secret} in")
    agent.imports()
    older, newer = tmp_path / "older.jsonl", tmp_path / "newer.jsonl"
    memory.export(older)
    with Memory.open(tmp_path / "there" / "backstory.db", source="test", embedder="none") as there:
        there.import_(older)
        forgotten(memory, query=secret)
        memory.export(newer)
        there.import_(newer)
        there.import_(older)
        there.tend()
        assert not held(tmp_path / "there", secret)
    memory.import_(older)
    memory.tend()
    assert not held(tmp_path / "home", secret)
