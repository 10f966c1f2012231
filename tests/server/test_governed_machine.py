"""Whatever is done to memory, in whatever order: it says what a plain model says, and nothing in it hangs loose."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory
from backstory.store.errors import BadInput
from backstory.tests.server.governed import Fact, Reference, Told, Version
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
)

T0 = 1_760_000_000_000_000
MINUTE = 60_000_000
FACTS = (
    "The staging cluster runs in Frankfurt", "Invoices are rendered by the ledger worker", "结算任务由夜间批处理完成",
    "The importer skips rows without a tenant", "前端打包产物放在对象存储里", "Feature flags live in the admin console",
    "Load tests start from a snapshot of the catalogue", "消息网关把重试交给上游处理",
    "Thumbnails come from the edge cache",
)  # fmt: skip
CITIES = (
    "Hangzhou",
    "Oslo",
    "Lima",
    "Accra",
    "Quito",
    "Porto",
    "Hanoi",
    "Dakar",
    "Turin",
    "Osaka",
    "Cairo",
    "Delhi",
)
FILLER = "█"


class Governed(RuleBasedStateMachine):
    """Two files of one user, the clock in hand; what they hold is asked of every pair of moments that mattered."""

    kept = Bundle("kept")

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.now = T0
        self.here = self.opened("here")
        self.there = self.opened("there")
        self.model, self.other = Reference(), Reference()
        self.moments = [T0]
        self.since = set[int]()
        self.cities = list(CITIES)
        self.events: dict[str, str] = {}

    def opened(self, name: str) -> Memory:
        return Memory.open(
            self.folder / name / "backstory.db", embedder="none", session=name, now=lambda: self.now
        )

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.here.close()
            self.there.close()
            shutil.rmtree(self.folder)

    def passes(self, minutes: int = 1) -> int:
        self.moments.append(self.now)
        self.now += minutes * MINUTE
        return self.now

    @rule(target=kept, text=st.sampled_from(FACTS), lasts=st.none() | st.integers(2, 30))
    def add(self, text: str, lasts: int | None) -> int:
        now = self.passes()
        expires = None if lasts is None else now + lasts * MINUTE
        (added,) = self.here.add(text, expires=expires, origin="user")
        known = self.model.known(text, now)
        if known is None:
            assert added.verdict == "stored"
            self.model.facts.append(Fact(now, [Version(added.id, text, now, expires)]))
            return added.id
        held = known.versions[-1]
        if held.expires is not None and (expires is None or expires > held.expires):
            assert (added.verdict, added.id == held.id) == ("stored", False)
            known.reads(added.id, text, now, expires)
        else:
            assert (added.verdict, added.id) == ("same", held.id)
        return added.id

    @rule(ago=st.integers(0, 500), elsewhere=st.booleans())
    @precondition(lambda self: self.cities)
    def move(self, ago: int, elsewhere: bool) -> None:
        now = self.passes()
        since = now - ago * MINUTE - 7
        while since in self.since:
            since -= 1
        self.since.add(since)
        text = f"I live in {self.cities.pop()}"
        (self.there if elsewhere else self.here).add(text, memory_at=since, origin="user")
        (self.other if elsewhere else self.model).lives.add(Told(text, since, now))

    @rule(target=kept, id_=kept, text=st.sampled_from(FACTS))
    def reword(self, id_: int, text: str) -> int:
        now = self.passes()
        found = self.model.version(id_)
        if found is None or found[1].gone is not None:
            with pytest.raises(BadInput):
                self.here.update(id_, content=text)
            return id_
        again = f"{text}, as of build {now % 9973}"
        new = self.here.update(id_, content=again).id
        found[0].reads(new, again, now, found[1].expires)
        return new

    @rule(id_=kept)
    def retire(self, id_: int) -> None:
        now = self.passes()
        found = self.model.version(id_)
        if found is None or found[1].gone is not None:
            with pytest.raises(BadInput):
                self.here.delete(id_)
        else:
            self.here.delete(id_)
            found[0].goes(now)

    @rule(target=kept, id_=kept)
    def restore(self, id_: int) -> int:
        """Any version can be brought back, in place of the one that is current."""
        now = self.passes()
        found = self.model.version(id_)
        if found is None or found[1].gone is None:
            with pytest.raises(BadInput):
                self.here.update(id_, restore=True)
            return id_
        other = self.model.known(found[1].text, now)
        new = self.here.update(id_, restore=True).id
        if other is None or other is found[0] or other.versions[-1].expires != found[1].expires:
            found[0].reads(new, found[1].text, now, found[1].expires)
        elif found[0].since < other.since:  # it says the same since before
            found[0].reads(new, found[1].text, now, found[1].expires)
            other.goes(now)
        else:
            found[0].goes(now)
            assert new == other.versions[-1].id
        return new

    @rule(id_=consumes(kept))
    def forget(self, id_: int) -> None:
        self.passes()
        found = self.model.version(id_)
        if found is None:
            with pytest.raises(BadInput, match="forgotten"):
                self.here.delete(id_, forget=True)
        else:
            self.here.delete(id_, forget=True)
            self.model.forget(found[0])

    @rule()
    def import_other(self) -> None:
        self.passes()
        file = self.folder / "other.jsonl"
        self.there.export(file)
        self.here.import_(file)
        self.model.lives |= self.other.lives

    @rule()
    def import_own_past(self) -> None:
        """What was exported before comes back as far as it was not forgotten: so nothing does."""
        self.passes()
        file = self.folder / "own.jsonl"
        if file.exists():
            self.here.import_(file)
        else:
            self.here.export(file)

    @rule(minutes=st.integers(1, 600))
    def wait(self, minutes: int) -> None:
        self.passes(minutes)
        self.here.tend()

    @rule()
    def reindex(self) -> None:
        self.here.reindex()

    @invariant()
    def the_current_view_is_the_models(self) -> None:
        assert texts(self.here) == self.model.says(self.now, self.now)

    @invariant()
    def so_is_every_reading_of_the_past(self) -> None:
        moments = sorted({*self.moments[:: max(1, len(self.moments) // 4)], self.now})
        for valid in moments:
            for known in moments:
                found = texts(self.here, as_of=valid, known_as_of=known)
                assert found == self.model.says(valid, known), (valid - T0, known - T0)
            assert texts(self.here, as_of=valid) == self.model.says(valid, self.now)
            assert texts(self.here, known_as_of=valid) == self.model.says(valid, valid)

    @invariant()
    def events_never_change_but_for_blanked_quotes(self) -> None:
        rows = self.here.db.read(
            lambda con: con.execute("select ulid, content, blanked_at from event").fetchall()
        )
        for ulid, said, blanked_at in rows:
            content = str(said)
            before = self.events.setdefault(str(ulid), content)
            if content != before:
                assert blanked_at is not None and len(content) == len(before)
                assert all(new in (old, FILLER) for old, new in zip(before, content, strict=True))
                self.events[str(ulid)] = content

    @invariant()
    def nothing_hangs_loose(self) -> None:
        assert self.here.db.read(loose) == {}


def texts(memory: Memory, **of: Any) -> set[str]:
    return {one.text for one in memory.list(limit=200, **of).memories}


# By what it would be: rows that nothing holds any more, or that are in the wrong index.
LOOSE = {
    "reference": "select * from pragma_foreign_key_check",
    "evidence": "select id from evidence where event not in (select id from event)"
    " or memory not in (select id from memory)",
    "memory without evidence": "select id from memory where id not in (select memory from evidence)",
    "live without tokens": "select id from memory where retired_at is null and archived_at is null"
    " and id not in (select memory from terms)",
    "past among the live": "select memory from terms join memory on memory.id = memory"
    " where retired_at is not null or archived_at is not null",
    "past without tokens": "select id from memory where (retired_at is not null or archived_at is not null)"
    " and id not in (select memory from past_terms)",
    "delivery": "select root from delivery where root glob '0*' and root not in (select root from memory)",
    "entity of nothing": "select entity from memory_entity where memory not in (select id from memory)",
    "two current ones": "select slot from memory where slot is not null and retired_at is null and valid_to is null"
    " group by user, ifnull(workspace, 0), slot having count(*) > 1",
    "run of nothing": "select run.id from run, json_each(run.memories) named"
    " where named.value not in (select id from memory)",
    "turn of nothing": "select id from turn where id not in (select turn from event)",
}  # fmt: skip


def loose(con: Any) -> dict[str, list[Any]]:
    found = {name: con.execute(sql).fetchall() for name, sql in LOOSE.items()}
    return {name: rows for name, rows in found.items() if rows}


TestGoverned = Governed.TestCase
TestGoverned.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip


def test_the_sentences_of_the_machine_are_told_apart(tmp_path: Path) -> None:
    """A model as plain as this one wants sentences that bear on nothing else; homes are of one slot."""
    with Memory.open(tmp_path / "backstory.db", embedder="none") as memory:
        added = [memory.add(text, origin="user")[0] for text in FACTS]
        assert [one.verdict for one in added] == ["stored"] * len(FACTS)
        assert {memory.get(one.id).memory.slot for one in added} == {None}
        homes = [memory.add(f"I live in {city}", origin="user")[0].id for city in CITIES]
        assert len({memory.get(home).memory.slot for home in homes}) == 1
