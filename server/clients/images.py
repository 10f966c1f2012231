"""What an editing tool says of a file's whole text, before and after its edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...pipelines.occasions import Image
from .payload import located


def images(given: Mapping[str, Any], response: Any, base: str | None) -> tuple[Image, ...]:
    """
    The images of each file that a successful call tells whole; none where it does not, or where the user changed
    the edit before it was applied.

    Claude Code's Edit, Write and the older MultiEdit answer with the text before (`originalFile`, null for a new
    file); the text after follows from what was asked.
    """
    if (
        not isinstance(response, Mapping)
        or response.get("userModified") is True
        or response.get("staged") is True
    ):
        return ()
    path = response.get("filePath")
    if not isinstance(path, str) or not path:
        return ()
    before = response.get("originalFile", response.get("originalFileContents"))
    if before is None and response.get("type") != "create":
        return ()
    if before is not None and not isinstance(before, str):
        return ()
    after = _after(before, given, response)
    return () if after is None else (Image(located(path, base), before, after),)


def _after(before: str | None, given: Mapping[str, Any], response: Mapping[str, Any]) -> str | None:
    content = given.get("content", response.get("content"))
    if isinstance(content, str) and "old_string" not in given and "edits" not in given:
        return content
    text = before
    for old, new, every in _edits(given):
        if text is None or old not in text:
            return None
        text = text.replace(old, new) if every else text.replace(old, new, 1)
    return text


def _edits(given: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    listed = given.get("edits")
    for one in listed if isinstance(listed, list) else [given]:
        if isinstance(one, Mapping):
            old, new = one.get("old_string"), one.get("new_string")
            if isinstance(old, str) and isinstance(new, str) and old:
                yield old, new, one.get("replace_all") is True
