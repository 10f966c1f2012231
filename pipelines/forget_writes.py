"""Conductor: a plan of forgetting carried out, within one transaction of the caller's: marks first, then the rows."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from ..store import (
    erasing,
    erasing_code,
    evidence,
    lineage,
    passage_marks,
    settings,
    standing,
    tombstones,
    wiping,
)
from ..store.cutter import Cut
from ..store.events import content_hash
from ..store.lineage import Said
from ..store.wording import Words, joined
from .blanking import all_blank_bytes, all_blank_json, blanked, bytes_changed, json_changed, telling, without
from .exchange.settle import erase
from .forget_plan import Plan, Renamed
from .told_anew import tell_anew

# Names that may hold words, by what becomes of a row of them: a null in their place, a blanked name, or no row.
NULLED = (
    ("turn", "branch"), ("turn", "folder"), ("turn", "agent"), ("memory", "branch"), ("memory", "session"),
    ("memory", "agent"), ("change", "branch"), ("feedback", "session"), ("session", "end_reason"),
    ("run", "prompt"), ("run", "answer"), ("run", "prompt_hash"), ("job", "error"), ("upkeep", "error"),
)  # fmt: skip
BLANKED = (
    ("turn", "session"), ("turn", "prompt_id"), ("turn", "source"), ("change", "words"), ("change", "worktree"),
    ("thread_name", "branch"), ("region", "branch"), ("region", "path"), ("workspace", "name"),
    ("session", "session"), ("turn_alias", "session"), ("turn_alias", "prompt_id"), ("delivery", "session"),
    ("run", "reason"), ("run", "verdict"), ("evidence", "quote"),
)  # fmt: skip
DROPPED = (
    ("workspace_key", "key"), ("entity", "name"), ("entity_alias", "alias"), ("entity_form", "form"),
    ("followed", "worktree"), ("followed", "snapshot"), ("delivery", "root"), ("job", "key"), ("job", "payload"),
)  # fmt: skip


def write(con: apsw.Connection, plan: Plan, *, now: int, cut: Cut | None, mark: bool = True) -> None:
    """
    Carry it out. What was said is marked as forgotten, unless another file's marks have led to it; the wipe is wanting.
    """
    con.pragma("defer_foreign_keys", True)
    wiping.want(con, now=now)
    stay = lineage.said(con, set(plan.blanks) | plan.blind)
    if mark:
        _mark(con, plan, lineage.said(con, plan.events), stay, now=now)
    erase(con, plan.memories)
    erasing.events(con, plan.events)
    for event in stay:
        _blank(con, plan, event, now=now)
    erasing.drop_rows(con, "feedback", plan.feedback)
    # Before turns are told anew, by the names that they have.
    _names(con, plan.renamed)
    gone = [*_code(con, plan, mark_at=now if mark else None), *_turns(con, plan, now=now, cut=cut)]
    if mark:
        tombstones.bury_rows(con, gone, now=now)
    evidence.to_renew(con, sorted(plan.stands), now=now)
    if plan.names:
        _names(con, _renamed(con, plan.words))


def _mark(con: apsw.Connection, plan: Plan, gone: list[Said], stay: list[Said], *, now: int) -> None:
    memories = lineage.kept(con, plan.memories)
    tombstones.bury_rows(con, [*(one.ulid for one in memories), *(one.ulid for one in gone)], now=now)
    tombstones.bury_rows(con, erasing_code.turn_ulids(con, plan.turns), now=now)
    keys = [key for one in gone for key in _keys(one)]
    keys += [key for one in stay if is_hashed(one.key, one.content) for key in _keys(one)]
    tombstones.bury_keys(con, keys, now=now)
    quotes = [one.content[start:end] for one in stay for start, end in plan.blanks.get(one.id, ())]
    texts = [one.text for one in memories if one.kind != "turn"]
    tombstones.bury_contents(con, telling([*(one.content for one in gone), *texts, *quotes]), now=now)
    tombstones.bury_statements(con, telling([*texts, *quotes]), now=now)
    passage_marks.bury_passages(con, [*telling(texts), *telling(quotes)], now=now)
    passage_marks.bury_passages(con, plan.words.given, now=now, asked=plan.asked)
    for one in stay:
        tombstones.bury_spans(con, one.ulid, plan.blanks.get(one.id, ()), now=now)
    if plan.session is not None:
        sources = {one.source for one in gone}
        tombstones.bury_keys(con, [(source, plan.session, "", "session") for source in sources], now=now)


def _keys(event: Said) -> list[tuple[str, str, str, str]]:
    """What a client would send it again under: without the prompt's id, too, where the key alone names it."""
    own = [(event.source, event.session, event.prompt_id, event.key)]
    return [*own, (event.source, event.session, "", event.key)] if _names_alone(event) else own


def _names_alone(event: Said) -> bool:
    """Whether no other event of the session has that key: each of its turns has a prompt, a first message, an "ok"."""
    if event.key.startswith(("tool:", "add:", "subagent:")):
        return True
    return is_hashed(event.key, event.content) and bool(telling([event.content]))


def is_hashed(key: str, content: str) -> bool:
    """Whether an event's key tells a hash of what it says."""
    return content_hash(content)[:12] in key


def is_all(content: str, spans: Iterable[tombstones.Span]) -> bool:
    """Whether those passages are the whole text."""
    return bool(content) and joined(spans) == ((0, len(content)),)


def other_key(ulid: str) -> str:
    """The key of an event whose own one told a hash of what is blanked: the same in each file."""
    return f"blanked:{ulid}"


def _blank(con: apsw.Connection, plan: Plan, event: Said, *, now: int) -> None:
    spans = plan.blanks.get(event.id, ())
    content = blanked(event.content, spans)
    quotes = Words([*plan.words.given, *telling(event.content[start:end] for start, end in spans)])

    def clean(text: str) -> str:
        marked = passage_marks.marked(text, plan.marks, said_at=event.occurred_at) if plan.marks else []
        return blanked(text, [*quotes.spans(text), *(span for span, _ in marked)])

    # Of what says nothing any more, nothing else is kept either.
    nothing = event.id in plan.blind or is_all(event.content, spans)
    data = all_blank_json(event.data) if nothing else json_changed(event.data, clean)
    if len(content) == len(event.content):
        key = other_key(event.ulid) if is_hashed(event.key, event.content) else None
        erasing.blank(con, event.id, content, data, key=key, at=plan.when.get(event.id, now))


def _code(con: apsw.Connection, plan: Plan, *, mark_at: int | None) -> list[str]:
    erasing.drop_rows(con, "thread", plan.threads)
    if not plan.code and not plan.hidden:
        return []
    erasing_code.unfollow(con, erasing_code.worktrees(con, plan.code))
    gone = erasing_code.ulids(con, plan.code.changes)
    made = erasing_code.made_by(con, plan.code)

    def clean(text: str) -> str:
        marked = passage_marks.marked(text, plan.code_marks, said_at=-1) if plan.code_marks else []
        return blanked(text, [*plan.words.spans(text), *(span for span, _ in marked)])

    erasing_code.blank(con, plan.code, lambda raw: bytes_changed(raw, clean), settings.salt(con))
    erasing_code.blank(con, erasing_code.wholly(con, plan.hidden), all_blank_bytes, settings.salt(con))
    gone += erasing_code.erase(con, plan.code)
    if mark_at is not None:
        still = erasing_code.packed(con, "body", "packed", made)
        tombstones.bury_bodies(
            con, [raw for id_, raw in made.items() if id_ not in still and telling([raw.decode("utf-8", "replace")])],
            now=mark_at,
        )  # fmt: skip
    return gone


def _turns(con: apsw.Connection, plan: Plan, *, now: int, cut: Cut | None) -> list[str]:
    erasing.stands_alone(con, plan.turns, plan.session)
    erasing.turns(con, erasing.empty(con, plan.turns) if not plan.workspaces else plan.turns)
    gone = tell_anew(con, plan.mirrored, now=now, cut=cut)
    erasing.quiet_log(con, plan.mirrored)
    if plan.session is not None or plan.workspaces:
        erasing.empty_sessions(con, plan.user, plan.session, plan.workspaces)
    if plan.workspaces:
        erasing_code.of_workspaces(con, plan.workspaces)
        erasing.workspaces(con, plan.workspaces)
    return gone


def _names(con: apsw.Connection, renamed: Renamed) -> None:
    """Blank words in names of branches, folders and sessions, in messages of commits, and in the log."""
    for (table, column), names in renamed.items():
        if (table, column) in DROPPED:
            erasing.drop(con, table, column, list(names))
        elif (table, column) in NULLED:
            erasing.replace(con, table, column, dict.fromkeys(names))
        else:
            erasing.replace(con, table, column, names)


def _renamed(con: apsw.Connection, words: Words) -> Renamed:
    columns = (*NULLED, *BLANKED, *DROPPED) if words else ()
    found = {(table, column): standing.distinct(con, words, table, column) for table, column in columns}
    return {where: {one: without(one, words) for one in names} for where, names in found.items() if names}
