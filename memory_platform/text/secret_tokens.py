"""Secrets that their shape or their place gives away: keys and tokens, and what URLs, headers and commands carry."""

import re
from collections.abc import Iterator
from typing import Final

from memory_platform.text.secret import MARK, Secret
from memory_platform.text.secret_words import QUALIFIED, is_placeholder, looks_secret

_NO_MARK: Final = rf"(?!{re.escape(MARK)})"
_WORD_EDGE: Final = r"(?<![A-Za-z0-9])"
# Where a pattern of several parts may start: at most once in a run of token characters, or time would be quadratic.
_RUN_EDGE: Final = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9_-][_-])"
_RUN: Final = r"[A-Za-z0-9_-]"

# How a token begins and how it goes on. Lengths are minima: the longer rest of a run goes with it.
_VENDOR: Final = {
    r"[srp]k_(?:live|test)_": r"[A-Za-z0-9]{16,}",
    r"gh[pousr]_": r"[A-Za-z0-9]{30,}",
    r"github_pat_": r"[A-Za-z0-9_]{30,}",
    r"gl(?:pat|ptt|dt|rt|cbt|ft|imt|soat|agent)-": r"[A-Za-z0-9_-]{18,}",
    r"xox[abeoprs]-": r"(?=[A-Za-z-]{0,30}\d)[A-Za-z0-9-]{10,}",
    r"xapp-": r"(?=[A-Za-z-]{0,30}\d)[A-Za-z0-9-]{20,}",
    r"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])": r"[A-Z0-9]{16}(?![A-Za-z0-9])",
    r"AKC[a-z]": r"[A-Za-z0-9]{50,}",
    r"LTAI": r"[A-Za-z0-9]{17,}",
    r"AIza": r"[A-Za-z0-9_-]{35,}",
    r"ya29\.": r"[A-Za-z0-9_-]{20,}",
    r"1//0": r"[A-Za-z0-9_-]{40,}",
    r"GOCSPX-": r"[A-Za-z0-9_-]{20,}",
    r"whsec_": r"[A-Za-z0-9+/=]{24,}",
    r"sntry[su]_": r"[A-Za-z0-9_=+/-]{24,}",
    r"hv[sb]\.": r"[A-Za-z0-9_-]{24,}",
    r"pypi-": r"[A-Za-z0-9_-]{40,}",
    r"rubygems_": r"[a-f0-9]{40,}",
    r"do[opr]_v1_": r"[a-f0-9]{40,}",
    r"shp(?:at|ca|pa|ss)_": r"[a-fA-F0-9]{32,}",
    r"dckr_(?:pat|oat)_": r"[A-Za-z0-9_-]{20,}",
    r"lin_api_": r"[A-Za-z0-9]{30,}",
    r"dapi": r"[a-f0-9]{32,}",
    r"HRKU-": r"[A-Za-z0-9_-]{32,}",
    r"NRAK-": r"[A-Z0-9]{20,}",
    r"PMAK-": r"[a-f0-9]{24}-[a-f0-9]{24,}",
    r"AGE-SECRET-KEY-1": r"[A-Z0-9]{40,}",
    r"key-": r"[a-f0-9]{32}(?![a-f0-9])",
    r"SK": r"[a-f0-9]{32}(?![A-Za-z0-9])",
    r"gl(?:sa|c)_": r"[A-Za-z0-9_=+/]{32,}",
    r"pscale_(?:tkn|pw|oauth)_": r"[A-Za-z0-9_.=-]{30,}",
    r"ATATT3x": r"[A-Za-z0-9_=-]{50,}",
    r"sbp_": r"[a-f0-9]{40,}",
    r"figd_": r"[A-Za-z0-9_-]{30,}",
    r"ntn_": r"[A-Za-z0-9]{40,}",
    r"dp\.(?:pt|st|ct|sa|scim)\.": r"[A-Za-z0-9_.]{30,}",
    r"dt0[a-z]\d\d\.": r"[A-Z0-9]{24}\.[A-Z0-9]{64,}",
    r"sq0(?:atp|idp)-": r"[A-Za-z0-9_-]{20,}",
    r"EAA": r"[A-Za-z0-9]{60,}",
    r"secret_": r"[A-Za-z0-9]{40,}",
    r"tskey-[a-z]{3,8}-": r"[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}",
    r"pat-[a-z]{2}\d-": r"[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}",
}
# Prefixes that words and identifiers have too: sk-learn, npm_config, hf_transformers.
_WORDLIKE: Final = {
    r"sk-": r"[A-Za-z0-9_-]{20,}",
    r"(?:hf|npm|gsk|mp|r8)_": r"[A-Za-z0-9_-]{24,}",
    r"(?:xai|pplx|tvly)-": r"[A-Za-z0-9_-]{20,}",
}
_PARTED: Final = {
    r"SG\.": r"[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}",
    r"eyJ": r"[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*)?",
    r"[MNO][A-Za-z0-9]": r"[A-Za-z0-9_-]{21,26}+\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
}


def _either(shapes: dict[str, str]) -> str:
    return "|".join(f"{prefix}{rest}" for prefix, rest in shapes.items())


_VENDOR_TOKEN: Final = re.compile(rf"{_WORD_EDGE}(?:{_either(_VENDOR)}){_RUN}*+")
_VENDOR_HINT: Final = re.compile("|".join(_VENDOR))
_WORDLIKE_TOKEN: Final = re.compile(rf"{_WORD_EDGE}(?:{_either(_WORDLIKE)})")
_PARTED_TOKEN: Final = re.compile(rf"{_RUN_EDGE}(?:{_either(_PARTED)})")
_BOT_TOKEN: Final = re.compile(rf"(?:{_WORD_EDGE}|(?<=/bot))\d{{8,10}}:AA[A-Za-z0-9_-]{{32,}}")
_TERRAFORM_TOKEN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}")
_AZURE_SECRET: Final = re.compile(r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,}")

_RANDOM_LETTERS: Final = 20
_RANDOM_MIXED: Final = 16

_WEBHOOK: Final = re.compile(
    r"""(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/
    | discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{5,25}/
    | \.webhook\.office\.com/webhookb2/
    | hooks\.zapier\.com/hooks/catch/
    | maker\.ifttt\.com/trigger/[\w-]{1,60}/(?:json/)?with/key/)
    (?P<value>[A-Za-z0-9_@/+-]{10,})""",
    re.VERBOSE | re.IGNORECASE,
)
_SIGNATURE: Final = re.compile(
    r"(?<![A-Za-z-])(?:sig|signature|x-(?:amz|goog|oss)-signature|x-amz-security-token)="
    r"(?P<value>[A-Za-z0-9%+/_.~-]{16,}={0,2})",
    re.IGNORECASE,
)
# Letters alone are a word: what follows "bearer" in prose.
_HEADER: Final = re.compile(
    rf"(?<![A-Za-z])(?:bearer|basic)[ \t]+"
    rf"(?P<value>{_NO_MARK}(?=[A-Za-z._~+/-]{{0,200}}\d)[A-Za-z0-9._~+/-]{{16,}}={{0,2}})"
    rf"|(?<![A-Za-z])authorization[\"']?[ \t]?[:=][ \t]?[\"']?(?:(?P<scheme>[A-Za-z]{{2,20}})[ \t]+)?"
    rf"(?P<bare>{_NO_MARK}[^\s\"',;]{{8,}})",
    re.IGNORECASE,
)
# Letters alone are a key behind such a name, which no prose has.
_KEY_HEADER: Final = re.compile(
    rf"(?:(?<![A-Za-z0-9-])x-|(?<!\S)(?:-H|--header)[ \t=]{{1,3}}[\"']?)(?:[a-z]{{1,20}}-){{0,3}}"
    rf"(?:{QUALIFIED}|token|secret)[\"']?[ \t]?[:=][ \t]?[\"']?(?P<value>{_NO_MARK}[A-Za-z]{{16,}})(?![^\s\"',;)}}.])",
    re.IGNORECASE,
)
# Behind one of these in a header stands a token, whatever it is made of.
_SCHEMES: Final = frozenset({"apikey", "basic", "bearer", "token"})
# A slash may stand in a password, but after a port it begins the path; an image's digest is no host.
_URL_PASSWORD: Final = re.compile(
    rf"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{{1,20}}://[^\s:/@\"'<>\[]{{0,100}}:{_NO_MARK}"
    r"(?:(?P<plain>[^\s/\"'<>]{1,256})|(?!\d{0,5}[/?#])(?P<slashed>[^\s@\"'<>]{1,256}))@(?!sha\d{3}:)"
)
# A token in a login's place has no colon; a name there is short, or its words are parted.
_URL_LOGIN: Final = re.compile(
    rf"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{{1,20}}://{_NO_MARK}(?P<value>[A-Za-z0-9_~.%-]{{12,256}})@"
)
_URL_PARAMETER: Final = re.compile(
    r"[?&](?:[a-z]{1,20}[_-])?(?:key|code)="
    rf"{_NO_MARK}(?P<value>[A-Za-z0-9%/_.~+-]{{16,1024}})",
    re.IGNORECASE,
)
_CURL_USER: Final = re.compile(
    r"(?<!\S)(?:-u|-U|--user|--proxy-user)[ \t=]{0,3}[\"']?"
    rf"[^\s:\"']{{0,100}}:{_NO_MARK}(?P<value>[^\s\"'|;]{{1,256}})"
)
_CURL: Final = re.compile(r"(?<![A-Za-z])(?:curl|https?|wget)(?![A-Za-z])", re.IGNORECASE)
_COMMAND_PASSWORD: Final = re.compile(
    r"(?<![A-Za-z])(?:sshpass[ \t]{1,3}-p[ \t]{0,3}|mysql(?:dump|admin)?(?:[ \t][^\n|;]{0,100}?)?[ \t]-p(?=[^\s-])"
    r"|(?:docker|podman)[ \t]login[ \t][^\n|;]{0,100}?-p[ \t]|redis-cli[ \t][^\n|;]{0,100}?-a[ \t]"
    r"|login[ \t]\S{1,100}\s{1,4}password[ \t]"
    r"|(?:auth[ \t]?=[ \t]?|BasicAuth)\([ \t]?[\"'][^\"'\n]{1,100}[\"'],[ \t]?(?=[\"']))"
    rf"[\"']?{_NO_MARK}(?P<value>[^\s\"'|;]{{1,256}})"
)

_COMMAND_HINT: Final = re.compile(r" -[uUpa]| --user| --proxy|login|auth", re.IGNORECASE)

_COOKIES: Final = re.compile(
    r"(?<![A-Za-z])(?:set-)?cookies?2?[\"']?[ \t]?[:=][ \t]?(?=[^\n]{0,80}=)"
    r"|(?<!\S)(?:--cookie|-b)[ =](?=[\"']?[\w.$-]{1,60}=)",
    re.IGNORECASE,
)
_COOKIE: Final = re.compile(rf"(?P<name>[\w.$-]{{1,60}})={_NO_MARK}(?P<value>[^\s;,\"']{{1,4096}})")
_COOKIE_SETTING: Final = frozenset(
    {"path", "domain", "expires", "max-age", "samesite", "version", "priority", "comment"}
)
_SESSION_NAME: Final = re.compile(r"sess|sid(?![a-z])|auth|token|csrf|xsrf|jwt|login|remember", re.IGNORECASE)

_KEY_BEGIN: Final = re.compile(r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines:")
_KEY_BREAK: Final = r"(?:[ \t]|\r?\n|\\+[nr])"
_KEY_HEADERS: Final = rf"(?:{_KEY_BREAK}*+[A-Z][A-Za-z-]{{2,20}}: ?[^\n\\]{{1,200}})*+"
# Sixteen base64 characters, or fewer that fill a line or end with padding: prose that follows a cut key stays.
_KEY_BODY: Final = re.compile(
    rf"(?:[ \t]*\d+|{_KEY_HEADERS})(?:{_KEY_BREAK}*+"
    r"(?:[A-Za-z0-9+/]{16,}+={0,2}|[A-Za-z0-9+/]{1,15}={1,2}|=[A-Za-z0-9+/]{4}"
    r"|(?<=[\nnr])[A-Za-z0-9+/]{1,15}+(?=[ \t]*(?:\r?\n|\\|-{4,5}|\Z))))*+"
    rf"(?:{_KEY_BREAK}*+-{{4,5}} ?END [A-Z0-9 ]{{1,48}}-{{4,5}})?"
)


def private_keys(text: str) -> Iterator[Secret]:
    """PEM, PGP and PuTTY keys with their headers, also cut off before their end."""
    if "PRIVATE KEY" not in text and "Private-Lines:" not in text:
        return
    done = 0
    for begin in _KEY_BEGIN.finditer(text):
        # What looks like a beginning within a key's headers is part of it, or each would be read to the end.
        if begin.start() >= done:
            body = _KEY_BODY.match(text, begin.end())
            done = body.end() if body else begin.end()
            yield Secret(begin.start(), done, "private_key")


def vendor_tokens(text: str) -> Iterator[Secret]:
    """Tokens with the prefix or the parts of who issues them."""
    found = [_secret(match, "api_key") for match in _VENDOR_TOKEN.finditer(text)] if _VENDOR_HINT.search(text) else []
    found += [_secret(match, "api_key") for match in _WORDLIKE_TOKEN.finditer(text) if _is_random(match[0])]
    if "Q~" in text:
        found += [_secret(match, "api_key") for match in _AZURE_SECRET.finditer(text)]
    if ".atlasv1." in text:
        found += [_secret(match, "api_key") for match in _TERRAFORM_TOKEN.finditer(text)]
    if ":AA" in text:
        found += [_secret(match, "api_key") for match in _BOT_TOKEN.finditer(text)]
    if "." in text:
        found += [_secret(match, _parted_kind(match[0])) for match in _PARTED_TOKEN.finditer(text)]
    yield from sorted(found, key=lambda secret: (secret.start, -secret.end))


def _secret(match: re.Match[str], kind: str, group: str | int = 0) -> Secret:
    return Secret(match.start(group), match.end(group), kind)


def _parted_kind(token: str) -> str:
    return "jwt" if token.startswith("eyJ") else "api_key"


def _is_random(token: str) -> bool:
    """Whether one of its parts is longer than words are, or mixed as they are not."""
    parts = re.split(r"[_-]", token)
    if any(len(part) >= _RANDOM_LETTERS or (len(part) >= _RANDOM_MIXED and _is_mixed(part)) for part in parts):
        return True
    return _is_mixed(token) and sum(map(str.isdigit, token)) > 2 and any(map(str.isupper, token))


def _is_mixed(part: str) -> bool:
    return any(map(str.isdigit, part)) or (any(map(str.islower, part)) and any(map(str.isupper, part[1:])))


def webhooks(text: str) -> Iterator[Secret]:
    """The part of a webhook's URL that lets anybody post."""
    if "hook" in text or "ifttt" in text:
        for match in _WEBHOOK.finditer(text):
            yield _secret(match, "webhook", "value")


def signatures(text: str) -> Iterator[Secret]:
    """The signature of a URL that opens what it names: Azure SAS, AWS, Google."""
    if "=" in text:
        for match in _SIGNATURE.finditer(text):
            if any(map(str.isdigit, match["value"])):
                yield _secret(match, "token", "value")


def headers(text: str) -> Iterator[Secret]:
    """What an Authorization header holds, or one that names a key or a token."""
    found = [_secret(match, "token", "value") for match in _KEY_HEADER.finditer(text)]
    found += [_secret(match, "token", match.lastgroup or 0) for match in _HEADER.finditer(text) if _is_held(match)]
    yield from sorted(found, key=lambda secret: (secret.start, -secret.end))


def _is_held(match: re.Match[str]) -> bool:
    """Whether an Authorization header holds what opens something, and no remark about it."""
    return bool(match["value"]) or looks_secret(match["bare"]) or _is_announced(match["scheme"], match["bare"])


def _is_announced(scheme: str | None, token: str) -> bool:
    is_known = scheme is not None and scheme.casefold() in _SCHEMES
    return is_known and len(token) >= _RANDOM_MIXED and not is_placeholder(token)


def url_passwords(text: str) -> Iterator[Secret]:
    """The password before the host of a URL."""
    if "://" not in text:
        return
    for match in _URL_PASSWORD.finditer(text):
        group = "plain" if match["plain"] else "slashed"
        if not is_placeholder(match[group]):
            yield _secret(match, "connection_string", group)


def url_tokens(text: str) -> Iterator[Secret]:
    """What stands in a URL instead of a login, or as its key or code, and is random."""
    if "://" not in text:
        return
    found = [match for pattern in (_URL_LOGIN, _URL_PARAMETER) for match in pattern.finditer(text)]
    for match in sorted(found, key=lambda match: match.start("value")):
        if _is_mixed(match["value"]) and looks_secret(match["value"]) and _is_random(match["value"]):
            yield _secret(match, "token", "value")


def command_passwords(text: str) -> Iterator[Secret]:
    """Passwords in the options of curl, sshpass and mysql."""
    if not _COMMAND_HINT.search(text):
        return
    found = [match for match in _CURL_USER.finditer(text) if _is_of_curl(match)]
    found += _COMMAND_PASSWORD.finditer(text)
    for match in sorted(found, key=lambda match: match.start("value")):
        if not is_placeholder(match["value"]):
            yield _secret(match, "password", "value")


def _is_of_curl(match: re.Match[str]) -> bool:
    """Whether curl stands before: `docker run -u 1000:1000` names a group."""
    return bool(_CURL.search(match.string, max(0, match.start() - 300), match.start()))


def cookies(text: str) -> Iterator[Secret]:
    """Values of a Cookie header that name a session or look random; a theme or a language stays."""
    done = 0
    for header in _COOKIES.finditer(text):
        if header.start() < done:
            continue
        end = text.find("\n", header.end())
        done = end if end >= 0 else len(text)
        for cookie in _COOKIE.finditer(text, header.end(), done):
            if is_secret_cookie(cookie["name"], cookie["value"]):
                yield _secret(cookie, "token", "value")


def is_secret_cookie(name: str, value: str) -> bool:
    """Whether who has the cookie is somebody."""
    if name.casefold() in _COOKIE_SETTING or is_placeholder(value):
        return False
    return bool(_SESSION_NAME.search(name)) or looks_secret(value)
