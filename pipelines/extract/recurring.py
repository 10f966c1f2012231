"""What comes back every week, month or day: it is no plan for one day, and has no end."""

from __future__ import annotations

import re
from dataclasses import replace

from .chat_events import EVENTS
from .chat_rule import clause
from .chat_sentence import Said, drafted
from .drafts import Draft

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_EACH = (
    rf"(?:every|each)\s(?:other\s|second\s|single\s)?(?:(?:{_DAY}|day|week|month|year|quarter|weekday|morning|evening"
    r"|night|sprint)\b|(?:first|last|\d+(?:st|nd|rd|th))\s)"
)
_ENGLISH_WHEN = (
    rf"(?:(?:on\s)?{_EACH}|(?:on\s)?{_DAY}s\b|on weekdays\b|on weekends\b"
    r"|(?:daily|weekly|biweekly|fortnightly|monthly|quarterly|yearly)\b|on the \d+(?:st|nd|rd|th)? of (?:every|each)\s)"
)
_CHINESE_WHEN = (
    r"(?:每(?:隔)?(?:个|一)?[一二两三四五六七八九十\d]?个?(?:周|星期|礼拜)(?:[一二三四五六日天末][、和]?)*"
    r"|每(?:个|一)?月(?:份)?(?:的)?(?:第?[一二三四五六七八九十\d]{1,3}(?:[日号]|个?(?:周|星期)[一二三四五六日天])|初|底|末)?"
    r"|每(?:天|日|晚|早|年|个?季度|个?工作日|逢)|逢(?:周|星期)[一二三四五六日天])"
)
_WHEN = re.compile(rf"\b{_ENGLISH_WHEN}|{_CHINESE_WHEN}", re.IGNORECASE)

# Whose it is: of the user or the team, or an event by its name. What a program does each day is no such thing.
_OURS = re.compile(
    r"(?:i|we)(?:'ve| have)?\s(?:also\s|now\s|always\s|usually\s)?(?:have|meet|deploy|release|ship|hold|do|get paid"
    r"|review|plan|work (?:from home|remotely)|am off|are off|teach|train|play|go|take|sync|join|attend|host|pay|submit"
    r"|report)\b"
    r"|(?:i'm|i am|we're|we are)\s(?:meeting|having|seeing|off|away|out|on call|in the office)\b"
    r"|(?:my|our|the)\s(?:team'?s?\s)?(?:salary|payday|rent|paycheck|invoice|backup)\b",
    re.IGNORECASE,
)
_NAMES = rf"(?:{EVENTS}|stand-up|sync|one-on-one|1:1|planning|payday|lunch|dinner|class)"
_EVENT = rf"(?:[\w.&/'-]{{1,30}}\s){{0,3}}?{_NAMES}s?"
_IS_EVENT = re.compile(
    rf"(?:(?:the|our|my)\s)?(?P<event>{_EVENT})\s(?:is|are|happens?|takes? place|starts?|runs?|meets?)\s"
    r"(?:(?:now|usually|always|held|scheduled)\s|(?:at|from)\s[\d:.]{1,5}\s?(?:[ap]\.?m\.?)?\s){0,3}",
    re.IGNORECASE,
)
_CHINESE_DOES = re.compile(
    r"(?:开|有|是|进行|参加|交|发|还|付|领)?[\u4e00-\u9fff\w]{0,6}?"
    r"(?P<event>站会|例会|周会|早会|晚会|组会|月会|会议|会|评审|复盘|发版|上线"
    r"|发布|值班|体检|团建|工资|房租|房贷|周报|月报|日报|课|健身|聚餐|封版|部署)(?:时间|日)?(?:了|的)?$"
)
# Days of each week by the words around them, where no "every" says so.
_DAILY = re.compile(
    r"(?:(?:我们?|咱们?|团队|大家)(?:组|都)?)?"
    r"(?:(?:周|星期|礼拜)[一二三四五六日天](?:到|至|[-~—])(?:周|星期|礼拜)?[一二三四五六日天]|工作日)"
    r"(?:每天)?(?:都|必须|每天)(?:要|得|必须|需要)?(?:写|交|发|开|打)?(?P<event>日报|站会|例会|早会|晚会|打卡)"
)
_USUAL = re.compile(
    r"(?:我们|咱们?|团队|公司|组里)(?P<by>都|都是|一般|通常|固定|总是|一直)*(?:在)?(?:周|星期|礼拜)[一二三四五六日天]"
    r"(?P<as>都|都是|一般|通常|固定|总是|才)*(?P<event>发布|发版|部署)"
)
# Somebody's birthday comes back each year; the user's own is what there is one of.
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_BIRTHDAY = re.compile(
    r"(?!my birthday)(?P<who>[\w'’. -]{1,40}?)['’]s?\s(?:birthday|bday)\s(?:is|falls)\s(?:on\s|always on\s)?"
    rf"(?:the\s)?(?:{_MONTH}\s\d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH})(?:st|nd|rd|th)?(?:,?\s\d{{4}})?"
    r"|(?!我的?生日)(?P<whose>[^，,。；;]{1,12}?)的?生日(?:是|在|为)?(?:每年)?(?:的)?\s?(?:农历|阴历|阳历|\d{4}\s?年)?\s?"
    r"(?:\d{1,2}|[正腊一二三四五六七八九十]{1,2})\s?月\s?(?:\d{1,2}|[初一二三四五六七八九十廿]{1,3})\s?[日号]?",
    re.IGNORECASE,
)
# An order for a program or for the agent.
_NO_HABIT = re.compile(
    r"帮|给我|请|脚本|任务|定时|自动|cron|跑|执行|报错|失败|备份|同步|清理|推送|提醒|如果|你|用户|系统|接口|\b(?:cron|job|script|fails?"
    r"|failed|breaks?|crash\w*|error|remind|please|you|should|if|when)\b",
    re.IGNORECASE,
)
_WE_HAVE = re.compile(
    rf"(?:i|we)\s(?:\w+\s)?(?:have|hold|do)\s(?:an?\s|the\s|our\s|my\s)?(?P<event>{_EVENT})\b", re.IGNORECASE
)
_AT = re.compile(r"\A[\s,]*(?:(?:at|from|around)\s[\d:.]+\s?(?:[ap]\.?m\.?)?)?[\s,]*", re.IGNORECASE)
# What one wants to be reminded of each time stays open.
_REMINDS = re.compile(r"(?:please\s)?remind me\b|[^，,。；;]{0,16}提醒(?:一下)?我", re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]")
_ENDS = re.compile(r"[;；。]|\s[—–-]{1,2}\s|[,，](?!\s?(?:we|i|our|我们|我|开|有|上午|下午|早上|晚上))")
_CHARS_AT_MOST = 120


def recurring(sentence: Said, at: int) -> Draft | None:
    """What the user or the team has or does every so often; None where a clause says none such."""
    words = sentence.words
    span = clause(words, at, _ENDS, polite=True)
    told = words[slice(*span)]
    if len(told) > _CHARS_AT_MOST:
        return None
    if born := _BIRTHDAY.fullmatch(told):
        who = re.sub(r"^(?:my\s|our\s|我们?的?)", "", (born["who"] or born["whose"]).casefold())
        return replace(_recurs(sentence, span, f"birthday of {who}"), reach="global")
    if (daily := _daily(words, *span)) is not None:
        return _recurs(sentence, span, daily)
    when = _WHEN.search(told)
    if when is None:
        return None
    if _REMINDS.match(told):
        plan = {"subject": "user", "predicate": "plans", "value": sentence.text(*span), "qualifiers": {}}
        return drafted(sentence, "intention", span, data=plan, importance=0.7, confidence=0.8)
    event = None if _NO_HABIT.search(told) else _event_of(told, when)
    return None if event is None else _recurs(sentence, span, event)


def _recurs(sentence: Said, span: tuple[int, int], event: str) -> Draft:
    data = {"subject": "team", "predicate": "recurs", "value": sentence.text(*span), "qualifiers": {}}
    return drafted(
        sentence, "fact", span,
        slot=f"recurs:{event}" if event else None, data=data, importance=0.6, confidence=0.8,
    )  # fmt: skip


def _daily(words: str, start: int, end: int) -> str | None:
    """
    What is done on days of each week that stand without "every": "周一到周五都要写日报". What only tends to be said so
    ("我们周五发布") must be all that is said, and has no name: it takes the place of nothing.
    """
    if found := _DAILY.fullmatch(words, start, end):
        return found["event"]
    alone = start == 0 and not words[end:].strip(" .。!！")
    usual = _USUAL.fullmatch(words, start, end)
    if usual is None or not (alone or usual["by"] or usual["as"]):
        return None
    return usual["event"] if usual["by"] or usual["as"] else ""


def _event_of(clause: str, when: re.Match[str]) -> str | None:
    """What recurs, by its name; "" where it has none, None where nothing is said to recur."""
    if _HAN.search(clause):
        ours = re.match("我们?|咱们?|团队|项目组?|公司|组里", clause)
        if when.start() > (ours.end() if ours else 0) + 4:
            return None
        found = _CHINESE_DOES.search(clause, when.end())
        return found["event"] if found else None
    rest = _AT.sub("", clause[when.end() :]) if when.start() == 0 else clause
    named = _IS_EVENT.match(rest)
    if named and when.start() > named.end():
        named = None  # "releases are cut on Thursdays" is told of releases
    named = named or (_WE_HAVE.match(rest) if _OURS.match(rest) else None)
    if named:
        return " ".join(named["event"].lower().split())
    return "" if _OURS.match(rest) else None
