"""The Chinese dictionary comes into memory with the first Han text, or before it where the file holds some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from backstory.store import clock, cutter, fts, memories, words
from backstory.store.db import Database
from backstory.store.models import NewMemory, Scope


def _loaded(after: str) -> bool:
    """Whether a fresh process holds a dictionary after these statements."""
    check = (
        "import sys; from backstory.store import cutter, words; cut = cutter.load(); "
        f"{after}; print({{'rjieba', 'jieba'}} & {{*sys.modules}} != set())"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.strip() == "True"


def test_who_writes_no_chinese_carries_no_dictionary() -> None:
    assert not _loaded("words.index('the café in Köln', cut), words.query('where is the café?', cut)")


def test_the_first_chinese_text_brings_it() -> None:
    assert _loaded("words.index('我住在杭州', cut)")
    assert _loaded("cutter.warm()")


def _keep(db: Database, text: str) -> int:
    new = NewMemory("fact", "chat", Scope(), text, "user")
    return db.write(memories.insert, new, words.index(text, cutter.load()), now=clock.now())


def test_a_file_says_whether_it_holds_chinese(tmp_path: Path) -> None:
    db = Database.open(tmp_path / "backstory.db")
    _keep(db, "The café in Köln opens at nine; ひらがな; 한국어; v1.2.3 → done 🎉")
    assert not db.read(fts.holds_han)
    one = _keep(db, "缓存命中率")
    assert db.read(fts.holds_han)
    db.write(fts.retire, one)
    assert not db.read(fts.holds_han)
    db.close()
