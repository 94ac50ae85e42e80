"""Values that a text calls a password, a token or a PIN: assigned, stated, set, used or beside a login.

What a name says decides how much its value must look like a secret: after "password" nearly anything is one, after
"token" what is random.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from memory_platform.text.secret import MARK, Secret
from memory_platform.text.secret_words import (
    CLOSERS,
    GRAMMAR_WORDS,
    NETWORK,
    PLAIN,
    QUALIFIED,
    SHORT,
    STRONG,
    Means,
    is_measure,
    is_placeholder,
    is_reference,
    is_remark,
    is_word,
    looks_like,
    looks_secret,
)

SYSTEMS: Final = (
    "db|database|smtp|imap|mysql|pg|postgres|redis|ftp|ssh|user|admin|root|mail|email|wifi|login|auth|proxy|rabbitmq|mongo"
    "|key|sudo|ldap"
)
"""What has a login, so that a `…_pass` of it is a password."""

# A mark names what it stands for: the "password" of `[redacted:password]` announces nothing.
_NAME: Final = (
    rf"(?<!redacted:)(?:(?P<strong>{STRONG})|(?<![A-Za-z])(?:(?P<short>{SHORT})|"
    rf"(?P<pass>pass|(?:(?<=fi[ -])|(?<=wlan[ -]))code)|(?P<key>{QUALIFIED})|(?P<token>{PLAIN})))"
    r"(?:_(?:base|prod|production|dev|staging|test|live|local|new|old))?(?:[ _-]?\d{1,2})?(?![A-Za-z0-9])"
)
_NO_MARK: Final = rf"(?!{re.escape(MARK)})"
_QUOTED: Final = (
    rf"(?:\"{_NO_MARK}(?P<double>(?:\\.|[^\"\\\r\n]){{1,4096}}+)\"|'{_NO_MARK}(?P<single>(?:\\.|[^'\\\r\n]){{1,4096}}+)'"
    rf"|`{_NO_MARK}(?P<tick>[^`\r\n]{{1,4096}}+)`|[“”„«»‚‘’]{_NO_MARK}(?P<curly>[^“”„«»‚‘’\r\n]{{1,200}}+)[“”«»‘’]"
    rf"|(?P<escape>\\{{1,7}}[\"']){_NO_MARK}(?P<escaped>[^\"'\r\n]{{1,4096}}?)(?P=escape))"
)
_UNQUOTED: Final = rf"{_NO_MARK}(?!\\*[\"'`“”„«»‚‘’])"
# A comma, ampersand or semicolon ends a value only where the next field begins.
_NEXT_FIELD: Final = r"(?!\s|\Z|[\w.-]{1,40}\s?[=:])"
_WRITTEN: Final = rf"(?:{_QUOTED}|(?P<bare>{_UNQUOTED}(?:[^\s\"'`,;&<>)}}\]\\]|[,;&]{_NEXT_FIELD}|\\(?![\"']))++))"
_SPOKEN_WORD: Final = rf"(?P<bare>{_UNQUOTED}(?:[^\s\"'`\\]|(?<=\w)'(?=\w)|\\(?![\"']))++)"
_SPOKEN: Final = rf"(?:{_QUOTED}|{_SPOKEN_WORD})"
_VALUES: Final = ("bare", "double", "single", "tick", "curly", "escaped")

_ABOUT: Final = (
    r"(?:\s(?:for|to|of|on|at|in|we|you|i|they|fürs?|vom|von|zum|zur|im|am|pour|du|de|del|para|di|per|do|da)\s"
    r"(?:[^\n.,;:=!?]|[.](?=\S)){1,40}?|\s\([^()\n]{1,40}\)"
    r"|\s(?:nueva|nuevo|actual|temporal|nuova|nova|actuel|provisoire|temporaire)"
    r"|\s[^\n.,;:=!?]{1,40}?[,;]\s(?:it|that|this|the\snew\sone))?,?"
)
_OWNER: Final = (
    r"(?:(?:the|my|your|our|his|her|their|a|das|dein|mein|unser|ihr|le|mon|ton|votre|notre|la|mi|tu|su|il|o|minha|het|mijn)"
    r"\s)?(?:[\w-]{1,20}\s){0,2}"
)
_BE: Final = (
    r"(?:(?:is|was|has|been|should|will|be|now|got)\s){0,3}(?:set|changed|reset|updated)\sto|is|was|becomes|reads"
    r"|(?:should|will|must)\sbe|(?:which|that)\s(?:is|was)|’s|'s|ist|war|lautet|wurde\sauf|hei(?:ß|ss)t|est|c['’]est|était|sera|es|era|será|è|é"
)
_NOW: Final = (
    r"(?:(?:now|still|currently|always|actually|jetzt|nun|noch|immer|aktuell|maintenant|désormais|toujours|ahora"
    r"|todavía|siempre|adesso|ancora|sempre|agora|ainda)\s)?"
)
_EMPHASIS: Final = r"[*_]{0,3}"
_AFTER: Final = r"(?P<after>\s{1,3}[^\W\d_]+)?"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.MULTILINE)


_ASSIGNED: Final = _pattern(
    rf"{_NAME}\\{{0,7}}[\"'`]?\]?{_ABOUT}{_EMPHASIS}(?::\s?(?:str|string|SecretStr)(?=\s?=))?"
    rf"(?:,?\s{{1,12}}[\"']?value[\"']?|,[\"']value[\"'])?\s{{0,3}}(?P<sign>:=|[=-]>|={{1,3}}|!=|[:：]|→|\|)(?:{_EMPHASIS}(?=\s))?\s{{0,3}}{_WRITTEN}"
)
# On a line of its own below the one that ends with the name and a colon, in a list, a quotation or a block of code.
_BELOW: Final = _pattern(
    rf"{_NAME}{_ABOUT}(?:\s(?:{_BE})(?:\s[^\n.,;:=!?]{{1,24}})?)?{_EMPHASIS}[:：]{_EMPHASIS}"
    rf"[ \t]{{0,12}}(?:\r?\n[ \t]{{0,12}}){{1,4}}"
    rf"(?:[-*>•][ \t]{{1,3}}|`{{3}}[a-z]{{0,12}}[ \t]{{0,12}}\r?\n[ \t]{{0,12}})?{_SPOKEN_WORD}(?=[ \t]*$)"
)
_STATED: Final = _pattern(
    rf"{_NAME}{_ABOUT}(?:\s{{1,3}}(?!['’])|(?=['’])){_NOW}(?:{_BE})(?:\s{{1,3}}|\s?[:：]\s{{0,3}}){_NOW}{_SPOKEN}{_AFTER}"
)
_SET: Final = _pattern(
    rf"(?<![A-Za-z])(?:set|change[ds]?|updated?|reset|rotated?)\s{_OWNER}{_NAME}{_ABOUT}\s(?:to|as|auf|à|en|a|in)\s{_SPOKEN}"
)
_USED: Final = _pattern(
    rf"(?<!\S)(?:{_NO_MARK}[(\[{{*_¿¡-]){{0,3}}+{_SPOKEN}\s(?:(?P<as>as|als|comme|como|come)|is|was|ist|war|est|es|è|é)\s(?:for\s)?{_OWNER}{_NAME}"
)
_USE: Final = _pattern(
    r"(?:use[ds]?|using|try|enter|pick|choose|chose|take|nimm|nutze|benutze|verwende|utilise[rz]?|prends|usa|uso|toma)\s\Z"
)
_USE_REACH: Final = 12
_WITH: Final = _pattern(
    rf"(?<![A-Za-z])(?:with|and|using|mit|und|avec|et|con|y|e|com)\s{_OWNER}{_NAME}\s{_SPOKEN}{_AFTER}"
)
# Beside its name, or in apposition to it: behind a comma, a dash or a bracket.
_BESIDE: Final = _pattern(rf"{_NAME}(?:,\s|\s?[–—]\s?|\s-\s|\s\(|[ ]){_SPOKEN}{_AFTER}")
SHORTEST_BESIDE: Final = 8
"""Characters of a password that nothing announces but the word before it."""
# An address, the number of a ticket or a version, a measure with its unit.
_NAMES_SOMETHING: Final = re.compile(
    r"\S+@\S+|[A-Z]+[-_]?\d+[A-Za-z]?|\d{1,3}-?[A-Za-z]+|[A-Za-z]+[-_.]?v?\d(?:\.\d+)*|\D+"
)
# Letters and digits without a break, or longer ones of both cases with the marks of base64.
_RANDOM_RUN: Final = re.compile(
    r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9]{16,}|(?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9+/_=-]{20,}"
)
_OPTION: Final = _pattern(rf"(?<!\S)--?[a-z-]{{0,30}}{_NAME}\s(?!-){_WRITTEN}")
_FORM: Final = _pattern(rf"^[ \t]*{_NAME}(?:[ \t]*\r?\n[ \t]*|\t[ \t]*){_SPOKEN_WORD}(?=[ \t]*$)")
_ELEMENT: Final = _pattern(rf"<[\w:.-]{{0,40}}{_NAME}>\s{{0,3}}{_NO_MARK}(?P<bare>[^<>\s]{{1,1000}}+)(?=\s{{0,3}}</)")
_CALL: Final = _pattern(rf"\w\(\s?[\"'][\w.-]{{0,40}}{_NAME}[\"'],\s{{0,3}}{_QUOTED}\s?\)")
_NAME_HINT: Final = _pattern(
    rf"{NETWORK}|pass|pwd|pw|mdp|senha|kennwort|contrase|wachtwoord|key|token|secret|credential|clave"
)

_PAIR: Final = _pattern(
    r"(?P<context>(?:log(?:in|on)?|sign[ -]?in|creds?|credentials?|zugangsdaten|identifiants?|credenciales)"
    r"(?:\s(?:is|are|as|with|to\s\S{1,40}|for\s\S{1,40}|sind|sont|son))?\s?:?\s)?(?<![A-Za-z0-9_/.@-])"
    r"(?:[\w.+-]{1,40}@[\w-]{1,40}\.[\w.-]{2,20}|admin(?:istrator)?|root|sysadmin|superuser|postgres|sa|user|guest|test|demo)"
    rf"(?P<gap>\s{{0,2}})[/|:](?P=gap){_SPOKEN}"
)
# Who or what stands beside an administrator without being his password: "admin / editor", "admin / login".
_ROLE: Final = _pattern(
    r"(?:user|username|owner|editor|viewer|member|guest|reader|writer|manager|operator|moderator|staff|tester|test|group|role"
    r"|login|password|page|panel|root|superuser)s?\d*"
)
_PIN: Final = _pattern(
    r"(?<![A-Za-z])pin(?:[ -]?code|[ -]?number)?(?:\s(?:is|was|ist|lautet|est|es|è|é)\s(?:now\s)?|\s?[:=]\s?)"
    r"(?P<value>\d{4,8})(?![A-Za-z0-9])"
)
# Right beside the name, where it is written as one: pins, boards and postal codes of six digits are no secret.
_PIN_BESIDE: Final = re.compile(
    r"(?<![A-Za-z])(?:PIN|[Pp]in[ -]?code|[Pp]in number)\s(?P<value>\d{4,5})(?![\w-]|[.,]\d)"
)
_CONNECTION_FIELD: Final = _pattern(
    rf"(?:(?<=;)|(?<=;\s)|(?<![A-Za-z;])(?=[a-z]{{1,12}}=[^;=\n]{{1,128}};\s?[a-z][a-z ]{{1,30}}=))(?:password|pwd)="
    rf"{_NO_MARK}(?P<value>[^;=\"'\n\s](?:[^;=\"'\n]|;(?!\s|\Z|[\w .-]{{1,40}}=)){{0,127}})(?=;|\s*\Z|[\"'])"
)
_PHRASE: Final = _pattern(
    r"(?:(?:seed|recovery|mnemonic|secret|backup)[ _-]?phrase|mnemonic|passphrase)(?:\sis\s?:?|\s?[:=])\s{0,2}[\"'“]?"
    r"(?P<value>(?:[a-z]{3,10}\s){3,23}[a-z]{3,10})(?![a-z])"
)
_PHRASE_HINT: Final = _pattern("phrase|mnemonic")

_LOGIN: Final = _pattern(
    rf"(?<![A-Za-z])(?:user(?:name)?|log[ _-]?in|account|e?mail|usr|host|server|{NETWORK}|ssid|admin|root)(?![A-Za-z])"
)
_LOGIN_REACH: Final = 60
_OF_A_SYSTEM: Final = _pattern(rf"(?:{SYSTEMS})[_-]?\Z")
# Code that computes or passes on a password holds none: `form["password"]`, `hash(password)`.
_EXPRESSION: Final = re.compile(
    r"=.*|\[.*|&?[A-Za-z_][\w.]*[(\[].*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[:@]?(?:(?!password)[a-z_])*+password\w*+",
    re.DOTALL,
)
_REMARK_GOES_ON: Final = _pattern(r"[.,]? [^\W_]+(?!\s?[:=]|[^\W_])")
_NEXT_CLAUSE: Final = frozenset(
    {"", "and", "but", "so", "und", "aber", "et", "mais", "y", "pero", "e", "ma", "mas", "en", "maar"}
)
_VERBS: Final = frozenset(
    {"is", "was", "works", "worked", "will", "has", "had", "does", "did", "can", "should", "must", "stopped", "stays",
     "hangs", "ist", "war", "wird", "hat", "gilt", "geht", "funktioniert", "est", "était", "marche", "fonctionne",
     "es", "era", "funciona", "è", "funziona", "é", "werkt"}
)  # fmt: skip
_PREPOSITIONS: Final = frozenset(
    {"on", "at", "for", "to", "in", "from", "then", "if", "when", "or", "as", "auf", "an", "für", "pour", "para"}
)
_NO_NOUN: Final = _NEXT_CLAUSE | _VERBS | _PREPOSITIONS


def passwords(text: str) -> Iterator[Secret]:
    """Values that are assigned, stated, set, used or paired with a login, in prose, code and configuration."""
    rules = [*(_NAMED if _NAME_HINT.search(text) else ()), *_PAIRED]
    found = [_secret(match) for pattern, tells in rules for match in pattern.finditer(text) if tells(match)]
    yield from sorted(found, key=lambda secret: (secret.start, -secret.end))


def connection_fields(text: str) -> Iterator[Secret]:
    """Passwords of connection strings, which end at a semicolon and may hold blanks."""
    if ";" in text:
        for match in _CONNECTION_FIELD.finditer(text):
            if not is_placeholder(match["value"]):
                yield Secret(*match.span("value"), "password")


def pins(text: str) -> Iterator[Secret]:
    """Four to eight digits that a text calls a PIN."""
    found = [match.span("value") for pattern in (_PIN, _PIN_BESIDE) for match in pattern.finditer(text)]
    yield from (Secret(*span, "password") for span in sorted(found))


def phrases(text: str) -> Iterator[Secret]:
    """Four to twenty-four words that a text calls a seed or recovery phrase."""
    if _PHRASE_HINT.search(text):
        for match in _PHRASE.finditer(text):
            if GRAMMAR_WORDS.isdisjoint(match["value"].casefold().split()):
                yield Secret(*match.span("value"), "password")


def _secret(match: re.Match[str]) -> Secret:
    groups = match.groupdict()
    start = match.start(_group(match))
    is_token = groups.get("key") or groups.get("token")
    return Secret(start, start + len(_value(match)), "token" if is_token else "password")


def _group(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return next(group for group in _VALUES if groups.get(group) is not None)


def _is_quoted(match: re.Match[str]) -> bool:
    return _group(match) != "bare"


def _value(match: re.Match[str]) -> str:
    value = str(match[_group(match)])
    return value if _is_quoted(match) else value.rstrip(CLOSERS) or value


def _meaning(match: re.Match[str]) -> Means:
    if match["strong"] or match["short"]:
        return Means.PASSWORD
    return Means.PASS if match["pass"] else Means.KEY if match["key"] else Means.TOKEN


def _is_small_number(value: str) -> bool:
    return value.isdigit() and len(value) < 4


def _is_long_number(value: str) -> bool:
    return value.isdigit() and len(value) >= SHORTEST_BESIDE


def _following(match: re.Match[str]) -> str:
    return (match["after"] or "").strip().casefold()


def _is_assigned(match: re.Match[str]) -> bool:
    value = _value(match)
    if is_placeholder(value) or (not _is_quoted(match) and (_is_code(match) or _is_next_field(match))):
        return False
    match _meaning(match):
        case Means.PASSWORD if match["sign"] != "|":
            return _is_quoted(match) or "=" in match["sign"] or not _begins_remark(match, value)
        case Means.PASS if _is_of_login(match) and (not value.isdigit() or _is_long_number(value)):
            return looks_like(Means.PASS, value) or not is_remark(value)
        case meaning:
            return looks_like(meaning, value)


def _is_of_login(match: re.Match[str]) -> bool:
    """Whether the name belongs to a login: SMTP_PASS, or "user: bob" just before."""
    before = match.string[max(0, match.start() - _LOGIN_REACH) : match.start()]
    return bool(_OF_A_SYSTEM.search(before) or _LOGIN.search(before))


def _is_next_field(match: re.Match[str]) -> bool:
    """Whether the value is the name of the field on the next line of a form that is not filled in."""
    return "\n" in match.string[match.end("sign") : match.start("bare")] and match["bare"].endswith((":", "："))


def _begins_remark(match: re.Match[str], value: str) -> bool:
    """Whether the value is the first word of a remark: "password: must have 12 characters"."""
    goes_on = _REMARK_GOES_ON.match(match.string, match.start("bare") + len(value))
    return is_remark(value) or (bool(goes_on) and (is_word(value) or _is_small_number(value)))


def _is_code(match: re.Match[str]) -> bool:
    is_argument = match["bare"].isidentifier() and match.string[match.end() : match.end() + 1] in {")", ","}
    return is_argument or bool(_EXPRESSION.fullmatch(match["bare"]))


def _is_stated(match: re.Match[str]) -> bool:
    value, meaning = _value(match), _meaning(match)
    if is_placeholder(value) or _is_small_number(value):
        return False
    if _is_quoted(match):
        return meaning in {Means.PASSWORD, Means.PASS} or looks_like(meaning, value)
    if is_remark(value) or is_reference(value):
        return False
    is_prose = is_word(value) and value[1:].islower() and _following(match) not in _NEXT_CLAUSE
    if meaning is Means.PASS and _is_of_login(match) and _is_long_number(value):
        return True
    return looks_like(meaning, value) if meaning is not Means.PASSWORD else not is_prose


def _is_told(match: re.Match[str]) -> bool:
    """Whether the value shows by itself that it is one, or is quoted behind "password"."""
    value, meaning = _value(match), _meaning(match)
    if is_placeholder(value) or _is_small_number(value):
        return False
    return looks_like(meaning, value) or (_is_quoted(match) and meaning is Means.PASSWORD)


def _is_used(match: re.Match[str]) -> bool:
    """Whether it is told, or a word in "use swordfish as the password"; "email is the password" tells none."""
    value = _value(match)
    is_use = match["as"] and _USE.search(match.string, max(0, match.start() - _USE_REACH), match.start())
    if is_use and _meaning(match) is Means.PASSWORD:
        return not is_placeholder(value) and not is_remark(value)
    return _is_told(match)


def _is_attached(match: re.Match[str]) -> bool:
    """Whether it is told and no noun follows: "with password SHA256 hashing" tells none."""
    return _is_told(match) and _following(match) in _NO_NOUN


def _is_beside(match: re.Match[str]) -> bool:
    """Whether the value is written as no name, code or measure is, for nothing but its place says what it is: "password
    bluewhale42" tells one, "password SHA256" and "boarding pass LH4821" none.
    """
    value, meaning = _value(match), _meaning(match)
    if not _is_attached(match) or (meaning is Means.PASS and not _is_of_login(match)):
        return False
    if meaning in {Means.PASSWORD, Means.PASS}:
        return len(value) >= SHORTEST_BESIDE and not _NAMES_SOMETHING.fullmatch(value)
    return bool(_RANDOM_RUN.fullmatch(value))


def _is_given(match: re.Match[str]) -> bool:
    """Whether any value in this place is one, such as the argument of `--password`."""
    value, meaning = _value(match), _meaning(match)
    return not is_placeholder(value) and (meaning in {Means.PASSWORD, Means.PASS} or looks_like(meaning, value))


def _is_argument(match: re.Match[str]) -> bool:
    return looks_like(_meaning(match), _value(match))


def _is_paired(match: re.Match[str]) -> bool:
    value = _value(match)
    is_other = is_placeholder(value) or is_measure(value) or is_reference(value) or is_remark(value) or "/" in value
    if is_other or _ROLE.fullmatch(value):
        return False
    return bool(match["context"]) or (bool(match["gap"]) and looks_secret(value, shortest=6))


_NAMED: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...]] = (
    (_ASSIGNED, _is_assigned),
    (_BELOW, _is_told),
    (_STATED, _is_stated),
    (_SET, _is_told),
    (_USED, _is_used),
    (_WITH, _is_attached),
    (_BESIDE, _is_beside),
    (_FORM, _is_told),
    (_ELEMENT, _is_given),
    (_OPTION, _is_given),
    (_CALL, _is_argument),
)
_PAIRED: Final = ((_PAIR, _is_paired),)
