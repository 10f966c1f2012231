"""The local socket that hooks and the other servers of this home talk to, kept by one server at a time."""

from __future__ import annotations

import json
import logging
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import locks
from .listening import Listener

log = logging.getLogger(__name__)

PROTOCOL = b"1"
HEADER_BYTES = 512
FRAME_BYTES = (8 << 20) + (64 << 10)
# One connection may take this long to say what it wants, and to take its answer.
TALK_S = 2.0
WORKERS = 16
# How often a server that has no door tries for it, and the holder looks whether it is still there.
RETRY_S = 1.0

# The bits of a hook's environment: cwd, project, cursor.
Env = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """
    A hook's exact stdout, None where it must keep the event itself, and what is to be done once the hook has it; it may
    have given up waiting.
    """

    stdout: bytes | None
    once_sent: Callable[[], object] | None = None


# (client, event, env, the payload's bytes) to the reply; None: the hook must keep the event itself.
Answer = Callable[[str, str, Env, bytes], Reply | None]
Op = Callable[[bytes], bytes | None]


class Doorway:
    """
    The door of one home: opened if no other server has it, else taken over within a second of that one's end.

    Args:
        answer: called in a thread of its own for each event; where it raises, the hook falls back.
        ops: the other questions by name (`embed`, `status`), bytes to bytes; `ping` is here.
        changed: told True when this server takes the door and False when it loses it; must return soon.
    """

    def __init__(
        self,
        home: Path,
        answer: Answer,
        *,
        ops: Mapping[str, Op] | None = None,
        changed: Callable[[bool], None] | None = None,
        retry_s: float = RETRY_S,
    ) -> None:
        self.home = home
        self._answer = answer
        self._ops: dict[str, Op] = {"ping": lambda _: b"pong", **(ops or {})}
        self._changed = changed
        self._retry_s = retry_s
        self._stopping = threading.Event()
        self._tried = threading.Event()
        self._held = threading.Event()
        self._room = threading.BoundedSemaphore(WORKERS)
        self._workers: set[threading.Thread] = set()
        self._trouble = ""
        self._thread = threading.Thread(target=self._keep, name="backstory-door", daemon=True)

    @property
    def holding(self) -> bool:
        """Whether this server has the door now."""
        return self._held.is_set()

    def open(self) -> bool:
        """Whether the door is ours at once, in milliseconds; otherwise it is tried for in the background."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.home / "run").mkdir(mode=0o700, exist_ok=True)
        self._wake, self._woken = socket.socketpair()
        self._thread.start()
        self._tried.wait()
        return self.holding

    def stop(self) -> None:
        """Close the door, let those inside finish, leave it to the next server. Twice is once."""
        if self._stopping.is_set() or self._thread.ident is None:
            return
        self._stopping.set()
        with self._wake, self._woken:
            self._wake.send(b"\0")
            self._thread.join()
        ends = time.monotonic() + TALK_S
        for worker in list(self._workers):
            worker.join(max(0.0, ends - time.monotonic()))

    def _keep(self) -> None:
        while not self._stopping.is_set():
            try:
                lock = locks.exclusive(self.home / "run" / "door.lock")
                if lock is not None:
                    try:
                        self._hold(lock)
                    finally:
                        os.close(lock)
                self._trouble = ""
            except OSError as e:
                if str(e) != self._trouble:  # once, not every second
                    self._trouble = str(e)
                    log.warning("The doorway of %s does not open: %s", self.home, e)
            self._tried.set()
            self._stopping.wait(self._retry_s)

    def _hold(self, lock: int) -> None:
        """Serve until stopped, or until the lock or the socket is no longer there."""
        with Listener(self.home) as listener:
            self._held.set()
            self._tried.set()
            self._tell(True)
            try:
                look_at = 0.0
                while not self._stopping.is_set():
                    if time.monotonic() >= look_at:
                        look_at = time.monotonic() + self._retry_s
                        if not (locks.is_at(lock, self.home / "run" / "door.lock") and listener.stands()):
                            return
                    self._admit(listener)
            finally:
                self._held.clear()
                self._tell(False)

    def _tell(self, holding: bool) -> None:
        if self._changed is not None:
            try:
                self._changed(holding)
            except Exception:
                log.exception("What depends on the doorway was not told of its change")

    def _admit(self, listener: Listener) -> None:
        """Give the next caller a thread, or come back after a second."""
        ready, _, _ = select.select([self._woken, *listener.sockets], [], [], self._retry_s)
        if self._woken in ready or not ready:
            return
        try:
            caller, _ = listener.sockets[0].accept()
        except OSError:
            return
        while not self._room.acquire(timeout=self._retry_s):
            if self._stopping.is_set():
                caller.close()
                return
        worker = threading.Thread(target=self._serve, args=(caller,), name="backstory-caller", daemon=True)
        self._workers.add(worker)
        worker.start()

    def _serve(self, caller: socket.socket) -> None:
        try:
            with caller:
                caller.settimeout(TALK_S)
                if _is_ours(caller):
                    frame = _receive(caller, FRAME_BYTES, time.monotonic() + TALK_S)
                    reply = None if frame is None else self._reply(frame)
                    caller.settimeout(TALK_S)
                    caller.sendall(b"-" if reply is None or reply.stdout is None else b"+" + reply.stdout)
                else:
                    reply = None
            if reply is not None and reply.once_sent is not None:
                reply.once_sent()
        except OSError:
            pass  # It has gone: a hook does not wait for long.
        except Exception:
            log.exception("What was to be done after an answer could not be done")
        finally:
            self._workers.discard(threading.current_thread())
            self._room.release()

    def _reply(self, frame: bytes) -> Reply | None:
        try:
            return self._dispatch(frame)
        except Exception:
            log.exception("The doorway could not answer a caller")
            return None

    def _dispatch(self, frame: bytes) -> Reply | None:
        head, _, body = frame.partition(b"\n")
        match head[:HEADER_BYTES].split(b" "):
            case [b"backstory", version, b"hook", client, event] if version == PROTOCOL:
                bits, _, raw = body.partition(b"\n")
                # Paths are bytes; the same name comes out of os.fsencode again.
                env = json.loads(bits.decode("utf-8", "surrogateescape"))
                return self._answer(client.decode(), event.decode(), env, raw)
            case [b"backstory", version, op] if version == PROTOCOL and op.decode() in self._ops:
                told = self._ops[op.decode()](body)
                return None if told is None else Reply(told)
            case _:
                return None


def ask(home: Path, op: str, payload: bytes = b"", timeout_s: float = 1.0) -> bytes | None:
    """The holder's answer to `op`; None where there is no holder, no answer in time, or none to give."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    ends = time.monotonic() + timeout_s
    try:
        path = (home / "run" / "door").read_bytes()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(timeout_s)
            s.connect(path)
            s.sendall(b"backstory %b %b\n%b" % (PROTOCOL, op.encode(), payload))
            s.shutdown(socket.SHUT_WR)
            answer = _receive(s, FRAME_BYTES, ends)
    except (OSError, ValueError):
        return None
    return answer[1:] if answer is not None and answer[:1] == b"+" else None


def _receive(s: socket.socket, limit: int, ends: float) -> bytes | None:
    """All that the other side sends; None above the limit. Raises TimeoutError at `ends`."""
    parts: list[bytes] = []
    size = 0
    while True:
        left = ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        s.settimeout(left)
        part = s.recv(1 << 18)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > limit:
            return None


def _is_ours(caller: socket.socket) -> bool:
    """Whether the caller is this user's, where the system can say; the folder is private anyway."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = struct.unpack("3i", caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return bool(uid == os.geteuid())
