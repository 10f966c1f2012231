"""A client that tells of its turns, step by step, as the faces hand them to the conductor."""

from __future__ import annotations

from dataclasses import dataclass, field

from backstory.pipelines import correct, distill, tend
from backstory.pipelines.occasions import (
    Occasion,
    PromptSubmitted,
    Replied,
    Sender,
    SessionEnded,
    SessionKind,
    ToolUsed,
)
from backstory.pipelines.remember import Kept, remember
from backstory.store import cutter
from backstory.store.clock import SECOND_US
from backstory.store.db import Database
from backstory.store.models import Located, Memory, Scope

T0 = 1_790_000_000_000_000


@dataclass
class Client:
    """One session of one client in one workspace; every call is a moment later."""

    db: Database
    source: str = "claude-code"
    session: str = "s1"
    workspace: int | None = None
    branch: str | None = "main"
    kind: SessionKind = "interactive"
    now: int = T0
    turn: int = 0
    calls: int = field(default=0)

    def asks(self, words: str) -> None:
        """A prompt begins a turn."""
        self.turn += 1
        self._tell(PromptSubmitted(self._sender(), words))

    def edits(self, *paths: str, ok: bool = True) -> None:
        """A tool changed files."""
        folder = [f"/repo/{path}" for path in paths]
        self._tell(self._tool("Edit", {"file_path": folder[0]}, "", ok, paths=tuple(folder), edits=True))

    def runs(self, command: str, said: str = "", *, ok: bool = True) -> None:
        """A command was run."""
        self._tell(self._tool("Bash", {"command": command}, said, ok, command=command))

    def reads(self, path: str) -> None:
        """A file was read."""
        self._tell(self._tool("Read", {"file_path": f"/repo/{path}"}, "…", True, paths=(f"/repo/{path}",)))

    def replies(self, words: str = "Done.") -> int:
        """The turn ends; its row."""
        kept = self._tell(Replied(self._sender(), words, ends=True))
        assert isinstance(kept, Kept)
        assert kept.turn is not None
        return kept.turn

    def ends(self) -> None:
        """The session is over."""
        self._tell(SessionEnded(self._sender(), "exit"))

    def rests(self, seconds: float = 10) -> None:
        """Time goes by, and the background does what waits."""
        self.now += int(seconds * SECOND_US)
        tend.once(self.db, None, cut=cutter.load(), clock=lambda: self.now)

    def again(self, turn: int) -> None:
        """What a turn leaves is drawn from it once more."""
        distill.distill(turn, db=self.db, cut=cutter.load(), now=self.now)

    def _sender(self) -> Sender:
        self.now += SECOND_US
        return Sender(self.source, self.session, f"p{self.turn}", "/repo", None, self.now, self.kind)

    def _tool(
        self,
        name: str,
        given: dict[str, str],
        result: str,
        ok: bool,
        *,
        paths: tuple[str, ...] = (),
        command: str | None = None,
        edits: bool = False,
    ) -> ToolUsed:
        self.calls += 1
        return ToolUsed(
            self._sender(),
            f"c{self.calls}",
            name,
            given,
            result,
            ok,
            paths=paths,
            command=command,
            edits=edits,
        )

    def _tell(self, occasion: Occasion) -> object:
        scope = Scope("me", None, self.session, self.source, self.workspace, self.branch)
        at = Located(scope, "/repo")
        return remember(occasion, at, db=self.db, now=self.now, cut=cutter.load())


def take_out(db: Database, client: Client, memory: Memory, how: str) -> None:
    """The user has a memory taken out: by hand, in words in another turn, or by saying until when it was true."""
    scope = Scope("me", None, client.session, client.source)
    if how == "by hand":
        correct.retire(memory.id, scope=scope, db=db, now=client.now)
    elif how == "closed":
        correct.correct(
            memory.id, scope=scope, db=db, now=client.now, cut=cutter.load(), valid_to=client.now - 1
        )
    else:
        client.asks("Forget what I said about dark mode.")
        client.replies("Gone.")
        client.rests()
