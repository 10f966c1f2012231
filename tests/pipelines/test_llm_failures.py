"""An endpoint that misbehaves: each way of it is a reason to let rules decide, and none raises, waits or insists."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from email.utils import formatdate

import pytest
from backstory.pipelines import llm_wire
from backstory.pipelines.llm import Answered, Asked, Declined, Model
from backstory.pipelines.llm_breaker import LONG_REST_S, LONGEST_REST_S, REST_S
from backstory.store.db import Database
from backstory.tests.model_server import (
    Reply,
    breaks_off,
    drips,
    hangs_up,
    is_silent,
    never_ends,
    page,
    refuses,
    says,
)
from backstory.tests.pipelines.asking_a_model import (
    ASKED,
    CHAT,
    KEY,
    NOW,
    SECOND,
    Verdict,
    rig,
    settings,
)

# What a request that was cut is taken to have cost: all it might have (its text and schema, and 50 to answer).
LOST = -1


@dataclass(frozen=True)
class Case:
    reply: Reply
    why: str
    says: str
    requests: int = 1
    verdict: str = ""
    tokens: int = 0
    deadline_s: float = 5


CASES = {
    "bad request": Case(refuses(400, "flagged by our filter"), "refused", "answered 400", 2, "refused 400"),
    "too long": Case(
        refuses(400, "maximum context length is 8192 tokens", code="context_length_exceeded"),
        "refused",
        "answered 400 (context_length_exceeded)",
        1,
        "refused 400",
    ),
    "too large": Case(refuses(413), "refused", "answered 413", 1, "refused 413"),
    "no key": Case(refuses(401), "refused", "answered 401: check the key in TEST_KEY", 1, "refused 401"),
    "forbidden": Case(refuses(403), "refused", "answered 403: check the key in TEST_KEY", 1, "refused 403"),
    "no money": Case(refuses(402), "refused", "answered 402: check the account's balance", 1, "refused 402"),
    "no quota": Case(
        refuses(429, "You exceeded your current quota", code="insufficient_quota"),
        "refused",
        "answered 429 (insufficient_quota): check the account's balance",
        1,
        "refused 429",
    ),
    "no balance, in Chinese": Case(
        refuses(429, "您的账户已欠费，请充值后重试。", code="1113"),
        "refused",
        "answered 429 (1113): check the account's balance",
        1,
        "refused 429",
    ),
    "no such model": Case(refuses(404), "refused", "answered 404: check model_url", 1, "refused 404"),
    "elsewhere": Case(
        Reply(307, b"", {"location": "http://127.0.0.1:9/v1/chat/completions"}),
        "refused",
        "answered 307: it sends elsewhere",
        1,
        "refused 307",
    ),
    "too many": Case(refuses(429), "failed", "answered 429: too many requests", 1, "refused 429"),
    "broken": Case(refuses(500, "oops"), "failed", "answered 500", 1, "refused 500"),
    "overloaded": Case(page(b"<h1>Bad gateway</h1>", status=502), "failed", "answered 502", 1, "refused 502"),
    "a page": Case(
        page(b"<html>sign in</html>"), "failed", "something else than a chat", 1, "no answer", LOST
    ),
    "nothing": Case(page(b""), "failed", "something else than a chat", 1, "no answer", LOST),
    "no choices": Case(
        page(b'{"choices": []}'), "failed", "something else than a chat", 1, "no answer", LOST
    ),
    "a list": Case(page(b"[]"), "failed", "something else than a chat", 1, "no answer", LOST),
    "deep": Case(page(b"[" * 100_000), "failed", "something else than a chat", 1, "no answer", LOST),
    "bytes": Case(page(b"\xff\xfe\x00"), "failed", "something else than a chat", 1, "no answer", LOST),
    "packed wrong": Case(
        page(b"not gzip", content_encoding="gzip"), "failed", "broke off in the middle", 1, "broken", LOST
    ),
    "cut": Case(breaks_off(), "failed", "broke off in the middle", 1, "broken", LOST),
    "hangs up": Case(hangs_up(), "failed", "broke off in the middle", 1, "broken", LOST),
    "endless": Case(never_ends(), "failed", "sent more than 1,024 KiB", 1, "broken", LOST, 20),
    "endless refusal": Case(never_ends(status=503), "failed", "answered 503", 1, "refused 503", 0, 20),
    "silent": Case(is_silent(), "late", "did not answer within", 1, "late", LOST, 0.5),
    "drips": Case(drips(), "late", "did not answer within", 1, "late", LOST, 0.5),
    "drips headers": Case(drips(headers=True), "late", "did not answer within", 1, "late", LOST, 0.5),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_whatever_an_endpoint_does_is_a_reason_and_stands_in_the_ledger(db: Database, case: Case) -> None:
    with rig(db, [case.reply]) as at:
        outcome = at.ask(deadline_s=case.deadline_s)
        assert isinstance(outcome, Declined)
        assert outcome.why == case.why
        assert case.says in outcome.reason
        assert outcome.reason.startswith("The model endpoint 127.0.0.1 ")
        assert outcome.reason.endswith(".")
        assert len(at.server.asked) == case.requests
        ledger = at.ledger()
        assert [(row[0], row[4]) for row in ledger] == [("failed", case.verdict)] * case.requests
        spent = outcome.spent
        assert spent is not None
        assert (spent.calls, spent.tokens_in, spent.tokens_out, spent.answer_hash) == (
            case.requests,
            sum(row[1] for row in ledger),
            sum(row[2] for row in ledger),
            None,
        )
        assert (spent.tokens_in > 50) == (case.tokens == LOST)
        assert at.model.state_at(NOW).spent_today == spent.tokens_in + spent.tokens_out


@pytest.mark.parametrize("reply", [is_silent(), drips(), drips(headers=True), never_ends()])
def test_an_answer_without_end_is_not_waited_for(db: Database, reply: Reply) -> None:
    with rig(db, [says(CHAT), reply]) as at:
        assert at.why() == "answered"
        outcomes: list[str] = []
        asking = threading.Thread(target=lambda: outcomes.append(at.why(deadline_s=0.2)), daemon=True)
        asking.start()
        asking.join(20)
        assert outcomes in (["late"], ["failed"])  # endless: whichever limit is met first


def test_the_deadline_holds_for_all_requests_of_a_question_together(db: Database) -> None:
    with rig(db, [says("nonsense"), is_silent()]) as at:
        outcome = at.ask(deadline_s=1)
        assert isinstance(outcome, Declined)
        assert (outcome.why, outcome.spent and outcome.spent.calls) == ("late", 2)
        assert [row[0] for row in at.ledger()] == ["settled", "failed"]


def test_the_deadline_of_the_settings_holds_where_none_is_given(db: Database) -> None:
    with rig(db, [is_silent()], model_timeout_s=0.3) as at:
        assert at.why(deadline_s=None) == "late"


def test_a_connection_that_is_never_made_is_given_up_and_costs_nothing(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_wire, "CONNECT_S", 0.2)
    with ExitStack() as full:
        server = full.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):  # whoever comes after these waits for a place in the queue
            waiting = full.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        model = Model(settings(f"http://127.0.0.1:{server.getsockname()[1]}/v1"), db, key=KEY)
        outcome = model.ask(ASKED, Verdict, now=NOW, deadline_s=20)
        model.close()
    assert isinstance(outcome, Declined)
    assert (outcome.why, outcome.reason) == ("failed", "The model endpoint 127.0.0.1 cannot be reached.")
    assert outcome.spent is not None
    assert outcome.spent.tokens_in == 0


def test_without_time_nothing_is_sent(db: Database) -> None:
    with rig(db, [says(CHAT)]) as at:
        assert at.why(deadline_s=0) == "late"
        assert at.ledger() == []


def test_an_endpoint_that_is_not_there_costs_nothing(db: Database) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        model = Model(settings(f"http://127.0.0.1:{taken.getsockname()[1]}/v1"), db, key=KEY)
        outcome = model.ask(ASKED, Verdict, now=NOW, deadline_s=5)
        spent_today = model.state_at(NOW).spent_today
        model.close()
    assert isinstance(outcome, Declined)
    assert (outcome.why, outcome.reason) == ("failed", "The model endpoint 127.0.0.1 cannot be reached.")
    assert outcome.spent is not None
    assert (outcome.spent.calls, spent_today) == (1, 0)


def test_what_an_endpoint_says_is_never_repeated(db: Database) -> None:
    told = f"{KEY}: your text '{ASKED.user}' is bad"
    for code in (KEY, ASKED.user, "France", "capital", "x" * 60):
        with rig(db, [refuses(400, told, code=code)]) as at:
            outcome = at.ask()
            assert isinstance(outcome, Declined)
            assert (
                outcome.reason == "The model endpoint 127.0.0.1 answered 400: it does not take this request."
            )


# --- the breaker, over real HTTP


def test_three_failures_in_a_row_open_it_and_one_answer_closes_it(db: Database) -> None:
    with rig(db, [refuses(500)]) as at:
        assert [at.why() for _ in range(5)] == ["failed", "failed", "failed", "resting", "resting"]
        assert len(at.server.asked) == 3
        resting = at.ask()
        assert resting == Declined(
            "resting", "127.0.0.1 rests for now: The model endpoint 127.0.0.1 answered 500.", None
        )
        # Not a moment before its time, then one probe that fails: it rests twice as long.
        soon, later = NOW + int((REST_S - 1) * SECOND), NOW + int((REST_S + 5) * SECOND)
        assert at.why(now=soon) == "resting"
        assert [at.why(now=later), at.why(now=later)] == ["failed", "resting"]
        assert len(at.server.asked) == 4
        assert at.why(now=later + int((2 * REST_S - 1) * SECOND)) == "resting"
        at.server.script = [says(CHAT)]
        back = later + int((2 * REST_S + 5) * SECOND)
        assert [at.why(now=back), at.why(now=back)] == ["answered", "answered"]
        assert at.model.state_at(back).resting == []
        # Failures before an answer are forgotten.
        at.server.script = [refuses(500)]
        assert [at.why(now=back) for _ in range(4)] == ["failed", "failed", "failed", "resting"]


def test_an_answer_in_between_starts_the_count_anew(db: Database) -> None:
    replies = [refuses(500), refuses(500), says(CHAT), refuses(500), refuses(500), says(CHAT)]
    with rig(db, replies) as at:
        assert [at.why() for _ in replies] == [
            "failed", "failed", "answered", "failed", "failed", "answered",
        ]  # fmt: skip


def test_rests_grow_and_stay_below_the_longest(db: Database) -> None:
    with rig(db, [refuses(503)]) as at:
        now, rests = NOW, []
        for _ in range(12):
            assert at.why(now=now) == "failed"
            state = at.model.state_at(now)
            if state.resting:
                rests.append(round((state.resting[0].until - now) / SECOND))
                now = state.resting[0].until + SECOND
        expected = [min(REST_S * 2**n, LONGEST_REST_S) for n in range(10)]
        assert rests == pytest.approx(expected, abs=3)


@pytest.mark.parametrize("status", [401, 403, 402, 404, 307])
def test_what_no_waiting_cures_rests_for_an_hour_and_one_probe_follows(db: Database, status: int) -> None:
    with rig(db, [refuses(status)]) as at:
        assert [at.why() for _ in range(4)] == ["refused", "resting", "resting", "resting"]
        assert at.why(now=NOW + int((LONG_REST_S - 5) * SECOND)) == "resting"
        after = NOW + int((LONG_REST_S + 5) * SECOND)
        assert [at.why(now=after), at.why(now=after)] == ["refused", "resting"]
        assert len(at.server.asked) == 2


def test_another_key_is_tried_at_once(db: Database) -> None:
    with rig(db, [refuses(401)]) as at:
        assert [at.why(), at.why()] == ["refused", "resting"]
        at.server.script = [says(CHAT)]
        corrected = Model(settings(at.server.url), db, key="sk-another")
        assert isinstance(corrected.ask(ASKED, Verdict, now=NOW, deadline_s=5), Answered)
        corrected.close()


def test_the_rest_of_one_model_is_not_that_of_another(db: Database) -> None:
    def script(request: object) -> Reply:
        return refuses(429) if request.body["model"] == "busy" else says(CHAT)  # type: ignore[attr-defined]

    with rig(db, script, model_judge="busy") as at:
        assert [at.why(), at.why()] == ["failed", "resting"]
        assert isinstance(at.ask(Asked("extract", "s", "u", 9)), Answered)


@pytest.mark.parametrize(
    ("header", "rests_s"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.5"}, 1),
        ({"retry_after": "-3"}, 1),
        ({"retry_after": formatdate(NOW / SECOND + 90, usegmt=True)}, 90),
        ({"retry_after": formatdate(NOW / SECOND - 90, usegmt=True)}, 1),
        ({"retry_after": "99999999999"}, 86_400),
        ({"retry_after_ms": "2500"}, 2.5),
        ({"retry_after": "soon"}, REST_S),
        ({"retry_after": "nan"}, REST_S),
        ({"retry_after_ms": "x"}, REST_S),
        ({}, REST_S),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_rest_that_is_asked_for_is_kept(
    db: Database, status: int, header: dict[str, str], rests_s: float
) -> None:
    with rig(db, [refuses(status, **header), says(CHAT)]) as at:
        assert at.why() == "failed"
        if status == 503 and rests_s == REST_S:  # one bad moment is no reason
            assert at.why() == "answered"
            return
        (rest,) = at.model.state_at(NOW).resting
        assert (rest.until - NOW) / SECOND == pytest.approx(rests_s, abs=2)
        assert at.why(now=rest.until - SECOND // 2) == "resting"
        assert at.why(now=rest.until + SECOND) == "answered"


def test_a_refused_text_opens_nothing_however_often(db: Database) -> None:
    with rig(
        db, [refuses(400, "Output data may contain inappropriate content.", code="data_inspection_failed")]
    ) as at:
        assert [at.why() for _ in range(6)] == ["refused"] * 6
        at.server.script = [says(CHAT)]
        assert at.why() == "answered"


def test_a_step_in_a_hurry_does_not_stop_the_others(db: Database) -> None:
    with rig(db, [is_silent()]) as at:
        hurried, patient = Asked("plan", "s", "u", 9), Asked("extract", "s", "u", 9)
        assert [at.why(asked=hurried, deadline_s=0.2) for _ in range(4)] == [
            "late",
            "late",
            "late",
            "resting",
        ]
        assert [rest.model for rest in at.model.state_at(NOW).resting] == ["small"]
        at.server.script = [says(CHAT)]
        assert at.why(asked=hurried) == "resting"
        assert at.why(asked=patient) == "answered"
        after = NOW + int((REST_S + 5) * SECOND)
        assert [at.why(asked=hurried, now=after) for _ in range(2)] == ["answered", "answered"]
        assert at.model.state_at(after).resting == []


def test_an_endpoint_that_repeats_a_text_about_money_is_not_taken_for_a_poor_account(db: Database) -> None:
    asked = Asked("judge", "s", "Handle the error insufficient_balance in pay.py", 9)
    with rig(db, [refuses(400, "content policy: insufficient_balance in pay.py"), says(CHAT)]) as at:
        assert [at.why(asked=asked), at.why(asked=asked)] == ["refused", "answered"]


def test_several_servers_and_a_restart_share_the_rest(db: Database, tmp_path: object) -> None:
    with rig(db, [refuses(500)]) as at:
        second_db = Database.open(db.path)
        second = Model(settings(at.server.url), second_db, key=KEY)
        outcomes = [
            at.why(),
            second.ask(ASKED, Verdict, now=NOW, deadline_s=5).why,  # type: ignore[union-attr]
            at.why(),
            second.ask(ASKED, Verdict, now=NOW, deadline_s=5).why,  # type: ignore[union-attr]
        ]
        assert outcomes == ["failed", "failed", "failed", "resting"]
        second.close()
        second_db.close()
        restarted = Model(settings(at.server.url), db, key=KEY)
        assert restarted.ask(ASKED, Verdict, now=NOW, deadline_s=5).why == "resting"  # type: ignore[union-attr]
        restarted.close()
        assert len(at.server.asked) == 3
