"""A repository in which somebody works at random, and what a plain reading of its disk says was where and when."""

from __future__ import annotations

import ast
import os
import random
import re
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .repos import WHO, Repo

# A symbol by its path and name.
Name = tuple[str, str]
PLACES = ("pay.py", "lib/util.py", "web/app.ts", "settings.ini")
CODE = (".py", ".ts")
FUNCTION = re.compile(r"export function (\w+)\(")


@dataclass(frozen=True, slots=True)
class Part:
    """A symbol's bytes, without the last line feed, its lines counted from 0, and whether others lie in it."""

    body: bytes
    start: int
    end: int
    holds: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """All that was on disk at a moment, and what lay where in it."""

    files: dict[str, bytes]
    parts: dict[Name, Part]


@dataclass(frozen=True, slots=True)
class Step:
    """What one step left, with the files that git wrote in it by moving to another commit, and HEAD after it."""

    what: str
    state: State
    by_git: frozenset[str]
    head: str


def read(path: str, text: str) -> dict[str, Part]:
    """The symbols of a file: by Python's own parser, or by how the TypeScript here is written."""
    lines = text.split("\n")
    found: dict[str, list[Part]] = {}

    def add(name: str, start: int, end: int, *, holds: bool = False) -> None:
        body = "\n".join(lines[start : end + 1]).encode()
        found.setdefault(name, []).append(Part(body, start, end, holds))

    def walk(nodes: Iterable[ast.stmt], prefix: str) -> None:
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                start = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
                holds = isinstance(node, ast.ClassDef)
                add(prefix + node.name, start, (node.end_lineno or 0) - 1, holds=holds)
                if holds:
                    walk(node.body, f"{prefix}{node.name}.")

    if path.endswith(".py"):
        walk(ast.parse(text).body, "")
    elif path.endswith(".ts"):
        for at, line in enumerate(lines):
            if begins := FUNCTION.match(line):
                above = at > 0 and lines[at - 1].startswith("/**")
                add(begins[1], at - above, lines.index("}", at))
    # Two of one name, as a merge may leave them, are nobody's to tell apart here.
    return {name: parts[0] for name, parts in found.items() if len(parts) == 1}


def is_whole(path: str, text: str) -> bool:
    """Whether the file is what this module writes, with nothing left out by a merge."""
    try:
        read(path, text)
    except (SyntaxError, ValueError):
        return False
    return True


@dataclass
class Wanderer:
    """Steps at random; each is remembered with what it left."""

    repo: Repo
    chance: random.Random
    steps: list[Step] = field(default_factory=list)
    # Every version of each function that there was: to go back to.
    versions: dict[str, list[str]] = field(default_factory=dict)
    head: str | None = None
    n: int = 0
    stashed: int = 0

    def begin(self) -> None:
        for path in PLACES:
            self.repo.write(path, self._file(path))
        self.repo.write(".gitignore", "*.log\n")
        self.repo.commit("first")
        self._note("_begin")

    def step(self) -> None:
        """One step, or none where that one cannot be done here."""
        hand = [(self._edit, 26), (self._module, 6), (self._config, 6), (self._add, 6), (self._remove, 4),
                (self._rename, 4), (self._move, 4), (self._rename_file, 2), (self._remove_file, 1),
                (self._new_file, 3), (self._back, 8)]  # fmt: skip
        git = [(self._commit, 8), (self._switch, 10), (self._branch, 4), (self._delete_branch, 2), (self._amend, 2),
               (self._rebase, 4), (self._pick, 5), (self._merge, 5), (self._stash, 4), (self._reset, 4),
               (self._checkout, 3), (self._detach, 1)]  # fmt: skip
        made: list[tuple[Callable[[], None], int]] = [*hand, *git]
        (chosen,) = self.chance.choices([one for one, _ in made], [weight for _, weight in made])
        chosen()
        self._note(chosen.__name__)
        if broken := [path for path, raw in self.now.files.items() if not is_whole(path, raw.decode())]:
            # A merge may leave what is no code, and somebody repairs it.
            for path in broken:
                self.repo.write(path, self._file(path))
            self._note("_repair")

    @property
    def now(self) -> State:
        return self.steps[-1].state

    def branch(self) -> str | None:
        """What git itself says."""
        return self.repo.git("branch", "--show-current") or None

    def differing(self, old: str, new: str) -> frozenset[str]:
        """The files in which two commits differ."""
        return frozenset(self.repo.git("diff", "--name-only", "--no-renames", old, new).splitlines())

    def _note(self, what: str) -> None:
        by_git = frozenset[str]()
        old, self.head = self.head, self.repo.head()
        # What a commit records had been done by hand.
        if old and old != self.head and what not in ("_commit", "_amend"):
            by_git = self.differing(old, self.head)
        files = {}
        for path in sorted(self.repo.root.rglob("*")):
            name = path.relative_to(self.repo.root).as_posix()
            if path.is_file() and not name.startswith(".git"):
                files[name] = path.read_bytes()
        parts = {
            (path, name): part
            for path, raw in files.items()
            if is_whole(path, raw.decode())
            for name, part in read(path, raw.decode()).items()
        }
        for (_, name), part in parts.items():
            text, known = part.body.decode(), self.versions.setdefault(name, [])
            if text not in known:
                known.append(text)
        self.steps.append(Step(what, State(files, parts), by_git, self.head))

    # ---- by hand

    def _fresh(self) -> int:
        self.n += 1
        return self.n

    def _function(self, path: str, name: str) -> str:
        lines = [f"x{n} = {n} * b" for n in (self._fresh() for _ in range(self.chance.randint(1, 6)))]
        if path.endswith(".ts"):
            doc = f"/** Does {self._fresh()}. */\n" if self.chance.random() < 0.4 else ""
            inner = "".join(f"  const {line};\n" for line in lines)
            return f"{doc}export function {name}(b: number): number {{\n{inner}  return b;\n}}"
        above = f"@cached({self._fresh()})\n" if self.chance.random() < 0.3 else ""
        return f"{above}def {name}(b):\n" + "".join(f"    {line}\n" for line in lines) + "    return b"

    def _class(self, name: str) -> str:
        methods = [self._function("x.py", f"m{self._fresh()}").replace("\n", "\n    ") for _ in range(2)]
        return f"class {name}:\n    rate = {self._fresh()}\n\n" + "\n\n".join(f"    {one}" for one in methods)

    def _file(self, path: str) -> str:
        if not path.endswith(CODE):
            return "".join(f"key{n} = {n}\n" for n in (self._fresh() for _ in range(40)))
        head = f"import os{self._fresh()}\n" if path.endswith(".py") else f'import "x{self._fresh()}";\n'
        parts = [self._function(path, f"f{self._fresh()}") for _ in range(3)]
        if path.endswith(".py"):
            parts.append(self._class(f"C{self._fresh()}"))
        return "\n\n\n".join([head.rstrip("\n"), *parts]) + "\n"

    def _paths(self, *ends: str) -> list[str]:
        return [path for path in self.now.files if path.endswith(ends)]

    def _function_at(self) -> tuple[str, str, Part] | None:
        found = [(path, name, part) for (path, name), part in self.now.parts.items() if not part.holds]
        return self.chance.choice(found) if found else None

    def _put(self, path: str, start: int, end: int, text: str | None) -> None:
        """Those lines of the file in another form."""
        lines = self.now.files[path].decode().split("\n")
        lines[start : end + 1] = text.split("\n") if text is not None else []
        self.repo.write(path, "\n".join(lines))

    def _edit(self) -> None:
        if not (found := self._function_at()):
            return
        path, name, part = found
        lines = part.body.decode().split("\n")
        inner = range(len(lines) - (2 if path.endswith(".ts") else 1))
        at = self.chance.choice([n for n in inner if "x" in lines[n].partition(" = ")[0]] or [0])
        semi, pad = (";", "  const ") if path.endswith(".ts") else ("", "    " * (1 + name.count(".")))
        line = f"{pad}x{self._fresh()} = {self._fresh()}{semi}"
        match self.chance.randint(0, 2):
            case 0 if " = " in lines[at]:
                lines[at] = line
            case 1:
                lines.insert(len(lines) - (2 if path.endswith(".ts") else 1), line)
            case _:
                text = self._function(path, name.rpartition(".")[2])
                lines = [("    " * name.count(".")) + one for one in text.split("\n")]
        self._put(path, part.start, part.end, "\n".join(lines))

    def _module(self) -> None:
        if paths := self._paths(*CODE):
            path = self.chance.choice(paths)
            text = self.now.files[path].decode()
            new = f"import y{self._fresh()}" if path.endswith(".py") else f'import "y{self._fresh()}";'
            _, feed, rest = text.partition("\n")
            self.repo.write(path, f"{new}\n{text}" if self.chance.random() < 0.5 else f"{new}{feed}{rest}")

    def _config(self) -> None:
        if paths := self._paths(".ini"):
            path = self.chance.choice(paths)
            at = self.chance.randrange(self.now.files[path].count(b"\n") or 1)
            self._put(path, at, at - self.chance.randint(0, 1), f"key{self._fresh()} = {self._fresh()}")

    def _add(self) -> None:
        if paths := self._paths(*CODE):
            path = self.chance.choice(paths)
            text = self.now.files[path].decode()
            self.repo.write(path, f"{text.rstrip()}\n\n\n{self._function(path, f'f{self._fresh()}')}\n")

    def _remove(self) -> None:
        if (found := self._function_at()) and "." not in found[1]:
            self._put(found[0], found[2].start, found[2].end, None)

    def _rename(self) -> None:
        if found := self._function_at():
            path, name, part = found
            leaf = name.rpartition(".")[2]
            self._put(
                path, part.start, part.end, part.body.decode().replace(f"{leaf}(", f"r{self._fresh()}(")
            )

    def _move(self) -> None:
        if not (found := self._function_at()) or "." in found[1]:
            return
        path, _, part = found
        others = [one for one in self._paths(path[-3:]) if one != path]
        if others:
            to = self.chance.choice(others)
            self._put(path, part.start, part.end, None)
            self.repo.write(to, f"{self.now.files[to].decode().rstrip()}\n\n\n{part.body.decode()}\n")

    def _rename_file(self) -> None:
        path = self.chance.choice(list(self.now.files) or [""])
        if path:
            to = self.repo.root / "deep" / f"n{self._fresh()}{Path(path).suffix}"
            to.parent.mkdir(exist_ok=True)
            (self.repo.root / path).rename(to)

    def _remove_file(self) -> None:
        if len(self.now.files) > 5:
            (self.repo.root / self.chance.choice(list(self.now.files))).unlink()

    def _new_file(self) -> None:
        path = f"new{self._fresh()}{self.chance.choice(['.py', '.ts', '.ini'])}"
        self.repo.write(path, self._file(path))

    def _back(self) -> None:
        if found := self._function_at():
            path, name, part = found
            text = self.chance.choice(self.versions[name])
            if text.startswith("export") == path.endswith(".ts") or "/**" in text:
                self._put(path, part.start, part.end, text)

    # ---- git

    def _try(self, *args: str) -> bool:
        """Whether git did it; what it left half done is given up."""
        done = self._code(*args) == 0
        if not done and args[0] in ("rebase", "merge", "cherry-pick"):
            self._code(args[0], "--abort")
        return done

    def _code(self, *args: str) -> int:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.repo.home), "GIT_CONFIG_NOSYSTEM": "1", **WHO}
        env |= {"GIT_EDITOR": "true"}
        return subprocess.run(
            ["git", *args], cwd=self.repo.root, env=env, check=False, capture_output=True
        ).returncode

    def _dirty(self) -> bool:
        return bool(self.repo.git("status", "--porcelain"))

    def _clean(self) -> bool:
        """Whether nothing is open, mostly after it was committed."""
        if self._dirty() and self.chance.random() < 0.8:
            self._commit()
            self._note("_commit")
        return not self._dirty()

    def _others(self) -> list[str]:
        names = self.repo.git("branch", "--format=%(refname:short)").splitlines()
        return [name for name in names if name != self.branch() and not name.startswith("(")]

    def _favour(self) -> list[str]:
        """What becomes of conflicts: it is given up, or one side is taken."""
        return self.chance.choice([[], ["-Xours"], ["-Xtheirs"]])

    def _commit(self) -> None:
        if self.chance.random() < 0.8:
            self.repo.git("add", "-A")
            self._try("commit", "-q", "-m", f"work {self._fresh()}")
        else:
            self._try("commit", "-q", "-a", "-m", f"work {self._fresh()}")

    def _amend(self) -> None:
        self.repo.git("add", "-A")
        self._try("commit", "-q", "--amend", "-m", f"amended {self._fresh()}")

    def _switch(self) -> None:
        if others := self._others():
            if self.chance.random() < 0.7:
                self._clean()
            self._try("checkout", "-q", self.chance.choice(others))

    def _branch(self) -> None:
        start = self.chance.choice(["HEAD", "HEAD~1", "HEAD~3"])
        self._clean()
        self._try("checkout", "-q", "-b", f"b{self._fresh()}", start)

    def _delete_branch(self) -> None:
        others = self._others()
        if len(others) > 1:
            self.repo.git("branch", "-q", "-D", self.chance.choice(others))

    def _rebase(self) -> None:
        if (others := self._others()) and self._clean():
            self._try("rebase", "-q", *self._favour(), self.chance.choice(others))

    def _pick(self) -> None:
        # A merge cannot be picked.
        if self._clean() and (
            found := self.repo.git("rev-list", "--all", "--no-merges", "^HEAD").splitlines()
        ):
            self._try("cherry-pick", *self._favour(), self.chance.choice(found))

    def _merge(self) -> None:
        if (others := self._others()) and self._clean():
            self._try("merge", "-q", "--no-edit", *self._favour(), self.chance.choice(others))

    def _stash(self) -> None:
        if self.stashed and self.chance.random() < 0.6:
            if self.chance.random() < 0.3:
                self.repo.git("stash", "drop", "-q")
            elif not self._try("stash", "pop", "-q"):
                if not self.repo.git("ls-files", "--unmerged"):
                    return
                self.repo.git("reset", "-q", "--hard")
                self.repo.git("stash", "drop", "-q")
            self.stashed -= 1
        elif self._dirty():
            self.repo.git("stash", "push", "-q", *self.chance.choice([[], ["-u"]]))
            self.stashed = len(self.repo.git("stash", "list").splitlines())

    def _reset(self) -> None:
        self._try("reset", "-q", "--hard", self.chance.choice(["HEAD", "HEAD~1", "HEAD@{1}"]))

    def _checkout(self) -> None:
        if changed := self.repo.git("diff", "--name-only").splitlines():
            self.repo.git("checkout", "-q", "--", self.chance.choice(changed))

    def _detach(self) -> None:
        self._try("checkout", "-q", "--detach")
