"""What of the user there is one of, by the user's own words: manager, birthday, email, phone, address, title, age."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...store.names_people import SURNAMES
from .chat_chinese_values import is_employer as is_chinese_employer
from .chat_chinese_words import SHORT
from .chat_chinese_words import rule as chinese_rule
from .chat_english_values import is_employer, is_handle, is_name, is_state
from .chat_english_words import RATHER_THAN, V
from .chat_english_words import rule as english_rule
from .chat_rule import Rule


def _is_person(value: str) -> bool:
    return value[:1].isupper() and is_name(value)


# With these and the most frequent ones Chinese names begin, and few other words of two to four characters.
_RARER = (
    "褚卫尤华戚喻柏窦奚郎昌苗凤俞柳鲍费廉岑滕毕邬常乐时傅皮卞元卜穆萧湛祁禹狄米贝明臧计伏成茅纪舒屈项祝阮蓝闵席季麻强路娄危童梅盛刁骆凌霍虞支柯管房裘缪解应宗宣郁单杭"
    "洪包诸左吉裴荣翁曲家封储靳巴牧车宓蓬全班仰秋仲伊宫宁仇栾甘厉符景束幸司薄印怀蒲邰从鄂索赖卓蔺屠蒙池阴闻党贡劳冉桑桂寿边尚农晏柴瞿阎连习容古居衡步都满匡寇广欧师晁"
    "敖冷辛简饶沙鞠查游权涂"
)
_SURNAMES = "".join(sorted(SURNAMES)) + _RARER


def _is_chinese_person(value: str) -> bool:
    if value.isascii():
        return _is_person(value)
    return (
        re.fullmatch(rf"(?:[{_SURNAMES}][\u4e00-\u9fff·]{{1,3}}|[小老阿大][\u4e00-\u9fff]{{1,2}})", value)
        is not None
        and re.search("[的了吗呢]$", value) is None
    )


def _is_address(value: str) -> bool:
    return re.search(r"\d", value) is not None and "@" not in value and not is_state(value)


def _is_phone(value: str) -> bool:
    return re.fullmatch(r"\+?[\d ()./-]{5,24}", value) is not None


def _is_mail(value: str) -> bool:
    return re.fullmatch(r"\S+@\S+", value) is not None


def _is_day(value: str) -> bool:
    return re.search(r"[\d一二三四五六七八九十]", value) is not None and len(value.split()) <= 6


def _is_hours(value: str) -> bool:
    return re.search(r"\d|day\b", value) is not None and not is_state(value)


def _is_title(value: str) -> bool:
    return value[:1].isupper() and len(value.split()) <= 6 and not is_state(value)


def _is_chinese_title(value: str) -> bool:
    return len(value) <= 16 and re.match("[很不没什哪这那]|一般|挺", value) is None


_Fits = Callable[[str], bool]
# The slot, its words in English and in Chinese, and what its value must be in each.
_ONES: tuple[tuple[str, str, str, _Fits, _Fits], ...] = (
    (
        "has:manager", r"(?:line |direct )?manager|supervisor", r"(?:直属|直接)?(?:经理|领导|上司|主管|上级)",
        _is_person, _is_chinese_person,
    ),
    ("has:boss", "boss", "老板", _is_person, _is_chinese_person),
    (
        "has:boss's boss", r"boss['’]s boss|grandboss|skip[- ]level(?: manager)?", "大老板",
        _is_person, _is_chinese_person,
    ),
    ("has:team lead", r"(?:team|tech) lead", r"组长|team leader|leader", _is_person, _is_chinese_person),
    ("has:spouse", "wife|husband|spouse", "老婆|老公|妻子|丈夫|爱人|媳妇", _is_person, _is_chinese_person),
    (
        "has:partner", "partner|girlfriend|boyfriend|fianc[eé]e?", "女朋友|男朋友|女友|男友|对象",
        _is_person, _is_chinese_person,
    ),
    ("has:surname", "surname|last name|family name", "姓", is_name, _is_chinese_person),
    ("has:middle name", "middle name", "中间名", is_name, _is_chinese_person),
    (
        "has:github", r"github (?:user ?name|user|handle|name|account|id)",
        r"github\s?(?:账号|帐号|用户名|id)", is_handle, is_handle,
    ),
    (
        "has:gitlab", r"gitlab (?:user ?name|user|handle|name|account|id)",
        r"gitlab\s?(?:账号|帐号|用户名|id)", is_handle, is_handle,
    ),
    (
        "has:gitee", r"gitee (?:user ?name|user|account|id)",
        r"(?:码云|gitee)\s?(?:账号|帐号|用户名|id)", is_handle, is_handle,
    ),
    ("has:username", "username|user name|handle", "用户名", is_handle, is_handle),
    ("has:email", r"e-?mail(?: address)?", r"(?:电子)?邮箱(?:地址)?|电子邮件|邮件地址|e-?mail", _is_mail, _is_mail),
    (
        "has:phone", r"(?:tele)?phone(?: number)?|mobile(?: number)?|cell(?: ?phone)?(?: number)?",
        "手机号码?|电话号码?|电话|手机|联系方式", _is_phone, _is_phone,
    ),
    (
        "has:shipping address", "(?:shipping|delivery) address", "(?:收货|快递|寄送)地址",
        _is_address, lambda value: len(value) >= 4 and "@" not in value and "http" not in value,
    ),
    (
        "has:address", r"(?:(?:postal|mailing|street) )?address", "(?:家庭|通讯)?(?:住址|地址)",
        _is_address, lambda value: len(value) >= 4 and "@" not in value and "http" not in value,
    ),
    ("has:birthday", "birthday|birth ?date|date of birth", "(?:出生日期|生日)", _is_day, _is_day),
    (
        "has:working hours", "working hours|office hours|working days|core hours", "(?:上班|工作|办公|作息)时间",
        _is_hours, _is_hours,
    ),
    ("works:team", "team", "团队|部门|小组|项目组", _is_title, lambda value: value[-1:] in "组部队门团"),
    ("works:employer", "employer|company", "公司|单位|雇主", is_employer, is_chinese_employer),
    ("has:lunch break", "lunch break", "午休时间", _is_hours, _is_hours),
    ("is:role", "job title|title|position", "职位|岗位|职称|头衔|职务|title", _is_title, _is_chinese_title),
)  # fmt: skip
_WHICH = (
    r"(?:(?:new|current|main|primary|own|direct)\s)?"
    r"(?:(?:work|home|private|personal|company|business|office)\s)?"
)


def is_one(slot: str, value: str, *, in_chinese: bool) -> bool:
    """Whether a value is of the sort of which there is one in a slot."""
    of = slot.partition("@")[0]
    return any(named == of and (han if in_chinese else latin)(value) for named, _, _, latin, han in _ONES)


def english_ones() -> tuple[Rule, ...]:
    """What one has one of, in English."""
    return (
        *(
            english_rule(
                "has",
                rf"my {_WHICH}(?P<who>{words})(?:'s name)?\s(?:is|are)\s(?:(?:now|called|named|from"
                rf"|usually)\s)*{RATHER_THAN}{V}",
                slot=slot,
                check=check,
                long=slot.endswith("address"),
            )
            for slot, words, _, check, _ in _ONES
        ),
        *(
            english_rule(
                "has",
                r"(?!(?:he|she|it|this|that|who|what|they|there|here|which)\b)"
                r"(?P<value>(?-i:[A-Z])[\w'’-]*(?:\s(?-i:[A-Z])[\w'’-]*){0,2})\sis\s(?:now\s)?my\s(?:new\s|current\s)?"
                rf"(?P<who>{words})(?:\snow)?(?=\s*(?:$|[.,;!]))",
                slot=slot,
                check=check,
                whole=True,
            )
            for slot, words, _, check, _ in _ONES
            if check is _is_person
        ),
        english_rule("is", r"i(?:'m| am)\s(?:now\s)?(?P<value>\d{1,3}\syears?[- ]old)\b", slot="has:age"),
    )


def chinese_ones() -> tuple[Rule, ...]:
    """What one has one of, in Chinese."""
    return (
        *(
            chinese_rule(
                "has",
                rf"我(?:现在|目前)?的?(?:新的?|现任)?(?:公司|工作|私人|个人|家里?"
                rf"|家庭)?的?\s?(?P<who>{words})\s?(?:现在|目前|已经)?"
                rf"(?:其实)?(?:的名字)?(?:不(?:是|叫)\s?(?P<old>[^，,。；;\n]{{1,16}}?)\s?[，,]?(?:而是|而叫)|是|为"
                rf"|叫做?|[：:]|改成了?|换成了?)\s?{SHORT}",
                slot=slot,
                check=check,
            )
            for slot, _, words, _, check in _ONES
        ),
        *(
            chinese_rule(
                "has",
                r"(?P<value>(?![他她它这那谁您你])(?!.{0,3}我)[\u4e00-\u9fffA-Za-z]{2,8}?)(?:现在|目前)?(?:是|成了|当了)我的?(?:新|新的|现任)?"
                rf"(?P<who>{words})(?:了)?(?=\s*(?:$|[，,。；;！!]))",
                slot=slot,
                check=check,
                whole=True,
            )
            for slot, _, words, _, check in _ONES
            if check is _is_chinese_person
        ),
        chinese_rule(
            "is",
            r"我(?:今年|现在)?(?:是)?\s?(?P<value>(?:\d{1,3}|[二三四五六七八九]?十[一二三四五六七八九]?)\s?岁)",
            slot="has:age",
        ),
    )
