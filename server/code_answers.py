"""What tools and commands say of code history: chains that a search attaches, and one place read back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..pipelines.code.history import Chain
from ..store.errors import BadInput
from ..store.marks import harmless, marked
from ..store.models import Packet
from . import chain_text, render

if TYPE_CHECKING:
    from .code_history import CodeHistory, Seen
    from .render import Language

# A memory's id; whatever else `memory_get` is given is a place in code.
MEMORY_ID = re.compile(r"\s*[mM]?\d+\s*")
# A version that is read back in full is cut here; `backstory log --full` has no limit.
TEXT_CHARS = 40_000


def is_place(given: str) -> bool:
    """Whether an id names a place in code: `path::symbol`, or a path."""
    return not MEMORY_ID.fullmatch(given) and ("::" in given or "/" in given or "." in given)


def attached(code: CodeHistory, packet: Packet) -> list[Chain]:
    """
    The chains that hang under what a search found: of the files and symbols that the question names, else of what the
    first coding memory's turn changed.
    """
    chains = code.named(packet.query)
    if chains:
        return chains
    for hit in packet.hits:
        if hit.memory.scene == "coding" and hit.memory.turn is not None:
            return code.of_turns([hit.memory.turn])
    return []


def under(
    code: CodeHistory, packet: Packet, *, page: int, language: Language
) -> tuple[list[Chain], chain_text.Told]:
    """The `attached` chains and what is shown of them; none on later pages, nor under what was held once."""
    # The versions that code has now are no part of what was held then.
    if page > 1 or packet.of_the_past:
        return [], chain_text.Told()
    chains = attached(code, packet)
    return chains, code.block(chains, budget_chars=chain_text.TOOL_CHARS, language=language)


def turns(chains: Sequence[Chain], told: chain_text.Told) -> set[int]:
    """The turns whose changes a chain block shows."""
    shown = (one for chain in chains if chain.thread.id in told.threads for one in chain.versions)
    return {one.round.turn for one in shown if one.round.turn is not None}


def search(
    code: CodeHistory, *, path: str | None, symbol: str | None, branch: str | None, commit: str | None,
    since: int | None, until: int | None, limit: int,
) -> list[Chain]:  # fmt: skip
    """The chains that answer to what is given of a place in code. Raises BadInput for what names none."""
    if commit is not None and not re.fullmatch(r"[0-9a-fA-F]{4,64}", commit.strip()):
        raise BadInput(f"`commit` is an id in hex, at least four digits of it, not {commit[:40]!r}.")
    for given in (path, symbol):
        if given and "::" in given:
            path, _, symbol = given.partition("::")
    asked = code.asked._replace(
        path=code.relative(path) if path else None,
        symbol=symbol.strip().removesuffix("()") if symbol else None,
        branch=branch,
        commit=commit.strip().lower() if commit else None,
        since=since,
        until=until,
    )
    return code.find(asked, limit=limit)


def block(code: CodeHistory, chains: Sequence[Chain], *, language: Language, alone: bool = False) -> str:
    """The chains for a tool's answer; marked as ours where nothing else marks it."""
    told = code.block(chains, budget_chars=chain_text.TOOL_CHARS, language=language)
    if not told.text or not alone:
        return told.text
    return marked(told.text.removeprefix("\n"))


def place_text(
    code: CodeHistory, place: str, *, branch: str | None = None, language: Language = "en", full: bool = False
) -> str:
    """A place read back for `memory_get` and `backstory log`: its versions, one in full, or a difference."""
    seen = code.get(place, branch=branch)
    if seen[0].version is None:
        chains = [one.chain for one in seen]
        budget = 10_000_000 if full else chain_text.TOOL_CHARS
        told = code.block(chains, budget_chars=budget, language=language, threads=len(chains) if full else 5)
        body = told.text.removeprefix("\n") or "No version of it can be shown here."
    else:
        body = _version_text(seen[0], limit=None if full else TEXT_CHARS)
    return marked(body)


def _version_text(seen: Seen, *, limit: int | None) -> str:
    assert seen.version is not None
    made = seen.version.round
    if seen.diff is not None:
        return harmless(seen.diff.rstrip("\n")) or "The two are equal."
    head = f"`{seen.chain.thread.name}` version {made.n} · {render.day(made.happened_at)}"
    if seen.text is None:
        return harmless(f"{head}: deleted; there is no text.")
    text = seen.text if limit is None else seen.text[:limit]
    rest = f"\n… [{len(seen.text) - len(text):,} more characters]" if len(text) < len(seen.text) else ""
    return harmless(f"{head}, lines {made.start}-{made.end} of {made.path}:\n{text.rstrip(chr(10))}{rest}")


def place_json(code: CodeHistory, place: str, *, branch: str | None = None) -> str:
    """The published form of a place's history, with every version's patch and whole text."""
    found = code.get(place, branch=branch)
    return json.dumps({"format": 1, "threads": [_as_json(code, one) for one in found]}, ensure_ascii=False)


def _as_json(code: CodeHistory, seen: Seen) -> dict[str, Any]:
    chain = seen.chain
    wanted = [seen.version] if seen.version else list(chain.versions)
    return {
        "path": chain.thread.path, "symbol": chain.thread.symbol, "kind": chain.thread.kind, "now": chain.now,
        "elsewhere": dict(chain.elsewhere), "diff": seen.diff,
        "versions": [
            {
                "version": one.round.n, "path": one.round.path, "symbol": one.round.symbol, "status": one.round.status,
                "happened_at": one.round.happened_at, "branch": one.round.branch, "base": one.round.base,
                "commits": list(one.round.commits), "actor": one.round.actor,
                "turn": f"t{one.round.turn}" if one.round.turn else None, "words": one.round.words,
                "back_to": one.back_to, "undone": one.undone, "current": one.current,
                "away": one.away and one.away._asdict(),
                "lines": [one.round.start, one.round.end], "confidence": one.round.confidence,
                "patch": code.patch(one), "text": code.text(one),
            }
            for one in wanted
        ],
    }  # fmt: skip
