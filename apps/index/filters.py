"""Which documents may answer, as SQL conditions on `index_document d`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from apps.core.scope import Reach, Scope
from memory_platform.model import Unit, Visibility

COUNT: Final = "SELECT count(*) FROM (SELECT FROM index_document d"
"""Counts to a limit: append ` WHERE … LIMIT n) c`."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a caller asks for, beside what the open scope may read. None is no filter; an empty tuple passes nothing.

    `after` (inclusive) and `before` (exclusive) bound the event time, or when it was recorded if that is unknown.
    `as_of`: believed and true at that moment; `valid_at` overrides when it must be true. `include_superseded` demands
    neither, only that it was recorded by `as_of`. `include_archived`: also what nobody reads by default, as questions
    about the past have it. `among`: only these units. Hidden documents never pass.
    """

    units: tuple[Unit, ...] | None = None
    kinds: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    services: tuple[str, ...] | None = None
    agent_id: UUID | None = None
    session_id: UUID | None = None
    visibility: Visibility | None = None
    after: datetime | None = None
    before: datetime | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    include_superseded: bool = False
    include_archived: bool = False
    among: tuple[UUID, ...] | None = None


@dataclass(frozen=True, slots=True)
class Conditions:
    """SQL over alias `d` with its parameters: `readable` for whatever may influence an answer, `asked` for answers.

    `narrow` is the part that an index answers, None when there is none.
    """

    readable: str
    asked: str
    narrow: str | None
    parameters: dict[str, Any]

    @property
    def wanted(self) -> str:
        return f"{self.readable} AND {self.asked}"


def conditions(filters: Filters, *, scope: Scope, now: datetime) -> Conditions:
    """Translate the filters. The tenant is named beside the row-level policy, which alone minds agent and user."""
    readable = ["d.tenant_id = %(tenant)s", "NOT d.hidden", *_believed(filters)]
    narrow = _narrow(filters)
    asked = [*_true(filters), *_kept(filters), *_said(filters), *narrow, *_content(filters)]
    own = ["d.agent_id = %(reader)s"] if scope.reach is Reach.OWN else []
    if own and not scope.whose.everyone:
        own.append("(d.user_id IS NULL OR d.user_id = %(user)s)")
    parameters = {
        "tenant": scope.tenant_id,
        "reader": scope.agent_id,
        "units": _values(filters.units),
        "kinds": _values(filters.kinds),
        "categories": _values(filters.categories),
        "services": _values(filters.services),
        "user": scope.whose.user_id,
        "agent": filters.agent_id,
        "session": filters.session_id,
        "visibility": filters.visibility.value if filters.visibility else None,
        "after": filters.after,
        "before": filters.before,
        "as_of": filters.as_of,
        "among": None if filters.among is None else list(filters.among),
        "valid_at": filters.valid_at or filters.as_of or now,
    }
    few = " AND ".join(["d.tenant_id = %(tenant)s", *own, *narrow]) if own or narrow else None
    return Conditions(" AND ".join(readable), " AND ".join(asked) or "true", few, parameters)


def _believed(filters: Filters) -> list[str]:
    """With `as_of`, what had been recorded; and what was, or is, believed."""
    if filters.as_of is not None:
        believed = "(d.retracted_at IS NULL OR d.retracted_at > %(as_of)s)"
        return ["d.recorded_at <= %(as_of)s", *([] if filters.include_superseded else [believed])]
    return [] if filters.include_superseded else ["d.retracted_at IS NULL"]


def _true(filters: Filters) -> list[str]:
    if filters.include_superseded:
        return []
    return [
        "(d.valid_from IS NULL OR d.valid_from <= %(valid_at)s)",
        "(d.valid_until IS NULL OR d.valid_until > %(valid_at)s)",
    ]


def _kept(filters: Filters) -> list[str]:
    """What was archived since a moment in the past belongs to its answer."""
    is_historical = filters.as_of is not None or filters.valid_at is not None
    return [] if filters.include_archived or is_historical else ["NOT d.archived"]


def _said(filters: Filters) -> list[str]:
    """An episode is there from when it was said, whenever it was imported."""
    if filters.valid_at is None and filters.as_of is None:
        return []
    return ["(d.unit <> 'episode' OR coalesce(d.event_time, d.recorded_at) <= %(valid_at)s)"]


def _narrow(filters: Filters) -> list[str]:
    """What an index looks up."""
    chosen = {
        "d.agent_id = %(agent)s": filters.agent_id is not None,
        "d.session_id = %(session)s": filters.session_id is not None,
        "d.unit_id = ANY(%(among)s::uuid[])": filters.among is not None,
    }
    return [sql for sql, applies in chosen.items() if applies]


def _content(filters: Filters) -> list[str]:
    chosen = {
        "d.unit = ANY(%(units)s)": filters.units is not None,
        "d.kind = ANY(%(kinds)s)": filters.kinds is not None,
        "d.category = ANY(%(categories)s)": filters.categories is not None,
        "d.service = ANY(%(services)s)": filters.services is not None,
        "d.visibility = %(visibility)s": filters.visibility is not None,
        "coalesce(d.event_time, d.recorded_at) >= %(after)s": filters.after is not None,
        "coalesce(d.event_time, d.recorded_at) < %(before)s": filters.before is not None,
    }
    return [sql for sql, applies in chosen.items() if applies]


def _values(values: tuple[str, ...] | None) -> list[str] | None:
    return None if values is None else [str(value) for value in values]
