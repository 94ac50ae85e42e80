"""Secrets are taken out of what enters, before it is stored, hashed or indexed.

Known token shapes, checked numbers (Luhn, IBAN), and values that a text itself calls a password. Every pattern is
bounded or anchored at a token's start, so time grows with the length of the text whatever it holds.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

JsonValue: TypeAlias = "Mapping[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"


@dataclass(frozen=True, slots=True)
class Redacted:
    """`text` with each secret replaced by `[redacted:kind]`; `kinds` names what was removed, sorted, each once."""

    text: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RedactedJson:
    """`value` has the shape of what was given; `kinds` names what was removed, sorted, each once."""

    value: JsonValue
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Secret:
    start: int
    end: int
    kind: str


_Finder: TypeAlias = Callable[[str], Iterator[_Secret]]

_MARK: Final = r"\[redacted:"
_EDGE: Final = r"(?<![A-Za-z0-9_-])"

_VENDOR_TOKEN: Final = re.compile(
    _EDGE
    + r"""(?:
      sk-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_-]{20,}
    | (?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}
    | gh[pousr]_[A-Za-z0-9]{30,} | github_pat_[A-Za-z0-9_]{30,} | glpat-[A-Za-z0-9_-]{18,}
    | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{20,}
    | (?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])
    | AIza[A-Za-z0-9_-]{35} | ya29\.[A-Za-z0-9_-]{20,} | GOCSPX-[A-Za-z0-9_-]{20,}
    | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}
    | (?:hf|npm|gsk|mp|r8|whsec|sntrys|hvs|hvb)[_.][A-Za-z0-9_-]{24,}
    | pypi-[A-Za-z0-9_-]{40,} | do[opr]_v1_[a-f0-9]{40,} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}
    | dckr_pat_[A-Za-z0-9_-]{20,} | lin_api_[A-Za-z0-9]{30,} | dapi[a-f0-9]{32} | NRAK-[A-Z0-9]{20,}
    | (?:xai|pplx|tvly)-[A-Za-z0-9_-]{20,} | AGE-SECRET-KEY-1[A-Z0-9]{40,} | key-[a-f0-9]{32}(?![a-f0-9])
    | SK[a-f0-9]{32}(?![A-Za-z0-9]) | \d{8,10}:AA[A-Za-z0-9_-]{32,}
    )""",
    re.VERBOSE,
)
_VENDOR_HINT: Final = re.compile(
    r"sk-|[srp]k_|gh[pousr]_|_pat_|glpat-|xox|xapp-|AKIA|ASIA|AIza|ya29|GOCSPX|SG\.|hf_|npm_|gsk_|mp_|r8_|whsec_|sntrys_"
    r"|hv[sb]\.|pypi-|do[opr]_v1|shp(?:at|ca|pa|ss)_|lin_api|dapi|NRAK|xai-|pplx-|tvly-|AGE-S|key-|SK[a-f0-9]{8}|:AA"
)
_JWT: Final = re.compile(_EDGE + r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?")
_BEARER: Final = re.compile(
    rf"\b(?:bearer|basic)[ \t]+(?P<value>(?!{_MARK})(?=[A-Za-z._~+/-]{{0,200}}\d)[A-Za-z0-9._~+/-]{{16,}}={{0,2}})",
    re.IGNORECASE,
)
_URL_PASSWORD: Final = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.-]{{1,20}}://[^\s:/@\"'<>]{{0,100}}:(?P<value>(?!{_MARK})[^\s/\"'<>]{{1,200}})@"
)
_KEY_BEGIN: Final = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY: Final = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\[nr])*+")
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]{1,48}-----")

_SSN: Final = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_NAMED_SSN: Final = re.compile(
    r"\b(?:ssn|social security(?: number| no\.?)?)\b\W{0,3}(?:is\s|was\s)?\W{0,2}"
    r"(?P<value>\d{3}[ -]?\d{2}[ -]?\d{4})\b",
    re.IGNORECASE,
)
_CARD: Final = re.compile(
    r"(?<![\w.+/:-])(?:\d{13,19}|\d{4}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{1,7}"
    r"|\d{4}(?P<slit>[ -])\d{6}(?P=slit)\d{4,5})"
    r"(?![\w-]|\.\d)"
)
_CARD_BRAND: Final = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}"
    r"|(?:6011|65\d\d|64[4-9]\d|35(?:2[89]|[3-8]\d))\d{12}|62\d{14,17}|3(?:0[0-5]|[689]\d)\d{11}"
)
_ORDER_NUMBER: Final = re.compile(
    r"(?:order|invoice|tracking|ticket|shipment|transaction|reference|parcel)\W{0,3}(?:id|no|number|nr)?\W{0,4}(?:is\s)?$",
    re.IGNORECASE,
)
_IBAN_HEAD: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?=[ ]?[A-Z0-9]{4})")
# Lengths of the SWIFT IBAN registry, for the countries that issue them.
_IBAN_LENGTH: Final = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
        21: "CH CR HR LI LV", 22: "BG BH DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU", 31: "MT SC", 32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip

_STRONG: Final = r"pass(?:word|wd|phrase|code)|pwd"
_WEAK: Final = (
    r"(?:api|access|auth|secret|private|client|account|encryption|signing|master|session|refresh)[ _-]?"
    r"(?:key|token|secret)|apikey|secret|token|credentials?"
)
_VALUE: Final = (
    rf"(?:(?P<quote>[\"'`])(?!{_MARK})(?P<quoted>[^\"'`\r\n]{{1,200}})(?P=quote)"
    rf"|(?!{_MARK}|[\"'`])(?P<bare>[^\s\"'`,;&<>)}}\]]{{1,200}}))"
)
_SPOKEN_VALUE: Final = _VALUE.replace(r"[^\s\"'`,;&<>)}}\]]".replace("}}", "}"), r"[^\s\"'`]")
_ASSIGNED: Final = re.compile(
    rf"(?<![A-Za-z])(?P<name>{_STRONG}|{_WEAK})[\"'`]?\s{{0,3}}(?P<sign>:=|=>|[:=])\s{{0,3}}{_VALUE}", re.IGNORECASE
)
_STATED: Final = re.compile(
    rf"(?<![A-Za-z])(?P<name>{_STRONG}|{_WEAK})(?:\s(?:for|to|of|on)\s[^\n.,;:=]{{1,40}}?)?"
    rf"\s{{1,3}}(?:is|was|has been set to|set to|changed to|becomes|is now|will be)(?:\s|:\s{{0,3}})(?:now\s)?"
    rf"{_SPOKEN_VALUE}"
    r"(?P<after>\s{1,3}[A-Za-z]+)?",
    re.IGNORECASE,
)
# Code that computes or passes on a password holds none: `form["password"]`, `hash(password)`.
_EXPRESSION: Final = re.compile(
    r"=.*|\[.*|&?[A-Za-z_][\w.]*[(\[].*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[a-z_]*password\w*", re.DOTALL
)
_CLOSERS: Final = ".!?:,;)]}>"
_PIN: Final = re.compile(r"\bpin(?: code| number)?(?:\s(?:is|was)\s|\s?[:=]\s?)(?P<value>\d{4,8})\b", re.IGNORECASE)
_CONTEXT_HINT: Final = re.compile(r"pass(?:w|p|c)|pwd|key|token|secret|credential|\bpin\b", re.IGNORECASE)

_NO_SECRET: Final = re.compile(
    r"\$.*|%.*|\{.*|<.*|\(.*|\*+|\.{2,}|x{3,}|os\..*|process\..*|env\..*|settings\..*|self\..*|config\..*|getenv.*"
    r"|none|null|nil|true|false|undefined|str|string|int|bytes|optional|required|your.*|my",
    re.IGNORECASE,
)
# What a sentence says about a password without telling it.
_ORDINARY_WORDS: Final = """
    a an the not no too very so still now also always never being been going getting only just even same in on at for
    wrong incorrect right correct weak strong long short old new different expired expiring invalid valid missing
    required needed optional safe secure insecure stored saved hashed encrypted leaked lost forgotten changed reset
    set unset empty blank gone hidden out easy hard difficult simple complex complicated mandatory case-sensitive
    shared protected public private unknown known rejected accepted working broken up down here there what something
    nothing anything everything written kept good bad fine ok okay ready done sent given used unused unique random
    rotated revoked about important that this it my your his her our their what's why how when where who to
"""
_ORDINARY: Final = frozenset(_ORDINARY_WORDS.split())


def redact(text: str) -> Redacted:
    """Replace every secret by `[redacted:kind]`. Redacting twice changes nothing."""
    kinds: set[str] = set()
    while True:
        cleaned = text
        for find in _FINDERS:
            cleaned = _replace(cleaned, find, kinds)
        # Taking one secret out can lay another one's edge bare; each round leaves less to find, so this ends.
        if cleaned == text:
            return Redacted(text=text, kinds=tuple(sorted(kinds)))
        text = cleaned


def redact_json(value: JsonValue) -> RedactedJson:
    """Redact every string of a JSON value, keys included; the value of a key named like a password goes whole."""
    kinds: set[str] = set()
    cleaned = _json(value, kinds)
    return RedactedJson(value=cleaned, kinds=tuple(sorted(kinds)))


def _replace(text: str, find: _Finder, kinds: set[str]) -> str:
    parts: list[str] = []
    done = 0
    for secret in find(text):
        if secret.start < done:
            continue
        parts += [text[done : secret.start], f"[redacted:{secret.kind}]"]
        kinds.add(secret.kind)
        done = secret.end
    return "".join([*parts, text[done:]]) if parts else text


def _json(value: JsonValue, kinds: set[str]) -> JsonValue:
    if isinstance(value, str):
        cleaned = redact(value)
        kinds.update(cleaned.kinds)
        return cleaned.text
    if isinstance(value, Mapping):
        pairs: dict[str, JsonValue] = {}
        for key, inner in value.items():
            name = str(_json(key, kinds))
            pairs[_free(name, pairs)] = _entry(key, inner, kinds)
        return pairs
    if isinstance(value, list):
        return [_json(inner, kinds) for inner in value]
    return value


def _entry(key: str, value: JsonValue, kinds: set[str]) -> JsonValue:
    if not isinstance(value, str) or value.startswith("[redacted:") or not _names_secret(key, value):
        return _json(value, kinds)
    kinds.add("password")
    return "[redacted:password]"


def _free(name: str, taken: Mapping[str, JsonValue]) -> str:
    """Two keys that were two secrets stay two keys."""
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name} {number}"
    return unique


_SECRET_NAME: Final = re.compile(rf"(?:.{{0,60}}[_\- .])?(?:(?P<strong>{_STRONG})|{_WEAK})", re.IGNORECASE)


def _names_secret(key: str, value: str) -> bool:
    match = _SECRET_NAME.fullmatch(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key[:80]))
    if match is None or not value or _NO_SECRET.fullmatch(value):
        return False
    return bool(match["strong"]) or _looks_secret(value)


def _looks_secret(value: str) -> bool:
    """Long enough and with a digit, or very long: what people call a key or token and write down."""
    return not re.search(r"\s", value) and (
        (len(value) >= 8 and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)) or len(value) >= 24
    )


def _private_keys(text: str) -> Iterator[_Secret]:
    if "-----BEGIN" not in text:
        return
    ends = [match.end() for match in _KEY_END.finditer(text)]
    done = 0
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < done:
            continue
        closing = bisect_right(ends, begin.end())
        body = _KEY_BODY.match(text, begin.end())
        done = ends[closing] if closing < len(ends) else (body.end() if body else begin.end())
        yield _Secret(begin.start(), done, "private_key")


def _vendor_tokens(text: str) -> Iterator[_Secret]:
    if _VENDOR_HINT.search(text):
        for match in _VENDOR_TOKEN.finditer(text):
            if any(character.isdigit() for character in match[0]) or not match[0].startswith(("sk-", "mp_", "npm_")):
                yield _Secret(match.start(), match.end(), "api_key")


def _json_web_tokens(text: str) -> Iterator[_Secret]:
    if "eyJ" in text:
        for match in _JWT.finditer(text):
            yield _Secret(match.start(), match.end(), "jwt")


def _bearers(text: str) -> Iterator[_Secret]:
    for match in _BEARER.finditer(text):
        yield _Secret(match.start("value"), match.end("value"), "token")


def _url_passwords(text: str) -> Iterator[_Secret]:
    if "://" in text:
        for match in _URL_PASSWORD.finditer(text):
            if not _NO_SECRET.fullmatch(match["value"]):
                yield _Secret(match.start("value"), match.end("value"), "connection_string")


def _passwords(text: str) -> Iterator[_Secret]:
    if not _CONTEXT_HINT.search(text):
        return
    found = [_value(match) for match in _ASSIGNED.finditer(text) if _is_assigned(match)]
    found += [_value(match) for match in _STATED.finditer(text) if _is_stated(match)]
    found += [_Secret(match.start("value"), match.end("value"), "password") for match in _PIN.finditer(text)]
    yield from sorted(found, key=lambda secret: (secret.start, -secret.end))


def _value(match: re.Match[str]) -> _Secret:
    group = "quoted" if match["quoted"] is not None else "bare"
    end = match.end(group)
    if group == "bare":
        end -= len(match["bare"]) - len(match["bare"].rstrip(_CLOSERS))
    kind = "password" if re.fullmatch(_STRONG, match["name"], re.IGNORECASE) else "token"
    return _Secret(match.start(group), end, kind)


def _is_assigned(match: re.Match[str]) -> bool:
    value = match["quoted"] or match["bare"].rstrip(_CLOSERS)
    if not value or _NO_SECRET.fullmatch(value) or (match["bare"] and _is_code(match)):
        return False
    if not re.fullmatch(_STRONG, match["name"], re.IGNORECASE):
        return _looks_secret(value)
    if "=" in match["sign"] or match["quoted"]:
        return True
    following = match.string[match.end() : match.end() + 2]
    is_prose = value.isalpha() and len(following) > 1 and following[0] == " " and following[1].isalpha()
    return value.casefold() not in _ORDINARY and not is_prose


def _is_code(match: re.Match[str]) -> bool:
    if _EXPRESSION.fullmatch(match["bare"]):
        return True
    return match["bare"].isidentifier() and match.string[match.end() : match.end() + 1] in {")", ","}


def _is_stated(match: re.Match[str]) -> bool:
    value = match["quoted"] or match["bare"].rstrip(_CLOSERS)
    if not value or _NO_SECRET.fullmatch(value) or value.casefold() in _ORDINARY:
        return False
    if not re.fullmatch(_STRONG, match["name"], re.IGNORECASE):
        return _looks_secret(value)
    is_word = value.isalpha() and value[1:].islower() and not match["quoted"]
    following = (match["after"] or "").strip().casefold()
    return not is_word or following in {"", "and", "but", "so"}


def _social_security_numbers(text: str) -> Iterator[_Secret]:
    for match in _SSN.finditer(text):
        yield _Secret(match.start(), match.end(), "ssn")


def _named_social_security_numbers(text: str) -> Iterator[_Secret]:
    for match in _NAMED_SSN.finditer(text):
        yield _Secret(match.start("value"), match.end("value"), "ssn")


def _cards(text: str) -> Iterator[_Secret]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if _CARD_BRAND.fullmatch(digits) and _passes_luhn(digits):
            before = text[max(0, match.start() - 40) : match.start()]
            if not _ORDER_NUMBER.search(before):
                yield _Secret(match.start(), match.end(), "card")


def _passes_luhn(digits: str) -> bool:
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0


def _ibans(text: str) -> Iterator[_Secret]:
    for match in _IBAN_HEAD.finditer(text):
        length = _IBAN_LENGTH.get(match[0][:2])
        end = _iban_end(text, match.start(), length) if length else None
        if end is not None and _passes_mod_97(text[match.start() : end].replace(" ", "")):
            yield _Secret(match.start(), end, "iban")


def _iban_end(text: str, start: int, length: int) -> int | None:
    """Where `length` letters and digits end that only single blanks part, if nothing follows at once."""
    position, taken = start, 0
    while taken < length and position < len(text):
        character = text[position]
        if character.isascii() and (character.isupper() or character.isdigit()):
            taken += 1
        elif character != " " or text[position - 1] == " ":
            return None
        position += 1
    follows = text[position : position + 1]
    return position if taken == length and not follows.isalnum() else None


def _passes_mod_97(iban: str) -> bool:
    """ISO 13616: the first four characters moved behind, letters as 10 to 35, remainder 1."""
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1


_FINDERS: Final[tuple[_Finder, ...]] = (
    _private_keys,
    _url_passwords,
    _json_web_tokens,
    _vendor_tokens,
    _bearers,
    _passwords,
    _named_social_security_numbers,
    _social_security_numbers,
    _ibans,
    _cards,
)
