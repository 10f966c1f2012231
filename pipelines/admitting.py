"""Conductor of admission: where a proposal's words stand, what is decided of it, and the row that says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

import apsw

from ..store import events, runs, settings, turns
from ..store.cutter import Cut
from ..store.models import Event, Kind, NewMemory, Origin, Turn
from . import passages
from .admission import Admitted, Policy, Proposed, Refused, Stands, Verdict, admit, claims
from .capture import SPEAKS
from .occasions import SessionKind

if TYPE_CHECKING:
    from .extract.drafts import Draft

# Of a session, so much is looked through: its latest prompts, and what it read or was told since.
PROMPTS, HEARD = 50, events.SEEN_EVENTS
# Of sessions that are at work in one place at once, any may be the one that asks.
SESSIONS = 5
# How an agent leads in what it passes on, in words of its own.
_FRAMES = re.compile(
    r"\A\W*(?:(?:please |always )?(?:remember|note|keep in mind|fyi)\b(?: that\b)?\W*)?"
    r"(?:(?:according to|per|as) the [\w ]{1,20}[,:] ?)?"
    r"(?:(?:the |my |our )?(?:user|owner|human|developer)(?:['’]s)? (?:has |have )?(?:said|says|states?d?"
    r"|told (?:me|us|you)|mentioned|confirmed|wants?|wishes|prefers?|likes?|asks?|asked|requires?d?|requested|decided"
    r"|expects?|is known to|preference(?: is)?)\b(?: that\b| to\b| us to\b| you to\b| me to\b)?\W*)?"
    r"(?:请?(?:记住|注意|记一?下)\W*)?(?:(?:该|此|这位|我的)?(?:用户|主人|开发者)(?:已经?|曾经?|明确)?"
    r"(?:说过?|表示过?|希望|想要?|要求|喜欢|偏好|提到过?|确认过?|告诉我|规定|决定|认为)?\W*)?",
    re.IGNORECASE,
)
# Commands that print what a file or a page says.
_READS = re.compile(
    r"(?:^|[;&|(]\s*)(?:curl|wget|https?|lynx|w3m|links|cat|bat|head|tail|less|more|nl|sed -n|rg|grep|gh)\s"
)
_ADDRESS = re.compile(r"https?://[^\s，。；）)\"'`”’」<>]+", re.IGNORECASE)
# What `own_words` has blanked within a sentence.
_BLANKED = re.compile("\ue000+")
# Of a quotation, at least so much must be typed by the user's own hand, and not pasted.
OWN = 0.5


@dataclass(frozen=True, slots=True)
class Session:
    """
    What was said in a session, the latest first: the user's prompts, and what tools, files, pages and subagents told.
    `recorded`: a client has told of prompts in it.
    """

    prompts: tuple[str, ...]
    told: tuple[Event, ...]
    recorded: bool


def sessions(con: apsw.Connection, among: Sequence[Turn]) -> list[Session]:
    """The sessions of those turns, for `where`: to be read before the lock is taken, and searched outside of it."""
    found = dict.fromkeys((one.scope.source, one.scope.session) for one in among)
    return [
        Session(
            tuple(events.prompts(con, *one, limit=PROMPTS)),
            tuple(events.heard(con, *one, limit=HEARD)),
            events.has_prompts(con, *one),
        )
        for one in list(found)[:SESSIONS]
    ]


def policy(con: apsw.Connection) -> Policy:
    """What the settings say, as this file knows them."""
    enforced = settings.get(con, "provenance") != "observe"
    speaks = settings.get(con, "unattended") == "user"
    return Policy("enforce" if enforced else "observe", "user" if speaks else "nobody")


def asked(
    con: apsw.Connection,
    content: str,
    kind: Kind,
    origin: Origin,
    stands: Stands,
    among: Sequence[Turn],
    *,
    now: int,
    memories: tuple[int, ...] = (),
) -> Verdict:
    """
    What is decided of a text that someone asks to keep, in one of the sessions of `among`.

    Args:
        stands: where its words stand in those sessions, if an agent asks (`where`).
        memories: what it is to take the place of.
    """
    session = _kind(con, among)
    new = Proposed(content, kind, origin, session, stands, asked=True)
    return _decided(con, new, among[0].id if len(among) == 1 else None, now=now, memories=memories)


def may_state(
    con: apsw.Connection,
    content: str,
    stated: Kind,
    kind: Kind,
    origin: Origin,
    stands: Stands,
    among: Sequence[Turn],
    *,
    admitted: Admitted,
    now: int,
    memories: tuple[int, ...] = (),
) -> bool:
    """
    Whether a text that was `admitted` as of one `kind` may hold the slot of what it states, of the kind `stated`: not
    from outside, nor as a kind that is not admitted.
    """
    if admitted.origin in ("external", "tool"):
        return False
    if stated == kind:
        return True
    return isinstance(
        asked(con, content, stated, origin, stands, among, now=now, memories=memories), Admitted
    )


def drawn(
    con: apsw.Connection, turn: Turn, event: Event, draft: Draft, *, origin: Origin, now: int
) -> Admitted | None:
    """What is decided of a statement that was found in an event; None where it is not to be kept."""
    whose: Origin = event.origin if event.origin in ("external", "tool", "import") else origin
    new = Proposed(draft.text, draft.kind, whose, _kind(con, [turn]), asks=draft.asks)
    verdict = _decided(con, new, turn.id, now=now)
    return verdict if isinstance(verdict, Admitted) else None


def inferred(con: apsw.Connection, turn: Turn, new: NewMemory, *, now: int) -> NewMemory | None:
    """What a turn's work shows, as whose it is kept; None where it is not to be kept."""
    proposed = Proposed(new.text, new.kind, new.origin, _kind(con, [turn]))
    verdict = _decided(con, proposed, turn.id, now=now)
    return with_authority(new, verdict) if isinstance(verdict, Admitted) else None


def with_authority(new: NewMemory, admitted: Admitted) -> NewMemory:
    """The memory as it was admitted."""
    return replace(new, origin=admitted.origin)


def where(text: str, among: Sequence[Session], kind: Kind = "fact", cut: Cut | None = None) -> Stands:
    """
    Where the words of a text stand, of what those sessions have said and seen; of what is the user's to say, also where
    it is claimed in other words. `kind`: as what it is to be kept.
    """
    sought = _sought(text)
    told: Stands = "nowhere"
    for session in among:
        for prompt in session.prompts:
            if _typed(text, prompt):
                return "said"
            if told == "nowhere" and (
                passages.stands(sought, _own_words(prompt)) or _told_with_address(text, prompt)
            ):
                told = "told"
    if told != "nowhere":
        return told
    for session in among:
        for one in session.told:
            if any(passages.stands(sought, each) for each in (one.content, *one.data.get(SPEAKS, ()))):
                return _of(one)
        # What the user only pasted is somebody else's.
        if any(passages.stands(sought, prompt) for prompt in session.prompts):
            return "external"
    return "echoed" if _echoes(text, among, kind, cut) else "nowhere"


def _sought(text: str) -> tuple[str, ...]:
    """What is looked for of a text: what it says, without how an agent leads to it."""
    bare = _FRAMES.sub("", text, count=1)[: passages.COMPARED_CHARS]
    return passages.pieces(bare) or passages.pieces(text)


def _echoes(text: str, among: Sequence[Session], kind: Kind, cut: Cut | None) -> bool:
    """Whether a text claims what a file, a page or a paste says, in words of its own."""
    claimed = claims(text, kind) if any(one.told or one.prompts for one in among) else None
    if claimed is None:
        return False
    from .echoes import echoes

    prompts = [prompt for session in among for prompt in session.prompts]
    own = [_own_words(prompt) for prompt in prompts]
    foreign = [
        passages.plain(each)
        for session in among
        for one in session.told
        if _of(one) != "tool" or _READS.search(str(one.data.get("command", "")))
        for each in (one.content, *one.data.get(SPEAKS, ()))
    ]
    pasted = [passages.plain(_pasted(*pair)) for pair in zip(prompts, own, strict=True) if pair[0] != pair[1]]
    plain = [passages.plain(prompt) for prompt in own]
    return echoes(text, plain, [*foreign, *pasted], cut, of_the_user=claimed == "user")


def _pasted(prompt: str, own: str) -> str:
    return "".join(" " if one == other else one for one, other in zip(prompt, own, strict=True))


def speaker(text: str, among: Sequence[Session]) -> Origin:
    """
    Whose words a message is that an agent hands over as its user's. Where a client has told of prompts, the user said
    what stands in them; where messages are all that there is, whatever does not say a foreign passage again.
    """
    if not any(one.recorded for one in among):
        return "external" if _repeats(text, among) else "user"
    stands = where(text, among)
    if stands in ("external", "echoed", "tool", "subagent"):
        return "external"
    return "user" if stands == "said" else "agent"


def _repeats(text: str, among: Sequence[Session]) -> bool:
    """
    Whether a text says again, word for word, what a tool, a page or a paste said, and the user did not. An address says
    nothing: it must be the same, and the words around it too.
    """
    prompts = [prompt for session in among for prompt in session.prompts]
    sought = _sought(text)
    if any(_typed(text, prompt) or passages.stands(sought, _own_words(prompt)) for prompt in prompts):
        return False
    bare = _sought(_ADDRESS.sub(" ", text))
    told = (
        each for session in among for one in session.told for each in (one.content, *one.data.get(SPEAKS, ()))
    )
    pasted = (_pasted(prompt, _own_words(prompt)) for prompt in prompts)
    return any(
        passages.repeats(sought, each) and (bare == sought or passages.repeats(bare, _ADDRESS.sub(" ", each)))
        for each in chain(told, pasted)
    )


def _typed(text: str, prompt: str) -> bool:
    """Whether a text stands word for word in what a user typed themselves."""
    at = prompt.find(text)
    if at < 0:
        return False
    own = _own_words(prompt)[at : at + len(text)]
    return sum(map(str.isalnum, own)) >= OWN * sum(map(str.isalnum, text))


@lru_cache(PROMPTS * SESSIONS)
def _own_words(prompt: str) -> str:
    from .extract.own_words import own_words

    return own_words(prompt)


def _told_with_address(text: str, prompt: str) -> bool:
    """Whether a user wrote the words of a text and its addresses, which are blanked in what is their own."""
    if not _ADDRESS.search(text) or not passages.pieces(_ADDRESS.sub(" ", text)):
        return False
    own = _BLANKED.sub(lambda run: _mark(prompt[slice(*run.span())]), _own_words(prompt))
    marked = _ADDRESS.sub(lambda found: _mark(found[0].rstrip(".,:;!?")), text)
    return passages.stands(_sought(marked), own)


def _mark(address: str) -> str:
    """An address as one word; of what is none, nothing."""
    return (
        f" x{address.casefold().encode(errors='surrogatepass').hex()} "
        if _ADDRESS.fullmatch(address)
        else " "
    )


def _of(event: Event) -> Stands:
    if event.kind == "subagent":
        return "subagent"
    return "external" if event.origin == "external" else "tool"


def _kind(con: apsw.Connection, among: Sequence[Turn]) -> SessionKind:
    """The kind of session that asks; where any of several may, the one that a user attends least."""
    kinds = {turns.kind(con, one.id) for one in among}
    for kind in ("scheduled", "subagent", "background"):
        if kind in kinds:
            return kind
    return "interactive"


def _decided(
    con: apsw.Connection, new: Proposed, turn: int | None, *, now: int, memories: tuple[int, ...] = ()
) -> Verdict:
    rules = policy(con)
    verdict = admit(new, rules)
    observed = isinstance(verdict, Refused) and rules.provenance == "observe"
    said = "observed" if observed else "refused" if isinstance(verdict, Refused) else verdict.origin
    runs.log(con, runs.Run("admit", said, f"{verdict.reason} ({new.kind})", turn, memories), at=now)
    if observed:
        return Admitted(new.origin, f"not enforced: {verdict.reason}")
    return verdict
