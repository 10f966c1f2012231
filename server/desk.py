"""What a hook is answered: its payload read, kept, and met with what the agent should remember."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..pipelines import identity, recall, remember
from ..pipelines.embed import Asked
from ..pipelines.occasions import EditAhead, Ignored, Occasion, PromptSubmitted, SessionStarted
from ..store import clock, cutter, settings, workspaces
from ..store.db import Database
from ..store.errors import StoreBusy, StoreTooNew
from ..store.filters import Filter
from ..store.models import Located, Memory, Packet, Scope
from . import packing, render, rules, scrub, spool
from .clients import claude_code, cursor
from .doorway import Reply

if TYPE_CHECKING:
    from ..configs import Settings
    from ..pipelines.recall import Ask
    from .following import Following

log = logging.getLogger(__name__)

CLIENTS: Mapping[str, ModuleType] = {"claude-code": claude_code, "cursor": cursor}
# A hook waits for the file no longer than this; then its event goes to the spool, and is acknowledged from there.
CAPTURE_S = 0.05
# A hook waits 150 ms for its answer: a question that takes longer than this to embed is answered by words.
EMBED_S = 0.09
# Code history hangs under what was found, if that took no longer than this: it takes 5 to 15 ms itself, for which there
# is room after a vector that came only just in time (`EMBED_S`).
CODE_S = 0.1
# So long the note of what was given may wait for the file, with the hook gone already.
NOTE_S = 2.0
# What hooks left in the spool before is taken in first, if it is not more than a turn or two: what they tell of came
# before this.
FEW = 40


class NotFollowedYet(Exception):
    """What an event tells of code is in the queue behind the first look at its worktree; till then it stays spooled."""


class Desk:
    """Answers hooks for one home. Callable from any thread."""

    def __init__(
        self,
        db: Database,
        home: Path,
        options: Settings,
        *,
        ask: Ask | None = None,
        health: Callable[[], str | None] = lambda: None,
        following: Following | None = None,
        warm: Callable[[], bool] = lambda: True,
        now: Callable[[], int] = clock.now,
    ) -> None:
        self.db, self.home, self.options = db, home, options
        self._health, self._now, self._following, self._warm = health, now, following, warm
        self._ask = None if ask is None else partial(self._soon, ask)
        self._asking = ThreadPoolExecutor(2, thread_name_prefix="backstory-ask")
        # Folders met since this began, and those of them that may be clones of something known.
        self._met: set[str] = set()
        self._unsettled: set[str] = set()
        # What is queued and spooled at once: when it was told, and its event.
        self._queued: set[tuple[int, int | None]] = set()

    def answer(self, client: str, event: str, env: Mapping[str, Any], raw: bytes) -> Reply:
        """The hook's exact stdout; what it hands out is noted as given once the hook has it."""
        face = CLIENTS.get(client)
        if face is None:
            return Reply(b"")
        try:
            payload = json.loads(raw.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            payload = None
        if not isinstance(payload, dict):
            return Reply(face.answer(event, None))
        if 0 < spool.count(self.home).waiting <= FEW:
            # Else a session could be given again what its own hook gave it a moment ago.
            self.drain(within_s=CAPTURE_S)
        at = self._now()
        occasion: Occasion = face.read(event, payload, env, at)
        record = spool.Record(client, event, env, at, payload)
        try:
            where = self._locate(occasion)
        except StoreBusy:
            # A workspace that is new while the file is locked: nothing is known of it anyway.
            self._spool(record)
            return Reply(face.answer(event, None))
        context, handed = None, None
        if isinstance(occasion, EditAhead):
            context, handed = self._before_edit(occasion, where, at)
            told = None if handed is None else partial(self._note, handed, where.scope)
            return Reply(face.answer(event, context), told)
        match occasion:
            case PromptSubmitted():
                context, handed = self._for_prompt(occasion, where, at)
            case SessionStarted():
                context, handed = self._at_start(occasion, where, at)
        kept = self._keep(occasion, where, record)
        once_sent = None if handed is None else partial(self._given, handed, where.scope, record, kept=kept)
        return Reply(face.answer(event, context), once_sent)

    def replay(self, record: spool.Record, *, within_s: float = 10.0) -> None:
        """Keep an event that waited in the spool. Exactly once: its keys are those it had then."""
        face = CLIENTS.get(record.client)
        if face is None or not isinstance(record.payload, Mapping):
            return
        occasion: Occasion = face.read(record.event, record.payload, record.env, record.at)
        where = self._locate(occasion)
        outcome = remember.remember(
            occasion, where, db=self.db, now=self._now(), cut=cutter.load(), within_s=within_s
        )
        self._follow(occasion, where, outcome, record, late=True)
        if record.given and where.scope.source and where.scope.session:
            self.db.write_within(within_s, _note_given, where.scope, record.given, at=record.at)

    def drain(self, *, within_s: float = 10.0) -> int:
        """How many events that waited in the spool are now in the file; it waits so long for each to be written."""
        take = partial(self.replay, within_s=within_s)
        return spool.drain(self.home, take, later=(StoreBusy, StoreTooNew), stays=(NotFollowedYet,))

    def settle(self) -> None:
        """Find out of the folders met since the last call which repositories they are; it may start git."""
        while self._unsettled:
            folder = self._unsettled.pop()
            if not self.db.readonly and identity.unsettled(self.db, folder):
                identity.settle(self.db, folder, now=self._now())

    def _soon(self, ask: Ask, question: str) -> tuple[list[Asked], dict[str, str]]:
        """The question's vectors if they come in time; a late one is remembered for the next that asks the same."""
        try:
            return self._asking.submit(ask, question).result(EMBED_S)
        except TooLate:
            return [], {"vectors": "the question's vector took too long"}

    def _locate(self, occasion: Occasion) -> Located:
        if isinstance(occasion, Ignored):
            scope = Scope(self.options.user, None, occasion.data.get("session"), occasion.data.get("source"))
            return Located(scope)
        sender = occasion.sender
        scope = Scope(self.options.user, sender.agent, sender.session, sender.source)
        if sender.folder is None:
            return Located(scope)
        if sender.folder not in self._met:
            self._met.add(sender.folder)
            self._unsettled.add(sender.folder)
        return identity.locate(self.db, sender.folder, scope, now=self._now(), within_s=CAPTURE_S)

    def _keep(self, occasion: Occasion, where: Located, record: spool.Record) -> bool:
        """Whether the event is in the file; else it waits in the spool."""
        try:
            outcome = remember.remember(
                occasion, where, db=self.db, now=self._now(), cut=cutter.load(), within_s=CAPTURE_S
            )
            self._follow(occasion, where, outcome, record)
        except (StoreBusy, StoreTooNew) as e:
            log.info("kept in the spool: %s", e)
            self._spool(record)
            return False
        return True

    def _follow(
        self,
        occasion: Occasion,
        where: Located,
        outcome: remember.Outcome,
        record: spool.Record,
        *,
        late: bool = False,
    ) -> None:
        # What was known already has been followed already, unless it says otherwise.
        if self._following is None or not isinstance(outcome, remember.Kept):
            return
        if not (outcome.new or record.unfollowed):
            return
        is_cold, key = self._following.is_cold(occasion, where), (record.at, outcome.event)
        if key not in self._queued:
            self._following.seen(occasion, where, turn=outcome.turn, event=outcome.event, late=late)
        if not is_cold:
            self._queued.discard(key)
            return
        self._queued.add(key)
        if record.unfollowed:
            raise NotFollowedYet
        # A client may end this server within the second: what it told is not to be lost with the queue.
        record.unfollowed = True
        self._spool(record)

    def _note(self, handed: remember.Handed, scope: Scope) -> bool:
        """Whether it could be noted in the file what the session was given."""
        try:
            remember.note_handed(handed, scope, db=self.db, now=self._now(), within_s=NOTE_S)
        except (StoreBusy, StoreTooNew) as e:
            log.info("not noted as given: %s", e)
            return False
        return True

    def _given(self, handed: remember.Handed, scope: Scope, record: spool.Record, *, kept: bool) -> None:
        if not (kept and self._note(handed, scope)):
            # The event once more, which is once; now with what it was answered.
            record.given = [*([m.root, m.hash] for m in handed.memories), *map(list, handed.marks)]
            self._spool(record)

    def _spool(self, record: spool.Record) -> None:
        record.payload = scrub.without_secrets(record.payload, self.db.read(settings.salt_made))
        spool.put(self.home, record)

    def _for_prompt(
        self, occasion: PromptSubmitted, where: Located, at: int
    ) -> tuple[str | None, remember.Handed | None]:
        scope = where.scope
        if not scope.session or not scope.source or recall.paused(self.db, scope.workspace, now=at):
            return None, None
        code_by = time.monotonic() + CODE_S
        packet = recall.for_prompt(
            occasion.prompt, self._reach(scope, at), source=scope.source, session=scope.session,
            db=self.db, ask=self._ask, cut=cutter.load(), limit=self.options.hook_limit,
        )  # fmt: skip
        packet = recall.fitting(packet, where.folder)
        told, marks = self._code(packet, where) if time.monotonic() < code_by else ("", ())
        block = packing.prompt_block(packet, budget=self.options.hook_chars, code=told)
        shown = tuple(hit.memory for hit in packet.hits if hit.memory.short in block.shown)
        lines = frozenset(memory.id for memory in shown if memory.short in block.lines)
        return block.text or None, remember.Handed(shown, "hook", len(block.text), lines, marks)

    def _code(self, packet: Packet, where: Located) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The code history that hangs under what was found, and what to note of it as given."""
        scope = where.scope
        if scope.workspace is None or where.folder is None or not self.options.hook_code_chars:
            return "", ()
        try:
            from . import code_answers
            from .code_history import CodeHistory

            family = self.db.read(workspaces.family, scope.workspace)
            # While the parser is being loaded it would come too late; a client's first prompt is not to miss it.
            code = CodeHistory(self.db, scope.user, family, where.folder, parse=self._warm())
            chains = code.fresh(code_answers.attached(code, packet), scope.source, scope.session)
            told = code.block(
                chains, budget_chars=self.options.hook_code_chars, language=render.language_of(packet.query)
            )
        except Exception:
            log.exception("code history could not be attached")
            return "", ()
        return told.text, tuple(one.mark for one in chains if one.thread.id in told.threads)

    def _before_edit(
        self, ahead: EditAhead, where: Located, at: int
    ) -> tuple[str | None, remember.Handed | None]:
        """What was tried and undone in the code that is about to be edited, once a session and symbol."""
        scope = where.scope
        if not self.options.edit_notice or not ahead.paths or scope.workspace is None:
            return None, None
        if not self._warm() or recall.paused(self.db, scope.workspace, now=at):
            return None, None
        try:
            from . import edit_notice
            from .code_history import CodeHistory

            family = self.db.read(workspaces.family, scope.workspace)
            code = CodeHistory(self.db, scope.user, family, str(Path(ahead.paths[0]).parent))
            chains = edit_notice.undone(code, ahead, scope.source, scope.session)
            told = edit_notice.text(code, chains)
        except Exception:
            log.exception("nothing is said of what was tried before")
            return None, None
        marks = tuple(edit_notice.mark(one) for one in chains if one.thread.id in told.threads)
        return told.text or None, remember.Handed((), "hook", len(told.text), marks=marks)

    def _at_start(
        self, occasion: SessionStarted, where: Located, at: int
    ) -> tuple[str | None, remember.Handed | None]:
        scope, sender = where.scope, occasion.sender
        if recall.paused(self.db, scope.workspace, now=at) or not self.options.digest_chars:
            return None, None
        found = recall.digest(
            user=scope.user, workspace=scope.workspace, source=sender.source, session=sender.session,
            how=occasion.how, unfinished_days=self.options.unfinished_days, db=self.db, now=at, branch=scope.branch,
        )  # fmt: skip
        block = packing.digest_block(found, budget=self.options.digest_chars, now=at)
        memories: tuple[Memory, ...] = tuple(
            m for m in (*found.profile, *found.intentions, *found.latest) if m.short in block.shown
        )
        if sender.source == cursor.SOURCE and where.folder:
            try:
                rules.refresh_rules(self.home, where.folder, block.text)
            except OSError as e:
                log.warning("the rules file of %s stays as it is: %s", where.folder, e)
        note = self._health()
        text = "\n".join(filter(None, [block.text, note]))
        lines = frozenset(
            m.id
            for m in memories
            if m.short in block.lines or (m.kind == "turn" and not render.tells_all(m.line, m.text))
        )
        return text or None, remember.Handed(memories, "digest", len(block.text), lines)

    def _reach(self, scope: Scope, at: int) -> Filter:
        family = () if scope.workspace is None else tuple(self.db.read(workspaces.family, scope.workspace))
        return Filter(scope.user, at, family, branch=scope.branch)


def _note_given(con: Any, scope: Scope, given: list[list[str]], *, at: int) -> None:
    from ..store import deliveries

    for root, hash_ in given:
        deliveries.give_root(con, scope.source or "", scope.session or "", root, hash_, at=at)
