"""What a sentence says that its evidence does not: a number, a version, a path, a link, a name, a "not" or "always"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache

from ...store import english, everyday, han
from ..merging import numerals

_NUMBER = re.compile(r"\d+(?:[.,:/_-]\d+)*")
_LATIN = re.compile(r"[A-Za-z0-9_@~$\\/.][\w@~$\\/.:%#+?=&-]*", re.ASCII)
_HAN = re.compile(r"[\u3400-\u9fff]+")
_MARKED = re.compile(r"[/\\_@~$#]|\w\.\w|\d|[a-z][A-Z]|::|\.\w", re.ASCII)
_WORD_NUMBERS = {
    name: str(number)
    for number, name in enumerate(
        str.split("zero one two three four five six seven eight nine ten eleven twelve")
    )
} | {
    "twenty": "20",
    "thirty": "30",
    "hundred": "100",
    "thousand": "1000",
    "half": "0.5",
    "once": "1",
    "twice": "2",
}
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九十百千万]+")
# A single Chinese numeral is a number before one of these, and part of a word elsewhere ("统一", "一起").
_MEASURES = "个条次天年月日周岁点分秒人台种倍号级层行字版位名项份句遍轮章节页步回小号季"
_NOT_NUMBERS = re.compile(
    "统一|一起|一样|一定|一般|一直|一些|一下|万一|唯一|第一时间|一律|一旦|一点|一边"
    "|三方|百分|十分|千万别?|万能"
)
_NOT = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t|dont|doesnt|cant|wont|avoid\w*|stop\w*"
    r"|hate\w*|dislike\w*|refus\w+|forbid\w*|ban|banned|quit|except|unless|instead|rather|anymore|any ?more|no longer"
    r"|against|allergic|sick of|tired of|gave up|give up|dropped?|ditch\w*|switched (?:away )?from|moved (?:away )?from"
    r"|cancel\w*|called off|skip\w*|refrain\w*|detest\w*|loathe\w*|despise\w*|rarely|hardly|seldom)\b"
    r"|[不没无别勿未禁非莫]|讨厌|停[止用掉]|取消|拒绝|避免|除非|反感|受够|放弃|弃用|换掉|过敏|戒",
    re.IGNORECASE,
)  # fmt: skip
_NO_NEGATION = re.compile(
    "不错|特别|非常|区别|级别|类别|分别|识别|未来|无线|不过|性别|不同|不断|不仅|差不多|国别|无论|不管|别名|除非洲"
)
_OPPOSITES = (
    ("enable", "disable"), ("allow", "forbid"), ("always", "never"), ("before", "after"), ("more", "less"),
    ("increase", "decrease"), ("true", "false"), ("light", "dark"), ("with", "without"), ("include", "exclude"),
    ("启用", "停用"), ("启用", "禁用"), ("允许", "禁止"), ("打开", "关闭"), ("开启", "关闭"), ("之前", "之后"),
    ("增加", "减少"), ("浅色", "深色"), ("同步", "异步"), ("支持", "反对"), ("喜欢", "讨厌"),
)  # fmt: skip
# Of always and of never: how long something holds is part of what was said.
_LASTING = re.compile(
    r"\b(?:always|never|forever|permanently|henceforth|whenever|(?:every|each|any) ?time|at all times|all the time"
    r"|from now on|from (?:today|here) on|going forward|in (?:the )?future|from this point on|invariably|ever)\b"
    r"|永远|始终|总是|一律|每次|每回|每当|以后|今后|往后|从今|从此|任何时候|无论何时|从不|绝不|一直|向来",
    re.IGNORECASE,
)
# What a sentence about someone is made of, beside what it says.
PLAIN_HAN = re.compile(
    "用户|我们|他们|自己|喜欢|偏好|使用|希望|要求|计划|决定|目前|现在|以后|今后|项目|团队|应该|需要"
    "|因为|所以|因此|由于|并且|而且|以及|提醒|记住|回复|回答|进行|通过|成功|失败|完成|之前|之后|已经"
    "|开始|原来|改为|改成|改用|采用|选择|习惯|目标|认为|觉得|任务|问题|解决|修复|修改|增加|添加|更新"
    "|检查|确认|运行|测试|结果|原因|文件|代码|功能|实现|方法|支持|处理|可以|必须|然后|如果|或者|不再|没有"
)
_OPENERS = frozenset(
    str.split(
        "user users the i we my our he she they it a an this that these those in on for from with when while after"
        " before always never use uses using prefer prefers likes wants decided plans works lives has is are was be"
        " please keep rotate remind reminder session tests test fixed added removed changed made wrote ran run asked"
        " read updated edited moved built outcome why done if since as at by to do not no patch repair rewrite mock"
        " guard migrate validate rerun investigate debug bump refactor parse cache load install upgrade downgrade"
        " configure convert extract inline split merge rename restore rebuild reformat translate summarize draft"
        " compute render log retry cast escape encode decode sort filter stub seed wrap skip deploy revert commit push"
        " tag document lint format import export port pin lock unlock raise catch throw expose hide"
    )
)


def introduced(
    text: str,
    quote: str,
    around: str = "",
    days: Iterable[date] = (),
    *,
    links_from: str | None = None,
    han_names: bool = True,
) -> str | None:
    """
    The first thing that a text says and its evidence does not; None where it says nothing of its own.

    Args:
        quote: what numbers and negations must stand in.
        around: where a name or a path may also come from: what was said near it.
        days: dates that the quote means, so that they may be written out.
        links_from: where links must stand, if not in either.
        han_names: whether Chinese words count as names that must be there: so for what quotes one sentence, not for
            what sums up several.
    """
    said, quote = _plain(text), _plain(quote)
    all_ = f"{quote}\n{_plain(around)}"
    return (
        _number(said, quote, days)
        or _negation(said, quote)
        or _lasting(said, quote)
        or _name(said, all_, days)
        or _link(said, all_ if links_from is None else _plain(links_from))
        or (_han_name(said, all_) if han_names else None)
    )


def same_language(text: str, quote: str) -> bool:
    """Whether a text is in the script of its quote, Chinese or another."""
    few = sum(char.isalpha() for char in text) < 4
    return few or bool(_HAN.search(text)) == bool(_HAN.search(quote))


def denies(text: str) -> bool:
    """Whether a text has a word that denies, forbids or ends something."""
    return _NOT.search(_NO_NEGATION.sub("  ", _plain(text))) is not None


def numbers(text: str) -> frozenset[str]:
    """The numbers of a text, in either script, as digits."""
    return frozenset((*_digits(_plain(text)), *_worded(_plain(text), every=False)))


def names(text: str) -> frozenset[str]:
    """What in a text is written like a name, a path, a version or a symbol, in small letters."""
    return frozenset(token.casefold() for token in _tokens(_plain(text)) if _is_name(token))


def _plain(text: str) -> str:
    return han.normal(text).replace("’", "'")


def _number(said: str, quote: str, days: Iterable[date]) -> str | None:
    known = {*_digits(quote), *_worded(quote, every=True)}
    of_days = {str(part) for day in days for part in (day.year, day.month, day.day)}
    for number in (*_digits(said), *_worded(said, every=False)):
        parts = {part.lstrip("0") or "0" for part in re.split(r"\D", number)}
        if number not in known and not parts <= of_days:
            return number
    return None


def _digits(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        number = found[0]
        # "1,000" and "1000" are one.
        yield number.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+", number) else number


def _worded(text: str, *, every: bool) -> Iterator[str]:
    """Numbers in words; with `every` also those that may be part of another word."""
    for found in re.finditer(r"[a-z]+", text.casefold()):
        if (number := _WORD_NUMBERS.get(found[0])) and (every or found[0] not in ("one", "once", "half")):
            yield number
    plain = text if every else _NOT_NUMBERS.sub(lambda found: " " * len(found[0]), text)
    for found in _HAN_NUMBER.finditer(plain):
        after = plain[found.end() : found.end() + 1]
        if every or len(found[0]) > 1 or (after and after in _MEASURES):
            yield numerals.chinese(found[0]) or ""


def _negation(said: str, quote: str) -> str | None:
    if denies(said) and not denies(quote):
        found = _NOT.search(_NO_NEGATION.sub("  ", said))
        return found[0] if found else "not"
    low, evidence = said.casefold(), quote.casefold()
    for one, other in _OPPOSITES:
        for new, old in ((one, other), (other, one)):
            if _has(low, new) and not _has(evidence, new) and _has(evidence, old):
                return new
    return None


def _lasting(said: str, quote: str) -> str | None:
    """What makes a rule for all times of words that are none."""
    found = _LASTING.search(said)
    return found[0] if found and not _LASTING.search(quote) else None


def _has(text: str, word: str) -> bool:
    return word in text if not word.isascii() else re.search(rf"\b{word}", text) is not None


def _tokens(text: str) -> Iterator[str]:
    for found in _LATIN.finditer(text):
        token = found[0].rstrip(".:?#-/").removesuffix("'s")
        if token:
            yield token


def _is_name(token: str) -> bool:
    return bool(_MARKED.search(token)) or any(char.isupper() for char in token[1:])


def _name(said: str, evidence: str, days: Iterable[date]) -> str | None:
    known, chinese = evidence.casefold(), _HAN.search(said) is not None
    written = {day.strftime(form).casefold() for day in days for form in ("%B", "%b", "%A", "%a", "%Y-%m-%d")}
    start = True
    for found in _LATIN.finditer(said):
        token = found[0].rstrip(".:?#-/")
        opens, start = (
            start,
            bool(re.match(r"[.!?。！？:：]", said[found.start() + len(token) :].lstrip("\"'”"))),
        )
        low = token.casefold()
        if len(token) < 2 or low in written or token.replace(".", "").replace("-", "").isdigit():
            continue
        named = _is_name(token) or (token[0].isupper() and not (opens and _is_common(low)))
        if (named or chinese) and low not in known and low.rstrip("s") not in known:
            return token
    return None


def _is_common(word: str) -> bool:
    return word in _common() or english.stem(word) in _common() or english.stem(word) in _stems()


@cache
def _stems() -> frozenset[str]:
    return frozenset(map(english.stem, _OPENERS))


@cache
def _common() -> frozenset[str]:
    """Words that open a sentence with a capital and are no names."""
    return _OPENERS | everyday.tokens()


def _link(said: str, evidence: str) -> str | None:
    for found in re.finditer(r"(?:https?://|www\.)[^\s，。；）)\"'>]+", said):
        if found[0].rstrip(".,") not in evidence:
            return found[0]
    return None


def _han_name(said: str, evidence: str) -> str | None:
    """A run of two or more characters of which the evidence has none, beside the words that any sentence has."""
    for run in _HAN.findall(PLAIN_HAN.sub(" ", said)):
        new = "".join(char if char not in evidence else " " for char in run)
        if found := next((part for part in new.split() if len(part) > 1), None):
            return str(found)
    return None
