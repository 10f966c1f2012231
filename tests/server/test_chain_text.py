"""Code history as text: within its budget whatever there is, the words of a version never squeezed."""

from __future__ import annotations

from backstory.pipelines.code.history import Chain, Version
from backstory.server import chain_text
from backstory.server.render import width
from backstory.store.rounds import Round, Thread
from hypothesis import given, settings
from hypothesis import strategies as st


def version(
    n: int, words: str, *, thread: int = 1, undone: bool = False, back_to: int | None = None
) -> Version:
    made = Round(
        n, thread, n, None, "src/pay.py", "fetch", "modified", n, n + 1, 1, 9, "high", "agent", 1, words, "main", "w",
        None, 1_760_000_000_000_000 + n, (),
    )  # fmt: skip
    return Version(made, back_to, undone)


def chain(*versions: Version, thread: int = 1, elsewhere: dict[str, int] | None = None) -> Chain:
    name = Thread(thread, "symbol", "src/pay.py", f"fetch{thread}", len(versions), 1)
    return Chain(name, versions, elsewhere or {}, "not looked at")


def told(chains: list[Chain], budget: int, patch: bytes = b"@@ -1 +1 @@\n-a\n+b\n") -> chain_text.Told:
    return chain_text.block(chains, lambda _: patch, budget_chars=budget)


def test_versions_stand_oldest_first_with_words_and_patch() -> None:
    text = told([chain(version(1, "Add a loop", undone=True), version(2, "Undo it", back_to=0))], 3000).text
    assert (
        text.index("version 1") < text.index("Add a loop") < text.index("version 2") < text.index("Undo it")
    )
    assert "tried and undone" in text
    assert "back to how it was before version 1" in text
    assert text.count("\n  +b") == 2


def test_where_room_is_short_the_oldest_patch_goes_first_and_no_words() -> None:
    patch = b"@@ -1 +1 @@\n" + b"+line\n" * 40
    text = told([chain(version(1, "First words"), version(2, "Second words"))], 600, patch).text
    assert "First words" in text
    assert "Second words" in text
    assert text.count("@@ -1 +1 @@") == 1
    assert text.index("Second words") < text.index("@@ -1 +1 @@")


def test_rather_one_thread_less_than_words_cut_short() -> None:
    long = "because " * 60
    chains = [chain(version(1, long, thread=n), thread=n) for n in (1, 2, 3)]
    found = told(chains, 1400)
    assert found.threads == (1, 2)
    assert found.text.count(long.strip()) == 2
    assert "`src/pay.py::fetch3`" in found.text


def test_what_lies_on_living_branches_is_counted() -> None:
    text = told([chain(version(1, "x"), elsewhere={"fix/x": 3})], 3000).text
    assert "3 more on fix/x: memory_search with symbol and branch=fix/x" in text


def test_no_more_threads_are_shown_than_asked_for() -> None:
    chains = [chain(version(1, "x", thread=n), thread=n) for n in range(1, 9)]
    assert told(chains, 100_000).threads == (1, 2, 3)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.text(max_size=1200), min_size=1, max_size=8), min_size=1, max_size=5),
    st.integers(200, 14_000),
    st.binary(max_size=4000),
    st.sampled_from(["en", "zh"]),
)
def test_a_block_keeps_to_its_budget(said: list[list[str]], budget: int, patch: bytes, language: str) -> None:
    chains = [
        chain(*(version(n, words, thread=t) for n, words in enumerate(each, 1)), thread=t)
        for t, each in enumerate(said, 1)
    ]
    found = chain_text.block(chains, lambda _: patch, budget_chars=budget, language=language)  # type: ignore[arg-type]
    assert width(found.text) <= budget
    assert bool(found.text) == bool(found.threads)
    for thread in found.threads:
        # The last version's words, whole up to their bound.
        words = " ".join(said[thread - 1][-1].split())[: chain_text.WORDS_CHARS]
        assert "</backstory" in words or words[:50] in found.text or not words.isprintable() or "<" in words
