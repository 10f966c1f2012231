"""What a client's payload means, as the pipelines see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SessionKind = Literal["interactive", "background", "subagent", "scheduled", "import"]


@dataclass(frozen=True, slots=True)
class Sender:
    """
    Who speaks, and where. `folder` is the client's project folder, else its current one; `agent` is set inside
    a subagent; `at` is the moment in UTC microseconds.
    """

    source: str
    session: str
    prompt_id: str | None
    folder: str | None
    agent: str | None
    at: int
    kind: SessionKind = "interactive"


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A session began, went on, or had its context rebuilt."""

    sender: Sender
    how: Literal["startup", "resume", "clear", "compact", "fork"]


@dataclass(frozen=True, slots=True)
class PromptSubmitted:
    """The user's words, as the client sent them."""

    sender: Sender
    prompt: str


@dataclass(frozen=True, slots=True)
class Image:
    """A file's whole text before a tool's edit (None: there was none) and after it, as the tool tells it."""

    path: str
    before: str | None
    after: str


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """
    One tool call that ended; `ok` None where the client tells no outcome; `edits`: it is made to change files;
    `images` where it tells whole texts; `interrupted` by the user, and the turn with it; `took_ms` where that is told.
    """

    sender: Sender
    call_id: str
    tool: str
    input: Mapping[str, Any]
    result: str
    ok: bool | None
    paths: tuple[str, ...] = ()
    command: str | None = None
    edits: bool = False
    images: tuple[Image, ...] = ()
    interrupted: bool = False
    took_ms: int | None = None


@dataclass(frozen=True, slots=True)
class EditAhead:
    """A tool is about to change files; nothing has happened yet."""

    sender: Sender
    input: Mapping[str, Any]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replied:
    """The agent's reply; `ends` where the client says nothing more about this turn."""

    sender: Sender
    text: str
    ends: bool


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over, without a reply of its own."""

    sender: Sender
    how: Literal["done", "interrupted"]


@dataclass(frozen=True, slots=True)
class SubagentFinished:
    """A subagent's last word: all that is kept of it."""

    sender: Sender
    agent_type: str
    text: str


@dataclass(frozen=True, slots=True)
class Compacting:
    """The client is about to drop its context."""

    sender: Sender
    trigger: str


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session is over."""

    sender: Sender
    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing to keep and nothing to say, and why."""

    reason: str
    data: Mapping[str, Any] = field(default_factory=dict)


Occasion = (
    SessionStarted
    | PromptSubmitted
    | ToolUsed
    | EditAhead
    | Replied
    | TurnEnded
    | SubagentFinished
    | Compacting
    | SessionEnded
    | Ignored
)
