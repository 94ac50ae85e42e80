"""What a subject means: the rows that say it, and what rests on them.

A message that goes takes with it whatever was learnt from it, and an answer that is remembered with its words; a memory
that goes takes the messages it rests on. What rests on other messages, too, is kept in their words. Needs an open scope
of the whole tenant.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from apps.core import clock, erasing, scope
from apps.core.erasing import Conversation, Doomed
from apps.core.rows import among
from apps.erasure.models import Erasure, ErasureKind
from apps.erasure.requests import Subject
from apps.erasure.results import MatchedEntity, Selection
from apps.graph.models import Alias, Entity, Mention
from apps.memory import cold
from apps.memory.models import Item, ItemSource
from apps.memory.services import erasing as memory
from apps.memory.services.condensing import insights_of
from apps.memory.services.forgetting import with_wordings
from apps.resources import selectors as messages
from apps.resources.models import Resource, Session
from apps.resources.services import erasing as resource_rows
from apps.tenants import selectors as tenants
from memory_platform.errors import NotFound
from memory_platform.knowledge.graph import AliasKind, NodeKind
from memory_platform.knowledge.resolution import keys_in, name_key


def select(subject: Subject) -> Selection:
    """Raises NotFound for an entity or memory that is not there."""
    if subject.kind is ErasureKind.USER:
        return _of_user(subject.user_id)
    if subject.kind is ErasureKind.SESSION:
        return _of_sessions(subject)
    if subject.kind is ErasureKind.ENTITY:
        return _of_entities(subject)
    return _of_memories(subject)


def require(subject: Subject) -> None:
    """Raises NotFound as `select` does, at once."""
    if subject.kind is ErasureKind.ENTITY:
        _named(subject)
    elif subject.kind is ErasureKind.MEMORIES:
        _held(subject)


def named(item_ids: Collection[UUID], resource_ids: Collection[UUID], *, of_user: str | None) -> Subject:
    """What a search found as a subject, `of_user` only what is theirs: a search for a user finds nobody's, too.

    Raises NotFound when nothing is left.
    """
    whose = {} if of_user is None else {"user_id": of_user}
    items, said = _ids(Item, id__in=item_ids, **whose), _ids(Resource, id__in=resource_ids, **whose)
    if not (items or said):
        raise NotFound(
            "Nothing surely is about this topic.",
            hint="Say it in other words, or name what is to go by its id.",
            field="topic",
        )
    return Subject(ErasureKind.MEMORIES, memory_ids=items, message_ids=said)


def doomed(subject: Subject, selection: Selection) -> Doomed:
    """What would go if it went now. A name goes once nothing speaks of it: whether it will can only be told then."""
    return Doomed(
        before=clock.now(),
        item_ids=selection.item_ids,
        resource_ids=selection.resource_ids,
        session_ids=selection.session_ids,
        conversations=selection.conversations,
        user_id=subject.user_id if subject.kind is ErasureKind.USER else None,
        words=selection.words,
        users=selection.users,
    )


def select_again(row: Erasure) -> Selection:
    """With what was captured since it was asked for; what was chosen by id stays that."""
    if row.kind in {ErasureKind.USER, ErasureKind.SESSION}:
        return select(Subject.of_json(row.kind, row.about))
    if row.kind == ErasureKind.ENTITY:
        return _saying(row.about.get("words"), tuple(row.about.get("users", ())))
    return Selection()


def texts(item_ids: Collection[UUID], resource_ids: Collection[UUID]) -> Iterator[tuple[str | None, str]]:
    """What the memories and messages say, each with whose it is."""
    items = list(Item.objects.filter(**_own(), id__in=among(item_ids)).only("id", "user_id", "text", "cold_at"))
    cold.fill(items)
    yield from ((item.user_id, item.text) for item in items)
    yield from ((row.user_id, text) for row, text in _said(resource_ids))


def _of_user(user_id: str | None) -> Selection:
    sessions = _sessions(user_id=user_id)
    return Selection(
        item_ids=_ids(Item, user_id=user_id),
        resource_ids=_ids(Resource, user_id=user_id),
        session_ids=tuple(row.id for row in sessions),
        entity_ids=_ids(Entity, user_id=user_id),
        conversations=_conversations(sessions),
    )


def _of_sessions(subject: Subject) -> Selection:
    whose = {} if subject.user_id is None else {"user_id": subject.user_id}
    sessions = _sessions(external_id=subject.session_id, **whose)
    ids = tuple(row.id for row in sessions)
    resources = _ids(Resource, session_id__in=ids)
    items = {*_ids(Item, session_id__in=ids), *_resting_on(resources)}
    items |= set(insights_of(sorted(items)))
    return Selection(
        item_ids=tuple(sorted(items)),
        resource_ids=resources,
        session_ids=ids,
        entity_ids=_spoken_of(items, resources),
        conversations=_conversations(sessions),
    )


def _of_entities(subject: Subject) -> Selection:
    entities = list(_named(subject))
    names = _names(entities)
    words = r"(?<!\w)(" + "|".join(map(re.escape, names)) + r")(?!\w)" if names else None
    users = tuple(sorted({each.user_id or "" for each in entities}))
    mentions = Mention.objects.filter(**_own(), entity_id__in=[each.id for each in entities])
    units = list(mentions.values_list("unit", "unit_id").distinct())
    items = {unit_id for unit, unit_id in units if unit == NodeKind.ITEM.value}
    resources = {unit_id for unit, unit_id in units if unit == NodeKind.EPISODE.value}
    selection = _saying(words, users, items, resources)
    return replace(
        selection,
        entity_ids=tuple(sorted({*selection.entity_ids, *(each.id for each in entities)})),
        matched=tuple(MatchedEntity(e.id, e.canonical_name, e.agent_id, e.user_id, e.mention_count) for e in entities),
    )


def _saying(
    words: str | None, users: tuple[str, ...], items: Collection[UUID] = (), resources: Collection[UUID] = ()
) -> Selection:
    """What says one of the words, of whichever agent it is, beside what is given."""
    found, heard = set(items), set(resources)
    if words is not None:
        looked_for = Doomed(clock.now(), words=words, users=users)
        said = Q(user_id__in=users) | (Q(user_id=None) if "" in users else Q())
        found.update(erasing.find(memory.SAYING, looked_for), cold.saying(words, said))
        heard.update(erasing.find(resource_rows.SAYING, looked_for))
    return replace(_closed(found, heard), words=words, users=users)


def _of_memories(subject: Subject) -> Selection:
    return _closed(*_held(subject))


def _held(subject: Subject) -> tuple[tuple[UUID, ...], tuple[UUID, ...]]:
    """The memories and messages that it names."""
    held = _ids(Item, id__in=subject.memory_ids)
    said = _ids(Resource, id__in=subject.message_ids)
    if subject.kind is ErasureKind.MEMORIES and set(held) != set(subject.memory_ids):
        raise NotFound("There is no such memory.", field="memoryIds")
    if set(said) != set(subject.message_ids):
        raise NotFound("There is no such message.", field="messageIds")
    return held, said


def _closed(item_ids: Iterable[UUID], resource_ids: Iterable[UUID]) -> Selection:
    """The items in all their wordings, the messages those rest on, answers to these, and what was learnt from them."""
    items = set(with_wordings(sorted(set(item_ids))))
    resources = {*resource_ids, *_own_sources(items)}
    while answers := _answering(resources) - resources:
        resources |= answers
    items |= _resting_on(resources)
    items |= set(insights_of(sorted(items)))
    return Selection(
        item_ids=tuple(sorted(items)),
        resource_ids=tuple(sorted(resources)),
        entity_ids=_spoken_of(items, resources),
    )


def _resting_on(resource_ids: Collection[UUID]) -> set[UUID]:
    """What was learnt there; not what only came to rest on it when another wording was merged."""
    rows = ItemSource.objects.filter(**_own(), resource_id__in=among(resource_ids), inherited=False)
    return set(rows.values_list("item_id", flat=True))


def _own_sources(item_ids: Collection[UUID]) -> set[UUID]:
    rows = ItemSource.objects.filter(**_own(), item_id__in=among(item_ids), inherited=False)
    return set(rows.values_list("resource_id", flat=True))


def _answering(resource_ids: Collection[UUID]) -> set[UUID]:
    """The messages after these of which something is remembered together with their words: it leans on them."""
    said = {row.id: " ".join(text.split()) for row, text in _said(resource_ids)}
    answers = messages.answers(resource_ids)
    rows = ItemSource.objects.filter(**_own(), resource_id__in=among(answers), inherited=False).select_related("item")
    cold.fill(row.item for row in rows)
    leaning = ((row.resource_id, row.item.lead_in) for row in rows if row.item.lead_in)
    return {answer for answer, lead_in in leaning if lead_in in said.get(answers[answer], "")}


def _said(resource_ids: Collection[UUID]) -> Iterator[tuple[Resource, str]]:
    """The messages with what they say, free of secrets."""
    policy = tenants.policy(scope.current().tenant_id)
    rows = Resource.objects.filter(**_own(), id__in=among(resource_ids))
    return ((row, messages.safe(row.raw_content, policy)) for row in rows.iterator())


def _spoken_of(item_ids: Collection[UUID], resource_ids: Collection[UUID]) -> tuple[UUID, ...]:
    rows = Mention.objects.filter(**_own(), unit_id__in=among([*item_ids, *resource_ids]))
    mentioned = set(rows.values_list("entity_id", flat=True))
    return tuple(sorted(mentioned | _spoken_of_once(item_ids, resource_ids)))


def _spoken_of_once(item_ids: Collection[UUID], resource_ids: Collection[UUID]) -> set[UUID]:
    """What they name and nothing mentions any more: what is forgotten mentions nobody, and its names stay."""
    entities = _unmentioned()
    if not entities:
        return set()
    longest = 1 + max(key.count(" ") for _, key in entities)
    said = {(user_id, key) for user_id, text in texts(item_ids, resource_ids) for key in keys_in(text, longest)}
    return {entity_id for name in said & entities.keys() for entity_id in entities[name]}


def _unmentioned() -> Mapping[tuple[str | None, str], set[UUID]]:
    """Entities by whose they are and by the key of a name under which nothing speaks of them."""
    said = Mention.objects.filter(tenant_id=OuterRef("tenant_id"), alias_id=OuterRef("id"))
    rows = Alias.objects.filter(~Exists(said), **_own())
    found: dict[tuple[str | None, str], set[UUID]] = defaultdict(set)
    for user_id, key, entity_id in rows.values_list("user_id", "name_key", "entity_id"):
        found[user_id, key].add(entity_id)
    return found


def _named(subject: Subject) -> list[Entity]:
    rows = Entity.objects.filter(**_own(), merged_into=None).order_by("id")
    if subject.entity_id is not None:
        found = list(rows.filter(id=subject.entity_id))
    else:
        key = name_key(subject.entity or "")
        aliases = Alias.objects.filter(**_own(), name_key=key).values("entity_id")
        found = list(rows.filter(Q(name_key=key) | Q(id__in=aliases)))
    if not found:
        raise NotFound(
            "There is no such entity, which does not mean that nothing says the name.",
            hint="Look for the name as a topic: that finds what says it.",
            field="entity",
        )
    return found


def _names(entities: Collection[Entity]) -> list[str]:
    """By which a text says them: a role or initials are others', too."""
    aliases = Alias.objects.filter(**_own(), entity_id__in=[each.id for each in entities])
    own = aliases.exclude(kind__in=[AliasKind.ROLE.value, AliasKind.INITIALS.value])
    names = {*own.values_list("name", flat=True), *(each.canonical_name for each in entities)}
    return sorted(name for name in names if name)


def _own() -> dict[str, Any]:
    return {"tenant_id": scope.current().tenant_id}


def _ids(model: Any, **wanted: Any) -> tuple[UUID, ...]:
    return tuple(model.objects.filter(**_own(), **wanted).order_by("id").values_list("id", flat=True))


def _sessions(**wanted: Any) -> list[Session]:
    return list(Session.objects.filter(**_own(), **wanted).order_by("id"))


def _conversations(sessions: Iterable[Session]) -> tuple[Conversation, ...]:
    return tuple(Conversation(row.agent_id, row.user_id, row.external_id) for row in sessions)
