"""A coding agent at work in a folder: its hooks are answered by a desk, its edits followed as a server does it."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backstory import configs
from backstory.pipelines.code.history import Chain, Version
from backstory.server import spool
from backstory.server.code_history import CodeHistory
from backstory.server.desk import Desk
from backstory.server.following import Following
from backstory.server.memory import Memory
from backstory.store import clock
from backstory.store.db import Database
from backstory.store.rows import fetch

WAIT_S = 20
Git = Callable[..., str]


class Agent:
    """A session of Claude Code, or of Cursor where that is said, that works in a folder."""

    def __init__(self, db: Database, home: Path, folder: Path, *, watch: bool = False) -> None:
        self.db, self.home, self.folder, self.n, self.calls = db, home, folder, 0, 0
        self.following = Following(db, home, now=clock.now, watch=watch)
        self.desk = Desk(db, home, configs.load(home, embedder="none"), following=self.following)
        self.session = "s1"

    def another(self, session: str) -> Agent:
        """Another session, at work in the same folder at the same time."""
        made = copy.copy(self)
        made.session, made.n = session, 0
        return made

    def hook(self, event: str, *, late: bool = False, at: int | None = None, **payload: Any) -> str:
        """What the hook answers; all that follows from it is done. `late`: it waited in the spool, since `at`."""
        told = {
            "session_id": self.session,
            "cwd": str(self.folder),
            "prompt_id": f"{self.session}-{self.n}",
            **payload,
        }
        env = {"project": str(self.folder)}
        if late:
            self.desk.replay(spool.Record("claude-code", event, env, at or clock.now(), told))
            self.settles()
            return ""
        reply = self.desk.answer("claude-code", event, env, json.dumps(told).encode())
        if reply.once_sent:
            reply.once_sent()
        self.settles()
        return json.loads(reply.stdout)["hookSpecificOutput"]["additionalContext"] if reply.stdout else ""

    def settles(self) -> None:
        """What a server does meanwhile: it follows, and takes in what had to wait for the first look."""
        assert self.following.settle(WAIT_S)
        if self.desk.drain():
            assert self.following.settle(WAIT_S)

    def cursor(self, event: str, **payload: Any) -> None:
        """The same from Cursor."""
        told = {
            "conversation_id": "c1",
            "generation_id": f"g{self.n}",
            "cursor_version": "3.1",
            "workspace_roots": [str(self.folder)],
            **payload,
        }
        self.desk.answer("cursor", event, {"project": str(self.folder)}, json.dumps(told).encode())
        self.settles()

    def asks(self, words: str) -> str:
        """The user's words; what the agent is handed with them."""
        self.n += 1
        return self.hook("UserPromptSubmit", prompt=words)

    def ends(self) -> None:
        """The turn is over."""
        self.hook("Stop", last_assistant_message="Done.")

    def uses(self, tool: str, given: dict[str, Any], response: Any = "", **payload: Any) -> None:
        """A tool call that succeeded."""
        self.calls += 1
        self.hook(
            "PostToolUse", tool_name=tool, tool_input=given, tool_response=response,
            tool_use_id=f"t{self.calls}", **payload,
        )  # fmt: skip

    def writes(self, name: str, text: str | None, *, late: bool = False, **payload: Any) -> None:
        """The Write tool; `text` None: the call failed."""
        path = self.folder / name
        before = path.read_text() if path.exists() else None
        given = {"file_path": str(path), "content": text or "never"}
        if text is None:
            self.calls += 1
            use: dict[str, Any] = {
                "tool_name": "Write",
                "tool_input": given,
                "tool_use_id": f"t{self.calls}",
            }
            self.hook("PostToolUseFailure", error="refused", late=late, **use)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        response = {"type": "update" if before else "create", "filePath": str(path), "originalFile": before}
        self.uses("Write", given, {**response, "structuredPatch": [], **payload}, late=late)

    def edits(self, name: str, old: str, new: str) -> None:
        """The Edit tool."""
        path = self.folder / name
        raw = path.read_bytes()
        crlf = b"\r\n" in raw
        before = raw.decode().replace("\r\n", "\n")  # as Claude Code tells it
        assert before.count(old) == 1
        after = before.replace(old, new)
        path.write_bytes((after.replace("\n", "\r\n") if crlf else after).encode())
        given = {"file_path": str(path), "old_string": old, "new_string": new}
        self.uses("Edit", given, {"filePath": str(path), "originalFile": before, "structuredPatch": []})

    def runs(self, command: str, work: Callable[[], object]) -> None:
        """The Bash tool; `work` is what the command does."""
        work()
        self.uses("Bash", {"command": command}, {"stdout": "", "stderr": ""})

    def imports(self) -> None:
        """`backstory import-git`."""
        with Memory.open(self.db.path, folder=self.folder, embedder="none") as memory:
            memory.import_git()

    def code(self, folder: Path | None = None) -> CodeHistory:
        """Code history as it is read from that folder."""
        rows = self.db.read(fetch, "select id from workspace where same_as is null")
        return CodeHistory(self.db, "me", [row[0] for row in rows], str(folder or self.folder))

    def chain(self, place: str, **asked: Any) -> Chain:
        """The one chain of that name."""
        (seen,) = self.code().get(place, **asked)
        return seen.chain

    def versions(self, place: str, **asked: Any) -> tuple[Version, ...]:
        """The versions of that chain."""
        return self.chain(place, **asked).versions

    def texts(self, place: str, **asked: Any) -> list[str | None]:
        """The whole text of each version."""
        code = self.code()
        return [code.text(one) for one in self.versions(place, **asked)]

    def patches(self, place: str) -> list[str]:
        """The patch of each version."""
        code = self.code()
        return [code.patch(one) for one in self.versions(place)]

    def rounds(self, place: str) -> list[tuple[str, str | None]]:
        """Who made each version, and the words that asked for it."""
        return [(one.round.actor, one.round.words) for one in self.versions(place)]

    def told(self, place: str) -> str:
        """The block that an agent reads of it."""
        code = self.code()
        return code.block([one.chain for one in code.get(place)], budget_chars=14_000).text

    def names(self) -> list[str]:
        """Every thread there is, by the name that it has now."""
        code = self.code()
        return sorted(one.thread.name for one in code.find(code.asked, limit=500))

    def count(self) -> int:
        """How many rounds there are at all."""
        return int(self.db.read(fetch, "select count(*) from round")[0][0])


def on_disk(folder: Path) -> dict[str, tuple[bytes, int, int, str]]:
    """Every file and folder below: bytes, mode, time of change, where a link leads."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and os.access(path, os.R_OK) else b""
        link = str(path.readlink()) if path.is_symlink() else ""
        found[str(path.relative_to(folder))] = (content, status.st_mode, status.st_mtime_ns, link)
    return found
