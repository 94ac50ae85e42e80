"""What the keys of a JSON value say about the values they hold."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memory_platform.text.account_numbers import is_account_number, names_no_card
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
    Means.BANK_ACCOUNT: "bank_account",
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
_NUMBER: Final = "(?: ?(?:number|num|no|nr))?"
_BANK: Final = re.compile(rf"sort ?code|(?:routing|aba|bsb){_NUMBER}|blz|bankleitzahl")
_ACCOUNT: Final = re.compile(rf"(?:account|acct?|konto){_NUMBER}|kontonummer")
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
    login is among them, whether it is of an account at a bank, and what the mapping's own key says.
    """

    label: str = ""
    names_login: bool = False
    is_bank_account: bool = False
    inherited: Means | None = None

    @classmethod
    def of(cls, mapping: Mapping[str, object], *, inherited: Means | None = None) -> "Surroundings":
        return cls(_label(mapping), _names_login(mapping), holds_bank_account(mapping), inherited)

    @classmethod
    def of_headings(cls, names: Sequence[str]) -> "Surroundings":
        """What the headings of a table tell of one another, whatever stands below them."""
        return cls(names_login=_names_login(names), is_bank_account=_name_bank_account(names))


def meaning_of(key: str) -> Means | None:
    """What `key` says about its value, None if nothing."""
    words = _words(key)
    while len(words) > 1 and words[-1] in _VALUE:
        words = words[:-1]
    if _ASKING.intersection(words[:-1]):
        return None
    if _HEADER.fullmatch(" ".join(words)):
        return Means.HEADER
    return next((meaning for name, meaning in _MEANINGS if _ends_with(words, name)), None)


def meaning_of_option(word: object) -> Means | None:
    """What an option of a command, such as `--password`, says about the word behind it."""
    return meaning_of(word) if isinstance(word, str) and _OPTION.fullmatch(word) else None


def meaning_in(key: str, surroundings: Surroundings) -> Means | None:
    """What `key` says about its value where it stands.

    `{"password": {"value": …}}` and `{"name": "DB_PASSWORD", "value": …}` name a secret beside or above it; a `pass`
    beside a user is a password; an account's number is a customer's, unless its bank's stands beside it.
    """
    if _only_announces(key):
        return meaning_of(surroundings.label) or surroundings.inherited or meaning_of(key)
    if surroundings.is_bank_account and (_names(key, _BANK) or _names(key, _ACCOUNT)):
        return Means.BANK_ACCOUNT
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
    if meaning is Means.BANK_ACCOUNT:
        # A number has lost the zeros that it began with.
        return value >= 1000 and is_account_number(f"{value:06}")
    return meaning in {Means.PIN, Means.CARD_CODE} and looks_like(meaning, str(value))


def holds_bank_account(mapping: Mapping[str, object]) -> bool:
    """Whether there are the numbers of an account and of its bank, the latter of which is public alone."""
    return _name_bank_account([key for key, value in mapping.items() if _is_account_number(value)])


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


def _name_bank_account(keys: Sequence[str]) -> bool:
    return any(_names(key, _BANK) for key in keys) and any(_names(key, _ACCOUNT) for key in keys)


def _is_account_number(value: object) -> bool:
    if isinstance(value, str):
        return is_account_number(value)
    return isinstance(value, int) and is_secret_number(Means.BANK_ACCOUNT, value)


def _names(key: str, name: re.Pattern[str]) -> bool:
    return _ends_with(_words(key), name)


def _ends_with(words: Sequence[str], name: re.Pattern[str]) -> bool:
    return any(name.fullmatch(" ".join(words[-length:])) for length in range(_LONGEST_NAME, 0, -1))


def _is_short_key(value: str) -> bool:
    """One word that is no remark and no reference: "shh", "abc-1"."""
    is_one = len(value) >= 3 and not re.search(r"\s", value)
    return is_one and not is_reference(value) and value.casefold() not in _REFUSED
