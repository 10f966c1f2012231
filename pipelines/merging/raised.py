"""Characters that are written raised, lowered or as one, in those that say the same in a line: "x²" as "x^2"."""

from __future__ import annotations

import re
import unicodedata

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"
_HALVES = {"½": ".5", "¼": ".25", "¾": ".75", "⅕": ".2", "⅖": ".4", "⅗": ".6", "⅘": ".8", "⅛": ".125"}
_SPECIAL = re.compile(
    rf"(?P<up>[{_RAISED}]+)|(?P<down>(?<=[\d.])[{_LOWERED}]+)|(?P<part>(?P<whole>\d ?)?(?P<half>[{''.join(_HALVES)}]))"
    r"|(?P<beside>(?<=\d)[\u2460-\u24ff\u2150-\u215f])"
)


def spelled(text: str) -> str:
    """
    The text with what is raised behind a sign, and fractions as decimals. What is lowered behind letters is written
    as a digit there ("H2O"); behind a digit it is the base of a number.
    """
    return _SPECIAL.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    if found["up"]:
        return f"^{unicodedata.normalize('NFKC', found['up'])}"
    if found["down"]:
        return f" base {unicodedata.normalize('NFKC', found['down'])}"
    if found["part"]:
        whole = (found["whole"] or "0").strip()
        return f"{whole}{_HALVES[found['half']]}"
    return f" {found['beside']}"
