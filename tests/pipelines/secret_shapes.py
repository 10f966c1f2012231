"""Secrets of many shapes, made at run time from pieces so that no scanner takes this repository for a leak."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
DIGITS = "123456789"


@dataclass(frozen=True)
class Shape:
    """A text that holds a secret, and the parts of it that must not survive."""

    name: str
    text: str
    parts: tuple[str, ...]
    token: bool  # the text is the secret and nothing else: it may stand in a file's name


class Maker:
    """Draws secrets from one seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def draw(self, n: int, of: str = ALNUM) -> str:
        return "".join(self._random.choice(of) for _ in range(n))

    def b64(self, n: int) -> str:
        return base64.b64encode(self._random.randbytes(n)).decode()

    def uuid(self) -> str:
        return "-".join(self.draw(n, HEX) for n in (8, 4, 4, 4, 12))

    def jwt(self) -> str:
        def part(value: dict[str, object]) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        return f"{part({'alg': 'HS256'})}.{part({'sub': self.draw(8), 'iat': 1700000000})}.{self.draw(43, URLSAFE)}"

    def pem(self, kind: str) -> str:
        body = "\n".join(self.b64(48) for _ in range(12))
        return f"-----BEGIN {kind}-----\n{body}\n{self.b64(20)}\n-----END {kind}-----"


def shapes(seed: int) -> list[Shape]:
    """The known formats, key blocks, and the places where a password of no format stands."""
    made = Maker(seed)
    return [*_tokens(made), *_blocks(made), *_placed(made)]


def _tokens(m: Maker) -> list[Shape]:
    d = m.draw
    tokens = {
        "aws key id": "AK" + "IA" + d(16, UPPER),
        "aws session key id": "AS" + "IA" + d(16, UPPER),
        "github personal": "gh" + "p_" + d(36),
        "github oauth": "gh" + "o_" + d(36),
        "github server": "gh" + "s_" + d(36),
        "github fine-grained": "github" + "_pat_" + d(22) + "_" + d(59),
        "gitlab personal": "gl" + "pat-" + d(20, URLSAFE),
        "gitlab runner": "gl" + "rt-" + d(20, URLSAFE),
        "slack bot": "xo" + "xb-" + d(12, DIGITS) + "-" + d(12, DIGITS) + "-" + d(24),
        "slack user": "xo" + "xp-" + d(11, DIGITS) + "-" + d(11, DIGITS) + "-" + d(32, HEX),
        "stripe live": "sk" + "_live_" + d(24),
        "stripe restricted": "rk" + "_live_" + d(24),
        "stripe webhook": "wh" + "sec_" + d(32),
        "openai": "s" + "k-" + d(20) + "T3Blbk" + "FJ" + d(20),
        "openai project": "s" + "k-proj-" + d(64, URLSAFE) + "T3Blbk" + "FJ" + d(64, URLSAFE),
        "anthropic": "sk" + "-ant-api03-" + d(93, URLSAFE) + "AA",
        "deepseek": "s" + "k-" + d(32, HEX),
        "openrouter": "s" + "k-or-v1-" + d(64, HEX),
        "google api": "AI" + "za" + d(35, URLSAFE),
        "google client": "GOC" + "SPX-" + d(28, URLSAFE),
        "google access": "ya" + "29." + d(100, URLSAFE),
        "azure client": d(3) + "8Q" + "~" + d(34, URLSAFE),
        "hugging face": "h" + "f_" + d(34),
        "npm": "np" + "m_" + d(36),
        "pypi": "pypi" + "-AgEIcHlwaS5vcmc" + d(90, URLSAFE),
        "sendgrid": "S" + "G." + d(22, URLSAFE) + "." + d(43, URLSAFE),
        "twilio": "S" + "K" + d(32, HEX),
        "mailgun": "ke" + "y-" + d(32, HEX),
        "mailchimp": d(32, HEX) + "-u" + "s12",
        "telegram": d(9, DIGITS) + ":A" + "A" + d(33, URLSAFE),
        "discord": "MT" + d(22) + "." + d(6, URLSAFE) + "." + d(38, URLSAFE),
        "digitalocean": "dop" + "_v1_" + d(64, HEX),
        "databricks": "da" + "pi" + d(32, HEX),
        "shopify": "shp" + "at_" + d(32, HEX),
        "square": "sq0" + "csp-" + d(43, URLSAFE),
        "square access": "EA" + "AA" + d(60, URLSAFE),
        "heroku": "HR" + "KU-" + m.uuid(),
        "vault": "hv" + "s." + d(90, URLSAFE),
        "terraform": d(14) + ".atlas" + "v1." + d(67, URLSAFE),
        "docker": "dckr" + "_pat_" + d(27, URLSAFE),
        "groq": "gs" + "k_" + d(52),
        "linear": "lin" + "_api_" + d(40),
        "zhipu": d(32, HEX) + "." + d(16),
        "jwt": m.jwt(),
    }
    return [Shape(name, token, (token,), token=True) for name, token in tokens.items()]


def _blocks(m: Maker) -> list[Shape]:
    kinds = ("RSA", "EC", "OPENSSH", "ENCRYPTED")
    blocks = [m.pem(f"{kind} PRIVATE KEY") for kind in kinds] + [
        m.pem("PRIVATE KEY"),
        m.pem("PGP PRIVATE KEY BLOCK"),
    ]
    cut_below, cut_above = m.pem("RSA PRIVATE KEY")[:600], m.pem("RSA PRIVATE KEY")[200:]
    made = [Shape(text.split("\n")[0], text, tuple(text.split("\n")[1:-1]), token=False) for text in blocks]
    made.append(Shape("key cut below", cut_below, tuple(cut_below.split("\n")[1:-1]), token=False))
    made.append(Shape("key cut above", cut_above, tuple(cut_above.split("\n")[1:-1]), token=False))
    return made


def _placed(m: Maker) -> list[Shape]:
    d = m.draw
    aws, hook, azure, npm = m.b64(30), f"T{d(8, UPPER)}/B{d(8, UPPER)}/{d(24)}", m.b64(64), m.uuid()
    basic = base64.b64encode(f"admin:{d(10)}".encode()).decode()
    discord = d(18, DIGITS) + "/" + d(68, URLSAFE)
    places = [
        ("aws secret", aws, f"aws_secret_access_key = {aws}"),
        ("slack webhook", hook, "https://hooks.sl" + f"ack.com/services/{hook}"),
        ("discord webhook", discord, "https://discord.com/api/web" + f"hooks/{discord}"),
        (
            "azure storage",
            azure,
            f"DefaultEndpointsProtocol=https;AccountName=acme;Account{'Key'}={azure};End=x",
        ),
        ("npmrc", npm, f"//registry.invalid/:_auth{'Token'}={npm}"),
        ("heroku uuid", key := m.uuid(), f"HEROKU_API{'_KEY'}={key}"),
        ("postgres url", pw := d(14), f"postgres://app:{pw}@db.invalid:5432/shop"),
        ("redis url", pw := d(12) + "#!", f"redis://:{pw}@cache:6379/0"),
        ("mongo url", pw := d(10) + "/x" + d(4), f"mongodb+srv://svc:{pw}@cluster0.invalid/x"),
        ("bearer", pw := d(30, URLSAFE), f"Authorization: Bearer {pw}"),
        ("basic", basic, f"Authorization: Basic {basic}"),
        ("quoted", pw := f"Tr0ub4dor{d(3)}", f'password = "{pw}"'),
        ("yaml", pw := f"hunter{d(3, DIGITS)}", f"db_password: {pw}"),
        ("environment", pw := d(20), f"API{'_KEY'}={pw}"),
        ("json", pw := d(16), f'{{"client{"_secret"}": "{pw}"}}'),
        ("chinese password", pw := f"Qw{d(6)}!9", f"密码: {pw}"),
        ("chinese token", pw := d(24), f"令牌：{pw}"),
        ("netrc", pw := f"pw{d(8)}", f"machine api.invalid login bot password {pw}"),
        ("cookie", pw := d(32, HEX), f"Cookie: sessionid={pw}; theme=dark"),
        (
            "ado",
            pw := f"P@ss{d(6)}",
            f"Server=tcp:sql.invalid;Database=d;User ID=sa;Password={pw};Encrypt=True",
        ),
        ("old github", pw := d(40, HEX), f"GITHUB{'_TOKEN'}={pw}"),
        ("curl", pw := d(12) + "9a", f"curl -u deploy:{pw} https://ci.invalid/x"),
        ("api key header", pw := d(40), f"X-Api-Key: {pw}"),
        ("query", pw := d(24), f"https://api.invalid/v1?access{'_token'}={pw}&page=2"),
    ]
    return [Shape(name, text, (secret,), token=False) for name, secret, text in places]


@dataclass(frozen=True)
class Carrier:
    """A text of some kind around a shape; `code` as `redact` takes it."""

    name: str
    wrap: Callable[[str], str]
    code: bool = False
    tokens_only: bool = False


def _diff(text: str) -> str:
    added = "\n".join(f"+{line}" for line in text.split("\n"))
    return f"diff --git a/app.yml b/app.yml\n--- a/app.yml\n+++ b/app.yml\n@@ -1,2 +1,3 @@\n name: app\n{added}\n"


def _source(text: str) -> str:
    escaped = text.replace('"', '\\"').replace("\n", "\\n")
    return f'@@ -1 +1 @@\n-x = 1\n+VALUE = "{escaped}"\n'


CARRIERS = (
    Carrier("prompt", lambda s: f"Please use this for the deployment:\n{s}\nthanks, and keep it safe"),
    Carrier("within a sentence", lambda s: f"the config has {s} in it"),
    Carrier("within Chinese", lambda s: f"请把配置改成：{s}，然后重启"),
    Carrier("tool output", lambda s: f"$ cat settings\n# local\n{s}\nDEBUG=1\n"),
    Carrier("coloured output", lambda s: f"\x1b[32m{s}\x1b[0m done"),
    Carrier("diff", _diff, code=True),
    Carrier("diff of source", _source, code=True),
    Carrier("commit message", lambda s: f"fix: rotate credentials\n\nold value was {s}\n"),
    Carrier("JSON payload", lambda s: json.dumps({"text": f"line\n{s}\nend"})),
    Carrier("JSON in JSON", lambda s: json.dumps({"o": json.dumps({"text": f"line\n{s}\nend"})})),
    Carrier("file name", lambda s: f"wrote /tmp/backup-{s}.txt", tokens_only=True),
    Carrier("path", lambda s: f"/var/log/{s}/out.log", code=True, tokens_only=True),
)


def carried(shape: Shape) -> list[Carrier]:
    """The carriers that can carry it."""
    return [carrier for carrier in CARRIERS if shape.token or not carrier.tokens_only]
