"""The stories of what there is one of: a manager, a birthday, a package manager; when it changes the new one stands."""

from __future__ import annotations

import pytest

from .stories import Story, told


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user's manager is Ana", "The user's manager is Bob"),
        ("User's birthday is May 3", "User's birthday is May 4"),
        ("User's email is a@acme.com", "User's email is b@acme.com"),
        ("The user's work email is a@acme.com", "The user's work email is b@acme.com"),
        ("The user's phone number is 555-1234", "The user's phone number is 555-9876"),
        ("User's address is 5 Main Street, Springfield", "User's address is 7 Oak Avenue, Springfield"),
        ("User's timezone is Europe/Berlin", "User's timezone is Asia/Shanghai"),
        ("User's nickname is Al", "User prefers to be called Bob"),
        ("User's job title is Staff Engineer", "User's job title is Head of Platform"),
        ("User's GitHub handle is al42", "User's GitHub handle is al43"),
        ("User's working hours are 9 to 5", "User's working hours are 10 to 6"),
        ("User is 34 years old", "User is 35 years old"),
        ("User's favourite color is blue", "User's favourite color is green"),
        ("User's pronouns are they/them", "User's pronouns are she/her"),
        ("User's team is Platform", "User's team is Payments"),
        ("用户的经理是李雷", "用户的经理是韩梅梅"),
        ("用户的生日是 5 月 3 日", "用户的生日是 5 月 4 日"),
        ("用户的公司邮箱是 a@acme.com", "用户的公司邮箱是 b@acme.com"),
        ("用户的手机号是 13800001111", "用户的手机号是 13900002222"),
        ("用户的住址是杭州市西湖区文三路 1 号", "用户的住址是北京市海淀区中关村 2 号"),
        ("用户的职位是架构师", "用户的职位是技术总监"),
        ("用户的 GitHub 账号是 al42", "用户的 GitHub 账号是 al43"),
        ("用户今年 34 岁", "用户今年 35 岁"),
        ("用户的公司是腾讯", "用户在阿里工作"),
        ("My manager is Ana.", "My manager is Bob."),
        ("My phone number is 555-1234.", "My phone number is 555-9876."),
        ("My favorite color is blue.", "My favorite color is green."),
        ("我的邮箱是 a@acme.com。", "My email is b@acme.com."),
        ("我的生日是 5 月 3 日。", "我的生日是 5 月 4 日。"),
        ("我老板叫李雷。", "我的老板是韩梅梅。"),
        ("The project's package manager is npm", "The project's package manager is pnpm"),
        ("The package manager is npm", "This project uses pnpm"),
        ("项目的包管理器是 npm", "这个项目用 pnpm"),
        ("The default branch is master", "The repo's default branch is main"),
        ("默认分支是 master", "默认分支是 main"),
        ("The worker port is 8080", "The port of the worker is 9090"),
        ("The API server listens on port 8080", "The API server's port is 9090"),
        ("API 服务监听 8080 端口", "API 服务的端口是 9090"),
        ("The project requires Node 18", "The project uses Node 20"),
        ("项目要求 Node 18", "项目要求 Node 20"),
        ("The staging URL is https://a.example.com", "The staging URL is https://b.example.com"),
        ("预发环境的地址是 https://a.example.com", "预发环境的地址是 https://b.example.com"),
        ("The license of the project is MIT", "The project's license is Apache-2.0"),
        ("Remember that the worker port is 8080.", "Remember that the worker port is 9090."),
        ("记住，默认分支是 master。", "记住，默认分支是 main。"),
        ("Tests are run with npm test", "Tests are run with pnpm test"),
        ("The owner of the billing service is Ana", "The billing service's owner is Bob"),
        ("计费服务的负责人是李雷", "计费服务的负责人是韩梅梅"),
    ],
)
def test_what_there_is_one_of_has_its_latest_value(story: Story, one: str, other: str) -> None:
    told(story, "2026-03-02", one)
    told(story, "2026-05-02", other)
    first, then = (
        text.rstrip(".。").removeprefix("Remember that ").removeprefix("记住，") for text in (one, other)
    )
    assert story.on("2026-06-01").lists() == [then]
    assert story.lists(as_of="2026-04-01") == [first]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user's work email is a@acme.com", "The user's private email is b@home.org"),
        ("The user's home address is 5 Main Street", "The user's work address is 7 Oak Avenue"),
        ("User's manager is Ana", "User's team lead is Bob"),
        ("User's manager is Ana", "User's manager is on vacation"),
        ("User's manager is Ana", "User's manager's manager is Bob"),
        ("User's birthday is May 3", "User's wife's birthday is June 4"),
        ("The user's brother is called Al", "The user's brother is called Bo"),
        ("User's favourite color is blue", "User's favourite food is pizza"),
        ("User's phone is an iPhone 15", "User's phone is 555-12345"),
        ("Ana's manager is Bob", "Carl's manager is Dora"),
        ("用户的公司邮箱是 a@acme.com", "用户的私人邮箱是 b@home.org"),
        ("用户的经理是李雷", "用户的经理是个很严格的人"),
        ("用户的邮箱是 a@acme.com", "用户的邮箱是满的"),
        ("用户的儿子叫小明", "用户的女儿叫小红"),
        ("李雷的邮箱是 a@acme.com", "韩梅梅的邮箱是 b@acme.com"),
        ("The worker port is 8080", "The admin port is 9090"),
        ("The worker port is 8080 in staging", "The worker port is 9090 in production"),
        ("The worker port is 8080", "The worker port is configurable"),
        ("The worker port is 8080 or 8081", "The worker port is 9090"),
        ("The port is 8080", "The port is 5432"),
        ("The region is eu-west-1", "The region is us-east-1"),
        ("The default branch is main", "The default branch is protected"),
        ("The project requires Node 18", "The project requires Python 3.12"),
        ("The owner of the billing service is Ana", "The owner of the search service is Bob"),
        ("The owner of the billing service is Ana", "The owner of the billing service is on leave"),
        ("Unit tests are run with pytest", "E2e tests are run with playwright"),
        ("The frontend uses npm", "The backend uses pnpm"),
        ("端口是 8080", "端口是 5432"),
        ("负责人是李雷", "负责人是韩梅梅"),
        ("API 服务在测试环境的端口是 8080", "API 服务在生产环境的端口是 9090"),
        ("API 的端口是 8080", "管理后台的端口是 9090"),
        ("前端用 npm", "后端用 pnpm"),
    ],
)
def test_what_is_of_another_or_no_such_value_leaves_it_alone(story: Story, one: str, other: str) -> None:
    story.on("2026-03-02").adds(one)
    story.on("2026-03-03").adds(other)
    assert sorted(story.lists()) == sorted([one, other])
