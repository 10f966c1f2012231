"""
Whether what a text claims stands in another in other words: "The user goes by Mallory" as "User is called Mallory".

A claim is told by its atoms: names, numbers and words that carry it, without those that only frame it. Each is looked
for by every word of its meaning, in both languages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ..store import english, products
from ..store.cutter import Cut
from .merging import lexicon, reading, written
from .merging.reading import Unit

# So far apart may the atoms of one claim stand, and so many of them must stand together; more where no
# person is spoken of.
NEAR_CHARS, TOGETHER, NEARLY_ALL = 120, 0.6, 0.75
# Longer texts say more than one thing.
CHARS = 400
# Of code, so much is signs.
CODE_SHARE = 0.06
_CODE = re.compile(r"[{}()\[\]=;|\\\"_<>^$*+]")
# A longer stem may go on as it likes: "certif" is in "certificates" and in "certification".
_STEM_CHARS = 5

_FRAME = frozenset(
    str.split(
        "user we he she they call name go know like~ want use live live_in work speak have get make do set"
        " required~ include~ skip ignore bypass omit avoid follow remember keep say ask tell favorit favorite"
        " time thing way step sure was support~ agree~ trust~ choose decide need handle disregard rule setting"
        " preference should 名叫 叫 叫做 名为 名字 跳过 绕过 忽略 无视 住 偏好 习惯 做 时 去 有 让 事 是否 爱好 最 次"
        " agent assistant"
    )
)
# What speaks to a reader, or of the user; what a program or a table says does not.
_SPEAKS = re.compile(
    r"\b(?:users?|owner|human|operator|maintainers?|developers?|you|your|i|my|we|our|always|never|must|should|shall"
    r"|please|do not|don['’]?t|required?|recommended|agents?|assistants?|ai|remember|from now on|instead)\b"
    r"|(?:^|[.!:;>\n*-]\s*)(?:skip|disable|ignore|use|run|set|turn|push|commit|deploy|install|send|call|add|avoid|bypass"
    r"|delete|remove|merge|trust|accept|allow|open|write|answer|reply)\b"
    r"|用户|主人|开发者|贡献者|都要|需要|要用|助手|智能体|你|我|必须|务必|请|不要|不得|禁止|应该|总是|永远|从不|一律|每次|以后|今后|跳过|关闭|禁用|切勿|别",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:users?|owner|human|agents?|assistants?|i|my|you|your)\b|用户|主人|助手|我(?!们)|你"
)
# Words of a meaning that merging keeps apart.
_ALSO = {
    "check": ("verification", "validate", "校验"),
    "certificate": ("tls", "ssl"),
    "live": ("home", "based"),
}


@dataclass(frozen=True, slots=True)
class Atom:
    """
    What a claim is told by: how it may be written. `name`: it is a name of its own; `exact`: one that is spelled out,
    as hosts, paths and options are; `rare`: a word of no table. `begins`: it is nowhere where none of these is.
    """

    written: re.Pattern[str]
    begins: tuple[str, ...]
    name: bool
    exact: bool
    rare: bool


def echoes(
    claim: str, own: Sequence[str], foreign: Sequence[str], cut: Cut | None, *, of_the_user: bool
) -> bool:
    """
    Whether a claim stands in one passage of what is `foreign`, and not in what the user typed (`own`), all in small
    letters.

    Args:
        of_the_user: it is said of a person: of that a name alone tells.
    """
    atoms = _atoms(claim, cut) if len(claim) <= CHARS else ()
    theirs = [atom for atom in atoms if not any(atom.written.search(text) for text in own)]
    if not theirs:
        return False
    told = _Told(atoms, [atom for atom in theirs if atom.name], of_the_user)
    return any(told.by(passage) for text in foreign for passage in told.passages(text))


@dataclass(frozen=True, slots=True)
class _Told:
    """What must stand in a passage that tells a claim: all names that are not the user's, and of the rest the most."""

    atoms: Sequence[Atom]
    names: Sequence[Atom]
    of_the_user: bool

    def passages(self, text: str) -> Iterator[str]:
        """The passages of a text that may do so: around what is rarest in it, so few that none is missed."""
        present = [atom for atom in self.atoms if any(begin in text for begin in atom.begins)]
        if any(name not in present for name in self.names):
            return
        needed = 1 if self.names else math.ceil(TOGETHER * len(self.atoms))
        among = self.names[:1] or sorted(present, key=lambda atom: sum(map(text.count, atom.begins)))
        for atom in among[: max(0, len(present) - needed + 1)]:
            for found in atom.written.finditer(text):
                start, end = max(0, found.start() - NEAR_CHARS), found.end() + NEAR_CHARS
                # A paragraph of its own says something else.
                start = max(start, text.rfind("\n\n", start, found.start()) + 1)
                stop = text.find("\n\n", found.end(), end)
                yield text[start : end if stop < 0 else stop]

    def by(self, passage: str) -> bool:
        """Whether a passage does."""
        stand = [atom for atom in self.atoms if atom.written.search(passage)]
        if any(name not in stand for name in self.names):
            return False
        speaks = _SPEAKS.search(passage) is not None
        of_a_person = _PERSON.search(passage) is not None
        if _is_code(passage):
            return False
        most = len(stand) >= TOGETHER * len(self.atoms)
        # Of a person a name tells, beside the rest of it or where a person is spoken of; a host or a path, where
        # something is said to somebody.
        if (
            self.names
            and self.of_the_user
            and ((speaks and of_a_person) or (most and any(n.rare for n in self.names)))
        ):
            return True
        if speaks and any(name.exact for name in self.names):
            return True
        share = TOGETHER if of_a_person and self.of_the_user else NEARLY_ALL
        if not speaks or len(stand) < share * len(self.atoms):
            return False
        # One word may be said of anything; of a person only what is no word like others.
        return len(stand) > 1 or (self.of_the_user and stand[0].rare and of_a_person)


def _is_code(passage: str) -> bool:
    """Whether a passage is code, lists or data more than prose: these say nothing to anybody."""
    return len(_CODE.findall(passage)) > CODE_SHARE * len(passage)


def _atoms(claim: str, cut: Cut | None) -> tuple[Atom, ...]:
    found: dict[str, Atom] = {}
    for unit in reading.read(claim, cut).units:
        core = unit.core.rstrip("+-")
        if core in _FRAME or core in found or (len(core) == 1 and core not in _meanings()):
            continue
        texts = dict.fromkeys(text.casefold() for text in _ways(unit, core))
        ways = [way for text in texts if (way := _pattern(text))]
        begins = dict.fromkeys(_beginning(text) for text in texts if _pattern(text))
        if ways:
            exact = unit.name.startswith("x:") and not unit.name[2:].isalnum()
            rare = _is_rare(core) and _is_rare(unit.written.text.casefold())
            pattern = re.compile("|".join(dict.fromkeys(ways)))
            found[core] = Atom(pattern, tuple(begins), _is_name(unit), exact, rare)
    return tuple(found.values())


def _is_name(unit: Unit) -> bool:
    if unit.name.startswith(("x:", "q:")):
        return True
    how = unit.written
    return how.quoted or (how.text[:1].isupper() and len(how.text) > 1)


def _is_rare(core: str) -> bool:
    """Whether a word is in no table, and the name of no product."""
    return not core or not any(
        core in known for known in (_meanings(), products.NAMES, products.CAPITAL, written.ACRONYMS)
    )


def _ways(unit: Unit, core: str) -> Iterator[str]:
    """The words for what a unit means."""
    kind, told, text = unit.name.partition(":")
    if told and kind in ("x", "q"):
        yield text
    elif told and kind == "n":
        digits = re.search(r"\d[\d.]*", text)
        yield digits[0] if digits else text
    elif told and kind in ("date", "time"):
        yield from re.findall(r"\d{2,4}", text)[:1]
    else:
        yield core.rstrip("~^")
        yield from _meanings().get(core, ())
        yield from _ALSO.get(core, ())
        if unit.written.text:
            yield unit.written.text.replace("\0", "")


@cache
def _meanings() -> dict[str, list[str]]:
    """The words for each meaning, of both sides of what has two."""
    found: dict[str, list[str]] = {}
    table = lexicon.load()
    for phrases in table.english.values():
        for phrase, entry in phrases:
            found.setdefault(entry.name, []).append(" ".join(phrase))
    for word, entry in table.chinese.items():
        found.setdefault(entry.name, []).append(word)
    return found


def _beginning(low: str) -> str:
    """What stands wherever a word does, however it is bent."""
    return english.stem(low.split(maxsplit=1)[0]).rstrip("i") if _is_words(low) else low


def _is_words(low: str) -> bool:
    return low.isascii() and low.replace(" ", "").isalpha()


def _pattern(low: str) -> str:
    """How a word or name may stand in a text in small letters; "" for what says nothing alone."""
    if not low.isascii():
        return re.escape(low)
    if len(low) < 2:
        return ""
    if not _is_words(low):
        return rf"(?<![\w.]){re.escape(low)}(?!\w)"
    words = [english.stem(word).rstrip("i") for word in low.split()]
    ends = "[a-z]*" if len(words[-1]) >= _STEM_CHARS else "(?:i?e?s|i?e?d|ing|y|e)?(?![a-z0-9])"
    return r"(?<![a-z0-9])" + r"[a-z]{0,4}[\s_-]+".join(map(re.escape, words)) + ends
