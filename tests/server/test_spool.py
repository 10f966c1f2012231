"""The spool: what found no server is taken in once, in order, and nothing in it stops the rest."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from backstory.server import spool
from backstory.server.spool import Record, count, drain, put


def record(n: int, **kw: Any) -> Record:
    return Record(
        "claude-code", "Stop", {"cwd": "/r\udcff"}, 1_000_000 + n, {"n": n, "words": "记\ud83d"}, **kw
    )


def fields(taken: Record) -> dict[str, Any]:
    return {field: getattr(taken, field) for field in Record.__slots__}


def test_what_was_put_comes_out_as_it_went_in_oldest_first(tmp_path: Path) -> None:
    for n in (2, 10, 1):
        path = put(tmp_path, record(n, given=[["01J", "ab"]]))
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "spool").stat().st_mode) == 0o700
    before = count(tmp_path)
    assert (before.waiting, before.oldest_at, before.quarantined) == (3, 1_000_001, 0)
    taken: list[Any] = []
    assert drain(tmp_path, taken.append) == 3
    assert [fields(t) for t in taken] == [fields(record(n, given=[["01J", "ab"]])) for n in (1, 2, 10)]
    assert drain(tmp_path, taken.append) == 0
    assert count(tmp_path).waiting == 0


def test_a_home_without_a_spool_has_nothing_to_take(tmp_path: Path) -> None:
    assert drain(tmp_path / "none", print) == 0
    assert count(tmp_path / "none").waiting == 0


def test_a_poisoned_event_is_set_aside_after_three_tries_and_the_others_go_on(tmp_path: Path) -> None:
    put(tmp_path, record(1))
    put(tmp_path, record(2))
    (tmp_path / "spool" / "1-1-ab.json").write_text("no json")
    (tmp_path / "spool" / "2-1-ab.json").write_text("[]")
    (tmp_path / "spool" / "3-1-ab.json").mkdir()
    taken: list[Any] = []

    def handle(event: Record) -> None:
        if event.payload["n"] == 1:
            raise ValueError("poison")
        taken.append(event.payload["n"])

    assert drain(tmp_path, handle) == 1
    assert taken == [2]
    assert count(tmp_path).waiting == 4
    assert [drain(tmp_path, handle) for _ in range(3)] == [0, 0, 0]
    after = count(tmp_path)
    assert (after.waiting, after.quarantined) == (0, 4)


def test_a_moment_that_is_wrong_is_not_the_events_fault(tmp_path: Path) -> None:
    for n in range(3):
        put(tmp_path, record(n))

    def busy(event: Record) -> None:
        raise TimeoutError

    for _ in range(5):
        assert drain(tmp_path, busy, later=(TimeoutError,)) == 0
    assert count(tmp_path).waiting == 3
    assert drain(tmp_path, lambda _: None) == 3


def test_events_of_a_newer_version_wait_for_it(tmp_path: Path) -> None:
    path = Path(put(tmp_path, record(1)))
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps({**content, "v": spool.VERSION + 1, "more": 1}))
    assert drain(tmp_path, print) == 0
    assert count(tmp_path).waiting == 1


def test_half_written_files_are_passed_over_and_cleared_when_old(tmp_path: Path) -> None:
    put(tmp_path, record(1))
    old, young = tmp_path / "spool" / ".5-5-aa.json", tmp_path / "spool" / ".6-6-aa.json"
    for half in (old, young):
        half.write_text('{"v":')
    os.utime(old, (0, time.time() - 2 * spool.LEFT_BEHIND_S))
    assert drain(tmp_path, lambda _: None) == 1
    assert (old.exists(), young.exists()) == (False, True)


def test_a_drainer_that_dies_between_taking_and_removing_leaves_the_event(tmp_path: Path) -> None:
    put(tmp_path, record(1))
    code = (
        "import os, sys; from backstory.server.spool import drain; drain(sys.argv[1], lambda _: os._exit(9))"
    )
    assert subprocess.run([sys.executable, "-c", code, tmp_path], check=False).returncode == 9
    taken: list[Any] = []
    assert drain(tmp_path, taken.append) == 1


def test_only_one_drains_at_a_time(tmp_path: Path) -> None:
    for n in range(5):
        put(tmp_path, record(n))
    inside, go = threading.Event(), threading.Event()
    taken: Counter[int] = Counter()

    def slow(event: Record) -> None:
        inside.set()
        assert go.wait(5)
        taken[event.payload["n"]] += 1

    drainer = threading.Thread(target=drain, args=(tmp_path, slow))
    drainer.start()
    assert inside.wait(5)
    assert drain(tmp_path, slow) == 0
    go.set()
    drainer.join(5)
    assert taken == Counter(range(5))


def test_many_drainers_at_once_take_each_event_once(tmp_path: Path) -> None:
    for n in range(300):
        put(tmp_path, record(n))
    out = tmp_path / "out"
    code = (
        "import os, sys; from backstory.server.spool import drain\n"
        "fd = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY | os.O_APPEND)\n"
        "sys.stdin.read()\n"
        "drain(sys.argv[1], lambda e: os.write(fd, b'%d\\n' % e.payload['n']))"
    )
    drainers = [
        subprocess.Popen([sys.executable, "-c", code, tmp_path, out], stdin=subprocess.PIPE) for _ in range(6)
    ]
    for drainer in drainers:
        assert drainer.stdin is not None
        drainer.stdin.close()
    assert [drainer.wait(30) for drainer in drainers] == [0] * 6
    assert drain(tmp_path, lambda _: None) == 0
    assert sorted(map(int, out.read_text().split())) == list(range(300))


def test_a_spool_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file where the folder should be")
    with pytest.raises(OSError):
        put(tmp_path, record(1))
