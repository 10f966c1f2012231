from __future__ import annotations

import pytest
from backstory.pipelines.code.told import as_on_disk

TEXT = "one\ntwo\nthree\n"
DISKS = [
    b"one\ntwo\nthree\n",
    b"one\r\ntwo\r\nthree\r\n",
    b"one\r\ntwo\nthree\r\n",
    b"\xef\xbb\xbfone\ntwo\nthree\n",
    b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n",
]


@pytest.mark.parametrize("disk", DISKS)
def test_a_text_that_lies_on_the_disk_is_taken_as_it_lies_there(disk: bytes) -> None:
    assert as_on_disk(TEXT, None, b"another\n", disk) == disk
    assert as_on_disk(disk.decode(), disk) == disk


def test_bytes_that_are_no_text_are_told_as_signs_and_taken_as_they_are() -> None:
    disk = b"caf\xe9\nx\xff\xfe\n"
    assert as_on_disk("caf\ufffd\nx\ufffd\ufffd\n", disk) == disk
    assert as_on_disk("caf\ufffd\ny\n", disk) == b"caf\xe9\ny\n"


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        (DISKS[0], b"one\n2\nthree\nfour\n"),
        (DISKS[1], b"one\r\n2\r\nthree\r\nfour\r\n"),
        (DISKS[2], b"one\r\n2\nthree\r\nfour\r\n"),
        (DISKS[3], b"\xef\xbb\xbfone\n2\nthree\nfour\n"),
        (DISKS[4], b"\xef\xbb\xbfone\r\n2\r\nthree\r\nfour\r\n"),
        (b"one\r\n2", b"one\r\n2\r\nthree\r\nfour\r\n"),
        (b"none", b"one\n2\nthree\nfour\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbfone\n2\nthree\nfour\n"),
    ],
)
def test_of_another_text_the_lines_that_are_the_same_stay_as_they_are(disk: bytes, expected: bytes) -> None:
    assert as_on_disk("one\n2\nthree\nfour\n", disk) == expected


def test_a_text_of_which_nothing_is_known_is_taken_as_it_is_told() -> None:
    assert as_on_disk("\ufeffone\r\ntwo\n", None, None) == b"\xef\xbb\xbfone\r\ntwo\n"
    assert as_on_disk(None, b"one\n") is None
    assert as_on_disk("", b"one\n") == b""
