"""The real Claude Code, run headless in a scratch home against a scripted model. Nothing leaves the loopback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .scripted_model import ScriptedModel, flat

PINNED = "2.1.332"


def binary() -> Path | None:
    """The client's program: `CLAUDE_CODE`, else the one that `.ci/run` puts under `node_modules`."""
    here = Path(__file__).parents[2] / "node_modules/.bin/claude"
    given = os.environ.get("CLAUDE_CODE") or (here if here.exists() else shutil.which("claude"))
    return Path(given) if given else None


@dataclass(frozen=True)
class Run:
    """One finished run: exit code, what it printed, and its stream of events."""

    rc: int
    err: str
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def session(self) -> str:
        return str(next(e["session_id"] for e in self.events if e.get("session_id")))

    @property
    def result(self) -> str:
        return str(next(e["result"] for e in reversed(self.events) if e.get("type") == "result"))

    def hooks(self) -> list[dict[str, Any]]:
        return [e for e in self.events if e.get("subtype") == "hook_response"]


class ClaudeCode:
    """A scratch home and a scratch repository with the real client in it."""

    def __init__(self, root: Path, model: ScriptedModel) -> None:
        self.home, self.project, self.model = root / "home", root / "project", model
        self.memory = root / "memory"
        for folder in (self.home, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        if not (self.project / ".git").exists():
            self.git("init", "-q", "-b", "main")

    def env(self) -> dict[str, str]:
        kept = {
            k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "LC_ALL", "TERM", "USER", "TMPDIR")
        }
        return kept | {
            "HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local/share"), "XDG_RUNTIME_DIR": "",
            "BACKSTORY_HOME": str(self.memory),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
            "ANTHROPIC_API_KEY": "dummy-not-a-key", "ANTHROPIC_BASE_URL": self.model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_MAX_RETRIES": "1",
            "IS_SANDBOX": "1",  # lets it skip permissions as root, as in CI
            "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
        }  # fmt: skip

    def git(self, *args: str) -> str:
        identity = {
            f"GIT_{who}_{what}": "tester@example.invalid"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        done = subprocess.run(
            ["git", *args], cwd=self.project, env={"PATH": os.environ["PATH"], "HOME": str(self.home)} | identity,
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout

    def backstory(self, *args: str) -> str:
        """What our own command prints, run in the scratch home."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "backstory", *args], cwd=self.project, env=self.env(),
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (args, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def prompt(self, text: str, *args: str, timeout: float = 120, env: dict[str, str] | None = None) -> Run:
        """One `claude -p` run, to its end."""
        program = binary()
        assert program is not None
        done = subprocess.run(
            [str(program), "-p", text, "--dangerously-skip-permissions", "--output-format", "stream-json",
             "--verbose", "--include-hook-events", *args],
            cwd=self.project, env=self.env() | (env or {}), capture_output=True, text=True, timeout=timeout,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return Run(done.returncode, done.stderr, lines)

    def talk(self, *texts: str, timeout: float = 120) -> Run:
        """One session in which each of those prompts is sent when the one before is answered."""
        program = binary()
        assert program is not None
        events: list[dict[str, Any]] = []
        with subprocess.Popen(
            [str(program), "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
             "--include-hook-events", "--dangerously-skip-permissions"],
            cwd=self.project, env=self.env(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        ) as process:  # fmt: skip
            assert process.stdin
            assert process.stdout
            assert process.stderr
            for text in texts:
                message = {"role": "user", "content": [{"type": "text", "text": text}]}
                process.stdin.write(json.dumps({"type": "user", "message": message}) + "\n")
                process.stdin.flush()
                for line in process.stdout:
                    if line.startswith("{"):
                        events.append(json.loads(line))
                        if events[-1].get("type") == "result":
                            break
            process.stdin.close()
            events += [json.loads(line) for line in process.stdout if line.startswith("{")]
            err = process.stderr.read()
            return Run(process.wait(timeout), err, events)

    def sent_since(self, mark: int) -> str:
        """All the text that reached the model since request number `mark`, system prompts included."""
        bodies = self.model.requests[mark:]
        return "\n".join(json.dumps(body, ensure_ascii=False) for body in bodies)

    def last_user_text(self) -> str:
        body = self.model.requests[-1]
        return "\n".join(flat(m.get("content")) for m in body["messages"] if m["role"] == "user")
