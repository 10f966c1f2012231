"""Memories for the benchmarks: made up, of the length and mixture that coding sessions leave, always the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import apsw
from backstory import Memory
from backstory.pipelines.code import observe
from backstory.pipelines.code.observe import Whose
from backstory.pipelines.code.symbol_edits import Change
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.pipelines.git.edits import FileEdit
from backstory.pipelines.git.patches import between, parse
from backstory.pipelines.merging import funnel
from backstory.store import (
    chains,
    clock,
    cutter,
    events,
    memories,
    settings,
    turns,
    vector_indexes,
    vectors,
    words,
    workspaces,
)
from backstory.store.memories import Quote
from backstory.store.models import Kind, NewEvent, NewMemory, Scope
from backstory.store.workspaces import Key

CUT = cutter.load()
BATCH = 2_000

THINGS = [
    "the payments service",
    "the retry loop",
    "the login page",
    "the search index",
    "the image resizer",
    "the cron runner",
    "the billing export",
    "the websocket gateway",
    "the config loader",
    "the audit log",
    "the feature flags",
    "the cache layer",
]
DEEDS = [
    "hides timeouts",
    "needs a lock",
    "reads the wrong file",
    "was moved to its own module",
    "leaks a connection",
    "uses utc now",
    "drops the last line",
    "waits for the flush",
    "runs twice on restart",
    "ignores the header",
]
THINGS_ZH = (
    "支付服务",
    "重试循环",
    "登录页面",
    "搜索索引",
    "图片压缩",
    "定时任务",
    "账单导出",
    "配置加载",
    "审计日志",
    "缓存层",
)
DEEDS_ZH = (
    "隐藏了超时",
    "需要加锁",
    "读错了文件",
    "已经拆成单独模块",
    "泄漏连接",
    "改用 UTC 时间",
    "漏掉最后一行",
    "重启后会跑两次",
)
WORDS = [
    "handler",
    "parser",
    "worker",
    "buffer",
    "token",
    "session",
    "query",
    "render",
    "schema",
    "client",
    "route",
    "batch",
    "frame",
    "cursor",
]


def texts(number: int, *, seed: int = 7) -> Iterator[str]:
    """That many different memories, about 300 characters each, a third of them Chinese."""
    chance = random.Random(seed)
    for n in range(number):
        name = f"{chance.choice(WORDS)}_{chance.choice(WORDS)}_{n}"
        path = f"src/{chance.choice(WORDS)}/{chance.choice(WORDS)}{n % 500}.py"
        if n % 3 == 0:
            parts = [f"{chance.choice(THINGS_ZH)}{chance.choice(DEEDS_ZH)}" for _ in range(4)]
            yield f"{'，'.join(parts)}。函数 {name} 在 {path} 里，版本 v{n % 9}.{n % 7}.{n % 5}。"
        else:
            parts = [f"{chance.choice(THINGS)} {chance.choice(DEEDS)}" for _ in range(5)]
            yield f"{'; '.join(parts)}. The function {name} in {path} changed in v{n % 9}.{n % 7}.{n % 5}."


def questions(number: int, *, seed: int = 11) -> Iterator[str]:
    """That many prompts as people write them, in both languages."""
    chance = random.Random(seed)
    for n in range(number):
        if n % 3 == 0:
            yield f"{chance.choice(THINGS_ZH)}为什么{chance.choice(DEEDS_ZH)}？在 src/{chance.choice(WORDS)} 里看看"
        else:
            what = f"{chance.choice(THINGS)} {chance.choice(DEEDS)}"
            yield f"Why is it that {what}, and what did we do about it in {chance.choice(WORDS)}?"


def shelf(path: Path, size: int, *, dim: int) -> Memory:
    """
    A file with that many memories, each with the note that it rests on, a key, and its vector by the hash embedder; put
    there without the pipelines, which would take ten times as long.
    """
    memory = Memory.open(path, embedder="hash")
    said = list(texts(size))
    for at in range(0, size, BATCH):
        memory.db.write(_shelve, said[at : at + BATCH], at)
    while memory.db.write(funnel.keep_up, CUT, limit=BATCH):
        continue
    embedder = HashEmbedder(dim)
    give_vectors(memory, embedder.name, dim, make=embedder.passages)
    memory.db.write(_no_jobs)
    memory.db.checkpoint()
    return memory


def _shelve(con: apsw.Connection, texts: list[str], first: int) -> None:
    for n, text in enumerate(texts, first):
        turn = turns.open_turn(con, Scope(source="bench", session="filled"), f"p{n}", at=n)
        assert turn is not None
        turns.end_turn(con, turn.id, "done", at=n)
        event, _ = events.append(con, turn.id, NewEvent("note", "user", "note", text, "user", n), now=n)
        new = NewMemory("fact", "coding", Scope(), text, "user", turn=turn.id)
        memories.insert(
            con, new, words.index(text, CUT), now=clock.now(), evidence=[Quote(event, 0, len(text))]
        )


def _no_jobs(con: apsw.Connection) -> None:
    con.execute("delete from job")


def give_vectors(
    memory: Memory,
    model: str,
    dim: int,
    *,
    make: Callable[[list[str]], Sequence[bytes]] | None = None,
    seed: int = 3,
) -> None:
    """
    A vector for every memory, under that model's name: by `make` from their texts, else of chance.

    Searching costs the same as with true ones; embedding 10,000 memories with e5 would take a quarter of an hour.
    """
    chance = random.Random(seed)

    def by_chance(texts: list[str]) -> Sequence[bytes]:
        return [vectors.unit([chance.gauss(0, 1) for _ in range(dim)]) for _ in texts]

    index = memory.db.write(vector_indexes.begin, model, dim, now=1)
    newest = memory.db.read(vector_indexes.newest)
    while wanted := memory.db.read(vectors.wanting, index.id, after=0, upto=newest, now=1 << 60, limit=500):
        made = (make or by_chance)([one.text for one in wanted])
        memory.db.write(_put, index.id, list(zip(wanted, made, strict=True)))
    memory.db.write(vector_indexes.promote, index.id)


def _put(con: apsw.Connection, index: int, made: list[tuple[vectors.Wanting, bytes]]) -> None:
    for one, vector in made:
        vectors.put(con, index, one, vector, now=1)


def fill(
    memory: Memory, number: int, *, seed: int = 7, told: Callable[[int, int], None] = lambda _, __: None
) -> None:
    """
    A mixed memory of at least so many rows: facts, profiles, turns, versions, retired ones, ratings, and one version of
    code for each five of them.
    """
    chance = random.Random(seed)
    code = _Code(memory)
    made: list[int] = []
    for n, text in enumerate(texts(number, seed=seed)):
        match chance.randrange(10):
            case 0 | 1:
                said = {"role": "user", "content": f"{text} {n}"}
                memory.add(messages=[said, {"role": "assistant", "content": f"Done with {n}. 好的。"}])
            case 2 if made:
                memory.update(made[-1], importance=chance.random())
                made.pop()
            case 3 if made:
                memory.delete(made.pop())
            case 4 if made:
                memory.update(made[-1], feedback=chance.choice(("helpful", "unhelpful")))
            case _:
                kind: Kind = chance.choice(("fact", "fact", "profile", "experience"))
                made.append(memory.add(text, kind=kind, meta={"n": n}, origin="user")[0].id)
        if n % 5 == 0:
            code.changes(n, chance)
        if n % 200 == 0:
            told(n, number)


class _Code:
    """Files that change, as a coding agent changes them."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.files: dict[str, str] = {}
        keys: list[Key] = [("folder", "folder:/made/up")]
        self.workspace = memory.db.write(workspaces.register, keys, "up", now=memory.now())
        self.salt = settings.salt_of(memory.db)

    def changes(self, n: int, chance: random.Random) -> None:
        """One more version of a function of some file."""
        name = f"src/m{chance.randrange(1 + n // 40)}.py"
        before = self.files.get(name)
        lines = "\n".join(
            f"    {chance.choice(WORDS)} = {chance.choice(WORDS)}({chance.randrange(999)})" for _ in range(9)
        )
        after = (before or "import os\n") + f"\n\ndef f{n}():\n{lines}\n    return {n}  # 第 {n} 版\n"
        if before and chance.random() < 0.5:
            after = before.replace("return", f"print({n})\n    return", 1)
        self.files[name] = after
        old, new = None if before is None else before.encode(), after.encode()
        patch = between(name, old, new)
        edit = FileEdit(
            name, "modified" if old else "added", None, old, new, patch=patch, hunks=parse(patch)[0].hunks
        )
        change = Change("agent", self.memory.now(), "/made/up", "main", f"{n:040x}", None, (edit,))
        whose = Whose(self.memory.options.user, self.workspace, (self.workspace,))
        made = observe.prepare(change, whose, self.salt, words=f"Step {n}: count the cost, 数一数")
        recorded = self.memory.db.write(observe.write, made, whose, self.salt, now=self.memory.now())
        if n % 3 == 0:
            self.memory.db.write(chains.commits_hold, recorded.rounds, f"{n + 1:040x}")
