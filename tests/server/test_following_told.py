"""What tools tell of their edits is what lay on the disk: with its line ends, in whatever order the hooks arrive."""

from __future__ import annotations

from pathlib import Path

import pytest
from backstory.server.desk import Desk
from backstory.store import clock

from .coding_agent import Agent, Git

BASE = "import os\n\n\ndef other():\n    return 1\n\n\ndef fetch(url):\n    return get(url)\n"
ONE = BASE.replace("get(url)", "get(url, 1)")
TWO = ONE.replace("return 1\n", "return 2\n")


def tells(
    agent: Agent, old: str, new: str, original: str, *, late: bool = False, at: int | None = None
) -> None:
    """The hook of an edit that is on the disk already."""
    path = str(agent.folder / "pay.py")
    agent.uses(
        "Edit",
        {"file_path": path, "old_string": old, "new_string": new},
        {"filePath": path, "originalFile": original, "structuredPatch": []},
        late=late,
        at=at,
    )


def kept(agent: Agent) -> list[tuple[str, str, str | None]]:
    """Place, actor and text of every version."""
    code = agent.code()
    found = [(one, version) for one in code.find(code.asked, limit=500) for version in one.versions]
    return sorted((chain.thread.name, version.round.actor, code.text(version)) for chain, version in found)


# ---- bytes


@pytest.fixture(params=["core.autocrlf", "eol", "mixed", "mark", "latin-1", "plain"])
def odd(agent: Agent, repo: Path, git: Git, request: pytest.FixtureRequest) -> Agent:
    """A file that lies on disk with other bytes than tools tell, or git has; a turn has begun."""
    path = repo / "pay.py"
    raw = BASE.encode()
    match request.param:
        case "core.autocrlf":
            git(repo, "config", "core.autocrlf", "true")
        case "eol":
            (repo / ".gitattributes").write_text("*.py text eol=crlf\n")
        case "mixed":
            raw = raw.replace(b"\n", b"\r\n", 5)
        case "mark":
            raw = b"\xef\xbb\xbf" + raw
        case "latin-1":
            raw = raw.replace(b"import os", b"# caf\xe9")
    path.write_bytes(raw)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", "odd")
    if request.param in ("core.autocrlf", "eol"):
        path.unlink()
        git(repo, "checkout", "-q", "pay.py")
        assert path.read_bytes().count(b"\r\n") == BASE.count("\n")
    agent.asks("Make it one")
    return agent


def told_of(raw: bytes) -> str:
    return raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").decode("utf-8", "replace")


def test_the_first_edit_of_a_file_is_that_edit_alone(odd: Agent) -> None:
    path = odd.folder / "pay.py"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"get(url)", b"get(url, 1)"))
    tells(odd, "get(url)", "get(url, 1)", told_of(before))
    odd.ends()
    end = "\r" if b"fetch(url):\r\n" in before else ""
    assert kept(odd) == [("pay.py::fetch", "agent", f"def fetch(url):{end}\n    return get(url, 1){end}")]


def test_a_person_who_saved_before_it_is_told_apart_and_nothing_else(odd: Agent) -> None:
    path = odd.folder / "pay.py"
    saved = path.read_bytes().replace(b"return 1", b"return 7")
    path.write_bytes(saved.replace(b"get(url)", b"get(url, 1)"))
    tells(odd, "get(url)", "get(url, 1)", told_of(saved))
    odd.ends()
    assert [(place, actor) for place, actor, _ in kept(odd)] == [
        ("pay.py::fetch", "agent"),
        ("pay.py::other", "human"),
    ]


def test_edits_that_overtook_one_another_have_the_ends_of_the_disk(odd: Agent) -> None:
    path = odd.folder / "pay.py"
    before = path.read_bytes()
    one = before.replace(b"get(url)", b"get(url, 1)")
    # Both are on the disk, and the second has undone the first, when the hooks are heard.
    tells(odd, "get(url)", "get(url, 1)", told_of(before))
    tells(odd, "get(url, 1)", "get(url)", told_of(one))
    odd.ends()
    end = "\r" if b"fetch(url):\r\n" in before else ""
    assert sorted(text or "" for _, _, text in kept(odd)) == [
        f"def fetch(url):{end}\n    return get(url){end}",
        f"def fetch(url):{end}\n    return get(url, 1){end}",
    ]
    assert {(place, actor) for place, actor, _ in kept(odd)} == {("pay.py::fetch", "agent")}


# ---- order


@pytest.fixture
def two(agent: Agent, repo: Path, git: Git) -> Agent:
    """Two edits of a turn are on the disk; nobody was told of them yet."""
    (repo / "pay.py").write_text(BASE)
    git(repo, "commit", "-qam", "more")
    agent.asks("Two edits")
    (repo / "pay.py").write_text(TWO)
    return agent


FIRST = ("get(url)", "get(url, 1)", BASE)
SECOND = ("return 1\n", "return 2\n", ONE)
BOTH = [
    ("pay.py::fetch", "agent", "def fetch(url):\n    return get(url, 1)"),
    ("pay.py::other", "agent", "def other():\n    return 2"),
]


@pytest.mark.parametrize("late", [False, True])
def test_hooks_that_arrive_the_wrong_way_round_invent_nothing(two: Agent, late: bool) -> None:
    tells(two, *SECOND)
    tells(two, *FIRST, late=late)
    two.ends()
    assert kept(two) == BOTH
    assert {who for place in ("pay.py::fetch", "pay.py::other") for who in two.rounds(place)} == {
        ("agent", "Two edits")
    }
    assert [one.current for one in two.versions("pay.py::fetch")] == [True]


def test_edits_that_a_look_met_first_are_kept_each_and_undo_nothing(two: Agent) -> None:
    two.runs("ls", lambda: None)
    tells(two, *FIRST)
    tells(two, *SECOND, late=True)
    two.ends()
    assert {one[:2] for one in kept(two)} == {("pay.py::fetch", "agent"), ("pay.py::other", "agent")}
    assert {one[2] for one in kept(two)} == {text for *_, text in BOTH}
    assert [one.undone for one in two.versions("pay.py::fetch")].count(True) == 0


def test_an_edit_that_was_undone_before_its_hook_came_stays_undone(two: Agent, repo: Path) -> None:
    (repo / "pay.py").write_text(BASE)
    at = clock.now()
    tells(two, "get(url, 1)", "get(url)", ONE)  # the second edit, which undoes the first
    tells(two, *FIRST, late=True, at=at)
    two.ends()
    code = [(one.round.actor, one.undone, one.current) for one in two.versions("pay.py::fetch")]
    assert code == [("agent", True, False), ("agent", False, True)]


def test_a_late_edit_belongs_to_the_branch_that_it_was_made_on(agent: Agent, repo: Path, git: Git) -> None:
    (repo / "pay.py").write_text(BASE)
    git(repo, "commit", "-qam", "more")
    agent.asks("Hello")
    agent.ends()
    agent.asks("Make it one, on a branch")
    git(repo, "checkout", "-q", "-b", "side")
    (repo / "pay.py").write_text(ONE)
    git(repo, "commit", "-qam", "one")
    git(repo, "checkout", "-q", "main")
    tells(agent, *FIRST, late=True)
    agent.asks("And now?")
    agent.ends()
    made = [
        (one.round.branch, one.round.actor, one.round.words)
        for one in agent.versions("pay.py::fetch", branch="side")
    ]
    assert made == [("side", "agent", "Make it one, on a branch")]
    assert agent.count() == 1


def test_a_worktree_that_is_met_after_the_first_edit_takes_nothing_back(agent: Agent, repo: Path) -> None:
    """The hook of the prompt that would have met it came late: its look found what the edit had left."""
    (repo / "pay.py").write_text(ONE)
    agent.asks("One")
    tells(agent, "get(url)", "get(url, 1)", BASE)
    assert [(actor, text) for name, actor, text in kept(agent) if name == "pay.py::fetch"] == [
        ("agent", "def fetch(url):\n    return get(url, 1)")
    ]
    (repo / "pay.py").write_text(TWO)
    tells(agent, "return 1\n", "return 2\n", ONE)
    assert [name for name, _, _ in kept(agent)] == ["pay.py::fetch", "pay.py::other"]


def test_looks_that_were_asked_for_before_the_first_edit_and_came_after_it_take_nothing_back(
    agent: Agent, repo: Path
) -> None:
    """A session that starts and its prompt each ask for a look; on a busy machine both find what the edit left."""
    asked_at = clock.now()
    (repo / "pay.py").write_text(ONE)
    desk, options = agent.desk, agent.desk.options
    agent.desk = Desk(agent.db, agent.home, options, following=agent.following, now=lambda: asked_at)
    agent.hook("SessionStart", source="startup")
    agent.asks("One")
    agent.desk = desk
    tells(agent, "get(url)", "get(url, 1)", BASE)
    assert [(actor, text) for _, actor, text in kept(agent)] == [
        ("agent", "def fetch(url):\n    return get(url, 1)")
    ]


def test_what_waited_in_a_spool_takes_nothing_back_though_the_file_went_on(agent: Agent, repo: Path) -> None:
    at = clock.now()
    (repo / "pay.py").write_text(ONE)
    agent.asks("One")  # met when the first edit lay on the disk
    (repo / "pay.py").write_text(TWO)
    tells(agent, "get(url)", "get(url, 1)", BASE, late=True, at=at)
    tells(agent, "return 1\n", "return 2\n", ONE)
    assert [(name, actor) for name, actor, _ in kept(agent)] == [
        ("pay.py::fetch", "agent"),
        ("pay.py::other", "agent"),
    ]
