"""What takes the lines of a file in, piece by piece: each piece whole, of a line that does not fit nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import apsw

from ...store import names, words
from ...store.cutter import Cut
from ...store.db import Database
from ...store.exchange import (
    arriving,
    arriving_code,
    arriving_events,
    arriving_links,
    arriving_memories,
    displaced,
    gone,
)
from ...store.exchange.arriving import Arrivals, Refused, Took
from ...store.exchange.displaced import Standing
from ...store.models import searched
from ...store.names import Named
from ...store.tombstones import Tombstone
from ...store.words import Tokens
from .. import rate
from ..shown import shown
from ..told_anew import tell_anew
from . import carry_out, lines
from .checks import Line
from .cleaned import cleaned
from .imported import ANOTHERS, DAMAGED, Imported
from .settle import resettle


@dataclass(frozen=True, slots=True)
class _Given:
    """A line and its number, ready to be taken: without secrets, and a memory with what it is found by."""

    n: int
    line: Line
    found_by: tuple[Tokens, Named] | None = None


class Taker:
    """Takes pieces of a file in, one after another."""

    def __init__(
        self,
        db: Database,
        here: Arrivals,
        user: str,
        theirs: str | None,
        salt: bytes,
        cut: Cut | None,
        done: Imported,
        *,
        of: Sequence[str],
    ) -> None:
        self.db, self.here, self.salt, self.cut, self.done = db, here, salt, cut, done
        self.users = {user: user, **({theirs: user} if theirs else {})}
        # Marks do not say who forgot: of a file that others had a part in, they are not for us to carry out.
        self.is_ours = set(of) <= set(self.users)

    def take(self, piece: list[tuple[int, Line]]) -> None:
        """One transaction; its counts hold only if it does."""
        # The slow part is outside of it: nobody waits for secrets to be looked for.
        known = self.db.read(_known, piece)
        ready = [self._ready(n, line, known) for n, line in piece]
        took = self.db.write(self._write, [one for one in ready if one is not None])
        for kind, verdict in took:
            (self.done.added if verdict == "added" else self.done.known)[kind] += 1

    def _ready(self, n: int, line: Line, known: set[str]) -> _Given | None:
        if "user" in line:
            if line["user"] not in self.users:
                self._refuse(line, ANOTHERS)
                self.done.users[line["user"]] += 1
                return None
            line = {**line, "user": self.users[line["user"]]}
        if line.get("ulid") in known:
            return _Given(n, line)
        line = cleaned(line, self.salt)
        return _Given(n, line, _found_by(line, self.cut) if line["type"] == "memory" else None)

    def _refuse(self, line: Line, why: str) -> None:
        self.done.refused[why] += 1
        if "ulid" in line:
            self.here.refused[line["ulid"]] = why

    def _write(self, con: apsw.Connection, piece: list[_Given]) -> list[tuple[str, Took]]:
        took: list[tuple[str, Took]] = []
        refused: list[tuple[_Given, str]] = []
        broken: list[tuple[_Given, str]] = []
        marks: list[Tombstone] = []
        for given in piece:
            kind = given.line["type"]
            if kind == "tombstone":
                if self.is_ours:
                    marks.append(_mark(given.line))
                else:
                    refused.append((given, ANOTHERS))
                continue
            try:
                with con:  # a savepoint: of a line that does not fit nothing is left
                    took.append((kind, self._line(con, kind, given)))
            except Refused as e:
                refused.append((given, str(e)))
            except (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError, apsw.SQLError) as e:
                broken.append((given, f"{kind}: the file cannot hold it ({e})"))
        if marks:
            new = gone.keep_marks(con, marks)
            took += [
                ("tombstone", "added" if mark.value in {one.value for one in new} else "known")
                for mark in marks
            ]
        for given, why in refused:
            self._refuse(given.line, why)
        for given, why in broken:
            self.done.refuse(given.n, why)
            self.here.refused.setdefault(given.line.get("ulid", ""), DAMAGED)
        return took

    def _line(self, con: apsw.Connection, kind: str, given: _Given) -> Took:
        line, here = given.line, self.here
        if kind in ("body", "change", "turn", "name", "region", "workspace"):
            gone.arrived(con)
        if kind in _PLAIN:
            took = _PLAIN[kind](con, line, here)
            if kind == "feedback" and took == "added":
                rate.settle(con, arriving_links.unretired(con, line["root"]))
            return took
        if kind == "body":
            return arriving_code.body(con, line, here, shown=shown)
        if kind == "change":
            return arriving_code.change(con, line, here, shown=shown)
        if kind == "event":
            return arriving_events.event(con, carry_out.without_forgotten(con, line), here)
        if line["kind"] == "turn":
            return self._turn_memory(con, given)
        return self._memory(con, given)

    def _memory(self, con: apsw.Connection, given: _Given) -> Took:
        line = given.line
        arriving_memories.check(con, line, self.here)
        known = arriving_memories.known(con, line)
        slot = displaced.slot_of(con, line, self.here.workspace(con, line.get("workspace")))
        if known is not None:
            id_, text = known
            if text != line["text"] and text != cleaned(line, self.salt)["text"]:
                raise Refused(arriving.CONTRADICTS)
            self.here.taken.add(id_)
            arriving_memories.meet(con, line)
            resettle(con, line["root"], slot)
            return "known"
        own_end = line.get("retired_at")
        if line.get("retired_why") == displaced.DISPLACED:
            own_end = None  # that was found beside yet another file; here it is found anew
        since = line["valid_from"] if "valid_from" in line else line["recorded_at"]
        new = Standing(
            line["ulid"], line["root"], slot, "valid_to" not in line, since, line["recorded_at"], own_end
        )
        found = resettle(con, line["root"], slot, new)
        if new.retired_at is None and "retired_at" in line:
            line = {name: value for name, value in line.items() if name not in ("retired_at", "retired_why")}
        id_ = arriving_memories.memory(
            con, line, *self._found_by(given), self.here, displaced_at=found.get(new.ulid)
        )
        self.here.taken.add(id_)
        self.here.new.add(id_)
        return "added"

    def _turn_memory(self, con: apsw.Connection, given: _Given) -> Took:
        line = given.line
        arriving_memories.check(con, line, self.here)
        id_ = arriving_memories.turn_memory(con, line, self.here)
        turn = self.here.turn(con, line["turn"])
        if id_ is None:
            new = arriving_memories.memory(con, line, *self._found_by(given), self.here, displaced_at=None)
            self.here.new.add(new)
        elif turn not in self.here.blanked and _knows_more(line, arriving_memories.told(con, id_)):
            line = cleaned(line, self.salt)
            arriving_memories.tell_turn(con, id_, line, *_found_by(line, self.cut))
        self.here.taken.add(new if id_ is None else id_)
        if id_ is not None:
            arriving_memories.meet(con, line)
        if turn is not None and turn in self.here.blanked:
            # Of what was forgotten the file's text of the turn still tells.
            tell_anew(con, {turn}, now=self.here.now, cut=self.cut)
        return "added" if id_ is None else "known"

    def _found_by(self, given: _Given) -> tuple[Tokens, Named]:
        return given.found_by or _found_by(given.line, self.cut)


_PLAIN: dict[str, Callable[[apsw.Connection, Line, Arrivals], Took]] = {
    "workspace": arriving.workspace, "session": arriving.session, "turn": arriving.turn, "alias": arriving.alias,
    "evidence": arriving_links.evidence, "link": arriving_links.link,
    "feedback": arriving_links.feedback, "thread": arriving_code.thread,
    "name": arriving_code.name, "parent": arriving_code.parent, "commit": arriving_code.commit,
    "region": arriving_code.region,
}  # fmt: skip


def _known(con: apsw.Connection, piece: list[tuple[int, Line]]) -> set[str]:
    """Which rows of a piece need not be looked through again, since they are here."""
    return {
        line["ulid"]
        for _, line in piece
        if line["type"] in ("event", "memory", "change") and arriving.is_here(con, line["type"], line["ulid"])
    }


def _found_by(line: Line, cut: Cut | None) -> tuple[Tokens, Named]:
    """The search tokens of a memory, and what it names: both are made anew, whatever made them elsewhere."""
    tokens = words.index(searched(line["text"], line["data"].get("keys")), cut)
    return tokens, names.named(line["text"], line["data"], line.get("branch"))


def _knows_more(line: Line, told: tuple[str, str, str, str]) -> bool:
    """Whether the file's text of a turn is the fuller one; of equal ones the same is chosen by both files."""
    theirs = (line["text"], line.get("line") or "", lines.written(line["data"]).decode(), line["scene"])
    ours = (told[0], told[1], lines.written(lines.object_of(told[2].encode())).decode(), told[3])
    return (len(theirs[0]), theirs) > (len(ours[0]), ours)


def _mark(line: Line) -> Tombstone:
    spans = tuple((start, end) for start, end in line.get("spans", ()))
    return Tombstone(
        line["kind"], line["value"], line["created_at"], line.get("salt", ""), spans, line.get("words", 0),
        line.get("asked", False), line.get("code", False),
    )  # fmt: skip
