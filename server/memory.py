"""`Memory`: what tools, the command line and Python programs call; what the tools do, without a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

from .. import configs
from ..pipelines import correct, keep, recall
from ..pipelines.keep import Added
from ..pipelines.request import Request
from ..store import DATABASE, clock, conflicts, cutter, memories, settings, slots, workspaces
from ..store.db import Database
from ..store.errors import BadInput, StoreDamaged
from ..store.models import Kind, Located, Mode, Origin, Packet, Scene, Scope, Status
from ..store.models import Memory as Row
from ..store.ratings import Verdict
from . import lineage, reach, shapes
from .asked import (
    Deleted,
    Detail,
    Listing,
    Updated,
    bounded,
    check_moments,
    short_id,
)
from .configured import model_of, share_settings
from .vectors import Vectors
from .whole_file import WholeFile

if TYPE_CHECKING:
    from ..configs import Settings
    from ..pipelines.embedding import Progress as Tended
    from ..pipelines.llm import Model
    from ..pipelines.reindex import Reindexed
    from ..pipelines.upkeep_tasks import Workplace
    from ..store.progress import Progress
    from .code_history import CodeHistory
    from .forgetting import Done


class Memory(WholeFile):
    """An open memory file, and who asks of it from where. Callable from any thread; close it when done."""

    def __init__(
        self,
        db: Database,
        *,
        home: Path,
        options: Settings,
        at: Located,
        vectors: Vectors | None = None,
        model: Model | None = None,
        now: Callable[[], int] = clock.now,
    ) -> None:
        self.db, self.home, self.options, self.at, self.model = db, home, options, at, model
        self.vectors = vectors or Vectors(db, home, options, lazily=True)
        self.now = now

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        folder: Path | str | None = None,
        source: str = "api",
        session: str | None = None,
        agent: str | None = None,
        options: Settings | None = None,
        now: Callable[[], int] = clock.now,
        **flags: Any,
    ) -> Memory:
        """
        The memory in `path` (default: the home's), for whoever works in `folder`.

        Args:
            path: the file; its folder then serves as the home.
            folder: a folder of the workspace; None: global memory only.
            source, session, agent: who asks; kept with what they add.
            options, flags: the settings, or single ones (`embedder="none"`).

        Raises:
            StoreDamaged, StoreBusy, BadInput: with a sentence that says what to do.
        """
        shapes.check(path=path, folder=folder, source=source, session=session, agent=agent)
        file = Path(path) if path is not None else configs.home() / DATABASE
        options = options or configs.load(file.parent, **flags)
        try:
            db = Database.open(file)
        except OSError as e:
            raise StoreDamaged(
                f"{file.parent} cannot be used ({e.strerror}); is it a folder of yours?"
            ) from e
        share_settings(db, options)
        scope = Scope(options.user, agent, session, source)
        at = Located(scope) if folder is None else locate(db, str(folder), scope, now=now())
        return cls(db, home=file.parent, options=options, at=at, model=model_of(options, db), now=now)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file, and of the model where one was asked."""
        if self.model is not None:
            self.model.close()
        self.db.close()

    def add(
        self,
        content: str | None = None,
        *,
        messages: Sequence[Mapping[str, Any]] | None = None,
        scope: Scope | None = None,
        scene: Scene | None = None,
        kind: Kind | None = None,
        importance: float | None = None,
        memory_at: int | None = None,
        expires: int | None = None,
        workspace: str | None = None,
        meta: Mapping[str, Any] | None = None,
        origin: Origin = "agent",
    ) -> list[Added]:
        """
        Keep a text as one memory, or messages as the turns they are; searchable when this returns.

        Args:
            memory_at: since when it is true, UTC microseconds; expires: until when it is of use.
            workspace: a folder or name, or `global`; default: where this was opened.
            meta: carried, not searched.

        Raises:
            BadInput: nothing was written.
        """
        shapes.check(
            content=content, messages=messages, scope=scope, scene=scene, kind=kind, importance=importance,
            workspace=workspace,
        )  # fmt: skip
        shapes.check_meta(meta)
        check_moments(memory_at=memory_at, expires=expires)
        self._not_paused()
        if kind == "profile" and workspace is None and scope is None:
            workspace = "global"  # who someone is does not end at a project's edge
        place = reach.place(self.db, scope or self.at.scope, workspace, write=True)
        request = Request(
            place, content, messages, scene, kind, importance, memory_at, expires, meta or {}, origin,
            anywhere=workspace is None and scope is None, asker=scope or self.at.scope,
        )  # fmt: skip
        return keep.keep(request, db=self.db, now=self.now(), cut=cutter.load())

    def search(
        self,
        query: str | Sequence[str],
        *,
        scope: Scope | None = None,
        workspace: str | None = None,
        scene: Scene | None = None,
        kinds: Sequence[Kind] | None = None,
        since: int | None = None,
        until: int | None = None,
        sources: Sequence[str] | None = None,
        session: str | None = None,
        status: Status = "live",
        as_of: int | None = None,
        known_as_of: int | None = None,
        limit: int | None = None,
        page: int = 1,
        mode: Mode = "default",
    ) -> Packet:
        """
        The memories that answer a question, or several at once, best first; none is a normal answer.

        `as_of` asks for what was true at that moment, as it is known now; `known_as_of` for what would have been said
        at that moment; both for what was held at the one of the other. UTC microseconds.

        `mode` "agentic" lets the model put the question in other words first, unless a scene is named; the packet's
        `degraded` says where it could not.
        """
        shapes.check(query=query, scope=scope)
        limit = bounded(self.options.tool_limit if limit is None else limit, page)
        wanted = reach.wanted(
            self.db, scope or self.at.scope, self.now(), workspace=workspace, scene=scene, kinds=kinds,
            since=since, until=until, sources=sources, session=session, status=status, as_of=as_of,
            known_as_of=known_as_of,
        )  # fmt: skip
        questions = [query] if isinstance(query, str) else list(query)
        search = recall.several
        if mode == "agentic" and scene is None:
            from ..pipelines import agentic

            search = partial(agentic.several, model=self.model)
        packet = search(
            questions, wanted, db=self.db, ask=self.vectors.ask, cut=cutter.load(),
            limit=limit, offset=(page - 1) * limit,
        )  # fmt: skip
        return recall.fitting(packet, self.at.folder, asked="experience" in (kinds or ()))

    def list(
        self,
        *,
        scope: Scope | None = None,
        workspace: str | None = None,
        scene: Scene | None = None,
        kind: Kind | None = None,
        kinds: Sequence[Kind] | None = None,
        since: int | None = None,
        until: int | None = None,
        sources: Sequence[str] | None = None,
        session: str | None = None,
        status: Status = "live",
        as_of: int | None = None,
        known_as_of: int | None = None,
        limit: int | None = None,
        page: int = 1,
    ) -> Listing:
        """What is kept, latest first; at another moment where `as_of` or `known_as_of` says so, as in `search`."""
        shapes.check(kind=kind, scope=scope)
        limit = bounded(self.options.tool_limit if limit is None else limit, page)
        wanted = reach.wanted(
            self.db, scope or self.at.scope, self.now(), workspace=workspace, scene=scene,
            kinds=[kind] if kind else kinds, since=since, until=until, sources=sources, session=session,
            status=status, as_of=as_of, known_as_of=known_as_of,
        )  # fmt: skip
        found, total = self.db.read(memories.listing, wanted, limit=limit, offset=(page - 1) * limit)
        return Listing(tuple(found), total, page, wanted.now_at, as_of, known_as_of)

    def get(self, id: str | int) -> Detail:  # noqa: A002  the design's word
        """One memory, its evidence and its versions. Raises NotFound."""
        number, now = short_id(id), self.now()

        def read(con: Any) -> Detail:
            memory = correct.owned(con, number, self.at.scope)
            line = slots.line(con, memory.scope, memory.slot) if memory.slot else []
            return replace(
                lineage.detail(con, memory),
                line=tuple(one for one in line if one.root != memory.root),
                against=conflicts.against(con, [memory.id], now=now).get(memory.id, ()),
                read_at=now,
            )

        return self.db.read(read)

    def update(
        self,
        id: str | int,  # noqa: A002
        *,
        content: str | None = None,
        importance: float | None = None,
        valid_to: int | None = None,
        feedback: Verdict | None = None,
        restore: bool = False,
    ) -> Updated:
        """
        Correct a memory: a new version takes its place, the old one stays in its history. `feedback` rates it, and
        writes no version; nor does `restore` where it had only faded.
        """
        shapes.check(content=content, importance=importance, restore=restore)
        check_moments(valid_to=valid_to)
        new, old = correct.correct(
            short_id(id), scope=self.at.scope, db=self.db, now=self.now(), cut=cutter.load(),
            content=content, importance=importance, valid_to=valid_to, feedback=feedback, restore=restore,
        )  # fmt: skip
        return Updated(new, f"m{new}", old.short, feedback, old.retired_at is None and restore)

    @overload
    def delete(self, id: str | int) -> Deleted: ...
    @overload
    def delete(
        self, id: str | int | None = None, *, forget: bool = ..., preview: bool = ..., **which: Any
    ) -> Done: ...
    def delete(
        self,
        id: str | int | None = None,  # noqa: A002
        *,
        forget: bool = False,
        preview: bool = False,
        **which: Any,
    ) -> Any:
        """
        Take memories out of recall, which `update(id, restore=True)` takes back; or `forget` them for good. `preview`
        shows what it would come to.

        Args:
            which: instead of an id query (words), file, session, workspace, since, until (UTC microseconds).
        """
        from . import forgetting

        return forgetting.delete(self, id, forget=forget, preview=preview, **which)

    def code(self) -> CodeHistory:
        """Code history, as it is read from where this was opened, at this moment."""
        from .code_history import CodeHistory

        return CodeHistory(self.db, self.at.scope.user, self._family, self.at.folder)

    def pause(self, *, until: int | None, here: bool = False) -> None:
        """Keep and recall nothing until then (0: without end; None: go on), here only or everywhere."""
        shapes.check(here=here)
        check_moments(until=until)
        workspace = self.at.scope.workspace if here else None
        if here and workspace is None:
            raise BadInput("This folder is no workspace; leave out --here, or go to a project's folder.")
        if until is None and not here:
            self.db.write(settings.resume)
        else:
            self.db.write(settings.pause, workspace=workspace, until=until)

    def tend(self, *, progress: Progress | None = None) -> Tended:
        """Do what waits: draw from turns, ask the model, keep the file up, make vectors; what came of the vectors."""
        from ..pipelines import refine, sum_up, tend

        embedder = self.vectors.load()
        done = tend.once(
            self.db,
            embedder,
            cut=cutter.load(),
            clock=self.now,
            progress=progress,
            why_not=self.vectors.why_not,
            place=self.upkeep_place(),
            refines=self.model is not None,
        )
        if self.model is not None:
            whose = tend.owner(self.now())
            while refine.step(self.db, self.model, whose, cut=cutter.load(), now=self.now()):
                continue
            while sum_up.step(self.db, self.model, whose, cut=cutter.load(), now=self.now()):
                continue
        return done

    def reindex(self, *, progress: Progress | None = None) -> Reindexed:
        """Make every search index anew from the rows."""
        from ..pipelines import reindex

        return reindex.reindex(self.db, cutter.load(), progress=progress)

    def status(self) -> dict[str, Any]:
        """What is kept, what is waiting, what it costs, as one JSON object."""
        from . import report

        return report.status(self.db, self.home, self.options, self.at, model=self.model, now=self.now())

    def settle(self) -> None:
        """Find out what takes a process of git: which repository this is a clone of. A server does it at start."""
        from ..pipelines import identity

        if self.at.folder is not None and not self.db.readonly:
            identity.settle(self.db, self.at.folder, now=self.now())

    def upkeep_place(self) -> Workplace:
        """What upkeep needs beside the file: where snapshots lie, and for how long the log is kept."""
        from ..pipelines.upkeep_tasks import Workplace

        return Workplace(home=self.home, log_days=self.options.log_days)

    def drain(self) -> int:
        """Bring in what hooks have left in the spool; how many events that were. A server does this by itself."""
        from .desk import Desk

        return 0 if self.db.readonly else Desk(self.db, self.home, self.options, now=self.now).drain()

    def workspace_name(self, memory: Row) -> str | None:
        """The name of a memory's workspace where it is another one than ours; None for ours and for global."""
        theirs = memory.scope.workspace
        if theirs is None or theirs in self._family:
            return None
        return self.db.read(workspaces.name, theirs)

    @property
    def _family(self) -> tuple[int, ...]:
        ours = self.at.scope.workspace
        return () if ours is None else tuple(self.db.read(workspaces.family, ours))

    def _not_paused(self) -> None:
        if recall.paused(self.db, self.at.scope.workspace, now=self.now()):
            raise BadInput("Memory is paused; go on with `backstory pause --off`.")


def locate(db: Database, folder: str, scope: Scope, *, now: int) -> Located:
    """Where that folder is: its workspace (made known if it is new), branch and commit."""
    from ..pipelines import identity

    return identity.locate(db, folder, scope, now=now)
