"""What a hook is answered: the right memories, once, in the client's own form, and never at the price of the event."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory import configs
from backstory.server import desk as desk_of
from backstory.server import spool
from backstory.server.clients import CLIENTS
from backstory.server.desk import Desk
from backstory.store import settings
from backstory.store.db import Database
from backstory.store.models import Scope
from backstory.tests import shelf
from backstory.tests.conftest import Git

T0 = 1_760_000_000_000_000
FACT = "We deploy the payments service with fly, from the release branch and never from main."
QUESTION = "How do we deploy the payments service?"


class Clock:
    """A clock that a test sets forward; each look at it is a microsecond later."""

    def __init__(self) -> None:
        self.at = T0

    def __call__(self) -> int:
        self.at += 1
        return self.at


class Session:
    """One session of Claude Code at the desk."""

    def __init__(self, desk: Desk, name: str, folder: Path) -> None:
        self.desk, self.name, self.folder, self.turn = desk, name, folder, 0
        self.waits = True

    def hook(self, event: str, **payload: Any) -> str:
        """What the agent is handed for one event."""
        told = {
            "session_id": self.name,
            "cwd": str(self.folder),
            "prompt_id": f"{self.name}-{self.turn}",
            **payload,
        }
        raw = json.dumps(told).encode()
        reply = self.desk.answer("claude-code", event, {"project": str(self.folder)}, raw)
        if reply.once_sent is not None and self.waits:
            reply.once_sent()
        out = reply.stdout
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""

    def start(self, source: str = "startup") -> str:
        return self.hook("SessionStart", source=source)

    def prompt(self, text: str) -> str:
        self.turn += 1
        return self.hook("UserPromptSubmit", prompt=text)

    def says(self, prompt: str, reply: str = "Noted.") -> str:
        handed = self.prompt(prompt)
        self.hook("Stop", last_assistant_message=reply)
        return handed


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    home = tmp_path / "home"
    db = Database.open(home / "backstory.db")
    yield Desk(db, home, configs.load(home, embedder="none"), now=clock)
    db.close()


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


@pytest.fixture
def filled(desk: Desk, repo: Path) -> Desk:
    """A desk with a few earlier sessions about other things, and one about deploying."""
    old = Session(desk, "old", repo)
    for line in (
        "The login page flickers when the theme changes.",
        "Images are resized by a worker that runs every night.",
        "The search index is rebuilt after each import.",
        "缓存层在重启之后会丢失最后一条记录。",
    ):
        old.says(line)
    old.says(FACT)
    old.hook("SessionEnd", reason="other")
    return desk


def test_a_prompt_is_met_with_what_bears_on_it(filled: Desk, repo: Path) -> None:
    handed = Session(filled, "new", repo).prompt(QUESTION)
    assert FACT in handed
    assert "login page" not in handed


def test_the_second_prompt_is_not_handed_the_same_again(filled: Desk, repo: Path) -> None:
    session = Session(filled, "new", repo)
    assert FACT in session.says(QUESTION)
    assert session.says("Tell me again how the payments service is deployed.") == ""


def test_what_changed_since_is_handed_again(filled: Desk, repo: Path) -> None:
    from backstory.pipelines.correct import correct
    from backstory.pipelines.keep import keep
    from backstory.pipelines.request import Request

    (added,) = keep(
        Request(Scope(), "The staging database is reset every night."), db=filled.db, now=T0, cut=None
    )
    session = Session(filled, "new", repo)
    assert "every night" in session.says("When is the staging database reset?")
    assert session.says("When exactly is the staging database reset?") == ""
    correct(
        added.id,
        scope=Scope(),
        db=filled.db,
        now=T0 + 5,
        cut=None,
        content="The staging database is reset every Sunday.",
    )
    assert "every Sunday" in session.says("Is the staging database reset often?")


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_a_context_built_anew_may_be_handed_it_again(filled: Desk, repo: Path, source: str) -> None:
    session = Session(filled, "new", repo)
    session.says(QUESTION)
    handed = session.start(source) + session.says("Once more: how is the payments service deployed?")
    assert FACT in handed


def test_a_session_is_not_handed_its_own_words(desk: Desk, repo: Path) -> None:
    session = Session(desk, "only", repo)
    session.says(FACT)
    assert session.says(QUESTION) == ""
    session.start("compact")
    assert FACT in session.says("So how do we deploy the payments service?")


@pytest.mark.parametrize("prompt", ["hi", "thanks", "continue", "你好", "继续", "ok", "", "release"])
def test_a_greeting_or_a_single_word_is_handed_nothing(filled: Desk, repo: Path, prompt: str) -> None:
    assert Session(filled, "new", repo).prompt(prompt) == ""


def test_another_repository_of_the_same_name_is_handed_nothing(
    filled: Desk, tmp_path: Path, git: Git
) -> None:
    twin = tmp_path / "elsewhere/repo"
    twin.mkdir(parents=True)
    git(twin, "init", "-q", "-b", "main")
    session = Session(filled, "twin", twin)
    assert session.start() == ""
    for number in range(20):
        assert session.prompt(f"{QUESTION} ({number})") == ""


def test_a_subfolder_and_a_worktree_share_the_repositorys_memory(
    filled: Desk, repo: Path, tmp_path: Path, git: Git
) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "fix/x")
    (repo / "src").mkdir()
    for number, folder in enumerate((repo / "src", tmp_path / "tree")):
        assert FACT in Session(filled, f"other-{number}", folder).prompt(QUESTION)


def test_a_new_session_is_told_where_the_workspace_was_left(filled: Desk, repo: Path) -> None:
    digest = Session(filled, "new", repo).start()
    assert "We deploy the payments service with fly" in digest
    assert len(digest) <= configs.load(filled.home).digest_chars


def test_what_the_digest_told_in_one_line_may_be_handed_whole(desk: Desk, repo: Path) -> None:
    Session(desk, "old", repo).says(FACT + " " + "It takes four minutes. " * 8 + "The pager goes to Ana.")
    session = Session(desk, "new", repo)
    assert "Ana" not in session.start()
    assert "Ana" in session.says(QUESTION)


def test_a_turn_that_never_ended_is_offered_to_the_next_session(desk: Desk, repo: Path) -> None:
    crashed = Session(desk, "crashed", repo)
    crashed.prompt("Rename the config loader to settings and fix its tests.")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(repo / "settings.py")}, "tool_response": {}}
    crashed.hook("PostToolUse", tool_use_id="t1", **edit)
    ran = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "error": "Exit code 1: 2 failed"}
    crashed.hook("PostToolUseFailure", tool_use_id="t2", **ran)
    digest = Session(desk, "next", repo).start()
    assert "Rename the config loader" in digest
    assert "settings.py" in digest
    assert "pytest -q: failed" in digest


def test_after_a_compaction_the_turn_under_way_is_told(desk: Desk, repo: Path) -> None:
    session = Session(desk, "long", repo)
    session.prompt("Rename the config loader to settings and fix its tests.")
    assert "Rename the config loader" in session.start("compact")
    session.hook("Stop", last_assistant_message="Done.")
    assert "Unfinished" not in session.start("compact")


def test_a_pause_hands_out_nothing_and_keeps_nothing(filled: Desk, repo: Path) -> None:
    filled.db.write(settings.pause, workspace=None, until=0)
    session = Session(filled, "new", repo)
    before = filled.db.read(lambda con: con.execute("select count(*) from event").fetchone())
    assert session.start() + session.says(QUESTION) == ""
    assert filled.db.read(lambda con: con.execute("select count(*) from event").fetchone()) == before


def test_a_locked_file_costs_neither_the_answer_nor_the_event(filled: Desk, repo: Path) -> None:
    other = apsw.Connection(str(filled.db.path))
    other.execute("begin immediate")
    session = Session(filled, "new", repo)
    assert FACT in session.says(QUESTION, "With fly.")
    assert spool.count(filled.home).waiting == 3  # the prompt, what it was answered, the reply
    assert filled.drain(within_s=0.01) == 0
    other.execute("rollback")
    other.close()
    assert filled.drain() == 3
    events = filled.db.read(
        lambda con: con.execute("select kind, content from event order by id desc limit 2").fetchall()
    )
    assert events == [("reply", "With fly."), ("prompt", QUESTION)]
    # What it was handed from outside the file is known, too.
    assert session.says("Again: how is the payments service deployed?") == ""


def test_the_block_stays_within_its_bounds_however_much_there_is(desk: Desk, repo: Path) -> None:
    from backstory.pipelines.keep import keep
    from backstory.pipelines.request import Request

    for number in range(60):
        text = f"Payments note {number}: " + "deploying the payments service takes care. " * 60
        keep(Request(Scope(), text), db=desk.db, now=T0 + number, cut=None)
    handed = Session(desk, "new", repo).prompt(QUESTION)
    assert len(handed) <= configs.load(desk.home).hook_chars
    assert len(json.dumps(handed)) < 9000
    assert "memory_search" in handed  # says that there is more


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"session_id": 3}', b"[" * 100_000]
)
def test_a_payload_that_is_none_is_answered_with_nothing(desk: Desk, raw: bytes) -> None:
    assert desk.answer("claude-code", "UserPromptSubmit", {}, raw).stdout == b""
    assert json.loads(desk.answer("cursor", "beforeSubmitPrompt", {}, raw).stdout or b"") == {
        "continue": True
    }


def test_every_recorded_event_of_the_real_client_is_taken(desk: Desk) -> None:
    lines = (Path(__file__).parents[1] / "data/claude_code_hooks.jsonl").read_text("utf-8").splitlines()
    for line in lines:
        payload = json.loads(line)
        desk.answer("claude-code", payload["hook_event_name"], {}, line.encode())
    kinds = {
        row[0] for row in desk.db.read(lambda con: con.execute("select distinct kind from event").fetchall())
    }
    assert {"prompt", "reply", "tool", "edit"} <= kinds


def test_every_client_that_can_be_installed_is_answered() -> None:
    assert (*desk_of.CLIENTS,) == CLIENTS


def test_what_a_hook_did_not_wait_for_does_not_count_as_given(filled: Desk, repo: Path) -> None:
    session = Session(filled, "new", repo)
    session.waits = False
    assert FACT in session.prompt(QUESTION)
    session.waits = True
    assert FACT in session.says("Again: how do we deploy the payments service?")
    assert FACT not in session.prompt("Once more: how do we deploy the payments service?")


def test_a_turn_folds_under_the_fact_drawn_from_it(filled: Desk, repo: Path) -> None:
    from backstory.pipelines.keep import keep
    from backstory.pipelines.request import Request

    session = Session(filled, "teller", repo)
    session.prompt("Remember that the payments service is deployed with fly from the release branch.")
    scope = Scope("me", None, "teller", "claude-code")
    keep(
        Request(scope, "The payments service is deployed with fly."),
        db=filled.db,
        now=filled._now(),
        cut=None,
    )
    session.hook("Stop", last_assistant_message="Noted.")
    handed = Session(filled, "asker", repo).prompt(QUESTION)
    assert "is deployed with fly." in handed
    assert "Remember that" not in handed


# ---- news: what a session should hear of though it did not ask


TASK = "Write a test for the image worker, please."
NODS = ("thanks", "谢谢", "ok", "继续", "release")


def due(desk: Desk, clock: Clock, text: str, *, days: int = 0, **who: Any) -> None:
    """A plan that was made elsewhere, for that many days from now."""
    last = time.localtime(clock.at / 1e6 + days * 86_400)
    until = int(time.mktime((*last[:3], 23, 59, 59, 0, 0, -1))) * 1_000_000 + 1_000_000
    shelf.add(desk.db, text, at=clock(), kind="intention", expires_at=until, scope=Scope(**who))


def test_a_plan_that_is_due_comes_once_and_with_no_nod(filled: Desk, repo: Path, clock: Clock) -> None:
    due(filled, clock, "Send the invoices")
    due(filled, clock, "Order new chairs", days=3)
    session = Session(filled, "new", repo)
    assert [session.says(nod) for nod in NODS] == [""] * len(NODS)
    handed = session.says(TASK)
    assert "## Plans\n" in handed
    assert "· due today] Send the invoices" in handed
    assert "chairs" not in handed
    assert "invoices" not in session.says("Write another test for the login page.")


def test_a_plan_that_the_digest_told_does_not_come_again_with_a_prompt(
    filled: Desk, repo: Path, clock: Clock
) -> None:
    due(filled, clock, "Send the invoices")
    session = Session(filled, "new", repo)
    assert "Send the invoices" in session.start()
    assert "Send the invoices" not in session.says(TASK)


def test_a_session_that_goes_on_for_days_hears_of_a_plan_on_its_day(
    filled: Desk, repo: Path, clock: Clock
) -> None:
    session = Session(filled, "long", repo)
    session.start()
    due(filled, clock, "给客户发送发票", days=2, workspace=None)
    assert session.says(TASK) == ""
    clock.at += 2 * 86_400_000_000
    assert session.says("谢谢") == ""
    assert "今天到期] 给客户发送发票" in session.says("给图片服务写一个测试。")
    clock.at += 86_400_000_000
    assert "发票" not in Session(filled, "later", repo).says("给图片服务再写一个测试。")


def test_a_preference_that_changed_elsewhere_comes_once_after_the_session_began(
    filled: Desk, repo: Path, clock: Clock
) -> None:
    from backstory.pipelines.correct import correct

    id_ = shelf.add(filled.db, "Prefers npm", at=clock(), kind="profile")
    shelf.add(filled.db, "Lives in Hangzhou", at=clock(), kind="profile")
    session = Session(filled, "new", repo)
    assert "Prefers npm" in session.start()
    assert session.says(TASK) == ""
    correct(id_, scope=Scope(source="cursor"), db=filled.db, now=clock(), cut=None, content="Prefers pnpm")
    assert session.says("thanks") == ""
    handed = session.says("Add a date picker to the login page.")
    assert "Prefers pnpm" in handed
    assert "Hangzhou" not in handed
    assert "Prefers pnpm" not in session.says(TASK)
    # It is no news to a session that begins afterwards, and was not told anything else.
    assert "Prefers" not in Session(filled, "undigested", repo).says(TASK)


def test_what_the_session_itself_said_of_the_user_is_no_news_to_it(
    filled: Desk, repo: Path, clock: Clock
) -> None:
    session, other = Session(filled, "new", repo), Session(filled, "other", repo)
    session.start()
    other.start()
    own = Scope("me", None, "new", "claude-code")
    shelf.add(filled.db, "Prefers short answers", at=clock(), kind="profile", scope=own)
    assert session.says(TASK) == ""
    assert "Prefers short answers" in other.says(TASK)


def test_news_take_no_more_places_than_a_prompt_has(filled: Desk, repo: Path, clock: Clock) -> None:
    for n in range(5):
        due(filled, clock, f"Send invoice {n}")
    session = Session(filled, "new", repo)
    first = session.says(QUESTION)
    assert FACT in first
    assert re.findall(r"Send invoice \d", first) == [f"Send invoice {n}" for n in (4, 3, 2)]
    assert re.findall(r"Send invoice \d", session.says(TASK)) == ["Send invoice 1", "Send invoice 0"]
    few = Desk(filled.db, filled.home, configs.load(filled.home, embedder="none", hook_limit=1), now=clock)
    assert re.findall(r"Send invoice \d", Session(few, "few", repo).says(QUESTION)) == ["Send invoice 4"]


def test_a_pause_holds_back_news_too(filled: Desk, repo: Path, clock: Clock) -> None:
    due(filled, clock, "Send the invoices")
    filled.db.write(settings.pause, workspace=None, until=0)
    assert Session(filled, "new", repo).says(TASK) == ""


def test_what_answers_hooks_and_tools_is_imported_without_what_draws_from_turns() -> None:
    """Its patterns take 0.1 s to make, which a first prompt would wait for."""
    check = (
        "import sys, backstory.server.desk, backstory.server.memory; "
        "print([name for name in sys.modules if 'pipelines.extract' in name or name.endswith('.llm')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"
