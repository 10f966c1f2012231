"""One counted request after another: held to the breaker and the day's budget, and written to the ledger."""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import apsw

from ..store import spending
from ..store.clock import SECOND_US
from ..store.db import Database
from ..store.errors import BackstoryError
from . import llm_breaker as breaker
from .llm_dialect import Dialect
from .llm_refusals import Verdict, judged
from .llm_replies import Written, opened
from .llm_tokens import estimate, of_request
from .llm_wire import Cut, Refused, Reply, Wire

# What a request may need beyond the estimate, so that the budget holds where the estimate is short (code, names).
MARGIN = 1.25
# How long the memory file may be locked by others before a request goes unsent.
LOCK_S = 2.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NotHad:
    """No answer can be had now."""

    why: Literal["off", "budget", "resting", "late", "refused", "failed"]
    reason: str


@dataclass(frozen=True, slots=True)
class Line:
    """Where requests go, and by what they are counted. `name` is the breaker's; `keeps_text`: for the log."""

    wire: Wire
    db: Database
    host: str
    model: str
    name: str
    key_name: str
    budget: int
    chance: Callable[[], float] = random.random
    keeps_text: bool = False


# What the breaker learns of a request: it failed, an answer came, or nothing can be said.
Lesson = Verdict | Literal["alive", "nothing"]


class Calls:
    """The requests of one question: its clock, and what they came to together."""

    def __init__(self, line: Line, step: str, *, now: int, deadline_s: float) -> None:
        self._line = line
        self._step = step
        self._names = (line.name, breaker.of_step(line.name, step))
        self._now = now
        self._deadline_s = deadline_s
        self._began = time.perf_counter()
        self.count = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.estimated = False
        self.took_us = 0

    def send(
        self,
        messages: Sequence[Mapping[str, str]],
        options: Mapping[str, Any],
        *,
        max_tokens: int,
        otherwise: Callable[[Refused], Dialect | None],
    ) -> Written | Dialect | NotHad:
        """What came of one request. A refusal goes to `otherwise`, which may know another way to ask."""
        left_s = self._left_s()
        if left_s <= 0:
            return NotHad("late", "There was no time left for another request.")
        tokens_in = of_request(messages, options)
        try:
            begun = self._line.db.write_within(
                min(LOCK_S, left_s), self._begin, math.ceil(tokens_in * MARGIN) + max_tokens
            )
        except BackstoryError as e:
            return NotHad("failed", f"The request could not be counted, so it was not sent: {e}")
        if isinstance(begun, NotHad):
            return begun
        request = {"model": self._line.model, "messages": list(messages), **options}
        self._start()
        at = time.perf_counter()
        came = self._line.wire.send(request, within_s=max(self._left_s(), 0.001))
        took_us = round((time.perf_counter() - at) * SECOND_US)
        lost = spending.Cost(tokens_in, max_tokens, True, took_us, "", failed=True)
        outcome, cost, verdict = self._judged(came, messages, lost, otherwise)
        self._count(cost)
        try:
            self._line.db.write_within(LOCK_S, self._end, begun, cost, verdict)
        except BackstoryError as e:  # what was reserved stays spent
            _log.warning("What a request to the model cost could not be written: %s", e)
        return outcome

    def _left_s(self) -> float:
        return self._began + self._deadline_s - time.perf_counter()

    def _start(self) -> None:
        """Load the client on this question's behalf, but not on its time: that happens once in a process."""
        at = time.perf_counter()
        try:
            self._line.wire.start()
        except Exception:  # noqa: BLE001 - `send` says it
            _log.debug("The model's client could not be started.")
        self._began += time.perf_counter() - at

    def _begin(self, con: apsw.Connection, tokens: int) -> int | NotHad:
        line = self._line
        for name in self._names:
            if rest := breaker.admit(con, name, now=self._moment(), probe_s=self._deadline_s):
                return NotHad("resting", f"{line.host} rests for now: {rest.why}")
        call = spending.reserve(
            con, step=self._step, model=line.model, tokens=tokens, budget=line.budget, now=self._now
        )
        if call is None:
            spent = spending.spent_today(con, now=self._now)
            return NotHad(
                "budget",
                f"This request may take {tokens:,} tokens, and {spent:,} of the day's {line.budget:,} are spent.",
            )
        return call

    def _end(self, con: apsw.Connection, call: int, cost: spending.Cost, verdict: Lesson) -> None:
        spending.settle(con, call, cost)
        if isinstance(verdict, Verdict) and verdict.counts:
            model, step = self._names
            known = breaker.look(con, model)
            # A step that is given less time than others does not stop them, unless they wait for an answer anyway.
            alone = verdict.late and not (known and known.opened)
            breaker.failed(
                con,
                step if alone else model,
                now=self._moment(),
                why=self._told(verdict.reason),
                chance=self._line.chance,
                rest_s=verdict.rest_s,
                opens=verdict.opens,
            )
        elif verdict != "nothing":
            for name in self._names:
                breaker.answered(con, name)

    def _judged(
        self,
        came: Reply | Refused | Cut,
        messages: Sequence[Mapping[str, str]],
        lost: spending.Cost,
        otherwise: Callable[[Refused], Dialect | None],
    ) -> tuple[Written | Dialect | NotHad, spending.Cost, Lesson]:
        """
        What the caller gets, what it cost, and what the breaker learns.

        Args:
            lost: what the request cost if nothing is known of it: all that it might have.
        """
        match came:
            case Reply(body):
                written = opened(body)
                if isinstance(written, str):
                    cost = replace(lost, tokens_out=0, verdict="no answer")
                    return NotHad("failed", self._told(written)), cost, Verdict("failed", written)
                return written, _cost(written, lost), "alive"
            case Refused(status):
                cost = replace(lost, tokens_in=0, tokens_out=0, estimated=False, verdict=f"refused {status}")
                if (other := otherwise(came)) is not None:
                    return other, cost, "alive"
                sent = "\n".join(message["content"] for message in messages)
                verdict = judged(came, key_name=self._line.key_name, sent=sent, now=self._moment())
                return NotHad(verdict.why, self._told(verdict.reason)), cost, verdict
            case Cut("unreachable", reason):
                cost = replace(lost, tokens_in=0, tokens_out=0, estimated=False, verdict="unreachable")
                return NotHad("failed", self._told(reason)), cost, Verdict("failed", reason)
            case Cut("closed", reason):
                return NotHad("off", self._told(reason)), replace(lost, verdict="closed"), "nothing"
            case Cut(why, reason):
                told = NotHad("late" if why == "late" else "failed", self._told(reason))
                return told, replace(lost, verdict=why), Verdict("failed", reason, late=why == "late")

    def _moment(self) -> int:
        """Now, by the caller's clock: as much later than `now` as this question has taken."""
        return self._now + round((time.perf_counter() - self._began) * SECOND_US)

    def _told(self, reason: str) -> str:
        return f"The model endpoint {self._line.host} {reason}."

    def _count(self, cost: spending.Cost) -> None:
        self.count += 1
        self.tokens_in += cost.tokens_in
        self.tokens_out += cost.tokens_out
        self.estimated |= cost.estimated
        self.took_us += cost.took_us


def _cost(written: Written, lost: spending.Cost) -> spending.Cost:
    """What an answer cost, by the endpoint's own figures where it gives them."""
    told_in, told_out = written.tokens_in, written.tokens_out
    return spending.Cost(
        lost.tokens_in if told_in is None else told_in,
        estimate(written.text) if told_out is None else told_out,
        told_in is None or told_out is None,
        lost.took_us,
        "answered",
    )
