"""
What a preference or a tool is about, by its value: "dark mode" and "深色模式" are both about the theme.

Only what has one value at a time for one person, or in one project, is a topic: statements about a topic
share a slot across languages and wordings, so that the newer one is current. Tools that live happily beside
each other (languages, libraries) are none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

_LANGUAGES = (
    "english|chinese|mandarin|cantonese|german|french|spanish|italian|portuguese|japanese|korean"
    "|russian|polish|dutch|turkish"
    "|arabic|hindi|vietnamese|thai|swedish|中文|汉语|普通话|英文|英语|简体(?:中文)?|繁体(?:中文)?"
    "|日语|日文|韩语|韩文|法语|德语|俄语"
    "|西班牙语|粤语"
)
_REPLIES = (
    "answer(?:s|ing)?|repl(?:y|ies|ying)|respon(?:d|se|ses|ding)|talk|speak|write (?:to )?me"
    "|explanations|explain"
)
# Whom or what else one answers than the user: "Always answer support tickets in German".
_TO_OTHERS = (
    r"(?!\s(?:to\s)?(?:[\w-]+\s){0,3}?(?:tickets?|customers?|clients?|users?|e-?mails?|mails?|reviews?|reviewers?|issues?"
    r"|threads?|reports?|reporters?|colleagues?|co-?workers?|forums?|chats?)\b)"
)
_TO_OTHERS_CHINESE = "(?!.{0,4}(?:客户|邮件|工单|用户|评论|同事|论坛))"
_REPLIES_CHINESE = "回答|回复|回我|答复|答案|解释|说明|跟我说|和我说|对话|交流|沟通|输出|讲"
_SIZES = (
    "short(?:er)?|brief(?:er|ly)?|concise(?:ly)?|terse(?:r|ly)?|succinct(?:ly)?|to the point"
    "|long(?:er)?|detailed|thorough|verbose"
    "|under \\w+ (?:lines|words|sentences)|one[- ]liners?|bullet points|to (?:one|two|three|a(?:"
    " single)?|a few|\\d+) (?:paragraph|sentence|line)s?"
    "|简短|简洁|简明|精简|简单|短一?点|详细|啰嗦|长一?点|一句话|废话|言简意赅"
)

_COMMITS = r"\bcommit (?:messages?|logs?|titles?)\b|提交(?:信息|说明|消息|日志|记录)"

# Manner: how things should look and read. Tools: what work is done with.
_MANNER = {
    "theme": r"\b(?:dark|light|night|high[- ]contrast)[- ]?(?:mode|themes?|colou?rs?|ui)\b|\b(?:solarized"
    r"|gruvbox|dracula|monokai|catppuccin|nord theme)\b"
    r"|(?:深|暗|浅|亮|黑|白|夜间?)[色]?(?:模式|主题|界面|背景|配色)|dark mode",
    "reply language": rf"(?:\b(?:{_REPLIES})\b{_TO_OTHERS}|(?:{_REPLIES_CHINESE}){_TO_OTHERS_CHINESE})"
    rf".{{0,30}}(?:{_LANGUAGES})"
    rf"|(?<![件单户论事]用)(?:{_LANGUAGES})"
    rf".{{0,10}}(?:\b(?:{_REPLIES})\b{_TO_OTHERS}|(?:{_REPLIES_CHINESE}){_TO_OTHERS_CHINESE})"
    rf"|^都?(?:用|说|讲)(?:{_LANGUAGES})(?:吧|就好|就行|即可)?$",
    "comment language": rf"(?:\b(?:comments?|docstrings?)\b|注释).{{0,20}}(?:{_LANGUAGES})"
    rf"|(?:{_LANGUAGES}).{{0,8}}(?:\b(?:comments?|docstrings?)\b|注释)",
    "commit language": rf"(?:{_COMMITS}).{{0,20}}(?:{_LANGUAGES})|(?:{_LANGUAGES}).{{0,8}}(?:{_COMMITS})",
    "docs language": rf"(?:\b(?:docs|documentation)\b|文档).{{0,20}}(?:{_LANGUAGES})"
    rf"|(?:{_LANGUAGES}).{{0,8}}(?:\b(?:docs|documentation)\b|文档)",
    "reply length": (
        rf"(?:\b(?:{_REPLIES})\b|{_REPLIES_CHINESE}).{{0,20}}(?:{_SIZES})"
        rf"|(?:{_SIZES})的?.{{0,12}}(?:\b(?:{_REPLIES})\b|{_REPLIES_CHINESE})"
    ),
    "indentation": (
        r"\b(?<!browser )(?<!new )(?<!open )tabs?(?: indent\w*)?\b(?! key| bar| group)"
        r"|\b(?:\w+[- ])?spaces\b|\bindent(?:ation|ing|s)?\b|缩进|空格|制表符"
    ),
    "quotes": r"\b(?:single|double)[- ]?quot(?:es?|ed|ation marks)\b|[单双]引号",
    "naming": r"\b(?:snake_?case|camel_?case|pascal_?case|kebab[-_ ]?case)\b|驼峰|下划线命名|匈牙利命名",
    "line length": (
        r"\b(?:line (?:length|width)|\d{2,3}[- ](?:columns?|characters? (?:per|a) line))\b|行宽"
        r"|每行\s?\d{2,3}"
    ),
    "semicolons": r"\bsemi-?colons?\b|分号",
    "merging": r"\bsquash(?:ing|es)?\b|\brebas(?:e|ing)\b|\bmerge commits?\b|变基",
    "commit style": r"\bconventional commits?\b|\bgitmoji\b|约定式提交",
    "docstring style": r"\b(?:google|numpy|sphinx|rest)[- ]style docstrings?\b",
}
_TOOLS = {
    "editor": (
        r"\b(?:n?vim?|neovim|emacs|vs ?code|visual studio(?: code)?|vscodium|intellij(?: idea)?"
        r"|pycharm|webstorm|goland|rider|clion|rustrover|sublime(?: text)?|helix|zed|nano|textmate"
        r"|xcode|android studio|notepad\+\+|kakoune|cursor)\b"
    ),
    "shell": r"\b(?:zsh|bash|fish(?: shell)?|nushell|powershell|pwsh|tcsh|xonsh)\b",
    "terminal": (
        r"\b(?:tmux|iterm2?|alacritty|kitty|wezterm|ghostty|windows terminal|konsole|gnome-terminal"
        r"|warp)\b"
    ),
    "machine": (
        r"\b(?:macbook(?: pro| air)?|mac ?mini|imac|mac studio|thinkpad|dell xps|surface(?: pro)?"
        r"|framework laptop|raspberry pi|chromebook|steam deck)\b"
    ),
    "operating system": (
        r"\b(?:mac ?os|os ?x|macs?|linux|ubuntu|debian|fedora|arch(?: linux)?|nixos|manjaro"
        r"|(?:linux )?mint|opensuse|centos|rhel|alpine|freebsd|openbsd|windows(?: \d+)?(?! terminal)"
        r"|win(?:10|11)|wsl2?|pop!?_?os|gentoo|kali)\b|鸿蒙|统信|麒麟系统|深度系统"
    ),
    "browser": r"\b(?:firefox|chrome|chromium|safari|microsoft edge|brave|vivaldi|arc browser)\b",
    "package manager": r"\b(?:p?npm|yarn|bun)\b",
    "python package manager": r"\b(?:pip(?:env)?|uv|poetry|conda|mamba|pdm|rye|pixi)\b",
    "bundler": r"\b(?:webpack|vite|rollup|esbuild|parcel|turbopack|rspack|rsbuild)\b",
    "database": (
        r"\b(?:postgres(?:ql)?|pg|mysql|mariadb|sqlite|mongo(?:db)?|oracle|sql server|mssql"
        r"|cockroach(?:db)?|dynamodb|tidb|oceanbase|clickhouse)\b|达梦|人大金仓"
    ),
    "cache": r"\b(?:redis|memcached|valkey|dragonfly)\b",
    "message queue": r"\b(?:kafka|rabbitmq|pulsar|rocketmq|nats|activemq|zeromq)\b",
    "test framework": r"\b(?:pytest|unittest|nose2?|jest|vitest|mocha|jasmine|junit|testng)\b",
    "formatter": r"^black\b(?! (?:and white|box|list|hole|magic|friday|screen|background|theme))|\b(?-i:Black)\b"
    r"|\b(?:prettier|biome|yapf|gofumpt|clang-format|rustfmt)\b",
    "ci": (
        r"\b(?:gitlab[- ]ci|github actions|jenkins|circleci|travis(?: ci)?|teamcity|buildkite"
        r"|drone(?: ci)?|azure pipelines|woodpecker)\b"
    ),
    "code host": r"\b(?:github|gitlab|bitbucket|gitea|codeberg|forgejo)\b(?! (?:actions|ci))|码云|gitee",
    "tracker": r"\b(?:jira|linear|youtrack|trello|asana|redmine|shortcut)\b|禅道",
    "chat tool": r"\b(?:slack|microsoft teams|discord|mattermost|zulip)\b|飞书|钉钉|企业微信",
    "keyboard": r"\b(?:dvorak|colemak(?:-dh)?|qwertz|azerty|workman)\b",
}
# In these a tool or a manner holds for itself: tabs in Go, spaces in Python.
_CONTEXT = re.compile(
    r"\b(?:in|for|with|when writing|on) (?P<english>python|go(?:lang)?|rust|java(?:script)?"
    r"|typescript|js|ts|c\+\+|c#|c|ruby|php|kotlin|swift|sql|html|css|scss"
    r"|yaml|json|toml|markdown|shell scripts?|bash|makefiles?|react|vue|lua|scala|haskell"
    r"|elixir|erlang|dart|zig|r|tests?|docs|documentation"
    r"|frontend|backend|work|personal projects|side projects|commit messages|comments"
    r"|production|prod|staging)\b"
    r"|(?:在|写|搞|做)\s?(?P<chinese>python|go|rust|java(?:script)?|typescript|js|ts|c\+\+|c#|c"
    r"|php|kotlin|swift|sql|yaml|json|markdown|前端|后端|脚本|测试|文档)"
    r"(?:代码|项目)?(?:里面?|中|的时候|时)?",
    re.IGNORECASE,
)

Sort = Literal["manner", "tool"]


class Topic(NamedTuple):
    """What a value is about, and whether that is a manner or a tool."""

    name: str
    sort: Sort


@cache
def _patterns() -> tuple[tuple[Topic, re.Pattern[str]], ...]:
    tables: tuple[tuple[Sort, dict[str, str]], ...] = (("manner", _MANNER), ("tool", _TOOLS))
    # \b takes Han for word characters; "用vim写" has no boundary but by ASCII rules.
    return tuple(
        (Topic(name, sort), re.compile(pattern, re.IGNORECASE | re.ASCII))
        for sort, table in tables
        for name, pattern in table.items()
    )


def topic(value: str) -> Topic | None:
    """What a value is about: the topic that is named first in it, of two at one place the earlier listed."""
    best: tuple[int, int] | None = None
    for rank, (_, pattern) in enumerate(_patterns()):
        found = pattern.search(value)
        if found and (best is None or (found.start(), rank) < best):
            best = found.start(), rank
    return _patterns()[best[1]][0] if best else None


@cache
def _spoken() -> re.Pattern[str]:
    return re.compile(_LANGUAGES, re.IGNORECASE)


def spoken(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where between two offsets a language that people speak is named; None where none is."""
    found = _spoken().search(text, start, end)
    return found.span() if found else None


def context(text: str) -> str | None:
    """The language, kind of file or place that a statement is limited to ("in Python"), in lower case."""
    found = _CONTEXT.search(text)
    return (found.group("english") or found.group("chinese")).lower() if found else None
