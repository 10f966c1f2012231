"""Code history for a reader in a folder: the chains that answer, and one version of a place in full."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

import apsw

from ..pipelines import git_files, history
from ..pipelines.edits import FILE_BYTES
from ..pipelines.git_files import Where
from ..pipelines.history import Chain, Here, Version, body_in
from ..pipelines.names import named
from ..pipelines.rounds import shown, shown_name
from ..store import bodies, deliveries, rounds, settings, turns
from ..store.db import Database
from ..store.errors import BadInput, NotFound
from ..store.rounds import Asked, Thread
from . import chain_text
from .chain_text import Told

if TYPE_CHECKING:
    from .render import Language

# `path::symbol`, or a path alone, with a version or two: `@2`, `@2..3`, `@2..now`.
_PLACE = re.compile(r"(?P<name>.+?)(?:@(?P<first>\d+)(?:\.\.(?P<second>\d+|now))?)?", re.DOTALL)
Look = Callable[[apsw.Connection], list[Thread]]


@dataclass(frozen=True, slots=True)
class Seen:
    """
    A place of code read back: its chain; with a version, that version's whole text; with two, what lies between
    them as a unified diff.
    """

    chain: Chain
    version: Version | None = None
    text: str | None = None
    diff: str | None = None


class CodeHistory:
    """Reads code history for one user, from one folder (None: from no worktree). Callable from any thread."""

    def __init__(self, db: Database, user: str, workspaces: Sequence[int], folder: str | None) -> None:
        self.db = db
        self.asked = Asked(user, tuple(workspaces))
        self._folder = folder

    @cached_property
    def _where(self) -> Where | None:
        return git_files.look(self._folder) if self._folder else None

    @cached_property
    def here(self) -> Here:
        """The reader's place; found out when there is something to show, for most questions name no code."""
        where = self._where
        return (
            Here()
            if where is None
            else Here(
                where.branch,
                where.head,
                git_files.branches(where) if where.is_git else None,
                cache(self.read),  # each file once, however many threads it has
            )
        )

    def find(self, asked: Asked, *, limit: int = history.POOL) -> list[Chain]:
        """The chains that answer, those changed last first."""
        return self.db.read(self._chains, lambda con: history.find(con, asked, limit=limit), asked.branch)

    def named(self, question: str, *, limit: int = history.POOL) -> list[Chain]:
        """The chains of the files and symbols that a question names."""
        said = named(question)
        return (
            self.db.read(self._chains, lambda con: history.named_in(con, said, self.asked)[:limit])
            if said
            else []
        )

    def of_turns(self, turns: Iterable[int]) -> list[Chain]:
        """The chains of what those turns changed, those of the first turn first."""
        order = list(dict.fromkeys(turns))

        def look(con: apsw.Connection) -> list[Thread]:
            by_turn: dict[int, list[int]] = {}
            for turn, thread in rounds.of_turns(con, order):
                by_turn.setdefault(turn, []).append(thread)
            wanted = list(dict.fromkeys(thread for turn in order for thread in by_turn.get(turn, ())))
            found = {
                one.id: one for one in rounds.threads(con, replace(self.asked, turns=tuple(order)), limit=200)
            }
            return [found[one] for one in wanted if one in found][: history.POOL]

        return self.db.read(self._chains, look) if order else []

    def fresh(self, chains: Sequence[Chain], source: str | None, session: str | None) -> list[Chain]:
        """
        Those that a session does not know: not given to it as they are now, and not wholly of its own making.
        """
        given = self.db.read(deliveries.given, source, session)
        own = self.db.read(turns.of_session, source, session)
        return [
            one
            for one in chains
            if given.get(one.mark[0]) != one.mark[1]
            and any(version.round.turn not in own for version in one.versions)
        ]

    def block(
        self,
        chains: Sequence[Chain],
        *,
        budget_chars: int,
        language: Language = "en",
        threads: int = chain_text.THREADS,
    ) -> Told:
        """The chains as an agent reads them; see `chain_text.block`."""
        return chain_text.block(
            chains, lambda one: self.db.read(rounds.patch, one), budget_chars=budget_chars, language=language,
            threads=threads,
        )  # fmt: skip

    def get(self, place: str, *, branch: str | None = None) -> list[Seen]:
        """
        What `path::symbol` names: the chain of each thread of that name, or with `@n` one version in full, with
        `@n..m` what lies between two, with `@n..now` between one and the worktree.

        Raises:
            BadInput: it is no such name, or two versions cannot be told apart.
            NotFound: nothing of that name, or no such version.
        """
        matched = _PLACE.fullmatch(place.strip())
        if matched is None or not matched["name"].strip(" :"):
            raise BadInput(
                "Name a place as path::symbol, for example src/pay.py::fetch or src/pay.py::fetch@2."
            )
        path, colons, symbol = matched["name"].partition("::")
        path = self.relative(path.strip())
        asked = replace(self.asked, path=path or None, symbol=symbol.strip() or None, branch=branch)
        chains = self.find(asked, limit=200)
        if colons and symbol:
            exact = [one for one in chains if one.thread.symbol == symbol.strip()]
            chains = exact or chains
        if not chains:
            raise NotFound(
                f"There is no code history of {matched['name']!r} here; search by file or symbol lists it."
            )
        if matched["first"] is None:
            return [Seen(one) for one in chains]
        if len(chains) > 1:
            names = ", ".join(dict.fromkeys(one.thread.name for one in chains[:6]))
            raise BadInput(f"{matched['name']!r} names several places; name one of {names}.")
        return [self._versions(chains[0], int(matched["first"]), matched["second"])]

    def _versions(self, chain: Chain, first: int, second: str | None) -> Seen:
        one = _numbered(chain, first)
        if second is None:
            return Seen(chain, one, self.text(one))
        other = self._now(chain) if second == "now" else self.text(_numbered(chain, int(second)))
        label = "now" if second == "now" else f"version {second}"
        lines = difflib.unified_diff(
            (self.text(one) or "").splitlines(keepends=True), (other or "").splitlines(keepends=True),
            f"{chain.thread.name} version {first}", f"{chain.thread.name} {label}",
        )  # fmt: skip
        return Seen(chain, one, None, "".join(line if line.endswith("\n") else f"{line}\n" for line in lines))

    def text(self, one: Version | None) -> str | None:
        """The whole text of a version, of the state before the first for None; None where there was nothing."""
        row = one.round.after if one else None
        return None if row is None else self.db.read(bodies.read, row).decode("utf-8", "replace")

    def patch(self, one: Version) -> str:
        """The real patch of a version."""
        return self.db.read(rounds.patch, one.round.id).decode("utf-8", "replace")

    def _now(self, chain: Chain) -> str | None:
        image = self.read(chain.thread.path)
        raw = (
            image
            if image is None or not chain.thread.symbol
            else body_in(chain.thread.path, chain.thread.symbol, image)
        )
        return None if raw is None else shown(raw, self._key()).decode("utf-8", "replace")

    def _key(self) -> bytes:
        return self.db.read(settings.salt_made)

    def _chains(self, con: apsw.Connection, look: Look, branch: str | None = None) -> list[Chain]:
        threads = look(con)
        if not threads:
            return []
        key = settings.salt_made(con)
        # Of another branch only what was made there is known: HEAD, whose history was looked up, is not its commit.
        here = (
            self.here if branch in (None, self.here.branch) else replace(self.here, branch=branch, head=None)
        )
        return [history.chain(con, thread, here, key=key) for thread in threads]

    def relative(self, path: str) -> str:
        """The path as code history has it: from the top of the worktree, with `/`."""
        path = path.replace("\\", "/").removeprefix("./")
        if self._where and os.path.isabs(path):
            path = os.path.relpath(os.path.realpath(path), self._where.root).replace(os.sep, "/")
        return shown_name(path, self._key())

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of the worktree; None where there is none, or no worktree."""
        if self._where is None:
            return None
        try:
            with open(os.path.join(self._where.root, path), "rb") as file:
                return file.read(FILE_BYTES)
        except (OSError, ValueError):
            return None


def _numbered(chain: Chain, n: int) -> Version:
    for one in chain.versions:
        if one.round.n == n:
            return one
    numbers = ", ".join(str(one.round.n) for one in chain.versions)
    raise NotFound(f"{chain.thread.name} has no version {n} here; there are {numbers or 'none'}.")
