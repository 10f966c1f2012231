"""
How well two texts are held against each other: `python bench/merging.py [--misses]`

Four sets, side by side: the labelled pairs that the rules were made with, sixty of sentences built otherwise that were
written before the rules for those, and twice a hundred by somebody who had not seen the rules
(tests/data/merge_pairs_unseen.jsonl, and a second when the misses of the first had been looked at). A wrong merge costs
a memory, a missed one costs a line. Then what it costs: to read a sentence, to compare two that were read, and to fold
an answer of forty hits.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from backstory.pipelines.merging import folding, reading
from backstory.pipelines.merging.compare import compare, held_against
from backstory.pipelines.merging.reading import Reading, read
from backstory.store import cutter
from backstory.store.models import Hit, Memory, Scope

DATA = Path(__file__).parent.parent / "tests" / "data"
SETS = {
    "labelled": "merge_pairs.jsonl",
    "paraphrase": "merge_pairs_paraphrase.jsonl",
    "unseen": "merge_pairs_unseen.jsonl",
    "unseen, the second": "merge_pairs_unseen_2.jsonl",
}
_ROUND = count(1)
KINDS = ("same", "near", "opposed", "other")


def pairs(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def _difference(one: Reading, other: Reading) -> str:
    """The first thing that one has and the other has not."""
    found = sorted(one.names ^ other.names)
    return (
        f"only one of them says {found[0].split(':', 1)[-1]!r}" if found else "the same words in other places"
    )


def table(name: str, cut: cutter.Cut | None, *, misses: bool) -> None:
    """What became of the pairs of a set, by language and by whether they say the same."""
    counted: Counter[tuple[bool, str, str]] = Counter()
    missed = []
    for pair in pairs(SETS[name]):
        verdict = compare(pair["a"], pair["b"], cut)
        counted[bool(pair["same"]), pair.get("lang", "?"), verdict.kind] += 1
        if (verdict.kind == "same") != bool(pair["same"]):
            why = (
                verdict.reason
                if verdict.kind != "other"
                else _difference(read(pair["a"], cut), read(pair["b"], cut))
            )
            missed.append(f"  {verdict.kind} ({why}): {pair['a']} | {pair['b']}")
    print(f"\n{name}, {'with' if cut else 'without'} a cutter")
    print(f"{'':22}{'pairs':>7}" + "".join(f"{kind:>9}" for kind in KINDS))
    for same in (False, True):
        for lang in sorted({lang for told, lang, _ in counted if told == same}):
            row = [counted[same, lang, kind] for kind in KINDS]
            what = f"{'must' if same else 'must not'} merge, {lang}"
            print(f"{what:22}{sum(row):7}" + "".join(f"{n:9}" for n in row))
    must = sum(n for (same, _, _), n in counted.items() if same)
    right = sum(n for (same, _, kind), n in counted.items() if same and kind == "same")
    wrong = sum(n for (same, _, kind), n in counted.items() if not same and kind == "same")
    folded = sum(n for (same, _, kind), n in counted.items() if not same and kind == "near")
    print(
        f"wrong merges {wrong}, wrongly folded at recall {folded}, right merges {right} of {must} ({right / must:.0%})"
    )
    if misses:
        print("\n".join(missed))


def cost(cut: cutter.Cut | None) -> None:
    """CPU microseconds a sentence, a comparison, and milliseconds an answer."""
    texts = [pair[side] for pair in pairs(SETS["labelled"]) for side in ("a", "b")]
    reading.read(texts[0], cut)
    read = took(lambda: [reading.read_anew(text, cut) for text in texts]) / len(texts)
    known = [reading.read(text, cut) for text in texts[:200]]
    held = took(lambda: [held_against(one, other) for one in known for other in known]) / len(known) ** 2
    print(f"\nreading a sentence {read * 1e6:.0f} us, comparing two {held * 1e6:.1f} us")
    hits = [Hit(_memory(n, text), 1 - n / 100) for n, text in enumerate(texts[:: len(texts) // 40][:40])]
    alike = [Hit(_memory(n, pair), 1 - n / 100) for n, pair in enumerate(texts[-40:])]
    for name, answer in (("of forty matters", hits), ("of twenty, each said twice", alike)):
        cold = median(_cold(answer, cut) for _ in range(9))
        warm = took(partial(folding.groups, answer, cut))
        print(
            f"folding forty hits {name}: {cold * 1e3:.1f} ms, {warm * 1e3:.1f} ms when they were read before"
        )


def _cold(hits: list[Hit], cut: cutter.Cut | None) -> float:
    # Texts that were not read before: with a mark that says nothing.
    fresh = [
        replace(hit, memory=replace(hit.memory, text=f"{hit.memory.text}{' ' * next(_ROUND)}"))
        for hit in hits
    ]
    start = time.process_time()
    folding.groups(fresh, cut)
    return time.process_time() - start


def took(call: Callable[[], object], rounds: int = 5) -> float:
    """CPU seconds of a call, the median of some."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return median(times)


def _memory(id_: int, text: str) -> Memory:
    return Memory(
        id_, str(id_), str(id_), "fact", "chat", Scope(), text, None, None, "user", None, 0.5, 1.0, 0.5, None, None, 0,
        None, None, None, None, None, 0, None, "", {}, {},
    )  # fmt: skip


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--misses", action="store_true", help="print each pair that was judged wrongly")
    asked = args.parse_args()
    for name in SETS:
        for cut in (cutter.load(), None):
            table(name, cut, misses=asked.misses and cut is not None)
    cost(cutter.load())


if __name__ == "__main__":
    main()
