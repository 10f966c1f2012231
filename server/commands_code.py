"""Commands for code history: log."""

from __future__ import annotations

import argparse
from typing import Any

from ..store.errors import BadInput
from .commands_daily import on_memory


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    log = commands.add_parser(
        "log", help="every version of a function, with the words that asked for it: PATH::SYMBOL"
    )
    log.add_argument("place", metavar="PATH::SYMBOL", help="or a path; with @2 version 2 in full")
    log.add_argument("--full", action="store_true", help="all versions and whole patches")
    log.add_argument(
        "--diff", nargs=2, metavar=("A", "B"), help="what lies between two versions; B may be `now`"
    )
    log.add_argument("--branch", help="the versions of another branch")
    log.add_argument("--json", action="store_true")
    log.set_defaults(run=_log)


def _log(args: argparse.Namespace) -> int:
    from . import code_answers
    from .memory import Memory

    place = args.place
    if args.diff:
        first, second = args.diff
        if not first.isdigit() or not (second.isdigit() or second == "now"):
            raise BadInput("--diff takes two version numbers, as `--diff 1 3`, or `--diff 1 now`.")
        place = f"{place}@{first}..{second}"

    def look(memory: Memory) -> str:
        code = memory.code()
        if args.json:
            return code_answers.place_json(code, place, branch=args.branch)
        return code_answers.place_text(code, place, branch=args.branch, full=args.full)

    print(on_memory(look))
    return 0
