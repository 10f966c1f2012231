"""A model may say what a statement is to its neighbours; nothing is put away on its word alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from backstory.pipelines.reconcile import Decision, Relation
from backstory.pipelines.reconcile_model import NEIGHBOURS, Weighed, question, weigh
from backstory.store import memories
from backstory.store.db import Database
from backstory.store.models import Memory, NewMemory, Scope
from backstory.tests.model_server import refuses, says
from backstory.tests.pipelines.asking_a_model import NOW, Rig, rig
from backstory.tests.shelf import add

from .windowed import nonces, one_model


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with one_model(tmp_path_factory.mktemp("asked")) as made:
        yield made


def held(at: Rig, text: str, **more: Any) -> Memory:
    """A memory that is known."""
    found = at.db.read(memories.by_id, add(at.db, text, at=NOW, **more))
    assert found is not None
    return found


def new(text: str, origin: Any = "user", **more: Any) -> NewMemory:
    return NewMemory(more.pop("kind", "fact"), "chat", Scope(), text, origin, **more)


def weighed(at: Rig, said: NewMemory, near: list[Memory], **opinion: Any) -> Weighed:
    at.server.asked.clear()
    at.server.script = [says(opinion)]
    return weigh(at.model, said, near, now=NOW, deadline_s=5)


def test_what_is_new_is_added(at: Rig) -> None:
    got = weighed(at, new("I play the viola."), [held(at, "I live in Bonn.")], verb="add", reason="new")
    assert got.decision == Decision("add", "new")
    assert got.spent is not None
    assert got.kept_back is None


@pytest.mark.parametrize("relation", ["supplement", "conflict"])
def test_what_stands_beside_an_old_one_is_added_with_its_relation(at: Rig, relation: Any) -> None:
    old = held(at, "预发库端口是 5433")
    got = weighed(
        at, new("预发库只有只读账号"), [old], verb="add", number=1, relation=relation, reason="同一个库"
    )
    assert got.decision == Decision("add", "同一个库", old, relation)


def says_of(subject: str, predicate: str, value: str, **more: Any) -> dict[str, Any]:
    return {"data": {"subject": subject, "predicate": predicate, "value": value}, **more}


@pytest.mark.parametrize("relation", ["override", "temporal", "negate"])
@pytest.mark.parametrize(
    ("known", "text"),
    [
        (
            ("The billing team uses vim.", says_of("billing team", "uses", "vim")),
            ("The billing team uses Helix.", says_of("Billing team", "uses", "Helix")),
        ),
        (
            ("Billing listens on port 5433.", says_of("billing", "listens on", "port 5433")),
            ("Billing listens on 5434 now: port 5434.", says_of("billing", "listens on", "port 5434")),
        ),
        (("Staging listens on port 5433.", {}), ("Staging listens on port 5434 now.", {})),
        (("预发库端口是 5433", {}), ("预发库端口现在是 5434", {})),
        (("上限是三个请求", {}), ("上限是五个请求", {})),
    ],
)
def test_the_users_own_words_take_the_place_of_another_value_of_the_same_thing(
    at: Rig, relation: Any, known: tuple[str, dict[str, Any]], text: tuple[str, dict[str, Any]]
) -> None:
    old = held(at, known[0], **known[1])
    near = [held(at, "I like tea."), old]
    got = weighed(
        at, new(text[0], **text[1]), near, verb="update", number=2, relation=relation, reason="moved"
    )
    assert got.decision == Decision("update", "moved", old, relation)
    assert got.kept_back is None


def test_a_slot_has_one_current_value(at: Rig) -> None:
    old = held(at, "I live in Hamburg.", slot="lives:city")
    said = new("I live in Berlin now.", slot="lives:city")
    got = weighed(at, said, [old], verb="update", number=1, relation="override", reason="moved")
    assert got.decision == Decision("update", "moved", old, "override")


GRAFANA = "the billing service has a metrics dashboard at grafana"


@pytest.mark.parametrize("relation", ["override", "temporal", "negate"])
@pytest.mark.parametrize("verb", ["update", "retire"])
@pytest.mark.parametrize(
    ("known", "text"),
    [
        (
            (GRAFANA, says_of("user", "notes", GRAFANA)),
            (
                "the billing service uses port 9000 for metrics now",
                says_of("billing service", "uses", "port 9000"),
            ),
        ),
        (
            (GRAFANA, says_of("user", "notes", GRAFANA)),
            (
                "the billing service has no shipping code",
                says_of("user", "notes", "the billing service has no code"),
            ),
        ),
        (
            ("Billing uses PostgreSQL.", says_of("billing", "uses", "PostgreSQL")),
            ("Billing uses port 9000.", says_of("billing", "uses", "port 9000")),
        ),
        (
            ("Billing listens on port 5433.", says_of("billing", "listens on", "port 5433")),
            ("Shipping listens on port 5434.", says_of("shipping", "listens on", "port 5434")),
        ),
        (("The limit of staging_db is 60.", {}), ("The limit of prod_db is 600.", {})),
        (("Our shard A listens on port 5433.", {}), ("Our shard B listens on port 5434.", {})),
        (("Shard 1 listens on port 5433.", {}), ("Shard 2 listens on port 5434.", {})),
        (("分片 1 的端口是 5433", {}), ("分片 2 的端口是 5434", {})),
        (("I use Docker Desktop at home.", {}), ("I don't use Docker Desktop on the laptop.", {})),
        (("I use tabs in Go.", {}), ("I don't use tabs in Python, only in Go they stay.", {})),
        (("预发库每天凌晨重建", {}), ("预发库只有只读账号，不能写", {})),
        (
            ("I live in Rome.", says_of("user", "lives in", "Rome")),
            ("I live in Rome, not in Berlin.", says_of("user", "lives in", "Rome")),
        ),
    ],
)
def test_one_wrong_answer_ends_nothing_that_another_statement_says_nothing_of(
    at: Rig, verb: str, relation: Any, known: tuple[str, dict[str, Any]], text: tuple[str, dict[str, Any]]
) -> None:
    old = held(at, known[0], **known[1])
    got = weighed(at, new(text[0], **text[1]), [old], verb=verb, number=1, relation=relation, reason="gone")
    assert got.decision is not None
    assert (got.decision.verb, got.decision.old) == ("add", old)
    assert got.decision.relation in ("supplement", "conflict")
    assert got.kept_back


def test_what_is_over_is_put_away_in_the_users_own_words(at: Rig) -> None:
    old = held(at, "I use Docker Desktop.")
    got = weighed(
        at, new("I no longer use Docker Desktop."), [old], verb="retire", number=1, relation="negate"
    )
    assert got.decision == Decision("update", "a model says retire", old, "negate")


@pytest.mark.parametrize("number", [0, 3, -1, 99])
@pytest.mark.parametrize("verb", ["update", "retire", "skip", "add"])
def test_a_number_that_was_not_shown_decides_nothing(at: Rig, verb: str, number: int) -> None:
    near = [held(at, "I live in Hamburg."), held(at, "I like tea.")]
    got = weighed(at, new("I live in Berlin."), near, verb=verb, number=number, relation="override")
    if verb == "add" and number == 0:
        assert got.decision == Decision("add", "a model says add")
    else:
        assert got.decision is None
        assert got.kept_back


@pytest.mark.parametrize("verb", ["update", "retire"])
@pytest.mark.parametrize(
    ("text", "more", "relation", "why"),
    [
        ("I live in Berlin.", {"origin": "agent"}, "override", "not in the user's own words"),
        ("I live in Berlin.", {"origin": "external"}, "override", "not in the user's own words"),
        ("I live in Berlin.", {"confidence": 0.4}, "override", "only implied"),
        ("I live in Berlin.", {"kind": "intention"}, "override", "a intention ends no fact"),
        ("I live in Berlin.", {}, "supplement", "no relation that ends the old one"),
        ("I live in Berlin.", {}, "conflict", "no relation that ends the old one"),
        ("I live in Berlin.", {}, None, "no relation that ends the old one"),
    ],
)
def test_else_both_stay(at: Rig, verb: str, text: str, more: dict[str, Any], relation: Any, why: str) -> None:
    old = held(at, "I live in Hamburg.")
    got = weighed(at, new(text, **more), [old], verb=verb, number=1, relation=relation, reason="gone")
    kept: Relation = "supplement" if relation == "supplement" else "conflict"
    assert got.decision == Decision("add", "both stay: gone", old, kept)
    assert got.kept_back == why


def test_another_workspaces_memory_is_not_put_away(at: Rig) -> None:
    old = held(at, "We deploy on Tuesday.")
    said = NewMemory("fact", "chat", Scope(workspace=7), "We deploy on Monday.", "user")
    got = weighed(at, said, [old], verb="update", number=1, relation="override")
    assert got.decision is not None
    assert (got.decision.verb, got.kept_back) == ("add", "not of the same place")


def test_an_older_statement_does_not_end_a_newer_one(at: Rig) -> None:
    old = held(at, "I live in Hamburg.", valid_from=NOW)
    got = weighed(
        at, new("I live in Berlin.", valid_from=NOW - 1), [old], verb="update", number=1, relation="override"
    )
    assert got.decision is not None
    assert got.decision.verb == "add"


@pytest.mark.parametrize(
    ("text", "known", "verb"),
    [
        ("I like strong tea.", "I like tea, strong.", "skip"),
        ("I play the viola in a quartet.", "I like tea.", "add"),
        ("我周末在乐队拉中提琴", "我喜欢喝茶", "add"),
        ("上限是三个请求", "上限是 3 个请求", "skip"),
        ("The limit is 60.", "The limit is 600.", "add"),
        ("I don't like tea.", "I like tea.", "add"),
        ("我不喜欢喝茶", "我喜欢喝茶", "add"),
        ("The port of staging_db is open.", "The port of prod_db is open.", "add"),
        ("We run 3.11.", "We run 3.12.", "add"),
    ],
)
def test_only_what_says_nothing_more_is_skipped(at: Rig, text: str, known: str, verb: str) -> None:
    old = held(at, known)
    got = weighed(at, new(text), [old], verb="skip", number=1, reason="same")
    assert got.decision is not None
    assert (got.decision.verb, got.decision.old) == (verb, old)
    assert (got.kept_back is None) == (verb == "skip")


@pytest.mark.parametrize("wild", ["", "x" * 900, "a\nb"])
def test_a_reason_is_one_short_line(at: Rig, wild: str) -> None:
    got = weighed(at, new("I play the viola."), [], verb="add", reason=wild)
    assert got.decision is not None
    assert 0 < len(got.decision.reason) <= 120
    assert "\n" not in got.decision.reason


def test_without_an_answer_the_rules_decide(db: Database) -> None:
    with rig(db, [refuses(401)]) as own:
        got = weigh(own.model, new("I play the viola."), [], now=NOW, deadline_s=5)
        assert got.decision is None
        assert got.declined is not None
    with rig(db, [says({"verb": "destroy", "number": 1})], model="other") as own:
        got = weigh(own.model, new("I play the viola."), [], now=NOW, deadline_s=5)
        assert got.decision is None


def test_a_model_sees_eight_neighbours_by_number_and_no_ids(at: Rig) -> None:
    near = [held(at, f"Note about tea {'x' * n}", valid_from=NOW) for n in range(12)]
    asked = question(new("I like tea."), near[:NEIGHBOURS], nonces("n1"), now=NOW)
    assert asked.user.splitlines()[0] == '<old-n1 number="1" day="2026-01-05">'
    assert asked.user.count("<old-n1") == 8
    assert asked.user.endswith('<new-n1 day="2026-01-05">\nI like tea.\n</new-n1>')
    assert not any(one.short in asked.user or one.ulid in asked.user for one in near)
    weighed(at, new("I like tea."), near, verb="add")
    assert at.server.asked[0].text.count("<old-") == 8
