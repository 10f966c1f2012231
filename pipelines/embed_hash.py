"""An embedder of hashed character n-grams: no model, the same everywhere, for tests and for benchmarks."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from zlib import crc32

from ..store.vectors import MEMORY_CHARS, unit

# Two for Chinese words, three and four for stems.
GRAMS = (2, 3, 4)


class HashEmbedder:
    """Texts that share letters in a row lie near each other."""

    weight = 0.5
    batch = 64
    native = False

    def __init__(self, dim: int = 256) -> None:
        self.dim = dim
        self.name = f"hash-{dim}"

    def queries(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a question."""
        return [self._embed(text) for text in texts]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a memory."""
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> bytes:
        words = " ".join(unicodedata.normalize("NFKC", text[:MEMORY_CHARS]).casefold().split())
        letters = f" {words} ".encode("utf-32-le", "replace")
        sums = [0.0] * self.dim
        for n in GRAMS:
            for at in range(0, len(letters) - 4 * n + 1, 4):
                code = crc32(letters[at : at + 4 * n])
                sums[(code >> 1) % self.dim] += 1 if code & 1 else -1
        if not any(sums):
            sums[0] = 1.0
        return unit(sums)
