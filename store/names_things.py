"""Things that a text names: tools and languages by their names, services and projects by how they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import names_code, products
from .names_code import Found

_WORD = re.compile(r"(?<![\w./@-])[A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*(?:[+#]+)?(?![\w/@(])", re.ASCII)
_WRITTEN = products.NAMES | products.CAPITAL
# What the last word of a dashed name is, where the whole names a part of a system.
_HEADS_WORDS = """
    service services svc gateway api server worker db database proxy app sdk cli ui frontend backend lib
    plugin bot agent daemon cluster broker scheduler controller operator adapter engine portal console
    dashboard admin cron core web mobile ios android bff consumer producer connector exporter importer
    collector ingester indexer crawler notifier renderer resizer router runner mcp cms crm erp infra platform
    mesh registry repo monorepo job site service-v2
"""
_HEADS = frozenset(_HEADS_WORDS.split())
_HEADS_BEHIND = tuple(_HEADS)
# The version that a name ends in.
_NUMBERED = re.compile(r"-v?\d{1,3}$")
_NO_FIRST_WORDS = """
    self third full cross micro multi non pre post sub super open closed re un in on off per end any all each
    every one two single same new old read write first second last next high low long short fast slow real
    well rest client server web mobile back front public private internal external local remote
    external-facing user-facing rest-based http https json native build test debug
"""
_NO_FIRST = frozenset(_NO_FIRST_WORDS.split())
_ARTICLE = re.compile(r"(?:^|[.!?:;\n(\"“]\s*|[-*]\s+)$")
_NAMED = re.compile(
    r"\b(?:project|Project|codename|code-named|product|service|app|library|tool|platform|system)\s+"
    r"(?:called\s+|named\s+)?[`\"“']?(?P<after>[A-Z][A-Za-z0-9]{2,24})\b(?!\s+[A-Z])"
    r"|\b(?:the|our|The|Our|this)\s+(?P<before>[A-Z][A-Za-z0-9]{2,24})\s+"
    r"(?:project|service|team|app|platform|system|library|cluster|database|repo|repository|codebase|API|gateway)\b"
)
_TWO_WORDS = re.compile(
    r"\b(?P<two>VS Code|Claude Code|GitHub Actions|GitLab CI|SQL Server|Spring Boot|Visual Studio|Google Cloud"
    r"|Azure DevOps|App Engine|Cloud Run|Android Studio|Apple Silicon|Power BI|React Native|Ruby on Rails"
    r"|Node\.js|Vue\.js|Next\.js"
    r"|Three\.js|Socket\.IO|ASP\.NET|scikit-learn)(?![A-Za-z0-9])"
)
# What a part of a system is called in Chinese, behind two to four characters that say which one.
_HEADS_CHINESE = (
    "服务网格|服务端|服务器|服务|网关|系统|平台|模块|中心|引擎|中台|后台|前台|客户端|小程序|组件库|数据库"
    "|集群|队列|项目|网站|商城|接口层|缓存层|看板|工程|仓库"
)
_HAN = "\u4e00-\u9fff"
_CHINESE = re.compile(f"(?:{_HEADS_CHINESE})+(?![员商费条])")
_LATIN_BEFORE = re.compile(r"[A-Za-z][A-Za-z0-9]+ ?$", re.ASCII)
_RUN_BEFORE = re.compile(f"[{_HAN}]*$")
# How far a name reaches before its head.
_BEFORE_CHARS = 4
# Characters and words before which a name does not go on.
_STOPS = frozenset(
    "的了在是把被和与及或对给从到将让我你他她它们这那个每各该此其为以就都也还又已要会能可不没有无很最更太再上下里说讲问写叫"
    "由向跟按着得地之于而且但若如果因所当等只仅并另旧老某哪几两三四五六七八九十一二少好坏并，。；：！？、"
)
_NO_MODIFIERS_WORDS = """
    提供 使用 调用 启动 重启 停止 部署 上线 下线 修改 修复 检查 迁移 更新 升级 回滚 重构 重写 优化 测试 监控
    维护 开发 访问 请求 依赖 接入 拆分 合并 关闭 打开 打包 发布 配置 安装 登录到 需要 所有 全部 其他 其它 整个
    这个 那个 各个 每个 一个 两个 我们 你们 他们 当前 目前 现在 以前 之前 以后 之后 今天 昨天 明天 上周 下周
    最近 后来 然后 因为 所以 如果 但是 而且 并且 或者 以及 关于 对于 根据 通过 经过 为了 没有 不是 就是 还是
    只有 可以 应该 必须 已经 正在 负责 关注 操作 管理员 整套 多个 几个 新的 旧的 相关 改用 沿用 常用 那时 当时
    同时 平时 期间 中间 其中 内外 前后 新增 最新 全新 多套 时候 目前 此前 此后 今后 前天 后天 早上 晚上 中午
    主要 重要 独立 单独 统一 公共 外部 内部 远程 本地 生产 线上 线下 同一 不同 某个 哪个 什么 怎么 为何 为什么
    分布 一套 这套 那套 该类 此类 替换 替代 改造 接管 确认 发现 导致 造成 引起 影响 涉及 属于 进入 离开 连接
    断开 绕过 经由 走到 打到 查询 讨论 评估 设计 实现 编写 新建 创建 删除 移除 清理 保留 增加 添加 加入 引入
    采用 选择 放弃 弃用 停用 启用 禁用 扩容 缩容 压测 排查 定位 解决 处理 完成 开始 结束 继续 建设 搭建 支持
    操作系统 下游 上游 服务 系统 平台 模块 中心 项目 集群 队列 仓库 工程 接口 问题 时候 什么时候 记住 记得
    关掉 记录 说明 查看 看看 请把 帮我 介绍 了解
"""
_NO_MODIFIERS = frozenset(_NO_MODIFIERS_WORDS.split())


def found(text: str) -> Iterator[Found]:
    """The things in a text."""
    said = set(_WORD.findall(text))
    may_be = any(
        "-" in word or (low := word.casefold()) in _WRITTEN or low.endswith(_HEADS_BEHIND) for word in said
    )
    for word in _WORD.finditer(text) if may_be else ():
        name = word.group()
        if _is_thing(name, text, word.start()):
            yield Found("thing", name, word.start(), word.end())
    if " " in text:
        for two in _TWO_WORDS.finditer(text):
            yield Found("thing", two["two"], two.start(), two.end())
        for called in _NAMED.finditer(text):
            group = called.lastgroup or ""
            if not names_code.common(called.group(group)):
                yield Found("thing", called.group(group), called.start(group), called.end(group))
    if not text.isascii():
        yield from _chinese(text)


def _is_thing(name: str, text: str, start: int) -> bool:
    low = name.casefold()
    if low in products.NAMES:
        return True
    if low in products.CAPITAL:
        return name[0].isupper() and _ARTICLE.search(text, max(0, start - 6), start) is None and start > 0
    if "-" not in name:
        return _is_run_together(low)
    parts = _NUMBERED.sub("", low).split("-")
    first = parts[0]
    return (
        len(parts) > 1
        and parts[-1] in _HEADS
        and first not in _NO_FIRST
        and not first.isdigit()
        and len(first) > 1
    )


def _is_run_together(low: str) -> bool:
    """Whether a word is a product with what its part is called, without a joint or with a dot: "redisexporter"."""
    if not low.endswith(_HEADS_BEHIND):
        return False
    heads = (head for head in _HEADS if low.endswith(head) and len(head) > 2)
    return any(low.removesuffix(head).rstrip(".") in products.NAMES for head in heads)


def _chinese(text: str) -> Iterator[Found]:
    for said in _CHINESE.finditer(text):
        start, head = said.start(), said.group()
        run = _RUN_BEFORE.search(text, max(0, start - _BEFORE_CHARS), start)
        before = run.group() if run else ""
        if modifier := _modifier(before):
            yield Found("thing", modifier + head, start - len(modifier), said.end())
        elif not before and (latin := _LATIN_BEFORE.search(text, max(0, start - 25), start)):
            yield Found("thing", f"{latin.group().strip()}{head}", latin.start(), said.end())


def _modifier(before: str) -> str:
    """The two or four characters that say which one; "" where none do."""
    last = before[-2:]
    if len(last) < 2 or not _names(last):
        return ""
    further = before[-4:-2]
    return further + last if len(further) == 2 and _names(further) else last


def _names(pair: str) -> bool:
    return pair not in _NO_MODIFIERS and not (_STOPS & set(pair))
