"""Messages in, triggers out: what was observed is read for times ahead, however often it is read.

So is what a caller has remembered or corrected: it is its own message.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from apps.core import clock, providers, scope
from apps.core.scope import Scope
from apps.graph import units
from apps.graph.units import RecallableUnit
from apps.journal.services import record
from apps.memory import selectors as memory
from apps.memory.results import Resting
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from apps.triggers.models import Ending, FutureTrigger, TriggerStatus
from apps.triggers.requests import MOST_PRELOADED
from apps.triggers.results import OPEN, Detection
from apps.triggers.services import alarms
from apps.triggers.zones import tenant_zone
from memory_platform.extraction import observing
from memory_platform.knowledge.graph import NodeKind
from memory_platform.lifecycle import recurrence, triggers
from memory_platform.lifecycle.anchors import DatedEvent
from memory_platform.lifecycle.triggers import Bars, Detected, Precision, TimeSettlement
from memory_platform.model import Audience, Fact, JournalLine, Observation, Utterance

KNOWN_AT_MOST: Final = 500
"""Open triggers of an audience, the soonest first, that a message may move, cancel or be reckoned from."""
_ENDED_AS: Final = {
    TimeSettlement.MOVED: Ending.MOVED,
    TimeSettlement.REFINED: Ending.REFINED,
    TimeSettlement.CANCELLED: Ending.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class _ScannedMessage:
    """A message that is not forgotten or the words of a caller, the one before it, and what was made of it."""

    unit: RecallableUnit
    before: RecallableUnit | None
    observation: Observation
    resting: Sequence[Resting]

    @property
    def utterance(self) -> Utterance:
        return _utterance(self.unit)

    @property
    def earlier(self) -> list[Utterance]:
        return [_utterance(self.before)] if self.before else []

    @property
    def resource_id(self) -> UUID | None:
        """None for the words of a caller."""
        return self.unit.node.id if self.unit.node.kind is NodeKind.EPISODE else None


@dataclass(frozen=True, slots=True)
class _Heard:
    """What is read: messages by their place in time, known triggers by audience, and how dates are written."""

    messages: Sequence[_ScannedMessage]
    known: Mapping[Audience, Sequence[FutureTrigger]]
    is_day_first: bool
    bars: Bars

    @classmethod
    def of(
        cls, messages: Sequence[_ScannedMessage], known: Mapping[Audience, Sequence[FutureTrigger]], policy: Policy
    ) -> "_Heard":
        """By the tenant's numbers."""
        bars = Bars(worth=policy.trigger_worth_from, planned=policy.trigger_planned_from)
        return cls(messages, known, policy.day_first, bars)


def detect(resource_ids: Sequence[UUID], *, within: Scope) -> Detection:
    """Make the triggers of the messages, and end those of messages that are forgotten. No transaction is open while it
    reads.
    """
    with scope.enter(within):
        heard = _load(resource_ids)
    found = _read(heard)
    with scope.enter(within):
        live = {one.unit.node.id for one in heard.messages}
        forgotten = _forget(set(resource_ids) - live)
        revived = _revive(live)
        made, ended = _apply(heard, found)
        _note(messages=len(live), made=made, ended=ended, forgotten=forgotten)
    return Detection(messages=len(live), made=made, revived=revived, ended=ended + forgotten)


def detect_told(item_ids: Sequence[UUID], *, within: Scope) -> Detection:
    """Make the triggers of those items that callers have remembered or corrected, and that hold."""
    with scope.enter(within):
        heard = _load_told(item_ids)
    found = _read(heard)
    if not found:
        return Detection(messages=len(heard.messages))
    with scope.enter(within):
        made, ended = _apply(heard, found)
        _note(messages=len(heard.messages), made=made, ended=ended, forgotten=0)
    return Detection(messages=len(heard.messages), made=made, ended=ended)


def _note(**counts: int) -> None:
    """A journal line where more was done than reading."""
    if any(count for name, count in counts.items() if name != "messages"):
        record(JournalLine("trigger.detected", data=counts))


def _load(resource_ids: Sequence[UUID]) -> _Heard:
    tenant_id = scope.current().tenant_id
    episodes = _local(units.episodes(tenant_id, resource_ids))
    earlier = units.episodes(tenant_id, [one.previous for one in episodes if one.previous])
    before = {one.node.id: one for one in _local(earlier)}
    observations, resting = memory.observations_of(resource_ids), memory.resting_on(resource_ids)
    messages = [
        _ScannedMessage(
            one,
            before.get(one.previous) if one.previous else None,
            observations.get(one.node.id) or Observation(one.node.id),
            resting.get(one.node.id, ()),
        )
        for one in sorted(episodes, key=lambda one: (one.event_time, one.node.id))
    ]
    known = {audience: _known(audience) for audience in {one.audience for one in episodes}}
    return _Heard.of(messages, known, tenants.policy(tenant_id))


def _load_told(item_ids: Sequence[UUID]) -> _Heard:
    """What stands on an item that is over is not known: the item that took its place may say the time again."""
    tenant_id = scope.current().tenant_id
    told = _local(_told(item_ids))
    known = {audience: _in_force(_known(audience)) for audience in {one.audience for one in told}}
    return _Heard.of([_own_message(one) for one in told], known, tenants.policy(tenant_id))


def _told(item_ids: Sequence[UUID]) -> list[RecallableUnit]:
    """Those that hold, that nothing else said, and that were not read before, as of when they were told."""
    found = {one.node.id: one for one in units.items(scope.current().tenant_id, item_ids) if one.resource_id is None}
    ids = list(found)
    elsewhere = memory.insights_among(ids) | memory.copies_among(ids) | _named(ids)
    states = memory.item_states(ids)
    return [
        replace(found[view.id], event_time=view.said_at)
        for view in memory.hydrate(ids).values()
        if view.id not in elsewhere and not states[view.id].is_over and states[view.id].merged_into is None
    ]


def _named(item_ids: Sequence[UUID]) -> set[UUID]:
    """Those that belong to a trigger, whatever has become of it: one that was dismissed is not made again."""
    rows = FutureTrigger.objects.filter(tenant_id=scope.current().tenant_id, preload__overlap=list(item_ids))
    return {item_id for preload in rows.values_list("preload", flat=True) for item_id in preload}


def _own_message(unit: RecallableUnit) -> _ScannedMessage:
    item_id = unit.node.id
    whole = Observation(item_id, (Fact(unit.text, unit.text),))
    return _ScannedMessage(unit, None, whole, (Resting(item_id, unit.text),))


def _in_force(rows: Sequence[FutureTrigger]) -> list[FutureTrigger]:
    states = memory.item_states([row.item_id for row in rows if row.item_id])
    return [row for row in rows if row.item_id is None or not states[row.item_id].is_over]


def _known(audience: Audience) -> list[FutureTrigger]:
    rows = FutureTrigger.objects.filter(
        tenant_id=scope.current().tenant_id,
        agent_id=audience.agent_id,
        user_id=audience.user_id,
        visibility=audience.visibility.value,
        status__in=OPEN,
    )
    return list(rows.order_by("at", "id")[:KNOWN_AT_MOST])


def _utterance(unit: RecallableUnit) -> Utterance:
    return Utterance(unit.node.id, unit.role, unit.speaker, unit.text, unit.event_time)


def _local(episodes: Iterable[RecallableUnit]) -> list[RecallableUnit]:
    """The same, told by the tenant's clock."""
    zone = tenant_zone()
    return [replace(one, event_time=one.event_time.astimezone(zone)) for one in episodes]


def _read(heard: _Heard) -> dict[UUID, tuple[Detected, ...]]:
    """The times of each message, which those behind it may be told from, too: the latest first."""
    events = {audience: [_event(row) for row in rows] for audience, rows in heard.known.items()}
    found: dict[UUID, tuple[Detected, ...]] = {}
    for one in heard.messages:
        known = events[one.unit.audience]
        times = _of_message(one, known, heard)
        known[:0] = [DatedEvent(each.quote, each.at.date()) for each in times if not each.is_cancelled]
        found[one.unit.node.id] = times
    return {resource_id: times for resource_id, times in found.items() if times}


def _of_message(message: _ScannedMessage, events: Sequence[DatedEvent], heard: _Heard) -> tuple[Detected, ...]:
    """What holds no word for a time is not parsed."""
    language = observing.language_of_talk([*message.earlier, message.utterance])
    if not triggers.may_tell(message.unit.text, language=language):
        return ()
    passage = observing.passage(message.utterance, message.earlier)
    (parse,) = providers.reader().read([passage.prose], language=language)
    reading = observing.read(passage, parse)
    judged = triggers.judged_by(message.observation)
    return triggers.detect(reading, judged=judged, bars=heard.bars, day_first=heard.is_day_first, events=events)


def _event(row: FutureTrigger) -> DatedEvent:
    return DatedEvent(row.text, row.at.astimezone(ZoneInfo(row.time_zone)).date())


def _apply(heard: _Heard, found: Mapping[UUID, Sequence[Detected]]) -> tuple[int, int]:
    """Write what was read, in the order it was said; returns how many were made and ended."""
    known = {audience: list(rows) for audience, rows in heard.known.items()}
    made: list[FutureTrigger] = []
    ended = 0
    seen = _digests(found)
    states = memory.item_states([each.item_id for message in heard.messages for each in message.resting])
    for message in heard.messages:
        for one in found.get(message.unit.node.id, ()):
            item_id = _item_of(one, message.resting)
            is_over = item_id is not None and states[item_id].is_over
            if is_over or (message.unit.node.id, one.digest) in seen:
                continue
            ended += _settle(one, message, known[message.unit.audience], made)
    alarms.watch(made)
    return len(made), ended


def _settle(one: Detected, message: _ScannedMessage, known: list[FutureTrigger], made: list[FutureTrigger]) -> int:
    """Make the trigger of a time, unless it is known, a cancellation or over; end what it moves or cancels."""
    said_at, ends = message.unit.event_time, list[tuple[FutureTrigger, TimeSettlement]]()
    for row in known:
        settlement = triggers.settle(one, _detected(row))
        if settlement is TimeSettlement.DUPLICATE:
            _lean_on(row, one, message)
            return 0
        if settlement is not TimeSettlement.NONE and (row.recurrence or row.at > said_at):
            ends.append((row, settlement))
    new = None if one.is_cancelled else _make(one, message)
    for row, settlement in ends:
        _end(row, _ENDED_AS[settlement], replaced_by=new)
        known.remove(row)
    if new is not None:
        known.append(new)
        made.append(new)
    return len(ends)


def _make(one: Detected, message: _ScannedMessage) -> FutureTrigger | None:
    now, at, tenant_id = clock.now(), one.at, scope.current().tenant_id
    # What is long over when it is read, as in an import of history, is nothing to come back to.
    if at < now - timedelta(days=tenants.policy(tenant_id).trigger_missed_days):
        following = recurrence.following(one.recurrence, at, after=now) if one.recurrence else None
        if following is None:
            return None
        at = following
    audience = message.unit.audience
    return FutureTrigger.objects.create(
        tenant_id=scope.current().tenant_id,
        agent_id=audience.agent_id,
        user_id=audience.user_id,
        visibility=audience.visibility.value,
        text=one.quote,
        at=at,
        begins_at=one.at,
        precision=one.precision.value,
        time_zone=str(one.at.tzinfo),
        recurrence=one.recurrence,
        resource_id=message.resource_id,
        item_id=_item_of(one, message.resting),
        preload=_preload(one, message.resting),
        digest=one.digest,
        created_at=now,
        updated_at=now,
    )


def _item_of(one: Detected, resting: Sequence[Resting]) -> UUID | None:
    """The memory that holds the clause."""
    return next((each.item_id for each in resting if each.quote in one.quote or one.quote in each.quote), None)


def _preload(one: Detected, resting: Sequence[Resting]) -> list[UUID]:
    """That memory, then what else the message said."""
    own = _item_of(one, resting)
    ids = [own] if own else []
    return list(dict.fromkeys([*ids, *(each.item_id for each in resting)]))[:MOST_PRELOADED]


def _lean_on(row: FutureTrigger, one: Detected, message: _ScannedMessage) -> None:
    """What is told again stands on the memory of the last time it was told."""
    item_id = _item_of(one, message.resting)
    if item_id is not None and item_id != row.item_id:
        row.item_id = item_id
        row.preload = list(dict.fromkeys([item_id, *row.preload]))[:MOST_PRELOADED]
        row.save(update_fields=["item", "preload"])


def _end(row: FutureTrigger, ending: Ending, *, replaced_by: FutureTrigger | None) -> None:
    row.status, row.ending, row.replaced_by, row.updated_at = TriggerStatus.ENDED, ending, replaced_by, clock.now()
    row.save(update_fields=["status", "ending", "replaced_by", "updated_at"])


def _forget(resource_ids: Iterable[UUID]) -> int:
    rows = FutureTrigger.objects.filter(
        tenant_id=scope.current().tenant_id, resource_id__in=list(resource_ids), status__in=OPEN
    )
    return rows.update(status=TriggerStatus.ENDED, ending=Ending.FORGOTTEN, updated_at=clock.now())


def _revive(resource_ids: Iterable[UUID]) -> int:
    """What was forgotten with its message and came back with it waits again."""
    rows = FutureTrigger.objects.filter(
        tenant_id=scope.current().tenant_id, resource_id__in=list(resource_ids), ending=Ending.FORGOTTEN
    )
    return alarms.reopen(rows)


def _digests(found: Mapping[UUID, Sequence[Detected]]) -> set[tuple[UUID, str]]:
    """What was read off these messages before, whatever has become of it."""
    rows = FutureTrigger.objects.filter(tenant_id=scope.current().tenant_id, resource_id__in=list(found))
    return {(resource_id, digest) for resource_id, digest in rows.values_list("resource_id", "digest") if resource_id}


def _detected(row: FutureTrigger) -> Detected:
    at = row.at.astimezone(ZoneInfo(row.time_zone))
    return Detected(at, Precision(row.precision), row.text, row.recurrence)
