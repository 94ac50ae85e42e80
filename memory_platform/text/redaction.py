"""Secrets are taken out of what enters, before it is stored, hashed or indexed.

The rules are in `secret_tokens` (known shapes), `passwords` and `foreign_passwords` (what a text calls a secret),
`secret_columns` (values that a table's heading calls one) and `account_numbers` (checked numbers); those of
detect-secrets stand beside them. Every pattern is bounded or anchored at a token's start, so time grows with the length
of the text whatever it holds.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from memory_platform.errors import Invalid
from memory_platform.text import (
    _detect_secrets,
    account_numbers,
    foreign_passwords,
    passwords,
    secret_columns,
    secret_keys,
    secret_tokens,
)
from memory_platform.text.secret import MARK, Finder, Secret
from memory_platform.text.secret_words import Means

JsonValue: TypeAlias = "Mapping[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"

MAXIMUM_DEPTH: Final = 64
"""Levels of lists and mappings in a JSON value; what people and tools nest stays below 20."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """`text` with each secret replaced by `[redacted:kind]`; `kinds` names what was removed, sorted, each once."""

    text: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RedactedJson:
    """`value` as it was given, with a mark for each secret; `kinds` names what was removed, sorted, each once."""

    value: JsonValue
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _JsonPlace:
    """Where a JSON value lies: under which key, what that says, how deep, and behind which words of a header."""

    key: str = ""
    meaning: Means | None = None
    depth: int = 0
    header: str = ""


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
    """Redact every string of a JSON value, keys included, and what a key announces: passwords, PINs, tokens.

    A number that is a secret becomes a mark. Raises Invalid for what is nested deeper than MAXIMUM_DEPTH.
    """
    kinds: set[str] = set()
    cleaned = _json(value, _JsonPlace(), kinds)
    return RedactedJson(value=cleaned, kinds=tuple(sorted(kinds)))


def require_depth(depth: int) -> None:
    """Raises Invalid for a level deeper than MAXIMUM_DEPTH."""
    if depth > MAXIMUM_DEPTH:
        raise Invalid(f"A JSON value is nested more than {MAXIMUM_DEPTH} levels deep; flatten it.")


def distinct_keys(names: Iterable[str]) -> Iterator[str]:
    """The names in their order, numbered where one is taken: keys that differed before stay apart."""
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    for name in names:
        unique = name
        while unique in taken:
            numbers[name] += 1
            unique = f"{name} {numbers[name] + 1}"
        taken.add(unique)
        yield unique


def _replace(text: str, find: Finder, kinds: set[str]) -> str:
    parts: list[str] = []
    done = 0
    for secret in _with_whole_numbers(text, list(find(text))):
        if secret.start < done:
            continue
        parts += [text[done : secret.start], f"{MARK}{secret.kind}]"]
        kinds.add(secret.kind)
        done = secret.end
    return "".join([*parts, text[done:]]) if parts else text


def _with_whole_numbers(text: str, found: Sequence[Secret]) -> Iterator[Secret]:
    """What ends inside a number that is written in groups ends behind it: "password: 4111 1111 1111 1111"."""
    if not found:
        return
    numbers = sorted((one for find in _NUMBERS for one in find(text)), key=lambda one: one.start)
    starts = [one.start for one in numbers]
    for secret in found:
        last = bisect_left(starts, secret.end) - 1
        yield replace(secret, end=max(secret.end, numbers[last].end)) if last >= 0 else secret


def _json(value: JsonValue, place: _JsonPlace, kinds: set[str]) -> JsonValue:
    if isinstance(value, str):
        return _string(value, place, kinds)
    if isinstance(value, Mapping):
        require_depth(place.depth + 1)
        return _mapping(value, place, kinds)
    if isinstance(value, list):
        require_depth(place.depth + 1)
        return _list(value, replace(place, depth=place.depth + 1), kinds)
    return _number(value, place, kinds) if isinstance(value, int) and not isinstance(value, bool) else value


def _list(value: list[JsonValue], place: _JsonPlace, kinds: set[str]) -> list[JsonValue]:
    """What stands behind an option, as in the arguments of a command, is what the option says."""
    before = [None, *value]
    return [
        _json(inner, replace(place, meaning=secret_keys.meaning_of_option(option) or place.meaning), kinds)
        for option, inner in zip(before, value, strict=False)
    ]


def _mapping(value: Mapping[str, JsonValue], place: _JsonPlace, kinds: set[str]) -> dict[str, JsonValue]:
    surroundings = secret_keys.Surroundings.of(value, inherited=place.meaning)
    cleaned = [_string(key, _JsonPlace(), kinds) for key in value]
    return {
        name: _json(inner, _place(name, surroundings, place.depth + 1), kinds)
        for name, inner in zip(distinct_keys(cleaned), value.values(), strict=True)
    }


def _place(key: str, surroundings: secret_keys.Surroundings, depth: int) -> _JsonPlace:
    meaning = secret_keys.meaning_in(key, surroundings)
    return _JsonPlace(key, meaning, depth, secret_keys.header_before(key, surroundings))


def _string(value: str, place: _JsonPlace, kinds: set[str]) -> str:
    if value.startswith(MARK) or (place.meaning is None and value.isdecimal() and secret_keys.counts(place.key)):
        return value
    if place.meaning and secret_keys.is_secret_text(place.meaning, value):
        return _mark(place.meaning, kinds)
    cleaned = redact(place.header + value)
    kinds.update(cleaned.kinds)
    return cleaned.text.removeprefix(place.header)


def _number(value: int, place: _JsonPlace, kinds: set[str]) -> JsonValue:
    if place.meaning and secret_keys.is_secret_number(place.meaning, value):
        return _mark(place.meaning, kinds)
    if account_numbers.is_card_number(str(value)) and not secret_keys.counts(place.key):
        kinds.add("card")
        return f"{MARK}card]"
    return value


def _mark(meaning: Means, kinds: set[str]) -> str:
    kind = secret_keys.KIND_OF_MEANING[meaning]
    kinds.add(kind)
    return f"{MARK}{kind}]"


_NUMBERS: Final[tuple[Finder, ...]] = (account_numbers.ibans, account_numbers.cards)
_FINDERS: Final[tuple[Finder, ...]] = (
    secret_tokens.private_keys,
    secret_columns.columns,
    secret_tokens.webhooks,
    secret_tokens.url_passwords,
    secret_tokens.url_tokens,
    secret_tokens.vendor_tokens,
    secret_tokens.headers,
    secret_tokens.cookies,
    secret_tokens.signatures,
    secret_tokens.command_passwords,
    passwords.connection_fields,
    passwords.passwords,
    foreign_passwords.passwords,
    passwords.phrases,
    passwords.pins,
    account_numbers.named_social_security_numbers,
    account_numbers.social_security_numbers,
    account_numbers.bank_accounts,
    account_numbers.ibans,
    account_numbers.cards,
    _detect_secrets.service_keys,
)
