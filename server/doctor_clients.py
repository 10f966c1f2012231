"""The doctor's look at clients: what they have registered, and whether that starts."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import version
from ..store.errors import BackstoryError
from . import hook_line, install, jsonc
from .clients import CLIENTS
from .doctor import Finding
from .launch import Launch
from .registration import NAME, File

# A server answers within two seconds where the disk is warm; clients wait 30.
START_S = 20.0
# The hook ends itself after 0.4.
HOOK_S = 5.0
TITLES = {"claude-code": "Claude Code", "cursor": "Cursor"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "backstory-doctor", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class Registered:
    """What a client's files say of us: the server's entry, whether the hooks are right, whether not all is."""

    client: str
    server: Any
    hooks: bool
    stale: bool

    @property
    def launch(self) -> Launch | None:
        """How the registered server is started; None where the entry is not one we wrote."""
        match self.server:
            case {"command": str(python), "args": [str(flag), *_], "env": {"BACKSTORY_HOME": str(home)}}:
                return Launch(python, Path(home), flag)
        return None


def registered(client: str, home: Path) -> Registered | None:
    """What that client has registered; None where it knows nothing of us. Raises `BadInput`."""
    servers, hooks = install.files_of(client, Launch(sys.executable, home))
    entry = _get(servers, ("mcpServers", NAME))
    said = Registered(client, entry, False, False)
    # Compared as the client starts us, which need not be the interpreter that runs this.
    launch = said.launch or Launch(sys.executable, home)
    servers, hooks = install.files_of(client, launch)
    text = _text(hooks)
    with install.sentence(hooks.path):
        if entry is None and not hooks.has_ours(text):
            return None
        whole = hooks.registered(text)
        right = entry is not None and servers.registered(_text(servers))
    return Registered(client, entry, whole, not (whole and right))


def registrations(home: Path) -> Iterator[Finding]:
    """Whether each client that knows us knows us rightly, and at least one does."""
    known = 0
    for client in CLIENTS:
        try:
            found = registered(client, home)
        except BackstoryError as e:
            yield Finding(
                False, f"{TITLES[client]}: {e}", "correct the file, then run `backstory doctor` again"
            )
            known += 1
            continue
        if found is not None:
            known += 1
            yield _judged(found, home)
    if not known:
        yield Finding(False, "No client is registered", "backstory install claude-code (or cursor)")
    elif stale := hook_line.stale(home):
        what = (
            f"{len(stale)} of the files that hooks run are missing from {home / 'hook'} or of another release"
        )
        yield Finding(False, what, "backstory install claude-code (or cursor)")
    else:
        yield _hook(home)


def _judged(found: Registered, home: Path) -> Finding:
    title, again = TITLES[found.client], f"backstory install {found.client}"
    launch = found.launch
    if found.server is None:
        return Finding(False, f"{title} has our hooks, but not our server", again)
    if launch is not None and not os.access(launch.python, os.X_OK):
        return Finding(False, f"{title} starts us with {launch.python}, which is gone", again)
    if launch is not None and not _same(launch.home, home):
        cure = f"{again}, or set BACKSTORY_HOME to that folder"
        return Finding(False, f"{title} keeps its memories in {launch.home}, not in {home}", cure)
    if not found.hooks:
        return Finding(False, f"{title} lacks some of our hooks, or has those of another release", again)
    if found.stale:
        return Finding(False, f"{title} starts our server in a way that is not this release's", again)
    return Finding(True, f"{title} is registered, with server and hooks")


def _hook(home: Path) -> Finding:
    """Whether the hook's own line runs: with nothing on stdin, it says and keeps nothing."""
    words = hook_line.command(sys.executable, home, "claude-code", "Stop")
    began = time.monotonic()
    try:
        ran = subprocess.run(words, input=b"", capture_output=True, timeout=HOOK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return Finding(False, f"The hook does not run ({e})", "backstory install claude-code (or cursor)")
    if ran.returncode or ran.stdout or ran.stderr:
        what = f"The hook ended with status {ran.returncode}: {(ran.stderr or ran.stdout)[:200]!r}"
        return Finding(False, what, "backstory install claude-code (or cursor)")
    return Finding(True, f"Hooks run, in {(time.monotonic() - began) * 1000:.0f} ms here")


def servers(home: Path) -> Iterator[Finding]:
    """Whether the server starts, as each client starts it; where none does, as one would."""
    starts: dict[tuple[str, ...], str] = {}
    for client in CLIENTS:
        try:
            found = registered(client, home)
        except BackstoryError:
            continue
        launch = found.launch if found else None
        if launch is not None and _same(launch.home, home) and os.access(launch.python, os.X_OK):
            starts[(launch.python, *launch.serve(client))] = f"backstory install {client}"
    if not starts:
        own = Launch(sys.executable, home, "-P")
        starts[own.python, *own.serve("doctor")] = "pip install --force-reinstall backstory"
    for words, cure in starts.items():
        yield started(list(words), home, cure)


def started(words: list[str], home: Path, cure: str, deadline_s: float = START_S) -> Finding:
    """Whether that command answers `initialize` on its standard streams, as JSON, before the deadline."""
    env = {**os.environ, "BACKSTORY_HOME": str(home)}
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
        )
    except OSError as e:
        return Finding(False, f"The server does not start: {e}", cure)
    with process:
        answer = _asked(process, deadline_s)
        took = time.monotonic() - began
        if answer is None:
            process.kill()
        said = _ended(process)
    match answer:
        case None:
            what = f"The server does not answer within {deadline_s:.0f} s" + (f": {said}" if said else "")
            return Finding(False, what, cure)
        case {"result": {"serverInfo": {"version": str(release)}}} if release != version():
            return Finding(False, f"The registered server is {release}, this is {version()}", cure)
        case {"result": {"serverInfo": dict()}}:
            return Finding(True, f"The server starts, in {took:.1f} s here")
    return Finding(False, f"The server answers oddly: {str(answer)[:200]}", cure)


def _asked(process: subprocess.Popen[bytes], deadline_s: float) -> Any:
    """The first line that the process answers, as JSON (a string where it is none); None where none came."""
    assert process.stdin is not None
    assert process.stdout is not None
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=lambda out=process.stdout: lines.put(out.readline()), daemon=True).start()
    try:
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        line = lines.get(timeout=deadline_s)
    except (OSError, queue.Empty):
        return None
    try:
        return json.loads(line) if line else None
    except ValueError:
        return line.decode("utf-8", "replace")


def _ended(process: subprocess.Popen[bytes]) -> str:
    """End the process as a client does, by closing its stdin; what it last said on stderr."""
    try:
        _, err = process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        _, err = process.communicate()
    lines = err.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else ""


def _text(file: File) -> str:
    _, text, _ = install.load(file.path)
    return text if text.strip() else "{}"


def _get(file: File, place: tuple[str, ...]) -> Any:
    with install.sentence(file.path):
        return jsonc.get(_text(file), place)


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
