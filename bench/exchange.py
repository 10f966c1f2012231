"""
What it costs to take a memory out, in, and along, as one table.

    python bench/exchange.py [--smoke] [--rows 20000] [--kills 20] [--json]

On a made-up memory of mixed rows with code history: export, import, a merge with another machine's file in both orders,
backup, restore; and the real commands killed at random moments, until what they do is done. Whether all comes out the
same is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from backstory import Memory
from backstory.bench.filling import fill
from backstory.bench.run import Figure


def lines(file: Path) -> list[str]:
    """What an export holds, whenever it was made and its rows came in."""
    told = [json.loads(line) for line in file.read_text("utf-8").splitlines()[1:-1]]
    for line in told:
        line.pop("imported_at", None)
    return sorted(json.dumps(line, sort_keys=True) for line in told)


def made(path: Path, rows: int, seed: int) -> Path:
    with Memory.open(path, embedder="none") as memory:
        fill(
            memory,
            rows,
            seed=seed,
            told=lambda done, of: print(f"\r{done:,} of {of:,}", end="", file=sys.stderr),
        )
    return path


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def out(path: Path, file: Path) -> int:
    with Memory.open(path, embedder="none") as memory:
        return sum(memory.export(file).lines.values())


def into(path: Path, file: Path) -> None:
    with Memory.open(path, embedder="none") as memory:
        done = memory.import_(file)
        assert done.whole, done
        assert not done.refused, done


def figures(root: Path, rows: int) -> Iterator[Figure]:
    one, other = made(root / "one" / "a.db", rows, 1), made(root / "other" / "b.db", rows // 4, 2)
    first, second = root / "first.jsonl", root / "second.jsonl.gz"
    count = out(one, first)
    found = [Figure("lines", count, ""), Figure("the file", one.stat().st_size / 1e6, "MB")]
    took = timed(lambda: out(one, first))
    found += [
        Figure("export", took, "s"), Figure("export", count / took, "rows/s"),
        Figure("exported", first.stat().st_size / 1e6, "MB"),
        Figure("export, packed", timed(lambda: out(one, root / "packed.jsonl.gz")), "s"),
        Figure("packed", (root / "packed.jsonl.gz").stat().st_size / 1e6, "MB"),
    ]  # fmt: skip
    out(other, second)
    fresh = root / "fresh" / "c.db"
    took = timed(lambda: into(fresh, first))
    found += [Figure("import into an empty file", took, "s"), Figure("import", count / took, "rows/s")]
    found.append(Figure("import of what is known", timed(lambda: into(fresh, first)), "s"))
    out(fresh, root / "again.jsonl")
    assert lines(first) == lines(root / "again.jsonl"), "a round trip lost something"
    found.append(Figure("merge of a quarter more", timed(lambda: into(one, root / "second.jsonl.gz")), "s"))
    into(other, first)
    out(one, root / "x.jsonl")
    out(other, root / "y.jsonl")
    assert lines(root / "x.jsonl") == lines(root / "y.jsonl"), "the order of a merge made a difference"
    with Memory.open(one, embedder="none") as memory:
        found.append(Figure("backup", timed(lambda: memory.backup(root / "saved.db")), "s"))
    found.append(Figure("restore", timed(lambda: Memory.restore(root / "saved.db", one)), "s"))
    out(one, root / "z.jsonl")
    assert lines(root / "x.jsonl") == lines(root / "z.jsonl"), "a restore lost something"
    found.append(Figure("memory at most", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB"))
    yield from found


def rows_in(path: Path) -> int:
    try:
        con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return sum(
                int(con.execute(f"select count(*) from {table}").fetchone()[0])
                for table in (
                    "turn",
                    "event",
                    "memory",
                    "evidence",
                    "thread",
                    "body",
                    "change",
                    "round_commit",
                )
            )
        finally:
            con.close()
    except sqlite3.Error:
        return 0


def killed(root: Path, kills: int) -> Iterator[Figure]:
    """An import killed at random moments, until it is done; then it is the same as one that was not."""
    chance = random.Random(9)
    home = root / "killed"
    home.mkdir()
    file, source = home / "backstory.db", root / "first.jsonl"
    whole = rows_in(root / "fresh" / "c.db")
    env = {**os.environ, "BACKSTORY_HOME": str(home), "BACKSTORY_EMBEDDER": "none"}
    done = 0
    for n in range(kills):
        stop = whole * (n + chance.random()) / kills
        process = subprocess.Popen(
            [sys.executable, "-m", "backstory", "import", str(source)], env=env, cwd=root
        )
        while process.poll() is None and rows_in(file) < stop:
            time.sleep(0.01)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            done += 1
        process.wait()
        con = sqlite3.connect(file)
        assert con.execute("pragma quick_check").fetchall() == [("ok",)]
        assert con.execute("pragma foreign_key_check").fetchall() == []
        con.close()
    subprocess.run(
        [sys.executable, "-m", "backstory", "import", str(source)],
        env=env,
        cwd=root,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    out(file, root / "after.jsonl")
    assert lines(source) == lines(root / "after.jsonl"), "something was lost by being killed"
    yield Figure("imports killed, then completed without loss", done, "")


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--smoke", action="store_true")
    args.add_argument("--rows", type=int, default=20_000)
    args.add_argument("--kills", type=int, default=20)
    args.add_argument("--json", action="store_true")
    given = args.parse_args()
    rows, kills = (200, 3) if given.smoke else (given.rows, given.kills)
    with tempfile.TemporaryDirectory() as temporary:
        for part in (figures(Path(temporary), rows), killed(Path(temporary), kills)):
            for figure in part:
                print(json.dumps(figure.__dict__) if given.json else figure.line(), flush=True)


if __name__ == "__main__":
    main()
