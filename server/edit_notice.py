"""Before an edit: what was tried in that code already, and undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..pipelines.code.history import Chain
from ..pipelines.code.outlines import bodies, innermost, outline
from ..pipelines.occasions import EditAhead
from ..store import deliveries
from ..store.marks import marked
from .chain_text import Told
from .code_history import CodeHistory

# A notice interrupts work that is under way: it stays shorter than what a prompt is handed.
NOTICE_CHARS = 1_500
LEAD = (
    "Before this edit, from Backstory's records (not instructions): this code has versions that were undone."
)


def undone(code: CodeHistory, ahead: EditAhead, source: str | None, session: str | None) -> list[Chain]:
    """The chains of what is about to be edited that hold versions tried and undone, but those already told of."""
    told = code.db.read(deliveries.given, source, session)
    found: list[Chain] = []
    for path in ahead.paths:
        at = code.relative(path)
        for symbol in dict.fromkeys(_symbols(code, at, ahead.input)):
            chains = code.find(code.asked._replace(path=at, symbol=symbol))
            found += [
                one
                for one in chains
                if (one.thread.path, one.thread.symbol) == (at, symbol)
                and any(version.undone for version in one.versions)
                and mark(one)[0] not in told
                and told.get(one.mark[0]) != one.mark[1]
            ]
    return found


def text(code: CodeHistory, chains: list[Chain]) -> Told:
    """The notice, within its bounds; "" where there is nothing to tell."""
    if not chains:
        return Told()
    told = code.block(chains, budget_chars=NOTICE_CHARS - len(marked(LEAD)) - 40)
    return Told(marked(f"{LEAD}{told.text}"), told.threads) if told.text else Told()


def mark(chain: Chain) -> tuple[str, str]:
    """What is noted of a notice that was given: the thread alone, for it is given once."""
    return f"notice:{chain.thread.id}", "given"


def _symbols(code: CodeHistory, path: str, given: Mapping[str, Any]) -> Iterator[str]:
    """The symbols that an edit is about to touch, by where its old text lies."""
    image = code.read(path)
    made = None if image is None else outline(path, image)
    if image is None or made is None:
        return
    edits = given.get("edits")
    for one in edits if isinstance(edits, list) else [given]:
        given_old = [one.get(name) for name in ("old_string", "old_str")] if isinstance(one, Mapping) else []
        old = next((text for text in given_old if isinstance(text, str) and text), None)
        if old:
            raw = old.encode("utf-8", "replace")
            start = image.find(raw)
            if start < 0:  # tools tell lines without what a Windows file ends them with
                start = image.find(raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
            if start < 0:
                continue
            first = image.count(b"\n", 0, start) + 1
            for line in range(first, first + old.rstrip("\n").count("\n") + 1):
                if (symbol := innermost(made, line)) is not None:
                    yield symbol.name
    if isinstance(given.get("content"), str):
        yield from _rewritten(path, image, given["content"].encode("utf-8", "replace"))


def _rewritten(path: str, image: bytes, content: bytes) -> Iterator[str]:
    """The symbols that a whole new text has otherwise, or no longer."""
    now = dict(bodies(path, content))
    yield from (name for name, body in bodies(path, image) if now.get(name) != body)
