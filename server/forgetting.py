"""What someone wants gone: by id or by filter, retired or forgotten for good, shown first or done."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..pipelines import correct, retiring
from ..pipelines.forget_plan import Wanted
from ..store import cutter, evidence, workspaces
from ..store.errors import BadInput
from ..store.standing import Reach
from . import reach, shapes
from .asked import Deleted, check_moments, short_id

if TYPE_CHECKING:
    from ..pipelines.forget import Forgotten
    from ..pipelines.forget_preview import Preview
    from .memory import Memory

# Fewer letters stand everywhere; a Chinese character counts as two.
LEAST = 4
QUERY_CHARS = 10_000
WHICH = ("query", "file", "session", "workspace", "since", "until")


@dataclass(frozen=True, slots=True)
class Retired:
    """The memories that answered to a filter and left recall, or would; the first lines of some."""

    count: int
    some: tuple[tuple[str, str], ...]


if TYPE_CHECKING:
    Done: TypeAlias = Deleted | Retired | Preview | Forgotten


def delete(
    memory: Memory,
    id: str | int | None,  # noqa: A002
    *,
    forget: bool,
    preview: bool,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
    **which: Any,
) -> Done:
    """Carry it out, or show what it would come to. Raises BadInput where it is not said what."""
    wanted = _wanted(memory, id, **which)
    if not forget:
        if wanted.ids and not preview:
            old = correct.retire(
                wanted.ids[0], scope=memory.at.scope, db=memory.db, now=memory.now(), cut=cutter.load()
            )
            fell = memory.db.read(evidence.fell_with, old.root)
            return Deleted(old.id, old.short, tuple(one.short for one in fell))
        done = retiring.retire(wanted, db=memory.db, now=memory.now(), cut=cutter.load(), preview=preview)
        return Retired(*done)
    from ..pipelines import forget as forgetting

    if preview:
        return forgetting.preview(wanted, db=memory.db)
    # What hooks have left in the spool is part of what is to go.
    memory.drain()
    return forgetting.forget(
        wanted, db=memory.db, home=memory.home, now=memory.now(), cut=cutter.load(), progress=progress
    )


def _wanted(memory: Memory, id_: str | int | None, **which: Any) -> Wanted:
    if unknown := [name for name in which if name not in WHICH]:
        raise BadInput(f"There is no filter {unknown[0]!r}; use one of {', '.join(WHICH)}.")
    given = {name: value for name, value in which.items() if value is not None}
    user = memory.at.scope.user
    if id_ is not None:
        if given:
            raise BadInput(f"Give an id, or {' and '.join(given)}, not both.")
        return Wanted(Reach(user), ids=(short_id(id_),))
    if not given:
        raise BadInput(f"Say which: an id such as m42, or one of {', '.join(WHICH)}.")
    shapes.check(**{name: given[name] for name in ("query", "file", "session", "workspace") if name in given})
    check_moments(since=given.get("since"), until=given.get("until"))
    _check(given)
    where = _workspaces(memory, given.get("workspace"))
    its = Reach(user, given.get("session"), where, given.get("since"), given.get("until"))
    return Wanted(its, query=given.get("query"), **_file(memory, given.get("file"), where))


def _check(given: dict[str, Any]) -> None:
    if "query" in given and "file" in given:
        raise BadInput("Give query (a text) or file (a path), not both.")
    if isinstance(given.get("query", ""), list | tuple):
        raise BadInput("query is one text here: the words that are to go.")
    if "query" in given:
        text = given["query"].strip()
        if sum(2 if letter > "\u2e7f" else 1 for letter in text if letter.isalnum()) < LEAST:
            raise BadInput("query is too short: so few letters stand everywhere. Give whole words.")
        if len(text) > QUERY_CHARS:
            raise BadInput(f"query has {len(text):,} characters; {QUERY_CHARS:,} are the limit.")
        given["query"] = text
    since, until = given.get("since"), given.get("until")
    if since is not None and until is not None and since > until:
        raise BadInput("since lies after until; exchange them.")
    if set(given) == {"workspace"} and given["workspace"] == "all":
        raise BadInput("workspace='all' alone is everything; name one, or give a text, a file or a time.")


def _workspaces(memory: Memory, name: str | None) -> tuple[int, ...] | None:
    if name is None or name == "all":
        return None
    place = reach.place(memory.db, memory.at.scope, name, write=False)
    return tuple(memory.db.read(workspaces.places, place.workspace))


def _file(memory: Memory, path: str | None, where: tuple[int, ...] | None) -> dict[str, Any]:
    """The file from the repository's top, and in which workspaces."""
    if path is None:
        return {}
    folder = memory.at.folder
    if where is None:
        here = memory.at.scope.workspace
        if here is None:
            raise BadInput("This folder is no workspace; name the one that the file is in.")
        where = tuple(memory.db.read(workspaces.family, here))
    if Path(path).is_absolute() and folder is not None:
        top = Path(folder)
        for root in (top, *top.parents):
            if (root / ".git").exists():
                top = root
                break
        path = os.path.relpath(path, top)
    path = os.path.normpath(path).replace(os.sep, "/")
    if path in (".", "") or path.startswith(".."):
        raise BadInput(f"{path!r} is no file of this workspace; give its path from the repository's top.")
    return {"paths": (path,), "workspaces": where}
