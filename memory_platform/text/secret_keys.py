"""What the keys of a JSON value say about the values they hold."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from memory_platform.text.account_numbers import names_no_card
from memory_platform.text.passwords import SYSTEMS
from memory_platform.text.secret import MARK
from memory_platform.text.secret_languages import NAMES
from memory_platform.text.secret_words import Means, is_placeholder, is_reference, is_sentence, looks_like, looks_secret

_LONGEST: Final = 100
# What stands for a secret announces none.
_MARKED: Final = re.compile(re.escape(MARK) + r"\w{1,20}\]")
_WORD: Final = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")

KIND_OF_MEANING: Final = {
    Means.PASSWORD: "password",
    Means.PASS: "password",
    Means.PIN: "password",
    Means.KEY: "token",
    Means.TOKEN: "token",
    Means.HEADER: "token",
    Means.CARD_CODE: "card",
}
"""What stands in the mark of a secret that a name of this meaning announces."""

_PASSWORD: Final = re.compile(
    r".*(?:passwords?|passwd|passphrase|mnemonic|passcode|passwort|passwörter|kennwort|contrase[ñn]a|wachtwoord)|pwd|pw|mdp|senha"
    r"|mot de passe"
)
_KEY: Final = re.compile(
    r"secrets?|credentials?|creds|apikeys?|(?:api|access|auth|secret|private|client|account|encryption|signing|master|refresh"
    r"|service|storage|webhook|bot|deploy|oauth|hmac|shared|consumer|application|app|license|db|database|session|bearer|jwt"
    r"|ssh|gpg|pgp) (?:keys?|tokens?|clave)"
)
_MEANINGS: Final = (
    (_PASSWORD, Means.PASSWORD),
    (re.compile(rf"(?:{SYSTEMS}) pass"), Means.PASSWORD),
    # In some of these languages the word is that of a slogan or a dictionary's entry, too.
    (re.compile(rf"pass|.*(?:{NAMES})"), Means.PASS),
    (_KEY, Means.KEY),
    (re.compile("tokens?|clave"), Means.TOKEN),
    (re.compile("pins?|pincode|pin (?:code|number)|t?otp|one time (?:code|pass)"), Means.PIN),
    (re.compile("cvv|cvc|csc"), Means.CARD_CODE),
)
_OPTION: Final = re.compile(r"--?(?!no-)[A-Za-z][\w-]{0,60}")
_HEADER: Final = re.compile("(?:set )?cookies?|(?:proxy )?authorization")
_LONGEST_NAME: Final = 3
# What asks whether there is a secret, or how it has to be, does not hold it.
_ASKING: Final = frozenset(
    {
        "has",
        "is",
        "have",
        "needs",
        "requires",
        "require",
        "show",
        "hide",
        "allow",
        "enable",
        "min",
        "max",
        "forgot",
        "public",
    }
)
_VALUE: Final = frozenset(
    {"value", "val", "values", "text", "plain", "plaintext", "raw", "new", "old", "current", "previous", "confirm",
     "confirmation", "repeat", "again", "data"}
)  # fmt: skip
_BARE_NAME: Final = frozenset({("key",), ("token",), ("secret",)})
_LABEL: Final = ("name", "key", "field", "variable", "env", "parameter", "label")
_LOGIN: Final = frozenset(
    {"user", "username", "login", "email", "account", "usr", "host", "hostname", "server", "ssid", "wifi"}
)
_REFUSED: Final = frozenset({"invalid", "missing", "incorrect", "wrong", "unset", "empty", "blank"})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the keys of a mapping tell of one another, read once for all of them: the name it gives itself, whether a
    login is among them, and what the mapping's own key says.
    """

    label: str = ""
    names_login: bool = False
    inherited: Means | None = None

    @classmethod
    def of(cls, mapping: Mapping[str, object], *, inherited: Means | None = None) -> "Surroundings":
        return cls(_label(mapping), _names_login(mapping), inherited)


def meaning_of(key: str) -> Means | None:
    """What `key` says about its value, None if nothing."""
    words = _words(key)
    while len(words) > 1 and words[-1] in _VALUE:
        words = words[:-1]
    if _ASKING.intersection(words[:-1]):
        return None
    if _HEADER.fullmatch(" ".join(words)):
        return Means.HEADER
    ends = [" ".join(words[-length:]) for length in range(_LONGEST_NAME, 0, -1)]
    return next((meaning for name, meaning in _MEANINGS for end in ends if name.fullmatch(end)), None)


def meaning_of_option(word: object) -> Means | None:
    """What an option of a command, such as `--password`, says about the word behind it."""
    return meaning_of(word) if isinstance(word, str) and _OPTION.fullmatch(word) else None


def meaning_in(key: str, surroundings: Surroundings) -> Means | None:
    """What `key` says about its value where it stands.

    `{"password": {"value": …}}` and `{"name": "DB_PASSWORD", "value": …}` name a secret beside or above it; a `pass`
    beside a user is a password.
    """
    if _only_announces(key):
        return meaning_of(surroundings.label) or surroundings.inherited or meaning_of(key)
    own = meaning_of(key)
    return Means.PASSWORD if own is Means.PASS and surroundings.names_login else own


def header_before(key: str, surroundings: Surroundings) -> str:
    """What stands before the value in the HTTP header that it is of; empty: of none. Cookies may come as a mapping of
    their names, or each with its name beside its value.
    """
    if surroundings.inherited is Means.HEADER:
        return f"Cookie: {surroundings.label if _only_announces(key) else key}="
    return f"{key}: " if meaning_of(key) is Means.HEADER else ""


def counts(key: str) -> bool:
    """Whether `key` names orders, parcels, devices or rows, whose numbers pass for cards."""
    words = _words(key)
    return words[-1:] in {("id",), ("ids",)} or names_no_card(" ".join(words))


def is_secret_text(meaning: Means, value: str) -> bool:
    """Whether `value` is the secret that a key of this meaning announces."""
    if is_placeholder(value):
        return False
    match meaning:
        case Means.PASSWORD:
            return value.casefold() not in _REFUSED and not is_sentence(value)
        case Means.KEY:
            return looks_secret(value) or _is_short_key(value)
        case Means.PASS:
            return looks_secret(value, shortest=5)
        case Means.HEADER:
            return False
        case _:
            return looks_like(meaning, value)


def is_secret_number(meaning: Means, value: int) -> bool:
    """Whether `value` is the secret that a key of this meaning announces; a token that is a number is a count."""
    if meaning in {Means.PASSWORD, Means.KEY}:
        return abs(value) >= 1000
    return meaning in {Means.PIN, Means.CARD_CODE} and looks_like(meaning, str(value))


def _words(key: str) -> tuple[str, ...]:
    """`dbPass`, `DB_PASS` and `db.pass2` as ("db", "pass")."""
    return tuple(word.casefold() for word in _WORD.findall(_MARKED.sub("", key)[-_LONGEST:]))


def _only_announces(key: str) -> bool:
    words = _words(key)
    return bool(words) and (_VALUE.issuperset(words) or words in _BARE_NAME)


def _label(siblings: Mapping[str, object]) -> str:
    return next((text for key, text in siblings.items() if key in _LABEL and isinstance(text, str)), "")


def _names_login(keys: Iterable[str]) -> bool:
    return any(_LOGIN.intersection(_words(key)) for key in keys)


def _is_short_key(value: str) -> bool:
    """One word that is no remark and no reference: "shh", "abc-1"."""
    is_one = len(value) >= 3 and not re.search(r"\s", value)
    return is_one and not is_reference(value) and value.casefold() not in _REFUSED
