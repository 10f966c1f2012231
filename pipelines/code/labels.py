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

# What begins with a name in languages without a grammar: by a word that says so, or as a method that is called.
WORDS = (
    rb"public|private|protected|internal|fileprivate|static|final|abstract|override|open|sealed|data|suspend|inline"
    rb"|export|default|async|local|global|virtual|partial|readonly|unsafe|extern|external|pub|mutating|companion|operator"
    rb"|create|or|replace|temporary|tailrec|implicit|case|value|annotation|lazy|pure|indirect|required"
)
KINDS = (
    rb"def|defp|defmodule|defmacro|fun|func|function|fn|sub|proc|class|module|interface|trait|protocol|object|struct"
    rb"|enum|record|union|extension|impl|namespace|type|procedure|trigger|view|table|message|service|rpc|contract|package"
)
SAID = re.compile(rb"(?:(?:" + WORDS + rb")[ \t]+)*(?:" + KINDS + rb")\b[ \t]*[\w$\"'`<({.:]", re.IGNORECASE)
CALLED = re.compile(
    rb"(?!(?:if|for|foreach|while|until|unless|switch|match|when|catch|except|else|elif|elsif|elseif|return|do|try"
    rb"|using|lock|with|synchronized|case|throw|new|await|yield|end)\b)"
    rb"(?:[\w$<>\[\],.?*&:~@]+[ \t]+)*[\w$~.:!?-]+[ \t]*\([^;]*$"
)
TOP = re.compile(rb"[A-Za-z_$]")
CLOSES = re.compile(rb"[)\]}]|(?:end|fi|done|esac)\b|\$\$", re.IGNORECASE)
GOES_ON_IN = re.compile(rb"[{(\[:>,][ \t\r]*$")
# So far up what a line lies in is looked for.
ABOVE_LINES = 400


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


def header(lines: Sequence[bytes], line: int) -> str:
    """
    What the line lies in, in a language without a grammar: the nearest line at or above it that looks as if it began
    something with a name; else, as git has it, the nearest one that begins at the left edge. Told by how far lines are
    indented, it may be wrong.
    """
    depth = _indent(lines[line - 1][:HEAD_BYTES]) if line <= len(lines) else 0
    reach, edge = depth + 1, ""
    for number in range(min(line, len(lines)), max(0, line - ABOVE_LINES), -1):
        text = lines[number - 1][:HEAD_BYTES]
        bare = text.strip()
        indent = _indent(text)
        if not bare or indent >= reach:
            continue
        if _begins_named(bare, lines, number):
            return shown(bare)
        if number == line:
            continue
        if CLOSES.match(bare):
            reach = reach if GOES_ON_IN.search(bare) else indent
        elif TOP.match(bare):
            reach = indent + 1
            edge = edge or (shown(bare) if indent == 0 < depth else "")
    return edge


def _indent(text: bytes) -> int:
    return len(text) - len(text.lstrip(b" \t"))


def _begins_named(bare: bytes, lines: Sequence[bytes], number: int) -> bool:
    if SAID.match(bare):
        return True
    if not CALLED.match(bare):
        return False
    return bare.endswith(b"{") or next((text.strip() for text in lines[number : number + 1]), b"") == b"{"


def shown(text: bytes) -> str:
    """The text as a label, cut to what one line holds."""
    return " ".join(text.decode("utf-8", "replace").split())[:LABEL_LIMIT]
