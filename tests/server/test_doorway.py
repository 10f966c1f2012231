"""The doorway: one holder a home, bounded and unbothered by what comes in, and the others take over."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from backstory.server import doorway
from backstory.server.doorway import Doorway, Env, Reply, ask

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")

WAIT_S = 5


@contextmanager
def opened(home: Path, answer: Callable[..., bytes] = lambda *_: b"", **kw: Any) -> Iterator[Doorway]:
    door = Doorway(home, lambda *asked: Reply(answer(*asked)), retry_s=kw.pop("retry_s", 0.05), **kw)
    door.open()
    try:
        yield door
    finally:
        door.stop()


def say(home: Path, frame: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(WAIT_S)
        s.connect((home / "run" / "door").read_bytes())
        try:
            s.sendall(frame)
            s.shutdown(socket.SHUT_WR)
            answer = b""
            while part := s.recv(65536):
                answer += part
        except (BrokenPipeError, ConnectionResetError):
            return b""
        return answer


def hook_frame(env: bytes = b'{"cwd":"/x"}', raw: bytes = b'{"prompt":"p"}') -> bytes:
    return b"backstory 1 hook claude-code UserPromptSubmit\n%b\n%b" % (env, raw)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "家 home"


def test_an_event_reaches_its_handler_and_the_answer_its_hook(home: Path) -> None:
    heard = []

    def answer(client: str, event: str, env: Env, raw: bytes) -> bytes:
        heard.append((client, event, env, raw))
        return b'{"x":1}'

    with opened(home, answer):
        assert say(home, hook_frame(env=b'{"cwd":"/r\xff","pid":7}')) == b'+{"x":1}'
    assert heard == [("claude-code", "UserPromptSubmit", {"cwd": "/r\udcff", "pid": 7}, b'{"prompt":"p"}')]


def test_other_servers_ask_the_holder(home: Path) -> None:
    with opened(home, ops={"embed": lambda text: text.decode().upper().encode(), "none": lambda _: None}):
        assert ask(home, "ping") == b"pong"
        assert ask(home, "embed", "größe".encode()) == "GRÖSSE".encode()
        assert ask(home, "none") is None
        assert ask(home, "unheard-of") is None
    assert ask(home, "ping") is None


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\n",
        b"\0\xff" * 4000,
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"backstory 2 hook claude-code Stop\n{}\n{}",
        b"backstory 1 hook claude-code\n{}\n{}",
        b"backstory 1 hook claude-code Stop\nnot json\n{}",
        b"backstory 1 hook \xff\xfe Stop\n{}\n{}",
        b"backstory 1 " + b"x" * 9000,
        b"backstory 1 ping",
    ],
)
def test_what_it_does_not_understand_is_refused_and_forgotten(home: Path, frame: bytes) -> None:
    with opened(home):
        assert say(home, frame) == (b"+pong" if frame.endswith(b"ping") else b"-")
        assert ask(home, "ping") == b"pong"


def test_a_frame_above_the_limit_is_refused(home: Path) -> None:
    with opened(home):
        assert say(home, hook_frame(raw=b"x" * (doorway.FRAME_BYTES + 1))) in (b"-", b"")
        assert ask(home, "ping") == b"pong"


def test_what_follows_an_answer_is_done_only_for_a_hook_that_waited(home: Path) -> None:
    go, done = threading.Event(), threading.Event()
    sent: list[str] = []

    def answer(client: str, event: str, env: Env, raw: bytes) -> Reply:
        def follow() -> None:
            sent.append(event)
            done.set()

        if event == "Late":
            assert go.wait(WAIT_S)
        return Reply(b"{}", follow)

    door = Doorway(home, answer)
    assert door.open()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as hasty:
        hasty.connect((home / "run" / "door").read_bytes())
        hasty.sendall(hook_frame().replace(b"UserPromptSubmit", b"Late"))
        hasty.shutdown(socket.SHUT_WR)
    go.set()
    assert say(home, hook_frame()) == b"+{}"
    assert done.wait(WAIT_S)
    door.stop()
    assert sent == ["UserPromptSubmit"]


def test_a_hook_that_is_sent_away_knows_it_before_its_event_is_taken_in(home: Path) -> None:
    known, done = threading.Event(), threading.Event()

    def take_in() -> None:
        assert known.wait(WAIT_S)
        done.set()

    door = Doorway(home, lambda *_: Reply(None, take_in))
    assert door.open()
    assert say(home, hook_frame()) == b"-"
    known.set()
    assert done.wait(WAIT_S)
    door.stop()


def test_a_handler_that_fails_sends_the_hook_to_its_fallback(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(*_: Any) -> bytes:
        raise RuntimeError("broken on purpose")

    with opened(home, answer):
        assert say(home, hook_frame()) == b"-"
    assert "broken on purpose" in caplog.text


def test_a_caller_that_says_nothing_is_let_go_and_holds_up_nobody(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorway, "TALK_S", 0.2)
    with opened(home), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as mute:
        mute.settimeout(WAIT_S)
        mute.connect((home / "run" / "door").read_bytes())
        assert ask(home, "ping") == b"pong"
        assert mute.recv(1) == b""


def test_more_callers_than_threads_are_all_served(home: Path) -> None:
    inside, go = threading.Semaphore(0), threading.Event()

    def answer(*_: Any) -> bytes:
        inside.release()
        assert go.wait(WAIT_S)
        return b"{}"

    answers: list[bytes] = []
    with opened(home, answer):
        callers = [
            threading.Thread(target=lambda: answers.append(say(home, hook_frame())))
            for _ in range(doorway.WORKERS + 8)
        ]
        for caller in callers:
            caller.start()
        for _ in range(doorway.WORKERS):
            assert inside.acquire(timeout=WAIT_S)
        go.set()
        for caller in callers:
            caller.join(WAIT_S)
    assert answers == [b"+{}"] * (doorway.WORKERS + 8)


def test_stopping_lets_those_inside_finish(home: Path) -> None:
    inside, go = threading.Event(), threading.Event()

    def answer(*_: Any) -> bytes:
        inside.set()
        assert go.wait(WAIT_S)
        return b"{}"

    answers: list[bytes] = []
    door = Doorway(home, lambda *_: Reply(answer()))
    assert door.open()
    caller = threading.Thread(target=lambda: answers.append(say(home, hook_frame())))
    caller.start()
    assert inside.wait(WAIT_S)
    stopper = threading.Thread(target=door.stop)
    stopper.start()
    go.set()
    stopper.join(WAIT_S)
    caller.join(WAIT_S)
    assert answers == [b"+{}"]
    door.stop()


def test_one_server_has_the_door_and_another_takes_over(home: Path) -> None:
    taken = threading.Event()
    told = []

    def changed(holding: bool) -> None:
        told.append(holding)
        if holding:
            taken.set()

    with (
        opened(home, ops={"who": lambda _: b"first"}) as first,
        opened(home, ops={"who": lambda _: b"second"}, changed=changed) as second,
    ):
        assert (first.holding, second.holding) == (True, False)
        assert ask(home, "who") == b"first"
        first.stop()
        assert taken.wait(WAIT_S)
        assert ask(home, "who") == b"second"
    assert told == [True, False]


def test_it_is_taken_over_from_a_server_that_was_killed(home: Path, tmp_path: Path) -> None:
    code = (
        "import sys, threading; from pathlib import Path; from backstory.server.doorway import Doorway\n"
        "Doorway(Path(sys.argv[1]), lambda *_: None).open(); print('open', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, home], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"open\n"
    taken = threading.Event()
    with opened(home, changed=lambda holding: taken.set()) as door:
        assert not door.holding
        other.kill()
        other.communicate()
        assert taken.wait(WAIT_S)
        assert ask(home, "ping") == b"pong"


@pytest.mark.parametrize("lost", ["socket", "door", "lock"])
def test_a_door_swept_away_is_opened_again(home: Path, lost: str) -> None:
    changes = threading.Semaphore(0)
    with opened(home, changed=lambda _: changes.release()):
        changes.acquire(timeout=WAIT_S)
        path = Path(os.fsdecode((home / "run" / "door").read_bytes()))
        {"socket": path, "door": home / "run" / "door", "lock": home / "run" / "door.lock"}[lost].unlink()
        assert changes.acquire(timeout=WAIT_S)  # lost
        assert changes.acquire(timeout=WAIT_S)  # taken again
        assert ask(home, "ping") == b"pong"


def test_a_home_that_is_gone_does_not_end_the_server(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    gone, back = threading.Event(), threading.Event()
    with opened(
        home,
        changed=lambda holding: (back if gone.is_set() else gone if not holding else threading.Event()).set(),
    ):
        (home / "run").rename(home / "elsewhere")
        assert gone.wait(WAIT_S)
        (home / "elsewhere").rename(home / "run")
        assert back.wait(WAIT_S)
        assert ask(home, "ping") == b"pong"
    assert caplog.text.count("does not open") <= 1


def test_nobody_else_can_reach_it(home: Path) -> None:
    with opened(home):
        path = Path(os.fsdecode((home / "run" / "door").read_bytes()))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert {stat.S_IMODE(file.stat().st_mode) for file in (home / "run").iterdir()} == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert len(os.fsencode(path)) < 100
        assert [stat.S_IMODE(folder.stat().st_mode) for folder in (home, home / "run")] == [0o700, 0o700]
    assert not path.exists()


@pytest.mark.parametrize("taken", ["file", "link", "open to all"])
def test_a_folder_that_is_not_ours_alone_is_not_used(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: str
) -> None:
    temporary = tmp_path / "t"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(temporary))
    wanted = temporary / f"backstory-{os.getuid()}"
    if taken == "file":
        wanted.touch()
    elif taken == "link":
        wanted.symlink_to(tmp_path)
    else:
        wanted.mkdir()
        wanted.chmod(0o777)
    with opened(home):
        path = os.fsdecode((home / "run" / "door").read_bytes())
        assert not path.startswith(str(temporary))
        assert ask(home, "ping") == b"pong"


def test_a_long_temporary_folder_does_not_lengthen_the_path(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(long))
    with opened(home):
        assert len((home / "run" / "door").read_bytes()) < 100
        assert ask(home, "ping") == b"pong"


def test_it_is_open_before_anything_heavy_is_imported() -> None:
    code = "import backstory.server.doorway, sys, json; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert not {"mcp", "pydantic", "anyio", "asyncio", "apsw", "numpy"} & set(loaded)
