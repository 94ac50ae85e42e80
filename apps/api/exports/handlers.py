"""What the verbs of exporting and importing do, once the gateway has let the caller in."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from apps.api import limits, verbs
from apps.api.contract import error_of
from apps.api.erasure.handlers import subject_of
from apps.api.exports import following, remembering
from apps.api.exports.contract import (
    ConfirmationLine,
    ExportedLine,
    ExportInput,
    FeedbackLine,
    FollowingLine,
    FormerLine,
    Imported,
    ImportedLine,
    ImportInput,
    ImportStatus,
    InsightLine,
    MemoryLine,
    MemoryName,
    MessageLine,
    MessageName,
    TaughtLine,
    TriggerLine,
)
from apps.api.gateway import Gateway
from apps.api.limits import Bucket
from apps.api.sessions import handlers as sessions
from apps.api.sessions.contract import IngestedLine
from apps.core.paging import PageRequest, Slice
from apps.erasure import services
from apps.erasure.results import LineKind
from apps.memory.documents import MERGED
from apps.triggers import services as triggers
from apps.triggers.models import Ending
from memory_platform.errors import Conflict, Forbidden, Invalid, MemoryPlatformError, RateLimited
from memory_platform.model import EVERYONE, Status

Line = TypeVar("Line", bound=BaseModel)
Results = dict[int, ImportedLine]
Name = str | tuple[str, str]
"""A memory's, or a message's with that of its session."""
Named = MessageLine | MemoryLine | TriggerLine | FollowingLine
Read = Named | Invalid | str
"""What is to be stored of a line, what is wrong with it, or why nothing is."""

_SHAPES: Final[Mapping[str, type[Named]]] = {
    LineKind.MESSAGE: MessageLine,
    LineKind.TRIGGER: TriggerLine,
    LineKind.FEEDBACK: FeedbackLine,
    LineKind.LESSON: TaughtLine,
}

MOST_SECONDS: Final = 5.0
"""A memory is read and judged while the caller waits; what is not reached in this time is to be sent again."""
SOON: Final = 1.0
"""Seconds until that, or what waits for another line."""


def export_about(gateway: Gateway, given: ExportInput, page: PageRequest) -> Slice[ExportedLine]:
    """Whoever may erase it may read it: of the whole tenant, whoever remembers it."""
    subject = subject_of(gateway, given)
    with gateway.open(verbs.EXPORT_ABOUT, whose=EVERYONE, of_all_agents=True):
        return gateway.page(ExportedLine, services.export(subject, page))


def import_lines(gateway: Gateway, given: ImportInput) -> Imported:
    """A wrong line spoils no other; a line sent twice is stored once. Raises RateLimited when none was let in."""
    gateway.require(verbs.IMPORT_LINES.scope)
    agent = gateway.principal.agent_slug
    lines = {number: _apart(_read(line), agent) for number, line in enumerate(given.as_lines(), 1)}
    here = _here(gateway, lines.values())
    results = {number: _unread(number, line, here) for number, line in lines.items()}
    fresh = {number: line for number, line in lines.items() if getattr(line, "external_id", None) not in here}
    require = partial(_require_ready, until=time.monotonic() + MOST_SECONDS, numbers=_numbers(fresh), results=results)
    keep = partial(_keep_each, gateway, results=results, require=require)
    # Messages first: what was said is older than what is known of it.
    waits = (
        _keep_messages(gateway, _of(MessageLine, fresh), results),
        keep(_of(MemoryLine, fresh), by=remembering.remember),
        keep(_of(ConfirmationLine, fresh), by=following.confirm),
        keep(_successors_first(_of(FormerLine, fresh)), by=remembering.replace_again),
        keep(_of(InsightLine, fresh), by=remembering.tell_again),
        keep(_of(TriggerLine, fresh), by=_set),
        keep(_of(FeedbackLine, fresh), by=following.give),
        keep(_of(TaughtLine, fresh), by=following.teach),
    )
    retry_after = max((seconds for seconds in waits if seconds is not None), default=None)
    counts = Counter(each.status for each in results.values())
    if retry_after is not None and counts[ImportStatus.REFUSED] == len(results):
        raise RateLimited("No line was let in; send them again.", retry_after=retry_after)
    return Imported(
        **{status.value: counts[status] for status in ImportStatus},
        retry_after=retry_after,
        results=list(results.values()),
    )


def _of(shape: type[Line], lines: Mapping[int, Read]) -> list[tuple[int, Line]]:
    """Lines of just this shape."""
    return [(number, line) for number, line in lines.items() if type(line) is shape]


def _successors_first(lines: Sequence[tuple[int, FormerLine]]) -> list[tuple[int, FormerLine]]:
    """What took the place of another was itself replaced later than that, if at all."""
    return sorted(lines, key=lambda each: each[1].ended_at, reverse=True)


def _numbers(lines: Mapping[int, Read]) -> dict[Name, int]:
    """The lines that are memories and messages by the names of these."""
    return {
        (line.session_id, line.external_id) if isinstance(line, MessageLine) else line.external_id: number
        for number, line in lines.items()
        if isinstance(line, MessageLine | MemoryLine)
    }


def _here(gateway: Gateway, lines: Iterable[Read]) -> Mapping[str, bool]:
    """Ids of rows that were exported here, and are still here; whether they are forgotten."""
    names = {line.external_id for line in lines if isinstance(line, Named)}
    with gateway.open(verbs.IMPORT_LINES):
        return services.held(names)


def _read(line: Any) -> Read:
    kind = str(line.get("line")) if isinstance(line, dict) else ""
    if kind not in set(LineKind):
        return Invalid(f"This is no line of an export: `line` is one of {', '.join(LineKind)}.", field="line")
    shape = _memory_shape(line) if kind == LineKind.MEMORY else _SHAPES.get(kind)
    if shape is None or (kind == LineKind.MESSAGE and line.get("is_imported") is False):
        return _why_left(kind, line)
    try:
        return _parsed(shape, line)
    except Invalid as error:
        return error


def _memory_shape(line: Mapping[str, Any]) -> type[Named] | None:
    """Of what is learnt again only that somebody vouched for it is stored."""
    if line.get("is_imported") is not True:
        return ConfirmationLine if line.get("claim") and line.get("confirmed_at") else None
    if line.get("status") == Status.SUPERSEDED:
        return FormerLine
    return InsightLine if line.get("condenses") else MemoryLine


def _why_left(kind: str, line: Mapping[str, Any]) -> str:
    status, reason = line.get("status"), line.get("status_reason")
    if kind == LineKind.RECORD:
        return "It is there to be read."
    if kind == LineKind.MESSAGE or status == Status.DELETED:
        return "It was forgotten where it was exported."
    if reason == MERGED:
        return "Another wording stands for it."
    lost = f"; that it was {status} is not kept" if status in (Status.STALE, Status.ARCHIVED) else ""
    return f"It is learnt again from its messages{lost}."


def _apart(line: Read, agent: str) -> Read:
    """Sessions of two agents may have one name: whose another agent's was goes before it."""
    if isinstance(line, FollowingLine | FormerLine):
        line = line.model_copy(update={"messages": _renamed(line.messages, agent)})
    if isinstance(line, FormerLine) and line.replaced_by is not None:
        line = line.model_copy(update={"replaced_by": _names_apart(line.replaced_by, agent)})
    if isinstance(line, InsightLine):
        line = line.model_copy(update={"condenses": tuple(_names_apart(one, agent) for one in line.condenses)})
    if not isinstance(line, MessageLine | MemoryLine) or not line.session_id or line.agent_id in {None, agent}:
        return line
    return line.model_copy(update={"session_id": f"{line.agent_id}:{line.session_id}"})


def _names_apart(name: MemoryName, agent: str) -> MemoryName:
    return name.model_copy(update={"messages": _renamed(name.messages, agent)})


def _renamed(messages: Iterable[MessageName], agent: str) -> tuple[MessageName, ...]:
    return tuple(
        each
        if each.agent_id in {None, agent}
        else each.model_copy(update={"session_id": f"{each.agent_id}:{each.session_id}"})
        for each in messages
    )


def _parsed(shape: type[Line], line: Mapping[str, Any]) -> Line:
    """What the shape takes of it: an export tells more."""
    try:
        return shape.model_validate({name: line[name] for name in shape.model_fields if name in line})
    except ValidationError as error:
        message, place = error_of(error.errors(include_url=False, include_input=False))
        raise Invalid(message, field=".".join(place) or None) from error


def _unread(number: int, line: Read, here: Mapping[str, bool]) -> ImportedLine:
    """What becomes of a line of which nothing is stored."""
    if isinstance(line, Invalid):
        return _failed(number, ImportStatus.INVALID, line)
    if isinstance(line, str):
        return ImportedLine(line=number, status=ImportStatus.SKIPPED, id=None, error=line, field="")
    status = ImportStatus.FORGOTTEN if here.get(line.external_id) else ImportStatus.DUPLICATE
    return ImportedLine(line=number, status=status, id=None, error="", field="")


def _keep_messages(gateway: Gateway, lines: Sequence[tuple[int, MessageLine]], results: Results) -> float | None:
    """How long to wait where the limit was met."""
    try:
        done = sessions.ingest_lines(gateway, lines)
    except RateLimited as refused:
        results.update((number, _failed(number, ImportStatus.REFUSED, refused)) for number, _ in lines)
        return refused.retry_after or 1.0
    results.update((each.line, _ingested(each)) for each in done.results)
    return done.retry_after


def _keep_each(
    gateway: Gateway,
    lines: Sequence[tuple[int, Line]],
    *,
    by: Callable[[Gateway, int, Line], ImportedLine],
    results: Results,
    require: Callable[[Line], None],
) -> float | None:
    """The same, and of what `require` refuses; each line counts as the verb does that would store it."""
    retry_after = None
    for number, line in lines:
        try:
            require(line)
            results[number] = by(gateway, number, line)
        except RateLimited as refused:
            retry_after = refused.retry_after or SOON
            results[number] = _failed(number, ImportStatus.REFUSED, refused)
        except Conflict as error:
            results[number] = _failed(number, ImportStatus.CONFLICT, error)
        except (Forbidden, Invalid) as error:
            results[number] = _failed(number, ImportStatus.INVALID, error)
    return retry_after


def _require_ready(line: BaseModel, *, until: float, numbers: Mapping[Name, int], results: Results) -> None:
    """Raises RateLimited past `until`, and where what a line names comes with it and was refused."""
    if time.monotonic() > until:
        raise RateLimited(f"An import works for {MOST_SECONDS:.0f} seconds; send the rest again.", retry_after=SOON)
    named = _named(line.names) if isinstance(line, FollowingLine | FormerLine | InsightLine) else ()
    if any(results[numbers[name]].status is ImportStatus.REFUSED for name in named if name in numbers):
        raise RateLimited("What it names was refused; send it again, too.", retry_after=SOON)


def _named(names: Iterable[MemoryName]) -> Iterator[Name]:
    for name in names:
        yield from ((message.session_id, message.external_id) for message in name.messages)
        if name.memory_id is not None:
            yield name.memory_id


def _set(gateway: Gateway, number: int, line: TriggerLine) -> ImportedLine:
    limits.spend(gateway.principal, Bucket.WRITE)
    whose = gateway.written_for(line.user_id or None)
    # Memories to show have other ids here.
    owned = line.model_copy(update={"user_id": whose.user_id, "memory_ids": ()}).as_new()
    with gateway.open(verbs.IMPORT_LINES, visibility=line.visibility, whose=whose):
        trigger, is_new = triggers.set_again(owned, line.external_id)
    status = ImportStatus.ACCEPTED if is_new else ImportStatus.DUPLICATE
    if trigger.ending is Ending.FORGOTTEN:
        status = ImportStatus.FORGOTTEN
    return ImportedLine(line=number, status=status, id=trigger.id, error="", field="")


def _ingested(line: IngestedLine) -> ImportedLine:
    return ImportedLine(
        line=line.line,
        status=ImportStatus(line.status.value),
        id=line.resource_id,
        error=line.error or "",
        field=line.field or "",
    )


def _failed(number: int, status: ImportStatus, error: MemoryPlatformError) -> ImportedLine:
    return ImportedLine(line=number, status=status, id=None, error=error.message, field=error.field or "")
