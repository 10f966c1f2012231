"""Everyday words in English and Chinese: so common in questions and prompts that one tells little, found or not."""

from __future__ import annotations

from functools import cache

from .english import stem

# One form each, stemmed when they are needed. Words of any trade's talk about its work are among them.
_ENGLISH = """
    able above accept according account across act action actual add added additional advice against age ago
    agree ahead allow almost alone along already always amount another answer anyone anything anyway
    anywhere apart appear apply area around ask aspect attach attempt attention available avoid aware away
    back bad base basic become began begin behavior behind believe below best better beyond big bit bottom
    bring brought build built business call came care carefully carry case cause certain certainly chance
    change check choice choose chose chosen clean clear clearly close code come command comment common
    compare complete concern consider consist contain continue control correct correctly cost couple course
    create current cut data date day deal decide decision deep default define definitely depend describe
    design despite detail determine develop difference difficult direct directly discover discuss document
    double doubt draw drop due earlier early easily easy edit effect effort either else empty encounter end
    enough ensure enter entire equal error especially establish even ever every everyone everything exact
    exactly example except exist expect explain extra fact fail fair fairly fall family far fast feature
    feel few field figure file fill final find fine finish first fit fix follow force form format former
    found free frequently friend front full fully function further future gave general get give given go
    goal goes gone good got great group grow guess half hand handle happen hard hardly head hear heard help
    high hold home hope hour house idea identify implement important improve include increase indeed inform
    initial inside instead intend interest involve issue item job join keep kept key kind knew know known
    large last late later latest lead learn least leave left length less letter level life light like limit
    line list little live local long longer look lose lost lot low made main mainly maintain major make
    manage manner many mark matter maybe mean meant meet mention message method mind minor minute miss
    mistake moment month more morning most mostly move much multiple name near nearly necessary need never
    new next nice night none normal note nothing notice now number obvious obviously occur offer office
    often old once open opinion option order original other otherwise output outside overall own page pair
    part particular particularly party pass past path people per perfect perform perhaps period person pick
    piece place plan play plenty point poor position possible prefer prepare present pretty prevent previous
    previously probably problem process produce program progress project proper properly provide public pull
    purpose push put question quick quickly quite raise ran range rather read ready real really reason
    receive recent recommend reduce refer regard related relevant remain remember remind remove repeat
    replace report request require resolve respect respond response rest result return review right role
    room rule run said same save saw say school second section see seem seen select send sense sent separate
    sequence series serious serve set setup several share short shown side sign significant similar simple
    simply since single sit situation size small smart solution solve somebody somehow someone something
    sometimes somewhere soon sorry sort sound source speak special specific specify spend stage stand
    standard start state stay step still stop stored story straight strange strong structure stuff style
    subject sudden suggest suit support suppose sure system take taken talk task team tend term thing think
    third thought three throughout time today together told tomorrow took tool top topic total touch toward
    track tried trouble true try turn two type typically understand unless until update upon user usual
    value various version via view want watch way week weekly well went whatever whenever wherever whether
    whole wide wish within wonder word work world worry worse worst worth write written wrong wrote year
    yesterday yet young
"""
_CHINESE = """
    问题 方法 方式 情况 使用 用 用到 进行 实现 处理 开始 结束 完成 内容 东西 事情 工作 项目 代码 文件 功能
    系统 部分 方面 地方 时间 今天 昨天 明天 上周 这次 下次 后来 一直 一起 一样 一般 一定 所有 全部 每个 每次
    其他 其它 另外 别的 多 少 大 小 新 旧 高 低 快 慢 先 后 前 左 右 看 看看 看到 知道 觉得 认为 希望 喜欢
    选择 决定 改 改成 修改 更改 调整 增加 添加 加 删除 删 减少 写 写的 读 用户 人 名字 名称 数据 信息 结果
    原因 目的 作用 意思 区别 关系 步骤 过程 计划 建议 例子 介绍 解释 说明 描述 总结 解决 检查 测试 运行 执行
    打开 关闭 设置 配置 支持 需求 要求 重新 继续 直接 主要 重要 具体 详细 简单 容易 困难 可能 必须 一次 两个
    三个 多个 一种 各种 不同 相同 负责 遇到 出现 发生 发现 找 找到 找出 给出 列出 记得 记住 忘记 提到 讨论
    当前 正在 最后 最终 最新 最好 最大 最小 首先 其中 之间 以上 以下 左右 大概 大约 比较 非常 特别 真的 确实
"""


@cache
def tokens() -> frozenset[str]:
    """The everyday words as search tokens."""
    return frozenset(map(stem, _ENGLISH.split())) | frozenset(_CHINESE.split())
