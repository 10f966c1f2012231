"""
What may become a lasting memory, and with what authority: decided by where it comes from, before any model is asked.

    admit(Proposed(…), policy) -> Admitted | Refused

Words of the user's own weigh more than an agent's, those more than a tool's, and those more than what a file, a page or
another store says. External content is never the user's fact, profile, plan or standing order, whoever passes it on.
Runs that nobody attends speak for nobody; what they did stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..store.models import Kind, Origin
from .occasions import SessionKind

# Where a proposal's words stand, of what this session has seen: in what the user typed (word for word, or told again),
# in a file or page ("echoed": only what they claim does, in other words), in what a command printed, in a subagent's
# report; nowhere.
Stands = Literal["said", "told", "external", "echoed", "tool", "subagent", "nowhere"]
Claims = Literal["user", "rule"]
Provenance = Literal["enforce", "observe"]
Unattended = Literal["nobody", "user"]

# What weighs more takes a slot from what weighs less, never the other way round.
RANK: Mapping[Origin, int] = {"user": 3, "agent": 2, "tool": 1, "external": 0, "import": 0}
# What is said of a person, or on their behalf.
PERSONAL: tuple[Kind, ...] = ("profile", "intention")
_SOURCES: Mapping[str, str] = {
    "external": "a file or page that was read",
    "echoed": "a file or page that was read, in other words",
    "tool": "what a tool printed",
    "subagent": "a subagent's report",
}
# What a source says as the user, or of what they want, like and do: theirs to say.
_AS_THE_USER = re.compile(
    r"(?-i:\bI\b)|\b(?:my|mine)\b(?!-)|\bi['’](?:m|d|ll|ve)\b|^\W*i\s"
    r"|\buser(?:['’]s)?\s(?:always|never|only|really|also|usually|prefer|favou?rite|trust|want|like|love|hate|need|require"
    r"|allow|approve|authori[sz]e|decide|insist|agree|permit|said|says|told|name"
    r"|is (?:called|named|known as|from|based)|goes by|answers to|lives|resides|speaks|works)"
    r"|我(?!们)|用户(?:的?偏好|喜欢|讨厌|希望|想|要求|同意|允许|授权|批准|总是|从不|只|都|一律|以后|已|名叫|叫|住|信任|决定)",
    re.IGNORECASE,
)
# What is said of a user, who may be one of the program's.
_OF_SOMEBODY = re.compile(r"\W*(?:the |this |our )?user\s[a-z]+s\b|\W*(?:该|这位)?用户", re.IGNORECASE)
_DONE = re.compile(r"已经?|完成|[了过]\W*$|\b(?:is|was|were|has been|done|finished)\b", re.IGNORECASE)
_REDACTED = re.compile(r"\[(?:redacted:[a-z0-9]{1,16}:[0-9a-f]{8}|private)\]")
# Around a secret, no words of their own: its name, and how it is written down.
_NAMES_A_SECRET = re.compile(
    r"\b(?:the|my|our|a|an|is|are|was|of|for|to|in|this|your|here|remember|please|note|use|set|export|env|var|value|new"
    r"|api|key|keys|token|tokens|secret|secrets|password|passwd|pwd|pass|passphrase|credential|credentials|auth|bearer"
    r"|access|private|ssh|login|id|client|[a-z]+[_-](?:key|token|secret|password|pwd))\b"
    r"|我的?|我们的?|密码|口令|密钥|令牌|秘钥|凭证|凭据|是|为|请|记住|记一?下|一下|这个?|的|[\W\d_]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What the settings say: whether refusals are carried out, and for whom a run speaks that nobody attends."""

    provenance: Provenance = "enforce"
    unattended: Unattended = "nobody"


@dataclass(frozen=True, slots=True)
class Proposed:
    """
    What is to be kept. `origin` is whose words they are as far as its bearer says; `stands`, where they were seen.

    `asked`: someone asks for it in so many words, by a tool or a command; else it was drawn from what was recorded.
    """

    content: str
    kind: Kind
    origin: Origin
    session: SessionKind = "interactive"
    stands: Stands = "nowhere"
    asked: bool = False
    asks: Literal["keep", "forget", "correct", "end"] = "keep"


@dataclass(frozen=True, slots=True)
class Admitted:
    """With which origin it is kept, and hence with which rank and trust. `reason` says how that was found."""

    origin: Origin
    reason: str

    def overrides(self, other: Origin) -> bool:
        """Whether it may take the place of what came from there."""
        return RANK[self.origin] >= RANK[other]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why it is not kept, for the log; what to do instead, in a sentence for who asked."""

    reason: str
    instead: str


Verdict = Admitted | Refused


def admit(new: Proposed, policy: Policy) -> Verdict:
    """Whether a proposal may be kept, and as whose; by what it says, by who runs the session, by where it stands."""
    return _nothing(new) or _for_nobody(new, policy) or _of_the_moment(new) or _whose(new)


# What reads sentences is imported when the first is read: its patterns take 0.1 s, which a hook would wait for.


def _gives_orders(text: str) -> bool:
    from .extract.work_orders import gives_orders

    return gives_orders(text)


def _nothing(new: Proposed) -> Refused | None:
    """What is no memory whoever says it."""
    if not new.asked and new.origin == "user":
        return None  # statements that were found in the user's sentences
    left = _REDACTED.sub(" ", new.content)
    if left != new.content and not _NAMES_A_SECRET.sub("", left):
        return Refused(
            "it is a secret and nothing else",
            "This is only a secret, and secrets are never kept. Say where it is kept instead, as in “the deploy "
            "token is in the vault under ci/deploy”.",
        )
    from .extract.noise import noise

    what = noise(new.content)
    if what is None:
        return None
    return Refused(
        what, f"This is nothing to keep: {what}. Send one sentence that says what is so and why it matters."
    )


def _for_nobody(new: Proposed, policy: Policy) -> Refused | None:
    """In a run that nobody attends there is no user to speak of."""
    if new.session in ("interactive", "import") or new.origin == "import":
        return None
    if new.session == "background" and policy.unattended == "user":
        return None
    orders = new.asked and _gives_orders(new.content)
    if new.asks == "keep" and new.kind not in PERSONAL and new.origin != "user" and not orders:
        return None
    return Refused(
        f"a {new.session} session speaks for nobody",
        f"This session is a {new.session} one, which speaks for nobody: no profile, plan or standing order is kept "
        "from it. Keep what was done or found as a fact, or let the user say it in a session of theirs.",
    )


def _of_the_moment(new: Proposed) -> Refused | None:
    from .extract.noise import is_one_off

    if not new.asked or new.origin == "user" or not is_one_off(new.content):
        return None
    return Refused(
        "it is an order for the task in hand",
        "This is an order for the task in hand and is over when that is done. Do it; keep what came of it, or, if it "
        "holds from now on, say so (“always …”, “before each …”).",
    )


def _whose(new: Proposed) -> Verdict:
    if new.origin in ("external", "tool") and not new.asked:
        return _from_outside(new, new.origin)
    if new.origin != "agent":
        return Admitted(new.origin, f"by {new.origin}")
    match new.stands:
        case "said":
            return Admitted("user", "it stands word for word in what the user said")
        case "told":
            return Admitted("agent", "the user said it in other words")
        case "external" | "echoed" | "tool" | "subagent":
            return _from_outside(new, new.stands)
    return Admitted("agent", "by the agent")


def claims(text: str, kind: Kind) -> Claims | None:
    """
    What a text says that is the user's to say: of themselves or as they would ("user"), or what is to be done from now
    on ("rule"); None for any other.
    """
    somebody = _OF_SOMEBODY.match(text) is not None
    if _AS_THE_USER.search(text) or (somebody and kind in PERSONAL):
        return "user"
    if _gives_orders(text) or somebody:
        return "rule"
    from .extract.model_lasting import clause

    about = clause(text, 0, len(text))
    if about.is_standing or (about.is_order and not _DONE.search(text)):
        return "rule"
    return "user" if kind in PERSONAL else None


def _from_outside(new: Proposed, where: Literal["external", "echoed", "tool", "subagent"]) -> Verdict:
    for_the_user = _AS_THE_USER.search(new.content) is not None
    if new.asks != "keep" or new.kind in PERSONAL or for_the_user or _gives_orders(new.content):
        what = (
            f"a {new.kind}" if new.kind in PERSONAL else "the user's" if for_the_user else "a standing order"
        )
        return Refused(
            f"it stands in {_SOURCES[where]} and in no words of the user's: {what} comes from the user alone",
            f"This stands in {_SOURCES[where]}, not in what the user said, so it is not kept as {what}. If the user "
            "wants it, ask them to say so; what the source says of itself can be kept with kind=fact.",
        )
    origin: Origin = "agent" if where == "subagent" else "tool" if where == "tool" else "external"
    return Admitted(origin, f"it stands in {_SOURCES[where]}")
