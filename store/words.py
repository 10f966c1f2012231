"""
Text to search tokens: one way for what is stored and for what is asked.

    index(text, cut) -> Tokens     three strings of space-joined tokens, the columns of table `terms`
    query(text, cut) -> Query      the content words of any text at all, bounded in time and number
    match(query) -> list[str]      FTS5 expressions, strictest first: all words, any word, characters;
                                   each is safe to bind to MATCH as it is; [] where nothing can be searched
    match_any(query) -> str        the last two in one, for a search that ranks by bm25
    VERSION                        raised whenever the same text would give other tokens: rows of another
                                   version want `reindex`

`cut` takes a run of Han characters and gives (word, start, end) for every word and dictionary sub-word
(`cutter.load()`); with None, Han text goes by its characters alone. Hooks copy this file and run it without
the package's dependencies: standard library only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from . import english, han

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from .cutter import Cut

    Script = Literal["letters", "mixed", "cjk"]

VERSION = 1

INDEX_CHARS = 200_000  # a memory is smaller; the rest of anything larger is not searchable
QUERY_HEAD_CHARS, QUERY_TAIL_CHARS = 6_000, 2_000  # a pasted log has its question before or after it
QUERY_WORDS = 256  # what a question may hold; `match` takes the first MATCH_WORDS, names before words
MATCH_WORDS = 48
TOKEN_CHARS = 96  # longer runs are blobs: a sha-512 is 128, a path longer than this is found by its parts
VERSION_NUMBERS = 5  # more is no version
WORD_PARTS = 48  # more is no name
HAN_RUN_CHARS = 4_000  # bounds one call of the cutter


class Tokens(NamedTuple):
    """
    What is stored of a text: `main` words, `sub` parts of words, `grams` characters and pairs of CJK runs.
    """

    main: str
    sub: str
    grams: str


class Word(NamedTuple):
    """
    One unit of a question: found where `text` is found, or all of its `parts`.

    `name` marks identifiers, paths, versions and the like, which are looked for rather than talked about.
    """

    text: str
    parts: tuple[str, ...] = ()
    name: bool = False

    @property
    def tokens(self) -> tuple[str, ...]:
        """Every token that speaks for this word, itself first."""
        return (self.text, *self.parts)


class Query(NamedTuple):
    """
    The content of a question: `words` in order, and the CJK `grams` of what they leave.

    `bare` means that stop words were all there was, and are what is searched with. `script` is that of the
    whole question.
    """

    words: tuple[Word, ...] = ()
    grams: tuple[str, ...] = ()
    bare: bool = False
    script: Script = "letters"


_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\u3005\u3007"
_KANA_HANGUL = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\uac00-\ud7a3"
_CJK = _HAN + _KANA_HANGUL
# Word characters that are not CJK; the vowel signs of Indic and Thai scripts are no \\w.
_LETTER = f"(?:[^\\W{_CJK}]|[\u0300-\u036f\u0900-\u0eff])"
_LANG = r"(?P<lang>(?<![A-Za-z0-9_])(?:[Cc]\+\+(?:\d\d)?|[CcFfJj]\#|\.(?i:net))(?![A-Za-z0-9_]))"
_ASCII_PIECE = re.compile(_LANG + r"|(?P<word>\w+(?:[.\-/:@]\w+)*)", re.ASCII)
_JOINT = re.compile(r"[.\-/:@]")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_VERSION = re.compile(r"([A-Za-z]*?)[vV]?(\d+(?:\.\d+)+)(?:(?:a|b|c|rc|alpha|beta|dev|post)\d+)?(?![^\W_])")
_DATE = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")


# Such ranges take 15 ms to compile, which a hook does not have for a text that has none of them.
@lru_cache(maxsize=1)
def _piece() -> re.Pattern[str]:
    return re.compile(
        f"(?P<han>[{_HAN}]+)|(?P<cjk>[{_KANA_HANGUL}]+)|{_LANG}|(?P<word>{_LETTER}+(?:[.\\-/:@]{_LETTER}+)*)"
    )


@lru_cache(maxsize=1)
def _cjk_run() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}]+")


class _Piece(NamedTuple):
    """A word as stored, its `parts` beside it; `asked` are the parts that speak for it in a question."""

    text: str
    parts: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    name: bool = False
    stop: bool = False


def index(text: str, cut: Cut | None) -> Tokens:
    """The search tokens of a text that is to be found."""
    text = han.normal(text[:INDEX_CHARS])[:INDEX_CHARS]
    main: list[str] = []
    sub: list[str] = []
    for found in _found(text):
        kind, run = found.lastgroup, found.group()
        if kind == "word":
            for piece in _pieces(run):
                main.append(piece.text)
                sub += piece.parts
        elif kind == "han":
            for word, inner in _cut_run(run, cut) if cut else ():
                main.append(word)
                sub += inner
        elif kind == "lang":
            main.append(run.casefold())
            sub += ["c++"] if run[-1].isdigit() else []
        elif len(run) <= TOKEN_CHARS:
            main.append(run)
    grams = [] if text.isascii() else [gram for run in _cjk_run().findall(text) for gram in _grams(run)]
    return Tokens(" ".join(main), " ".join(sub), " ".join(grams))


def query(text: str, cut: Cut | None) -> Query:
    """The content words of a question; with nothing else in it, its stop words."""
    if len(text) > QUERY_HEAD_CHARS + QUERY_TAIL_CHARS:
        text = f"{text[:QUERY_HEAD_CHARS]}\n{text[-QUERY_TAIL_CHARS:]}"
    text = han.normal(text)[: QUERY_HEAD_CHARS + QUERY_TAIL_CHARS]
    asked = list(_asked(text, cut))
    bare = all(item.stop for item in asked)
    if bare:
        asked = [item._replace(stop=False) for item in asked]
    words = dict.fromkeys(item.word for item in asked if item.word and not item.stop)
    grams: dict[str, None] = {}
    run = ""
    for item in (*asked, _BREAK):
        if item.han and not item.stop:
            run += item.han
        elif run:
            # A character by itself only where no pair holds it.
            grams.update(dict.fromkeys(_grams(run)[len(set(run)) :] or run))
            run = ""
    cjk = 0 if text.isascii() else sum(map(len, _cjk_run().findall(text)))
    others = sum(item.word is not None and not item.han for item in asked)
    bare = bare and bool(words or grams)
    return Query(tuple(words)[:QUERY_WORDS], tuple(grams)[:QUERY_WORDS], bare, script(cjk, others))


def script(cjk: int, others: int) -> Script:
    """The script of a text of so many CJK characters and so many other words."""
    if not cjk:
        return "letters"
    # A Chinese word is about two characters.
    return "cjk" if cjk >= 2 * others else "mixed"


def match(asked: Query) -> list[str]:
    """FTS5 expressions, strictest first, none twice: all words, any of them, CJK characters."""
    return list(dict.fromkeys(expression for expression in (_every(asked), *_some(asked)) if expression))


def match_any(asked: Query) -> str:
    """One FTS5 expression for rows with any word of the question, or any of its CJK characters; "" for none."""
    return " OR ".join(filter(None, _some(asked)))


def _matched(asked: Query) -> list[Word]:
    return sorted(asked.words, key=lambda word: not word.name)[:MATCH_WORDS]


def _every(asked: Query) -> str:
    return " AND ".join(map(_whole, _matched(asked)))


def _some(asked: Query) -> tuple[str, str]:
    tokens = dict.fromkeys(token for word in _matched(asked) for token in word.tokens)
    return _any(list(tokens)[: 2 * MATCH_WORDS], "main sub"), _any(asked.grams[: 2 * MATCH_WORDS], "grams")


def _whole(word: Word) -> str:
    """A row that holds the word itself, all of its parts, or for CJK all of its characters in pairs."""
    ways = [_quoted(word.text)]
    if word.parts:
        ways.append("(" + " AND ".join(map(_quoted, word.parts)) + ")")
    expression = "{main sub} : (" + " OR ".join(ways) + ")"
    if len(word.text) > 1 and is_cjk(word.text):
        pairs = " AND ".join(_quoted(word.text[i : i + 2]) for i in range(len(word.text) - 1))
        return f"({expression} OR {{grams}} : ({pairs}))"
    return expression


def _any(tokens: Iterable[str], columns: str) -> str:
    alternatives = " OR ".join(map(_quoted, tokens))
    return f"{{{columns}}} : ({alternatives})" if alternatives else ""


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def _found(text: str) -> Iterator[re.Match[str]]:
    """The pieces of a text, each named han, cjk, lang or word."""
    return (_ASCII_PIECE if text.isascii() else _piece()).finditer(text)


def is_cjk(text: str) -> bool:
    """Whether a text is one run of CJK characters."""
    return not text.isascii() and _cjk_run().fullmatch(text) is not None


class _Asked(NamedTuple):
    """A step through a question: a word, or the end of a run; `han` are the CJK characters it stands on."""

    word: Word | None = None
    han: str = ""
    stop: bool = True


_BREAK = _Asked()


def _asked(text: str, cut: Cut | None) -> Iterator[_Asked]:
    end = 0
    for found in _found(text):
        kind, run = found.lastgroup, found.group()
        if found.start() > end:
            yield _BREAK
        end = found.end()
        if kind == "word":
            for piece in _pieces(run):
                yield _Asked(Word(piece.text, piece.asked, piece.name), stop=piece.stop)
        elif kind == "han" and cut:
            for word, inner in _cut_run(run, cut):
                yield _Asked(Word(word, tuple(inner)), word, word in han.STOP)
        elif kind == "han":
            for stretch, stop in han.split(run):
                yield _Asked(None, stretch, stop)
        elif kind == "lang":
            yield _Asked(Word(run.casefold(), name=True), stop=False)
        else:
            yield _Asked(Word(run) if len(run) <= TOKEN_CHARS else None, run, stop=False)


def _cut_run(run: str, cut: Cut) -> Iterator[tuple[str, list[str]]]:
    """The words of a Han run in order, each with its dictionary sub-words."""
    for start in range(0, len(run), HAN_RUN_CHARS):
        word, inner, end_of_word = "", [""], 0
        for text, _, end in sorted(
            cut(run[start : start + HAN_RUN_CHARS]), key=lambda span: (span[1], -span[2])
        ):
            if end <= end_of_word:
                inner.append(text)
                continue
            if word:
                yield word, inner
            word, inner, end_of_word = text, [], end
        if word:
            yield word, inner


def _grams(run: str) -> list[str]:
    """The characters of a CJK run, once each, then its pairs."""
    return [*dict.fromkeys(run), *(run[i : i + 2] for i in range(len(run) - 1))]


def _pieces(run: str) -> tuple[_Piece, ...]:
    """The words of one run of Latin-like text: itself, or those joined by its dashes."""
    return _known(run) if len(run) <= TOKEN_CHARS else _apart(run)


def _apart(run: str) -> tuple[_Piece, ...]:
    if dated := _DATE.fullmatch(run):
        year, month, day = dated.groups()
        return (_Piece(run, (f"{year}-{month}", year) if day else (year,), name=True),)
    # By parts only: the whole beside its parts counts a project's name three times (-3 points).
    joined = run.split("-") if "-" in run and "/" not in run else [run]
    return tuple(piece for part in joined if part for piece in _plain(part))


_known = lru_cache(maxsize=16_384)(_apart)


def _plain(run: str) -> tuple[_Piece, ...]:
    numbered = _VERSION.match(run)
    return _versioned(run, numbered) if numbered else _named(run)


def _versioned(run: str, numbered: re.Match[str]) -> tuple[_Piece, ...]:
    """A version by its numeric prefixes, since single digits would find 1.3 in 1.2.3."""
    before, digits = numbered.groups()
    numbers = digits.split(".", VERSION_NUMBERS)[:VERSION_NUMBERS]
    whole = numbered.group().casefold()
    forms = [v + ".".join(numbers[:n]) for n in range(len(numbers), 1, -1) for v in ("", "v")]
    named = (_token(before),) if before else ()
    parts = tuple(form for form in (*named, *forms) if form != whole)
    piece = _Piece(whole, parts, (*named, digits) if before else (), name=True)
    after = run[numbered.end() :].lstrip(".-/:@_")
    return (piece, *_named(after)) if after else (piece,)


def _named(run: str) -> tuple[_Piece, ...]:
    """A plain word, or an identifier and its parts: path and dotted pieces, camelCase, snake_case, digits."""
    pieces: list[str] = []
    segments = run.split("/")
    for segment in segments:
        if len(segments) > 1 and "." in segment and "-" not in segment:
            pieces.append(segment)  # the file's name in a path
        for part in _JOINT.split(segment):
            pieces.append(part)
            if len(part) <= TOKEN_CHARS and part.isascii():
                fine = _CAMEL.findall(part)
                pieces += fine if len(fine) > 1 or "_" in part else []
            elif "_" in part:
                pieces += part.split("_")
    whole = _token(run)
    # A stop word is one as it is written: the stem of "use" is "us".
    told = {_token(piece): piece.casefold() not in english.STOP for piece in pieces if piece.strip("_")}
    parts = [part for part in told if part != whole and len(part) <= TOKEN_CHARS][:WORD_PARTS]
    if len(whole) <= TOKEN_CHARS and whole.strip("_"):
        asked = tuple(part for part in parts if told[part])
        stop = not parts and run.casefold() in english.STOP
        return (_Piece(whole, tuple(parts), asked, name=bool(parts), stop=stop),)
    return tuple(map(_Piece, parts))


def _token(word: str) -> str:
    """`word` as it is stored: folded, and stemmed where it is plain English letters."""
    low = word.casefold()
    return english.stem(low) if low.isascii() and low.isalpha() else low
