"""Exports with odd values in every field of every kind of line: never a trace, and the file stays sound."""

from __future__ import annotations

import copy
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory
from backstory.pipelines.exchange.imported import DAMAGED
from backstory.store import soundness
from backstory.store.rows import fetch

from .exchanging import Machine, origin

ODD: tuple[Any, ...] = (
    None, True, 0, -5, 1 << 62, -(1 << 62), 1 << 70, 1.5, 1e300, "", " ", "x", "\0", "a\0b", "\ud800", "没有",
    "x" * 200_000, [], {}, [[]], [None], {"a": 1}, "user", "turn", "0" * 26, "7" + "Z" * 25, 253_402_300_799_999_999,
    "'; drop table memory",
)  # fmt: skip
ODD_DATA: tuple[Any, ...] = (None, 5, "x", [], {}, [5], [[1]], {"a": {"b": [1]}}, 1 << 80, -1, True, "\0")
FILES, A_FILE = 14, 16


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], Path]:
    """The lines of a memory that has all kinds of them, and the file of another one of the same repository."""
    root = tmp_path_factory.mktemp("odd")
    repository = origin(root / "origin")
    one, other = Machine(root, "one", repository), Machine(root, "other", repository)
    one.lives(1, steps=14)
    other.lives(2, steps=6)
    with one.memory() as memory:
        (added,) = memory.add("Releases are cut on Thursdays.")
        memory.update(added.short, content="Releases are cut on Fridays.")
        memory.add("缓存三秒后变热。", kind="experience")
        (rated,) = memory.add("The heron nests in May.")
        memory.update(rated.short, feedback="helpful")
        (gone,) = memory.add("The vault opens with Quillfeather-77")
        memory.delete(gone.short, forget=True)
    lines = [json.loads(line) for line in one.file().read_text("utf-8").splitlines()]
    one.db.close()
    other.db.close()
    return lines, other.db.path


def spoiled(lines: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The lines, with odd values here and there."""
    chance, told = random.Random(seed), copy.deepcopy(lines)
    kinds = sorted({line["type"] for line in told if "type" in line} - {"end"})
    for _ in range(A_FILE):
        kind = chance.choice(kinds)
        line = chance.choice([one for one in told if one.get("type") == kind])
        if line.get("data") and chance.random() < 0.4:
            line["data"][chance.choice(sorted(line["data"]))] = chance.choice(ODD_DATA)
        else:
            line[chance.choice([*sorted(line), "nonsense"])] = chance.choice(ODD)
    return [lines[0], *(line for line in told if "backstory" not in line)]


def unsound(memory: Memory) -> list[Any]:
    """What does not hold together."""
    found: list[Any] = []
    for table in memory.db.read(soundness.tables):
        found += memory.db.read(soundness.damage, table)
    ids = [int(id_) for (id_,) in memory.db.read(fetch, "select id from memory")]
    found += memory.db.read(soundness.lost, ids)
    return found + memory.db.read(
        fetch,
        """
        select id, kind, text from memory
        where kind <> 'turn' and not exists (select 1 from evidence where memory = memory.id)
          and not exists (select 1 from link where source = memory.id and kind in ('derived_from', 'part_of'))""",
    )


@pytest.mark.parametrize("seed", range(FILES))
def test_whatever_stands_in_a_file_the_memory_stays_sound(
    lived: tuple[list[dict[str, Any]], Path], tmp_path: Path, seed: int
) -> None:
    lines, other = lived
    file = tmp_path / "odd.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in spoiled(lines, seed)))
    home = tmp_path / "backstory.db"
    if seed % 2:
        shutil.copy(other, home)
    with Memory.open(home, embedder="none") as memory:
        done = memory.import_(file)
        assert unsound(memory) == []
        memory.tend()
        assert {task["name"]: task["error"] for task in memory.status()["upkeep"] if task["error"]} == {}
        for one in memory.list(workspace="all", status="all", limit=30).memories:
            memory.get(one.id)
        memory.search("releases on Fridays, cache", workspace="all")
        memory.search("我住在哪里", workspace="all")
        assert unsound(memory) == []
        again = memory.import_(file)
        # What was refused for what it is, is so again; what was taken is known.
        assert again.refused[DAMAGED] == done.refused[DAMAGED]
        assert done.added["event"] > 0
        memory.export(tmp_path / "out.jsonl")
    with Memory.open(tmp_path / "next" / "backstory.db", embedder="none") as memory:
        # What was let in once comes out as something that is let in.
        assert memory.import_(tmp_path / "out.jsonl").refused == {}
