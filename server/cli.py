"""The command line: arguments in, one call, exit code out."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence

from ..store.errors import BackstoryError, BadInput

# What the exit code means to a program.
OK, FAILED, REFUSED = 0, 1, 2

USAGE = """\
first minutes   try, install CLIENT, uninstall CLIENT, doctor, status
every day       search QUERY, show ID, add TEXT, log PATH::SYMBOL, explain ID, forget, pause
the file        export FILE, import FILE, import git, backup, restore FILE, reindex, tend, report, eval extract
plumbing        serve, hook CLIENT EVENT
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 done, 1 failed, 2 refused (bad input; nothing was written)."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["serve"]:
        # Before anything is imported that could print: stdout belongs to MCP.
        from .serve import main as serve

        return serve(arguments[1:])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no Chinese shows a mark
    # What a terminal sent that is no text becomes a mark, so that it can be kept.
    args = parser().parse_args(
        [text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for text in arguments]
    )
    if "run" not in args:
        parser().print_help()
        return REFUSED
    try:
        return int(args.run(args) or OK)
    except BadInput as e:
        print(f"backstory: {e}", file=sys.stderr)
        return REFUSED
    except BackstoryError as e:
        print(f"backstory: {e}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        return FAILED
    except OSError as e:
        print(f"backstory: {e.strerror or e}" + (f": {e.filename}" if e.filename else ""), file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130


def parser() -> argparse.ArgumentParser:
    """Every command and its arguments."""
    top = argparse.ArgumentParser(
        prog="backstory",
        description="Long-term memory for coding agents.",
        epilog=USAGE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    from .. import version

    top.add_argument("--version", action="version", version=f"backstory {version()}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    from . import (
        commands_code,
        commands_daily,
        commands_eval,
        commands_exchange,
        commands_explain,
        commands_forget,
        commands_setup,
    )

    commands_setup.register(commands)
    commands_daily.register(commands)
    commands_code.register(commands)
    commands_exchange.register(commands)
    commands_explain.register(commands)
    commands_forget.register(commands)
    commands_eval.register(commands)
    serve = commands.add_parser("serve", help="serve MCP over stdio (or --sse, --http); clients start this")
    serve.add_argument("rest", nargs=argparse.REMAINDER)
    return top
