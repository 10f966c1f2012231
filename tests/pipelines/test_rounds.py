"""What is kept of an edit holds no secret, whatever was kept of its bytes before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from backstory.pipelines.code import rounds
from backstory.pipelines.code.bounded_cache import BoundedCache
from backstory.pipelines.code.regions import settle
from backstory.pipelines.code.rounds import Draft
from backstory.pipelines.code.symbols import parts
from backstory.store import bodies
from hypothesis import given
from hypothesis import strategies as st

from .coded import edit

KEY = b"k" * 32
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
PASSWORD = "pa55word-Tr0ub4dor"
FILLER = "".join(f"    line_{n} = call_{n}(first, second, third)\n" for n in range(120))


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "BODIES", BoundedCache(512, 8_000_000))


def drafts(before: str | None, after: str | None) -> Iterator[Draft]:
    """What would be kept of that edit of a file."""
    made = edit("a.py", (before and before.encode()) or None, (after and after.encode()) or None)
    its = parts(made)
    yield from rounds.of_symbols(its.symbols, KEY)
    yield from rounds.of_regions(made, settle(made, its.loose, [])[0], KEY)


def kept(images: Sequence[str]) -> bytes:
    """All bytes that are kept of a file that is made and then goes through those images."""
    found = []
    for before, after in zip([None, *images], images, strict=False):
        for draft in drafts(before, after):
            found += [bodies.unpack(one.packed) for one in (draft.before, draft.after) if one]
            found.append(bodies.unpack(draft.patch))
    return b"\n".join(found)


def function(*lines: str) -> str:
    return "def f():\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    "images",
    [
        (function(f"token = '{TOKEN}'", "return token"), function("token = env()", "return token")),
        (function("token = env()", "return token"), function(f"token = '{TOKEN}'", "return token")),
        (f"TOKEN = '{TOKEN}'\n", "TOKEN = env()\n", f"TOKEN = '{TOKEN}'\n"),
        (function("x = 1") + f"\n\nTOKEN = '{TOKEN}'\n", function("x = 2") + f"\n\nTOKEN = '{TOKEN}'\n"),
        (
            function("x = 1") + FILLER,
            function("x = 1") + FILLER + f"    token = '{TOKEN}'\n",
            function("x = 1"),
        ),
        (function("x = 1") + FILLER, function(f"token = '{TOKEN}'") + FILLER, function("x = 1") + FILLER),
    ],
    ids=["taken out", "put in", "region", "beside", "below a long body", "above a long body"],
)
def test_a_secret_is_marked_in_every_body_and_every_patch(images: Sequence[str]) -> None:
    found = kept(images)
    assert TOKEN.encode() not in found
    assert b"[redacted:" in found


def test_a_value_on_the_line_below_its_name_is_marked_in_the_context_of_a_patch() -> None:
    beside = f"CONFIG = {{'password':\n    '{PASSWORD}'}}\n"
    found = kept([function("x = 1") + beside, function("x = 2") + beside])
    assert PASSWORD.encode() not in found
    assert b"[redacted:" in found


def test_a_patch_keeps_its_signs_where_a_secret_of_several_lines_became_one() -> None:
    lines = ["-----BEGIN RSA PRIVATE KEY-----", *[f"{'MIIEowIBAAKCAQEA' * 4}{n}" for n in range(9)]]
    key_file = 'KEY = """\n' + "\n".join([*lines, "-----END RSA PRIVATE KEY-----"]) + '\n"""\n'
    found = kept([function("x = 1"), key_file + function("x = 2"), function("x = 2")])
    assert b"MIIEowIBAAKC" not in found
    patches = [line for line in found.split(b"\n") if line[:1] in (b"+", b"-") and b"redacted" in line]
    assert {line[:1] for line in patches} == {b"+", b"-"}


LINES = st.sampled_from(
    [f"token = '{TOKEN}'", "x = 1", "return x", f"y = call('{TOKEN}', x)", "z = (", ")", ""]
)


@given(st.lists(st.lists(LINES, max_size=8), min_size=1, max_size=4), st.booleans())
def test_no_sequence_of_edits_leaves_it(versions: list[list[str]], long: bool) -> None:
    images = [function("pass", *lines) + (FILLER if long else "") for lines in versions]
    assert TOKEN.encode() not in kept(images)
