"""From names to entities, within one audience: what is known is found, what is new is added."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection

from apps.core import rows
from apps.core.ids import new_id
from apps.graph.models import Alias, Entity
from apps.graph.services import moving
from apps.graph.services.audiences import Owner
from memory_platform.knowledge.entity_types import TypeGuess
from memory_platform.knowledge.graph import AliasKind, EntityType
from memory_platform.knowledge.resolution import (
    SHORTEST_NICKNAME,
    Directory,
    KnownName,
    Name,
    best_name,
    is_speaker,
    is_written,
)

# An audience with more names that begin with the same letters is compared with its most mentioned ones only.
MOST_COMPARED = 20_000


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """A name's alias row and the entity it belongs to."""

    alias_id: UUID
    entity_id: UUID


@dataclass(slots=True)
class Register:
    """The names of one audience, as far as a batch of units needs them; new ones are written by `write`."""

    owner: Owner
    _named: dict[str, ResolvedName] = field(default_factory=dict)
    _pinned: set[UUID] = field(default_factory=set)
    _directory: Directory = field(default_factory=lambda: Directory(()))
    _entities: dict[UUID, Entity] = field(default_factory=dict)
    _aliases: list[Alias] = field(default_factory=list)
    _guesses: dict[UUID, TypeGuess] = field(default_factory=dict)
    _moves: dict[UUID, UUID] = field(default_factory=dict)
    _renamed: set[UUID] = field(default_factory=set)

    def learn(self, names: Iterable[Name]) -> None:
        """Find or add an entity for every name. Fuller names come first, so that the order of units does not count."""
        surest: dict[str, Name] = {}
        for name in names:
            other = surest.get(name.key)
            if other is None or _rank(name) > _rank(other):
                surest[name.key] = name
        self._load(surest)
        for name in sorted(surest.values(), key=lambda one: (-len(one.key.split()), one.key)):
            if name.key not in self._named:
                self._add(name)
            self._guess(self._named[name.key].entity_id, name.guess)
        self._adopt_nicknames([name for name in surest.values() if is_speaker(name.guess)])

    def named(self, key: str) -> ResolvedName:
        """Raises KeyError for a name `learn` was not told of."""
        return self._named[key]

    def alias(self, name: str, key: str, entity_id: UUID, kind: AliasKind) -> ResolvedName:
        """Make `name` another name of the entity, unless it stands for somebody already."""
        if key not in self._named:
            self._load({key: None})
        if key not in self._named:
            self._append(Name(name, key, TypeGuess(EntityType.PERSON, 0.0)), entity_id, kind)
        return self._named[key]

    def join(self, key: str, other: str) -> None:
        """Let two names stand for the entity of the first, because somebody says they are one's."""
        known = self._directory.find(other)
        if known is not None and key in self._named and self._named[key].entity_id != known.entity_id:
            self._reassign(known, self._named[key].entity_id)

    def write(self) -> set[UUID]:
        """Write what is new; returns the entities that are new, or whose names or type may have changed."""
        for entity_id, guess in self._guesses.items():
            if entity_id in self._entities:
                self._entities[entity_id].type = guess.type.value
                self._entities[entity_id].type_confidence = guess.confidence
        named = {*self._moves.values(), *(alias.entity_id for alias in self._aliases)}
        rows.insert([entity for entity in self._entities.values() if entity.id in named])
        rows.insert(self._aliases)
        retyped = self._retype()
        if self._moves:
            moving.move(self.owner.tenant_id, self._moves)
        return {*self._entities, *self._renamed, *retyped}

    def _load(self, names: Mapping[str, Name | None]) -> None:
        missing = [key for key in names if key not in self._named]
        self._remember("a.name_key = ANY(%s)", missing)
        unknown = {key[0] for key in missing if key not in self._named and not is_written(key)}
        if unknown:
            self._remember("left(a.name_key, 1) = ANY(%s) AND a.kind <> 'role'", sorted(unknown))

    def _remember(self, condition: str, values: list[str], *parameters_before: int) -> None:
        if not values:
            return
        owned, parameters = self.owner.condition("a")
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT a.id, a.entity_id, a.name, a.name_key, a.kind, a.pinned, e.type, e.type_confidence"  # noqa: S608
                " FROM graph_alias a JOIN graph_entity e ON e.tenant_id = a.tenant_id AND e.id = a.entity_id"
                f" WHERE {owned} AND {condition} ORDER BY a.mention_count DESC, a.id LIMIT {MOST_COMPARED}",
                [*parameters, *parameters_before, values],
            )
            for alias_id, entity_id, name, key, kind, pinned, kind_of_entity, confidence in cursor.fetchall():
                if key in self._named:
                    continue
                self._named[key] = ResolvedName(alias_id, entity_id)
                if pinned:
                    self._pinned.add(alias_id)
                if kind != AliasKind.ROLE:
                    guess = TypeGuess(EntityType(kind_of_entity), confidence)
                    self._directory.add(KnownName(entity_id, name, key, guess, is_written(key)))

    def _add(self, name: Name) -> None:
        match = self._directory.resolve(name)
        if match is not None:
            self._append(name, match.entity_id, match.kind)
            self._renamed.add(match.entity_id)
            return
        entity_id = self._found(name)
        self._append(name, entity_id, AliasKind.CANONICAL)
        self._detach_first_name(KnownName(entity_id, name.name, name.key, name.guess, name.is_written))

    def _found(self, name: Name) -> UUID:
        entity = Entity(
            id=new_id(),
            tenant_id=self.owner.tenant_id,
            agent_id=self.owner.agent_id,
            user_id=self.owner.user_id,
            visibility=self.owner.visibility.value,
            canonical_name=name.name,
            name_key=name.key,
            type=name.guess.type.value,
            type_confidence=name.guess.confidence,
        )
        self._entities[entity.id] = entity
        return entity.id

    def _append(self, name: Name, entity_id: UUID, kind: AliasKind) -> None:
        alias = Alias(
            id=new_id(),
            tenant_id=self.owner.tenant_id,
            agent_id=self.owner.agent_id,
            user_id=self.owner.user_id,
            visibility=self.owner.visibility.value,
            entity_id=entity_id,
            name=name.name,
            name_key=name.key,
            kind=kind.value,
        )
        self._aliases.append(alias)
        self._named[name.key] = ResolvedName(alias.id, entity_id)
        if kind is not AliasKind.ROLE:
            self._directory.add(KnownName(entity_id, name.name, name.key, name.guess, name.is_written))

    def _detach_first_name(self, full: KnownName) -> None:
        """A second full name makes the first name alone ambiguous: it becomes nobody's until somebody says whose."""
        bare = None if full.is_written else self._directory.ambiguous_first_name(full)
        if bare is None or self._named[bare.key].alias_id in self._pinned:
            return
        self._reassign(bare, self._found(Name(bare.name, bare.key, bare.guess)))

    def _adopt_nicknames(self, speakers: Sequence[Name]) -> None:
        """Who turns out to take part in the talk takes up the nickname that was nobody's before."""
        self._remember(
            "left(a.name_key, %s) = ANY(%s) AND a.kind <> 'role'",
            sorted({name.key[:SHORTEST_NICKNAME] for name in speakers}),
            SHORTEST_NICKNAME,
        )
        for name in speakers:
            speaker = KnownName(self._named[name.key].entity_id, name.name, name.key, name.guess)
            self._directory.add(speaker)
            for nickname in self._directory.nicknames_of(speaker):
                if nickname.entity_id != speaker.entity_id:
                    self._reassign(nickname, speaker.entity_id)

    def _reassign(self, known: KnownName, entity_id: UUID) -> None:
        """Give a name another entity, unless a person put it where it is."""
        alias_id = self._named[known.key].alias_id
        if alias_id in self._pinned:
            return
        self._named[known.key] = ResolvedName(alias_id, entity_id)
        self._directory.add(KnownName(entity_id, known.name, known.key, known.guess))
        self._renamed |= {known.entity_id, entity_id} - self._entities.keys()
        for alias in self._aliases:
            if alias.id == alias_id:
                alias.entity_id = entity_id
                return
        self._moves[alias_id] = entity_id

    def _guess(self, entity_id: UUID, guess: TypeGuess) -> None:
        other = self._guesses.get(entity_id)
        if other is None or _order(guess) > _order(other):
            self._guesses[entity_id] = guess

    def _retype(self) -> set[UUID]:
        """The surest guess wins, of equal ones the first by name: whatever order units arrive in."""
        values = [
            {"id": entity_id, "type": guess.type.value, "type_confidence": guess.confidence}
            for entity_id, guess in self._guesses.items()
            if entity_id not in self._entities
        ]
        return rows.update(
            Entity,
            values,
            tenant_id=self.owner.tenant_id,
            where="new.type_confidence > stored.type_confidence"
            " OR (new.type_confidence = stored.type_confidence AND new.type < stored.type)",
        )


def rename(tenant_id: UUID, entity_ids: Iterable[UUID]) -> None:
    """Show entities under the best of their names."""
    wanted = list(entity_ids)
    if not wanted:
        return
    names: dict[UUID, list[tuple[str, int]]] = {}
    keys: dict[tuple[UUID, str], str] = {}
    aliases = Alias.objects.filter(tenant_id=tenant_id, entity_id__in=wanted).exclude(
        kind__in=[AliasKind.ROLE.value, AliasKind.INITIALS.value]
    )
    for entity_id, name, key, count in aliases.values_list("entity_id", "name", "name_key", "mention_count"):
        names.setdefault(entity_id, []).append((name, count))
        keys[entity_id, name] = key
    best = {entity_id: best_name(own) for entity_id, own in names.items()}
    values = [{"id": one, "canonical_name": name, "name_key": keys[one, name]} for one, name in best.items()]
    rows.update(Entity, values, tenant_id=tenant_id, where="stored.canonical_name <> new.canonical_name")


def _rank(name: Name) -> tuple[tuple[float, str], str]:
    """Of two ways to write a key the surer one, then the first by name, gives alias and type."""
    return _order(name.guess), name.name


def _order(guess: TypeGuess) -> tuple[float, str]:
    inverted = "".join(chr(0x10FFFF - ord(letter)) for letter in guess.type.value)
    return guess.confidence, inverted
