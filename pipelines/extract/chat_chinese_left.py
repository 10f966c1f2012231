"""How Chinese states where the user is no longer: an employer that was left, a place that was moved away from."""

from __future__ import annotations

import re
from functools import partial

from .chat_chinese_values import is_employer, is_known_place, is_place, is_thing, is_where
from .chat_chinese_words import rule
from .chat_rule import Rule

# When, between "我" and what was left; what is still to come is no leaving yet.
_WHEN = (
    r"(?:(?!下个?|下下|明|后[天年]|想|要|会|打算|准备|计划|可能|快|即将|马上|如果|等|还没|没|不|该|应该|考虑|正)"
    r"[^，,。；;！!？?\n从我你他她它]){0,14}?"
)
_END = r"(?=$|[，,。；;！!\s])"
_LEFT = r"(?:离职|辞职|离开|跳槽|走人|退休|毕业|被?裁(?:员|掉)?|被?优化(?:掉)?|被?辞退|被?开除)"
_PAST = r"(?=[^，,。；;！!？?\n]{0,12}(?:去年|前年|上个?月|上上个?月|上周|上个?星期|昨天|前天|年前|个月前|周前|天前))"

_NO_EMPLOYER = re.compile("(?:群|会议?|页面|分支|家|屋|房间|项目|现场|办公室)(?:里|上|中)?$|[这那哪]")

_works_no_longer = partial(
    rule, "works at", slot="works:employer", polarity="negated", ended=True, whole=True
)
_lives_no_longer = partial(rule, "lives in", slot="lives:city", polarity="negated", ended=True, whole=True)


def is_left(value: str) -> bool:
    """Whether one can resign from it: any name but of a place, a page or what was just spoken of."""
    return is_thing(value) and not is_known_place(value) and _NO_EMPLOYER.search(value) is None


def left() -> tuple[Rule, ...]:
    """What the user was part of, or lived in, and is and does no longer."""
    employer = r"(?P<value>[^，,。；;\n\s了的]{2,14}?)(?:公司)?"
    return (
        _works_no_longer(
            rf"我(?:们)?{_WHEN}从\s?(?P<value>[^，,。；;\n了的]{{2,14}}?)\s?{_LEFT}(?:出来)?了{_END}",
            check=is_left,
        ),
        _works_no_longer(
            rf"我{_PAST}{_WHEN}从\s?(?P<value>[^，,。；;\n了的]{{2,14}}?)\s?{_LEFT}(?:出来)?(?:的)?{_END}",
            check=is_left,
        ),
        _works_no_longer(rf"我{_WHEN}(?:离开|告别)了?\s?{employer}了?{_END}", check=is_employer),
        _works_no_longer(
            rf"我{_WHEN}(?:辞(?:掉|去)?了?|离开了?|丢了)\s?{employer}的?(?:工作|职位|岗位)了?{_END}",
            check=is_left,
        ),
        _works_no_longer(rf"我{_WHEN}被\s?{employer}(?:裁|优化|辞退|开除)(?:掉)?了{_END}", check=is_left),
        rule(
            "uses",
            rf"我{_WHEN}(?:就|再也)?(?:不再|不|没再|停)(?:用|使用)\s?(?P<value>[^，,。；;\n了]{{1,20}}?)了{_END}",
            slotted="uses",
            polarity="negated",
            ended=True,
            whole=True,
        ),
        _works_no_longer(
            r"我(?:们)?(?:人)?(?:已经|早就|早|现在)?(?:不在|没在|不去|不给)\s?(?P<value>[^，,。；;\n\s]{2,14}?)\s?"
            rf"(?:上班|工作|干|做事|任职|就职|打工|待|呆)了{_END}",
            check=is_left,
        ),
        _works_no_longer(
            rf"我{_WHEN}(?P<value>离职|辞职|被?裁员|被裁|失业)了(?![^，,。；;！!？?\n])", importance=0.6
        ),
        _lives_no_longer(
            rf"我(?:们|家)?{_WHEN}(?:离开|搬离|搬出|告别)了?\s?(?P<value>[^，,。；;\n\s了的]{{2,10}}?)(?:市)?了?{_END}",
            check=is_known_place,
        ),
        _lives_no_longer(
            rf"我(?:们|家)?{_WHEN}从\s?(?P<value>[^，,。；;\n\s了的]{{2,10}}?)(?:市)?(?:搬走|搬出来|搬离|离开)了{_END}",
            check=is_place,
        ),
        rule(
            "lives in",
            rf"我(?:们|家)?{_WHEN}(?:又|重新)?(?:搬回到?|迁回到?|回到?(?=[^，,。；;\n]{{2,8}}(?:定居|居住|生活|发展|住)))"
            r"(?:了)?\s?(?P<value>[^，,。；;\n\s了的]{2,10}?)(?:市)?(?:去|来)?(?:住|生活|定居|居住|发展|工作|上班)?了?"
            rf"{_END}",
            slot="lives:city",
            whole=True,
            check=is_place,
        ),
        rule(
            "lives in",
            rf"我(?:们|家)?{_WHEN}又(?:住|搬|回)(?:在|到|回)\s?(?P<value>[^，,。；;\n\s了的]{{2,10}}?)(?:市)?(?:住)?了?{_END}",
            slot="lives:city",
            whole=True,
            check=is_where,
        ),
    )
