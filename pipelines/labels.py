"""What lines that lie in no symbol go by: the heading, section or name that they stand under."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

LABEL_LIMIT = 80
# Of a line, where its name is looked for: some files are one line.
HEAD_BYTES = 200
MARKDOWN = (".md", ".markdown", ".mdx")
FENCE = re.compile(rb"[ \t]*(?:```|~~~)")
HEADINGS = {
    **dict.fromkeys(MARKDOWN, re.compile(rb"#{1,6}[ \t]+(.*?)[ \t#]*$")),
    **dict.fromkeys((".toml", ".ini", ".cfg", ".conf"), re.compile(rb"\[+[ \t]*([^\]]+?)[ \t]*\]")),
    **dict.fromkeys((".yaml", ".yml"), re.compile(rb"[\"']?([\w./-]+)[\"']?[ \t]*:(?:\s|$)")),
}
# A name that is given its value at the left edge.
DECLARED = re.compile(
    rb"(?:(?:export|declare|pub(?:\([^)]*\))?)[ \t]+)*(?:const|let|var|static)[ \t]+(?:mut[ \t]+)?([\w$]+)"
)
ASSIGNED = re.compile(rb"(?!(?:else|try|finally)\b)([A-Za-z_$][\w$.]*)[ \t]*(?::[^=:]+|[-+|&*/])?=(?![=>])")
DEFINED = re.compile(rb"#[ \t]*define[ \t]+(\w+)")
TYPED = re.compile(rb"(?:[\w:<>,]+[ \t*&]+)+(\w+)[ \t]*(?:\[[^\]]*\][ \t]*)*=(?!=)")
NAMES = {"c": (DEFINED, TYPED), "cpp": (DEFINED, TYPED)}
# What stands at the left edge in the midst of a statement: nothing, or a bracket that closes.
GOES_ON = re.compile(rb"\s|[)\]}]|$")


def heading(path: str, lines: Sequence[bytes], line: int) -> str:
    """The heading, section or top key that the line of this file of prose or settings stands under, or empty."""
    suffix = path[path.rfind(".") :].lower()
    pattern = HEADINGS.get(suffix)
    if pattern is None:
        return ""
    if suffix not in MARKDOWN:
        found = (pattern.match(text[:HEAD_BYTES]) for text in reversed(lines[:line]))
        return next((shown(match[1]) for match in found if match), "")
    last, fenced = b"", False
    for text in lines[:line]:
        if FENCE.match(text):
            fenced = not fenced
        elif not fenced and (match := pattern.match(text[:HEAD_BYTES].rstrip())):
            last = match[1]
    return shown(last)


def name(language: str, lines: Sequence[bytes], start: int, end: int, is_free: Callable[[int], bool]) -> str:
    """
    The name that the statement of the first line with text gives a value to, else the next one does, up to `end`.

    Args:
        language: one that has a grammar.
        is_free: whether a line lies in no symbol; a statement does not go on across one.
    """
    patterns = NAMES.get(language, (DECLARED, ASSIGNED))

    def named(number: int) -> str:
        text = lines[number - 1][:HEAD_BYTES]
        return next((shown(match[1]) for pattern in patterns if (match := pattern.match(text))), "")

    end = min(end, len(lines))
    start = next((number for number in range(start, end + 1) if lines[number - 1].strip()), start)
    for number in range(min(start, len(lines)), 0, -1):
        if not is_free(number):
            break
        if found := named(number):
            return found
        if not GOES_ON.match(lines[number - 1]):
            break
    return next(
        (found for number in range(start + 1, end + 1) if is_free(number) and (found := named(number))), ""
    )


def shown(text: bytes) -> str:
    """The text as a label, cut to what one line holds."""
    return " ".join(text.decode("utf-8", "replace").split())[:LABEL_LIMIT]
