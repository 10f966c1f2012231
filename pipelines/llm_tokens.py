"""Tokens of a text, estimated: for the budget before a request, and after it where the endpoint does not tell."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

# About what the tokenizers of OpenAI and Qwen come to in prose.
CHARS_A_TOKEN = 4.0
WIDE_A_TOKEN = 1.5
# The role and the marks around each text.
MESSAGE_TOKENS = 8

# Chinese, Japanese, Korean and their punctuation.
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def estimate(text: str) -> int:
    """Tokens of a text, about: four characters each, one and a half where the script is Chinese and the like."""
    wide = len(_WIDE.findall(text))
    return math.ceil(wide / WIDE_A_TOKEN + (len(text) - wide) / CHARS_A_TOKEN)


def of_request(messages: Sequence[Mapping[str, str]], options: Mapping[str, Any]) -> int:
    """Tokens that a request sends, a schema among its options included."""
    texts = sum(estimate(message["content"]) + MESSAGE_TOKENS for message in messages)
    schema = options.get("response_format")
    return texts + (estimate(json.dumps(schema)) if schema else 0)
