from __future__ import annotations

import json
from typing import Any

import pytest
from backstory.pipelines.occasions import ToolUsed
from backstory.server.clients.claude_code import read
from hypothesis import given, settings
from hypothesis import strategies as st

ENV = {"project": "/repo", "cwd": "/repo", "cursor": None}


def used(
    name: Any, given: Any = None, response: Any = None, event: str = "PostToolUse", **more: Any
) -> ToolUsed:
    payload = {
        "session_id": "session-1",
        "prompt_id": "prompt-1",
        "cwd": "/repo",
        "tool_name": name,
        "tool_use_id": "t",
    }
    occasion = read(event, payload | {"tool_input": given, "tool_response": response} | more, ENV, 7)
    assert isinstance(occasion, ToolUsed)
    return occasion


@pytest.mark.parametrize(
    ("response", "result"),
    [
        (None, ""),
        ("plain", "plain"),
        ('{"hits":[1]}', '{"hits":[1]}'),
        ('[{"type":"text","text":"a"},{"type":"image","data":"AAAA"}]', "a\n[image]"),
        (
            [
                {"type": "text", "text": "a"},
                {"type": "resource", "resource": {"uri": "file:///x", "text": "b"}},
            ],
            "a\nb",
        ),
        ([{"type": "resource_link", "uri": "file:///x"}, "c", None, 3], "file:///x\nc\n3"),
        ({"content": [{"type": "text", "text": "a"}], "isError": False}, "a"),
        ({"stdout": "out\n", "stderr": "warn\n", "interrupted": False}, "out\nwarn"),
        ({"stdout": "", "stderr": "", "returnCodeInterpretation": "No matches found"}, "No matches found"),
        ({"stdout": "", "stderr": "", "backgroundTaskId": "b1"}, "(still running in the background)"),
        ({"type": "image", "file": {"base64": "A" * 9000, "type": "image/png"}}, "[image/png]"),
        (
            {
                "type": "notebook",
                "file": {"filePath": "/n.ipynb", "cells": [{"source": "x = 1"}, {"source": ["y", "z"]}]},
            },
            "x = 1\n\ny\nz",
        ),
        ({"mode": "files_with_matches", "filenames": ["/a", "/b"], "numFiles": 2}, "/a\n/b"),
        (
            {"bytes": 9, "code": 200, "result": "The page says so.", "url": "https://example.com"},
            "The page says so.",
        ),
        (
            {"type": "update", "filePath": "/f", "content": "z", "structuredPatch": [], "originalFile": None},
            "rewrote /f",
        ),
        (
            {
                "filePath": "/f",
                "structuredPatch": [{"oldStart": 1, "lines": ["-a", "+b"]}],
                "userModified": True,
            },
            "@@ -1,? +?,? @@\n-a\n+b\n(changed by the user before it was applied)",
        ),
        ({"status": "async_launched", "n": 1}, '{"status":"async_launched","n":1}'),
        ({"blob": "A" * 5000, "base64": "B" * 50}, '{"blob":"' + "A" * 2000 + '…","base64":"…"}'),
        (True, "true"),
    ],
)
def test_a_result_is_read_in_every_shape(response: Any, result: str) -> None:
    assert used("Anything", {}, response).result == result


@pytest.mark.parametrize(
    "response",
    [
        {"stdout": "x", "stderr": "", "interrupted": True},
        {"content": "no", "is_error": True},
        {"isError": True},
        '{"isError":true}',
        {"exitCode": 2},
    ],
)
def test_a_result_that_says_it_failed_has_failed(response: Any) -> None:
    assert used("Bash", {"command": "x"}, response).ok is False


def test_a_failed_call_tells_its_error() -> None:
    failed = used(
        "Bash",
        {"command": "make"},
        event="PostToolUseFailure",
        error="Exit code 2\nno rule",
        is_interrupt=True,
    )
    assert (failed.ok, failed.result, failed.command) == (
        False,
        "Exit code 2\nno rule\n(interrupted by the user)",
        "make",
    )


@pytest.mark.parametrize(
    ("name", "given", "response", "paths", "edits"),
    [
        (
            "NotebookEdit",
            {"notebook_path": "/repo/n.ipynb", "new_source": "x"},
            {"new_source": "x"},
            ("/repo/n.ipynb",),
            True,
        ),
        ("MultiEdit", {"file_path": "src/a.py", "edits": []}, None, ("/repo/src/a.py",), True),
        ("Write", {"file_path": "C:\\src\\a.py"}, None, ("C:\\src\\a.py",), True),
        (
            "Edit",
            {"file_path": "/repo/a.py"},
            {"filePath": "/repo/a.py", "structuredPatch": [], "staged": True},
            ("/repo/a.py",),
            False,
        ),
        ("Grep", {"path": "/repo/src", "pattern": "x"}, None, (), False),
        ("LSP", {"path": "/repo/a.py"}, None, ("/repo/a.py",), False),
        (
            "apply_patch",
            "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n*** Delete File: c.py\n*** End Patch",
            None,
            ("/repo/a.py", "/repo/b.py", "/repo/c.py"),
            True,
        ),
        ("Read", {"file_path": 7}, None, (), False),
        ("WebFetch", {"path": "https://example.com/x"}, None, (), False),
        ("Read", {"file_path": ["/x"]}, None, (), False),
    ],
)
def test_files_touched_are_named(
    name: str, given: Any, response: Any, paths: tuple[str, ...], edits: bool
) -> None:
    call = used(name, given, response)
    assert (call.paths, call.edits) == (paths, edits)


def test_our_own_tools_come_through_with_their_names() -> None:
    for name in ("mcp__backstory__memory_search", "mcp__plugin_backstory_backstory__memory_get"):
        call = used(name, {"query": "x"}, [{"type": "text", "text": "m42 …"}])
        assert (call.tool, call.result) == (name, "m42 …")


def test_a_call_without_id_gets_one_that_stays_the_same() -> None:
    ids = [used("Bash", {"command": c}, "x", tool_use_id=None).call_id for c in ("a", "a", "b")]
    assert ids[0] == ids[1] != ids[2]


# Any input at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
STRUCTURED = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        (
            "filePath",
            "structuredPatch",
            "file",
            "stdout",
            "stderr",
            "content",
            "filenames",
            "exitCode",
            "type",
            "command",
            "path",
            "edits",
        ),
        JSON,
    ),
)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["Bash", "Edit", "apply_patch", "x"]), STRUCTURED | JSON, STRUCTURED | JSON)
def test_no_tool_call_raises(name: str, given_: Any, response: Any) -> None:
    used(name, given_, response).result.encode("utf-8")


def test_bottomless_input_is_cut() -> None:
    deep: Any = "bottom"
    for _ in range(900):
        deep = {"a": [deep]}
    call = used("Bash", {"command": "x", "more": deep}, deep)
    assert "bottom" not in json.dumps(call.input) + call.result
