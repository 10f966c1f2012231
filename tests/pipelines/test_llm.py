"""A model asked over real HTTP: what comes back, what it costs, and what never leaves this machine."""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from backstory import configs
from backstory.pipelines.llm import Answered, Asked, Declined, Model, ModelState, Resting, Spent, open_model
from backstory.store import spending
from backstory.store.db import Database
from backstory.tests.model_server import Reply, completion, hangs_up, is_silent, refuses, says
from backstory.tests.pipelines.asking_a_model import ASKED, CHAT, KEY, NOW, Verdict, rig, settings

# Put together here, so that no scanner takes this file for a leak.
PLANTED = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def test_an_answer_comes_as_a_checked_value_with_what_it_cost(db: Database) -> None:
    with rig(db, [says(CHAT)]) as at:
        outcome = at.ask()
        assert isinstance(outcome, Answered)
        assert outcome.value == Verdict(label="chat", sure=0.9)
        answer = '{"label": "chat", "sure": 0.9}'
        prompt = f"{ASKED.system}\0{ASKED.user}"
        assert outcome.spent == Spent(
            model="small",
            tokens_in=100,
            tokens_out=20,
            calls=1,
            took_us=outcome.spent.took_us,
            estimated=False,
            prompt_hash=hashlib.sha256(prompt.encode()).hexdigest()[:32],
            prompt_chars=len(prompt) - 1,
            answer_hash=hashlib.sha256(answer.encode()).hexdigest()[:32],
            answer_chars=len(answer),
        )
        assert at.ledger() == [("settled", 100, 20, False, "answered")]
        (request,) = at.server.asked
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["accept-encoding"] == "identity"
        assert request.body["model"] == "small"
        assert request.body["messages"] == [
            {"role": "system", "content": ASKED.system},
            {"role": "user", "content": ASKED.user},
        ]
        assert request.body["max_tokens"] == 50


def test_each_step_asks_its_own_model_and_the_others_the_default(db: Database) -> None:
    with rig(db, [says(CHAT)], model_judge="tiny", model_extract="large") as at:
        for step in ("judge", "extract", "reconcile", "plan", "summary"):
            outcome = at.ask(Asked(step, "s", "u", 10))
            assert isinstance(outcome, Answered)
        assert [request.body["model"] for request in at.server.asked] == [
            "tiny",
            "large",
            "small",
            "small",
            "small",
        ]


def test_a_step_without_a_model_is_off_while_another_has_one(db: Database) -> None:
    with rig(db, [says(CHAT)], model="", model_plan="quick") as at:
        assert at.ask() == Declined("off", "No model is set for the step 'judge'.", None)
        assert isinstance(at.ask(Asked("plan", "s", "u", 10)), Answered)


def test_no_model_is_opened_in_lite_or_without_a_name(db: Database) -> None:
    for more in ({"mode": "lite"}, {"model": ""}):
        assert open_model(settings("ollama", **more), db, key=KEY) is None
    model = open_model(settings("ollama", model="", model_extract="x"), db, key=KEY)
    assert model is not None
    model.close()


def test_without_the_key_that_is_named_nothing_is_sent(db: Database) -> None:
    with rig(db, [says(CHAT)], key=None) as at:
        outcome = at.ask()
        assert outcome == Declined(
            "off", "There is no key for the model: set the environment variable TEST_KEY.", None
        )
        assert at.server.asked == []


def test_an_endpoint_that_names_no_key_needs_none(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    # The client would send OpenAI's own key, and the account's name, to whoever is asked.
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-mine")
    with rig(db, [says(CHAT)], key=None, model_key_variable="") as at:
        assert isinstance(at.ask(), Answered)
        sent = at.server.asked[0].headers
        assert sent["authorization"] == "Bearer none"
        assert not {value for value in sent.values() if KEY in value or "-mine" in value}


def test_a_key_that_ends_in_a_newline_is_sent_without_it(db: Database) -> None:
    with rig(db, [says(CHAT)], key=f"{KEY}\n") as at:
        assert at.why() == "answered"
        assert at.server.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["密钥", "two\nlines", "\x00"])
def test_a_key_that_cannot_be_sent_costs_nothing_and_is_not_shown(db: Database, key: str) -> None:
    with rig(db, [says(CHAT)], key=key) as at:
        outcome = at.ask()
        assert isinstance(outcome, Declined)
        assert outcome.why == "failed"
        assert "check the key" in outcome.reason
        assert key not in outcome.reason
        assert at.server.asked == []
        assert at.model.state_at(NOW).spent_today == 0


def test_secrets_and_private_passages_never_reach_the_wire(db: Database) -> None:
    asked = Asked(
        "extract",
        f"Use token {PLANTED} never.",
        f"my key is {PLANTED} <private>Grandma's soup</private> 密码是 {PLANTED} 再见 \ud800",
        50,
    )
    # The endpoint says it back, so that it would go out again with the request to mend the answer.
    with rig(db, [says(f'{{"label": "{PLANTED}"}}'), says(CHAT)]) as at:
        assert isinstance(at.ask(asked), Answered)
        assert len(at.server.asked) == 2
        for request in at.server.asked:
            assert PLANTED.encode() not in request.raw
            assert b"Grandma" not in request.raw
            assert "再见" in request.text


def test_nobodys_text_is_logged_at_info_and_the_key_nowhere(
    db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    asked = Asked("judge", "SYSTEM-WORDS", "USER-WORDS", 50)
    replies = [
        says("ANSWER-WORDS"),
        says("ANSWER-WORDS"),
        refuses(401, f"bad key {KEY} USER-WORDS", code=KEY),
    ]
    with rig(db, replies) as at:
        outcomes = [at.ask(asked), at.ask(asked), at.ask(asked)]
        shown = repr([at.model, outcomes, at.model.state_at(NOW), vars(at.model._wire).keys(), asked])
    assert KEY not in shown
    assert "-WORDS" not in shown
    assert caplog.records
    for record in caplog.records:
        assert KEY not in record.getMessage() + str(record.exc_info)
        if record.levelno >= logging.INFO:
            assert "-WORDS" not in record.getMessage()


def test_figures_that_an_endpoint_does_not_give_are_estimated_by_script(db: Database) -> None:
    english = Asked("judge", "a" * 400, "b" * 400, 50)
    chinese = Asked("judge", "说" * 300, "明" * 300, 50)
    with rig(db, [says(CHAT, usage=None)], model_tokens_a_day=100_000) as at:
        first, second = at.ask(english), at.ask(chinese)
        assert isinstance(first, Answered) and isinstance(second, Answered)
        # Twice as many tokens for three quarters of the characters; both carry the same schema and marks.
        assert second.spent.tokens_in - first.spent.tokens_in == 400 - 200
        assert first.spent.tokens_out == second.spent.tokens_out == 8
        assert first.spent.estimated and second.spent.estimated
        assert [row[3] for row in at.ledger()] == [True, True]


@pytest.mark.parametrize(
    "usage",
    [{}, {"prompt_tokens": -5, "completion_tokens": True}, "much", {"prompt_tokens": "9", "total_tokens": 3}],
)
def test_figures_that_are_no_numbers_are_estimated(db: Database, usage: object) -> None:
    with rig(db, [says(CHAT, usage=usage)]) as at:
        outcome = at.ask()
        assert isinstance(outcome, Answered)
        assert outcome.spent.estimated
        assert outcome.spent.tokens_in > 0 and outcome.spent.tokens_out > 0


def test_figures_beyond_belief_are_cut(db: Database) -> None:
    with rig(db, [says(CHAT, usage={"prompt_tokens": 10**30, "completion_tokens": 1})]) as at:
        outcome = at.ask()
        assert isinstance(outcome, Answered)
        assert outcome.spent.tokens_in == spending.MOST_TOKENS


def test_a_wrong_answer_is_mended_once_by_showing_what_is_wrong(db: Database) -> None:
    with rig(db, [says({"label": "poetry"}), says(CHAT)]) as at:
        outcome = at.ask()
        assert isinstance(outcome, Answered)
        assert (outcome.spent.calls, outcome.spent.tokens_in, outcome.spent.tokens_out) == (2, 200, 40)
        second = at.server.asked[1].body["messages"]
        assert [message["role"] for message in second] == ["system", "user", "assistant", "user"]
        assert second[2]["content"] == '{"label": "poetry"}'
        assert "label: Input should be 'chat', 'working' or 'coding'" in second[3]["content"]


@pytest.mark.parametrize("answer", [{"label": "poetry"}, "I would rather not.", "", "[1, 2]", "null"])
def test_after_two_unusable_answers_rules_take_over(db: Database, answer: object) -> None:
    with rig(db, [says(answer)]) as at:
        outcome = at.ask()
        assert isinstance(outcome, Declined)
        assert (outcome.why, outcome.spent and outcome.spent.calls) == ("nonsense", 2)
        assert len(at.ledger()) == len(at.server.asked) == 2
        # It answers, so it is well: the next question is put.
        assert at.why() == "nonsense"


def test_an_answer_that_had_no_room_to_begin_is_not_asked_for_again(db: Database) -> None:
    with rig(db, [says("", finish="length", reasoning_content="Hmm, " * 50)]) as at:
        outcome = at.ask()
        assert isinstance(outcome, Declined)
        assert outcome.why == "nonsense"
        assert "cut off at 50 tokens" in outcome.reason
        assert len(at.server.asked) == 1


@pytest.mark.parametrize(
    "reply", [says(None, refusal="I cannot help with that."), says("", finish="content_filter")]
)
def test_a_model_that_will_not_answer_is_not_pressed(db: Database, reply: object) -> None:
    with rig(db, [reply]) as at:  # type: ignore[list-item]
        assert at.why() == "refused"
        assert len(at.server.asked) == 1


def test_an_answer_may_come_in_parts_and_in_another_language(db: Database) -> None:
    texts = ["好的，结果如下：\n```json\n", '{"label": "coding"', "}\n```\n以上。"]
    parts = [{"type": "text", "text": text} for text in texts]
    with rig(db, [Reply(body=completion(parts))]) as at:
        outcome = at.ask()
        assert isinstance(outcome, Answered)
        assert outcome.value.label == "coding"


def test_the_state_tells_models_host_rest_and_spending(db: Database) -> None:
    with rig(db, [says(CHAT), refuses(401)], model_plan="quick") as at:
        at.ask()
        at.ask()
        state = at.model.state_at(NOW)
        until = state.resting[0].until
        assert state == ModelState(
            models={
                "judge": "small",
                "extract": "small",
                "reconcile": "small",
                "plan": "quick",
                "summary": "small",
            },
            host="127.0.0.1",
            resting=[
                Resting(
                    "small", until, "The model endpoint 127.0.0.1 answered 401: check the key in TEST_KEY."
                )
            ],
            spent_today=120,
            budget=200_000,
        )
        assert 3_600_000_000 <= until - NOW < 3_610_000_000
        assert at.model.state.spent_today == 0  # today, which is another day


def test_the_state_of_an_untouched_file_is_empty(db: Database) -> None:
    model = Model(settings("ollama"), db, key=None)
    assert (model.state.host, model.state.resting, model.state.spent_today) == ("localhost", [], 0)
    model.close()


def test_closing_cuts_what_is_under_way_and_what_comes_after_is_off(db: Database) -> None:
    outcomes: list[object] = []
    with rig(db, [is_silent()]) as at:
        asking = threading.Thread(target=lambda: outcomes.append(at.ask(deadline_s=60)))
        asking.start()
        assert at.server.busy.wait(20)
        at.model.close()
        asking.join(10)
        assert not asking.is_alive()
        at.model.close()
        assert at.why() == "off"
    (cut,) = outcomes
    assert isinstance(cut, Declined)
    assert cut.why == "off"


def test_closing_a_model_that_was_never_asked_does_nothing(db: Database) -> None:
    model = Model(settings("ollama"), db, key=KEY)
    model.close()
    assert isinstance(model.ask(ASKED, Verdict, now=NOW), Declined)


def test_several_threads_ask_at_once(db: Database) -> None:
    with rig(db, [says(CHAT)]) as at:
        outcomes: list[object] = []
        threads = [threading.Thread(target=lambda: outcomes.append(at.ask(deadline_s=20))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert all(isinstance(outcome, Answered) for outcome in outcomes)
        assert len(outcomes) == len(at.ledger()) == 6


def test_a_file_that_cannot_be_written_means_that_nothing_is_sent(db: Database, tmp_path: Path) -> None:
    readonly = Database.open(tmp_path / "backstory.db", readonly=True)
    with rig(readonly, [says(CHAT)]) as at:
        assert at.why() == "failed"
        assert at.server.asked == []
    readonly.close()


@pytest.mark.parametrize(
    "url", ["http://[bad", "http://127.0.0.1:99999/v1", "https://exa mple/v1", "http://:0/"]
)
def test_an_address_that_is_none_is_declined(db: Database, url: str) -> None:
    try:
        model = Model(settings(url), db, key=KEY)
    except ValueError:
        return  # refused where it is set
    outcome = model.ask(ASKED, Verdict, now=NOW, deadline_s=2)
    model.close()
    assert isinstance(outcome, Declined)
    assert outcome.why in ("failed", "late")


def test_importing_the_boundary_loads_neither_client_nor_network() -> None:
    code = (
        "import sys; import backstory.pipelines.llm; "
        "print([name for name in ('openai', 'httpx2', 'json_repair', 'anyio') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_presets_are_addresses_and_ollama_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {name: (settings(name, model_key_variable="")) for name in configs.PRESETS}
    assert {name: one.model_key_name for name, one in found.items()} == {
        "openai": "OPENAI_API_KEY",
        "dashscope": "DASHSCOPE_API_KEY",
        "zhipu": "ZHIPUAI_API_KEY",
        "deepseek": "DEEPSEEK_API_KEY",
        "ollama": "",
    }
    environ = {"OPENAI_API_KEY": "a", "DEEPSEEK_API_KEY": "b", "MINE": "c"}
    assert configs.model_key(found["deepseek"], environ) == "b"
    assert configs.model_key(found["ollama"], environ) is None
    assert configs.model_key(settings("http://localhost:1/v1", model_key_variable=""), environ) is None
    assert configs.model_key(settings("ollama", model_key_variable="MINE"), environ) == "c"


def test_a_connection_that_hangs_up_is_a_failure_not_an_error(db: Database) -> None:
    with rig(db, [hangs_up(), says(CHAT)]) as at:
        assert [at.why(), at.why()] == ["failed", "answered"]
