"""A user's home with a client's files in it, where Backstory is registered and taken out again."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from backstory.server import install

# A settings file as a person keeps one.
OTHERS = """\
{
  // hand-written
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "unknownKey": [1, 2.50, 1e3, "\\u4e2d文"],
  "hooks": {
    "Stop": [
      {"matcher": "", "hooks": [{"type": "command", "command": "say done"}]}, // another tool's
    ],
    "PreToolUse": []
  },
  "permissions": { "allow": ["Bash(ls:*)"] } /* keep */
}
"""


class World:
    """A user's home, Backstory's home, and what every file in the first one holds."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user, self.home = root / "user", root / "memory"
        self.user.mkdir(parents=True)
        monkeypatch.setenv("HOME", str(self.user))
        monkeypatch.setenv("USERPROFILE", str(self.user))
        monkeypatch.setenv("BACKSTORY_HOME", str(self.home))
        monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)

    def put(self, name: str, content: bytes | None) -> Path:
        path = self.user / name
        if content is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return path

    def files(self) -> dict[str, tuple[bytes, int]]:
        found = (p for p in self.user.rglob("*") if p.is_file())
        return {str(p.relative_to(self.user)): (p.read_bytes(), p.stat().st_mode) for p in found}

    def folders(self) -> set[str]:
        return {str(p.relative_to(self.user)) for p in self.user.rglob("*") if p.is_dir()}


@cache
def laid() -> Path:
    """The hook files of this version, compiled once."""
    home = Path(mkdtemp(prefix="backstory-laid-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    install.lay_hook_files(home)
    return home / "hook"


def register(client: str, *, fresh: bool = False, **options: Any) -> install.Plan:
    plan = install.plan(client, **options)
    if not fresh and not plan.home.exists():
        shutil.copytree(laid(), plan.home / "hook")
    install.apply(plan)
    return plan


def unregister(client: str) -> install.Plan:
    plan = install.plan_uninstall(client)
    install.apply(plan)
    return plan
