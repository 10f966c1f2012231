"""Words: what a text is found by, what a question looks for, and that any text at all is a safe question."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
from backstory.store import cutter, english, everyday, han, words
from backstory.store.migrations import TOKENIZE
from backstory.store.words import Query, Tokens, Word
from hypothesis import given
from hypothesis import strategies as st

CUT = cutter.load()


def fts(*documents: str) -> apsw.Connection:
    """A real index over those documents, as the schema has it."""
    con = apsw.Connection(":memory:")
    tokenize = TOKENIZE.replace("''", "'")
    con.execute(f'create virtual table f using fts5(main, sub, grams, tokenize="{tokenize}")')
    for rowid, document in enumerate(documents):
        con.execute(
            "insert into f(rowid, main, sub, grams) values (?, ?, ?, ?)", (rowid, *words.index(document, CUT))
        )
    return con


def found(con: apsw.Connection, expression: str) -> list[int]:
    return [
        rowid
        for (rowid,) in con.execute("select rowid from f where f match ? order by rank, rowid", (expression,))
    ]


@pytest.mark.parametrize(
    ("document", "hits", "misses"),
    [
        ("call fetchUserById(ctx) first", "fetchUserById fetchuserbyid user FETCHUSERBYID", "userid fetchuser"),
        ("XMLParserError2 was raised", "XMLParserError2 parser xml xmlparsererror2", "html"),
        ("max_retry_count is 3", "max_retry_count retry MAX_RETRY_COUNT", "maxretry"),
        ("edit src/shelf/store.py now", "store.py store shelf/store.py src/shelf/store.py src/shelf", "shelves.py"),
        ("upgrade from 1.2 to v1.2.3", "v1.2.3 1.2 1.2.3 v1.2", "v1.3 2.3 v1.2.4 1.20"),
        ("runs on python3.11 only", "python3.11 3.11 python", "3.1"),
        ("released 2.0.0rc1 on 2026-03-14", "2.0.0rc1 2.0.0 2026-03 2026-03-14", "2.0.1 2026-04"),
        ("written in C# and .NET", "C# .NET c#", "C++ C"),
        ("plain C code", "C", "C++ C#"),
        ("用C++20写的模块", "C++ c++20 模块", "C C#"),
        ("the sqlite-vec wheel, 0.1.9", "sqlite-vec vec 0.1.9", "sqlitevec"),
        ("@pytest.mark.parametrize, #1234 --no-verify", "pytest.mark.parametrize parametrize 1234 no-verify", "123"),
        ("foo::bar::Baz->qux(x)", "foo::bar::Baz bar Baz qux", "barbaz"),
        ("Größe und naïve Café", "größe café NAÏVE GRÖSSE", "groß"),
        ("ＡＰＩ接口，ﬁle", "api 接口 file", "api接"),
        ("retries of the failing queries", "retry fail query FAILED", "quarry"),
    ],
)  # fmt: skip
def test_a_text_is_found_by_its_words_names_and_their_parts(document: str, hits: str, misses: str) -> None:
    con = fts(document)
    for asked, there in [(one, True) for one in hits.split()] + [(one, False) for one in misses.split()]:
        strictest = words.match(words.query(asked, CUT))[:1]
        assert bool(strictest and found(con, strictest[0])) is there, (asked, strictest)


@pytest.mark.parametrize("cut", [CUT, None], ids=["cut", "uncut"])
@pytest.mark.parametrize(
    "asked", ["演进", "版本", "并发", "并发问题", "演进链", "的并发", "bookReview", "review", "《版本》", "版本？！"]
)  # fmt: skip
def test_chinese_is_found_beside_identifiers_by_words_of_two_characters_and_by_phrases(
    asked: str, cut: cutter.Cut | None
) -> None:
    con = fts("数据库迁移", "修复了bookReview版本演进链的并发问题", "the changelog")
    ladder = words.match(words.query(asked, cut))
    assert any(1 in found(con, expression) for expression in ladder)
    assert not any(2 in found(con, expression) for expression in ladder)


def test_traditional_characters_find_simplified_ones_and_the_other_way_round() -> None:
    con = fts("資料庫連線逾時的錯誤處理", "数据库连接超时的错误处理")
    for asked in ("错误处理", "錯誤處理"):
        assert found(con, words.match(words.query(asked, CUT))[0]) == [0, 1]
    assert han.fold("這個問題還沒關閉") == "这个问题还没关闭"
    assert han.fold("café 数据库") == "café 数据库"


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ("What did we decide about the retry logic?", "decid retri logic"),
        ("小王把支付服务怎么了", "小王 支付 服务"),
        ("谁修复了并发死锁", "修复 并发 死锁"),
        ("最近哪些模块做了异步重构", "模块 异步 重构"),
        ("订单系统的性能优化是谁做的", "订单 系统 性能 优化"),
        ("please tell me how to_json differs from dumps()", "to_json differ dump"),
    ],
)  # fmt: skip
def test_question_words_are_dropped_from_questions(asked: str, content: str) -> None:
    query = words.query(asked, CUT)
    assert [word.text for word in query.words] == content.split()
    assert not query.bare


def test_a_question_of_nothing_else_keeps_its_stop_words() -> None:
    assert words.query("what is it", CUT) == Query((Word("what"), Word("is"), Word("it")), (), bare=True)
    assert words.query("你好", CUT) == Query((Word("你好"),), ("你好",), bare=True, script="cjk")
    assert words.query("的？", None) == Query((), ("的",), bare=True, script="cjk")
    assert words.query("?!\0 …", CUT) == Query()


def test_what_is_stored_keeps_every_word() -> None:
    assert words.index("The end of it, 是的", CUT) == Tokens("the end of it 是 的", "", "是 的 是的")


def test_dashed_compounds_are_stored_by_their_parts_only() -> None:
    assert words.index("our shop-api", CUT).main == "our shop api"


def test_a_word_stands_for_itself_or_all_of_its_parts() -> None:
    (word,) = words.query("loadUserIndex", CUT).words
    assert word == Word("loaduserindex", ("load", "user", "index"), name=True)
    con = fts("loadUserIndex is slow", "load the index of each user", "a user index")
    strictest, loosest = words.match(Query((word,)))
    assert found(con, strictest) == [0, 1]
    assert sorted(found(con, loosest)) == [0, 1, 2]


def test_without_a_cutter_questions_go_by_their_characters() -> None:
    query = words.query("谁修复了支付服务的并发死锁", None)
    assert query.words == ()
    assert {"修复", "支付", "付服", "服务", "并发", "死锁"} <= set(query.grams)
    assert not {"谁修", "了支", "务的"} & set(query.grams)
    assert words.query("目的是什么", None).grams == ("目的",)


@pytest.mark.parametrize(
    ("asked", "script"),
    [("what is new", "letters"), ("版本演进", "cjk"), ("UMAP 与 t-SNE 的比较", "mixed"), ("用 Redis 做缓存", "cjk")],
)  # fmt: skip
def test_a_question_knows_its_script(asked: str, script: str) -> None:
    assert words.query(asked, CUT).script == script


def test_both_cutters_cut_alike() -> None:
    jieba = cutter._jieba(None)
    rjieba = cutter._rjieba()
    assert jieba is not None
    assert rjieba is not None
    for text in ("用户在北京大学读书", "最近哪些模块做了异步重构", "中华人民共和国国务院", "一"):
        assert words.index(text, jieba) == words.index(text, rjieba)
    assert words.index("北京大学", CUT) == Tokens("北京大学", "北京 大学", "北 京 大 学 北京 京大 大学")


def test_a_user_dictionary_teaches_the_cutter_words(tmp_path: Path) -> None:
    dictionary = tmp_path / "words.txt"
    dictionary.write_text("回溯链 100 n\n", encoding="utf-8")
    assert words.index("查看回溯链状态", cutter.load(dictionary)).main.split() == ["查看", "回溯链", "状态"]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("agreed", "agre"), ("plastered", "plaster"),
        ("motoring", "motor"), ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("happy", "happi"),
        ("sky", "sky"), ("relational", "relat"), ("conditional", "condit"), ("vietnamization", "vietnam"),
        ("triplicate", "triplic"), ("electrical", "electr"), ("adjustment", "adjust"), ("adoption", "adopt"),
        ("probate", "probat"), ("rate", "rate"), ("controlling", "control"), ("roll", "roll"), ("is", "is"),
    ],
)  # fmt: skip
def test_stems_are_porters(word: str, stem: str) -> None:
    assert english.stem(word) == stem


def test_everyday_words_are_tokens_as_the_index_has_them() -> None:
    tokens = everyday.tokens()
    assert {"chang", "problem", "问题", "修改"} <= tokens
    assert not tokens & {"redi", "deadlock", "数据库", "死锁"}


def test_it_runs_on_the_standard_library_alone(tmp_path: Path) -> None:
    store = tmp_path / "backstory" / "store"
    store.mkdir(parents=True)
    for folder in (store, store.parent):
        (folder / "__init__.py").touch()
    for module in (words, english, han):
        assert module.__file__
        (store / Path(module.__file__).name).write_bytes(Path(module.__file__).read_bytes())
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from backstory.store import words; "
    program += "print(words.match(words.query('谁改了 getName？', None)))"
    command = [sys.executable, "-I", "-S", "-E", "-X", "utf8", "-W", "error", "-c", program]
    run = subprocess.run(command, capture_output=True, check=True)
    assert run.stdout.decode().strip() == str(words.match(words.query("谁改了 getName？", None)))


# ---- any text at all


AWKWARD = [*"\"'()*:^-+{}~&|<>=,.;!?/\\@#$%[] \t\n\0aZ9_ßİΣ中文の한﷽", " AND ", " OR ", " NOT ", "NEAR(", "main:",
           "\ud800", "\udfff", "\u202e", "\u200d", "🙂",
           "é", "１", "v1.2", "C++", "{main sub} :", "a.b-c/d:e@f"]  # fmt: skip


def test_ten_thousand_awkward_questions_are_all_safe() -> None:
    con = fts("NOT a near miss: main AND 中文 OR v1.2")
    dice = random.Random(7)
    for n in range(10_000):
        asked = "".join(dice.choices(AWKWARD, k=dice.randint(0, 24)))
        query = words.query(asked, CUT if n % 2 else None)
        for expression in filter(None, (*words.match(query), words.match_any(query))):
            found(con, expression)


@given(st.text())
def test_any_text_can_be_stored_and_asked_for(text: str) -> None:
    con = fts(text)
    for token in " ".join(words.index(text, CUT)).split():
        assert "\0" not in token
    for expression in words.match(words.query(text, CUT)):
        found(con, expression)


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"])))
def test_a_text_is_found_by_itself(text: str) -> None:
    query = words.query(text, CUT)
    assert [bool(found(fts(text), expression)) for expression in words.match(query)[-1:]] in ([True], [])


@given(st.text(), st.text())
def test_a_text_is_stored_the_same_however_often(first: str, second: str) -> None:
    stored = words.index(first, CUT)
    words.index(second, CUT)
    assert words.index(first, CUT) == stored


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "中",
        "a/",
        "a_",
        "aB",
        "1.",
        "1.2.3/",
        "word ",
        "修复并发",
        "-",
        "ﷺ",
        "é",
        "テスト中",
        "C++ ",
        "v",
    ],
)
def test_a_hundred_kilobytes_take_bounded_time_and_space(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    before = time.process_time()
    query = words.query(text, CUT)
    expressions = words.match(query)
    stored = words.index(text, CUT)
    assert time.process_time() - before < 5  # a hang, not a speed: the slowest takes .5
    assert len(query.words) <= words.QUERY_WORDS
    assert len(query.grams) <= words.QUERY_WORDS
    assert sum(map(len, expressions)) < 50_000
    assert sum(map(len, stored)) < 8 * words.INDEX_CHARS
