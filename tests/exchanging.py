"""Memories on several machines, lived in for real: hooks, tools, edits in clones of one repository, by a seed."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

from backstory import Memory
from backstory.pipelines.exchange.imported import Imported
from backstory.store.db import Database
from backstory.store.errors import BadInput
from backstory.tests.conftest import WHO
from backstory.tests.server.coding_agent import Agent

CITIES = ("Hangzhou", "Beijing", "Oslo", "Lima")
CITIES_ZH = ("杭州", "北京", "奥斯陆", "利马")
SAID = (
    "I live in {city}.", "我住在{city_zh}。", "I prefer dark mode.", "I prefer light mode.", "我喜欢深色主题。",
    "记住：发布都在星期{n}。", "Remember: releases are cut on day {n}.", "Never push to main.", "不要直接推到主分支。",
    "My favourite editor is number {n}.",
)  # fmt: skip


def state(db: Database) -> list[str]:
    """All that an export holds, but for when it was made and when rows came in."""
    file = db.path.with_name("state.jsonl")
    with Memory.open(db.path, embedder="none") as memory:
        memory.export(file)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()[1:-1]]
    file.unlink()
    for line in lines:
        line.pop("imported_at", None)
    return sorted(json.dumps(line, ensure_ascii=False, sort_keys=True) for line in lines)


def apart(one: list[str], other: list[str]) -> list[str]:
    """What stands in one state and not in the other."""
    first, second = set(one), set(other)
    return [f"- {line}" for line in one if line not in second] + [
        f"+ {line}" for line in other if line not in first
    ]


def origin(folder: Path) -> Path:
    """A repository that machines have clones of."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "pay.py").write_text(
        "import os\n\n\ndef fetch(url):\n    return get(url)\n\n\ndef other():\n    return 1\n"
    )
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    return folder


def git(folder: Path, *args: str) -> None:
    env = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder), **WHO}
    subprocess.run(["git", *args], cwd=folder, env=env, check=True, capture_output=True)


class Machine:
    """A home, a clone of the repository, and an agent that works there."""

    def __init__(self, root: Path, name: str, repository: Path) -> None:
        self.home, self.name = root / name, name
        self.folder = root / f"{name}-clone"
        git(root, "clone", "-q", str(repository), str(self.folder))
        git(self.folder, "remote", "set-url", "origin", "https://example.invalid/pay.git")
        self.db = Database.open(self.home / "backstory.db")

    def file(self, name: str = "out.jsonl") -> Path:
        """The memory, exported."""
        file = self.home / name
        with self.memory() as memory:
            memory.export(file)
        return file

    def memory(self) -> Memory:
        """The memory, open in the clone."""
        return Memory.open(self.db.path, folder=self.folder, session=f"api-{self.name}", embedder="none")

    def takes(self, *files: Path) -> Imported:
        """The last of the imports of those files."""
        for file in files:
            with Memory.open(self.db.path, embedder="none") as memory:
                done = memory.import_(file)
        return done

    def lives(self, seed: int, *, steps: int = 12) -> None:
        """Some days of use."""
        chance = random.Random(f"{self.name}{seed}")
        with self.memory() as memory:
            memory.settle()
        agent = Agent(self.db, self.home, self.folder)
        agent.session = f"session-{self.name}-{seed}"
        try:
            for n in range(steps):
                chance.choice((self._talks, self._talks, self._works, self._adds, self._changes))(
                    agent, chance, n
                )
        finally:
            agent.following.stop()
        with self.memory() as memory:
            memory.tend()

    def _talks(self, agent: Agent, chance: random.Random, n: int) -> None:
        words = chance.choice(SAID).format(
            city=chance.choice(CITIES), city_zh=chance.choice(CITIES_ZH), n=chance.randrange(3)
        )
        agent.asks(words)
        agent.ends()

    def _works(self, agent: Agent, chance: random.Random, n: int) -> None:
        agent.asks(chance.choice(("Make it faster", "让它更快", "Undo that", "Add a retry")))
        name = chance.choice(("pay.py", "src/cart.py", "README.md"))
        number = chance.randrange(4)
        agent.writes(
            name,
            f"import os\n\n\ndef fetch(url):\n    return get(url, {number})\n\n\ndef f{number}(a):\n    return {n}\n"
            if name.endswith("py")
            else f"# Pay\n\nVersion {number}\n",
        )
        agent.runs("pytest -q", lambda: None)
        if chance.random() < 0.3:
            agent.runs("git commit", lambda: git(self.folder, "commit", "-qam", f"step {n}", "--allow-empty"))
        agent.ends()

    def _adds(self, agent: Agent, chance: random.Random, n: int) -> None:
        with self.memory() as memory:
            memory.add(
                chance.choice(("The cache is warm after 3 s.", "缓存三秒后变热。", f"Step {n} of {self.name}.")),
                kind=chance.choice(("fact", "profile")), importance=chance.choice((None, 0.9)),
                meta={"n": n, "who": self.name},
            )  # fmt: skip

    def _changes(self, agent: Agent, chance: random.Random, n: int) -> None:
        with self.memory() as memory:
            memory.tend()
            found = [
                one
                for one in memory.list(workspace="all", status="all", limit=50).memories
                if one.kind != "turn"
            ]
            if not found:
                return
            one = chance.choice(found)
            try:
                match chance.randrange(4):
                    case 0:
                        memory.update(one.id, content=f"{one.text} (as of step {n})")
                    case 1:
                        memory.update(one.id, importance=chance.random())
                    case 2:
                        memory.delete(one.id)
                    case _ if one.slot is None:  # whether it can be current again, its slot decides
                        memory.update(one.id, restore=True)
            except BadInput:
                pass  # what is retired already, or is current
