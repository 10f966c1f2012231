"""How much something is has one value at a time; what only looks alike stands beside it."""

from __future__ import annotations

from .stories import Story, said_or_added
from .test_stories import BOTH, HOW, THEN


@HOW
@THEN
@BOTH(
    ("first_says", "then_says", "question"),
    [
        ("the API timeout is 30 seconds", "the API timeout is 2 minutes", "API timeout?"),
        ("ledger listens on port 4123", "ledger listens on port 5555", "Which port does ledger listen on?"),
        ("库存服务的日志保留 10 天", "库存服务的日志保留二十天", "库存服务的日志保留多少天？"),
    ],
)
def test_how_much_something_is_has_one_value_at_a_time(
    story: Story, first: str, then: str, first_says: str, then_says: str, question: str
) -> None:
    ask = "记住{}。" if first_says[0] > "z" else "Remember that {}."
    said_or_added(story.on("2026-03-02"), first, ask.format(first_says), first_says)
    said_or_added(story.on("2026-05-04"), then, ask.format(then_says), then_says)
    story.on("2026-06-01")
    assert story.lists() == [then_says]
    assert story.finds(question) == [then_says]
    assert story.lists(as_of="2026-04-01") == [first_says]
    assert story.lists(known_as_of="2026-04-01") == [first_says]


@BOTH(
    ("one", "other"),
    [
        ("The pool size is at least 5 MB", "The pool size is at most 50 MB"),
        ("The pool size is up to 50 MB", "The pool size is no less than 5 MB"),
        ("连接池有至少 5 个连接", "连接池有最多 50 个连接"),
        ("密码长度是至少 8 位", "密码长度是至多 64 位"),
        ("Healthy CPU is over 5%", "Healthy CPU is under 80%"),
        ("An instance has 4 GB", "An instance has 8 GB"),
        ("Some users have 3 devices", "Some users have 5 devices"),
        ("One of the shards is 5 GB", "One of the shards is 9 GB"),
        ("An allowed port is 8080", "An allowed port is 9090"),
        ("A valid exit code is 0", "A valid exit code is 2"),
        ("A test user is 1001", "A test user is 1002"),
        ("RabbitMQ listens on port 5672", "RabbitMQ listens on port 15672"),
        ("Kafka listens on port 9092", "Kafka listens on port 9093"),
        ("nginx listens on port 80", "nginx listens on port 9113"),
        ("Maximum batch size is 100", "Maximum batch size is 5 MB"),
        ("The maximum batch size of the importer is 100", "The maximum batch size of the importer is 5 MB"),
        ("The bug id is 1234", "The bug id is 1235"),
        ("worker 1 keeps 30 jobs", "worker 2 keeps 40 jobs"),
        ("nginx listens on port 80", "nginx listens on port 443"),
        ("staging runs 2 workers", "production runs 8 workers"),
        ("第 3 组有 5 个人", "第 4 组有 6 个人"),
        ("The API timeout is 30 seconds", "The API timeout will be raised to 60 seconds"),
        ("The API timeout is 30 seconds", "The API timeout was never raised to 60 seconds"),
        ("The API timeout is 30 seconds", "The API timeout was raised to 60 seconds before the launch"),
        ("API 的超时时间是 30 秒", "API 的超时时间要改成 60 秒了"),
        ("API 的超时时间是 30 秒", "API 的超时时间没改成 60 秒"),
        ("API 的超时时间是 30 秒", "网关的超时时间改成 60 秒了"),
    ],
)
def test_how_much_another_thing_is_takes_no_place(story: Story, one: str, other: str) -> None:
    story.on("2026-03-02").adds(one)
    story.on("2026-03-03").adds(other)
    assert sorted(story.lists()) == sorted([one, other])


@BOTH(
    ("one", "other"),
    [
        ("Coverage is 80%", "Coverage is 85%"),
        ("MAX_RETRIES is 3", "MAX_RETRIES is 5"),
        ("The limit is 5 MB", "The limit is 10 MB now"),
        ("The service runs on port 8080", "The service now runs on port 9090"),
        ("The worker port is 8080", "The worker port is 9090"),
        ("The worker port is 8080", "Now, the port of the worker is 9090"),
        ("订单服务的端口是 8080", "现在，订单服务的端口是 9090"),
        ("The retry waits 2 seconds", "the retry waits 4 seconds"),
        ("The healthy CPU is under 80%", "The healthy CPU is under 70%"),
        ("The API timeout is 30 seconds", "The API times out after 1 minute"),
        ("The batch size of the importer is 50", "importer batch size = 100"),
        ("接口超时是 30 秒", "接口 60 秒就超时"),
        ("接口 30 秒就超时", "接口超时为一分钟"),
        ("The API timeout is 30 seconds", "The API timeout was raised from 30 to 60 seconds"),
        ("The worker port is 8080", "We've changed the worker port to 9090"),
        ("The session TTL is 1 hour", "the session ttl got bumped to 2 hours"),
        ("API 的超时时间是 30 秒", "API 的超时时间改成 60 秒了"),
        ("网关的端口是 3000", "我们把网关的端口换成了 8080"),
        ("API 的超时时间是 30 秒", "API 超时时间从 30 秒提高到 60 秒"),
    ],
)
def test_an_amount_is_of_the_same_thing_however_the_sentence_is_put(
    story: Story, one: str, other: str
) -> None:
    story.on("2026-03-02").adds(one)
    story.on("2026-03-03").adds(other)
    assert story.lists() == [other]


@BOTH(
    ("first", "then", "now"),
    [
        (
            "Remember that the API timeout is 30 seconds.",
            "The API timeout was raised to 60 seconds.",
            "The API timeout was raised to 60 seconds",
        ),
        (
            "Remember that the worker port is 8080.",
            "We've moved the worker port to 9090. Please run the tests.",
            "We've moved the worker port to 9090",
        ),
        ("记住 API 的超时时间是 30 秒。", "API 的超时时间改成 60 秒了。", "API 的超时时间改成 60 秒了"),
        ("记住网关的端口是 3000。", "我们把网关的端口换成了 8080。", "我们把网关的端口换成了 8080"),
    ],
)
def test_what_is_said_to_be_changed_is_current(story: Story, first: str, then: str, now: str) -> None:
    story.on("2026-03-02").says(first)
    story.on("2026-05-04").says(then)
    assert story.lists() == [now]


@BOTH(
    "words",
    [
        "Was the API timeout raised to 60 seconds?",
        "I heard the API timeout was raised to 60 seconds.",
        "Raise the API timeout to 60 seconds.",
        "If the API timeout was raised to 60 seconds, would it pass?",
        "把 API 的超时时间改成 60 秒。",
        "听说 API 的超时时间改成 60 秒了。",
        "Apparently the API timeout is 60 seconds now.",
        "API 的超时时间是不是改成 60 秒了？",
    ],
)
def test_what_is_asked_for_or_only_heard_of_changes_nothing(story: Story, words: str) -> None:
    first = "API 的超时时间是 30 秒" if words.count("超") else "the API timeout is 30 seconds"
    story.on("2026-03-02").adds(first)
    story.on("2026-05-04").says(words)
    assert story.lists() == [first]
