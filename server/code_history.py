"""Code history for a reader in a folder: the chains that answer, and one version of a place in full."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import apsw

from ..pipelines.code import forgotten_code, history, reader
from ..pipelines.code.history import Chain, Here, Version
from ..pipelines.code.names import named
from ..pipelines.git import git_files
from ..pipelines.git.git_files import Where
from ..pipelines.shown import branch_name, shown, shown_name
from ..store import bodies, deliveries, places, rounds, settings, turns
from ..store.db import Database
from ..store.errors import BadInput, NotFound
from ..store.rounds import Asked, Thread
from . import chain_text
from .chain_text import Told

if TYPE_CHECKING:
    from .render import Language

# Places that one name may stand for.
MOST = 200
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
    """
    Reads code history for one user, from one folder (None: from no worktree). Callable from any thread.

    `parse`: whether a symbol is found in a file by parsing it, which has to be loaded first; else see `Here`.
    """

    def __init__(
        self, db: Database, user: str, workspaces: Sequence[int], folder: str | None, *, parse: bool = True
    ) -> None:
        self.db = db
        self.asked = Asked(user, tuple(workspaces))
        self._folder, self._parse = folder, parse
        self._here: Here | None = None

    @cached_property
    def _where(self) -> Where | None:
        return git_files.look(self._folder) if self._folder else None

    def _place(self, key: bytes) -> Here:
        """The reader's place; found out when there is something to show, for most questions name no code."""
        if self._here is None:
            self._here = reader.at(self._where, key, body_in if self._parse else None)
        return self._here

    def find(self, asked: Asked, *, limit: int = history.POOL, whole: bool = False) -> list[Chain]:
        """
        The chains that answer, those changed last first; `whole` also with what lies elsewhere, as those of a commit.
        """
        asked = asked._replace(branch=branch_name(asked.branch, self._key()))
        return self.db.read(
            self._chains, lambda con: history.find(con, asked, limit=limit), asked.branch,
            whole=whole or asked.commit is not None,
        )  # fmt: skip

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
                one.id: one
                for one in rounds.threads(con, self.asked._replace(turns=tuple(order)), limit=MOST)
            }
            return [found[one] for one in wanted if one in found][: history.POOL]

        return self.db.read(self._chains, look) if order else []

    def fresh(self, chains: Sequence[Chain], source: str | None, session: str | None) -> list[Chain]:
        """Those that a session does not know; see `history.fresh`."""
        given = self.db.read(deliveries.given, source, session)
        return history.fresh(chains, given, self.db.read(turns.of_session, source, session))

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
        asked = self.asked._replace(path=path or None, symbol=symbol.strip() or None, branch=branch)
        # A version that is asked for by its number is read wherever it lies.
        chains = self.find(asked, limit=MOST, whole=matched["first"] is not None) or self._below(asked)
        if colons and symbol:
            exact = [one for one in chains if one.thread.symbol == symbol.strip()]
            chains = exact or chains
        if not chains:
            raise NotFound(self._unknown(matched["name"], path))
        if matched["first"] is None:
            return [Seen(one) for one in chains]
        if len(chains) > 1:
            names = ", ".join(dict.fromkeys(one.thread.name for one in chains[:6]))
            raise BadInput(f"{matched['name']!r} names several places; name one of {names}.")
        return [self._versions(chains[0], int(matched["first"]), matched["second"])]

    def _below(self, asked: Asked) -> list[Chain]:
        """The same, the path being told from the folder that the reader is in."""
        where = self._where
        if where is None or asked.path is None or where.folder == where.root:
            return []
        below = os.path.relpath(os.path.join(where.folder, asked.path), where.root).replace(os.sep, "/")
        return self.find(asked._replace(path=below), limit=MOST)

    def _unknown(self, name: str, path: str) -> str:
        """Why nothing was found, in a sentence."""
        there = (
            self.db.read(places.paths_ending, self.asked.workspaces, path) if path and "/" not in path else []
        )
        if len(there) > 1:
            return f"{path!r} may be {', '.join(there)}; name one of them."
        return f"There is no code history of {name!r} here; search by file or symbol lists it."

    def _versions(self, chain: Chain, first: int, second: str | None) -> Seen:
        import difflib  # 9 ms that no hook waits for

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

    def _chains(
        self, con: apsw.Connection, look: Look, branch: str | None = None, *, whole: bool = False
    ) -> list[Chain]:
        threads = look(con)
        if not threads:
            return []
        key = settings.salt_made(con)
        # Of another branch only what was made there is known: neither HEAD, whose history was looked up, nor the
        # files of the worktree are its own.
        here = forgotten_code.as_recorded(con, self._place(key))
        if branch not in (None, here.branch):
            here = here._replace(branch=branch, head=None, read=None)
        return [history.chain(con, thread, here, key=key, whole=whole) for thread in threads]

    def relative(self, path: str) -> str:
        """The path as code history has it: from the top of the worktree, with `/`."""
        path = path.replace("\\", "/").removeprefix("./")
        if self._where and os.path.isabs(path):
            path = os.path.relpath(os.path.realpath(path), self._where.root).replace(os.sep, "/")
        return shown_name(path, self._key())

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of the worktree; None where there is none, or no worktree."""
        return None if self._where is None else reader.read(self._where.root, path)


def body_in(path: str, symbol: str, image: bytes) -> bytes | None:
    """The bytes of a symbol in a file; None where it is not in there."""
    from ..pipelines.code import outlines  # with its parser, which no hook waits for

    return next((body for name, body in outlines.bodies(path, image) if name == symbol), None)


def _numbered(chain: Chain, n: int) -> Version:
    for one in chain.versions:
        if one.round.n == n:
            return one
    numbers = ", ".join(str(one.round.n) for one in chain.versions)
    raise NotFound(
        f"{chain.thread.name} has no version {n}; its versions are {numbers or 'not kept any more'}."
    )
