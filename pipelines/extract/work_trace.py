"""What an agent did in a turn, step by step, as read from its events."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ...store.models import Event
from .work_commands import programs, written
from .work_files import is_outside
from .work_outcomes import Counts, counted, says_failed, still_runs, told_status
from .work_purposes import is_test_run, purpose
from .work_told import tool_name

StepKind = Literal["edit", "run", "read", "web", "other", "idle"]

# The last part of a tool's name, whoever offers it: `mcp__files__read_text_file`, `read_file`, `Read`.
_READERS = re.compile(
    r"^(?:read|grep|glob|ls|list|search|view|find|codebase|semantic|open|get|notebookread|rg_|cat|lsp|outline"
    r"|symbols?)",
    re.IGNORECASE,
)
_EDITORS = re.compile(
    r"^(?:write|edit|replace|str_?replace|create|delete|patch|apply_?patch|insert|append|move|rename)"
    r"(?:_(?:to_)?(?:text_)?(?:file|patch|in_file|editor|based_edit_tool|files?|notebook))?$",
    re.IGNORECASE,
)
# Of a name as words: "url" stands in "fetch_url", and not in "curl".
_WEB = re.compile(
    r"(?<![a-z])(?:web(?:search|fetch|page|site|browse)?|browser?|browse|fetch|urls?|https?|exa|brave)(?![a-z])"
    r"|tavily|playwright|puppeteer|context7|crawl",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHELLS = re.compile(
    r"^(?:bash|shell|powershell|run_?(?:terminal_?cmd|shell_?command|command)|local_shell|exec\w*|terminal)$",
    re.IGNORECASE,
)
# Planning aloud, asking and waiting are no work; told only where nothing else was done.
_IDLE = re.compile(
    r"^(?:todo\w*|update_?plan|task_?(?:create|update|list|get|stop|output)|write_?todos|think\w*"
    r"|exit_?plan_?mode"
    r"|enter_?plan_?mode"
    r"|ask_?user\w*|save_?memory|tool_?search|bash_?output|kill_?(?:bash|shell)|sequential_?thinking)$",
    re.IGNORECASE,
)
_PATH_KEYS = ("file_path", "filePath", "absolute_path", "notebook_path", "target_file", "path")
_HIDING = re.compile(r"(?<!\|)\|(?!\|)|\|\| ?(?:true|echo|:)|; ?\w|& ?$")
_FILE = re.compile(r"[\w@./~\\:-]+\.\w+|[\w./-]*file")
CHANGE_CHARS = 60
# What keeps a test from being run, where an edit brings it in.
_SKIPS = re.compile(
    r"\bskip\w*\(|\.(?:skip|todo|fixme)\b|@(?:pytest\.mark\.|unittest\.)?(?:skip\w*|xfail"
    r"|expectedFailure|Disabled|Ignore)"
    r"|\bx(?:it|describe|test|fail)\(|#\[ignore|\bt\.Skip\w*\(|pytestmark|test\.failing|--deselect|--ignore="
    r"|markTestSkipped",
)
# What is looked at of a result, and the longest path: capture keeps no longer ones.
SAID_CHARS, PATH_CHARS = 4_096, 4_096


@dataclass(frozen=True, slots=True)
class Step:
    """
    One tool call: `paths` from the folder of the turn (of a command, the files that it writes by hand), `command`
    as it was given, `ok` None where nobody said, `said` the (cut) result, `status` the exit status where it was told
    or follows, `change` a small edit as "old → new", `skips` whether the edit keeps a test from being run. `event` is
    the row it stands in.
    """

    kind: StepKind
    tool: str
    paths: tuple[str, ...]
    command: str | None
    ok: bool | None
    said: str
    at: int
    event: int
    status: int | None = None
    change: str | None = None
    skips: bool = False

    @property
    def verb(self) -> str:
        """The tool's own name, without the server that offers it: `send_mail` of `mcp__mail__send_mail`."""
        return self.tool.rpartition("__")[2]

    @property
    def edits(self) -> bool:
        """Whether it changed files."""
        return self.ok is not False and bool(self.paths) and self.kind in ("edit", "run")


@dataclass(frozen=True)
class Trace:
    """A turn: the user's words, the steps in their order, the last reply. Empty words where none are known."""

    prompt: str
    steps: tuple[Step, ...]
    reply: str = ""
    folder: str | None = None

    @cached_property
    def edited(self) -> tuple[str, ...]:
        """The files that were edited, each once."""
        return _once(path for step in self.steps if step.edits for path in step.paths)

    @cached_property
    def read(self) -> tuple[str, ...]:
        """The files that were read, each once."""
        named = (path for step in self.steps if step.kind == "read" for path in step.paths)
        return _once((*named, *(path for step in self.commands for path in _shown(step, self.folder))))

    @cached_property
    def commands(self) -> tuple[Step, ...]:
        """The commands that were run."""
        return tuple(step for step in self.steps if step.kind == "run")

    @cached_property
    def tests(self) -> Counts | None:
        """What the last test run said; None where none was run, or it counted nothing."""
        return next((told for step in reversed(self.commands) if (told := tests_of(step))), None)


def trace(events: Sequence[Event], folder: str | None) -> Trace:
    """What those events, all of one turn and in their order, tell."""
    prompts = [
        event.content for event in events if event.role == "user" and event.kind in ("prompt", "message")
    ]
    replies = [
        event.content for event in events if event.role == "assistant" and event.kind in ("reply", "message")
    ]
    steps = tuple(_step(event, folder) for event in events if event.kind in ("tool", "edit"))
    did = tuple(step for step in steps if step.kind != "idle")
    return Trace("\n\n".join(prompts), did or steps, replies[-1] if replies else "", folder)


def _step(event: Event, folder: str | None) -> Step:
    tool, given = tool_name(event.tool or ""), event.data.get("input")
    given = given if isinstance(given, Mapping) else {}
    command = _command(tool, event.data, given)
    command = _ends(command) if command else None
    kind = _kind(event, tool, command)
    paths = _strings(event.data.get("paths")) or [
        given[key] for key in _PATH_KEYS if isinstance(given.get(key), str)
    ]
    if command:
        paths = list(written(command))
    inside = _once(from_folder(path, folder) for path in paths if len(path) < PATH_CHARS)
    return Step(
        kind, tool, inside, command, _ok(event, command), _ends(event.content), event.occurred_at, event.id,
        status=_status(event, command), change=_change(given) if kind == "edit" else None,
        skips=kind == "edit" and _brings_a_skip(given),
    )  # fmt: skip


def _ends(said: str) -> str:
    return said if len(said) <= SAID_CHARS else f"{said[: SAID_CHARS // 2]}\n{said[-SAID_CHARS // 2 :]}"


def _kind(event: Event, tool: str, command: str | None) -> StepKind:
    own = tool.rpartition("__")[2]
    if event.kind == "edit":
        return "edit"
    if command:
        return "run"
    if _EDITORS.match(own) and (event.data.get("paths") or "file" in own or "patch" in own):
        return "edit"
    if _IDLE.match(own):
        return "idle"
    if _WEB.search(_CAMEL.sub("_", tool)):
        return "web"
    return "read" if _READERS.match(own) else "other"


def _command(tool: str, data: Mapping[str, Any], given: Mapping[str, Any]) -> str | None:
    found = data.get("command")
    if not found and _SHELLS.match(tool.rpartition("__")[2]):
        found = given.get("command", given.get("cmd"))
    if isinstance(found, list):
        # As Codex sends it: ["bash", "-lc", "…"].
        found = found[2] if len(found) == 3 and found[1] in ("-c", "-lc") else " ".join(map(str, found))
    return found if isinstance(found, str) and found.strip() else None


def _ok(event: Event, command: str | None) -> bool | None:
    """
    How a step ended. A pipe, `|| true` and a client that calls every answer a success, or none, hide a failure, which
    is taken from the exit status told within the result, from the tests counted there, or from what only a failure
    prints. Of what still runs nobody knows.
    """
    if event.ok is False or not command:
        return event.ok
    if told_status(event.content):
        return False
    if still_runs(event.content):
        return None
    counts = _counts(command, event.content)
    if counts is not None and (
        event.ok is None or _hides(command) or (counts.failed and _is_of_a_runner(command))
    ):
        return not counts.failed
    if (event.ok is None or _hides(command)) and _works(command) and says_failed(event.content):
        return False
    return event.ok


def _is_of_a_runner(command: str) -> bool:
    return any(is_test_run(one) for one in programs(command))


def _works(command: str) -> bool:
    """Whether a command does something by itself: what only shows a text may show one of failures."""
    return any(purpose(one) != "read" for one in programs(command))


def _status(event: Event, command: str | None) -> int | None:
    told = told_status(event.content) if command else None
    return 0 if told is None and event.ok and not still_runs(event.content) else told


def _hides(command: str) -> bool:
    return _HIDING.search(command) is not None


def _counts(command: str, said: str) -> Counts | None:
    if any(
        is_test_run(one) or (purpose(one) == "script" and "test" in " ".join(one.words))
        for one in programs(command)
    ):
        return counted(said)
    return None


def tests_of(step: Step) -> Counts | None:
    """What a step that ran tests counted; None where it ran none, or counted nothing."""
    return _counts(step.command, step.said) if step.command else None


def _shown(step: Step, folder: str | None) -> Iterable[str]:
    """The files that a command shows: the reader's only way in some clients."""
    for one in programs(step.command or ""):
        if one.name in ("cat", "bat", "head", "tail", "less", "sed", "nl") and not one.writes:
            yield from (from_folder(arg, folder) for arg in one.args if _FILE.fullmatch(arg))


def _change(given: Mapping[str, Any]) -> str | None:
    old, new = (given.get(key) for key in ("old_string", "new_string"))
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    old, new = old.strip(), new.strip()
    if not old or not new or "\n" in old or "\n" in new or max(len(old), len(new)) > CHANGE_CHARS:
        return None
    return f"{old} → {new}"


def _brings_a_skip(given: Mapping[str, Any]) -> bool:
    old, new = (given.get(key) for key in ("old_string", "new_string"))
    return isinstance(new, str) and len(_SKIPS.findall(new)) > len(_SKIPS.findall(str(old or "")))


def from_folder(path: str, folder: str | None) -> str:
    """The path as seen from the folder where it lies within, else as it is."""
    path = path.replace("\\", "/") if path[1:3] == ":\\" else path
    folder = folder.replace("\\", "/") if folder else folder
    if not is_outside(path) or not folder:
        return posixpath.normpath(path) if path.startswith("./") else path
    inside = path.removeprefix(folder.rstrip("/") + "/")
    return posixpath.normpath(inside) if inside != path else path


def _strings(found: Any) -> list[str]:
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _once(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
