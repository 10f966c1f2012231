"""A turn folds under what was drawn from it, unless the turn is what answers; with a server and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from backstory.pipelines import fold, recall
from backstory.store import clock, cutter, events, memories, peek, turns, words
from backstory.store.db import Database
from backstory.store.filters import Filter
from backstory.store.models import Hit, Kind, NewEvent, NewMemory, Scene, Scope

TURN = (
    "The fetcher gives up on a broken connection, make it retry three times. By the way, I indent with tabs.\n\n"
    "Done: the exponential backoff lives in fetch.py now."
)
ZH_TURN = "支付服务遇到断线就放弃，改成重试三次。顺便说一下，我习惯用制表符缩进。\n\n已完成：指数退避写在 fetch.py 里。"


@pytest.fixture
def turn(db: Database) -> int:
    opened = db.write(turns.open_turn, Scope(source="c", session="old"), "p", at=clock.now())
    assert opened is not None
    return opened.id


@pytest.fixture
def keep(db: Database, turn: int) -> Callable[..., int]:
    """Something on the shelf that was drawn from the turn, or is the turn."""

    def put(text: str, kind: Kind = "fact", scene: Scene = "chat", turn: int | None = turn) -> int:
        new = NewMemory(kind, scene, Scope(source="c", session="old"), text, "user", turn=turn)
        return db.write(memories.insert, new, words.index(text, cutter.load()), now=clock.now())

    return put


def found(db: Database, question: str) -> list[Hit]:
    wanted = Filter("me", clock.now())
    return list(recall.recall(question, wanted, db=db, ask=None, cut=cutter.load(), limit=10).hits)


def seen_by_a_hook(db: Database, question: str) -> list[str]:
    con = peek.open_file(str(db.path.parent), within_s=5)
    rows, _ = peek.search(con, question, peek.Place("me", [], "c", "new", clock.now()), limit=10)
    con.close()
    return [row.text for row in rows]


@pytest.mark.parametrize(
    ("told", "work", "wish", "about_work", "about_wish", "about_both"),
    [
        (
            TURN,
            "Asked: the fetcher gives up on a broken connection; edited fetch.py. Outcome: done.",
            "I indent with tabs.",
            "Why did the fetcher give up on a broken connection?",
            "Do I indent with tabs?",
            "Does the fetcher with its broken connection indent with tabs?",
        ),
        (
            ZH_TURN,
            "要求：支付服务遇到断线就放弃；修改了 fetch.py。结果：完成。",
            "我习惯用制表符缩进。",
            "支付服务遇到断线为什么放弃？",
            "我习惯用制表符缩进吗？",
            "断线就放弃，习惯用制表符缩进",
        ),
    ],
)
def test_a_turn_stays_where_only_another_matter_was_found_beside_it(
    db: Database, keep: Callable[..., int], told: str, work: str, wish: str, about_work: str, about_wish: str,
    about_both: str,
) -> None:  # fmt: skip
    keep(told, "turn", "coding")
    keep(wish, "profile")
    for n in range(30):
        keep(f"Lunch {n} was served at noon. 第{n}次午餐在中午。", turn=None)
    # The preference was said in that turn; it does not stand for the work that was done in it.
    for texts in ([hit.memory.text for hit in found(db, about_both)], seen_by_a_hook(db, about_both)):
        assert sorted(texts) == sorted([told, wish])
    for texts in ([hit.memory.text for hit in found(db, about_wish)], seen_by_a_hook(db, about_wish)):
        assert texts == [wish]
    keep(work, "fact", "coding")
    for texts in ([hit.memory.text for hit in found(db, about_work)], seen_by_a_hook(db, about_work)):
        assert texts == [work]
    for texts in ([hit.memory.text for hit in found(db, about_both)], seen_by_a_hook(db, about_both)):
        assert sorted(texts) == sorted([work, wish])  # together they hold all of it


def test_what_only_the_reply_tells_is_not_lost(db: Database, keep: Callable[..., int]) -> None:
    keep(TURN, "turn", "coding")
    keep("Asked: the fetcher gives up; edited fetch.py. Outcome: done.", "fact", "coding")
    question = "Where does the exponential backoff of the fetcher live?"
    assert TURN in [hit.memory.text for hit in found(db, question)]
    assert TURN in seen_by_a_hook(db, question)


def test_what_a_turn_folds_under_takes_the_better_of_both_scores(
    db: Database, keep: Callable[..., int]
) -> None:
    """The fact is long-winded, so that by itself it would stand behind what is only near the question."""
    asked = "How often does the fetcher retry on a broken connection?"
    keep("The fetcher: retry on a broken connection, often.", "turn", "coding")
    fact = keep(
        "The fetcher was made to retry on a broken connection, as often as three times. " + "It took a while. " * 40,
        "fact", "coding",
    )  # fmt: skip
    other = keep("A broken connection makes the uploader retry.", turn=None)
    (first, second) = found(db, asked)
    assert [first.memory.id, second.memory.id] == [fact, other]
    assert first.score > second.score


def test_scores_fall_from_the_first_to_the_last_after_folding(db: Database, keep: Callable[..., int]) -> None:
    keep("parser comments lexer trivia tokens", "turn")
    keep("parser comments lexer trivia tokens, and what else was said of them that day " + "and on " * 60)
    for n in range(6):
        keep("parser comments " + "and more " * n, turn=None)
    scores = [hit.score for hit in found(db, "parser comments lexer trivia tokens")]
    assert len(scores) == 7
    assert scores == sorted(scores, reverse=True)


def test_each_of_several_questions_keeps_its_own_answer(db: Database, keep: Callable[..., int]) -> None:
    keep(TURN, "turn", "coding")
    keep("I indent with tabs.", "profile")
    questions = ["Do I indent with tabs?", "Where does the exponential backoff live?"]
    packet = recall.several(
        questions, Filter("me", clock.now()), db=db, ask=None, cut=cutter.load(), limit=10
    )
    assert sorted(hit.memory.text for hit in packet.hits) == sorted([TURN, "I indent with tabs."])


@pytest.mark.parametrize(("scene", "left"), [("coding", ["fact"]), ("chat", ["turn", "fact"])])
def test_what_was_found_by_its_meaning_folds_under_what_is_of_the_same_scene(
    db: Database, keep: Callable[..., int], scene: Scene, left: list[str]
) -> None:
    """The question shares no word with them, being in another language."""
    ids = [keep(TURN, "turn", "coding"), keep("Made the fetcher retry.", "fact", scene)]
    rows = db.read(memories.by_ids, ids)
    hits = [Hit(rows[ids[0]], 0.9, ("vectors",)), Hit(rows[ids[1]], 0.5, ("words",))]
    query = words.query("断线之后会怎样", cutter.load())
    folded = db.read(fold.folded, query, hits)
    assert [hit.memory.kind for hit in folded] == left
    assert folded[0].score == 0.9
    assert folded[0].why == (("words", "vectors") if scene == "coding" else ("vectors",))


SAID_TWICE = [
    (
        "The staging database listens on port 5433.", "Staging database listens on port 5433",
        "staging database port", "said 2 times",
    ),
    ("预发数据库监听 5433 端口。", "预发的数据库监听端口 5433", "预发数据库的端口", "说过 2 次"),
]  # fmt: skip


def rest_on(db: Database, turn: int, memory: int, text: str) -> None:
    """Let a memory have an event of its own to rest on."""
    note = NewEvent(f"k{memory}", "assistant", "note", text, "agent", clock.now())
    event, _ = db.write(events.append, turn, note, now=clock.now())
    db.write(memories.support, memory, [memories.Quote(event, 0, len(text))])


@pytest.mark.parametrize(("one", "other", "question", "remark"), SAID_TWICE)
def test_what_says_the_same_is_shown_once_with_how_often_it_was_said(
    db: Database, keep: Callable[..., int], turn: int, one: str, other: str, question: str, remark: str
) -> None:
    for text in (one, other):
        rest_on(db, turn, keep(text, turn=None), text)
    hits = found(db, question)
    assert [(hit.memory.text in (one, other), hit.remark) for hit in hits] == [(True, remark)]


def test_of_two_of_which_one_says_more_the_fuller_is_shown(db: Database, keep: Callable[..., int]) -> None:
    keep("The exporter writes Parquet files.", turn=None)
    keep("The nightly exporter writes Parquet files.", turn=None)
    assert [hit.memory.text for hit in found(db, "what does the exporter write? Parquet files?")] == [
        "The nightly exporter writes Parquet files."
    ]


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        (
            "The export is written synchronously.",
            "The export is written asynchronously.",
            "how is the export written",
        ),
        ("The pool has 3 threads.", "The pool has 4 threads.", "how many threads has the pool"),
        ("个人分支允许强推。", "个人分支禁止强推。", "个人分支强推"),
    ],
)
def test_opposites_and_what_is_one_atom_apart_are_both_shown(
    db: Database, keep: Callable[..., int], one: str, other: str, question: str
) -> None:
    keep(one, turn=None)
    keep(other, turn=None)
    assert {hit.memory.text for hit in found(db, question)} == {one, other}
