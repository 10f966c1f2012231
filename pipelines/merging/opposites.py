"""Words that turn a statement into another one, in English and Chinese: opposites, by pairs."""

from __future__ import annotations

# Of these what is not the one is the other.
COMPLEMENTS = frozenset(
    f"{name}~" for name in str.split("pass valid true possible available online stable known safe resolved")
)

# One pair a line: a name, the words of one side | the words of the other. A pair that is both sides of one switch
# ("on | off") makes two statements opposed; one that only makes them different has a "!" before its name.
PAIRS = """
enable: enable, turn on, switch on, activate, turned on, on, 启用, 开启, 打开, 开着, 激活, 开 | disable,
  turn off, switch off, deactivate, off, 停用, 禁用, 关闭, 关掉, 关上, 关着, 关
open: open, opened | close, closed, shut
start: start, begin, launch, boot, 启动, 开始, 开机 | stop, halt, end, terminate, kill, 停止, 结束, 终止, 停掉,
  停下
light: light, bright, 浅色, 亮色, 明亮, 白天 | dark, 深色, 暗色, 黑暗, 暗黑, 夜间
before: <before, <prior to, <ahead of, >之前, >以前, >前, >之先 | <after, <following, >之后, >以后, >后, >过后
with: <with, <including, <along with, 带上, 带有, 带, 附带 | <without, <excluding, <minus, 不带, 不含
include: include, contain, 包括, 包含, 含有 | exclude, omit, leave out, 排除, 不包括, 不包含, 忽略
sync: sync, synchronous, synchronously, 同步 | async, asynchronous, asynchronously, 异步
true: true | false
pass: pass, succeed, success, successful, green, 通过, 成功, 跑通 | fail, failure, failing, red, 失败, 挂了,
  不通过, 未通过, 通不过, 过不了
public: public, 公开, 公有, 公网 | private, 私有, 私密, 内网
local: local, locally, 本地 | remote, remotely, 远程, 远端
like: like, love, enjoy, favor, prefer, would rather, be fond of, fancy, 喜欢, 偏好, 偏爱, 更喜欢, 比较喜欢, 爱
  | hate, dislike, detest, loathe, can not stand, 讨厌, 反感, 厌恶, 不喜欢
support: support, 支持 | oppose, 反对
valid: valid, 有效, 合法 | invalid, 无效, 非法
safe: safe, 安全 | unsafe, dangerous, 危险, 不安全
stable: stable, 稳定 | unstable, flaky, 不稳定
required: required, require, need, mandatory, compulsory, 必填, 必需, 强制 | optional, 可选, 选填
strict: strict, 严格 | lenient, loose, relaxed, 宽松
manual: manual, manually, by hand, 手动, 人工 | automatic, automatically, auto, 自动
static: static, 静态 | dynamic, 动态
explicit: explicit, explicitly, 显式 | implicit, implicitly, 隐式
mutable: mutable, 可变 | immutable, 不可变
blocking: blocking, 阻塞 | non blocking, nonblocking, 非阻塞
sensitive: case sensitive, 区分大小写, 大小写敏感 | case insensitive, 不区分大小写, 大小写不敏感
signed: signed | unsigned
empty: empty, blank, 空 | nonempty, non empty, 非空
online: online, 在线 | offline, 离线
visible: visible, show, display, shown, 显示, 可见, 展示 | hidden, invisible, hide, 隐藏, 不可见
agree: agree, approve, accept, approved, accepted, 同意, 赞成, 批准, 接受 | disagree, decline, 不同意, 驳回
trust: trust, trusted, 信任 | distrust, untrusted, 不信任
possible: possible, 可行 | impossible, 不可能
known: known, 已知 | unknown, 未知
encrypted: encrypt, encrypted, 加密 | decrypt, unencrypted, plaintext, 解密, 明文
available: available, 可用 | unavailable, 不可用
ascending: ascending, asc, 升序 | descending, desc, 降序
horizontal: horizontal, horizontally, 水平, 横向 | vertical, vertically, 垂直, 纵向, 竖向
resolved: resolved, 已解决 | unresolved, 未解决
!increase: increase, raise, grow, bump, scale up, raised, 增加, 提高, 调高, 上调, 加大, 增大, 升高, 提升, 上升
  | decrease, reduce, lower, shrink, cut, scale down, 减少, 降低, 调低, 下调, 减小, 缩小, 下降
!add: add, 添加, 新增, 加上, 加入, 加 | remove, delete, drop, get rid of, 删除, 移除, 删掉, 去掉, 删了, 删, 移掉
!upgrade: upgrade, 升级 | downgrade, 降级
!install: install, 安装, 装上, 装 | uninstall, 卸载
!encode: encode, 编码 | decode, 解码
!push: push, 推送, 推 | pull, 拉取, 拉
!read: read, 读, 读取 | write, 写, 写入
!up: up, upward, 向上 | down, downward, 向下
!left: left, 左, 左边, 左侧 | right, 右, 右边, 右侧
!top: top, 顶部, 上方 | bottom, 底部, 下方
!first: 首个, 首次 | last, 最后
!min: min, minimum, minimal, 最小, 最小值, 最低 | max, maximum, maximal, 最大, 最大值, 最高
!more: more, 更多, 多 | less, fewer, 更少, 少
!high: high, 高 | low, 低
!fast: fast, quick, quickly, rapid, 快, 迅速 | slow, slowly, 慢, 缓慢
!big: big, large, 大 | small, little, tiny, 小
!long: long, lengthy, 长 | short, brief, 短
!early: early, 早, 提前 | late, 晚, 推迟, 延后
!new: new, 新 | old, 旧, 老
!newer: newer, 更新的 | older, 更旧
!good: good, 好 | bad, 坏, 差
!better: better, 更好 | worse, 更差
!best: best, 最好 | worst, 最差
!easy: easy, simple, 容易, 简单 | hard, difficult, complex, 困难, 难, 复杂
!cheap: cheap, 便宜 | expensive, costly, 贵
!single: single, 单 | multiple, multi, 多个
!front: frontend, 前端 | backend, 后端
!client: client, 客户端 | server, 服务端, 服务器
!request: request, 请求 | response, 响应
!input: input, 输入 | output, 输出
!sender: sender, send, 发送, 发送方 | receiver, receive, 接收, 接收方
!upload: upload, 上传 | download, 下载
!import: import, 导入 | export, 导出
!buy: buy, purchase, 买, 购买 | sell, 卖, 出售
!lend: lend, 借出 | borrow, 借入
!connect: connect, 连接 | disconnect, 断开
!lock: lock, 锁定, 加锁 | unlock, 解锁
!mount: mount, 挂载 | unmount, umount, 卸下
!compress: compress, zip, 压缩 | decompress, unzip, extract, 解压
!merge: merge, 合并 | split, 拆分, 分开
!commit: commit, 提交 | revert, roll back, 回滚, 撤销
!win: win, 赢 | lose, 输
!inside: <inside, <within, >以内, >之内 | <outside, <outside of, >以外, >之外, >外面, >外
!above: <above, <over, <on top of | <below, <under, <beneath, <underneath, >下面, >底下, >之下, >下
!east: east, 东 | west, 西
!north: north, 北 | south, 南
!upstream: upstream, 上游 | downstream, 下游
!parent: parent, 父 | child, 子
!source: source, 源 | target, destination, 目标
!internal: internal, 内部 | external, 外部
!morning: morning, 早上, 上午, 早晨 | evening, 晚上
!day: daytime | night
!weekday: weekday, 工作日 | weekend, 周末
!staging: staging, stage, preprod, 预发, 预发布 | production, prod, 生产, 线上
!tab: tab, 制表符 | space, 空格
!http: http | https
!producer: producer, 生产者 | consumer, 消费者
!primary: primary, master, leader, 主库, 主节点 | replica, secondary, follower, slave, 从库, 从节点
!stateless: stateless, 无状态 | stateful, 有状态
!relative: relative, 相对 | absolute, 绝对
!shallow: shallow, 浅 | deep, 深
!singular: singular, 单数 | plural, 复数
!uppercase: uppercase, 大写 | lowercase, 小写
!camel: camel | snake
!odd: odd, 奇数 | even, 偶数
!positive: positive, 正 | negative, 负
!serial: serial, sequential, sequentially, 串行, 顺序 | parallel, concurrently, concurrent, 并行, 并发
!whitelist: whitelist, allowlist, 白名单 | blacklist, blocklist, denylist, 黑名单
!union: union, 并集 | intersection, 交集
!permanent: permanent, permanently, 永久 | temporary, temporarily, temp, 临时, 暂时
"""
