"""A user's correction of how something was done in the turn before."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .work_text import Said, own_sentences, width
from .work_trace import Trace

# A longer sentence tells a story; one that corrects is short.
CORRECTION_WIDTH = 240

_REJECTS = re.compile(
    r"(?:no|nope|wrong|incorrect|stop|not (?:like|that)|that(?:'s| is) (?:wrong|not)|this is (?:wrong|not)"
    r"|you (?:shouldn't|should not)"
    r"|i (?:said|told you|meant|asked)|as i said|actually|hmm+)\b"
    r"|不对|不是(?:这样|的)|错了|不行|不应该|不可以|我说的?是|我的意思|说过了?|搞错|弄错|怎么又",
    re.IGNORECASE,
)
# Said before what is to be done, they put off or decline what was offered, and say nothing of the way.
_DECLINES = re.compile(
    r"(?:no|nope|nah)?\W{0,3}(?:not (?:now|yet|today|necessary|needed|sure|really)|no (?:need|thanks?"
    r"|thank you|problem|worries"
    r"|rush|hurry|more)|later|never ?mind|don'?t (?:bother|worry)|skip (?:it|that)|leave (?:it|that)"
    r"|thanks?|that'?s (?:all"
    r"|fine|ok(?:ay)?|it|enough))\b|(?:不|先不|暂时不)(?:用|急|需要|必|管|要)了?(?:[，,。.!！]|$)"
    r"|(?:算了|以后再说|没关系|没事|不客气)",
    re.IGNORECASE,
)
# A sentence that rejects the way, and only that; what is taught may follow in the next.
_ONLY_REJECTS = re.compile(
    r"\W{0,3}(?:(?:no|nope|wrong|incorrect|stop|hmm+|oh no|please)\W{0,3}){1,3}\Z"
    r"|(?:(?:no|hey|hm+|sorry|wait|but)\W{1,3})?(?:that|this|it)(?:'s| is| was) (?:wrong|not (?:right"
    r"|correct|how|what|the way))"
    r"|(?:no\W{1,3})?(?:not (?:like|that|this)|i (?:said|told you|meant|asked)|as i said"
    r"|you (?:shouldn'?t|should not|must not))\b"
    r"|\W{0,3}(?:不对|不行|错了|不是(?:这样|的)|搞错了?|弄错了?|不应该(?:这样)?|怎么又)",
    re.IGNORECASE,
)
# How something is done, not how its result looks.
_METHOD = (
    r"(?:us(?:e|ing)|run(?:ning)?|call(?:ing)?|edit(?:ing)?|chang(?:e|ing)|touch(?:ing)?|modify|commit(?:ting)?"
    r"|push(?:ing)?|install(?:ing)?"
    r"|import(?:ing)?|mock(?:ing)?|hard-?cod(?:e|ing)|generat(?:e|ing)|deploy(?:ing)?"
    r"|test(?:ing)? (?:with|against)"
    r"|writ(?:e|ing)|put(?:ting)?"
    r"|go through|rely|catch|disable|skip|bypass|add(?:ing)?|creat(?:e|ing))"
)
_TAUGHT = re.compile(
    rf"\buse\b.{{1,100}}\b(?:not|instead|rather than)\b|\bnot\b.{{1,60}}\b(?:but|use)\b.{{1,60}}"
    rf"|\binstead of {_METHOD}"
    rf"|\b(?:don'?t|do not|never|stop|shouldn'?t|should not|must not|not supposed to)\s(?:ever |just "
    rf"|directly )?{_METHOD}\b.{{2,}}"
    rf"|\b(?:we|you|one) (?:should|must|always|have to|need to) (?:always |rather )?{_METHOD}\b.{{2,}}"
    rf"|\b{_METHOD}\b.{{2,80}}\binstead\b"
    r"|(?:不要|别|不能|不许|不应该|不该|禁止|不准)(?:再|直接|手动|自己)?(?:用|使用|改|动|写|提交|推|装|调|跑|放"
    r"|引入|编辑|修改|在|硬编码|mock).{1,}"
    r"|(?:应该|要|得|改|请|换)(?:用|使用|成|放|写|走|通过|调用?|改|跑|从|装).{1,40}(?:而不是|不是|不要|别"
    r"|不能).{1,40}"
    r"|不(?:是|用).{1,30}[，, ](?:而是|要|应该|得|改)?(?:用|改|走|放|写|通过|调).{1,40}"
    r"|(?:应该|必须|改成?|换成?)(?:用|使用|放在?|写在?|走|通过|调用|先跑|从).{2,}",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[A-Za-z][\w.-]{2,}|[\u4e00-\u9fff]{2}")
_COMMON = frozenset(
    str.split(
        """
        use not the and you should never always instead that this here with wrong don run add make
        want them please from for change
        """
    )
)


@dataclass(frozen=True, slots=True)
class Correction:
    """What the user said of a way that was taken in the turn before."""

    said: Said
    before: Trace


def correction(turn: Trace, before: Trace | None) -> Correction | None:
    """The user's correction of how the turn before did something; None where there is none."""
    if before is None or not before.steps:
        return None
    said = own_sentences(turn.prompt)[:4]
    for one, sentence_before in zip(said, (None, *said), strict=False):
        if (
            width(one.text) > CORRECTION_WIDTH
            or one.text.endswith(("?", "？"))
            or not _TAUGHT.search(one.text)
            or _DECLINES.match(one.text)
        ):
            continue
        if _rejects(one, sentence_before) or _speaks_of(one.text, before):
            return Correction(one, before)
    return None


def _rejects(taught: Said, sentence_before: Said | None) -> bool:
    """Whether the way is rejected in the sentence that teaches another, or in the one directly before it."""
    if _REJECTS.match(taught.text):
        return True
    if sentence_before is None or _DECLINES.match(sentence_before.text):
        return False
    return _ONLY_REJECTS.match(sentence_before.text) is not None


def _speaks_of(sentence: str, before: Trace) -> bool:
    """Whether a sentence names something that was done in a turn: a file, a program, what the agent said it used."""
    # What the earlier prompt itself named is the task, not the way.
    done = " ".join(
        (*before.edited, *(step.command or "" for step in before.commands), before.reply[:600])
    ).casefold()
    named = {word.casefold() for word in _NAMES.findall(sentence) if word.isascii()} - _COMMON
    return any(re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", done) for word in named)
