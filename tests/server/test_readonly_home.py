"""A home that may be read and not written to: an image, a mounted backup, somebody else's folder."""

from __future__ import annotations

import encodings.utf_16_le  # noqa: F401 - loaded now: without root's rights it may lie out of reach
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory.pipelines import redact  # noqa: F401 - as above
from backstory.server import fallback, hook_line, render, spool  # noqa: F401 - as above
from backstory.server.memory import Memory
from backstory.store import peek, words  # noqa: F401 - as above
from backstory.store.errors import BackstoryError

pytestmark = pytest.mark.skipif(not hasattr(os, "setresuid"), reason="no such users here")

FACT = "Releases of the harbour pilot are cut on Thursdays."
NOBODY = 65534
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with one memory; root, whom no mode holds back, is nobody for as long."""
    base = Path(tempfile.mkdtemp(prefix="backstory-readonly-"))
    home = base / "home"
    with Memory.open(home / "backstory.db", embedder="none") as memory:
        memory.add(FACT)
        assert memory.search("when are releases of the harbour pilot cut").hits
        memory.db.checkpoint()
    hook_line.lay(home)
    (home / "backstory.db").chmod(0o400)
    if ROOT:
        for path in (base, *base.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
    home.chmod(0o500)
    try:
        if ROOT:
            os.setresuid(NOBODY, NOBODY, 0)
        yield home
    finally:
        if ROOT:
            os.setresuid(0, 0, 0)
        home.chmod(0o700)
        shutil.rmtree(base)


def test_it_is_opened_for_reading_and_says_so_when_written_to(home: Path) -> None:
    with Memory.open(home / "backstory.db", embedder="none") as memory:
        assert memory.db.readonly
        (hit,) = memory.search("when are releases of the harbour pilot cut").hits
        assert hit.memory.text == FACT
        with pytest.raises(BackstoryError, match=f"{home / 'backstory.db'} is read-only"):
            memory.add("Another.")


def test_a_hook_answers_from_it_though_nothing_can_be_kept(home: Path) -> None:
    replies: list[bytes] = []
    payload = {"session_id": "s", "prompt_id": "p", "prompt": "When are releases of the harbour pilot cut?"}
    with pytest.raises(OSError, match="spool"):
        fallback.run(
            str(home), "claude-code", "UserPromptSubmit", b"{}", json.dumps(payload).encode(),
            time.monotonic() + 30, replies.append,
        )  # fmt: skip
    assert FACT in replies[0].decode()
    assert {path.name for path in home.iterdir()} == {"backstory.db", "hook"}


@pytest.mark.skipif(ROOT, reason="root is held back by no mode, and nobody may not run root's Python")
def test_the_hooks_process_ends_well(home: Path) -> None:
    line = hook_line.command(sys.executable, home, "claude-code", "UserPromptSubmit")
    ran = subprocess.run(line, input=b'{"prompt": "harbour pilot?"}', capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
