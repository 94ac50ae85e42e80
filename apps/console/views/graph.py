"""The graph of entities: found by name, and drawn around one of them as it was at any month."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.api.admission import Admission
from apps.api.contract import Input, Name, found
from apps.api.gateway import Gateway
from apps.api.graph import handlers
from apps.api.graph.contract import NamedEntity, Neighbourhood, NeighbourhoodInput, Tie
from apps.console.months import Month
from apps.core import clock
from apps.core.paging import PageRequest
from memory_platform.errors import Invalid
from memory_platform.knowledge.graph import EntityType

ROWS: Final = 50
DRAWN: Final = 40
"""Entities beside the one in the middle: more is no picture."""
VIEWS: Final[Mapping[str, str]] = {"true": "What was true then", "known": "What was known then"}


class EntityFields(Input):
    """The fields of the search; an empty one is none."""

    search: Name | None = None
    type: EntityType | None = None
    user: Name | None = None
    after: Annotated[str | None, Admission.NOT_KEPT] = None


@dataclass(frozen=True, slots=True)
class ShownTie:
    """A tie with the entities it connects, as a line of the table."""

    start: NamedEntity
    end: NamedEntity
    tie: Tie


def entities(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    wanted = EntityFields.model_validate({name: value for name, value in request.GET.items() if value})
    cut = handlers.entities(
        gateway.of(wanted.user, all_users=wanted.user is None),
        search=wanted.search,
        entity_type=wanted.type,
        page=PageRequest(first=ROWS, after=wanted.after),
    )
    return render(request, "console/graph.html", {"cut": cut, "wanted": wanted, "types": list(EntityType)})


def entity(request: HttpRequest, gateway: Gateway, entity_id: UUID) -> HttpResponse:
    """An entity in the middle of those around it, at the end of a month (none: now)."""
    view = request.GET.get("view") or "true"
    if view not in VIEWS:
        raise Invalid("There is no such view.", field="view", hint=f"One of {', '.join(VIEWS)}.")
    present = Month.of(timezone.localtime(clock.now()).date())
    past = _past(request, present)
    asked = NeighbourhoodInput.model_validate({"limit": DRAWN, **_moment(past, view)})
    around = found(handlers.neighbourhood(gateway, entity_id, asked), "entity")
    first = Month.of(timezone.localtime(around.first_seen_at).date())
    told = {
        "around": around,
        "ties": _shown(around),
        "drawn": json.dumps(_drawn(around)),
        "types": list(EntityType),
        "view": view,
        "views": VIEWS,
        "month": past or present,
        "is_present": past is None,
        "months": first.until(present),
        "back": present.number - (past or present).number,
    }
    return render(request, "console/entity.html", told)


def _past(request: HttpRequest, present: Month) -> Month | None:
    """The month that is asked for, by how many months ago it was; None: this one. Raises Invalid."""
    back = request.GET.get("back") or "0"
    if not back.isascii() or not back.isdigit() or len(back) > 4:
        raise Invalid("Say by a number how many months to go back.", field="back")
    return None if int(back) == 0 else present.before(int(back))


def _moment(past: Month | None, view: str) -> Mapping[str, datetime]:
    """Its last moment; nothing where it is now."""
    if past is None:
        return {}
    return {"valid_at" if view == "true" else "as_of": past.end(timezone.get_current_timezone()).astimezone(UTC)}


def _shown(around: Neighbourhood) -> list[ShownTie]:
    named = {one.id: one for one in (around.center, *around.neighbours)}
    return [ShownTie(named[tie.start], named[tie.end], tie) for tie in around.ties]


def _drawn(around: Neighbourhood) -> Mapping[str, object]:
    """What the script draws."""
    return {
        "nodes": [
            {
                "id": str(one.id),
                "name": one.name,
                "type": one.type.value,
                "center": one.id == around.center.id,
                "url": reverse("console:entity", kwargs={"entity_id": one.id}),
            }
            for one in (around.center, *around.neighbours)
        ],
        "ties": [
            {
                "start": str(tie.start),
                "end": str(tie.end),
                "says": tie.predicate.replace("_", " "),
                "together": not tie.predicate,
            }
            for tie in around.ties
        ],
    }
