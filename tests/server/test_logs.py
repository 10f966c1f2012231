"""The log's file: whose eyes it is for."""

from __future__ import annotations

import logging
from pathlib import Path

from backstory.server.logs import PrivateFile


def test_only_the_owner_reads_a_log_new_old_or_rotated(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("by an earlier version\n")
    path.chmod(0o644)
    file = PrivateFile(path, maxBytes=40, backupCount=2, encoding="utf-8")
    for number in range(3):
        file.emit(logging.makeLogRecord({"msg": f"line {number} 行, of some length"}))
    file.close()
    modes = {found.name: found.stat().st_mode & 0o777 for found in tmp_path.iterdir()}
    assert modes == {"server.log": 0o600, "server.log.1": 0o600, "server.log.2": 0o600}
    assert path.read_text("utf-8") == "line 2 行, of some length\n"
