"""What was retired or forgotten, or would be, as a person or a model reads it, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..pipelines.forget import Forgotten
from ..pipelines.forget_preview import Part, Preview
from . import answers, render
from .asked import Deleted
from .forgetting import Retired

if TYPE_CHECKING:
    from .forgetting import Done

# So many files are named.
FILES = 5


def told(done: Done, *, preview: bool) -> str:
    """What became of it, or would."""
    match done:
        case Deleted():
            return answers.deleted_text(done)
        case Retired(count, some):
            return _retired(count, some, preview=preview)
        case Preview():
            return _preview(done, would=True)
        case Forgotten(what, _):
            if what.empty:
                return _preview(what, would=False)
            return "\n".join([_preview(what, would=False), *_wiped(done)])


def _retired(count: int, some: Iterable[tuple[str, str]], *, preview: bool) -> str:
    if not count:
        return "No live memory answers to that; nothing was changed."
    what = render.counted(count, "memory", "memories")
    head = (
        f"would retire {what}; nothing was changed." if preview else f"retired {what}: not recalled any more."
    )
    undo = [] if preview else ["Undo, one by one: memory_update id=… restore=true"]
    return "\n".join([head, *_lines(some, count), *undo])


def _preview(what: Preview, *, would: bool) -> str:
    if what.empty:
        return "\n".join(["Nothing of that is kept; nothing was changed.", *_left(what, would=would)])
    head = "Would be forgotten for good; nothing was changed yet." if would else "Forgotten for good."
    parts = [head]
    for name, part in (
        ("memories that go whole", what.memories),
        ("events that go whole", what.events),
        ("events that stay, with the words blanked", what.blanked),
        ("memories that stay, to be renewed", what.stands),
    ):
        if part.count:
            # What is gone is named by its id alone: its words are not said again.
            named = part.some if would else [(id_, "") for id_, _ in part.some]
            parts += [f"{part.count:,} {name}:", *_lines(named, part.count)]
    counted = (
        ("turns", what.turns),
        ("versions of code", what.code),
        ("versions of code with words blanked", what.code_blanked),
    )
    parts += [f"{count:,} {name}" for name, count in counted if count]
    return "\n".join([*parts, *_on_disk(what, would=would), *_left(what, would=would)])


def _on_disk(what: Preview, *, would: bool) -> list[str]:
    """What still stands in the user's own files, and what that means for what is recorded of them."""
    if not what.on_disk:
        return []
    shown = [
        f"  {path}" + (f": {places:,} place{'s' if places > 1 else ''}" if places else "")
        for path, places in what.on_disk[:FILES]
    ]
    if len(what.on_disk) > FILES:
        shown.append(f"  … and {len(what.on_disk) - FILES:,} more")
    blank = "is" if not would else "would be"
    head = (
        f"Your own files are not touched; {len(what.on_disk):,} still hold it. It {blank} left out of what is recorded "
        "of them, until you say the words in a prompt again:"
    )
    return [head, *shown]


def _left(what: Preview, *, would: bool) -> list[str]:
    """What holds the words in longer ones and stays: what those are is said only as long as nothing is forgotten."""
    if not what.left.count and not what.left_code:
        return []
    code = f" and {what.left_code:,} versions of code" if what.left_code else ""
    named = f" ({', '.join(what.longer)})" if would and what.longer else ""
    shown = what.left.some if would else [(id_, "") for id_, _ in what.left.some]
    head = (
        f"Left, since the words are only part of a longer word there{named}: "
        f"{what.left.count:,} memories and events{code}. To forget those too, ask for the longer word itself."
    )
    return [head, *_lines(shown, what.left.count)]


def _lines(some: Iterable[tuple[str, str]], count: int) -> list[str]:
    shown = list(some)
    lines = [f"  {id_} {line}".rstrip() for id_, line in shown]
    return [*lines, f"  … and {count - len(shown):,} more"] if count > len(shown) else lines


def _wiped(done: Forgotten) -> list[str]:
    wiped = done.wiped
    said = []
    if wiped.pending:
        said.append(f"The file is not wiped yet: {wiped.pending}. `backstory status` shows when it is.")
    elif wiped.left:
        said.append(f"Bytes of it are left in {', '.join(wiped.left)}; remove them by hand.")
    else:
        beside = ", but in those longer words," if done.what.left.count or done.what.left_code else ""
        said.append(
            f"No byte of it is left{beside} in the memory file, its log, the spool, the snapshots and the logs."
        )
    said.append(
        "Neither is it kept again, nor the same told in other words by an agent, until you say it in a prompt."
    )
    if wiped.backups:
        said.append(f"These copies still hold it, or may; delete them yourself: {', '.join(wiped.backups)}")
    return said


def as_json(done: Done, *, preview: bool) -> str:
    """The same for a program."""
    match done:
        case Deleted(_, short):
            body: dict[str, Any] = {"done": "retired", "id": short}
        case Retired(count, some):
            body = {
                "done": "nothing" if preview else "retired",
                "memories": _part(Part(count, some), lines=True),
            }
        case Preview():
            body = {"done": "nothing", **_counts(done, lines=True)}
        case Forgotten(what, wiped):
            body = {
                "done": "nothing" if what.empty else "forgotten",
                **_counts(what, lines=False),
                "wipe": {
                    "vacuumed": wiped.vacuumed,
                    "pending": wiped.pending,
                    "left": list(wiped.left),
                    "backups": list(wiped.backups),
                },
            }
    return json.dumps(body, ensure_ascii=False, indent=2)


def _counts(what: Preview, *, lines: bool) -> dict[str, Any]:
    return {
        "memories": _part(what.memories, lines=lines), "events": _part(what.events, lines=lines),
        "blanked": _part(what.blanked, lines=lines), "stands": _part(what.stands, lines=lines),
        "turns": what.turns, "code_versions": what.code, "code_blanked": what.code_blanked,
        "on_disk": [{"file": path, "places": places} for path, places in what.on_disk],
        "left": {
            **_part(what.left, lines=lines), "code_versions": what.left_code,
            **({"longer_words": list(what.longer)} if lines else {}),
        },
    }  # fmt: skip


def _part(part: Part, *, lines: bool) -> dict[str, Any]:
    some = [{"id": id_, "line": line} if lines else {"id": id_} for id_, line in part.some]
    return {"count": part.count, "some": some}
