"""
Secrets and private passages taken out of a text before anything of it is written.

Stdlib only and importing nothing of ours: hooks carry a copy and run it cold. A rule is looked at only where
one of its needles stands, and compiled only then; every repetition is bounded or starts at the left edge of
its run. So time grows with the length of the text, whatever the text is.
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False  # typing costs a cold hook more than all of this file
if TYPE_CHECKING:
    from typing import Any

    Spans = list[tuple[int, int, str]]  # start, end, type

# The known formats, one a line: type, how, needles (lower case) :: the pattern from the needle on.
# The last group that took part is the secret, else all of it. How: "e" the needle stands at the edge of a
# word; "r" the secret looks random; "i" any case; "-" nothing more.
_FORMATS = r"""
aws e akia asia abia acca a3t :: (?:A3T[A-Z0-9]|A[KSB]IA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])
aws i aws :: aws[\w .\-]{0,24}(?:key|token|secret)SEP([a-z0-9/+]{40})(?![a-z0-9/+=])
aws e fwogzx iqojb3jpz2lu fqogzx absk bedrock-api-key- :: [A-Za-z0-9\-]{4,16}[A-Za-z0-9+/=%]{60,4096}
github - ghp_ gho_ ghu_ ghs_ ghr_ :: gh[pousr]_[A-Za-z0-9_]{36,255}
github - github_pat_ :: github_pat_[A-Za-z0-9_]{22,255}
github e v1. :: v1\.[0-9a-f]{40}(?![A-Za-z0-9])
gitlab e glpat- glptt- gldt- glrt- glrtr- glcbt- glsoat- glimt- glft- glffct- :: gl[a-z]{2,5}-[\w\-.]{20,300}
gitlab e glagent- gloas- glwt- gr1348941 :: (?:gl[a-z]{2,5}-|GR1348941)[A-Za-z0-9_\-.]{20,300}
slack - xox :: xox[abceoprs][.\-][A-Za-z0-9.\-]{10,255}
slack e xapp- :: xapp-\d-[A-Za-z0-9\-]{20,255}
slack i hooks.slack.com/ :: hooks\.slack\.com/([a-z]{5,12}/[A-Za-z0-9_/\-]{20,200})
stripe - sk_live_ rk_live_ sk_test_ rk_test_ :: [sr]k_[a-z]{4}_[0-9A-Za-z]{16,255}
stripe - whsec_ :: whsec_[A-Za-z0-9+/=]{24,100}
anthropic - sk-ant- :: sk-ant-[A-Za-z0-9_\-]{20,255}
openai er sk- :: sk-[A-Za-z0-9_\-]{20,255}
google - aiza :: AIza[0-9A-Za-z_\-]{35}
google - gocspx- :: GOCSPX-[A-Za-z0-9_\-]{20,60}
google e ya29. 1//0 aq.ab :: (?:ya29\.|1//0|AQ\.Ab)[A-Za-z0-9_\-.]{20,2048}
azure i accountkey sharedaccesskey :: [a-z]{10,15}\s?=\s?([a-z0-9+/]{40,100}={0,2})
azure eir sig= :: sig=([a-z0-9%+/]{40,120}={0,2})
huggingface e hf_ api_org_ :: (?:hf|api_org)_[A-Za-z0-9]{30,100}
npm - npm_ :: npm_[A-Za-z0-9]{36,100}
npm ie _authtoken _auth _password :: _[a-z]{4,9}\s?=\s?\"?([a-z0-9+/=_\-]{8,255})(?![\w(.\[])
pypi - pypi-age :: pypi-AgE[A-Za-z0-9_\-]{50,1024}
sendgrid e sg. :: SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{16,64}
twilio er ac sk :: (?:AC|SK)[0-9a-z]{32}(?![A-Za-z0-9])
mailgun e key- :: key-[0-9a-f]{32}(?![A-Za-z0-9])
discord - webhooks/ :: webhooks/(\d{16,20}/[A-Za-z0-9_\-]{50,100})
discord e mfa. :: mfa\.[A-Za-z0-9_\-]{80,100}
digitalocean - dop_v1_ doo_v1_ dor_v1_ :: do[opr]_v1_[a-f0-9]{64}
databricks e dapi dose :: do?[as][pe]i?[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])
shopify - shpat_ shpca_ shppa_ shpss_ shpua_ shpit_ :: shp[a-z]{2}_[a-fA-F0-9]{32,64}
square - sq0 :: sq0[a-z]{3}-[A-Za-z0-9_\\\-]{22,50}
square er eaaa eaac eaam eaag :: EAA[ACMG][A-Za-z0-9_\-]{50,250}
heroku - hrku- :: HRKU-[A-Za-z0-9_\-]{36,100}
heroku i heroku :: heroku[\w .\-]{0,24}SEP([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})
hashicorp e hvs. hvb. hvr. :: hv[sbr]\.[A-Za-z0-9_\-]{20,300}
docker - dckr_ :: dckr_[a-z]{3}_[A-Za-z0-9_\-]{20,100}
atlassian - atatt3 atctt3 atbtt3 :: AT[A-Z]TT3[A-Za-z0-9_\-=]{50,300}
artifactory er akc :: AKC[A-Za-z0-9]{10,100}(?![A-Za-z0-9])
artifactory er ap :: AP[0-9A-F][A-Za-z0-9]{17,80}(?![A-Za-z0-9])
newrelic e nrak- nrii- nrjs- nraa- :: NR[A-Z]{2}-[A-Za-z0-9_\-]{19,40}
grafana e glsa_ glc_ :: gl(?:sa|c)_[A-Za-z0-9+/=_]{32,400}
postman - pmak- :: PMAK-[a-f0-9]{24}-[a-f0-9]{34}
brevo - xkeysib- xsmtpsib- :: x[a-z]{3,4}sib-[a-f0-9]{64}-[A-Za-z0-9]{16}
airtable e pat :: pat[A-Za-z0-9]{14}\.[a-f0-9]{64}
hubspot e pat- :: pat-[a-z]{2}\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
vendor er ntn_ secret_ gsk_ r8_ nfp_ lin_api_ lin_oauth_ figd_ sbp_ :: [A-Za-z0-9][\w\-=.]{19,400}
vendor er sb_secret_ pscale_ rubygems_ lsv2_ sntrys_ sntryu_ crsr_ :: [A-Za-z0-9][\w\-=.]{19,400}
vendor er ops_ sgp_ rdme_ cio fo1_ fm2_ vcp_ pnu_ shippo_ clojars_ :: [A-Za-z0-9][\w\-=.]{19,400}
vendor er nvapi- pplx- tvly- xai- pul- dp.pt. dp.st. dp.ct. dp.sa. :: [A-Za-z0-9][\w\-=.]{19,400}
vendor er rzp_live_ rzp_test_ ltai akid aklt flwseck ezak eztk dt0 sl. e2b_ :: [A-Za-z0-9][\w\-=.]{19,400}
age i age-secret-key-1 :: age-secret-key-1[a-z0-9]{50,70}
braintree - access_token$ :: access_token\$[a-z]{3,12}\$[a-z0-9]{16}\$[a-f0-9]{32}
webhook - open-apis/bot/v2/hook/ :: open-apis/bot/v2/hook/([A-Za-z0-9\-]{20,60})
webhook - webhook/send?key= :: webhook/send\?key=([A-Za-z0-9\-]{20,60})
webhook i webhook.office.com/ :: webhook\.office\.com/([a-z0-9@/\-]{40,300})
jwt e eyj :: eyJ[\w\-]{8,4096}={0,2}\.[\w\-]{4,4096}={0,2}(?:\.[\w\-+/]{0,4096}={0,2}){0,3}
crypt - $2a$ $2b$ $2y$ :: \$2[aby]\$\d\d\$[./A-Za-z0-9]{53}
crypt - $argon2 $apr1$ $1$ $5$ $6$ $y$ $scrypt$ $pbkdf2 :: \$[\w\-]{1,14}\$[\w=,$+./\-]{20,300}
url - :// :: ://[^\s:/@?#\"'<>`]{0,128}:([^\s\"'<>`/?#]{1,200})@(?=[A-Za-z0-9\[_$<{(*%.\-])
url - :// :: ://[^\s:/@?#\"'<>`]{0,128}:(?!\d{1,5}[/?#])([^\s\"'<>`]{1,200}?)@(?=[A-Za-z0-9\[_$<{(*%.\-])
url r :// :: ://([A-Za-z0-9_\-.~%]{20,200})(?::x-oauth-basic)?@(?=[A-Za-z0-9])
header i authorization :: authorizationSEP(?:SCHEME)(?:\s{1,3}|\+|%20)([^\s\"'`,;<>\\]{6,4096})
header ir authorization :: authorizationSEP([a-z0-9._~+/=\-]{16,4096})
header ier bearer :: bearer(?:\s{1,3}|%20)([a-z0-9._~+/\-]{16,4096}={0,2})
header ier basic :: basic\s{1,3}([a-z0-9+/]{12,400}={0,2})(?![a-z0-9+/=])
cookie ir cookie :: cookieSEP([\w.\-]{1,60}=CRUMB{8,2048}(?:;\s{0,2}[\w.\-]{1,60}=?CRUMB{0,2048}){0,60})
cookie ir sessionid= phpsessid= jsessionid= sessid= :: [a-z]{6,10}=([a-z0-9%.:_\-]{16,512})
cookie ir connect.sid= csrftoken= :: [a-z.]{6,11}=([a-z0-9%.:_\-]{16,512})
netrc ie login :: login[ \t]{1,20}[^\s]{1,100}\s{1,20}password[ \t]{1,20}([^\s\"']{1,200})
pgpass - :5432: :5433: :6432: :*: :: :[\d*]{1,5}:[\w*\-]{1,60}:[\w*\-]{1,60}:([^\s:]{3,200})(?=\s|$)
sql i identified password :: (?:identified\s{1,3}by|password)\s{1,3}'([^'\n]{4,100})'
flag - sshpass :: sshpass\s{1,3}-p\s?[\"']?([^\s\"']{3,200})
flag - mysql :: mysql[a-z]{0,6}\s[^\n|;]{0,120}?-p[\"']?([^\s\"']{4,200})
flag - curl :: curl\s[^\n|;]{0,160}?(?:-u|--user)[\s=]{0,2}[\"']?[^\s:\"']{1,80}:([^\s\"']{3,200})
flag - redis-cli :: redis-cli\s[^\n|;]{0,120}?-a\s{1,2}[\"']?([^\s\"']{4,200})
flag i auth basicauth :: (?:auth\s?=\s?|basicauth)\([\"'][^\"'\n]{1,60}[\"'],\s{0,4}[\"']([^\"'\n]{3,99})[\"']
flag - docker :: docker login\s[^\n|;]{0,120}?-p[\s=]{1,2}[\"']?([^\s\"']{4,200})
"""
_SEP = r"\\?[\"']?\]?\s{0,4}(?:[:=,]|=>)\s{0,4}f?\\?[\"']?"  # between a key and its value
_SCHEME = "bearer|basic|token|api-?key|digest|negotiate|key|bot|oauth|ssws|splunk|geniekey"

# Formats whose mark is inside: looked for in the long runs of a text only.
_RUNS = r"""
telegram r EDGE(?<![_:])(?:bot)?\d{8,10}:[A-Za-z0-9_\-]{35}(?![A-Za-z0-9_\-])
discord r EDGE[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}
zhipu - EDGE[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])
mailgun - EDGE[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z\-])
mailchimp - EDGE[0-9a-z]{32}-us[0-9]{1,2}(?![A-Za-z0-9])
azure - [A-Za-z0-9_~.\-]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}
terraform - EDGE[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-]{60,70}
"""
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=[\[;\d]\dm)|(?<=%[0-9A-Fa-f]{2}))"

# Words that name a password, and words that name other secrets ("key" only after one of its own words).
_PASSWORDS = tuple(
    str.split(
        "password passwd passphrase passcode pwd pass passwort contraseña contrasena "
        "密码 密碼 口令 пароль パスワード 비밀번호"
    )
)
_SECRETS = tuple(
    str.split("secret token credential apikey key 密钥 秘钥 密鑰 金钥 私钥 令牌 凭证 凭据 授权码")
)
_OF_KEYS = tuple(
    str.split(
        "api access auth private secret encryption encrypt signing signature service account client master "
        "db database shared deploy license webhook subscription consumer app application jwt hmac storage "
        "admin root ssh session cipher aes sas openai anthropic gemini dashscope deepseek zhipu"
    )
)
_SAYS = (" is", " was", " are", " to ", "是", "为", "為", "成", "\uff1a")

# What follows such a word, by form: the rest of its name (n), a sign (s), the value (v).
_PARTS = {
    "NAME": r"(?P<n>[A-Za-z0-9_.\-]{0,24})",
    "SHUT": r"(?P<shut>\\{0,3}[\"'`])?\]?(?:\[\d{0,4}\])?",
    "SIGN": r":[ ]{0,2}[\w.\[\]|?]{1,30}[ ]{0,2}=|={1,3}>?|!={1,2}|:=|::?|->|\uff1a|\uff1d|\\{1,2}uff1a",
    "OPEN": "[ \\t]*[:\uff1a]?[ \\t]*[\"'`“「『(\uff08]{0,2}",
    "VALUE": "(?P<v>[^\\s\"'`“”「」『』<>\u3000-\u3002\u3010\u3011\u4e00-\u9fff"
    "\uff01\uff08\uff09\uff0c\uff1b\uff1f]{1,2048}+)",
    # Every opening quote closes the one before it, so these need no bound to be linear.
    "CLOSED": r"(?:\"(?P<v>(?:[^\"\\\n]++|\\.)*+)\"|'(?P<v1>(?:[^'\\\n]++|\\.)*+)'|`(?P<v2>[^`\n]*+)`)",
    "ESCAPED": r"(?P<q>\\{1,3}[\"'])(?P<v>(?:[^\"'\\\n]++|\\[^\"'\\])*+)(?P=q)",
    "WHOSE": r"(?:[ \t]+(?:for|of|on|in)[ \t][^\n:=,.;\uff0c\u3002\uff1b\uff1a]{1,40}?)?",
    "SAYS": r"[ \t]+(?:is|was|are|to)(?=[ \t:])|[ \t]*(?:就是|是|改为|改成|设为|设置为|换成|为|為)"
    r"|(?=[ \t]*\uff1a)",
}
_FORMS = r"""
quoted NAMESHUT\s{0,8}(?P<s>SIGN|,|\()\s{0,8}[@frbuFRBUL]{0,2}CLOSED
quoted NAMESHUT\s{0,8}(?P<s>SIGN|,|\()\s{0,8}ESCAPED
bare NAMESHUT[ \t]{0,8}(?P<s>SIGN)[ \t]{0,8}(?P<q>[\"'`“「『])?VALUE
tag NAME[^<>\n]{0,60}>(?P<v>[^<>\n]{3,2048}+)</
pair NAME[\"']?\s{0,40},?\s{0,40}[\"']?value[\"']?\s?:\s{0,2}[\"']?(?P<v>[^\s\"'\n,}]{4,200})
option (?P<n>)(?P<s>[ \t]{1,2})[\"']?VALUE
beside (?P<n>)(?P<s>[ \t]{0,2})OPENVALUE
said (?P<n>)WHOSE(?P<s>SAYS)(?:[ \t]+(?:now|still))?OPENVALUE
"""

# A name that ends so says something about a secret and does not hold it.
_ABOUT = r"""
    name type url uri path file dir folder field label id prefix suffix hint header param format pattern
    regexp? len length size count limit ttl expir\w* policy message msg title text placeholder kind class
    method endpoint help prompt err error min max required valid\w* confirm\w* input env var store manager
    provider service host port issuer audience scope algo\w* alg status state version owner ref arn at by
    for to from in is page form link button timeout seconds minutes hours days age interval retries
    attempts strength enabled screen view list index map set table column
"""
# What stands where a secret would and is none: references, templates, examples, words about the secret.
_PLAIN_MARKS = tuple(
    str.split(
        "${ $( {{ #{ %( <% %s %d %r *** ... … ••• xxxxx ____ ---- placeholder redacted replace insert "
        "changeme change_me change-me os.environ process.env getenv import.meta"
    )
)
_PLAIN = r"""
    \$(?:[a-z_]+|\d|\w*(?:pass|pwd|token|key|secret)\w*)$ %\w+%$ \{\w[\w.!:\[\]]*\}$ <[^<>]*>$ \[[^\[\]]*\]$
    .*(?<![a-z])(?:example|dummy|sample|fake|fixme|todo)(?![a-z]) .*your[_\-\s]?[a-z] .*[_\-]here$
    (?:.*\W)?secrets?\.[a-z_]+$ [\w.\-]{0,40}(?:pass|pwd|secret|token|key|cred)[\w.\-]{0,24}=
    (?:none|null|nil|true|false|undefined|optional|required|string|str|bytes|text|any|empty|unset|missing)\W?$
    (?:invalid|incorrect|wrong|expired|hidden|disabled|enabled|unknown|default|test|foo|bar|baz|include)\W?$
    (?:omit|same-origin|number|int|integer|bool|boolean|object|varchar|char|self|this|tbd|n/a|no|yes)\W?$
    (?:password|passwd|pwd|pass|secret|token)\W?$
"""
_SOURCE = r"[=(\[{<>*|&^~,;]|[A-Za-z_$][\w.]*[(\[{]|[A-Za-z_$]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+\Z"
_ADDRESS = (
    r"[a-z][a-z0-9+.\-]*://|(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.\-]+(?:[/\\]|\.\w|$)"
    r"|[\^~<>=v]*\d+(?:\.\d+)+$|--?[a-z]"
)
_WORDS = (
    "(?i:pass|pwd|secret|token|key|cred|user|field|input|name|login|auth|prompt|value$|string$|param|config)"
)
_NOT_SAID = (
    r"(?i:base64|sha-?\d|md5|utf-?\d|bcrypt|argon2|pbkdf2|rsa|aes|hs\d|rs\d|oauth|ipv\d|http|v\d|\d+[\-\w]*"
    r"(?:char|bit|byte|day|digit|letter|hour|min|sec|px|ms|kb|mb))"
)
_SETTING = r"[+\-\s#*>\"'{,]*(?:(?:export|set|ENV|ARG|env:|-e)\s+)?\Z"

_NEAR = tuple(
    str.split(
        "key token secret passw pwd credential bearer auth "
        "密钥 秘钥 密鑰 金钥 私钥 令牌 口令 密码 密碼 凭证 凭据 授权码"
    )
)
_NOT_NEAR = r"sha-?\d|integrity|h1:|ssh-|commit|hash|digest|checksum|fingerprint|etag|base64,"

_PLACEHOLDER = r"\[redacted:[a-z0-9]{1,16}:[0-9a-f]{8}\]|\[private\]"
_HIDDEN = "[\U000f0000-\U0010ffff]"
_MARKUP = r"(?i:(?:<|&lt;|\\u003c)\s{0,4}(/?)\s{0,4}private(?:\s[^<>]*?)?/?\s{0,4}(?:>|&gt;|\\u003e|\Z))"
_KEY_MARK = (
    r"(?P<begin>-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d)"
    r"|-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: [0-9a-f]{20,80}"
)
_KEY_GAP = r"(?:\s|\\[nrt]|[+\-|>\"',*#\\]){0,24}"
_KEY_BODY = (
    rf"(?:{_KEY_GAP}(?:[A-Z][A-Za-z\-]{{2,30}}: [^\n\\]{{0,100}}|[A-Za-z0-9+/=]{{16,20000}}+))*+"
    rf"(?:{_KEY_GAP}[A-Za-z0-9+/=]{{1,80}}\Z)?"
)
_LONGEST_KEY = 20_000
_ROUNDS = 6  # one is enough for nearly every text; a redaction can lay bare the edge of another secret
_DEEPEST = 64  # levels of nested JSON
_JUDGED = 200  # characters of a value that say what it is

_CODE_KEYS = frozenset(
    str.split("old_string new_string old_str new_str originalfile structuredpatch diff patch code")
)
_KEPT_FOR_SECRETS = r"""
    (?:^|/)\.env(?:rc|\.(?!(?:example|sample|template|dist|defaults?)$)[^/]*)?$ [^/]\.env$
    \.(?:pem|key|p12|pfx|p8|jks|jceks|keystore|kdbx?|ppk|ovpn|asc|gpg|agekey|keytab|secrets?)$
    \.tfvars$ \.tfstate(?:\.backup)?$ (?:^|/)(?:\.dockercfg|\.docker/config\.json|\.vault[-_][^/]*)$
    (?:^|/)(?:[._]netrc|\.npmrc|\.pypirc|\.pgpass|pgpass\.conf|\.htpasswd|\.git-credentials|\.my\.cnf)$
    (?:^|/)(?:\.s3cfg|\.boto|\.?kubeconfig|master\.key|etc/g?shadow)$
    (?:^|/)\.(?:bash|zsh|psql|mysql|python|node_repl)_history$
    (?:^|[/_\-.])id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$
    (?:^|[/_\-.])(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|xml|properties|conf|cfg|csv|enc))?$
    (?:^|[/_\-.])(?:service[_\-]?account|client_secret)[^/]*\.json$
    (?:^|/)\.(?:ssh|gnupg|aws|azure|kube|password-store)/(?!(?:.*\.pub|config|known_hosts)$)
"""


def redact(text: str, *, code: bool = False, salt: bytes = b"") -> str:
    """
    The text with every secret as `[redacted:<type>:<8 hex>]` and every private passage as `[private]`.

    The same secret gives the same 8 hex under one salt. Redacting twice changes nothing more.

    Args:
        code: the text is source or a diff: known formats, quoted assignments and lines of configuration
            only; no rule that goes by entropy or by what a sentence says.
    """
    page = _Page(text, salt)
    for _ in range(_ROUNDS):
        before = page.text
        page.put(_private(page, code))
        page.put(_pem(page))
        for rule in _rules():
            page.put(_known(page, rule))
        page.put(_runs(page))
        page.put(_assigned(page, code))
        page.put([] if code else _stray(page))
        if page.text == before:
            break
    return page.shown()


def redact_json(value: Any, *, salt: bytes = b"") -> Any:
    """
    The same JSON value with each string and key redacted, knowing by its key what a string is.

    Below keys that hold source or diffs (`new_string`, `patch` …) strings are redacted as code.
    """
    return _json(value, salt, code=False, depth=0)


def is_secret_file(path: str) -> bool:
    """Whether a file of this name is kept for secrets, so that only its name may be recorded."""
    return _any_of(_KEPT_FOR_SECRETS).search(path.replace("\\", "/")) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _any_of(patterns: str) -> re.Pattern[str]:
    return re.compile("(?i:" + "|".join(patterns.split()) + ")")


class _Page:
    """The text being worked on. What is redacted already stands in it as one private-use character each."""

    def __init__(self, text: str, salt: bytes) -> None:
        self.text = self.low = ""
        self._salt = salt
        self._shown: dict[str, str] = {}
        self._hidden: dict[str, str] = {}
        self._write(_compiled(f"{_PLACEHOLDER}|{_HIDDEN}").sub(lambda m: self._hide(m[0]), text))

    def put(self, spans: list[tuple[int, int, str]]) -> None:
        """Replace each (start, end, type) by its placeholder; of spans that overlap, the earliest stays."""
        if not spans:
            return
        out: list[str] = []
        at = 0
        for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start >= at:
                out += (self.text[at:start], self._hide(self._mark(self.text[start:end], kind)))
                at = end
        self._write("".join(out) + self.text[at:])

    def shown(self) -> str:
        """The text as it may be written."""
        return _compiled(_HIDDEN).sub(lambda m: self._shown[m[0]], self.text) if self._shown else self.text

    def _write(self, text: str) -> None:
        self.text = text
        low = text.lower()  # needles are sought here, so positions must agree: one letter grows when lowered
        self.low = low if len(low) == len(text) else text.replace("\u0130", "i").lower()

    def _mark(self, secret: str, kind: str) -> str:
        if kind == "private":
            return "[private]"
        import hashlib

        raw = _compiled(_HIDDEN).sub(lambda m: self._shown[m[0]], secret).encode("utf-8", "surrogatepass")
        key = hashlib.blake2s(self._salt).digest() if self._salt else b""
        return f"[redacted:{kind}:{hashlib.blake2s(raw, key=key, digest_size=4).hexdigest()}]"

    def _hide(self, shown: str) -> str:
        mark = self._hidden.get(shown)
        if mark is None:
            mark = self._hidden[shown] = chr(min(0xF0000 + len(self._hidden), 0x10FFFF))
            self._shown[mark] = shown
        return mark


def _private(page: _Page, code: bool) -> Spans:
    """
    Passages between private tags. One not closed goes on to the end; one not opened began before the text.

    A lone tag that is only spoken of does not count: one in backticks; in code, what may be a generic.
    """
    if "private" not in page.low:
        return []
    text, spans = page.text, []
    opened: list[re.Match[str]] = []
    for m in _compiled(_MARKUP).finditer(text):
        if not m[1]:
            opened += [] if m[0].endswith("/>") else [m]
        elif opened:
            spans.append((opened.pop().start(), m.end(), "private"))
        elif not code and not _quoted_tag(text, m):
            spans.append((0, m.end(), "private"))
    for m in opened:
        before = text[max(m.start() - 1, 0) : m.start()]
        if not _quoted_tag(text, m) and not (code and before.isascii() and before.isidentifier()):
            spans.append((m.start(), len(text), "private"))
    return spans


def _quoted_tag(text: str, m: re.Match[str]) -> bool:
    return text[max(m.start() - 1, 0) : m.start()] == "`" == text[m.end() : m.end() + 1]


def _pem(page: _Page) -> Spans:
    """Private key blocks, also cut off below (no end mark) or above (no begin mark)."""
    if "private key" not in page.low and "private-mac" not in page.low and "putty-user-key" not in page.low:
        return []
    text, spans = page.text, []
    open_at: int | None = None
    done = 0
    for mark in [*_compiled(_KEY_MARK).finditer(text), None]:
        start, end = mark.span() if mark else (len(text), len(text))
        if open_at is not None:
            closed = mark is not None and not mark["begin"] and start - done < _LONGEST_KEY
            stop = end if closed else _compiled(_KEY_BODY).match(text, done).end()  # type: ignore[union-attr]
            if _compiled("[A-Za-z0-9+/]{16}").search(text, done, min(stop, start)):
                spans.append((open_at, stop, "pem"))
        elif mark and not mark["begin"]:
            spans += _key_before(text, max(done, start - _LONGEST_KEY), start, end)
        open_at = start if mark and mark["begin"] else None
        done = end
    return spans


def _key_before(text: str, floor: int, mark: int, end: int) -> Spans:
    """The lines of a key that stand before an end mark whose beginning was cut away."""
    start = mark
    for run in reversed(list(_compiled(r"[A-Za-z0-9+/=]{2,}").finditer(text, floor, mark))):
        gap = text[run.end() : start]
        if (len(run[0]) < 16 and start != mark) or _compiled(_KEY_GAP).fullmatch(gap) is None:
            break
        start = run.start()
    return [(start, end, "pem")] if mark - start >= 16 else []


@cache
def _rules() -> tuple[tuple[str, str, tuple[str, ...], str], ...]:
    rules = []
    for line in _FORMATS.strip().splitlines():
        head, _, pattern = line.partition(" :: ")
        kind, how, *needles = head.split()
        for part, spelt in (("SEP", _SEP), ("SCHEME", _SCHEME), ("CRUMB", r"[^\s;\"'\\]")):
            pattern = pattern.replace(part, spelt)
        rules.append((kind, how, tuple(needles), f"(?i:{pattern})" if "i" in how else pattern))
    return tuple(rules)


def _known(page: _Page, rule: tuple[str, str, tuple[str, ...], str]) -> Spans:
    """Where one known format stands."""
    kind, how, needles, pattern = rule
    text, low, spans = page.text, page.low, []
    for needle in needles:
        at = low.find(needle)
        while at >= 0:
            m = _compiled(pattern).match(text, at) if "e" not in how or _edge(text, at) else None
            if m and _is_one(m[m.lastindex or 0], looks_random="r" in how, whole=m.lastindex is None):
                spans.append((*m.span(m.lastindex or 0), kind))
            at = low.find(needle, m.end() if m else at + 1)
    return spans


def _runs(page: _Page) -> Spans:
    """Where a format stands whose mark is inside it."""
    rows = [row.replace("EDGE", _EDGE).split(" ", 2) for row in _RUNS.strip().splitlines()]
    return [
        (*m.span(), kind)
        for run in _compiled(r"[A-Za-z0-9_\-.:~]{36,}").finditer(page.text)
        for kind, how, pattern in rows
        for m in _compiled(pattern).finditer(page.text, *run.span())
        if _is_one(m[0], looks_random=how == "r", whole=True)
    ]


def _edge(text: str, at: int) -> bool:
    """Whether a word may begin here: no ASCII letter or digit before, or one that ends an escape."""
    before = text[max(at - 6, 0) : at]
    last = before[-1:]
    if not (last.isascii() and last.isalnum()):
        return True
    escape = r"(?:\\[nrtbfv]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|[\[;]\d{1,2}m)\Z"
    return _compiled(escape).search(before) is not None


def _is_one(secret: str, *, looks_random: bool, whole: bool) -> bool:
    if _settled(secret) or (looks_random and not _random(secret)):
        return False
    if whole:
        return _compiled(r"(?i:x{6}|\*{3}|example|(.)\1{7})").search(secret) is None
    return not _plain(secret[:_JUDGED])


def _plain(value: str) -> bool:
    """Whether a value is a template, a reference, an example or a word about secrets."""
    low = value.lower()
    return any(mark in low for mark in _PLAIN_MARKS) or _any_of(_PLAIN).match(low) is not None


def _settled(value: str) -> bool:
    """Whether a value is redacted already (with no more than punctuation after it)."""
    return _compiled(_HIDDEN + r"[\W_]{0,8}\Z").match(value) is not None


def _random(value: str) -> bool:
    """Whether a string looks drawn by lot: many digits, or letters and digits that form no words."""
    digits = sum(map(str.isdigit, value))
    if digits >= max(3, 0.14 * len(value)):
        return digits < len(value)
    if value in (value.lower(), value.upper()):
        return False
    words = sum(map(len, _compiled(r"[A-Z]?[a-z]{4,}|[A-Z]{5,}").findall(value)))
    return len(value) >= (12 if digits else 16) and words <= (0.6 if digits else 0.3) * len(value)


def _assigned(page: _Page, code: bool) -> Spans:
    """Values given to a name that says it holds a secret."""
    spans = []
    for words, strong in ((_PASSWORDS, True), (_SECRETS, False)):
        for word in _spellings(tuple(words)):
            at = page.low.find(word)
            while at >= 0:
                span = _value_of(page, at, word, strong=strong, code=code)
                if span:
                    spans.append((*span, "assigned"))
                at = page.low.find(word, max(at + 1, span[1] if span else 0))
    return spans


@cache
def _spellings(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words, and those beyond ASCII also as JSON may spell them, once and twice escaped."""
    escaped = ["".join(f"\\u{ord(c):04x}" for c in word) for word in words if not word.isascii()]
    return (*words, *escaped, *(word.replace("\\", "\\\\") for word in escaped))


def _value_of(page: _Page, at: int, word: str, *, strong: bool, code: bool) -> tuple[int, int] | None:
    """The span of the secret that the word at `at` names, if there is one."""
    text, end = page.text, at + len(word)
    if word == "pass" and not _stands_alone(text, at, end):
        return None
    if word == "key" and not page.low[max(at - 16, 0) : at].rstrip("_-. ").endswith(_OF_KEYS):
        return None
    ahead = text[end : end + 300]
    for form, pattern in _forms():
        if _out_of_question(form, ahead, text[max(at - 24, 0) : at], code=code):
            continue
        m = _compiled(pattern).match(text, end)
        if not m or not _names_secret(text, end, m["n"]):
            continue
        closed = form in ("quoted", "tag", "pair")
        group = next(g for g in ("v", "v1", "v2") if m.groupdict().get(g) is not None)
        value = m[group] if closed else _cut(m[group])
        if not closed and m[group].endswith(("...", "…")):  # an example cut short
            continue
        span = m.start(group), m.start(group) + len(value)
        if _possible(value[:_JUDGED], closed=closed):
            needed = _needed(form, m, value, span[1], strong=strong, code=code)
            if _grade(value[:_JUDGED]) >= needed:
                return span
    return None


@cache
def _forms() -> tuple[tuple[str, str], ...]:
    table = _FORMS
    for part, pattern in _PARTS.items():
        table = table.replace(part, pattern)
    return tuple(
        (form, pattern) for form, _, pattern in (row.partition(" ") for row in table.strip().splitlines())
    )


def _out_of_question(form: str, ahead: str, behind: str, *, code: bool) -> bool:
    """Whether a form cannot match here, seen before its pattern is compiled."""
    match form:
        case "tag":
            return "</" not in ahead or "<" not in behind
        case "pair":
            return "value" not in ahead
        case "option":
            return "--" not in behind
        case "said":
            return code or not any(says in ahead[:64] for says in _SAYS)
        case "beside":
            return code or not any(map(str.isdigit, ahead[:40]))
    return not any(sign in ahead[:72] for sign in "=:(,\uff1a\uff1d\\>")


def _stands_alone(text: str, at: int, end: int) -> bool:
    """Whether "pass" is a word of its own (db_pass, dbPass), not a part of one (bypass, passed)."""
    before, after = text[max(at - 1, 0) : at], text[end : end + 1]
    free = not (before.isascii() and before.isalpha()) or (before.islower() and text[at].isupper())
    return free and not (after.isascii() and after.isalpha())


def _names_secret(text: str, end: int, tail: str) -> bool:
    """Whether a name that goes on with `tail` after its word still names a secret (not `token_type`)."""
    if tail[:1].isalpha() and tail[0].islower() == text[end - 1].islower():
        if tail[0] not in "sS":
            return False
        tail = tail[1:]
    about = r"(?:^|[_.\-]|(?<=[a-z])(?=[A-Z]))(?i:" + "|".join(_ABOUT.split()) + ")s?$"
    return not (tail and _compiled(about).search(tail))


def _possible(value: str, *, closed: bool) -> bool:
    """Whether a value can be a secret: not redacted, no template, reference, call, path, URL or version."""
    if len(value) < 4 or _settled(value) or _plain(value):
        return False
    other = _ADDRESS if closed else f"{_ADDRESS}|{_SOURCE}"
    return _compiled(other).match(value) is None or (
        len(value) >= 20 and "://" not in value and _random(value)
    )


_WORD, _LETTERS, _ODD, _MIXED, _LOT, _NEVER = range(6)


def _grade(value: str) -> int:
    """How much a value looks like a secret: a word about one, letters, odd, letters and digits, a lot."""
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    wordy = sum(map(len, _compiled(r"[A-Za-z]{4,}").findall(value))) > 0.6 * len(value)
    if _random(value) or (digits >= 2 and letters >= 2 and len(value) >= 8 and not wordy):
        return _LOT if len(value) >= 8 else _MIXED
    plain = _compiled(r"[\w.\-\[\]]+\Z").match(value)
    if digits and letters:
        return _WORD if len(value) < 5 or (plain and _compiled(_WORDS).search(value)) else _MIXED
    if not plain or not letters:
        return _ODD if letters == 0 or len(value) >= 6 else _WORD
    return _WORD if _compiled(_WORDS).search(value) else _LETTERS


def _needed(form: str, m: re.Match[str], value: str, stop: int, *, strong: bool, code: bool) -> int:
    """The grade a value must have to be taken for a secret where it stands."""
    sign = m.groupdict().get("s") or ""
    match form:
        case "quoted" | "tag" | "pair":
            return _needed_quoted(m, sign, value, strong=strong, code=code)
        case "option":
            return _MIXED if strong else _LOT
        case "said" | "beside" if _compiled(_NOT_SAID).match(value):
            return _NEVER
        case "said":
            return _ODD if strong else _LOT
        case "beside":
            return _LOT if sign or not m.string[m.start() - 1].isascii() else _NEVER
    where = _where(m, stop)
    if code and where != "pair":
        mixed = strong or (where == "variable" and len(value) >= 12)
        return _NEVER if where == "sentence" else _MIXED if mixed else _LOT
    if where == "variable" and len(value) >= (6 if strong else 8):
        return _WORD if len(value) >= 12 and value.isalnum() and not code else _LETTERS
    if strong:
        return _LETTERS if where == "line" and len(value) >= 6 else _ODD
    return _LOT


def _needed_quoted(m: re.Match[str], sign: str, value: str, *, strong: bool, code: bool) -> int:
    call = sign in ("(", ",")
    if call and ("." in m["n"] if sign == "(" else not m["shut"]):  # password.encode("…"); 'password', "…"
        return _NEVER
    if any(c.isspace() for c in value):
        phrase = m.string[max(m.start() - 10, 0) : m.start()].lower() == "passphrase"
        if code or not strong or value.strip() != value or (value.count(" ") > 3 and not phrase):
            return _NEVER
        return _ODD if phrase else _MIXED if set("!@#$%^&*") & set(value) else _NEVER
    if strong:
        return _MIXED if call else _LETTERS
    return _LETTERS if len(value) >= 16 and not call and not code and value.isalnum() else _LOT


def _where(m: re.Match[str], stop: int) -> str:
    """What a value stands in: a variable (KEY=value), a line of settings, one of pairs, a sentence."""
    text, start, end = m.string, m.start(), m.end("n")
    while start > max(m.start() - 40, 0) and (text[start - 1].isalnum() or text[start - 1] in "_-.$"):
        start -= 1
    if text[max(start - 1, 0) : start] == "\\" and text[start] in "nrt":  # a line's end, escaped
        start += 1
    name, before = text[start:end], text[max(start - 90, 0) : start].replace("\\n", "\n")
    if name == name.upper() and name != name.lower() and text[end : end + 1] == "=" and " " not in m[0]:
        return "variable"
    if before[-1:] in ("'", '"') and text[stop : stop + 1] == before[-1]:
        return "line"
    line, rest = before[before.rfind("\n") + 1 :], text[stop : stop + 60].partition("\n")[0]
    alone = _compiled(_SETTING).match(line) and _compiled(r"[\s\"'`,;]*(?:#|//|$)").match(rest)
    if alone and len(line) < 90:
        return "line"
    if before[-1:] in ("?", "&", ";") or "-" in name or _compiled(r"\w=\S{1,80}\s\Z").search(before):
        return "pair"
    return "sentence"


def _cut(run: str) -> str:
    """A run of characters up to where a value ends: the next pair, an escaped line, punctuation."""
    if any(mark in run for mark in ";,&|\\"):
        run = _compiled(r"[;,&|]+(?=[\w.\- ]{1,40}[=:])|\\[nrt]").split(run, maxsplit=1)[0]
    return run.rstrip(".,;:!?)]}\\|&")


def _stray(page: _Page) -> Spans:
    """Long strings drawn by lot that a line of prose calls a secret."""
    low, spans = page.low, []
    if not any(word in low for word in _NEAR):
        return []
    lone = r"(?<![A-Za-z0-9+/_=\-.@:#])[A-Za-z0-9+/_\-]{20,256}={0,2}(?![A-Za-z0-9+/_=\-])"
    for m in _compiled(lone).finditer(page.text):
        value, (start, end) = m[0], m.span()
        if (
            value.lower() == value
            or not any(map(str.isdigit, value))
            or not _random(value)
            or len(set(value)) < 12
        ):
            continue
        near = low[max(low.rfind("\n", max(start - 60, 0), start), start - 60, 0) : start]
        near += low[end : end + 30].partition("\n")[0]
        if any(word in near for word in _NEAR) and not _compiled(_NOT_NEAR).search(near):
            spans.append((start, end, "random"))
    return spans


def _json(value: Any, salt: bytes, *, code: bool, depth: int) -> Any:
    if isinstance(value, str):
        return redact(value, code=code, salt=salt)
    if not isinstance(value, dict | list | tuple):
        return value
    if depth > _DEEPEST:
        return "[private]"
    if not isinstance(value, dict):
        return [_json(item, salt, code=code, depth=depth + 1) for item in value]
    out = {}
    for key, item in value.items():
        inside = code or str(key).lower() in _CODE_KEYS
        name = value.get("name", value.get("key")) if key == "value" else key
        if isinstance(item, str) and isinstance(name, str):
            shown: Any = _named(name, item, salt, code=inside)
        else:
            shown = _json(item, salt, code=inside, depth=depth + 1)
        out[redact(key, salt=salt) if isinstance(key, str) else key] = shown
    return out


def _named(name: str, value: str, salt: bytes, *, code: bool) -> str:
    """A string redacted as the value of `name`."""
    telling = any(word in name.lower() for word in (*_PASSWORDS, *_SECRETS, "authorization", "cookie"))
    mark = next((q for q in "\"'`" if q not in value and q not in name), None)
    if telling and mark and len(value) <= 4096 and not set("\n\\") & set(name + value):
        lead = f"{mark}{name}{mark}: {mark}"
        pair = redact(f"{lead}{value}{mark}", salt=salt)
        if pair.startswith(lead):
            value = pair[len(lead) : -1]
    return redact(value, code=code, salt=salt)
