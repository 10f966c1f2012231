"""Where something learned holds: languages, tools and versions, system, repository; and whether it does here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .work_commands import family, programs
from .work_files import languages
from .work_purposes import purpose
from .work_trace import Step

Met = Literal["met", "unknown", "not_met"]

# A tool whose minor versions differ as others' major ones do.
_BY_MINOR = frozenset(("python", "ruby", "php", "elixir", "django", "rails", "kubernetes", "kubectl"))
# Of one experience, so many tools and languages are told.
TOOLS, LANGUAGES = 6, 4
VERSION_CHARS, NAME_CHARS = 30, 60

_VERSION = r"v?(\d{1,5}(?:\.\d{1,5}){0,3})"
_SPOKEN: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (tool, re.compile(pattern, re.IGNORECASE))
    for tool, pattern in (
        ("python", rf"(?:\bPython[ /]|\bpython(?=3\.)){_VERSION}"),
        ("pytest", rf"\bpytest-{_VERSION}"),
        ("node", rf"(?:\bNode(?:\.js)?[ :@]|\bnvm use ){_VERSION}"),
        ("npm", rf"\bnpm(?: version|@) ?{_VERSION}"),
        ("pnpm", rf"\bpnpm@{_VERSION}"),
        ("go", rf"\bgo(?: version go| )?(?=\d\.){_VERSION}"),
        ("rustc", rf"\brustc {_VERSION}"),
        ("cargo", rf"\bcargo {_VERSION}"),
        ("java", rf"(?:\b(?:openjdk|java)(?: version)? \"?){_VERSION}"),
        ("ruby", rf"\bruby[ -]{_VERSION}"),
        ("php", rf"\bPHP {_VERSION}"),
        ("docker", rf"\bDocker version {_VERSION}"),
        ("terraform", rf"\bTerraform {_VERSION}"),
        ("postgres", rf"\bPostgreSQL {_VERSION}"),
        ("gradle", rf"\bGradle {_VERSION}"),
        ("maven", rf"\bMaven {_VERSION}"),
        ("cmake", rf"\bcmake version {_VERSION}"),
        ("vite", rf"\bvite {_VERSION}"),
        ("next", rf"\bNext\.js {_VERSION}"),
        ("typescript", rf"\btsc Version {_VERSION}"),
        ("gcc", rf"\bgcc \([^)\n]{{1,60}}\) {_VERSION}"),
    )
)
# `react-table@7.8.0`, `httpx==0.28`: where a command or an error names it so, it matters.
_PINNED = re.compile(
    r"(?<![\w/@.])(@?[A-Za-z][\w./-]{1,40})(?:@|==)v?(\d{1,5}(?:\.\d{1,5}){1,3})(?![\w.-]*@)"
)
_FIRST = re.compile(rf"(?<![\d.]){_VERSION}")
_NAMED = {
    "python3": "python", "py": "python", "nodejs": "node", "node.js": "node", "golang": "go", "jdk": "java",
    "openjdk": "java", "postgresql": "postgres", "psql": "postgres", "tsc": "typescript", "mvn": "maven",
    "rust": "rustc",
}  # fmt: skip
_SYSTEMS = {
    "darwin": "macOS", "macos": "macOS", "mac": "macOS", "osx": "macOS", "linux": "Linux", "windows": "Windows",
    "win32": "Windows", "windows_nt": "Windows", "cygwin": "Windows",
}  # fmt: skip
_SYSTEM_BOUND = re.compile(
    r"\b(?:apt(?:-get)?|brew|yum|dnf|pacman|apk|zypper|choco|winget|scoop|systemctl|launchctl|xcodebuild|xcrun"
    r"|powershell|pwsh|codesign)\b"
    r"|\b\w+\.(?:dll|dylib)\b|\.so(?:\.\d+)?\b|GLIBC|\bwin32\b|\bdarwin\b|\bMSVC\b|\bunistd\.h|\bWindows\b"
    r"|\bmacOS\b|\bUbuntu\b|\bDebian\b"
    r"|externally-managed",
)
_BOUND = re.compile(r"(>=|<=|==|!=|~=|[<>=^~])?\s*v?(\d{1,5}(?:\.\d{1,5}){0,3})(?:\.[x*])*(\+)?")


@dataclass(frozen=True, slots=True)
class Conditions:
    """
    Where something was learned: what must be so again for it to hold; None and empty for what was not told.

    `tools` has a version or a range (">=3.10", "^18") for each, "" where none was told. `system_matters` is false
    where nothing speaks for another system making a difference.
    """

    languages: tuple[str, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict, hash=False)
    system: str | None = None
    repository: str | None = None
    system_matters: bool = True

    def to_data(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "languages": list(self.languages), "tools": dict(self.tools), "system": self.system,
            "repository": self.repository, "system_matters": self.system_matters,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Here:
    """A workspace, as far as it is known: `languages` by its files' names (None: not looked), `versions` by tool."""

    repository: str | None = None
    system: str | None = None
    languages: frozenset[str] | None = None
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether conditions are met, and what decided it."""

    met: Met
    reason: str


def from_data(data: Any) -> Conditions:
    """The conditions that `to_data` gave; what is of another shape is left out."""
    if not isinstance(data, Mapping):
        return Conditions()
    spoken, tools = data.get("languages"), data.get("tools")
    system, repository = data.get("system"), data.get("repository")
    return Conditions(
        languages=tuple(one for one in spoken if isinstance(one, str)) if isinstance(spoken, list) else (),
        tools={str(name): text for name, text in tools.items() if isinstance(text, str)}
        if isinstance(tools, Mapping)
        else {},
        system=system if isinstance(system, str) else None,
        repository=repository if isinstance(repository, str) else None,
        system_matters=data.get("system_matters") is not False,
    )


def check(conditions: Conditions, here: Here) -> Checked:
    """Whether conditions are met in a workspace: one that is not decides; else one that nobody knows."""
    found = [*_place(conditions, here), *_tools(conditions, here)]
    for wanted in ("not_met", "unknown"):
        if reasons := [one.reason for one in found if one.met == wanted]:
            return Checked(wanted, "; ".join(reasons))
    if not found:
        return Checked("unknown", "nothing is known of where it holds")
    return Checked("met", "; ".join(one.reason for one in found))


def _place(conditions: Conditions, here: Here) -> Iterable[Checked]:
    if conditions.repository:
        yield _same("repository", conditions.repository, here.repository)
    if conditions.system:
        there, this = system_name(conditions.system), system_name(here.system) if here.system else None
        same = _same("system", there, this)
        if same.met == "not_met" and not conditions.system_matters:
            same = Checked("unknown", f"learned on {there}, here {this}")
        yield same
    if conditions.languages:
        told = "/".join(conditions.languages)
        if here.languages is None:
            yield Checked("unknown", f"whether there is {told} here is not known")
        elif {one.casefold() for one in conditions.languages} & {one.casefold() for one in here.languages}:
            yield Checked("met", told)
        else:
            yield Checked("not_met", f"for {told}, of which there is none here")


def _same(what: str, there: str, this: str | None) -> Checked:
    if this is None:
        return Checked("unknown", f"the {what} here is not known")
    if there.casefold() == this.casefold():
        return Checked("met", there)
    return Checked("not_met", f"{what} {there}, here {this}")


def _tools(conditions: Conditions, here: Here) -> Iterable[Checked]:
    known = {tool_name(tool): version for tool, version in here.versions.items()}
    for tool, wanted in conditions.tools.items():
        told = f"{tool} {wanted}".strip()
        this = known.get(tool_name(tool))
        fits = None if this is None else satisfies(tool, wanted, this) if wanted else True
        if fits is None:
            yield Checked("unknown", f"{told}: the version here is not known")
        else:
            yield Checked("met" if fits else "not_met", told if fits else f"{told}, here {this}")


def satisfies(tool: str, wanted: str, this: str) -> bool | None:
    """
    Whether a version of a tool is what is wanted: within a range (">=3.10,<4", "^18", "18+", "1.x || 2.x"), or of
    the same series as a bare version. None where one of the two is not precise enough to tell, or is no version.
    """
    have = _FIRST.search(this)
    if have is None:
        return None
    numbers = _numbers(have[1])
    answers = [_fits_all(tool, part, numbers) for part in wanted.split("||")]
    return True if True in answers else None if None in answers or not answers else False


def _fits_all(tool: str, wanted: str, have: tuple[int, ...]) -> bool | None:
    bounds = list(_BOUND.finditer(wanted))
    answers = [
        _fits(tool, found[1] or (">=" if found[3] else ""), _numbers(found[2]), have) for found in bounds
    ]
    return False if False in answers else None if None in answers or not answers else True


def _fits(tool: str, sign: str, wanted: tuple[int, ...], have: tuple[int, ...]) -> bool | None:
    if sign in (">=", "<=", ">", "<"):
        size = max(len(wanted), len(have))
        left, right = _padded(have, size), _padded(wanted, size)
        if len(have) < len(wanted) and have == wanted[: len(have)]:
            return None
        return {
            ">=": left >= right,
            "<=": left <= right or have[: len(wanted)] == wanted,
            ">": left > right,
            "<": left < right,
        }[sign]
    if sign in ("^", "~", "~="):
        # Not older, and of the series that the sign names.
        first = next((at for at, number in enumerate(wanted) if number), 0) + 1
        kept = first if sign == "^" else max(len(wanted) - 1, 1) if sign == "~=" else min(2, len(wanted))
        newer = _fits(tool, ">=", wanted, have)
        return _equal(wanted, have, kept) if newer else newer
    if sign == "!=":
        same = _equal(wanted, have, len(wanted))
        return None if same is None else not same
    return _equal(
        wanted, have, len(wanted) if sign in ("=", "==") else min(_series(tool, wanted), len(wanted))
    )


def _equal(wanted: tuple[int, ...], have: tuple[int, ...], size: int) -> bool | None:
    common = min(size, len(have), len(wanted))
    if wanted[:common] != have[:common]:
        return False
    return True if common >= min(size, len(wanted)) else None


def _series(tool: str, version: tuple[int, ...]) -> int:
    return 2 if tool_name(tool) in _BY_MINOR or not version[0] else 1


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _padded(version: tuple[int, ...], size: int) -> tuple[int, ...]:
    return version + (0,) * (size - len(version))


def tool_name(tool: str) -> str:
    """A tool's one name, whatever it is called by: `python` of Python, python3 and python3.12."""
    lower = tool.strip().casefold()
    return _NAMED.get(lower) or _NAMED.get(family(lower), family(lower))


def system_name(system: str) -> str:
    """An operating system's one name: `macOS` of Darwin and darwin."""
    return _SYSTEMS.get(system.strip().casefold(), system.strip())


def narrowed(
    conditions: Conditions, steps: Iterable[Step], files: Iterable[str], error: str = ""
) -> Conditions:
    """The conditions with what those steps tell: the languages of the files, the tools and their versions."""
    tools = dict(conditions.tools)
    bound = _SYSTEM_BOUND.search(error) is not None
    for step in steps:
        command = step.command or ""
        bound = bound or _SYSTEM_BOUND.search(command) is not None
        for tool, version in _told(command, step.said):
            tools[tool] = version or tools.get(tool, "")
    pinned = _PINNED.findall(error[:400])
    tools |= {name[:NAME_CHARS].casefold(): version[:VERSION_CHARS] for name, version in pinned}
    # Those with a version say more.
    best = sorted(tools.items(), key=lambda item: not item[1])[:TOOLS]
    return replace(
        conditions,
        languages=tuple(dict.fromkeys((*conditions.languages, *languages(files))))[:LANGUAGES],
        tools=dict(best),
        system=system_name(conditions.system) if conditions.system else None,
        system_matters=bound,
    )


def _told(command: str, said: str) -> Iterable[tuple[str, str]]:
    """The tools that a command and what it printed name, with their versions."""
    for one in programs(command):
        if purpose(one) in ("read", "other") and one.args not in (
            ("--version",),
            ("-v",),
            ("-V",),
            ("version",),
        ):
            continue
        version = ""
        if purpose(one) == "read" and (found := _FIRST.search(said[:300])):
            version = found[1]
        if family(one.name) and not one.name.startswith("."):
            yield tool_name(one.name), version
    for tool, pattern in _SPOKEN:
        said_so = [each[1] for text in (command[:400], said) if (each := pattern.search(text))]
        if said_so:
            # `python3.11` that calls itself Python 3.11.7
            yield tool, said_so[-1] if said_so[-1].startswith(said_so[0]) else said_so[0]
