"""Commands for the first minutes and the plumbing: try, install, uninstall, doctor, status, hook."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .clients import CLIENTS

if TYPE_CHECKING:
    from .install import Plan


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    trial = commands.add_parser("try", help="see the main job work on a small real repository")
    trial.add_argument("--keep", action="store_true", help="leave the trial's folder, to look into the file")
    trial.set_defaults(run=_try)

    for name, text in (("install", "register Backstory in a client"), ("uninstall", "take it out again")):
        command = commands.add_parser(name, help=text)
        command.add_argument("client", choices=CLIENTS)
        command.add_argument("--dry-run", action="store_true", help="show the change and make none")
        if name == "install":
            command.add_argument(
                "--rules",
                metavar="PROJECT",
                help="cursor: keep .cursor/rules/backstory.mdc in that project up to date",
            )
        command.set_defaults(run=_install if name == "install" else _uninstall)

    doctor = commands.add_parser("doctor", help="find what is wrong, and the cure")
    doctor.add_argument("--json", action="store_true")
    doctor.set_defaults(run=_doctor)
    status = commands.add_parser("status", help="what is kept, what is waiting, what it costs")
    status.add_argument("--json", action="store_true")
    status.set_defaults(run=_status)
    hook = commands.add_parser(
        "hook", help="what the hook file does: a client's event on stdin, its reply on stdout"
    )
    hook.add_argument("client", choices=CLIENTS)
    hook.add_argument("event")
    hook.set_defaults(run=_hook)


def _try(args: argparse.Namespace) -> int:
    from . import trial

    return trial.run(keep=args.keep)


def _status(args: argparse.Namespace) -> int:
    from .. import configs
    from . import report
    from .memory import Memory

    with Memory.open(folder=configs.here(), source="cli") as memory:
        memory.drain()
        state = memory.status()
    print(json.dumps(state, ensure_ascii=False, indent=1) if args.json else report.status_text(state))
    return 0


def _hook(args: argparse.Namespace) -> int:
    import subprocess

    from .. import configs
    from .hook_line import LINE
    from .install import lay_hook_files

    home = configs.home()
    try:
        lay_hook_files(home)
        line = [sys.executable, "-I", "-S", "-E", "-c", LINE, str(home), args.client, args.event]
        subprocess.run(line, check=False)
    except OSError as e:  # a hook never breaks the agent that called it
        print(f"backstory: {home} cannot be used ({e})", file=sys.stderr)
    return 0


def _install(args: argparse.Namespace) -> int:
    from . import install

    project = Path(args.rules).expanduser().resolve() if getattr(args, "rules", None) else None
    return _carry_out(
        install.plan(args.client, project=project), args, "registered in", "Start a new session there."
    )


def _uninstall(args: argparse.Namespace) -> int:
    from .. import configs
    from . import install

    after = f"Your memories stay in {configs.home()}; delete that folder to be rid of them."
    return _carry_out(install.plan_uninstall(args.client), args, "taken out of", after)


def _carry_out(plan: Plan, args: argparse.Namespace, done: str, after: str) -> int:
    from . import install

    for note in plan.notes:
        print(note, file=sys.stderr)
    if args.dry_run:
        print(install.diff(plan) or "Nothing would change.", end="" if plan.changes else "\n")
        return 0
    install.apply(plan)
    for change in plan.changes:
        print(f"  {change.path}")
    print(f"Backstory is {done} {args.client}." + (f" {after}" if plan.changes else " It was so already."))
    return 0


def _doctor(args: argparse.Namespace) -> int:
    from . import doctor

    findings = doctor.examine()
    if args.json:
        print(
            json.dumps(
                [{"ok": f.ok, "what": f.what, "cure": f.cure} for f in findings], ensure_ascii=False, indent=1
            )
        )
    else:
        for finding in findings:
            print(
                f"{'ok  ' if finding.ok else 'BAD '} {finding.what}"
                + (f"\n     cure: {finding.cure}" if finding.cure else "")
            )
    return 0 if all(f.ok for f in findings) else 1
