"""A user and an agent over a year: what is said at the desk, what tools are asked, on a clock that a test sets."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
from backstory import configs
from backstory.pipelines import closing, tend
from backstory.server import mcp_server
from backstory.server.desk import Desk
from backstory.server.memory import Memory, locate
from backstory.store import cutter
from backstory.store.db import Database
from backstory.store.models import Scope
from mcp import Client

CLIENT = "claude-code"
ID = re.compile(r"\bm\d+\b")


class Story:
    """What happens to one memory file, told day by day."""

    def __init__(self, db: Database, home: Path, folder: Path) -> None:
        self.db, self.home, self.folder = db, home, folder
        self.at, self.turns = 0, 0
        self.options = configs.load(home, embedder="none")
        self.desk = Desk(db, home, self.options, now=self.now)

    def now(self) -> int:
        """The moment of the story; each look at it is a microsecond later."""
        self.at += 1
        return self.at

    def on(self, day: str) -> Story:
        """The story goes on at noon of that day."""
        self.at = int(datetime.fromisoformat(f"{day}T12:00").astimezone().timestamp()) * 1_000_000
        return self

    def hook(self, event: str, **payload: Any) -> str:
        """What the agent is handed with an event."""
        told = {
            "session_id": self.session, "cwd": str(self.folder), "prompt_id": f"p{self.turns}", **payload,
        }  # fmt: skip
        reply = self.desk.answer(CLIENT, event, {"project": str(self.folder)}, json.dumps(told).encode())
        if reply.once_sent:
            reply.once_sent()
        return json.loads(reply.stdout)["hookSpecificOutput"]["additionalContext"] if reply.stdout else ""

    @property
    def session(self) -> str:
        """Each turn is told in a session of its own: what is remembered is not what stands in the context."""
        return f"s{self.turns}"

    def says(self, words: str) -> str:
        """A turn in which the user says this, to its end and what is drawn from it; what the agent was handed."""
        self.turns += 1
        handed = self.hook("UserPromptSubmit", prompt=words)
        self.hook("Stop", last_assistant_message="Noted.")
        self.idles()
        return handed

    def asks(self, words: str) -> None:
        """A turn begins with these words, and goes on."""
        self.turns += 1
        self.hook("UserPromptSubmit", prompt=words)

    def ends(self) -> None:
        """The turn is over, and what is drawn from it is there."""
        self.hook("Stop", last_assistant_message="Done.")
        self.idles()

    def idles(self) -> None:
        """What a server does while nobody asks for anything."""
        tend.once(self.db, None, cut=cutter.load(), clock=self.now)
        closing.close_plans(self.db, cut=cutter.load(), now=self.now())

    def tool(self, name: str, *, session: str | None = None, **arguments: Any) -> str:
        """A tool called as a client calls it; its text."""
        scope = Scope(self.options.user, None, session, CLIENT if session else "test")
        where = locate(self.db, str(self.folder), scope, now=self.now())
        memory = Memory(self.db, home=self.home, options=self.options, at=where, now=self.now)

        async def run() -> Any:
            with anyio.fail_after(30):
                async with Client(
                    mcp_server.build(lambda: memory, version="0"), raise_exceptions=True
                ) as client:
                    return await client.call_tool(name, arguments)

        result = anyio.run(run)
        assert not result.is_error, result.content[0].text
        return str(result.content[0].text)

    def adds(self, content: str, **more: Any) -> str:
        """The id of what an agent adds."""
        found = ID.search(self.tool("memory_add", content=content, **more))
        assert found
        return found.group()

    def finds(self, query: str, **more: Any) -> list[str]:
        """The texts that are found, of statements and not of turns."""
        given = json.loads(self.tool("memory_search", query=query, format="json", kind=KINDS, **more))
        chat = given["chat"]
        return [one["text"] for channel in ("profile", "normal", "proactive") for one in chat[channel]]

    def lists(self, **more: Any) -> list[str]:
        """The texts that are listed, of statements and not of turns."""
        given = json.loads(self.tool("memory_search", format="json", kind=KINDS, **more))
        return [one["text"] for one in given["memories"]]


KINDS = ["profile", "fact", "intention"]


def said_or_added(story: Story, how: str, words: str, told: str) -> None:
    """A statement reaches memory: the user says it, or an agent adds it in the third person."""
    if how == "said":
        story.says(words)
    else:
        story.adds(told)


def told(story: Story, day: str, words: str) -> None:
    """What ends as a sentence does the user says; the rest an agent adds."""
    story.on(day)
    if words.endswith((".", "。")):
        story.says(words)
    else:
        story.adds(words)
