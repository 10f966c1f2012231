"""Prompts, one Markdown file each, with the values that a call puts into them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

# `{{name}}`: JSON in an example has single braces, and lists of them never two together.
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def load(name: str, **values: str) -> str:
    """
    The text of `name`.md with each `{{place}}` filled; what is filled in is not looked through again.

    Raises:
        ValueError: a place has no value, or a value has no place.
    """
    text = _text(name)
    places = set(_PLACE.findall(text))
    if odd := places ^ values.keys():
        raise ValueError(f"{name}.md and its values do not fit: {', '.join(sorted(odd))}.")
    return _PLACE.sub(lambda found: values[found[1]], text)


def data(name: str) -> str:
    """The text of a file that lies beside the prompts."""
    return files(__name__).joinpath(name).read_text("utf-8")


@cache
def _text(name: str) -> str:
    return data(f"{name}.md").strip()
