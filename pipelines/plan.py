"""A question as it will be looked for: its words, what in it is a name, and whether it asks anything at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..store import everyday, words
from ..store.cutter import Cut
from ..store.words import Query

# What keeps a conversation going and asks nothing, beside everyday words.
_NODS = """
    go ahead on proceed continue carry next stop done finish run retry try redo undo again more ship job
    good great nice perfect fine cool awesome excellent looks right correct exactly sure yep yeah nope
    agreed lgtm morning evening afternoon night bye goodbye cheers sorry wait test ping help
    start begin resume explain summarize summary commit push refactor
    继续 接着 接着做 继续做 开始 停 停止 停下 完成 下一步 下一个 收到 没问题 可以 行 对 对的 是 是的 这样
    明白 明白了 知道 知道了 早上好 晚上好 下午好 早 再见 辛苦 辛苦了 不错 很好 好吧 好啊 太好 同意 正确 没错
    重试 再来 来吧 走 跑 提交 运行 测试 帮助 解释 总结 重构
"""
# A prompt with a nod in it is chatter up to so many words, if the others are everyday ones; without, up to two.
_NODDING_WORDS, _EVERYDAY_WORDS = 4, 2
_QUOTED = re.compile(
    r"""`([^`\n]{2,80})`|"([^"\n]{2,80})"|“([^”\n]{2,80})”|「([^」\n]{2,80})」|《([^》\n]{2,80})》"""
)


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What to look for: `text` goes to the embedder, `query` to the words.

    `prompted` tells words that were said to an agent, and are only perhaps about something remembered, from
    a question that was put to memory.
    """

    text: str
    query: Query
    prompted: bool = False

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for: no word, or for a prompt no more than a greeting or a nod."""
        if not (self.query.words or self.query.grams):
            return True
        return self.prompted and _chatter(self.query, asks="?" in self.text or "？" in self.text)


def plan(question: str, cut: Cut | None, *, prompted: bool = False) -> Plan:
    """The plan for a question; `prompted`: for a prompt on its way to an agent."""
    query = words.query(question, cut)
    quoted = {
        word.text
        for found in _QUOTED.finditer(question[: words.QUERY_HEAD_CHARS])
        for word in words.query(" ".join(filter(None, found.groups())), cut).words
    }
    named = tuple(word._replace(name=word.name or word.text in quoted) for word in query.words)
    return Plan(question, query._replace(words=named), prompted)


def _chatter(query: Query, *, asks: bool) -> bool:
    """Whether a prompt is about nothing: stop words, one word that is no name, or a few nods and everyday words."""
    content = query.words or tuple(map(words.Word, query.grams))
    if query.bare:
        return True
    if any(word.name for word in content):
        return False
    if len(content) == 1:
        return True
    nods = sum(word.text in _nods() for word in content)
    plain = nods + sum(
        word.text not in _nods() and (word.text in everyday.tokens() or word.text.isdigit())
        for word in content
    )
    few = len(content) <= (_NODDING_WORDS if nods else 0 if asks else _EVERYDAY_WORDS)
    return few and plain == len(content)


@cache
def _nods() -> frozenset[str]:
    return frozenset(
        token for word in _NODS.split() for token in words.index(word, None).main.split() or [word]
    )
