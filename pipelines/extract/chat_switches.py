"""What is on or off by default in a project, or was changed in it, said by the user: one statement, however put."""

from __future__ import annotations

import re

from .attributes import attribute
from .changed import as_it_is
from .chat_rule import trimmed
from .chat_sentence import Said, drafted
from .drafts import Draft
from .permissions import permission

_DEFAULT = re.compile(r"\bby default\b|默认", re.IGNORECASE)
# A thing by its name; what points at something of this task, or tells what to do, is none.
_NO_THING = re.compile(
    r"(?:it|that|this|these|those|there|he|she|they|what|which|please|make|let|set|turn|have|ensure|should|if)\b|[这那它把请让将给你]",
    re.IGNORECASE,
)


def switched(sentence: Said) -> Draft | None:
    """That a thing is on or off by default, where a sentence says only that."""
    words = sentence.words
    start, end = trimmed(words, 0, len(words))
    clause = words[start:end]
    by_default = _DEFAULT.search(clause)
    if by_default is None or _NO_THING.match(clause):
        return None
    found = permission(clause)
    if found is None or found.what != "enabled":
        return None
    data = {"subject": found.thing, "predicate": "is", "value": by_default.group(), "qualifiers": {}}
    return drafted(
        sentence, "fact", (start, end),
        polarity=found.polarity, data=data, confidence=0.8,
    )  # fmt: skip


def changed(sentence: Said) -> Draft | None:
    """What a thing of a project is since it was changed, where a sentence says only that."""
    start, end = trimmed(sentence.words, 0, len(sentence.words))
    clause = sentence.words[start:end]
    if as_it_is(clause) == clause or (one := attribute(clause)) is None:
        return None
    data = {"subject": one.thing, "predicate": "is", "value": one.value, "qualifiers": {}}
    return drafted(sentence, "fact", (start, end), slot=one.slot, data=data, confidence=0.8)
