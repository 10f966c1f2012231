"""Where a question's vector comes from: the embedder loaded here, else the server that has one, else none."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .. import configs
from ..pipelines.embed import (
    QUERY_TIMEOUT_S,
    Asked,
    Embedder,
    Endpoint,
    Kind,
    Questions,
    open_embedder,
    open_model,
)
from ..store import vector_indexes
from ..store.errors import EmbedderUnavailable
from . import doorway

if TYPE_CHECKING:
    from ..configs import Settings
    from ..store.db import Database

# A question waits no longer for another server's embedder; words answer alone then.
ASK_S = 0.1
LOADING = "the embedder is still being loaded"


class Vectors:
    """
    Vectors of questions. `load` makes this process the one that has the embedder; before, and where another
    server has it, that one is asked. With `lazily`, one is loaded here when no server answers.
    """

    def __init__(self, db: Database, home: Path, options: Settings, *, lazily: bool) -> None:
        self._db, self._home, self._options, self._lazily = db, home, options, lazily
        self._lock = threading.Lock()
        self._questions: Questions | None = None
        self.embedder: Embedder | None = None
        self.why_not = "no embedder is set" if options.embedder == "none" else LOADING

    @property
    def name(self) -> str | None:
        """The model loaded in this process."""
        return self.embedder.name if self.embedder else None

    def ask(self, text: str) -> tuple[list[Asked], dict[str, str]]:
        """The question's vector for each index that answers, and by model why others cannot."""
        if self._options.embedder == "none":
            return [], {}
        indexes = self._db.read(vector_indexes.answering)
        if not indexes:
            return [], {}
        if self._questions is None:
            reply = doorway.ask(self._home, "embed", text.encode("utf-8", "replace"), ASK_S)
            if reply:
                return _unpack(reply, indexes)
            if not self._lazily:
                return [], {"vectors": self.why_not}
            self.load()
        questions = self._questions
        return questions.ask(text, indexes) if questions else ([], {"vectors": self.why_not})

    def load(self) -> Embedder | None:
        """The configured embedder, loaded in this process; None where there is none to load, see `why_not`."""
        with self._lock:
            if self._questions is not None:
                return self.embedder
            try:
                self.embedder = open_embedder(self._kind, home=self._home, endpoint=_endpoint(self._options))
            except EmbedderUnavailable as e:
                self.why_not = str(e)
            older: Callable[[str], Embedder | None] = lambda name: open_model(name, home=self._home)  # noqa: E731
            self._questions = Questions(self.embedder, older=older, why_not=self.why_not)
            return self.embedder

    def answer(self, payload: bytes) -> bytes:
        """What another server is told that asks here (the doorway's `embed`); never loads anything."""
        questions = self._questions
        if questions is None:
            return json.dumps({"asked": [], "degraded": {"vectors": self.why_not}}).encode()
        text = payload.decode("utf-8", "replace")
        asked, degraded = questions.ask(text, self._db.read(vector_indexes.answering))
        packed = [
            {"index": a.index.id, "weight": a.weight, "v": base64.b64encode(a.vector).decode()} for a in asked
        ]
        return json.dumps({"asked": packed, "degraded": degraded}).encode()

    @property
    def _kind(self) -> Kind:
        kind = self._options.embedder
        return "endpoint" if kind == "openai" else kind


def _endpoint(options: Settings) -> Endpoint:
    return Endpoint(
        base_url=options.embedding_url,
        model=options.embedding_model,
        api_key=configs.secret(options.embedding_key_variable) or "",
        dims=options.embedding_dimensions or None,
        query_timeout_s=min(QUERY_TIMEOUT_S, options.embedding_timeout_s),
        passage_timeout_s=options.embedding_timeout_s,
    )


def _unpack(reply: bytes, indexes: list[vector_indexes.Index]) -> tuple[list[Asked], dict[str, str]]:
    by_id = {index.id: index for index in indexes}
    try:
        told = json.loads(reply)
        asked = [
            Asked(by_id[a["index"]], base64.b64decode(a["v"]), float(a["weight"]))
            for a in told["asked"]
            if a["index"] in by_id
        ]
        return asked, {str(arm): str(why) for arm, why in told["degraded"].items()}
    except (ValueError, KeyError, TypeError) as e:
        return [], {"vectors": f"the server that has the embedder answered oddly ({e})"}
