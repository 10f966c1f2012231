"""Words of one meaning, in English and Chinese: what two people call the same thing in a memory of work."""

from __future__ import annotations

# A meaning a line: a name, then the words for it. Only words that may stand for each other in any sentence of this
# trade: a word that is missing costs a merge, one too many costs a memory.
WORDS = """
user: i, me, my, mine, myself, user, 我, 用户, 本人, 我自己, 我的, 用户的
we: we, us, team, our team, the team, 我们, 咱们, 团队, 我们团队
he: he, him, his, 他, 他的
she: she, her, hers, 她, 她的
they: they, them, their, theirs, 他们, 他们的
project: project, codebase, code base, 项目, 工程, 本项目, 我们项目
repo: repo, repository, 仓库, 代码库, 代码仓库
use: use, utilize, utilise, make use of, employ, 使用, 用, 采用, 选用, 用的是, 用的都是, 运用
run: run, execute, 运行, 执行, 跑, 跑一遍, 跑一下
test: test, 测试
testsuite: test suite, 测试套件
testcase: test case, 测试用例, 用例
unittest: unit test, unittest, 单元测试, 单测
integrationtest: integration test, 集成测试
e2e: e2e test, end to end test, 端到端测试
fix: fix, repair, 修复, 修好, 修, 修掉
resolve: resolve, solve, 解决
bug: bug, defect, 缺陷, 漏洞
error: error, 错误, 报错, 出错
create: create, 创建, 新建, 建立
choose: choose, pick, select, go with, settle on, opt for, 选择, 选, 选定, 选了
decide: decide, make decision, 决定, 定下来, 定了
want: want, wish, would like, 'd like, 希望, 想, 想要
ask: ask, 要求
say: say, mention, state, 说, 提到, 说过
work: work, 工作
live: live, reside, 住, 居住, 住在
speak: speak, talk, 讲
write: compose, 撰写
know: know, be aware, be familiar with, 知道, 熟悉
understand: understand, 理解, 明白
find: find, discover, 发现, 找到
change: change, modify, alter, 修改, 改动, 更改, 改
switch: switch, migrate, move, move over, change over, 切换, 切换到, 迁移, 迁移到, 迁到, 换到, 换成, 改成, 改用,
  改为, 转到
replace: replace, swap out, 替换, 取代, 代替
rename: rename, 重命名, 改名
update: update, 更新
check: check, verify, 检查, 核对, 验证
deploy: deploy, 部署
deployment: deployment, rollout
release: release, ship, publish, 发布, 发版, 上线
build: build, 构建, 编译打包
compile: compile, 编译
package: package, 包, 软件包
dependency: dependency, dep, 依赖, 依赖项
dependon: depend, rely, 依赖于, 取决于
library: library, lib, 库, 类库
folder: folder, directory, dir, 文件夹, 目录
file: file, 文件
config: config, configuration, 配置
configfile: config file, configuration file, 配置文件
setting: settings, preference, 设置
database: database, db, 数据库
table: table, 表, 数据表
column: column, 列, 字段
field: 域
query: query, 查询
index: index, indices, 索引
cache: cache, 缓存
queue: queue, 队列
message: message, msg, 消息, 信息
log: log, 日志
logfile: log file, 日志文件
port: port, 端口
listen: listen, 监听
timeout: timeout, time out, time limit, 超时, 超时时间, 超时时长
retry: retry, 重试
limit: limit, 限制, 上限
token: token, 令牌
password: password, passwd, 密码, 口令
key: key, 密钥
secret: secret, 机密
testenv: test environment, 测试环境
env: env, environment, 环境
envvar: environment variable, env variable, env var, 环境变量
variable: variable, var, 变量
function: function, func, 函数
method: method, 方法
class: class, 类
module: module, 模块
parameter: parameter, param, argument, arg, 参数
type: type, 类型
comment: comment, 注释
typehint: type hint, type annotation, 类型注解, 类型标注
indentation: indentation, indent, 缩进
docs: doc, docs, documentation, document, 文档
readme: readme
code: code, 代码
review: review, code review, 代码审查, 代码评审, 评审, 审查
pullrequest: pull request, pr, merge request, mr, 合并请求
branch: branch, 分支
commitmessage: commit message, 提交信息, 提交说明, 提交消息
lint: lint, linter, linting
format: format, formatter, 格式化
script: script, 脚本
command: command, cmd, 命令
commandline: command line, cli, 命令行
terminal: terminal, shell, 终端
editor: editor, 编辑器
ide: ide
theme: theme, 主题
mode: mode, 模式
language: language, 语言
english: english, 英语, 英文
chinese: chinese, 中文, 汉语
reply: reply, respond, answer, 回复, 答复, 回答
explain: explain, 解释, 说明, 讲解
explanation: explanation
example: example, 例子, 示例
image: image, picture, 图片
container: container, 容器
cluster: cluster, 集群
service: service, 服务
api: api, 接口
endpoint: endpoint, 端点
gateway: gateway, 网关
payment: payment, 支付
order: order, 订单
login: login, log in, sign in, sign-in, 登录, 登入
logout: logout, log out, sign out, 登出, 退出登录
account: account, 账号, 账户, 帐号
permission: permission, 权限
version: version, 版本
data: data, 数据
backup: backup, back up, 备份
snapshot: snapshot, 快照
restore: restore, 恢复, 还原
page: page, 页面
button: button, 按钮
screen: screen, 屏幕
meeting: meeting, 会议, 开会
deadline: deadline, due date, 截止日期, 截止时间
schedule: schedule, 排期
task: task, 任务
job: job, 作业
cron: cron job, scheduled task, 定时任务
pipeline: pipeline, 流水线
ci: ci, continuous integration, 持续集成
worker: worker, 工作进程
process: process, 进程
thread: thread, 线程
memory: memory, ram, 内存
disk: disk, hard disk, 磁盘, 硬盘
machine: machine, box, 机器
cpu: cpu, 处理器
network: network, 网络
store: store, 存储, 存, 存放, 存在, 保存
keep: keep, retain, 保留, 保持
place: put, place, 放, 放在, 放到, 放进
located: be located, located, sit, 位于
get: get, obtain, fetch, retrieve, 获取, 取得, 拿到
give: give, provide, 提供, 给出
return: return, 返回
throw: throw, 抛出
handle: handle, deal with, 处理
cause: cause, lead to, result in, 导致, 造成, 引起
same: same, identical, 相同, 一样
different: different, 不同
problem: problem, issue, trouble, 问题
reason: reason, 原因
goal: goal, objective, aim, 目标是
plan: plan, 计划
result: result, 结果
name: name, 名字, 名称, 名
call: call, invoke, 调用
wait: wait, 等待, 等
remember: remember, 记住
forget: forget, 忘记, 忘了
try: try, attempt, 尝试, 试
avoid: avoid, steer clear of, 避免
follow: follow, 遵循, 遵守
naming: naming, 命名
style: style, 风格
convention: convention, 规范, 约定
tool: tool, 工具
feature: feature, 功能, 特性
step: step, 步骤
time: time, 时间
day: 日子
often: often, frequently, 经常, 常常
usually: usually, normally, typically, generally, in general, 通常, 一般, 平时, 一般来说
sometimes: sometimes, occasionally, 有时, 有时候, 偶尔
always: always, at all times, every time, 总是, 始终, 一律, 永远, 每次都, 每次, 一直
only: only, solely, exclusively, 只, 仅, 仅仅, 只有, 只是
all: all, every, once every, each, whole, entire, 所有, 全部, 每个, 每一个, 一切, 任何一个, 整个, 所有的, 全部的
some: some, 一些, 部分, 有些
several: several, a few, 几个
many: many, a lot of, lots of, plenty of, 很多, 许多, 大量
most: most, 大多数, 大部分, 多数
few: few
any: any, 任何
both: both, 两者, 双方
other: other, another, else, 其他, 其它, 另一个
again: again, once more, 再次, 重新
atleast: at least, no less than, not less than, 至少, 不少于, 起码, 最少
atmost: at most, up to, no more than, not more than, 最多, 至多, 不超过, 不多于
morethan: more than, greater than, 超过, 多于, 大于
lessthan: less than, fewer than, 少于, 小于, 低于
roughly: approximately, roughly, around, 大约, 大概, 差不多, 左右, 约, 上下
default: by default, default, 默认, 缺省
directly: directly, straight, 直接
together: together, 一起
separately: separately, individually, 分别, 单独
immediately: immediately, right away, at once, 立即, 立刻, 马上
formerly: used to, formerly, previously, in the past, once upon a time, 以前, 过去, 曾经, 原来, 原先, 之前
today: today, 今天, 今日
tomorrow: tomorrow, 明天, 明日
yesterday: yesterday, 昨天, 昨日
tonight: tonight, 今晚
nextweek: next week, 下周, 下星期, 下个星期
lastweek: last week, 上周, 上星期, 上个星期
thisweek: this week, 本周, 这周, 这个星期
nextmonth: next month, 下个月, 下月
lastmonth: last month, 上个月, 上月
monday: monday, mon, 周一, 星期一, 礼拜一
tuesday: tuesday, tue, tues, 周二, 星期二, 礼拜二
wednesday: wednesday, wed, 周三, 星期三, 礼拜三
thursday: thursday, thu, thur, thurs, 周四, 星期四, 礼拜四
friday: friday, fri, 周五, 星期五, 礼拜五
saturday: saturday, sat, 周六, 星期六, 礼拜六
sunday: sunday, sun, 周日, 星期日, 星期天, 周天, 礼拜天, 礼拜日
quarter: quarter, 季度
daily: daily, every day, each day, 每天, 每日
weekly: weekly, every week, each week, 每周, 每星期
monthly: monthly, every month, each month, 每月, 每个月
nightly: nightly, every night, each night, 每晚, 每天晚上
noon: noon, midday, 中午
midnight: midnight, 午夜, 半夜, 零点
colleague: colleague, coworker, co worker, teammate, 同事, 队友
boss: boss, manager, 老板, 上司
customer: customer, client company, 客户, 顾客
developer: developer, dev, programmer, 开发者, 程序员, 开发人员
engineer: engineer, 工程师
admin: admin, administrator, 管理员
app: app, application, 应用, 应用程序, 程序
website: website, site, web site, 网站
phone: phone, mobile phone, cell phone, 手机, 电话
email: email, e mail, mail, 邮件, 邮箱, 电子邮件
birthday: birthday, 生日
vegetarian: vegetarian, 素食者, 吃素
allergic: allergic, 过敏
nodejs: node, nodejs, node.js
postgresql: postgresql, postgres, pg, psql
kubernetes: kubernetes, k8s
javascript: javascript, js
typescript: typescript, ts
python: python, py
golang: golang, go lang
vscode: vscode, vs code, visual studio code
macos: macos, mac os, mac os x, osx
mongodb: mongodb, mongo
githubactions: github actions, github action, gh actions
reactjs: react, reactjs, react.js
vuejs: vue, vuejs, vue.js
nextjs: nextjs, next.js
elasticsearch: elasticsearch, elastic search
utf8: utf8, utf-8
neovim: neovim, nvim
markdown: markdown
tailwind: tailwind, tailwindcss, tailwind css
wsl: wsl, windows subsystem for linux
sandbox: sandbox, 沙箱, 沙盒
singleton: singleton, 单例
interface: interface
constant: constant, 常量
string: string, str, 字符串
integer: integer, int, 整数
boolean: boolean, bool, 布尔, 布尔值
array: array, 数组
list: list, 列表
object: object, 对象
null: null, none value, 空值
migration: migration, 迁移脚本, 数据库迁移
schema: schema, 表结构
transaction: transaction, 事务
pool: pool, 池
connectionpool: connection pool, 连接池
request: 发请求
header: header, 请求头
certificate: certificate, cert, 证书
domain: domain, domain name, 域名
proxy: proxy, 代理
loadbalancer: load balancer, 负载均衡, 负载均衡器
monitor: monitor, monitoring, 监控
alert: alert, alarm, 告警, 报警
metric: metric, 指标
dashboard: dashboard, 仪表盘, 看板
incident: incident, outage, 故障, 事故
performance: performance, 性能
optimize: optimize, improve, 优化
refactor: refactor, 重构
rewrite: rewrite, 重写
debug: debug, 调试
rootcause: root cause, 根因, 根本原因
workaround: workaround, 变通办法
upgradeguide: upgrade guide
spelling: spelling, 拼写
translation: translation, 翻译
rule: rule, 规则
approval: approval, 审批
concise: concise, succinct, terse, 简洁, 简明
detailed: detailed, in detail, 详细
clear: clear, 清楚, 清晰
important: important, 重要
correct: correct, 正确
wrong: wrong, incorrect, 不对, 不正确
expire: expire, 过期, 失效
hang: hang, freeze, get stuck, 卡住, 卡死
crash: crash, 崩溃
leak: leak, 泄漏, 泄露
duplicate: duplicate, duplicated, 重复
missing: missing, 缺少, 缺失
live_in: living in
hometown: hometown, 老家
drink: drink, 喝
eat: eat, 吃
coffee: coffee, 咖啡
tea: tea, 茶
dog: dog, 狗
cat: cat, 猫
wife: wife, 妻子, 老婆, 太太
husband: husband, 丈夫, 老公
daughter: daughter, 女儿
son: son, 儿子
beijing: beijing, 北京
shanghai: shanghai, 上海
hangzhou: hangzhou, 杭州
shenzhen: shenzhen, 深圳
hasbeen: 过
"""
