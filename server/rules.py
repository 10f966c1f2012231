"""Cursor's rules file: what a project's user may opt into, where Cursor drops what a hook hands it."""

from __future__ import annotations

import os
from pathlib import Path

from ..store.errors import BackstoryError, BadInput
from . import journal
from .files import Change, folders_to_make, read, swap
from .journal import Rules

NAME = "backstory.mdc"
MARK = "description: Backstory memory"
HEAD = f"""\
---
{MARK}, rewritten when a session starts; do not edit or commit it
alwaysApply: true
---

"""
NOTHING = "Nothing remembered for this project yet."
# It hides itself, too: the repository's state stays as it was.
IGNORE = f"# Backstory writes {NAME} here for this machine alone.\n{NAME}\n.{NAME}.*\n.gitignore\n".encode()


def rules_file(text: str) -> bytes:
    """The rules file that hands `text` to every conversation of its project."""
    return f"{HEAD}{text.strip() or NOTHING}\n".encode("utf-8", "replace")


def opt_in(project: Path, promised: tuple[Rules, ...]) -> tuple[list[Change], Rules, list[str]]:
    """
    What opting in changes in the project, what is to be remembered of it, and what to tell its user.

    Raises:
        BadInput: there is no such folder, or a rules file of that name which is not ours.
    """
    project = project.expanduser().absolute()
    if not project.is_dir():
        raise BadInput(f"{project} is not a folder; name the project that is to have a rules file.")
    path = project / ".cursor" / "rules" / NAME
    ignore = path.with_name(".gitignore")
    known = next((rules for rules in promised if rules.project == str(project)), None)
    was, ignored = read(path), read(ignore)
    if was is not None and not _is_ours(was):
        raise BadInput(f"{path} is not Backstory's; rename it and run the command again.")
    changes = [] if was is not None else [Change.of(path, None, rules_file(""))]
    notes = []
    made = [str(path)]
    if ignored is None:
        changes.append(Change.of(ignore, None, IGNORE))
        made.append(str(ignore))
    elif ignored == IGNORE:
        made.append(str(ignore))
    else:
        notes.append(
            f"{ignore} is yours and stays as it is: add a line {NAME} to it, so that git ignores the file."
        )
    folders = known.folders if known else tuple(map(str, folders_to_make(path)))
    return changes, Rules(str(project), tuple(made), folders), notes


def opt_out(rules: Rules) -> list[Change]:
    """What opting out changes: our files go, and the folders made for them."""
    changes = []
    for name in rules.files:
        path = Path(name)
        was = read(path)
        if was is not None and (_is_ours(was) if path.name == NAME else was == IGNORE):
            folders = tuple(Path(folder) for folder in rules.folders)
            changes.append(Change.of(path, was, None, folders=folders))
    return changes


def refresh_rules(home: Path, folder: str, text: str) -> Path | None:
    """
    The rules file of the project that `folder` is in, now with `text`; None where its user did not opt in.

    A file that the user removed is not made again.
    """
    try:
        kept = journal.load(home, "cursor")
    except BackstoryError:
        return None
    here = Path(os.path.realpath(folder))
    for rules in kept.rules if kept else ():
        if here.is_relative_to(os.path.realpath(rules.project)):
            path = Path(rules.project) / ".cursor" / "rules" / NAME
            was, after = read(path), rules_file(text)
            if was is None or not _is_ours(was):
                return None
            if was != after:
                swap(Change.of(path, was, after))
            return path
    return None


def _is_ours(raw: bytes) -> bool:
    return MARK.encode() in raw[:200]
