"""Commands for the file: export, import, backup, restore."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..store.errors import BadInput, StoreDamaged
from .commands_daily import open_memory, show_progress

if TYPE_CHECKING:
    from ..pipelines.exchange.imported import Imported
    from .memory import Memory

# Processes that take commits apart; more would only wait for the one that writes.
WORKERS = 4
# What people call the kinds of line.
NAMES = {
    "memory": "memories", "body": "bodies of code", "evidence": "evidence",
    "feedback": "feedback", "alias": "aliases", "parent": "parents of versions", "commit": "commits of versions",
    "name": "names of code", "thread": "threads of code", "change": "changes of code", "region": "regions of code",
}  # fmt: skip


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    out = commands.add_parser("export", help="write the whole memory to a file that any Backstory can import")
    out.add_argument("file", help="a name that ends in .gz is compressed; - is standard output")
    out.add_argument("--workspace", help="only that folder or name; . is the one you are in")
    out.add_argument("--since", help="only what came since a date, a time, or a span such as 30d")
    out.add_argument("--json", action="store_true")
    out.set_defaults(run=_export)

    into = commands.add_parser(
        "import",
        help="take in an exported FILE; or `git`: build code history from what this repository holds",
    )
    into.add_argument("what", metavar="FILE|git", help="an export (- is standard input), or the word git")
    into.add_argument("--user", help="of a file: take what belongs to that user for yours")
    into.add_argument("--since", help="of git: only commits younger than this: 2026-01-01, '6 months ago'")
    into.add_argument("--json", action="store_true")
    into.set_defaults(run=_import)

    backup = commands.add_parser("backup", help="copy the memory file, while agents work")
    backup.add_argument("file", nargs="?", help="default: the date, in the folder `backups` of the home")
    backup.add_argument("--json", action="store_true")
    backup.set_defaults(run=_backup)

    restore = commands.add_parser("restore", help="put a backup in the place of the memory file")
    restore.add_argument("file")
    restore.add_argument("--yes", action="store_true", help="do not ask")
    restore.add_argument("--json", action="store_true")
    restore.set_defaults(run=_restore)


def _whole_file() -> Memory:
    """The memory, from no folder: what is done with the file makes no workspace known."""
    from .memory import Memory

    memory = Memory.open(source="cli")
    # What hooks left while no server was up is part of it.
    memory.drain()
    return memory


def _export(args: argparse.Namespace) -> int:
    from . import instants

    since = instants.parse(args.since, "start") if args.since else None
    file = None if args.file == "-" else args.file
    with open_memory() if args.workspace == "." else _whole_file() as memory:
        done = memory.export(file, workspace=args.workspace, since=since, progress=show_progress)
    # Standard output is the export's own where it goes there.
    told = sys.stdout if file else sys.stderr
    if args.json:
        print(json.dumps({"file": file, **asdict(done)}), file=told)
    else:
        print(f"{_listed(done.lines)} written, {_size(done.bytes)}.", file=told)
    return 0


def _import(args: argparse.Namespace) -> int:
    if args.what == "git":
        if args.user:
            raise BadInput("--user goes with a file; git has no users of Backstory.")
        return _import_git(args)
    if args.since:
        raise BadInput("--since goes with git; a file is taken in as a whole.")
    with _whole_file() as memory:
        file = None if args.what == "-" else args.what
        done = memory.import_(file, user=args.user, progress=show_progress)
    print(json.dumps(_shown(done)) if args.json else "\n".join(_told(done)))
    return 0 if done.whole and not done.damaged else 1


def _import_git(args: argparse.Namespace) -> int:
    with open_memory() as memory:
        # By what every machine knows the repository by, so that another that reads it makes the same history.
        memory.settle()
        workers = min(WORKERS, os.cpu_count() or 1)
        done = memory.import_git(
            since=args.since, workers=workers, told=lambda at: show_progress(at.commits, at.of)
        )
    if args.json:
        print(json.dumps({"commits": done.commits, "rounds": done.rounds, "known": done.known}))
        return 0
    known = f", {done.known:,} known already" if done.known else ""
    print(f"{done.commits:,} commits read, {done.rounds:,} versions kept{known}.")
    return 0


def _shown(done: Imported) -> dict[str, Any]:
    return {
        "added": dict(done.added), "known": dict(done.known), "refused": dict(done.refused), "gone": done.gone,
        "whole": done.whole, "damaged": [{"line": n, "why": why} for n, why in done.damaged],
    }  # fmt: skip


def _told(done: Imported) -> list[str]:
    told = [f"{_listed(done.added) or 'nothing'} added; {sum(done.known.values()):,} lines known already."]
    told += [f"  {n:,} lines refused: {why}" for why, n in sorted(done.refused.items())]
    told += [f"    line {n}: {why}" for n, why in done.damaged]
    for user, n in sorted(done.users.items()):
        told.append(f"  {n:,} of them belong to {user!r}; to make them yours: --user {user}")
    if done.gone:
        told.append(f"  {done.gone:,} rows went, since the file says that they are forgotten.")
    if not done.whole:
        told.append(
            "  The file ends early or lines are damaged; what could be read is in. Import a whole one again."
        )
    return told


def _backup(args: argparse.Namespace) -> int:
    with _whole_file() as memory:
        done = memory.backup(args.file, progress=show_progress)
    if args.json:
        print(json.dumps({"file": str(done.path), "bytes": done.bytes}))
    else:
        print(f"{done.path}: {_size(done.bytes)}. Put it back with: backstory restore {done.path}")
    return 0


def _restore(args: argparse.Namespace) -> int:
    from .memory import Memory

    if not args.yes:
        if not sys.stdin.isatty():
            raise BadInput("This puts a backup in the place of your memory; say so with --yes.")
        answer = input(f"Put {args.file} in the place of your memory (which is kept beside it)? [y/N] ")
        if answer.strip().casefold() not in ("y", "yes", "是"):
            raise BadInput("Nothing was changed.")
    done = Memory.restore(Path(args.file), progress=show_progress)
    if args.json:
        print(json.dumps({
            "aside": str(done.aside) if done.aside else None, "forgotten": done.forgotten, "unread": done.unread,
        }))  # fmt: skip
        return 0
    print("Restored." + (f" The file that was there: {done.aside}" if done.aside else ""))
    if done.forgotten:
        print(f"{done.forgotten:,} rows of the backup were left out: they have been forgotten since.")
    if done.unread:
        raise StoreDamaged(
            "The file that was there could not be read, so that what was forgotten since the backup may be back."
        )
    return 0


def _listed(counts: Counter[str] | dict[str, int]) -> str:
    order = sorted(counts.items(), key=lambda one: (one[0] not in ("memory", "event", "turn"), one[0]))
    return ", ".join(f"{n:,} {NAMES.get(kind, kind + 's')}" for kind, n in order if n)


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size:,} bytes"
