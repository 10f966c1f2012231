"""Secrets of known formats, and private keys, in a text."""

from __future__ import annotations

from functools import cache

from .secret_looks import JUDGED, by_lot, compiled, plain, settled

TYPE_CHECKING = False  # typing costs a cold hook more than all of these files
if TYPE_CHECKING:
    Spans = list[tuple[int, int, str]]  # start, end, type
    Rule = tuple[str, str, tuple[str, ...], str]

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


@cache
def rules() -> tuple[Rule, ...]:
    """The known formats: type, how, needles, pattern."""
    made = []
    for line in _FORMATS.strip().splitlines():
        head, _, pattern = line.partition(" :: ")
        kind, how, *needles = head.split()
        for part, spelt in (("SEP", _SEP), ("SCHEME", _SCHEME), ("CRUMB", r"[^\s;\"'\\]")):
            pattern = pattern.replace(part, spelt)
        made.append((kind, how, tuple(needles), f"(?i:{pattern})" if "i" in how else pattern))
    return tuple(made)


def in_question(low: str) -> list[Rule]:
    """The rules of which a needle stands in the text, which is in small letters: nearly always none or a few."""
    return list(dict.fromkeys([rule for needle, rule in _needles() if needle in low]))


@cache
def _needles() -> tuple[tuple[str, Rule], ...]:
    """Each needle with its rule: looked through at once, three times as fast as rule by rule."""
    return tuple((needle, rule) for rule in rules() for needle in rule[2])


def known(text: str, low: str, rule: Rule) -> Spans:
    """Where one known format stands."""
    kind, how, needles, pattern = rule
    spans = []
    for needle in needles:
        at = low.find(needle)
        while at >= 0:
            m = compiled(pattern).match(text, at) if "e" not in how or _edge(text, at) else None
            if m and _is_one(m[m.lastindex or 0], looks_random="r" in how, whole=m.lastindex is None):
                spans.append((*m.span(m.lastindex or 0), kind))
            at = low.find(needle, m.end() if m else at + 1)
    return spans


@cache
def _runs() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.replace("EDGE", _EDGE).split(" ", 2)) for row in _RUNS.strip().splitlines())


def in_runs(text: str) -> Spans:
    """Where a format stands whose mark is inside it."""
    return [
        (*m.span(), kind)
        for run in compiled(r"[A-Za-z0-9_\-.:~]{36,}").finditer(text)
        for kind, how, pattern in _runs()
        for m in compiled(pattern).finditer(text, *run.span())
        if _is_one(m[0], looks_random=how == "r", whole=True)
    ]


def _edge(text: str, at: int) -> bool:
    """Whether a word may begin here: no ASCII letter or digit before, or one that ends an escape."""
    before = text[max(at - 6, 0) : at]
    last = before[-1:]
    if not (last.isascii() and last.isalnum()):
        return True
    escape = r"(?:\\[nrtbfv]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|[\[;]\d{1,2}m)\Z"
    return compiled(escape).search(before) is not None


def _is_one(secret: str, *, looks_random: bool, whole: bool) -> bool:
    if settled(secret) or (looks_random and not by_lot(secret)):
        return False
    if whole:
        return compiled(r"(?i:x{6}|\*{3}|example|(.)\1{7})").search(secret) is None
    return not plain(secret[:JUDGED])


def keys(text: str, low: str) -> Spans:
    """Private key blocks, also cut off below (no end mark) or above (no begin mark)."""
    if "private key" not in low and "private-mac" not in low and "putty-user-key" not in low:
        return []
    spans: Spans = []
    open_at: int | None = None
    done = 0
    for mark in [*compiled(_KEY_MARK).finditer(text), None]:
        start, end = mark.span() if mark else (len(text), len(text))
        if open_at is not None:
            closed = mark is not None and not mark["begin"] and start - done < _LONGEST_KEY
            stop = end if closed else compiled(_KEY_BODY).match(text, done).end()  # type: ignore[union-attr]
            if compiled("[A-Za-z0-9+/]{16}").search(text, done, min(stop, start)):
                spans.append((open_at, stop, "pem"))
        elif mark and not mark["begin"]:
            spans += _key_before(text, max(done, start - _LONGEST_KEY), start, end)
        open_at = start if mark and mark["begin"] else None
        done = end
    return spans


def _key_before(text: str, floor: int, mark: int, end: int) -> Spans:
    """The lines of a key that stand before an end mark whose beginning was cut away."""
    start = mark
    for run in reversed(list(compiled(r"[A-Za-z0-9+/=]{2,}").finditer(text, floor, mark))):
        gap = text[run.end() : start]
        if (len(run[0]) < 16 and start != mark) or compiled(_KEY_GAP).fullmatch(gap) is None:
            break
        start = run.start()
    return [(start, end, "pem")] if mark - start >= 16 else []
