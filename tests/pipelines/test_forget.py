"""What follows from a wish to forget: passages and their blanks, who stands and who goes, what is known again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines import forget, forget_plan, known_again
from backstory.pipelines.blanking import blanked, bytes_changed, json_changed, telling, without
from backstory.pipelines.exchange import carry_out
from backstory.pipelines.forget_plan import Plan, Wanted
from backstory.pipelines.forget_preview import Preview
from backstory.store import events, lineage, memories, passage_marks, tombstones, turns
from backstory.store.db import Database
from backstory.store.events import content_hash
from backstory.store.folded import fold
from backstory.store.lineage import Leg
from backstory.store.memories import Quote
from backstory.store.models import NewEvent, NewMemory, Scope
from backstory.store.rows import fetch
from backstory.store.standing import Reach, plain
from backstory.store.tombstones import FILLER
from backstory.store.wording import Words
from backstory.store.words import Tokens
from hypothesis import given
from hypothesis import strategies as st

T0 = 1_760_000_000_000_000
ME = Scope(source="claude-code", session="s1")
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXTS, TEXTS, TEXTS)
def test_a_blanked_text_is_as_long_and_holds_the_words_no_more(before: str, words: str, after: str) -> None:
    text = f"{before}{words}{after}"
    whole, inside = Words([words]).look(text)
    left = blanked(text, [*whole, *inside])
    assert len(left) == len(text)
    assert left.count("\n") == text.count("\n")
    assert left.count("\0") == text.count("\0")
    if fold(words).replace("\0", "").strip(" " + FILLER):
        assert fold(words) not in fold(left)


@given(TEXTS, TEXTS)
def test_what_stands_beside_a_blank_stands_where_it_stood(before: str, after: str) -> None:
    words = "Quillfeather-77"
    left = blanked(f"{before}{words}{after}", [(len(before), len(before) + len(words))])
    assert (left[: len(before)], left[len(before) + len(words) :]) == (before, after)


@pytest.mark.parametrize(
    ("raw", "left"),
    [
        (b"a = 'Pelican'\nb", "a = '███████'\nb".encode()),
        (b"\xff\xfe pelican \x80", b"\xff\xfe " + FILLER.encode() * 7 + b" \x80"),
        ("口令：鹈鹕港".encode(), "口令：鹈鹕港".encode()),
    ],
)
def test_words_in_bytes_are_blanked_and_other_bytes_are_not(raw: bytes, left: bytes) -> None:
    assert bytes_changed(raw, lambda one: without(one, Words(["pelican"]))) == left


def test_json_is_blanked_in_its_texts_and_names() -> None:
    value = {"pelican": ["a pelican", 1, None, {"b": "heron"}]}
    done = json_changed(json.dumps(value), lambda one: without(one, Words(["pelican"])))
    assert json.loads(done) == {FILLER * 7: [f"a {FILLER * 7}", 1, None, {"b": "heron"}]}


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("use pnpm", False),
        ("yes", False),
        ("The vault opens at nine.", True),
        ("好的", False),
        ("我住在杭州", True),
    ],
)
def test_only_what_says_enough_is_looked_for_elsewhere(text: str, tells: bool) -> None:
    assert bool(telling([text])) is tells


def leg(memory: int, start: int, end: int, *, event: int = 1, kind: str = "fact") -> Leg:
    return Leg(memory, kind, event, start, end, "")


def test_a_quote_within_a_forgotten_one_is_spared_and_one_around_it_is_not() -> None:
    assert forget_plan.spans_of([leg(1, 0, 50)], [leg(2, 10, 20)], []) == ((0, 10), (20, 50))
    assert forget_plan.spans_of([leg(1, 10, 20)], [leg(2, 0, 50)], []) == ((10, 20),)
    assert forget_plan.spans_of([leg(1, 10, 20)], [leg(2, 10, 20)], [(40, 45)]) == ((10, 20), (40, 45))


def test_who_leans_on_what_goes_is_told_apart_from_who_does_not() -> None:
    legs = [leg(1, 0, 9), leg(2, 0, 9), leg(3, 20, 30), leg(4, 0, 5, event=2), leg(5, 0, 9, kind="turn")]
    leaning = forget_plan.leaning(legs, {1}, {2}, {1: ((0, 9),)})
    assert leaning == {2: forget_plan.OVERLAPS, 4: forget_plan.LEANS}


def said(
    db: Database, words: str, *, at: int = T0, prompt: str = "p1", session: str = "s1", key: str = "prompt",
    data: Mapping[str, Any] | None = None,
) -> int:  # fmt: skip
    """The event of a prompt."""
    scope = Scope(source="claude-code", session=session)

    def write(con: object) -> int:
        turn = turns.open_turn(con, scope, prompt, at=at)  # type: ignore[arg-type]
        assert turn is not None
        event = NewEvent(key, "user", "prompt", words, "user", at, data=data or {})
        return events.append(con, turn.id, event, now=at)[0]  # type: ignore[arg-type]

    return db.write(write)


def fact(db: Database, text: str, *quotes: tuple[int, int, int], **more: object) -> int:
    new = NewMemory("fact", "chat", ME, text, "user", **more)  # type: ignore[arg-type]
    return db.write(
        memories.insert, new, Tokens(text, "", ""), now=T0, evidence=[Quote(*quote) for quote in quotes]
    )


def forgotten(db: Database, tmp_path: object, *ids: int, **which: object) -> Preview:
    reach = Reach("me", which.pop("session", None))  # type: ignore[arg-type]
    wanted = Wanted(reach, ids=ids, **which)  # type: ignore[arg-type]
    return forget.forget(wanted, db=db, home=db.path.parent / "home", now=T0 + 1000, cut=None).what


def test_what_was_derived_from_it_alone_goes_and_what_has_other_legs_is_to_be_renewed(db: Database) -> None:
    first = said(db, "The vault opens at nine. The bank closes at five.")
    second = said(db, "Closing at five is still so.", prompt="p2")
    source = fact(db, "The vault opens at nine", (first, 0, 24))
    alone = fact(db, "Opening hours begin early", (first, 0, 24))
    both = fact(db, "Opening hours are known", (first, 0, 24), (second, 0, 10))
    for one in (alone, both):
        db.write(memories.link, one, source, "derived_from", now=T0)

    told = forgotten(db, None, source)

    assert told.memories.count == 2
    assert db.read(fetch, "select id, renew_at from memory") == [(both, T0 + 1000)]


def test_what_was_drawn_from_another_that_stands_or_only_adds_to_it_stays(db: Database) -> None:
    event = said(db, "The vault opens at nine. The bank closes at five.")
    source = fact(db, "The vault opens at nine", (event, 0, 24))
    other = fact(db, "The bank closes at five", (event, 25, 49))
    of_both = fact(db, "Opening hours are kept", (event, 0, 24))
    door = said(db, "There is a second door at the back.", prompt="p2")
    beside = fact(db, "It has a second door", (door, 0, 35))
    db.write(memories.link, of_both, source, "derived_from", now=T0)
    db.write(memories.link, of_both, other, "derived_from", now=T0)
    # How two statements bear on each other is no leg.
    db.write(memories.link, source, beside, "derived_from", now=T0, data={"relation": "supplement"})

    assert forgotten(db, None, beside).memories.count == 1
    assert forgotten(db, None, source).memories.count == 1
    assert db.read(fetch, "select id, renew_at from memory order by id") == [
        (other, None),
        (of_both, T0 + 1000),
    ]


def test_what_rests_on_forgotten_words_stands_by_another_memory_that_does(db: Database) -> None:
    gone = said(db, "The vault opens at nine. Opening hours are kept.", session="s1")
    stays = said(db, "The bank closes at five.", prompt="p2", session="s2")
    other = fact(db, "The bank closes at five", (stays, 0, 24))
    held = fact(db, "Opening hours are kept", (gone, 25, 48))
    alone = fact(db, "The vault opens at nine", (gone, 0, 24))
    db.write(memories.link, held, other, "derived_from", now=T0)

    forgotten(db, None, session="s1")

    assert db.read(fetch, "select id, renew_at from memory where kind <> 'turn' order by id") == [
        (other, T0 + 1000),
        (held, T0 + 1000),
    ]
    assert alone not in (other, held)


def test_one_way_to_forget_here_and_for_another_file(tmp_path: Path) -> None:
    text = "Ask Anna or Joanna about it. 问王伟或者王伟强。"
    file, copied = tmp_path / "here.db", tmp_path / "there.db"
    with closing(Database.open(file)) as db:
        said(db, text, key=f"message:{content_hash(text)[:12]}", data={"told": "ANNA, Joanna", "to": "王偉"})
    shutil.copy(file, copied)
    here, there = Database.open(file), Database.open(copied)
    forget.forget(Wanted(Reach("me"), query="Anna"), db=here, home=tmp_path, now=T0 + 1000, cut=None)
    forget.forget(Wanted(Reach("me"), query="王伟"), db=here, home=tmp_path, now=T0 + 2000, cut=None)
    marks = here.read(tombstones.every)
    there.write(carry_out.carry_out, marks, now=T0 + 3000, cut=None)

    seen = [db.read(fetch, "select content, data, key, hash, blanked_at from event") for db in (here, there)]
    assert seen[0] == seen[1]
    assert seen[0][0][0] == "Ask ████ or Joanna about it. 问██或者王伟强。"
    assert json.loads(seen[0][0][1]) == {"told": "████, Joanna", "to": "██"}
    assert seen[0][0][2] == here.read(fetch, "select 'blanked:' || ulid from event")[0][0]
    here.close()
    there.close()


def test_an_event_that_nobody_else_rests_on_goes_whole(db: Database) -> None:
    event = said(db, "The vault opens at nine. Whatever.")
    told = forgotten(db, None, fact(db, "The vault opens at nine", (event, 0, 24)))
    assert (told.events.count, told.blanked.count) == (1, 0)
    assert db.read(fetch, "select count(*) from event") == [(0,)]
    assert db.read(fetch, "select count(*) from turn") == [(0,)]


def test_evidence_of_others_reads_as_before(db: Database) -> None:
    event = said(db, "The vault opens at nine. 银行五点关门。 The vault opens at nine.")
    gone = fact(db, "The vault opens at nine", (event, 0, 24))
    fact(db, "银行五点关门", (event, 25, 32))
    forgotten(db, None, gone)
    ((content, quote),) = db.read(
        fetch,
        """
        select content, substr(content, start + 1, end - start)
        from evidence join event on event.id = evidence.event""",
    )
    assert quote == "银行五点关门。"
    assert "nine" not in content
    assert len(content) == len("The vault opens at nine. 银行五点关门。 The vault opens at nine.")


def test_words_of_another_user_are_not_touched(db: Database) -> None:
    theirs = NewMemory("fact", "chat", Scope("you"), "The vault opens at nine", "user")
    id_ = db.write(memories.insert, theirs, Tokens("vault", "", ""), now=T0)
    fact(db, "The vault opens at nine")
    forgotten(db, None, query="vault opens at nine")
    assert [one.id for one in db.read(lineage.kept, [id_])] == [id_]


def test_an_empty_plan_is_empty() -> None:
    assert Plan(words=Words(["x"])).empty
    assert not Plan(turns=frozenset([1])).empty


PASSAGES = [
    ("The vault opens with Quillfeather-77.", "He says the VAULT opens with\nquillfeather-77, you know."),
    ("保险库的口令是青瓷灯塔七号", "他说：保险库的口令是青瓷灯塔七号！大家都知道。"),
    (" ".join(f"word{n}" for n in range(40)), "x " + "  ".join(f"Word{n}" for n in range(40)) + " y"),
]


@pytest.mark.parametrize(("gone", "told"), PASSAGES, ids=["en", "zh", "long"])
def test_a_marked_passage_is_known_again_inside_another_text(db: Database, gone: str, told: str) -> None:
    db.write(passage_marks.bury_passages, [gone], now=T0)
    spans = db.read(passage_marks.passages, told, before=T0 - 1)
    left = blanked(told, spans)
    assert plain(gone.strip("."))[:20] not in plain(" ".join(left.split()))
    assert left.strip(FILLER + " \n\t,.!！，：。") not in ("", told)
    assert db.read(passage_marks.passages, told, before=T0 + 1) == ()
    assert db.read(passage_marks.passages, "Nothing of the kind. 与此无关。", before=0) == ()
    assert db.read(known_again.forgotten_at, told) == T0


def test_marks_travel_as_they_are(db: Database) -> None:
    db.write(passage_marks.bury_passages, ["The vault opens with Quillfeather-77"], now=T0)
    db.write(tombstones.bury_spans, "01EVENT", [(3, 9)], now=T0)
    db.write(tombstones.bury_spans, "01OTHER", [], now=T0)
    other = Database.open(":memory:")
    for mark in db.read(tombstones.every):
        other.write(tombstones.put, mark)
    assert other.read(tombstones.every) == db.read(tombstones.every)
    assert other.read(passage_marks.passages, "the vault opens with quillfeather-77") == ((0, 36),)
    assert other.read(tombstones.blanked, "01OTHER") == ()
    assert "vault" not in json.dumps(other.read(fetch, "select * from tombstone"))
    other.close()
