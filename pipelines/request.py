"""What someone asks to be kept, and what of it is refused before anything is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from unicodedata import category

from ..store.errors import BadInput, NotYet
from ..store.marks import strip
from ..store.models import CONTENT_CHARS, KINDS, MESSAGES, SCENES, Kind, Origin, Scene, Scope
from .redact import redact

# Half of a surrogate pair, which no file can hold.
_HALF = re.compile("[\ud800-\udfff]")
ADDABLE: tuple[Kind, ...] = ("fact", "profile", "summary", "intention", "experience")
ROLES: Mapping[str, tuple[Literal["user", "assistant", "tool", "system"], Origin]] = {
    "user": ("user", "user"),
    "assistant": ("assistant", "agent"),
    "tool": ("tool", "tool"),
    "system": ("system", "external"),
}


@dataclass(frozen=True, slots=True)
class Request:
    """
    What is to be kept. Instants are UTC microseconds; `memory_at` is when it was true from. `anywhere`: no place was
    named, so that what is said of the user holds everywhere. `asker`: who asks from where, if that is not `scope`,
    which says where it is to be kept.
    """

    scope: Scope
    content: str | None = None
    messages: Sequence[Mapping[str, Any]] | None = None
    scene: Scene | None = None
    kind: Kind | None = None
    importance: float | None = None
    memory_at: int | None = None
    expires_at: int | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    origin: Origin = "agent"
    anywhere: bool = False
    asker: Scope | None = None


def check(request: Request, *, now: int) -> None:
    """
    Refuse a request that cannot be kept as asked.

    Raises:
        BadInput: the sentence says what to send instead.
    """
    if (request.content is None) == (request.messages is None):
        raise BadInput("Give either content (a text) or messages (a list of role and content), not both.")
    if request.messages is not None:
        given = {
            "scene": request.scene, "kind": request.kind, "importance": request.importance,
            "expires": request.expires_at, "meta": request.meta or None,
        }  # fmt: skip
        if named := [name for name, value in given.items() if value is not None]:
            raise BadInput(
                f"messages are kept as the turns they are; leave out {', '.join(named)}, or send content."
            )
    _check_values(request, now=now)
    texts = [request.content] if request.content is not None else [m.get("content") for m in _listed(request)]
    for text in texts:
        if not isinstance(text, str) or not says(text):
            raise BadInput("The content is empty; send the sentence that is to be remembered.")
        if _HALF.search(text):
            raise BadInput("The content holds half a character (a lone surrogate); send the text whole.")
        if len(text) > CONTENT_CHARS:
            raise BadInput(
                f"The content has {len(text):,} characters; {CONTENT_CHARS:,} are the limit. Send the gist, or parts."
            )


def _check_values(request: Request, *, now: int) -> None:
    if request.scene is not None and request.scene not in SCENES:
        raise BadInput(f"There is no scene {request.scene!r}; use chat, working or coding.")
    if request.kind is not None and request.kind not in KINDS:
        raise BadInput(f"There is no kind {request.kind!r}; use one of {', '.join(ADDABLE)}.")
    if request.kind is not None and request.kind not in ADDABLE:
        raise NotYet(
            f"A {request.kind} is made by Backstory itself; add a fact, or send the turn as messages."
        )
    if request.importance is not None and (request.importance is True or not 0 <= request.importance <= 1):
        raise BadInput("importance is a number from 0 to 1.")
    if request.expires_at is not None and request.expires_at <= now:
        raise BadInput("expires lies in the past; name a moment to come, or leave it out.")
    if request.expires_at is not None and (request.memory_at or 0) >= request.expires_at:
        raise BadInput("expires lies before memory_at; a memory must be true for a while.")


def says(text: str) -> bool:
    """Whether anything is left of a text without our block, private passages and what cannot be seen."""
    left = strip(text[:CONTENT_CHARS])
    if "private" in left.casefold():
        left = redact(left).replace("[private]", "")
    return any(character.isalnum() or category(character)[0] in "SP" for character in left)


def _listed(request: Request) -> Sequence[Mapping[str, Any]]:
    messages = request.messages or ()
    if not messages or len(messages) > MESSAGES:
        raise BadInput(f"messages needs between 1 and {MESSAGES} entries, each with role and content.")
    for message in messages:
        if not isinstance(message, Mapping) or message.get("role") not in tuple(ROLES):
            raise BadInput(f"Each message needs a role ({', '.join(ROLES)}) and a content.")
    if not any(message["role"] == "user" for message in messages):
        raise BadInput("messages holds no user message; a turn begins with what the user said.")
    return messages
