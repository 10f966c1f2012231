"""What of a prompt is the user's request: also under a label, beside code that was pasted, in a tag or in quotes."""

from __future__ import annotations

import pytest
from backstory.pipelines.extract.work_prompt import own_prompt
from backstory.pipelines.extract.work_text import asked, own_sentences
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("prompt", "request_"),
    [
        # The label says what sort of request it is, or only that one follows.
        ("Bug: the login page crashes on Safari", "Bug: the login page crashes on Safari"),
        ("Feature: export to CSV", "Feature: export to CSV"),
        ("Refactor: split utils.py", "Refactor: split utils.py"),
        ("Ticket ABC-12: fix the date bug", "Ticket ABC-12: fix the date bug"),
        ("[ABC-12] Fix the dates", "[ABC-12] Fix the dates"),
        ("Bug (P1): crash at start", "Bug (P1): crash at start"),
        (
            "Error: ENOENT when I start the server, please fix",
            "Error: ENOENT when I start the server, please fix",
        ),
        ("Task: add an endpoint for invoices", "add an endpoint for invoices"),
        ("**Task:** add an endpoint", "add an endpoint"),
        ("Question: why is the build slow?", "why is the build slow?"),
        ("Hi Claude: add a test", "add a test"),
        ("@bot: fix the date bug", "fix the date bug"),
        ("User: fix the date bug", "fix the date bug"),
        ("# Task\nRename foo to bar", "Rename foo to bar"),
        ("## Goal\nMake it fast\n## Constraints\nNo new deps", "Make it fast"),
        ("<task>Rename foo</task>", "Rename foo"),
        ('"Rename foo"', "Rename foo"),
        ("> rename foo to bar", "rename foo to bar"),
        ("需求：导出 CSV", "需求：导出 CSV"),
        ("问题：登录页崩溃", "问题：登录页崩溃"),
        ("任务：重命名 foo", "重命名 foo"),
        ("你好：帮我改一下登录页", "帮我改一下登录页"),
        ("错误：启动时报 ENOENT，帮我修一下", "错误：启动时报 ENOENT，帮我修一下"),
        ("# 任务\n把 foo 改名", "把 foo 改名"),
        ("需求：\n1. 导出 CSV\n2. 加按钮", "导出 CSV"),
        # What only sets the scene, or announces a list, is not it.
        ("Context: we use Django. Add a view.", "Add a view"),
        ("背景：我们用 Django。加一个视图。", "加一个视图"),
        ("Please do the following:\n- rename foo\n- add tests", "rename foo"),
        # A body of code is none of it, however it ends.
        (
            "def f(x):\n    return x\n\nclass A:\n    pass\nfix this so that f is async",
            "fix this so that f is async",
        ),
        ("const a = 1;\nfunction b() {\n  return a;\n}\nrename b to c", "rename b to c"),
        ('@app.route("/x")\ndef x():\n  pass\nwhy 404?', "why 404?"),
        ("import os\nimport sys\n\nx = 1\nmake it a function", "make it a function"),
        # Sentences that begin as code does are sentences.
        ("import the users from the dump", "import the users from the dump"),
        ("class Foo should be final", "class Foo should be final"),
        ("for each order, send a mail", "for each order, send a mail"),
        ("return the list sorted", "return the list sorted"),
    ],
)
def test_the_request_is_found(prompt: str, request_: str) -> None:
    found = asked(prompt)
    assert found.text == request_
    assert prompt[found.start : found.end] == found.text


@pytest.mark.parametrize(
    "prompt",
    [
        "```\nx = secret()\n```",
        "ERROR: something broke",
        "KeyError: 'x'",
        'Traceback (most recent call last):\n  File "a.py"\nKeyError: x',
        "Error: Cannot find module 'x'\n    at foo (a.js:1:2)",
        "Anna: the login is broken\nBob: indeed",
        "https://example.com/x",
        "",
    ],
)
def test_what_others_said_and_what_a_machine_printed_is_no_request(prompt: str) -> None:
    assert asked(prompt).text == ""


def test_labels_stand_through_a_prompt() -> None:
    prompt = "Bug: the total is wrong.\nExpected: 3.\nActual: 4.\nHint: see cart.py."
    assert [one.text for one in own_sentences(prompt)] == [
        "Bug: the total is wrong", "Expected: 3", "Actual: 4", "Hint: see cart.py",
    ]  # fmt: skip


lines = st.sampled_from(
    [
        "Bug: x",
        "# Task",
        "def f():",
        "    pass",
        "x = 1",
        "}",
        "任务：改",
        "<task>",
        "</task>",
        "> q",
        "Hi Bob: y",
        "",
        "é: z",
    ]
)
prompts = st.text(max_size=200) | st.lists(lines | st.text(max_size=30), max_size=12).map("\n".join)


@given(prompts)
def test_whatever_the_prompt_its_places_hold(prompt: str) -> None:
    assert len(own_prompt(prompt)) == len(prompt)
    found = asked(prompt)
    assert prompt[found.start : found.end] == found.text
