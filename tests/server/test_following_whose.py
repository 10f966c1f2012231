"""Who made what is found: agents that work in several places, with subagents, beside one another, broken off, late."""

from __future__ import annotations

from pathlib import Path

import pytest
from backstory.store import clock
from backstory.store.db import Database
from backstory.store.rows import fetch

from .coding_agent import WAIT_S, Agent, Git

BASE = "def other():\n    return 1\n\n\ndef fetch(url):\n    return get(url)\n"


def text(n: int) -> str:
    return BASE.replace("get(url)", f"get(url, {n})")


def made(agent: Agent) -> list[tuple[str, str | None, str]]:
    """Who made each round, in which worktree, with which words."""
    return agent.db.read(
        fetch,
        """
        select change.actor, (select content from event where event.turn = change.turn and event.kind = 'prompt'),
               place.path || '::' || place.symbol
        from round join change on change.id = round.change join place on place.id = round.place
        order by round.id""",
    )


def late_command(agent: Agent, name: str, content: str) -> None:
    """A command whose hook found nobody at the door."""
    (agent.folder / name).write_text(content)
    agent.calls += 1
    agent.hook(
        "PostToolUse", late=True, tool_name="Bash", tool_input={"command": "sed"},
        tool_response={"stdout": ""}, tool_use_id=f"t{agent.calls}",
    )  # fmt: skip


def subagent_edits(agent: Agent, old: str, new: str) -> None:
    path = agent.folder / "pay.py"
    before = path.read_text()
    path.write_text(before.replace(old, new))
    agent.uses(
        "Edit",
        {"file_path": str(path), "old_string": old, "new_string": new},
        {"filePath": str(path), "originalFile": before, "structuredPatch": []},
        agent_id="a1",
        agent_type="general-purpose",
    )


# ---- in several worktrees


@pytest.mark.parametrize("kind", ["worktree", "submodule"])
def test_a_command_in_another_worktree_that_the_session_works_in_is_its_own(
    agent: Agent, repo: Path, tmp_path: Path, git: Git, kind: str
) -> None:
    name = "../linked" if kind == "worktree" else "sub"
    if kind == "worktree":
        git(repo, "worktree", "add", "-q", name, "-b", "feat")
    else:
        lib = tmp_path / "lib"
        git(tmp_path, "clone", "-q", str(repo), str(lib))
        git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "sub")
    agent.asks("Hello")
    agent.ends()
    agent.asks("One, over there")
    agent.writes(f"{name}/pay.py", text(1))
    agent.runs("cd there && sed", lambda: (repo / name / "pay.py").write_text(text(2)))
    agent.ends()
    agent.asks("Three, over there")
    agent.runs("cd there && sed", lambda: (repo / name / "pay.py").write_text(text(3)))
    (repo / name / "pay.py").write_text(text(4))  # by what the command left running
    agent.ends()
    (repo / name / "pay.py").write_text(text(5))
    agent.asks("And now?")
    assert [one for one in made(agent) if one[2] == "pay.py::fetch"] == [
        ("agent", "One, over there", "pay.py::fetch"),
        ("agent", "One, over there", "pay.py::fetch"),
        ("agent", "Three, over there", "pay.py::fetch"),
        ("agent", "Three, over there", "pay.py::fetch"),
        ("human", None, "pay.py::fetch"),
    ]


def test_the_watch_over_another_worktree_knows_that_the_session_is_at_work_there(
    db: Database, tmp_path: Path, repo: Path, git: Git
) -> None:
    git(repo, "worktree", "add", "-q", "../linked", "-b", "feat")
    linked = tmp_path / "linked"
    agent = Agent(db, tmp_path / "home", repo, watch=True)
    agent.asks("One, over there")
    agent.writes("../linked/pay.py", text(1))
    agent.following._saved(str(linked), None)  # as its watcher does
    (linked / "pay.py").write_text(text(2))
    agent.following._saved(str(linked), None)
    assert agent.following.settle(WAIT_S)
    agent.runs("cd there && sed", lambda: None)
    agent.following.stop()
    assert [actor for actor, *_ in made(agent)] == ["agent", "agent"]


# ---- with subagents


def test_each_edit_of_a_subagent_is_a_version_with_the_words_of_the_turn(agent: Agent) -> None:
    agent.asks("Let a subagent do it")
    subagent_edits(agent, "get(url)", "get(url, 1)")
    subagent_edits(agent, "get(url, 1)", "get(url, 2)")
    subagent_edits(agent, "get(url, 2)", "get(url)")
    agent.uses("Task", {"prompt": "do it"}, "done")
    agent.ends()
    assert made(agent) == [("agent", "Let a subagent do it", "pay.py::fetch")] * 3
    # Of what it did nothing is remembered but that.
    kinds = agent.db.read(fetch, "select kind, tool from event order by id")
    assert kinds == [("prompt", None), ("tool", "Task"), ("reply", None)]


def test_what_a_subagent_did_is_known_once_however_often_it_is_told(agent: Agent, repo: Path) -> None:
    agent.asks("Let a subagent do it")
    path = repo / "pay.py"
    path.write_text(text(1))
    for late in (False, True, False):
        agent.hook(
            "PostToolUse", late=late, tool_name="Write", tool_use_id="same", agent_id="a1",
            tool_input={"file_path": str(path), "content": text(1)},
            tool_response={"type": "update", "filePath": str(path), "originalFile": BASE},
        )  # fmt: skip
    agent.ends()
    assert made(agent) == [("agent", "Let a subagent do it", "pay.py::fetch")]


def test_what_was_taken_for_a_persons_is_the_agents_that_tells_of_it(agent: Agent, repo: Path) -> None:
    agent.asks("Hello")
    agent.ends()
    agent.n += 1
    agent.hook("UserPromptSubmit", prompt="Let a subagent do it", late=True)
    (repo / "pay.py").write_text(text(1))
    agent.following._saved(str(repo), None)  # as the watcher does
    assert agent.following.settle(WAIT_S)
    assert made(agent) == [("human", None, "pay.py::fetch")]
    (repo / "pay.py").write_text(BASE)
    subagent_edits(agent, "get(url)", "get(url, 1)")
    assert made(agent) == [("agent", "Let a subagent do it", "pay.py::fetch")]


def test_what_a_subagents_command_did_is_the_turns(agent: Agent, repo: Path) -> None:
    agent.asks("Let a subagent do it")
    (repo / "pay.py").write_text(text(1))
    agent.uses("Bash", {"command": "sed"}, {"stdout": ""}, agent_id="a1")
    assert made(agent) == [("agent", "Let a subagent do it", "pay.py::fetch")]


# ---- broken off, or late


def test_what_a_turn_that_was_broken_off_left_is_its_own(agent: Agent, repo: Path) -> None:
    agent.asks("Let a subagent make it one")
    (repo / "pay.py").write_text(text(1))
    agent.uses("Task", {"prompt": "x"}, "done")
    agent.asks("Run the long script")
    (repo / "pay.py").write_text(text(2))
    agent.asks("What did it do?")
    agent.ends()
    assert made(agent) == [
        ("agent", "Let a subagent make it one", "pay.py::fetch"),
        ("agent", "Run the long script", "pay.py::fetch"),
    ]


def test_what_is_saved_after_the_user_broke_a_command_off_is_the_users(agent: Agent, repo: Path) -> None:
    agent.asks("Run the long script")
    (repo / "pay.py").write_text(text(1))
    agent.hook(
        "PostToolUseFailure", tool_name="Bash", tool_input={"command": "./long"}, error="stopped",
        tool_use_id="t1", is_interrupt=True,
    )  # fmt: skip
    (repo / "pay.py").write_text(text(2))
    agent.asks("I did it myself")
    assert made(agent) == [
        ("agent", "Run the long script", "pay.py::fetch"),
        ("human", None, "pay.py::fetch"),
    ]


def test_what_a_command_did_that_was_told_of_late_is_its_turns(agent: Agent, repo: Path) -> None:
    agent.asks("Make it one")
    late_command(agent, "pay.py", text(1))
    agent.hook("Stop", late=True, last_assistant_message="Done.")
    agent.asks("Thanks")
    agent.ends()
    (repo / "pay.py").write_text(text(2))
    agent.asks("And now?")
    assert made(agent) == [("agent", "Make it one", "pay.py::fetch"), ("human", None, "pay.py::fetch")]


def test_a_context_that_is_rebuilt_amid_a_turn_does_not_end_it(agent: Agent, repo: Path) -> None:
    agent.asks("Make it two")
    (repo / "pay.py").write_text(text(1))
    agent.hook("SessionStart", source="compact")
    (repo / "pay.py").write_text(text(2))
    agent.asks("And now?")
    assert made(agent) == [("agent", "Make it two", "pay.py::fetch")] * 2


# ---- side by side


def test_a_prompt_while_another_session_is_at_work_makes_nobody_a_person(agent: Agent, repo: Path) -> None:
    other = agent.another("s2")
    agent.asks("Make it one")
    (repo / "pay.py").write_text(text(1))  # by a command that runs still
    other.asks("What is it?")
    agent.uses("Bash", {"command": "sed"}, {"stdout": ""})
    (repo / "pay.py").write_text(text(2))
    other.ends()
    assert made(agent) == [("agent", "Make it one", "pay.py::fetch")] * 2


def test_where_several_sessions_are_at_work_no_words_are_claimed(agent: Agent, repo: Path) -> None:
    agent.asks("Make it one")
    agent.another("s2").asks("Make it two")
    (repo / "pay.py").write_text(text(1))
    agent.another("s3").asks("What is it?")
    assert made(agent) == [("agent", None, "pay.py::fetch")]


def test_what_was_there_before_a_command_began_is_not_its_own_where_others_are_at_work(
    agent: Agent, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = agent.another("s2")
    agent.asks("Make it one")
    other.asks("Make a new file")
    monkeypatch.setattr(agent.desk, "_now", lambda: clock.now() + 60 * clock.SECOND_US)
    (repo / "pay.py").write_text(text(1))  # a minute ago, by a command that runs still
    other.uses("Bash", {"command": "ls"}, {"stdout": ""}, duration_ms=5)
    (repo / "new.py").write_text("def new():\n    return 1\n")
    other.uses("Bash", {"command": "make new"}, {"stdout": ""}, duration_ms=60_000)
    agent.ends()
    (repo / "pay.py").write_text(text(2))
    other.uses("Bash", {"command": "make it two"}, {"stdout": ""}, duration_ms=5)
    assert made(agent) == [
        ("agent", "Make it one", "pay.py::fetch"),
        ("agent", "Make a new file", "new.py::new"),
        ("agent", "Make a new file", "pay.py::fetch"),
    ]


def test_an_edit_that_anothers_command_met_first_is_its_own(agent: Agent, repo: Path) -> None:
    other = agent.another("s2")
    agent.asks("Make it one")
    other.asks("Make a new file")
    (repo / "pay.py").write_text(text(1))
    other.runs("touch", lambda: (repo / "new.py").write_text("def new():\n    return 1\n"))
    (repo / "pay.py").write_text(BASE)
    agent.writes("pay.py", text(1))
    assert sorted(made(agent), key=str) == [
        ("agent", "Make a new file", "new.py::new"),
        ("agent", "Make it one", "pay.py::fetch"),
    ]
    assert agent.db.read(fetch, "select files from change order by id") == [(1,), (1,)]
