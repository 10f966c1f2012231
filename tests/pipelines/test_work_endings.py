"""How a turn ended: what failed and was not overcome counts, and what nobody saw is no success."""

from __future__ import annotations

from typing import Any

import pytest
from backstory.pipelines.extract.work_facts import Around, fact

from .work_turns import edit, run, turn


@pytest.mark.parametrize(
    ("steps", "around", "outcome", "said"),
    [
        ([run("make", ok=False)], Around("coding"), "failed", "Ended with a failure."),
        # Nobody ran it again.
        ([run("make", ok=False), edit("/repo/a.c")], Around("coding"), "unknown", ""),
        (
            [run("make", ok=False), edit("/repo/a.c"), run("make")],
            Around("coding"),
            "done",
            "failed, then passed",
        ),
        # What passed is not what failed.
        (
            [run("pytest -q", "1 failed, 1 passed", ok=False), run("npm run build")],
            Around("coding"),
            "failed",
            "Ended with a failure.",
        ),
        (
            [run("pytest a.py::x", "1 failed", ok=False), edit("/repo/a.py"), run("pytest", "3 passed")],
            Around("coding"),
            "done",
            "",
        ),
        (
            [run("pytest", "1 failed", ok=False), run("pytest a.py", "3 passed")],
            Around("coding"),
            "failed",
            "Ended with a failure.",
        ),
        (
            [run("npm install", "ERESOLVE unable", ok=False), run("npm install --force")],
            Around("coding"),
            "done",
            "",
        ),
        (
            [run("yarn test", "Use pnpm instead", ok=False), run("pnpm test", "3 passed")],
            Around("coding"),
            "done",
            "",
        ),
        ([run("grep -rn x .", ok=False), run("npm run build")], Around("coding"), "done", ""),
        ([run("npm run deploy", ok=None)], Around("coding"), "unknown", ""),
        (
            [run("pytest -q", "(still running in the background)")],
            Around("coding"),
            "unknown",
            "Ran `pytest -q` (left running).",
        ),
        (
            [
                run("pytest -q", "F.\n1 failed, 1 passed in 0.1s", ok=None),
                run("npm run build", "error TS2345: no\nnpm ERR! code 2", ok=None),
            ],
            Around("coding"),
            "failed",
            "`npm run build` (failed)",
        ),
        (
            [{**edit("/repo/a.py"), "ok": False}],
            Around("coding"),
            "failed",
            "Could not edit a.py. Ended with a failure.",
        ),
        ([edit("/repo/a.c"), run("grep x a.c", ok=False)], Around("coding"), "done", ""),
        (
            [edit("/repo/a.c")],
            Around("coding", interrupted=True),
            "interrupted",
            "Interrupted before it was done.",
        ),
    ],
)
def test_how_a_turn_ended(steps: list[dict[str, Any]], around: Around, outcome: str, said: str) -> None:
    found = fact(turn("Build it please", *steps), around)
    assert found.data["outcome"] == outcome
    assert said in found.text


def test_where_nobody_saw_the_end_the_agent_may_say_that_it_failed() -> None:
    steps = (run("npm run deploy", "uploading", ok=None),)
    for reply in ("The deploy still fails.", "I could not get it to run.", "部署仍然失败。", "没能修好。"):
        assert fact(turn("Deploy", *steps, reply=reply), Around("coding")).data["outcome"] == "failed"
    assert fact(turn("Deploy", *steps, reply="Deployed."), Around("coding")).data["outcome"] == "unknown"
