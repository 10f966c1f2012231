"""Registration in a client: what would change, doing it, and undoing it to the byte."""

from __future__ import annotations

import difflib
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from .. import configs, version
from ..store.errors import BackstoryError, BadInput
from . import hook_line, journal, jsonc, rules
from .clients import CLIENTS
from .files import Change, check_writable, folders_to_make, read, swap
from .journal import Journal, Written
from .launch import Launch, absolute, passing, tried
from .registration import File, claude_files, cursor_files

BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Plan:
    """What install or uninstall would do. `entry` is the journal afterwards, None where none is left."""

    client: str
    home: Path
    changes: tuple[Change, ...]
    entry: Journal | None
    notes: tuple[str, ...] = ()
    removing: bool = False


def plan(
    client: str,
    *,
    home: Path | None = None,
    project: Path | None = None,
    user_home: Path | None = None,
    python: str | None = None,
) -> Plan:
    """
    What registering in `client` would change. Nothing is written.

    Args:
        home: Backstory's own folder, baked into the registration.
        project: Cursor only: keep a rules file in this project up to date, too.
        user_home: whose client it is; the current user's by default.
        python: the interpreter to register; by default the one that runs this.

    Raises:
        BadInput: a file cannot be edited without guessing, or an argument makes no sense.
    """
    _check(client)
    home = (home or configs.home()).absolute()
    launch = tried(home, python or sys.executable)
    kept = journal.load(home, client)
    if project is not None and client != "cursor":
        raise BadInput("Only Cursor has a rules file; leave --rules out.")
    changes, files = [], []
    for file in files_of(client, launch, user_home):
        change, written = _registered(file, kept.of(file.path) if kept else None)
        changes.append(change)
        files.append(written)
    promised = kept.rules if kept else ()
    notes = [note for note in (passing(launch.python),) if note]
    if project is not None:
        more, opted, note = rules.opt_in(project, promised)
        changes += more
        promised = (*(r for r in promised if r.project != opted.project), opted)
        notes += note
    entry = Journal(client, version(), tuple(files), promised)
    return Plan(client, home, _real(changes), entry, tuple(notes))


def plan_uninstall(client: str, *, home: Path | None = None, user_home: Path | None = None) -> Plan:
    """
    What taking our registration out of `client` would change. Memories stay. Nothing is written.

    Raises:
        BadInput: a file cannot be edited without guessing.
    """
    _check(client)
    home = (home or configs.home()).absolute()
    kept = journal.load(home, client)
    launch = Launch(absolute(sys.executable), home)
    known = {written.path: written for written in kept.files} if kept else {}
    changes = [
        _unregistered(file, known.pop(str(file.path), None)) for file in files_of(client, launch, user_home)
    ]
    changes += [_unregistered(_same_kind(left, launch, client), left) for left in known.values()]
    for opted in kept.rules if kept else ():
        changes += rules.opt_out(opted)
    return Plan(client, home, _real(changes), None, removing=True)


def apply(plan: Plan) -> None:
    """
    Carry the plan out: every file whole or not at all, each replaced in one step.

    Raises:
        BadInput: a file changed since the plan was made; nothing was written.
        BackstoryError: a file could not be written; those already written are as they were.
    """
    if not plan.removing:
        lay_hook_files(plan.home)
    place = journal.place(plan.home, plan.client)
    content = plan.entry.encode() if plan.entry else None
    entry = Change.of(place, read(place), content, private=True, folders=(place.parent,))
    # The journal goes in before what it undoes, and out after it.
    order = [*plan.changes, entry] if plan.removing else [entry, *plan.changes]
    for change in plan.changes:
        if read(change.real) != change.before:
            raise BadInput(
                f"{change.path} has changed meanwhile; nothing was written, run the command again."
            )
    done: list[Change] = []
    for change in order:
        try:
            swap(change)
        except OSError as e:
            for made in reversed(done):
                swap(replace(made, before=made.after, after=made.before))
            raise BackstoryError(f"{change.path} cannot be written ({e}); nothing was changed.") from e
        done.append(change)
    if plan.removing and not any(journal.place(plan.home, client).exists() for client in CLIENTS):
        shutil.rmtree(plan.home / "hook", ignore_errors=True)


def diff(plan: Plan) -> str:
    """The plan's changes as a unified diff; "" where nothing would change."""
    return "".join(line for change in plan.changes for line in _diff(change))


def lay_hook_files(home: Path) -> None:
    """Put the files that hooks run into the home, where they are not those of this version already."""
    if hook_line.stale(home):
        hook_line.lay(home)


# Registering


def _registered(file: File, known: Written | None) -> tuple[Change, Written]:
    raw, text, bom = load(file.path)
    with sentence(file.path):
        if place := file.taken(text) if text.strip() else None:
            raise BadInput(
                f"{file.path} has another server under {'.'.join(map(str, place))}; rename that one first. "
                "Nothing was written."
            )
        if known and raw is not None and journal.digest(raw) == known.sha256:
            before = None if known.undo is None else journal.undone(text, known.undo)
        else:
            before = None if raw is None else _cleared(file, text, known)
        start = before if before and before.strip() else "{}\n"
        after = text if text.strip() and file.registered(text) else file.register(start)
        made = file.made(start)
    content = (bom + after).encode()
    undo = None if before is None else journal.undo_of(before, after)
    folders = known.folders if known else tuple(map(str, folders_to_make(file.path)))
    written = Written(str(file.path), journal.digest(content), undo, made, folders)
    ours = tuple(map(Path, folders))
    return Change.of(file.path, raw, content, private=file.private, folders=ours), written


def _unregistered(file: File, known: Written | None) -> Change:
    raw, text, bom = load(file.path)
    if raw is None:
        return Change.of(file.path, None, None)
    if known and journal.digest(raw) == known.sha256:
        after = None if known.undo is None else journal.undone(text, known.undo)
    else:
        with sentence(file.path):
            after = _cleared(file, text, known)
        if known and known.undo is None and after.split() in (["{}"], ["{", "}"]):
            after = None
    content = None if after is None else (bom + after).encode()
    folders = tuple(map(Path, known.folders)) if known else ()
    return Change.of(file.path, raw, content, private=file.private, folders=folders)


def _cleared(file: File, text: str, known: Written | None) -> str:
    return file.clear(text, known.made if known else None) if text.strip() else text


def load(path: Path) -> tuple[bytes | None, str, str]:
    """A file's bytes (None where it is not there), its text, and its byte order mark. Raises `BadInput`."""
    raw = read(path)
    try:
        text = (raw or b"").decode("utf-8")
    except UnicodeDecodeError as e:
        raise BadInput(f"{path} is not UTF-8 text; nothing was written. Save it as UTF-8 first.") from e
    return (raw, text[1:], BOM) if text.startswith(BOM) else (raw, text, "")


@contextmanager
def sentence(path: Path) -> Iterator[None]:
    """What is wrong with the JSON of that file, as a sentence for its owner."""
    try:
        yield
    except jsonc.NotJson as e:
        raise BadInput(f"{path} cannot be edited safely: {e}. Nothing was written; correct it first.") from e


# What there is to register


def _check(client: str) -> None:
    if client not in CLIENTS:
        raise BadInput(f"There is no client {client!r}; this version knows {' and '.join(CLIENTS)}.")


def files_of(client: str, launch: Launch, user_home: Path | None = None) -> tuple[File, ...]:
    """That client's files: the one that names servers, then the one with hooks."""
    user_home = user_home or Path.home()
    if client == "cursor":
        return cursor_files(launch, user_home=user_home)
    given = configs.environment(("CLAUDE_CONFIG_DIR",))["CLAUDE_CONFIG_DIR"]
    return claude_files(launch, user_home=user_home, config_folder=Path(given).absolute() if given else None)


def _same_kind(written: Written, launch: Launch, client: str) -> File:
    """The file of a registration made with another configuration folder."""
    hooks = Path(written.path).name in ("settings.json", "hooks.json")
    return replace(
        next(file for file in files_of(client, launch, None) if file.hooks == hooks), path=Path(written.path)
    )


def _real(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Those that change something, each of which can be made."""
    real = tuple(change for change in changes if change.before != change.after)
    for change in real:
        check_writable(change)
    return real


def _diff(change: Change) -> Iterator[str]:
    old, new = (
        (raw or b"").decode("utf-8", "replace").splitlines(keepends=True)
        for raw in (change.before, change.after)
    )
    was, now = (str(change.path) if raw is not None else "/dev/null" for raw in (change.before, change.after))
    # Around ours may stand the user's keys.
    around = 0 if change.private else 3
    for line in difflib.unified_diff(old, new, was, now, n=around):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
