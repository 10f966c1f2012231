"""The floors hold: imports point down, the package list is whole, no file has grown past reading."""

from __future__ import annotations

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# A floor may import itself and what is listed.
FLOORS = {
    "server": {"pipelines", "store", "prompts", "configs"},
    "pipelines": {"store", "prompts", "configs"},
    "store": set[str](),
    "prompts": set[str](),
    "configs": {"store"},  # its errors, so that a wrong setting is refused like any bad input
}
PRODUCT = [path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py"))]
LINES = 400
FUNCTION_LINES = 80


def imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)


def floor_of(path: Path, level: int, module: str) -> str | None:
    """The top folder that a relative import reaches; None for the package root."""
    package = path.relative_to(ROOT).parent.parts
    base = package[: len(package) - (level - 1)]
    full = (*base, *module.split(".")) if module else base
    return full[0] if full else None


@pytest.mark.parametrize("path", PRODUCT, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down_and_are_relative(path: Path) -> None:
    floor = path.relative_to(ROOT).parts[0]
    for level, module in imports(path):
        if path.name == "hook.py":  # copied out, it imports the slice that lies beside it
            continue
        if level == 0:
            top = module.split(".")[0]
            assert top != "backstory", f"{path}: inside the product imports are relative"
            assert top not in FLOORS, (
                f"{path}: `import {module}` would be a second copy, or the user's own folder"
            )
        else:
            target = floor_of(path, level, module)
            assert target is None or target == floor or target in FLOORS[floor], (
                f"{path}: {floor} may not import {target}"
            )


@pytest.mark.parametrize("path", sorted((ROOT / "pipelines" / "git").glob("*.py")), ids=lambda p: p.name)
def test_what_speaks_to_git_knows_nothing_of_code_history(path: Path) -> None:
    for level, module in imports(path):
        package = path.relative_to(ROOT).parent.parts
        full = (*package[: len(package) - (level - 1)], *module.split(".")) if level else ()
        assert full[:2] != ("pipelines", "code"), f"{path}: {module}"


@pytest.mark.parametrize("path", PRODUCT, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_file_and_no_function_has_grown_past_reading(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= LINES or path.name == "migrations.py"  # the schema, as one text
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or node.lineno) - node.lineno < FUNCTION_LINES, f"{path}: {node.name}"


@pytest.mark.parametrize("path", PRODUCT, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_file_says_its_duty_first(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))


def test_the_package_list_names_every_folder_with_code() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    found = {"backstory"} | {
        ".".join(("backstory", *path.parent.relative_to(ROOT).parts)) for path in PRODUCT
    }
    assert set(listed) == found


def test_every_error_stands_in_the_drawing_and_is_made_there() -> None:
    drawn = ast.get_docstring(ast.parse((ROOT / "store" / "errors.py").read_text("utf-8"))) or ""
    for path in PRODUCT:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
                assert not any(f" {base} " in f" {drawn} " for base in bases) or node.name in drawn, node.name


def test_the_root_holds_two_files_of_code() -> None:
    # setuptools ships every .py of the root.
    assert sorted(path.name for path in ROOT.glob("*.py")) == ["__init__.py", "__main__.py"]


def test_sql_is_written_in_the_store_alone() -> None:
    words = ("select ", "insert into", "delete from", "update ", "create table", "pragma ")
    for path in PRODUCT:
        if path.relative_to(ROOT).parts[0] == "store":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("execute", "executemany"):
                assert not any(
                    isinstance(arg, ast.Constant) and str(arg.value).lstrip().lower().startswith(words)
                    for arg in node.args
                ), f"{path}:{node.lineno}"


def test_only_configs_reads_the_environment() -> None:
    allowed = {
        "configs/__init__.py",
        "server/hook.py",  # the hook client stands alone
        "server/fallback.py",
    }
    for path in PRODUCT:
        name = str(path.relative_to(ROOT))
        if name not in allowed and "os.environ" in path.read_text("utf-8"):
            lines = [line for line in path.read_text("utf-8").splitlines() if "os.environ" in line]
            # Handing it on to a child process, or telling a library to use one thread, is not reading it.
            passing = ("**os.environ", "dict(os.environ)", "os.environ.setdefault(")
            assert all(any(how in line for how in passing) for line in lines), name


def test_the_repository_stands_alone() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    for name in tracked:
        path = ROOT / name
        if (
            path.suffix in (".py", ".md", ".toml", ".sh", ".lock", "")
            and path.is_file()
            and name != "tests/test_layout.py"
        ):
            assert "../shared" not in path.read_text("utf-8", "replace"), name
