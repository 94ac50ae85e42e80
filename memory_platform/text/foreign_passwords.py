"""Passwords that a text tells in one of the languages of `secret_languages`: "hasło to Zebra77", "密码是Zebra77".

No remarks of these languages are known ("wrong", "expired"): a plain word behind the name may be one, and stays.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memory_platform.text.secret import MARK, Secret
from memory_platform.text.secret_languages import LANGUAGES, PasswordWords
from memory_platform.text.secret_words import (
    CLOSERS,
    Means,
    is_placeholder,
    is_remark,
    looks_like,
    looks_secret,
)

_QUOTES: Final = "\"'`“”„«»‚‘’「」『』"
_CLOSERS: Final = CLOSERS + "。！？，；、）"
_NO_MARK: Final = rf"(?!{re.escape(MARK)})"
_START: Final = rf"[{_QUOTES}]?{_NO_MARK}"
_WORD: Final = rf"{_START}(?P<value>[^\s{_QUOTES}]++)(?!['’]\w)"
_SIGN: Final = r"(?P<sign>\s{0,3}(?:[:：]|=>?|[-=]?[>→])\s{0,3}|\s{1,3}[—–-]\s{1,3})"
_ABOUT: Final = rf"(?!\w)(?:\s{_NO_MARK}[^\s.,;:=!?]{{1,24}}){{0,3}}?"
_SPACED: Final = (_ABOUT, r"\s", _WORD)
_ENDS: Final = re.compile(rf"[{re.escape(_CLOSERS)}{_QUOTES}]*+(?:\s*\Z|[ \t]*[\r\n])|[.,;!?]\s")
_BEFORE_GREEK: Final = "\u0370"
# How long a password has to be ("12-siffrigt"), where it was sent, and who keeps it.
_TELLS_OF_ONE: Final = re.compile(r"\d{1,3}[-‑][^\W\d_]+|[\w.+-]+@[\w-]+\.[\w.-]+|1password\w*", re.IGNORECASE)
_SHORTEST_NUMBER: Final = 5
"""Digits: four are a year as often."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """How a language tells a password: behind a sign or a verb, or, in `alone`, right behind its name."""

    words: PasswordWords
    told: re.Pattern[str]
    alone: re.Pattern[str] | None

    @classmethod
    def of(cls, words: PasswordWords) -> "_Rules":
        about, gap, value = _SPACED if words.attached is None else (r"(?:\s의)?", r"\s?", _ascii(words.attached))
        states = rf"{gap}(?:{words.states}){gap}(?:[:：]\s?)?"
        told = _pattern(words.name, rf"{about}(?:{_SIGN}|{states}){value}")
        alone = _pattern(words.alone, rf"{about}\s(?=\S{{0,40}}\d){value}") if words.alone else None
        return cls(words, told, alone)


def passwords(text: str) -> Iterator[Secret]:
    """Values behind a word for "password", a sign or a verb, that are no plain words of the text's script."""
    composed = unicodedata.normalize("NFC", text.lower())
    spans = {
        span for rules in _RULES if any(stem in composed for stem in rules.words.stems) for span in _spans(rules, text)
    }
    for start, end in sorted(spans):
        yield Secret(start, end, "password")


def _spans(rules: _Rules, text: str) -> Iterator[tuple[int, int]]:
    for match in rules.told.finditer(text):
        if _is_told(rules.words, match):
            yield _span(match)
    for match in rules.alone.finditer(text) if rules.alone else ():
        if _is_told_alone(match):
            yield _span(match)


def _pattern(name: str, rest: str) -> re.Pattern[str]:
    """A name is written with its accents composed or apart."""
    forms = "|".join(dict.fromkeys(unicodedata.normalize(form, name) for form in ("NFC", "NFD")))
    return re.compile(rf"(?:{forms}){unicodedata.normalize('NFC', rest)}", re.IGNORECASE)


def _ascii(attached: str) -> str:
    """A value within a script without blanks: what is ASCII, with nothing behind it but a copula."""
    return rf"{_START}(?P<value>[!#-&(-_a-~]++)(?:{attached}|(?!\w))"


def _value(match: re.Match[str]) -> str:
    return match["value"].rstrip(_CLOSERS)


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.start("value"), match.start("value") + len(_value(match))


def _is_told(words: PasswordWords, match: re.Match[str]) -> bool:
    value = _value(match)
    if is_placeholder(value) or _TELLS_OF_ONE.fullmatch(value):
        return False
    is_number = value.isdecimal() and len(value) >= _SHORTEST_NUMBER
    is_foreign = bool(match["sign"]) and _is_in_another_script(words, match)
    return is_number or is_foreign or looks_like(Means.PASSWORD, value)


def _is_told_alone(match: re.Match[str]) -> bool:
    value = _value(match)
    return _is_last(match) and looks_secret(value, shortest=6) and not _TELLS_OF_ONE.fullmatch(value)


def _is_last(match: re.Match[str]) -> bool:
    """Whether the line or the clause ends behind the value."""
    return bool(_ENDS.match(match.string, _span(match)[1]))


def _is_in_another_script(words: PasswordWords, match: re.Match[str]) -> bool:
    """Whether a Latin word, and nothing after it, stands in a text of another script: "пароль: swordfish"."""
    value = _value(match)
    is_latin = words.stems[0] < _BEFORE_GREEK
    is_plain = value.isascii() and value.isalpha() and value.islower() and len(value) >= 4
    return not is_latin and is_plain and _is_last(match) and not is_remark(value)


_RULES: Final = tuple(_Rules.of(words) for words in LANGUAGES.values())
