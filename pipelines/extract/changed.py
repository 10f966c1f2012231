"""What something was changed to, told as what it is: "the timeout was raised to 60 s" is "the timeout is 60 s"."""

from __future__ import annotations

import re

_DONE = (
    r"(?:raised|lowered|increased|decreased|reduced|bumped|changed|moved|switched|upgraded|downgraded|renamed|shortened"
    r"|extended)"
)
_FROM_TO = r"\s(?:from\s[^,;!?]{1,40}?\s)?to\s(?P<value>[^,;!?]{1,60})"
_ENGLISH = (
    re.compile(
        rf"(?P<thing>[\w .'’/@-]{{2,70}}?)\s(?:was|were|has been|have been|got)\s(?:just\s)?{_DONE}{_FROM_TO}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:we|i|they)(?:['’]ve|\shave)?\s(?:just\s)?{_DONE}"
        rf"\s(?P<thing>(?:the|our|my)\s[\w .'’/@-]{{2,70}}?){_FROM_TO}",
        re.IGNORECASE,
    ),
)
_CHINESE = re.compile(
    r"(?P<by>(?:(?:我们|我|他们)?(?:刚|已经?)?把)?)(?P<thing>[^，,。；;：:？！是把]{2,30}?)(?P<done>(?:刚|已经?|都)?)被?"
    r"(?P<from>(?:从\s?[^，,。；;]{1,20}?)?)"
    r"(?:提高|降低|增加|减少|调整?|上调|下调|升级?|降级?|改|换|缩短|延长|放宽)(?:到|成|为|至)(?P<le>了?)\s?"
    r"(?P<value>[^，,。；;？！]{1,60}?)(?P<end>了?)"
)
# What is meant or asked to be changed, or was at times, is not changed.
_NOT_YET = re.compile(
    r"\b(?:will|would|should|could|can|may|might|must|not|never|if|when|once|before|after|sometimes|often|to be"
    r"|said|says?|think|thought|heard|told|guess|suppose|believe|seems?|that|it|what|why|how|whether)\b"
    r"|n['’]t\b|[说听觉认怪这那谁]|好像|以为|记得|什么|会|要|想|打算|计划|准备|应该|可以|能|别|不|没|如果|一旦|曾|请|帮|建议|再|时候",
    re.IGNORECASE,
)


def as_it_is(words: str) -> str:
    """The words, or where all they say is that something was changed, what it is since."""
    if found := next((one for pattern in _ENGLISH if (one := pattern.fullmatch(words))), None):
        return (
            words
            if _NOT_YET.search(words[: found.start("value")])
            else f"{found['thing']} is {found['value']}"
        )
    found = _CHINESE.fullmatch(words)
    if found is None or not (found["done"] or found["from"] or found["le"] or found["end"]):
        return words
    # "把 … 改成 …" is asked for, but where it is told as done.
    if (found["by"] and not (found["le"] or found["end"])) or _NOT_YET.search(words[: found.start("value")]):
        return words
    return f"{found['thing']}是 {found['value']}"
