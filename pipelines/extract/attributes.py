"""
What a plain text says of a thing that has one such value at a time: a port, a default branch, an owner.

    "The worker port is 8080" / "The port of the worker is 9090"     one slot, of:worker port
    "项目的包管理器是 npm" / "This project uses pnpm"                    one slot, uses:package manager

Only where the thing is named, or is the project's own ("the port" may be any), and the value is one plain value. It is
for texts that somebody wants kept: in a prompt such a sentence is mostly about the task.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...store import products
from ..merging.measures import NOW, ONE_OF_MANY, SECOND_PORTS, amount, dimension
from .changed import as_it_is
from .qualifiers import limits
from .topics import topic


@dataclass(frozen=True, slots=True)
class Attribute:
    """Of a thing, what it is said to be: the slot, the thing with what is told of it, and the value."""

    slot: str
    thing: str
    value: str


@dataclass(frozen=True, slots=True)
class _Known:
    """One thing that is told: its name, the words for it, what its value must be, and whether a project has one."""

    name: str
    words: str
    fits: Callable[[str], bool]
    of_project: bool = False


_STATES = re.compile(
    r"(?:not|no|never|only|also|too|very|always|being|un\w+|in\w+(?:ed|able)|\w+able|\w+ing|\w{3,}ed|set|wrong"
    r"|missing|free"
    r"|open|closed|busy|down|up|slow|fast|full|empty|the same|different|optional|broken|fixed|random|dynamic"
    r"|important"
    r"|stable|outdated|old|new|available|ready|public|private|secret|valid|invalid|a|an|one|both|either|any)\b"
    r"|[不没未很太一个满空错对可必需随动已被这那谁什]",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:and|or|but|plus|both)\b|[,，;；、/]\s|和|或|以及|\bto\s\d", re.IGNORECASE)


def _plain(value: str) -> bool:
    return len(value.split()) <= 4 and _STATES.match(value) is None


def _command(value: str) -> bool:
    return len(value.split()) <= 8 and _STATES.match(value) is None


def _number(value: str) -> bool:
    plain = re.fullmatch(r"[\d][\d.,_]*\s?\+?\s?[A-Za-z\u4e00-\u9fff%]{0,12}", value) is not None
    return plain or amount(value) is not None


def _port(value: str) -> bool:
    return re.fullmatch(r"\d{2,5}", value) is not None and value not in SECOND_PORTS


def _place(value: str) -> bool:
    return re.fullmatch(r"\S+", value) is not None and re.search(r"[./:\d]|localhost", value) is not None


def _version(value: str) -> bool:
    return re.fullmatch(r"v?\d[\w.-]*\+?", value) is not None


def _person(value: str) -> bool:
    return (
        re.fullmatch(r"(?:[A-Z][\w'’-]*)(?:\s[A-Z][\w'’-]*){0,2}|[\u4e00-\u9fff]{2,4}|@[\w.-]+", value)
        is not None
        and _STATES.match(value) is None
        and re.search("[的了人们]$", value) is None
    )


_PRODUCTS = (
    r"node(?:\.?js)?|python|go|java|jdk|ruby|php|rust|typescript|react|vue|angular|django|rails"
    r"|postgres(?:ql)?|mysql|redis"
    r"|docker|kubernetes|spring boot|next(?:\.js)?|kotlin|scala|\.net|elixir|swift|gradle|terraform"
)
_TABLE = (
    _Known("package manager", r"package manager|包管理器|包管理工具", _plain, True),
    _Known("test framework", r"test (?:framework|runner)|测试框架", _plain, True),
    _Known("bundler", r"bundler|打包工具|构建工具", _plain, True),
    _Known("database", r"(?:main |primary )?database|数据库", _plain, True),
    _Known("ci", r"ci(?: system| provider| service)?|持续集成", _plain, True),
    _Known("formatter", r"(?:code )?formatter|格式化工具", _plain, True),
    _Known("linter", r"linter", _plain, True),
    _Known("default branch", r"(?:default|main|base|trunk|primary) branch|默认分支|主分支|主干分支", _plain, True),
    _Known("release branch", r"release branch|发布分支|发版分支", _plain, True),
    _Known("license", r"licen[cs]e|许可证|开源协议", _plain, True),
    _Known("test command", r"test command|测试命令", _command, True),
    _Known("build command", r"build command|构建命令|编译命令", _command, True),
    _Known("lint command", r"lint command|lint\s?命令", _command, True),
    _Known("start command", r"(?:start|run|dev) command|启动命令", _command, True),
    _Known("deploy command", r"deploy(?:ment)? command|部署命令", _command, True),
    _Known("tech lead", r"tech(?:nical)? lead|技术负责人", _person, True),
    _Known("product owner", r"product owner|产品负责人", _person, True),
    _Known("scrum master", r"scrum master", _person, True),
    _Known("port", r"port(?: number)?|端口号?", _port),
    _Known("url", r"(?:base )?url|endpoint|web address|网址|地址|链接", _place),
    _Known("domain", r"domain(?: name)?|hostname|域名|主机名", _place),
    _Known("ip", r"ip(?: address)?|ip\s?地址", _place),
    _Known("region", r"region|区域|地域", _place),
    _Known("timeout", r"timeout|超时(?:时间)?", _number),
    _Known("ttl", r"ttl|过期时间|有效期", _number),
    _Known("batch size", r"batch size|批大小|批次大小", _number),
    _Known("page size", r"page size|分页大小", _number),
    _Known("pool size", r"(?:connection )?pool size|连接池大小", _number),
    _Known("log level", r"log level|日志级别", _plain),
    _Known("owner", r"owner|负责人|维护人", _person),
    _Known("version", rf"(?:(?:{_PRODUCTS})\s)?version|(?:(?:{_PRODUCTS})\s?)?(?:的\s?)?版本", _version),
)  # fmt: skip
_ENGLISH = re.compile(
    r"(?:note that,?\s)?(?:(?:the|our|this|my)\s)?(?P<thing>[\w .'’/@-]{1,70}?)\s(?:is|are|=)\s"
    r"(?:(?:still|set to|called|named|at)\s)*(?P<value>[^;!?]{1,80})",
    re.IGNORECASE,
)
_OF = re.compile(r"(?P<told>.{2,30}?)\s(?:of|for)\s(?:(?:the|our|this)\s)?(?P<whose>.{2,40})", re.IGNORECASE)
_CHINESE = re.compile(
    r"(?:我们的?|这个|本|该|咱们的?)?(?P<thing>(?!把)[^，,。；;：:？！是为]{2,30}?)\s?"
    r"(?:已经)?(?:改?[是为]|改成了?|换成了?|设为|[：:])\s?(?P<value>[^，,。；;？！]{1,60})"
)
_LISTENS = re.compile(
    r"(?:(?:the|our)\s)?(?P<thing>[\w .'’/-]{2,50}?)\s(?:listens|runs|serves|is served|is exposed|is)\son"
    r"\sport\s(?P<value>\d{2,5}.{0,40})"
    r"|(?P<chinese>[^，,。；;：:]{2,24}?)(?:监听|运行在|跑在|占用"
    r"|使用)(?:的是)?\s?(?:端口\s?(?P<after>\d{2,5})|(?P<before>\d{2,5})\s?端口)",
    re.IGNORECASE,
)
_TIMES_OUT = re.compile(
    r"(?:(?:the|our)\s)?(?P<thing>[\w .'’/-]{2,50}?)\stimes out after\s(?P<value>\d.{0,20})"
    r"|(?P<chinese>[^，,。；;：:\d]{2,24}?)\s?(?P<after>\d[\d.]*\s?(?:毫秒|秒钟?|分钟|小时))后?就?(?:会|算)?超时",
    re.IGNORECASE,
)
_REQUIRES = re.compile(
    rf"(?:(?:the|our|this)\s)?(?P<thing>[\w .'’/-]{{2,50}}?)\s(?:requires|needs|uses|targets"
    rf"|is pinned to)\s"
    rf"(?P<least>at least\s)?(?P<product>{_PRODUCTS})\s(?P<value>v?\d[\w.-]*\+?.{{0,40}})"
    rf"|(?:这个|本|该|我们的?)?(?P<chinese>[^，,。；;：:]{{2,20}}?)(?:要求|需要|使用|用)(?:的是)?\s?"
    rf"(?P<named>{_PRODUCTS})\s?(?P<after>v?\d[\w.-]*)(?:版本?)?(?P<above>及?以上|或更高)?",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"(?:run\s)?(?:(?:the|our|all)\s)?(?P<thing>(?:[\w-]{2,14}\s)?tests)\s(?:(?:are run|run|are started"
    r"|are executed)\s)?"
    r"(?:with|by|via|using)\s(?P<value>.{2,60})",
    re.IGNORECASE,
)
# A project's own; who says "the repo's default branch" says no more than "the default branch".
_PROJECT = re.compile(
    r"(?:the |our |this )?(?:project|repo(?:sitory)?|codebase|code base|app|application|package|monorepo|workspace)"
    r"|(?:本|这个|我们的?|该)?(?:项目|仓库|代码库|工程)",
    re.IGNORECASE,
)
_PRODUCT_NAMES = {
    "nodejs": "node",
    "node.js": "node",
    "postgresql": "postgres",
    "jdk": "java",
    "next.js": "next",
}


def attribute(text: str) -> Attribute | None:
    """What a text says of one thing that has one value, where it says only that."""
    words = as_it_is(" ".join(NOW.sub(" ", text).split()).rstrip(" .!。！"))
    if ONE_OF_MANY.match(words):
        return None
    if found := _TESTS.fullmatch(words):
        kind = found["thing"].casefold().removesuffix("tests").strip()
        return _made(words, f"{kind} test command", found["value"].strip("`"), _command)
    if found := _LISTENS.fullmatch(words):
        if any(word in products.NAMES for word in re.findall(r"\w+", words.casefold())):
            return None  # many know it by several ports at once
        value = found["value"] or found["after"] or found["before"]
        return _made(words, f"{_thing(found['thing'] or found['chinese'])} port", value, _port)
    if found := _TIMES_OUT.fullmatch(words):
        thing = _thing(found["thing"] or found["chinese"])
        return _made(words, f"{thing} timeout", found["value"] or found["after"], _number)
    if found := _REQUIRES.fullmatch(words):
        product = (found["product"] or found["named"]).casefold()
        thing = f"{_thing(found['thing'] or found['chinese'])} {_PRODUCT_NAMES.get(product, product)} version"
        bound = " minimum" if found["least"] or found["above"] else ""
        return _made(words, thing.strip() + bound, found["value"] or found["after"], _version)
    found = _ENGLISH.fullmatch(words) or _CHINESE.fullmatch(words)
    return _of_table(words, found["thing"], found["value"]) if found else None


# Few things are in the table: that one of it is named is seen before each is looked for.
_ANY_KNOWN = re.compile("|".join(known.words for known in _TABLE), re.IGNORECASE)


def _of_table(words: str, thing: str, value: str) -> Attribute | None:
    if not _ANY_KNOWN.search(thing):
        return None
    of = _OF.fullmatch(thing)
    for known in _TABLE:
        if of and re.fullmatch(known.words, of["told"], re.IGNORECASE):
            return _known(words, known, of["whose"], of["told"], value)
        found = re.fullmatch(
            rf"(?P<whose>(?:.*?(?:['’]s?\s|\s|的\s?"
            rf"|(?<=[\u4e00-\u9fff])))?)(?P<told>{known.words})",
            thing,
            re.IGNORECASE,
        )
        if found:
            return _known(words, known, found["whose"], found["told"], value)
    return None


def _known(words: str, known: _Known, whose: str, told: str, value: str) -> Attribute | None:
    whose = _thing(whose)
    if whose.startswith(("user", "用户")):
        return None
    name = known.name
    if name == "version" and (product := re.match(_PRODUCTS, told, re.IGNORECASE)):
        name = f"{_PRODUCT_NAMES.get(product[0].casefold(), product[0].casefold())} version"
    elif not whose and not known.of_project:
        return None
    return _made(words, f"{whose} {name}".strip(), value, known.fits)


def _thing(text: str) -> str:
    plain = re.sub(r"['’]s?$", "", text.strip().casefold()).removesuffix("的").strip()
    plain = re.sub(r"^(?:the|our|this|my)\s", "", plain)
    return "" if _PROJECT.fullmatch(plain) else plain


def _made(words: str, thing: str, value: str, fits: Callable[[str], bool]) -> Attribute | None:
    """What is said of a thing, with what limits it; None where the value is none, or several."""
    at = words.rfind(value)
    bound = limits(words, 0, (at, len(words)), about=None, slot="of:")
    head = value
    if led := re.search(r"\s(?:in|on|for|at|during|when|while|within|inside)\s", value, re.IGNORECASE):
        if bound.name is None:
            return None  # more is said than can be told apart
        head = value[: led.start()]
    head = head.strip(" `'\"“”")
    if not fits(head) or (fits is not _command and _SEVERAL.search(head)):
        return None
    limit = f"@{bound.name}" if bound.name else ""
    about = topic(head)
    if about is not None and about.sort == "tool" and thing == about.name:
        return Attribute(f"uses:{about.name}{limit}", "team", head)
    value = amount(head) or head if fits is _number else head
    # A size in pieces and one in bytes are two.
    sort = "#bytes" if fits is _number and dimension(value) == "bytes" else ""
    return Attribute(f"of:{thing}{sort}{limit}"[:300], thing, value)
