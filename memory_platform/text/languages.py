"""Which language a text is in, told from its words: code, numbers and paths are in none."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from memory_platform.text import language_model

ENGLISH: Final = "en"
SURE_FROM: Final = 24
"""Bytes of letters a text needs for its language to be told by itself; a shorter one is in the language of the talk.
Bytes, because eight Chinese characters say as much as 24 Latin letters.
"""
SURE_OF_A_SCRIPT_FROM: Final = 12
"""The same for a text in letters that are mostly not Latin: four Chinese characters tell more than 12 Latin ones."""
MARGIN: Final = 15.0
"""Nats by which another language must be likelier than that of the talk: what is foreign and brief may be missed, what
is not is hardly ever taken for it."""
LOOKED_AT: Final = 2_000
"""Characters from which the language is told."""
_NAMELIKE: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ASCII: Final = re.compile(r"[!-~]+")
_CODE: Final = re.compile(r"[\d_/\\@=<>{}\[\]|`#$^&*+~]|\w[.:(]\w|\w\(\)")


def language_of(text: str, *, otherwise: str = ENGLISH) -> str:
    """The ISO 639-1 code of a text's language: `otherwise`, that of the talk, unless another is surer by far, and
    likelier without the words that may be names, too: "Jelena Mitić and Søren Kjærgaard met" is English.
    """
    words = _words(text)
    if not _suffice(words):
        return otherwise
    scores = language_model.scores(words)
    best = max(scores, key=lambda code: scores[code])
    is_sure = best != language_model.NO_LANGUAGE and _margin(scores, best, otherwise) > MARGIN
    return best if is_sure and _is_told_without_names(words, best, otherwise) else otherwise


def tells(text: str) -> bool:
    """Whether a text is long enough to tell its language by itself."""
    return _suffice(_words(text))


def _is_told_without_names(words: str, language: str, otherwise: str) -> bool:
    rest = _NAMELIKE.sub(lambda found: " " if _may_be_name(found[0]) else found[0], words)
    return any(map(str.isalpha, rest)) and _margin(language_model.scores(rest), language, otherwise) > 0


def _may_be_name(word: str) -> bool:
    return word[0].isupper() and not word.isupper()


def _margin(scores: Mapping[str, float], language: str, otherwise: str) -> float:
    """Nats by which one is likelier than the other."""
    return scores[language] - scores.get(otherwise, -math.inf)


def _words(text: str) -> str:
    return _ASCII.sub(_word, text[:LOOKED_AT])


def _suffice(words: str) -> bool:
    letters = list(filter(str.isalpha, words))
    said = _size(letters)
    return said >= SURE_FROM or (said >= SURE_OF_A_SCRIPT_FROM and 2 * _size(filter(_is_latin, letters)) < said)


def _size(letters: Iterable[str]) -> int:
    return len("".join(letters).encode(errors="replace"))


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN")


def _word(found: re.Match[str]) -> str:
    return " " if _CODE.search(found[0]) else found[0]
