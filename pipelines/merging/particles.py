"""Words that bind, deny and join others, or say nothing, in English and Chinese."""

from __future__ import annotations

# Words without which a sentence says the same.
EMPTY = """
a, an, the, this, these, that, our, ours, its, it, there, you, your, yours, please, kindly, just, simply,
really,
actually, basically, quite, very, also, too, as well, already, still, now, currently, at the moment, at present,
right now,
nowadays, these days, from now on, going forward, in future, in the future, for the record, fyi, btw,
by the way, note, note that,
please note, remember that, please remember, keep in mind, bear in mind, remember to, be sure to, make sure to,
make sure that, make sure,
ensure that, be aware that, it turns out that, turns out, as it turns out, in fact, is, am, are, be, been,
being, do, does, did, well,
ok, okay, oh, hey, hi, thanks, thank you, of course, e.g., i.e., etc, indeed, own, by now, so far, as of now,
whenever possible,
for this project, in this project, in the project, for the project, in this repo, in this repository,
in our project, here, user say that, user say,
user mention that, user state that, user tell me that, user want you to, in order, as a rule, up front,
as usual,
的, 要, 了, 吗, 呢, 吧, 啊, 呀, 嘛, 哦, 哈, 嗯, 请, 请问, 麻烦, 帮我, 帮忙, 都, 也, 就, 会, 还, 还是, 很, 非常,
特别, 十分, 已经, 已, 现在, 目前,
当前, 正在, 在用, 着, 地, 是, 那, 那个, 这, 这个, 这些, 它, 你, 您, 你们, 我们的, 咱们的, 其实, 另外, 顺便,
对了, 请注意, 注意, 请记住, 记住, 记得, 记一下, 请记得, 记得要,
帮我记住, 帮我记一下, 今后, 往后, 从现在起, 从现在开始, 从今以后, 之后都, 以后都, 我们这边, 我这边, 这边,
一下, 一下子, 来, 进行, 而言, 来说, 的话, 那么, 在这个项目里, 在本项目中, 这个项目里, 本项目中, 项目里, 项目中,
一遍, 所说, 用户说, 用户提到, 用户表示, 我说过, 个人, 目前来看, 目前为止
"""

# What joins words: "-" may be left out where the order is the same, the others tell who does what to whom.
JOINS = """
-in: in, on, at, inside of
-在: 在, 于, >里, >中, >上面, >里头, >上, >里面, >当中
-to: to, into, onto, towards
-到: 到, 往, 向, 至
-of: of
-把: 把, 将
by: by, 被, 由
-为: 为
for: for, 为了, 给
跟: 跟, 同
对: 对, 针对
from: from, out of, 从, 自, 自从
because: because, due to, because of, owing to, 因为, 由于
so: so, therefore, thus, hence, 所以, 因此
but: but, however, yet, 但是, 但, 不过, 可是
iff: if, in case, 如果, 假如, 要是, 若, 假设
onlyif: only if, only when, only in case, 仅当
when: when, whenever, 当
-时: >时, >的时候, >时候, >之时
until: until, till, 直到
unless: unless, 除非
via: via, by means of, through, 经过, 经由
near: near, close to, nearby, in the vicinity of, not far from, 靠近, 临近, >附近, >周围, >周边
beside: beside, next to, adjacent to, >旁边, >旁, >边上, >身边
behind: behind, >后面, >背后, >后方
infront: in front of, >前面, >前方
opposite: across from, >对面
between: between, >之间
among: among, amongst
across: across
along: along, 沿着, 沿
around: 绕过, 绕开
since: since, ever since, >以来
during: during, throughout, >期间
except: except, except for, apart from, aside from, other than, with the exception of, save for, 除了, 除, 除去, 除开
despite: despite, in spite of, regardless of, 尽管, 不顾
unlike: unlike, 不像
beyond: beyond
besides: besides, in addition to
off: off of
alongside: alongside
about: about, regarding, concerning, 关于
instead: instead of, rather than, over, as opposed to, in place of, 而不是, 而非
against: against
than: than, compared to, compared with, 比, 相比, 比起
-and: and, plus, 和, 与, 及, 以及, 并, 并且, 而且, 还有
or: or, 或, 或者
as: as, 作为, 当作
per: per, 每
then: then, 然后, 接着, 随后, 再
first: 先, 首先
"""

# How binding a sentence is. Words of one line are one, of two lines never.
BINDING = """
must: must, have to, has to, need to, needs to, be required to, required to, got to, shall, 必须, 务必, 一定要,
  一定得, 必须要, 需要, 得
should: should, ought to, be supposed to, had better, 应该, 应当, 应, 该, 最好
may: may, can, be allowed to, allowed to, be allowed, allowed, allow, permit, permitted, be permitted,
  be able to, able to, could, 允许, 准许, 许可, 可以, 能, 能够, 可
might: might, perhaps, maybe, possibly, probably, likely, 可能, 也许, 或许, 大概会
will: will, be going to, going to, plan to, plans to, intend to, about to, 将要, 将会, 即将, 快要, 打算, 准备
"""

# What turns a statement round.
DENYING = """
not: not, never, no, none, nothing, nobody, neither, nor, don't, dont, do not, under no circumstances, not ever,
  refrain from, 不, 没, 没有, 别, 不要, 勿, 请勿, 切勿, 切莫, 莫, 未, 无, 非, 从不, 绝不, 决不, 永不, 永远不,
  千万别, 千万不要, 绝对不要, 从来不, 从未, 不会, 不是, 并不, 并非, 并没有, 还没有, 还没, 尚未, 未曾, 永远不要,
  不应该去做, 不太
nolonger: no longer, not any longer, not anymore, not any more, no more, anymore, any more, 不再, 别再, 不要再,
  不再需要
needless: do not have to, do not need to, need not, no need to, not necessary to, not required, 不必, 无需,
  不需要, 无须, 用不着
forbidden: must not, can not, cannot, be not allowed to, not allowed to, shall not, forbid, forbidden, prohibit,
  prohibited, ban, banned, disallow, disallowed, not permitted, not permit, not allow, 不可以, 不可, 不能, 不准,
  不许, 不得, 不允许, 禁止, 严禁
"""

# What is said with one of these is less, or other, than what is said without it.
HEDGES = """
almost nearly hardly barely scarcely former ex formerly previous proposed planned deprecated obsolete draft alleged
supposed partly partially half mostly rarely seldom experimental fake mock pseudo unofficial hypothetical potential
future ideally sort kind virtually practically semi quasi together separately plan 快 快要 差点 差不多 几乎 前任 前 拟
草案 草稿 部分 疑似 很少 勉强 曾 计划 预计 暂定 半 准 未来 理论上 名义上 原则上 表面上 一半
"""
