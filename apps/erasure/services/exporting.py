"""Everything about somebody or something, line by line: what erasing would take, in a form that can be imported again.

Messages come first, as `ingest` takes them; then memories, of which those that rest on no message are remembered again
(the others are learnt again from their messages); then those whose place others took, the latest first; then what
else is held, to be read, but for what is brought about again: open triggers that callers set, what is said of memories,
and lessons.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, QuerySet

from apps.core import erasing, paging, scope
from apps.core.erasing import Doomed, Rule
from apps.core.paging import PageRequest, Slice
from apps.core.rows import among
from apps.erasure.requests import Subject
from apps.erasure.results import ExportedLine, LineKind
from apps.erasure.services import selecting
from apps.erasure.tables import RULES
from apps.journal.services import record
from apps.lessons import selectors as lessons
from apps.lessons.models import Lesson
from apps.lessons.services import erasing as lesson_rules
from apps.memory import cold
from apps.memory import selectors as memories
from apps.memory import services as memory
from apps.memory.documents import CONDENSED, MERGED
from apps.memory.models import Item, ItemFeedback, ItemSource
from apps.memory.requests import FormerReason
from apps.memory.results import EndedClaims, ItemName
from apps.memory.services import erasing as memory_rules
from apps.resources import selectors as resources
from apps.resources.models import Resource
from apps.tenants import selectors as tenants
from apps.triggers import selectors as triggers
from apps.triggers.models import FutureTrigger
from apps.triggers.services import erasing as trigger_rules
from memory_platform.lifecycle.triggers import Precision
from memory_platform.model import JournalLine, Status
from memory_platform.text.cleaning import inline
from memory_platform.text.redaction import redact_json

Part = Callable[[Doomed, UUID | None, int], list[ExportedLine]]
Again = Callable[[Sequence[ExportedLine]], Mapping[UUID, ExportedLine]]
_ORDER: Final = ("part", "id")
MOST_CONDENSED: Final = 100
"""Named by a line as what an insight tells of, the first."""
MOST_MESSAGES: Final = 50
"""Named by a line as what a memory or a lesson rests on, the first."""


def export(subject: Subject, page: PageRequest) -> Slice[ExportedLine]:
    """One page of the lines. Needs an open scope of the whole tenant; the journal tells who read how many.

    Raises NotFound for an entity, memory or message that is not there, Invalid on a malformed cursor.
    """
    part, behind = _position(page.after)
    doomed = selecting.doomed(subject, selecting.select(subject))
    found: list[tuple[int, ExportedLine]] = []
    while part < len(PARTS) and len(found) <= page.first:
        lacking = page.first + 1 - len(found)
        lines = PARTS[part](doomed, behind, lacking)
        found += [(part, line) for line in lines]
        if len(lines) < lacking:
            part, behind = part + 1, None
    kept = found[: page.first]
    record(JournalLine("export.read", "export", data={"kind": subject.kind.value, "lines": len(kept)}))
    cursors = tuple(paging.encode([number, line.id], order=_ORDER) for number, line in kept)
    return Slice(tuple(line for _, line in kept), cursors, len(found) > page.first)


def held(names: Collection[str]) -> dict[str, bool]:
    """Which of these names are ids of messages, memories, triggers, feedback and lessons that the open scope sees, and
    whether they, or something of them, are forgotten: what a caller gave no name is exported under its id, and may come
    back to where it is still there.
    """
    ids = [one for one in map(_uuid, names) if one is not None]
    own = {"tenant_id": scope.current().tenant_id, "id__in": ids}
    messages = Resource.objects.filter(**own).values_list("id", flat=True)
    forgotten = memory.forgotten_among(list(messages))
    items = Item.objects.filter(**own).values_list("id", "status")
    here = {one: one in forgotten for one in messages} | {one: status == Status.DELETED for one, status in items}
    here |= triggers.held(ids) | memories.feedback_among(ids) | lessons.among(ids)
    return {str(one): is_forgotten for one, is_forgotten in here.items()}


def _uuid(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None


def _position(cursor: str | None) -> tuple[int, UUID | None]:
    if cursor is None:
        return 0, None
    part, line_id = paging.decode(cursor, order=_ORDER)
    try:
        return int(part), UUID(str(line_id))
    except ValueError:
        raise paging.malformed() from None


def _messages(doomed: Doomed, behind: UUID | None, most: int) -> list[ExportedLine]:
    rows = Resource.objects.filter(tenant_id=scope.current().tenant_id).select_related("session")
    held = rows.in_bulk(_next(doomed.resource_ids, behind, most))
    agents = tenants.agent_slugs({row.agent_id for row in held.values()})
    ended = memory.ended_claims(list(held))
    return [_message(held[one], agents, ended.get(one)) for one in sorted(held)]


def _message(row: Resource, agents: dict[UUID, str], ended: EndedClaims | None) -> ExportedLine:
    content = resources.safe(row.raw_content, tenants.policy(row.tenant_id))
    told = {
        "line": LineKind.MESSAGE.value,
        "external_id": row.external_id or str(row.id),
        "session_id": row.session.external_id,
        "user_id": row.user_id,
        "agent_id": agents.get(row.agent_id),
        "visibility": row.visibility,
        "turn_number": row.turn_number,
        "role": row.role,
        "speaker": row.speaker,
        "content": content,
        "content_at": row.content_at.isoformat(),
        "is_imported": ended is None or memory.EVERYTHING not in ended.claims,
        "ended_claims": sorted(ended.claims - {memory.EVERYTHING}) if ended else [],
        "ended_at": ended.at.isoformat() if ended else None,
    }
    said_by = inline(row.speaker or row.role)
    markdown = f"- {row.content_at:%Y-%m-%d %H:%M} {said_by} in {inline(row.session.external_id)}: {inline(content)}"
    return ExportedLine(row.id, LineKind.MESSAGE, told, markdown)


def _memories(doomed: Doomed, behind: UUID | None, most: int) -> list[ExportedLine]:
    rows = _items(doomed).exclude(status=Status.SUPERSEDED)
    held = list((rows if behind is None else rows.filter(id__gt=behind)).order_by("id")[:most])
    return _told(held, _present(held, frozenset(doomed.item_ids)))


def _present(rows: Sequence[Any], exported: frozenset[UUID]) -> dict[UUID, dict[str, Any]]:
    """Which of the items are imported, for they are not learnt again; of what is and somebody vouched for, its name."""
    vouched = _all_about(memories.names([row.id for row in rows if row.is_learnt and row.protected]))
    condensed = _condensed([row.id for row in rows if row.verdict_reason == CONDENSED], exported)
    return {
        row.id: {
            "is_imported": _stands(row) and not row.is_learnt,
            **vouched.get(row.id, {}),
            **condensed.get(row.id, {}),
        }
        for row in rows
    }


def _condensed(item_ids: Sequence[UUID], exported: frozenset[UUID]) -> dict[UUID, dict[str, Any]]:
    """What insights tell of, by its names."""
    told = memories.condensed(item_ids)
    about = _all_about(memories.names(exported.intersection(chain.from_iterable(told.values())), with_former=True))
    return {
        insight: {"condenses": [about[one] for one in ids if one in about][:MOST_CONDENSED]}
        for insight, ids in told.items()
    }


def _former(doomed: Doomed, behind: UUID | None, most: int) -> list[ExportedLine]:
    """The latest first: what took the place of another was itself replaced later, if at all."""
    rows = _items(doomed).filter(status=Status.SUPERSEDED)
    held = list((rows if behind is None else rows.filter(id__lt=behind)).order_by("-id")[:most])
    return _told(held, _history(held, frozenset(doomed.item_ids)))


def _history(rows: Sequence[Any], exported: frozenset[UUID]) -> dict[UUID, dict[str, Any]]:
    """Until when items held and what took their place; of those that are imported, which messages they rest on."""
    ids = [row.id for row in rows]
    successors = {one: by for one, by in memories.successors(ids).items() if by in exported}
    names = memories.names({*ids, *successors.values()}, with_former=True)
    about, ends = _all_about(names), memory_rules.ends_before(ids)
    heard = {one for row in rows for one in names[row.id].resource_ids}
    ended = memory.ended_claims(heard) if heard else {}
    return {
        row.id: {
            **_imported_history(row, about[row.id], is_ended=_is_ended(names[row.id], ended)),
            "held_until": _iso(ends.get(row.id, row.valid_until)),
            "retracted_at": _iso(row.retracted_at),
            "replaced_by": about.get(successors.get(row.id)),
        }
        for row in rows
    }


def _imported_history(row: Any, about: Mapping[str, Any], *, is_ended: bool) -> dict[str, Any]:
    """What is learnt again gives way to the same again, but where somebody decided on it (`claim`)."""
    is_kept = row.status_reason != MERGED and (not row.is_learnt or is_ended)
    is_settled = row.status_reason == FormerReason.SETTLED and not is_kept
    claim = about["claim"] if is_settled else None
    return {"is_imported": is_kept or is_settled, "claim": claim, "messages": about["messages"]}


def _is_ended(name: ItemName, ended: Mapping[UUID, EndedClaims]) -> bool:
    """Whether the claim is not learnt again from its messages."""
    return any(name.claim_hash in ended[one].claims for one in name.resource_ids if one in ended)


def _stands(row: Item) -> bool:
    return row.status in {Status.ACTIVE, Status.STALE, Status.ARCHIVED}


def _items(doomed: Doomed) -> "QuerySet[Item]":
    """Each with whether it is learnt again: what a merge brought makes it no less what somebody remembered."""
    tenant_id = scope.current().tenant_id
    sources = ItemSource.objects.filter(tenant_id=tenant_id, item_id=OuterRef("id"), inherited=False)
    rows = Item.objects.filter(tenant_id=tenant_id, id__in=among(doomed.item_ids)).select_related("session")
    return rows.annotate(is_learnt=Exists(sources))


def _told(rows: Sequence[Any], more: Mapping[UUID, Mapping[str, Any]]) -> list[ExportedLine]:
    cold.fill(rows)
    agents = tenants.agent_slugs({row.agent_id for row in rows})
    return [_memory(row, agents, more[row.id]) for row in rows]


def _memory(row: Any, agents: Mapping[UUID, str], more: Mapping[str, Any]) -> ExportedLine:
    told = {
        "line": LineKind.MEMORY.value,
        "external_id": row.external_id or str(row.id),
        "text": row.text,
        "lead_in": row.lead_in,
        "kind": row.kind,
        "category": row.category,
        "filed_by": row.filed_by,
        "service": row.service,
        "confidence": row.confidence,
        "strength": row.strength,
        "entities": row.entity_names,
        "session_id": row.session.external_id if row.session else None,
        "user_id": row.user_id,
        "agent_id": agents.get(row.agent_id),
        "visibility": row.visibility,
        "occurred_at": row.said_at.isoformat(),
        "valid_from": row.valid_from.isoformat(),
        "valid_until": _iso(row.valid_until),
        "recorded_at": row.recorded_at.isoformat(),
        "status": row.status,
        "status_reason": row.status_reason,
        "verdict": row.verdict,
        "verdict_reason": row.verdict_reason,
        "protected": row.protected,
        "confirmed_at": _iso(row.last_confirmed_at) if row.protected else None,
        **more,
    }
    markdown = f"- {row.said_at:%Y-%m-%d} {row.kind}, {row.category}, {row.status}: {inline(row.text)}"
    return ExportedLine(row.id, LineKind.MEMORY, told, markdown)


def _iso(time: datetime | None) -> str | None:
    return time.isoformat() if time else None


def _records(rule: Rule) -> Part:
    def told(doomed: Doomed, behind: UUID | None, most: int) -> list[ExportedLine]:
        return [_record(rule.table, *row) for row in erasing.told(rule, doomed, behind=behind, most=most)]

    return told


def _lines(rule: Rule, again: Again) -> Part:
    """Records, and of these what is brought about again where it is imported."""
    records = _records(rule)

    def told(doomed: Doomed, behind: UUID | None, most: int) -> list[ExportedLine]:
        lines = records(doomed, behind, most)
        imported = again(lines)
        return [imported.get(line.id, line) for line in lines]

    return told


def _triggers(lines: Sequence[ExportedLine]) -> dict[UUID, ExportedLine]:
    rows = triggers.set_by_callers([line.id for line in lines])
    agents = tenants.agent_slugs({row.agent_id for row in rows.values()})
    return {line.id: _trigger(line, rows[line.id], agents) for line in lines if line.id in rows}


def _trigger(line: ExportedLine, row: FutureTrigger, agents: dict[UUID, str]) -> ExportedLine:
    at = row.begins_at if row.recurrence else row.snoozed_until or row.at
    is_of_day = row.precision == Precision.DAY.value and not row.snoozed_until
    told = {
        "line": LineKind.TRIGGER.value,
        "external_id": str(row.id),
        "text": line.content["text"],
        **({"day": at.astimezone(ZoneInfo(row.time_zone)).date().isoformat()} if is_of_day else {"at": at.isoformat()}),
        "time_zone": row.time_zone,
        "recurrence": row.recurrence or None,
        "user_id": row.user_id,
        "agent_id": agents.get(row.agent_id),
        "visibility": row.visibility,
        "status": row.status,
    }
    return ExportedLine(row.id, LineKind.TRIGGER, told, line.markdown)


def _feedback(lines: Sequence[ExportedLine]) -> dict[UUID, ExportedLine]:
    """What still stands of memories that do."""
    rows = memories.open_feedback([line.id for line in lines])
    names = memories.names({row.item_id for row in rows.values()})
    agents = tenants.agent_slugs({one for row in rows.values() for one in (row.agent_id, row.by_agent_id) if one})
    messages = _message_names(one for name in names.values() for one in name.resource_ids)
    return {
        line.id: _opinion(line, row, _about(names[row.item_id], messages), agents)
        for line in lines
        if (row := rows.get(line.id)) is not None and row.item_id in names
    }


def _opinion(line: ExportedLine, row: ItemFeedback, about: dict[str, Any], agents: Mapping[UUID, str]) -> ExportedLine:
    told = {
        "line": LineKind.FEEDBACK.value,
        "external_id": str(row.id),
        "kind": row.kind,
        "note": line.content.get("note", ""),
        "by": row.actor,
        "by_agent_id": agents.get(row.by_agent_id) if row.by_agent_id else None,
        "at": row.at.isoformat(),
        "user_id": row.user_id,
        "agent_id": agents.get(row.agent_id),
        "visibility": row.visibility,
        **about,
    }
    return ExportedLine(row.id, LineKind.FEEDBACK, told, line.markdown)


def _lessons(lines: Sequence[ExportedLine]) -> dict[UUID, ExportedLine]:
    rows = lessons.to_keep([line.id for line in lines])
    names = memories.names({row.item_id for row in rows.values() if row.item_id})
    agents = tenants.agent_slugs({row.agent_id for row in rows.values()})
    on_messages = {row.id: ItemName(None, "", tuple(row.resources)) for row in rows.values() if row.item_id is None}
    grounds = on_messages | {row.id: names[row.item_id] for row in rows.values() if row.item_id in names}
    messages = _message_names(one for ground in grounds.values() for one in ground.resource_ids)
    return {
        line.id: _lesson(line, rows[line.id], _about(grounds[line.id], messages), agents)
        for line in lines
        if line.id in grounds
    }


def _lesson(line: ExportedLine, row: Lesson, about: dict[str, Any], agents: Mapping[UUID, str]) -> ExportedLine:
    told = {
        "line": LineKind.LESSON.value,
        "external_id": str(row.id),
        "pattern": row.pattern,
        "text": line.content.get("text", ""),
        "status": row.status,
        "user_id": row.user_id,
        "agent_id": agents.get(row.agent_id),
        "visibility": row.visibility,
        **about,
    }
    return ExportedLine(row.id, LineKind.LESSON, told, line.markdown)


def _all_about(names: Mapping[UUID, ItemName]) -> dict[UUID | None, dict[str, Any]]:
    messages = _message_names(one for name in names.values() for one in name.resource_ids)
    return {item_id: _about(name, messages) for item_id, name in names.items()}


def _about(name: ItemName, messages: Mapping[UUID, dict[str, Any]]) -> dict[str, Any]:
    """A memory, or messages, by what they are called wherever they are imported."""
    told = [messages[one] for one in name.resource_ids[:MOST_MESSAGES] if one in messages]
    return {"memory_id": name.external_id, "claim": name.claim_hash or None, "messages": told}


def _message_names(ids: Iterable[UUID]) -> dict[UUID, dict[str, Any]]:
    rows = Resource.objects.filter(tenant_id=scope.current().tenant_id).select_related("session").in_bulk(list(ids))
    agents = tenants.agent_slugs({row.agent_id for row in rows.values()})
    return {
        row.id: {
            "session_id": row.session.external_id,
            "external_id": row.external_id or str(row.id),
            "agent_id": agents.get(row.agent_id),
        }
        for row in rows.values()
    }


def _record(table: str, row_id: UUID, row: dict[str, Any]) -> ExportedLine:
    redacted: Any = redact_json(row).value
    said = {name: value for name, value in redacted.items() if value not in (None, "", [], {})}
    told = {"line": LineKind.RECORD.value, "table": table, "id": str(row_id), **said}
    words = "; ".join(f"{name}: {inline(str(value))}" for name, value in said.items())
    return ExportedLine(row_id, LineKind.RECORD, told, f"- {table}: {words}")


def _next(ids: Sequence[UUID], behind: UUID | None, most: int) -> list[UUID]:
    return [one for one in sorted(ids) if behind is None or one > behind][:most]


def _part(rule: Rule) -> Part:
    again = _IMPORTED.get(rule)
    return _records(rule) if again is None else _lines(rule, again)


_IMPORTED: Final[Mapping[Rule, Again]] = {
    trigger_rules.TRIGGERS: _triggers,
    memory_rules.FEEDBACK: _feedback,
    lesson_rules.LESSONS: _lessons,
}

PARTS: Final[tuple[Part, ...]] = (_messages, _memories, _former, *(_part(rule) for rule in RULES if rule.tells))
