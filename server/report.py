"""`status`: what is kept, what is waiting, what it costs the agent, and what is wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import version
from ..pipelines import recall
from ..store import deliveries, jobs, memories, settings, sizes, upkeep, vector_indexes, wiping, workspaces
from ..store.clock import DAY_US
from ..store.migrations import LATEST
from . import doorway, packing, spool, tools
from .render import counted

if TYPE_CHECKING:
    import apsw

    from ..pipelines.llm import Model
    from ..store.models import Located

# What a token is to a model, roughly: 4 characters of English or JSON, 1.5 of Chinese. Said as an estimate.
CHARS_A_TOKEN, WIDE_A_TOKEN = 4, 1.5


def status(
    db: Any, home: Path, options: Any, at: Located, *, model: Model | None = None, now: int
) -> dict[str, Any]:
    """The state of the memory as one JSON object; instants are ISO 8601 in UTC."""
    file = db.read(_file, options.user, at, now)
    waiting = spool.count(home)
    server = _server(home)
    return {
        "version": version(),
        "home": str(home),
        "database": str(db.path),
        "schema": LATEST,
        "readonly": db.readonly,
        "settings": {"user": options.user, "mode": options.mode, "embedder": options.embedder},
        **file,
        "log_bytes": db.log_bytes(),
        "model": None if model is None else _model(model, now),
        "spool": {
            "waiting": waiting.waiting,
            "oldest": _iso(waiting.oldest_at),
            "quarantined": waiting.quarantined,
        },
        "server": server,
        "cost": {
            **_resident(),
            "digest_tokens": tokens(_digest(db, options, at, now)),
            "digest_characters_at_most": options.digest_chars,
            **file["cost"],
        },
    }


def _model(model: Model, now: int) -> dict[str, Any]:
    """Which model is asked for what, whether it rests and why, and what of the day's tokens is spent."""
    state = model.state_at(now)
    return {
        "host": state.host,
        "models": dict(state.models),
        "tokens_today": state.spent_today,
        "tokens_a_day": state.budget,
        "resting": [{"model": one.model, "until": _iso(one.until), "why": one.why} for one in state.resting],
    }


def _file(con: apsw.Connection, user: str, at: Located, now: int) -> dict[str, Any]:
    size = sizes.sizes(con)
    busy = sizes.activity(con, user)
    lease = jobs.holder(con, "embed", now=now)
    return {
        "workspace": None
        if at.scope.workspace is None
        else {"name": workspaces.name(con, at.scope.workspace), "branch": at.scope.branch, "folder": at.folder},
        "paused": settings.paused(con, workspace=at.scope.workspace, now=now),
        "memories": memories.counts(con, user),
        "turns": {"all": busy.turns, "open": busy.open_turns},
        "last_captured": _iso(busy.captured_at),
        "last_handed": _iso(busy.handed_at),
        "bytes": {"file": size.file, "words": size.words, "search_tokens": size.tokens, "vectors": size.vectors},
        "vectors": [
            {
                "model": c.index.model, "state": c.index.state, "embedded": c.embedded,
                "waiting": max(0, c.live - c.embedded),
            }
            for c in vector_indexes.counts(con)
        ],
        "embedding_worker": lease.owner if lease else None,
        "jobs": {
            kind: {"waiting": c.waiting, "running": c.running, "failed": c.failed}
            for kind, c in jobs.counts(con).items()
        },
        "upkeep": [
            {
                "name": done.name, "ran": _iso(done.ran_at), "took_ms": round(done.took_us / 1000, 1),
                "did": done.did, "left_over": done.left_over, "error": done.error,
            }
            for done in upkeep.every(con).values()
        ],
        "failures": [{"kind": f.kind, "key": f.key, "error": f.error} for f in jobs.failures(con, limit=5)],
        "wipe_pending": _wipe(con),
        "cost": {"injected_characters_7_days": deliveries.characters_since(con, now - 7 * DAY_US)},
    }  # fmt: skip


def _wipe(con: apsw.Connection) -> dict[str, Any] | None:
    """Since when bytes of what was forgotten wait to be wiped from the file, and why; None where none do."""
    pending = wiping.pending(con)
    return None if pending is None else {"since": _iso(pending[0]), "why": pending[1]}


def _server(home: Path) -> dict[str, Any] | None:
    """What the server that answers hooks says of itself; None where none is up."""
    told = doorway.ask(home, "status", timeout_s=1.0)
    try:
        return dict(json.loads(told)) if told else None
    except ValueError:
        return {"error": "answers oddly"}


def _resident() -> dict[str, int]:
    """What every request of an agent carries because of us: tools and instructions, in estimated tokens."""
    listed = json.dumps(
        {"tools": [tool.listing() for tool in tools.TOOLS.values()]},
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return {"tools_tokens": tokens(listed), "instructions_tokens": tokens(tools.INSTRUCTIONS)}


def _digest(db: Any, options: Any, at: Located, now: int) -> str:
    """What a session that begins here and now would be handed, and carry from then on."""
    found = recall.digest(
        user=options.user, workspace=at.scope.workspace, branch=at.scope.branch, source="", session="", how="startup",
        unfinished_days=options.unfinished_days, db=db, now=now,
    )  # fmt: skip
    return packing.digest_block(found, budget=options.digest_chars, now=now).text


def tokens(text: str) -> int:
    """About how many tokens a text is to a model."""
    wide = sum(not c.isascii() for c in text)
    return math.ceil((len(text) - wide) / CHARS_A_TOKEN + wide / WIDE_A_TOKEN)


def _iso(at: int | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at / 1e6, UTC).isoformat(timespec="seconds")


def status_text(state: Mapping[str, Any]) -> str:
    """The state for a person."""
    size, cost, waiting = state["bytes"], state["cost"], state["spool"]
    kept = ", ".join(f"{n:,} {kind}" for kind, n in state["memories"].items()) or "nothing yet"
    where = state["workspace"]
    lines = [
        f"Backstory {state['version']}" + (" — PAUSED here" if state["paused"] else ""),
        f"home        {state['home']}",
        f"file        {size['file'] / 1e6:,.1f} MB: words {size['words'] / 1e6:,.1f}, search tokens "
        f"{size['search_tokens'] / 1e6:,.1f}, vectors {size['vectors'] / 1e6:,.1f}"
        + (" — read-only: written by a newer Backstory" if state["readonly"] else ""),
        f"kept        {kept}; {counted(state['turns']['all'], 'turn')} ({state['turns']['open']} open)",
        f"workspace   {where['name']}" + (f" on {where['branch']}" if where["branch"] else "")
        if where
        else "workspace   none",
        f"last        captured {state['last_captured'] or 'never'}, handed {state['last_handed'] or 'never'}",
        f"server      {_server_line(state['server'])}",
        f"vectors     {_vector_line(state)}",
        f"model       {_model_line(state['model'], state['settings']['mode'])}",
        f"spool       {waiting['waiting']} waiting"
        + (f", {waiting['quarantined']} set aside" if waiting["quarantined"] else ""),
        _cost_line(cost),
    ]
    lines += [f"upkeep      {line}" for line in upkeep_lines(state["upkeep"])]
    if wipe := state["wipe_pending"]:
        lines.append(
            f"to wipe     since {wipe['since']} bytes of what was forgotten wait in the file: {wipe['why']}"
        )
    lines += [f"failed      {f['kind']} {f['key']}: {f['error']}" for f in state["failures"]]
    return "\n".join(lines)


def upkeep_lines(tasks: Sequence[Mapping[str, Any]]) -> list[str]:
    """What upkeep did last: one line for all that went well, and one for each task that did not."""
    if not tasks:
        return ["not yet; a server does it, or `backstory tend`"]
    fine = [
        f"{task['name']} {task['did']:,}" + (" (goes on)" if task["left_over"] else "")
        for task in tasks
        if not task["error"]
    ]
    failed = [
        f"{task['name']} FAILED {task['ran']}: {task['error']} (it is tried again each hour)"
        for task in tasks
        if task["error"]
    ]
    last = max(task["ran"] for task in tasks)
    return [f"last {last}: {', '.join(fine)}", *failed] if fine else failed


def _cost_line(cost: Mapping[str, Any]) -> str:
    each = f"tools {cost['tools_tokens']:,} and instructions {cost['instructions_tokens']} tokens (estimated) a request"
    most = f"at most {cost['digest_characters_at_most']:,} characters"
    digest = f"a session's digest {cost['digest_tokens']:,} now, {most}"
    return (
        f"cost        {each}; {digest}; {cost['injected_characters_7_days']:,} characters injected in 7 days"
    )


def _server_line(server: Mapping[str, Any] | None) -> str:
    if server is None:
        return "none is up; hooks read the file themselves"
    if "error" in server:
        return str(server["error"])
    return f"process {server.get('pid')}, embedder {server.get('embedder')}"


def _model_line(model: Mapping[str, Any] | None, mode: str) -> str:
    if model is None:
        return "none is asked (mode lite)" if mode == "lite" else f"none is named (mode {mode}); set model"
    names = ", ".join(sorted(set(model["models"].values())))
    line = f"{names} at {model['host']}; {model['tokens_today']:,} of {model['tokens_a_day']:,} tokens today"
    rests = "".join(f"; {one['model']} rests until {one['until']}: {one['why']}" for one in model["resting"])
    return line + rests


def _vector_line(state: Mapping[str, Any]) -> str:
    if not state["vectors"]:
        return "none yet; words alone answer"
    return "; ".join(
        f"{v['model']} ({v['state']}): {v['embedded']:,} made, {v['waiting']:,} waiting"
        for v in state["vectors"]
    )
