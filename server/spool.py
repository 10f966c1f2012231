"""Events that found no server: one file each, without secrets, until one drainer at a time takes them in."""

from __future__ import annotations

import json
import os
import re
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Home = str | os.PathLike[str]

VERSION = 1
TRIES = 3
# A partial file this old was left by a process that was killed while it wrote.
LEFT_BEHIND_S = 3600
_NAME = re.compile(r"(\d{1,20})-\d+-[0-9a-f]+(?:\.try(\d))?\.json")


class Record:
    """
    One spooled event: what the client's `read` takes, and when it happened (UTC microseconds).

    `given` lists (root, hash) of the memories that the hook itself showed the session. `unfollowed`: it is in the file,
    and what it tells of code is not.
    """

    __slots__ = ("at", "client", "env", "event", "given", "payload", "unfollowed")

    def __init__(
        self,
        client: str,
        event: str,
        env: Mapping[str, Any],
        at: int,
        payload: Any,
        given: list[list[str]] | None = None,
        unfollowed: bool = False,
    ) -> None:
        self.client = client
        self.event = event
        self.env = env
        self.at = at
        self.payload = payload
        self.given = given or []
        self.unfollowed = unfollowed


def put(home: Home, record: Record) -> str:
    """
    The path of a new file that holds the record and survives a power cut. It must be without secrets.

    Raises:
        OSError: it could not be written; no event of that name is there.
    """
    folder = os.path.join(home, "spool")
    _make(folder)
    name = f"{record.at}-{os.getpid()}-{os.urandom(4).hex()}.json"
    content = {"v": VERSION, **{field: getattr(record, field) for field in Record.__slots__}}
    raw = _encode(content)
    partial, path = os.path.join(folder, f".{name}"), os.path.join(folder, name)
    try:
        with open(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.rename(partial, path)
    except OSError:
        _remove(partial)
        raise
    _sync(folder)
    return path


def _encode(content: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, or a path that is no UTF-8
        return json.dumps(content, separators=(",", ":")).encode()


def drain(
    home: Home,
    handle: Callable[[Record], object],
    *,
    later: tuple[type[Exception], ...] = (),
    stays: tuple[type[Exception], ...] = (),
) -> int:
    """
    How many spooled events `handle` took in, oldest first; each file is removed once it has returned.

    One drainer is at work on a home at a time, in whatever process; any other is told 0. An event that fails
    in three drains goes to `spool/quarantine`. `handle` must take an event twice for once: we may be killed
    between its return and the removal.

    Args:
        later: what `handle` raises when the moment is wrong, not the event: draining ends, uncounted.
        stays: what it raises when the event is to stay, uncounted, and those behind it are to be taken.
    """
    folder = os.path.join(home, "spool")
    if not os.path.isdir(folder):
        return 0
    from . import locks

    _make(os.path.join(home, "run"))
    lock = locks.exclusive(os.path.join(home, "run", "spool.lock"))
    if lock is None:
        return 0
    try:
        done = 0
        for name in _waiting(folder):
            try:
                taken = _take(os.path.join(folder, name), handle)
            except later:
                break
            except stays:
                continue
            except Exception as failure:  # noqa: BLE001 - a poisoned event must not stop those behind it
                _set_aside(folder, name, failure)
            else:
                done += taken
        return done
    finally:
        os.close(lock)


def _take(path: str, handle: Callable[[Record], object]) -> bool:
    """Hand one file's event over and remove it; False where it is gone, or a newer version's to take."""
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read())
    except FileNotFoundError:
        return False
    if content["v"] > VERSION:
        return False
    handle(Record(**{field: content[field] for field in Record.__slots__ if field in content}))
    _remove(path)
    return True


def _set_aside(folder: str, name: str, failure: Exception) -> None:
    """Count a failure in the file's name; after the third, out of the queue."""
    import logging

    tries = int(_match(name)[2] or 0) + 1
    logging.getLogger(__name__).warning(
        "Spooled event %s failed (%d of %d)", name, tries, TRIES, exc_info=failure
    )
    stem = name.removesuffix(".json").partition(".try")[0]
    target = os.path.join(folder, f"{stem}.try{tries}.json")
    if tries >= TRIES:
        _make(os.path.join(folder, "quarantine"))
        target = os.path.join(folder, "quarantine", f"{stem}.json")
    try:
        os.replace(os.path.join(folder, name), target)
    except OSError:
        logging.getLogger(__name__).warning("Spooled event %s cannot be moved out of the way", name)


class Count:
    """How many events wait, since when (UTC microseconds, None for none), and how many were set aside."""

    __slots__ = ("oldest_at", "quarantined", "waiting")

    def __init__(self, waiting: int, oldest_at: int | None, quarantined: int) -> None:
        self.waiting = waiting
        self.oldest_at = oldest_at
        self.quarantined = quarantined


def count(home: Home) -> Count:
    """The state of the spool, for `status` and `doctor`."""
    folder = os.path.join(home, "spool")
    names = _waiting(folder)
    aside = [name for name in _names(os.path.join(folder, "quarantine")) if _NAME.fullmatch(name)]
    return Count(len(names), int(_match(names[0])[1]) if names else None, len(aside))


def _waiting(folder: str) -> list[str]:
    """The names of whole events, oldest first. Clears away what a killed writer left."""
    found = []
    for name in _names(folder):
        if name.startswith("."):
            _clear(os.path.join(folder, name))
        elif match := _NAME.fullmatch(name):
            found.append((int(match[1]), name))
    return [name for _, name in sorted(found)]


def _match(name: str) -> re.Match[str]:
    match = _NAME.fullmatch(name)
    assert match is not None
    return match


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _clear(partial: str) -> None:
    try:
        if time.time() - os.stat(partial).st_mtime > LEFT_BEHIND_S:
            os.unlink(partial)
    except OSError:
        return


def _make(folder: str) -> None:
    """A private folder in one that is there: a home that was deleted is not begun again."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _sync(folder: str) -> None:
    try:
        fd = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open a folder, and keeps its names itself.
        return
    try:
        os.fsync(fd)
    except OSError:
        return
    finally:
        os.close(fd)
