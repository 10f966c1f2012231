"""What cannot name code is known before anything is looked up."""

from __future__ import annotations

import pytest
from backstory.pipelines.code.names import MOST, named
from backstory.pipelines.code.naming import may_name
from hypothesis import given, settings
from hypothesis import strategies as st

PARTS = st.sampled_from(
    ["pay.py", "src/pay", "pay::f", "f()", "f ()", "`f`", "a_b", "$x", "aB", "AbC", "x1", "A.b", "function", "试过",
     "版本", "fetch", "the", ".", "/", ":", "::", "(", ")", "`", " ", "中", "1", "Ab", "@", "-"]
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(PARTS | st.text(max_size=3), max_size=6).map("".join))
def test_whatever_names_something_may_name_something(question: str) -> None:
    assert may_name(question) or not named(question)


@pytest.mark.parametrize(
    "question", ["go on", "Where do we keep the keys?", "默认分支叫什么？", "Thanks. Do it."]
)
def test_a_plain_question_names_nothing(question: str) -> None:
    assert not may_name(question)


def test_of_a_pasted_log_only_so_many_names_are_looked_up() -> None:
    log = " ".join(f"src/m{n}.py::f{n} lib/n{n}.py `g{n}` step_{n}()" for n in range(500))
    found = named(log)
    assert [len(part) for part in (found.places, found.paths, found.symbols)] == [MOST, MOST, MOST]
    assert found.places[0] == ("src/m0.py", "f0")
