"""
What stands before a statement in its sentence and says how far it holds, or that it is someone else's.

    "In this repo, always …"          a limit that goes with the statement
    "In this script, never …"         a limit to this one task: nothing that lasts
    "One more thing: …"               a label of the user's own
    "Reviewer comment: …"             a label of something that is not
"""

from __future__ import annotations

import re

from .chat_rule import Language

_COLON = re.compile(r"(?<![\d:])[:：](?![\d:/])")
_CLAUSE = re.compile(r"[,，;；.。!！(（]|\s[-–—]\s")
_BETWEEN = re.compile(r"(?:[\s,，]|please|also|always|请|都|就)*", re.IGNORECASE)
# A label is short; what is longer is a sentence that goes on after its colon.
_LABEL_CHARS = 60


def limit(words: str, at: int, language: Language) -> tuple[int, int] | None:
    """Where the words that limit the statement at an offset to a project stand, directly before it."""
    for found in language.limits.finditer(words, max(at - 100, 0), at):
        between = _BETWEEN.match(words, found.end(), at)
        if between and between.end() == at:
            return found.span()
    return None


def is_of_this_task(words: str, at: int, language: Language) -> bool:
    """Whether the clause before a statement limits it to something of this one task ("In this script, …")."""
    led = words[:at].rstrip(" ,，")
    begin = max((found.end() for found in _CLAUSE.finditer(led)), default=0)
    clause = led[begin:].strip()
    return language.of_task.match(clause) is not None


def is_labelled(words: str, at: int, language: Language) -> bool:
    """Whether a colon before a statement ends a label that is not the user's own."""
    for colon in _COLON.finditer(words, 0, at):
        led = words[: colon.start()]
        begin = max((found.end() for found in _CLAUSE.finditer(led)), default=0)
        label = led[begin:].strip()
        if label and (len(label) > _LABEL_CHARS or not language.own_labels.search(label)):
            return True
    return False
