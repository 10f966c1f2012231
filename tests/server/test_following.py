"""What hooks report of edits becomes code history: in real repositories, with the words that asked for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from backstory.server.code_history import CodeHistory
from backstory.store import clock, workspaces
from backstory.store.db import Database
from backstory.store.rows import fetch

from .coding_agent import WAIT_S, Agent, Git

BASE = "def other():\n    return 1\n\n\ndef fetch(url):\n    return get(url)\n"
V1 = BASE.replace("    return get(url)\n", "    for _ in range(3):\n        return get(url)\n")
V2 = V1.replace("3", "9")


def test_each_edit_of_a_turn_is_a_version_with_its_words(agent: Agent) -> None:
    agent.asks("Add a retry loop")
    agent.writes("pay.py", V1)
    agent.writes("pay.py", V2)
    agent.ends()
    assert agent.rounds("pay.py::fetch") == [("agent", "Add a retry loop")] * 2


def test_what_a_command_changed_is_the_agents(agent: Agent, repo: Path) -> None:
    agent.asks("Make it nine")
    agent.runs("sed -i s/x/y/ pay.py", lambda: (repo / "pay.py").write_text(V2))
    assert agent.rounds("pay.py::fetch") == [("agent", "Make it nine")]


def test_what_a_person_saved_between_turns_is_theirs(agent: Agent, repo: Path) -> None:
    agent.asks("Hello")
    agent.ends()
    (repo / "pay.py").write_text(V1)
    agent.asks("Now make it nine")
    agent.writes("pay.py", V2)
    agent.ends()
    assert agent.rounds("pay.py::fetch") == [("human", None), ("agent", "Now make it nine")]


def test_a_person_who_saves_between_two_edits_of_a_turn_is_told_from_the_agent(
    agent: Agent, repo: Path
) -> None:
    agent.asks("Add a retry loop")
    agent.writes("pay.py", V1)
    (repo / "pay.py").write_text(V1.replace("3", "4"))
    agent.writes("pay.py", V2)
    assert [who for who, _ in agent.rounds("pay.py::fetch")] == ["agent", "human", "agent"]


def test_an_edit_that_failed_or_was_refused_is_no_version(agent: Agent) -> None:
    agent.asks("Add a retry loop")
    agent.writes("pay.py", None)
    agent.writes("pay.py", V1)
    assert len(agent.rounds("pay.py::fetch")) == 1


def test_reading_history_adds_none(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("What was done here?")
    agent.runs("git log -p", lambda: git(repo, "log", "-p"))
    agent.ends()
    assert agent.db.read(fetch, "select count(*) from change") == [(0,)]


def test_switching_branches_is_no_edit_and_edits_stay_on_theirs(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Try a loop on a branch")
    agent.runs("git checkout -b try", lambda: git(repo, "checkout", "-q", "-b", "try"))
    agent.writes("pay.py", V1)
    agent.runs("git commit -am loop", lambda: git(repo, "commit", "-qam", "loop"))
    agent.runs("git checkout main", lambda: git(repo, "checkout", "-q", "main"))
    agent.writes("pay.py", BASE.replace("return 1", "return 2"))
    agent.ends()
    rows = agent.db.read(
        fetch,
        """
        select change.branch, place.symbol, change.actor
        from round join change on change.id = round.change join place on place.id = round.place""",
    )
    assert rows == [("try", "fetch", "agent"), ("main", "other", "agent")]


def test_an_edit_that_waited_in_the_spool_is_kept_by_what_the_tool_told(agent: Agent, repo: Path) -> None:
    agent.asks("Hello")
    agent.ends()
    agent.n += 1
    agent.hook("UserPromptSubmit", prompt="Add a retry loop", late=True)
    agent.writes("pay.py", V1, late=True)
    (repo / "pay.py").write_text(V2)  # the disk has moved on when it is taken in
    agent.hook("Stop", last_assistant_message="Done.", late=True)
    agent.asks("And now?")
    assert agent.rounds("pay.py::fetch") == [("agent", "Add a retry loop"), ("human", None)]


def test_the_same_event_twice_is_one_version(agent: Agent, repo: Path) -> None:
    agent.asks("Add a retry loop")
    path = repo / "pay.py"
    path.write_text(V1)
    use: dict[str, Any] = {
        "tool_name": "Write", "tool_use_id": "t1", "tool_input": {"file_path": str(path), "content": V1},
        "tool_response": {"type": "update", "filePath": str(path), "originalFile": BASE, "structuredPatch": []},
    }  # fmt: skip
    agent.hook("PostToolUse", **use)
    agent.hook("PostToolUse", late=True, **use)
    agent.ends()
    assert len(agent.rounds("pay.py::fetch")) == 1


def test_an_edit_belongs_to_the_repository_of_its_file(agent: Agent, tmp_path: Path, git: Git) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    agent.asks("Add a helper over there")
    agent.writes("../other/util.py", "def helper():\n    return 1\n")
    rows = agent.db.read(
        fetch,
        "select workspace.name, change.worktree from change join workspace on workspace.id = change.workspace",
    )
    assert rows == [("other", str(other))]


def test_a_folder_without_git_keeps_what_tools_tell(db: Database, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    agent = Agent(db, tmp_path / "home", folder)
    agent.asks("Write it")
    agent.writes("pay.py", BASE)
    agent.writes("pay.py", V1)
    agent.writes("pay.py", None)
    assert agent.rounds("pay.py::fetch") == [("agent", "Write it")] * 2
    agent.following.stop()


def test_cursors_edits_are_known_by_what_is_on_the_disk(db: Database, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    path = folder / "pay.py"
    path.write_text(V1)
    agent = Agent(db, tmp_path / "home", folder)
    agent.cursor("beforeSubmitPrompt", prompt="Make it nine")
    path.write_text(V2)
    pair = {"old_string": "range(3)", "new_string": "range(9)"}
    agent.cursor("afterFileEdit", file_path=str(path), edits=[pair])
    agent.cursor(
        "afterFileEdit", file_path=str(path), edits=[{"old_string": "range(9)", "new_string": "range(27)"}]
    )
    assert agent.rounds("pay.py::fetch") == [("agent", "Make it nine")]


def test_a_question_that_names_a_function_is_handed_its_history_once(agent: Agent, repo: Path) -> None:
    agent.asks("Add a retry loop")
    agent.writes("pay.py", V1)
    agent.ends()
    agent.asks("Undo it, it hides timeouts")
    agent.runs("git checkout -- pay.py", lambda: (repo / "pay.py").write_text(BASE))
    agent.ends()
    assert "Code history" not in agent.asks("What about fetch() in pay.py?")  # it knows what it did itself
    agent.session = "s2"
    block = agent.asks("What did we try in fetch() and why did we drop it?")
    assert "tried and undone" in block
    assert "hides timeouts" in block
    assert "Code history" not in agent.asks("Once more: what about fetch()?")


def test_before_an_edit_it_is_said_once_what_was_undone_there(agent: Agent, repo: Path) -> None:
    agent.asks("Add a retry loop")
    agent.writes("pay.py", V1)
    agent.asks("Undo it, it hides timeouts")
    agent.runs("git checkout -- pay.py", lambda: (repo / "pay.py").write_text(BASE))
    agent.ends()
    agent.session = "s2"
    agent.asks("Make the client robust")
    ahead: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": str(repo / "pay.py"), "old_string": "return get(url)", "new_string": "x"},
    }
    said = agent.hook("PreToolUse", **ahead)
    assert "pay.py::fetch" in said
    assert "Undo it, it hides timeouts" in said
    assert len(said) <= 1500
    assert agent.hook("PreToolUse", **ahead) == ""
    other = {**ahead, "tool_input": {**ahead["tool_input"], "old_string": "return 1"}}
    assert agent.hook("PreToolUse", **other) == ""


def test_nothing_is_followed_while_memory_is_paused(agent: Agent, db: Database) -> None:
    from backstory.store import settings

    agent.asks("Hello")
    agent.ends()
    db.write(settings.pause, workspace=None, until=0)
    agent.asks("Add a retry loop")
    agent.writes("pay.py", V1)
    agent.ends()
    assert db.read(fetch, "select count(*) from change") == [(0,)]


def test_what_is_saved_between_turns_is_seen_while_the_server_runs(
    db: Database, tmp_path: Path, repo: Path
) -> None:
    agent = Agent(db, tmp_path / "home", repo, watch=True)
    agent.asks("Hello")
    agent.ends()
    (watcher,) = agent.following._watchers
    assert watcher.ready.wait(WAIT_S)
    for text in (V1, V2):
        (repo / "pay.py").write_text(text)
        seen = len(agent.db.read(fetch, "select id from change"))
        ends = clock.now() + WAIT_S * clock.SECOND_US
        while len(agent.db.read(fetch, "select id from change")) == seen and clock.now() < ends:
            agent.following.settle(0.05)
    agent.following.stop()
    assert [who for who, _ in agent.rounds("pay.py::fetch")] == ["human", "human"]


def test_workspaces_of_clones_share_their_history(agent: Agent, tmp_path: Path, repo: Path, git: Git) -> None:
    agent.asks("Add a retry loop")
    agent.writes("pay.py", V1)
    agent.ends()
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    rows = agent.db.read(fetch, "select id from workspace")
    family = agent.db.read(workspaces.family, rows[0][0])
    code = CodeHistory(agent.db, "me", family, str(tmp_path / "tree"))
    (seen,) = code.get("pay.py::fetch", branch="main")
    assert len(seen.chain.versions) == 1
