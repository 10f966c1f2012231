"""What recall found, as the items of a block: for a prompt, and for the start of a session."""

from __future__ import annotations

from ..pipelines.recall import Digest, Unfinished
from ..store.models import Memory, Packet
from . import render
from .render import Block, Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..store.conflicts import Against
    from .render import Language


def item(
    memory: Memory,
    language: Language,
    *,
    now: int,
    kind: str = "",
    line_only: bool = False,
    against: Sequence[Against] = (),
) -> Item:
    """A memory as an agent is shown it, with what stands against it; under the heading of `kind`, else of its own."""
    due = render.due(memory.expires_at, now, language) if memory.kind == "intention" else None
    return Item(
        memory.short,
        kind or memory.kind,
        (memory.line or memory.text) if line_only else memory.text,
        when=memory.true_from,
        line=memory.line,
        scene=memory.scene,
        origin=memory.origin,
        branch=memory.scope.branch,
        confidence=memory.confidence,
        flag=render.remarks(due, render.against(against, language), _lost(memory, language)),
    )


def _lost(memory: Memory, language: Language) -> str | None:
    return render.TO_RENEW[language] if memory.renew_at is not None else None


def prompt_block(packet: Packet, *, budget: int, code: str = "") -> Block:
    """The block for a prompt: what was found, best first, and the code history that hangs under it."""
    language = render.language_of(packet.query)
    items = [item(hit.memory, language, now=packet.as_of_at, against=hit.against) for hit in packet.hits]
    left = min(budget, render.MOST_CHARS - render.width(code))
    return render.block(
        items, budget_chars=left, now=packet.as_of_at, language=language, omitted=packet.omitted, extra=code
    )


def digest_block(found: Digest, *, budget: int, now: int) -> Block:
    """
    The block for the start of a session: the unfinished turn, the profile, what is planned, and where the workspace was
    left.
    """
    said = found.latest or found.intentions or found.profile
    words = found.unfinished.asked if found.unfinished else "".join(m.text[:80] for m in said[:3])
    language = render.language_of(words)
    items = [_unfinished(found.unfinished, language)] if found.unfinished else []
    profile, planned = (
        [item(m, language, now=now, against=found.against.get(m.id, ())) for m in memories]
        for memories in (found.profile, found.intentions)
    )
    latest = [
        item(
            m,
            language,
            now=now,
            kind="latest",
            line_only=m.kind == "turn",
            against=found.against.get(m.id, ()),
        )
        for m in found.latest
        if not found.unfinished or m.turn != found.unfinished.turn.id
    ]
    items += render.by_need(profile, planned, latest)
    return render.block(items, budget_chars=budget, now=now, language=language, lead=render.LEAD[language])


def _unfinished(left: Unfinished, language: Language) -> Item:
    asked, edited, last = render.UNFINISHED[language]
    parts = [asked.format(left.asked)]
    if left.edited:
        parts.append(edited.format(", ".join(left.edited)))
    if left.last:
        parts.append(last.format(left.last))
    return Item(
        f"t{left.turn.id}",
        "unfinished",
        "\n".join(parts),
        when=left.turn.started_at,
        branch=left.turn.scope.branch,
        flag=render.ELSEWHERE[language] if left.elsewhere else None,
    )
