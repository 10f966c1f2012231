"""What each tool does with its arguments. Imported at the first call: a client's start waits for no pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..pipelines.channels import Channels, by_channel, filled
from ..store.errors import BadInput
from . import answers, code_answers, inputs, instants, reach, render
from .chain_text import TOOL_CHARS, Told

if TYPE_CHECKING:
    from ..store.models import Packet
    from .memory import Memory

# Threads of code history that are looked at for one search.
CHAINS = 12


def _search(memory: Memory, given: inputs.Search) -> str:
    query = (given.query or "").strip()
    notes: list[str] = []
    if len(query) > inputs.QUERY_CHARS:
        query = query[: inputs.QUERY_CHARS]
        notes.append(f"Searched for the first {inputs.QUERY_CHARS:,} characters of the query.")
    since = _instant("since", given.since, "start")
    until = _instant("until", given.until, "end")
    if since is not None and until is not None and since > until:
        raise BadInput("`since` lies after `until`; exchange them.")
    as_of = _instant("as_of", given.as_of, "end")
    known_as_of = _instant("known_as_of", given.known_as_of, "end")
    by_code = given.file or given.symbol or given.branch or given.commit
    if by_code and (as_of is not None or known_as_of is not None):
        raise BadInput(
            "`as_of` and `known_as_of` are for memories; of code, every version is kept: name a time with `until`."
        )
    language = render.language_of(query)
    filters: dict[str, Any] = {
        "workspace": given.workspace, "scene": given.scene, "kinds": given.kind,
        "since": since, "until": until,
        "sources": given.sources, "session": given.session, "status": given.status,
        "as_of": as_of, "known_as_of": known_as_of, "limit": given.limit, "page": given.page,
    }  # fmt: skip
    name_of = memory.workspace_name
    code = memory.code()
    chains, told = [], Told()
    if by_code:
        chains = code_answers.search(
            code, path=given.file, symbol=given.symbol, branch=given.branch, commit=given.commit, since=since,
            until=until, limit=given.limit or CHAINS,
        )  # fmt: skip
        told = code.block(chains, budget_chars=TOOL_CHARS, language=language)
        if not told.text:
            notes.append("No code history answers to that here.")
        if not query and given.format == "text":
            alone = code_answers.block(code, chains, language="en", alone=True)
            return "\n".join(filter(None, [alone, *notes]))
    if not query and not chains:
        listing = memory.list(**filters)
        return (answers.listing_json if given.format == "json" else answers.listing_text)(listing, name_of)
    packet = memory.search(query, mode=given.mode, **filters)
    if not told.text:
        chains, told = code_answers.under(code, packet, page=given.page, language=language)
    if given.format == "json":
        return answers.packet_json(
            packet, name_of, page=given.page, notes=notes, chain_block=told.text,
            chain_used=code_answers.turns(chains, told), channels=_channels(memory, packet, filters),
        )  # fmt: skip
    channels = _channels(memory, packet, filters) if given.scene == "chat" else None
    return answers.packet_text(
        packet, name_of, page=given.page, budget=given.budget, notes=notes, extra=told.text, channels=channels
    )


def _channels(memory: Memory, packet: Packet, filters: Mapping[str, Any]) -> Channels:
    """The chat memories by channel; on the first page with the profile and the plans that the filters let through."""
    if filters["page"] > 1:
        return by_channel(packet)
    given = {name: value for name, value in filters.items() if name not in ("limit", "page")}
    wanted = reach.wanted(memory.db, memory.at.scope, packet.as_of_at, **given)
    return filled(packet, wanted, db=memory.db)


def _add(memory: Memory, given: inputs.Add) -> str:
    added = memory.add(
        given.content,
        messages=None if given.messages is None else [message.model_dump() for message in given.messages],
        scene=given.scene,
        kind=given.kind,
        importance=given.importance,
        memory_at=_instant("memory_at", given.memory_at, "start"),
        expires=_instant("expires", given.expires, "ahead"),
        workspace=given.workspace,
        meta=given.meta,
    )
    return answers.added_text(added)


def _get(memory: Memory, given: inputs.Get) -> str:
    if code_answers.is_place(given.id):
        return code_answers.place_text(memory.code(), given.id)
    if given.view == "explain":
        from . import explain

        return explain.answer(memory, given.id)
    detail = memory.get(given.id)
    if given.view == "code":
        code = memory.code()
        turn = detail.memory.turn
        chains = [] if turn is None else code.of_turns([turn])
        said = code_answers.block(code, chains, language="en", alone=True)
        return said or f"The turn of {detail.memory.short} changed no code that is known."
    return answers.detail_text(detail, memory.workspace_name, view=given.view)


def _update(memory: Memory, given: inputs.Update) -> str:
    valid_to = _instant("valid_to", given.valid_to, "start")
    return answers.updated_text(
        memory.update(
            given.id,
            content=given.content,
            importance=given.importance,
            valid_to=valid_to,
            feedback=given.feedback,
            restore=given.restore,
        )
    )


def _delete(memory: Memory, given: inputs.Delete) -> str:
    from . import forgetting, forgetting_text

    which: dict[str, Any] = {
        "query": given.query, "file": given.file, "session": given.session, "workspace": given.workspace,
        "since": _instant("since", given.since, "start"), "until": _instant("until", given.until, "end"),
    }  # fmt: skip
    done = forgetting.delete(memory, given.id, forget=given.forget, preview=given.preview, **which)
    return forgetting_text.told(done, preview=given.preview)


def _instant(name: str, text: str | None, reading: instants.Reading) -> int | None:
    if text is None:
        return None
    try:
        return instants.parse(text, reading)
    except BadInput as e:
        raise BadInput(f"`{name}`: {e}.") from None


RUN: Mapping[str, Callable[[Memory, Any], str]] = {
    "memory_search": _search,
    "memory_add": _add,
    "memory_get": _get,
    "memory_update": _update,
    "memory_delete": _delete,
}
