"""Memories for the benchmarks: made up, of the length and mixture that coding sessions leave, always the same."""

from __future__ import annotations

import random
from collections.abc import Iterator

import apsw
from backstory import Memory
from backstory.store import vector_indexes, vectors

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


def give_vectors(memory: Memory, model: str, dim: int, *, seed: int = 3) -> None:
    """
    A vector of chance for every memory, under that model's name.

    Searching costs the same as with true ones; embedding 10,000 memories with e5 would take a quarter of an hour.
    """
    chance = random.Random(seed)
    index = memory.db.write(vector_indexes.begin, model, dim, now=1)
    newest = memory.db.read(vector_indexes.newest)
    while wanted := memory.db.read(vectors.wanting, index.id, after=0, upto=newest, now=1 << 60, limit=500):
        made = [(one, vectors.unit([chance.gauss(0, 1) for _ in range(dim)])) for one in wanted]
        memory.db.write(_put, index.id, made)
    memory.db.write(vector_indexes.promote, index.id)


def _put(con: apsw.Connection, index: int, made: list[tuple[vectors.Wanting, bytes]]) -> None:
    for one, vector in made:
        vectors.put(con, index, one, vector, now=1)
