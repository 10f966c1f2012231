"""Which part of the file a caller's words reach: workspaces by name, filters checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from ..store import workspaces
from ..store.db import Database
from ..store.errors import BadInput, NotFound
from ..store.filters import Filter
from ..store.models import KINDS, SCENES, Kind, Scene, Scope, Status
from . import shapes
from .asked import STATUSES, check_moments, known


def place(db: Database, base: Scope, workspace: str | None, *, write: bool) -> Scope:
    """The scope that `workspace` names, a folder or a name or `global`, for the user of `base`; None: `base`."""
    if workspace is None:
        return base
    if workspace == "global":
        return replace(base, workspace=None, branch=None)
    if write and workspace == "all":
        raise BadInput("A memory belongs to one workspace or is global; name one, or use workspace='global'.")
    return replace(base, workspace=_workspace(db, workspace), branch=None)


def only(db: Database, base: Scope, workspace: str) -> int:
    """The workspace that a folder or a name leads to; `.` is the one that `base` is in. Raises BadInput, NotFound."""
    if workspace != ".":
        return _workspace(db, workspace)
    if base.workspace is None:
        raise BadInput("This folder is no workspace that memory knows; name one.")
    return base.workspace


def _workspace(db: Database, name: str) -> int:
    from ..pipelines import identity

    path = os.path.expanduser(name)
    # Only what memory knows already: a model's word makes no workspace of any folder there is.
    if os.path.isabs(path) and (found := identity.known(db, path)) is not None:
        return found
    named = db.read(workspaces.named, name)
    if len(named) == 1:
        return named[0]
    if named:
        raise BadInput(f"{len(named)} workspaces are called {name!r}; give the folder's full path instead.")
    raise NotFound(
        f"Memory knows no workspace {name!r}; give the full path of one it has worked in, or `all`, or `global`."
    )


def wanted(
    db: Database,
    base: Scope,
    now: int,
    *,
    workspace: str | None,
    scene: Scene | None,
    kinds: Sequence[Kind] | None,
    since: int | None,
    until: int | None,
    sources: Sequence[str] | None,
    session: str | None,
    status: Status,
    as_of: int | None = None,
    known_as_of: int | None = None,
) -> Filter:
    """What a search or a listing from `base` may answer with. Raises BadInput, NotFound."""
    check_moments(since=since, until=until, as_of=as_of, known_as_of=known_as_of)
    if since is not None and until is not None and since > until:
        raise BadInput("since lies after until; exchange them.")
    shapes.check(
        workspace=workspace, scene=scene, kinds=kinds, sources=sources, session=session, status=status
    )
    known("scene", [scene] if scene else [], SCENES)
    known("kind", kinds or [], KINDS)
    known("status", [status], STATUSES)
    if (as_of is not None or known_as_of is not None) and status not in ("live", "all"):
        raise BadInput(
            f"as_of and known_as_of read all that was held then, and status={status!r} only what no longer is; "
            "leave one of them out."
        )
    where = place(db, base, None if workspace == "all" else workspace, write=False)
    reach: tuple[int, ...] | None = ()
    if workspace == "all":
        reach = None
    elif where.workspace is not None:
        reach = tuple(db.read(workspaces.family, where.workspace))
    return Filter(
        where.user, now, reach, scene, tuple(kinds) if kinds else None,
        tuple(sources) if sources else None, session, since, until, status, as_of, known_as_of, where.branch,
    )  # fmt: skip
