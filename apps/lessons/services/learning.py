"""Lessons follow memory: what it stored, merged, superseded, forgot or gave back, the lessons on it do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from apps.core import providers, scope
from apps.core.scope import Scope
from apps.jobs.services import NewJob, enqueue_many
from apps.journal.services import record
from apps.lessons.models import Lesson, LessonStatus
from apps.lessons.results import Taught
from apps.lessons.services import versions
from apps.memory import selectors as memory
from apps.memory import topics
from apps.memory.results import ItemState, ItemView, Replaced
from apps.tenants import selectors as tenants
from memory_platform.lifecycle import lessons
from memory_platform.lifecycle.lessons import LessonGround
from memory_platform.model import Audience, JournalLine, Kind, Status, Verdict, in_context

LEARN_JOB: Final = "lessons.learn"
_HELD: Final = frozenset({Status.ACTIVE, Status.STALE})
_BY_ITSELF: Final = frozenset({LessonStatus.SUPERSEDED, LessonStatus.ENDED})
"""What is taken back with what brought it about."""


@dataclass(frozen=True, slots=True)
class _KnownLessons:
    """The lessons there are on items, what became of these, and items that may become lessons."""

    rows: Mapping[UUID, Lesson]
    states: Mapping[UUID, ItemState]
    candidates: Mapping[UUID, ItemView]

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
        made = _make(known.candidates, guidance)
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


def _load(item_ids: Sequence[UUID]) -> _KnownLessons:
    """What replaced the items of lessons is looked at with them, whichever job names it."""
    rows = _rows(item_ids)
    states = memory.item_states(list(rows))
    wanted = list(dict.fromkeys([*item_ids, *(one for one in map(_successor, states.values()) if one)]))
    rows |= _rows(wanted)
    items = memory.hydrate([one for one in wanted if one not in rows])
    candidates = {one.id: one for one in items.values() if one.status in _HELD and one.verdict is Verdict.ALLOW}
    return _KnownLessons(rows, memory.item_states(list(rows)), candidates)


def _rows(item_ids: Sequence[UUID]) -> dict[UUID, Lesson]:
    found = Lesson.objects.filter(tenant_id=scope.current().tenant_id, item_id__in=item_ids)
    return {row.item_id: row for row in found if row.item_id}


def _make(candidates: Mapping[UUID, ItemView], guidance: Mapping[UUID, float]) -> dict[UUID, Lesson]:
    """The new lessons, by item. What says in other words what somebody dismissed is dismissed, too."""
    guidance_from = tenants.policy(scope.current().tenant_id).lesson_guidance_from
    ids, made = list(candidates), {}
    followed, heard, wrong = _followed(ids), memory.said_by_users(ids), memory.corrected_by(ids)
    for item_id, item in candidates.items():
        ground = LessonGround(
            item.kind,
            item.mood,
            guidance.get(item_id, 0.0),
            is_said_by_user=item_id in heard,
            corrects=wrong.get(item_id, ""),
            follows=bool(followed[item_id]) and (item_id in heard or not item.sources),
        )
        pattern = lessons.pattern_of(ground, guidance_from=guidance_from)
        if pattern is not None:
            owner = Audience(item.agent_id, item.user_id, item.visibility)
            status = LessonStatus.DISMISSED if _is_dismissed(followed[item_id]) else LessonStatus.ACTIVE
            made[item_id] = versions.make(owner, pattern, item_id=item_id, status=status)
    return made


def _followed(item_ids: Sequence[UUID]) -> dict[UUID, list[tuple[Replaced, Lesson]]]:
    """What items replaced that a lesson stands on, with that lesson, by item."""
    replaced = memory.replaced(item_ids)
    rows = _rows([one.id for ones in replaced.values() for one in ones])
    return {item_id: [(one, rows[one.id]) for one in ones if one.id in rows] for item_id, ones in replaced.items()}


def _is_dismissed(followed: Sequence[tuple[Replaced, Lesson]]) -> bool:
    return any(one.is_rewording and row.status == LessonStatus.DISMISSED for one, row in followed)


def _follow(row: Lesson, known: _KnownLessons, made: Mapping[UUID, Lesson]) -> bool:
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
