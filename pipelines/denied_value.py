"""
Whether what is denied is what is known: the same value by its own name, or a whole that takes it in, and no part of it.

    "GitHub"     denies "GitHub", "GitHub for work"          "GitHub Copilot" does not deny "GitHub"
    "阿里"       denies "阿里", "阿里巴巴"                    "飞书文档" does not deny "飞书"
"""

from __future__ import annotations

import re

from .regions import is_region

# Names that are said for one another, and would not be found by how they begin.
_ALIASES = (
    ("vs code", "vscode", "visual studio code", "code"),
    ("postgres", "postgresql", "pg"),
    ("macos", "mac os", "os x", "osx"),
    ("neovim", "nvim"),
    ("mongodb", "mongo"),
    ("intellij", "intellij idea"),
    ("sublime", "sublime text"),
    ("iterm", "iterm2"),
    ("google chrome", "chrome"),
    ("mozilla firefox", "firefox"),
    ("microsoft teams", "ms teams", "teams"),
    ("阿里", "阿里巴巴"),
    ("字节", "字节跳动"),
    ("蚂蚁", "蚂蚁集团", "蚂蚁金服"),
    ("企业微信", "企微"),
    ("北京大学", "北大"),
    ("清华大学", "清华"),
)
_NAME_OF = {one: names[0] for names in _ALIASES for one in names}
_LEADS = re.compile(r"(?:the|my|our|an?|any)\s+|(?:这个|那个|我的)", re.IGNORECASE)
# What may stand after a name and names no more than it: what it is, how long or how much, when, where and why.
_GOES_ON = re.compile(
    r"(?:\s*(?:[,(（，].*|\b(?:text |code |web )?(?:editor|ide|shell|terminal|multiplexer|browser|app"
    r"|application|program"
    r"|tool|software|client|service|database|db|operating system|os|language|framework|distro|keyboard|layout|laptop"
    r"|itself|proper|corp(?:oration)?|inc|ltd|llc|gmbh|ag|company|labs?|city|town|at all|altogether|entirely"
    r"|completely"
    r"|any ?more|any longer|now|again|much|for good|either|too|though|as well|directly"
    r"|(?:because|since|as|for|in|on|at|to|from|with|after|before|when|while|if|but|and|or|so|last|this|these|over|by"
    r"|instead|due|except|unless|until|till|yesterday|today|tomorrow|a|an|the|\d+ (?:day|week|month|year)s? ago)\b.*)"
    r"(?=$|[\s,.])"
    r"|编辑器|浏览器|终端|软件|应用|系统|数据库|客户端|工具|语言|框架|键盘|公司|集团|总部|市|这个.*"
    r"|来?[写编做搞管跑看查画].*|了|\.))+"
)


def denies(denied: str, held: str) -> bool:
    """Whether who says that `denied` is over says so of `held`."""
    mine, theirs = _plain(denied), _plain(held)
    if not mine or not theirs:
        return False
    if _NAME_OF.get(mine, mine) == _NAME_OF.get(theirs, theirs):
        return True
    if mine.startswith(theirs):
        return _ends_name(theirs, mine) and _GOES_ON.fullmatch(mine[len(theirs) :]) is not None
    if is_region(mine) and theirs.removeprefix(mine) == " city":
        return False  # Mexico City is not Mexico
    return len(mine) > 1 and theirs.startswith(mine) and _ends_name(mine, theirs)


def _ends_name(short: str, long: str) -> bool:
    """Whether a name is whole words of a longer one: "Java" is none of "JavaScript"."""
    return not short.isascii() or not (long[len(short)].isascii() and long[len(short)].isalnum())


def _plain(value: str) -> str:
    plain = " ".join(value.casefold().split())
    return _LEADS.sub("", plain, count=1) if _LEADS.match(plain) else plain
