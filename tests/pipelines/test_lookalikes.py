"""Look-alikes stand below what is meant, whatever their scores are."""

from __future__ import annotations

from collections import Counter

import pytest
from backstory.pipelines import lookalikes, rank
from backstory.pipelines.named import Sought
from backstory.pipelines.rank import ASKED, Judged
from backstory.store import words
from backstory.store.fts import Held

QUERY = words.query("is fetch_user cached", None)
SOUGHT = [Sought("symbol", "fetch_user", ("fetch_user",), (1,), known=True)]
NAMED = {1: [("symbol", "fetch_user")], 2: [("symbol", "fetch_users")], 3: []}
HELD = {n: Held(Counter(("cach",)), frozenset(), 5, "letters") for n in NAMED}


@pytest.mark.parametrize("own", [0.5, 0.0, -0.4])
@pytest.mark.parametrize("other", [0.9, 0.0, -0.1])
def test_a_look_alike_stands_below_at_any_score(own: float, other: float) -> None:
    found = [Judged(2, other, 0.5, 0.0), Judged(3, 0.1, 0.5, 0.0), Judged(1, own, 0.5, 0.0)]
    question = lookalikes.question(QUERY, rank.weights(QUERY, 9, {}), SOUGHT)
    ranked = [one.memory for one in lookalikes.judged(question, found, HELD, NAMED, lambda _: {}, ASKED)]
    assert set(ranked) == {1, 2, 3}
    assert ranked.index(1) < ranked.index(2)
