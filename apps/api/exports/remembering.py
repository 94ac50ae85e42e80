"""Lines that are memories: what is remembered again, and what is history, for another memory took its place."""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from apps.api import limits, verbs
from apps.api.exports import following, naming
from apps.api.exports.contract import FormerLine, ImportedLine, ImportStatus, InsightLine, MemoryLine, MemoryName
from apps.api.flows import sharing
from apps.api.gateway import Gateway
from apps.api.limits import Bucket
from apps.memory import selectors as memories
from apps.memory import services as memory
from apps.memory.requests import NewMemory
from apps.memory.results import ItemName, WriteOutcome, WriteResult
from memory_platform.model import Audience, Status


def remember(gateway: Gateway, number: int, line: MemoryLine) -> ImportedLine:
    """Remember it as the key's own agent. Raises RateLimited, Conflict, Forbidden, Invalid."""
    return _kept(gateway, number, line, line.as_new())


def replace_again(gateway: Gateway, number: int, line: FormerLine) -> ImportedLine:
    """Another took its place here, too, if that is here. Raises as `remember` does, while either is not learnt, too."""
    return _keep_former(gateway, number, line) if line.claim is None else _settle(gateway, number, line)


def tell_again(gateway: Gateway, number: int, line: InsightLine) -> ImportedLine:
    """Tell in short what memories of the agent say that are here, unless another insight does.

    Raises as `remember` does, and while one of them is not learnt.
    """
    with naming.opened(gateway, line) as owner:
        told = _found(line.condenses, owner)
        is_here = memories.named(ItemName(line.external_id, ""), audience=owner) is not None
        is_needless = not (is_here or (told and not memory.insights_of(told)))
    if is_needless:
        error = "What it tells of is not here, or told of by another insight."
        return ImportedLine(line=number, status=ImportStatus.SKIPPED, id=None, error=error, field="")
    return _kept(gateway, number, line, line.as_insight(told))


def _keep_former(gateway: Gateway, number: int, line: FormerLine) -> ImportedLine:
    with naming.opened(gateway, line) as owner:
        by, resource_ids = _successor(line, owner), naming.messages(line.messages, owner)
    kept = _kept(gateway, number, line, line.as_former(by=by, resource_ids=resource_ids))
    if by or kept.status is not ImportStatus.ACCEPTED:
        return kept
    return kept.model_copy(update={"error": "Kept as history; what took its place is not here."})


def _settle(gateway: Gateway, number: int, line: FormerLine) -> ImportedLine:
    """What is learnt again gives way."""
    with naming.opened(gateway, line) as owner:
        own = _found([MemoryName(claim=line.claim, messages=line.messages)], owner)
        by = _successor(line, owner)
        if by is None or not own:
            error = "It, or what took its place, is not here."
            return ImportedLine(line=number, status=ImportStatus.SKIPPED, id=None, error=error, field="")
        limits.spend(gateway.principal, Bucket.WRITE)
        is_new = memory.settle_again(own[0], by=by, until=line.ended_at)
        return following.kept(number, own[0], is_new=is_new)


def _successor(line: FormerLine, owner: Audience) -> UUID | None:
    return next(iter(_found(filter(None, [line.replaced_by]), owner)), None)


def _found(names: Iterable[MemoryName], owner: Audience) -> list[UUID]:
    found = (naming.memory(name, owner) for name in names)
    return [each.id for each in found if each is not None and each.status is not Status.DELETED]


def _kept(gateway: Gateway, number: int, line: MemoryLine, new: NewMemory) -> ImportedLine:
    limits.spend(gateway.principal, Bucket.WRITE)
    whose = gateway.written_for(line.user_id or None)
    owned = sharing.filed(replace(new, user_id=whose.user_id), gateway.principal)
    with gateway.admit(verbs.IMPORT_LINES, visibility=line.visibility, whose=whose) as within:
        done = memory.remember(owned, within=within)
    item_id = None if done.item is None else done.item.id
    return ImportedLine(line=number, status=_status(done), id=item_id, error=done.reason, field="")


def _status(done: WriteResult) -> ImportStatus:
    if done.outcome is WriteOutcome.REJECTED:
        # What was remembered before and turned down now was forgotten.
        return ImportStatus.FORGOTTEN if done.is_repeated else ImportStatus.SKIPPED
    return ImportStatus.DUPLICATE if done.is_repeated else ImportStatus.ACCEPTED
