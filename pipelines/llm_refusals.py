"""What an endpoint's refusal means: whether it is about this text, about the account, or a bad moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .llm_breaker import LONG_REST_S, retry_after_s
from .llm_wire import Refused

# An empty account, which some report as too many requests (OpenAI, Zhipu) or as a bad one (DashScope).
_NO_MONEY = re.compile(r"insufficient.?(?:quota|balance|credit|funds)|arrearage|余额不足|欠费", re.IGNORECASE)
# Words or a number: an endpoint that repeats a key where its code should stand does not get it shown.
_CODE = re.compile(r"(?=.{2,40}$)[A-Za-z]+(?:[_.-][A-Za-z]+)*|\d{3,6}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What to make of a refusal, or of an answer that did not come. `reason` goes after "the model endpoint".

    `counts`: it is a failure of the endpoint, for the breaker. `rest_s`: how long it rests, where that is known.
    `opens`: it rests at once. `late`: it was only too slow.
    """

    why: Literal["refused", "failed"]
    reason: str
    counts: bool = True
    rest_s: float | None = None
    opens: bool = False
    late: bool = False


def judged(refused: Refused, *, key_name: str, sent: str, now: int) -> Verdict:
    """What the refusal means. Of the endpoint's own words only a code is shown that is none of ours (`sent`)."""
    status = refused.status
    code = refused.code if _CODE.fullmatch(refused.code) and refused.code not in sent else ""
    told = f"answered {status}" + (f" ({code})" if code else "")
    asked_s = retry_after_s(refused.retry_after, now=now)
    broke = _NO_MONEY.search(refused.said)
    if status == 402 or (status < 500 and broke and broke[0].lower() not in sent.lower()):
        return Verdict("refused", f"{told}: check the account's balance", rest_s=LONG_REST_S)
    if status in (401, 403):
        where = f"the key in {key_name}" if key_name else "the key (model_key_variable names none)"
        return Verdict("refused", f"{told}: check {where}", rest_s=LONG_REST_S)
    if status in (404, 405):
        return Verdict("refused", f"{told}: check model_url and the model's name", rest_s=LONG_REST_S)
    if status < 400:
        return Verdict(
            "refused", f"{told}: it sends elsewhere, name that place in model_url", rest_s=LONG_REST_S
        )
    if status == 429:
        return Verdict("failed", f"{told}: too many requests", rest_s=asked_s, opens=True)
    if status >= 500 or status == 408:
        return Verdict("failed", told, rest_s=asked_s)
    return Verdict("refused", f"{told}: it does not take this request", counts=False)
