"""Code history with the real Claude Code: what was tried, undone and never committed comes back with its words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory.tests.clients.claude_code import ClaudeCode, binary
from backstory.tests.clients.scripted_model import ScriptedModel
from backstory.tests.clients.test_claude_code_remembers import assert_quiet, handed

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(
        binary() is None, reason="no Claude Code here; docs/contributing.md says how to get it"
    ),
]

BASE = "import time\n\n\ndef other():\n    return 1\n\n\ndef fetch(url):\n    return get(url)\n"
V1 = "    for _ in range(3):\n        try:\n            return get(url)\n        except OSError:\n            pass\n"
V2 = V1.replace("            pass\n", "            time.sleep(1)\n")
V3 = V2.replace("range(3)", "range(10)")


def edit(old: str, new: str) -> list[Any]:
    call = {"file_path": "{{CWD}}/pay.py", "old_string": old, "new_string": new}
    return [
        [{"tool": "Read", "input": {"file_path": "{{CWD}}/pay.py"}}],
        [{"tool": "Edit", "input": call}],
        [{"text": "Done."}],
    ]


SCRIPTS: dict[str, Any] = {
    "note": [[{"text": "Noted."}]],
    "one": edit("    return get(url)\n", V1),
    "two": edit(V1, V2),
    "three": [
        [
            {
                "tool": "Bash",
                "input": {"command": "sed -i 's/range(3)/range(10)/' pay.py", "description": "edit"},
            }
        ],
        [{"text": "Ten tries now."}],
    ],
    "undo": [
        [{"tool": "Bash", "input": {"command": "git checkout -- pay.py", "description": "undo"}}],
        [{"text": "It is as it was."}],
    ],
}
ASKED = (
    "Add a retry loop to fetch, three tries. #script:one",
    "Wait a second between the tries in fetch. #script:two",
    "Make it ten tries. #script:three",
    "Undo all of that, it hides timeouts. #script:undo",
)


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[ClaudeCode]:
    root = tmp_path / "家 home"
    with ScriptedModel(SCRIPTS, {"CWD": str(root / "project")}) as model:
        client = ClaudeCode(root, model)
        client.backstory("install", "claude-code")
        (client.project / "pay.py").write_text(BASE)
        client.git("add", "-A")
        client.git("commit", "-qm", "base")
        yield client


def test_versions_undone_and_never_committed_come_back_with_the_words_of_each(claude: ClaudeCode) -> None:
    claude.git("checkout", "-q", "-b", "try/retry")
    for words in ASKED[:3]:
        assert_quiet(claude.prompt(words))
    assert (claude.project / "pay.py").read_text() == BASE.replace("    return get(url)\n", V3)
    claude.git("stash")
    claude.git("stash", "drop")
    (claude.project / "pay.py").write_text(BASE.replace("    return get(url)\n", V3))
    assert_quiet(claude.prompt(ASKED[3]))
    assert (claude.project / "pay.py").read_text() == BASE
    claude.git("checkout", "-q", "main")
    claude.git("branch", "-D", "try/retry")
    claude.git("reflog", "expire", "--expire=now", "--all")
    claude.git("gc", "-q", "--prune=now")

    # The first prompt of a run: whether a server is up by then or not, it is answered. Only where the hook gets no
    # processor for its 385 ms, as on a machine with much else to do, it has to be asked in another run.
    asked = "What did we try in the function fetch and why did we drop it? #script:note"
    for _ in range(3):
        mark = len(claude.model.requests)
        assert_quiet(claude.prompt(asked))
        block = handed(claude, mark)
        if "Code history" in block:
            break
    for n, words in enumerate(ASKED[:3], 1):
        assert f"version {n} " in block
        assert words.removesuffix(f" #script:{('one', 'two', 'three')[n - 1]}") in block
    assert "hides timeouts" in block
    assert "tried and undone" in block
    assert "try/retry, deleted, never merged" in block
    for n, body in enumerate((V1, V2, V3), 1):
        said = json.loads(claude.backstory("log", f"pay.py::fetch@{n}", "--json"))
        assert said["threads"][0]["versions"][0]["text"] == f"def fetch(url):\n{body}".rstrip("\n")
