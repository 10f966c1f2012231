"""Words and patterns that the rules for Chinese share, and what a value must be. Characters are simplified."""

from __future__ import annotations

import re

from .chat_rule import Rule

V = r"\s?(?P<value>[^。；;！!？?\n]{1,160})"

SHORT = r"\s?(?P<value>[^，,。；;！!？?\n（(]{1,60})"

ADVERBS = (
    r"(?:个人|本人|自己|其实|还是|比较|更加|更|最|很|非常|特别|一直|一向|平时|平常|通常|一般|向来"
    r"|真的|真|超级|超|蛮|挺|都|也|现在|目前|总体|确实"
    r"|主要|日常|就|最近|倾向于|向来|始终|有点|"
    r"从来|绝对|尤其|相对)"
)

ME = rf"(?:我|俺|本人|咱)(?:这边|这里|这个?人|自己|个人|呢)?\s?{ADVERBS}{{0,4}}"

WE = (
    r"(?:(?:our|my|the) team|we|我们|咱们|我司|本组|(?:我们|咱们|我)(?:团队|公司|项目组|项目|组里"
    r"|组|部门|这边|实验室|学校)"
    r"|(?:这个|本)(?:项目|仓库|团队|代码库)|团队|项目(?:里|组)?)"
    rf"(?:里|内部|这边)?(?:的)?(?:后端|前端|服务端|客户端|线上|测试环境"
    rf"|生产环境)?\s?{ADVERBS}{{0,3}}"
)

LIKE = (
    r"(?:喜欢|偏好|偏爱|爱用|爱|钟爱|习惯(?:于|用)?|倾向(?:于|用)?|推崇|prefer|like|love|喜欢用|偏向(?:于)?)"
)

HATE = (
    r"(?:不(?:太|怎么|是很|是太|大|再)?(?:喜欢|爱用|爱|习惯|想要|想看到|希望看到|待见|接受)|讨厌"
    r"|厌恶|反感|受不了|看不惯|最烦|很烦|烦(?![请劳恼死人躁了])"
    r"|恨|hate|嫌|忍不了|无法忍受)"
)

ROLE = (
    r"工程师|程序员|开发(?:者|人员)?|设计师|学生|研究生|博士|硕士|大学生|产品经理|经理|产品|架构师"
    r"|老师|教师|教授|研究员|科学家|运维|测试|分析师|前端|后端|全栈|客户端|数据|算法|嵌入式"
    r"|实习生|自由职业者?|独立开发者?|站长|创业者|负责人|组长|leader|医生|律师|dba|sre|dev"
    r"|developer|engineer|码农|新人|新手"
    r"|管理员|顾问|维护者|maintainer|pm|designer"
)

RELATIVE = (
    r"(?:老板|领导|上司|经理|同事|组长|主管|客户|甲方|老婆|老公|媳妇|女朋友|男朋友|对象|朋友|导师"
    r"|师兄|师姐|室友|爸|妈|爸爸|妈妈|儿子|女儿|哥|姐|弟弟"
    r"|妹妹|产品经理|产品|leader|boss|老师|队友|合伙人)"
)

DENIES = r"(?:不要|不准|不许|不能|不可以|不得|别|勿|不用|少|甭|禁止|避免|不必|严禁|莫|不)"

COMPLAINTS = (
    r"报错|失败|崩|卡|超时|挂|出错|出现|遇到|一样|等很|很慢|都慢|不行|不对|不通过|过不了|要等|白"
    r"|没反应|看到|(?<!别)(?<!要)忘|都[要得]重新|都[要得]手动|烦死|有问题|出问题"
)


def rule(predicate: str, source: str, **more: object) -> Rule:
    return Rule(predicate, re.compile(source, re.IGNORECASE), **more)  # type: ignore[arg-type]


def is_thing(value: str) -> bool:
    return (
        re.match(
            r"这|那(?!种|类)|它|他|她|你(?!在|用|先|直接|回)|您|的|上面|刚才|吗|吧|了|第[一二三四]|哪|和你",
            value,
        )
        is None
    )


def is_tool(value: str) -> bool:
    return (
        re.match(
            r"这|那|它|他|她|你|于|来|了|过|到|不|得|一个|个|在|的时候|时候?|第|哪|户|完|力|心|法|途", value
        )
        is None
        and len(value) <= 30
    )


def is_name(value: str) -> bool:
    return (
        len(value) <= (24 if value.isascii() else 8)
        and re.match(r"什么|不|你|他|她|这|那|的|了|去|来|做|改|一下|外卖|车|人|是|帮", value) is None
    )


def is_place(value: str) -> bool:
    return (
        len(value) <= 16
        and re.match(
            r"这|那|一个?|的|得|哪|线|本地|服务器|docker|分支|代码|函数|你|文件|生产|测试|里|外|上"
            r"|下|前|后|一起|家|公司|学校|酒店|windows"
            r"|linux|mac|ubuntu|vs",
            value,
            re.IGNORECASE,
        )
        is None
    )


def is_employer(value: str) -> bool:
    return (
        is_thing(value)
        and re.search(
            r"公司|集团|大学|银行|研究所|研究院|科技|医院|腾讯|阿里|字节|华为|百度|美团|小米|京东"
            r"|网易|微软|谷歌|滴滴|快手|拼多多|蚂蚁",
            value,
        )
        is not None
    )


def is_order(value: str) -> bool:
    return (
        re.match(
            r"再说|再看|再聊|再议|有空|有时间|可能|会不会|会|也许|才|的|我|他|她|他们|想|还会"
            r"|说不定|估计|应该会|怎么|就没|没|打算|准备|计划",
            value,
        )
        is None
        and re.search(COMPLAINTS, value[:14]) is None
    )
