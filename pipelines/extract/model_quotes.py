"""Where a quote stands in its source, exactly, and whether the words there are the user's own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...store import han
from .model_lasting import Clause, clause
from .own_words import OPAQUE, own_words
from .questions import is_joke, is_question, is_reported, is_supposed
from .sentences import Sentence, sentences

# Shorter evidence would stand anywhere; longer is a text and no statement.
LEAST_CHARS, MOST_CHARS = 2, 400
# Of the letters of a quote, what must stand outside quoted strings and links.
_OWN_SHARE = 0.4
LEFT_OUT = "[… pasted text left out …]"
# A line that says in a messenger who wrote what follows, and when.
_TALK = re.compile(
    r"^[ \t]*\S{1,20}(?: \S{1,20})?[ \t]+(?:\d{2,4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[ \t]+)?\d{1,2}:\d{2}(?::\d{2})?"
    r"(?: ?[AaPp][Mm])?[ \t]*$",
    re.MULTILINE,
)
_TURNS = re.compile(
    r"[,，;；:：.。]?\s*(?:\bbut\b|\bhowever\b|\bactually\b|\bin fact\b|但是?|不过|其实|现在|事实上)\s*",
    re.IGNORECASE,
)
# Marks that models write in place of others.
_SAME = str.maketrans("‘’“”＂＇\u00a0\u3000", "''\"\"\"'  ")
_ENDS = " \t\r\n\"'“”‘’「」…"


@dataclass(frozen=True)
class Source:
    """A text that may be quoted; what its writer did not write themselves is told apart."""

    text: str

    @cached_property
    def words(self) -> str:
        """The text with all blanked that is not its writer's own; of the same length."""
        words = own_words(han.fold(self.text))
        headers = [found.start() for found in _TALK.finditer(words)]
        if len(headers) > 1:
            # From its first header on it is a talk that was copied from a messenger.
            words = words[: headers[0]] + "\n" * (len(words) - headers[0])
        return words

    @cached_property
    def shown(self) -> str:
        """The text as a model is shown it: a mark for what was pasted."""
        pieces, at = [], 0
        for start, end in self._pasted:
            pieces += [self.text[at:start].rstrip(), LEFT_OUT]
            at = end
        return "\n".join(filter(None, (*pieces, self.text[at:].strip()))).strip()

    @cached_property
    def _pasted(self) -> tuple[tuple[int, int], ...]:
        """The runs of whole lines that are not the writer's; what is quoted within a sentence is part of it."""
        spans: list[tuple[int, int]] = []
        for found in re.finditer(r"\n+", self.words):
            start, end = found.span()
            if self.text[start:end].strip():
                spans.append((start, end))
        return tuple(spans)

    def find(self, quote: str) -> tuple[int, int] | None:
        """Where a quote stands, white space and forms of quotation marks aside; among the writer's own words first."""
        places = list(self._places(quote))
        return next((span for span in places if self.is_own(*span)), places[0] if places else None)

    def is_own(self, start: int, end: int) -> bool:
        """Whether its writer wrote a span as words of their own."""
        if any(start < last and first < end for first, last in self._pasted):
            return False
        letters = [at for at in range(start, end) if self.text[at].isalnum()]
        own = sum(self.words[at] != OPAQUE for at in letters)
        return own >= max(LEAST_CHARS, _OWN_SHARE * len(letters))

    def not_meant(self, start: int, *, order: bool, of_others: bool) -> str | None:
        """
        Why a statement that begins at an offset states nothing: asked, supposed, told by others, or a joke; None
        where it is meant. `order`: it may depend on something; `of_others`: it may be what others said.
        """
        sentence, after = self._around(start)
        if sentence is None:
            return None
        words, at = self.words[sentence.start : sentence.end], max(start - sentence.start, 0)
        if is_joke(words, after):
            return "a joke"
        if is_question(words, sentence.mark, at):
            return "a question"
        if not of_others and is_reported(words, at):
            return "what someone else said"
        # "If I were on Windows …, but I'm on Fedora": what follows a "but" is no longer supposed.
        turned = [found.end() for found in _TURNS.finditer(words, 0, at + 8) if found.start() < at or not at]
        here = turned[-1] if turned else 0
        return "a supposition" if not order and is_supposed(words[here:], max(at - here, 0)) else None

    def sentence(self, start: int) -> str:
        """The sentence around an offset, as its writer's own words."""
        found = self._around(start)[0]
        return self.words[found.start : found.end] if found else ""

    def clause(self, start: int, end: int) -> Clause:
        """What its writer's own words say about a span, as far as its sentence goes."""
        first = self._around(start)[0]
        if first is None:
            return clause("", 0, 0)
        last = self._around(max(end - 1, start))[0] or first
        return clause(self.words[first.start : last.end], max(start - first.start, 0), end - first.start)

    @cached_property
    def _sentences(self) -> tuple[Sentence, ...]:
        return tuple(sentences(self.words))

    def _around(self, at: int) -> tuple[Sentence | None, str]:
        for number, sentence in enumerate(self._sentences):
            if sentence.end > at:
                after = self._sentences[number + 1] if number + 1 < len(self._sentences) else None
                return sentence, self.words[after.start : after.end] if after else ""
        return None, ""

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return folded(self.text)

    def _places(self, quote: str) -> Iterator[tuple[int, int]]:
        wanted = folded(quote)[0].strip(_ENDS)
        text, places = self._folded
        if not LEAST_CHARS <= len(wanted) <= MOST_CHARS:
            return
        at = text.find(wanted)
        while at >= 0:
            last = at + len(wanted)
            # "port" is no evidence in "portable": a word is quoted whole.
            if not (_inside_word(text, at) or _inside_word(text, last)):
                yield places[at], places[last - 1] + 1
            at = text.find(wanted, at + 1)


def folded(text: str) -> tuple[str, list[int]]:
    """A text with its white space in single blanks and without what cannot be seen, and where each character was."""
    chars: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text.translate(_SAME)):
        if char.isspace():
            if chars and chars[-1] != " ":
                chars.append(" ")
                places.append(at)
        elif unicodedata.category(char) not in ("Cf", "Cc"):
            chars.append(char)
            places.append(at)
    return "".join(chars), places


def _inside_word(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()
