"""What is not taken in, and why; and that nothing of a bad file is left in the memory."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory
from backstory.pipelines.exchange.carry_out import carry_out
from backstory.store import tombstones
from backstory.store.errors import BadInput
from backstory.store.rows import fetch

from .exchanging import state

Lines = list[dict[str, Any]]
KEY = "AKIA" + "Q3EGRXW7TPLNM2VD"


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "there" / "backstory.db", embedder="none") as opened:
        yield opened


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """Of two memories, one in Chinese, and one turn."""
    with Memory.open(tmp_path / "here" / "backstory.db", session="s", embedder="none") as memory:
        memory.add("Releases are cut on Thursdays.")
        memory.add("缓存三秒后变热。")
        memory.add(
            messages=[{"role": "user", "content": "我住在杭州"}, {"role": "assistant", "content": "好的"}]
        )
        memory.tend()
        file = tmp_path / "export.jsonl"
        memory.export(file)
    return file


def changed(file: Path, change: Callable[[Lines], object]) -> Path:
    """The file with its lines changed."""
    told = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    change(told)
    file.write_text("".join(json.dumps(line) + "\n" for line in told))
    return file


def of(told: Lines, kind: str, n: int = 0) -> dict[str, Any]:
    """A line of that kind."""
    return [line for line in told if line.get("type") == kind][n]


def sound(memory: Memory) -> None:
    """The file holds together."""
    assert memory.db.read(fetch, "pragma integrity_check") == [("ok",)]
    assert memory.db.read(fetch, "pragma foreign_key_check") == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"SQLite format 3\0 and more", "backstory restore"),
        (b"PK\x03\x04 and more", "unpack it"),
        ('{"backstory":"export"}\n'.encode("utf-16"), "save it as UTF-8"),
        (b"hello\n", "it is no JSON"),
        (b"\xfe\x00\xff\x80\n", "it is no UTF-8"),
        (b'{"backstory":"export","version":1}\n', "exported_at is missing"),
        (b'{"backstory":"export","version":99}\n', "upgrade it"),
    ],
)
def test_what_is_no_export_is_said_to_be_what_it_is(
    there: Memory, tmp_path: Path, content: bytes, why: str
) -> None:
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(BadInput, match=why):
        there.import_(tmp_path / "bad")
    with pytest.raises(BadInput, match="is a folder"):
        there.import_(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello\n",
        b"{}\n",
        b"[]\n",
        b'{"backstory":"export","version":2}\n',
        b"\x1f\x8b nonsense",
        b"\xff\xfe",
    ],
)
def test_what_is_no_export_is_refused_as_a_whole(there: Memory, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(BadInput, match="cannot be imported"):
        there.import_(tmp_path / "bad")
    assert state(there.db) == []


def test_a_file_that_is_not_there_is_told(there: Memory, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        there.import_(tmp_path / "nowhere")


HOSTILE: list[tuple[str, str, Any]] = [
    ("event", "content", 5),
    ("event", "content", "\ud800"),
    ("event", "seq", True),
    ("event", "seq", 0),
    ("event", "occurred_at", 1 << 70),
    ("event", "role", "root"),
    ("event", "ulid", "'; drop table event; --"),
    ("event", "data", []),
    ("event", "key", None),
    ("memory", "text", ""),
    ("memory", "importance", 7),
    ("memory", "importance", True),
    ("memory", "recorded_at", 1.5),
    ("memory", "kind", "order"),
    ("memory", "valid_from", -(1 << 62)),
    ("memory", "retired_at", 5),
    ("memory", "nonsense", 1),
    ("evidence", "start", 99),
    ("turn", "utc_offset_s", 10**9),
    ("memory", "text", "x" * 100_001),
    ("memory", "text", "字" * 100_001),
    ("memory", "text", " \n "),
    ("memory", "text", "It is\0 warm."),
    ("memory", "data", {"note": "a\0b"}),
    ("memory", "recorded_at", -5),
    ("memory", "recorded_at", 253_402_300_799_999_999),
    ("event", "recorded_at", -5),
    ("event", "recorded_at", 253_402_300_799_999_999),
    ("event", "content", "字" * 102_000),
    ("event", "key", "a\0b"),
    ("evidence", "event", ""),
]


@pytest.mark.parametrize(("kind", "field", "value"), HOSTILE)
def test_a_line_that_is_not_right_is_refused_by_its_number(
    there: Memory, exported: Path, kind: str, field: str, value: Any
) -> None:
    def spoil(told: Lines) -> None:
        of(told, kind)[field] = value

    done = there.import_(changed(exported, spoil))
    whole = [json.loads(line) for line in exported.read_text("utf-8").splitlines()]
    number = whole.index(of(whole, kind)) + 1
    assert [n for n, _ in done.damaged] == [number]
    assert done.refused["damaged"] == 1
    sound(there)


def test_deep_json_and_endless_lines_do_no_harm(there: Memory, exported: Path) -> None:
    raw = exported.read_bytes().splitlines(keepends=True)
    deep = b'{"type":"event","data":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001 + b"\n"
    nested = (
        json.dumps({**json.loads(raw[4]), "data": json.loads('{"a":' * 900 + "1" + "}" * 900)}).encode()
        + b"\n"
    )
    exported.write_bytes(
        b"".join([raw[0], deep, b"x" * 3_000_000 + b"\n", nested.replace(b"type", b"type"), *raw[1:]])
    )
    done = there.import_(exported)
    assert [n for n, _ in done.damaged][:2] == [2, 3]
    assert done.added["memory"] == 4
    sound(there)


def test_a_file_that_ends_early_is_taken_as_far_as_it_goes_and_completed_later(
    there: Memory, exported: Path, tmp_path: Path
) -> None:
    raw = exported.read_bytes()
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(raw)[:-400])
    done = there.import_(cut)
    assert not done.whole
    sound(there)
    assert there.import_(exported).whole
    with Memory.open(tmp_path / "here" / "backstory.db", embedder="none") as here:
        assert state(there.db) == state(here.db)


def test_lines_may_end_as_on_windows_and_begin_with_a_mark(
    there: Memory, exported: Path, tmp_path: Path
) -> None:
    raw = exported.read_bytes()
    exported.write_bytes(b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"))
    assert there.import_(exported).whole
    with Memory.open(tmp_path / "here" / "backstory.db", embedder="none") as here:
        assert state(there.db) == state(here.db)


def test_half_a_line_at_the_end_is_told_and_the_rest_is_in(there: Memory, exported: Path) -> None:
    exported.write_bytes(exported.read_bytes()[:-8])
    done = there.import_(exported)
    assert (done.whole, done.added["memory"], done.refused["damaged"]) == (False, 4, 1)


def test_the_same_id_twice_is_taken_once(there: Memory, exported: Path) -> None:
    def repeat(told: Lines) -> None:
        first = of(told, "memory")
        told.insert(told.index(first) + 1, {**first, "text": "Something else."})

    done = there.import_(changed(exported, repeat))
    assert [why for _, why in done.damaged] == [
        "memory: its id stands in the file before, with something else"
    ]
    assert "Something else." not in [one.text for one in there.list(workspace="all").memories]


def test_another_text_under_a_known_id_is_refused(there: Memory, exported: Path) -> None:
    there.import_(exported)
    before = state(there.db)

    def change(told: Lines) -> None:
        of(told, "memory")["importance"] = 1.0
        of(told, "memory", 1)["text"] = "Something else."

    done = there.import_(changed(exported, change))
    assert done.refused == {"contradicts what is known here": 2}
    assert state(there.db) == before


@pytest.mark.parametrize("spoil", ["left out", "to nothing", "empty", "not its words"])
def test_a_memory_that_rests_on_nothing_is_refused(there: Memory, exported: Path, spoil: str) -> None:
    def without(told: Lines) -> None:
        (memory,) = [line for line in told if line.get("text") == "缓存三秒后变热。"]
        for line in [line for line in told if line.get("memory") == memory["ulid"]]:
            match spoil:
                case "left out":
                    told.remove(line)
                case "to nothing":
                    line["event"] = memory["ulid"]
                case "empty":
                    line["end"] = line["start"]
                case _:
                    del line["start"], line["end"]
                    line["quote"] = "缓存从来不热。"

    done = there.import_(changed(exported, without))
    assert done.refused["rests on nothing that was said"] == 1
    assert done.added["memory"] == 3
    assert there.search("缓存多久变热", workspace="all", kinds=["fact"]).hits == ()
    sound(there)


def test_what_rests_on_nothing_takes_no_place(there: Memory, exported: Path) -> None:
    there.add(messages=[{"role": "user", "content": "我住在北京"}, {"role": "assistant", "content": "好的"}])
    there.tend()
    (mine,) = [one for one in there.list(workspace="all").memories if one.slot]

    def without(told: Lines) -> None:
        (memory,) = [line for line in told if line.get("slot") == mine.slot]
        memory["valid_from"] = memory["recorded_at"] = there.now()
        told[:] = [line for line in told if line.get("memory") != memory["ulid"]]

    assert there.import_(changed(exported, without)).refused["rests on nothing that was said"] == 1
    assert [one.id for one in there.list(workspace="all").memories if one.slot] == [mine.id]


def test_what_is_drawn_from_itself_is_refused(there: Memory, exported: Path) -> None:
    def ring(told: Lines) -> None:
        one, other = of(told, "memory")["ulid"], of(told, "memory", 1)["ulid"]
        for source, target in ((one, other), (other, one), (one, one)):
            link = {"type": "link", "from": source, "to": target, "kind": "derived_from", "data": {}}
            told.insert(-1, {**link, "created_at": 5})

    done = there.import_(changed(exported, ring))
    assert (done.refused["is drawn from itself"], done.added["link"]) == (2, 1)


def test_a_nul_in_what_was_said_becomes_a_space_and_its_quotes_still_stand(
    there: Memory, exported: Path
) -> None:
    def plant(told: Lines) -> None:
        event = next(line for line in told if line.get("content") == "缓存三秒后变热。")
        event["content"] = "\0" + event["content"]
        for line in told:
            if line.get("event") == event["ulid"]:
                line["start"], line["end"] = line["start"] + 1, line["end"] + 1

    assert there.import_(changed(exported, plant)).refused == {}
    found = there.search("缓存多久变热", workspace="all").hits[0].memory
    assert [one.quote for one in there.get(found.id).evidence] == ["缓存三秒后变热。"]


def test_a_packed_export_is_the_same(there: Memory, tmp_path: Path, exported: Path) -> None:
    with Memory.open(tmp_path / "here" / "backstory.db", embedder="none") as here:
        packed = tmp_path / "export.jsonl.gz"
        here.export(packed)
        assert gzip.decompress(packed.read_bytes()).splitlines()[1:] == exported.read_bytes().splitlines()[1:]
        assert packed.stat().st_mode & 0o777 == exported.stat().st_mode & 0o777 == 0o600
        assert there.import_(packed).whole
        assert state(there.db) == state(here.db)


def test_references_that_lead_nowhere_are_refused(there: Memory, exported: Path) -> None:
    def drop(told: Lines) -> None:
        told.remove(of(told, "turn"))

    done = there.import_(changed(exported, drop))
    assert done.refused["what it refers to is missing"] > 0
    assert not done.whole
    sound(there)


def test_another_users_rows_are_taken_only_by_name(tmp_path: Path, exported: Path) -> None:
    with Memory.open(tmp_path / "bob" / "backstory.db", user="bob", embedder="none") as bob:
        done = bob.import_(exported)
        assert done.added == {}
        assert done.users == {"me": exported.read_text("utf-8").count('"user":"me"')}
        assert bob.list(workspace="all").total == 0
        assert bob.import_(exported, user="me").whole
        assert bob.list(workspace="all", kind="fact").total == 2


def test_what_another_user_has_forgotten_is_not_forgotten_here(tmp_path: Path, there: Memory) -> None:
    there.add("Anna reviews the releases", origin="user")
    file = tmp_path / "bob.jsonl"
    with Memory.open(tmp_path / "bob" / "backstory.db", user="bob", embedder="none") as bob:
        bob.add("Anna is here", origin="user")
        bob.delete(query="Anna", forget=True)
        bob.export(file)
    done = there.import_(file)
    assert (done.gone, done.refused["belongs to another user"] > 0) == (0, True)
    assert [one.text for one in there.list(workspace="all").memories] == ["Anna reviews the releases"]


def test_secrets_in_an_export_of_another_program_are_marked_and_its_quotes_still_stand(
    there: Memory, exported: Path
) -> None:
    def plant(told: Lines) -> None:
        event = next(line for line in told if line.get("content") == "Releases are cut on Thursdays.")
        event["content"] = f"{KEY} is the key. Releases are cut on Thursdays."
        for line in told:
            if line.get("event") == event["ulid"]:
                line["start"], line["end"] = line["start"] + 33, line["end"] + 33
        of(told, "memory")["data"] = {"note": KEY}

    there.import_(changed(exported, plant))
    found = there.search("when are releases cut?", workspace="all").hits[0].memory
    assert [one.quote for one in there.get(found.id).evidence] == ["Releases are cut on Thursdays."]
    there.db.checkpoint()
    assert KEY.encode() not in there.db.path.read_bytes()


def test_what_was_imported_is_found_in_both_languages(there: Memory, exported: Path) -> None:
    there.import_(exported)
    assert there.search("缓存多久变热", workspace="all").hits[0].memory.text == "缓存三秒后变热。"
    assert (
        there.search("release day Thursdays", workspace="all").hits[0].memory.text
        == "Releases are cut on Thursdays."
    )


def forget(memory: Memory, table: str, where: str) -> str:
    """Leave the mark of a forgotten row, and take it out, as forgetting does."""
    ((ulid,),) = memory.db.read(fetch, f"select ulid from {table} where {where}")

    def bury(con: Any) -> None:
        tombstones.bury_rows(con, [ulid], now=memory.now())
        marks = [one for one in tombstones.every(con) if one.value == ulid]
        carry_out(con, marks, now=memory.now(), cut=None)

    memory.db.write(bury)
    return str(ulid)


def test_what_was_forgotten_here_does_not_come_back(there: Memory, exported: Path) -> None:
    there.import_(exported)
    forget(there, "memory", "text like 'Releases%'")
    before = state(there.db)
    done = there.import_(exported)
    assert done.refused["forgotten here"] >= 1
    assert state(there.db) == before
    assert there.search("Releases", workspace="all", kinds=["fact"]).hits == ()


def test_what_the_other_file_forgot_goes_here_too(there: Memory, exported: Path, tmp_path: Path) -> None:
    there.import_(exported)
    with Memory.open(tmp_path / "here" / "backstory.db", embedder="none") as here:
        forget(here, "event", "content = '缓存三秒后变热。'")
        here.export(exported)
        done = there.import_(exported)
        assert done.gone == 2  # the event, and the memory that rested on it alone
        assert state(there.db) == state(here.db)
    assert there.search("缓存", workspace="all", kinds=["fact"]).hits == ()
    sound(there)


@pytest.mark.parametrize("order", ["mark first", "words first"])
def test_words_and_keys_that_were_forgotten_are_refused_and_removed(
    there: Memory, exported: Path, tmp_path: Path, order: str
) -> None:
    marks = tmp_path / "marks.jsonl"
    with Memory.open(tmp_path / "third" / "backstory.db", embedder="none") as third:
        third.db.write(tombstones.bury_contents, ["releases are cut on thursdays"], now=third.now())
        third.db.write(tombstones.bury_keys, [("api", "s", "nowhere", "message:0")], now=third.now())
        third.export(marks)
    for file in (marks, exported) if order == "mark first" else (exported, marks):
        there.import_(file)
    left = there.db.read(fetch, "select text from memory where kind = 'fact' order by id")
    assert ("缓存三秒后变热。",) in left
    assert ("Releases are cut on Thursdays.",) not in left
    sound(there)


@pytest.mark.parametrize("order", ["mark first", "words first"])
def test_passages_that_were_forgotten_are_blanked(
    there: Memory, exported: Path, tmp_path: Path, order: str
) -> None:
    told = [json.loads(line) for line in exported.read_text("utf-8").splitlines()]
    event = next(line for line in told if line.get("content") == "我住在杭州")
    marks = tmp_path / "marks.jsonl"
    with Memory.open(tmp_path / "third" / "backstory.db", embedder="none") as third:
        third.db.write(tombstones.bury_spans, event["ulid"], [(3, 5)], now=third.now())
        third.export(marks)
    for file in (marks, exported) if order == "mark first" else (exported, marks):
        there.import_(file)
    ((content, blanked_at),) = there.db.read(
        fetch, "select content, blanked_at from event where ulid = ?", (event["ulid"],)
    )
    assert content == "我住在██"
    assert blanked_at is not None
    (text,) = there.db.read(fetch, "select text from memory where kind = 'turn'")
    assert "杭州" not in text[0]
    sound(there)


def test_a_part_of_the_memory_can_leave_by_itself(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    file = tmp_path / "home" / "backstory.db"
    with Memory.open(file, folder=one, embedder="none") as memory:
        memory.add("Here.")
    with Memory.open(file, folder=other, embedder="none") as memory:
        memory.add("There.")
        memory.export(tmp_path / "out.jsonl", workspace=".")
        later = memory.now()
        memory.add("Later.")
        memory.export(tmp_path / "late.jsonl", since=later)
    for name, text in (("out.jsonl", "There."), ("late.jsonl", "Later.")):
        with Memory.open(tmp_path / name[:3] / "backstory.db", embedder="none") as memory:
            assert memory.import_(tmp_path / name).whole
            assert [one.text for one in memory.list(workspace="all").memories] == [text]
            sound(memory)
