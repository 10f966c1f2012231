"""A text as sentences, and the places in one where a statement may begin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A longer one is no sentence; it is read in pieces.
SENTENCE_CHARS = 600

# A full stop ends a sentence before white space, and not after an abbreviation or a list's number.
_END = re.compile(
    r"(?:[。！？!?…;；\n]"
    r"|(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bMr)(?<!\bDr)(?<!\bMs)(?<!^\d)(?<!\n\d)\.(?=\s"
    r"|$))"
    r"[。！？!?…;；.\"”'’)）~～]{0,8}"
)
_BULLET = re.compile(
    r"[\s\u3000]{0,40}(?:(?:[-*•·]|\d{1,2}[.)、]"
    r"|[(（]?[一二三四五六七八九十\d]{1,2}[)）、])[ \t\u3000]{0,4})?"
)

_STARTS = re.compile(
    r"[,，;；:：(（—–]\s{0,3}|\s-{1,2}\s|/\s"
    r"|\b(?:and|but|so|because|since|cause|cuz|plus|while|although|though|yet|as|then)\s{1,2}"
    r"|(?:而且|但是|但|不过|因为|所以|另外|然后|并且|还有|同时|以及|顺便|对了|其实|毕竟|由于"
    r"|考虑到|反正)[，,:：\s]{0,2}",
    re.IGNORECASE,
)
# What comes before a statement and is no part of it.
_LEADS = re.compile(
    r"(?:(?:oh|btw|by the way|also|and|but|well|so|ok|okay|right|yes|yeah|yep|please|pls|just"
    r"|fyi|ps|p\.s\.|hey|hi|hello"
    r"|hi there|actually|honestly|personally|tbh|imo|imho|in general|generally|overall|as a rule|for context"
    r"|for the record|note that|keep in mind|context|heads up|as (?:i|you) (?:said|know"
    r"|mentioned)|fwiw|note|one more thing|another thing"
    r"|you should know|given|since|because|first|second|finally|lastly|plus|thanks|thank you"
    r"|great|cool|perfect|basically"
    r"|i(?:'ve)? (?:already |just )?(?:said|told you|mentioned)(?: before)?(?: that)?|i think"
    r"|i guess|i mean|i'd say|i must say"
    r"|to be clear|in case it matters|my bad|sorry|no|nope|wait|correction|background|update|important|edit)"
    r"(?:[,:：，.!]\s{0,2}|\s{1,2}-\s{1,2}|\s{1,2})"
    r"|(?:另外|还有|顺便(?:说|提|问)?(?:一下|一句|一嘴)?|对了|其实|嗯+|哦+|噢|啊|那个|话说"
    r"|补充(?:一下|一点)?|说明(?:一下)?|告诉你|跟你说(?:一?下|过)?|首先|其次"
    r"|最后一点|我这边|麻烦(?:你)?|背景|备注|注意|提醒一下|再说一遍|我说过|说过了?|好的?|谢谢|行"
    r"|可以|是的|但是?|不过|而且|因为|所以|然后|老实说|说实话"
    r"|总的来说|一般来说|不对|不是|错了|说错了|更正(?:一下)?|抱歉|不好意思|哦不|毕竟|请|你(?=以后"
    r"|今后|每次|别|不要))[，,:：。！!\s]{0,2})",
    re.IGNORECASE,
)
_LEADS_AT_MOST = 5
# A sentence with more clauses is a list of words.
STARTS_AT_MOST = 24
_SEPARATORS = " \t,，;；:：(（)）—–-/、"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's place in its text, and the mark that ends it."""

    start: int
    end: int
    mark: str


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, in order, without bullets and the white space around."""
    at = 0
    for found in _END.finditer(text):
        yield from _pieces(text, at, found.start(), found.group())
        at = found.end()
    yield from _pieces(text, at, len(text), "")


def _pieces(text: str, start: int, end: int, mark: str) -> Iterator[Sentence]:
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet else start
    for at in range(start, end, SENTENCE_CHARS):
        stop = min(at + SENTENCE_CHARS, end)
        yield Sentence(at, stop, mark if stop == end else "")


def starts(sentence: str) -> list[tuple[int, str]]:
    """Where in a sentence a statement may begin, and what led to it there ("no, ", "另外，"), in order."""
    places: dict[int, str] = {}
    for at in (0, *(found.end() for found in _STARTS.finditer(sentence))):
        if len(places) >= STARTS_AT_MOST or at >= len(sentence) or sentence[at] in _SEPARATORS:
            continue
        places.setdefault(at, "")
        end = at
        for _ in range(_LEADS_AT_MOST):
            lead = _LEADS.match(sentence, end)
            if not lead:
                break
            end = lead.end()
            places[end] = places.get(end) or sentence[at:end]
    return sorted(places.items())
