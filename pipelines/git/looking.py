"""One look at some files of a worktree: what of them goes into the next snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .beside import Beside
from .checked_out import POINTER, UNKNOWN, Expansions, expanded, is_same, was_written_as
from .moments import Mark
from .objects import Objects
from .on_disk import Disk, Link, Nested, Seen, Text
from .trees import Entry, Trees

LINK = "120000"
REPOSITORY = "160000"


@dataclass(slots=True)
class Looked:
    """
    What a look found: `changes` of the tree that was compared with, the files that are only `named`, and what the
    private index has yet to be told (`pending`).
    """

    changes: dict[str, Entry | None] = field(default_factory=dict)
    named: dict[str, Mark] = field(default_factory=dict)
    pending: dict[str, Entry | None] = field(default_factory=dict)


class Looking:
    """Looks at the files of one worktree on behalf of one snapshot, against the tree of the last or of git's index."""

    def __init__(
        self, beside: Beside, root: str, objects: Objects, trees: Trees, expansions: Expansions
    ) -> None:
        self._beside = beside
        self._objects = objects
        self._trees = trees
        self._expansions = expansions
        self.disk = Disk(root)

    def look(
        self,
        paths: Iterable[str],
        base: str,
        last: str | None = None,
        named: Mapping[str, Mark] | None = None,
    ) -> Looked:
        """
        What these files are now, against the tree `base`.

        Args:
            last: the tree of the last snapshot, where `base` is another one.
            named: the files that were only named.
        """
        found = Looked(named=dict(named or {}))
        edited: list[tuple[str, Text, Entry | None, Entry | None]] = []
        gone: dict[str, Entry] = {}
        for path in paths:
            was = self._was(base, path)
            before = self._was(last, path) if last not in (None, base) else None
            seen = self.disk.look(path, found.named.pop(path, None))
            if was is None and before is None and self.disk.of_another(path):
                continue
            if isinstance(seen, Text):
                seen = self._moded(seen, was or before)
                if not self._settled(path, seen, was, before, found):
                    edited.append((path, seen, was, before))
            elif not self._other(path, seen, was, found) and was:
                gone[path] = was
        self._edited(edited, found)
        # One of those that are gone may be what a new file was called before.
        self._gone(
            gone, found, converted=any(b"\r\n" in seen.content for _, seen, was, _ in edited if not was)
        )
        return found

    def unchanged(self, paths: Iterable[str], last: str, named: Mapping[str, Mark]) -> Looked:
        """Those of the files that are on disk as we had them in the last snapshot: its entries and marks of them."""
        found = Looked()
        for path in paths:
            before = self._was(last, path)
            if path not in named and not (before and self._objects.ours(before.id)):
                continue
            seen = self.disk.look(path, named.get(path))
            if isinstance(seen, Mark) and seen == named.get(path):
                found.named[path] = seen
            elif isinstance(seen, Text) and before:
                seen = self._moded(seen, before)
                if before == Entry(seen.mode, self._objects.id_of("blob", seen.content)):
                    found.changes[path] = before
        return found

    def _other(self, path: str, seen: Seen, was: Entry | None, found: Looked) -> bool:
        """Whether something is there that is no text; it is noted."""
        match seen:
            case Link(content):
                self._set(path, Entry(LINK, self._objects.put("blob", content)), was, found)
            case Nested(head) if head is not None:
                self._set(path, Entry(REPOSITORY, head), was, found)
            case Mark():
                found.named[path] = seen
                if was:
                    found.changes[path] = None
            case _:
                # A submodule that is not checked out is a folder without anything.
                return isinstance(seen, Nested) and was is not None and was.mode == REPOSITORY
        return True

    def _was(self, tree: str | None, path: str) -> Entry | None:
        entry = self._trees.find(tree, path) if tree else None
        return None if entry is None or entry.is_tree else entry

    def _moded(self, seen: Text, was: Entry | None) -> Text:
        """With the mode it had, where the file system knows none."""
        if self._beside.settings.file_modes:
            return seen
        return Text(was.mode if was and was.mode.startswith("100") else "100644", seen.content)

    def _settled(self, path: str, seen: Text, was: Entry | None, before: Entry | None, found: Looked) -> bool:
        """Whether the file is as we had it, or as git has it, byte for byte."""
        entry = Entry(seen.mode, self._objects.id_of("blob", seen.content))
        same = next((one for one in (before, was) if one and one.id == entry.id), None)
        if same:
            self._set(path, entry, was, found)
        return same is not None

    @staticmethod
    def _set(path: str, entry: Entry, was: Entry | None, found: Looked) -> None:
        found.pending[path] = entry
        if entry != was:
            found.changes[path] = entry

    def _edited(self, edited: Iterable[tuple[str, Text, Entry | None, Entry | None]], found: Looked) -> None:
        """Keep what was edited, and see whether what git had of it is what was on disk."""
        doubtful: list[tuple[str, Text, Entry, bytes]] = []
        for path, seen, was, before in edited:
            name = self._objects.put("blob", seen.content)
            found.changes[path] = found.pending[path] = Entry(seen.mode, name)
            for entry in (before, was):
                blob = self._theirs(path, entry)
                if entry and blob is not None and (b"\r\n" in seen.content or POINTER.fullmatch(blob)):
                    doubtful.append((path, seen, entry, blob))
        sizes = self._beside.sizes([path for path, *_ in doubtful]) if doubtful else {}
        for path, seen, entry, blob in doubtful:
            size = sizes.get((path, entry.id))
            if self._objects.ours(entry.id) and size != len(expanded(blob)):
                continue  # those were the bytes on disk
            became = was_written_as(blob, seen.content, size)
            if became == seen.content or (became is None and is_same(blob, seen.content)):
                found.changes[path] = Entry(seen.mode, entry.id)
            elif became is None:
                self._expansions.note(path, entry.id, UNKNOWN)
            elif became != blob:
                self._expansions.note(path, entry.id, self._objects.put("blob", became))

    def told(self, path: str, content: bytes, was: Entry | None) -> Entry:
        """What stands for a text that a tool says it left, where `was` stood before; as `look` has it of the disk."""
        entry = Entry(was.mode if was else "100644", self._objects.put("blob", content))
        found = Looked()
        if was and was != entry:
            self._edited([(path, Text(entry.mode, content), was, None)], found)
        return found.changes.get(path) or entry

    def _theirs(self, path: str, entry: Entry | None) -> bytes | None:
        """The bytes of a blob of git's, where it is not known what they became on disk."""
        if entry is None or entry.mode == REPOSITORY or self._expansions.get(path, entry.id):
            return None
        return self._objects.blob(entry.id)

    def rewritten(self, entries: Mapping[str, tuple[Entry | None, Entry | None]]) -> None:
        """Of what git wrote over bytes that we know, note what its blobs became: the two are to be compared."""
        known = {
            path: after
            for path, (before, after) in entries.items()
            if before and after and (self._objects.ours(before.id) or self._expansions.get(path, before.id))
        }
        self._written(known)

    def _written(self, entries: Mapping[str, Entry]) -> None:
        """Note what blobs of git's were on disk, where that was with other line ends."""
        sizes = self._beside.sizes(list(entries)) if entries else {}
        for path, entry in entries.items():
            size = sizes.get((path, entry.id))
            blob = self._theirs(path, entry) if size else None
            if blob is not None and size != len(blob) and size == len(expanded(blob)):
                self._expansions.note(path, entry.id, self._objects.put("blob", expanded(blob)))

    def _gone(self, gone: Mapping[str, Entry], found: Looked, *, converted: bool) -> None:
        left_out = self._beside.left_out(gone) if gone else set()
        if left_out:
            self._beside.leave_out(sorted(left_out))
        really = {path: entry for path, entry in gone.items() if path not in left_out}
        if converted:
            self._written(really)
        found.changes |= dict.fromkeys(really)
        found.pending |= dict.fromkeys(really)
