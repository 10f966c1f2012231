"""Commands for every day, and for the file: search, show, add, pause, reindex, tend."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..store import clock, jobs, upkeep
from ..store.errors import BadInput, EmbedderUnavailable
from . import render

if TYPE_CHECKING:
    from ..pipelines.keep import Added
    from .memory import Memory

T = TypeVar("T")

# Set for the commands that an agent runs.
AGENTS = ("CLAUDECODE", "CURSOR_AGENT", "AI_AGENT")
# Tasks of upkeep that count what they looked at, not what they changed.
LOOKING = ("likeness", "search", "integrity", "checkpoint")


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    search = commands.add_parser(
        "search", help="what memory holds about something; without a query, the latest"
    )
    search.add_argument("query", nargs="*")
    search.add_argument(
        "--workspace", help="a folder or name, `all`, or `global`; default: the one you are in"
    )
    search.add_argument("--kind", help="turn, fact, profile, summary, intention or experience")
    search.add_argument("--since", help="a date, a time, or a span such as 7d")
    search.add_argument("--until")
    search.add_argument(
        "--as-of", metavar="DATE", help="what was true by the end of that day, as it is known now"
    )
    search.add_argument(
        "--known-as-of", metavar="DATE", help="what would have been said then; with --as-of: of that day"
    )
    search.add_argument("--limit", type=int, help="how many; default: the setting tool_limit")
    search.add_argument("--page", type=int, default=1)
    search.add_argument("--retired", action="store_true", help="what is no longer current, too")
    search.add_argument("--archived", action="store_true", help="what has faded out of recall")
    search.add_argument("--json", action="store_true")
    search.set_defaults(run=_search)

    show = commands.add_parser("show", help="one memory in full, with the words it rests on")
    show.add_argument("id", help="as recall prints it: m42")
    show.add_argument("--rate", choices=("helpful", "unhelpful", "wrong"), help="say how good it is")
    show.add_argument("--json", action="store_true")
    show.set_defaults(run=_show)

    add = commands.add_parser("add", help="keep a sentence")
    add.add_argument("text", nargs="+")
    add.add_argument("--kind", default="fact")
    add.add_argument("--importance", type=float)
    add.add_argument("--everywhere", action="store_true", help="not only for the workspace you are in")
    add.add_argument("--json", action="store_true")
    add.set_defaults(run=_add)

    pause = commands.add_parser("pause", help="keep and recall nothing for a while")
    pause.add_argument("span", nargs="?", help="how long, such as 2h or 1d; without it, until --off")
    pause.add_argument("--here", action="store_true", help="only in the workspace you are in")
    pause.add_argument("--off", action="store_true", help="go on remembering")
    pause.set_defaults(run=_pause)

    reindex = commands.add_parser("reindex", help="make the search indexes anew from what is kept")
    reindex.set_defaults(run=_reindex)
    tend = commands.add_parser("tend", help="do the waiting work now: drawing from turns, vectors, upkeep")
    tend.set_defaults(run=_tend)


def open_memory() -> Memory:
    from .. import configs
    from .memory import Memory

    memory = Memory.open(folder=configs.here(), source="cli")
    # What hooks left while no server was up is part of what is asked about.
    memory.drain()
    return memory


def on_memory(carry_out: Callable[[Memory], T]) -> T:
    """
    What `carry_out` returns for the memory of this home.

    Where there is no home yet it is tried on an empty memory first, so that what is refused makes none.
    """
    from .. import configs
    from . import files
    from .memory import Memory

    home = configs.home()
    ground = files.ground(home)
    if ground != home and ground.is_dir():
        options = configs.load(home)
        with Memory.open(":memory:", folder=configs.here(), source="cli", options=options) as empty:
            carry_out(empty)
    with open_memory() as memory:
        return carry_out(memory)


def _search(args: argparse.Namespace) -> int:
    from . import instants

    query = " ".join(args.query).strip()
    filters = {
        "workspace": args.workspace,
        "kinds": [args.kind] if args.kind else None,
        "since": instants.parse(args.since, "start") if args.since else None,
        "until": instants.parse(args.until, "end") if args.until else None,
        "as_of": instants.parse(args.as_of, "end") if args.as_of else None,
        "known_as_of": instants.parse(args.known_as_of, "end") if args.known_as_of else None,
        "status": "archived" if args.archived else "all" if args.retired else "live",
        "limit": args.limit,
        "page": args.page,
    }
    print(on_memory(partial(_found, query=query, filters=filters, as_json=args.json)))
    return 0


def _found(memory: Memory, *, query: str, filters: dict[str, Any], as_json: bool) -> str:
    from . import answers, code_answers

    name, page = memory.workspace_name, filters["page"]
    if not query:
        listing = memory.list(**filters)
        return (
            answers.listing_json(listing, name)
            if as_json
            else answers.listing_text(listing, name, typed=True)
        )
    packet = memory.search(query, **filters)
    chains, told = code_answers.under(memory.code(), packet, page=page, language=render.language_of(query))
    if as_json:
        used = code_answers.turns(chains, told)
        return answers.packet_json(packet, name, page=page, notes=[], chain_block=told.text, chain_used=used)
    return answers.packet_text(
        packet, name, page=page, budget=render.MOST_CHARS, notes=[], extra=told.text, typed=True
    )


def _show(args: argparse.Namespace) -> int:
    from . import answers

    def show(memory: Memory) -> str:
        rated = memory.update(args.id, feedback=args.rate) if args.rate else None
        detail, name = memory.get(args.id), memory.workspace_name
        if args.json:
            return answers.detail_json(detail, name)
        said = [answers.updated_text(rated)] if rated else []
        return "\n".join([*said, answers.detail_text(detail, name, view="evidence", typed=True)])

    print(on_memory(show))
    return 0


def _who_types() -> Literal["user", "agent"]:
    """Who runs this command: the user, or an agent with its shell, as its client says in the environment."""
    from .. import configs

    return "agent" if any(configs.environment(AGENTS).values()) else "user"


def _add(args: argparse.Namespace) -> int:
    def add(memory: Memory) -> Added:
        return memory.add(
            " ".join(args.text), kind=args.kind, importance=args.importance, origin=_who_types(),
            workspace="global" if args.everywhere else None,
        )[0]  # fmt: skip

    added = on_memory(add)
    if args.json:
        print(json.dumps({"id": added.short, "verdict": added.verdict, "reason": added.reason}))
    else:
        print(f"{added.short} {added.verdict}" + (f": {added.reason}" if added.reason else ""))
    return 0


def _pause(args: argparse.Namespace) -> int:
    from . import instants

    if args.off and args.span:
        raise BadInput("Give a span to pause for, or --off to go on, not both.")
    if args.span is not None and not args.span.strip():
        raise BadInput("The span is empty; give one such as 2h, or leave it out to pause without end.")
    until = None if args.off else instants.parse(args.span, "ahead") if args.span else 0
    if until and until <= clock.now():
        raise BadInput("That moment is past; name one to come, such as 2h, or leave it out.")
    on_memory(lambda memory: memory.pause(until=until, here=args.here))
    where = "in this workspace" if args.here else "everywhere"
    if until is None:
        print(f"Memory is on again {where}.")
    else:
        ends = f" until {instants.shown(until)}" if until else ""
        print(f"Memory is paused {where}{ends}. Go on with: backstory pause --off")
    return 0


def _reindex(_: argparse.Namespace) -> int:
    with open_memory() as memory:
        done = memory.reindex(progress=show_progress)
    print(
        f"Search words of {render.counted(done.words, 'memory', 'memories')} and "
        f"{render.counted(done.vectors, 'vector')} indexed anew."
    )
    return 0


def _tend(_: argparse.Namespace) -> int:
    with open_memory() as memory:
        began_at = memory.now()
        done = memory.tend(progress=show_progress)
        # A look at the whole file is not asked for each time; whether it failed is.
        tasks = memory.db.read(upkeep.every).values()
        asked_for, is_readonly = memory.options.embedder, memory.db.readonly
        later = sum(kind.waiting for kind in memory.db.read(jobs.counts).values())
    kept_up = [task for task in tasks if task.ran_at >= began_at]
    changed = [f"{task.name} {task.did:,}" for task in kept_up if task.did and task.name not in LOOKING]
    if changed:
        print(f"Upkeep: {', '.join(changed)}.")
    elif not kept_up:
        why = "the file is read-only, nothing can be done" if is_readonly else "another process is at it"
        print(f"Upkeep: {why}; see `backstory status`.")
    failed = [task for task in tasks if task.error]
    for task in failed:
        print(f"Upkeep: {task.name} failed: {task.error}")
    what = f"{render.counted(done.embedded, 'memory', 'memories')} embedded."
    match done.state:
        case "elsewhere":
            print(f"{what} A server is at it already.")
        case "resting" if done.trouble:
            raise EmbedderUnavailable(f"{what} {done.trouble}")
        case "off" if done.trouble and asked_for not in ("none", "auto"):
            raise EmbedderUnavailable(f"No vectors were made: {done.trouble}")
        case _:
            print(what if done.embedded else _nothing(later))
            if done.state == "off" and done.trouble and asked_for == "auto":
                print(f"Words alone answer: {done.trouble}")
    return int(bool(failed))


def _nothing(later: int) -> str:
    if not later:
        return "Nothing was waiting."
    tasks = render.counted(later, "task")
    return f"Nothing was due; {tasks} to come, at the end of a turn or session, or at another try."


def show_progress(done: int, total: int) -> None:
    """A bar on stderr, where that is a person's terminal."""
    if not sys.stderr.isatty():
        return
    part = done / total if total else 1.0
    print(
        f"\r[{'#' * int(30 * part):30}] {done:,} of {total:,}",
        end="\n" if done >= total else "",
        file=sys.stderr,
    )
