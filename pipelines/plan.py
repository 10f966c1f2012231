"""A question as it will be looked for: its words, what in it is a name, and whether it asks anything at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..store import everyday, words
from ..store.cutter import Cut
from ..store.models import Scene
from ..store.words import Query
from . import named
from .named import NOTHING, Asked

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
_SHORT_CHARS, _SHORT_GRAMS = 80, 24
_QUOTED = re.compile(
    r"""`([^`\n]{2,80})`|"([^"\n]{2,80})"|“([^”\n]{2,80})”|「([^」\n]{2,80})」|《([^》\n]{2,80})》"""
)

# What a question is about, by its words: the person who asks; names as code has them, and what is done to code.
_OF_A_PERSON = re.compile(
    r"\b(?:do|did|would|what|which|where|when|who) .{0,20}\b(?:I|my|me)\b.{0,30}"
    r"\b(?:like|prefer|live|work|name|favou?rite|want|hate|plan)|我.{0,6}(?:喜欢|偏好|讨厌|住|叫|打算|计划|习惯)",
    re.IGNORECASE,
)
_OF_CODE = re.compile(r"[/_.:]|\(\)|[a-z][A-Z]")
_CODE_WORDS = re.compile(
    r"\b(?:function|method|class|refactor(?:ed|ing)?|bugs?|tests?|commit(?:ted)?|branch|merge[ds]?|compile|build"
    r"|stack trace|exception|implement(?:ed)?|pull request)\b"
    r"|函数|方法|重构|报错|测试|提交|分支|合并|编译|构建|异常|实现",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What to look for: `text` goes to the embedder, `query` to the words.

    `prompted` tells words that were said to an agent, and are only perhaps about something remembered, from
    a question that was put to memory; `chatter` a prompt that is about nothing. `names` is what it may name.
    """

    text: str
    query: Query
    prompted: bool = False
    chatter: bool = False
    names: Asked = NOTHING

    @property
    def scene(self) -> Scene | None:
        """The scene that a question is about by its words alone; None where they do not tell."""
        if _OF_A_PERSON.search(self.text):
            return "chat"
        named = any(word.name and _OF_CODE.search(word.text) for word in self.query.words)
        return "coding" if named or _CODE_WORDS.search(self.text) else None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for: no word, or for a prompt no more than a greeting or a nod."""
        return self.chatter or not (self.query.words or self.query.grams)


def plan(question: str, cut: Cut | None, *, prompted: bool = False) -> Plan:
    """The plan for a question; `prompted`: for a prompt on its way to an agent."""
    query = words.query(question, cut)
    quoted = {
        word.text
        for found in _QUOTED.finditer(question[: words.QUERY_HEAD_CHARS])
        for word in words.query(" ".join(filter(None, found.groups())), cut).words
    }
    marked = tuple(word._replace(name=word.name or word.text in quoted) for word in query.words)
    chatter = prompted and _chatter(query, asks=_asks(question, cut))
    return Plan(question, query._replace(words=marked), prompted, chatter, named.asked(question))


def telling(text: str, cut: Cut | None) -> frozenset[str]:
    """The words of a text, as a question would be looked for by them, that tell what it is about."""
    common = everyday.tokens()
    return frozenset(word.text for word in words.query(text, cut).words if word.text not in common)


def _asks(prompt: str, cut: Cut | None) -> bool:
    """Whether a prompt is a question of more than three words."""
    if not re.search("[?？]", prompt):
        return False
    said = words.index(prompt[:_SHORT_CHARS], cut)
    return len(said.main.split()) > 3 or len(said.grams) > _SHORT_GRAMS


def _chatter(query: Query, *, asks: bool) -> bool:
    """Whether a prompt is about nothing: stop words, one word that is no name, or nods and everyday words."""
    content = query.words or tuple(map(words.Word, query.grams))
    if query.bare:
        return True
    if asks or any(word.name for word in content):
        return False
    nods = sum(word.text in _nods() for word in content)
    common = sum(
        word.text in _nods() or word.text in everyday.tokens() or word.text.isdigit() for word in content
    )
    few = len(content) <= (_NODDING_WORDS if nods else _EVERYDAY_WORDS)
    return len(content) == 1 or (few and common == len(content))


@cache
def _nods() -> frozenset[str]:
    """Nods as search words; Chinese ones also by their pairs, as a question has them without a cutter."""
    said: set[str] = set()
    for word in _NODS.split():
        tokens = words.index(word, None)
        said.update([*tokens.main.split(), *(gram for gram in tokens.grams.split() if len(gram) > 1), word])
    return frozenset(said)
