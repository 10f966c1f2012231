from __future__ import annotations

import pytest
from backstory.store import workspaces
from backstory.store.db import Database
from backstory.store.workspaces import Key


def key(name: str) -> list[Key]:
    return [("folder", f"folder:/{name}")]


def new(db: Database, name: str) -> int:
    return db.write(workspaces.register, key(name), name, now=1)


def families(db: Database, *ids: int) -> list[list[int]]:
    return [db.read(workspaces.family, id_) for id_ in ids]


def test_a_workspace_is_found_by_each_of_its_keys(db: Database) -> None:
    one = db.write(workspaces.register, [*key("a"), ("remote", "remote:x#1")], "a", now=1)
    assert db.read(workspaces.find, key("a")) == db.read(workspaces.find, [("remote", "remote:x#1")]) == one
    assert db.read(workspaces.find, [*key("none"), *key("a")]) == one
    assert db.read(workspaces.find, []) is None
    assert db.read(workspaces.find, key("b")) is None
    assert db.write(workspaces.register, [*key("b"), ("remote", "remote:x#1")], "other", now=2) == one
    assert db.read(workspaces.find, key("b")) == one
    assert db.read(workspaces.name, one) == "a"
    assert db.read(workspaces.remotes, one) == ["remote:x#1"]


def test_united_workspaces_are_one(db: Database) -> None:
    one, two, three = (new(db, name) for name in "abc")
    assert db.write(workspaces.unite, two, three) == two
    assert db.write(workspaces.unite, three, one) == one
    assert families(db, one, two, three) == [[one, two, three]] * 3
    assert [db.read(workspaces.find, key(name)) for name in "abc"] == [one] * 3


@pytest.mark.parametrize("twice", [False, True])
def test_uniting_a_workspace_with_itself_changes_nothing(db: Database, twice: bool) -> None:
    one, two = new(db, "a"), new(db, "b")
    if twice:
        db.write(workspaces.unite, one, two)
    assert db.write(workspaces.unite, one, two if twice else one) == one
    assert families(db, one, two) == ([[one, two]] * 2 if twice else [[one], [two]])


def test_a_path_with_a_new_tenant_leads_to_a_new_workspace(db: Database) -> None:
    one = db.write(workspaces.register, [*key("a"), ("remote", "remote:x#1")], "a", now=1)
    two = db.write(workspaces.move_in, key("a"), "b", now=2)
    assert two != one
    assert db.read(workspaces.find, key("a")) == two
    assert db.read(workspaces.find, [("remote", "remote:x#1")]) == one


def test_workspaces_of_one_name_and_of_one_remote_are_told(db: Database) -> None:
    one = db.write(workspaces.register, [("remote", "remote:h/a_b#1")], "shop", now=1)
    two = db.write(workspaces.register, [("remote", "remote:h/a_b#2")], "shop", now=1)
    db.write(workspaces.register, [("remote", "remote:h/aXb#3")], "shop2", now=1)
    rootless = db.write(workspaces.register, [("remote", "remote:h/a_b")], "late", now=1)
    assert db.read(workspaces.named, "shop") == [one, two]
    assert db.read(workspaces.with_remote, "h/a_b") == [one, two, rootless]
    db.write(workspaces.unite, one, two)
    assert db.read(workspaces.named, "shop") == [one]
    assert db.read(workspaces.with_remote, "h/a_b") == [one, rootless]
