"""A memory that tools are called on, from a project's folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory.server.memory import Memory


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    return project


@pytest.fixture
def memory(tmp_path: Path, folder: Path) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "home" / "backstory.db", folder=folder, source="test", embedder="none"
    ) as opened:
        yield opened
