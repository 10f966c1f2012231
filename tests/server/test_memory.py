"""`Memory`, as a Python program uses it: real files, real repositories, words alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory import Memory
from backstory.store.clock import DAY_US
from backstory.store.errors import BadInput, NotFound, StoreDamaged, StoreTooNew
from backstory.store.migrations import LATEST
from backstory.store.models import Packet
from backstory.tests.conftest import Git
from backstory.tests.pipelines.working import Clock
from backstory.tests.shelf import T0

Open = Callable[..., Memory]
SECRET_WORD = "quokkaberry"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Open]:
    """Open the one file of the test, as whoever is named, from wherever is said."""
    all_of_them: list[Memory] = []

    def open_(folder: Path | None = None, **who: Any) -> Memory:
        memory = Memory.open(tmp_path / "home/backstory.db", folder=folder, embedder="none", now=clock, **who)
        all_of_them.append(memory)
        return memory

    yield open_
    for memory in all_of_them:
        memory.close()


@pytest.fixture
def memory(opened: Open) -> Memory:
    return opened()


@pytest.fixture
def twins(tmp_path: Path, git: Git) -> tuple[Path, Path]:
    """Two repositories of the same name that have nothing to do with one another."""
    folders = (tmp_path / "left/app", tmp_path / "right/app")
    for folder in folders:
        folder.mkdir(parents=True)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "commit", "-q", "--allow-empty", "-m", f"first of {folder.parent.name}")
    return folders


def texts(found: Packet) -> list[str]:
    return [hit.memory.text for hit in found.hits]


def listed(memory: Memory, **filters: Any) -> list[str]:
    return [row.text for row in memory.list(**filters).memories]


def rows(memory: Memory) -> tuple[int, ...]:
    """How many rows there are of whatever a refused call must not have written."""

    def count(con: apsw.Connection) -> tuple[int, ...]:
        tables = ("memory", "event", "turn", "session", "evidence", "link", "terms", "workspace", "setting")
        return tuple(len(con.execute(f"select * from {table}").fetchall()) for table in tables)

    return memory.db.read(count)


# Asked and found


def test_what_is_added_is_found_by_a_question_in_english(memory: Memory) -> None:
    memory.add("Releases are cut on Thursdays, after the nightly build is green.")
    memory.add("The invoices are rendered by wkhtmltopdf in a container.")
    assert texts(memory.search("On which day are releases cut?")) == [
        "Releases are cut on Thursdays, after the nightly build is green."
    ]


def test_what_is_added_is_found_by_a_question_in_chinese(memory: Memory) -> None:
    memory.add("每周四发版，先确认夜间构建是绿的。")
    memory.add("发票由容器里的 wkhtmltopdf 渲染。")
    assert texts(memory.search("发版是周几？")) == ["每周四发版，先确认夜间构建是绿的。"]
    assert texts(memory.search("wkhtmltopdf 用来做什么")) == ["发票由容器里的 wkhtmltopdf 渲染。"]


def test_several_queries_find_what_any_of_them_asks_for(memory: Memory) -> None:
    memory.add("Releases are cut on Thursdays.")
    memory.add("发票由 wkhtmltopdf 渲染。")
    memory.add("The staging cluster lives in Frankfurt.")
    found = memory.search(["When are releases cut?", "发票由谁渲染"])
    assert sorted(texts(found)) == ["Releases are cut on Thursdays.", "发票由 wkhtmltopdf 渲染。"]


def test_a_question_that_nothing_bears_on_finds_nothing(memory: Memory) -> None:
    memory.add("Releases are cut on Thursdays.")
    assert texts(memory.search("What colour is the bicycle shed?")) == []
    assert texts(memory.search("")) == texts(memory.search([])) == []


def test_pages_of_a_search_hold_every_hit_once(memory: Memory) -> None:
    for number, place in enumerate(("north", "south", "east", "west", "upper", "lower", "inner")):
        memory.add(f"The {place} gateway listens on port 80{number}0.")
    whole = memory.search("which port does the gateway listen on", limit=7)
    pages = [memory.search("which port does the gateway listen on", limit=3, page=n) for n in (1, 2, 3, 4)]
    assert [len(page.hits) for page in pages] == [3, 3, 1, 0]
    assert [page.omitted for page in pages] == [4, 1, 0, 0]
    assert [text for page in pages for text in texts(page)] == texts(whole)


def test_messages_are_kept_as_the_turns_they_are(memory: Memory) -> None:
    added = memory.add(messages=[
        {"role": "user", "content": "Why does the importer skip the third row?"},
        {"role": "assistant", "content": "Its header detection takes three rows; I set it to one."},
        {"role": "user", "content": "Is the staging cluster in Frankfurt?"},
        {"role": "assistant", "content": "Yes, in eu-central-1."},
    ])  # fmt: skip
    assert [one.verdict for one in added] == ["stored", "stored"]
    assert [row.kind for row in memory.list().memories] == ["turn", "turn"]
    hits = memory.search("header detection of the importer").hits
    assert [hit.memory.id for hit in hits] == [added[0].id]
    assert [(e.role, e.origin, e.quote) for e in memory.get(added[1].id).evidence] == [
        ("user", "user", "Is the staging cluster in Frankfurt?"),
        ("assistant", "agent", "Yes, in eu-central-1."),
    ]


def test_the_same_text_twice_is_one_memory_that_rests_on_both(memory: Memory) -> None:
    first = memory.add("Releases are cut on Thursdays.")[0]
    second = memory.add("  Releases are cut on Thursdays. \n")[0]
    assert (first.verdict, second.verdict, second.id) == ("stored", "same", first.id)
    assert memory.list().total == 1
    assert len(memory.get(first.short).evidence) == 2


def test_meta_is_given_back_as_it_was_given(memory: Memory) -> None:
    meta = {
        "票": ["甲", 1, 2.5, True, None, {"deep": {"er": []}}],
        "": "",
        'quo"te': "line\nbreak",
        "n": 2**60,
    }
    added = memory.add("Releases are cut on Thursdays.", meta=meta)[0]
    assert memory.get(added.id).memory.meta == meta
    assert memory.search("when are releases cut").hits[0].memory.meta == meta
    assert memory.add("A second one.")[0].verdict == "stored"
    assert memory.list().memories[0].meta == {}


def test_meta_is_carried_and_not_searched(memory: Memory) -> None:
    memory.add("Releases are cut on Thursdays.", meta={"ticket": SECRET_WORD})
    assert texts(memory.search(SECRET_WORD)) == []


# Listed


def test_a_listing_shows_the_latest_first_and_counts_every_page(memory: Memory, clock: Clock) -> None:
    for number in range(5):
        clock.move(1)
        memory.add(f"Fact number {number}.")
    pages = [memory.list(limit=2, page=page) for page in (1, 2, 3, 4)]
    assert [[row.text for row in page.memories] for page in pages] == [
        ["Fact number 4.", "Fact number 3."],
        ["Fact number 2.", "Fact number 1."],
        ["Fact number 0."],
        [],
    ]
    assert [(page.total, page.page) for page in pages] == [(5, 1), (5, 2), (5, 3), (5, 4)]


def test_listing_and_search_by_scene(memory: Memory) -> None:
    memory.add("The gateway of the chat.", scene="chat")
    memory.add("The gateway of the work.", scene="working")
    memory.add("The gateway of the code.", scene="coding")
    assert listed(memory, scene="working") == ["The gateway of the work."]
    assert texts(memory.search("the gateway", scene="coding")) == ["The gateway of the code."]


def test_listing_and_search_by_kinds(memory: Memory) -> None:
    memory.add("The gateway is a fact.", kind="fact")
    memory.add("The gateway is a profile.", kind="profile")
    memory.add("The gateway is an intention.", kind="intention")
    two = ["The gateway is an intention.", "The gateway is a profile."]
    assert listed(memory, kinds=["profile", "intention"]) == two
    assert listed(memory, kind="fact") == ["The gateway is a fact."]
    assert sorted(texts(memory.search("the gateway", kinds=["profile", "intention"]))) == sorted(two)


def test_listing_and_search_by_time_include_both_ends(memory: Memory) -> None:
    for day in range(4):
        memory.add(f"The gateway on day {day}.", memory_at=T0 - day * DAY_US)
    span: dict[str, Any] = {"since": T0 - 2 * DAY_US, "until": T0 - DAY_US}
    two = ["The gateway on day 1.", "The gateway on day 2."]
    assert listed(memory, **span) == two
    assert sorted(texts(memory.search("the gateway", **span))) == two


def test_listing_and_search_by_source_and_session(opened: Open) -> None:
    opened(source="cursor", session="s1").add("The gateway told to Cursor.")
    opened(source="claude-code", session="s1").add("The gateway told to Claude.")
    opened(source="claude-code", session="s2").add("The gateway told to Claude later.")
    memory = opened()
    assert listed(memory, sources=["cursor"]) == ["The gateway told to Cursor."]
    assert listed(memory, sources=["cursor", "claude-code"], session="s1") == [
        "The gateway told to Claude.",
        "The gateway told to Cursor.",
    ]
    assert texts(memory.search("the gateway", session="s2")) == ["The gateway told to Claude later."]
    assert texts(memory.search("the gateway", sources=["cursor"])) == ["The gateway told to Cursor."]


def test_listing_and_search_by_status(memory: Memory) -> None:
    memory.add("The gateway that stays.")
    memory.delete(memory.add("The gateway that went.")[0].id)
    by_status = {"live": ["stays"], "retired": ["went"], "all": ["went", "stays"]}
    for status, ends in by_status.items():
        wanted = [f"The gateway that {end}." for end in ends]
        assert listed(memory, status=status) == wanted
        found = texts(memory.search("the gateway", status=status))  # type: ignore[arg-type]
        assert sorted(found) == sorted(wanted)


# Corrected, deleted, brought back


def test_a_correction_takes_the_place_of_what_it_corrects(memory: Memory, clock: Clock) -> None:
    added = memory.add("Releases are cut on Thursdays.", importance=0.9, meta={"from": "the team"})[0]
    clock.move(60)
    updated = memory.update(added.short, content="Releases are cut on Mondays.")
    assert (updated.was, updated.short) == (added.short, f"m{updated.id}")
    assert listed(memory) == texts(memory.search("when are releases cut")) == ["Releases are cut on Mondays."]
    detail = memory.get(updated.id)
    assert (detail.memory.importance, detail.memory.meta) == (0.9, {"from": "the team"})
    assert [version.text for version in detail.versions] == [
        "Releases are cut on Thursdays.",
        "Releases are cut on Mondays.",
    ]
    assert memory.get(added.id).versions == detail.versions


def test_a_deleted_memory_is_not_found_and_stays_readable_by_its_id(memory: Memory) -> None:
    added = memory.add("Releases are cut on Thursdays.")[0]
    assert memory.delete(added.short).short == added.short
    assert texts(memory.search("when are releases cut")) == listed(memory) == []
    kept = memory.get(added.id).memory
    assert (kept.text, kept.retired_at) == ("Releases are cut on Thursdays.", T0)


def test_a_memory_keeps_its_evidence_through_corrections_deletion_and_return(
    memory: Memory, clock: Clock
) -> None:
    said = "Releases are cut on Thursdays."
    last = memory.add(said)[0].id
    memory.add(said)
    known = memory.get(last).evidence
    assert [support.quote for support in known] == [said, said]
    for change in (
        {"content": "Releases are cut on Mondays."},
        {"importance": 0.9},
        {"restore": True},
        {"content": "Releases are cut on Fridays."},
        {"restore": True},
    ):
        clock.move(60)
        if "restore" in change:
            memory.delete(last)
            clock.move(60)
        last = memory.update(last, **change).id
        assert set(known) <= set(memory.get(last).evidence), change
    assert texts(memory.search("when are releases cut")) == ["Releases are cut on Fridays."]
    assert len(memory.get(last).versions) == 6


def test_an_old_version_can_be_brought_back_over_the_current_one(memory: Memory, clock: Clock) -> None:
    first = memory.add("Releases are cut on Thursdays.")[0].id
    clock.move(60)
    memory.update(first, content="Releases are cut on Mondays.")
    clock.move(60)
    back = memory.update(first, restore=True)
    assert (
        listed(memory) == texts(memory.search("when are releases cut")) == ["Releases are cut on Thursdays."]
    )
    assert [version.retired_at is None for version in memory.get(back.id).versions] == [False, False, True]


def test_what_was_deleted_can_be_added_again(memory: Memory) -> None:
    memory.delete(memory.add("Releases are cut on Thursdays.")[0].id)
    again = memory.add("Releases are cut on Thursdays.")[0]
    assert again.verdict == "stored"
    assert listed(memory) == ["Releases are cut on Thursdays."]


# Expired


def test_what_has_expired_is_neither_found_nor_listed(memory: Memory, clock: Clock) -> None:
    added = memory.add("The freeze ends on Friday.", expires=T0 + DAY_US)[0]
    assert texts(memory.search("when does the freeze end")) == ["The freeze ends on Friday."]
    clock.move(86_400)
    assert texts(memory.search("when does the freeze end")) == listed(memory) == []
    assert texts(memory.search("when does the freeze end", status="all")) == ["The freeze ends on Friday."]
    assert listed(memory, status="retired") == ["The freeze ends on Friday."]
    assert memory.get(added.id).memory.text == "The freeze ends on Friday."


def test_what_is_no_longer_true_is_neither_found_nor_listed(memory: Memory, clock: Clock) -> None:
    added = memory.add("The freeze ends on Friday.")[0]
    memory.update(added.id, valid_to=T0 + DAY_US)
    assert (
        listed(memory) == texts(memory.search("when does the freeze end")) == ["The freeze ends on Friday."]
    )
    clock.move(86_400)
    assert listed(memory) == texts(memory.search("when does the freeze end")) == []


@pytest.mark.parametrize("how", ["expired", "no longer true"])
def test_what_has_ended_and_is_said_again_is_found_again(memory: Memory, clock: Clock, how: str) -> None:
    said = "The freeze ends on Friday."
    if how == "expired":
        memory.add(said, expires=T0 + DAY_US)
    else:
        memory.update(memory.add(said)[0].id, valid_to=T0 + DAY_US)
    clock.move(2 * 86_400)
    memory.add(said)
    assert listed(memory) == texts(memory.search("when does the freeze end")) == [said]


# Whose, and where


def test_another_user_sees_and_changes_nothing(opened: Open, twins: tuple[Path, Path]) -> None:
    mine, theirs = opened(twins[0]), opened(twins[0], user="somebody-else")
    kept = mine.add("Releases are cut on Thursdays.")[0]
    mine.add("Everywhere, releases are cut with care.", workspace="global")
    for workspace in (None, "all", "global"):
        assert theirs.search("when are releases cut", workspace=workspace, status="all").hits == ()
        assert theirs.list(workspace=workspace, status="all").total == 0
    for attempt in (
        lambda: theirs.get(kept.id),
        lambda: theirs.update(kept.id, content="Releases are never cut."),
        lambda: theirs.update(kept.id, restore=True),
        lambda: theirs.delete(kept.id),
    ):
        with pytest.raises(NotFound, match=f"There is no memory {kept.short}"):
            attempt()
    own = theirs.add("Releases are cut on Thursdays.")[0]
    assert (own.verdict, own.id == kept.id) == ("stored", False)
    assert theirs.status()["memories"] == {"fact": 1}
    assert mine.list(workspace="all").total == 2


def test_two_hundred_questions_from_a_repository_of_the_same_name_meet_no_planted_word(
    opened: Open, twins: tuple[Path, Path]
) -> None:
    left, right = opened(twins[0]), opened(twins[1])
    topics = [f"{noun} of the {part}" for noun in NOUNS for part in PARTS]
    for topic in topics[:40]:
        left.add(f"The {topic} is called {SECRET_WORD}.")
    right.add("The gateway listens on port 8080.")
    asked = [
        f"{start} the {topic} {end}"
        for topic in topics
        for start, end in (("What is", f"called, is it {SECRET_WORD}?"), ("tell me about", "in this app"))
    ]
    assert len(asked) == 200
    leaked = [text for q in asked for text in texts(right.search(q, limit=50)) if SECRET_WORD in text]
    assert leaked == []
    assert [row.text for row in right.list(limit=200, status="all").memories] == [
        "The gateway listens on port 8080."
    ]
    # The same questions do find it where it was planted.
    assert SECRET_WORD in "".join(texts(left.search(asked[0])))


NOUNS = ("name", "port", "owner", "format", "limit", "queue", "schema", "host", "token", "colour")
PARTS = (
    "gateway",
    "importer",
    "billing",
    "scheduler",
    "mailer",
    "cache",
    "parser",
    "crawler",
    "editor",
    "shop",
)


def test_what_is_global_is_seen_from_everywhere(opened: Open, twins: tuple[Path, Path]) -> None:
    left, right, nowhere = opened(twins[0]), opened(twins[1]), opened()
    left.add("Everywhere, commits are signed.", workspace="global")
    left.add("Commits of the left app are squashed.")
    for memory in (right, nowhere):
        assert texts(memory.search("how are commits made")) == ["Everywhere, commits are signed."]
        assert listed(memory) == ["Everywhere, commits are signed."]
    assert sorted(texts(left.search("commits"))) == [
        "Commits of the left app are squashed.",
        "Everywhere, commits are signed.",
    ]
    assert listed(left, workspace="global") == ["Everywhere, commits are signed."]


def test_all_workspaces_are_searched_together_and_foreign_memories_are_labelled(
    opened: Open, tmp_path: Path, twins: tuple[Path, Path]
) -> None:
    other = tmp_path / "shop"
    other.mkdir()
    left, shop = opened(twins[0]), opened(other)
    shop.add("The gateway of the shop.")
    left.add("The gateway of the app.")
    left.add("The gateway of everyone.", workspace="global")
    labels = {
        "The gateway of the shop.": "shop",
        "The gateway of the app.": None,
        "The gateway of everyone.": None,
    }
    found = left.search("the gateway", workspace="all")
    assert {hit.memory.text: left.workspace_name(hit.memory) for hit in found.hits} == labels
    rows_ = left.list(workspace="all").memories
    assert {row.text: left.workspace_name(row) for row in rows_} == labels


def test_another_workspace_is_named_by_its_folder_or_by_a_name_that_only_it_has(
    opened: Open, tmp_path: Path, twins: tuple[Path, Path]
) -> None:
    other = tmp_path / "shop"
    other.mkdir()
    shop, left = opened(other), opened(twins[0])
    opened(twins[1])
    shop.add("The gateway of the shop.")
    assert (
        listed(left, workspace="shop") == listed(left, workspace=str(other)) == ["The gateway of the shop."]
    )
    with pytest.raises(BadInput, match="2 workspaces are called 'app'"):
        left.list(workspace="app")
    with pytest.raises(NotFound, match="no workspace '/no/such/folder'"):
        left.add("Lost.", workspace="/no/such/folder")


def test_sub_folders_and_links_are_the_same_workspace(
    opened: Open, tmp_path: Path, twins: tuple[Path, Path]
) -> None:
    opened(twins[0]).add("The gateway of the app.")
    below, link = twins[0] / "src/deep", tmp_path / "linked"
    below.mkdir(parents=True)
    link.symlink_to(twins[0])
    assert listed(opened(below)) == listed(opened(link)) == ["The gateway of the app."]


# Paused, read-only, refused


def test_while_paused_nothing_is_kept_until_it_goes_on(memory: Memory, clock: Clock) -> None:
    memory.pause(until=T0 + DAY_US)
    before = rows(memory)
    with pytest.raises(BadInput, match="paused"):
        memory.add("Releases are cut on Thursdays.")
    assert rows(memory) == before
    clock.move(86_401)
    assert memory.add("Releases are cut on Thursdays.")[0].verdict == "stored"
    memory.pause(until=0)
    clock.move(365 * 86_400)
    with pytest.raises(BadInput, match="paused"):
        memory.add("A year later.")
    memory.pause(until=None)
    assert memory.add("A year later.")[0].verdict == "stored"


def test_a_pause_here_leaves_other_workspaces_at_work(opened: Open, twins: tuple[Path, Path]) -> None:
    left, right = opened(twins[0]), opened(twins[1])
    left.pause(until=0, here=True)
    assert right.add("The right app goes on.")[0].verdict == "stored"
    with pytest.raises(BadInput, match="paused"):
        left.add("The left app does not.")
    left.pause(until=None, here=True)
    assert left.add("The left app goes on.")[0].verdict == "stored"
    with pytest.raises(BadInput, match="--here"):
        opened().pause(until=0, here=True)


def test_a_file_of_a_newer_version_is_read_and_never_written(opened: Open, tmp_path: Path) -> None:
    writing = opened()
    kept = writing.add("Releases are cut on Thursdays.")[0]
    writing.close()
    path = tmp_path / "home/backstory.db"
    con = apsw.Connection(str(path))
    con.execute(f"pragma user_version = {LATEST + 1}")
    con.close()
    before = path.read_bytes()
    memory = opened(tmp_path)
    assert (
        texts(memory.search("when are releases cut")) == listed(memory) == ["Releases are cut on Thursdays."]
    )
    assert memory.get(kept.id).memory.text == "Releases are cut on Thursdays."
    assert memory.status()["readonly"] is True
    assert memory.drain() == 0
    memory.settle()
    for attempt in (
        lambda: memory.add("Another."),
        lambda: memory.update(kept.id, content="Other."),
        lambda: memory.delete(kept.id),
        lambda: memory.pause(until=0),
        memory.reindex,
    ):
        with pytest.raises(StoreTooNew, match="newer Backstory"):
            attempt()
    memory.close()
    assert path.read_bytes() == before


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("add", {}, "content"),
    ("add", {"content": ""}, "empty"),
    ("add", {"content": " \n\t"}, "empty"),
    ("add", {"content": 5}, "content"),
    ("add", {"content": "x", "messages": [{"role": "user", "content": "y"}]}, "not both"),
    ("add", {"messages": []}, "messages"),
    ("add", {"messages": [{"role": "king", "content": "x"}]}, "role"),
    ("add", {"messages": [{"role": "assistant", "content": "x"}]}, "user"),
    ("add", {"content": "x" * 100_001}, "100,000"),
    ("add", {"content": "x", "kind": "turn"}, "turn"),
    ("add", {"content": "x", "kind": "rumour"}, "rumour"),
    ("add", {"content": "x", "scene": "painting"}, "painting"),
    ("add", {"content": "x", "importance": 1.5}, "importance"),
    ("add", {"content": "x", "importance": float("nan")}, "importance"),
    ("add", {"content": "x", "expires": T0 - 1}, "expires"),
    ("add", {"content": "x", "workspace": "all"}, "global"),
    ("add", {"content": "x", "workspace": "nowhere"}, "nowhere"),
    ("add", {"content": "half a \udcff character"}, "content"),
    ("add", {"content": "x", "importance": "high"}, "importance"),
    ("add", {"content": "x", "memory_at": "2026"}, "memory_at"),
    ("add", {"content": "x", "memory_at": 2**70}, "memory_at"),
    ("add", {"content": "x", "expires": "2026-12-24"}, "expires"),
    ("add", {"content": "x", "meta": {"a": float("nan")}}, "meta"),
    ("add", {"content": "x", "meta": {"a": {1, 2}}}, "meta"),
    ("search", {"query": "x", "kinds": ["rumour"]}, "rumour"),
    ("search", {"query": "x", "scene": "painting"}, "painting"),
    ("search", {"query": "x", "status": "dead"}, "dead"),
    ("search", {"query": "x", "limit": 0}, "limit"),
    ("search", {"query": "x", "limit": 201}, "limit"),
    ("search", {"query": "x", "page": 0}, "page"),
    ("search", {"query": "x", "workspace": "nowhere"}, "nowhere"),
    ("search", {"query": "x", "since": "yesterday"}, "since"),
    ("search", {"query": "x", "sources": "cursor"}, "sources"),
    ("list", {"kind": "rumour"}, "rumour"),
    ("list", {"limit": -1}, "limit"),
    ("list", {"page": 10**9}, "page"),
    ("get", {"id": "src/a.py"}, "m42"),
    ("get", {"id": "m999"}, "no memory m999"),
    ("get", {"id": "m-1"}, "m42"),
    ("update", {"id": "m1"}, "what to change"),
    ("update", {"id": "m1", "content": " "}, "empty"),
    ("update", {"id": "m1", "importance": -1}, "importance"),
    ("update", {"id": "m1", "restore": True}, "live already"),
    ("update", {"id": "m999", "content": "x"}, "no memory m999"),
    ("delete", {"id": "m999"}, "no memory m999"),
    ("delete", {"id": None}, "m42"),
    ("add", {"content": "x", "meta": ["a"]}, "meta"),
    ("add", {"content": "x", "kind": ["fact"]}, "kind"),
    ("add", {"content": "x", "scene": {}}, "scene"),
    ("add", {"content": "x", "workspace": 1}, "workspace"),
    ("add", {"content": "x", "scope": "me"}, "Scope"),
    ("add", {"content": "x", "importance": True}, "importance"),
    ("add", {"messages": 5}, "messages"),
    ("add", {"messages": "hello"}, "messages"),
    ("add", {"messages": [{"role": ["user"], "content": "x"}]}, "role"),
    ("add", {"messages": [{"role": "user", "content": 5}]}, "content"),
    ("search", {"query": None}, "query is a question"),
    ("search", {"query": 5}, "query"),
    ("search", {"query": ["x", None]}, "query"),
    ("search", {"query": b"x"}, "query"),
    ("search", {"query": "x", "limit": "3"}, "limit"),
    ("search", {"query": "x", "limit": 2.5}, "limit"),
    ("search", {"query": "x", "page": None}, "page"),
    ("search", {"query": "x", "status": None}, "status"),
    ("search", {"query": "x", "kinds": 5}, "kinds"),
    ("search", {"query": "x", "kinds": [5]}, "kinds"),
    ("search", {"query": "x", "sources": [None]}, "sources"),
    ("search", {"query": "x", "session": 5}, "session"),
    ("search", {"query": "x", "workspace": ["all"]}, "workspace"),
    ("search", {"query": "x", "scope": {}}, "Scope"),
    ("list", {"kind": 5}, "kind"),
    ("list", {"scope": 5}, "Scope"),
    ("update", {"id": "m1", "content": 5}, "content"),
    ("update", {"id": "m1", "content": "half a \udcff character"}, "content"),
    ("update", {"id": "m1", "importance": "high"}, "importance"),
    ("update", {"id": "m1", "valid_to": "tomorrow"}, "valid_to"),
    ("update", {"id": "m1", "restore": "yes"}, "restore"),
    ("pause", {"until": "2h"}, "until"),
    ("pause", {"until": 0, "here": "yes"}, "here"),
]


@pytest.mark.parametrize(
    ("method", "arguments", "said"), REFUSED, ids=[f"{m} {str(a)[:48]}" for m, a, _ in REFUSED]
)
def test_bad_input_is_refused_with_a_sentence_and_nothing_is_written(
    memory: Memory, method: str, arguments: dict[str, Any], said: str
) -> None:
    memory.add("There is one memory.")
    before = rows(memory)
    with pytest.raises(BadInput) as refused:
        getattr(memory, method)(**arguments)
    assert said in str(refused.value)
    assert rows(memory) == before


@pytest.mark.parametrize(
    "given", [{"path": 5}, {"folder": 5}, {"source": 5}, {"session": ["s"]}, {"agent": 1.5}], ids=str
)
def test_what_cannot_open_a_memory_is_refused_with_a_sentence(tmp_path: Path, given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(BadInput, match=f"^{name} is "):
        Memory.open(**{"path": tmp_path / "m.db", "embedder": "none", **given})
    assert not (tmp_path / "m.db").exists()


def test_a_turn_can_be_deleted_and_not_reworded(memory: Memory) -> None:
    (turn,) = memory.add(messages=[{"role": "user", "content": "Is the importer done?"}])
    with pytest.raises(BadInput, match="record of what was said"):
        memory.update(turn.id, content="Something else.")
    memory.delete(turn.id)
    assert memory.list().total == 0


def test_the_default_file_lies_in_the_home(tmp_path: Path) -> None:
    with Memory.open(embedder="none") as memory:
        memory.add("Releases are cut on Thursdays.")
        assert memory.db.path == tmp_path / "home/backstory.db"
    with Memory.open(tmp_path / "home/backstory.db", embedder="none") as memory:
        assert listed(memory) == ["Releases are cut on Thursdays."]


def test_a_file_that_is_not_ours_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    con = apsw.Connection(str(path))
    con.execute("create table theirs(a)")
    con.close()
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="another program"):
        Memory.open(path, embedder="none")
    assert path.read_bytes() == before
