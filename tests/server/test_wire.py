"""The protocol's streams: repaired lines, and nothing but the protocol on them."""

import json
import subprocess
import sys

import pytest
from backstory.server import wire
from hypothesis import given
from hypothesis import strategies as st


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_a_repaired_line_parses_and_keeps_what_was_whole(text: str) -> None:
    line = json.dumps({"text": text}, ensure_ascii=True)
    whole = json.loads(wire.repair(line))["text"]
    assert whole == json.loads(line)["text"].encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@pytest.mark.parametrize(
    "line", ['{"a":"\\ud83d\\ude00"}', '{"a":"C:\\\\ud800"}', '{"a":"plain"}', "not json \\u12"]
)
def test_a_whole_line_is_left_as_it_is(line: str) -> None:
    assert wire.repair(line) == line


def test_half_a_pair_becomes_a_replacement() -> None:
    assert wire.repair('{"a":"x\\ud83d"}') == '{"a":"x\\ufffd"}'
    assert wire.repair('{"a":"\\\\\\udc00"}') == '{"a":"\\\\\\ufffd"}'


PRINTING = """
import ctypes, os, subprocess, sys
from backstory.server import wire
streams = wire.claim()
print("python prints")
os.write(1, b"a library writes to fd 1\\n")
ctypes.CDLL(None).puts(b"C prints")
ctypes.CDLL(None).fflush(None)
subprocess.run([sys.executable, "-c", "import sys; print('a child prints', len(sys.stdin.read()))"], check=True)
os.write(streams.writer, b"the protocol\\n")
os.write(streams.writer, os.read(streams.reader, 100))
"""


def test_after_the_claim_only_the_wire_reaches_the_client() -> None:
    done = subprocess.run([sys.executable, "-c", PRINTING], input=b"asked\n", capture_output=True, check=True)
    assert done.stdout == b"the protocol\nasked\n"
    for words in (b"python prints", b"a library writes to fd 1", b"C prints", b"a child prints 0"):
        assert words in done.stderr


def test_a_closed_stderr_does_not_let_prints_onto_the_wire() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -c "$1" 2>&-', sys.executable, PRINTING],
        input=b"asked\n",
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"the protocol\nasked\n"
