"""Two texts held against each other: on labelled pairs, and by what must be so of any text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory.pipelines.merging import numerals
from backstory.pipelines.merging.compare import compare
from backstory.pipelines.merging.reading import read
from backstory.store import cutter
from hypothesis import given
from hypothesis import strategies as st

DATA = Path(__file__).parent.parent / "data"
CUT = cutter.load()


def pairs(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


LABELLED = pairs("merge_pairs.jsonl")
APART = [pair for pair in LABELLED if not pair["same"]]
ALIKE = [pair for pair in LABELLED if pair["same"]]
SENTENCES = sorted({pair[side] for pair in LABELLED for side in ("a", "b")})


def test_the_set_is_as_large_and_as_mixed_as_promised() -> None:
    assert len(APART) >= 300
    assert len(ALIKE) >= 150
    for half in (APART, ALIKE):
        assert 0.45 <= sum(pair["lang"] == "zh" for pair in half) / len(half) <= 0.55


@pytest.mark.parametrize("cut", [CUT, None], ids=["cutter", "no cutter"])
def test_no_pair_that_is_one_atom_apart_is_merged(cut: cutter.Cut | None) -> None:
    wrong = [pair for pair in APART if compare(pair["a"], pair["b"], cut).kind in ("same", "near")]
    assert wrong == []


def test_nine_in_ten_pairs_that_say_the_same_are_merged() -> None:
    right = [pair for pair in ALIKE if compare(pair["a"], pair["b"], CUT).kind == "same"]
    assert len(right) >= 0.9 * len(ALIKE)


def test_sentences_that_are_built_otherwise_are_merged_and_never_wrongly() -> None:
    """Passive and active, "there is" and "has", clauses in another order: written before there were rules."""
    kinds = [
        (pair, compare(pair["a"], pair["b"], CUT).kind) for pair in pairs("merge_pairs_paraphrase.jsonl")
    ]
    assert [pair for pair, kind in kinds if not pair["same"] and kind in ("same", "near")] == []
    assert sum(bool(pair["same"]) and kind == "same" for pair, kind in kinds) >= 20


@pytest.mark.parametrize("name", ["merge_pairs_unseen.jsonl", "merge_pairs_unseen_2.jsonl"])
def test_no_pair_of_a_set_written_without_sight_of_the_rules_is_merged_wrongly(name: str) -> None:
    unseen = pairs(name)
    assert [
        p for p in unseen if not p["same"] and compare(p["a"], p["b"], CUT).kind in ("same", "near")
    ] == []


def test_what_says_the_same_or_the_opposite_has_one_key() -> None:
    """A search by key misses nothing that a comparison would find."""
    for one in SENTENCES:
        for pair in ((p["a"], p["b"]) for p in LABELLED if one in (p["a"], p["b"])):
            if compare(*pair, CUT).kind in ("same", "opposed"):
                assert read(pair[0], CUT).key == read(pair[1], CUT).key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Force pushes are allowed on personal branches.", "Force pushes are forbidden on personal branches"),
        ("Squash commits when merging.", "Don't squash commits when merging."),
        ("Always answer me with code first.", "Never answer me with code first."),
        ("The admin page is public.", "The admin page is private"),
        ("允许直接推送到 main", "不允许直接推送到 main"),
        ("桌面版启用了遥测", "桌面版停用遥测"),
        ("高风险改动我们用特性开关", "高风险改动我们不再用特性开关"),
    ],
)
def test_the_same_statement_with_the_other_polarity_is_opposed(one: str, other: str) -> None:
    assert compare(one, other, CUT).kind == "opposed"
    assert compare(other, one, CUT).kind == "opposed"


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("The exporter writes Parquet files.", "The nightly exporter writes Parquet files."),
        ("网关用 JWT 鉴权", "网关用 JWT 做鉴权"),
    ],
)
def test_what_says_all_that_another_says_is_near(less: str, more: str) -> None:
    assert compare(less, more, CUT).kind == compare(more, less, CUT).kind == "near"


def test_the_same_in_two_questions_is_the_same_and_no_question_opposes_a_statement() -> None:
    assert compare("Is the cache shared?", "is the cache shared", CUT).kind == "same"
    assert compare("Is the cache not shared?", "The cache is shared.", CUT).kind == "other"


def test_long_texts_that_begin_alike_are_not_the_same() -> None:
    begin = "the importer reads a file and writes a row, " * 20
    assert compare(begin + "then stops", begin + "then starts again", CUT).kind == "other"


@pytest.mark.parametrize(
    ("written", "digits"),
    [
        ("三", "3"),
        ("两百五", "250"),
        ("一百零二", "102"),
        ("十五", "15"),
        ("3万", "30000"),
        ("二〇二六", "2026"),
        ("三亿", "300000000"),
    ],
)
def test_chinese_numerals_are_numbers(written: str, digits: str) -> None:
    assert numerals.chinese(written) == digits


def changed(text: str) -> Iterator[str]:
    """A sentence with one atom of it changed, one after the other."""
    for found in re.finditer(r"\d+", text):
        yield text[: found.start()] + str(int(found[0]) + 1) + text[found.end() :]
    for one, other in EXCHANGED:
        for old, new in ((one, other), (other, one)):
            pattern = rf"\b{old}\b" if old.isascii() and old.isalpha() else re.escape(old)
            for found in re.finditer(pattern, text):
                yield text[: found.start()] + new + text[found.end() :]
    for found in re.finditer(r"(?<=\w )[A-Z][a-z]+", text):
        yield text[: found.start()] + "Zork" + text[found.end() :]


EXCHANGED = [
    ("before", "after"), ("enabled", "disabled"), ("allowed", "forbidden"), ("always", "sometimes"),
    ("must", "may"), ("all", "some"), ("only", "also"), ("three", "four"), ("two", "six"), ("MB", "GB"),
    ("seconds", "minutes"), ("from", "to"), ("we", "they"), ("I", "he"), ("light", "dark"),
    ("with", "without"), ("Tuesday", "Friday"), ("fast", "slow"), ("than", "like"), ("if", "unless"),
    ("use", "remove"), (".py", ".js"), ("src/", "lib/"), ("之前", "之后"), ("允许", "禁止"),
    ("启用", "停用"), ("所有", "部分"), ("必须", "可以"), ("三", "四"), ("两", "六"), ("我", "他"),
    ("秒", "毫秒"), ("周五", "周四"), ("喜欢", "讨厌"), ("增加", "减少"), ("同步", "异步"),
    ("从", "比"), ("上午", "下午"), ("至少", "最多"), ("深色", "浅色"), ("没有", "有"), ("不", "只"),
    ("别", "要"), ("成功", "失败"),
]  # fmt: skip


def test_a_sentence_with_one_atom_changed_is_another() -> None:
    tried = 0
    for text in SENTENCES:
        for other in changed(text):
            tried += 1
            apart = compare(text, other, CUT).kind not in ("same", "near")
            assert apart or _says(text) == _says(other), (text, other)
    assert tried > 1000


def _says(text: str) -> str:
    # "also" and 要 say nothing: where they came or went nothing was changed.
    return re.sub(r"\b(?:also)\b|要|\s", "", text)


texts = st.one_of(
    st.sampled_from(SENTENCES),
    st.text(max_size=60),
    st.text("ab不没三百两个2.:/-`\"'年月日点 半第", max_size=40),
)


@given(texts, texts)
def test_comparing_is_symmetric_and_never_fails(one: str, other: str) -> None:
    assert compare(one, other, CUT).kind == compare(other, one, CUT).kind
    assert compare(one, other).kind == compare(other, one).kind


@given(texts)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert compare(text, text, CUT).kind == "same"
    assert compare(text, f" {text}", CUT).kind == "same" or not read(text, CUT).units


def test_however_the_sentences_of_the_set_are_merged_no_two_that_differ_end_up_in_one() -> None:
    """Over all of them, one after the other, as a shelf would: across languages, and across pairs."""
    by_key: dict[str, list[list[str]]] = {}
    for text in SENTENCES:
        groups = by_key.setdefault(read(text, CUT).key, [])
        group = next((group for group in groups if compare(group[0], text, CUT).kind == "same"), None)
        groups.append([text]) if group is None else group.append(text)
    home = {text: group[0] for groups in by_key.values() for group in groups for text in group}
    assert [pair for pair in APART if home[pair["a"]] == home[pair["b"]]] == []
    assert len({home[text] for text in SENTENCES}) < len(SENTENCES) - 0.8 * len(ALIKE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The public API uses token authentication", "The private API uses token authentication"),
        ("The user is blocked after a week", "The user blocks after a week"),
        ("Local builds use SQLite", "Remote builds use SQLite"),
        ("The start script writes to /var/log/app.log", "The stop script writes to /var/log/app.log"),
        ("Failing tests are reported in Slack", "Passing tests are reported in Slack"),
        ("Tests with network take 5 minutes", "Tests without network take 5 minutes"),
        ("The hook runs before checkout", "The hook runs after checkout"),
        ("公网域名走 nginx", "内网域名走 nginx"),
        ("提交前要跑测试", "提交后要跑测试"),
        ("静态资源放在 CDN", "动态资源放在 CDN"),
        ("深色主题的颜色在 theme.css", "浅色主题的颜色在 theme.css"),
    ],
)
def test_of_two_opposite_things_the_same_may_be_true(one: str, other: str) -> None:
    assert compare(one, other, CUT).kind == "other"
    assert compare(other, one, CUT).kind == "other"
