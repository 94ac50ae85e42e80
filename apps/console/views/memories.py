"""What is remembered: found by filters, corrected in its row, confirmed, forgotten and given back in numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from pydantic import Field, TypeAdapter, ValidationError

from apps.api import verbs
from apps.api.admission import Admission
from apps.api.contract import Input, Name, found, problem_of
from apps.api.gateway import Gateway
from apps.api.memories import handlers
from apps.api.memories.contract import (
    ConfirmInput,
    CorrectInput,
    Explanation,
    FeedbackInput,
    ForgetInput,
    Forgotten,
    Link,
    MemoriesInput,
    Memory,
    SeenInput,
)
from apps.api.operations import handlers as operations
from apps.api.operations.contract import JournalEntry, JournalFilter
from apps.console import people, states
from apps.core.counting import amount
from apps.core.paging import PageRequest
from apps.core.problems import Problem
from apps.memory import selectors as memory
from apps.memory.requests import ItemOrder
from apps.tenants import selectors as tenants
from memory_platform.errors import Invalid, MemoryPlatformError
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import Kind, Status, Verdict

SECONDS: Final = 5
ROWS: Final = 50
MOST_MARKED: Final = 100
_MARKED: Final = TypeAdapter(list[UUID])


@dataclass(frozen=True, slots=True)
class StatesOfMemories:
    """What people call a state of memories, and the statuses and verdicts it means."""

    label: str
    statuses: tuple[Status, ...]
    verdicts: tuple[Verdict, ...] = (Verdict.ALLOW,)


@dataclass(frozen=True, slots=True)
class Say:
    """An opinion as people give it, what that means, and what is told when it was given."""

    label: str
    means: str
    done: str


OPINIONS: Final[Mapping[Opinion, Say]] = {
    Opinion.HELPFUL: Say("Helpful", "It is found a little sooner.", "Noted: it was of help."),
    Opinion.WRONG: Say("Wrong", "It waits for review and is not recalled.", "Noted: it waits for review."),
    Opinion.OUTDATED: Say("Outdated", "It is put in doubt, or ends being true.", "Noted: it no longer counts in full."),
}
_BELIEVED: Final = (Status.ACTIVE, Status.STALE)
STATES: Final[Mapping[str, StatesOfMemories]] = {
    "": StatesOfMemories("Current", _BELIEVED),
    "held": StatesOfMemories("Held for review", _BELIEVED, (Verdict.HOLD,)),
    "stale": StatesOfMemories("Stale", (Status.STALE,)),
    "archived": StatesOfMemories("Archived", (Status.ARCHIVED,), tuple(Verdict)),
    "superseded": StatesOfMemories("Superseded", (Status.SUPERSEDED,), tuple(Verdict)),
    "deleted": StatesOfMemories("Forgotten", (Status.DELETED,), tuple(Verdict)),
    "all": StatesOfMemories("All", tuple(Status), tuple(Verdict)),
}


class MemoryFields(Input):
    """The fields of the filter; an empty one is none."""

    status: str = ""
    kind: Kind | None = None
    category: Name | None = None
    service: Name | None = None
    entity: Name | None = None
    agent: Name | None = None
    user: Name | None = None
    session: Name | None = None
    id: str | None = Field(default=None, min_length=4, max_length=36)
    order: ItemOrder = ItemOrder.NEWEST
    after: Annotated[str | None, Admission.NOT_KEPT] = None
    batch: UUID | None = Field(default=None, description="What was forgotten a moment ago, and can be given back.")

    def as_input(self) -> MemoriesInput:
        chosen_states = states.chosen(STATES, self.status)
        return MemoriesInput(
            first=ROWS,
            after=self.after,
            order_by=self.order,
            statuses=chosen_states.statuses,
            verdicts=chosen_states.verdicts,
            kinds=(self.kind,) if self.kind else None,
            categories=(self.category,) if self.category else None,
            services=(self.service,) if self.service else None,
            entity=self.entity,
            agent_id=self.agent,
            session_id=self.session,
            user_id=self.user,
            all_users=self.user is None,
            id_part=self.id,
        )


def memories(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    wanted = MemoryFields.model_validate({name: value for name, value in request.GET.items() if value})
    given = wanted.as_input()
    cut = handlers.memories(
        gateway.of_named(given), wanted=given.as_filter(), page=given.as_page(), order=given.order_by
    )
    told = {
        "cut": cut,
        "wanted": wanted,
        "states": STATES,
        "kinds": list(Kind),
        "orders": list(ItemOrder),
        "categories": _categories(gateway),
        "may_write": _may_write(gateway),
        "seconds": SECONDS,
    }
    return render(request, "console/memories.html", told)


def one(request: HttpRequest, gateway: Gateway, memory_id: UUID) -> HttpResponse:
    """A memory: its history, where it comes from, why it was kept, what it is linked with."""
    why = found(handlers.explain_memory(gateway, memory_id), "memory")
    entries = (
        operations.journal(gateway, JournalFilter(subject_id=memory_id), PageRequest(first=100)).rows
        if _reviews(gateway)
        else ()
    )
    told = {
        "why": why,
        "memory": why.memory,
        "history": _history(gateway, why, entries),
        "links": _links(why),
        "may_write": _may_write(gateway),
        "opinions": OPINIONS,
    }
    return render(request, "console/memory.html", told)


def edit(request: HttpRequest, gateway: Gateway, memory_id: UUID) -> HttpResponse:
    """The form of a correction: in the memory's row, or on a page of its own."""
    return _form(request, found(handlers.memory(gateway, memory_id), "memory"))


def row(request: HttpRequest, gateway: Gateway, memory_id: UUID) -> HttpResponse:
    """A memory as the list shows it: what an edit that is given up goes back to."""
    shown = found(handlers.memory(gateway, memory_id), "memory")
    return render(request, "console/memory_row.html", {"memory": shown, "may_write": _may_write(gateway)})


def correct(request: HttpRequest, gateway: Gateway, memory_id: UUID) -> HttpResponse:
    """A correction of the version that was looked at. What cannot be comes back with the words that were typed."""
    text = request.POST.get("text", "")
    try:
        given = CorrectInput(text=text, reason=request.POST.get("reason", ""), seen=(_seen(request, memory_id),))
        done = handlers.correct(gateway, memory_id, given)
        if done.memory is None:
            raise Invalid(done.reason, field="text")
    except (MemoryPlatformError, ValidationError) as error:
        present = found(handlers.memory(gateway, memory_id), "memory")
        return _form(request, present, problem=problem_of(error), text=text)
    if "HX-Request" in request.headers:
        return render(request, "console/memory_row.html", {"memory": done.memory, "result": done, "may_write": True})
    messages.success(request, f"Corrected: {done.reason}")
    return HttpResponseRedirect(reverse("console:memory", kwargs={"memory_id": done.memory.id}))


def say(request: HttpRequest, gateway: Gateway, memory_id: UUID) -> HttpResponse:
    """What the person says of a memory; no kind takes back what they said."""
    given = {name: request.POST[name] for name in ("kind", "note") if request.POST.get(name)}
    if "kind" in given:
        told = handlers.give_feedback(gateway, memory_id, FeedbackInput.model_validate(given))
        messages.success(request, OPINIONS[told.kind].done)
    else:
        handlers.withdraw_feedback(gateway, memory_id)
        messages.success(request, "Taken back, with what followed from it.")
    return HttpResponseRedirect(reverse("console:memory", kwargs={"memory_id": memory_id}))


def act(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """What is done to the memories that are marked: they are named one by one, never by a filter."""
    marked = _MARKED.validate_python(list(dict.fromkeys(request.POST.getlist("id"))))
    if not 1 <= len(marked) <= MOST_MARKED:
        raise Invalid(f"Mark between 1 and {MOST_MARKED} memories.", field="id")
    wish = request.POST.get("action", "")
    if wish not in _ACTIONS:
        raise Invalid("There is no such action.", field="action")
    return _ACTIONS[wish](request, gateway, marked)


def give_back(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """Undo an act of forgetting."""
    (batch_id,) = _MARKED.validate_python([request.POST.get("batch")])
    back = handlers.restore(gateway, batch_id)
    messages.success(request, f"{_counted(len(back.items))} given back.")
    return _back(request)


def _confirm(request: HttpRequest, gateway: Gateway, marked: Sequence[UUID]) -> HttpResponse:
    problems = _each(marked, lambda one: handlers.confirm(gateway, one, ConfirmInput()))
    _tell(request, f"{_counted(len(marked) - len(problems))} confirmed.", problems)
    return _back(request)


def _unmerge(request: HttpRequest, gateway: Gateway, marked: Sequence[UUID]) -> HttpResponse:
    problems = _each(marked, lambda one: handlers.unmerge(gateway, one))
    done = len(marked) - len(problems)
    _tell(request, f"{amount(done, 'merge')} undone.", problems)
    return _back(request)


def _ask_to_forget(request: HttpRequest, gateway: Gateway, marked: Sequence[UUID]) -> HttpResponse:
    """How many would go, and which, before any does: other wordings and what was concluded from them go along."""
    would = handlers.forget(gateway, ForgetInput(ids=tuple(marked), dry_run=True))
    there = {"would": would, "marked": marked, "next": _next(request)}
    return render(request, "console/memories_forget.html", there)


def _forget(request: HttpRequest, gateway: Gateway, marked: Sequence[UUID]) -> HttpResponse:
    reason = request.POST.get("reason", "")
    gone = handlers.forget(gateway, ForgetInput(ids=tuple(marked), reason=reason))
    messages.success(request, f"{_counted(len(gone.items))} forgotten.")
    return _back(request, batch=gone.batch_id)


def _restore(request: HttpRequest, gateway: Gateway, marked: Sequence[UUID]) -> HttpResponse:
    """What was forgotten in one act comes back in one."""
    with gateway.open(verbs.MEMORIES):
        batches = memory.forgotten_in(marked)
    back: list[Forgotten] = []
    problems = _each(batches, lambda one: back.append(handlers.restore(gateway, one)))
    given = {item.id for batch in back for item in batch.items}
    beside = len(given - set(marked))
    along = f" {_counted(beside)} among them had been forgotten together with these." if beside else ""
    _tell(request, f"{_counted(len(given))} given back.{along}", problems)
    return _back(request)


_ACTIONS: Final[Mapping[str, Callable[[HttpRequest, Gateway, Sequence[UUID]], HttpResponse]]] = {
    "confirm": _confirm,
    "unmerge": _unmerge,
    "preview": _ask_to_forget,
    "forget": _forget,
    "restore": _restore,
}


def _form(
    request: HttpRequest, shown: Memory, *, problem: Problem | None = None, text: str | None = None
) -> HttpResponse:
    """Told in a row with 200, which alone htmx puts there; as a page with the problem's own status."""
    in_row = "HX-Request" in request.headers
    told = {"memory": shown, "problem": problem, "text": shown.text if text is None else text, "may_write": True}
    template = "console/memory_row_edit.html" if in_row else "console/memory_edit.html"
    return render(request, template, told, status=200 if in_row or problem is None else problem.status)


def _seen(request: HttpRequest, memory_id: UUID) -> SeenInput:
    return SeenInput.model_validate({"id": memory_id, "version": request.POST.get("version", "")})


def _each(ids: Iterable[UUID], act_on: Callable[[UUID], object]) -> list[Problem]:
    """What went wrong, each by itself: one that is gone keeps no other back."""
    problems = []
    for one_id in ids:
        try:
            act_on(one_id)
        except MemoryPlatformError as error:
            problems.append(problem_of(error))
    return problems


def _tell(request: HttpRequest, done: str, problems: Sequence[Problem]) -> None:
    if not problems:
        messages.success(request, done)
        return
    why = " ".join(dict.fromkeys(problem.message for problem in problems))
    messages.warning(request, f"{done} {len(problems)} could not be: {why}")


def _counted(number: int) -> str:
    return amount(number, "memory", "memories")


def _next(request: HttpRequest) -> str:
    there = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(there, allowed_hosts={request.get_host()}) and there.startswith(
        "/console/"
    )
    return there if is_ours else reverse("console:memories")


def _back(request: HttpRequest, *, batch: UUID | None = None) -> HttpResponse:
    there = _next(request)
    if batch is None:
        return HttpResponseRedirect(there)
    return HttpResponseRedirect(f"{there}{'&' if '?' in there else '?'}batch={batch}")


@dataclass(frozen=True, slots=True)
class Changed:
    """A field a change touched."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """A change of a memory, and by whom as far as the journal tells it to the reader."""

    at: datetime
    operation: str
    reason: str
    by: str
    fields: tuple[Changed, ...]


def _history(gateway: Gateway, why: Explanation, entries: Sequence[JournalEntry]) -> list[MemoryChange]:
    """The latest first. A change and its journal entry are of one transaction: the nearest of the same operation."""
    names = people.told(gateway, [entry.actor for entry in entries])
    by_operation: dict[str, list[JournalEntry]] = {}
    for entry in entries:
        by_operation.setdefault(entry.operation.removeprefix("memory."), []).append(entry)
    changes = []
    for version in reversed(why.versions):
        told = by_operation.get(version.operation)
        by = _author(told.pop(0), names) if told else ""
        changes.append(
            MemoryChange(version.at, version.operation, version.reason, by, _fields(version.before, version.after))
        )
    return changes


def _author(entry: JournalEntry, names: Mapping[str, str]) -> str:
    """An agent by its own name."""
    return entry.agent_id if entry.actor == "agent" and entry.agent_id else names[entry.actor]


def _fields(before: object, after: object) -> tuple[Changed, ...]:
    old, new = (each if isinstance(each, dict) else {} for each in (before, after))
    return tuple(Changed(name, old.get(name), new.get(name)) for name in sorted(old.keys() | new.keys()))


def _links(why: Explanation) -> list[tuple[str, Sequence[Link]]]:
    """Kinds of links that there are, by what they are called."""
    single = {"Merged into": why.merged_into, "Shared from": why.shared_from}
    several = {
        "Contradicts": why.contradicts,
        "Took the place of": why.supersedes,
        "Was replaced by": why.superseded_by,
        "Merged from": why.merged,
        "Shared as": why.shared_as,
    }
    listed = {**several, **{name: [link] for name, link in single.items() if link is not None}}
    return [(name, links) for name, links in listed.items() if links]


def _categories(gateway: Gateway) -> list[str]:
    with gateway.open(verbs.CATEGORIES):
        return [rule.slug for rule in tenants.category_rules(gateway.principal.tenant_id)]


def _may_write(gateway: Gateway) -> bool:
    return verbs.CORRECT.scope in gateway.principal.scopes


def _reviews(gateway: Gateway) -> bool:
    return verbs.REVIEW_QUEUE.scope in gateway.principal.scopes
