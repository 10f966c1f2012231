"""Code history as text: the versions of a symbol with the words that asked for each, within a budget."""

# Hooks carry a copy: standard library only, and no dataclass, whose module takes 17 ms to import.

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..store.marks import harmless
from .render import day, width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..pipelines.code.history import Chain, Version
    from .render import Language

# The words of a version are never squeezed to make room; rather one thread less.
WORDS_CHARS = 800
THREADS = 3
TOOL_CHARS, HOOK_CHARS = 14_000, 3_000
# Of a version's patch; the whole version is there by its number.
PATCH_LINES = 60

_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "heading": "Code history",
        "versions": "{n} versions",
        "one": "1 version",
        "none": "no version on this branch",
        "on": "on {branch}",
        "detached": "on a detached HEAD",
        "away_merged": ", merged here",
        "away_deleted": ", deleted, never merged",
        "away_uncommitted": ", never committed",
        "version": "version {n}",
        "current": "current",
        "undone": "tried and undone",
        "back": "back to version {n}",
        "back_0": "back to how it was before version 1",
        "changed since": "the file has been changed since the last version",
        "gone": "not in the file now",
        "by_hand": "changed by hand",
        "by_agent": "by the agent, words not recorded",
        "low": "place uncertain",
        "deleted": "deleted",
        "renamed": "renamed",
        "moved": "moved",
        "added": "added",
        "elsewhere": "{n} more on {branch}: memory_search with symbol and branch={branch}",
        "earlier": "{n} earlier: memory_get {name}",
        "more": "… {n} more lines: memory_get {name}@{version}",
        "others": "More code history: {names}",
    },
    "zh": {
        "heading": "代码历史",
        "versions": "{n} 个版本",
        "one": "1 个版本",
        "none": "此分支上没有版本",
        "on": "在 {branch} 上",
        "detached": "在游离的 HEAD 上",
        "away_merged": "，已合并到这里",
        "away_deleted": "，分支已删除，从未合并",
        "away_uncommitted": "，从未提交",
        "version": "版本 {n}",
        "current": "当前",
        "undone": "试过，已撤销",
        "back": "回到版本 {n}",
        "back_0": "回到版本 1 之前的样子",
        "changed since": "最后一个版本之后文件又有改动",
        "gone": "文件中现已不存在",
        "by_hand": "手动修改",
        "by_agent": "由助手修改，未记录原话",
        "low": "位置不确定",
        "deleted": "删除",
        "renamed": "重命名",
        "moved": "移动",
        "added": "新增",
        "elsewhere": "{branch} 上另有 {n} 个版本：memory_search 加 symbol 和 branch={branch}",
        "earlier": "更早的 {n} 个：memory_get {name}",
        "more": "… 另有 {n} 行：memory_get {name}@{version}",
        "others": "更多代码历史：{names}",
    },
}


class Told(NamedTuple):
    """A rendered piece of code history: its text ("" for nothing) and the threads that it shows."""

    text: str = ""
    threads: tuple[int, ...] = ()


def block(
    chains: Sequence[Chain],
    patch: Callable[[int], bytes],
    *,
    budget_chars: int,
    language: Language = "en",
    threads: int = THREADS,
    heading: bool = True,
) -> Told:
    """
    The chains, in order, as an agent reads them.

    Args:
        patch: the patch of a round by its row.
        budget_chars: as JSON writes them. What does not fit goes in this order: patches of the oldest versions, the
            oldest versions, a whole thread.
    """
    words = _PHRASES[language]
    text = f"\n## {words['heading']}" if heading else ""
    shown: list[int] = []
    for chain in chains[:threads]:
        if not chain.versions and not chain.elsewhere:
            continue
        part = _chain(chain, patch, budget_chars - width(text), words)
        if part is None:
            break
        text += part
        shown.append(chain.thread.id)
    if not shown:
        return Told()
    rest = [f"`{one.thread.name}`" for one in chains if one.thread.id not in shown and one.versions]
    tail = "\n" + words["others"].format(names=harmless(", ".join(rest[:8]))) if rest else ""
    return Told(text + (tail if width(text) + width(tail) <= budget_chars else ""), tuple(shown))


def _chain(chain: Chain, patch: Callable[[int], bytes], budget: int, words: dict[str, str]) -> str | None:
    name = harmless(chain.thread.name)
    head = "\n" + _head(chain, words)
    tails = [
        "\n- " + words["elsewhere"].format(n=n, branch=harmless(branch), name=name)
        for branch, n in sorted(chain.elsewhere.items())[:3]
    ]
    if not chain.versions:
        return head + "".join(tails) if width(head) + sum(map(width, tails)) <= budget else None
    lines = ["\n" + _version(one, words) for one in chain.versions]
    left = budget - width(head) - sum(map(width, tails))
    kept, earlier = len(lines), ""
    if sum(map(width, lines)) > left:
        # Room for the line that counts what is left out, at its longest.
        room = left - width("\n- " + words["earlier"].format(n=len(lines), name=name))
        kept = 0
        for line in reversed(lines):
            if width(line) > room:
                break
            room -= width(line)
            kept += 1
        if not kept:
            return None
        earlier = "\n- " + words["earlier"].format(n=len(lines) - kept, name=name)
    left -= width(earlier) + sum(map(width, lines[-kept:]))
    patches: dict[int, str] = {}
    for one in reversed(chain.versions[-kept:]):
        shown = _patch(patch(one.round.id), one, name, words)
        if width(shown) > left:
            continue
        left -= width(shown)
        patches[one.round.n] = shown
    body = "".join(
        line + patches.get(one.round.n, "")
        for line, one in zip(lines[-kept:], chain.versions[-kept:], strict=True)
    )
    return head + earlier + body + "".join(tails)


def _head(chain: Chain, words: dict[str, str]) -> str:
    number = len(chain.versions)
    if not number:
        return f"`{harmless(chain.thread.name)}`: {words['none']}"
    parts = [words["one"] if number == 1 else words["versions"].format(n=number)]
    if chain.now in ("changed since", "gone") and chain.versions[-1].round.after is not None:
        parts.append(words[chain.now])
    elif chain.restored:
        parts.append(words["back_0"])
    return f"`{harmless(chain.thread.name)}`: {'; '.join(parts)}"


def _version(one: Version, words: dict[str, str]) -> str:
    made = one.round
    parts = [words["version"].format(n=made.n), day(made.happened_at)]
    if one.away:
        where = words["on"].format(branch=one.away.branch) if one.away.branch else words["detached"]
        parts.append(where + words.get(f"away_{one.away.why}", ""))
    if made.commits:
        parts.append(made.commits[0][:10])
    if made.status in ("deleted", "renamed", "moved"):
        parts.append(words[made.status])
    if one.back_to is not None:
        parts.append(words["back"].format(n=one.back_to) if one.back_to else words["back_0"])
    if one.undone:
        parts.append(words["undone"])
    if one.current:
        parts.append(words["current"])
    if made.confidence == "low":
        parts.append(words["low"])
    return harmless(f"- {' · '.join(parts)}: {_words(one, words)}")


def _words(one: Version, words: dict[str, str]) -> str:
    said = " ".join((one.round.words or "").split())
    if said:
        return f"“{said[:WORDS_CHARS]}{'…' if len(said) > WORDS_CHARS else ''}”"
    return words["by_hand" if one.round.actor == "human" else "by_agent"]


def _patch(patch: bytes, one: Version, name: str, words: dict[str, str]) -> str:
    lines = harmless(patch.decode("utf-8", "replace")).rstrip("\n").split("\n")
    if lines == [""]:
        return ""
    shown = "".join(f"\n  {line.rstrip(chr(13))}" for line in lines[:PATCH_LINES])
    if len(lines) > PATCH_LINES:
        more = words["more"].format(n=len(lines) - PATCH_LINES, name=name, version=one.round.n)
        shown += f"\n  {more}"
    return shown
