"""Git trees: entries found in them, and new ones made of old ones and what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ...store.errors import ObjectGone
from .objects import Objects

TREE: Final = "40000"


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands at a path: git's mode in octal digits, and the id."""

    mode: str
    id: str

    @property
    def is_tree(self) -> bool:
        """Whether it is a folder."""
        return self.mode == TREE


class Trees:
    """
    Trees by their ids, each read once. Paths are text with `/`, bytes that are no UTF-8 as surrogate escapes.

    All methods raise `ObjectGone` where a tree that they need is gone.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._read: dict[str, dict[str, Entry]] = {}

    def of_commit(self, commit: str | None) -> str:
        """The tree of a commit; of none, one without entries, which is then ours."""
        if commit is None:
            return self._objects.put("tree", b"")
        found = self._objects.get(commit)
        if found is None or found[0] != "commit":
            raise ObjectGone(f"Commit {commit} is not in the repository.")
        return found[1].split(b"\n", 1)[0].removeprefix(b"tree ").decode()

    def check(self, tree: str) -> None:
        """Make sure that the tree is there."""
        self._entries(tree)

    def find(self, tree: str, path: str) -> Entry | None:
        """What the tree has at that path, be it a folder; None where it has nothing there."""
        *folders, name = path.split("/")
        for folder in folders:
            below = self._entries(tree).get(folder)
            if below is None or not below.is_tree:
                return None
            tree = below.id
        return self._entries(tree).get(name)

    def plant(self, tree: str, changes: Mapping[str, Entry | None]) -> str:
        """The id of the tree with each of those paths set, or taken out where it is None. Empty folders go."""
        if not changes:
            return tree
        planted = self._plant(tree, [(path.split("/"), entry) for path, entry in changes.items()])
        return planted or self.of_commit(None)

    def _plant(self, tree: str | None, changes: Iterable[tuple[list[str], Entry | None]]) -> str | None:
        before = self._entries(tree) if tree else {}
        after = dict(before)
        below: dict[str, list[tuple[list[str], Entry | None]]] = {}
        for (name, *rest), entry in changes:
            if rest:
                below.setdefault(name, []).append((rest, entry))
            elif entry is not None:
                after[name] = entry
            elif name in after and not after[name].is_tree:
                del after[name]
        for name, inside in below.items():
            self._plant_below(after, name, inside)
        if after == before:
            return tree
        if not after:
            return None
        planted = self._objects.put("tree", _formatted(after))
        self._read[planted] = after
        return planted

    def _plant_below(
        self, entries: dict[str, Entry], name: str, changes: list[tuple[list[str], Entry | None]]
    ) -> None:
        here = entries.get(name)
        folder = here.id if here is not None and here.is_tree else None
        if here is not None and folder is None and not any(entry for _, entry in changes):
            return  # a file has come where the folder was
        planted = self._plant(folder, changes)
        if planted is not None:
            entries[name] = Entry(TREE, planted)
        elif folder is not None:
            del entries[name]

    def _entries(self, tree: str) -> dict[str, Entry]:
        if tree not in self._read:
            found = self._objects.get(tree)
            if found is None or found[0] != "tree":
                raise ObjectGone(f"Tree {tree} is not in the repository.")
            self._read[tree] = _parsed(found[1], len(tree) // 2)
        return self._read[tree]


def _parsed(content: bytes, id_bytes: int) -> dict[str, Entry]:
    entries = {}
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, _, name = content[at:end].partition(b" ")
        at = end + 1 + id_bytes
        entries[name.decode("utf-8", "surrogateescape")] = Entry(mode.decode(), content[end + 1 : at].hex())
    return entries


def _formatted(entries: Mapping[str, Entry]) -> bytes:
    """Git's order: by the bytes of the names, folders as if they ended in a slash."""
    named = [
        (name.encode("utf-8", "surrogateescape") + (b"/" if entry.is_tree else b""), entry)
        for name, entry in entries.items()
    ]
    return b"".join(
        b"%s %s\0%s" % (entry.mode.encode(), name.removesuffix(b"/"), bytes.fromhex(entry.id))
        for name, entry in sorted(named, key=lambda one: one[0])
    )
