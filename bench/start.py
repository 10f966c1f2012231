"""
How long a start takes, beside a bare server of the same SDK, and what a running server weighs.

    python bench/start.py [--pairs 11] [--memories 100000]

Time is from the process's creation to the answer of `initialize`; pairs alternate in one run, figures are
medians. Memory is `/proc/PID/smaps_rollup` (Linux) once the background work rests: private is
Private_Clean and Private_Dirty together.
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
from collections.abc import Mapping, Sequence
from pathlib import Path

from backstory.server import doorway
from backstory.store import clock, cutter, memories, words
from backstory.store.db import Database
from backstory.store.models import NewMemory, Scope

HERE = Path(__file__).parent
BARE = [sys.executable, str(HERE / "bare_server.py")]
OURS = [sys.executable, "-P", "-m", "backstory", "serve"]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "0"},
    },
}
PATIENCE_S = 120.0
USES = 30


class Server:
    """A server process, its `initialize` answered: after how many seconds is `took_s`."""

    def __init__(self, command: Sequence[str], home: Path, **settings: str) -> None:
        env = {**os.environ, "BACKSTORY_HOME": str(home)}
        env |= {f"BACKSTORY_{name.upper()}": value for name, value in settings.items()}
        self.home = home
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            cwd=home,
        )
        self.ask(INITIALIZE)
        self.took_s = time.perf_counter() - began

    def ask(self, message: Mapping[str, object]) -> Mapping[str, object]:
        """The answer to a request."""
        self.say(message)
        assert self.process.stdout is not None
        answer: Mapping[str, object] = json.loads(self.process.stdout.readline())
        assert "result" in answer, answer
        return answer

    def say(self, message: Mapping[str, object]) -> None:
        """Send a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def close(self) -> float:
        """End its input; the seconds it took to leave."""
        assert self.process.stdin is not None
        began = time.perf_counter()
        self.process.stdin.close()
        self.process.wait(10)
        return time.perf_counter() - began

    def weight(self) -> tuple[float, float]:
        """Private and resident MB once its background work rests."""
        ends = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends:
            status = doorway.ask(self.home, "status", timeout_s=1.0)
            if status and json.loads(status)["embedding"]["state"] in ("idle", "off"):
                return weigh(self.process.pid)
            time.sleep(0.1)
        raise SystemExit("The server's background work did not come to rest.")

    def use(self, times: int) -> None:
        """Keep and look for something, so that everything has been loaded and used."""
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for n in range(times):
            for tool, arguments in (
                ("memory_add", {"content": f"Note {n}: the build of module_{n} takes {n} minutes 构建时间."}),
                ("memory_search", {"query": f"how long does the build of module_{n} take 构建"}),
            ):
                params = {"name": tool, "arguments": arguments}
                self.ask({"jsonrpc": "2.0", "id": n + 2, "method": "tools/call", "params": params})


def weigh(pid: int) -> tuple[float, float]:
    """Private and resident MB of a process now."""
    kib = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()[1:]:
        name, value, *_ = line.split()
        kib[name.rstrip(":")] = int(value)
    return (kib["Private_Clean"] + kib["Private_Dirty"]) / 1024, kib["Rss"] / 1024


def pairs(home: Path, count: int) -> tuple[float, float, float, float]:
    """Medians over `count` pairs: bare seconds, our seconds, their ratio, our seconds to leave."""
    bare, ours, leave = [], [], []
    for _ in range(count + 1):
        server = Server(BARE, home)
        bare.append(server.took_s)
        server.close()
        server = Server(OURS, home, embedder="hash")
        ours.append(server.took_s)
        leave.append(server.close())
    # The first pair warms the page cache.
    ratio = statistics.median(our / their for our, their in zip(ours[1:], bare[1:], strict=True))
    return statistics.median(bare[1:]), statistics.median(ours[1:]), ratio, statistics.median(leave[1:])


def fill(home: Path, count: int) -> None:
    """Put `count` short memories of both languages into the file at `home`, as their own writers would."""
    cut = cutter.load()
    db = Database.open(home / "backstory.db")
    topics = ("retry budget", "支付服务", "cache eviction", "用户偏好", "release checklist", "数据库迁移")

    def some(con: object, first: int) -> None:
        for n in range(first, min(first + 5_000, count)):
            text = f"Note {n} on {topics[n % len(topics)]}: value_{n * 7919 % 10_007} in module_{n % 97}."
            new = NewMemory("fact", "coding", Scope(), text, "user")
            memories.insert(con, new, words.index(text, cut), now=clock.now())  # type: ignore[arg-type]

    for first in range(0, count, 5_000):
        db.write(some, first)
        print(f"\r{first + 5_000:,} memories", end="", file=sys.stderr)
    print(file=sys.stderr)
    db.checkpoint()
    db.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--memories", type=int, default=100_000, help="in the large file; 0 leaves it out")
    args = parser.parse_args()
    print("| start | bare server | ours | ratio (limit 1.25) | leaves in |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="backstory bench ") as folder:
        for count in [0, args.memories] if args.memories else [0]:
            home = Path(folder) / str(count)
            home.mkdir()
            if count:
                fill(home, count)
            bare, ours, ratio, leave = pairs(home, args.pairs)
            print(
                f"| {count:,} memories | {bare:.3f} s | {ours:.3f} s | {ratio:.2f} | {leave:.2f} s |",
                flush=True,
            )
        print("\n| embedder | file | private | limit | resident | limit |\n|---|---|---|---|---|---|")
        for embedder, private_mb, resident_mb in (("none", 100, 120), ("auto", 130, 220)):
            home = Path(folder) / embedder
            home.mkdir()
            server = Server(OURS, home, embedder=embedder)
            for file in ("empty", f"after {USES} memories and searches"):
                private, resident = server.weight()
                weight = f"{private:.1f} MB | {private_mb} | {resident:.1f} MB | {resident_mb}"
                print(f"| {embedder} | {file} | {weight} |", flush=True)
                if file == "empty":
                    server.use(USES)
            server.close()


if __name__ == "__main__":
    main()
