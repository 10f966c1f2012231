from __future__ import annotations

import signal
from pathlib import Path

from backstory.pipelines.git.worktree import Talk

from .repos import started


def test_a_command_that_does_not_end_with_its_talk_is_killed(tmp_path: Path) -> None:
    repo = started(tmp_path)
    asleep = ["-c", "alias.asleep=!exec sleep 60", "asleep"]
    with Talk(repo.where(), asleep, timeout_s=0.2) as talk:
        process = talk._process.proc
        assert process.poll() is None
    assert process.returncode == -signal.SIGKILL


def test_a_command_that_ends_with_its_talk_ends_well(tmp_path: Path) -> None:
    repo = started(tmp_path)
    with Talk(repo.where(), ["cat-file", "--batch-check"]) as talk:
        process = talk._process.proc
        assert talk.ask(repo.head().encode()).split()[1] == b"commit"
    assert process.returncode == 0
