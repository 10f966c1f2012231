"""Whether what was edited between a failure and a pass is why it passed, and worth being told as its solution."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .work_commands import programs
from .work_files import CODE_NAMES, is_test, name, suffix
from .work_outcomes import Counts
from .work_overcome import SLIPS, Fixed, files_of
from .work_purposes import purpose
from .work_trace import Step, tests_of

# What was asked for before it was there,
_MISSING = re.compile(
    r"ModuleNotFoundError|ImportError|AttributeError|Cannot find (?:module|name)|Failed to resolve import"
    r"|unresolved|is not (?:a function|defined)|undefined|UndefinedFunctionError|cannot find symbol|找不到符号"
    r"|no member|has no|does not exist|404",
    re.IGNORECASE,
)
# or was to fail first.
_TEST_FIRST = re.compile(
    r"\b(?:failing|red) tests?\b[^.\n]{0,40}\b(?:first|then|before)\b|\btests? first\b"
    r"|\btest[- ](?:first|driven)\b|\bTDD\b"
    r"|\b(?:write|add)\b[^.\n]{0,20}\b(?:a )?failing test\b|\btest\b[^.\n]{0,30}\bthat fails\b"
    r"|\bred[-/, ]+green\b"
    r"|先写.{0,8}(?:测试|用例)|测试(?:先行|驱动)|先(?:加|补|来).{0,6}(?:失败|测试|用例)|失败的(?:测试"
    r"|用例).{0,8}(?:再|然后|后)",
    re.IGNORECASE,
)
_ASSERTED = re.compile(r"assert|expect|--- FAIL|FAILED|panicked|mismatch", re.IGNORECASE)
_MATTERS_OF_TYPE = re.compile(
    r"TS\d{3,}|Cannot find|error:.*(?:type|attr|arg|return)|plugin|config", re.IGNORECASE
)
# A service that was not there yet is there the next time, unless where it is looked for was changed.
_REFUSED = re.compile(r"econnrefused|connection refused|connect: refused|连接被拒绝|拒绝连接", re.IGNORECASE)
_PROSE = frozenset(str.split("md markdown txt rst adoc"))
_PROSE_NAMES = re.compile(
    r"(?:^|/)(?:README|CHANGELOG|CHANGES|LICENSE|CONTRIBUTING|AUTHORS|NOTICE|CODEOWNERS|SECURITY)[\w.-]*$",
    re.IGNORECASE,
)
_CONFIGURES = frozenset(
    str.split("yml yaml toml ini cfg conf env json jsonc properties xml tf tfvars hcl dockerfile service rc")
)
_OF_SETTINGS = re.compile(r"config|settings|compose|docker|\.env|hosts", re.IGNORECASE)
_OF_PROSE = re.compile(
    r"\b(?:mkdocs|sphinx\S*|markdownlint\S*|vale|vitepress|docusaurus|jekyll|hugo|docs?|pandoc"
    r"|proselint|lychee)\b",
    re.IGNORECASE,
)
_GAVE_UP_TEST = re.compile(
    r"\b(?:remov|delet|skip|disabl|drop|ignor|exclud|xfail|comment)\w*(?: out)?\b[^.\n]{0,30}"
    r"\b(?:failing|flaky|broken|red|old|that|the|this|those)\b[^.\n]{0,20}\b(?:tests?|specs?|cases?)\b"
    r"|\bmarked\b[^.\n]{0,30}\b(?:skip|xfail|todo)|(?:删(?:除|掉|了)|跳过|去掉|移除|禁用|注释掉"
    r"|屏蔽).{0,10}(?:测试|用例|单测)",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"(?<!\S)(?:--deselect|--ignore(?:-glob)?|--exclude|--skip)[= ]|-k ['\"]?not |:test(?=\s|$).*-x "
)


def cannot_have_mattered(found: Fixed) -> bool:
    """Whether only prose was edited, which nothing that failed spoke of; or a service was not there, and then was."""
    files = files_of(found.edits)
    if _REFUSED.search(found.error or "") or _REFUSED.search(found.first.said):
        return not any(_configures(path) for path in files)
    if not all(_is_prose(path) for path in files) or _OF_PROSE.search(found.first.command or ""):
        return False
    return not any(name(path) in found.first.said for path in files)


def _is_prose(path: str) -> bool:
    if _PROSE_NAMES.search(path):
        return True
    return suffix(path) in _PROSE and CODE_NAMES.search(path) is None


def _configures(path: str) -> bool:
    return suffix(path) in _CONFIGURES or _OF_SETTINGS.search(path) is not None


def gave_up_a_test(found: Fixed, reply: str) -> bool:
    """Whether it passed because a test was taken out of it, or is no longer run."""
    if any(_takes_out(step) for step in found.between) or any(step.skips for step in found.edits):
        return True
    if _LEFT_OUT.search(found.passed.command or "") and not _LEFT_OUT.search(found.first.command or ""):
        return True
    if _tests(found.first) and _fewer(tests_of(found.first), tests_of(found.passed)):
        return "--lf" not in (found.passed.command or "")
    return _tests(found.first) and _GAVE_UP_TEST.search(reply[:2_000]) is not None


def _tests(step: Step) -> bool:
    return tests_of(step) is not None or any(purpose(one) == "test" for one in programs(step.command or ""))


def _fewer(before: Counts | None, after: Counts | None) -> bool:
    """Whether fewer tests were run than before, and not only because one that stopped early counted less."""
    if before is None or after is None:
        return False
    return after.passed + after.failed < before.passed + before.failed


def _takes_out(step: Step) -> bool:
    for one in programs(step.command or ""):
        removes = one.name in ("rm", "unlink", "trash") or one.words[:2] == ("git", "rm")
        moved = one.name == "mv" or one.words[:2] == ("git", "mv")
        if removes and any(is_test(arg) for arg in one.args):
            return True
        if (
            moved
            and any(is_test(arg) for arg in one.args[:-1])
            and re.search(r"skip|disabled|bak|off", one.args[-1])
        ):
            return True
    return (
        step.command is not None
        and re.search(r"^\*\*\* Delete File: .*tests?", step.command, re.MULTILINE) is not None
    )


def own_slip(found: Fixed, prompts: Iterable[str]) -> bool:
    """
    Whether a failure only told of the turn's own unfinished work: a slip in a file just edited, a test written before
    what it tests, or one that was to fail first.
    """
    if not found.before:
        return False
    error = found.error or ""
    if SLIPS.search(error) or SLIPS.search(found.first.said):
        return True
    if not any(_is_new_test(step) for step in found.before):
        return False
    if _MISSING.search(error):
        return True
    return any(_TEST_FIRST.search(prompt[:1_000]) for prompt in prompts)


def red_by_design(found: Fixed) -> bool:
    """Whether what failed was an assertion of a test just written, so that its error tells nothing by itself."""
    wrote = [path for step in found.before if _is_new_test(step) for path in step.paths]
    mended = files_of(found.edits)
    return bool(wrote) and _ASSERTED.search(found.error or "") is not None and not any(map(is_test, mended))


def _is_new_test(step: Step) -> bool:
    return any(is_test(path) for path in step.paths)


def only_style(found: Fixed) -> bool:
    """Whether only a formatter or a linter was satisfied."""
    purposes = {purpose(one) for one in programs(found.first.command or "")} - {"read"}
    return purposes == {"lint"} and not _MATTERS_OF_TYPE.search(found.first.said)
