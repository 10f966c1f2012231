"""What fades, is rated and comes back, through the public interface."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory
from backstory.pipelines import rate, recall
from backstory.server import explain, mcp_server
from backstory.server.tool_calls import RUN
from backstory.server.tools import TOOLS
from backstory.store import cutter, ratings, turns
from backstory.store.clock import DAY_US
from backstory.store.errors import BadInput
from backstory.store.filters import Filter
from backstory.store.models import Packet, Scope
from backstory.store.rows import fetch, value
from backstory.tests.pipelines.working import Clock

QUAY = "The quay of the northern harbour has nine bollards."
DOCK = "The dry dock of the northern harbour takes two ships."


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home/backstory.db", embedder="hash", source="cursor", now=clock) as opened:
        yield opened


def live(memory: Memory, clock: Clock, days: int) -> None:
    """Let so many days of work go by, and what upkeep does in them."""
    for day in range(days):
        clock.move(DAY_US / 1e6)
        scope = Scope("me", None, f"day {clock.now}", "cursor")
        memory.db.write(turns.open_turn, scope, f"p{day}", at=clock.now)
    memory.tend()


def found(memory: Memory, question: str = "northern harbour", **given: Any) -> list[str]:
    return [hit.memory.short for hit in memory.search(question, **given).hits]


def prompted(memory: Memory, words: str) -> list[str]:
    wanted = Filter("me", memory.now(), ())
    packet: Packet = recall.recall(
        words, wanted, db=memory.db, ask=memory.vectors.ask, cut=cutter.load(), limit=10, prompted=True
    )
    return [hit.memory.short for hit in packet.hits]


def tokens(memory: Memory, table: str) -> list[int]:
    return [int(id_) for (id_,) in memory.db.read(fetch, f"select memory from {table} order by memory")]


def test_what_nobody_confirms_leaves_recall_and_keeps_its_text_and_evidence(
    memory: Memory, clock: Clock
) -> None:
    (old,) = memory.add(QUAY, origin="user")
    live(memory, clock, 300)
    assert found(memory) == []
    assert found(memory, status="archived") == [old.short]
    assert [m.short for m in memory.list(status="archived").memories] == [old.short]
    assert memory.list().total == memory.list(status="retired").total == 0
    detail = memory.get(old.id)
    assert (detail.memory.text, detail.memory.retired_at) == (QUAY, None)
    assert [one.quote for one in detail.evidence] == [QUAY]
    assert (tokens(memory, "terms"), tokens(memory, "past_terms")) == ([], [old.id])
    assert memory.db.read(value, "select count(*) from embedding") == 0
    told = RUN["memory_get"](memory, TOOLS["memory_get"].accepts.model_validate({"id": old.short}))
    assert "faded, archived 2026-" in told
    why = json.loads(explain.answer(memory, old.short, as_json=True))
    assert why["state"]["is"] == "archived"
    (step,) = [step for step in why["steps"] if step["step"] == "fade"]
    assert step["reason"].startswith("faded: as if ")


def test_a_reading_of_the_past_finds_what_has_faded_since(memory: Memory, clock: Clock) -> None:
    memory.add(QUAY, origin="user")
    then = clock.now
    live(memory, clock, 300)
    with_past = Filter("me", clock.now, (), as_of=then)
    packet = recall.recall("northern harbour", with_past, db=memory.db, ask=None, cut=cutter.load(), limit=5)
    assert [hit.memory.text for hit in packet.hits] == [QUAY]


@pytest.mark.parametrize("how", ["said again", "restored", "rated helpful"])
def test_what_had_faded_comes_back_as_it_was_and_stays(memory: Memory, clock: Clock, how: str) -> None:
    (old,) = memory.add(QUAY, origin="user")
    live(memory, clock, 300)
    match how:
        case "said again":
            (same,) = memory.add(QUAY)
            assert (same.id, same.verdict) == (old.id, "same")
        case "restored":
            updated = memory.update(old.id, restore=True)
            assert (updated.id, updated.revived) == (old.id, True)
        case _:
            assert memory.update(old.id, feedback="helpful").rated == "helpful"
    assert found(memory) == [old.short]
    live(memory, clock, 20)
    assert found(memory) == [old.short]
    assert memory.get(old.id).memory.archived_at is None
    assert (tokens(memory, "terms"), tokens(memory, "past_terms")) == ([old.id], [])
    assert memory.db.read(value, "select count(*) from embedding") == 1
    assert len(memory.get(old.id).versions) == 1


def test_a_correction_of_what_had_faded_is_recalled(memory: Memory, clock: Clock) -> None:
    (old,) = memory.add(QUAY, origin="user")
    live(memory, clock, 300)
    new = memory.update(old.id, content="The quay of the northern harbour has ten bollards.")
    assert found(memory) == [new.short]
    assert [m.short for m in memory.list(status="retired").memories] == [old.short]
    assert memory.list(status="archived").total == 0


def test_a_live_memory_cannot_be_restored(memory: Memory) -> None:
    (one,) = memory.add(QUAY)
    with pytest.raises(BadInput, match="is live already"):
        memory.update(one.id, restore=True)
    assert memory.db.read(value, "select count(*) from feedback") == 0


def test_a_standing_order_and_a_profile_stay(memory: Memory, clock: Clock) -> None:
    (profile,) = memory.add("The user moors only at the northern harbour.", kind="profile", origin="user")
    live(memory, clock, 400)
    assert found(memory) == [profile.short]


def test_nothing_fades_while_nobody_works(memory: Memory, clock: Clock) -> None:
    (one,) = memory.add(QUAY, origin="user")
    clock.move(5 * 365 * DAY_US / 1e6)
    memory.tend()
    assert found(memory) == [one.short]


def test_what_has_expired_counts_as_retired_not_as_faded(memory: Memory, clock: Clock) -> None:
    (short,) = memory.add(QUAY, expires=clock.now + DAY_US)
    clock.move(2 * DAY_US / 1e6)
    before = [m.short for m in memory.list(status="retired").memories]
    memory.tend()
    assert before == [m.short for m in memory.list(status="retired").memories] == [short.short]
    assert memory.list(status="archived").total == 0
    assert tokens(memory, "past_terms") == [short.id]
    assert found(memory, status="retired") == [short.short]


# Feedback.


def test_feedback_is_kept_and_trust_is_what_it_adds_up_to(memory: Memory, clock: Clock) -> None:
    (one,) = memory.add(QUAY)
    trusts = []
    for verdict in ("helpful", "unhelpful", "wrong"):
        clock.move(2 * DAY_US / 1e6)
        memory.update(one.id, feedback=verdict)
        trusts.append(memory.get(one.id).memory.trust)
    assert trusts[0] > 0.5 > trusts[2]
    assert trusts[0] > trusts[1] > trusts[2]
    rows = memory.db.read(fetch, "select verdict, source, session, length(ulid) from feedback order by ulid")
    assert rows == [(verdict, "cursor", None, 26) for verdict in ("helpful", "unhelpful", "wrong")]
    assert len(memory.get(one.id).versions) == 1


def test_one_session_is_heard_once_however_often_it_says_it(memory: Memory) -> None:
    (one,) = memory.add(QUAY)
    memory.update(one.id, feedback="helpful")
    once = memory.get(one.id).memory.trust
    for _ in range(5):
        memory.update(one.id, feedback="helpful")
    assert memory.get(one.id).memory.trust == once


def test_what_is_wrong_is_offered_to_nobody_until_it_is_corrected(memory: Memory) -> None:
    (one,) = memory.add(QUAY, origin="user")
    question = "How many bollards has the quay of the northern harbour?"
    assert prompted(memory, question) == [one.short]
    memory.update(one.id, feedback="wrong")
    assert prompted(memory, question) == []
    assert found(memory) == [one.short]  # who asks, is told
    new = memory.update(one.id, content="The quay of the northern harbour has ten bollards.")
    assert memory.get(new.id).memory.trust == 0.5
    assert prompted(memory, question) == [new.short]


def test_a_rating_and_a_correction_can_be_given_at_once(memory: Memory) -> None:
    (one,) = memory.add(QUAY, origin="user")
    new = memory.update(one.id, feedback="wrong", content=DOCK)
    assert (new.was, new.rated) == (one.short, "wrong")
    assert memory.get(new.id).memory.trust == 0.5


def test_a_version_of_the_same_text_keeps_what_was_said_of_it(memory: Memory) -> None:
    (one,) = memory.add(QUAY)
    memory.update(one.id, feedback="wrong")
    new = memory.update(one.id, importance=0.9)
    doubted = memory.get(new.id).memory.trust
    assert doubted < 0.2
    assert memory.db.write(_settled, new.id) == doubted


def _settled(con: Any, id_: int) -> float:
    con.execute("update memory set trust = 0.5 where id = ?", (id_,))
    (trust,) = rate.settle(con, ratings.rated(con))
    return trust


def test_trust_is_made_anew_when_the_settings_change_it_is_made_by(tmp_path: Path) -> None:
    path = tmp_path / "backstory.db"

    def trust(**options: Any) -> list[float]:
        with Memory.open(path, embedder="none", **options) as memory:
            memory.tend()
            return [one.trust for one in memory.list(workspace="all").memories]

    with Memory.open(path, embedder="none", session="s") as memory:
        (one,) = memory.add("Releases are cut on Thursdays.")
        memory.add("缓存三秒后变热。")
        memory.update(one.short, feedback="unhelpful")
    assert trust() == [0.5, pytest.approx(0.7 / 1.7)]
    assert trust(trust_unhelpful=0.5) == [0.5, pytest.approx(1 / 3)]
    assert trust() == [0.5, pytest.approx(0.7 / 1.7)]


def test_what_a_file_says_of_trust_is_made_anew_of_what_was_said(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here.db", embedder="none", session="s") as memory:
        (one,) = memory.add("Releases are cut on Thursdays.")
        memory.add("缓存三秒后变热。")
        memory.update(one.short, feedback="helpful")
        memory.export(tmp_path / "out.jsonl")
    told = (tmp_path / "out.jsonl").read_text("utf-8")
    (tmp_path / "out.jsonl").write_text(re.sub('"trust":[0-9.]+', '"trust":1.0', told), "utf-8")
    with Memory.open(tmp_path / "there.db", embedder="none") as memory:
        memory.import_(tmp_path / "out.jsonl")
        assert [one.trust for one in memory.list(workspace="all").memories] == [0.5, pytest.approx(1.3 / 2.3)]


def test_a_retired_memory_is_not_rated(memory: Memory) -> None:
    (one,) = memory.add(QUAY)
    memory.delete(one.id)
    with pytest.raises(BadInput, match="is retired"):
        memory.update(one.id, feedback="wrong")
    assert memory.db.read(value, "select count(*) from feedback") == 0


def test_an_agent_rates_by_tool_and_is_told(memory: Memory) -> None:
    (one,) = memory.add(QUAY)

    def update(**given: Any) -> str:
        return str(mcp_server.call(lambda: memory, "memory_update", given).content[0].text)  # type: ignore[union-attr]

    assert update(id=one.short, feedback="wrong") == f"rated wrong: {one.short}"
    both = update(id=one.short, feedback="helpful", importance=0.8)
    assert both.splitlines()[0] == f"rated helpful: {one.short}"
    assert "replaces" in both


# The order, in a search.


def test_of_two_that_answer_alike_the_important_and_the_trusted_come_first(memory: Memory) -> None:
    plain, important, doubted = (
        memory.add(f"The harbour master of berth {n} has a red hat.", importance=importance)[0]
        for n, importance in ((4, 0.5), (5, 0.9), (6, 0.5))
    )
    memory.update(doubted.id, feedback="unhelpful")
    assert found(memory, "red hat of the harbour master") == [important.short, plain.short, doubted.short]


def test_of_two_that_answer_alike_the_fresh_one_comes_first(memory: Memory, clock: Clock) -> None:
    old, new = (
        memory.add(f"The harbour master of berth {n} has a red hat.", origin="user")[0] for n in (4, 5)
    )
    assert found(memory, "red hat of the harbour master") == [new.short, old.short]
    live(memory, clock, 60)
    memory.update(old.id, feedback="helpful")
    assert found(memory, "red hat of the harbour master") == [old.short, new.short]


def test_strength_does_not_overturn_clear_relevance_nor_lift_over_the_floor(
    memory: Memory, clock: Clock
) -> None:
    (answer,) = memory.add(QUAY, importance=0.0)
    (near,) = memory.add("The harbour office sells fishing permits.", importance=1.0, origin="user")
    (other,) = memory.add("Tests run before each commit.", importance=1.0, origin="user")
    for _ in range(5):
        clock.move(DAY_US / 1e6)
        memory.update(near.id, feedback="helpful")
        memory.update(other.id, feedback="helpful")
    memory.update(answer.id, feedback="unhelpful")
    ranked = found(memory, "how many bollards has the quay of the northern harbour")
    assert ranked[0] == answer.short
    assert other.short not in ranked


def test_a_loud_memory_comes_with_a_prompt_only_where_it_answers_by_itself(
    memory: Memory, clock: Clock
) -> None:
    (loud,) = memory.add(
        "Release notes mention the harbour, the tests, the parser, the cache, the build and the queue.",
        origin="user",
    )
    (answer,) = memory.add(
        "The parser of manifests reads the customs file twice each morning.", origin="user"
    )
    question = "Why does the parser of manifests read the customs file twice each morning?"
    assert prompted(memory, question) == [answer.short, loud.short]
    memory.db.write(lambda con: con.execute("update memory set uses = 50 where id = ?", (loud.id,)))
    assert prompted(memory, question) == [answer.short]
    about_it = "What do the release notes mention of harbour, parser, cache, build and queue?"
    assert loud.short in prompted(memory, about_it)
    memory.update(loud.id, feedback="helpful")
    assert loud.short in prompted(memory, question)
