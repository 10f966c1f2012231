"""
What an acknowledged add costs as the file grows: `python bench/adding.py [--sizes 1000,10000,100000] [--rounds 300]`

Files of each size side by side, with dedupe and conflict on; one add to each in turn, so that what the machine does
besides falls on all alike. Every fifth add says again what is known, in other words; every fifth says the opposite.
Then the job that holds a memory against its neighbours, in CPU time, at the largest size.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

from backstory import Memory
from backstory.bench import filling
from backstory.pipelines.merging import late
from backstory.store import cutter, jobs, vector_indexes, vectors
from backstory.store.clock import now

CUT = cutter.load()
BATCH = 2_000


def adds(number: int) -> Iterator[str]:
    """New facts; some say again, or deny, what was said five adds before."""
    chance = random.Random(5)
    said: list[str] = []
    for n in range(number):
        if n % 5 == 3 and said:
            yield f"Please note that {said[-3]}".replace("workers", "the workers")
        elif n % 5 == 4 and said:
            yield said[-2].replace(" are ", " are not ", 1)
        else:
            said.append(
                f"{chance.choice(filling.WORDS)} workers in src/{chance.choice(filling.WORDS)}{n}.py "
                f"are started with {chance.randint(2, 99)} threads"
            )
            yield said[-1]


def adding(shelves: dict[int, Memory], rounds: int) -> dict[int, list[float]]:
    """Milliseconds of each add, by size; the sizes take turns, each time in another order."""
    took: dict[int, list[float]] = {size: [] for size in shelves}
    chance = random.Random(1)
    for n, text in enumerate(adds(rounds + 20)):
        order = list(shelves)
        chance.shuffle(order)
        for size in order:
            start = time.perf_counter()
            shelves[size].add(text)
            if n >= 20:  # the first ones find cold pages
                took[size].append((time.perf_counter() - start) * 1e3)
    return took


def neighbours(memory: Memory, number: int) -> list[float]:
    """CPU milliseconds of the job, for memories from all over the file."""
    newest = memory.db.read(vector_indexes.newest)
    took = []
    for n in range(number):
        memory.db.write(jobs.enqueue, vectors.NEIGHBOURS, str(1 + n * (newest // (number + 1))), now=now())
        start = time.process_time()
        assert late.step(memory.db, "bench", cut=CUT, now=now())
        took.append((time.process_time() - start) * 1e3)
    return took


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--sizes", default="1000,10000,100000")
    args.add_argument("--rounds", type=int, default=300)
    args.add_argument("--dim", type=int, default=256, help="numbers a vector: 256 hash, 384 e5")
    asked = args.parse_args()
    sizes = [int(size) for size in asked.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        shelves = {}
        for size in sizes:
            start = time.perf_counter()
            shelves[size] = filling.shelf(Path(folder) / f"{size}.db", size, dim=asked.dim)
            print(f"{size:,} memories made in {time.perf_counter() - start:.0f} s", flush=True)
        took = adding(shelves, asked.rounds)
        print(f"\nthe acknowledged add, {asked.rounds} rounds: median and p95 in ms")
        for size in sizes:
            print(f"{size:>9,}: {median(took[size]):6.2f} {quantiles(took[size], n=20)[-1]:7.2f}")
        medians = [median(times) for times in took.values()]
        print(f"the slowest median is {max(medians) / min(medians):.2f} times the fastest")
        cpu = neighbours(shelves[max(sizes)], 40)
        print(f"\nthe neighbour job at {max(sizes):,}: median {median(cpu):.1f} ms CPU, most {max(cpu):.1f}")
        for memory in shelves.values():
            memory.close()


if __name__ == "__main__":
    main()
