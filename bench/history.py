"""
What code history costs, as one table.

    python bench/history.py [--smoke] [--files 20000] [--threads 20000] [--import REPO --commits 1000]

On a made-up repository of many files: snapshots, a commit of the user's with and without us, an idle watcher; on a
file with many threads: looking them up and rendering them; on a real clone (`--import`): building its history against
the time of `git log -p`, by part. CPU is that of this process and of the git processes it starts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from backstory.bench.run import Figure, percentile
from backstory.pipelines.code import history, import_git, observe, outlines, rounds, syntax
from backstory.pipelines.code.follow import Follower
from backstory.pipelines.code.observe import Whose
from backstory.pipelines.code.symbol_edits import By, Change
from backstory.pipelines.git import git_files, git_log
from backstory.pipelines.git.edits import FileEdit
from backstory.pipelines.git.patches import between, parse
from backstory.server.code_history import CodeHistory
from backstory.server.watching import Watcher
from backstory.store import clock, settings, workspaces
from backstory.store.db import Database
from backstory.store.rows import fetch, value

WHO = {
    f"GIT_{role}_{what}": "bench@example.invalid"
    for role in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}
NAMES = (
    "total",
    "price",
    "item",
    "order",
    "client",
    "basket",
    "rate",
    "amount",
    "code",
    "limit",
    "entry",
    "cache",
    "batch",
)


def function(name: str, chance: random.Random) -> str:
    """A function of some twenty lines, as unlike others as real ones are."""
    lines = [f"def {name}({', '.join(chance.sample(NAMES, 3))}):"]
    for _ in range(chance.randrange(12, 26)):
        a, b, c = chance.sample(NAMES, 3)
        lines.append(
            f"    {a} = {b}.{c}({chance.randrange(999)}, {chance.choice(NAMES)}={chance.random():.4f})"
        )
    return "\n".join([*lines, f"    return {chance.choice(NAMES)}\n"])


def module(n: int, functions: int = 8) -> str:
    chance = random.Random(n)
    return "import os\n\n\n" + "\n\n".join(function(f"f{n}_{i}", chance) for i in range(functions))


def git(folder: Path, *args: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), **WHO}
    subprocess.run(["git", *args], cwd=folder, env=env, check=True, capture_output=True)


def spent() -> float:
    """Seconds of CPU so far, children included."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(work: Callable[[], object], runs: int) -> tuple[list[float], list[float]]:
    """CPU and wall of each run, in milliseconds."""
    cpu, wall = [], []
    for _ in range(runs):
        c, w = spent(), time.perf_counter()
        work()
        cpu.append((spent() - c) * 1000)
        wall.append((time.perf_counter() - w) * 1000)
    return cpu, wall


def shelf(path: Path, folder: Path) -> tuple[Database, Whose]:
    db = Database.open(path)
    workspace = db.write(workspaces.register, [("folder", f"folder:{folder}")], folder.name, now=clock.now())
    return db, Whose("me", workspace, (workspace,))


def snapshot_figures(root: Path, files: int, runs: int) -> list[Figure]:
    folder = root / "large"
    for n in range(files):
        path = folder / f"src/p{n % 180}/m{n}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(module(n, 3))
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    db, whose = shelf(root / "snapshots.db", folder)
    follower = Follower(db, root / "home", git_files.look(str(folder)), whose, now=clock.now)
    follower.look(By("human"), at=clock.now())
    chance = random.Random(1)
    edited: list[str] = []

    def edit() -> None:
        edited[:] = [f"src/p{n % 180}/m{n}.py" for n in chance.sample(range(files), 3)]
        for name in edited:
            (folder / name).write_text((folder / name).read_text().replace("price", "cost", 1) + "\n")

    def known() -> None:
        follower.look(By("agent"), at=clock.now(), paths=edited)

    def unknown() -> None:
        follower.look(By("agent"), at=clock.now())

    figures = []
    for name, look, limit in (("known", known, 100), ("unknown", unknown, 300)):
        cpu, wall = [], []
        for _ in range(runs):
            edit()
            c, w = timed(look, 1)
            cpu += c
            wall += w
        title = f"look at {files:,} files, paths {name}"
        figures.append(Figure(f"{title}: median CPU", percentile(cpu, 0.5), "ms", limit))
        figures.append(
            Figure(
                f"{title}: 95th percentile", percentile(wall, 0.95), "ms", 250 if name == "known" else None
            )
        )
    return [*figures, *beside_figures(folder, runs)]


def beside_figures(folder: Path, runs: int) -> list[Figure]:
    """A commit of the user's, and an idle minute, with a watcher and without."""

    def commit() -> None:
        (folder / "src/p1/m1.py").write_text(f"x = {time.time_ns()}\n")
        git(folder, "commit", "-qam", "change")

    _, without = timed(commit, runs)
    watcher = Watcher(str(folder), lambda _: None)
    watcher.start()
    watcher.ready.wait(60)
    _, beside = timed(commit, runs)
    time.sleep(2)
    cpu, wall = timed(lambda: time.sleep(10 if runs > 3 else 1), 1)
    watcher.stop()
    return [
        Figure("git commit beside a watcher: more by", percentile(beside, 0.5) - percentile(without, 0.5), "ms", 20),
        Figure("an idle watcher, of one core", 100 * cpu[0] / wall[0], "%", 1),
    ]  # fmt: skip


def thread_figures(root: Path, threads: int, runs: int) -> list[Figure]:
    folder = root / "threads"
    db, whose = shelf(root / "threads.db", folder)
    key = settings.salt_of(db)
    at = clock.now()
    for n in range(threads // 8):
        text = module(n)
        for before, after in ((None, text), (text, text.replace("price", "cost"))):
            old, new = None if before is None else before.encode(), after.encode()
            name = f"src/m{n}.py"
            patch = between(name, old, new)
            edit = FileEdit(
                name, "modified" if old else "added", None, old, new, patch=patch, hunks=parse(patch)[0].hunks
            )
            change = Change("agent", at + n, str(folder), "main", None, None, (edit,))
            prepared = observe.prepare(change, whose, key, words="Count the cost, not the price")
            db.write(observe.write, prepared, whose, key, now=at)
        if n % 40 == 0:
            (folder / "src").mkdir(parents=True, exist_ok=True)
            (folder / f"src/m{n}.py").write_text(text)
    code = CodeHistory(db, whose.user, whose.family, str(folder))
    chance = random.Random(2)
    places = [(n, chance.randrange(8)) for n in chance.choices(range(0, threads // 8, 40), k=runs)]

    def block(n: int, i: int) -> object:
        return code.block(code.named(f"what was tried in src/m{n}.py::f{n}_{i}?"), budget_chars=3000)

    by_file = wall_of(lambda n, _: db.read(history.find, code.asked._replace(path=f"src/m{n}.py")), places)
    by_symbol = wall_of(lambda n, i: db.read(history.find, code.asked._replace(symbol=f"f{n}_{i}")), places)
    blocks = wall_of(block, places)
    db.checkpoint()
    rounds = int(db.read(value, "select count(*) from round"))
    packed = int(
        db.read(
            value, "select (select sum(length(patch)) from round) + (select sum(length(packed)) from body)"
        )
    )
    return [
        Figure(f"{threads:,} threads, by file: 95th percentile", percentile(by_file, 0.95), "ms", 10),
        Figure(f"{threads:,} threads, by symbol: 95th percentile", percentile(by_symbol, 0.95), "ms", 10),
        Figure("a chain block: 95th percentile", percentile(blocks, 0.95), "ms", 30),
        Figure("bytes a round on disk", (root / "threads.db").stat().st_size / rounds, "B"),
        Figure("of its compressed patch and body", (root / "threads.db").stat().st_size / packed, "times", 3),
    ]


def wall_of(work: Callable[[int, int], object], places: Sequence[tuple[int, int]]) -> list[float]:
    """How long the work took for each place, in milliseconds."""
    return [timed(partial(work, n, i), 1)[1][0] for n, i in places]


# What is timed by itself within an import.
PARTS = (
    (syntax, "_parse"), (outlines, "outline"), (rounds, "shown"), (observe, "parts"), (observe, "prepare"),
    (observe, "write"), (git_log, "_commit"),
)  # fmt: skip


def import_figures(root: Path, repo: Path, commits: int) -> list[Figure]:
    where = git_files.look(str(repo))
    listed = git_log.listed
    import_git.listed = lambda *a, **k: listed(*a, **k)[-commits:]  # type: ignore[attr-defined]
    command = ["git", "-C", str(repo), "log", "-p", "--no-merges", f"-n{commits}"]
    _, log = timed(lambda: subprocess.run(command, capture_output=True, check=True), 3)
    figures = []
    for workers in (1, 2):
        db, whose = shelf(root / f"import{workers}.db", repo)
        parts: defaultdict[str, float] = defaultdict(float)
        taps = [_tap(module, name, parts) for module, name in PARTS if workers == 1]
        build = partial(import_git.import_git, db, where, whose, now=clock.now, workers=workers)
        took = timed(build, 1)[1][0]
        for undo in taps:
            undo()
        usual = percentile(log, 0.5)
        title = f"import of {commits:,} commits by {workers}, over git log -p ({usual:.0f} ms)"
        figures.append(Figure(title, took / usual, "times", 15 if workers > 1 else None))
        figures += [
            Figure(f"  of it {name}", part, "s")
            for name, part in sorted(parts.items(), key=lambda one: -one[1])
        ]
        db.checkpoint()
        rounds = len(db.read(fetch, "select id from round"))
        figures.append(
            Figure(f"  bytes a round on disk ({rounds:,} rounds)", db.path.stat().st_size / rounds, "B")
        )
    import_git.listed = listed  # type: ignore[attr-defined]
    return figures


def _tap(module: Any, name: str, parts: defaultdict[str, float]) -> Callable[[], None]:
    original = getattr(module, name)

    def timing(*args: Any, **kw: Any) -> Any:
        began = time.perf_counter()
        try:
            return original(*args, **kw)
        finally:
            parts[f"{module.__name__.rpartition('.')[2]}.{name.lstrip('_')}"] += time.perf_counter() - began

    setattr(module, name, timing)
    return lambda: setattr(module, name, original)


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--smoke", action="store_true")
    args.add_argument("--files", type=int, default=20_000)
    args.add_argument("--threads", type=int, default=20_000)
    args.add_argument("--runs", type=int, default=20)
    args.add_argument("--import", dest="repo", type=Path)
    args.add_argument("--commits", type=int, default=1_000)
    args.add_argument("--json", action="store_true")
    given = args.parse_args()
    files, threads, runs = (300, 400, 3) if given.smoke else (given.files, given.threads, given.runs)
    over = 0
    work: list[Callable[[Path], list[Figure]]] = [
        partial(thread_figures, threads=threads, runs=runs * 5),
        partial(snapshot_figures, files=files, runs=runs),
    ]
    if given.repo:
        work.append(partial(import_figures, repo=given.repo, commits=given.commits))
    with tempfile.TemporaryDirectory() as temporary:
        for part in work:
            for figure in part(Path(temporary)):
                print(json.dumps(figure.__dict__) if given.json else figure.line(), flush=True)
                over += int(figure.limit is not None and figure.value > figure.limit)
    if over and not given.smoke:
        raise SystemExit(f"{over} over their limit")


if __name__ == "__main__":
    main()
