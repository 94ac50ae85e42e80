"""Reading erasures. Needs an open scope of the whole tenant."""

from uuid import UUID

from django.db.models import QuerySet

from apps.core import paging, scope
from apps.core.paging import PageRequest, Slice
from apps.erasure.models import Erasure, ErasureKind, ErasureState
from apps.erasure.requests import Subject
from apps.erasure.results import ErasureView
from apps.memory.commons import Position

_ORDER = ("-id",)


def erasures(*, of_user: str | None = None, page: PageRequest) -> Slice[ErasureView]:
    """The newest first; `of_user`: those that are about this user and not over yet, which name nobody then."""
    cut = paging.paginate(_readable(of_user), order=_ORDER, page=page)
    return cut.of([view(row) for row in cut.rows])


def erasure(erasure_id: UUID, *, of_user: str | None = None) -> ErasureView | None:
    row = _readable(of_user).filter(id=erasure_id).first()
    return None if row is None else view(row)


def waiting(*, of_user: str | None, behind: Position | None, most: int) -> list[ErasureView]:
    """The first that wait for a second person, the earliest first; `of_user` as in `erasures`."""
    rows = _readable(of_user).filter(state=ErasureState.WAITING)
    if behind is not None:
        rows = rows.filter(behind.rest("requested_at"))
    return [view(row) for row in rows.order_by("requested_at", "id")[:most]]


def waiting_erasures() -> "QuerySet[Erasure]":
    """Those that a second person has to approve or reject."""
    return _readable(None).filter(state=ErasureState.WAITING)


def _readable(of_user: str | None) -> "QuerySet[Erasure]":
    rows = Erasure.objects.filter(tenant_id=scope.current().tenant_id)
    return rows if of_user is None else rows.filter(about__user_id=of_user)


def view(row: Erasure) -> ErasureView:
    about = Subject.of_json(row.kind, row.about).as_json()
    return ErasureView(
        id=row.id,
        kind=ErasureKind(row.kind),
        state=ErasureState(row.state),
        about=about,
        digest=row.digest,
        reason=row.reason,
        requested_by=row.requested_by,
        requested_person=row.requested_person,
        requested_agent_id=row.requested_agent_id,
        requested_at=row.requested_at,
        decided_by=row.decided_by,
        decided_agent_id=row.decided_agent_id,
        decided_at=row.decided_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
        targets=row.targets_count,
        steps=tuple(row.steps),
        removed=row.removed,
        residue=tuple(row.residue),
        receipt=row.receipt,
    )
