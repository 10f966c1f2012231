"""A repository's code history for tests: edits of files recorded as a server would record them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backstory.pipelines.code import history, observe
from backstory.pipelines.code.history import Chain, Here
from backstory.pipelines.code.observe import Recorded, Whose
from backstory.pipelines.code.symbol_edits import Change
from backstory.pipelines.git.edits import FileEdit, Status
from backstory.pipelines.git.patches import between, parse
from backstory.server.code_history import body_in
from backstory.store import bodies, rounds, settings, workspaces
from backstory.store.clock import SECOND_US
from backstory.store.db import Database
from backstory.store.models import Actor

from ..shelf import T0


def edit(path: str, before: bytes | None, after: bytes | None, *, old_path: str | None = None) -> FileEdit:
    """A file's edit, with the patch that git would show."""
    patch = between(path, before, after)
    status: Status = (
        "added" if before is None else "deleted" if after is None else "renamed" if old_path else "modified"
    )
    hunks = parse(patch)[0].hunks if patch else ()
    return FileEdit(path, status, old_path, before, after, patch=patch, hunks=hunks)


@dataclass
class Repo:
    """Files as they stand on each branch, and what is recorded of how they came to be so."""

    db: Database
    folder: Path
    workspace: int
    branch: str | None = "main"
    head: str = "a" * 40
    at: int = T0
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def whose(self) -> Whose:
        return Whose("me", self.workspace, (self.workspace,))

    def writes(
        self,
        path: str,
        text: bytes | str | None,
        *,
        by: Actor = "agent",
        old_path: str | None = None,
        **kw: Any,
    ) -> Recorded:
        """The file gets that content, None: it is deleted; the change is recorded an hour after the last."""
        after = text.encode() if isinstance(text, str) else text
        made = edit(path, self.files.get(old_path or path), after, old_path=old_path)
        self.files.pop(old_path or path, None)
        if after is not None:
            self.files[path] = after
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_bytes(after)
        elif (self.folder / path).exists():
            (self.folder / path).unlink()
        self.at += 3600 * SECOND_US
        change = Change(by, self.at, str(self.folder), self.branch, self.head, self.head, (made,), **kw)
        return observe.record(change, self.whose, db=self.db, now=self.at)

    def here(self, branch: str | None = None, *branches: str, head: str | None = None) -> Here:
        """The reader's place: on that branch, with those others alive."""
        on = branch or self.branch
        return Here(on, head or self.head, frozenset([on or "", *branches]), self.read, body_in)

    def read(self, path: str) -> bytes | None:
        try:
            return (self.folder / path).read_bytes()
        except OSError:
            return None

    def chains(self, here: Here | None = None, **asked: Any) -> list[Chain]:
        """The chains that answer, as a reader here gets them: the same with a parser at hand and without."""
        key = settings.salt_of(self.db)
        wanted = rounds.Asked("me", (self.workspace,), **asked)

        def look(con: Any, here: Here) -> list[Chain]:
            return [history.chain(con, thread, here, key=key) for thread in history.find(con, wanted)]

        place = here or self.here()
        found = self.db.read(look, place)
        assert self.db.read(look, place._replace(body_in=None)) == found
        return found

    def chain(self, name: str, here: Here | None = None) -> Chain:
        """The one chain of `path::symbol`."""
        path, _, symbol = name.partition("::")
        (found,) = [one for one in self.chains(here, path=path, symbol=symbol) if one.thread.kind == "symbol"]
        return found

    def body(self, chain: Chain, n: int) -> bytes | None:
        """The bytes of a version."""
        (row,) = [one.round.after for one in chain.versions if one.round.n == n]
        return None if row is None else self.db.read(bodies.read, row)


def repo_at(db: Database, folder: Path) -> Repo:
    """A repository in that folder, known to the file."""
    folder.mkdir(parents=True, exist_ok=True)
    key: workspaces.Key = ("folder", f"folder:{folder}")
    return Repo(db, folder, db.write(workspaces.register, [key], folder.name, now=T0))
