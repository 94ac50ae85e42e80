"""What a unit's text says: whom and what it names, what it states of them, and what caused what."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from apps.graph.services.units import Unit
from memory_platform.knowledge import entities, relations
from memory_platform.knowledge.entities import EntityForm, Found
from memory_platform.knowledge.entity_types import is_first_name, type_of
from memory_platform.knowledge.graph import EntityType, NodeKind
from memory_platform.knowledge.relations import USER, Cause, Role, Statement
from memory_platform.knowledge.resolution import LONGEST_NAME, Name, name_key

# More names than a person can talk of in one breath: a log or a table, not a statement about each.
NAMES_PER_UNIT = 40
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FORMS_WRITTEN = frozenset(EntityForm) - {EntityForm.NAME}


@dataclass(frozen=True, slots=True)
class Reading:
    """`names` by key, the speaker's among them; statements, roles and causes use names as the text has them."""

    unit: Unit
    names: dict[str, Name]
    statements: tuple[Statement, ...] = ()
    roles: tuple[Role, ...] = ()
    causes: tuple[Cause, ...] = ()
    takes_up: tuple[str, bool] | None = None

    @property
    def speaker_key(self) -> str | None:
        return name_key(self.unit.speaker) if self.unit.speaker else None


def read(unit: Unit, *, known: Collection[str]) -> Reading:
    """Read a unit; `known` are the people who take part in the talk.

    Statements and causes are read from items, which name whom they are about; an episode's say the same with pronouns.
    """
    if unit.node.kind is NodeKind.ITEM:
        return _item(unit, known)
    # Blanked, not cut: code names variables, not things.
    prose = _CODE.sub(lambda match: "\n".ljust(len(match[0])), unit.text)
    found = [_without_opener(one, known) for one in entities.find(prose, known=known)[:NAMES_PER_UNIT]]
    return Reading(unit, _names(unit, found), takes_up=relations.points_back(unit.text))


def _item(unit: Unit, known: Collection[str]) -> Reading:
    found = _found(unit, known)
    statements = relations.statements(unit.text, found, speaker=unit.speaker)
    roles = relations.roles(unit.text, speaker=unit.speaker)
    names = _names(unit, found)
    for name in (*(one.subject for one in statements), *(one for role in roles for one in (role.owner, role.name))):
        if not any(key == name_key(name) or key.startswith(f"{name_key(name)} ") for key in names):
            _add(names, Found(name, EntityForm.NAME, max(0, unit.text.find(name))), unit, is_person=True)
    return Reading(unit, names, statements, roles, relations.causes(unit.text))


def _found(unit: Unit, known: Collection[str]) -> list[Found]:
    """The names the extractor found, where and in which form; those it reworded stand at the beginning."""
    by_key = {one.name.casefold(): one for one in entities.find(unit.text, known=(*known, *unit.names))}
    found = [
        by_key.get(name.casefold()) or Found(name, EntityForm.NAME, unit.text.find(name))
        for name in unit.names[:NAMES_PER_UNIT]
    ]
    return sorted((_without_opener(one, known) for one in found), key=lambda one: one.start)


def _names(unit: Unit, found: Sequence[Found]) -> dict[str, Name]:
    names: dict[str, Name] = {}
    for one in found:
        _add(names, one, unit)
    if unit.speaker and unit.node.kind is NodeKind.EPISODE:
        _add(names, Found(unit.speaker, EntityForm.NAME, 0), unit, is_person=True)
    return names


def _without_opener(found: Found, speakers: Collection[str]) -> Found:
    """Without a verb or cheer that begins the sentence before a speaker's name: "Reminds Jon", "Woohoo Melanie"."""
    first, _, rest = found.name.partition(" ")
    if rest not in speakers or is_first_name(first):
        return found
    return Found(rest, found.form, found.start + len(found.name) - len(rest))


def _add(names: dict[str, Name], found: Found, unit: Unit, *, is_person: bool = False) -> None:
    key = name_key(found.name)
    words = [word for word in key.split() if word != "of"]
    if not words or (len(words) > 1 and len(set(words)) == 1):
        return
    speaker_key = name_key(unit.speaker) if unit.speaker else None
    is_speaker = key == USER or (is_person and key == speaker_key)
    guess = type_of(found, unit.text, is_speaker=is_speaker)
    other = names.get(key)
    if other is None or guess.confidence > other.guess.confidence:
        shown = "The user" if key == USER and guess.type is EntityType.PERSON else found.name[:LONGEST_NAME]
        names[key] = Name(shown, key, guess, found.form in _FORMS_WRITTEN)
