"""
How well memory answers, and how well it keeps silent, through the public API.

    python bench/quality.py [--data DIR] [--embedder auto|none|hash] [--sets NAME,...]

Without `--data`: 500 turns on twenty topics (tests/data/topics.json), what is asked that has to do with them, what is
not, and chatter; as a question (`search`) and as a prompt by hook. With it, also every retrieval set in DIR: JSON of
{"groups": [{"docs": [{"id", "text", "parent"?}], "queries": [{"text", "relevant": [id, ...]}]}]}, scored by recall@5
and MRR@10. `remember` is a factory for other scorers: documents in, a search over them out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from backstory import Memory
from backstory.pipelines import recall
from backstory.store import cutter
from backstory.store.filters import Filter
from backstory.tests.pipelines import topics

DEPTH = 50
Search = Callable[[str, int], list[str]]


def remember(docs: Sequence[tuple[str, str]], *, embedder: str = "auto") -> Search:
    """A search over those documents, (id, text), each kept as one memory and embedded."""
    memory = Memory.open(Path(tempfile.mkdtemp()) / "backstory.db", embedder=embedder)
    known: dict[int, list[str]] = {}
    for id_, text in docs:
        for added in memory.add(text or "-"):
            known.setdefault(added.id, []).append(id_)
    memory.tend()

    def search(query: str, k: int) -> list[str]:
        hits = memory.search(query, limit=min(k, DEPTH)).hits
        return [id_ for hit in hits for id_ in known[hit.memory.id]][:k]

    return search


def scores(ranked: Sequence[str], relevant: set[str]) -> tuple[float, float]:
    """Recall among the first five, and the reciprocal rank of the first relevant one among ten."""
    reached = len(relevant & set(ranked[:5])) / len(relevant)
    return reached, next((1 / n for n, id_ in enumerate(ranked[:10], 1) if id_ in relevant), 0.0)


def retrieval(file: Path, embedder: str) -> str:
    told: list[tuple[float, float]] = []
    for group in json.loads(file.read_text("utf-8"))["groups"]:
        search = remember([(doc["id"], doc["text"]) for doc in group["docs"]], embedder=embedder)
        parents = {doc["id"]: doc["parent"] for doc in group["docs"] if "parent" in doc}
        for query in group["queries"]:
            ranked = search(query["text"], DEPTH)
            ranked = list(dict.fromkeys(parents.get(id_, id_) for id_ in ranked))
            told.append(scores(ranked, set(query["relevant"])))
    recall_at_5, mrr = (sum(column) / len(told) for column in zip(*told, strict=True))
    return f"{file.stem:16} {len(told):5} questions   recall@5 {recall_at_5:.3f}   MRR@10 {mrr:.3f}"


def silence(embedder: str) -> Iterable[str]:
    with Memory.open(Path(tempfile.mkdtemp()) / "backstory.db", embedder=embedder) as memory:
        for text in topics.turns():
            memory.add(text)
        memory.tend()
        for how in ("asked", "prompted"):
            answer = _asked(memory, prompted=how == "prompted")
            quiet = {
                "unrelated": [not answer(one) for one in topics.UNRELATED],
                "long, unrelated": [not answer(one) for one in topics.UNRELATED_LONG],
                "chatter": [not answer(one) for one in topics.CHATTER],
            }
            found = [any(told in text for text in answer(one)[:5]) for one, told in topics.RELATED]
            shares = ", ".join(f"{name} {sum(ones) / len(ones):.2f}" for name, ones in quiet.items())
            yield f"{how:16} silent: {shares}; found: {sum(found) / len(found):.2f}"


def _asked(memory: Memory, *, prompted: bool) -> Callable[[str], list[str]]:
    def answer(text: str) -> list[str]:
        wanted = Filter(memory.at.scope.user, memory.now(), None)
        packet = recall.recall(
            text, wanted, db=memory.db, ask=memory.vectors.ask, cut=cutter.load(), limit=10, prompted=prompted
        )
        return [hit.memory.text for hit in packet.hits]

    return answer


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--sets", default="")
    options: Any = parser.parse_args(arguments)
    for line in silence(options.embedder):
        print(line, flush=True)
    files = sorted(options.data.rglob("*.json")) if options.data else []
    for file in files:
        if not options.sets or file.stem in options.sets.split(","):
            print(retrieval(file, options.embedder), flush=True)


if __name__ == "__main__":
    main()
