"""People whom a text names as people: by what they are to somebody, or by what they say and do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import names_code, products
from .names_code import Found

_NAME = r"[A-Z][a-z]{1,15}(?:[- ][A-Z][a-z]{1,15})?"
_ROLES = (
    "colleague|co-?worker|teammate|boss|manager|mentor|lead|friend|wife|husband|partner|brother|sister|son|daughter"
    "|designer|reviewer|maintainer|customer|client|intern|CTO|CEO|PM|tester|analyst|DBA|architect"
)
_DOES = (
    "said|says|thinks|thought|suggested|suggests|wants|wanted|asked|asks|told|prefers|preferred|mentioned|reviewed"
    "|approved|owns|agreed|disagreed|insists|insisted|complained|confirmed|explained|proposed|wrote|reported|promised"
    "|joined|is responsible for|is in charge of|is on call|takes over|took over|maintains|will review|likes|works on"
    "|works at|will do|is working on|fixed|merged|decided|noticed|objected|replied|recommended|recommends"
)
_ENGLISH = re.compile(
    rf"\b(?i:my|our|his|her|their|the)\s+(?:[a-z]+\s+)?(?i:{_ROLES}),?\s+(?P<role>{_NAME})\b"
    rf"|\b(?P<does>{_NAME})\s+(?:also\s+|always\s+|never\s+|has\s+|had\s+|just\s+|then\s+)?(?:{_DOES})\b"
    rf"|\b(?:according to|ask|asked by|ping|talk to|talked to|spoke to|met with|reviewed by|approved by|assigned to"
    rf"|owned by|maintained by|written by|thanks to|works with|work with)\s+(?P<with>{_NAME})\b"
    rf"|\b(?P<who>{_NAME}),\s+(?:my|our|the|a)\s+(?:[a-z]+\s+){{0,2}}(?:{_ROLES})\b"
)
# Capitalised at the head of a sentence, and nobody's name.
_NOBODY_WORDS = """
    The This That These Those It He She We They You Who What Which Nobody Everyone Everybody Somebody Someone
    Anyone User Users Claude Agent Assistant Cursor Copilot Git Github Docker System Server Client Code Test
    Tests Team Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June
    July August September October November December Please Then Also And But Or So If When While After Before
    Now Today Yesterday Tomorrow Here There Each Both All Some Any None One Two Three Another Nothing
    Something Everything Management Support Legal Finance Marketing Sales Customers Developers People Java
    Python Chrome Windows Not Never Always Only Just Still Even Maybe Perhaps Let Once Since Until Because
    Although However Therefore Instead Its His Her My Our Your Their Chinese English Note Error Warning Result
    Logs Config Review Commit
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())
_LAST_WORD = re.compile(r"[- ]")

# The hundred most frequent surnames, and some more.
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石"
    "廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申耿关焦"
)
SURNAMES = frozenset(_SURNAMES)
_HAN = "\u4e00-\u9fff"
_DOES_CHINESE = (
    "说|认为|觉得|负责|建议|提出|提到|提议|反馈|要求|希望|问过|问我|写的|写了|修复|修了|改的|改了|主导|维护|评审|审核|批准|同意|反对|指出"
    "|告诉|让我|喜欢|偏好|习惯|加入了|接手|发现|汇报|确认|决定|主张|坚持|抱怨|承诺|解释|在做|在改|在跟|跟进|值班|离职|入职|是我|是我们|是产品|是前端"
    "|是后端|是测试|是运维|的意见|的建议|的要求|的说法|的方案|的习惯|的偏好|的电话|的邮箱|的代码|的分支|的想法|那边|老师|经理|同学|总监|姐|哥"
)
_ROLES_CHINESE = (
    "同事|同学|老板|领导|经理|组长|主管|总监|导师|师傅|朋友|老婆|老公|妻子|丈夫|妹妹|弟弟|哥哥|姐姐|产品经理|设计师|架构师|测试|运维|开发"
    "|负责人|客户|实习生|工程师|联系|询问|请教|问一?下|找到?|交给|转给|叫做?|名叫|由|听|和|跟|与|给"
)
# A nickname by itself says that it is a person; a full name only beside what a person is or does.
_NICKNAME = re.compile(
    rf"(?<![{_HAN}大弱渺微缩减极最])(?P<a>[小老阿][{_SURNAMES}])(?![{_HAN}])"
    rf"|(?P<b>[小老阿][{_SURNAMES}])(?=(?:{_DOES_CHINESE}|[的把在和跟给也都又已对不来去要会能将就还想])) ?"
)
_FULL = re.compile(
    rf"(?P<name>[{_SURNAMES}][{_HAN}]{{1,2}}?)(?=(?:{_DOES_CHINESE}))"
    rf"|(?:{_ROLES_CHINESE})(?P<after>[{_SURNAMES}][{_HAN}]{{1,2}}?)"
    rf"(?=[^{_HAN}]|$|{_DOES_CHINESE}|[的把在和跟与给也都又已对不来去要会能将就还想])"
    rf"|@(?P<at>[{_HAN}]{{2,4}})(?=[^{_HAN}]|$)"
)
# Words that begin with what is a surname, too, and that stand where a name would.
_WORDS_WORDS = """
    任务 任何 任意 程序 方法 方案 方面 方式 方便 高度 高级 金额 金融 周期 周末 张量 黄色 马上 常用 温度 成功
    安全 安装 安排 时间 文件 文档 文本 文字 项目 于是 计划 白天 白名 关系 关键 关于 关闭 关联 易用 石头 万一
    万能 向量 向导 章节 毛病 钱包 龙头 施工 申请 段落 江湖 陆续 汤圆 余额 余下 叶子 林业 何时 何处 何种 许多
    许可 田间 严重 严格 康复 莫名 顾客 顾问 史上 雷达 丁点 石油 文章 高峰 高效 高亮 金属 方向 白色 马达 石墨
    于此 程度 关注 向下 向上 温馨 安静 易于 易错 万分 顾虑 谢谢 高清 单元 孔径 夏天 夏季 江苏 高速 高层 武器
    周一 周二 周三 周四 周五 周六 周日 周年 周边 高兴 金钱 方才 何必 马路 牛奶 牛人 齐全 齐备 伍佰 庄重 章程
    申报 焦点 关卡 曾经 余量 叶节点 常见 章节点 计算 计数 计时 水平 平台 熊市 任职 段子 温和 贺卡 石化 毛利
    范围 范例 范畴 范式 段错误 程序员 文件名 文件夹 文件中 方法名 任务名 任务里 高并发 高可用 白名单 黑名单
    于其 严禁 顾及 金库 付款 付费 向后 向前 向我 向他 向您 文案 安卓 史诗 关掉 关注点 任一 任期 文员 高低
    高低频
"""
_WORDS = frozenset(_WORDS_WORDS.split())


def found(text: str) -> Iterator[Found]:
    """The people in a text."""
    for said in _ENGLISH.finditer(text):
        group = said.lastgroup or ""
        yield from _somebody(said.group(group), said.start(group))
    if text.isascii():
        return
    for pattern in (_NICKNAME, _FULL):
        for said in pattern.finditer(text):
            group = said.lastgroup or ""
            name = said.group(group)
            if name not in _WORDS and name[:2] not in _WORDS:
                yield Found("person", name, said.start(group), said.end(group))


def _somebody(name: str, start: int) -> Iterator[Found]:
    """The person of a capitalised name, without a first word that is none ("Then Alice said")."""
    words = _LAST_WORD.split(name)
    while words and (words[0] in _NOBODY or _is_no_name(words[0])):
        start += len(words[0]) + 1
        words = words[1:]
    if not words or any(word in _NOBODY or _is_no_name(word) for word in words):
        return
    length = len("-".join(words))
    yield Found("person", name[-length:], start, start + length)


def _is_no_name(word: str) -> bool:
    low = word.casefold()
    return low in products.NAMES or low in products.CAPITAL or names_code.common(word)
