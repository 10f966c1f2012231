"""The same 150 coding notes in English and in Chinese, and the same questions about them."""

from __future__ import annotations

from dataclasses import dataclass

PEOPLE = (("Mia", "小王"), ("Jonas", "老李"), ("Priya", "张敏"), ("Tom", "陈工"), ("Ines", "小赵"))
# A part of the system: its name in English, in Chinese, and the identifier that stands for it in code.
PARTS = (
    ("payment service", "支付服务", "PayService"),
    ("order system", "订单系统", "order_core"),
    ("search module", "搜索模块", "search/index.py"),
    ("cache layer", "缓存层", "CacheLayer"),
    ("login page", "登录页面", "LoginPage.tsx"),
    ("message queue", "消息队列", "mq-worker"),
    ("report export", "报表导出", "export_report"),
    ("permission check", "权限校验", "checkPermission"),
    ("image upload", "图片上传", "upload.go"),
    ("scheduled tasks", "定时任务", "cron_jobs"),
    ("recommendation engine", "推荐引擎", "RecEngine"),
    ("user profile", "用户画像", "UserProfile"),
    ("log collection", "日志采集", "log-agent"),
    ("gateway", "网关", "api.gateway"),
    ("billing statement", "账单结算", "billing.settle"),
)
# What was done: the note, and the question for it.
DEEDS = (
    ("fixed the concurrency deadlock in the {part}", "修复了{part}的并发死锁",
     "who fixed the concurrency deadlock in the {part}?", "谁修复了{part}的并发死锁？"),
    ("rewrote the {part} to be asynchronous", "把{part}做了异步重构",
     "who rewrote the {part} asynchronously?", "{part}的异步重构是谁做的"),
    ("tuned the performance of the {part}", "完成了{part}的性能优化",
     "the performance tuning of the {part}, who did it?", "{part}的性能优化是谁做的"),
    ("raised the timeout of the {part} to 30 seconds", "把{part}的超时调到了 30 秒",
     "what happened to the timeout of the {part}?", "{part}的超时怎么了"),
    ("added retries with backoff to the {part}", "给{part}加上了退避重试",
     "where are the retries of the {part}, and who added them?", "{part}的重试是谁加的？"),
    ("wrote integration tests for the {part}", "为{part}补了集成测试",
     "does the {part} have integration tests?", "{part}有没有集成测试"),
    ("moved the configuration of the {part} to the config centre", "将{part}的配置迁移到了配置中心",
     "where did the configuration of the {part} go?", "{part}的配置放到哪里去了"),
    ("found a memory leak in the {part}", "在{part}里发现了内存泄漏",
     "is there a memory leak in the {part}?", "{part}是不是有内存泄漏"),
    ("documented the interface of the {part}", "写好了{part}的接口文档",
     "who documented the interface of the {part}?", "{part}的接口文档谁写的"),
    ("decided to shard the tables of the {part}", "决定对{part}的数据表做分库分表",
     "what did we decide about sharding the {part}?", "{part}的分库分表是怎么定的"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the place of the note that answers it."""

    text: str
    note: int


def notes(chinese: bool) -> tuple[list[str], list[Asked]]:
    """150 notes of one language, each with its identifier right beside the words, and a question for each."""
    said: list[str] = []
    asked: list[Asked] = []
    for p, (english_part, chinese_part, name) in enumerate(PARTS):
        for d, (english, zh, english_question, zh_question) in enumerate(DEEDS):
            person = PEOPLE[(p + d) % len(PEOPLE)][chinese]
            part = chinese_part if chinese else english_part
            deed = (zh if chinese else english).format(part=part)
            question = (zh_question if chinese else english_question).format(part=part)
            said.append(f"{person}{deed}，涉及{name}。" if chinese else f"{person} {deed}, touching {name}.")
            asked.append(Asked(question, len(said) - 1))
    return said, asked
