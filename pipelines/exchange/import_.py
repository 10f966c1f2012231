"""Conductor: the lines of an export into this file, in pieces each of which is whole; twice is once."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import apsw

from ...store import names, settings, tombstones, words
from ...store.cutter import Cut
from ...store.db import Database
from ...store.errors import BadInput
from ...store.exchange import arriving, arriving_code, arriving_memories, gone
from ...store.exchange.arriving import Arrivals, Refused, Took
from ...store.exchange.arriving_memories import Standing
from ...store.models import searched
from ...store.names import Named
from ...store.tombstones import Tombstone
from ...store.words import Tokens
from .. import rate
from ..shown import shown
from ..told_anew import tell_anew
from . import carry_out, lines
from .cleaned import cleaned
from .lines import Damaged, Line
from .settle import settle
from .united import unite_lines

Progress = Callable[[int, int], None]
# What one transaction takes in: a few tens of milliseconds, nobody waits long behind it.
PIECE_LINES, PIECE_BYTES = 200, 2 << 20
ANOTHERS = "belongs to another user"
DAMAGED = "damaged"
# Of damaged lines so many are named.
NAMED = 20


@dataclass
class Imported:
    """
    What became of the lines of a file, by kind: added, known already, and refused, by reason. `damaged` names the
    first lines that could not be read, with what is wrong with them; `gone` counts rows that went because the file
    says that they are forgotten; `whole` is False where the file ended early.
    """

    added: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    damaged: list[tuple[int, str]] = field(default_factory=list)
    users: Counter[str] = field(default_factory=Counter)
    gone: int = 0
    whole: bool = False


@dataclass(frozen=True, slots=True)
class _Given:
    """A line and its number, ready to be taken: without secrets, and a memory with what it is found by."""

    n: int
    line: Line
    found_by: tuple[Tokens, Named] | None = None


def import_(
    db: Database,
    file: Path | None,
    *,
    user: str,
    now: int,
    theirs: str | None = None,
    cut: Cut | None,
    progress: Progress | None = None,
) -> Imported:
    """
    Take in what another file, or this one once, has exported; None: from standard input. What is known is left as it
    is, what was forgotten here stays so, and what the other forgot goes here too. Stopped at any moment, another run
    completes it.

    Args:
        user: whose memory this is; what belongs to another is refused, unless that one is named as `theirs`.

    Raises:
        BadInput: it is no export, or a newer one; nothing was written.
    """
    done = Imported()
    with _source(file) as (raw, place):
        try:
            head = lines.header(raw.readline(lines.LINE_BYTES + 1))
        except Damaged as e:
            raise BadInput(f"{file or 'The input'} cannot be imported: {e}.") from e
        except (OSError, EOFError, zlib.error) as e:
            raise BadInput(f"{file or 'The input'} cannot be imported: it is damaged ({e}).") from e
        here = Arrivals(now)
        salt = db.write(_salt, head.get("salt"))
        size = max(1, file.stat().st_size) if file else 0
        taker = _Taker(db, here, user, theirs, salt, cut, done, of=head.get("users", ()))
        for piece in _pieces(raw, done):
            taker.take(piece)
            if progress and size:
                progress(min(place(), size - 1), size)
    done.gone = db.write(carry_out.bereft, here.bereft, now=now, cut=cut) + _carry_out(db, now=now, cut=cut)
    unite_lines(db, cut=cut)
    if progress and size:
        progress(size, size)
    return done


@contextmanager
def _source(file: Path | None) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
    """The file's bytes, unpacked, and how far it has been read."""
    if file is None:
        yield sys.stdin.buffer, lambda: 0
        return
    try:
        raw = file.open("rb")
    except OSError as e:
        raise BadInput(f"{file} cannot be read ({e.strerror or e}).") from e
    with raw:
        if raw.peek(2)[:2] == b"\x1f\x8b":
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw)), raw.tell
        else:
            yield raw, raw.tell


def _salt(con: apsw.Connection, theirs: str | None) -> bytes:
    """This file's salt; that of the export where nothing was named with an own one yet."""
    if theirs and settings.get(con, "salt") is None:
        settings.put(con, "salt", theirs)
    return settings.salt(con)


def _pieces(raw: IO[bytes], done: Imported) -> Iterator[list[tuple[int, Line]]]:
    """The lines that can be taken, some at a time; what is wrong with the others is noted."""
    piece: list[tuple[int, Line]] = []
    size = seen = 0
    for n, text in _lines(raw, done):
        try:
            line = lines.read(text)
        except Damaged as e:
            _damaged(done, n, str(e))
            continue
        if line["type"] == "end":
            done.whole = line["lines"] == seen
            continue
        seen += 1
        piece.append((n, line))
        size += len(text)
        if len(piece) >= PIECE_LINES or size >= PIECE_BYTES:
            yield piece
            piece, size = [], 0
    yield piece


def _lines(raw: IO[bytes], done: Imported) -> Iterator[tuple[int, bytes]]:
    n = 1
    while True:
        n += 1
        try:
            text = raw.readline(lines.LINE_BYTES + 1)
            if len(text) > lines.LINE_BYTES:
                _damaged(done, n, "it is too long")
                while text and not text.endswith(b"\n"):
                    text = raw.readline(lines.LINE_BYTES)
                continue
        except (OSError, EOFError, zlib.error):  # a packed file that was cut off, or is none further on
            _damaged(done, n, "the packed file ends here, or is damaged from here on")
            return
        if not text:
            return
        if text.strip():
            yield n, text


def _damaged(done: Imported, n: int, why: str) -> None:
    done.refused[DAMAGED] += 1
    if len(done.damaged) < NAMED:
        done.damaged.append((n, why))


class _Taker:
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
            except (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError) as e:
                refused.append((given, DAMAGED))
                self._does_not_fit(given, e)
        if marks:
            new = gone.keep_marks(con, marks)
            took += [
                ("tombstone", "added" if mark.value in {one.value for one in new} else "known")
                for mark in marks
            ]
        for given, why in refused:
            self._refuse(given.line, why)
        return took

    def _does_not_fit(self, given: _Given, e: Exception) -> None:
        if len(self.done.damaged) < NAMED:
            self.done.damaged.append((given.n, f"{given.line['type']}: the file cannot hold it ({e})"))

    def _line(self, con: apsw.Connection, kind: str, given: _Given) -> Took:
        line, here = given.line, self.here
        if kind in ("body", "change", "turn", "name", "region", "workspace"):
            gone.arrived(con)
        if kind in _PLAIN:
            took = _PLAIN[kind](con, line, here)
            if kind == "feedback" and took == "added":
                rate.settle(con, arriving_memories.unretired(con, line["root"]))
            return took
        if kind == "body":
            return arriving_code.body(con, line, here, shown=shown)
        if kind == "change":
            return arriving_code.change(con, line, here, shown=shown)
        if kind == "event":
            return arriving.event(con, carry_out.without_forgotten(con, line), here)
        if line["kind"] == "turn":
            return self._turn_memory(con, given)
        return self._memory(con, given)

    def _memory(self, con: apsw.Connection, given: _Given) -> Took:
        line = given.line
        arriving_memories.check(con, line)
        known = arriving_memories.is_known(con, line["ulid"])
        slot = arriving_memories.slot_of(con, line, self.here.workspace(con, line.get("workspace")))
        if known:
            arriving_memories.meet(con, line)
            _settle(con, line["root"], slot)
            return "known"
        own_end = line.get("retired_at")
        if line.get("retired_why") == arriving_memories.DISPLACED:
            own_end = None  # that was found beside yet another file; here it is found anew
        since = line["valid_from"] if "valid_from" in line else line["recorded_at"]
        new = Standing(
            line["ulid"], line["root"], slot, "valid_to" not in line, since, line["recorded_at"], own_end
        )
        found = _settle(con, line["root"], slot, new)
        if new.retired_at is None and "retired_at" in line:
            line = {name: value for name, value in line.items() if name not in ("retired_at", "retired_why")}
        arriving_memories.memory(
            con, line, *self._found_by(given), self.here, displaced_at=found.get(new.ulid)
        )
        return "added"

    def _turn_memory(self, con: apsw.Connection, given: _Given) -> Took:
        line = given.line
        arriving_memories.check(con, line)
        id_ = arriving_memories.turn_memory(con, line, self.here)
        turn = self.here.turn(con, line["turn"])
        if id_ is None:
            arriving_memories.memory(con, line, *self._found_by(given), self.here, displaced_at=None)
        elif turn not in self.here.blanked and _knows_more(line, arriving_memories.told(con, id_)):
            line = cleaned(line, self.salt)
            arriving_memories.tell_turn(con, id_, line, *_found_by(line, self.cut))
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
    "evidence": arriving_memories.evidence, "link": arriving_memories.link,
    "feedback": arriving_memories.feedback, "thread": arriving_code.thread,
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


def _settle(con: apsw.Connection, root: str, slot: str, new: Standing | None = None) -> dict[str, int | None]:
    """Find again what is current among the versions of a memory and those that compete for its slot; of `new`, too."""
    # Those beside it may be versions of other memories, with rivals of their own.
    touched = arriving_memories.rivals(con, [root], [slot])
    beside = arriving_memories.rivals(con, [one.root for one in touched], [one.slot for one in touched])
    among = {one.ulid: one for one in (*touched, *beside)}
    if new is not None:
        among[new.ulid] = new
    wanted = [one.ulid for one in touched] + ([new.ulid] if new else [])
    found = settle(list(among.values()), wanted)
    changed = {
        ulid: at
        for ulid, at in found.items()
        if among[ulid].displaced_at != at and (new is None or ulid != new.ulid)
    }
    arriving_memories.displace(con, changed)
    return found


def _carry_out(db: Database, *, now: int, cut: Cut | None) -> int:
    """What the file has forgotten goes here too: looked for without the lock, since every word is; how many rows."""
    if not db.read(gone.pending):
        return 0
    found, renamed = db.read(lambda con: carry_out.find(con, tombstones.every(con)))
    return db.write(carry_out.write, found, renamed, now=now, cut=cut)
