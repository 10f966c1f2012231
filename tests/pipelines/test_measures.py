"""What a text measures: one slot of a thing, however much it is; and what measures nothing."""

from __future__ import annotations

import pytest
from backstory.pipelines.merging import measures
from backstory.store import cutter

CUT = cutter.load()

CHANGED = (
    ("ledger listens on port 4123", "ledger listens on port 5555"),
    ("the port of ledger is 4123", "the port of ledger is 4124"),
    ("ledger keeps its logs for 10 days", "ledger keeps its logs for 3 weeks"),
    ("ledger retries 3 times before it gives up", "ledger retries five times before it gives up"),
    ("the API timeout is 30 seconds", "API timeout: 1 minute"),
    ("batch size is 64", "the batch size is now 128"),
    ("max_retries = 5", "max_retries = 7"),
    ("ledger is limited to 100 requests a minute", "ledger is limited to 200 requests a minute"),
    ("The suite has 8822 tests", "The suite has 9000 tests"),
    ("The build takes 5 minutes", "The build takes 8 minutes"),
    ("the retry waits 2 seconds", "the retry waits 4 seconds"),
    ("the cache expires after 15 minutes", "the cache expires after 1 hour"),
    ("库存服务监听 4123 端口", "库存服务监听 5555 端口"),
    ("库存服务的日志保留 10 天", "库存服务的日志保留二十天"),
    ("库存服务重试 3 次才放弃", "库存服务重试 5 次才放弃"),
    ("库存服务在生产环境有 4 个工作进程", "库存服务在生产环境有 6 个工作进程"),
    ("库存服务等 30 秒就超时", "库存服务等 60 秒就超时"),
    ("库存服务每分钟限 100 个请求", "库存服务每分钟限 200 个请求"),
    ("接口超时是 30 秒", "接口超时是 60 秒"),
    ("最大重试次数设为 5", "最大重试次数设为 8"),
    ("The team has 5 people", "The team has 7 people"),
    ("团队有五个人", "团队有 7 个人"),
    ("缓存 15 分钟过期", "缓存 30 分钟过期"),
    ("服务端口是 8080", "服务端口是 9090"),
    ("The retry limit is three", "the retry limit is 4"),
    ("PR 12 has 3 approvals", "PR 12 has 4 approvals"),
    ("I take 3 pills a day", "I take 2 pills a day"),
    ("Use 4 spaces for indentation", "Use 2 spaces for indentation"),
    ("缩进用 4 个空格", "缩进用 2 个空格"),
)
APART = (
    ("Migrated 3 tables to the new schema", "Migrated 4 tables to the new schema"),
    ("This fixes bug 45", "This fixes bug 46"),
    ("Worker 1 listens on port 80", "Worker 2 listens on port 81"),
    ("nginx listens on port 80", "nginx listens on port 443"),
    ("Python 3 is used in CI", "Python 2 is used in CI"),
    ("迁移了 3 张表", "迁移了 4 张表"),
    ("步骤 2 运行 linter", "步骤 3 运行 linter"),
    ("修复了 45 号 bug", "修复了 46 号 bug"),
    ("Run 24 of the billing job left 12 rows", "Run 24 of the billing job left 13 rows"),
    ("The demo is in 3 days", "The demo is in 5 days"),
    ("v1.2 fixed the leak", "v1.3 fixed the leak"),
    ("HTTP 404 is returned for a missing page", "HTTP 410 is returned for a missing page"),
    ("The trial ends in 30 days", "The trial ends in 10 days"),
    ("See issue 12", "See issue 13"),
    ("The app supports Python 3.11", "The app supports Python 3.12"),
    ("chapter 3 covers joins", "chapter 4 covers joins"),
    ("30 天后试用期结束", "10 天后试用期结束"),
    ("第 3 章讲连接", "第 4 章讲连接"),
    ("I ran 5 km", "I ran 10 km"),
    ("staging has 2 replicas", "production has 3 replicas"),
    ("The timeout was 30 seconds", "The timeout was 60 seconds"),
    ("node 18 is required", "node 20 is required"),
    ("端口是 8080", "端口是 9090"),
    ("Line 30 has the bug", "Line 31 has the bug"),
    ("Meeting room 4 has a projector", "Meeting room 5 has a projector"),
    ("Tests 1 to 30 pass", "Tests 1 to 40 pass"),
    ("The free plan has 3 seats", "The paid plan has 10 seats"),
    ("Group A has 3 members", "Group B has 4 members"),
    ("PR 12 changes 3 files", "PR 13 changes 4 files"),
    ("The deploy takes 5 minutes", "The deploy does not take 8 minutes"),
    ("Does the deploy take 5 minutes?", "Does the deploy take 8 minutes?"),
    ("If the timeout is 30 seconds, tests pass", "If the timeout is 60 seconds, tests pass"),
    ("今天有 3 个会议", "今天有 4 个会议"),
    ("The job retries v1.2 calls", "The job retries v1.3 calls"),
    ("该任务支持 2 版本的协议", "该任务支持 3 版本的协议"),
    ("接口超时曾是 30 秒", "接口超时曾是 60 秒"),
    ("timeout 是 30 秒的服务有网关", "timeout 是 60 秒的服务有账单"),
)
SAME = (
    ("the API timeout is 60 seconds", "API timeout: 1 minute"),
    ("ledger keeps its logs for two weeks", "ledger keeps its logs for 14 days"),
    ("the upload limit is 1 GB", "Upload limit: 1GB"),
    ("接口超时是 60 秒", "接口超时为一分钟"),
    ("库存服务重试 3 次才放弃", "库存服务重试三次才放弃"),
)


@pytest.mark.parametrize(("one", "other"), CHANGED)
def test_another_number_is_another_value_of_the_same_measure(one: str, other: str) -> None:
    first, second = measures.held(one, CUT), measures.held(other, CUT)

    assert first is not None
    assert second is not None
    assert first.slot == second.slot
    assert first.value != second.value


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_happened_what_is_to_come_and_what_bears_a_number_are_no_two_values(
    one: str, other: str
) -> None:
    first, second = measures.held(one, CUT), measures.held(other, CUT)

    assert first is None or second is None or first.slot != second.slot


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_amount_in_another_unit_is_the_same_value(one: str, other: str) -> None:
    first = measures.held(one, CUT)

    assert first is not None
    assert first == measures.held(other, CUT)
