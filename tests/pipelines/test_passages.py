"""Where the words of a text stand in another one: what is compared of them."""

from __future__ import annotations

import sys
import unicodedata

from backstory.pipelines import passages
from backstory.store import unseen


def test_no_character_that_cannot_be_seen_keeps_two_texts_apart() -> None:
    unseen = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"]

    plain = passages.pieces("deployment")
    assert [one for one in unseen if passages.pieces(f"deploy{one}ment") != plain] == []


def test_what_can_be_seen_is_kept() -> None:
    seen = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unseen.UNSEEN.match(chr(code)) and unicodedata.category(chr(code)) not in ("Cf", "Cn")
    ]

    assert seen == []
