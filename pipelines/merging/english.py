"""A run of English words: phrase by phrase, in one form each, with those left out that only help others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import lexicon, written
from .lexicon import Entry
from .token import Token
from .written import NOT_WRITTEN

# Names in which capitals stand inside, and that are written in many ways.
_PRODUCTS = frozenset(
    str.split(
        "github gitlab postgresql mysql sqlite mongodb javascript typescript macos ios ipados fastapi graphql pytorch"
        " tensorflow numpy vscode openai websocket websockets devops rabbitmq nodejs nextjs reactjs vuejs iterm"
        " latex youtube linkedin clickhouse dynamodb cloudflare digitalocean powershell intellij pycharm webstorm"
        " datagrip jetbrains bitbucket oauth webpack opentelemetry graphiql mariadb couchdb kubernetes argocd circleci"
        " sqlalchemy jupyterlab duckdb opensearch activemq rocketmq wechat chatgpt langchain llamaindex tailwindcss"
        " storybook nestjs openapi restful yaml json grpc api apis urls ids prs jpeg png readme hashicorp"
    )
)


def alone(word: str) -> Entry | None:
    """What the lexicon has on a word that stands alone."""
    lemma = lexicon.lemma(word)
    return next(
        (entry for phrase, entry in lexicon.load().english.get(lemma, ()) if phrase == (lemma,)), None
    )


def word_name(word: str) -> str:
    """The name of a word: as it is written where capitals inside make it a symbol."""
    low = word.casefold()
    if (
        any(char.isupper() for char in word[1:])
        and any(char.islower() for char in word)
        and low not in _PRODUCTS
    ):
        return f"x:{word}"
    return lexicon.lemma(low)


def words(run: Sequence[str], *, letters: bool, head: bool) -> Iterator[Token]:
    """
    A run of English words, phrase by phrase. `letters`: things are called by single letters here, A like B; `head`: the
    run begins a sentence.
    """
    spoken = list(_expanded(run))
    lemmas = [lexicon.lemma(word.casefold()) for word in spoken]
    table = lexicon.load().english
    at = 0
    while at < len(spoken):
        name = word_name(spoken[at])
        if spoken[at] == "A" and (at or letters):
            name = "x:A"
        if name.startswith("x:"):
            yield Token(name, protected=True)
            at += 1
            continue
        if (helps := _helping(spoken, at)) is not None:
            yield from helps
            at += 1
            continue
        for phrase, entry in table.get(lemmas[at], ()):
            if tuple(lemmas[at : at + len(phrase)]) == phrase:
                how = (
                    NOT_WRITTEN
                    if len(phrase) > 1
                    else written.spoken(spoken[at], entry, head=head and not at)
                )
                behind_be = entry.role == "word" and _is_behind_be(spoken, at)
                yield Token(" ".join(phrase), entry, how, behind_be=behind_be)
                at += len(phrase)
                break
        else:
            how = written.spoken(spoken[at], None, head=head and not at)
            yield Token(name, written=how, behind_be=_is_behind_be(spoken, at))
            at += 1


_BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "am"))
_BETWEEN = frozenset(
    ("not", "always", "never", "only", "now", "also", "already", "still", "usually", "often")
)


def _is_behind_be(words: Sequence[str], at: int) -> bool:
    """Whether a word stands behind a form of "be": what is so of something, or was done to it."""
    before = at - 1
    while before >= 0 and words[before].casefold() in _BETWEEN:
        before -= 1
    return before >= 0 and words[before].casefold() in _BE


def _expanded(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        low = word.casefold()
        if low in ("can't", "cannot"):
            yield from ("can", "not")
        elif low == "won't":
            yield from ("will", "not")
        elif low == "let's":
            yield "we"
        elif low.endswith("n't"):
            yield from (word[:-3], "not")
        elif "'" in word:
            head, tail = low.split("'", 1)
            yield word[: len(head)]
            yield from {"ll": ("will",), "d": ("would",)}.get(tail, ())
        elif low == "dont":
            yield from ("do", "not")
        else:
            yield word


# After these, "using" says what is done, not with what.
_JUST_BEFORE = frozenset(("the", "a", "one", "those", "these", "for", "in", "on", "after", "before"))
_NOT_WITH = frozenset(
    str.split(
        "am is are be been was were i we he she they you start started stop stopped keep kept avoid for of about not"
        " never recommend prefer prefers like likes by before after when while from user team"
    )
)


def _helping(words: Sequence[str], at: int) -> list[Token] | None:
    """Of "has", "was", "just": what they are here, helping another word or a word of their own; None for others."""
    word, after = words[at].casefold(), words[at + 1].casefold() if at + 1 < len(words) else ""
    if word in ("has", "have", "had", "having"):
        helps = after in ("not", "already", "just", "been", "never", "also") or lexicon.is_participle(after)
        return [] if helps else None if after == "to" else [Token("have")]
    if word in ("was", "were"):
        then = (
            words[at + 2].casefold()
            if after in ("not", "already", "never", "also") and at + 2 < len(words)
            else after
        )
        return [] if lexicon.is_participle(then) else [Token("was", protected=True)]
    if word == "just" and after in _JUST_BEFORE:
        return [Token("only", Entry("amount", "only"))]
    if word == "using" and at and words[at - 1].casefold() not in _NOT_WITH:
        return [Token("using", Entry("join", "with~", 1, True))]
    if word == "that" and at and words[at - 1].casefold() in ("of", "like", "than"):
        return [Token("that")]
    if word in ("on", "up", "down") and not after:
        return [Token("on", Entry("word", "enable~", 1, True)) if word == "on" else Token(word)]
    if word == "off" and after in ("of", "from"):
        return []
    return None
