"""What a sentence states, whoever tells it: light rewordings have one form, other statements have others."""

from __future__ import annotations

import pytest
from backstory.store.stated import form, sentences

SAME = [
    ("My wife is called Zorvanna", "The user's wife is called Zorvanna."),
    ("My wife is called Zorvanna", "User's wife: Zorvanna"),
    ("My wife is called Zorvanna", "Zorvanna is the user's wife"),
    ("My wife is called Zorvanna", "Remember that my wife's name is Zorvanna!"),
    ("My wife is called Zorvanna", "Note: the user’s wife is named ZORVANNA"),
    ("My name is Zorvanna", "The user is called Zorvanna"),
    ("I live in Hangzhou", "The user lives in Hangzhou"),
    ("I'm allergic to peanuts", "The user is allergic to peanuts"),
    ("I don't eat meat", "User does not eat meat"),
    ("I don't eat meat", "The user mentioned that you do not eat meat."),
    ("We deploy on Fridays", "The team deploys on Fridays"),
    ("I use the black formatter", "The user uses black formatter"),
    ("My token is sk-live-77", "User's token: sk-live-77"),
    ("I can't swim", "The user cannot swim"),
    ("He likes me", "He likes the user"),
    ("我的妻子叫佐尔万娜", "用户的妻子叫佐尔万娜。"),
    ("我的妻子叫佐尔万娜", "用户妻子名叫佐尔万娜"),
    ("我的妻子叫佐尔万娜", "佐尔万娜是用户的妻子"),
    ("我妻子的名字叫 Zorvanna", "用户的妻子：Zorvanna"),
    ("我的妻子叫佐尔万娜", "用户说他的妻子叫佐爾萬娜"),
    ("我住在杭州", "用户住在杭州"),
    ("记住：我对花生过敏", "该用户对花生过敏"),
    ("我不吃肉", "用户不吃肉。"),
    ("我们周五部署", "咱们周五部署"),
    ("我的口令是青瓷灯塔七号", "用户口令：青瓷灯塔七号"),
    ("他喜欢我", "他喜欢用户"),
]
OTHER = [
    ("My wife is called Zorvanna", "Bob's wife is called Zorvanna"),
    ("My wife is called Zorvanna", "My sister is called Zorvanna"),
    ("My wife is called Zorvanna", "The user's wife is called Zorvannah"),
    ("My wife is called Zorvanna", "The user's wife was called Zorvanna"),
    ("My wife is called Zorvanna", "The user's wife is not called Zorvanna"),
    ("My wife is called Zorvanna", "The user's wife likes Zorvanna"),
    ("My wife is called Zorvanna", "The user denied that my wife is called Zorvanna"),
    ("I live in Hangzhou", "The user lived in Hangzhou"),
    ("I live in Hangzhou", "The user lives near Hangzhou"),
    ("I live in Hangzhou", "Bob lives in Hangzhou"),
    ("I live in Hangzhou", "We live in Hangzhou"),
    ("Alice is Bob's boss", "Bob is Alice's boss"),
    ("Alice loves Bob", "Bob loves Alice"),
    ("I don't eat meat", "The user eats meat"),
    ("I write C++ at work", "The user writes C at work"),
    ("The timeout is > 5 s", "The timeout is < 5 s"),
    ("The port is 8080", "The port is 8081"),
    ("He likes me", "The user likes him"),
    ("Every dog is an animal", "Every animal is a dog"),
    ("我的妻子叫佐尔万娜", "李强的妻子叫佐尔万娜"),
    ("我的妻子叫佐尔万娜", "用户的姐姐叫佐尔万娜"),
    ("我的妻子叫佐尔万娜", "用户的妻子不叫佐尔万娜"),
    ("我的妻子叫佐尔万娜", "用户的妻子曾叫佐尔万娜"),
    ("我住在杭州", "用户曾住在杭州"),
    ("我住在杭州", "我们住在杭州"),
    ("我不吃肉", "用户吃肉"),
    ("他喜欢我", "我喜欢他"),
    ("张三是李四的上司", "李四是张三的上司"),
    ("我对花生过敏", "用户对花粉过敏"),
    ("我的端口是8080", "用户的端口是8081"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_light_rewording_has_the_same_form(one: str, other: str) -> None:
    assert form(one) is not None
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_statement_has_another_form(one: str, other: str) -> None:
    assert form(one) != form(other)


@pytest.mark.parametrize(
    "text", ["", "yes", "I am", "Is my wife called Zorvanna?", "我的妻子叫佐尔万娜吗？", "用户", "x" * 700]
)
def test_what_asks_or_says_too_little_has_none(text: str) -> None:
    assert form(text) is None


def test_a_text_is_taken_sentence_by_sentence() -> None:
    assert sentences("One is v1.2. Two! 三。四；五\nsix") == ["One is v1.2.", "Two!", "三", "四", "五", "six"]
