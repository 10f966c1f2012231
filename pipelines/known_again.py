"""Whether what arrives was forgotten: by a client's key for it, by its words, by what it states, by passages of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import apsw

from ..store import events, passage_marks, tombstones, turns
from ..store.models import Located, NewEvent, Scope
from ..store.tombstones import EDGES
from ..store.wording import Words
from . import again
from .blanking import blanked, each_text
from .occasions import Ignored, Occasion, PromptSubmitted, SessionStarted

FORGOTTEN = "it was forgotten"


def let_in(
    con: apsw.Connection, occasion: Occasion, event: NewEvent | None, at: Located
) -> tuple[bool, NewEvent | None]:
    """
    Whether an occasion may be kept, and its event as it may: passages that were forgotten after it was said stay
    blanked. What is said again later is new.
    """
    if not tombstones.any_of(con, "key", "content"):
        return True, event
    source, session = at.scope.source or "", at.scope.session or ""
    if isinstance(occasion, SessionStarted | Ignored):
        return tombstones.key_gone_at(con, (source, session, "", "session")) is None, event
    if event is None:
        return True, event
    prompt_id = _prompt_id(con, occasion, source, session)
    for key in ((source, session, prompt_id, event.key), (source, session, "", event.key)):
        if tombstones.key_gone_at(con, key) is not None:
            return False, None
    gone_at = tombstones.content_gone_at(con, event.content)
    if gone_at is not None and gone_at > event.occurred_at:
        return False, None
    return True, _without(con, event)


def _prompt_id(con: apsw.Connection, occasion: Occasion, source: str, session: str) -> str:
    sender = getattr(occasion, "sender", None)
    if sender is not None and sender.prompt_id:
        return str(sender.prompt_id)
    if isinstance(occasion, PromptSubmitted):
        return f"at:{occasion.sender.at}"
    last = turns.last_turn(con, source, session)
    return last.prompt_id if last else ""


def _without(con: apsw.Connection, event: NewEvent) -> NewEvent:
    """
    The event without what was forgotten after it was said; and, where it is not the user's, without the words
    that someone asked to have forgotten before: an agent, a file or a command repeats what it has at hand.
    """
    late = passage_marks.later_than(con, event.occurred_at)
    asked = passage_marks.asked(con) if event.role != "user" else {}
    if not late and not asked:
        return event

    def clean(text: str) -> str:
        gone = passage_marks.passages(con, text, before=event.occurred_at) if late else ()
        return again.without(blanked(text, gone), asked, partial(events.prompts_since, con))

    content, data = clean(event.content), each_text(dict(event.data), clean)
    return (
        event
        if (content, data) == (event.content, event.data)
        else replace(event, content=content, data=data)
    )


def forgotten_at(con: apsw.Connection, text: str) -> int | None:
    """When a text, a passage of it, or what it states in other words was forgotten; None where nothing of it was."""
    whole = tombstones.content_gone_at(con, text)
    if whole is not None:
        return whole
    marked = [
        passage_marks.passage_gone_at(con, text[start:end])
        for start, end in passage_marks.passages(con, text)
    ]
    return max(
        (at for at in (*marked, tombstones.statement_gone_at(con, text)) if at is not None), default=None
    )


def said_again(con: apsw.Connection, scope: Scope, text: str, moment: int) -> bool:
    """Whether the user has said, in this session and since then, what was forgotten of a text, or states."""
    said = events.said_since(con, scope.source, scope.session, moment)
    gone = [text[start:end] for start, end in passage_marks.passages(con, text)] or [text.strip(EDGES)]
    if all(any(map(Words([one]).whole, said)) for one in gone):
        return True
    return tombstones.stated_again(con, text, said)
