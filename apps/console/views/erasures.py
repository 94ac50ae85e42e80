"""Erasing for good: what would go, asked for as it was seen, followed step by step, and proven by a receipt.

Every action is the verb's, in the person's name. What cannot be asked for comes back with what was typed and with what
would go now.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from pydantic import Field, ValidationError

from apps.api import verbs
from apps.api.admission import LONGEST_TEXT, Admission
from apps.api.contract import Input, problem_of
from apps.api.erasure import handlers as erasing
from apps.api.erasure.contract import (
    Erasure,
    ErasureInput,
    ErasurePreview,
    ErasurePreviewInput,
    ReceiptInput,
    VerifiedReceipt,
)
from apps.api.gateway import Gateway
from apps.console import erasure_words, people
from apps.console.answers import done
from apps.core import paging
from apps.core.problems import Problem
from apps.erasure import services
from apps.erasure.models import ErasureState
from apps.erasure.residue import ELSEWHERE
from apps.erasure.results import Extent
from apps.erasure.services.previewing import PreviewRun
from apps.erasure.tables import RULES
from memory_platform.errors import Conflict, Invalid, MemoryPlatformError, NotFound, Unavailable
from memory_platform.model import EVERYONE

ROWS: Final = 25
SECONDS: Final = 3
"""Between two looks at an erasure that runs."""
COUNTING_SECONDS: Final = 1
"""Between two looks at a preview that is counted."""


class NamedBy(StrEnum):
    """By what the form names whom or what it is about."""

    USER = "user"
    SESSION = "session"
    ENTITY = "entity"
    TOPIC = "topic"


FIELDS: Final[Mapping[NamedBy, str]] = {
    NamedBy.USER: "user_id",
    NamedBy.SESSION: "session_id",
    NamedBy.ENTITY: "entity",
    NamedBy.TOPIC: "topic",
}
"""What the verbs call it."""
LABELS: Final[Mapping[NamedBy, str]] = {
    NamedBy.USER: "A user, by id",
    NamedBy.SESSION: "A session, by id",
    NamedBy.ENTITY: "Whoever has a name",
    NamedBy.TOPIC: "A topic",
}
OF_ONE_USER: Final = (NamedBy.SESSION, NamedBy.TOPIC)


class WhatToErase(Input):
    """Whom or what the form names; `entity_id` is who was chosen among those of a name, `preview_id` what was seen.

    The verbs admit what they are given: an id is theirs to take or to refuse as it was typed.
    """

    kind: NamedBy = NamedBy.USER
    what: Annotated[str, Admission.NOT_KEPT, Field(max_length=LONGEST_TEXT)] = ""
    user: Annotated[str | None, Admission.NOT_KEPT] = None
    entity_id: UUID | None = None
    preview_id: UUID | None = None
    reason: Annotated[str, Admission.NOT_KEPT, Field(max_length=LONGEST_TEXT)] = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "WhatToErase":
        """Raises ValidationError."""
        return cls.model_validate({name: given[name] for name in cls.model_fields if given.get(name)})

    def as_named(self) -> Mapping[str, object]:
        """In the verbs' terms. Raises Invalid."""
        if self.user and self.kind not in OF_ONE_USER:
            raise Invalid("A user stands beside a session or a topic only.", field="user")
        if self.kind is NamedBy.ENTITY and self.entity_id:
            return {"entity_id": self.entity_id}
        if not self.what:
            raise Invalid("Say whom or what it is about.", field="what")
        return {FIELDS[self.kind]: self.what} | ({"user_id": self.user} if self.user else {})

    def as_typed(self) -> dict[str, str]:
        """As `of` takes it, to be previewed again."""
        typed = self.model_dump(mode="json", exclude_defaults=True, exclude={"preview_id"})
        return {"kind": self.kind.value, **typed}


@dataclass(frozen=True, slots=True)
class ShownPreview:
    """What would go, of whom or what in words, and whether somebody else has to approve it."""

    preview_id: UUID
    preview: ErasurePreview
    about: str
    waits: bool

    @property
    def rows(self) -> int:
        return sum(each.count for each in self.preview.rows)


@dataclass(frozen=True, slots=True)
class ShownErasure:
    """An erasure with what it is about in words, and how many rows are gone: what went from other stores is none."""

    erasure: Erasure
    about: str

    @classmethod
    def of(cls, erasure: Erasure) -> "ShownErasure":
        return cls(erasure, erasure_words.about(erasure))

    @property
    def rows(self) -> int:
        return sum(each.count for each in self.erasure.removed if each.name not in ELSEWHERE)


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step in words, and whether it is `done`, `present` or `ahead`."""

    told: str
    state: str


@dataclass(frozen=True, slots=True)
class ShownReceipt:
    """A receipt, whether it is genuine, and its targets and stores in words."""

    signed: Mapping[str, Any]
    verified: VerifiedReceipt

    @property
    def targets(self) -> list[tuple[str, int]]:
        return [(told, self.signed["targets"].get(kind, 0)) for kind, told in erasure_words.TARGETS.items()]

    @property
    def people(self) -> list[tuple[str, str]]:
        """What they did, and who by their labels; nobody where it was signed before that was written down."""
        acts = {"Asked for": self.signed["requested"], "Approved": self.signed["decided"] or {}}
        return [(act, who["person"]) for act, who in acts.items() if who.get("person")]

    @property
    def stores(self) -> list[str]:
        return [told for code, told in erasure_words.STORES.items() if code in self.signed["scanned"]["stores"]]


def erasures(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    return _page(request, gateway, {})


def preview(request: HttpRequest, gateway: Gateway, *, refusal: str = "") -> HttpResponse:
    """On to the page of what a job counts, which tells a `refusal`, too. Asked for by a form: whom somebody wants
    forgotten stands in no address, no history and no log.
    """
    try:
        wanted = WhatToErase.of(request.POST)
        given = ErasurePreviewInput.model_validate(wanted.as_named())
        preview_id = erasing.begin_preview(gateway, given, typed={**wanted.as_typed(), "refusal": refusal})
    except (MemoryPlatformError, ValidationError) as error:
        return _page(request, gateway, request.POST, problem=problem_of(error))
    return HttpResponseRedirect(reverse("console:previewed_erasure", kwargs={"preview_id": preview_id}))


def previewed(request: HttpRequest, gateway: Gateway, preview_id: UUID) -> HttpResponse:
    """Kept fresh while it is counted; the look that finds it over has the whole page loaded, which stands still."""
    with gateway.open(verbs.PREVIEW_ERASURE, whose=EVERYONE, of_all_agents=True):
        run = services.previewed(preview_id)
    if run is not None and run.preview is None:
        return render(request, "console/erasure_counting.html", _counting(run))
    if "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Refresh": "true"})
    if run is None:
        raise NotFound("This preview is over.", hint="Preview it again: what it was of may have changed, too.")
    return _page(request, gateway, run.typed, shown=_shown(gateway, preview_id, run))


def ask(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """What is not as it was seen is previewed again."""
    try:
        asked = erasing.request_erasure(gateway, _asked(request.POST))
    except Conflict as error:
        return preview(request, gateway, refusal=error.message)
    except (MemoryPlatformError, ValidationError) as error:
        return _page(request, gateway, request.POST, problem=problem_of(error))
    _forget_preview(gateway, request.POST)
    waits = asked.state is ErasureState.WAITING
    messages.success(
        request, "Asked for: somebody else has to approve it." if waits else "Asked for: it is erased now."
    )
    return HttpResponseRedirect(reverse("console:erasure", kwargs={"erasure_id": asked.id}))


def one(request: HttpRequest, gateway: Gateway, erasure_id: UUID) -> HttpResponse:
    """Kept fresh while it runs; the look that finds it over has the whole page loaded, which then stands still."""
    erasure = erasing.erasure(gateway, erasure_id)
    is_running, signed = erasure.state is ErasureState.RUNNING, _receipt(gateway, erasure)
    if "HX-Request" in request.headers and not is_running:
        return HttpResponse(headers={"HX-Refresh": "true"})
    told = {
        "shown": ShownErasure.of(erasure),
        "erasure": erasure,
        "steps": _steps(erasure),
        "residue": [erasure_words.place(each) for each in erasure.residue],
        "people": _people(gateway, [erasure], [person for _, person in signed.people] if signed else ()),
        "is_mine": erasure.requested_by == gateway.principal.actor,
        "extent": _extent(gateway, erasure),
        "receipt": signed,
        "seconds": SECONDS if is_running else None,
    }
    return render(request, "console/erasure.html", told)


def approve(request: HttpRequest, gateway: Gateway, erasure_id: UUID) -> HttpResponse:
    return _decided(request, partial(erasing.approve_erasure, gateway), erasure_id, "Approved: it is being erased.")


def reject(request: HttpRequest, gateway: Gateway, erasure_id: UUID) -> HttpResponse:
    return _decided(request, partial(erasing.reject_erasure, gateway), erasure_id, "Rejected: nothing is erased.")


def receipt(_request: HttpRequest, gateway: Gateway, erased_id: UUID) -> HttpResponse:
    """As a file, just as it was signed."""
    signed = erasing.erasure(gateway, erased_id).receipt
    if signed is None:
        raise NotFound("There is no receipt of it.", hint="An erasure gets one once it is done.")
    name = content_disposition_header(as_attachment=True, filename=f"erasure-{erased_id}.json") or ""
    written = {"ensure_ascii": False, "indent": 2}
    return JsonResponse(signed, json_dumps_params=written, headers={"Content-Disposition": name}, safe=False)


def _page(
    request: HttpRequest,
    gateway: Gateway,
    typed: Mapping[str, str],
    *,
    shown: ShownPreview | None = None,
    problem: Problem | None = None,
) -> HttpResponse:
    """The list, and above it what would go of whom or what was typed, or why that cannot be told."""
    cut = erasing.erasures(gateway, paging.page(ROWS, request.GET.get("after") or None))
    told = {
        "cut": cut,
        "listed": [ShownErasure.of(each) for each in cut.rows],
        "people": _people(gateway, cut.rows),
        "typed": typed,
        "labels": LABELS,
        "shown": shown,
        "problem": problem,
    }
    return render(request, "console/erasures.html", told, status=problem.status if problem else 200)


def _counting(run: PreviewRun) -> dict[str, object]:
    return {
        "typed": run.typed,
        "labels": LABELS,
        "about": _told(run),
        "counted": run.tables,
        "tables": len(RULES),
        "seconds": COUNTING_SECONDS,
    }


def _shown(gateway: Gateway, preview_id: UUID, run: PreviewRun) -> ShownPreview:
    preview = gateway.answer(ErasurePreview, run.preview)
    with gateway.open(verbs.VIEWER):
        return ShownPreview(preview_id, preview, _told(run), services.needs_approval())


def _told(run: PreviewRun) -> str:
    """Of whom or what, in words."""
    wanted = WhatToErase.of(run.typed)
    if wanted.kind is NamedBy.TOPIC:
        return f"What surely is about “{wanted.what}”" + (f", of the user {wanted.user}" if wanted.user else "")
    if wanted.entity_id is not None and run.preview is not None:
        return f"Everything about {run.preview.entities[0].name}"
    return run.subject.told


def _asked(given: QueryDict) -> ErasureInput:
    """A topic is asked for by what its preview found. Raises Invalid, ValidationError."""
    wanted = WhatToErase.of(given)
    seen: Mapping[str, Any] = {"fingerprint": given.get("fingerprint", ""), "reason": given.get("reason", "")}
    if wanted.kind is not NamedBy.TOPIC:
        return ErasureInput.model_validate({**wanted.as_named(), **seen})
    found = {"memory_ids": given.getlist("memory"), "message_ids": given.getlist("message")}
    return ErasureInput.model_validate({**found, **seen})


def _forget_preview(gateway: Gateway, given: QueryDict) -> None:
    """It was asked for: nothing is left to ask for, and it names whom. Where it cannot be reached it ends by itself."""
    seen = WhatToErase.of(given).preview_id
    if seen is not None:
        with suppress(Unavailable), gateway.open(verbs.PREVIEW_ERASURE, whose=EVERYONE, of_all_agents=True):
            services.drop_preview(seen)


def _people(gateway: Gateway, shown: Sequence[Erasure], others: Sequence[str] = ()) -> Mapping[str, str]:
    labels = {label for each in shown for label in (each.requested_by, each.decided_by) if label}
    return people.told(gateway, {*labels, *others})


def _steps(erasure: Erasure) -> list[ShownStep]:
    """What is done, what is being done, and what comes after it."""
    left = [name for name in erasure_words.STEPS if name not in erasure.steps]
    is_done = erasure.state is ErasureState.DONE
    shown = [ShownStep(told, _step_state(name, left)) for name, told in erasure_words.STEPS.items()]
    last = "done" if is_done else "ahead" if left else "present"
    return [*shown, ShownStep(erasure_words.LAST_STEP, last)]


def _step_state(name: str, left: Sequence[str]) -> str:
    if name not in left:
        return "done"
    return "present" if name == left[0] else "ahead"


def _extent(gateway: Gateway, erasure: Erasure) -> Extent | None:
    """What one that waits would take, for who decides on it."""
    if erasure.state is not ErasureState.WAITING:
        return None
    with gateway.open(verbs.ERASURE, whose=EVERYONE, of_all_agents=True):
        return services.extents_of([erasure.id])[erasure.id]


def _receipt(gateway: Gateway, erasure: Erasure) -> ShownReceipt | None:
    if not isinstance(erasure.receipt, dict):
        return None
    return ShownReceipt(erasure.receipt, erasing.verify_receipt(gateway, ReceiptInput(receipt=erasure.receipt)))


def _decided(request: HttpRequest, decide: Callable[[UUID], Erasure], erasure_id: UUID, told: str) -> HttpResponse:
    """Who comes second is sent to its page, which says who decided what, and when."""
    try:
        decide(erasure_id)
    except Conflict as error:
        messages.warning(request, error.message)
        return HttpResponseRedirect(reverse("console:erasure", kwargs={"erasure_id": erasure_id}))
    return done(request, told, page="erasures")
