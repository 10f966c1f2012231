"""The stories of what is asked to be remembered by name: it is kept, whatever it reads like."""

from __future__ import annotations

import pytest

from .stories import Story

# What each asks for, after the words that ask.
ASKED = [
    # What reads as a permission, or as not needed, where there is no order to lift.
    ("Remember that ", "you can export reports"),
    ("Remember that ", "members can export reports"),
    ("Remember that ", "the query endpoints don't need a signature"),
    ("Remember that ", "you don't need to run the tests for docs"),
    ("Remember: ", "no need to sign commits"),
    ("Please remember that ", "you may format automatically from now on"),
    ("Remember that ", "it's fine to use any in tests"),
    ("记住：", "内网可以访问后台"),
    ("记住：", "查询接口不需要签名"),
    ("记住：", "老用户不需要实名认证"),
    ("记住：", "会员可以导出报表"),
    ("记住：", "工作日允许发布"),
    ("记住：", "主库允许写"),
    ("记住：", "以后可以自动格式化"),
    ("请记住，", "提交不用签名了"),
    ("记住", "不用跑测试"),
    # What begins as a question or a denial does.
    ("Remember that ", "when writing Go I use GoLand"),
    ("Remember that ", "if the cache is cold the build takes 12 minutes"),
    ("Remember that ", "what Bob owns is the billing service"),
    ("Remember: ", "when CI is red nobody merges"),
    ("记住", "没缓存时构建要 12 分钟"),
    ("记住", "没有权限的用户看不到后台"),
    ("记住", "没人会用旧接口"),
    ("记住", "不支持 IE"),
    ("记住", "不是所有请求都要签名"),
    # What has a verb of no list, or the word for a thing of the program.
    ("Remember that ", "Ana left in 2024"),
    ("Remember that ", "our provider went bankrupt"),
    ("Remember that ", "time is stored in UTC"),
    ("Remember: ", "issue numbers start at 1000"),
    ("记住", "密码至少 12 位"),
    ("记住：", "状态码用 200"),
    ("记住", "我不用 Emacs"),
    ("记住", "张三离职了"),
    ("记住", "去柏林的行程取消了"),
    ("记住", "生产库挂过一次"),
    ("记住", "旧接口已废弃"),
    ("记住", "别改接口"),
]


@pytest.mark.parametrize(("asks", "words"), ASKED, ids=lambda one: one)
def test_what_is_asked_for_by_name_is_kept(story: Story, asks: str, words: str) -> None:
    story.on("2026-03-02").says(f"{asks}{words}{'。' if asks[0] in '记请' else '.'}")
    assert story.on("2026-09-01").lists() == [words]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (
            "Remember:\n- when writing Go I use GoLand\n- you can push to feature branches\n- if CI is red wait",
            {"when writing Go I use GoLand", "you can push to feature branches", "if CI is red wait"},
        ),
        (
            "记住：\n- 不用 tab 缩进\n- 没有测试不能合并\n- 会员可以导出报表",
            {"不用 tab 缩进", "没有测试不能合并", "会员可以导出报表"},
        ),
    ],
)  # fmt: skip
def test_so_is_each_item_of_a_list(story: Story, words: str, kept: set[str]) -> None:
    story.on("2026-03-02").says(words)
    assert set(story.on("2026-09-01").lists()) == kept


@pytest.mark.parametrize(
    ("order", "words", "left"),
    [
        ("Never push to main.", "Remember that you can push to main again from now on.",
         ["you can push to main again from now on"]),
        ("以后不要自动格式化。", "记住：以后可以自动格式化。", ["以后可以自动格式化"]),
    ],
)  # fmt: skip
def test_what_lifts_an_order_lifts_it_and_is_no_note(
    story: Story, order: str, words: str, left: list[str]
) -> None:
    story.on("2026-03-02").says(order)
    story.on("2026-04-02").says(words)
    assert story.on("2026-09-01").lists() == left


@pytest.mark.parametrize(
    "words",
    [
        "You can export the reports.",
        "No need to sign the commits.",
        "Remember when we moved to Berlin?",
        "Remember that bug from yesterday?",
        "Remember that library Bob wrote.",
        "Remember that issue from last week.",
        "Remember, when you deploy, run the migrations.",
        "Remember to run the tests.",
        "Remember that the user prefers tabs.",
        "可以导出报表。",
        "查询接口不需要签名。",
        "记住了吗？",
        "记住没有？",
        "记住没问题，但是检索很慢。",
        "记住不了这么多。",
        "记住密码功能坏了。",
        "记住登录状态。",
        "记住上次打开的文件。",
        "记住用户希望用制表符。",
        "记得上线前关掉 debug。",
        "记得不要改这个文件。",
        "记得取消订阅。",
        "别忘了没提交的改动。",
    ],
)
def test_what_asks_for_nothing_to_be_kept_leaves_nothing(story: Story, words: str) -> None:
    story.on("2026-03-02").says(words)
    assert story.on("2026-09-01").lists() == []
