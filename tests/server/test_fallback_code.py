"""What a hook tells of code history without a server: what the server's desk would tell."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backstory import configs
from backstory.pipelines.code import reader
from backstory.pipelines.git import edits
from backstory.server import fallback, hook_line, spool
from backstory.server.desk import Desk
from backstory.server.render import MOST_CHARS, width
from backstory.store import settings
from backstory.tests.shelf import add

from .coding_agent import Agent, Git

FETCH = "def fetch(url):\n    return get(url)"
RETRY = "def fetch(url):\n    for _ in range(3):\n        return get(url)"
ENGLISH = "What did we try in the function fetch and why did we drop it?"
CHINESE = "我们在函数 fetch 里试过什么，为什么撤销了？"


def tried(agent: Agent, repo: Path, git: Git, name: str = "pay.py") -> None:
    """Two versions on a branch, undone, the branch deleted; nothing was ever committed."""
    git(repo, "checkout", "-q", "-b", "try/retry")
    agent.asks("Add a retry loop to it")
    agent.edits(name, FETCH, RETRY)
    agent.asks("Make it ten tries")
    agent.edits(name, "range(3)", "range(10)")
    agent.asks("Undo all of that, it hides timeouts")
    agent.runs(f"git checkout -- {name}", lambda: git(repo, "checkout", "--", name))
    agent.ends()
    git(repo, "checkout", "-q", "main")
    git(repo, "branch", "-q", "-D", "try/retry")


def said(reply: bytes) -> str:
    """The context in a reply, but for its nonce."""
    context = json.loads(reply)["hookSpecificOutput"]["additionalContext"] if reply else ""
    return re.sub('nonce="[0-9a-f]+"', "", context)


def payload(agent: Agent, prompt: str, session: str) -> dict[str, Any]:
    return {"session_id": session, "prompt_id": "p", "cwd": str(agent.folder), "prompt": prompt}


def hook(agent: Agent, prompt: str, session: str = "new") -> str:
    """What the fallback says last, in this process and without haste."""
    said_: list[bytes] = [b""]
    (agent.home / "spool").mkdir(parents=True, exist_ok=True)
    raw = json.dumps(payload(agent, prompt, session)).encode()
    env = b'{"cwd": null, "project": null, "cursor": null}'
    home = str(agent.db.path.parent)
    began = time.monotonic() + 60
    fallback.run(home, "claude-code", "UserPromptSubmit", env, raw, began, said_.append)
    return said(said_[-1])


def process(agent: Agent, prompt: str, session: str = "new") -> str:
    """What the real hook prints, on files that lie in the home and with the flags of its line."""
    home = agent.db.path.parent
    if not (home / "hook").exists():
        hook_line.lay(home)
        # A machine too busy for its clock is not what is looked at here.
        for name, clocks in (
            ("hook.py", "END_S = "),
            ("backstory/server/fallback.py", "READ_BY_S, CODE_BY_S = "),
        ):
            text = (home / "hook" / name).read_text("utf-8")
            later = f"{clocks}{'30.0, 30.0' if ',' in clocks else '40.0'}"
            (home / "hook" / name).write_text(re.sub(rf"(?m)^{re.escape(clocks)}.*$", later, text), "utf-8")
    done = subprocess.run(
        hook_line.command(sys.executable, home, "claude-code", "UserPromptSubmit"),
        input=json.dumps(payload(agent, prompt, session)).encode(), capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    return said(done.stdout)


def desk(agent: Agent, prompt: str, session: str = "other", *, warm: bool = True) -> str:
    """What the server's desk says to a session that knows nothing yet; not `warm`: its parser is not loaded yet."""
    made = Desk(agent.db, agent.home, configs.load(agent.home, embedder="none"), warm=lambda: warm)
    raw = json.dumps(payload(agent, prompt, session)).encode()
    return said(made.answer("claude-code", "UserPromptSubmit", {}, raw).stdout or b"")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            ENGLISH,
            [
                "## Code history",
                "3 versions",
                "version 2 ",
                "tried and undone",
                "current",
                "try/retry, deleted, never merged",
            ],
        ),
        (
            CHINESE,
            [
                "## 代码历史",
                "3 个版本",
                "版本 2 ",
                "试过，已撤销",
                "当前",
                "在 try/retry 上，分支已删除，从未合并",
            ],
        ),
    ],
    ids=["en", "zh"],
)
def test_the_first_prompt_is_met_with_code_history_though_no_server_is_up(
    agent: Agent, repo: Path, git: Git, question: str, words: list[str]
) -> None:
    tried(agent, repo, git)
    context = process(agent, question)
    for word in (
        *words, "`pay.py::fetch`", "“Make it ten tries”", "it hides timeouts",
        "\n  -    return get(url)\n  +    for _ in range(3):",
    ):  # fmt: skip
        assert word in context
    assert context == desk(agent, question)


@pytest.mark.parametrize(
    "question",
    [
        "How do we deploy?",
        "Which version of the deployment was changed?",  # about code, but of a name that none has
        "See docs/deploy.md and `Deployer.run()`.",
    ],
)
def test_a_question_that_names_no_known_code_gets_none(
    agent: Agent, repo: Path, git: Git, question: str
) -> None:
    tried(agent, repo, git)
    assert "Code history" not in process(agent, question)


def test_it_is_not_given_twice_by_the_hook_nor_by_the_server_after_it(
    agent: Agent, repo: Path, git: Git
) -> None:
    tried(agent, repo, git)
    assert "tried and undone" in process(agent, ENGLISH)
    assert "Code history" not in process(agent, f"{ENGLISH} Again, please.")
    assert "tried and undone" in process(agent, ENGLISH, "another")
    for record in drained(agent):
        agent.desk.replay(record)
    assert "Code history" not in desk(agent, ENGLISH, "new")
    assert "tried and undone" in desk(agent, ENGLISH, "third")
    agent.session = "s1"
    assert "Code history" not in hook(agent, ENGLISH, "s1")  # all of it is its own making


def drained(agent: Agent) -> list[spool.Record]:
    found: list[spool.Record] = []
    spool.drain(agent.db.path.parent, found.append)
    return found


def by_hand(agent: Agent, text: str) -> None:
    (agent.folder / "pay.py").write_text(text)


def crlf(agent: Agent) -> None:
    (agent.folder / "pay.py").write_bytes(f"{FETCH}\n".replace("\n", "\r\n").encode())


def elsewhere(agent: Agent, git: Git) -> None:
    git(agent.folder, "checkout", "-q", "-b", "fix/x")
    agent.edits("pay.py", FETCH, RETRY.replace("3", "5"))
    git(agent.folder, "commit", "-qam", "five")
    git(agent.folder, "checkout", "-q", "main")


LATER: dict[str, Callable[[Agent, Git], object]] = {
    "a later version": lambda agent, _: agent.edits("pay.py", FETCH, RETRY.replace("3", "7")),
    "by hand": lambda agent, _: by_hand(agent, f"{RETRY}  # or so\n"),
    "longer by hand": lambda agent, _: by_hand(agent, f"{FETCH}\n    # never\n    raise OSError\n"),
    "back by hand": lambda agent, _: by_hand(agent, f"{RETRY}\n"),
    "deleted": lambda agent, _: agent.edits("pay.py", FETCH, "other = 2"),
    "a file deleted": lambda agent, _: (agent.folder / "pay.py").unlink(),
    "other line ends": lambda agent, _: crlf(agent),
    "on another branch": elsewhere,
    "a detached HEAD": lambda agent, git: git(agent.folder, "checkout", "-q", "--detach"),
}


@pytest.mark.parametrize("later", LATER)
def test_it_says_what_the_desk_says(agent: Agent, repo: Path, git: Git, later: str) -> None:
    tried(agent, repo, git)
    agent.asks("And now")
    LATER[later](agent, git)
    agent.ends()
    for question in (ENGLISH, CHINESE, "pay.py", "What became of pay.py::fetch and src/none.py?"):
        context = hook(agent, question, f"new {question}")
        assert "`pay.py::fetch`" in context
        assert context == desk(agent, question) == desk(agent, question, warm=False)


def test_a_folder_and_a_name_of_any_letters(agent: Agent, repo: Path, git: Git) -> None:
    name = "我的 folder/支付 [1].py"
    (repo / name).parent.mkdir()
    (repo / name).write_text(f"{FETCH}\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "odd")
    tried(agent, repo, git, name)
    context = process(agent, ENGLISH)
    assert f"`{name}::fetch`: 3 versions" in context
    assert context == desk(agent, ENGLISH)


def test_of_a_change_of_very_many_files_nothing_is_told_that_is_not_known(agent: Agent, repo: Path) -> None:
    agent.asks("Generate them all")
    agent.runs(
        "python generate.py", lambda: [(repo / f"f{n}.py").write_text(f"{FETCH}{n}\n") for n in range(600)]
    )
    agent.ends()
    assert hook(agent, ENGLISH) == desk(agent, ENGLISH)


def test_from_a_folder_below_and_from_none_of_ours(
    agent: Agent, repo: Path, git: Git, tmp_path: Path
) -> None:
    tried(agent, repo, git)
    agent.folder = repo / "src"
    agent.folder.mkdir()
    assert "tried and undone" in hook(agent, ENGLISH, "below")
    agent.folder = tmp_path / "elsewhere"
    agent.folder.mkdir()
    assert "Code history" not in hook(agent, ENGLISH, "elsewhere")


def test_paused_it_says_nothing(agent: Agent, repo: Path, git: Git) -> None:
    tried(agent, repo, git)
    agent.db.write(settings.pause, workspace=None, until=0)
    assert process(agent, ENGLISH) == ""


def test_it_is_as_long_as_the_user_wants_it_beside_all_else(agent: Agent, repo: Path, git: Git) -> None:
    tried(agent, repo, git)
    for number in range(12):
        add(agent.db, f"{ENGLISH} Because, {number}, " + 'it "hid" timeouts ' * 60)
    whole = hook(agent, ENGLISH)
    assert "## Facts" in whole
    assert "tried and undone" in whole
    assert width(whole) <= MOST_CHARS
    agent.db.write(settings.put, "hook_code_chars", "500")
    some = hook(agent, ENGLISH, "short")
    assert 0 < width(some[some.index("\n## Code history") :]) <= 500 + len("\n</backstory-memory>")
    agent.db.write(settings.put, "hook_code_chars", "0")
    assert "Code history" not in hook(agent, ENGLISH, "none")


def test_what_comes_too_late_or_breaks_costs_the_code_and_neither_the_rest_nor_the_event(
    agent: Agent, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(agent, repo, git)
    add(agent.db, f"{ENGLISH} Because it hid timeouts.")
    with monkeypatch.context() as hurried:
        hurried.setattr(fallback, "CODE_BY_S", -60.0)
        late = hook(agent, ENGLISH, "late")
    agent.db.write(lambda con: con.execute("update round set patch = x'00'"))
    broken = hook(agent, ENGLISH, "broken")
    for context in (late, broken):
        assert "Because it hid timeouts." in context
        assert "Code history" not in context
    assert [len(record.given) for record in drained(agent)] == [1, 1]


def test_what_nobody_waited_for_was_not_given(agent: Agent, repo: Path, git: Git) -> None:
    tried(agent, repo, git)
    add(agent.db, f"{ENGLISH} Because it hid timeouts.")
    (agent.home / "spool").mkdir(parents=True, exist_ok=True)
    asked = json.dumps(payload(agent, ENGLISH, "gone")).encode()
    for taken in (0, 1, 2):
        heard: list[bytes] = []

        def reply(one: bytes, heard: list[bytes] = heard, most: int = taken) -> bool:
            heard.append(one)
            return len(heard) <= most

        home = str(agent.db.path.parent)
        fallback.run(home, "claude-code", "UserPromptSubmit", b"{}", asked, time.monotonic() + 60, reply)
        (record,) = drained(agent)
        assert [root.partition(":")[0] == "thread" for root, _ in record.given] == [False, True][:taken]


def test_a_file_is_read_as_far_as_it_can_have_versions() -> None:
    assert reader.FILE_BYTES == edits.FILE_BYTES
