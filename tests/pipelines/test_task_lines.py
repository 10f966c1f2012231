"""Which turns are one task: forty labelled pairs, half of them one, half of them Chinese, and what must hold beside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from backstory.store import memories, workspaces
from backstory.store.db import Database
from backstory.store.models import Memory
from backstory.store.rows import fetch

from .clients_at_work import Client

Words = tuple[str, str]


@dataclass(frozen=True)
class Did:
    """A turn: what was asked, the files that were edited, the commands that were run; in which session, on a branch."""

    asked: str
    files: Sequence[str] = ()
    runs: Sequence[str] = ()
    session: str = "s1"
    branch: str = "main"


def facts(db: Database, workspace: int) -> list[Memory]:
    sql = f"""
        select {memories.COLUMNS} from memory
        where kind = 'fact' and slot glob 'did:*' and retired_at is null and workspace = ? order by id"""
    return [memories.from_row(row) for row in db.read(fetch, sql, (workspace,))]


def told(db: Database, *turns: Did) -> list[Memory]:
    """The facts that those turns leave in a workspace of their own, one after the other, some minutes apart."""
    ((several,),) = db.read(fetch, "select count(*) from workspace", ())
    workspace = db.write(workspaces.register, [("folder", f"/repo{several}")], "repo", now=1)
    now: int | None = None
    for number, one in enumerate(turns):
        client = Client(
            db, session=f"{several}-{one.session}", workspace=workspace, branch=one.branch, turn=number * 10
        )
        client.now = client.now if now is None else now
        client.calls = number * 100
        client.asks(one.asked)
        for path in one.files:
            client.edits(path)
        for command in one.runs:
            client.runs(command)
        client.replies()
        client.rests(120)
        now = client.now
    return facts(db, workspace)


def number(fact: Memory) -> int:
    """The how many-th of its line a turn is."""
    return int((fact.data.get("line") or {}).get("n", 1))


def went_on_with(db: Database, fact: Memory) -> str | None:
    """What was asked in the turn that a turn goes on with."""
    sql = "select target from link where source = ? and kind = 'same_task'"
    targets = [target for (target,) in db.read(fetch, sql, (fact.id,))]
    return next((str(one.data["asked"]) for one in db.read(memories.by_ids, targets).values()), None)


# A pair a line: the earlier turn, then the later one; each with what was asked, [the files that were edited],
# $ a command that was run, @ the session where it is another, # the branch where it is not main.
SAME_EN = """
Fix the CSV export encoding bug [export.py] → The exported CSV is still garbled in Excel [writer.py]
Fix the CSV export encoding bug [export.py] → still broken [writer.py]
Add a retry loop to the fetch function [src/fetch.ts] → make the delay configurable [src/fetch.ts]
Add caching to the client [client.py] → No, use functools.lru_cache instead of a dict [client.py]
Add a --json flag to the export command [cli.py] → Now add the tests [cli.py tests/test_cli.py]
Migrate the user service to async [svc/user.py] → continue [svc/order.py]
Migrate user service to async SQLAlchemy [user.py] → Finish migrating user service to async SQLAlchemy [db.py] @s2
Rewrite the upload widget [upload.tsx] #feat/upload → the progress bar jumps back [upload.tsx] @s2 #feat/upload
Login fails on Safari, fix it [auth.js] → Safari login again: now it loops [session.js]
Speed up the nightly report query [report.sql] → it is no better, try an index [migrations/7.sql]
"""
SAME_ZH = """
修复订单导出 CSV 乱码的问题 [export.py] → 导出的 CSV 还是乱码，Excel 打开中文不对 [writer.py]
修复订单导出 CSV 乱码的问题 [export.py] → 还是不行 [writer.py]
给客户端加缓存 [client.py] → 不对，不要用全局字典，改用 lru_cache [client.py]
登录页加验证码 [login.vue] → 按钮放到右边 [login.vue]
实现优惠券接口 [coupon.go] → 再补一下单测 [coupon.go coupon_test.go]
把用户服务迁移到异步 [user.py] → 继续 [order.py]
把购物车状态迁移到 Pinia [cart.ts] → 接着把购物车状态迁移到 Pinia 做完 [cart/store.ts] @s2
重写上传组件 [web/upload.tsx] #feat/upload → 进度条会跳回去 [web/upload.tsx] @s2 #feat/upload
支付回调偶尔丢单，查一下并修复 [pay.py] → 支付回调仍然丢单 [queue.py]
优化报表查询 [report.sql] → 没变快，加个索引试试 [migrations/7.sql]
"""
OTHER_EN = """
Fix the date parsing [package.json a.js] → Add dark mode [package.json b.css]
Add dark mode [package.json b.css] → Upgrade webpack [package.json]
Upgrade webpack [package.json package-lock.json] → Upgrade eslint [package.json package-lock.json]
Fix the date parsing in utils.py [utils.py] → Add a French translation for the login page [i18n/fr.json utils.py]
Add an endpoint for invoices [inv.py] → next: rename the css classes in the landing page [l.css]
Add an endpoint for invoices [inv.py] → please go on to translate the docs into Spanish [docs/es.md]
Fix the flaky upload test [tests/test_upload.py] → Fix the flaky login test [tests/test_login.py]
Write the release notes [CHANGELOG.md a.py] → Remove the legacy sync job [CHANGELOG.md jobs.py]
Fix the memory leak in the worker [worker.go] → Add a metrics endpoint to the gateway [gateway.go] @s2
Is it safe to delete legacy_sync? $grep -rn legacy_sync . → Bump the base image to node 22 [Dockerfile]
"""
OTHER_ZH = """
修复日期解析 [package.json a.js] → 增加深色模式 [package.json b.css]
增加深色模式 [package.json b.css] → 升级 webpack [package.json]
升级 webpack [package.json] → 升级 eslint [package.json]
修复 utils.py 里的日期解析 [utils.py] → 给登录页加法语翻译 [i18n/fr.json utils.py]
增加发票接口 [inv.py] → 下一步：重命名落地页的样式类 [l.css]
增加发票接口 [inv.py] → 接着把文档翻译成西班牙语 [docs/es.md]
修复不稳定的上传测试 [tests/test_upload.py] → 修复不稳定的登录测试 [tests/test_login.py]
写发布说明 [CHANGELOG.md a.py] → 删除旧的同步任务 [CHANGELOG.md jobs.py]
修复 worker 的内存泄漏 [worker.go] → 给网关加监控指标接口 [gateway.go] @s2
看看 legacy_sync 能不能删 $grep -rn legacy_sync . → 把基础镜像升级到 node 22 [Dockerfile]
"""
# Written after the rules had been tuned on those above.
LATER_SAME = """
Implement password reset by mail [auth/reset.py] → the mail has the wrong link [auth/mail.py auth/reset.py]
Implement password reset by mail [auth/reset.py] → the password reset link expires too early [config/auth.py]
Refactor the scheduler into a class [sched.py] → Yes, and keep the old function as a wrapper [sched.py]
Refactor the scheduler into a class [sched.py] → looks good, but rename run to tick [sched.py]
Make the sidebar collapsible [Sidebar.vue] → it should remember its state [Sidebar.vue store.ts]
pytest fails on CI with a timeout [conftest.py] → CI still times out [ci/run.sh]
Add OAuth login with GitHub [oauth.py] → Add the callback route for the GitHub OAuth login [routes.py] @s2
实现密码重置邮件 [auth/reset.py] → 邮件里的链接不对 [auth/mail.py auth/reset.py]
侧边栏改成可以折叠 [Sidebar.vue] → 要记住折叠状态 [Sidebar.vue store.ts]
CI 上 pytest 超时，修一下 [conftest.py] → CI 还是超时 [ci/run.sh]
接入 GitHub OAuth 登录 [oauth.py] → GitHub OAuth 登录的回调路由也加上 [routes.py] @s2
重构调度器 [sched.py] → 可以，不过 run 改名成 tick [sched.py]
"""
LATER_OTHER = """
Make the sidebar collapsible [Sidebar.vue] → Add keyboard shortcuts to the editor [Sidebar.vue editor.ts]
Fix the failing CI job [.github/workflows/ci.yml] → Cache the pip downloads in CI [.github/workflows/ci.yml]
Add pagination to the orders list [orders.py] → Add pagination to the customers list [customers.py]
Fix the login bug [auth.py] → Write the quarterly report [report.md]
Implement password reset [auth/reset.py settings.py] → Turn on gzip compression for responses [settings.py mw.py]
Rename foo to bar in the parser [parser.py] → Rename foo to baz in the lexer [lexer.py]
Continue the migration of billing [billing.py] → We are still on Python 3.9, upgrade the image to 3.12 [Dockerfile]
侧边栏改成可以折叠 [Sidebar.vue] → 编辑器增加快捷键 [Sidebar.vue editor.ts]
订单列表加分页 [orders.py] → 客户列表加分页 [customers.py]
修复登录报错 [auth.py] → 写季度总结 [report.md]
实现密码重置 [auth/reset.py settings.py] → 响应开启 gzip 压缩 [settings.py mw.py]
把 billing 迁移完 [billing.py] → 我们还在用 Python 3.9，把镜像升级到 3.12 [Dockerfile]
"""
_DID = re.compile(
    r"(?P<asked>.+?)(?: \[(?P<files>[^\]]+)\])?(?: \$(?P<runs>[^@#]+?))?(?: @(?P<session>\w+))?(?: #(?P<branch>\S+))?"
)


def pairs(lines: str) -> list[tuple[Did, Did]]:
    """The pairs of such lines."""
    found = []
    for line in filter(None, lines.splitlines()):
        one, two = (_DID.fullmatch(each) for each in line.split(" → "))
        assert one is not None and two is not None
        found.append((_did(one), _did(two)))
    return found


def _did(found: re.Match[str]) -> Did:
    runs = [found["runs"]] if found["runs"] else []
    return Did(
        found["asked"],
        (found["files"] or "").split(),
        runs,
        found["session"] or "s1",
        found["branch"] or "main",
    )


# Too few words in common, and no file.
MISSED = [("Implement password reset by mail", "the password reset link expires too early")]


def joined(db: Database, lines: str) -> tuple[list[Words], list[Words]]:
    """The pairs that were taken for one task, and those that were not."""
    found: tuple[list[Words], list[Words]] = ([], [])
    for one, two in pairs(lines):
        found[number(told(db, one, two)[-1]) != 2].append((one.asked, two.asked))
    return found


def test_of_the_labelled_pairs_those_of_one_task_are_joined_and_no_others(db: Database) -> None:
    assert [len(pairs(lines)) for lines in (SAME_EN, SAME_ZH, OTHER_EN, OTHER_ZH)] == [10, 10, 10, 10]
    assert joined(db, SAME_EN + SAME_ZH)[1] == []
    assert joined(db, OTHER_EN + OTHER_ZH)[0] == []


def test_so_are_pairs_that_came_later_but_for_one(db: Database) -> None:
    assert joined(db, LATER_SAME)[1] == MISSED
    assert joined(db, LATER_OTHER)[0] == []


@pytest.mark.parametrize(
    ("before", "words", "expected"),
    [
        ([Did("Fix the date parsing", ["d.py"]), Did("What is the weather API limit?", runs=["curl x"])],
         "continue", "Fix the date parsing"),
        ([Did("修复日期解析", ["d.py"]), Did("天气接口的限额是多少？", runs=["curl x"])], "继续", "修复日期解析"),
        ([Did("Fix the date parsing", ["d.py"]), Did("Add an endpoint for invoices", ["inv.py"])],
         "continue", "Add an endpoint for invoices"),
        ([Did("Fix the date parsing", ["d.py"]), Did("Add an endpoint for invoices", ["inv.py"])],
         "go on with the date parsing", "Fix the date parsing"),
        ([Did("修复日期解析", ["d.py"]), Did("增加发票接口", ["inv.py"])], "继续改日期解析", "修复日期解析"),
        ([Did("Fix the date parsing", ["d.py"], session="s0")], "continue", None),
    ],
)  # fmt: skip
def test_what_only_says_to_go_on_goes_on_with_the_last_that_worked_as_it_does(
    db: Database, before: Sequence[Did], words: str, expected: str | None
) -> None:
    latest = told(db, *before, Did(words, ["e.py"]))[-1]
    assert went_on_with(db, latest) == expected


def test_a_line_says_why_it_is_one(db: Database) -> None:
    told(db, Did("Fix the CSV export bug", ["export.py"]), Did("still broken", ["writer.py"]))
    assert db.read(fetch, "select verdict, reason from run where step = 'line'", ()) == [
        ("same task", "the user said that it is still so")
    ]
