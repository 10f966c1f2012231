"""
Whether an edit is put under the symbol it was made in, on real history.

    python bench/symbols.py REPO... [--commits 300]

Each REPO is a git directory. For Python every changed line is compared with what `ast` says encloses it. For other
languages every symbol named is looked up in the image again: it exists, and holds all lines said to be its own. The
last column is how often git's own hunk header names that symbol. Blank lines are not counted.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from backstory.pipelines.code.grammars import EXTENSIONS, language_of
from backstory.pipelines.code.outlines import outline
from backstory.pipelines.code.symbol_edits import Parts, SymbolEdit
from backstory.pipelines.code.symbols import parts
from backstory.pipelines.git.edits import FileEdit, Hunk

DIFF = [
    "diff-tree",
    "-r",
    "-p",
    "-M",
    "--root",
    "--no-commit-id",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
]
HEAD = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
Line = tuple[str, int]


class Repository:
    """A git directory, with one process that hands out its blobs."""

    def __init__(self, folder: str) -> None:
        self.git = ["git", "--git-dir", folder, "-c", "core.quotepath=off"]
        self.blobs = subprocess.Popen(
            [*self.git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def blob(self, name: str) -> bytes | None:
        if not name.strip("0"):
            return None
        assert self.blobs.stdin
        assert self.blobs.stdout
        self.blobs.stdin.write(name.encode() + b"\n")
        self.blobs.stdin.flush()
        size = int(self.blobs.stdout.readline().split()[2])
        return self.blobs.stdout.read(size + 1)[:-1]

    def edits(self, commits: int) -> Iterator[FileEdit]:
        """What the last commits did to each file of a language with a grammar."""
        suffixes = [f"*{suffix}" for suffix in EXTENSIONS]
        listed = [*self.git, "rev-list", "--no-merges", "-n", str(commits), "HEAD", "--", *suffixes]
        for commit in subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split():
            shown = [*self.git, *DIFF, commit, "--", *suffixes]
            diff = subprocess.run(shown, capture_output=True, check=True).stdout
            for text in re.split(rb"^diff --git ", diff, flags=re.MULTILINE)[1:]:
                if edit := self.edit(text):
                    yield edit

    def edit(self, text: bytes) -> FileEdit | None:
        index = re.search(rb"^index (\w+)\.\.(\w+)", text, re.MULTILINE)
        names = re.search(rb"^--- (?:a/)?([^\t\n]*).*\n\+\+\+ (?:b/)?([^\t\n]*)", text, re.MULTILINE)
        if not index or not names:
            return None
        old, new = (name.decode("utf-8", "surrogateescape") for name in names.groups())
        path = old if new == "/dev/null" else new
        status: Literal["added", "deleted", "modified"] = "modified"
        if old == "/dev/null" or new == "/dev/null":
            status = "added" if old == "/dev/null" else "deleted"
        before, after = (self.blob(name.decode()) for name in index.groups())
        renamed = old if status == "modified" and old != new else None
        return FileEdit(path, status, renamed, before, after, patch=text, hunks=tuple(hunks(text)))


def hunks(text: bytes) -> Iterator[Hunk]:
    """The hunks of a patch of one file."""
    lines = text.split(b"\n")
    at = 0
    while at < len(lines):
        head = HEAD.match(lines[at])
        at += 1
        if not head:
            continue
        start, count, new_start, new_count = (int(value or 1) for value in head.groups()[:4])
        first, left, right = at, count, new_count
        while left or right or lines[at][:1] == b"\\":
            sign = lines[at][:1]
            left, right = left - (sign in b" -"), right - (sign in b" +")
            at += 1
        yield Hunk(start, count, new_start, new_count, head[5], tuple(lines[first:at]))


def changed(lines: tuple[Hunk, ...]) -> Iterator[tuple[Line, Hunk]]:
    """The lines with text that hunks take out ("-") and put in ("+"), with their numbers."""
    for hunk in lines:
        old, new = hunk.old_start + (not hunk.old_lines), hunk.new_start + (not hunk.new_lines)
        for line in hunk.lines:
            sign = line[:1].decode("latin-1")
            if sign in ("-", "+") and line[1:].strip():
                yield (sign, old if sign == "-" else new), hunk
            old += sign in ("-", " ")
            new += sign in ("+", " ")


def attributed(found: Parts) -> dict[Line, str]:
    """The symbol that each line was put under."""
    names: dict[Line, str] = {}
    for edit in found.symbols:
        for line, _ in changed(tuple(hunks(edit.patch))):
            names[line] = (edit.old_symbol or edit.symbol) if line[0] == "-" else edit.symbol
    return names


def reference(source: bytes) -> list[tuple[str, bytes]] | None:
    """For each line of a Python file (from 1) the symbol that `ast` says it lies in, and the text of that symbol."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    lines = source.split(b"\n")
    owner = [("", b"")] * (len(lines) + 1)
    seen: Counter[str] = Counter()

    def walk(node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                walk(child, within)
                continue
            start = min([child.lineno, *(one.lineno for one in child.decorator_list)])
            indent = child.col_offset
            # Comments: those right above in its column, and those below that are indented like its body.
            while start > 2 and lines[start - 2].startswith(b" " * indent + b"#"):
                start -= 1
            end = child.end_lineno or start
            for number in range(end + 1, len(lines) + 1):
                text = lines[number - 1]
                depth = len(text) - len(text.lstrip())
                if text.strip() and (not text.lstrip().startswith(b"#") or depth <= indent):
                    break
                end = number if text.strip() else end
            name = f"{within}.{child.name}" if within else child.name
            seen[name] += 1
            shown = name if seen[name] == 1 else f"{name}#{seen[name]}"
            owner[start : end + 1] = [(shown, b"\n".join(lines[start - 1 : end]))] * (end + 1 - start)
            walk(child, name)

    walk(tree, "")
    return owner


def compare(edit: FileEdit, found: Parts, count: Counter[str]) -> None:
    """Add how many changed lines of a Python file were put where `ast` has them."""
    was, now = reference(edit.before or b""), reference(edit.after or b"")
    if was is None or now is None:
        return
    texts = {(name, text) for name, text in was} & {(name, text) for name, text in now}
    names = attributed(found)
    for line, _ in changed(edit.hunks):
        owner = (was if line[0] == "-" else now)[line[1]]
        count["lines"] += 1
        # A symbol that is byte for byte what it was is not edited, wherever the diff went through it.
        if names.get(line, "") == owner[0]:
            count["agree"] += 1
        elif line not in names and owner in texts:
            count["agree"] += 1
            count["stayed"] += 1
        elif count["shown"] < SHOW:
            count["shown"] += 1
            print("differs:", edit.path, line, "ours", names.get(line, ""), "ast", owner[0])


SHOW = 0


def holds(edit: FileEdit, made: SymbolEdit) -> bool:
    """Whether the symbol exists where it is said to be, and all lines of its patch lie in it."""
    ranges: dict[str, range] = {}
    for sign, path, image, name, text in (
        ("-", edit.old_path or edit.path, edit.before, made.old_symbol or made.symbol, made.before),
        ("+", edit.path, edit.after, made.symbol, made.after),
    ):
        known = outline(path, image) if image is not None and text is not None else None
        symbol = next((one for one in known.symbols if one.name == name), None) if known else None
        if text is None:
            continue
        if symbol is None or image is None:
            return False
        if b"\n".join(image.split(b"\n")[symbol.start - 1 : symbol.end]) != text:
            return False
        ranges[sign] = range(symbol.start, symbol.end + 1)
    return all(line in ranges.get(sign, ()) for (sign, line), _ in changed(tuple(hunks(made.patch))))


def check(edit: FileEdit, found: Parts, count: Counter[str]) -> None:
    """Add how many symbols were named, how many hold, and how many git's header names."""
    names = attributed(found)
    for made in found.symbols:
        if made.confidence == "low":
            count["guessed"] += 1
            continue
        count["symbols"] += 1
        if holds(edit, made):
            count["hold"] += 1
        elif count["shown"] < SHOW:
            count["shown"] += 1
            print("does not hold:", edit.path, made.symbol, made.status, made.start, made.end)
    if edit.status != "modified":
        return
    for hunk, name in {(hunk, names[line]) for line, hunk in changed(edit.hunks) if line in names}:
        leaf = re.sub(r"#\d+$", "", name).rpartition(".")[2].encode()
        count["named"] += 1
        count["git"] += bool(re.search(rb"(?<!\w)" + re.escape(leaf) + rb"(?!\w)", hunk.section))


def main() -> None:
    """Run over the history of each repository and print the table."""
    global SHOW  # noqa: PLW0603
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--show", type=int, default=0, help="print so many lines and symbols that are wrong")
    args = parser.parse_args()
    SHOW = args.show
    rows = []
    for folder in args.repositories:
        counts: dict[str, Counter[str]] = {}
        for edit in Repository(folder).edits(args.commits):
            language = language_of(edit.path) or ""
            count = counts.setdefault(language, Counter())
            found = parts(edit)
            count["files"] += 1
            check(edit, found, count)
            if language == "python":
                compare(edit, found, count)
        name = "/".join(Path(folder).resolve().parts[-2:])
        rows += [row(name, language, count) for language, count in counts.items()]
    print(
        "| repository | language | files | lines | as `ast` | symbols | exist and enclose | guessed | git's header |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))


def row(name: str, language: str, count: Counter[str]) -> str:
    """One line of the table."""

    def share(part: str, whole: str) -> str:
        return f"{100 * count[part] / count[whole]:.2f} %" if count[whole] else "-"

    cells = (name, language, count["files"], count["lines"] or "-", share("agree", "lines"), count["symbols"])
    return f"| {' | '.join(map(str, (*cells, share('hold', 'symbols'), count['guessed'], share('git', 'named'))))} |"


if __name__ == "__main__":
    main()
