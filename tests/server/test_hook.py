"""The hook as a client runs it: real processes, real sockets, and status 0 whatever happens."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest
from backstory.server import hook, hook_line, spool
from backstory.server.doorway import Doorway, Env, Reply
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the doorway and the fork are POSIX")

WAIT_S = 20
PAYLOAD = {
    "session_id": "s-1",
    "prompt_id": "p-1",
    "cwd": "/repo",
    "prompt": "why did the parser drop comments?",
}
REPLY = json.dumps(
    {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": '记忆 "x"'}},
    ensure_ascii=False,
).encode()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "my 家 home"
    hook_line.lay(home)
    return home


def start(
    home: Path, event: str = "UserPromptSubmit", *, env: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        hook_line.command(sys.executable, home, "claude-code", event),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        cwd=cwd,
    )


def pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def run(
    home: Path, event: str = "UserPromptSubmit", payload: bytes | dict[str, Any] = PAYLOAD, **kw: Any
) -> bytes:
    """The hook's stdout, having seen status 0 and an empty stderr."""
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    process = start(home, event, **kw)
    out, err = process.communicate(raw, timeout=WAIT_S)
    assert (process.returncode, err) == (0, b"")
    return out


@contextmanager
def door(home: Path, answer: Callable[..., bytes]) -> Iterator[Doorway]:
    opened = Doorway(home, lambda *asked: Reply(answer(*asked)))
    assert opened.open()
    try:
        yield opened
    finally:
        opened.stop()


@contextmanager
def raw_door(home: Path, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """A socket where the doorway would be, each of whose callers is given to `serve` in a thread."""
    path = f"/tmp/backstory-test-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen()
        (home / "run").mkdir(exist_ok=True)
        (home / "run" / "door").write_text(path)

        def accept() -> None:
            try:
                while True:
                    serve(listener.accept()[0])
            except OSError:
                return

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(WAIT_S)
            Path(path).unlink()


def spooled(home: Path, n: int = 0) -> list[dict[str, Any]]:
    """The spooled events; waits for `n` of them, since a hook out of time leaves the writing to its child."""
    ends = time.monotonic() + WAIT_S
    while len(found := sorted((home / "spool").glob("[0-9]*.json"))) < n and time.monotonic() < ends:
        threading.Event().wait(0.01)
    return [json.loads(path.read_bytes()) for path in found]


def test_the_answer_of_the_doorway_is_printed_as_it_is(home: Path, tmp_path: Path) -> None:
    heard = []

    def answer(*args: Any) -> bytes:
        heard.append(args)
        return REPLY

    env = {
        "CLAUDE_PROJECT_DIR": '/repo "q" \\ 家\n',
        "CURSOR_VERSION": "3.1",
        "CLAUDE_CODE_SESSION_ATTENDED": "0",
    }
    with door(home, answer):
        assert run(home, env=env, cwd=tmp_path) == REPLY
    [(client, event, bits, raw)] = heard
    assert (client, event, json.loads(raw)) == ("claude-code", "UserPromptSubmit", PAYLOAD)
    assert bits == {
        "cwd": str(tmp_path), "project": env["CLAUDE_PROJECT_DIR"], "cursor": "3.1", "attended": "0",
    }  # fmt: skip
    assert spooled(home) == []


def test_a_capture_is_acknowledged_in_silence(home: Path) -> None:
    with door(home, lambda *_: b""):
        assert run(home, "Stop", {**PAYLOAD, "last_assistant_message": "done"}) == b""
    assert spooled(home) == []


def test_a_large_result_goes_through(home: Path) -> None:
    sizes = []

    def answer(client: str, event: str, env: Env, raw: bytes) -> bytes:
        sizes.append(len(raw))
        return b""

    with door(home, answer):
        run(home, "PostToolUse", b'{"x":"' + b"y" * 5_000_000 + b'"}')
    assert sizes == [5_000_008]


@pytest.mark.parametrize("empty", [b"", b"  \n"])
def test_without_a_payload_nothing_is_said_or_kept(home: Path, empty: bytes) -> None:
    assert run(home, payload=empty) == b""
    assert spooled(home) == []


def test_without_a_server_the_event_is_spooled(home: Path, tmp_path: Path) -> None:
    before = time.time_ns() // 1000
    assert (
        run(home, "PostToolUse", {**PAYLOAD, "tool_name": "Bash", "tool_use_id": "t1"}, cwd=tmp_path) == b""
    )
    [event] = spooled(home, 1)
    assert before <= event.pop("at") <= time.time_ns() // 1000
    assert event == {
        "v": 1, "client": "claude-code", "event": "PostToolUse", "given": [], "unfollowed": False,
        "env": {"cwd": str(tmp_path), "project": None, "cursor": None, "attended": None},
        "payload": {**PAYLOAD, "tool_name": "Bash", "tool_use_id": "t1"},
    }  # fmt: skip


def touched(home: Path, env: dict[str, str]) -> list[str]:
    """The files, sockets and databases that a hook opens, besides its own code."""
    audit = (
        "import sys\n"
        "def _see(name, args):\n"
        "    if name in ('open', 'sqlite3.connect', 'socket.connect', 'os.fork'):\n"
        "        sys.stderr.write(f'{name} {args[:1]}\\n')\n"
        "sys.addaudithook(_see)\n"
    )
    command = hook_line.command(sys.executable, home, "claude-code", "UserPromptSubmit")
    command[command.index(hook_line.LINE)] = audit + hook_line.LINE
    done = subprocess.run(
        command, input=json.dumps(PAYLOAD).encode(), capture_output=True, env=env, timeout=WAIT_S, check=False
    )
    assert done.returncode == 0
    return [line for line in done.stderr.decode().splitlines() if ".py" not in line]


@pytest.mark.parametrize("value", ["1", "true", "yes"])
def test_switched_off_it_opens_neither_socket_nor_database(home: Path, value: str) -> None:
    assert touched(home, {"BACKSTORY_OFF": value}) == []
    assert len(touched(home, {})) >= 2  # the door's file, and the fork that leads to the database
    assert len(spooled(home, 1)) == 1


@pytest.mark.parametrize("value", ["", "0"])
def test_switched_on_it_is_on(home: Path, value: str) -> None:
    run(home, "Stop", env={"BACKSTORY_OFF": value})
    assert len(spooled(home, 1)) == 1


@pytest.mark.parametrize(
    "damage", ["deleted", "unreadable", "truncated", "garbage", "folder", "home deleted", "slice deleted"]
)
def test_a_damaged_hook_is_silent(home: Path, damage: str) -> None:
    file = home / "hook" / "hook.py"
    shutil.rmtree(home / "hook" / "__pycache__")
    match damage:
        case "deleted":
            file.unlink()
        case "unreadable":
            file.chmod(0)
            if os.access(file, os.R_OK):  # root reads everything; a link to itself nobody does
                file.unlink()
                file.symlink_to(file)
        case "truncated":
            file.write_bytes(file.read_bytes()[:1500])
        case "garbage":
            file.write_bytes(b"\0\xff\0")
        case "folder":
            file.unlink()
            file.mkdir()
        case "home deleted":
            shutil.rmtree(home)
        case "slice deleted":
            shutil.rmtree(home / "hook" / "backstory")
    assert run(home) == b""


def test_a_truncated_bytecode_file_is_silent_too(home: Path) -> None:
    [cached] = (home / "hook" / "__pycache__").glob("hook.*.pyc")
    cached.write_bytes(cached.read_bytes()[:200])
    assert run(home) == b""


def test_too_few_arguments_are_no_error(home: Path) -> None:
    command = hook_line.command(sys.executable, home, "claude-code", "Stop")[:-2]
    done = subprocess.run(command, input=b"{}", capture_output=True, timeout=WAIT_S, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_folder_that_is_gone_and_no_environment_are_no_error(home: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    command = [
        "sh",
        "-c",
        script,
        "sh",
        str(gone),
        *hook_line.command(sys.executable, home, "claude-code", "Stop"),
    ]
    done = subprocess.run(
        command, input=json.dumps(PAYLOAD).encode(), capture_output=True, env={}, timeout=WAIT_S, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert spooled(home, 1)[0]["env"]["cwd"] is None


def test_the_line_stands_between_quotes_of_a_shell(home: Path) -> None:
    line = shlex.join(hook_line.command(sys.executable, home, "claude-code", "Stop"))
    assert "'" not in hook_line.LINE
    done = subprocess.run(
        ["sh", "-c", line],
        input=json.dumps(PAYLOAD).encode(),
        capture_output=True,
        timeout=WAIT_S,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(spooled(home, 1)) == 1


def test_a_stdin_that_never_closes_does_not_hold_it(home: Path) -> None:
    process = start(home)
    stdin, _, _ = pipes(process)
    stdin.write(b'{"prompt":')
    stdin.flush()
    assert process.wait(WAIT_S) == 0
    assert process.communicate()[:2] == (b"", b"")


@pytest.mark.parametrize(("closed", "kept"), [("0<&-", 0), ("1>&-", 1), ("2>&-", 1), ("1>&- 2>&-", 1)])
def test_a_closed_stream_is_no_error(home: Path, closed: str, kept: int) -> None:
    line = shlex.join(hook_line.command(sys.executable, home, "claude-code", "Stop"))
    done = subprocess.run(
        ["sh", "-c", f"{line} {closed}"],
        input=json.dumps(PAYLOAD).encode(),
        capture_output=True,
        timeout=WAIT_S,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(spooled(home, kept)) == kept


def test_without_fork_timer_and_unix_sockets_it_falls_back_in_its_own_process(home: Path) -> None:
    bare = "import posix, _signal, _socket; del posix.fork, _signal.setitimer, _socket.AF_UNIX\n"
    command = hook_line.command(sys.executable, home, "cursor", "beforeSubmitPrompt")
    command[command.index(hook_line.LINE)] = bare + hook_line.LINE
    (home / "run").mkdir()
    (home / "run" / "door").write_text("/tmp/backstory-nobody/door1.sock")
    raw = json.dumps(PAYLOAD).encode()
    done = subprocess.run(command, input=raw, capture_output=True, timeout=WAIT_S, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"continue": true}', b"")
    assert [event["payload"] for event in spooled(home, 1)] == [PAYLOAD]


def test_a_client_that_does_not_read_is_no_error(home: Path) -> None:
    with door(home, lambda *_: REPLY):
        process = start(home)
        stdin, stdout, stderr = pipes(process)
        stdout.close()
        stdin.write(json.dumps(PAYLOAD).encode())
        stdin.close()
        assert process.wait(WAIT_S) == 0
        assert stderr.read() == b""
        stderr.close()


def silent(caller: socket.socket) -> None:
    held.append(caller)


def garbage(caller: socket.socket) -> None:
    with caller:
        caller.recv(1 << 16)
        caller.sendall(b"\0garbage{}")


def refuses(caller: socket.socket) -> None:
    with caller:
        caller.sendall(b"-")


def shuts(caller: socket.socket) -> None:
    caller.close()


held: list[socket.socket] = []


@pytest.mark.parametrize("serve", [silent, garbage, refuses, shuts])
def test_a_doorway_of_no_use_leaves_the_event_to_the_spool(
    home: Path, serve: Callable[[socket.socket], None]
) -> None:
    with raw_door(home, serve):
        assert run(home) == b""
    while held:
        held.pop().close()
    assert [event["payload"] for event in spooled(home, 1)] == [PAYLOAD]


def test_a_hook_that_got_no_processor_until_its_end_still_keeps_its_event(home: Path) -> None:
    asked = threading.Event()

    def serve(caller: socket.socket) -> None:
        held.append(caller)
        asked.set()

    with raw_door(home, serve), start(home, "Stop") as process:
        stdin, _, _ = pipes(process)
        stdin.write(json.dumps(PAYLOAD).encode())
        stdin.close()
        assert asked.wait(WAIT_S)
        process.send_signal(signal.SIGSTOP)
        # Both its waits run out while it cannot run, and its alarm is the first that it hears of.
        threading.Event().wait(hook.END_S + 0.05)
        process.send_signal(signal.SIGCONT)
        assert process.wait(WAIT_S) == 0
    held.pop().close()
    assert [event["payload"] for event in spooled(home, 1)] == [PAYLOAD]


def test_an_answer_that_is_no_object_is_not_printed(home: Path) -> None:
    with door(home, lambda *_: b"Traceback (most recent call last)"):
        assert run(home) == b""
    assert spooled(home) == []


def test_a_late_answer_is_not_printed_and_the_event_is_kept_twice_for_once(home: Path) -> None:
    go = threading.Event()
    heard = []

    def slow(client: str, event: str, env: Env, raw: bytes) -> bytes:
        assert go.wait(WAIT_S)
        heard.append(json.loads(raw))
        return REPLY

    with door(home, slow):
        out = run(home)
        go.set()
    assert out == b""
    # The same keys from both ways: what is stored by them is stored once.
    assert heard == [event["payload"] for event in spooled(home, 1)] == [PAYLOAD]


def test_a_stale_door_is_no_door(home: Path) -> None:
    (home / "run").mkdir()
    (home / "run" / "door").write_text("/tmp/backstory-nobody/door1.sock")
    run(home, "Stop")
    assert len(spooled(home, 1)) == 1


def test_when_nothing_can_be_written_it_is_silent(home: Path) -> None:
    (home / "spool").write_text("in the way")
    assert run(home, "Stop") == b""


def test_a_hang_in_c_code_ends_in_time_with_status_0(home: Path) -> None:
    # The fallback is a loop that no signal handler of Python's could interrupt: only the parent's clock can end it.
    (home / "hook" / "backstory" / "server" / "fallback.py").write_text(
        "def run(*args):\n    reply = args[-1]\n    import re\n    re.match(r'(a+)+$', 'a' * 64 + 'b')\n"
    )
    began = time.monotonic()
    assert run(home) == b""
    assert time.monotonic() - began < WAIT_S / 2  # without the clock it would take years


def test_a_fallback_that_breaks_after_half_a_reply_prints_nothing(home: Path) -> None:
    (home / "hook" / "backstory" / "server" / "fallback.py").write_text(
        "import os\ndef run(*args):\n    os.write(args[-1].__closure__[0].cell_contents, b'{\"half\":')\n"
        "    raise SystemExit(3)\n"
    )
    assert run(home) == b""


def test_the_last_whole_reply_is_printed_when_the_time_is_up(home: Path) -> None:
    (home / "hook" / "backstory" / "server" / "fallback.py").write_text(
        "import time\ndef run(*args):\n    reply = args[-1]\n    assert reply(b'{\"a\":1}') and reply(b'{\"a\":2}')\n"
        "    time.sleep(60)\n"
    )
    assert run(home) == b'{"a":2}'


def test_the_fallback_knows_that_nobody_heard_it(home: Path) -> None:
    told = home / "told"
    (home / "hook" / "backstory" / "server" / "fallback.py").write_text(
        "import sys, time\n"
        "def run(*args):\n"
        "    while args[-1](b'{\"a\":1}'):\n"
        "        time.sleep(0.01)\n"
        f"    open({str(told)!r}, 'w').close()\n"
    )
    assert run(home) == b'{"a":1}'
    ends = time.monotonic() + WAIT_S
    while not told.exists():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_a_reply_is_printed_though_the_spool_is_slow(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "hook" / "backstory" / "server" / "fallback.py").write_text(
        "import time\ndef run(*args):\n    args[-1](b'{\"a\":1}')\n    time.sleep(60)\n"
    )
    assert run(home) == b'{"a":1}'


def test_twenty_hooks_and_a_full_spool_are_taken_in_once_by_one(home: Path) -> None:
    for n in range(5000):
        path = home / "spool" / f"{1000 + n}-1-ab.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            json.dumps(
                {"v": 1, "client": "c", "event": "e", "env": {}, "at": 1000 + n, "payload": n, "given": []}
            )
        )
    hooks = []
    for n in range(20):
        hooks.append(start(home, "Stop"))
        pipes(hooks[-1])[0].write(json.dumps({**PAYLOAD, "prompt_id": f"new-{n}"}).encode())
        pipes(hooks[-1])[0].close()
    taken: Counter[Any] = Counter()
    drains: list[int] = []

    def drain() -> None:
        drains.append(
            spool.drain(
                home,
                lambda event: taken.update(
                    [event.payload if isinstance(event.payload, int) else event.payload["prompt_id"]]
                ),
            )
        )

    drainers = [threading.Thread(target=drain) for _ in range(4)]
    for drainer in drainers:
        drainer.start()
    for process in hooks:
        assert process.wait(WAIT_S) == 0
        for pipe in pipes(process)[1:]:
            pipe.close()
    for drainer in drainers:
        drainer.join(WAIT_S)
    ends = time.monotonic() + WAIT_S
    while (
        sum(drains) < 5020 and time.monotonic() < ends
    ):  # a hook out of time has left its writing to a child
        drain()
    assert taken == Counter([*range(5000), *(f"new-{n}" for n in range(20))])
    assert sum(drains) == 5020


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are counted in /proc")
def test_no_process_is_left_behind(home: Path) -> None:
    for _ in range(10):
        run(home, "Stop")
    assert len(spooled(home, 10)) == 10
    ends = time.monotonic() + WAIT_S
    while (left := _running(home)) and time.monotonic() < ends:
        threading.Event().wait(0.01)
    assert left == []


def _running(home: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.fsencode(home) in (process / "cmdline").read_bytes():
                found.append(process.name)
    return found


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    raw=st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: json.dumps({"prompt": text}).encode())
)
def test_any_bytes_on_stdin_are_met_with_status_0(home: Path, raw: bytes) -> None:
    run(home, payload=raw)


def test_the_files_are_private_and_known_to_be_current(home: Path, tmp_path: Path) -> None:
    assert hook_line.stale(home) == []
    assert stat.S_IMODE((home / "hook").stat().st_mode) == 0o700
    (home / "hook" / "hook.py").write_text("")
    assert hook_line.stale(home) == [home / "hook" / "hook.py"]
    assert len(hook_line.stale(tmp_path)) == len(hook_line.SLICE) + 2
    hook_line.lay(home)
    assert hook_line.stale(home) == []


def test_nothing_but_builtins_is_imported_while_a_doorway_answers(home: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1] + '/hook'); before = set(sys.modules); import hook\n"
        "reply = hook._ask(*sys.argv[1:4], b'{}', b'{}')\n"
        "print(reply, sorted(set(sys.modules) - before))"
    )
    with door(home, lambda *_: b"{}"):
        done = subprocess.run(
            [sys.executable, *hook_line.FLAGS, "-c", code, home, "claude-code", "Stop"],
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stdout == "b'{}' ['_socket', 'hook']\n"


def test_the_deadlines_fit_into_each_other() -> None:
    assert hook.ANSWER_S < hook.END_S <= 0.4


def test_the_slice_holds_all_that_it_imports() -> None:
    """Each file of the slice imports the standard library and the slice."""
    import ast

    package = Path(hook.__file__).parent.parent
    slim = set(hook_line.SLICE) | {"__init__.py"}
    for name in hook_line.SLICE:
        tree = ast.parse((package / name).read_text("utf-8"))
        typing = [n for n in tree.body if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
        only_typed = {part for node in typing for part in ast.walk(node)}
        for node in ast.walk(tree):
            if node in only_typed:
                continue
            if isinstance(node, ast.Import):
                assert all(alias.name.split(".")[0] in sys.stdlib_module_names for alias in node.names), name
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert str(node.module).split(".")[0] in sys.stdlib_module_names, name
            elif isinstance(node, ast.ImportFrom):
                folder = Path(name).parents[node.level - 1]
                target = folder / str(node.module or "").replace(".", "/")
                for alias in node.names:
                    if alias.name.isupper() and not node.module:
                        continue  # a constant in the `__init__` of its own folder
                    wanted = {str(target.with_suffix(".py")), str(target / f"{alias.name}.py")}
                    assert wanted & slim or alias.name == "locks", f"{name} needs {wanted}"
