"""Who and what a clause names, and who "I" is."""

import re
from collections.abc import Collection, Iterable
from itertools import islice, takewhile
from typing import Final

from memory_platform.extraction.clauses import Clause
from memory_platform.knowledge import entities, naming
from memory_platform.knowledge.entities import EntityForm, FoundName
from memory_platform.text.parse import Parse
from memory_platform.text.quotations import may_quote

_FIRST_PERSON: Final = re.compile(
    r"(?<![\w'’\"“])(?P<word>I|i(?=['’](?:m|ve|d|ll)\b|\s)|[Mm]y)(?:['’](?:m|ve|d|ll)\b)?(?![\w-])(?!/)"
)
_ENGLISH: Final = "en"


def with_speaker(text: str, clause: Clause, speaker: str, parse: Parse) -> str:
    """The text with the speaker's name behind its first "I" or "my", unless it stands there ("I'm Mara").

    Never inside a quotation or a foreign language, nor behind an "I" that the parse takes for a numeral.
    """
    if not speaker or clause.language != _ENGLISH or clause.reported_by or may_quote(text):
        return text
    match = _first_person(text, clause, parse)
    if match is None or re.match(rf"\W*{re.escape(speaker)}\b(?!['’])", text[match.end() :], re.IGNORECASE):
        return text
    name = f"{speaker}'s" if match["word"].casefold() == "my" else speaker
    return f"{text[: match.end()]} ({name}){text[match.end() :]}"


def _first_person(text: str, clause: Clause, parse: Parse) -> re.Match[str] | None:
    """The first that is one: as many numerals as come before it in the parse are passed over."""
    sentence = parse.sentence_at(clause.start)
    numerals = {token.start for token in sentence.tokens if token.part == "NUM"} if sentence else frozenset[int]()
    said = _FIRST_PERSON.finditer(parse.text, clause.start, clause.end)
    passed = sum(1 for _ in takewhile(lambda one: one.start() in numerals, said))
    return next(islice(_FIRST_PERSON.finditer(text), passed, None), None)


def names_of(clause: Clause, parse: Parse, *, known: Collection[str] = ()) -> tuple[str, ...]:
    """The names in a clause, by its grammar or else the way they are written; `known` are those of the speakers."""
    sentence = parse.sentence_at(clause.start)
    if sentence is None:
        return names_in_text(clause.text, known=known)
    found = naming.names_in(sentence, parse, known=known)
    return _unique(one for one in found if clause.start <= one.start < clause.end)


def names_in_text(text: str, *, known: Collection[str] = ()) -> tuple[str, ...]:
    """The names a text holds by the way they are written, without a parse."""
    return _unique(entities.find(text, known=known))


def _unique(found: Iterable[FoundName]) -> tuple[str, ...]:
    names: dict[str, str] = {}
    for one in found:
        if one.form is not EntityForm.URL:
            names.setdefault(one.name.casefold(), one.name)
    return tuple(names.values())
