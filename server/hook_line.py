"""What a client's settings run for a hook, and the files in the home that it runs on."""

from __future__ import annotations

import os
import py_compile
from pathlib import Path

# It must outlive those files: a plain path to a missing script exits 2, which blocks the user's prompt. It
# stays the same from release to release (some clients ask for trust again when it changes), and holds no
# single quote, so that it can stand between two in a shell.
LINE = """\
try:
 import sys
 sys.path.insert(0, sys.argv[1] + "/hook")
 import hook
 hook.main()
except BaseException:
 pass"""

FLAGS = ("-I", "-S", "-E")

# The part of the package that hooks use while no server answers: standard library only, laid out as there.
SLICE = (
    "pipelines/__init__.py",
    "pipelines/code/__init__.py",
    "pipelines/code/history.py",
    "pipelines/code/names.py",
    "pipelines/code/naming.py",
    "pipelines/code/reader.py",
    "pipelines/code/standing.py",
    "pipelines/ends.py",
    "pipelines/git/__init__.py",
    "pipelines/git/git_files.py",
    "pipelines/redact.py",
    "pipelines/secret_formats.py",
    "pipelines/secret_looks.py",
    "pipelines/secret_values.py",
    "pipelines/shown.py",
    "server/__init__.py",
    "server/chain_text.py",
    "server/fallback.py",
    "server/fallback_code.py",
    "server/render.py",
    "server/scrub.py",
    "server/sender.py",
    "server/spool.py",
    "server/waiting.py",
    "store/__init__.py",
    "store/bodies.py",
    "store/english.py",
    "store/everyday.py",
    "store/folder_key.py",
    "store/han.py",
    "store/marks.py",
    "store/conflicts.py",
    "store/peek.py",
    "store/peek_code.py",
    "store/peek_start.py",
    "store/places.py",
    "store/rounds.py",
    "store/rows.py",
    "store/words.py",
)

_PACKAGE = Path(__file__).resolve().parent.parent


def command(python: str, home: Path, client: str, event: str) -> list[str]:
    """The hook's command as a list of arguments; `python` is an absolute path."""
    return [python, *FLAGS, "-c", LINE, str(home), client, event]


def lay(home: Path) -> None:
    """
    Put the hook's files into the home, compiled for the interpreter that runs this.

    Each is replaced whole, the client last, so that a hook that starts meanwhile finds the old or the new.
    """
    for target, content in _files(home).items():
        _make(target.parent, home)
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        partial.write_bytes(content)
        partial.replace(target)
        py_compile.compile(str(target), quiet=2)


def stale(home: Path) -> list[Path]:
    """The hook's files that are missing from the home or are not those of this version."""
    return [path for path, content in _files(home).items() if not _holds(path, content)]


def _files(home: Path) -> dict[Path, bytes]:
    root = home / "hook" / "backstory"
    files = {root / "__init__.py": b'"""The part of Backstory that hooks use while no server answers."""\n'}
    files |= {root / name: (_PACKAGE / name).read_bytes() for name in SLICE}
    files[home / "hook" / "hook.py"] = (_PACKAGE / "server" / "hook.py").read_bytes()
    return files


def _make(folder: Path, home: Path) -> None:
    """The folder and those above it up to the home, each private from the start."""
    if folder != home:
        _make(folder.parent, home)
    folder.mkdir(mode=0o700, parents=folder == home, exist_ok=True)


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False
