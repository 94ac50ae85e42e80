"""The words around secrets: what names one, and whether the value that follows can be one.

Names, verbs and remarks are those of English, German, French, Spanish, Italian, Portuguese and Dutch.
"""

import re
from enum import Enum
from typing import Final

from memory_platform.text.account_numbers import is_account_number


class Means(Enum):
    """What a name says about the value that follows it."""

    PASSWORD = "a password"  # noqa: S105 - anything but a placeholder or a remark about it
    PASS = "perhaps a password"  # noqa: S105 - if it looks like one, or beside a login: a test passes, too
    KEY = "a key"  # "api key", "client secret": random, however short
    TOKEN = "perhaps a token"  # noqa: S105 - "token", "secret": random and long; texts are made of tokens
    PIN = "four to eight digits"
    CARD_CODE = "three or four digits"
    BANK_ACCOUNT = "digits of an account, or of its bank"
    HEADER = "what an HTTP header of that name holds"


NETWORK: Final = r"(?:wi-?fi|wlan|hotspot)"
"""What one gets into with a key or a code that is a password."""
STRONG: Final = (
    rf"{NETWORK}[ -]?(?:key|schlüssel)|(?:clé|code)(?:\sdu)?\s{NETWORK}"
    r"|password|passwd|passphrase|passcode|passwort|kennwort|contrase(?:ñ|n|n\u0303)a|mot[ _-]de[ _-]passe|motdepasse"
    r"|wachtwoord"
)
SHORT: Final = r"pwd|pw|mdp|senha"
QUALIFIED: Final = (
    r"(?:api|access|auth|secret|private|client|account|encryption|signing|master|refresh|service|storage|webhook|bot"
    r"|deploy|oauth|hmac|network|router|shared[ _-]?access|consumer|application|license|db|database"
    r"|(?<![A-Za-z])(?:session|bearer|jwt|app))[ _-]?(?:key|token|secret)|apikey"
)
PLAIN: Final = r"secret|token|credentials?|clave"

CLOSERS: Final = ".!?:,;)]}>…"
"""What ends a sentence or a bracket rather than a password."""
_OPENERS: Final = "¿¡([{<*-"

# Of a masked secret no more than its first six characters are shown: "sk-12…".
_PLACEHOLDER: Final = re.compile(
    r".{0,6}(?:\.{3}|…).*|.*\*{3}.*|\$(?:[{(].*|[A-Z_][A-Z0-9_]*|[a-z_]+)|%(?:[sdr]|\(.*|\w+%)|[{<(\[].*|[*•·_.…-]+"
    r"|[^\w\s]{1,3}|(?i:x{3,}|(?:os|process|env|settings|self|config)\..*|getenv.*|your(?:[_ -].*|[a-z]*)|my|none|null"
    r"|nil|true|false|yes|no|undefined|unknown|str|string|secretstr|int|bytes|varchar|optional|required|redacted|hidden|n/a|tbd|todo)",
    re.DOTALL,
)
# Where a secret lies, not what it is: an address, a path, a file, the name of a variable, a date.
_REFERENCE: Final = re.compile(
    r"\w{2,12}://.*|arn:.*|~?\.{0,2}/.*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\d{4}-\d\d-\d\d(?:T.*)?|[\w./-]+\.(?:txt|md|py|js|ts"
    r"|json|ya?ml|env|toml|ini|cfg|conf|pem|crt|sh|sql|csv|html?|xml|go|rs|java|rb|php|log|kdbx)",
    re.DOTALL,
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+){0,2}")
_MEASURE: Final = re.compile(r"[\d.,/:%]+[A-Za-z%°]{0,3}")

_GRAMMAR_WORDS: Final = """
    a an the not no too very so still now also always never being been only just even same in on at for from with by
    of to out up down here there what something nothing anything everything about that this it these those both each my
    your his her our their what's why how when where who whose which must should may might can cannot could will would
    shall has have had does do did is are was
    ein eine der die das den dem des im am zu nicht kein keine noch schon immer sehr nur da hier dort jetzt muss soll
    wird unter bei
    le les un une des du au aux pas plus trop très déjà toujours dans sur chez ici là encore
    el los las una unos muy demasiado ya aún siempre en aquí ahí allí todavía la lo al del
    il gli uno non molto troppo già sempre nel os as um uma não muito na
"""
# What a sentence says about a password without telling it.
_REMARKS: Final = """
    wrong incorrect right correct weak strong long short old new different expired expiring invalid valid missing
    going getting required needed optional safe secure insecure stored saved hashed encrypted leaked lost forgotten
    changed reset set unset empty blank gone hidden easy hard difficult simple complex complicated mandatory shared
    protected public private unknown known rejected accepted working broken written kept good bad fine ok okay ready
    done sent given used unused unique random rotated revoked important one see ask check look use enter type choose
    longer shorter stronger weaker safer better worse simpler pick send tell below above attached default temporary
    plain plaintext numeric text characters letters digits
    falsch richtig kurz lang alt neu weg leer schwach stark sicher unsicher geheim abgelaufen vergessen gleich
    faux court vieux nouveau faible fort bon mauvais sûr perdu obligatoire
    corta larga vieja nueva débil fuerte buena mala segura obligatoria igual correcta incorrecta
    lungo vecchio nuovo debole forte sicuro fraca curta
"""
GRAMMAR_WORDS: Final = frozenset(_GRAMMAR_WORDS.split())
_REMARK_WORDS: Final = GRAMMAR_WORDS | frozenset(_REMARKS.split())
# Adjectives and participles tell of a password: "ridiculous", "kompliziert", "oublié", "olvidada".
_REMARK_ENDING: Final = re.compile(
    r".{2,}(?:ed|ing|able|ible|ous|ful|less|ive|ical|ional|iert|lich|isch|haft|é|ée|és|eux|euse|ique"
    r"|ad[oa]|id[oa]|os[oa]|at[oa]|ito)|(?:ge|ver|be|ent|zer|er)[^\W\d_]{3,}(?:t|en)"
)


def is_placeholder(value: str) -> bool:
    """Whether `value` stands for a secret, is computed, masked, or says that there is none."""
    return not value or bool(_PLACEHOLDER.fullmatch(value))


def is_reference(value: str) -> bool:
    """Whether `value` is an address, a path, a date or the name of a variable."""
    return bool(_REFERENCE.fullmatch(value))


def is_word(value: str) -> bool:
    """Whether `value` is letters, with at most two hyphens or apostrophes between them."""
    return bool(_WORD.fullmatch(value))


def is_measure(value: str) -> bool:
    """Whether `value` is a number, a time or a share, perhaps with a unit."""
    return bool(_MEASURE.fullmatch(value))


def is_remark(value: str) -> bool:
    """Whether the word `value` says something about a password: "wrong", "well-known", "kompliziert"."""
    if not is_word(value):
        return False
    parts = value.casefold().split("-")
    return not _REMARK_WORDS.isdisjoint(parts) or bool(_REMARK_ENDING.fullmatch(parts[-1]))


def is_sentence(value: str) -> bool:
    """Whether `value` says something about a password: "must be changed", "This field is required."."""
    words = value.split()
    return len(words) > 1 and (words[0].casefold() in _REMARK_WORDS or (len(words) > 2 and value.endswith((".", "!"))))


def looks_secret(value: str, *, shortest: int = 8) -> bool:
    """Whether `value` is what people call a key or token and write down: with letters and digits, or very long.

    What has blanks, stands for another value or says where it lies is none.
    """
    if re.search(r"\s", value) or is_placeholder(value) or is_reference(value):
        return False
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return (is_mixed and len(value) >= shortest) or (len(value) >= 24 and not re.search(r"[_-]", value))


def looks_like(meaning: Means, value: str) -> bool:
    """Whether `value` looks like what a name of this meaning holds, told by nothing but its characters."""
    match meaning:
        case Means.PASSWORD | Means.PASS:
            return not is_measure(value) and not is_reference(value) and _is_unlike_words(value)
        case Means.KEY:
            return looks_secret(value, shortest=5)
        case Means.TOKEN | Means.HEADER:
            return looks_secret(value)
        case Means.PIN:
            return value.isdecimal() and 4 <= len(value) <= 8
        case Means.CARD_CODE:
            return value.isdecimal() and 3 <= len(value) <= 4
        case Means.BANK_ACCOUNT:
            return is_account_number(value)


def _is_unlike_words(value: str) -> bool:
    is_one = len(value) >= 4 and not re.search(r"\s", value) and not is_word(value) and not is_placeholder(value)
    has_letters = any(map(str.isalpha, value))
    return is_one and has_letters and any(not character.isalpha() for character in value.strip(CLOSERS + _OPENERS))
