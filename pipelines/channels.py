"""The chat memories of an answer by channel: who the user is, what was found, what is planned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..store import digests
from ..store.db import Database
from ..store.filters import Filter
from ..store.models import Hit, Memory, Packet
from ..store.peek_start import DIGEST_PROFILE, INTENTION_LIMIT
from .recall import disputed


@dataclass(frozen=True, slots=True)
class Channels:
    """The chat memories of an answer: who the user is, what was found, what is planned (what is due first)."""

    profile: tuple[Hit, ...] = ()
    normal: tuple[Hit, ...] = ()
    proactive: tuple[Hit, ...] = ()


def by_channel(packet: Packet) -> Channels:
    """The chat memories among the hits."""
    profile = [hit for hit in packet.hits if hit.memory.kind == "profile"]
    planned = [hit for hit in packet.hits if hit.memory.kind == "intention"]
    others = [
        hit
        for hit in packet.hits
        if hit.memory.scene == "chat" and hit.memory.kind not in ("profile", "intention")
    ]
    return Channels(tuple(profile), tuple(others), tuple(sorted(planned, key=_until)))


def filled(packet: Packet, wanted: Filter, *, db: Database) -> Channels:
    """
    The chat memories of a packet with the user's profile and what is planned, as far as the reading may see them, up to
    so many lines each: the relevance floor is not for them. Every hit stays. A reading of the past has what was then.
    """
    found = by_channel(packet)
    if wanted.status != "live":
        return found
    profile = db.read(digests.standing, wanted, limit=DIGEST_PROFILE)
    planned = db.read(digests.intentions, wanted, limit=INTENTION_LIMIT)
    standing = _up_to(found.profile, profile, "profile", limit=DIGEST_PROFILE)
    ahead = sorted(_up_to(found.proactive, planned, "intentions", limit=INTENTION_LIMIT), key=_until)
    return Channels(
        tuple(disputed(standing, wanted, db=db)), found.normal, tuple(disputed(ahead, wanted, db=db))
    )


def _up_to(hits: Sequence[Hit], memories: Iterable[Memory], arm: str, *, limit: int) -> tuple[Hit, ...]:
    """The hits, and what the question did not find, until there are so many."""
    known = {hit.memory.id for hit in hits}
    more = [Hit(memory, 0.0, (arm,)) for memory in memories if memory.id not in known]
    return (*hits, *more[: max(0, limit - len(hits))])


def _until(hit: Hit) -> tuple[bool, int]:
    """For the order of plans: by their day, those that have none last."""
    return hit.memory.expires_at is None, hit.memory.expires_at or 0
