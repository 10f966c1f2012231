"""How candidates are ordered, and which of them are about the question."""

from __future__ import annotations

import math
from collections.abc import Mapping

from backstory.pipelines import rank
from backstory.pipelines.rank import ASKED, PROMPTED, Candidate, Floor, Judged
from backstory.store import cutter, words
from backstory.store.fts import Held, held_from
from hypothesis import given
from hypothesis import strategies as st

CUT = cutter.load()


def held(text: str) -> Held:
    return held_from(*words.index(text, CUT))


def judge(
    question: str,
    *texts: str,
    bm25: Mapping[int, float] | None = None,
    heights: Mapping[int, float] | None = None,
    memories: int = 500,
    frequencies: Mapping[str, int] | None = None,
) -> list[Judged]:
    """Memories of those texts, known by their places, judged; an embedder as e5 is trusted."""
    query = words.query(question, CUT)
    weight = rank.weights(query, memories, frequencies or {})
    candidates = [
        Candidate(n, (bm25 or {}).get(n, 0.0), held(text), (heights or {}).get(n))
        for n, text in enumerate(texts)
    ]
    return rank.judge(query, candidates, weight, extent=memories, trust=0.5)


def evidence(question: str, text: str, *, frequencies: Mapping[str, int] | None = None) -> float:
    return judge(question, text, frequencies=frequencies)[0].evidence


def test_evidence_is_the_share_of_the_question_that_a_memory_holds() -> None:
    assert math.isclose(evidence("shard rebalancing", "we moved the shard rebalancing to night"), 1)
    half = evidence("shard rebalancing", "a shard was lost")
    assert 0.4 < half < 0.6
    assert evidence("shard rebalancing", "nothing of the kind") == 0


def test_rare_words_count_for_more_than_common_and_everyday_ones() -> None:
    common = {"servic": 250, "quorum": 2}
    assert evidence("quorum service", "the quorum is three", frequencies=common) > 0.7
    assert evidence("quorum service", "the service is up", frequencies=common) < 0.3
    assert evidence("quorum problem", "a problem", frequencies={}) < 0.4


def test_parts_of_a_name_count_for_less_than_the_name() -> None:
    whole = evidence("rebalanceShards", "call rebalanceShards")
    parts = evidence("rebalanceShards", "the shards rebalance at night")
    part = evidence("rebalanceShards", "one of the shards")
    assert whole > parts > 2 * part > 0


def test_a_chinese_word_is_found_by_its_characters_where_it_was_cut_otherwise() -> None:
    assert evidence("演进链", "版本演进链条的设计") > 0.5
    assert evidence("特征值", "特征存储用别的库") < 0.3


def test_a_mention_in_a_long_memory_counts_for_less() -> None:
    assert (
        evidence("quorum", "quorum " + "filler " * 400) < 0.5 < evidence("quorum", "quorum " + "filler " * 20)
    )


def test_a_long_prompt_needs_no_more_than_a_few_rare_words() -> None:
    told = "Quorum reads were switched off because the replica in Oslo lagged behind the ledger."
    prompt = f"please look at this when you have time {' '.join(f'thing{n} matter{n}' for n in range(40))} "
    assert evidence(prompt + "quorum replica Oslo ledger lagged", told) > PROMPTED.gate
    assert evidence(prompt + "behind because switched", told) < ASKED.gate


def test_a_cosine_that_stands_out_is_evidence_and_chance_grows_with_the_memories() -> None:
    def vector(height: float, memories: int) -> float:
        return judge("某个问题在这里", "something else", heights={0: height}, memories=memories)[0].evidence

    assert vector(5.0, 500) > PROMPTED.gate
    assert vector(3.4, 500) < ASKED.gate
    assert vector(3.9, 8) > PROMPTED.gate
    assert vector(3.9, 50_000) == 0


def test_words_and_vectors_order_together_and_a_missing_vector_costs_nothing() -> None:
    texts = ("a", "b", "c")
    order = [
        one.memory for one in judge("x y", *texts, bm25={0: 6.0, 1: 6.0}, heights={0: 1.0, 1: 3.0, 2: 2.0})
    ]
    assert order == [1, 0, 2]
    order = [one.memory for one in judge("x y", *texts, bm25={0: 6.0, 1: 5.9}, heights={1: 3.0, 2: 1.0})]
    assert order == [0, 1, 2]


def test_equals_come_latest_first() -> None:
    assert [one.memory for one in judge("x", "x", "x", bm25={0: 1.0, 1: 1.0})] == [1, 0]


def judged(*told: tuple[float, float]) -> list[Judged]:
    return [Judged(n, -n, share, beyond) for n, (share, beyond) in enumerate(told)]


def test_nothing_is_relevant_unless_one_passes_the_gate() -> None:
    floor = Floor(gate=0.3, keep=0.1, foreign=0.0)
    weak, strong, none = (0.2, -1.0), (0.3, -1.0), (0.05, -1.0)
    assert rank.relevant(judged(weak, weak), floor, foreign=False) == []
    assert rank.relevant([], floor, foreign=True) == []
    assert [one.memory for one in rank.relevant(judged(weak, strong, none), floor, foreign=False)] == [0, 1]


def test_where_memories_are_in_another_script_a_cosine_alone_may_answer_a_question() -> None:
    floor = Floor(gate=0.3, keep=0.1, foreign=0.0)
    told = judged((0.0, 0.5), (0.0, -0.5))
    assert [one.memory for one in rank.relevant(told, floor, foreign=True)] == [0]
    assert rank.relevant(told, floor, foreign=False) == []
    assert rank.relevant(told, PROMPTED, foreign=True) == []


def test_of_a_long_question_the_index_is_asked_for_the_rarest_words_it_knows() -> None:
    query = words.query(" ".join(f"word{n}x" for n in range(60)) + " absent", CUT)
    frequencies = {word.text: n + 1 for n, word in enumerate(query.words) if word.text != "absent"}
    telling = rank.telling(query, rank.weights(query, 1000, frequencies), frequencies)
    assert [word.text for word in telling.words] == [word.text for word in query.words[: rank.SEARCHED_WORDS]]
    assert rank.telling(query, rank.weights(query, 1000, {}), {}).words == ()


@given(st.text(), st.text(), st.floats(-9, 9))
def test_any_question_can_be_judged_against_any_memory(question: str, text: str, height: float) -> None:
    (one,) = judge(question, text, bm25={0: 1.0}, heights={0: height})
    assert math.isfinite(one.score)
    assert one.evidence >= 0
