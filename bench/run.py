"""
The figures we hold ourselves to, as one table.

    python bench/run.py [--smoke] [--memories 10000]

Hooks are timed as the client sees them: a whole process, from its start to its end, in pairs with a Python that does
nothing. Searches and adds are timed in this process. `--smoke` runs everything with few repetitions, to see that
it runs; its figures say nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from backstory import Memory
from backstory.bench import filling, processes
from backstory.server import doorway, hook_line, install

NOTHING = [sys.executable, "-I", "-S", "-E", "-c", "pass"]
READY_S = 60.0


@dataclass(frozen=True)
class Figure:
    """One line of the table; `limit` None where there is none."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    def line(self) -> str:
        bound = "" if self.limit is None else f"<= {self.limit:g}"
        verdict = "" if self.limit is None else "ok" if self.value <= self.limit else "OVER"
        return f"{self.name:58} {self.value:10.2f} {self.unit:6} {bound:9} {verdict}"


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def took_ms(command: list[str], stdin: bytes, env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, input=stdin, stdout=subprocess.DEVNULL, env=env, check=True)
    return (time.perf_counter() - began) * 1000


class Hooks:
    """The hook client of one home, as a client would run it."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder = home, folder
        install.lay_hook_files(home)
        self.env = {"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(folder)}
        self.number = 0

    def pair(self, event: str, **payload: Any) -> tuple[float, float]:
        """Milliseconds of one hook, and of a Python that does nothing, run next to it."""
        self.number += 1
        payload = {
            "session_id": f"bench-{self.number}",
            "prompt_id": f"p{self.number}",
            "cwd": str(self.folder),
            **payload,
        }
        command = hook_line.command(sys.executable, self.home, "claude-code", event)
        hook = took_ms(command, json.dumps(payload).encode(), self.env)
        return hook, took_ms(NOTHING, b"", self.env)

    def figures(
        self,
        name: str,
        event: str,
        payloads: Sequence[dict[str, Any]],
        *,
        times: float | None,
        p95: float | None,
    ) -> list[Figure]:
        pairs = [self.pair(event, **payload) for payload in payloads]
        hooks, floors = [h for h, _ in pairs], [f for _, f in pairs]
        ratio = statistics.median(hooks) / statistics.median(floors)
        return [
            Figure(
                f"{name}: median over an empty Python's ({statistics.median(floors):.0f} ms)",
                ratio,
                "times",
                times,
            ),
            Figure(f"{name}: 95th percentile", percentile(hooks, 0.95), "ms", p95),
        ]


def instant_door(hooks: Hooks, runs: int) -> list[Figure]:
    door = doorway.Doorway(hooks.home, lambda *_: doorway.Reply(b""))
    door.open()
    try:
        return hooks.figures("a doorway that answers at once", "Stop", [{}] * runs, times=1.5, p95=None)
    finally:
        door.stop()


@contextmanager
def server(hooks: Hooks, embedder: str) -> Any:
    """A real server over stdio, at rest: its embedder loaded, nothing waiting."""
    env = {**os.environ, "BACKSTORY_HOME": str(hooks.home), "BACKSTORY_EMBEDDER": embedder}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "backstory", "serve", "--client", "claude-code", "--workspace", str(hooks.folder)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
    )  # fmt: skip
    try:
        ends = time.monotonic() + READY_S
        while time.monotonic() < ends:
            told = doorway.ask(hooks.home, "status")
            embedding = json.loads(told).get("embedding") if told else None
            if embedding and embedding.get("state") in ("idle", "off") and not embedding.get("waiting"):
                break
            time.sleep(0.1)
        else:
            raise SystemExit("the server did not come to rest")
        yield
    finally:
        assert process.stdin
        process.stdin.close()
        process.wait(10)


def prompts(runs: int) -> list[dict[str, Any]]:
    return [{"prompt": question} for question in filling.questions(runs)]


def recall_figures(hooks: Hooks, runs: int) -> list[Figure]:
    figures: list[Figure] = []
    with server(hooks, "none"):
        hooks.figures("warm-up", "UserPromptSubmit", prompts(5), times=None, p95=None)
        figures += hooks.figures("recall by words", "UserPromptSubmit", prompts(runs), times=4, p95=150)
        replies = [{"last_assistant_message": text} for text in filling.texts(runs)]
        figures += hooks.figures("capture of a reply", "Stop", replies, times=None, p95=60)
        used = {
            "tool_name": "Bash",
            "tool_input": {"command": "pytest"},
            "tool_use_id": "t",
            "tool_response": {"stdout": "x" * 20_000},
        }
        figures += hooks.figures("capture of a tool call", "PostToolUse", [used] * runs, times=None, p95=60)
    if has_e5():
        with server(hooks, "e5"):
            hooks.figures("warm-up", "UserPromptSubmit", prompts(5), times=None, p95=None)
            figures += hooks.figures("recall with e5", "UserPromptSubmit", prompts(runs), times=9, p95=150)
    figures += hooks.figures(
        "recall without a server", "UserPromptSubmit", prompts(runs), times=None, p95=250
    )
    return figures


def has_e5() -> bool:
    from backstory.pipelines.embed_e5 import probe

    return probe(None) is None


def add_figures(path: Path, number: int, folder: Path) -> list[Figure]:
    """A call of `Memory.add` after another, until there are that many."""
    times = []
    with Memory.open(path, folder=folder, embedder="none") as memory:
        for text in filling.texts(number):
            began = time.perf_counter()
            memory.add(text)
            times.append((time.perf_counter() - began) * 1000)
    tenth = max(1, number // 10)
    first, last = statistics.median(times[:tenth]), statistics.median(times[-tenth:])
    return [
        Figure(f"memory_add: median of {number:,}", statistics.median(times), "ms", 10),
        Figure("memory_add: the last tenth over the first", last / first, "times", 1.5),
    ]


def search_figures(path: Path, folder: Path, runs: int) -> list[Figure]:
    figures = []
    for embedder, limit in (("none", 30), *((("e5", 80),) if has_e5() else ())):
        with Memory.open(path, folder=folder, embedder=embedder) as memory:
            if embedder == "e5":
                loaded = memory.vectors.load()
                assert loaded
                assert loaded.dim
                filling.give_vectors(memory, loaded.name, loaded.dim)
            cpu = measure(memory.search, list(filling.questions(runs + 5)))[5:]
        name = "by words" if embedder == "none" else f"with {embedder}"
        figures.append(Figure(f"search {name}: 95th percentile of CPU", percentile(cpu, 0.95), "ms", limit))
    return figures


def measure(call: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    spent = []
    for question in questions:
        began = time.process_time()
        call(question)
        spent.append((time.process_time() - began) * 1000)
    return spent


def process_figures(folder: Path, *, writes: int, kills: int) -> list[Figure]:
    result = processes.stress(folder, writers=8, writes=writes, kills=kills)
    assert result.integrity == "ok", result
    return [
        Figure(
            f"8 processes, {kills} kills: acknowledged writes lost of {result.acknowledged:,}",
            result.lost,
            "",
            0,
        ),
        Figure("rows, words and vectors that do not agree", result.astray, "", 0),
        Figure("processes that failed by themselves", result.writers_failed + result.searchers_failed, "", 0),
        Figure("writes a second, all together", result.writes_a_second, "/s"),
    ]


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--smoke", action="store_true")
    args.add_argument("--memories", type=int, default=10_000)
    args.add_argument("--runs", type=int, default=100)
    given = args.parse_args()
    number, runs = (300, 5) if given.smoke else (given.memories, given.runs)
    over = 0
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        home, folder = root / "home", root / "project"
        folder.mkdir()
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        hooks = Hooks(home, folder)
        path = home / "backstory.db"
        (root / "processes").mkdir()
        stressed = {"writes": 20, "kills": 2} if given.smoke else {"writes": 500, "kills": 12}
        parts: list[Callable[[], list[Figure]]] = [
            partial(instant_door, hooks, runs),
            partial(add_figures, path, number, folder),
            partial(search_figures, path, folder, runs),
            partial(recall_figures, hooks, runs),
            partial(process_figures, root / "processes", **stressed),
        ]
        for part in parts:
            for figure in part():
                print(figure.line(), flush=True)
                over += figure.limit is not None and figure.value > figure.limit
    if over and not given.smoke:
        raise SystemExit(f"{over} over their limit")


if __name__ == "__main__":
    main()
