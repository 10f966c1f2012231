"""Sentences of a turn that are worth quoting: what was asked, why, and what the agent says came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from .own_words import OPAQUE
from .sentences import sentences
from .work_orders import gives_orders
from .work_prompt import only_line, own_prompt, sets_the_scene

Language = Literal["en", "zh"]

# What was asked and why is said at the beginning of a prompt, and what came of it at an end of a reply.
READ_CHARS = 4_000
ASKED_CHARS, WHY_CHARS, TOLD_CHARS, TOLD_LEAST = 150, 110, 130, 6
# A longer piece of code within a sentence is pasted, not named.
NAMED_CHARS = 40
# A letter of these scripts says as much as two of others.
WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\U0001f300-\U0001faff\U00020000-\U0003ffff]"
)
_HAN = re.compile("[\u4e00-\u9fff]")
_NOT_CHINESE = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile("[^\\W\\d_]{2}|[\u4e00-\u9fff]")

# All that a prompt says is that it may go on, or how pleased its writer is.
_ASSENTS = (
    r"(?:yes|yep|yeah|y|ok(?:ay)?|sure|please|pls|go (?:on|ahead)|continue|proceed|carry on|keep going|next"
    r"|do (?:it|that|so)"
    r"|resume|try (?:again|once more)|again|retry|thanks|thank you|hi|hello|hey(?: there)?|good (?:morning|evening)"
    r"|great|perfect"
    r"|nice|cool|good|fine|sounds good|lgtm|looks good|right|exactly|let'?s go|done|fixed|added|renamed|committed"
    r"|tagged|restarted|created|applied|updated|removed|sent|posted|got it|all set|sorry|no problem|of course"
    r"|继续(?:吧|做|改|执行|下去)?|接着(?:来|做|改)?|好的?|好吧|可以(?:的|了)?|行|嗯+|是的?|对的?|没问题|就这样"
    r"|就这么(?:做|办|改)|请|按(?:这个|你说的)(?:方案)?"
    r"(?:来|改|做)?|下一步|开始吧?|再(?:试|来)一?(?:次|遍)|重试|谢谢|你好|您好|辛苦了?|不错|完成了?|(?:已经?)?(?:改"
    r"|做|修|加|合|建|装|弄|写|处理|添加|提交|完成|重启|发送|更新|删除)(?:好|完)?了?|(?:已|搞)(?:完成|定了?|提交"
    r"|重启|发送|添加|创建)|收到|明白)"
)
_ASSENT = re.compile(rf"(?:{_ASSENTS}[\s,，.。!！~～、:：…]{{0,4}}){{1,5}}\Z", re.IGNORECASE)

_REASONS = re.compile(
    r"\b(?:because|since (?:it|we|the|they|this|that|our|i|you)|so that|in order to|due to|to avoid|otherwise"
    r"|the (?:reason|cause)"
    r"|caused by|turned out|as it|as we|root cause|the (?:problem|issue|culprit) (?:is|was)|is (?:in maintenance"
    r"|deprecated)"
    r"|so (?:we|i|it|the|that|they|this)|therefore)\b"
    r"|因为|由于|为了|以免|免得|否则|不然|原因(?:是|在于|：)|问题(?:是|在于|出在)|导致|所以|因此|毕竟|考虑到|根因"
    r"|以便|之所以",
    re.IGNORECASE,
)
_CAUSES = re.compile(
    r"\b(?:because|caused by|due to|the (?:root )?(?:cause|reason|problem|issue|culprit)|turned out|was (?:missing"
    r"|wrong|not|never)"
    r"|were (?:missing|compared|not)|needs?|needed|only exists?|does(?:n't| not) (?:exist|support|have)|still asks"
    r"|so (?:it|the|we|i)|had to"
    r"|instead|forgot|held|holds|removed|excluded|ignored|too (?:late|early|old|new)|require[sd]?|expects?"
    r"|not (?:yet|exist))\b"
    r"|因为|由于|原因|问题(?:是|在于|出在)|根因|导致|所以|需要|没有|缺(?:少|了)|漏了|写[错反]|误|不支持|不存在"
    r"|占[着用]|还要求|才有|改[成为用装]|排除|不[让能]|被",
    re.IGNORECASE,
)
_CODE_LINE = re.compile(
    r"^\s*(?:(?:def|class|import|from|const|let|var|function|public|private|return|#include|package|func|fn|SELECT"
    r"|INSERT)\s.*[;{:()=]"
    r"|@@|[+-]{3}\s|diff --git|(?:\s*at\s+\S+\s?\()|File \"|Traceback|\$\s|>>>|</?\w+[^>]*>)"
)
_BLOCKS = re.compile(
    r"^[ \t]*```(?:(?!^[ \t]*```)[^\n]*\n?)*+(?:[ \t]*```)?|^[ \t]*(?:[#|>]|\d+ \|).*$", re.MULTILINE
)
_MARKUP = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|^#{1,6}\s+")
_INLINE_CODE = re.compile(r"`([^`\n]*)`")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, verbatim, and where it stands in its text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


def language(*texts: str) -> Language:
    """The language to answer in: that of the first text that has one."""
    for text in (text[:READ_CHARS] for text in texts):
        if _HAN.search(text) and not _NOT_CHINESE.search(text):
            return "zh"
        if _WORD.search(text):
            return "en"
    return "en"


def asked(prompt: str) -> Said:
    """The first sentence of the user's own that asks for something, verbatim; what is left where there is none."""
    said = own_sentences(prompt)
    if not said and (line := only_line(prompt[:READ_CHARS])):
        said = (Said(prompt[slice(*line)].rstrip(), line[0]),)
    own = [one for one in said if not is_assent(one.text)]
    telling = [one for one in own if not sets_the_scene(one.text) and not one.text.endswith((":", "："))]
    found = next(iter((*telling, *own, *said)), Said("", 0))
    return Said(_beginning(found.text, ASKED_CHARS), found.start)


def goes_on(prompt: str) -> bool:
    """Whether a prompt asks for nothing but to go on."""
    return _ASSENT.match(prompt.strip()[:80]) is not None if len(prompt.strip()) <= 80 else False


def is_assent(sentence: str) -> bool:
    """Whether a sentence only agrees, greets or thanks."""
    return len(sentence) <= 60 and _ASSENT.match(sentence.strip()) is not None


def reason(text: str, *, reply: bool = False) -> Said | None:
    """The first sentence that gives a reason, verbatim; of a reply, none that gives orders."""
    for one in own_sentences(text, reply=reply):
        if reply and gives_orders(one.text):
            continue
        if (found := _REASONS.search(one.text)) and len(one.text) - (found.end() - found.start()) >= 6:
            if width(one.text) <= WHY_CHARS * 2:
                return Said(_beginning(one.text, WHY_CHARS * 2), one.start)
            start = found.start()
            return Said(_beginning(one.text[start:], WHY_CHARS), one.start + start)
    return None


def told(reply: str) -> Said | None:
    """The first sentence of a reply that says what came of the turn, verbatim."""
    for one in own_sentences(reply, reply=True):
        if (
            not is_assent(one.text)
            and not one.text.rstrip().endswith(("?", "？", ":", "："))
            and width(one.text) >= TOLD_LEAST
            and not gives_orders(one.text)
        ):
            return Said(_beginning(one.text, TOLD_CHARS), one.start)
    return None


def causes(reply: str, about: str = "") -> Said | None:
    """The sentence of a reply that best says what was the matter: it names a cause, and what the error names."""
    words = {word.lower() for word in re.findall(r"[A-Za-z_][\w.-]{3,}|[\u4e00-\u9fff]{2}", about)}
    best: tuple[int, Said] | None = None
    for one in own_sentences(reply, reply=True):
        named = len(_CAUSES.findall(one.text[:300]))
        if not named or one.text.rstrip().endswith(("?", "？")) or gives_orders(one.text):
            continue
        score = 2 * min(named, 2) + min(sum(word in one.text.lower() for word in words), 3)
        if best is None or score > best[0]:
            best = score, one
    return best[1] if best else None


@lru_cache(maxsize=32)
def own_sentences(text: str, *, reply: bool = False) -> tuple[Said, ...]:
    """
    The sentences that are the writer's own, at either end of a long text, verbatim. A person pastes whatever there is;
    a `reply` has code in fences, headings, tables and quotations.
    """
    return tuple(_each(text, _without_blocks if reply else own_prompt))


def _without_blocks(text: str) -> str:
    return _BLOCKS.sub(lambda found: "\n" * len(found[0]), text)


def _each(text: str, own_of: Callable[[str], str]) -> Iterator[Said]:
    head = text[:READ_CHARS]
    parts = (
        [(0, head)]
        if len(text) <= READ_CHARS
        else [(0, head), (len(text) - READ_CHARS // 4, text[-READ_CHARS // 4 :])]
    )
    for offset, part in parts:
        own = own_of(part)
        for start, end in _with_semicolons(own):
            plain = own[start:end].rstrip()
            verbatim = part[start : start + len(plain)].strip()
            if _WORD.search(plain.replace(OPAQUE, "")) and not is_code_line(verbatim):
                yield Said(verbatim, offset + start + part[start:end].index(verbatim[:1]))


def _with_semicolons(own: str) -> Iterator[tuple[int, int]]:
    """The places of the sentences; what a semicolon divides is one, and a question keeps its mark."""
    begun: int | None = None
    for found in sentences(own):
        start = found.start if begun is None else begun
        if found.mark[:1] in (";", "；") and found.end - start < TOLD_CHARS:
            begun = start
            continue
        begun = None
        yield start, found.end + (1 if found.mark[:1] in ("?", "？") else 0)
    if begun is not None:
        yield begun, len(own.rstrip())


def is_code_line(text: str) -> bool:
    """Whether a line is code or a machine's output rather than a sentence."""
    text = _INLINE_CODE.sub("x", text[:1000])
    signs = sum(text.count(sign) for sign in "{}[]();=<>|&$\\")
    return _CODE_LINE.match(text) is not None or signs > 3 + len(text) * 0.08


def plain(text: str) -> str:
    """The text on one line, without markup, and without the code that was pasted into it."""
    text = _INLINE_CODE.sub(lambda found: found[0] if len(found[1]) <= NAMED_CHARS else "…", text)
    return " ".join(_MARKUP.sub("", text).replace("```", "").split())


def width(text: str) -> int:
    """Characters, a wide one counted as two."""
    return len(text) + len(WIDE.findall(text))


def narrow(text: str, most: int) -> str:
    """The text's beginning that is no wider than that, with a mark where it was cut."""
    kept = _beginning(text, most)
    if kept == text:
        return text
    return _beginning(text, most - 1).rstrip() + "…" if most > 0 else ""


def _beginning(text: str, most: int) -> str:
    """The text's beginning that is no wider than that, not cut within a word where that costs little."""
    if len(text) * 2 <= most or width(text) <= most:
        return text
    room = most
    for at, char in enumerate(text):
        room -= 2 if WIDE.match(char) else 1
        if room < 0:
            cut = text[:at]
            space = cut.rfind(" ", max(at - 20, 0))
            return (cut[:space] if space > 0 and text[at : at + 1] not in (" ", "") else cut).rstrip()
    return text
