"""Who and what a clause names, and who "I" is."""

import re
from collections.abc import Collection
from itertools import islice, takewhile
from typing import Final

from memory_platform.extraction.clauses import Clause
from memory_platform.knowledge import entities
from memory_platform.knowledge.entities import EntityForm
from memory_platform.text.parse import Parse

_FIRST_PERSON: Final = re.compile(
    r"(?<![\w'’\"“])(?P<word>I|i(?=['’](?:m|ve|d|ll)\b|\s)|[Mm]y)(?:['’](?:m|ve|d|ll)\b)?(?![\w-])(?!/)"
)
_QUOTED: Final = re.compile(r"[\"“”«»]")
_ENGLISH: Final = "en"
_NO_ENTITY: Final = frozenset({"DATE", "MONEY", "NUMBER"})


def with_speaker(text: str, clause: Clause, speaker: str, parse: Parse) -> str:
    """The text with the speaker's name behind its first "I" or "my", unless it stands there ("I'm Mara").

    Never inside a quotation or a foreign language, nor behind an "I" that the parse takes for a numeral.
    """
    if not speaker or clause.language != _ENGLISH or clause.reported_by or _QUOTED.search(text):
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
    """The names in a clause: what the parser takes for one, what is written like one, and those of the speakers."""
    found: dict[str, str] = {}
    for named in parse.names:
        inside = clause.start <= named.start < clause.end and named.label not in _NO_ENTITY
        if inside and _is_name(named.text):
            found.setdefault(_plain(named.text).casefold(), _plain(named.text))
    for name in names_in_text(clause.text, known=known):
        if not any(name.casefold() in other or other in name.casefold() for other in found):
            found[name.casefold()] = name
    return tuple(found.values())


def names_in_text(text: str, *, known: Collection[str] = ()) -> tuple[str, ...]:
    """The names a text holds by the way they are written, without a parse."""
    return tuple(one.name for one in entities.find(text, known=known) if one.form is not EntityForm.URL)


def _is_name(text: str) -> bool:
    return any(character.isupper() for character in text) and len(text) <= 80


def _plain(text: str) -> str:
    return re.sub(r"\A(?:the|a|an|my|our)\s+|['’]s\Z", "", text.strip(), flags=re.IGNORECASE)
