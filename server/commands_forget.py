"""The command that forgets: shows what would go, asks a person, and does it."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..store.errors import BadInput
from .commands_daily import open_memory, show_progress


def register(commands: Any) -> None:
    """Add the command to the parser."""
    forget = commands.add_parser("forget", help="erase memories, or words, from the file for good")
    forget.add_argument("id", nargs="?", help="as recall prints it: m42")
    forget.add_argument("--query", metavar="TEXT", help="words, whole ones, however written")
    forget.add_argument("--file", metavar="PATH", help="a file's code history, and what names it")
    forget.add_argument("--session", help="all of a session")
    forget.add_argument("--workspace", help="all of a workspace: a folder, a name, or `global`")
    forget.add_argument("--since", help="a date, a time, or a span such as 7d")
    forget.add_argument("--until")
    forget.add_argument("--preview", action="store_true", help="only show what would go")
    forget.add_argument("--yes", action="store_true", help="do not ask")
    forget.add_argument("--json", action="store_true")
    forget.set_defaults(run=_forget)


def _forget(args: argparse.Namespace) -> int:
    from . import forgetting, forgetting_text, instants

    which = {
        "query": args.query,
        "file": args.file,
        "session": args.session,
        "workspace": args.workspace,
        "since": instants.parse(args.since, "start") if args.since else None,
        "until": instants.parse(args.until, "end") if args.until else None,
    }
    say = forgetting_text.as_json if args.json else forgetting_text.told
    with open_memory() as memory:
        if args.preview or not args.yes:
            shown = forgetting.delete(memory, args.id, forget=True, preview=True, **which)
            if args.preview:
                print(say(shown, preview=True))
                return 0
            if not sys.stdin.isatty():
                raise BadInput("Forgetting has no way back; look with --preview, then add --yes.")
            print(forgetting_text.told(shown, preview=True), file=sys.stderr)
            if getattr(shown, "empty", False):
                return 0
            print("Forget this for good? Type yes: ", end="", file=sys.stderr, flush=True)
            if sys.stdin.readline().strip().lower() not in ("yes", "y", "是"):
                raise BadInput("Nothing was changed.")
        done = forgetting.delete(memory, args.id, forget=True, preview=False, progress=show_progress, **which)
    print(say(done, preview=False))
    pending = getattr(getattr(done, "wiped", None), "pending", None)
    return 1 if pending or getattr(getattr(done, "wiped", None), "left", ()) else 0
