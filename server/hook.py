"""
The hook client: hands an event to the living doorway, prints its answer, and is never in the way.

`install` copies this file into the home, where the line of `hook_line.py` imports it; it imports nothing of
ours while a doorway answers. Whatever happens, the process ends with status 0, one JSON object or nothing on
stdout, and nothing on stderr.
"""

import sys
import time

try:
    import posix as system
except ImportError:  # Windows: no doorway and no fork there.
    import nt as system  # type: ignore[no-redef]

leave = system._exit  # noqa: SLF001 - its public name is in `os`, which takes 2 ms to import

# How long the doorway may take to answer whole, and the process to end, counted from `main`.
ANSWER_S = 0.15
END_S = 0.385
# How long a capture that began in time may go on in the background, with the client already released.
LINGER_S = 5.0
# Above it an event is not sent but cut and spooled; above the second, dropped.
FRAME_BYTES = 8 << 20
STDIN_BYTES = 64 << 20
REPLY_BYTES = 64 << 10
OFF = b"BACKSTORY_OFF"


# The event while nobody has it, as the arguments of `_fall_back`: at most one.
unkept: "list[tuple[str, str, str, bytes, bytes, float]]" = []
# What the fallback has to say so far, until it is printed: at most one.
said: "list[bytes]" = []


def main() -> None:
    """Serve the event that the command line names; does not return."""
    began = time.monotonic()
    try:
        home, client, event = sys.argv[1:4]
        environ = _environ()
        if environ.get(OFF, b"") not in (b"", b"0"):
            return
        _end_by(END_S)
        raw = _stdin()
        if raw is None or raw.isspace() or not raw:
            return
        asked = (home, client, event, _bits(environ), raw)
        unkept.append((*asked, began))
        reply = _ask(*asked)
        if reply is None:
            _fall_back(*asked, began)
        else:
            unkept.clear()
            _print(reply)
    finally:
        # At once: the interpreter's own farewell takes 2.6 ms, and could still print.
        leave(0)


def _environ() -> dict[bytes, bytes]:
    if sys.platform == "win32":
        return {k.encode("utf-8", "replace"): v.encode("utf-8", "replace") for k, v in system.environ.items()}
    return system.environ


def _end_by(seconds: float) -> None:
    """Let the process end with status 0 after that long: a signal, which costs nothing, else a thread."""
    import _signal  # type: ignore[import-not-found]

    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _at_the_end)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, {_signal.SIGALRM})
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
        return
    import _thread

    def watch() -> None:
        time.sleep(seconds)
        try:
            _say()
        finally:
            leave(0)

    _thread.start_new_thread(watch, ())


def _at_the_end(*_: object) -> None:
    """Leave the client; what nobody has yet, as on a machine too busy to get so far, is kept from a child."""
    try:
        _say()
        if unkept and system.fork() == 0:
            from backstory.server import fallback

            _detach()
            fallback.run(*unkept[0], lambda _: False)
    finally:
        leave(0)


def _stdin() -> bytes | None:
    """All of standard input; None where it is larger than any event."""
    parts: list[bytes] = []
    size = 0
    while part := system.read(0, 1 << 20):
        parts.append(part)
        size += len(part)
        if size > STDIN_BYTES:
            return None
    return b"".join(parts)


def _bits(environ: dict[bytes, bytes]) -> bytes:
    """What of the environment matters, as one JSON line; the bytes of a path stay as they are."""
    try:
        cwd: bytes | None = system.getcwdb()
    except OSError:
        cwd = None
    project = environ.get(b"CLAUDE_PROJECT_DIR") or environ.get(b"CURSOR_PROJECT_DIR")
    return b'{"cwd":%b,"project":%b,"cursor":%b,"attended":%b}' % (
        _json(cwd),
        _json(project),
        _json(environ.get(b"CURSOR_VERSION")),
        _json(environ.get(b"CLAUDE_CODE_SESSION_ATTENDED")),
    )


def _json(value: bytes | None) -> bytes:
    if value is None:
        return b"null"
    value = value.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    if min(value, default=32) < 32:
        value = b"".join(b"\\u%04x" % c if c < 32 else b"%c" % c for c in value)
    return b'"%b"' % value


def _ask(home: str, client: str, event: str, bits: bytes, raw: bytes) -> bytes | None:
    """The doorway's whole answer; None where there is none in time, and the event is ours to keep."""
    if len(raw) > FRAME_BYTES:
        return None
    try:
        # The holder writes where it listens: its own environment, not ours, decides that.
        door = system.open(home + "/run/door", 0)
        path = system.read(door, 512)
        system.close(door)
        import _socket

        s = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        ends = time.monotonic() + ANSWER_S
        s.settimeout(ANSWER_S)
        s.connect(path)
        s.sendall(b"backstory 1 hook %b %b\n%b\n" % (client.encode(), event.encode(), bits))
        s.sendall(raw)
        s.shutdown(_socket.SHUT_WR)
        answer = b""
        while part := s.recv(REPLY_BYTES):
            answer += part
            left = ends - time.monotonic()
            if left <= 0 or len(answer) > REPLY_BYTES:
                return None
            s.settimeout(left)
    except (OSError, ValueError, ImportError, AttributeError):
        return None
    return answer[1:] if answer[:1] == b"+" else None


def _print(reply: bytes) -> None:
    """Put a reply on stdout, whole; nothing that is no JSON object."""
    if reply[:1] == b"{" and reply.rstrip()[-1:] == b"}":
        while reply:
            reply = reply[system.write(1, reply) :]


def _hold(reply: bytes) -> None:
    said[:] = [reply]


def _say() -> None:
    if said:
        _print(said.pop())


def _fall_back(home: str, client: str, event: str, bits: bytes, raw: bytes, began: float) -> None:
    """
    Read and keep without a server, in a child: should it hang, even in C code, we end in time and it goes on.

    The child sends each reply as one line, a better one after the first; the end of its pipe says that the event is
    kept.
    """
    args = (home, client, event, bits, raw)
    if not hasattr(system, "fork"):
        from backstory.server import fallback

        fallback.run(*args, began, _hold)
        _say()
        return
    ours, theirs = system.pipe()
    # From here on the child has it; a signal between the two lines costs a second copy, which is none.
    child = system.fork()
    unkept.clear()
    if child == 0:

        def send(reply: bytes) -> bool:
            try:
                return system.write(theirs, reply + b"\n") > 0
            except OSError:
                return False  # the parent has left

        try:
            system.close(ours)
            _detach()
            from backstory.server import fallback

            fallback.run(*args, began, send)
        finally:
            leave(0)
    system.close(theirs)
    answer = b""
    while part := system.read(ours, REPLY_BYTES):
        answer += part
        whole, end, answer = answer.rpartition(b"\n")
        if end:
            _hold(whole.rpartition(b"\n")[2])
    _say()
    system.waitpid(child, 0)


def _detach() -> None:
    """Let go of the client: its streams, its process group and the parent's deadline."""
    import _signal

    system.setsid()
    null = system.open("/dev/null", 2)
    for fd in (0, 1, 2):
        system.dup2(null, fd)
    # The default action, so that not even a loop in C code outlives it.
    _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
    _signal.setitimer(_signal.ITIMER_REAL, LINGER_S)
