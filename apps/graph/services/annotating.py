"""What a unit's text says: whom and what it names, what it states of them, and what caused what."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from apps.core import providers
from apps.graph.units import RecallableUnit
from memory_platform.knowledge import causes, naming
from memory_platform.knowledge.causes import Cause
from memory_platform.knowledge.entities import EntityForm, FoundName
from memory_platform.knowledge.entity_types import type_of
from memory_platform.knowledge.graph import EntityType, NodeKind
from memory_platform.knowledge.naming import OtherName
from memory_platform.knowledge.relations import annotated_sentence, roles, statements, type_hints
from memory_platform.knowledge.relations.annotated_sentence import USER
from memory_platform.knowledge.relations.roles import RoleClaim
from memory_platform.knowledge.relations.triples import Triple
from memory_platform.knowledge.resolution import LONGEST_NAME, Name, name_key
from memory_platform.model import Role
from memory_platform.text import structure
from memory_platform.text.parse import Parse

# More names than a person can talk of in one breath: a log or a table, not a statement about each.
NAMES_PER_UNIT = 40
_FORMS_WRITTEN = frozenset(EntityForm) - {EntityForm.NAME}


@dataclass(frozen=True, slots=True)
class UnitAnnotations:
    """`names` by key, the speaker's among them; statements, roles and causes use names as the text has them."""

    unit: RecallableUnit
    names: dict[str, Name]
    statements: tuple[Triple, ...] = ()
    roles: tuple[RoleClaim, ...] = ()
    other_names: tuple[OtherName, ...] = ()
    causes: tuple[Cause, ...] = ()
    takes_up: tuple[str, bool] | None = None

    @property
    def speaker_key(self) -> str | None:
        return name_key(self.unit.speaker) if self.unit.speaker else None


def parsed(units: Iterable[RecallableUnit]) -> dict[str, Parse]:
    """The parse of each unit's prose, by the prose. Called while no transaction is open; texts do not change."""
    by_language: dict[str | None, list[str]] = defaultdict(list)
    for unit in units:
        by_language[unit.language].append(_prose(unit))
    reader = providers.reader()
    return {
        text: parse
        for language, texts in by_language.items()
        for text, parse in zip(texts, reader.read(texts, language=language), strict=True)
    }


def annotate(unit: RecallableUnit, parses: Mapping[str, Parse], *, known: Collection[str]) -> UnitAnnotations:
    """Read a unit off its parse; `known` are the people who take part in the talk.

    Statements and causes are read from items, which were found worth keeping and are closed when they no longer hold;
    an episode says the same. What nobody asserts (Unit.is_asserted) states nothing.
    """
    prose = _prose(unit)
    parse = parses.get(prose) or providers.reader().read([prose], language=unit.language)[0]
    found = naming.names(parse, known=known)
    other_names = naming.other_names(parse, found)
    if unit.node.kind is not NodeKind.ITEM:
        takes_up = causes.points_back(unit.text)
        return UnitAnnotations(unit, _names(unit, found), other_names=other_names, takes_up=takes_up)
    found = (*found, *_extracted(unit, parse, found))
    if not unit.is_asserted:
        return UnitAnnotations(unit, _names(unit, found), other_names=other_names)
    sentences = annotated_sentence.annotate(parse, found, speaker=_first_person(unit))
    said = statements.statements(sentences)
    names = _names(unit, found, said, dict(type_hints.kinds(sentences)))
    return UnitAnnotations(unit, names, said, roles.roles(sentences), other_names, causes.causes(parse))


def _prose(unit: RecallableUnit) -> str:
    """The text without code, what machines wrote, and what an item has put in: who "I" is, and absolute dates."""
    prose = structure.blanked(unit.text) if unit.role is Role.USER else structure.taken_apart(unit.text).prose
    if unit.node.kind is not NodeKind.ITEM or "(" not in prose:
        return prose
    notes = rf" \((?:{re.escape(unit.speaker or USER)}(?:'s)?|[^()]{{0,40}}\b(?:19|20)\d\d)\)"
    return re.sub(notes, lambda match: " " * len(match[0]), prose)


def _first_person(unit: RecallableUnit) -> str | None:
    """Who says "I": by name, the user of whom no name is known, or nobody of whom facts are kept."""
    return unit.speaker or (USER if unit.role is Role.USER else None)


def _extracted(unit: RecallableUnit, parse: Parse, found: Sequence[FoundName]) -> Iterator[FoundName]:
    """The names an extractor found that the parse did not: a model's, or in a language nobody parses."""
    taken = {place for one in found for place in range(one.start, one.end)}
    for name in unit.names[:NAMES_PER_UNIT]:
        start = parse.text.find(name)
        if start < 0 or (taken.isdisjoint(range(start, start + len(name))) and (start > 0 or not parse.is_parsed)):
            yield FoundName(name, EntityForm.NAME, max(start, 0))


def _names(
    unit: RecallableUnit,
    found: Sequence[FoundName],
    said: Sequence[Triple] = (),
    nouns: Mapping[str, str] | None = None,
) -> dict[str, Name]:
    hints: dict[str, set[EntityType]] = defaultdict(set)
    for name, kind in type_hints.type_hints(said):
        hints[name].add(kind)
    names: dict[str, Name] = {}
    for one in found[:NAMES_PER_UNIT]:
        _add(names, one, unit, hints[one.name], [(nouns or {}).get(one.name, "")])
    for end in (end for one in said for end in (one.subject, one.object if one.object_is_name else one.subject)):
        if name_key(end) not in names:
            _add(names, FoundName(end, EntityForm.NAME, 0), unit, is_person=end in {USER, unit.speaker})
    if unit.speaker and unit.node.kind is NodeKind.EPISODE:
        _add(names, FoundName(unit.speaker, EntityForm.NAME, 0), unit, is_person=True)
    return names


def _add(
    names: dict[str, Name],
    found: FoundName,
    unit: RecallableUnit,
    hints: Collection[EntityType] = (),
    nouns: Collection[str] = (),
    *,
    is_person: bool = False,
) -> None:
    key = name_key(found.name)
    words = [word for word in key.split() if word != "of"]
    if not words or (len(words) > 1 and len(set(words)) == 1):
        return
    speaker_key = name_key(unit.speaker) if unit.speaker else None
    is_speaker = key == USER or (is_person and key == speaker_key)
    guess = type_of(found, hints=hints, nouns=nouns, is_speaker=is_speaker)
    other = names.get(key)
    if other is None or guess.confidence > other.guess.confidence:
        shown = "The user" if key == USER and guess.type is EntityType.PERSON else found.name[:LONGEST_NAME]
        names[key] = Name(shown, key, guess, found.form in _FORMS_WRITTEN)
