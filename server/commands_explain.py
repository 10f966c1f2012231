"""Commands that read the log: explain, report."""

from __future__ import annotations

import argparse
from typing import Any

from ..store.errors import BadInput
from .commands_daily import on_memory


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    explain = commands.add_parser("explain", help="why a memory is there, or why a turn left none")
    explain.add_argument("id", nargs="?", help="a memory m42, a turn t7 or an event e310")
    explain.add_argument(
        "--turn", metavar="ID", help="why this turn left what it left: t7, or a memory of it"
    )
    explain.add_argument("--json", action="store_true")
    explain.set_defaults(run=_explain)

    report = commands.add_parser(
        "report", help="what each step did, took and cost, by day; queue; injected tokens"
    )
    report.add_argument("--days", type=int, default=7, help="so many days, today included (default: 7)")
    report.add_argument("--json", action="store_true")
    report.set_defaults(run=_report)


def _explain(args: argparse.Namespace) -> int:
    from . import explain

    given = args.id if args.turn is None else args.turn
    if given is None or (args.id is not None and args.turn is not None):
        raise BadInput("Name one thing to explain: a memory (m42), or with --turn a turn (t7).")
    print(
        on_memory(lambda memory: explain.answer(memory, given, turn=args.turn is not None, as_json=args.json))
    )
    return 0


def _report(args: argparse.Namespace) -> int:
    from . import usage

    print(on_memory(lambda memory: usage.answer(memory, days=args.days, as_json=args.json)))
    return 0
