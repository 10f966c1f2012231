"""Whether what was learned in one place holds in another."""

from __future__ import annotations

import json

import pytest
from backstory.pipelines.extract.conditions import (
    Checked,
    Conditions,
    Here,
    check,
    from_data,
    narrowed,
    satisfies,
    system_name,
    tool_name,
)
from backstory.pipelines.extract.work_trace import Step
from hypothesis import given
from hypothesis import strategies as st

HERE = Here("shop", "Linux", frozenset({"Python", "TypeScript"}), {"python": "3.12.4", "node": "v20.11.0"})


def ran(command: str, said: str = "") -> Step:
    return Step("run", "Bash", (), command, ok=False, said=said, at=0, event=1)


@pytest.mark.parametrize(
    ("tool", "wanted", "this", "fits"),
    [
        # Components are numbers, not text: 3.12 is newer than 3.9, and 3.1 no beginning of 3.10.
        ("python", "3.9", "3.12", False),
        ("Python", "3.12", "Python 3.12.4", True),
        ("python", ">=3.9", "3.12", True),
        ("python", ">=3.12", "3.9.18", False),
        ("python", "3.1", "3.10", False),
        ("python", "3.12", "3", None),
        ("python", "3", "3.12", True),
        ("node", "18", "v18.19.0", True),
        ("node", "18", "v20.11.0", False),
        ("node", "v18.19.0", "18.2.0", True),
        ("node", "18+", "v20.11.0", True),
        ("node", "^18.1", "v18.19.0", True),
        ("node", "^18.20", "v18.19.0", False),
        ("node", "18.x || 20.x", "v20.11.0", True),
        ("node", "16.x || 18.x", "v20.11.0", False),
        ("httpx", "0.28.1", "0.27.0", False),
        ("httpx", "0.28.1", "0.28.9", True),
        ("httpx", "^0.28", "0.29.0", False),
        ("httpx", "~=0.28.1", "0.28.4", True),
        ("terraform", "~> 5.1", "5.1.9", True),
        ("react", "==17.0.2", "17.0.2", True),
        ("react", "==17.0.2", "17.0.1", False),
        ("react", "!=17.0.2", "17.0.1", True),
        ("go", "<1.22", "go1.21.4", True),
        ("go", "<1.22", "1.22", False),
        ("go", "<=1.22", "1.22.3", True),
        ("go", ">1.21.3,<2", "1.21.4", True),
        ("go", ">=1.22.3", "1.22", None),
        ("node", "lts", "20", None),
        ("node", "18", "unknown", None),
        ("node", "", "20", None),
    ],
)
def test_versions_are_compared_by_their_numbers(tool: str, wanted: str, this: str, fits: bool | None) -> None:
    assert satisfies(tool, wanted, this) is fits


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        (Conditions(), Checked("unknown", "nothing is known of where it holds")),
        (Conditions(languages=("Python",)), Checked("met", "Python")),
        (Conditions(languages=("Go",)), Checked("not_met", "for Go, of which there is none here")),
        (Conditions(system="linux"), Checked("met", "Linux")),
        (Conditions(system="Darwin"), Checked("not_met", "system macOS, here Linux")),
        (
            Conditions(system="Darwin", system_matters=False),
            Checked("unknown", "learned on macOS, here Linux"),
        ),
        (Conditions(repository="shop"), Checked("met", "shop")),
        (Conditions(repository="blog"), Checked("not_met", "repository blog, here shop")),
        (Conditions(tools={"python": "3.9"}), Checked("not_met", "python 3.9, here 3.12.4")),
        (Conditions(tools={"Python3": "3.12"}), Checked("met", "Python3 3.12")),
        (Conditions(tools={"node": ""}), Checked("met", "node")),
        (Conditions(tools={"pnpm": "9"}), Checked("unknown", "pnpm 9: the version here is not known")),
        # One that is not met decides, whatever is not known of the others.
        (Conditions(tools={"pnpm": "9", "node": "18"}), Checked("not_met", "node 18, here v20.11.0")),
        (
            Conditions(("Python",), {"pnpm": "9"}, "Linux", "shop"),
            Checked("unknown", "pnpm 9: the version here is not known"),
        ),
        (
            Conditions(("Python",), {"node": "20"}, "Linux", "shop"),
            Checked("met", "shop; Linux; Python; node 20"),
        ),
    ],
)
def test_one_condition_that_is_not_met_decides_and_then_one_that_nobody_knows(
    conditions: Conditions, found: Checked
) -> None:
    assert check(conditions, HERE) == found


def test_of_a_place_that_is_not_known_nothing_is_said() -> None:
    told = Conditions(("Python",), {"python": "3.12"}, "Linux", "shop")
    assert check(told, Here()).met == "unknown"


def test_conditions_are_what_the_commands_told_of_their_tools() -> None:
    failed = ran(
        "python3.11 -m pytest tests -q",
        "platform linux -- Python 3.11.7, pytest-8.1.1, pluggy-1.4\nE   KeyError: 'x'",
    )
    found = narrowed(Conditions(system="linux", repository="shop"), (failed,), ("src/a.py", "README.md"))
    assert found == Conditions(
        ("Python",), {"pytest": "8.1.1", "python": "3.11.7"}, "Linux", "shop", system_matters=False
    )


@pytest.mark.parametrize(
    ("command", "said", "tools"),
    [
        ("nvm use 18 && node index.js", "Node.js v18.19.0", {"node": "18.19.0", "nvm": ""}),
        ("node --version", "v20.11.0\n", {"node": "20.11.0"}),
        ("npm install", 'npm ERR! peer react@"^17" from react-table@7.8.0', {"npm": ""}),
        ("go version", "go version go1.22.1 linux/amd64", {"go": "1.22.1"}),
        ("cargo build", "rustc 1.75.0 (82e1608df 2023-12-21)", {"cargo": "", "rustc": "1.75.0"}),
        ("ls -la", "total 0", {}),
    ],
)
def test_a_version_is_taken_from_where_a_tool_says_its_own(
    command: str, said: str, tools: dict[str, str]
) -> None:
    assert narrowed(Conditions(), (ran(command, said),), ()).tools == tools


def test_a_package_that_an_error_names_with_its_version_is_a_condition() -> None:
    error = 'npm ERR! peer react@"^17" from react-table@7.8.0'
    assert narrowed(Conditions(), (ran("npm install"),), (), error).tools == {
        "react-table": "7.8.0",
        "npm": "",
    }


@pytest.mark.parametrize(
    ("command", "error", "matters"),
    [
        ("apt-get install libpq-dev", "", True),
        ("cmake --build build", "fatal error: unistd.h: No such file or directory", True),
        ("pip install x", "error: externally-managed-environment", True),
        ("pytest -q", "KeyError: 'x'", False),
    ],
)
def test_the_system_matters_where_something_speaks_for_it(command: str, error: str, matters: bool) -> None:
    assert narrowed(Conditions(system="Linux"), (ran(command),), (), error).system_matters is matters


def test_one_name_stands_for_all_that_a_tool_and_a_system_are_called() -> None:
    assert {tool_name(one) for one in ("python", "Python3", "python3.12", "py")} == {"python"}
    assert {tool_name(one) for one in ("Node.js", "node", "nodejs")} == {"node"}
    assert {system_name(one) for one in ("Darwin", "macOS", "darwin")} == {"macOS"}


@given(
    st.builds(
        Conditions,
        languages=st.lists(st.text(max_size=8), max_size=4).map(tuple),
        tools=st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=4),
        system=st.none() | st.text(max_size=8),
        repository=st.none() | st.text(max_size=8),
        system_matters=st.booleans(),
    )
)
def test_conditions_come_back_from_json_as_they_were(conditions: Conditions) -> None:
    assert from_data(json.loads(json.dumps(conditions.to_data()))) == conditions
    assert check(conditions, HERE).met in ("met", "unknown", "not_met")


@pytest.mark.parametrize(
    "data", [None, "x", 3, [], {"languages": "Python", "tools": [1], "system": 3, "repository": {}}]
)
def test_what_is_stored_in_another_shape_is_no_condition(data: object) -> None:
    assert from_data(data) == Conditions()
