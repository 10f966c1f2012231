"""How a word is written, where that counts: a name in code is another one in other capitals, a word is the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ...store import products
from . import lexicon
from .lexicon import Entry

# A first letter that a sentence made a capital.
_ANY = "\0"
ACRONYMS = frozenset(
    str.split(
        "api apis ci cd db pr prs mr mrs cli gui url urls uri json jsonl yaml toml xml html css sql csv tsv pdf png jpg"
        " jpeg svg gif http https tcp udp ip ssh tls ssl dns cdn ftp sftp smtp imap cpu gpu tpu ram rom ssd hdd os ui"
        " ux id ids sdk ide jwt jwts uuid uuids guid utf ascii tdd bdd ddd orm rest rpc grpc crud vm vms vpn vpc iam"
        " sso saml oidc ldap acl acls rbac llm llms ai ml nlp ocr eta sla slo sli kpi okr qa uat faq todo wip rfc adr"
        " adrs usb nfc gps iot erp crm cms saas paas iaas pos utc gmt npm npx pip aws gcp k8s ec2 s3 rds sqs sns etl"
        " elt olap oltp cors csrf xss mvp poc hr pm cto ceo mac pc tv spa ssr ssg pwa dom wasm jvm jdk gc dto mcp ok"
    )
)
# Files without an ending: written so, they are meant.
_FILES = frozenset(
    str.split(
        "makefile dockerfile containerfile procfile jenkinsfile vagrantfile gemfile rakefile justfile brewfile"
        " caddyfile podfile fastfile pipfile tiltfile earthfile codeowners"
    )
)
# What is said beside one of these, or after it is "called", is its name in code.
_NAMED_SO = frozenset(
    str.split(
        "table column variable constant function method class module parameter field branch schema type queue envvar"
        " index folder file tag label bucket topic namespace enum struct attribute property role symbol identifier"
        " alias collection macro trait interface key flag constructor option register keyspace partition 域"
        " 枚举 属性 标签 标记 角色 目标 命名空间 结构体 接口 选项 主题 宏 构造函数 集合"
    )
)
_SIDED = frozenset(("source^-",))
_NAMED_CHARS = "表列类键"
_CALLED = frozenset(("call", "name", "叫", "叫做", "名为", "称为", "命名"))
_EQUALS = frozenset(("sign:=", "sign:＝"))


@dataclass(frozen=True, slots=True)
class Written:
    """A word as it is written. `firm`: its capitals are its own; `quoted`: all of it is."""

    text: str = ""
    firm: bool = False
    quoted: bool = False


NOT_WRITTEN = Written()


def spoken(word: str, entry: Entry | None, *, head: bool) -> Written:
    """How a word of English prose is written. `head`: it begins a sentence, which makes its first letter a capital."""
    low = word.casefold()
    if low == word and len(word) > 1:
        return Written(word, low in _FILES)
    if low in _FILES:
        return Written(word, firm=True)
    if len(word) == 1:
        return Written(word, firm=low not in "ai")
    if word.isupper():
        return Written(word, firm=not _may_shout(low, entry))
    return Written(_ANY + word[1:] if head and word[1:].islower() else word)


def _may_shout(low: str, entry: Entry | None) -> bool:
    """Whether a word in capitals is only an acronym, or said loudly."""
    if low in ACRONYMS or low in products.NAMES or low in products.CAPITAL:
        return True
    return entry is not None and entry.role != "word"


def alike(one: Written, other: Written) -> bool:
    """Whether two words of one meaning are written alike, as far as that counts."""
    if one.quoted and other.quoted:
        return one.text == other.text
    a, b = one.text, other.text
    if a == b or not a or not b or not (one.firm or other.firm):
        return True
    if _ANY in (a[0], b[0]):
        return a[1:] == b[1:] or a[1:].casefold() != b[1:].casefold()
    return a.casefold() != b.casefold()


def in_code(cores: Sequence[str], written: Sequence[Written], led: Sequence[bool]) -> list[int]:
    """
    Which of the words of a sentence stand where a name in code stands: "the table Users", "Users 表". `led`: something
    joins a word to the one before it, as "in" does.
    """
    found: list[int] = []
    for at, core in enumerate(cores):
        if core in _EQUALS:
            found += [at - 1, at + 1]
        elif _names_a_thing(core) and not _capital(written[at]):
            called = 1 if cores[at + 1 : at + 2] and cores[at + 1] in _CALLED else 0
            found += [] if led[at] else [at - 1]
            found += [] if any(led[at + 1 : at + 2 + called]) else [at + 1 + called]
    return [at for at in found if 0 <= at < len(written) and _may_be_code(written[at])]


def _may_be_code(word: Written) -> bool:
    low = word.text.casefold()
    return bool(low) and (low not in ACRONYMS or word.text not in (low, low.upper()))


def _names_a_thing(core: str) -> bool:
    return core in _nouns() or (not core.isascii() and core[0] in _NAMED_CHARS and len(core) < 3)


def _capital(noun: Written) -> bool:
    # In a title every word has one.
    return noun.text[:1].isupper()


@cache
def _nouns() -> frozenset[str]:
    return _SIDED | _NAMED_SO | frozenset(map(lexicon.lemma, _NAMED_SO))
