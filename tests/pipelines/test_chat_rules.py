"""The chat scene by rules: what a prompt states that lasts is found, and nothing else is."""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest
from backstory.pipelines.extract import (
    acts,
    chat_amends,
    chat_chinese_left,
    chat_chinese_values,
    chat_english_values,
    chat_events,
    chat_frame,
    chat_introduced,
    chat_lifts,
    chat_outcomes,
    chat_pasted,
    chat_requests,
    chat_rule,
    chat_sentence,
    chat_statements,
    chat_switches,
    dates,
    dates_chinese,
    dates_english,
    intentions,
    own_words,
    plan_words,
    questions,
    recurring,
    sentences,
    topics,
)
from backstory.pipelines.extract.chat_chinese import chinese
from backstory.pipelines.extract.chat_english import english
from backstory.pipelines.extract.chat_rules import DRAFTS_AT_MOST, drafts
from backstory.pipelines.extract.drafts import Draft
from hypothesis import given, settings
from hypothesis import strategies as st

from .chat_turns import Labelled, load, score

# The standard library's own parser of patterns, which has no public name.
sre: Any = vars(re)["_parser"]

TURNS = load()
# A Wednesday.
AT = int(datetime(2026, 3, 11, 2, tzinfo=UTC).timestamp()) * 1_000_000
SHANGHAI_S = 8 * 3600


def found(text: str) -> tuple[Draft, ...]:
    return drafts(text, at=AT, utc_offset_s=SHANGHAI_S)


# --- the labelled set


def test_the_set_is_as_large_and_as_mixed_as_it_says() -> None:
    assert len(TURNS) >= 1000
    assert len({turn.prompt for turn in TURNS}) == len(TURNS)
    chinese = [turn for turn in TURNS if turn.lang != "en"]
    assert 0.4 <= len(chinese) / len(TURNS) <= 0.6
    negative = [turn for turn in TURNS if not turn.expected]
    assert len(negative) >= 50
    assert sum(turn.lang != "en" for turn in negative) >= 25


@pytest.mark.parametrize("languages", [("en",), ("zh", "mix")], ids=["english", "chinese"])
def test_at_least_95_of_100_drafts_are_right_and_70_of_100_are_found(languages: tuple[str, ...]) -> None:
    result = score(turn for turn in TURNS if turn.lang in languages)
    assert result.precision >= 0.95, result.wrong
    assert result.recall >= 0.70, result.missed


@pytest.mark.parametrize(
    "turn", [turn for turn in TURNS if not turn.expected], ids=lambda turn: turn.prompt[:40]
)
def test_nothing_is_drawn_from_questions_commands_pastes_and_other_people(turn: Labelled) -> None:
    assert turn.found() == []


# --- evidence


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.prompt[:40])
def test_each_draft_of_the_set_quotes_what_it_rests_on(turn: Labelled) -> None:
    for draft in turn.found():
        assert turn.prompt[draft.start : draft.end] == draft.quote
        assert draft.quote.strip()
        assert draft.data["value"] in turn.prompt


FRAGMENTS = st.sampled_from(
    [
        *(
            "I prefer ",
            "I left ",
            "you can ",
            "Sorry, I meant ",
            "the meeting with Anna ",
            "is cancelled",
            "is off by default",
            "i hate ",
            "tabs",
            "my name is ",
            "Bo",
            "always ",
            "never ",
            "use ",
            "from now on ",
            "remember that ",
        ),
        *(
            "forget what i said about ",
            "we decided to use ",
            "because ",
            "no, ",
            "actually ",
            ", not ",
            "since May ",
            "by ",
        ),
        *(
            "next Tuesday",
            "remind me to ",
            "every time you ",
            "what if ",
            "if ",
            "\n",
            "\n- ",
            "```",
            "\n```\n",
            "`",
            '"',
        ),
        *(
            "“",
            "”",
            "> ",
            "<p>",
            "</p>",
            "https://a.b/c",
            "# ",
            "$ ",
            ". ",
            "? ",
            "! ",
            ": ",
            "，",
            "。",
            "？",
            "：",
        ),
        *(
            "我喜欢",
            "我从阿里",
            "离职了",
            "说错了，是",
            "周五可以",
            "取消了",
            "默认关闭",
            "我不",
            "用 ",
            "以后都",
            "不要再",
            "别",
            "记住，",
            "忘掉我",
            "我们决定用",
            "因为",
            "就用",
            "吧",
            "下周三",
        ),
        *(
            "月底",
            "从五月起",
            "我住",
            "杭州",
            "了",
            "吗",
            "说",
            "如果",
            "不是",
            "是",
            "改成",
            "你",
            "每次",
            "提醒我",
            "繁體",
        ),
        *("2026-02-30", "2月30日", "\ue000", "İ", "ß"),
    ]
)
PROMPTS = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=24).map("".join))


@given(PROMPTS, st.integers(0, 4_102_444_800_000_000), st.integers(-14 * 3600, 14 * 3600))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_drafts_whose_quote_stands_in_it(text: str, at: int, offset_s: int) -> None:
    result = drafts(text, at=at, utc_offset_s=offset_s)
    assert len(result) <= DRAFTS_AT_MOST
    for draft in result:
        assert text[draft.start : draft.end] == draft.quote != ""
        assert draft.text
        assert str(draft.data["value"]) in text
        assert 0 <= draft.importance <= 1 and 0 <= draft.confidence <= 1
        assert draft.expires_at is None or draft.expires_at > at
    assert list(result) == sorted(result, key=lambda draft: (draft.start, draft.end))
    assert drafts(text, at=at, utc_offset_s=offset_s) == result


@given(PROMPTS)
@settings(max_examples=200, deadline=None)
def test_a_code_fence_gives_nothing(text: str) -> None:
    inside = text.replace("`", "").replace("~", "")
    assert found(f"```\n{inside}\n```") == ()
    assert found(f"~~~text\n{inside}") == ()


@given(PROMPTS)
@settings(max_examples=200, deadline=None)
def test_what_is_blanked_keeps_every_other_character_in_its_place(text: str) -> None:
    kept = own_words.own_words(text)
    assert len(kept) == len(text)
    assert all(new in (old, "\n", own_words.OPAQUE) for new, old in zip(kept, text, strict=True))


@given(st.integers())
def test_a_moment_outside_the_calendar_gives_nothing_or_drafts_but_never_an_error(at: int) -> None:
    assert all(draft.quote for draft in drafts("I'll fly on Friday. 下周三要演示", at=at, utc_offset_s=0))


def test_a_draft_said_twice_is_one() -> None:
    assert len(found("I prefer tabs. Did I say it? I prefer tabs.")) == 1


# --- time: no pattern can go back over what it has read more than once, and no duration is measured


def patterns() -> list[re.Pattern[str]]:
    modules = (
        *(chat_chinese_values, chat_english_values, chat_events, chat_frame, chat_pasted, chat_requests),
        *(chat_rule, chat_sentence, chat_statements, intentions, own_words, questions, sentences, topics),
        *(
            acts,
            chat_amends,
            chat_introduced,
            chat_chinese_left,
            chat_lifts,
            chat_outcomes,
            chat_switches,
            dates,
            plan_words,
            recurring,
        ),
    )
    named = [value for module in modules for value in vars(module).values() if isinstance(value, re.Pattern)]
    spoken = [
        pattern
        for language in (english(), chinese())
        for pattern in (
            *(rule.pattern for rule in language.rules),
            *(getattr(language, field.name) for field in fields(language)),
        )
        if isinstance(pattern, re.Pattern)
    ]
    produced = [vars(chat_pasted)["_produced"]()]
    said = [one for chinese in (True, False) for _, one in vars(acts)["_patterns"](chinese=chinese)]
    led = vars(chat_introduced)
    produced += [led["_tells"](), led["_again"](denied=True), led["_asks"](), led["_headings"]()]
    produced += [one for one, _ in led["_alone"]()]
    produced += [*led["_leads"](chinese=False), *led["_leads"](chinese=True)]
    said += [*vars(chat_amends)["_sentences"](), *(one for _, one in vars(plan_words)["_PATTERNS"])]
    return [*named, *spoken, *said, *produced, dates_english.pattern(), dates_chinese.pattern()]


def nested(parsed: Any, *, within: bool = False) -> bool:
    """Whether a repetition without an end holds another one."""
    for operation, argument in parsed:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            endless = argument[1] == sre.MAXREPEAT
            if (endless and within) or nested(argument[2], within=within or endless):
                return True
        elif name in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
            if nested(argument[-1], within=within):
                return True
        elif name == "BRANCH" and any(nested(branch, within=within) for branch in argument[1]):
            return True
    return False


def test_no_pattern_repeats_a_repetition() -> None:
    found = [pattern.pattern for pattern in patterns() if nested(sre.parse(pattern.pattern, pattern.flags))]
    assert len(patterns()) > 100
    assert found == []


LOADS = [
    "you can deploy, ",
    "我从",
    "I left Google ",
    "取消了",
    "not a, ",
    "下周三",
    "，",
    " and ",
    "no, ",
    "- ",
    "“",
    "I prefer tabs, ",
    "以后请都",
    "because ",
    "<a>",
    "```\n",
    "A: ",
]


@pytest.mark.parametrize("load_of", LOADS)
def test_a_long_prompt_of_anything_is_read_to_its_bounds(load_of: str) -> None:
    assert len(found((load_of * 20_000)[:20_000])) <= DRAFTS_AT_MOST


def test_the_middle_of_a_very_long_prompt_is_not_read_and_its_ends_keep_their_places() -> None:
    text = "I prefer tabs.\n" + "x " * 30_000 + "\nI hate YAML.\n" + "y " * 30_000 + "\nMy name is Bo."
    first, last = found(text)
    assert (first.data["value"], last.data["value"]) == ("tabs", "Bo")
    assert text[last.start : last.end] == "My name is Bo"
