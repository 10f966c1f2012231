"""How git is run for code history: quietly, with nothing of the caller's or the user's in its way."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, Self

from ...store.errors import GitFailed
from .git_files import Where
from .quoting import quoted

TIMEOUT_S = 60.0
EMPTY_TREE = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
# Given before every command, so that no setting of the user's runs a program of theirs, starts a daemon, converts
# what is read or changes the form of an answer.
SETTINGS = (
    "core.quotepath=off",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.eol=lf",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.protectNTFS=false",
    "core.protectHFS=false",
    "core.fsync=none",
    "gc.auto=0",
    "maintenance.auto=false",
    "diff.suppressBlankEmpty=false",
    "filter.lfs.clean=",
    "filter.lfs.smudge=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
)
# GitPython hands the whole environment on and can only add to it. So each variable of git's that says where a
# repository is, or changes what git answers, gets the value it would have without being there; `_places` has those
# that name places. GIT_CONFIG_GLOBAL, _SYSTEM and _NOSYSTEM stay: the user keeps the list of ignored files there.
QUIET = {
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_GLOB_PATHSPECS": "0",
    "GIT_NOGLOB_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "0",
    "GIT_CONFIG_COUNT": "0",
    "GIT_CONFIG_PARAMETERS": "",
    "GIT_NAMESPACE": "",
    "GIT_DIFF_OPTS": "",
    "GIT_EXTERNAL_DIFF": "",
    "GIT_TRACE": "0",
    "GIT_TRACE_SETUP": "0",
    "GIT_TRACE_PERFORMANCE": "0",
    "GIT_TRACE2": "0",
    "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0",
}


def run(
    where: Where,
    args: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    settings: Sequence[str] = (),
    stdin: bytes | None = None,
    passing: Sequence[int] = (0,),
    timeout_s: float = TIMEOUT_S,
) -> bytes:
    """
    What a git command prints, run at the top of the worktree in the repository that `where` names.

    Args:
        env: what is set beside, and before, `QUIET`.
        settings: as git's `-c` takes them, beside and before `SETTINGS`.
        passing: exit codes that are no failure.

    Raises:
        GitFailed: git is not there, took too long, or ended with another code.
    """
    git = _gitpython()
    environment = {**QUIET, **_places(where), **(env or {})}
    try:
        with _file(stdin) as istream:
            code, out, err = git.Git(where.root).execute(
                _command(settings, args),
                istream=istream,
                env=environment,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=timeout_s,
            )
    except (git.exc.GitCommandNotFound, OSError, ValueError) as e:
        raise GitFailed(f"git {args[0]} could not be run: {e}") from e
    if code not in passing:
        raise GitFailed(f"git {args[0]} failed ({code}): {str(err).strip()[:500]}")
    return bytes(out)


class Talk:
    """A git command that answers one request after the other; killed where it takes longer than `timeout_s`."""

    def __init__(
        self,
        where: Where,
        args: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        stdin: IO[bytes] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        environment = {**QUIET, **_places(where), **(env or {})}
        self._name = args[0]
        # A pipe, so that one request can wait for the answer to another; nothing is asked of its errors.
        self._process: Any = (
            _gitpython()
            .Git(where.root)
            .execute(
                _command((), args),
                istream=stdin or subprocess.PIPE,
                env=environment,
                as_process=True,
            )
        )
        self._timer = threading.Timer(timeout_s, self._process.proc.kill)
        self._timer.daemon = True
        self._timer.start()

    def ask(self, line: bytes) -> bytes:
        """The first line of the answer, without its line feed."""
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
            answer: bytes = self._process.stdout.readline()
        except (OSError, ValueError) as e:
            raise GitFailed(f"git {self._name} ended early.") from e
        if not answer.endswith(b"\n"):
            raise GitFailed(f"git {self._name} ended early.")
        return answer[:-1]

    def take(self, size: int) -> bytes:
        """So many bytes of the answer."""
        taken: bytes = self._process.stdout.read(size)
        if len(taken) != size:
            raise GitFailed(f"git {self._name} ended early.")
        return taken

    def rest(self, size: int) -> Iterator[bytes]:
        """All that is still to come, in pieces of at most that size. Raises `GitFailed` where it did not end well."""
        while piece := self._process.stdout.read1(size):
            yield piece
        if self._process.proc.wait():
            raise GitFailed(f"git {self._name} ended early.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the command."""
        process = self._process.proc
        for stream in (process.stdin, process.stdout, process.stderr):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                continue
        process.wait()  # the timer still runs: a command that does not end of itself is killed
        self._timer.cancel()


def empty_tree(where: Where) -> str:
    """The id of a tree without entries, of the length that the repository's ids have."""
    return EMPTY_TREE[len(where.head) if where.head else 40]


def alternates(*folders: str) -> str:
    """Those object folders as git reads a list of them."""
    names = []
    for folder in folders:
        name = os.fsdecode(quoted(os.fsencode(folder)))
        names.append(f'"{name}"' if os.pathsep in name and not name.startswith('"') else name)
    return os.pathsep.join(names)


def without_index(where: Where) -> dict[str, str]:
    """
    For commands that compare trees: where an index says that a file is as one of them has it, git would read the
    file on disk in its place.
    """
    return {"GIT_INDEX_FILE": f"{where.git_dir}/no-index"}


def _gitpython() -> Any:
    """Imported where git is run, for it takes a tenth of a second; it refuses to be imported where there is no git."""
    try:
        import git
    except ImportError as e:
        raise GitFailed("git was not found; install it, or have it in PATH.") from e
    return git


def _command(settings: Sequence[str], args: Sequence[str]) -> list[str]:
    given = (word for one in (*SETTINGS, *settings) for word in ("-c", one))
    return ["git", "--no-pager", "--no-optional-locks", *given, *args]


def _places(where: Where) -> dict[str, str]:
    """The repository, named in full: git seeks none, and asks for no safe.directory, whoever owns the folder."""
    git_dir, common_dir = where.git_dir or "", where.common_dir or ""
    return {
        "GIT_DIR": git_dir,
        "GIT_COMMON_DIR": common_dir,
        "GIT_WORK_TREE": where.root,
        "GIT_INDEX_FILE": f"{git_dir}/index",
        "GIT_OBJECT_DIRECTORY": f"{common_dir}/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
        "GIT_SHALLOW_FILE": f"{common_dir}/shallow",
        # No attributes of files: not these of HEAD, nor of a tree that the caller named.
        "GIT_ATTR_SOURCE": empty_tree(where),
    }


@contextlib.contextmanager
def _file(content: bytes | None) -> Iterator[IO[bytes] | None]:
    """What the command reads: a file, for GitPython writes nothing into a pipe."""
    if content is None:
        yield None
        return
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file
