"""Reading lessons. All need an open scope and see what it may read; what is forgotten or faded is not there."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from apps.core import paging, scope
from apps.core.paging import PageRequest, Slice
from apps.lessons.models import Lesson, LessonStatus
from apps.lessons.requests import LessonFilter
from apps.lessons.results import Evidence, LessonsFile, LessonView
from apps.memory import selectors as memory
from apps.memory.results import ItemView
from apps.resources import selectors as resources
from apps.tenants import selectors as tenants
from memory_platform.extraction.classify import category_of
from memory_platform.lifecycle import lessons as files
from memory_platform.lifecycle.lessons import LessonLine, Pattern
from memory_platform.model import Status, Utterance, Verdict, Visibility
from memory_platform.text.tokens import count as count_tokens

_HELD: Final = (Status.ACTIVE.value, Status.STALE.value)
_SAID: Final = (*_HELD, Status.SUPERSEDED.value, Status.ARCHIVED.value)
_FORGOTTEN: Final = (
    "EXISTS (SELECT FROM memory_forgotten_episode gone WHERE gone.tenant_id = lessons_lesson.tenant_id"
    " AND gone.resource_id = ANY(lessons_lesson.resources))"
)


def lessons(*, filter: LessonFilter, page: PageRequest) -> Slice[LessonView]:  # noqa: A002  the API's word
    """One page, the latest first. Raises Invalid on a malformed cursor."""
    rows = readable() if filter.statuses is None else _readable(_SAID).filter(status__in=filter.statuses)
    cut = paging.paginate(rows, order=("-id",), page=page)
    return cut.of(viewed(cut.rows))


def lesson(lesson_id: UUID) -> Lesson | None:
    """The row, whatever has become of it, unless what it rests on is forgotten."""
    return _readable(_SAID).filter(id=lesson_id).first()


def to_keep(lesson_ids: Iterable[UUID]) -> dict[UUID, Lesson]:
    """Those of them that hold, or that somebody dismissed."""
    rows = _readable(_SAID).filter(status__in=(LessonStatus.ACTIVE, LessonStatus.DISMISSED))
    return {row.id: row for row in rows.filter(id__in=list(lesson_ids))}


def among(ids: Iterable[UUID]) -> dict[UUID, bool]:
    """Those of the ids that are of lessons, and whether what they stand on is forgotten."""
    rows = Lesson.objects.filter(tenant_id=scope.current().tenant_id, id__in=list(ids))
    found = rows.values_list("id", "status", "item__status")
    return {row_id: state == LessonStatus.ENDED or item == Status.DELETED for row_id, state, item in found}


def file(*, max_tokens: int | None = None) -> LessonsFile:
    """The Markdown file of the scope's agent and user: rules, preferences, corrections, repeated requests.

    Of more than it has room for the latest of each; None: as much room as the tenant gives it (`lesson_file_tokens`).
    """
    policy = tenants.policy(scope.current().tenant_id)
    room = policy.lesson_file_tokens if max_tokens is None else max_tokens
    found = viewed(readable().order_by("-id")[: policy.lesson_file_lines])
    places = {pattern: place for place, pattern in enumerate(files.SECTIONS)}
    found.sort(key=lambda one: places[one.pattern])
    zone = tenants.time_zone(scope.current().tenant_id)
    lines = [_line(one, zone) for one in found]
    text, kept = files.markdown(lines, max_tokens=room, count_tokens=count_tokens)
    return LessonsFile(text, count_tokens(text) if text else 0, tuple(found[place] for place in kept))


def readable() -> "QuerySet[Lesson]":
    """Rows of the open scope that hold: active, on memories that can be recalled or messages that are there."""
    return _readable(_HELD).filter(status=LessonStatus.ACTIVE)


def _readable(statuses: Sequence[str]) -> "QuerySet[Lesson]":
    """Each with `former`: the memories under the lessons whose place it took, the oldest first."""
    rows = Lesson.objects.filter(tenant_id=scope.current().tenant_id)
    rows = rows.filter(Q(item__isnull=True) | Q(item__status__in=statuses, item__verdict=Verdict.ALLOW.value))
    gone = RawSQL(_FORGOTTEN, [], output_field=BooleanField())  # noqa: S611  a constant
    replaced = Lesson.objects.filter(tenant_id=OuterRef("tenant_id"), replaced_by=OuterRef("pk"))
    said = replaced.filter(item__status__in=_SAID, item__verdict=Verdict.ALLOW.value).order_by("id")
    return rows.annotate(gone=gone, former=ArraySubquery(said.values("item_id"))).filter(gone=False)


def viewed(rows: Iterable[Lesson]) -> list[LessonView]:
    """The rows, as these selectors read them, with their words and evidence: five statements, whatever their number."""
    listed = list(rows)
    own = [row.item_id for row in listed if row.item_id]
    items = memory.hydrate([*own, *(one for row in listed for one in _former(row))])
    wrong = memory.corrected_by(own)
    said = {one.resource_id: one for one in resources.as_utterances([one for row in listed for one in row.resources])}
    views = [_on_item(row, items[row.item_id], items, wrong) for row in listed if row.item_id in items]
    views += [_on_messages(row, said) for row in listed if row.item_id is None]
    order = {row.id: place for place, row in enumerate(listed)}
    return sorted(views, key=lambda view: order[view.id])


def _former(row: Lesson) -> Sequence[UUID]:
    """What `_readable` annotated."""
    former: Sequence[UUID] = vars(row)["former"]
    return former


def _on_item(row: Lesson, item: ItemView, items: Mapping[UUID, ItemView], wrong: Mapping[UUID, str]) -> LessonView:
    evidence = tuple(Evidence(each.resource_id, each.said_at, each.quote) for each in item.sources)
    return _view(
        row,
        item.text,
        item.service or item.category,
        evidence,
        instead_of=wrong.get(item.id, ""),
        replaces=tuple(items[one].text for one in _former(row) if one in items),
        heard=item.said_at,
    )


def _on_messages(row: Lesson, said: Mapping[UUID, Utterance]) -> LessonView:
    told = [said[one] for one in row.resources if one in said]
    evidence = tuple(Evidence(one.resource_id, one.said_at, row.text) for one in told)
    category = category_of(row.text, tenants.category_rules(row.tenant_id))
    return _view(row, row.text, category, evidence, heard=max((one.said_at for one in told), default=row.created_at))


def _view(
    row: Lesson,
    text: str,
    about: str,
    evidence: tuple[Evidence, ...],
    *,
    heard: datetime,
    instead_of: str = "",
    replaces: tuple[str, ...] = (),
) -> LessonView:
    return LessonView(
        id=row.id,
        pattern=Pattern(row.pattern),
        text=text,
        scope=about,
        instead_of=instead_of,
        replaces=replaces,
        heard=max(1, len(evidence)),
        last_heard_at=heard,
        evidence=evidence,
        item_id=row.item_id,
        status=LessonStatus(row.status),
        replaced_by_id=row.replaced_by_id,
        agent_id=row.agent_id,
        user_id=row.user_id,
        visibility=Visibility(row.visibility),
        created_at=row.created_at,
    )


def _line(one: LessonView, zone: ZoneInfo) -> LessonLine:
    last = one.last_heard_at.astimezone(zone).date()
    return LessonLine(one.pattern, one.text, one.scope, one.heard, last, one.instead_of)
