"""
What becomes a version of code, whatever tool, file or git command it came by, in real repositories: the rows of the
list of cases where a tool of this kind goes wrong. What commits have to do with it: `test_code_commits`;
what is shown of the versions: `test_code_shown`.

| row | where it is held |
|---|---|
| 1 tool calls | here: test_the_edits_of_every_tool_are_versions, test_cursors_edits_are_versions |
| 2 no diff text | here: test_what_no_tool_tells_of_is_found_on_the_disk |
| 3 the text of each version | here: test_each_version_has_the_text_that_was_on_the_disk |
| 6 the same words again | here: test_edits_asked_for_with_the_same_words_are_versions_each |
| 7 renamed files | here: test_a_file_that_git_moves_keeps_its_history, the other without code |
| 8 deleted files | here: test_a_deleted_file_ends_its_history_and_says_so |
| 9 binary files | here: test_a_binary_file_is_named_with_both_blobs |
| 10 to 12 odd names, settings of diff | here: test_odd_names_are_read_whatever_git_is_set_to |
| 17 proposed | here: test_a_proposal_is_no_version; refused: test_following: test_an_edit_that_failed_… |
| 26 several edits | here: test_each_edit_has_the_words_of_its_own_turn |
| 29 submodules | here: test_a_submodule_that_moves_on_is_noted_as_one |
| 31 CRLF | here: test_line_ends_are_kept_and_a_change_of_them_alone_is_a_version |
| 32 a very long patch | here: test_a_very_long_patch_is_cut_and_its_versions_are_whole |
| 33 .env | here: test_a_file_kept_for_secrets_is_only_named |
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from backstory.store.rows import fetch

from .coding_agent import Agent, Git

FETCH = "def fetch(url):\n    return get(url)"
RETRY = "def fetch(url):\n    for _ in range(3):\n        return get(url)"
BIG = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(9))
TOOLS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Edit", {"old_string": FETCH, "new_string": RETRY}, {"originalFile": True}),
    ("Edit", {"old_string": FETCH, "new_string": RETRY}, {}),
    ("MultiEdit", {"edits": [{"old_string": FETCH, "new_string": RETRY}]}, {"originalFileContents": True}),
    ("Write", {"content": True}, {"originalFile": True, "type": "update"}),
    ("apply_patch", {"input": "*** Begin Patch\n*** Update File: pay.py\n*** End Patch"}, {}),
    ("str_replace", {"path": "pay.py", "old_str": FETCH, "new_str": RETRY}, {}),
    ("mcp__files__put", {"where": "pay.py"}, {}),
]


@pytest.mark.parametrize(("tool", "given", "response"), TOOLS, ids=[tool for tool, *_ in TOOLS])
def test_the_edits_of_every_tool_are_versions(
    agent: Agent, repo: Path, tool: str, given: dict[str, Any], response: dict[str, Any]
) -> None:
    path = repo / "pay.py"
    was = path.read_text()
    now = was.replace(FETCH, RETRY)
    agent.asks("Add a retry loop")
    path.write_text(now)
    given = {**given, **({"content": now} if "content" in given else {})}
    if "path" not in given and "where" not in given and tool != "apply_patch":
        given["file_path"] = str(path)
    told = {key: was if value is True else value for key, value in response.items()}
    agent.uses(tool, given, {"filePath": str(path), **told} if told else "done")
    agent.ends()
    assert agent.rounds("pay.py::fetch") == [("agent", "Add a retry loop")]
    assert agent.texts("pay.py::fetch") == [RETRY]


def test_cursors_edits_are_versions(agent: Agent, repo: Path) -> None:
    agent.n += 1
    agent.cursor("beforeSubmitPrompt", prompt="Add a retry loop")
    path = repo / "pay.py"
    path.write_text(path.read_text().replace(FETCH, RETRY))
    pair = {"old_string": FETCH, "new_string": RETRY}
    agent.cursor("afterFileEdit", file_path=str(path), edits=[pair])
    agent.cursor(
        "postToolUse", tool_name="Write", tool_input={"file_path": str(path), **pair}, tool_output=""
    )
    agent.cursor("stop", status="completed")
    assert agent.rounds("pay.py::fetch") == [("agent", "Add a retry loop")]


def test_what_no_tool_tells_of_is_found_on_the_disk(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Split it into three files")

    def generate() -> None:
        (repo / "pay.py").write_text(BIG)  # in HEAD
        (repo / "new.py").write_text("def untracked():\n    return 1\n")
        (repo / "staged.py").write_text("def staged():\n    return 1\n")
        git(repo, "add", "staged.py")

    agent.runs("python generate.py", generate)
    for place in ("pay.py::f3", "new.py::untracked", "staged.py::staged"):
        assert agent.rounds(place) == [("agent", "Split it into three files")]


def test_each_version_has_the_text_that_was_on_the_disk(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Three tries")
    agent.edits("pay.py", FETCH, RETRY)
    git(repo, "commit", "-qam", "retry")
    agent.asks("Nine tries")
    agent.edits("pay.py", "range(3)", "range(9)")
    nine = RETRY.replace("3", "9")
    assert agent.texts("pay.py::fetch") == [RETRY, nine]
    assert [one.current for one in agent.versions("pay.py::fetch")] == [False, True]
    rows = agent.db.read(fetch, "select after_id from change_file order by id")
    assert rows[-1] == (git(repo, "hash-object", "pay.py").strip(),)


def test_edits_asked_for_with_the_same_words_are_versions_each(agent: Agent) -> None:
    for n in (4, 5, 6):
        agent.asks("continue")
        agent.edits("pay.py", "get(url" if n == 4 else f", {n - 1}", f"get(url, {n}" if n == 4 else f", {n}")
        agent.ends()
    assert agent.rounds("pay.py::fetch") == [("agent", "continue")] * 3
    assert len({one.round.turn for one in agent.versions("pay.py::fetch")}) == 3


def test_a_file_that_git_moves_keeps_its_history(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Write them")
    agent.writes("many.py", BIG)
    git(repo, "add", "many.py")
    git(repo, "commit", "-qm", "many")
    (repo / "lib").mkdir()
    agent.runs("git mv many.py lib/few.py", lambda: git(repo, "mv", "many.py", "lib/few.py"))
    agent.edits("lib/few.py", "return 7\n", "return 70\n")
    told = [(one.round.path, one.round.status) for one in agent.versions("lib/few.py::f7")]
    assert told == [("many.py", "added"), ("lib/few.py", "moved"), ("lib/few.py", "modified")]
    assert agent.chain("many.py::f7").thread.id == agent.chain("lib/few.py::f7").thread.id
    assert "moved" in agent.told("lib/few.py::f8")  # by the pure rename


def test_a_file_without_code_that_git_moves_keeps_its_history(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Write the notes")
    agent.writes("NOTES.md", "# Notes\n\n" + "".join(f"line {n}\n" for n in range(20)))
    git(repo, "add", "NOTES.md")
    git(repo, "commit", "-qm", "notes")
    agent.runs("git mv NOTES.md docs.md", lambda: git(repo, "mv", "NOTES.md", "docs.md"))
    agent.edits("docs.md", "line 7\n", "line seven\n")
    (chain,) = [one.chain for one in agent.code().get("docs.md") if one.chain.thread.kind == "region"]
    assert [one.round.path for one in chain.versions] == ["NOTES.md", "docs.md"]


def test_a_deleted_file_ends_its_history_and_says_so(agent: Agent, repo: Path) -> None:
    agent.asks("Write it")
    agent.writes("old.py", RETRY + "\n")
    agent.asks("Drop it, nobody calls it")
    agent.runs("rm old.py", (repo / "old.py").unlink)
    chain = agent.chain("old.py::fetch")
    assert [(one.round.status, one.round.after is None) for one in chain.versions] == [
        ("added", False),
        ("deleted", True),
    ]
    assert chain.now == "gone"
    assert "deleted" in agent.told("old.py::fetch")
    assert "nobody calls it" in agent.told("old.py::fetch")


def test_a_binary_file_is_named_with_both_blobs(agent: Agent, repo: Path, git: Git) -> None:
    (repo / "logo.png").write_bytes(b"\x89PNG\0" + bytes(range(256)))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "logo")
    old = git(repo, "rev-parse", "HEAD:logo.png").strip()
    agent.asks("Make the logo larger")
    agent.runs("convert logo.png", lambda: (repo / "logo.png").write_bytes(b"\x89PNG\0" + bytes(999)))
    assert agent.rounds("logo.png") == [("agent", "Make the logo larger")]
    assert agent.chain("logo.png").thread.kind == "file"
    rows = agent.db.read(fetch, "select path, status, named, before_id from change_file")
    assert rows == [("logo.png", "modified", "binary", old)]


ODD = [
    "中文/支付.py",
    "my dir/my file.py",
    'say "hi".py',
    "tab\there.py",
    "back\\slash.py",
    os.fsdecode(b"caf\xe9.py"),
]


@pytest.mark.parametrize("by", ["hooks", "import"])
def test_odd_names_are_read_whatever_git_is_set_to(agent: Agent, repo: Path, git: Git, by: str) -> None:
    for setting in ("diff.noprefix", "diff.mnemonicPrefix", "core.quotePath"):
        git(repo, "config", setting, "true")
    for setting in ("color.ui", "color.diff"):
        git(repo, "config", setting, "always")
    git(repo, "config", "diff.external", "false")
    agent.asks("Write them all")

    def write() -> None:
        for n, name in enumerate(ODD):
            (repo / name).parent.mkdir(exist_ok=True)
            (repo / name).write_text(f"def fetch{n}(url):\n    return get(url)\n")

    if by == "hooks":
        agent.runs("python generate.py", write)
    else:
        write()
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", "all")
        agent.imports()
    code = agent.code()
    for n, name in enumerate(ODD):
        (found,) = code.find(code.asked._replace(symbol=f"fetch{n}"))
        shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        assert found.thread.name == f"{shown}::fetch{n}"
        assert found.now == ("not looked at" if "\ufffd" in shown else "current")
        assert code.patch(found.versions[0]).count(f"+def fetch{n}(url):") == 1


def test_a_proposal_is_no_version(agent: Agent) -> None:
    agent.asks("How would you make it robust?")
    diff = f"```diff\n--- a/pay.py\n+++ b/pay.py\n@@ -5,2 +5,3 @@\n-{FETCH}\n+{RETRY}\n```"
    agent.hook("Stop", last_assistant_message=f"I propose:\n{diff}")
    agent.asks("No, leave it")
    agent.ends()
    assert agent.count() == 0


def test_each_edit_has_the_words_of_its_own_turn(agent: Agent) -> None:
    agent.asks("Two at once")
    agent.edits("pay.py", "return 1", "return 2")
    agent.edits("pay.py", FETCH, RETRY)
    agent.asks("And more tries")
    agent.edits("pay.py", "range(3)", "range(9)")
    assert agent.rounds("pay.py::other") == [("agent", "Two at once")]
    assert agent.rounds("pay.py::fetch") == [("agent", "Two at once"), ("agent", "And more tries")]
    assert ["return 2" in patch for patch in agent.patches("pay.py::fetch")] == [False, False]


def test_a_submodule_that_moves_on_is_noted_as_one(
    agent: Agent, repo: Path, tmp_path: Path, git: Git
) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    git(lib, "init", "-q")
    git(lib, "commit", "-qm", "one", "--allow-empty")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "vendor")
    git(repo, "commit", "-qm", "vendor")
    agent.asks("Update the library")
    work = repo / "vendor"
    agent.runs("git -C vendor pull", lambda: git(work, "commit", "-qm", "two", "--allow-empty"))
    agent.ends()
    assert agent.db.read(fetch, "select path, status, named from change_file") == [
        ("vendor", "submodule", "submodule")
    ]
    chain = agent.chain("vendor")
    assert (chain.thread.kind, [one.round.status for one in chain.versions]) == ("file", ["submodule"])


def test_line_ends_are_kept_and_a_change_of_them_alone_is_a_version(agent: Agent, repo: Path) -> None:
    text = (repo / "pay.py").read_bytes().replace(b"\n", b"\r\n")
    (repo / "win.py").write_bytes(text)
    agent.asks("Add a retry loop")
    agent.edits("win.py", FETCH, RETRY)
    assert agent.texts("win.py::fetch") == [RETRY.replace("\n", "\r\n") + "\r"]
    agent.asks("Unix line ends, please")
    raw = (repo / "win.py").read_bytes().replace(b"\r", b"")
    agent.runs("dos2unix win.py", lambda: (repo / "win.py").write_bytes(raw))
    assert agent.texts("win.py::fetch")[1:] == [RETRY]
    assert agent.chain("win.py::fetch").now == "current"


def test_a_very_long_patch_is_cut_and_its_versions_are_whole(agent: Agent, repo: Path) -> None:
    lines = "".join(f"    x{n} = {n * 7919}\n" for n in range(40_000))
    assert len(lines) > 700_000
    agent.asks("Make the table")
    agent.runs("python table.py", lambda: (repo / "table.py").write_text(f"def table():\n{lines}"))
    assert agent.texts("table.py::table") == [f"def table():\n{lines}".rstrip("\n")]
    (patch,) = agent.patches("table.py::table")
    assert len(patch) < 70_000
    assert "more bytes" in patch
    assert len(agent.told("table.py::table")) <= 14_000
    sizes = agent.db.read(fetch, "select length(packed) from body union all select length(patch) from round")
    assert sum(size for (size,) in sizes) < 400_000


def test_a_file_kept_for_secrets_is_only_named(agent: Agent, repo: Path) -> None:
    token = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    agent.asks("Put the token where it belongs")
    agent.writes(".env", f"GITHUB_TOKEN={token}\n")
    agent.ends()
    assert agent.rounds(".env") == [("agent", "Put the token where it belongs")]
    assert agent.texts(".env") == [None]
    assert agent.patches(".env") == [""]
    agent.db.checkpoint()
    assert token.encode() not in agent.db.path.read_bytes()
