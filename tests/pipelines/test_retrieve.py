"""Searches from question to hits: what is found, what stays silent, and what goes on when an arm fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import apsw
import pytest
from backstory.pipelines.embed import Asked
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.pipelines.plan import plan
from backstory.pipelines.retrieve import find
from backstory.store import cutter, memories, vector_indexes, vectors, words
from backstory.store.db import Database
from backstory.store.filters import Filter
from backstory.store.models import Hit, NewMemory, Scope

from ..shelf import T0, open_workspaces
from . import bilingual
from .topics import CHATTER, RELATED, UNRELATED, UNRELATED_LONG, turns

CUT = cutter.load()
MINE = Filter("me", T0, None)
EMBEDDER = HashEmbedder()


class Shelf:
    """Memories of some texts, and questions put to them."""

    def __init__(self, db: Database, texts: Sequence[str], *, embedder: HashEmbedder | None = None) -> None:
        self.db = db
        self.texts = dict(zip(db.write(_write, texts), texts, strict=True))
        self.asked: Callable[[str], list[Asked]] = lambda _question: []
        if embedder:
            index = db.write(vector_indexes.begin, embedder.name, embedder.dim, now=T0)
            db.write(_embed, index.id, embedder)
            self.asked = lambda question: [Asked(index, embedder.queries([question])[0], embedder.weight)]

    def hits(
        self, question: str, *, prompted: bool = False, wanted: Filter = MINE
    ) -> tuple[list[Hit], dict[str, str]]:
        degraded: dict[str, str] = {}
        planned = plan(question, CUT, prompted=prompted)
        if planned.empty:
            return [], degraded
        return self.db.read(find, planned, wanted, self.asked(question), degraded), degraded

    def found(self, question: str, *, prompted: bool = False, wanted: Filter = MINE) -> list[str]:
        return [self.texts[hit.memory.id] for hit in self.hits(question, prompted=prompted, wanted=wanted)[0]]


def _write(con: apsw.Connection, texts: Sequence[str], scope: Scope | None = None) -> list[int]:
    return [
        memories.insert(
            con,
            NewMemory(kind="fact", scene="coding", scope=scope or Scope(), text=text, origin="user"),
            words.index(text, CUT),
            now=T0,
        )
        for text in texts
    ]


def _embed(con: apsw.Connection, index: int, embedder: HashEmbedder) -> None:
    for wanting in vectors.wanting(con, index, after=0, upto=1 << 40, now=T0, limit=1 << 30):
        vectors.put(con, index, wanting, embedder.passages([wanting.text])[0], now=T0)


@pytest.fixture(scope="module", params=[None, EMBEDDER], ids=["words", "vectors"])
def shelf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    texts = turns()
    assert len(texts) == 500
    return Shelf(Database.open(tmp_path_factory.mktemp("shelf") / "b.db"), texts, embedder=request.param)


def share(outcomes: Sequence[bool]) -> float:
    return sum(outcomes) / len(outcomes)


def test_prompts_about_something_else_get_nothing(shelf: Shelf) -> None:
    assert share([not shelf.found(prompt, prompted=True) for prompt in UNRELATED]) >= 0.95
    assert share([not shelf.found(prompt, prompted=True) for prompt in UNRELATED_LONG]) >= 0.9


def test_questions_about_something_else_get_nothing(shelf: Shelf) -> None:
    assert share([not shelf.found(question) for question in UNRELATED]) >= 0.9


def test_greetings_and_nods_get_nothing(shelf: Shelf) -> None:
    assert [prompt for prompt in CHATTER if shelf.found(prompt, prompted=True)] == []


@pytest.mark.parametrize("prompted", [True, False], ids=["prompted", "asked"])
def test_what_is_remembered_is_found_in_either_language_short_or_long(
    shelf: Shelf, *, prompted: bool
) -> None:
    found = [
        any(told in text for text in shelf.found(asked, prompted=prompted)[:5]) for asked, told in RELATED
    ]
    assert share(found) >= 0.9


def recall_at_5(shelf: Shelf, said: list[str], asked: list[bilingual.Asked]) -> float:
    return share([said[one.note] in shelf.found(one.text)[:5] for one in asked])


def test_chinese_questions_find_their_notes_as_english_ones_do(db: Database) -> None:
    english, in_english = bilingual.notes(chinese=False)
    chinese, in_chinese = bilingual.notes(chinese=True)
    shelf = Shelf(db, english + chinese)
    reached = recall_at_5(shelf, english, in_english)
    assert reached >= 0.95
    assert recall_at_5(shelf, chinese, in_chinese) >= reached - 0.02


@pytest.mark.parametrize("cut", [CUT, None], ids=["cut", "uncut"])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("小王把支付服务怎么了", "小王给支付服务加上了退避重试，见 PayService。"),
        ("谁修复了并发死锁", "老李修复了order_core里的并发死锁。"),
        ("最近哪些模块做了异步重构", "搜索模块和通知模块完成了异步重构。"),
        ("订单系统的性能优化是谁做的", "张敏做完了订单系统的性能优化，P95降到80毫秒。"),
    ],
)
def test_chinese_questions_with_question_words_and_names_find_their_rows(
    db: Database, question: str, answer: str, cut: cutter.Cut | None
) -> None:
    others = ["登录页面换了新的配色。", "The gateway was restarted on Monday.", "缓存层的监控告警已经接好。"]
    shelf = Shelf(db, [*others, answer])
    assert shelf.texts[db.read(find, plan(question, cut, prompted=True), MINE, [], {})[0].memory.id] == answer


def test_memories_of_other_workspaces_are_not_found_by_either_arm(db: Database) -> None:
    db.write(open_workspaces, 2)
    db.write(_write, ["the zebra password rotates weekly"], Scope(workspace=2))
    shelf = Shelf(db, ["the giraffe password rotates daily"], embedder=EMBEDDER)
    here = Filter("me", T0, (1,))
    assert shelf.found("zebra password rotation", wanted=here) == ["the giraffe password rotates daily"]
    hits, _ = shelf.hits("zebra password rotation", wanted=Filter("me", T0, (2,)))
    assert len(hits) == 2
    assert shelf.found("zebra password", wanted=Filter("you", T0, None)) == []


def test_a_hit_says_which_arms_found_it(db: Database) -> None:
    shelf = Shelf(db, turns(each=3), embedder=EMBEDDER)
    (first, *_), degraded = shelf.hits("how do nested comments work in the lexer?")
    assert first.why == ("words", "vectors")
    assert degraded == {}


def test_without_the_vector_index_words_answer_and_say_so(db: Database) -> None:
    shelf = Shelf(db, turns(each=3), embedder=EMBEDDER)
    db.write(lambda con: con.execute("drop table vector_1"))
    hits, degraded = shelf.hits("how do nested comments work in the lexer?")
    assert "depth counter" in hits[0].memory.text
    assert list(degraded) == [EMBEDDER.name]


def test_without_the_word_index_vectors_answer_and_say_so(db: Database) -> None:
    shelf = Shelf(db, turns(each=3), embedder=EMBEDDER)
    db.write(lambda con: con.execute("drop table terms_fts"))
    hits, degraded = shelf.hits("Nested comments are handled by a depth counter in the lexer")
    assert "depth counter" in hits[0].memory.text
    assert "reindex" in degraded["words"]


def test_what_was_retired_is_found_when_the_past_is_asked(db: Database) -> None:
    shelf = Shelf(db, ["the port is 8080", "the port is 9090"])
    first = next(iter(shelf.texts))
    db.write(memories.retire, first, why="superseded", now=T0)
    assert shelf.found("which port?") == ["the port is 9090"]
    assert shelf.found("which port?", wanted=Filter("me", T0, None, status="retired")) == ["the port is 8080"]


def test_a_handful_of_memories_answer_what_they_know_and_nothing_else(db: Database) -> None:
    shelf = Shelf(
        db, ["My editor is Neovim and my shell is fish.", "部署用的是蓝绿发布，脚本在 deploy/blue_green.sh"]
    )
    assert shelf.found("which editor do I use?", prompted=True) == [
        "My editor is Neovim and my shell is fish."
    ]
    assert "blue_green" in shelf.found("我们怎么部署的？", prompted=True)[0]
    assert share([not shelf.found(prompt, prompted=True) for prompt in UNRELATED]) >= 0.95
