"""English words: their stems, and those no question is about."""

from __future__ import annotations

# Dropped from questions, never from the index (worth 4 to 6 points of recall@5).
STOP = frozenset(
    """
    a an the this that these those there here it its itself he him his she her hers they them their we us
    our ours theirs you your yours i me my mine myself one ones
    and or but nor so if then than because while though although as of at by for from in into on onto to with
    without about over under up down out off after before between during through again
    is are was were be been being am do does did doing done have has had having will would shall should can
    could may might must
    who whom whose what which when where why how not no yes any some each both all such very too just only
    also s t re ve ll d m don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain
    please ok okay hi hello hey thanks thank tell show let lets
    """.split()  # noqa: SIM905
)

# What follows is Porter's stemmer: M. F. Porter, "An algorithm for suffix stripping", 1980, with the
# departures he made in it later.
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive",
    "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = dict.fromkeys(
    (
        "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment",
        "ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
    ), "",
)  # fmt: skip


def stem(word: str) -> str:
    """Porter's stem of a lower-case English word."""
    if len(word) <= 2:
        return word
    word = _plural_and_past(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _suffix(word, _STEP_2, 1)
    word = _suffix(word, _STEP_3, 1)
    word = _suffix(word, _STEP_4, 2)
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def _plural_and_past(word: str) -> str:
    if word.endswith("s"):
        word = word[:-2] if word.endswith(("sses", "ies")) else word if word.endswith("ss") else word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _mended(base) if "v" in _shape(base) else word
    return word


def _mended(base: str) -> str:
    """What is left of a word without -ed or -ing, made whole again: hop, not hopp; file, not fil."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if len(base) > 1 and base[-1] == base[-2] and _shape(base)[-1] == "c" and base[-1] not in "lsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _short(base) else base


def _suffix(word: str, endings: dict[str, str], least: int) -> str:
    """`word` with its longest ending of `endings` replaced, if enough of a word stands before it."""
    for size in range(min(7, len(word) - 1), 0, -1):
        ending = word[-size:]
        if ending in endings:
            base = word[:-size]
            if _measure(base) < least or (ending == "ion" and not base.endswith(("s", "t"))):
                return word
            return base + endings[ending]
    return word


def _shape(word: str) -> str:
    """`word` as c for consonants and v for vowels; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How many times a consonant follows a vowel in `word`: Porter's m."""
    return _shape(word).count("vc")


def _short(word: str) -> bool:
    """Whether `word` ends consonant, vowel, consonant, and the last is not w, x or y."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def singular(word: str) -> str:
    """A lower-case word without the ending of a plural or a tense, and without more: its sense is untouched."""
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    bare = _plural_and_past(word)
    return bare[:-1] if len(bare) > 4 and bare.endswith("e") else bare
