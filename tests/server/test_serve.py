"""A server process: nothing but the protocol on stdout, and an end whenever its client is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .serving import (
    COMMAND,
    INITIALIZE,
    INITIALIZED,
    call,
    ends_within,
    environment,
    hear,
    put_away,
    say,
    serving,
)

# What the promise allows; the test's own patience is longer.
END_S = 5.0
needs_pidfd = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="watches a process that is not its child"
)

# A module that everything imports, printing in every way there is before it does its work.
NOISY = """
import ctypes, importlib.machinery, os, sys
print("print at import")
os.write(1, b"written to fd 1 at import\\n")
ctypes.CDLL(None).puts(b"put by C at import")
ctypes.CDLL(None).fflush(None)
os.system("echo said by a child")
here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.machinery.PathFinder.find_spec(__name__, [p for p in sys.path if os.path.abspath(p) != here])
spec.loader.exec_module(sys.modules[__name__])
"""


def test_every_line_on_stdout_is_protocol_while_a_dependency_prints(tmp_path: Path) -> None:
    noise = tmp_path / "noise"
    noise.mkdir()
    (noise / "typing_extensions.py").write_text(NOISY)
    with serving(tmp_path / "home", PYTHONPATH=str(noise)) as process:
        say(process, INITIALIZE, INITIALIZED, call("memory_add", content="The build runs on port 4242."))
        assert hear(process)["result"]["serverInfo"]["name"] == "backstory"
        assert hear(process)["result"]["content"][0]["text"].startswith("stored m")
        assert process.stdin is not None
        process.stdin.close()
        process.wait(END_S)
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read() == ""
        said = process.stderr.read()
    for words in ("print at import", "written to fd 1", "put by C", "said by a child"):
        assert words in said


def test_the_end_of_stdin_ends_the_server(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as process:
        say(process, INITIALIZE)
        hear(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(END_S) == 0


def test_the_end_of_stdin_before_a_word_was_said_ends_the_server(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(2 * END_S) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path / "home") as process:
        say(process, INITIALIZE)
        hear(process)
        process.send_signal(number)
        assert process.wait(END_S) == 0


def test_a_client_that_closes_its_reading_end_ends_the_server(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as process:
        say(process, INITIALIZE, INITIALIZED)
        hear(process)
        assert process.stdout is not None
        process.stdout.close()
        say(process, call("memory_search", query="x"))
        assert process.wait(END_S) == 0


# The parent starts a server, and a child that keeps the server's stdin open when the parent is gone.
PARENT = """
import subprocess, sys, time
reader, writer = __import__("os").pipe()
holder = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], pass_fds=[writer])
server = subprocess.Popen(sys.argv[1:], stdin=reader, stdout=subprocess.PIPE)
__import__("os").write(writer, sys.stdin.readline().encode())
server.stdout.readline()
print(server.pid, holder.pid, flush=True)
time.sleep(60)
"""


@needs_pidfd
@pytest.mark.parametrize("_", range(5))
def test_the_parents_death_ends_the_server_though_its_stdin_stays_open(tmp_path: Path, _: int) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *COMMAND], env=environment(tmp_path / "home"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert parent.stdin is not None
    assert parent.stdout is not None
    holder = 0
    try:
        parent.stdin.write(json.dumps(INITIALIZE) + "\n")
        parent.stdin.flush()
        server, holder = map(int, parent.stdout.readline().split())
        parent.kill()
        parent.wait()
        assert ends_within(server, END_S)
    finally:
        put_away(parent)
        if holder:
            os.kill(holder, signal.SIGKILL)


def test_half_a_surrogate_pair_from_the_client_is_answered(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as process:
        say(process, INITIALIZE, INITIALIZED, call("memory_add", content="cut in an emoji \ud83d"))
        hear(process)
        assert hear(process)["result"]["content"][0]["text"].startswith("stored m")


def test_a_home_that_cannot_be_written_still_gets_an_answer(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    with serving(tmp_path / "home") as process:
        say(process, INITIALIZE, INITIALIZED, call("memory_add", content="x"))
        assert hear(process)["result"]["serverInfo"]["name"] == "backstory"
        result = hear(process)["result"]
        assert result["isError"]
        assert "home" in result["content"][0]["text"]


def test_wrong_arguments_of_the_command_are_refused_on_stderr(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--port", "many"],
        env=environment(tmp_path / "home"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "--port" in done.stderr
