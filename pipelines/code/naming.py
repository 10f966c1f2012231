"""Whether a question can name code at all, told in no time; what it names is told by `names`."""

# Hooks carry a copy: standard library only.

from __future__ import annotations

import re

# Words by which a question says that the plain word in it is a name of code.
ABOUT_CODE = re.compile(
    r"\b(?:function|method|class|struct|symbol|version|versions|tried|undone|undid|reverted|changed|signature|history"
    r"|did (?:we|you|i) try)\b"
    r"|函数|方法|类|版本|改|撤|试过|回滚|历史",
    re.IGNORECASE,
)
# Something of each of the forms that `names` looks for.
_FORMS = re.compile(
    r"[`_$]|::|\(\)|\.[A-Za-z]|[\w.@+-][/\\][\w.@+-]|[a-z][A-Z]|[A-Za-z]\d|[a-z]file\b|CODEOWNERS"
    r"|(?i:variable|constant|module|变量|模块)",
    re.ASCII,
)


def may_name(question: str) -> bool:
    """False where `names.named` finds nothing, surely."""
    return bool(_FORMS.search(question) or ABOUT_CODE.search(question))
