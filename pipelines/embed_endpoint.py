"""An OpenAI-compatible embedding endpoint, through the `openai` package."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ..store.errors import BadInput, EmbedderUnavailable
from ..store.vectors import MEMORY_CHARS, unit
from .embed import Endpoint

# After a failure, questions do not try again for this long: each would wait out its timeout before a person.
REST_S = 30.0
# A text no endpoint has a reason to refuse: tells a refused text from a refused request.
HARMLESS = "memory"


class EndpointEmbedder:
    """One client. Nothing is retried here: the worker comes again later, a question goes on by words."""

    weight = 0.5
    native = False

    def __init__(self, endpoint: Endpoint, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Import `openai`; nothing is sent yet."""
        try:
            import openai  # half a second
        except ImportError as e:
            raise EmbedderUnavailable("The package openai is not installed.") from e
        self._openai = openai
        self._endpoint = endpoint
        self._client = openai.OpenAI(
            base_url=endpoint.base_url,
            # The package insists on a key; local servers ask for none.
            api_key=endpoint.api_key or "none",
            max_retries=0,
        )
        self._monotonic = monotonic
        self._rests_until = float("-inf")
        self._refusal = ""
        self.dim: int | None = endpoint.dims
        self.batch = endpoint.batch
        self.name = f"endpoint:{endpoint.model}" + (f"@{endpoint.dims}" if endpoint.dims else "")

    def queries(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a question; fails at once for a while after a failure."""
        if self._monotonic() < self._rests_until:
            raise EmbedderUnavailable(self._refusal)
        return self._batched(texts, self._endpoint.query_prefix, self._endpoint.query_timeout_s)

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a memory."""
        return self._batched(texts, self._endpoint.passage_prefix, self._endpoint.passage_timeout_s)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def _batched(self, texts: Sequence[str], prefix: str, timeout_s: float) -> list[bytes]:
        vectors: list[bytes] = []
        for at in range(0, len(texts), self.batch):
            cut = [
                prefix + text[:MEMORY_CHARS].encode("utf-8", "replace").decode()
                for text in texts[at : at + self.batch]
            ]
            vectors += self._ask(cut, timeout_s)
        return vectors

    def _ask(self, texts: list[str], timeout_s: float) -> list[bytes]:
        try:
            return self._request(texts, timeout_s)
        except (self._openai.BadRequestError, self._openai.UnprocessableEntityError) as refused:
            # One text in the batch, or the request as such (model, dimensions)? A harmless text tells.
            try:
                self._request([HARMLESS], timeout_s)
            except self._openai.OpenAIError as e:
                raise self._unavailable(e) from e
            raise BadInput(f"The embedding endpoint refuses this text: {_short(refused)}") from refused
        except self._openai.OpenAIError as e:
            raise self._unavailable(e) from e

    def _request(self, texts: list[str], timeout_s: float) -> list[bytes]:
        options: dict[str, Any] = {} if self._endpoint.dims is None else {"dimensions": self._endpoint.dims}
        try:
            answer = self._client.embeddings.create(
                model=self._endpoint.model, input=texts, encoding_format="float", timeout=timeout_s, **options
            )
            rows = sorted((row.index, list(map(float, row.embedding))) for row in answer.data)
        except (AttributeError, TypeError, ValueError) as e:
            # The client does not check what a server sends with status 200: a sign-in page, for one.
            raise self._unavailable(f"it answered with something else than embeddings ({e})") from e
        if [index for index, _ in rows] != list(range(len(texts))):
            raise self._unavailable(f"it sent {len(rows)} vectors for {len(texts)} texts")
        vectors = [unit(numbers) for _, numbers in rows]
        lengths = {len(vector) // 4 for vector in vectors}
        if len(lengths) > 1 or (self.dim is not None and lengths != {self.dim}):
            raise self._unavailable(
                f"it sent vectors of {sorted(lengths)} numbers where {self.dim} were expected"
            )
        self.dim = lengths.pop()
        self._rests_until = float("-inf")
        return vectors

    def _unavailable(self, why: Exception | str) -> EmbedderUnavailable:
        self._rests_until = self._monotonic() + REST_S
        hint = ""
        if isinstance(why, self._openai.AuthenticationError):
            hint = " Check its key."
        elif isinstance(why, self._openai.NotFoundError):
            hint = " Check its base_url and model."
        self._refusal = (
            f"The embedding endpoint {self._endpoint.base_url} cannot be used: {_short(why)}{hint}"
        )
        return EmbedderUnavailable(self._refusal)


def _short(why: Exception | str) -> str:
    text = " ".join(str(why).split())
    return text if len(text) <= 200 else text[:199] + "…"
