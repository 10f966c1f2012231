"""The marks of what another file has forgotten: kept beside ours, and the rows that they mean here."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import apsw

from .. import bodies, erasing_code, passage_marks, settings, tombstones
from ..erasing_code import NO_CODE, CodeRows
from ..passage_marks import Marked
from ..rows import fetch, first
from ..tombstones import Span, Tombstone
from ..wording import texts_of

# Set while marks are kept that are not carried out yet, so that whoever was killed between is made up for.
PENDING = "carry_out"


@dataclass(frozen=True, slots=True)
class Found:
    """Rows that go, by their kind; of events that stand the passages to be blanked, and when those were forgotten."""

    memories: frozenset[int] = frozenset()
    events: frozenset[int] = frozenset()
    turns: frozenset[int] = frozenset()
    feedback: frozenset[int] = frozenset()
    code: CodeRows = NO_CODE
    threads: frozenset[int] = frozenset()
    blanks: Mapping[int, tuple[int, tuple[Span, ...]]] = field(default_factory=dict)
    # Of passages, which are looked for in the data of those events, too.
    marks: Marked = field(default_factory=dict)
    # Of words that someone asked to have forgotten, which are looked for in names and code.
    asked: Marked = field(default_factory=dict)
    # Bodies of code that were forgotten whole.
    hidden: frozenset[int] = frozenset()


def keep_marks(con: apsw.Connection, marks: Iterable[Tombstone]) -> list[Tombstone]:
    """Keep marks that came from another file; those that say more than what was known here."""
    new = []
    for mark in marks:
        known = first(
            con,
            "select created_at, data from tombstone where kind = ? and value = ?",
            (mark.kind, mark.value),
        )
        spans = set(mark.spans)
        at = mark.created_at
        if known is not None:
            before = {(start, end) for start, end in json.loads(known[1]).get("spans", ())}
            if known[0] >= mark.created_at and spans <= before:
                continue
            spans |= before
            at = max(at, int(known[0]))
        united = replace(mark, created_at=at, spans=tuple(sorted(spans)))
        tombstones.put(con, united)
        new.append(united)
    if new:
        settings.put(con, PENDING, "1")
    return new


def find(con: apsw.Connection, marks: Sequence[Tombstone]) -> Found:
    """The rows here that marks mean: by their ULID, by the key and the words that they came with."""
    ulids = [mark.value for mark in marks if mark.kind == "row"]
    keys, wholes = _hashed(marks, "key"), _hashed(marks, "content")
    passages = passage_marks.of_passages(marks)
    memories, events = _named(con, "memory", ulids), _named(con, "event", ulids)
    blanks: dict[int, tuple[int, tuple[Span, ...]]] = {}
    if keys or wholes or passages:
        memories |= _told(con, wholes, passages)
        said, blanks = _said(con, keys, wholes, passages)
        events |= said
    stand = _named(con, "event", [mark.value for mark in marks if mark.kind == "blank"])
    # What stands without some words is known by its key, too, so that it is not sent again with them.
    events -= stand - _named(con, "event", ulids)
    for mark in marks:
        if mark.kind == "blank" and (row := first(con, "select id from event where ulid = ?", (mark.value,))):
            at, spans = blanks.get(int(row[0]), (0, ()))
            blanks[int(row[0])] = max(at, mark.created_at), (*spans, *mark.spans)
    asked = passage_marks.of_passages(mark for mark in marks if mark.asked)
    bodies_, patches, hidden = _coded(con, asked, tombstones.of_code(marks))
    code = CodeRows(changes=frozenset(_named(con, "change", ulids)), bodies=bodies_, patches=patches)
    return Found(
        frozenset(memories), frozenset(events), frozenset(_named(con, "turn", ulids)),
        frozenset(_named(con, "feedback", ulids)), code,
        frozenset(_named(con, "thread", ulids)),
        {event: told for event, told in blanks.items() if event not in events}, passages, asked, hidden,
    )  # fmt: skip


def _named(con: apsw.Connection, table: str, ulids: Sequence[str]) -> set[int]:
    rows = fetch(
        con, f"select id from {table} where ulid in (select value from json_each(?))", (json.dumps(ulids),)
    )
    return {int(id_) for (id_,) in rows}


Hashed = Mapping[bytes, Mapping[str, int]]


def _hashed(marks: Sequence[Tombstone], kind: str) -> Hashed:
    """Marks of a kind by their salt: when what hashes to a value was forgotten."""
    by_salt: dict[bytes, dict[str, int]] = defaultdict(dict)
    for mark in marks:
        if mark.kind == kind and not (mark.words or mark.code):
            by_salt[bytes.fromhex(mark.salt)][mark.value] = mark.created_at
    return by_salt


def _is_gone(hashed: Hashed, text: str, at: int) -> bool:
    return any(at < gone.get(tombstones.hash_of(salt, text), at) for salt, gone in hashed.items())


def _said(
    con: apsw.Connection, keys: Hashed, wholes: Hashed, passages: Marked
) -> tuple[set[int], dict[int, tuple[int, tuple[Span, ...]]]]:
    """Events that came under a forgotten key, or say what was forgotten after they said it; passages of the others."""
    found: set[int] = set()
    blanks: dict[int, tuple[int, tuple[Span, ...]]] = {}
    rows = con.execute(
        """
        select event.id, event.occurred_at, event.content, event.data, turn.source, turn.session, turn.prompt_id,
               event.key
        from event join turn on turn.id = event.turn"""
    )
    for id_, at, content, data, source, session, prompt_id, key in rows:
        known_by = [(source, session, prompt_id, key), (source, session, "", key)] if keys else []
        plain = tombstones.normalised(str(content)) if wholes else ""
        if any(_is_gone(keys, "\0".join(map(str, one)), int(at)) for one in known_by) or (
            plain and _is_gone(wholes, plain, int(at))
        ):
            found.add(int(id_))
        if passages:
            marked = passage_marks.marked(str(content), passages, said_at=int(at))
            beside = [
                one
                for text in texts_of(data)
                for one in passage_marks.marked(text, passages, said_at=int(at))
            ]
            if marked or beside:
                blanks[int(id_)] = (
                    max(when for _, when in (*marked, *beside)),
                    tuple(span for span, _ in marked),
                )
    return found, blanks


def _coded(
    con: apsw.Connection, passages: Marked, whole: tombstones.MarkedCode
) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """Bodies, and patches, with passages that were forgotten after they were first seen; bodies forgotten whole."""
    found: dict[str, set[int]] = {"body": set(), "round": set()}
    if not passages and not whole:
        return frozenset(), frozenset(), frozenset()
    # What no round leads to came with a file whose rounds are known here, or refused.
    hidden = erasing_code.loose(con)
    seen = {"body": erasing_code.seen_at(con), "round": erasing_code.patched_at(con) if passages else {}}
    for table, column in (("body", "packed"), ("round", "patch")):
        for id_, at in seen[table].items():
            raw = bodies.unpack(fetch(con, f"select {column} from {table} where id = ?", (id_,))[0][0])
            if table == "body" and tombstones.is_code_gone(whole, raw):
                hidden.add(id_)
            elif passages and passage_marks.marked(
                raw.decode("utf-8", "surrogateescape"), passages, said_at=at
            ):
                found[table].add(id_)
    return frozenset(found["body"]), frozenset(found["round"]), frozenset(hidden)


def arrived(con: apsw.Connection) -> None:
    """Note that code or a name has come in while marks are kept that may mean it."""
    if tombstones.any_of(con, "content"):
        settings.put(con, PENDING, "1")


def _told(con: apsw.Connection, wholes: Hashed, passages: Marked) -> set[int]:
    """Memories that say what was forgotten after they, or earlier versions of the same text, were recorded."""
    rows = con.execute(
        """
        select id, min(min(recorded_at, ifnull(json_extract(data, '$.stated.at'), recorded_at)))
                     over (partition by root, text), text
        from memory where kind <> 'turn'"""
    )
    return {
        int(id_)
        for id_, at, text in rows
        if (wholes and _is_gone(wholes, tombstones.normalised(str(text)), int(at)))
        or (passages and passage_marks.marked(str(text), passages, said_at=int(at)))
    }


def carried(con: apsw.Connection) -> None:
    """Note that all marks are carried out."""
    settings.put(con, PENDING, None)


def pending(con: apsw.Connection) -> bool:
    """Whether marks are kept that may not be carried out yet."""
    return settings.get(con, PENDING) is not None
