"""What the tools say: compact text for a model, and one published JSON form for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..pipelines.capture import one_line
from ..pipelines.channels import by_channel
from ..store.marks import harmless, marked
from ..store.models import Hit, Memory, Packet
from . import past, render

if TYPE_CHECKING:
    from ..pipelines.channels import Channels
    from ..pipelines.keep import Added
    from ..store.conflicts import Against
    from ..store.memories import Support
    from .asked import Deleted, Detail, Listing, Source, Updated

# The name of a workspace's row, for a label; None for the one the caller is in, and for global memory.
NameOf = Callable[[Memory], str | None]

FORMAT = 1
QUOTE_CHARS = 600


def packet_text(
    packet: Packet, name_of: NameOf, *, page: int, budget: int, notes: Sequence[str], typed: bool = False,
    extra: str = "", channels: Channels | None = None,
) -> str:  # fmt: skip
    """
    What was found, best first, as the block that hooks inject too; nothing found is one sentence.

    `typed`, here and below: for a person at a terminal, who is told commands in place of tools. `extra` is code
    history that hangs under it. `channels` add what they hold beside the hits.
    """
    language = render.language_of(packet.query)
    hits = list(packet.hits)
    if channels is not None:
        found = {hit.memory.id for hit in hits}
        hits += [hit for hit in (*channels.proactive, *channels.profile) if hit.memory.id not in found]
    items = [_item(hit, packet, name_of, language) for hit in hits]
    block = render.block(
        items,
        budget_chars=budget,
        now=packet.as_of_at,
        language=language,
        lead=past.lead(packet, language) if packet.of_the_past else None,
        omitted=packet.omitted,
        typed=typed,
        extra=extra,
    )
    said = [*notes, *_degraded(packet)]
    if not packet.hits and not extra:
        none = past.nothing(language) if packet.of_the_past else "Nothing remembered bears on this."
        said.insert(0, "No more on this." if page > 1 else none)
    return "\n".join(filter(None, [block.text, *said]))


def _degraded(packet: Packet) -> list[str]:
    if not packet.degraded:
        return []
    arms = "; ".join(f"{arm} ({why})" for arm, why in packet.degraded.items())
    return [f"Not searched by: {arms}. The rest answered."]


def _item(hit: Hit, packet: Packet, name_of: NameOf, language: render.Language) -> render.Item:
    memory = hit.memory
    at = packet.as_of_at if packet.true_at is None else packet.true_at
    due = render.due(memory.expires_at, at, language) if memory.kind == "intention" else None
    flag = past.flag(memory, packet, language) if packet.of_the_past else _flag(memory)
    return render.Item(
        memory.short,
        memory.kind,
        memory.text,
        when=memory.true_from,
        line=memory.line,
        scene=memory.scene,
        origin=memory.origin,
        branch=memory.scope.branch,
        workspace=name_of(memory),
        confidence=memory.confidence,
        flag=render.remarks(flag or hit.remark or due, render.against(hit.against, language)),
    )


def _flag(memory: Memory) -> str | None:
    if memory.retired_at is not None:
        return f"retired: {memory.retired_why}"
    if memory.archived_at is not None:
        return f"faded, archived {render.day(memory.archived_at)}"
    if memory.valid_to is not None:
        return f"true until {render.day(memory.valid_to)}"
    return render.TO_RENEW["en"] if memory.renew_at is not None else None


def listing_text(listing: Listing, name_of: NameOf, *, typed: bool = False) -> str:
    """One line a memory, in the order of the listing, and where the rest is."""
    if not listing.memories:
        return (
            f"Nothing on page {listing.page}: {listing.total:,} in all."
            if listing.total
            else "Nothing is kept here."
        )
    flags = {
        memory.id: past.flag(memory, listing, "en") if listing.of_the_past else _flag(memory)
        for memory in listing.memories
    }
    lines = [_line(memory, name_of, flags[memory.id]) for memory in listing.memories]
    if listing.of_the_past:
        lines = [past.lead(listing, "en"), *lines]
    get = "backstory show ID" if typed else "memory_get"
    shown = f"{len(listing.memories)} of {listing.total:,}, page {listing.page}. {get} shows one in full."
    return "\n".join([marked("\n".join(lines)), shown])


def _line(memory: Memory, name_of: NameOf, flag: str | None) -> str:
    return harmless(f"- [{_label(memory, name_of, flag)}] {_short(memory)}")


def _label(memory: Memory, name_of: NameOf, flag: str | None = None) -> str:
    parts = [
        memory.short,
        memory.kind,
        render.day(memory.true_from),
        name_of(memory),
        memory.scope.branch,
        flag,
    ]
    return " · ".join(" ".join(part.split()) for part in parts if part)


def added_text(added: Sequence[Added]) -> str:
    """The ids, and whether each is new."""
    return "\n".join(f"{a.verdict} {a.short}" + (f": {a.reason}" if a.reason else "") for a in added)


def updated_text(updated: Updated) -> str:
    """What became of it: rated, recalled again, replaced by a new version."""
    said = [f"rated {updated.rated}: {updated.was}"] if updated.rated else []
    said += [f"restored: {updated.was} is recalled again"] if updated.revived else []
    if updated.short != updated.was:
        said.append(f"updated: {updated.short} replaces {updated.was}, which stays in its history")
    return "\n".join(said)


def deleted_text(deleted: Deleted) -> str:
    """What became of the memory, and how to undo it."""
    with_it = f"With it went {', '.join(deleted.fell)}, which rested on it alone. " if deleted.fell else ""
    return (
        f"retired {deleted.short}: not recalled any more; still in the file. {with_it}"
        f"Undo: memory_update id={deleted.short} restore=true"
        + (f" (brings {', '.join(deleted.fell)} back, too)" if deleted.fell else "")
    )


def detail_text(detail: Detail, name_of: NameOf, *, view: str, typed: bool = False) -> str:
    """One memory in full, with its evidence or its versions where the view asks for them."""
    memory = detail.memory
    if view == "history":
        parts = [
            f"version {number} [{_label(version, name_of)}]\n{version.text}\n{past.clocks(version, detail.read_at)}"
            for number, version in enumerate(detail.versions, 1)
        ]
        if detail.line:
            parts.append("Of other times, what is held of the same thing:")
            parts += [
                f"[{_label(other, name_of)}] {other.line or other.text}\n{past.clocks(other, detail.read_at)}"
                for other in detail.line
            ]
    else:
        label = _label(memory, name_of, _flag(memory))
        parts = [f"[{label} · {memory.scene} · by {memory.origin}]", memory.text]
        parts.append(past.clocks(memory, detail.read_at))
    if against := render.against(detail.against, "en"):
        parts.append(f"In conflict: {against}. Both stand until one is corrected.")
    if view != "history":
        if memory.meta:
            parts.append(f"meta: {json.dumps(memory.meta, ensure_ascii=False)}")
        if len(detail.versions) > 1:
            history = f"backstory show {memory.short} --json" if typed else "view=history"
            parts.append(f"{len(detail.versions)} versions: {history}")
    if view == "evidence":
        parts += [_evidence(support) for support in detail.evidence] or ["No evidence is recorded."]
        parts += [_drawn(source, detail, name_of) for source in detail.drawn_from]
    return marked("\n".join(map(harmless, parts)))


def _evidence(support: Support) -> str:
    quote = support.quote if len(support.quote) <= QUOTE_CHARS else support.quote[:QUOTE_CHARS] + "…"
    return (
        f'- {support.role}, {render.day(support.occurred_at)} (e{support.event}, t{support.turn}): "{quote}"'
    )


def _drawn(source: Source, detail: Detail, name_of: NameOf) -> str:
    """A memory that it was drawn from, and the words behind that; deeper ones stand further in."""
    step = source.step
    row, pad = step.memory, "  " * step.depth
    holder = "" if step.holder == detail.memory.id else f"m{step.holder} was "
    lines = [f"{pad}{holder}drawn from [{_label(row, name_of)}] {_short(row)}"]
    rests = [f"{pad}  {_evidence(support)}" for support in source.evidence]
    if rests:
        lines[0] += ", which rests on:"
    more = source.more
    return "\n".join([*lines, *rests, *([f"{pad}  and {more} more" if more > 0 else ""][: more > 0])])


def _short(memory: Memory) -> str:
    return one_line(memory.line or memory.text, render.LINE_CHARS)


def detail_json(detail: Detail, name_of: NameOf) -> str:
    """The published form of one memory: its evidence, and every version of it, oldest first."""
    return _json(detail_object(detail, name_of))


def detail_object(detail: Detail, name_of: NameOf) -> dict[str, Any]:
    """As `detail_json`, before it is written out."""
    return {
        "format": FORMAT,
        "memory": _as_json(detail.memory, name_of),
        "evidence": [_evidence_object(support) for support in detail.evidence],
        "drawn_from": [
            {
                "id": one.step.memory.short, "depth": one.step.depth, "under": f"m{one.step.holder}",
                "text": one.step.memory.text, "retired_why": one.step.memory.retired_why,
                "evidence": [_evidence_object(support) for support in one.evidence],
            }
            for one in detail.drawn_from
        ],
        "versions": [_as_json(version, name_of) for version in detail.versions],
        "line": [_as_json(other, name_of) for other in detail.line],
        "contradicted_by": _against(detail.against),
    }  # fmt: skip


def _evidence_object(support: Support) -> dict[str, Any]:
    return {
        "event": f"e{support.event}", "turn": f"t{support.turn}", "role": support.role, "kind": support.kind,
        "origin": support.origin, "quote": support.quote, "occurred_at": iso(support.occurred_at),
    }  # fmt: skip


def packet_json(
    packet: Packet,
    name_of: NameOf,
    *,
    page: int,
    notes: Sequence[str],
    chain_block: str = "",
    chain_used: Collection[int] = (),
    channels: Channels | None = None,
) -> str:
    """
    The published form of a search (docs/search-json.md): memories by scene and channel, each with its score and what
    found it.

    Args:
        chain_used: the turns whose changes the chain block shows.
        channels: of the chat scene; None: what was found, and nothing unasked.
    """
    answer = _by_scene(packet, channels or by_channel(packet), name_of, chain_block, chain_used)
    return _json(
        {
            "format": FORMAT, "query": packet.query, "page": page, "omitted": packet.omitted,
            "degraded": dict(packet.degraded), "notes": list(notes),
            "as_of": iso(packet.as_of_at if packet.true_at is None else packet.true_at),
            "known_as_of": iso(packet.known_at), **answer,
        }
    )  # fmt: skip


def listing_json(listing: Listing, name_of: NameOf) -> str:
    """The published form of a listing: memories in order, and how many there are."""
    memories = [_as_json(memory, name_of) for memory in listing.memories]
    asked = (
        {"as_of": iso(listing.true_at), "known_as_of": iso(listing.known_at)} if listing.of_the_past else {}
    )
    return _json(
        {"format": FORMAT, "total": listing.total, "page": listing.page, **asked, "memories": memories}
    )


def _by_scene(
    packet: Packet, channels: Channels, name_of: NameOf, chain_block: str, chain_used: Collection[int]
) -> Mapping[str, Any]:
    def shown(hits: Iterable[Hit]) -> list[dict[str, Any]]:
        return [
            {
                **_as_json(hit.memory, name_of),
                "score": round(hit.score, 6),
                "why": list(hit.why),
                "remark": hit.remark,
                "contradicted_by": _against(hit.against),
            }
            for hit in hits
        ]

    in_chat = {hit.memory.id for hit in (*channels.profile, *channels.normal, *channels.proactive)}
    work: dict[str, tuple[list[Hit], list[Hit]]] = {"working": ([], []), "coding": ([], [])}
    for hit in packet.hits:
        if hit.memory.id not in in_chat:
            work[hit.memory.scene][hit.memory.kind == "experience"].append(hit)
    used = [hit.memory.short for hit in work["coding"][0] if hit.memory.turn in chain_used]
    facts = {
        scene: {"facts": shown(facts), "experiences": shown(experiences)}
        for scene, (facts, experiences) in work.items()
    }
    return {
        "chat": {
            "profile": shown(channels.profile), "normal": shown(channels.normal),
            "proactive": shown(channels.proactive),
        },
        "working": facts["working"],
        "coding": {**facts["coding"], "chain_block": chain_block, "chain_used": used},
    }  # fmt: skip


def _against(others: Iterable[Against]) -> list[dict[str, Any]]:
    return [
        {"id": f"m{one.id}", "text": one.says, "origin": one.origin, "source": one.source, "at": iso(one.at)}
        for one in others
    ]


def _as_json(memory: Memory, name_of: NameOf) -> dict[str, Any]:
    scope = memory.scope
    return {
        "id": memory.short, "ulid": memory.ulid, "kind": memory.kind, "scene": memory.scene,
        "text": memory.text, "origin": memory.origin, "importance": memory.importance,
        "confidence": memory.confidence, "workspace": name_of(memory), "branch": scope.branch,
        "source": scope.source, "session": scope.session,
        "recorded_at": iso(memory.recorded_at), "valid_from": iso(memory.valid_from),
        "valid_to": iso(memory.valid_to), "expires_at": iso(memory.expires_at),
        "retired_at": iso(memory.retired_at), "retired_why": memory.retired_why,
        "archived_at": iso(memory.archived_at), "trust": round(memory.trust, 3), "meta": dict(memory.meta),
    }  # fmt: skip


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def iso(at: int | None) -> str | None:
    """A moment as programs read it, in UTC; "?" for one that no calendar holds."""
    try:
        return None if at is None else datetime.fromtimestamp(at / 1e6, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return "?"
