"""What the tools refuse, with which words; and that whatever is thrown at them gets a result or a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from backstory.pipelines.request import says
from backstory.server import inputs, mcp_server, tools
from backstory.server.memory import Memory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def rows(memory: Memory) -> int:
    """How many rows there are of whatever a refused call must not have written."""

    def count(con: Any) -> int:
        tables = ("memory", "event", "turn", "evidence", "link", "terms", "workspace")
        return sum(con.execute(f"select count(*) from {table}").fetchone()[0] for table in tables)

    return memory.db.read(count)


REFUSED = [
    ("memory_search", {"commit": "main"}, "an id in hex"),
    ("memory_search", {"query": "x", "as_of": "2026-01-01", "status": "retired"}, "leave one of them out"),
    ("memory_search", {"known_as_of": "7d", "status": "archived"}, "leave one of them out"),
    ("memory_search", {"as_of": "2026-01-01", "file": "a.py"}, "name a time with `until`"),
    ("memory_search", {"query": "x", "as_of": "the other day"}, "`as_of`: 'the other day' is not a date"),
    ("memory_search", {"query": "x", "colour": "red"}, "does not take `colour`; it takes query, kind"),
    ("memory_search", {"scene": "painting"}, "`scene` is 'chat', 'working' or 'coding', not 'painting'."),
    ("memory_search", {"kind": "rumour"}, "not 'rumour'"),
    ("memory_search", {"status": "dead"}, "`status` is"),
    ("memory_search", {"limit": 0}, "`limit`"),
    ("memory_search", {"limit": 10**30}, "`limit`"),
    ("memory_search", {"limit": "many"}, "`limit`"),
    ("memory_search", {"page": -1}, "`page`"),
    ("memory_search", {"since": "soon"}, "`since`: 'soon' is not a date I can read"),
    ("memory_search", {"query": "x", "since": "2026-02-01", "until": "2026-01-01"}, "lies after"),
    ("memory_search", {"query": ["a"]}, "`query`"),
    ("memory_search", {"query": "x", "workspace": "no such place"}, "no workspace"),
    ("memory_search", {"format": "xml"}, "`format`"),
    ("memory_add", {}, "content"),
    ("memory_add", {"content": ""}, "empty"),
    ("memory_add", {"content": " \n\t"}, "empty"),
    ("memory_add", {"content": "x" * 100_001}, "100,001 characters; 100,000 are the limit"),
    ("memory_add", {"content": "x", "messages": [{"role": "user", "content": "y"}]}, "not both"),
    ("memory_add", {"messages": []}, "messages"),
    ("memory_add", {"messages": [{"role": "king", "content": "y"}]}, "role"),
    ("memory_add", {"messages": [{"role": "user"}]}, "`messages.0.content` is missing"),
    ("memory_add", {"messages": "hello"}, "`messages`"),
    ("memory_add", {"content": "x", "kind": "turn"}, "`kind`"),
    ("memory_add", {"content": "x", "importance": 2}, "`importance`"),
    ("memory_add", {"content": "x", "importance": float("nan")}, "`importance`"),
    ("memory_add", {"content": "x", "expires": "2001-01-01"}, "past"),
    ("memory_add", {"content": "x", "memory_at": "32 May"}, "`memory_at`"),
    ("memory_add", {"content": "x", "workspace": "all"}, "global"),
    ("memory_add", {"content": "x", "meta": ["a"]}, "`meta`"),
    (
        "memory_add",
        {"content": "x", "meta": {"a": "b" * 20_000}},
        "`meta`: it has 20,009 characters as JSON; 10,000 are the limit.",
    ),
    ("memory_add", {"content": "x", "meta": {"a": float("inf")}}, "without NaN or infinity"),
    ("memory_add", {"content": "x", "branch": "main"}, "recorded by itself"),
    ("memory_get", {}, "`id` is missing"),
    ("memory_get", {"id": "m999999"}, "no memory m999999"),
    ("memory_get", {"id": "src/a.py::parse"}, "no code history"),
    ("memory_get", {"id": "::"}, "Name a place"),
    ("memory_get", {"id": "t9", "view": "explain"}, "no turn t9"),
    ("memory_get", {"id": {"a": 1}}, "`id`"),
    ("memory_update", {"id": "m999999", "content": "x"}, "no memory m999999"),
    (
        "memory_update",
        {"id": "m1", "feedback": "good"},
        "`feedback` is 'helpful', 'unhelpful' or 'wrong', not 'good'.",
    ),
    ("memory_update", {"id": "m1", "valid_to": "never"}, "`valid_to`"),
    ("memory_delete", {"id": "m999999"}, "no memory m999999"),
    ("memory_delete", {}, "Say which: an id such as m42, or one of"),
    ("memory_delete", {"forget": True}, "Say which: an id such as m42, or one of"),
    ("memory_delete", {"id": "m999999", "forget": True}, "no memory m999999"),
    ("memory_delete", {"id": "m1", "query": "one memory"}, "an id, or query, not both"),
    ("memory_delete", {"query": "a.", "forget": True}, "too short"),
    ("memory_delete", {"query": "one memory", "file": "a.py"}, "not both"),
    ("memory_delete", {"workspace": "all", "forget": True}, "alone is everything"),
    ("memory_delete", {"since": "2026-05-02", "until": "2026-05-01"}, "lies after until"),
    ("memory_delete", {"filter": {"kind": "fact"}}, "does not take `filter`"),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"), REFUSED, ids=[f"{t} {json.dumps(a)[:40]}" for t, a, _ in REFUSED]
)
def test_bad_input_is_refused_with_a_sentence_and_nothing_is_written(
    memory: Memory, tool: str, arguments: dict[str, Any], said: str
) -> None:
    memory.add("There is one memory.")
    before = rows(memory)
    result = mcp_server.call(lambda: memory, tool, arguments)
    text = result.content[0].text  # type: ignore[union-attr]
    assert result.is_error
    assert said in text
    assert text.endswith(".")
    assert rows(memory) == before


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=400)
NUMBERS = st.integers() | st.floats()


def any_json(numbers: st.SearchStrategy[Any] = NUMBERS) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | numbers | ANY_TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
        max_leaves=5,
    )


NAMES = sorted(
    {name for model in (inputs.Search, inputs.Add, inputs.Get, inputs.Update) for name in model.model_fields}
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tool=st.sampled_from(list(tools.TOOLS)),
    arguments=st.dictionaries(st.sampled_from(NAMES), any_json(), max_size=4),
)
def test_any_arguments_get_a_result_or_a_sentence(
    memory: Memory, tool: str, arguments: dict[str, Any]
) -> None:
    before = rows(memory)
    result = mcp_server.call(lambda: memory, tool, arguments)
    text = result.content[0].text  # type: ignore[union-attr]
    text.encode()
    assert text.strip()
    assert "failed inside Backstory" not in text
    if result.is_error:
        assert len(text) < 2_000
        assert rows(memory) == before


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=ANY_TEXT, query=ANY_TEXT, meta=st.dictionaries(ANY_TEXT, any_json(st.integers()), max_size=2))
def test_any_text_can_be_kept_asked_for_and_shown(
    memory: Memory, content: str, query: str, meta: dict[str, Any]
) -> None:
    added = mcp_server.call(lambda: memory, "memory_add", {"content": content, "meta": meta})
    if says(inputs.clean(content)):
        # A nod, or what is encoded, is text as well; it is refused for what it is.
        assert not added.is_error or "nothing to keep" in added.content[0].text  # type: ignore[union-attr]
    else:
        assert added.is_error
    assert not mcp_server.call(lambda: memory, "memory_search", {"query": query}).is_error
    if not added.is_error:
        short = added.content[0].text.split()[1].rstrip(":")  # type: ignore[union-attr]
        assert not mcp_server.call(lambda: memory, "memory_get", {"id": short, "view": "evidence"}).is_error
