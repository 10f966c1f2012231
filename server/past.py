"""The two clocks in words: what a reading of the past says of itself and of its hits, and what a version says."""

from __future__ import annotations

from . import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..store.models import Memory, Packet
    from .asked import Listing
    from .render import Language

    # What reads at moments of the past.
    Reading = Packet | Listing

_LEAD = {
    "en": {
        "true": "What was true on {true}, as it is known now",
        "known": "What would have been said on {known}",
        "both": "What was held on {known} of what was true on {true}",
        "by": "{what}; read back by Backstory on {today}.",
        "nothing": "Nothing that was held then bears on this.",
    },
    "zh": {
        "true": "{true} 当时的实情（按现在所知）",
        "known": "{known} 当时会给出的回答",
        "both": "{known} 当时所知的 {true} 的情况",
        "by": "{what}，由 Backstory 于 {today} 回溯。",
        "nothing": "当时没有与此相关的记忆。",
    },
}
_FLAG = {
    "en": {
        "true": "as of {true}",
        "known": "as known on {known}",
        "both": "as of {true}, as known on {known}",
        "until": "true until {to}",
        "gone": "no longer held since {gone}",
    },
    "zh": {
        "true": "截至 {true}",
        "known": "{known} 时所知",
        "both": "{known} 时所知的 {true}",
        "until": "有效至 {to}",
        "gone": "{gone} 起不再采用",
    },
}


def _asked(reading: Reading) -> str:
    if reading.true_at is None:
        return "known"
    return "true" if reading.known_at is None else "both"


def _days(reading: Reading) -> dict[str, str]:
    moments = {"true": reading.true_at, "known": reading.known_at}
    return {name: render.day(at) for name, at in moments.items() if at is not None}


def lead(reading: Reading, language: Language) -> str:
    """What such a block or listing is, in place of the usual words."""
    words = _LEAD[language]
    what = words[_asked(reading)].format(**_days(reading))
    return words["by"].format(what=what, today=render.day(reading.as_of_at))


def nothing(language: Language) -> str:
    """The answer where nothing was held then."""
    return _LEAD[language]["nothing"]


def flag(memory: Memory, reading: Reading, language: Language) -> str:
    """The mark of a hit that is read from the past: of which moment, and what has become of it since."""
    words = _FLAG[language]
    parts = [words[_asked(reading)].format(**_days(reading))]
    if memory.valid_to is not None:
        parts.append(words["until"].format(to=render.day(memory.valid_to)))
    if memory.retired_at is not None:
        parts.append(words["gone"].format(gone=render.day(memory.retired_at)))
    return " · ".join(parts)


def clocks(memory: Memory, now: int) -> str:
    """When it was true, and since when and until when it was held so, as one sentence."""
    begun = (
        "from a day that was not said"
        if memory.valid_from is None
        else f"from {render.day(memory.valid_from)}"
    )
    ends = [at for at in (memory.valid_to, memory.expires_at) if at is not None]
    on = " on" if memory.retired_at is None else ", with no end told"
    end = f" to {render.day(min(ends))}" if ends else on
    told = f"True {begun}{end}; known since {render.day(memory.recorded_at)}"
    if memory.retired_at is not None:
        return f"{told}; no longer held since {render.day(memory.retired_at)}: {memory.retired_why}."
    if ends and min(ends) <= now:
        return f"{told}; history, which is still held."
    if memory.archived_at is not None:
        return f"{told}; faded out of recall on {render.day(memory.archived_at)}."
    return f"{told}; held now."
