"""What is taken of a model's answer about a window of turns, and what is not, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines.extract import topics
from backstory.pipelines.extract.chat_rules import drafts
from backstory.pipelines.extract.drafts import Draft
from backstory.pipelines.extract.model_results import Refused, Taken
from backstory.pipelines.extract.model_slots import HINTS
from backstory.pipelines.extract.work_facts import Around, fact
from backstory.pipelines.extract.work_trace import Trace
from backstory.store.db import Database
from backstory.tests.model_server import Reply, Request, refuses, says
from backstory.tests.pipelines.asking_a_model import Rig, rig

from .windowed import ZONE_S, day, found, one, one_model, ran, reading, refusal, turn

DAY = 86_400_000_000
DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with one_model(tmp_path_factory.mktemp("asked")) as made:
        yield made


@pytest.fixture
def failing(db: Database) -> Iterator[Rig]:
    """A model of its own, for a test after which it rests."""
    with rig(db, []) as made:
        yield made


def test_a_statement_becomes_a_draft_with_its_evidence_in_its_place(at: Rig) -> None:
    prompt = "fix the login test. btw I switched from vim to Helix, it is faster"
    taken = one(
        at, prompt, quote="I switched from vim to Helix", text="I switched from vim to Helix.", kind="profile",
        predicate="uses", value="Helix", topic="editor", importance=0.6, confidence=0.9, keys_en=["editor"],
        keys_zh=["编辑器"],
    )  # fmt: skip
    assert taken == Taken(
        1,
        11,
        "user",
        Draft(
            "profile", "I switched from vim to Helix.", "I switched from vim to Helix", 24, 52,
            slot="uses:editor", importance=0.6, confidence=0.9, reach="global",
            data={
                "subject": "user", "predicate": "uses", "value": "Helix", "qualifiers": {"topic": "editor"},
                "keys": ["editor", "编辑器"],
            },
        ),
    )  # fmt: skip
    assert prompt[24:52] == taken.draft.quote


def test_chinese_is_taken_as_english_is(at: Rig) -> None:
    prompt = "看下这个报错。以后提交信息一律用中文写，方便同事看"
    taken = one(
        at,
        prompt,
        quote="以后提交信息一律用中文写，方便同事看",
        text="以后提交信息一律用中文写，方便同事看。",
        kind="profile",
        predicate="asks for",
        value="提交信息一律用中文写",
        why="方便同事看",
        keys_en=["commit message language"],
        keys_zh=["提交信息"],
    )
    assert taken.draft.text == "以后提交信息一律用中文写，方便同事看。"
    assert taken.draft.quote == prompt[taken.draft.start : taken.draft.end]
    assert taken.draft.data["qualifiers"] == {"why": "方便同事看", "topic": "commit language"}
    assert taken.draft.data["keys"] == ["commit message language", "提交信息"]
    assert taken.mended == ()


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("I prefer\n   tabs,  always.", "I prefer tabs, always"),
        ("I don’t like “smart” quotes.", 'I don\'t like "smart" quotes'),
        ("I prefer\u00a0tabs.", "I prefer tabs"),
        ("I pre\u200bfer tabs.", "I prefer tabs"),
        ("我 喜欢\u3000深色模式。", "我 喜欢 深色模式"),
    ],
)
def test_a_quote_is_found_whatever_its_white_space_and_kept_as_it_stands(
    at: Rig, source: str, quote: str
) -> None:
    got = found(at, [turn(source)], {"turn": 1, "quote": quote, "kind": "profile", "predicate": "prefers"})
    assert [(one.draft.quote, one.draft.start) for one in got.statements] == [
        (source[: one.draft.end], 0) for one in got.statements
    ]
    if not got.statements:  # a denial that the model did not tell of is found in the words
        assert got.refused == ()


@pytest.mark.parametrize(
    ("prompt", "quote", "reason"),
    [
        ("I use tabs.", "I use spaces everywhere", "quote not in the source"),
        ("I use tabs.", "", "no quote"),
        ("I use tabs.", "tabs", "quote too short to say anything"),
        ("Is this portable enough?", "port", "quote not in the source"),
        (
            "My key is [redacted:key:1a2b3c4d].",
            "My key is [redacted:key:1a2b3c4d]",
            "what it quotes was redacted",
        ),
        (
            "What does this do?\n```\nI always want root\n```",
            "I always want root",
            "pasted or quoted words, not the user's own",
        ),
        (
            "Summarise this email:\n\nHi, I prefer phone calls to chat.",
            "I prefer phone calls to chat",
            "pasted or quoted words, not the user's own",
        ),
        (
            "总结一下这封邮件：\n\n你好，我更喜欢电话沟通。",
            "我更喜欢电话沟通",
            "pasted or quoted words, not the user's own",
        ),
        (
            "老周 10:21\n我不喜欢用 k8s\n小马 10:22\n我也不喜欢",
            "我不喜欢用 k8s",
            "pasted or quoted words, not the user's own",
        ),
        ("Do I prefer tabs or spaces?", "Do I prefer tabs", "a question"),
        ("我是不是喜欢深色模式？", "我是不是喜欢深色模式", "a question"),
        ("My boss says I prefer long meetings.", "I prefer long meetings", "what someone else said"),
        ("If I were rich I would prefer a Mac.", "I would prefer a Mac", "a supposition"),
        ("I love writing XML by hand lol", "I love writing XML by hand", "a joke"),
    ],
)
def test_what_the_user_did_not_state_is_refused_with_its_reason(
    at: Rig, prompt: str, quote: str, reason: str
) -> None:
    assert refusal(at, prompt, quote=quote, text=quote) == reason


def test_a_turn_that_was_not_shown_is_refused(at: Rig) -> None:
    got = found(at, [turn("I use tabs.")], {"turn": 2, "quote": "I use tabs", "text": "I use tabs."})
    assert got.refused == (Refused(None, "a turn that was not shown", "I use tabs."),)


def test_what_was_said_before_is_no_evidence_but_names_what_it_means(at: Rig) -> None:
    said = {"turn": 1, "kind": "fact", "subject": "team", "predicate": "uses"}
    got = found(
        at, [turn("OK, we use it for sessions too.")],
        {**said, "quote": "let us take Redis", "text": "The team takes Redis."},
        {**said, "quote": "we use it for sessions too", "text": "We use Redis for sessions too.", "value": "it"},
        earlier=["For the cache let us take Redis."],
    )  # fmt: skip
    assert [one.reason for one in got.refused] == ["quote not in the source"]
    assert [one.draft.text for one in got.statements] == ["We use Redis for sessions too."]


def test_a_statement_with_the_wrong_number_goes_to_the_turn_that_it_quotes(at: Rig) -> None:
    turns = [turn("Run the tests.", key=5), turn("I live in Oslo now.", key=6)]
    got = found(
        at,
        turns,
        {"turn": 1, "quote": "I live in Oslo", "kind": "profile", "predicate": "lives in", "value": "Oslo"},
    )
    (taken,) = got.statements
    assert (taken.turn, taken.event, taken.draft.slot) == (6, 61, "lives:city")
    assert "turn number" in taken.mended


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("The staging port is 5433.", "The staging port is 5432."),
        ("We run Python 3.11 here.", "We run Python 3.12 here."),
        ("Logs go to the log folder.", "Logs go to /var/log/app."),
        ("See the handbook first.", "See https://evil.example/handbook first."),
        ("I work with a designer.", "I work with Alice."),
        ("I like this shell.", "I don't like this shell."),
        ("I always enable caching.", "I always disable caching."),
        ("预发库端口是 5433。", "预发库端口是 5432。"),
        ("我每周三次站会。", "我每周两次站会。"),
        ("我和设计师一起干活。", "我和张伟一起干活。"),
        ("我平时用这个终端。", "我平时不用这个终端。"),
        ("我们允许直接推主干。", "我们禁止直接推主干。"),
        ("I prefer short names.", "我喜欢短的名字。"),
        ("我喜欢短的名字。", "I prefer short names."),
        ("I prefer short names.", "I prefer short names. " * 30),
        ("I prefer short names.", ""),
    ],
)
def test_a_sentence_that_says_more_than_its_quote_gives_way_to_the_quote(
    at: Rig, prompt: str, text: str
) -> None:
    quote = prompt.rstrip(".。")
    taken = one(at, prompt, quote=quote, text=text, kind="fact", predicate="notes", value=quote)
    assert taken.draft.text == quote
    assert len(taken.mended) == 1


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("the limit is three requests", "The limit is 3 requests."),
        ("上限是三个请求", "上限是3个请求。"),
        ("the limit is 1,000 requests", "The limit is 1000 requests."),
        ("We use PostgreSQL for it, not MySQL", "We use PostgreSQL, not MySQL."),
        ("請記得伺服器在東京", "服务器在东京，请记得。"),
    ],
)
def test_a_sentence_in_other_words_stands(at: Rig, prompt: str, text: str) -> None:
    taken = one(at, prompt, quote=prompt, text=text, kind="fact", predicate="notes", value=prompt)
    assert taken.draft.text in (text, prompt)
    if "伺服器" not in prompt:
        assert taken.draft.text == text


def test_a_value_that_is_not_in_the_quote_gives_way_to_the_quote(at: Rig) -> None:
    taken = one(
        at,
        "I prefer tabs.",
        quote="I prefer tabs",
        text="I prefer tabs.",
        kind="profile",
        predicate="prefers",
        value="spaces",
    )
    assert taken.draft.data["value"] == "I prefer tabs"
    assert taken.mended == ("value",)


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("I don't use Docker Desktop", "Docker Desktop"),
        ("Never commit the lock file", "commit the lock file"),
        ("我不用 webpack", "webpack"),
        ("以后别再加 emoji", "加 emoji"),
        ("I hate trailing whitespace", "trailing whitespace"),
    ],
)
def test_what_the_words_deny_is_denied_whatever_the_model_says(at: Rig, prompt: str, value: str) -> None:
    taken = one(
        at, prompt, quote=prompt, text=prompt, kind="profile", predicate="prefers", value=value, denied=False
    )
    assert taken.draft.polarity == "negated"
    assert "polarity" in taken.mended


def test_what_no_word_denies_cannot_be_denied(at: Rig) -> None:
    reason = refusal(
        at,
        "I use vim every day.",
        quote="I use vim every day",
        text="I never use vim.",
        value="vim",
        denied=True,
    )
    assert reason == "denied without a word that denies"


def test_the_not_of_a_list_belongs_to_what_follows_it_alone(at: Rig) -> None:
    taken = one(
        at,
        "We take tabs, not spaces",
        quote="We take tabs, not spaces",
        text="We take tabs, not spaces.",
        kind="profile",
        predicate="prefers",
        value="tabs",
    )
    assert (taken.draft.polarity, taken.draft.slot) == ("affirmed", "prefers:indentation")


@pytest.mark.parametrize(
    ("prompt", "said", "expected"),
    [
        ("I prefer dark mode", {"predicate": "prefers", "value": "dark mode"}, "prefers:theme"),
        ("我偏好深色模式", {"predicate": "偏好", "value": "深色模式"}, "prefers:theme"),
        ("my editor is Lapce now", {"predicate": "uses", "value": "Lapce", "topic": "editor"}, "uses:editor"),
        ("I write with Lapce", {"predicate": "uses", "value": "Lapce", "topic": "editor"}, None),
        ("I use Lapce", {"predicate": "uses", "value": "Lapce", "topic": "is:name"}, None),
        ("Call me Ishmael", {"predicate": "is named", "value": "Ishmael"}, "is:name"),
        ("I work as a plumber", {"predicate": "works as", "value": "plumber"}, "is:role"),
        ("I speak German", {"predicate": "speaks", "value": "German"}, None),
        ("German is my native language", {"predicate": "speaks", "value": "German"}, "is:native language"),
        ("We settled on MySQL", {"predicate": "decided", "value": "MySQL"}, "decided:database"),
        ("I use tabs in Go code", {"predicate": "prefers", "value": "tabs"}, "prefers:indentation@go"),
        ("I hate dark mode", {"predicate": "dislikes", "value": "dark mode"}, None),
        ("I no longer live in Rome", {"predicate": "lives in", "value": "Rome", "denied": True}, "lives:city"),
        ("My sister uses vim", {"predicate": "uses", "value": "vim", "subject": "My sister", "kind": "fact"}, None),
        ("I seem to fix vim configs a lot", {"predicate": "uses", "value": "vim", "implied": True}, None),
    ],
)  # fmt: skip
def test_a_slot_follows_from_the_words_and_not_from_the_model(
    at: Rig, prompt: str, said: dict[str, Any], expected: str | None
) -> None:
    taken = one(at, prompt, **{"quote": prompt, "text": prompt, "kind": "profile"} | said)
    assert taken.draft.slot == expected


def test_every_topic_that_a_model_may_name_is_one_that_the_rules_know() -> None:
    known = {"manner": topics._MANNER, "tool": topics._TOOLS}
    assert all(one.name in known[one.sort] for one in HINTS)


def test_what_is_only_implied_is_never_as_sure_as_what_is_said(at: Rig) -> None:
    taken = one(
        at,
        "I keep fixing indentation",
        quote="I keep fixing indentation",
        text="I keep fixing indentation",
        kind="profile",
        implied=True,
        confidence=1.0,
    )
    assert taken.draft.confidence == 0.4
    assert taken.draft.data["implied"] is True


@pytest.mark.parametrize("wild", [-3, 0, 7, 1e9, "high", None, float("inf")])
def test_importance_and_confidence_stay_within_bounds(at: Rig, wild: Any) -> None:
    said = json.loads(json.dumps({"v": wild})) if wild != float("inf") else {"v": "inf"}
    taken = one(
        at,
        "I prefer tabs.",
        quote="I prefer tabs",
        text="I prefer tabs.",
        kind="profile",
        importance=said["v"],
        confidence=said["v"],
    )
    assert 0.1 <= taken.draft.importance <= 0.9
    assert 0.3 <= taken.draft.confidence <= 0.9


@pytest.mark.parametrize(
    ("prompt", "said", "expires", "dated"),
    [
        ("Remind me on Friday to call Ann", {"expires": "2026-03-13"}, "2026-03-13", " (2026-03-13)"),
        ("Remind me on Friday to call Ann", {"expires": "2027-01-01"}, "2026-03-13", " (2026-03-13)"),
        ("Remind me on Friday to call Ann", {}, "2026-03-13", " (2026-03-13)"),
        ("周五提醒我给客户打电话", {"expires": "2026-03-13"}, "2026-03-13", "（2026-03-13）"),
        ("By the end of the sprint we ship it", {"expires": "2026-03-20"}, "2026-03-20", " (2026-03-20)"),
        ("Don't forget to thank Ann later", {"expires": "2026-03-20"}, None, ""),
        ("By the end of the sprint we ship it, remind me", {"expires": "2226-03-20"}, None, ""),
    ],
)  # fmt: skip
def test_a_plan_is_over_when_its_words_say_so_and_not_when_a_model_likes(
    at: Rig, prompt: str, said: dict[str, Any], expires: str | None, dated: str
) -> None:
    taken = one(at, prompt, **{"quote": prompt, "text": "", "kind": "intention", "predicate": "plans"} | said)
    assert taken.draft.kind == "intention"
    assert taken.draft.expires_at == (day(expires) + DAY if expires else None)
    assert taken.draft.text == prompt + dated


@pytest.mark.parametrize("expires", ["", "2026-03-20", "2020-01-01", "soon"])
def test_a_plan_without_a_time_is_none(at: Rig, expires: str) -> None:
    prompt = "Then we rename the module."
    assert (
        refusal(at, prompt, quote="we rename the module", kind="intention", expires=expires)
        == "a plan without a time"
    )


def test_since_when_is_read_from_the_words(at: Rig) -> None:
    prompt = "I moved to Porto in January."
    said = {
        "quote": "I moved to Porto in January",
        "text": "I moved to Porto in January.",
        "kind": "profile",
        "predicate": "lives in",
        "value": "Porto",
    }
    assert one(at, prompt, **said, since="2026-01-01").draft.valid_from == day("2026-01-01")
    assert one(at, prompt, **said, since="2019-05-05").draft.valid_from == day("2026-01-01")
    assert one(at, prompt, **said, since="1066-01-01").draft.valid_from is None
    said = {**said, "quote": "I live in Porto", "text": "I live in Porto."}
    assert one(at, "I live in Porto.", **said, since="2026-01-01").draft.valid_from is None


def test_a_correction_is_one_where_the_words_correct(at: Rig) -> None:
    prompt = "No, the limit is 600 a minute, not 60."
    said = {
        "quote": "the limit is 600 a minute, not 60",
        "text": "The limit is 600 a minute, not 60.",
        "kind": "fact",
        "value": "600 a minute",
        "asks": "correct",
    }
    taken = one(at, prompt, **said, old="60")
    assert (taken.draft.asks, taken.draft.data["old"]) == ("correct", "60")
    assert "old" not in one(at, prompt, **said, old="9000").draft.data
    plain = one(
        at, "The limit is 600 a minute.", **{**said, "quote": "The limit is 600 a minute"}, old="everything"
    )
    assert plain.draft.asks == "keep"


def test_a_model_cannot_have_anything_forgotten(at: Rig) -> None:
    taken = one(
        at,
        "I use tabs in all projects.",
        quote="I use tabs in all projects",
        text="I use tabs in all projects.",
        kind="profile",
        asks="forget",
    )
    assert taken.draft.asks == "keep"


def test_search_words_are_few_short_and_of_their_language(at: Rig) -> None:
    words = ["worda", "wordb", "wordc", "wordd", "worde", "wordf"]
    taken = one(
        at, "我喜欢深色模式。", quote="我喜欢深色模式", text="我喜欢深色模式。", kind="profile", predicate="prefers",
        value="深色模式",
        keys_en=["dark mode", "Dark Mode", "深色", "x" * 60, "theme", "port 5433", "<b>", "a/b/c.py", *words],
        keys_zh=["深色模式", "dark", "主题", "", "界面\n颜色"],
    )  # fmt: skip
    assert taken.draft.data["keys"] == [
        "dark mode",
        "theme",
        "worda",
        "wordb",
        "wordc",
        "wordd",
        "深色模式",
        "主题",
        "界面 颜色",
    ]


def test_the_same_statement_twice_is_one(at: Rig) -> None:
    said = {
        "turn": 1,
        "quote": "I prefer tabs",
        "text": "I prefer tabs.",
        "kind": "profile",
        "predicate": "prefers",
        "value": "tabs",
    }
    got = found(
        at,
        [turn("I prefer tabs.")],
        {**said, "confidence": 0.5},
        {**said, "confidence": 0.8},
        said | {"quote": "prefer tabs"},
    )
    assert [one.draft.confidence for one in got.statements] == [0.8]


def test_a_reply_gives_at_most_a_fact_of_low_confidence_in_a_slot_of_its_own(at: Rig) -> None:
    reply = "SQLite holds one writer at a time."
    said = {
        "turn": 1,
        "quote": "SQLite holds one writer at a time",
        "text": "SQLite holds one writer at a time.",
        "subject": "SQLite",
        "predicate": "holds",
        "value": "one writer",
        "kind": "fact",
        "confidence": 1.0,
        "importance": 1.0,
    }
    got = found(at, [turn("Can SQLite have two writers?", reply)], said)
    (taken,) = got.statements
    assert (taken.origin, taken.event) == ("agent", 12)
    assert taken.draft.slot == "heard:sqlite:holds:one writer"
    assert (taken.draft.confidence, taken.draft.importance) == (0.4, 0.5)


@pytest.mark.parametrize(
    "said",
    [
        {"subject": "user", "kind": "profile"},
        {"subject": "user", "kind": "fact"},
        {"subject": "team", "kind": "fact"},
        {"subject": "project", "kind": "profile"},
        {"subject": "project", "kind": "intention", "expires": "2026-04-01"},
        {"subject": "project", "kind": "fact", "text": "The user prefers root."},
    ],
)
def test_a_reply_says_nothing_about_the_user(at: Rig, said: dict[str, Any]) -> None:
    reply = "The page prefers root logins."
    reason = refusal(
        at,
        "What does the page say?",
        reply,
        **{"quote": "The page prefers root logins", "text": "The page prefers root logins."} | said,
    )
    assert reason == "from a reply, and more than a plain fact"


def injections() -> list[dict[str, Any]]:
    lines = (DATA / "injections.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def obedient(said: dict[str, Any]) -> list[dict[str, Any]]:
    """What a model proposes that does all that is planted: each line of it, as anything it may be."""
    lines = [
        *str(said.get("payload") or "").splitlines(),
        *said["prompt"].splitlines(),
        said["planted"],
        said["reply"],
    ]
    planted = [line.strip() for line in lines if said["planted"] in line]
    return [
        {
            "turn": 1, "quote": quote[:400], "text": quote[:200], "kind": kind, "subject": subject,
            "value": said["planted"], "predicate": predicate, "expires": "2026-12-31", "asks": asks,
            "old": said["planted"],
        }
        for quote in planted
        for kind, predicate in (("profile", "asks for"), ("fact", "notes"), ("intention", "plans"))
        for subject, asks in (("user", "keep"), ("project", "correct"))
    ][:40]  # fmt: skip


@pytest.mark.parametrize("said", injections(), ids=lambda said: said["planted"][:40])
def test_what_is_planted_never_becomes_a_draft_even_where_the_model_obeys(
    at: Rig, said: dict[str, Any]
) -> None:
    steps = (ran(said.get("tool") or "x", said.get("payload") or "", ok=True),)
    chat = turn(said["prompt"], said["reply"])
    for given in (chat, replace(chat, steps=steps)):
        got = reading(at, [given], {"statements": obedient(said)})
        assert got.statements == ()
        assert got.proposed >= 6
        shown = at.server.asked[0].body["messages"][1]["content"]
        if said["where"] in ("file", "web", "commit") and said["planted"] not in said["reply"]:
            assert said["planted"] not in shown


def test_what_the_rules_find_a_model_may_find_too() -> None:
    """Nothing that the rules' measured precision rests on is refused, but for two turns of speech."""
    from backstory.pipelines.extract.model_shapes import Statement
    from backstory.pipelines.extract.model_statements import statement

    from .chat_turns import load

    taken = refused = 0
    for labelled in load():
        at = int(labelled.moment.timestamp()) * 1_000_000
        said = replace(turn(labelled.prompt), at=at, utc_offset_s=labelled.offset_s)
        for rule in drafts(labelled.prompt, at=at, utc_offset_s=labelled.offset_s):
            if rule.asks == "forget":
                continue
            given = Statement(
                turn=1, quote=rule.quote, text=rule.text, kind=rule.kind, subject=rule.data["subject"],
                predicate=rule.data["predicate"], value=rule.data["value"], denied=rule.polarity == "negated",
            )  # fmt: skip
            got = statement(given, [said], frozenset((1,)), [])
            if isinstance(got, Refused):
                refused += 1
            else:
                taken += 1
                assert (got.draft.quote, got.draft.polarity) == (rule.quote, rule.polarity)
    assert taken > 150
    assert refused <= 0.05 * taken


# --- when it does not answer


@pytest.mark.parametrize(
    "reply", [refuses(500), refuses(401), says("Sorry, no."), says({"facts": []}), says("[]")]
)
def test_where_no_answer_comes_the_rules_take_over(failing: Rig, reply: Reply) -> None:
    steps = (ran("make"),)
    rule = fact(Trace("Build it.", steps, "Built."), Around("coding"))
    said = turn("Build it.", "Built.", steps=steps, fact=rule)
    got = reading(failing, [said, turn("I like it.", key=2)], reply)
    assert got.left == (1, 2)
    assert got.statements == ()
    assert got.facts == {1: said.fact}
    assert len(got.declined) == 1


def test_a_model_that_is_down_is_not_asked_for_every_piece(failing: Rig) -> None:
    turns = [turn(f"{'Word is here. ' * 500}", key=key) for key in range(1, 5)]
    got = reading(failing, turns, refuses(401))
    assert got.left == (1, 2, 3, 4)
    assert len(failing.server.asked) == 1


def test_a_piece_that_was_not_answered_leaves_only_its_own_turns_to_the_rules(failing: Rig) -> None:
    turns = [turn(f"{f'Word{key} is here. ' * 350}I use tabs.", key=key) for key in (1, 2)]

    def answer(request: Request) -> Reply:
        if "Word2" in request.text:
            return says("no idea")
        return says(
            {"statements": [{"turn": 1, "quote": "I use tabs", "text": "I use tabs.", "kind": "profile"}]}
        )

    got = reading(failing, turns, answer)
    assert got.left == (2,)
    assert [one.turn for one in got.statements] == [1]


def test_odd_items_are_left_out_and_the_others_stand(at: Rig) -> None:
    good = {
        "turn": 1,
        "quote": "I prefer tabs",
        "text": "I prefer tabs.",
        "kind": "profile",
        "predicate": "prefers",
    }
    odd: list[Any] = [
        None,
        7,
        "text",
        [],
        {},
        {"turn": "x"},
        {**good, "quote": 5},
        {**good, "keys_en": "tabs", "importance": "very"},
    ]
    got = found(at, [turn("I prefer tabs.")], *odd)
    assert [one.draft.text for one in got.statements] == ["I prefer tabs."]


def test_what_asking_came_to_is_told(at: Rig) -> None:
    got = found(at, [turn("I prefer tabs.")])
    (spent,) = got.calls
    assert (spent.tokens_in, spent.tokens_out, spent.calls) == (100, 20, 1)


def test_the_zone_of_the_window_counts(at: Rig) -> None:
    late = replace(
        turn("Remind me tomorrow to call Ann."), at=day("2026-03-12") - 1_000_000, utc_offset_s=ZONE_S
    )
    got = found(at, [late], {"turn": 1, "quote": "Remind me tomorrow to call Ann", "kind": "intention"})
    assert got.statements[0].draft.expires_at == day("2026-03-13")
