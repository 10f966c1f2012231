"""The bytes of code, each kept once and compressed, named by a keyed hash of what was on disk."""

# Hooks carry a copy: standard library only, and no dataclass, whose module takes 17 ms to import.

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from .rows import value

if TYPE_CHECKING:
    import apsw

    from .rows import Reading

LEVEL = 6


class Body(NamedTuple):
    """A body before it is stored: `hash` of the raw bytes, `size` of them, `packed` of what is kept."""

    hash: bytes
    size: int
    packed: bytes


def name(raw: bytes, key: bytes) -> bytes:
    """What bytes are known by, 16 bytes: equal for equal bytes, and of no use to guess them without the key."""
    import hashlib  # 7 ms that a hook does not have, which names nothing

    return hashlib.blake2b(raw, key=key[:64], digest_size=16).digest()


def pack(kept: bytes) -> bytes:
    """Those bytes, compressed."""
    return zlib.compress(kept, LEVEL)


def unpack(packed: bytes) -> bytes:
    """The bytes that `pack` was given."""
    return zlib.decompress(packed)


def put(con: apsw.Connection, body: Body | None) -> int | None:
    """The body's row, made if it is new; None for none."""
    if body is None:
        return None
    con.execute(
        "insert into body(hash, size, packed) values (?, ?, ?) on conflict(hash) do nothing",
        (body.hash, body.size, body.packed),
    )
    return int(value(con, "select id from body where hash = ?", (body.hash,)))


def read(con: Reading, id_: int) -> bytes:
    """What is kept of a body: the bytes as they were on disk, known secrets marked."""
    return unpack(value(con, "select packed from body where id = ?", (id_,)))
