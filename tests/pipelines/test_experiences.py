"""What is learned in a turn: where something was, and nothing where nothing was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from backstory.pipelines.extract.conditions import Conditions
from backstory.pipelines.extract.drafts import Draft
from backstory.pipelines.extract.experiences import BAR, TEXT_CHARS, Undone, learned
from backstory.pipelines.extract.work_text import width
from backstory.pipelines.extract.work_trace import Trace
from hypothesis import given
from hypothesis import strategies as st

from .work_turns import edit, failed, is_safe, load, run, turn, with_secrets

LABELLED = load()


def only(found: tuple[Draft, ...]) -> Draft:
    (one,) = found
    return one


def test_an_experience_is_drawn_where_something_was_learned_and_nowhere_else() -> None:
    due = [one for one in LABELLED if one.experience]
    assert len(due) >= 25
    missed, wrong = [], []
    for one in LABELLED:
        found, expected = one.learned(), one.experience or {"from": "nothing", "says": []}
        if one.experience and not any(each.data["from"] == expected["from"] for each in found):
            missed.append(one.turn.prompt)
        for draft in found:
            right = draft.data["from"] == expected["from"]
            if not right or not all(said in draft.text for said in expected["says"]):
                wrong.append((one.turn.prompt, draft.text))
    assert wrong == []
    # A correction that names nothing of what was done is taken for a wish.
    assert len(missed) <= 1


def test_a_command_that_passed_after_edits_tells_error_cause_and_change() -> None:
    did = turn(
        "make the cache tests pass",
        failed("pytest tests -q"),
        edit(old_string="sorted(keys)"),
        {"tool": "Edit", "paths": ["/repo/src/a.py"], "edit": True, "old": "sorted(keys)",
         "new": "sorted(keys, key=age)"},
        run("pytest tests -q", "3 passed in 1s"),
        reply="Fixed. The keys were compared as strings, so u10 came before u9.",
    )  # fmt: skip
    found = only(learned(did, Conditions(system="linux", repository="shop")))
    assert found.text == (
        "`pytest tests -q` failed with “KeyError: 'u10'”. Cause: “The keys were compared as strings, so u10 came "
        "before u9”. It passed after a change in src/a.py (`sorted(keys) → sorted(keys, key=age)`). "
        "Task: make the cache tests pass"
    )
    assert found.line == "KeyError: 'u10' → The keys were compared as strings, so u10 came before u9"
    assert (found.quote, found.kind, found.data["event"]) == ("KeyError: 'u10'", "experience", 2)
    assert did.steps[0].said[found.start : found.end] == found.quote
    assert found.data["keys"] == ["KeyError", "pytest tests", "u10", "src/a.py"]
    assert found.data["conditions"] == {
        "languages": ["Python"], "tools": {"pytest": ""}, "system": "Linux", "repository": "shop",
        "system_matters": False,
    }  # fmt: skip


def test_the_same_is_told_in_chinese() -> None:
    said = "--- FAIL: TestDate (0.00s)\n    d_test.go:2: got 1, want 2"
    did = turn("修一下测试", failed("go test ./...", said), edit("/repo/d.go"), run("go test ./...", "ok  \tcal"),
               reply="原因是月和日写反了。")  # fmt: skip
    assert only(learned(did, Conditions())).text == (
        "`go test ./...` 失败：“--- FAIL: TestDate (0.00s) d_test.go:2: got 1, want 2”。原因：“原因是月和日写反了”。"
        "修改 d.go 后通过。任务：修一下测试"
    )


@pytest.mark.parametrize(
    "steps",
    [
        # Flaky: nothing was changed.
        [failed("pytest -q"), run("pytest -q", "3 passed")],
        # Failures that say nothing of lasting interest.
        [run("ls conf", "ls: conf: No such file", ok=False), edit(), run("ls conf")],
        [run("grep -r x .", "Exit code 1", ok=False), edit(), run("grep -r x .")],
        [run("git commit -m x", "nothing to commit", ok=False), edit(), run("git commit -m x")],
        [run("git push", "error: failed to push some refs", ok=False), edit(), run("git push")],
        # Slips of the hand.
        [failed("npm run biuld", 'npm ERR! Missing script: "biuld"'), edit(), run("npm run build")],
        [failed("gti status", "sh: gti: command not found"), run("git status")],
        [failed("pyest -q", "sh: pyest: command not found"), run("pytest -q", "3 passed")],
        [failed("pytest tset.py", "ERROR: file or directory not found: tset.py"), edit(), run("pytest tset.py")],
        # The network's mood.
        [failed("npm ci", "npm ERR! network read ECONNRESET"), edit(), run("npm ci")],
        [failed("npm ci", "npm ERR! network read ECONNRESET"), run("npm ci --prefer-offline")],
        # The turn's own unfinished work.
        [edit(), failed("pytest -q", "E   SyntaxError: invalid syntax"), edit(), run("pytest -q", "3 passed")],
        [edit("/repo/tests/test_b.py"), failed("pytest -q", "E   ImportError: cannot import name 'b'"), edit(),
         run("pytest -q", "3 passed")],
        # Style.
        [failed("ruff check .", "a.py:1:1: F401 unused import"), edit(), run("ruff check .")],
        # Nothing says what was wrong.
        [run("make", "Exit code 2", ok=False), edit(), run("make")],
        # The edit failed, or came before.
        [edit(), failed("pytest -q"), {**edit(), "ok": False}, run("pytest -q", "3 passed")],
        # What was edited cannot have mattered.
        [failed("npm test", "Error: connect ECONNREFUSED 127.0.0.1:5432"), edit("/repo/README.md"), run("npm test")],
        [failed("npm test", "Error: connect ECONNREFUSED 127.0.0.1:5432"), edit("/repo/src/a.js"), run("npm test")],
        [failed("pytest -q"), edit("/repo/docs/guide.md"), edit("/repo/CHANGELOG"), run("pytest -q", "3 passed")],
        # A test that is gone, or no longer run, is no solution.
        [failed("pytest -q"), run("git rm tests/test_a.py"), edit("/repo/conftest.py"), run("pytest -q", "3 passed")],
        [failed("pytest -q"), edit("/repo/conftest.py"), run("pytest -q", "2 passed, 1 skipped")],
        [failed("pytest -q"), edit("/repo/tests/test_a.py", old="def test_a", new="@pytest.mark.skip\ndef test_a"),
         run("pytest -q", "3 passed")],
        [failed("npx jest"), edit("/repo/a.spec.ts", old="it('x'", new="it.skip('x'"), run("npx jest")],
        # A test that was to fail first.
        [edit("/repo/tests/test_a.py"), failed("pytest -q", "E   AssertionError: assert None == 3\n1 failed"), edit(),
         run("pytest -q", "1 passed")],
        # A narrower run is no other way.
        [failed("pytest"), run("pytest tests/test_a.py", "2 passed")],
        [failed("pytest"), run("pytest -k fast", "2 passed")],
        # It still fails.
        [failed("pytest -q"), edit(), failed("pytest -q")],
        [failed("pytest -q | tail -3"), edit(), run("pytest -q | tail -3", "1 failed, 2 passed in 1s")],
    ],
)  # fmt: skip
def test_nothing_is_learned_where_nothing_was(steps: list[dict[str, Any]]) -> None:
    assert learned(turn("see to it", *steps, reply="Done."), Conditions()) == ()


@pytest.mark.parametrize(
    ("command", "said", "other", "told"),
    [
        ("python -m pytest", "sh: 1: python: not found", "python3 -m pytest", "3 passed"),
        ("pytest -q", "sh: pytest: command not found", "uv run pytest -q", "3 passed"),
        ("yarn test", "error This project uses pnpm. Use pnpm instead.", "pnpm test", "3 passed"),
        ("npm install", "npm ERR! ERESOLVE unable to resolve", "npm install --legacy-peer-deps", ""),
        ("pip install psycopg2", "Error: pg_config executable not found.", "pip install psycopg2-binary", ""),
        (
            "pip install -r r.txt",
            "error: externally-managed-environment",
            ".venv/bin/pip install -r r.txt",
            "",
        ),
        ("pytest", "E   ModuleNotFoundError: No module named 'app'", "PYTHONPATH=. pytest", "3 passed"),
        ("docker build .", "ERROR: failed to solve: no space left", "docker build --no-cache .", ""),
    ],
)
def test_another_command_that_did_the_same_is_an_experience(
    command: str, said: str, other: str, told: str
) -> None:
    did = turn("get it running", failed(command, said), run(other, told), reply="It runs.")
    found = only(learned(did, Conditions()))
    assert (found.data["from"], found.data["command"], found.data["other"]) == ("other_way", command, other)
    assert f"`{other}` works instead" in found.text and (found.data["error"] or "-") in found.text


def test_a_failure_is_remembered_over_the_turns_of_its_session() -> None:
    first = turn("make the tests pass", failed("pytest -q"), reply="One fails. Go on?")
    second = turn("yes", edit("/repo/src/b.py"), reply="Changed.")
    third = turn("继续", edit(), run("pytest -q", "3 passed"), reply="The cause was the order of keys.")
    found = only(learned(third, Conditions(), earlier=(first, second)))
    assert (found.data["task"], found.data["files"]) == ("make the tests pass", ["src/b.py", "src/a.py"])
    assert learned(second, Conditions(), earlier=(first,)) == ()
    # What passed in an earlier turn was told then; what failed long ago is forgotten.
    assert (
        learned(turn("thanks", run("pytest -q", "3 passed")), Conditions(), earlier=(first, second, third))
        == ()
    )
    long_ago = (first, *(turn(f"other {n}", edit()) for n in range(5)))
    assert learned(third, Conditions(), earlier=long_ago) == ()


def test_a_failure_that_no_pipe_can_hide_counts() -> None:
    did = turn("x", run("pytest -q | tail -3", "E   KeyError: 'a'\n1 failed in 1s"), edit(),
               run("pytest -q | tail -3", "3 passed in 1s"))  # fmt: skip
    assert only(learned(did, Conditions())).data["error"] == "KeyError: 'a'"


BEFORE = turn(
    "add zod to the web app",
    run("npm install zod"),
    edit("/repo/dist/app.js"),
    reply="Installed zod with npm and mocked the database.",
)


@pytest.mark.parametrize(
    "prompt",
    [
        "No, use pnpm here, not npm.",
        "don't use npm in this repo, use pnpm",
        "we should never edit dist/app.js, change src and build instead",
        "That's wrong. You should use the lockfile of the root.",
        "No. Use pnpm here instead.",
        "This is not how we do it. We should always use the lockfile of the root.",
        "不对。应该用 pnpm 装",
        "not npm, use pnpm",
        "不对，应该用 pnpm 装",
        "别用 npm，用 pnpm",
        "不要直接改 dist 里的文件，要改 src",
    ],
)
def test_a_correction_of_how_it_was_done_is_an_experience_in_the_users_words(prompt: str) -> None:
    found = only(learned(turn(prompt, run("pnpm add zod")), Conditions(), earlier=(BEFORE,)))
    assert (found.data["from"], found.data["task"]) == ("corrected", "add zod to the web app")
    assert prompt[found.start : found.end] == found.quote
    assert found.quote.rstrip(".") in found.text and "npm install zod" in found.text


@pytest.mark.parametrize(
    "prompt",
    [
        "No, make the button blue.",
        "no",
        "That's wrong, try again.",
        "Please use tabs, not spaces, in the new file.",
        "don't commit yet",
        "Is it wrong to use npm instead of pnpm?",
        "Great. Now add a test.",
        # They put off or decline what was offered; what is to be done next is another matter.
        "No, not now. Run the linter instead.",
        "No need. Use the time to update the changelog instead.",
        "Not yet, use the staging server for the demo instead",
        "No, let's do the login page instead.",
        "No, that's all. Use the release script for the push instead of tags.",
        "No problem. Call the new helper instead.",
        "不用了，先改登录页吧",
        "不急。应该先跑一遍迁移脚本",
        "不对，按钮要再大一点",
        "不对",
        "别急，先写测试",
        "接下来用 vitest 写测试",
        "继续",
    ],
)
def test_a_wish_or_a_word_of_displeasure_is_no_correction(prompt: str) -> None:
    assert learned(turn(prompt, edit()), Conditions(), earlier=(BEFORE,)) == ()


def test_what_corrects_no_turn_is_no_correction() -> None:
    prompt = "No, use pnpm here, not npm."
    assert learned(turn(prompt, edit()), Conditions()) == ()
    assert (
        learned(turn(prompt, edit()), Conditions(), earlier=(turn("what is npm?", reply="npm is …"),)) == ()
    )


def test_a_way_that_was_undone_is_an_experience_with_the_words_for_it() -> None:
    prompt = "Undo the batching. It takes too much memory because all rows are held."
    undone = Undone("etl/run.py::main", "Process all rows in one batch", prompt)
    found = only(learned(turn(prompt, edit("/repo/etl/run.py")), Conditions(), undone=(undone,)))
    assert found.text == (
        "In etl/run.py::main, “Process all rows in one batch” was tried and undone: “It takes too much memory because "
        "all rows are held”."
    )
    assert prompt[found.start : found.end] == found.quote == found.data["solution"]
    unsaid = only(learned(turn("Undo it", edit()), Conditions(), undone=(Undone("a.py::f", "Use threads"),)))
    assert unsaid.text == "In a.py::f, “Use threads” was tried and undone."
    assert unsaid.confidence < found.confidence


def test_experiences_differ_by_what_was_learned_and_are_drawn_alike_twice() -> None:
    steps = (failed("pytest -q"), edit(), run("pytest -q", "3 passed"), failed("npm install", "npm ERR! ERESOLVE x"),
             run("npm install --legacy-peer-deps"))  # fmt: skip
    found = learned(turn("x", *steps, reply="The cause was the order."), Conditions())
    assert [one.data["from"] for one in found] == ["fixed", "other_way"]
    assert len({one.data["task_key"] for one in found}) == 2
    assert learned(turn("x", *steps, reply="The cause was the order."), Conditions()) == found
    assert all(one.confidence >= 0.4 + BAR / 2 for one in found)


@given(st.data())
def test_whatever_was_learned_nothing_in_it_is_secret(data: st.DataObject) -> None:
    def told_of(plain: str) -> str:
        return data.draw(st.just(plain) | with_secrets)

    command = f"pytest {told_of('-q')}"
    did = turn(
        told_of("No, use a, not b."),
        failed(command, f"E   KeyError: {told_of('x')}"),
        edit(f"/repo/{told_of('a.py')}", old=told_of("x")[-50:], new=told_of("y")[-50:]),
        run(command, told_of("3 passed")),
        failed("npm install", f"npm ERR! ERESOLVE {told_of('x')}"),
        run(f"npm install --force {told_of('')}"),
        reply=f"The cause was {told_of('x')}.",
    )
    undone = Undone(told_of("a.py::f"), told_of("Use threads"), told_of("because it is slow"))
    before = turn(told_of("Do it"), edit(), reply=told_of("Done with b."))
    found = learned(did, Conditions(), earlier=(before,), undone=data.draw(st.sampled_from([(), (undone,)])))
    assert found
    assert all(map(is_safe, found))


texts = st.text(max_size=200) | st.sampled_from(
    ["KeyError: x", "No, use a, not b.", "不对，应该用 a", "npm install"]
)
any_step = st.one_of(
    st.builds(run, texts, texts, st.sampled_from([True, False, None])),
    st.builds(edit, texts.map(lambda text: f"/repo/{text}")),
)
any_turn = st.builds(
    lambda prompt, steps, reply: turn(prompt, *steps, reply=reply),
    texts,
    st.lists(any_step, max_size=8),
    texts,
)


@given(
    any_turn,
    st.lists(any_turn, max_size=7),
    st.lists(st.builds(Undone, texts, texts, st.none() | texts), max_size=2),
)
def test_whatever_was_done_an_experience_is_short_and_can_be_stored(
    did: Trace, earlier: list[Trace], undone: list[Undone]
) -> None:
    for one in learned(did, Conditions(), earlier=earlier, undone=undone):
        assert 0 < width(one.text) <= TEXT_CHARS
        assert len(one.data["task_key"]) <= 200
        json.dumps(dict(one.data))
