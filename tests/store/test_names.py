"""What a text names, and what it does not: names are written as such, or words say that they are."""

from __future__ import annotations

import pytest
from backstory.store.names import Alias, named, relation


def told(text: str, **data: object) -> set[str]:
    return {f"{one.kind} {one.name}" for one in named(text, data).entities}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("fetch_user() calls Client.send and getUserName", "symbol fetch_user|symbol client.send|symbol getusername"),
        ("src/a/utils.py::parse_order at utils.py:42", "file src/a/utils.py|symbol parse_order|file utils.py"),
        ("we call upsert(rows) in `refund`", "symbol upsert|symbol refund"),
        ("解析订单的parse_order函数改了", "symbol parse_order"),
        ("ｆｅｔｃｈ＿ｕｓｅｒ 超时", "symbol fetch_user"),
        (r"edit src\a\config.ts and ./Makefile", "file src/a/config.ts|file makefile"),
        ("release/1.2 and the fix-timeouts branch", "branch release/1.2|branch fix-timeouts"),
        ("登录页在 login-v2 分支上", "branch login-v2"),
        ("v1.2, version 2.0 and 3.4.5", "version 1.2|version 2.0|version 3.4.5"),
        ("Python 3.11 on Node 18", "version python 3.11|version node 18|thing python"),
        ("my colleague Li Wei asked @zhangsan", "person li wei|person zhangsan"),
        ("Then Alice said no", "person alice"),
        ("同事李伟说可以，小王负责，王小明认为不行", "person 李伟|person 小王|person 王小明"),
        ("PostgreSQL, Redis and payment-service", "thing postgresql|thing redis|thing payment-service"),
        ("We use Spring here, in the Orion project", "thing spring|thing orion"),
        ("我们的支付服务和用户画像服务", "thing 支付服务|thing 用户画像服务"),
        ("調用訂單網關", "thing 订单网关"),
    ],
)  # fmt: skip
def test_names_are_seen_as_they_are_written(text: str, names: str) -> None:
    assert told(text) == set(names.split("|"))


@pytest.mark.parametrize(
    "text",
    [
        "The third-party client is read-only and the log service is well-known.",
        "Go on and make it less verbose; react to what people express, e.g. stop.",
        "It took 1.5 seconds on 10.0.0.1 since 2024.01.02, and/or 3 files.",
        "Everybody said it works. Tests reported nothing. Nobody thinks so.",
        "done.Then we stopped. See github.com and me@example.com, @property and @dataclass",
        "All APIs and URLs return JSON over HTTP; the file(s) of the team",
        "任务负责人说明方案的意见，程序说它要求高，方法建议改一下。",
        "这个服务提供服务，所有系统都是一个平台。",
        "on the main branch, on this branch, 在主分支上",
    ],
)
def test_common_words_are_no_names(text: str) -> None:
    assert told(text) == set()


def test_what_a_memory_carries_beside_its_text_counts() -> None:
    data = {
        "files": ["src/a/utils.py"],
        "symbols": ["Client.send"],
        "branch": "release/1.2",
        "subject": "payment-api",
    }
    assert {(one.kind, one.name) for one in named("done", data, "fix/x").entities} == {
        ("file", "src/a/utils.py"), ("symbol", "client.send"), ("branch", "release/1.2"), ("branch", "fix/x"),
        ("thing", "payment-api"),
    }  # fmt: skip
    assert named("done", {}, "main").entities == ()


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("PG is short for PostgreSQL.", ("thing", "pg", "postgresql")),
        ("payments-api (formerly known as billing-api) is slow", ("thing", "billing-api", "payments-api")),
        ("Renamed fetch_user to load_user", ("symbol", "fetch_user", "load_user")),
        ("src/a.py was renamed to src/b.py", ("file", "src/a.py", "src/b.py")),
        ("my colleague Robert, also known as Bobby", ("person", "bobby", "robert")),
        ("支付服务（以下简称收银台）很慢", ("thing", "收银台", "支付服务")),
        ("订单网关又叫 order-gw", ("thing", "order-gw", "订单网关")),
        ("PG 是 PostgreSQL 的简称", ("thing", "pg", "postgresql")),
        ("分支 feature/a 改名为 feature/b", ("branch", "feature/a", "feature/b")),
    ],
)
def test_two_names_are_one_where_words_say_so(text: str, alias: tuple[str, str, str]) -> None:
    assert named(text).aliases == (Alias(*alias),)


@pytest.mark.parametrize(
    "text",
    [
        "fetch_user and fetch_users are alike; PostgreSQL and Postgres, too",
        "缓存失效了，也就是说要重建索引",
        "it is also called on shutdown, and this is the same as before",
    ],
)
def test_likeness_makes_no_alias(text: str) -> None:
    assert named(text).aliases == ()


@pytest.mark.parametrize(
    ("kind", "asked", "held", "is_"),
    [
        ("symbol", "send", "client.send", "same"),
        ("symbol", "client.send", "send", "vague"),
        ("symbol", "fetch_user", "fetch_users", "alike"),
        ("symbol", "fetch_user", "render", "other"),
        ("file", "utils.py", "src/a/utils.py", "same"),
        ("file", "src/a/utils.py", "src/b/utils.py", "alike"),
        ("file", "a/utils.py", "src/aa/utils.py", "alike"),
        ("file", "src/a/utils.py", "utils.py", "vague"),
        ("version", "1.2", "1.3", "alike"),
        ("version", "1.2", "1.2.3", "vague"),
        ("version", "1.2", "1.20", "alike"),
        ("version", "3.11", "python 3.11", "same"),
        ("version", "python 3.11", "node 18", "other"),
        ("branch", "release/1.2", "release/1.3", "alike"),
        ("person", "李伟", "李玮", "alike"),
        ("person", "alice", "alice chen", "same"),
        ("thing", "payment-service", "payment-gateway", "alike"),
        ("thing", "payment-service", "stripe", "other"),
        ("thing", "订单服务", "订单网关", "alike"),
        ("thing", "支付服务", "微信支付服务", "same"),
        ("thing", "postgresql", "mysql", "alike"),
        ("thing", "postgresql", "react", "other"),
    ],
)
def test_what_one_name_is_to_another(kind: str, asked: str, held: str, is_: str) -> None:
    assert relation(kind, asked, held) == is_
