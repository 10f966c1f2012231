"""Where forgotten words may still stand: every byte of a home, as another process sees it, and what is packed in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from backstory.store import bodies
from backstory.store.db import Database
from backstory.store.rows import fetch

# Another process reads: one that closes a file which SQLite has open in it gives up SQLite's locks.
SCAN = """
import json, pathlib, sys, zlib
home, needles = pathlib.Path(sys.argv[1]), json.loads(sys.argv[2])
forms = [f.lower() for n in needles for f in (n.encode(), json.dumps(n)[1:-1].encode())]
for path in sorted(home.rglob("*")):
    if not path.is_file() or path.is_symlink():
        continue
    raw = path.read_bytes()
    try:
        unpacked = zlib.decompress(raw)
    except zlib.error:
        unpacked = b""
    for form in forms:
        if form in raw.lower() or form in unpacked.lower() or form in str(path).lower().encode():
            print(path.relative_to(home), form.decode())
"""


def held(home: Path, *needles: str) -> list[str]:
    """The files of a home that hold any of those words, whichever case, packed or not."""
    done = subprocess.run(
        [sys.executable, "-c", SCAN, str(home), json.dumps(needles)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def packed(db: Database, *needles: str) -> list[str]:
    """The compressed bodies and patches that hold any of those words."""
    found = []
    for table, column in (("body", "packed"), ("round", "patch")):
        for id_, blob in db.read(fetch, f"select id, {column} from {table}"):
            raw = bodies.unpack(blob).lower()
            found += [f"{table} {id_}" for needle in needles if needle.lower().encode() in raw]
    return found


def nowhere(db: Database, home: Path, *needles: str) -> bool:
    """Whether no byte holds any of those words. The answer says where, when a test fails."""
    found = [*held(home, *needles), *packed(db, *needles)]
    assert not found, found
    return True


def quotes(db: Database) -> dict[tuple[int, int, int], str]:
    """Every passage that a memory rests on, as it reads now."""
    rows = db.read(
        fetch,
        """
        select evidence.memory, event.id, evidence.start,
               substr(event.content, evidence.start + 1, evidence.end - evidence.start)
        from evidence join event on event.id = evidence.event where evidence.start is not null""",
    )
    return {(memory, event, start): text for memory, event, start, text in rows}
