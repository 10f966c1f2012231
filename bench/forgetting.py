"""
How long it takes to forget one memory of many, where the bytes go by themselves and where the file is written anew.

    python bench/forgetting.py [--memories 50000] [--times 5] [--keep FOLDER]

The hash embedder makes the vectors. A memory, a prompt that says the same, and a reply that repeats it are added to the
filled file, drawn from and embedded; then forgotten by id. For the second figure the first scan says that bytes of it
are left, as they are in gaps of b-trees now and then.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from backstory import Memory
from backstory.bench import filling
from backstory.pipelines import wipe
from backstory.pipelines.forget import Forgotten
from backstory.store.db import Database

LIMIT_S, VACUUM_LIMIT_S = 2.0, 6.0
DIM = 256


def forgotten(memory: Memory, number: int) -> tuple[float, float, Forgotten]:
    """The seconds that forgetting one memory takes, those that it computes, and what came of it."""
    said = f"the vault of station {number} opens with pelican-{number * 7919}-harbour"
    (added,) = memory.add(f"Remember that {said}.", origin="user")
    memory.add(
        messages=[
            {"role": "user", "content": f"Please note that {said}, and run the tests."},
            {"role": "assistant", "content": f"Noted: {said}. The tests pass."},
        ]
    )
    memory.tend()
    began, began_cpu = time.perf_counter(), time.process_time()
    done = memory.delete(added.short, forget=True)
    took, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    assert isinstance(done, Forgotten)
    assert (done.wiped.left, done.wiped.pending) == ((), None), done
    return took, cpu, done


def forgotten_with_a_gap(memory: Memory, number: int) -> tuple[float, float, Forgotten]:
    """As `forgotten`; the first scan is made to find something, so that the file has to be written anew."""
    found, looked = wipe.found, list[int]()

    def finds_once(db: Database, needles: Iterable[bytes]) -> set[bytes]:
        looked.append(number)
        return found(db, needles) | ({b"a gap"} if len(looked) == 1 else set())

    wipe.found = finds_once
    try:
        return forgotten(memory, number)
    finally:
        wipe.found = found


def main() -> None:
    args = argparse.ArgumentParser()
    args.add_argument("--memories", type=int, default=50_000)
    args.add_argument("--times", type=int, default=5)
    args.add_argument("--keep", type=Path)
    given = args.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="backstory-forgetting-"))
    folder.mkdir(exist_ok=True)
    path = folder / "backstory.db"
    if not path.exists():
        filling.shelf(path, given.memories, dim=DIM).close()
    print(f"{given.memories:,} memories, {path.stat().st_size >> 20} MB")
    with Memory.open(path, embedder="hash") as memory:
        # What was forgotten in a kept file would be refused.
        first = int(time.time())
        plain = [forgotten(memory, first + number) for number in range(given.times)]
        _report("forget one, by id", [one for one in plain if not one[2].wiped.vacuumed], LIMIT_S)
        forced = [forgotten_with_a_gap(memory, first + 1_000 + number) for number in range(given.times)]
        _report("the same, where the file is written anew", forced, VACUUM_LIMIT_S)
        if again := [took for took, _, done in plain if done.wiped.vacuumed]:
            print(
                f"{len(again)} of the first {given.times} wanted that by themselves: {max(again):.2f} s at most"
            )
    if given.keep is None:
        shutil.rmtree(folder)


def _report(name: str, runs: list[tuple[float, float, Forgotten]], limit_s: float) -> None:
    if not runs:
        return
    took = [one for one, _, _ in runs]
    middle, cpu = statistics.median(took), statistics.median(one for _, one, _ in runs)
    verdict = "ok" if max(took) <= limit_s else "OVER"
    print(
        f"{name:42} median {middle:.2f} s (CPU {cpu:.2f} s), longest {max(took):.2f} s  <= {limit_s:g} s {verdict}"
    )


if __name__ == "__main__":
    main()
