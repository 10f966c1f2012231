"""
Eight processes write at once while two search and twelve writers are killed: is anything that was acknowledged lost?

Each write is a whole `Memory.add`; its number is written down only after the call returned. A killed writer is
followed by a new one. At the end rows, search tokens and vectors must name the same memories.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from backstory import Memory
from backstory.store.rows import fetch, value

WRITER = """
import sys
from backstory import Memory
path, first, number, said = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), open(sys.argv[4], "ab", 0)
memory = Memory.open(path, embedder="hash")
for n in range(first, first + number):
    memory.add(f"Note {n}: module_{n % 97} answers in {n} ms 模块{n % 89}的响应时间")
    said.write(b"%d\\n" % n)
memory.close()
"""
SEARCHER = """
import random, sys
from backstory import Memory
memory = Memory.open(sys.argv[1], embedder="hash")
while True:
    n = random.randrange(10_000)
    memory.search(f"which module answers in {n} ms?")
    memory.search(f"模块{n % 89}的响应时间是多少？")
"""


@dataclass(frozen=True)
class Result:
    """What was found at the end; `lost` and `astray` must be 0, `integrity` "ok"."""

    acknowledged: int
    rows: int
    lost: int
    astray: int
    killed: int
    integrity: str
    searchers_failed: int
    writers_failed: int
    writes_a_second: float
    wal_bytes: int


def stress(
    folder: Path, *, writers: int, writes: int, kills: int, searchers: int = 2, seed: int = 4
) -> Result:
    """Run it in `folder` and look at the file afterwards."""
    path = folder / "backstory.db"
    Memory.open(path, embedder="hash").close()
    chance = random.Random(seed)
    said = folder / "said"
    said.mkdir()

    def writer(first: int) -> subprocess.Popen[bytes]:
        args = [sys.executable, "-c", WRITER, str(path), str(first), str(writes), str(said / str(first))]
        return subprocess.Popen(args, stderr=(folder / "writers.err").open("ab"))

    began = time.monotonic()
    first, running, failed, killed = 0, [], 0, 0
    for _ in range(writers):
        running.append(writer(first))
        first += writes
    looking = [
        subprocess.Popen(
            [sys.executable, "-c", SEARCHER, str(path)], stderr=(folder / "searchers.err").open("ab")
        )
        for _ in range(searchers)
    ]
    next_kill = began + 1.5  # once the first are at work
    while running:
        if killed < kills and time.monotonic() >= next_kill:
            victim = chance.choice(running)
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            running.remove(victim)
            killed += 1
            running.append(writer(first))
            first += writes
            next_kill = time.monotonic() + chance.uniform(0.1, 0.6)
        for process in [p for p in running if p.poll() is not None]:
            failed += process.returncode != 0
            running.remove(process)
        time.sleep(0.02)
    took_s = time.monotonic() - began
    searchers_failed = sum(p.poll() is not None for p in looking)
    for process in looking:
        process.kill()
        process.wait()
    wal = path.with_name(path.name + "-wal")
    wal_bytes = wal.stat().st_size if wal.exists() else 0
    return _look(path, said, killed, searchers_failed, failed, took_s, wal_bytes)


def _look(
    path: Path, said: Path, killed: int, searchers_failed: int, failed: int, took_s: float, wal_bytes: int
) -> Result:
    acknowledged = {int(line) for file in said.iterdir() for line in file.read_bytes().split(b"\n")[:-1]}
    with Memory.open(path, embedder="hash") as memory:
        memory.tend()
        read = memory.db.read
        texts = read(fetch, "select id, text from memory")
        kept = {int(text.split(":")[0].removeprefix("Note ")) for _, text in texts}
        rows = {id_ for id_, _ in texts}
        index = read(value, "select id from vector_index")
        agreeing = (
            "select memory from terms",
            "select rowid from terms_fts where terms_fts match 'note'",
            "select memory from embedding",
            f"select rowid from vector_{index}",
        )
        found = [{row[0] for row in read(fetch, sql)} for sql in agreeing]
        integrity = read(value, "pragma integrity_check")
        memory.db.write(fetch, "insert into terms_fts(terms_fts, rank) values ('integrity-check', 1)")
    astray = sum(len(rows ^ other) for other in found)
    return Result(
        len(acknowledged), len(rows), len(acknowledged - kept), astray, killed, str(integrity), searchers_failed,
        failed, round(len(rows) / took_s, 1), wal_bytes,
    )  # fmt: skip


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--writers", type=int, default=8)
    args.add_argument("--writes", type=int, default=500)
    args.add_argument("--kills", type=int, default=12)
    given = args.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = stress(Path(folder), writers=given.writers, writes=given.writes, kills=given.kills)
    print(json.dumps(asdict(result), indent=1))
    raise SystemExit(result.lost or result.astray or result.integrity != "ok")


if __name__ == "__main__":
    main()
