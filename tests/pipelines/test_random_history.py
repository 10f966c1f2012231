"""Somebody works at random in a real repository: what is kept of it is what was on disk, and nothing else."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest
from backstory.pipelines.code.follow import Follower
from backstory.pipelines.code.observe import Whose
from backstory.pipelines.code.symbol_edits import By
from backstory.store import bodies, rounds, workspaces
from backstory.store.db import Database
from backstory.store.rounds import Asked
from backstory.store.rows import fetch

from ..shelf import T0
from .repos import Repo
from .wandering import Name, State, Step, Wanderer

STEPS = 150
SEEDS = range(3)
ROUNDS = """
select round.id, thread.kind, place.path, place.symbol, round.status, coalesce(change.branch, ''), change.actor,
       change.worktree, was.packed, now.packed
from round join change on change.id = round.change join place on place.id = round.place
  join thread on thread.id = round.thread
  left join body was on was.id = round.before left join body now on now.id = round.after
where round.id > ? order by round.id"""
# What went from one place in one look, and had come to another in one before, has its one round there.
LEFT = """
select body.packed from round join body on body.id = round.before where round.status = 'moved'"""


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@dataclass(frozen=True, slots=True)
class Made:
    """A round as the file has it, its bodies read back."""

    id: int
    kind: str
    path: str
    symbol: str
    status: str
    branch: str
    actor: str
    worktree: str
    before: bytes | None
    after: bytes | None


@dataclass
class Interval:
    """
    What lies between two looks. Each name and file with the steps that touched it, in order, and whether by git;
    `moved` is what the commits of then and now differ in.
    """

    was: State
    steps: list[Step]
    moved: frozenset[str]
    names: dict[Name, list[tuple[int, bool]]] = field(default_factory=dict)
    files: dict[str, list[tuple[int, bool]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        last = self.was
        for at, step in enumerate(self.steps):
            for path in last.files.keys() | step.state.files.keys():
                # Where somebody had written already what git was about to write, nobody can tell.
                if last.files.get(path) != step.state.files.get(path) or path in step.by_git:
                    self.files.setdefault(path, []).append((at, path in step.by_git))
            for name in last.parts.keys() | step.state.parts.keys():
                if _body(last, name) != _body(step.state, name):
                    self.names.setdefault(name, []).append((at, name[0] in step.by_git))
            last = step.state

    @property
    def now(self) -> State:
        return self.steps[-1].state if self.steps else self.was

    def states(self) -> Iterator[State]:
        yield self.was
        yield from (step.state for step in self.steps)

    def by_git_alone(self, path: str) -> bool:
        """Whether nobody but git touched the file; what went back to how HEAD had it all along, somebody undid."""
        return path in self.moved and all(git for _, git in self.files.get(path, ()))

    def by_hand_alone(self, path: str) -> bool:
        """Whether git has not touched the file."""
        return not any(git for _, git in self.files.get(path, ()))

    def was_made(self, name: Name) -> bool:
        """Whether somebody made what is there now: after all that git did to the file, if it did anything."""
        body, last = (
            _body(self.now, name),
            max((at for at, git in self.files.get(name[0], ()) if git), default=-1),
        )
        base = self.steps[last].state if last >= 0 else self.was
        return body != _body(self.was, name) and body != _body(base, name)


def _body(state: State, name: Name) -> bytes | None:
    part = state.parts.get(name)
    return part.body if part else None


class Watched:
    """A wanderer, a follower that looks now and then, and what has to be true after each look."""

    def __init__(self, db: Database, tmp_path: Path, seed: int) -> None:
        self.db, self.seed, self.chance = db, seed, random.Random(seed)
        self.repo = Repo(tmp_path / "repo", tmp_path / "nobody")
        self.work = Wanderer(self.repo, random.Random(seed))
        self.work.begin()
        key: workspaces.Key = ("folder", f"folder:{self.repo.root}")
        self.workspace = db.write(workspaces.register, [key], "repo", now=T0)
        self.home = tmp_path / "home"
        self.at, self.seen, self.met = T0, 0, 0
        self.kept: dict[tuple[Name, str, bytes | None], int] = {}
        self.numbers: dict[int, int] = {}
        self.follower = self._follower()
        self.follower.look(By("human"), at=self.at)

    def _follower(self) -> Follower:
        whose = Whose("me", self.workspace, (self.workspace,))
        return Follower(self.db, self.home, self.repo.where(), whose, now=lambda: self.at)

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.work.step()
            if self.chance.random() < 0.6:
                self.look()
            if self.chance.random() < 0.05:
                self.follower = self._follower()
                self.follower.fill()
        self.look()

    def look(self) -> None:
        last, steps = self.work.steps[self.seen], self.work.steps[self.seen + 1 :]
        found = Interval(last.state, steps, self.work.differing(last.head, self.work.steps[-1].head))
        self.seen = len(self.work.steps) - 1
        self.at += 60_000_000
        by = By(self.chance.choice(("agent", "human")))
        known = None
        if self.chance.random() < 0.3 and not any(git for one in found.files.values() for _, git in one):
            known = list(found.files)
        self.follower.look(by, at=self.at, paths=known)
        try:
            self._check(found, by, self._new())
        except AssertionError as e:
            e.add_note(
                f"seed {self.seed}, {len(self.work.steps)} steps: {[step.what for step in found.steps]}"
            )
            raise

    def _new(self) -> list[Made]:
        def unpacked(packed: bytes | None) -> bytes | None:
            return None if packed is None else bodies.unpack(packed)

        made = [
            Made(id_, kind, path, symbol, status, branch, actor, root, unpacked(was), unpacked(now))
            for id_, kind, path, symbol, status, branch, actor, root, was, now in self.db.read(
                fetch, ROUNDS, (self.met,)
            )
        ]
        self.met = made[-1].id if made else self.met
        return made

    def _check(self, found: Interval, by: By, made: list[Made]) -> None:
        branch = self.work.branch() or ""
        for one in made:
            assert (one.branch, one.actor, one.worktree) == (branch, by.actor, str(self.repo.root))
            self._was_there(found, one)
        for name in found.names:
            self._is_kept(found, name, [one for one in made if one.kind == "symbol"], branch)
        for path in found.files:
            self._lines_are_kept(found, path, made)

    def _was_there(self, found: Interval, one: Made) -> None:
        """Nothing is kept that was not on disk, and nothing that git did."""
        name = (one.path, one.symbol)
        assert one.path in found.files, f"{name} was not touched"
        assert not found.by_git_alone(one.path), f"git alone wrote {name}"
        if one.kind == "symbol":
            if name in found.now.parts or not self._twice(found.now, name):
                assert one.after == _body(found.now, name), f"{name} is not what is on disk"
            then = self._ever() if one.status == "moved" else found.states()
            assert one.before is None or any(
                one.before in raw for state in then for raw in state.files.values()
            ), f"{name} was never so before"
            self.kept[name, one.branch, one.after] = one.id
        elif one.kind == "region":
            assert one.after is None or one.after in found.now.files.get(one.path, b""), f"{name} is not so"

    def _ever(self) -> Iterator[State]:
        yield from (step.state for step in self.work.steps)

    def _left(self) -> list[bytes]:
        return [bodies.unpack(packed) for (packed,) in self.db.read(fetch, LEFT)]

    @staticmethod
    def _twice(state: State, name: Name) -> bool:
        """Whether the name may stand there more than once."""
        leaf = name[1].partition("#")[0].rpartition(".")[2].encode()
        return state.files.get(name[0], b"").count(leaf + b"(") > 1

    def _is_kept(self, found: Interval, name: Name, made: list[Made], branch: str) -> None:
        """What somebody made is there, byte for byte, under its name."""
        was, now = _body(found.was, name), _body(found.now, name)
        part = found.now.parts.get(name) or found.was.parts.get(name)
        if part is None or part.holds or self._twice(found.now, name) or self._twice(found.was, name):
            return
        here = [one for one in made if (one.path, one.symbol) == name]
        assert len(here) <= 1, f"{name} has two rounds"
        if found.by_hand_alone(name[0]) and was != now:
            if now is None:
                # Gone: said so, or under the name that it got.
                assert any(one.before == was for one in made) or was in self._left(), (
                    f"that {name} went is lost"
                )
            else:
                assert here, f"{name} is lost"
                assert was is None or here[0].before == was, f"{name} has another body before"
        elif now is not None and found.was_made(name):
            assert here, f"{name}, made after git wrote its file, is lost"

    def _lines_are_kept(self, found: Interval, path: str, made: list[Made]) -> None:
        """Each line that somebody wrote or took away stands in a version, also outside of all symbols."""
        if not all(found.by_hand_alone(one) for one in found.files):
            return
        was = {line for raw in found.was.files.values() for line in raw.split(b"\n") if line.strip()}
        now = {line for raw in found.now.files.values() for line in raw.split(b"\n") if line.strip()}
        here = {line for line in found.now.files.get(path, b"").split(b"\n") if line.strip()}
        told = {line for one in made if one.path == path for line in (one.after or b"").split(b"\n")}
        assert here - was <= told, f"lines of {path} are lost"
        gone = {line for line in found.was.files.get(path, b"").split(b"\n") if line.strip()} - now
        left = [*(one.before or b"" for one in made), *self._left()]
        told = {line for body in left for line in body.split(b"\n")}
        assert gone <= told, f"lines that went from {path} are lost"

    def check_all(self) -> None:
        """What is true of the file as a whole."""
        numbers: dict[int, list[int]] = {}
        for thread, n in self.db.read(fetch, "select thread, n from round order by thread, n"):
            numbers.setdefault(thread, []).append(n)
        assert all(ns == list(range(1, len(ns) + 1)) for ns in numbers.values())
        last, self.numbers = self.numbers, dict(self.db.read(fetch, "select id, n from round"))
        assert all(self.numbers[id_] >= n for id_, n in last.items() if id_ in self.numbers)
        packed = [bodies.unpack(one) for (one,) in self.db.read(fetch, "select packed from body")]
        assert len(packed) == len(set(packed))
        assert self.db.read(fetch, "pragma integrity_check") == [("ok",)]
        for (path, symbol), branch, body in sorted(self.kept, key=str):
            if body is None and self.kept[(path, symbol), branch, body] not in self.numbers:
                continue  # it had not gone, but moved
            asked = Asked("me", (self.workspace,), path=path, symbol=symbol, branch=branch or None)
            assert body in self.db.read(_bodies, asked), (path, symbol, branch)


def _bodies(con: apsw.Connection, asked: Asked) -> set[bytes | None]:
    """What reading finds under a name on a branch."""
    found: set[bytes | None] = set()
    for thread in rounds.threads(con, asked, limit=1000):
        for one in rounds.of_thread(con, thread.id):
            if (one.path, one.symbol) == (asked.path, asked.symbol) and asked.branch in (None, one.branch):
                found.add(None if one.after is None else bodies.read(con, one.after))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_done_each_version_reads_back_and_none_is_invented(
    db: Database, tmp_path: Path, seed: int
) -> None:
    watched = Watched(db, tmp_path, seed)
    for _ in range(3):
        watched.steps(STEPS // 3)
        watched.check_all()
