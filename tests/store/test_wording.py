"""Words in texts: however they are written they are found, and what is only part of a longer word is told apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from backstory.store.folded import fold, with_places
from backstory.store.wording import Words, longer
from hypothesis import given
from hypothesis import strategies as st

WHOLE = [
    ("Anna", "Anna is the lead.", "Anna"),
    ("anna", "ANNA!", "ANNA"),
    ("Anna", "Anna's desk", "Anna"),
    ("Anna", "/home/anna/x", "anna"),
    ("Anna", "https://host/~anna?x=1", "anna"),
    ("Anna", "mail anna@acme.com", "anna"),
    ("Anna", "anna_service.py", "anna"),
    ("Anna", "fix/anna-42", "anna"),
    ("Anna", r'{"text": "so\nAnna went"}', "Anna"),
    ("Anna", "\x1b[31mAnna\x1b[0m", "Anna"),
    ("Anna", "dir%2FAnna%20x", "Anna"),
    ("Anna", "我同事Anna来了", "Anna"),
    ("Zorvanna", "她叫Ｚorvanna。", "Ｚorvanna"),
    ("Ｚorvanna", "she is zorvanna", "zorvanna"),
    ("Zorvanna", "Zor\u200bvan\u00adna", "Zor\u200bvan\u00adna"),
    ("Zorvanna", "𝐙orvanna", "𝐙orvanna"),
    ("José", "for Jose\u0301 only", "Jose\u0301"),
    ("Jose\u0301", "for José only", "José"),
    ("Straße 9", "STRASSE  9", "STRASSE  9"),
    ("two words", "two\n  words", "two\n  words"),
    ("sk-live-77", "key=sk-live-77;", "sk-live-77"),
    ("안나", "안나는 왔다", "안나"),
    ("王伟", "王伟是我的老板", "王伟"),
    ("王伟", "王偉去了上海", "王偉"),
    ("王偉", "王伟强调了这一点", "王伟"),
    ("王伟", "对王伟好", "王伟"),
    ("王伟", "小王伟", "王伟"),
    ("王伟", "让王伟先看", "王伟"),
    ("王伟", "王伟家在杭州", "王伟"),
    ("王伟", "王伟2号", "王伟"),
    ("王伟", "王\u200b伟", "王\u200b伟"),
    ("李娜", "李娜拉着我", "李娜"),
    ("杭州", "杭州市西湖区", "杭州"),
    ("青瓷灯塔七号", "口令是青瓷灯塔七号！", "青瓷灯塔七号"),
    ("軟體專案", "这个软体专案", "软体专案"),
    ("ანა", "\u1c90\u1c9c\u1c90 here", "\u1c90\u1c9c\u1c90"),
    ("unit \U0001042a", "unit \U00010402", "unit \U00010402"),
    ("h-9", "\u02b0-9", "\u02b0-9"),
    ("k" * 80, "K" * 80, "K" * 80),
]
INSIDE = [
    ("Anna", "Joanna is the lead.", "Joanna"),
    ("Anna", "Annapolis", "Annapolis"),
    ("Anna", "annaService()", "annaService"),
    ("Anna", "anna2", "anna2"),
    ("Anna", "Ａｎｎａｐｏｌｉｓ", "Ａｎｎａｐｏｌｉｓ"),
    ("Anna", "Jo\u200banna", "Jo\u200banna"),
    ("user42", "user421", "user421"),
    ("sk-live-77", "sk-live-771", "771"),
    ("v1.2", "v1.23", "23"),
    ("src/a.py", "src/a.pyc", "pyc"),
    ("José", "Joséphine", "Joséphine"),
    ("王伟", "王伟强是我的老板", "王伟强"),
    ("王伟", "老板叫王偉強", "王偉強"),
    ("王伟", "王伟伟也来了", "王伟伟"),
    ("王伟", "同事王伟刚负责后端", "王伟刚"),
    ("王伟", "张王伟负责", "张王伟"),
    ("李娜", "李娜娜负责前端", "李娜娜"),
    ("伟强", "王伟强负责支付", "王伟强"),
    ("杭州", "杭州湾大桥", "杭州湾"),
    ("陈静", "陈静静是会计", "陈静静"),
]


@pytest.mark.parametrize(("words", "text", "there"), WHOLE)
def test_words_are_found_however_they_are_written(words: str, text: str, there: str) -> None:
    whole, inside = Words([words]).look(text)
    assert [text[start:end] for start, end in whole] == [there]
    assert inside == ()


@pytest.mark.parametrize(("words", "text", "word"), INSIDE)
def test_what_is_part_of_a_longer_word_is_told_apart(words: str, text: str, word: str) -> None:
    whole, inside = Words([words]).look(text)
    assert whole == ()
    (span,) = inside
    assert word in longer(text, span)


@pytest.mark.parametrize(
    ("words", "text"), [("Anna", "Hanah and Ana"), ("王伟", "王维和汪伟"), ("Anna", "Αννα"), ("77", "7 7")]
)
def test_what_is_not_there_is_not_found(words: str, text: str) -> None:
    assert Words([words]).look(text) == ((), ())


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x1c\x1d\x1e\x1f"), max_size=30))
def test_each_character_of_a_folded_text_comes_from_somewhere(text: str) -> None:
    places = with_places(text)
    assert len(places.text) <= len(places.starts) == len(places.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(places.starts, places.ends, strict=True))
    if text.isascii():
        assert places.text == fold(text)


@given(st.text("ab -_7é王伟强\u200bＡ", max_size=12), st.text("ab-é王伟Ａ", min_size=1, max_size=3))
def test_what_stands_is_always_placed(text: str, words: str) -> None:
    looked = Words([words])
    assert looked.stand(text) == bool(any(looked.look(text)))


_SMALL = str.maketrans({chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)})
_ANY = st.characters(exclude_categories=["Cs"], exclude_characters="\\")


_WAYS: list[Callable[[str], str]] = [str, str.upper, str.lower, str.title, fold]


@given(
    st.text(_ANY, max_size=4), st.text(_ANY, min_size=1, max_size=5), st.text(_ANY, max_size=4),
    st.sampled_from(_WAYS),
)  # fmt: skip
def test_where_words_stand_they_are_never_passed_over(
    before: str, words: str, after: str, way: Callable[[str], str]
) -> None:
    looked, text = Words([words]), f"{before} {way(words)} {after}"
    # As SQLite makes letters small.
    low = text.translate(_SMALL)
    if any(form in fold(text) for form in looked.forms):
        assert looked.may_stand(text)
        assert looked.may_stand(text, has_piece=any(piece in low for piece in looked.pieces))
