from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory.pipelines.redact import is_secret_file, redact, redact_json
from backstory.server.hook_line import lay
from detect_secrets.core.scan import scan_line
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString, HexHighEntropyString
from detect_secrets.settings import transient_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from .secret_shapes import CARRIERS, Carrier, carried, shapes

# What a secret leaves behind may be no more than a handful of its characters.
WITNESS = 12


def survivors(parts: tuple[str, ...], text: str) -> list[str]:
    return [
        part
        for part in parts
        if any(part[i : i + WITNESS] in text for i in range(0, max(len(part) - WITNESS, 0) + 1, 4))
    ]


@pytest.mark.parametrize("carrier", CARRIERS, ids=lambda carrier: carrier.name)
def test_no_planted_secret_survives(carrier: Carrier) -> None:
    planted = [shape for seed in range(3) for shape in shapes(seed) if carrier in carried(shape)]
    assert carrier.tokens_only or len({shape.name for shape in planted}) >= 60
    left = {}
    for shape in planted:
        shown = redact(carrier.wrap(shape.text), code=carrier.code)
        if survivors(shape.parts, shown):
            left[shape.name] = shown
    assert left == {}


def test_what_an_independent_scanner_finds_before_it_does_not_find_after() -> None:
    found_at_all = 0
    with transient_settings({"plugins_used": [{"name": name} for name in DETECTORS]}):
        for shape in shapes(11):
            for carrier in carried(shape):
                text = carrier.wrap(shape.text)
                before = scanned(text)
                found_at_all += bool(before)
                assert not before & scanned(redact(text, code=carrier.code)), (shape.name, carrier.name)
    assert found_at_all > 300


DETECTORS = tuple(
    str.split(
        "ArtifactoryDetector AWSKeyDetector AzureStorageKeyDetector BasicAuthDetector CloudantDetector "
        "DiscordBotTokenDetector GitHubTokenDetector GitLabTokenDetector IbmCloudIamDetector "
        "IbmCosHmacDetector JwtTokenDetector KeywordDetector MailchimpDetector NpmDetector OpenAIDetector "
        "PrivateKeyDetector PypiTokenDetector SendGridDetector SlackDetector SoftlayerDetector "
        "SquareOAuthDetector StripeDetector TelegramBotTokenDetector TwilioKeyDetector "
    )
)
ENTROPY = (Base64HighEntropyString(limit=4.5), HexHighEntropyString(limit=3.0))


def scanned(text: str) -> set[tuple[str, str]]:
    found = {found for line in text.splitlines() for found in scan_line(line)}
    found |= {
        found for line in text.splitlines() for plugin in ENTROPY for found in plugin.analyze_line("", line)
    }
    return {(secret.type, secret.secret_value or "") for secret in found}


# § stands for the secret, which is joined at run time.
POSITIVE = [
    ("my password is §", "hun" + "ter2"),
    ("The password for the staging db is §.", "Tr0ub" + "4dor&3"),
    ("set password to §!", "Summe" + "r2024"),
    ("login with user admin password § please", "Adm1n" + "!2024"),
    ("数据库密码是 §，别忘了", "Tr0ub" + "4dor&3"),
    ("密码：§", "hun" + "ter2"),
    ("口令为§", "abc1" + "2345"),
    ("root 密码改成 § 了", "Qwer" + "!2345"),
    ("密钥 = '§'", "a8f5f167" * 4),
    ('{"\\u5bc6\\u7801": "§"}', "hunt" + "er22"),
    ("password: §", "swor" + "dfish"),
    ("DB_PASSWORD=§", "swor" + "dfish"),
    ("export SECRET_KEY=§", "supersecre" + "tvaluehere"),
    ("spring.datasource.password=§", "hunt" + "er2x"),
    ("pwd=§", "123" + "456"),
    ("pass: §", "Summe" + "r2024"),
    ('passphrase = "§"', "correct horse " + "battery staple"),
    ('{"password":"§"}', "p@ss w" + "ord 1!"),
    ('"password": "§"', "let" + "mein"),
    ('let password: string = "§"', "hunt" + "er2x"),
    ('private static final String DB_PASS = "§";', "hunt" + "er2x"),
    ('password := "§"', "hun" + "ter2"),
    ("<password>§</password>", "letm" + "ein1"),
    ('{"name": "DB_PASSWORD", "value": "§"}', "hun" + "ter2"),
    ("- name: API_TOKEN\n  value: §", "abcd1234" + "efgh5678"),
    ("create user app with password '§'", "letm" + "ein99"),
    ("psql --password §", "hunt" + "er22"),
    ("mysql -u root -p§ shop", "hunt" + "er22"),
    ("sshpass -p § ssh x", "s3cr" + "3tpw"),
    ("redis-cli -a § ping", "hunter" + "22pass"),
    ("PGPASSWORD=§ psql", "hun" + "ter2"),
    ('requests.get(u, auth=("bob", "§"))', "hunt" + "er22x"),
    ("api key: §", "3f2a9c1b" * 4),
    ("the token is §", "eW91IGZvdW5" + "kIG1l0a1b2c"),
    ("Here is the key, §, keep it", "Xy7kPq92LmNv" + "83RtQw55ZsBd"),
    ("https://ci.invalid/hook?token=§", "9f8e7d6c" * 3),
    ("DATABASE_URL=mysql:" + "//root:§@db/x", "too" + "r99"),
    ("%3Dgh" + "p_§", "a1B2c3" * 6),
    ("api_key=§", "k9" * 900),
    ("password=§", "hunter22" + "secret"),
    ("口令：§", "hunter22" + "secret"),
    ("DB_PASSWORD=§", "TopSec" + "ret99"),
    ('DB_PASSWORD="§"', "kitty_sec" + "ret9"),
    ("admin_password: §", "kitty" + "secret9"),
    ("密码是 §", "Alpha9" + "secret"),
]


@pytest.mark.parametrize(("text", "secret"), POSITIVE)
def test_a_secret_in_plain_words_is_found(text: str, secret: str) -> None:
    shown = redact(text.replace("§", secret))
    assert secret not in shown
    assert "[redacted:" in shown


NEGATIVE = [
    "git show 3f2a9c1b7d8e4f60a1b2c3d4e5f60718aabbccdd",
    "id 123e4567-e89b-12d3-a456-426614174000",
    'password = os.environ["DB_PASSWORD"]',
    'token = os.getenv("TOKEN")',
    "API_KEY=${API_KEY}",
    "password: ${{ secrets.DB_PASSWORD }}",
    "password = getpass.getpass()",
    "password: Optional[str] = None",
    "token: str",
    '"pass' + 'word": "changeme"',
    "API_KEY=your-api-key-here",
    "SECRET=xxxxxxxxxxxxxxxx",
    'password: "<your password>"',
    "STRIPE_SECRET_KEY=sk_test_...",
    "self.password = password",
    'if token == "IDENTIFIER":',
    'integrity "sha512-' + "oRLFqQwoZKfCzBCZpkVZC4" * 4 + '=="',
    "github.com/golang-jwt/jwt/v5 v5.2.1 h1:qwqWwEiP7VbWvzjzKj0JfQqxvVjxkHkKJX9l5Jk1aZc=",
    "--hash=sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    "max_tokens=4096",
    "the token limit is 200000",
    "The password is wrong",
    "the password is 8-characters",
    "the secret is base64-encoded",
    "密码错误，请重试",
    "密码不能为空",
    "token 数量为 4096",
    "密码是必填项",
    '"password": "请输入密码"',
    "用户的令牌已过期",
    "see /home/me/.ssh/id_rsa.pub",
    "token_file: /run/secrets/token",
    "version 1.2.3-beta.4+build5678",
    '"@babel/helper-token": "^7.12.13"',
    "git@github.com:owner/repo.git",
    "ssh://git@host:22/x.git",
    "http://localhost:8080/path@v2",
    "postgres://user:${PGPASS}@db",
    "data:image/png;base64," + "iVBORw0KGgo" * 40,
    "The tokenizer splits getUserAuthenticationTokenFromRequestHeader",
    "public key: ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDhA me@x",
    "Authorization: Bearer ${TOKEN}",
    '-H "Authorization: Bearer $TOKEN"',
    'headers = {"Authorization": "Bearer " + token}',
    "const token = await getToken(user)",
    '"token_type": "bearer"',
    "import secrets; secrets.token_hex(16)",
    'key = "user:1234:profile"',
    "PASSWORD_RESET_TIMEOUT = 3600",
    'passwordField.text = "Enter your password"',
    "secretKeyRef:\n  name: db-creds\n  key: password",
    "pass  # nothing to do",
    "AKIA" + "IOSFODNN7" + "EXAMPLE",
    'if "-----BEGIN PRI' + 'VATE KEY-----" in text:',
    "#include <private/header.h>",
    "say `<private>` to keep a passage to yourself",
    "password = dbPassword2",
    "password: passwordField2",
    "password=user_password1",
]


@pytest.mark.parametrize("code", [False, True])
@pytest.mark.parametrize("text", NEGATIVE)
def test_what_is_no_secret_stays(text: str, code: bool) -> None:
    assert redact(text, code=code) == text


def standard_library(lines: int) -> Iterator[list[str]]:
    """Files of the running Python's standard library, without its tests, until so many lines are reached."""
    root = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        if {"site-packages", "test", "tests", "idle_test"} & set(path.relative_to(root).parts):
            continue
        text = path.read_text("utf-8", "replace").split("\n")
        yield text
        lines -= len(text)
        if lines <= 0:
            return


@pytest.mark.parametrize(
    ("code", "lines", "share"), [(False, 2_000, 0.01), (False, 50_000, 0.0005), (True, 50_000, 0.0002)]
)
def test_clean_source_is_left_alone(code: bool, lines: int, share: float) -> None:
    seen, changed = 0, []
    for file in standard_library(lines):
        shown = redact("\n".join(file), code=code).split("\n")
        assert len(shown) == len(file)
        changed += [pair for pair in zip(file, shown, strict=True) if pair[0] != pair[1]]
        seen += len(file)
    assert seen >= lines
    assert len(changed) <= share * seen, changed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <private>b</private> c", "a [private] c"),
        ("a <private>b <private>c</private> d</private> e", "a [private] e"),
        ("a <PRIVATE reason='x > y'>b</Private > c", "a [private] c"),
        ("a < private >b</ private> c", "a [private] c"),
        ("a <private>b\n\nc", "a [private]"),
        ("a <private>b <private>c</private> d", "a [private]"),
        ("a</private> b", "[private] b"),
        ("one<private>1</private>two<private>2</private>", "one[private]two[private]"),
        ("密码<private>天王盖地虎</private>别说", "密码[private]别说"),
        (r"{'t': '\u003cprivate\u003ea\u003c/private\u003e'}", "{'t': '[private]'}"),
        ("a <private/> b", "a <private/> b"),
        ("<privately>x</privately>", "<privately>x</privately>"),
    ],
)
def test_private_passages_go(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_private_tags_in_source() -> None:
    assert redact("+ # <private>\n+ note\n+ # </private>\n+ x = 1", code=True) == "+ # [private]\n+ x = 1"
    generic = "+const store = useStore<Private>()\n+export default store"
    assert redact(generic, code=True) == generic


def test_a_mark_says_what_and_which_but_not_the_secret() -> None:
    secret = "gh" + "p_" + "aB3dE" * 8
    one, two = redact(f"a {secret} b {secret}"), redact(f"a {secret}", salt=b"file")
    assert one == f"a {one[2:28]} b {one[2:28]}"
    assert one.startswith("a [redacted:github:")
    assert two != one[: len(two)]
    assert two == redact(f"a {secret}", salt=b"file")


FRAGMENTS = [shape.text for shape in shapes(5)] + [
    *"=:{}()&?;,.-_<>`'\"\\/@ \n\t",
    *("password", "token", "secret", "api_key", "密码", "是", "：", "value", "--password", "key "),
    *("<private>", "</private>", "<private", "[private]", "[redacted:aws:12345678]", "[redacted:"),
    *(
        "-----BEGIN PRI" + "VATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "://",
        "user:",
        "Authorization: Bearer ",
        "eyJ",
    ),
    *("\ud800", "\U000f0001", "\u0130", "\x00", "\\n", "${", "a1B2c3D4e5F6g7H8"),
]
pieces = st.one_of(
    st.sampled_from(FRAGMENTS), st.text(max_size=12), st.sampled_from(FRAGMENTS).map(lambda s: s[3:40])
)
anything = st.one_of(
    st.text(st.characters(), max_size=200),  # lone surrogates too
    st.lists(pieces, max_size=14).map("".join),
)


@settings(max_examples=400, deadline=None)
@given(anything, st.booleans())
def test_any_text_is_redacted_once_and_for_all(text: str, code: bool) -> None:
    shown = redact(text, code=code)
    assert redact(shown, code=code) == shown


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | anything,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(anything, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(json_values)
def test_any_json_is_redacted(value: object) -> None:
    redact_json(value)


def test_json_is_redacted_by_what_its_keys_say() -> None:
    token = "gh" + "p_" + "aB3dE" * 8
    payload = {
        "prompt": f"use {token}",
        "env": {"DB_PASS" + "WORD": "sword" + "fish", "PATH": "/usr/bin"},
        "headers": [
            {"name": "X-Api-Key", "value": "abcd1234efgh5678"},
            {"Authorization": "Bearer abcdefgh12345678"},
        ],
        "tool_input": {"file_path": f"/tmp/{token}", "new_string": "the password is hunter2 = x"},
        token: 1,
        "count": 3,
        "max_tokens": 4096,
        "ok": True,
        "none": None,
    }
    shown = redact_json(payload)
    text = json.dumps(shown)
    for secret in (token, "swordfish", "abcd1234efgh5678", "abcdefgh12345678"):
        assert secret not in text
    assert shown["env"]["PATH"] == "/usr/bin"
    assert shown["tool_input"]["new_string"] == "the password is hunter2 = x"
    assert (shown["count"], shown["max_tokens"], shown["ok"], shown["none"]) == (3, 4096, True, None)
    assert redact_json(shown) == shown


def test_json_of_any_depth_is_redacted() -> None:
    value: object = "x"
    for _ in range(5_000):
        value = [value]
    redact_json(value)


@pytest.mark.parametrize(
    "path",
    [
        ".env", "app/.env.production", "C:\\app\\.ENV", "prod.env", ".envrc", "id_rsa", "~/.ssh/id_ed25519",
        "deploy_id_rsa", "server.pem", "tls/private.key", "keys.p12", "app.jks", "vault.kdbx", ".netrc",
        "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials", "credentials.json",
        "config/secrets.yml", "aws_credentials", ".aws/credentials", ".docker/config.json",
        "service-account-prod.json", "client_secret_12.json", "terraform.tfstate", "prod.tfvars",
        "config/master.key", ".bash_history", "/etc/shadow", ".gnupg/secring", ".kube/config.bak", "a\nb/.env",
    ],
)  # fmt: skip
def test_a_file_kept_for_secrets_is_known_by_its_name(path: str) -> None:
    assert is_secret_file(path)


@pytest.mark.parametrize(
    "path",
    [
        "", ".env.example", ".env.sample", "id_rsa.pub", "src/secrets.py", "credentials_test.go",
        "docs/password.md", "key.py", ".ssh/config", ".ssh/known_hosts", "keyboard.js", "environment.ts",
        "tokens.css", "src/shadow/index.ts", "package.json",
    ],
)  # fmt: skip
def test_an_ordinary_file_is_no_secret(path: str) -> None:
    assert not is_secret_file(path)


def test_a_cold_hook_pays_for_regular_expressions_alone(tmp_path: Path) -> None:
    lay(tmp_path)
    code = f"""
import re, sys
known = set(sys.modules)
sys.path.insert(0, {str(tmp_path / "hook")!r})
from backstory.pipelines.redact import redact
assert redact("fix the login bug in server/auth.py") == "fix the login bug in server/auth.py"
print(sorted(name for name in set(sys.modules) - known if not name.startswith("backstory")))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-E", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['__future__']"


HOSTILE = {
    200_000: [
        *(
            " ",
            "a",
            "A1",
            "aB3",
            '"',
            "\\",
            "\\n",
            "=",
            "<",
            "<private ",
            "<private>",
            "</private>",
            "[redacted:",
            "\ud800",
        ),
        *(
            "-----BEGIN PRI" + "VATE KEY-----",
            "-----END PRIVATE KEY-----",
            "eyJ",
            "eyJa.",
            "authorization: ",
            "cookie: abcd=abcdefgh;",
        ),
        *("curl ", "mysql ", "login a ", "a.", "0123456789abcdef", "12345678:", "xoxb-1-"),
    ],
    40_000: [
        "://",
        "://a:",
        "://a:b",
        "token for a",
        'password="',
        "api_key=",
        "密码",
        "密码=",
        'secret\\"',
        "<password>a",
    ],
}


@pytest.mark.skipif(sys.platform == "win32", reason="no CPU limit for a process there")
def test_time_grows_with_the_length_of_a_text_whatever_it_is(tmp_path: Path) -> None:
    lay(tmp_path)
    # What took the square of the length would need many times what this process may use, and is stopped.
    code = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
sys.path.insert(0, {str(tmp_path / "hook")!r})
from backstory.pipelines.redact import redact
for size, units in {HOSTILE!r}.items():
    for unit in units:
        redact((unit * size)[:size])
"""
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
