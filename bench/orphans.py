"""
What is left of servers whose client was killed (SIGKILL), their stdin held open by a grandchild of the client.

    python bench/orphans.py [--kills 50] [--at-once 5]

Prints how many servers were still there after ten seconds, and how long the others took. Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from backstory.bench.start import INITIALIZE, OURS

PATIENCE_S = 10.0
CLIENT = """
import os, subprocess, sys, threading
reader, writer = os.pipe()
holder = subprocess.Popen(["sleep", "300"], pass_fds=[writer])
server = subprocess.Popen(sys.argv[1:], stdin=reader, stdout=subprocess.PIPE)
os.write(writer, sys.stdin.readline().encode())
server.stdout.readline()
print(server.pid, holder.pid, flush=True)
threading.Event().wait()
"""


def client(home: Path) -> subprocess.Popen[str]:
    """A client that starts a server and tells its pid, and that of the process that will outlive it."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, *OURS],
        env={**os.environ, "BACKSTORY_HOME": str(home), "BACKSTORY_EMBEDDER": "none"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(INITIALIZE) + "\n")
    process.stdin.flush()
    return process


def ends_in(server: int) -> float | None:
    """Seconds until that process has ended; None where it outlives our patience."""
    began = time.perf_counter()
    try:
        watched = os.pidfd_open(server)
    except ProcessLookupError:
        return 0.0
    try:
        ready, _, _ = select.select([watched], [], [], PATIENCE_S)
    finally:
        os.close(watched)
    return time.perf_counter() - began if ready else None


def kill(clients: list[subprocess.Popen[str]]) -> list[float | None]:
    """Kill the clients; how long each one's server took to follow."""
    known = []
    for process in clients:
        assert process.stdout is not None
        known.append([int(pid) for pid in process.stdout.readline().split()])
    for process in clients:
        process.kill()
        process.wait()
    took = [ends_in(server) for server, _ in known]
    for _, holder in known:
        os.kill(holder, 9)
    return took


def main() -> None:
    """Kill, watch and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--at-once", type=int, default=5)
    args = parser.parse_args()
    took: list[float | None] = []
    with tempfile.TemporaryDirectory(prefix="backstory bench ") as folder:
        while len(took) < args.kills:
            batch = min(args.at_once, args.kills - len(took))
            took += kill([client(Path(folder) / "home") for _ in range(batch)])
    gone = [seconds for seconds in took if seconds is not None]
    print("| clients killed | servers left after 10 s | median | slowest |\n|---|---|---|---|")
    slowest, median = max(gone, default=0.0), statistics.median(gone or [0.0])
    print(f"| {len(took)} | {len(took) - len(gone)} | {median:.2f} s | {slowest:.2f} s |")


if __name__ == "__main__":
    main()
