"""The values that pass between the floors. Instants are UTC microseconds since the epoch and end in `_at`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .conflicts import Against

Scene = Literal["chat", "working", "coding"]
Kind = Literal["profile", "turn", "fact", "summary", "schema", "intention", "experience"]
Origin = Literal["user", "agent", "tool", "external", "import"]
Role = Literal["user", "assistant", "tool", "system"]
EventKind = Literal["prompt", "reply", "tool", "edit", "commit", "subagent", "message", "note"]
Status = Literal["live", "retired", "archived", "all"]
# How a question is put: as it is, or first in other words by a model.
Mode = Literal["default", "agentic"]
# Of code history: who changed it, what a thread is the life of, how sure it is which thread a round belongs to.
Actor = Literal["agent", "human", "git"]
ThreadKind = Literal["symbol", "region", "file"]
Confidence = Literal["high", "low"]

SCENES: tuple[Scene, ...] = ("chat", "working", "coding")
KINDS: tuple[Kind, ...] = ("profile", "turn", "fact", "summary", "schema", "intention", "experience")

# Of `memory.data`: further words to find it by, as in another language.
KEYS = "keys"

# The longest text that is kept as one memory, and the most messages that are taken at once.
CONTENT_CHARS, MESSAGES = 100_000, 500


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory, from where. `workspace` is a row id; None means global."""

    user: str = "me"
    agent: str | None = None
    session: str | None = None
    source: str | None = None
    workspace: int | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class Located:
    """Where something happened: the scope with its workspace and branch, the worktree's folder, the commit."""

    scope: Scope
    folder: str | None = None
    head: str | None = None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """One immutable record of something said or done, before it is stored. `key` is unique in its turn."""

    key: str
    role: Role
    kind: EventKind
    content: str
    origin: Origin
    occurred_at: int
    tool: str | None = None
    ok: bool | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Event:
    """A stored event."""

    id: int
    ulid: str
    turn: int
    seq: int
    key: str
    role: Role
    kind: EventKind
    content: str
    origin: Origin
    occurred_at: int
    recorded_at: int
    tool: str | None
    ok: bool | None
    data: Mapping[str, Any]

    @property
    def is_prompt(self) -> bool:
        """Whether it is what a turn began with, or another message of the user's in it."""
        return self.role == "user" and self.kind in ("prompt", "message")


@dataclass(frozen=True, slots=True)
class Turn:
    """One user prompt, what the agent did about it, and its reply."""

    id: int
    ulid: str
    scope: Scope
    prompt_id: str
    status: Literal["open", "done", "interrupted"]
    started_at: int
    ended_at: int | None
    folder: str | None
    head: str | None
    scene: Scene | None


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory before it is stored."""

    kind: Kind
    scene: Scene
    scope: Scope
    text: str
    origin: Origin
    line: str | None = None
    turn: int | None = None
    slot: str | None = None
    importance: float = 0.5
    confidence: float = 1.0
    trust: float = 0.5
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def searched(self) -> str:
        """What it is found by: its text, and words for it that do not stand there."""
        return searched(self.text, self.data.get(KEYS))


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory: one version of one retrievable unit. Its short id is `m` and `id`."""

    id: int
    ulid: str
    root: str
    kind: Kind
    scene: Scene
    scope: Scope
    text: str
    line: str | None
    turn: int | None
    origin: Origin
    slot: str | None
    importance: float
    confidence: float
    trust: float
    valid_from: int | None
    valid_to: int | None
    recorded_at: int
    retired_at: int | None
    retired_why: str | None
    expires_at: int | None
    archived_at: int | None
    renew_at: int | None
    uses: int
    used_at: int | None
    hash: str
    data: Mapping[str, Any]
    meta: Mapping[str, Any]

    @property
    def short(self) -> str:
        """The id people and agents see."""
        return f"m{self.id}"

    @property
    def true_from(self) -> int:
        """Since when it is true; of what names no day, since it was recorded."""
        return self.recorded_at if self.valid_from is None else self.valid_from


def searched(text: str, keys: object) -> str:
    """A memory's text with its keys, of which a broken list is none."""
    listed = [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []
    return "\n".join([text, *listed])


@dataclass(frozen=True, slots=True)
class Hit:
    """
    A memory found: its fused score (higher is better) and which arms found it, best rank first. `remark` says what is
    to be known before it is used here, `against` what stands against it.
    """

    memory: Memory
    score: float
    why: tuple[str, ...] = ()
    remark: str | None = None
    against: tuple[Against, ...] = ()


@dataclass(frozen=True, slots=True)
class Packet:
    """
    What recall hands over: hits best first, after the floor and folding, before rendering.

    `degraded` names each arm that could not answer, with the reason. `omitted` counts hits that passed the
    floor and are not among `hits`. `as_of_at` is the moment of the reading; `true_at` and `known_at` what it asked for
    of the past: what was true then, what was known then; None where it did not.
    """

    hits: tuple[Hit, ...]
    query: str
    degraded: Mapping[str, str] = field(default_factory=dict)
    omitted: int = 0
    as_of_at: int = 0
    true_at: int | None = None
    known_at: int | None = None

    @property
    def of_the_past(self) -> bool:
        """Whether it reads what was, and not what is in recall now."""
        return self.true_at is not None or self.known_at is not None
