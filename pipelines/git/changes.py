"""What lies between two snapshots: the files, their bytes on both sides, git's own patches."""

from __future__ import annotations

from collections.abc import Mapping

from ..redact import is_secret_file
from .beside import Beside
from .checked_out import UNKNOWN, Expansions
from .edits import FILE_BYTES, FileEdit, Named, Status
from .looking import LINK, REPOSITORY
from .moments import MAX_EDITS, MAX_PATCH_BYTES, Bulk, Snapshot
from .objects import Objects
from .on_disk import is_binary
from .patches import FilePatch, parse
from .records import Pair, pairs_and_patch
from .trees import Entry, Trees

STATUS: dict[str, Status] = {"A": "added", "D": "deleted", "M": "modified", "R": "renamed", "T": "modified"}


def changed(beside: Beside, objects: Objects, before: Snapshot, after: Snapshot) -> list[FileEdit] | Bulk:
    """As `Snapshots.changed`."""
    differing = beside.differing(before.tree, after.tree)
    marked = {
        path
        for path in before.named.keys() | after.named.keys()
        if before.named.get(path) != after.named.get(path)
    }
    touched = marked | {pair.path for pair in differing}
    if len(touched) > MAX_EDITS:
        return Bulk(len(touched))
    if after.bulk:
        return Bulk(max(after.count, len(touched)))
    images = _Images(objects, Expansions(beside.folder / "expansions"))
    edits: list[FileEdit] = []
    patched: list[Pair] = []
    for pair in differing:
        if pair.path in marked:
            continue
        named = _named(pair, images)
        if named in (None, "link", "submodule"):
            patched.append(pair)
        else:
            edits.append(_only_named(pair, named, images))
    known = {pair.path: pair for pair in differing}
    edits += [_marked(path, before, after, known.get(path)) for path in marked]
    found = _with_patches(beside, Trees(objects), before, after, patched, images, all_of=not edits)
    return found if isinstance(found, Bulk) else sorted([*edits, *found], key=lambda edit: edit.path)


class _Images:
    """The bytes of both sides, each blob read once."""

    def __init__(self, objects: Objects, expansions: Expansions) -> None:
        self._objects = objects
        self._expansions = expansions
        self._read: dict[str, bytes | None] = {}

    def blob(self, name: str) -> bytes | None:
        """The bytes; None where they are gone, or too many."""
        if name not in self._read:
            self._read[name] = self._objects.blob(name)
        return self._read[name]

    def sides(self, pair: Pair) -> tuple[Entry | None, Entry | None]:
        """Both entries, that of git's own blob being what it was on disk, where the other one shows that it matters."""
        return self._side(pair.path, pair.before, pair.after), self._side(pair.path, pair.after, pair.before)

    def _side(self, path: str, entry: Entry | None, other: Entry | None) -> Entry | None:
        became = self._expansions.get(path, entry.id) if entry else None
        if entry is None or became is None:
            return entry
        if became == UNKNOWN:
            return Entry(entry.mode, UNKNOWN)
        matters = other is None or b"\r\n" in (self.blob(other.id) or b"")
        return Entry(entry.mode, became) if matters else entry

    def bytes_of(self, entry: Entry | None) -> bytes | None:
        """The bytes of a file or the text of a link."""
        return (
            None if entry is None or entry.mode == REPOSITORY or entry.id == UNKNOWN else self.blob(entry.id)
        )


def _named(pair: Pair, images: _Images) -> Named | None:
    """Why the file is only named; a link and a submodule have a patch all the same."""
    sides = [entry for entry in images.sides(pair) if entry]
    if is_secret_file(pair.path):
        return "secret"
    if any(entry.mode == REPOSITORY for entry in sides):
        return "submodule"
    contents = [images.bytes_of(entry) for entry in sides]
    if any(content is None for content in contents):
        return "unreadable"
    if any(len(content or b"") > FILE_BYTES for content in contents):
        return "big"
    if any(is_binary(content or b"") for content in contents):
        return "binary"
    return "link" if any(entry.mode == LINK for entry in sides) else None


def _only_named(pair: Pair, named: Named, images: _Images) -> FileEdit:
    """An edit without a patch; where one side is text that may be shown, with that side."""
    before, after = images.sides(pair)
    shown = [images.bytes_of(entry) if named == "unreadable" else None for entry in (before, after)]
    return FileEdit(
        pair.path, STATUS[pair.status], before=_text(shown[0]), after=_text(shown[1]),
        before_id=_id(pair.before), after_id=_id(pair.after), named=named,
    )  # fmt: skip


def _text(content: bytes | None) -> bytes | None:
    return None if content is None or is_binary(content) or len(content) > FILE_BYTES else content


def _id(entry: Entry | None) -> str | None:
    return None if entry is None or entry.id == UNKNOWN else entry.id


def _marked(path: str, before: Snapshot, after: Snapshot, pair: Pair | None) -> FileEdit:
    """A file that one of the snapshots only names."""
    mark = after.named.get(path) or before.named[path]
    was = path in before.named or (pair is not None and pair.before is not None)
    now = path in after.named or (pair is not None and pair.after is not None)
    status: Status = "added" if not was else "deleted" if not now else "modified"
    old, new = (pair.before, pair.after) if pair else (None, None)
    kind: Named = "secret" if is_secret_file(path) else mark.kind
    return FileEdit(path, status, before_id=_id(old), after_id=_id(new), named=kind)


def _with_patches(
    beside: Beside,
    trees: Trees,
    before: Snapshot,
    after: Snapshot,
    patched: list[Pair],
    images: _Images,
    *,
    all_of: bool,
) -> list[FileEdit] | Bulk:
    """The edits that have patches."""
    if not patched:
        return []
    sides = {pair.path: images.sides(pair) for pair in patched}
    old, new = ({path: both[side] for path, both in sides.items()} for side in (0, 1))
    first = trees.plant(before.tree, _other(old, {pair.path: pair.before for pair in patched}))
    second = trees.plant(after.tree, _other(new, {pair.path: pair.after for pair in patched}))
    out = beside.patches(first, second, [] if all_of else [pair.path for pair in patched])
    pairs, patch = pairs_and_patch(out)
    if len(patch) > MAX_PATCH_BYTES:
        return Bulk(len(pairs))
    # A file that became a link, or a link a file, has two sections.
    sections: dict[str, list[FilePatch]] = {}
    for section in parse(patch):
        sections.setdefault(section.path, []).append(section)
    return [_edit(pair, old_path, sections.get(pair.path, []), images) for pair, old_path in pairs]


def _other(entries: Mapping[str, Entry | None], than: Mapping[str, Entry | None]) -> dict[str, Entry | None]:
    return {path: entry for path, entry in entries.items() if entry != than[path]}


def _edit(pair: Pair, old_path: str | None, sections: list[FilePatch], images: _Images) -> FileEdit:
    entries = [entry for entry in (pair.before, pair.after) if entry]
    status = STATUS[pair.status]
    named: Named | None = None
    if any(entry.mode == REPOSITORY for entry in entries):
        status = named = "submodule"
    elif any(entry.mode == LINK for entry in entries):
        named = "link"
    if pair.status == "M" and pair.before and pair.after and pair.before.id == pair.after.id:
        status = "mode"
    return FileEdit(
        pair.path, status, old_path, images.bytes_of(pair.before), images.bytes_of(pair.after),
        _id(pair.before), _id(pair.after), b"".join(section.raw for section in sections),
        tuple(hunk for section in sections for hunk in section.hunks), named,
    )  # fmt: skip
