from __future__ import annotations

import json
from typing import Any

import pytest
from backstory.server import jsonc
from hypothesis import given, settings
from hypothesis import strategies as st

OURS = {"type": "command", "args": ["-c", "try:\n pass"], "timeout": 5}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'),
        ('{"x":1}', '{"x":1,"a":{"b":[1]}}'),
        ('{"x": 1}', '{"x": 1, "a": {"b": [1]}}'),
        ('{"x":{}, "a":{"b":[]}}', '{"x":{}, "a":{"b":[1]}}'),
        ('{\n\t"x": 1\n}\n', '{\n\t"x": 1,\n\t"a": {\n\t\t"b": [\n\t\t\t1\n\t\t]\n\t}\n}\n'),
        ('{\r\n    "a": {"b": [0]}\r\n}\r\n', '{\r\n    "a": {"b": [0, 1]}\r\n}\r\n'),
        ('{\r\n "x": 1\r\n}', '{\r\n "x": 1,\r\n "a": {\r\n  "b": [\r\n   1\r\n  ]\r\n }\r\n}'),
        (
            '{\n  "x": 1, // one\n  /* end */\n}\n',
            '{\n  "x": 1, // one\n  /* end */\n  "a": {\n    "b": [\n      1\n    ]\n  },\n}\n',
        ),
        (
            '{\n  "x": 1 // one, last\n}\n',
            '{\n  "x": 1, // one, last\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}\n',
        ),
        (
            "// head\n{\n  // only\n}\n// foot",
            '// head\n{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n  // only\n}\n// foot',
        ),
        ('{"a": {"b": [9]}, "a": {"b": [0]}}', '{"a": {"b": [9]}, "a": {"b": [0, 1]}}'),
        ('{"u": "\\u4e2d // no comment", "a": {}}', '{"u": "\\u4e2d // no comment", "a": {"b": [1]}}'),
    ],
)
def test_only_what_is_named_changes_and_comes_out_again(before: str, after: str) -> None:
    changed = jsonc.append(before, ["a", "b"], 1)
    assert changed == after
    had = jsonc.find(before, ["a", "b"])
    back = jsonc.drop(changed, ["a", "b", len(had.entries or ()) if had else 0])
    if jsonc.find(before, ["a", "b"]) is None:
        back = jsonc.drop(back, ["a", "b"])
    if jsonc.find(before, ["a"]) is None:
        back = jsonc.drop(back, ["a"])
    assert back == before


@pytest.mark.parametrize(
    ("text", "path", "left"),
    [
        ('{"a": 1, "b": 2, "c": 3}', ["b"], '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2}', ["a"], '{"b": 2}'),
        ("[1, 2, 3]", [2], "[1, 2]"),
        ("[1]", [0], "[]"),
        (
            '{\n  "a": 1,\n  // mine\n  "b": 2, // too\n  "c": 3\n}',
            ["b"],
            '{\n  "a": 1,\n  // mine\n  // too\n  "c": 3\n}',
        ),
        ('{\n  // mine\n  "b": 2, "c": 3\n}', ["b"], '{\n  // mine\n  "c": 3\n}'),
        ('{\n  "a": 1, // one\n  "b": 2 }', ["b"], '{\n  "a": 1 // one\n  }'),
        ("[\n  1,\n  2,\n]", [1], "[\n  1,\n]"),
        ("[ /* x */ 1 /* y */ ]", [0], "[ /* x */ /* y */ ]"),
    ],
)
def test_an_entry_is_taken_out_with_its_comma(text: str, path: list[str | int], left: str) -> None:
    found = jsonc.drop(text, path)
    assert found == left
    jsonc.parse(found)


def test_a_value_is_replaced_where_it_stands() -> None:
    text = '{\n  "m": {\n    "old": {"k": 1}, // note\n    "x": 2\n  }\n}\n'
    assert (
        jsonc.put(text, ["m", "old"], {"k": [2]})
        == '{\n  "m": {\n    "old": {\n      "k": [\n        2\n      ]\n    }, // note\n    "x": 2\n  }\n}\n'
    )
    assert jsonc.put(text, ["m", "old"], {"k": 1}) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1 cannot"),
        ("{", "line 1 cannot"),
        ('{\n  "a" 1\n}', "line 2 cannot"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3 cannot"),
        ("{'a': 1}", "line 1 cannot"),
        ('{"a": 1} x', "line 1 cannot"),
        ('{"a": undefined}', "line 1 cannot"),
        ('{"a": "\\x"}', "line 1 cannot"),
        ('{"a": 1} /* open', "line 1 cannot"),
        ("[,]", "line 1 cannot"),
        ("[" * 5000, "nested deeper"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(jsonc.NotJson, match=said):
        jsonc.parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "the whole is not an object"),
        ('{"a": 3}', "a is not an object"),
        ('{"a": {"b": {}}}', "a.b is not a list"),
    ],
)
def test_another_shape_is_refused(text: str, said: str) -> None:
    with pytest.raises(jsonc.NotJson, match=said):
        jsonc.append(text, ["a", "b"], 1)


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
STYLES = st.sampled_from(
    [
        {"indent": 2},
        {"indent": 4},
        {"indent": "\t"},
        {},
        {"separators": (",", ":")},
        {"indent": 2, "ensure_ascii": False},
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.text(max_size=4).filter(lambda key: key not in ("hooks", "mcpServers")), DOCUMENTS, max_size=4
    ),
    STYLES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n"]),
)
def test_any_document_gets_its_bytes_back(
    document: dict[str, Any], style: dict[str, Any], line: str, end: str
) -> None:
    text = (json.dumps(document, **style) + end).replace("\n", line)
    changed = jsonc.put(jsonc.append(text, ["hooks", "Stop"], OURS), ["mcpServers", "ours"], OURS)
    assert json.loads(changed) == document | {"hooks": {"Stop": [OURS]}, "mcpServers": {"ours": OURS}}
    assert jsonc.parse(changed).value == json.loads(changed)
    assert jsonc.drop(jsonc.drop(changed, ["mcpServers"]), ["hooks"]) == text


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='{}[]",:/* \n1atrue\\', max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        node = jsonc.parse(text)
    except jsonc.NotJson:
        return
    if node.is_object:
        jsonc.parse(jsonc.put(text, ["ours"], OURS))
        jsonc.parse(jsonc.append(text, ["list"], OURS)) if jsonc.find(text, ["list"]) is None else None
    for entry in node.entries or ():
        jsonc.parse(jsonc.drop(text, [entry.key]))
