"""What an agent did in a turn, step by step, as read from its events."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ...store.models import Event

StepKind = Literal["edit", "run", "read", "web", "other"]

READERS = re.compile(
    r"^(?:read|grep|glob|ls|list|search|view|find|codebase|semantic|open_file|notebookread)", re.IGNORECASE
)
WEB = re.compile(r"web|browser|fetch|url|http", re.IGNORECASE)
EXIT = re.compile(r"(?:exit(?:ed)?(?: with)?(?: code| status)?|returned)[ :=]+(\d{1,3})\b", re.IGNORECASE)
# What stands before the command that counts: `cd x && FOO=1 sudo timeout 5 pytest`.
WRAPPERS = {"sudo", "env", "time", "timeout", "nice", "nohup", "command", "exec", "xargs", "stdbuf", "doas"}
SHELLS = {"bash", "sh", "zsh", "fish"}
JOINS = re.compile(r"&&|\|\||[;|\n]")
ASSIGNED = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True, slots=True)
class Step:
    """
    One tool call: `paths` from the folder of the turn, `command` as it was given, `ok` None where the client did not
    say, `said` the (cut) result. `event` is the row it stands in.
    """

    kind: StepKind
    tool: str
    paths: tuple[str, ...]
    command: str | None
    ok: bool | None
    said: str
    at: int
    event: int

    @property
    def status(self) -> int | None:
        """The exit status, where it was told or follows: 0 for what went well, else what the result names."""
        if self.ok is not False:
            return None if self.ok is None else 0
        told = EXIT.search(self.said)
        return int(told[1]) if told else None


@dataclass(frozen=True)
class Trace:
    """A turn: the user's words, the steps in their order, the last reply. Empty words where none are known."""

    prompt: str
    steps: tuple[Step, ...]
    reply: str = ""
    folder: str | None = None

    @cached_property
    def edited(self) -> tuple[str, ...]:
        """The files that were edited, each once."""
        return _once(
            path for step in self.steps if step.kind == "edit" and step.ok is not False for path in step.paths
        )

    @cached_property
    def read(self) -> tuple[str, ...]:
        """The files that were read, each once."""
        return _once(path for step in self.steps if step.kind == "read" for path in step.paths)

    @cached_property
    def commands(self) -> tuple[Step, ...]:
        """The commands that were run."""
        return tuple(step for step in self.steps if step.kind == "run")


def trace(events: Sequence[Event], folder: str | None) -> Trace:
    """What those events, all of one turn and in their order, tell."""
    prompts = [
        event.content for event in events if event.role == "user" and event.kind in ("prompt", "message")
    ]
    replies = [
        event.content for event in events if event.role == "assistant" and event.kind in ("reply", "message")
    ]
    steps = tuple(_step(event, folder) for event in events if event.kind in ("tool", "edit"))
    return Trace("\n\n".join(prompts), steps, replies[-1] if replies else "", folder)


def _step(event: Event, folder: str | None) -> Step:
    tool, command = event.tool or "", event.data.get("command")
    kind: StepKind = (
        "edit" if event.kind == "edit"
        else "run" if command
        else "web" if event.origin == "external" and WEB.search(tool)
        else "read" if READERS.match(tool)
        else "other"
    )  # fmt: skip
    paths = tuple(_from(path, folder) for path in _strings(event.data, "paths"))
    return Step(kind, tool, paths, command, event.ok, event.content, event.occurred_at, event.id)


def _strings(data: Mapping[str, Any], name: str) -> list[str]:
    found = data.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _from(path: str, folder: str | None) -> str:
    if folder and os.path.isabs(path):
        try:
            relative = os.path.relpath(path, folder)
        except ValueError:
            return path
        return path if relative.startswith("..") else relative.replace(os.sep, "/")
    return path


def _once(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


def programs(command: str) -> list[tuple[str, ...]]:
    """The programs that a shell command starts, each with its first words: ("git", "commit"), ("pytest",)."""
    found = []
    for part in JOINS.split(command):
        words = _words(part)
        while words and (words[0] in WRAPPERS or ASSIGNED.match(words[0]) or words[0].startswith("-")):
            words = words[2:] if words[0] == "timeout" else words[1:]
        if words and os.path.basename(words[0]) in SHELLS and "-c" in words[1:3]:
            at = words.index("-c")
            found += programs(words[at + 1]) if len(words) > at + 1 else []
        elif words and words[0] != "cd":
            found.append((os.path.basename(words[0]), *words[1:4]))
    return found


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part, comments=True)
    except ValueError:
        return part.split()
