"""The main job with the real Claude Code: what one session was told, the next is handed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory.tests.clients.claude_code import ClaudeCode, Run, binary
from backstory.tests.clients.scripted_model import ScriptedModel

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(
        binary() is None, reason="no Claude Code here; docs/contributing.md says how to get it"
    ),
]

KILL = "pkill -9 -f 'backstory serve' ; true"
SCRIPTS: dict[str, Any] = {
    "note": [[{"text": "Noted."}]],
    "work": [
        [{"tool": "Write", "input": {"file_path": "{{CWD}}/pay.py", "content": "TIMEOUT_S = 30\n"}}],
        [{"tool": "Edit", "input": {"file_path": "{{CWD}}/pay.py", "old_string": "30", "new_string": "5"}}],
        [{"tool": "Bash", "input": {"command": "python3 -m py_compile pay.py", "description": "check"}}],
        [{"tool": "Bash", "input": {"command": "false", "description": "fail"}}],
        [{"text": "The payments timeout is 5 seconds now."}],
    ],
    "killing": [
        [{"tool": "Bash", "input": {"command": KILL, "description": "kill"}}],
        [{"text": "It went down."}],
    ],
    "helper": [
        [
            {
                "tool": "Agent",
                "input": {
                    "description": "look",
                    "prompt": "#script:note look",
                    "subagent_type": "general-purpose",
                },
            }
        ],
        [{"text": "A helper looked."}],
    ],
    "search": [
        # A model that takes its time: the client does not wait for a server that is still starting.
        {
            "delay_s": 3,
            "blocks": [{"tool": "mcp__backstory__memory_search", "input": {"query": "how do we deploy"}}],
        },
        [{"text": "Found it."}],
    ],
    "add": [
        {
            "delay_s": 3,
            "blocks": [
                {
                    "tool": "mcp__backstory__memory_add",
                    "input": {"content": "The staging database is reset every night."},
                }
            ],
        },
        [{"text": "I will remember."}],
    ],
}
FACT = "We deploy the payments service with fly, from the release branch and never from main."
FACT_ZH = "支付服务统一用 fly 部署，只能从 release 分支发布，绝不从 main 发布。"


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[ClaudeCode]:
    # A folder with a space and Han characters in its name, as people have.
    root = tmp_path / "家 home"
    with ScriptedModel(SCRIPTS, {"CWD": str(root / "project")}) as model:
        client = ClaudeCode(root, model)
        client.backstory("install", "claude-code")
        yield client


def handed(client: ClaudeCode, mark: int) -> str:
    """The blocks of ours in what reached the model since request number `mark`."""
    blocks = re.findall(r"<backstory-memory nonce=.*?</backstory-memory>", client.sent_since(mark), re.DOTALL)
    return "\n".join(blocks)


def ask(client: ClaudeCode, question: str, *args: str) -> tuple[Run, str]:
    mark = len(client.model.requests)
    run = client.prompt(f"{question} #script:note", *args)
    assert_quiet(run)
    return run, handed(client, mark)


def assert_quiet(run: Run) -> None:
    """The turn went on, and no hook of ours made itself felt."""
    assert run.rc == 0, run.err
    assert [(h.get("exit_code"), h.get("stderr")) for h in run.hooks()] == [(0, "")] * len(run.hooks())


def test_what_was_said_for_good_and_what_was_done_is_in_a_later_sessions_digest(claude: ClaudeCode) -> None:
    # A prompt of `-p` is a script's unless its user says otherwise.
    claude.memory.mkdir(exist_ok=True)
    with (claude.memory / "config.toml").open("a") as settings:
        settings.write('unattended = "user"\n')
    assert_quiet(
        claude.prompt("Set the payments timeout. By the way, I prefer tabs over spaces. #script:work")
    )
    assert_quiet(claude.prompt("Which day is it? #script:note"))
    claude.backstory("tend")  # what a server does by itself, for these sessions are over in a second
    _, block = ask(claude, "Good morning!")
    assert "I prefer tabs" in block
    did = next(line for line in block.splitlines() if "Set the payments timeout" in line)
    assert "pay.py" in did
    assert "python3 -m py_compile pay.py" in did
    told = claude.backstory("search", "payments timeout", "--kind", "fact", "--json")
    fact = json.loads(told)["coding"]["facts"][0]
    assert (fact["kind"], fact["branch"], fact["source"]) == ("fact", "main", "claude-code")
    assert "Set the payments timeout" in claude.backstory("explain", fact["id"])


def test_a_run_that_nobody_attends_leaves_what_it_did_and_no_wish(claude: ClaudeCode) -> None:
    assert_quiet(
        claude.prompt("Set the payments timeout. By the way, I prefer tabs over spaces. #script:work")
    )
    assert_quiet(claude.prompt("Which day is it? #script:note"))
    claude.backstory("tend")
    found = json.loads(claude.backstory("search", "--kind", "profile", "--json"))
    assert found["memories"] == []
    did = json.loads(claude.backstory("search", "payments timeout", "--kind", "fact", "--json"))
    assert did["coding"]["facts"]


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        (FACT, "How do we deploy the payments service?"),
        (FACT_ZH, "支付服务怎么上线？走哪个分支？"),
    ],
    ids=["english", "chinese"],
)
def test_the_next_session_is_handed_what_the_last_one_was_told(
    claude: ClaudeCode, fact: str, question: str
) -> None:
    first = claude.prompt(f"{fact} #script:work")
    assert_quiet(first)
    assert (claude.project / "pay.py").read_text() == "TIMEOUT_S = 5\n"
    second, block = ask(claude, question)
    assert second.session != first.session
    assert fact in block
    assert "pay.py" in claude.backstory("search", "--json", question)


def test_a_session_is_not_handed_the_same_thing_twice(claude: ClaudeCode) -> None:
    claude.prompt(f"{FACT} #script:note")
    run, block = ask(claude, "How do we deploy the payments service?")
    assert FACT in block
    mark = len(claude.model.requests)
    again = claude.prompt(
        "And how is the payments service deployed again? #script:note", "--resume", run.session
    )
    assert_quiet(again)
    # The client replays what it was given once; no second copy stands beside it.
    body = json.dumps(claude.model.requests[-1], ensure_ascii=False)
    assert len(claude.model.requests) > mark
    assert body.count(json.dumps(FACT, ensure_ascii=False)[1:-1]) == 1


def test_a_greeting_is_handed_nothing(claude: ClaudeCode) -> None:
    claude.prompt(f"{FACT} #script:note")
    mark = len(claude.model.requests)
    assert_quiet(claude.prompt("hi"))
    assert "UserPromptSubmit hook additional context" not in claude.sent_since(mark)


def test_the_turn_goes_on_and_is_kept_when_the_server_is_killed_in_it(claude: ClaudeCode) -> None:
    run = claude.prompt(f"{FACT} #script:killing")
    assert_quiet(run)
    assert "It went down." in claude.backstory("search", "--json", "deploy the payments service with fly")
    _, block = ask(claude, "How do we deploy the payments service?")
    assert FACT in block


def test_the_turn_is_kept_when_there_is_no_server_at_all(claude: ClaudeCode) -> None:
    run = claude.prompt(f"{FACT} #script:work", "--strict-mcp-config", "--mcp-config", '{"mcpServers":{}}')
    assert_quiet(run)
    spooled = list((claude.memory / "spool").glob("*.json"))
    assert spooled
    found = claude.backstory("search", "--json", "deploy the payments service")
    assert FACT in found
    assert "timeout is 5 seconds" in found
    assert not list((claude.memory / "spool").glob("*.json"))
    # Now there is a file to read: without a server the hook reads it itself.
    mark = len(claude.model.requests)
    asked = claude.prompt(
        "How do we deploy the payments service? #script:note",
        "--strict-mcp-config",
        "--mcp-config",
        '{"mcpServers":{}}',
    )
    assert_quiet(asked)
    assert FACT in handed(claude, mark)


def test_the_turn_is_kept_while_another_process_holds_the_file(claude: ClaudeCode) -> None:
    claude.backstory("status")  # makes the file
    other = apsw.Connection(str(claude.memory / "backstory.db"))
    other.set_busy_timeout(10_000)
    other.execute("begin immediate")
    run = claude.prompt(f"{FACT} #script:work")
    other.execute("rollback")
    other.close()
    assert_quiet(run)
    assert FACT in claude.backstory("search", "--json", "deploy the payments service")


def test_the_model_can_search_and_add(claude: ClaudeCode) -> None:
    claude.prompt(f"{FACT} #script:note")
    mark = len(claude.model.requests)
    assert_quiet(claude.prompt("Look it up. #script:search"))
    results = [
        block
        for body in claude.model.requests[mark:]
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block.get("type") == "tool_result"
    ]
    assert any(FACT in json.dumps(block, ensure_ascii=False) for block in results)
    assert_quiet(claude.prompt("The staging database is reset every night. #script:add"))
    listed = json.loads(claude.backstory("search", "--json", "--kind", "fact"))
    assert [m["text"] for m in listed["memories"]] == ["The staging database is reset every night."]
    assert listed["memories"][0]["origin"] == "user"  # it stands word for word in what the user said


def test_a_subagent_leaves_one_summary_and_its_notice_makes_no_turn(claude: ClaudeCode) -> None:
    assert_quiet(claude.prompt("Please let a helper look at the payments code. #script:helper"))
    con = apsw.Connection(str(claude.memory / "backstory.db"))
    claude.backstory("status")  # drains what the end of the session may have left
    turns = con.execute("select count(*) from turn").fetchone()
    kinds = [row[0] for row in con.execute("select kind from event order by id")]
    con.close()
    assert turns == (1,)
    assert kinds.count("subagent") <= 1
    assert kinds.count("prompt") == 1


def test_a_compacted_session_is_told_again(claude: ClaudeCode) -> None:
    claude.prompt(f"{FACT} #script:note")
    run, block = ask(claude, "How do we deploy the payments service?")
    assert FACT in block
    assert_quiet(claude.prompt("/compact", "--resume", run.session))
    _, again = ask(claude, "How do we deploy the payments service?", "--resume", run.session)
    assert FACT in again


def test_a_session_leaves_the_repository_as_it_was(claude: ClaudeCode) -> None:
    def tree() -> dict[str, bytes]:
        return {
            str(path.relative_to(claude.project)): path.read_bytes()
            for path in sorted(claude.project.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    (claude.project / "a.txt").write_text("a\n")
    claude.git("add", "a.txt")
    claude.git("commit", "-q", "-m", "a")
    before = tree()
    assert_quiet(claude.prompt(f"{FACT} #script:note"))
    ask(claude, "How do we deploy the payments service?")
    assert tree() == before


def test_uninstall_leaves_no_trace_of_us_in_the_client(claude: ClaudeCode) -> None:
    claude.backstory("uninstall", "claude-code")
    run = claude.prompt(f"{FACT} #script:note")
    assert run.rc == 0
    assert run.hooks() == []
    left = "".join(
        p.read_text("utf-8", "replace") for p in claude.home.rglob("*.json") if "projects" not in p.parts
    )
    assert "backstory" not in left
