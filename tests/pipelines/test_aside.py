"""A call behind everything else."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from backstory.pipelines.aside import NICE, aside


@pytest.mark.skipif(sys.platform != "linux", reason="only there has a thread its own priority")
def test_only_the_call_itself_has_low_priority() -> None:
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert aside(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id())) == max(before, NICE)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


def test_what_the_call_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)
