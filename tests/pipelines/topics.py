"""Five hundred turns on twenty topics, and what is asked that has to do with them, and what is not."""

from __future__ import annotations

import json
import random
from pathlib import Path

_DATA = json.loads((Path(__file__).parent.parent / "data" / "topics.json").read_text("utf-8"))

UNRELATED: list[str] = _DATA["unrelated"]
# As prompts come by hook: long, with traces and errands in them.
UNRELATED_LONG: list[str] = _DATA["unrelated_long"]
CHATTER: list[str] = _DATA["chatter"]
# Each a question, and words of the turns that answer it.
RELATED: list[tuple[str, str]] = [(question, told) for question, told in _DATA["related"]]

_PEOPLE = ("Nora", "阿强", "Jamal", "小敏", "Eva", "老周")
_WHEN = ("Monday", "Friday", "last sprint", "the review")


def turns(seed: int = 7, *, each: int = 25) -> list[str]:
    """Texts as a turn's memory has them, `each` a topic."""
    dice = random.Random(seed)
    return [
        _turn(dice, told["prompts"], told["replies"], told["files"], n)
        for told in _DATA["topics"].values()
        for n in range(each)
    ]


def _turn(dice: random.Random, prompts: list[str], replies: list[str], files: list[str], n: int) -> str:
    prompt, reply = prompts[n % len(prompts)], replies[n % len(prompts)]
    whole = f"{prompt}\n\n{reply}\n\nFiles: {', '.join(files)}"
    if n < len(prompts):
        return whole
    person, tests = dice.choice(_PEOPLE), dice.randint(20, 400)
    looked = (
        f"I looked at {dice.choice(files)} first. {reply} Two tests were added, one for the old behaviour"
    )
    forms = (
        whole,
        f"{reply} ({person}, {dice.choice(_WHEN)})",
        f"{person}: {prompt}. Done in {dice.choice(files)}; {tests} tests passed. {reply}",
        f"{prompt}\n\n{looked} and one for the new. Nothing else was changed, and it is not pushed yet.",
        f'Follow-up on "{prompt}": {reply} {person} asked to keep it small.',
    )
    return f"{dice.choice(forms)} #{n}"
