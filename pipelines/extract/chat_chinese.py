"""Chinese, as the rules for chat read it: its statements, requests to remember, plans and clause ends."""

from __future__ import annotations

import re
from functools import cache, partial

from . import lasted
from .chat_chinese_facts import corrections, decisions, other_people
from .chat_chinese_left import left
from .chat_chinese_orders import lifted, orders
from .chat_chinese_self import names, occupation, places, tools, tools_left
from .chat_chinese_wishes import favourites, goals_and_habits, preferences
from .chat_one_value import chinese_ones
from .chat_rule import Language

PLAN_VERBS = re.compile(
    r"要|得|打算|计划|准备|会(?!议)|请假|出差|上线|发布|发版|演示|开会|评审|搬|考试|面试|截止|到期"
    r"|deadline|休假|放假|回来|出发|交付|验收|答辩"
    r"|去|提测|封版|冻结|过期|续费|续约|入职|离职|ddl|demo|release"
    r"|开始|结束|启动|复盘|汇报|提醒|提交|交|部署|割接|迁移|年会|团建|婚礼|生日",
    re.IGNORECASE,
)

COMMANDS = re.compile(
    r"^(?:请|帮|给我|麻烦|能不能|可以|把|你|让|先把|替我|再把|改|修|写个|加个|看看)|帮我|给我"
    r"|你(?:先|再|去|把|来)|再说|再看|再聊|再弄|这个|那个"
    r"|这里|它|报错|挂了|失败|又|说|让我|问我|^[从自]|[搬换][到去来]?了|到了|(?:整理|处理|查|看|改|修|弄|优化|检查|总结|汇总)(?:一?下|好|完)?$|那次"
    r"|上次|出了?问题|坏了|(?:周|星期)[一二三四五六日天末]不(?!在)"
)

THIRD = re.compile(r"^(?:他|她|他们|对方)")


_REMEMBER = (
    r"(?:请|麻烦|帮我|你|您|要|也|务必|一定|千万|给我|另外|顺便|先)*(?:记住|牢记|记下来?"
    r"|记一下|记好|记着|谨记|remember|(?:别忘了?+"
    r"|不要忘记?+了?+|记得)(?!去|跑|改|提交|测|加|删|更新|推|把|补|写|检查|看|关|重启|运行"
    r"|带|顺便|先|处理|同步|保存|换|点|打|给|帮)|存(?:到"
    r"|进)(?:你的)?记忆(?:里|中)?|记(?:到|进|在)(?:你的)?(?:记忆|脑子|备忘)(?:里|中)?|长期记住)"
    r"(?:一?下|了|这[点条件](?:事)?|以下(?:几点|内容)?|哦|啊|吧|：|:|，|,|\s){0,4}"
)
_NO_REMEMBERING = (
    r"(?:吗|没(?=$|[吗呢啊呀?？，,。]|有(?:$|[吗呢啊呀?？，,。])|问题|成功|效果|必要)"
    r"|不(?=$|[吗呢啊呀?？，,。了住上到成牢准对行好]|下来)|上次|我们上次|那次|之前|密码了吗|(?P<unled>怎么|什么)|了吗"
    r"|用户(?:希望|喜欢|要求|允许|同意|偏好|讨厌|已经?授权)|好像|似乎)"
)
_ASKS_POLITELY = r"(?:请|麻烦|帮我|能|可以|可否)"
_RECALLED = (
    r".{0,24}(?:功能|复选框|按钮|勾选|选项|弹窗|页面|开关).{0,12}(?:坏|没|不|失|报|加|改|修|做|实现|去掉|$)"
    r"|(?P<unled>(?:密码|登录|用户名?|账号|状态|选择|滚动|位置)(?!.*(?:至[少多]|最[少多]|不[能得要许]|必须|需要|应该|过期"
    r"|[一二两三四五六七八九十百]))[^，,。是为\d]{0,8}$)|(?:上次|那个|那次)[^，,。是为]{0,8}$|(?:上次|那次|我们上次|之前)[^，,。]{0,20}(?:吗|么|嘛|问题)"
)
_REMINDS = "记得|忘"
_LASTING = r"^(?!\s?(?:[不没别]|取消|推迟|允许|禁止|废弃|弃用|交给))"
_VERBS = (
    r"过敏|[会能怕是为在有要用不只叫住爱喝吃走跑发写放按每开归属禁]|必须|需要|应该|可以|喜欢|讨厌|支持|监听|部署|来自|等于|保留|重试|负责|\d|[:：]"
    r"|[二两三四五六七八九十百千万](?:天|秒|分钟|小时|次|周|年|份|个|人|台|条)"
    r"|已经?|取消|推迟|换成|改[成为到]|交给|废弃|弃用|允许|禁止|没|依赖|^别|[了过](?:$|[，,。；;一两三几])"
    r"|\b(?:is|are|has|must|uses?)\b"
)
_ANOTHER = r"[，,](?=\s?(?:以后|今后|从现在|记住|我|改|现在|请|并|然后|另外|永远|始终))"
_FORGET = (
    r"(?:请|你|您|麻烦|可以|帮我|把|那就|就)*(?:(?<=把)(?=我[^。；;\n]{1,60}?(?:忘掉|忘了|忘记)吧?$)|(?:忘掉|忘记|忘了|忘却|(?:清除|删掉|删除"
    r"|抹掉)(?=[^。；;\n]{0,40}(?:记忆|记住|记录"
    r"|记得)))(?:掉|一?下)?(?=我|我们|关于我|所有关于|之前关于)(?:我)?(?:之前|以前|刚才"
    r"|上次|上回|昨天)?(?:跟你|和你|对你|告诉你?)?(?:说"
    r"|讲|提)?(?:过)?(?:的)?(?:那个|那些|关于)?"
    r"|(?:不要|别|不用|无需|请勿|别去|不许|不准)(?:再)?(?:记住|记录|记下来?|保存"
    r"|存)(?:下)?(?=我|这|关于|刚才|上面|下面|以下"
    r"|我们)(?:关于)?|(?:不要|别|不用|无需|请勿|不许|不准|别去)(?:再|继续|一直|老)(?:记着|记得|记住"
    r"|惦记着?)(?:我(?=的?\S))?)(?P<value>[^。；;\n]{1,100})"
)
_CORRECTS = (
    r"(?:.{0,3}(?:不对|不是(?=[，,：:的])|说错了?|错了|更正|纠正|记错了?|弄错了?|搞错了?"
    r"|打错了?|口误|写错了?|应该是|哦不|抱歉|准确地?说"
    r"|改口))|.*(?:别搞错|别弄错|之前说错|记错|弄混)"
)
_NOT_OLD = r"[，,]\s?(?:而)?(?:不是|不叫|不在|并非|别用|不用)\s?(?P<old>[^，,。；;\n]{1,24})"
_ONE_OFF = (
    r"这里|这儿|这次|这一次|这个(?!项目|仓库|团队|季度|月|星期|学期|代码库)|这段|这句|这行"
    r"|这块|这种|这样|这些|那个(?!项目)|那里|那段|那样|那些|上面"
    r"|下面的?(?:代码|函数)|本次|暂时|先这么|刚才|刚刚那|它|第[一二三四五]种|该函数|此处"
    r"|当前文件|这版|那版|这版"
)
_PROJECT = (
    r"(?:这个|本|我们的?|咱们的?|整个|该|\w{2,20}\s)(?:项目|仓库|代码库|工程|repo)|项目[里中]|目录"
    r"|文件夹|\S/\S|[\w-]{1,40}\.(?:py|js"
    r"|tsx?|go|rs|md|ya?ml|json|toml|sql|java|c|cpp|sh|txt)(?!\w)|分支"
)
_TASK_FOLLOWS = (
    r"[，,。]\s?(?:在.{1,16}(?:里|中))?(?:帮我?|请)?(?:加(?:个|一个|上|一下)|实现|封装|改(?:一?下|这)|照着|做成|优化(?:一?下)?$"
    r"|写(?:个|一个|成)|处理(?:一?下)"
    r"|补上|修(?:一?下|复)?$|你把|弄一?下)"
)
_REPO = r"(?:项目|仓库|代码库|工程|repo)"
_LIMITS = (
    rf"(?:在|对于?|针对)?\s?(?:(?:这个|本|我们的?|咱们的?|该)\s?{_REPO}|[\w.-]{{2,40}}\s?(?:这个|那个)?(?:{_REPO}|服务))"
    r"(?:里面?|中|内|上)?[，,：:\s]{0,3}"
)
_OF_TASK = (
    r"(?:在|对于?|针对|就)?\s?(?:这(?:个|次|段|份|篇|一|条|种|张)|本次|此次|该|此|那(?:个|段))"
    r"(?!项目|仓库|代码库|工程|repo|季度|月|周|星期|学期)[^，,。；;]{0,16}$"
    r"|(?:这里|此处|上面|下面|暂时|目前先)[^，,]{0,8}$"
)
_OWN_LABELS = (
    r"^(?:另外|还有|顺便|对了|再|也|请|先|就|给你|跟你|和你|你|帮我|帮忙|好|那|嗯|哦)*"
    r"(?:(?:长期)?记(?:住|得|一?下|好|着|牢|下来)|牢记|谨记|注意|备注|补充|说明|提醒|更正|纠正|背景|环境|情况|前提|约定|规矩"
    r"|规则|偏好|习惯|决定|结论|计划|目标|要求|我|我们|咱|本人|说(?:个|一?下|件|几)|告诉你|交代|介绍|声明|强调|以后|今后|从现在"
    r"|每次|永远|电脑|系统|编辑器|终端|浏览器|还有|另外|一点|一件事|几点|两点|顺便|对了|其实|不对|说错|别忘|不要忘|忘|remember"
    r"|note|fyi|ps|btw|时区|职业|名字|原因|定了|最后|最终|用户(?:名)?是我)"
    r"(?!.*(?:妈|爸|老板|同事|客户|老师|朋友|文案|提示词|小说|主角|翻译|邮件|文章|作文|台词|问卷)[^：:]{0,8}$)"
)
_WHY = (
    r"[，,]?\s?(?:(?:主要|毕竟|主要是|就是)?因为|由于|毕竟|主要是|主要因为|原因是|理由是"
    r"|考虑到|这样)\s?(?P<why>[^。；;\n]{2,120})"
)
_SHORT_END = (
    rf"{lasted.CHINESE_END}|"
    r"[，,：:（(]|\s?(?:而不是|而非|胜过|多过|超过|而不|因为|但是?|不过|所以|比较多|为主"
    r"|就行|就好|即可|就可以了?|吧$|了$|啊$|呢$|哦$|哈$"
    r"|的时候$)|\s[—–-]{1,2}\s|[.。！!？?]+$"
)
_LONG_END = (
    r"[，,](?=\s?(?:这个?项目|本项目|我们|这边|那边|因为|但是?|不过|所以|你|帮我|我|请|麻烦|不要|别|能|可以|怎么|另外|然后"
    r"|先|现在|以后|之后|今后|每次|不然|否则|毕竟|主要|这样"
    r"|谢谢|免得|省得|不是|npm|看看|把))|(?:因为|由于)|(?:吧|哦|啊|哈|呢|了)$|[.。！!？?]+$|\s?[—–]"
)
_PLANS = (
    r"(?P<value>(?P<reminder>(?:到时候?|记得|请|麻烦|你)*(?:提醒我|提醒一下我|叫我|催我一下"
    r"|记得提醒我)(?!的是))?[^。；;！!？?\n]{2,120})"
)
_SINCE = r"(?:自从?|从|打从)\s?$"
_SINCE_AFTER = r"\s?(?:份|初|底)?(?:起|开始|以来|之后|以后|就)"


@cache
def chinese() -> Language:
    """The rules of Chinese."""
    compiled = partial(re.compile, flags=re.IGNORECASE)
    return Language(
        rules=(
            *names(),
            *left(),
            *chinese_ones(),
            *places(),
            *occupation(),
            *lifted(),
            *orders(),
            *tools_left(),
            *tools(),
            *favourites(),
            *preferences(),
            *goals_and_habits(),
            *decisions(),
            *other_people(),
            *corrections(),
        ),
        remember=compiled(_REMEMBER),
        no_remembering=compiled(_NO_REMEMBERING),
        forget=compiled(_FORGET),
        asks_politely=compiled(_ASKS_POLITELY),
        recalled=compiled(_RECALLED),
        reminds=compiled(_REMINDS),
        lasting=compiled(_LASTING),
        verbs=compiled(_VERBS),
        another=compiled(_ANOTHER),
        corrects=compiled(_CORRECTS),
        not_old=compiled(_NOT_OLD),
        one_off=compiled(_ONE_OFF),
        project=compiled(_PROJECT),
        task_follows=compiled(_TASK_FOLLOWS),
        limits=compiled(_LIMITS),
        of_task=compiled(_OF_TASK),
        own_labels=compiled(_OWN_LABELS),
        why=compiled(_WHY),
        short_end=compiled(_SHORT_END),
        long_end=compiled(_LONG_END),
        plans=compiled(_PLANS),
        since=compiled(_SINCE),
        since_after=compiled(_SINCE_AFTER),
        subject="我",
    )


def states_a_plan(clause: str, *, reminder: bool) -> bool:
    """Whether a clause that names a time to come states a plan of the user's, and no command for it."""
    return reminder or (
        PLAN_VERBS.search(clause) is not None and not COMMANDS.search(clause) and not THIRD.search(clause)
    )
