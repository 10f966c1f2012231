"""What a value must be in Chinese to be one that lasts: a name, a place, an employer, a tool, an order to an agent."""

from __future__ import annotations

import re

from .chat_chinese_words import COMPLAINTS
from .chat_english_values import TECHNOLOGY
from .topics import topic

_PLACES = re.compile(
    r"(?:中国|祖国)?(?:北京|上海|广州|深圳|杭州|成都|重庆|武汉|西安|南京|苏州|天津|长沙|郑州|东莞|青岛|沈阳|宁波|昆明|合肥|佛山|福州"
    r"|无锡|厦门|济南|大连|哈尔滨|温州|石家庄|泉州|南宁|长春|南昌|贵阳|金华|常州|嘉兴|惠州|太原|徐州|绍兴|中山|台州|烟台|珠海|保定"
    r"|潍坊|兰州|海口|乌鲁木齐|呼和浩特|银川|西宁|拉萨|三亚|桂林|洛阳|扬州|镇江|湖州|芜湖|汕头|湛江|绵阳|宜昌|襄阳|岳阳|株洲|赣州"
    r"|九江|威海|临沂|淄博|唐山|廊坊|秦皇岛|邯郸|大理|丽江|义乌|昆山|江阴|张家港|大同|包头|鄂尔多斯|柳州|北海|遵义|南通|盐城|淮安"
    r"|连云港|宿迁|泰州|马鞍山|蚌埠|阜阳|漳州|莆田|宁德|龙岩|济宁|泰安|德州|聊城|菏泽|开封|新乡|许昌|南阳|信阳|黄石|荆州|衡阳|常德"
    r"|郴州|韶关|江门|茂名|肇庆|梅州|清远|潮州|揭阳|香港|澳门|台北|台中|台南|高雄|新竹|台湾|河北|山西|辽宁|吉林|黑龙江|江苏|浙江"
    r"|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|内蒙古?|广西|西藏|宁夏|新疆|东北|中国|大陆|国外"
    r"|海外|新加坡|吉隆坡|曼谷|东京|大阪|京都|横滨|名古屋|福冈|札幌|首尔|釜山|纽约|旧金山|湾区|硅谷|洛杉矶|西雅图|波士顿|芝加哥|休斯顿"
    r"|奥斯汀|伦敦|曼彻斯特|巴黎|里昂|柏林|慕尼黑|汉堡|法兰克福|伯尔尼|苏黎世|日内瓦|维也纳|阿姆斯特丹|布鲁塞尔|马德里|巴塞罗那"
    r"|里斯本|罗马|米兰|莫斯科|悉尼|墨尔本|奥克兰|多伦多|温哥华|蒙特利尔|迪拜|日本|韩国|美国|英国|德国|法国|加拿大|澳大利亚|澳洲"
    r"|新西兰|泰国|马来西亚|越南|印度|瑞士|瑞典|荷兰|西班牙|意大利|俄罗斯|葡萄牙|爱尔兰|芬兰|挪威|丹麦|欧洲|北美|东南亚)"
    r"(?:市|省|县|区|[\u4e00-\u9fff]{1,4}(?:区|县|市|镇|路|园|湾|新区|岛|海|边))?",
    re.IGNORECASE,
)
_PLACE_SHAPE = re.compile(r"[\u4e00-\u9fff]{2,6}(?<![上里中下内外前后面边时会家司校店间段程组部])")
_NO_PLACE = re.compile(
    r"这|那|一|的|得|哪|线|本地|服务|分支|代码|函数|你|他|她|文件|生产|测试|一起|公司|学校|酒店|宿舍|未来|梦|开|改|写|看|做|等|修|跑|调"
    r"|想|学|用|找|页|[楼层室栋号]$|单元|隔壁|对面|附近|出租|公寓|小区|别墅|合租|主线|环境|办公|地铁|高铁|飞机|火车|路上|现场|客户|远程",
)
_LATIN_PLACE = re.compile(r"[A-Z][a-zé]{2,}(?: [A-Z][a-zé]{2,}){0,2}")


def is_known_place(value: str) -> bool:
    """Whether a value is a city, province or country that is known as one."""
    return _PLACES.fullmatch(value) is not None


def is_place(value: str) -> bool:
    """Whether a value is written as a place where one lives: known, or short and nothing else."""
    if is_known_place(value):
        return True
    if value.isascii():
        return (
            _LATIN_PLACE.fullmatch(value) is not None
            and not TECHNOLOGY.search(value)
            and topic(value) is None
        )
    return _PLACE_SHAPE.fullmatch(value) is not None and _NO_PLACE.search(value) is None


def is_where(value: str) -> bool:
    """Whether "我在…" says where the user lives: only of a known place, or one in Latin letters."""
    return is_known_place(value) or (value.isascii() and is_place(value))


def is_thing(value: str) -> bool:
    """Whether a value is something one can like, and not what has just been shown or said."""
    return (
        re.match(
            r"这|那(?!种|类)|它|他|她|你(?!在|用|先|直接|回|每次|总|老|一直|动不动)|您|的|上面|下面|刚才|刚刚|之前|以前|原来|目前|前面|后面"
            r"|另|吗|吧|了|第[一二三四]|哪|和你|方案\s?[\da-z一二三四]|选项|版本\s?[\da-z一二三四]",
            value,
            re.IGNORECASE,
        )
        is None
    )


# Words of code that "用" goes with as well: what is used so is no tool.
_CODE = re.compile(
    r"(?:for|while|if|else|map|filter|reduce|try|await|async|lambda|switch|case|var|let|const|null"
    r"|none|true|false|any|id"
    r"|key|value|index|loop|join|select|where|print|log|get|set|post|put)\b",
    re.IGNORECASE,
)


_NAME = (
    r"(?:(?:自建|自己搭|公司|内部|最新)的?\s?|[A-Z]\w{0,8}\s?的\s?)?"
    r"(?:[A-Za-z0-9][\w.+#/ -]{0,30}|飞书|钉钉|企业微信|码云"
    r"|禅道|微信|腾讯会议|语雀|石墨"
    r"|达梦|人大金仓|鸿蒙|统信|麒麟|鼠标|触控板|机械键盘|双拼|五笔|手机|平板)"
    r"(?:(?<=\w)\s?(?:版|系列|系统|数据库|编辑器|浏览器|框架|主题"
    r"|插件|语言|集群|协议|许可证))?"
)
_TOOL = re.compile(rf"{_NAME}(?:\s?(?:和|跟|与|、|加|配|\+)\s?{_NAME}){{0,3}}的?", re.ASCII | re.IGNORECASE)
# What a tool is used for for good; to try or to open something is of this task.
_TO_DO = re.compile(
    r"\s?来?(?:写|编|敲|开发|做|管理|管|跑|部署|办公|调|测|画|看|查|记)(?![了过个出不一试下])\s?(?:[A-Za-z+# ]{1,16}"
    r"|[\u4e00-\u9fff]{1,6})?"
    r"(?:比较)?多?$"
)


def is_tool(value: str) -> bool:
    """Whether a value is something one can use by name, known or written as names are, and nothing more."""
    if len(value) > 40 or re.match(r"[\d这那它他她你于来了过到不得一两几个的错]", value):
        return False
    done = _TO_DO.search(value)
    name = value[: done.start()].strip() if done and done.start() else value
    if topic(name) and not name.isascii() and len(name) <= 10 and not re.search(r"[是了开打试]", name):
        return True
    if _TOOL.fullmatch(name) is None:
        return False
    if topic(name) or TECHNOLOGY.match(name) or not name.isascii():
        return True
    return not re.search(r"[a-z]+[A-Z]\w*|\.(?:py|tsx?|jsx?|go|rs|java)\b|/", name) and not _CODE.match(name)


def is_host(value: str) -> bool:
    """Whether a value begins with a platform that things run on."""
    return len(value) <= 20 and (TECHNOLOGY.match(value) is not None or is_tool(value))


def is_name(value: str) -> bool:
    """Whether a value is what someone may be called."""
    return (
        len(value) <= (24 if value.isascii() else 8)
        and re.match(
            r"什么|不|你|他|她|它|这|那|的|了|去|来|做|改|一下|外卖|车|人|是|帮|起床|停|醒|过|吃|写|看|别|先|再|foo|bar",
            value,
        )
        is None
    )


_EMPLOYER = re.compile(
    r"[^上买用了跑装连]{0,12}(?:公司|集团|大学|银行|研究所|研究院|科技|医院|厂|事务所)"
    r"|(?:腾讯|阿里(?:巴巴|云)?|字节(?:跳动)?|华为|百度|美团|小米|京东|网易|微软|谷歌|滴滴|快手|拼多多|蚂蚁(?:金服|集团)?|携程|哔哩哔哩|B站"
    r"|小红书|联想|中兴|海康|大疆|商汤|旷视|知乎|微博|搜狐|新浪|顺丰|比亚迪|蔚来|理想|小鹏|shopee|Google|Microsoft|Amazon|Apple|Meta)"
)


def is_employer(value: str) -> bool:
    """Whether a value is written as companies are."""
    return is_thing(value) and _EMPLOYER.fullmatch(value) is not None


# What is so "以后", and no order: it is open, or told of others or of a program.
_NO_ORDER = re.compile(
    r"再说|再看|再聊|再议|有空|有时间|可能|会不会|会|也许|才|的|我(?!的|让|叫|说|问|写|给|发)|他|她|他们|想|还会"
    r"|说不定|估计|应该会|怎么|就没|没|打算|准备|计划|用户|接口|函数|页面|按钮|系统会|服务会|返回|废弃|下线|支持|保持登录|显示|弹出|选中|高亮|置顶|可见|隐藏|跳转|在最"
)


def is_order(value: str) -> bool:
    """Whether a value tells an agent what to do."""
    return _NO_ORDER.match(value) is None and re.search(COMPLAINTS, value[:14]) is None


# What an agent does, so that "每次…" tells it something; a program's users click and log in.
WORK = (
    r"(?:改|修改|提交|写|加|修|完成|做完|弄完|搞定|跑完|回答|回复|回我|生成|重构|合并|推送?|push|commit|merge|新增|添加|删|动|碰|更新"
    r"|升级|发版|发布|上线|部署|创建|新建|重命名|解释|给我|问|开始|结束|review|装|安装|引入|设计|实现|调整|迁移|翻译|总结|输出)"
)
_PIECE = r"(?:commit|pr|mr|提交|改动|修改|任务|步骤|函数|功能|接口|版本|分支|迁移|回答|回复|需求|文件|模块)"
_EACH = re.compile(
    rf"(?:每次|每回|每当|每一次)(?:你|我们|我让你|我叫你|要)?(?:在|都)?(?:[^，,。；;\n]{{0,6}}?)?{WORK}"
    rf"|每个?\s?{_PIECE}[^，,。；;\n]{{0,6}}?(?:之?前|之?后|时)",
    re.IGNORECASE,
)


def is_routine(value: str) -> bool:
    """Whether "每次…" tells an agent what to do with each piece of its work, and nothing of a program's."""
    return (
        _EACH.match(value) is not None
        and "我" not in value[2:5]
        and not re.search(
            COMPLAINTS + "|用户|请求|点击|登录|启动|打开|调用|访问|加载|刷新|弹|跳转|泄漏|显示|秒|分钟", value
        )
    )
