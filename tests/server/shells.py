"""Commands typed in a test: what each prints, its exit code, what its file holds."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from backstory.server import cli


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


class Shell:
    """A folder to type in, with a home of its own."""

    def __init__(self, home: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.folder, self._capsys = home, folder, capsys

    def __call__(self, *args: str) -> Ran:
        """Run one command to its end, as its own process would."""
        self._capsys.readouterr()
        try:
            code = cli.main(args)
        except SystemExit as e:  # argparse leaves by it
            code = int(e.code or 0)
        return Ran(code, *self._capsys.readouterr())

    def json(self, *args: str) -> Any:
        ran = self(*args, "--json")
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out)

    def kept(self) -> dict[str, list[Any]]:
        """All that the file holds, by any program's SQLite."""
        tables = (
            "memory",
            "event",
            "turn",
            "session",
            "evidence",
            "link",
            "terms",
            "workspace",
            "setting",
            "run",
        )
        con = sqlite3.connect(self.home / "backstory.db")
        try:
            return {table: con.execute(f"select * from {table}").fetchall() for table in tables}
        finally:
            con.close()
