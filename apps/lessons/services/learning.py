"""Lessons follow memory: what it stored, merged, superseded, forgot or gave back, the lessons on it do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from apps.core import clock, providers, scope
from apps.core.scope import Scope
from apps.jobs.services import NewJob, enqueue_many
from apps.journal.services import record
from apps.lessons.models import Lesson, LessonStatus
from apps.lessons.results import Taught
from apps.lessons.services import versions
from apps.memory import selectors as memory
from apps.memory import topics
from apps.memory.results import ItemState, ItemView
from apps.tenants import selectors as tenants
from memory_platform.lifecycle import lessons
from memory_platform.lifecycle.lessons import Ground, Pattern
from memory_platform.model import JournalLine, Kind, Status, Verdict, in_context

LEARN_JOB: Final = "lessons.learn"
_HELD: Final = frozenset({Status.ACTIVE, Status.STALE})
_BY_ITSELF: Final = frozenset({LessonStatus.SUPERSEDED, LessonStatus.ENDED})
"""What is taken back with what brought it about."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Items that may become lessons, the lessons there are on items, and which of these each item followed."""

    candidates: Mapping[UUID, ItemView]
    grounds: Mapping[UUID, Ground]
    rows: Mapping[UUID, Lesson]
    states: Mapping[UUID, ItemState]
    reworded: frozenset[UUID]
    """Candidates that say in other words what somebody dismissed."""

    @property
    def read(self) -> list[ItemView]:
        """Those that a head has to read."""
        return [one for one in self.candidates.values() if one.kind in {Kind.RULE, Kind.PREFERENCE}]


def learn(item_ids: Sequence[UUID], *, within: Scope) -> Taught:
    """Bring lessons in line with the items. Called without an open scope: no transaction waits for a model."""
    with scope.enter(within):
        known = _load(item_ids)
    read = known.read
    told = providers.adviser().guidance([in_context(one.text, one.lead_in) for one in read])
    guidance = {one.id: share for one, share in zip(read, told, strict=True)}
    with scope.enter(within):
        known = _load(item_ids)
        made = _make(known, guidance)
        changed = sum(_follow(row, known, made) for row in known.rows.values())
        if made or changed:
            record(JournalLine("lesson.learnt", data={"made": len(made), "changed": changed}))
        return Taught(len(made), changed)


def backfill() -> int:
    """Have everything that is known be looked at; returns how many jobs. Repeating it changes nothing."""
    ids = list(map(str, memory.every_id()))
    chunks = [ids[start : start + topics.UNITS_PER_JOB] for start in range(0, len(ids), topics.UNITS_PER_JOB)]
    enqueue_many([NewJob(LEARN_JOB, {"items": chunk}, topics.ITEMS_CHANGED) for chunk in chunks])
    return len(chunks)


def _load(item_ids: Sequence[UUID]) -> _Known:
    """What replaced the items of lessons is looked at with them, whichever job names it."""
    rows = _rows(item_ids)
    states = memory.item_states(list(rows))
    wanted = list(dict.fromkeys([*item_ids, *(one for one in map(_successor, states.values()) if one)]))
    rows |= _rows(wanted)
    items = memory.hydrate([one for one in wanted if one not in rows])
    candidates = {one.id: one for one in items.values() if one.status in _HELD and one.verdict is Verdict.ALLOW}
    replaced = memory.replaced(list(candidates))
    followed = _rows([one.id for ones in replaced.values() for one in ones])
    heard, wrong = memory.said_by_users(list(candidates)), memory.corrected_by(list(candidates))
    grounds = {
        item_id: Ground(
            one.kind,
            one.mood,
            is_said_by_user=item_id in heard,
            corrects=wrong.get(item_id, ""),
            follows=any(each.id in followed for each in replaced[item_id]) and (item_id in heard or not one.sources),
        )
        for item_id, one in candidates.items()
    }
    reworded = {
        item_id
        for item_id, ones in replaced.items()
        for one in ones
        if one.is_rewording and one.id in followed and followed[one.id].status == LessonStatus.DISMISSED
    }
    return _Known(candidates, grounds, rows, memory.item_states(list(rows)), frozenset(reworded))


def _rows(item_ids: Sequence[UUID]) -> dict[UUID, Lesson]:
    found = Lesson.objects.filter(tenant_id=scope.current().tenant_id, item_id__in=item_ids)
    return {row.item_id: row for row in found if row.item_id}


def _make(known: _Known, guidance: Mapping[UUID, float]) -> dict[UUID, Lesson]:
    """The new lessons, by item."""
    guidance_from = tenants.policy(scope.current().tenant_id).lesson_guidance_from
    patterns = {
        item_id: lessons.pattern_of(replace(ground, guidance=guidance.get(item_id, 0.0)), guidance_from=guidance_from)
        for item_id, ground in known.grounds.items()
    }
    return {
        item_id: versions.make(_new(known.candidates[item_id], pattern, is_dismissed=item_id in known.reworded))
        for item_id, pattern in patterns.items()
        if pattern is not None
    }


def _new(item: ItemView, pattern: Pattern, *, is_dismissed: bool) -> Lesson:
    now = clock.now()
    return Lesson(
        tenant_id=scope.current().tenant_id,
        agent_id=item.agent_id,
        user_id=item.user_id,
        visibility=item.visibility.value,
        pattern=pattern.value,
        item_id=item.id,
        status=LessonStatus.DISMISSED if is_dismissed else LessonStatus.ACTIVE,
        created_at=now,
        updated_at=now,
    )


def _follow(row: Lesson, known: _Known, made: Mapping[UUID, Lesson]) -> bool:
    """Whether the row is not what it was."""
    state = known.states[row.item_id] if row.item_id else ItemState()
    is_over = state.is_forgotten or state.is_superseded
    if is_over and row.status == LessonStatus.ACTIVE:
        successor = _successor(state)
        following = None if successor is None else made.get(successor) or known.rows.get(successor)
        status, operation = (
            (LessonStatus.ENDED, "forgotten") if state.is_forgotten else (LessonStatus.SUPERSEDED, "superseded")
        )
        versions.change(row, status, operation, replaced_by=following.id if following else None)
        return True
    if not is_over and row.status in _BY_ITSELF:
        versions.change(row, LessonStatus.ACTIVE, "restored")
        return True
    return False


def _successor(state: ItemState) -> UUID | None:
    return state.merged_into or state.superseded_by
