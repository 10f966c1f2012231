"""What has become of a plan, in a clause that says no more: kept only where such a plan is open."""

from __future__ import annotations

import re
from typing import Any

from . import calendars
from .chat_rule import clause
from .chat_sentence import Said, drafted
from .drafts import Draft
from .plan_words import outcome

_ENDS = re.compile(
    r"[,，;；:：(（]|\s[—–-]{1,2}\s|\s(?:because|since|but|so|though|and|who|which|where)\b|因为|但是?|所以",
    re.IGNORECASE,
)


def become(sentence: Said, at: int) -> Draft | None:
    """That a plan is off or over, with what the clause names of it; None where it says something else."""
    words = sentence.words
    start, end = clause(words, at, _ENDS)
    found = outcome(words[start:end])
    if found is None:
        return None
    days = [one for one in sentence.to_come if start <= one.start < end] if found.became == "off" else []
    zone = sentence.prompt.utc_offset_s
    data: dict[str, Any] = {
        "subject": "user", "predicate": "plans", "value": sentence.text(start, end), "qualifiers": {},
        "became": found.became, "sort": found.sort, "names": list(found.names), "early": found.early,
        "days": [calendars.midnight(days[0].first, zone), calendars.after(days[-1].last, zone)] if days else None,
    }  # fmt: skip
    return drafted(
        sentence, "fact", (start, end), asks="end",
        polarity="negated" if found.became == "off" else "affirmed", data=data, confidence=0.8,
    )  # fmt: skip
