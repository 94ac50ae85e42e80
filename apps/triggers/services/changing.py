"""What callers do with triggers."""

import hashlib
from collections.abc import Callable
from datetime import datetime, time, timedelta
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from apps.core import clock, scope
from apps.core.scope import Reach
from apps.jobs import planning
from apps.journal.services import record
from apps.memory import selectors as memory
from apps.triggers import selectors
from apps.triggers.models import Ending, FutureTrigger, TriggerStatus
from apps.triggers.requests import LONGEST_AWAY_YEARS, LONGEST_SNOOZE_DAYS, MOST_PRELOADED, NewTrigger
from apps.triggers.results import OPEN, TriggerView, view
from apps.triggers.services import alarms
from apps.triggers.zones import tenant_zone
from memory_platform.errors import Conflict, Forbidden, Invalid, NotFound
from memory_platform.lifecycle import recurrence
from memory_platform.lifecycle.triggers import Precision
from memory_platform.model import JournalLine


def create(new: NewTrigger) -> TriggerView:
    """Set a time to come back to something, for the scope's agent.

    Raises Invalid for a time that is past, a zone or rule that is none, NotFound for a memory that cannot be read.
    """
    _check_memories(new.memory_ids)
    row = _as_row(new, digest=uuid4().hex)
    if not _lies_ahead(row):
        raise Invalid("at must lie ahead.", field="at")
    row.save(force_insert=True)
    _is_set(row)
    return view(row, now=row.created_at)


def set_again(new: NewTrigger, external_id: str) -> tuple[TriggerView, bool]:
    """Set what was exported under an id, and whether it was not there; one whose time has come is due.

    Raises Invalid for a time, a zone or a rule that is none.
    """
    row = _as_row(new, digest=hashlib.sha256(f"{new.user_id or ''}\n{external_id}".encode()).hexdigest())
    set_before = FutureTrigger.objects.filter(
        tenant_id=row.tenant_id, agent_id=row.agent_id, resource=None, digest=row.digest
    )
    # Two that bring the same at once: the second waits here for the first, and writes nothing.
    (stored,) = FutureTrigger.objects.bulk_create([row], ignore_conflicts=True)
    held = set_before.get()
    if held.id == stored.id:
        _is_set(held)
    return view(held, now=clock.now()), held.id == stored.id


def snooze(trigger_id: UUID, until: datetime) -> TriggerView:
    """Have it fall due later. Raises Invalid for a time that is past or too far, NotFound, Forbidden, Conflict."""
    now = clock.now()

    def put_off(row: FutureTrigger) -> None:
        if not now < until <= now + timedelta(days=LONGEST_SNOOZE_DAYS):
            raise Invalid(f"until must lie ahead, at most {LONGEST_SNOOZE_DAYS} days.", field="until")
        row.status, row.snoozed_until = TriggerStatus.SNOOZED, until

    return _change(trigger_id, "trigger.snoozed", put_off, now=now)


def complete(trigger_id: UUID) -> TriggerView:
    """Done; one that comes back waits for its next time. What is done stays so.

    Raises NotFound, Forbidden, Conflict.
    """
    now = clock.now()

    def finish(row: FutureTrigger) -> None:
        row.snoozed_until = None
        following = alarms.following(row, now=now) if row.recurrence else None
        if following is None:
            row.status = TriggerStatus.DONE
        else:
            row.status, row.at, row.due_at = TriggerStatus.WAITING, following, None

    return _change(trigger_id, "trigger.completed", finish, now=now, unless=TriggerStatus.DONE)


def dismiss(trigger_id: UUID) -> TriggerView:
    """Never again, whether it comes back or not. Repeating it changes nothing. Raises NotFound, Forbidden, Conflict."""

    def drop(row: FutureTrigger) -> None:
        row.status, row.snoozed_until = TriggerStatus.DISMISSED, None

    now = clock.now()
    return _change(trigger_id, "trigger.dismissed", drop, now=now, unless=TriggerStatus.DISMISSED)


def forget_of_user(user_id: str, *, batch_id: UUID | None) -> int:
    """Hide what callers set for a user; what was read in messages goes with these."""
    opened = scope.current()
    rows = FutureTrigger.objects.filter(
        tenant_id=opened.tenant_id, user_id=user_id, resource__isnull=True, status__in=OPEN
    )
    if opened.agent_id is not None:
        rows = rows.filter(agent_id=opened.agent_id)
    return rows.update(
        status=TriggerStatus.ENDED, ending=Ending.FORGOTTEN, forget_batch_id=batch_id, updated_at=clock.now()
    )


def restore(batch_id: UUID) -> int:
    """Give back what `forget_of_user` hid with a batch."""
    return alarms.reopen(FutureTrigger.objects.filter(tenant_id=scope.current().tenant_id, forget_batch_id=batch_id))


def _change(
    trigger_id: UUID,
    operation: str,
    alter: Callable[[FutureTrigger], None],
    *,
    now: datetime,
    unless: TriggerStatus | None = None,
) -> TriggerView:
    row = _own(trigger_id)
    if row.status == unless:
        return view(row, now=now)
    if row.status not in OPEN:
        raise Conflict("It is over.", hint="Read its status.")
    alter(row)
    row.updated_at = now
    row.save(update_fields=["status", "at", "due_at", "snoozed_until", "updated_at"])
    if row.status in OPEN:
        alarms.watch([row])
    record(JournalLine(operation, "trigger", row.id))
    return view(row, now=now)


def _own(trigger_id: UUID) -> FutureTrigger:
    """The row, locked. What another agent shares can be read, and is its own to change."""
    found = selectors.readable().filter(id=trigger_id).first()
    if found is None:
        raise NotFound("There is no such trigger.")
    opened = scope.current()
    if opened.reach is not Reach.TENANT and found.agent_id != opened.agent_id:
        raise Forbidden("This trigger is another agent's.")
    if found.user_id is None and opened.whose.user_id is not None:
        raise Forbidden("This trigger is no user's, and not one user's to change.")
    return FutureTrigger.objects.select_for_update().get(tenant_id=opened.tenant_id, id=trigger_id)


def _as_row(new: NewTrigger, *, digest: str) -> FutureTrigger:
    zone, now, opened = _zone(new.time_zone), clock.now(), scope.current()
    if opened.agent_id is None:
        raise Forbidden("Only an agent sets triggers.")
    first, rule = _first(new, zone), _rule(new.recurrence)
    return FutureTrigger(
        tenant_id=opened.tenant_id,
        agent_id=opened.agent_id,
        user_id=new.user_id,
        visibility=new.visibility.value,
        text=new.text,
        at=_next(rule, first),
        begins_at=first,
        precision=(Precision.MINUTE if new.has_time else Precision.DAY).value,
        time_zone=zone.key,
        recurrence=rule,
        preload=list(new.memory_ids),
        digest=digest,
        created_at=now,
        updated_at=now,
    )


def _is_set(row: FutureTrigger) -> None:
    alarms.watch([row])
    record(JournalLine("trigger.created", "trigger", row.id))


def _zone(name: str | None) -> ZoneInfo:
    return tenant_zone() if name is None else planning.zone(name)


def _first(new: NewTrigger, zone: ZoneInfo) -> datetime:
    local = new.at.astimezone(zone) if new.at.tzinfo else new.at.replace(tzinfo=zone)
    if abs(local.year - clock.now().year) > LONGEST_AWAY_YEARS:
        raise Invalid(f"at lies more than {LONGEST_AWAY_YEARS} years away.", field="at")
    return local if new.has_time else datetime.combine(local.date(), time(), zone)


def _rule(given: str) -> str:
    try:
        return recurrence.checked(given) if given else ""
    except ValueError as error:
        raise Invalid(str(error), field="recurrence") from error


def _next(rule: str, first: datetime) -> datetime:
    """The first time that is not past; of what does not come back its only one."""
    if not rule:
        return first
    at = recurrence.following(rule, first, after=max(first, clock.now()) - timedelta(seconds=1))
    if at is None:
        raise Invalid("at must lie ahead.", field="at")
    return at


def _lies_ahead(row: FutureTrigger) -> bool:
    """Of a whole day today counts; what comes back was given its next time."""
    now = clock.now()
    return (
        bool(row.recurrence)
        or row.at >= now
        or (row.precision == Precision.DAY.value and row.at >= now - timedelta(days=1))
    )


def _check_memories(ids: tuple[UUID, ...]) -> None:
    if len(ids) > MOST_PRELOADED:
        raise Invalid(f"At most {MOST_PRELOADED} memories.", field="memoryIds")
    if ids and len(memory.hydrate(ids)) < len(set(ids)):
        raise NotFound("There is no such memory.", field="memoryIds")
