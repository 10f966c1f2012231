"""What a client's own files must say for it to start our server and run our hooks."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import hook_line, jsonc
from .clients import claude_code, cursor
from .launch import Launch

NAME = "backstory"
# Seconds; the hook ends itself after 0.4. It also raises Claude Code's budget for SessionEnd from 1.5.
TIMEOUT_S = 5
# Where something stands in a file: the names and numbers that lead there.
Place = tuple[str | int, ...]
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class File:
    """
    One file of a client. `entries` are ours: servers by their place, or hooks by the list they belong in.

    `extra` are members the file must have besides; `private` says that it may hold the user's keys.
    """

    path: Path
    entries: Mapping[Names, Any]
    hooks: bool = False
    extra: Mapping[Names, Any] = field(default_factory=dict)
    private: bool = False

    def register(self, text: str) -> str:
        """The text with our entries; it must hold none yet."""
        for place, value in self.extra.items():
            if jsonc.find(text, place) is None:
                text = jsonc.put(text, place, value)
        for place, value in self.entries.items():
            text = jsonc.append(text, place, value) if self.hooks else jsonc.put(text, place, value)
        return text

    def registered(self, text: str) -> bool:
        """Whether the text holds our entries, just as they should be, and no others of ours."""
        if any(jsonc.find(text, place) is None for place in self.extra):
            return False
        found = [(place[:-1] if self.hooks else place, jsonc.get(text, place)) for place in self._ours(text)]
        return sorted(map(repr, found)) == sorted(map(repr, self.entries.items()))

    def has_ours(self, text: str) -> bool:
        """Whether the text holds an entry of ours, of whatever release."""
        return any(True for _ in self._ours(text))

    def taken(self, text: str) -> Names | None:
        """Where somebody else's server stands under our name."""
        if self.hooks:
            return None
        there = (place for place in self.entries if jsonc.find(text, place) is not None)
        return next((place for place in there if not is_our_server(jsonc.get(text, place))), None)

    def clear(self, text: str, made: Collection[Names] | None) -> str:
        """The text without our entries, and the containers in `made` (None: any) that held only them."""
        ours = list(self._ours(text))
        for place in reversed(ours):
            text = jsonc.drop(text, place)
        for container in self.containers() if ours else ():
            node = jsonc.find(text, container)
            bare = node is not None and node.entries == () and not text[node.start + 1 : node.end - 1].strip()
            if bare and (made is None or container in made):
                text = jsonc.drop(text, container)
        rest = jsonc.parse(text).entries or ()
        if made is not None and {(entry.key,) for entry in rest} <= set(made) & set(self.extra):
            for entry in rest:
                text = jsonc.drop(text, (entry.key,))
        return text

    def containers(self) -> list[Names]:
        """The objects and lists that our entries stand in, innermost first."""
        holders = [place if self.hooks else place[:-1] for place in self.entries]
        return list(dict.fromkeys([*holders, *(holder[:1] for holder in holders)]))

    def made(self, before: str) -> tuple[Names, ...]:
        """Which of those, and of `extra`, the text before us did not have."""
        return tuple(p for p in (*self.containers(), *self.extra) if jsonc.find(before, p) is None)

    def _ours(self, text: str) -> Iterator[Place]:
        if not self.hooks:
            yield from (place for place in self.entries if is_our_server(jsonc.get(text, place)))
            return
        hooks = jsonc.get(text, ("hooks",))
        for event, items in hooks.items() if isinstance(hooks, dict) else ():
            for index, item in enumerate(items if isinstance(items, list) else ()):
                yield from _our_hooks(item, ("hooks", event, index))


def _our_hooks(item: Any, place: Place) -> Iterator[Place]:
    """Where ours are, in a hook or a group of hooks: the group itself where it holds no others."""
    group = item.get("hooks") if isinstance(item, dict) else None
    if not isinstance(group, list):
        if is_our_hook(item):
            yield place
        return
    ours = [is_our_hook(hook) for hook in group]
    if ours and all(ours):
        yield place
    else:
        yield from ((*place, "hooks", i) for i, mine in enumerate(ours) if mine)


# Claude Code


def claude_files(launch: Launch, *, user_home: Path, config_folder: Path | None) -> tuple[File, ...]:
    """Claude Code's two files: the one that names servers, and its settings."""
    folder = config_folder or user_home / ".claude"
    # The older name still wins where it is there.
    legacy = folder / ".config.json"
    named = legacy if _has_content(legacy) else (config_folder or user_home) / ".claude.json"
    server = {
        "type": "stdio",
        "command": launch.python,
        "args": launch.serve(claude_code.SOURCE),
        "env": {"BACKSTORY_HOME": str(launch.home)},
        # Otherwise the model sees only the tools' names.
        "alwaysLoad": True,
    }
    hooks: dict[Names, Any] = {
        ("hooks", event): {
            **({"matcher": claude_code.EDITS_AHEAD} if event == "PreToolUse" else {}),
            "hooks": [_claude_hook(launch, event)],
        }
        for event in claude_code.HOOK_EVENTS
    }
    return (
        File(named, {("mcpServers", NAME): server}, private=True),
        File(folder / "settings.json", hooks, hooks=True),
    )


def _claude_hook(launch: Launch, event: str) -> dict[str, Any]:
    command, *args = hook_line.command(launch.python, launch.home, claude_code.SOURCE, event)
    return {"type": "command", "command": command, "args": args, "timeout": TIMEOUT_S}


def _has_content(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size > 0
    except OSError:
        return False


# Cursor


def cursor_files(launch: Launch, *, user_home: Path) -> tuple[File, ...]:
    """Cursor's two files: the one that names servers, and its hooks."""
    folder = user_home / ".cursor"
    server = {
        "command": launch.python,
        # Cursor puts the open project in; a server without one sees global memory only.
        "args": [*launch.serve(cursor.SOURCE), "--workspace", "${workspaceFolder}"],
        "env": {"BACKSTORY_HOME": str(launch.home)},
    }
    hooks: dict[Names, Any] = {("hooks", event): _cursor_hook(launch, event) for event in cursor.HOOK_EVENTS}
    return (
        File(folder / "mcp.json", {("mcpServers", NAME): server}, private=True),
        File(folder / "hooks.json", hooks, hooks=True, extra={("version",): 1}),
    )


def _cursor_hook(launch: Launch, event: str) -> dict[str, Any]:
    words = hook_line.command(launch.python, launch.home, cursor.SOURCE, event)
    return {"command": shell_line(words), "timeout": TIMEOUT_S}


def shell_line(words: list[str], *, windows: bool = sys.platform == "win32") -> str:
    """The words as one line of the shell that Cursor hands them to: `sh`, or PowerShell on Windows."""
    if windows:
        return "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return shlex.join(words)


# Both


def is_our_server(server: Any) -> bool:
    """Whether an entry starts our server, of whatever release and interpreter."""
    args = server.get("args") if isinstance(server, dict) else None
    return isinstance(args, list) and any(
        args[i : i + 3] == ["-m", "backstory", "serve"] for i in range(len(args))
    )


def is_our_hook(hook: Any) -> bool:
    """Whether a hook is ours, of whatever release and home: they all import the hook file of a home."""
    if not isinstance(hook, dict):
        return False
    args = hook.get("args")
    said = [hook.get("command"), *(args if isinstance(args, list) else [])]
    text = "\n".join(word for word in said if isinstance(word, str))
    return (
        "import hook" in text
        and '"/hook"' in text
        and any(s in text for s in (claude_code.SOURCE, cursor.SOURCE))
    )
