"""Lines that are about what comes before them: who vouched for a memory, what is said of one, and lessons."""

import hashlib
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from apps.api import limits
from apps.api.exports import naming
from apps.api.exports.contract import (
    ConfirmationLine,
    FeedbackLine,
    FollowingLine,
    ImportedLine,
    ImportStatus,
    TaughtLine,
)
from apps.api.gateway import Gateway
from apps.api.limits import Bucket
from apps.lessons import services as lessons
from apps.lessons.results import ExportedLesson
from apps.memory import services as memory
from apps.memory.results import Opined
from memory_platform.lifecycle.lessons import Pattern
from memory_platform.model import Audience, Status

IMPORTED: Final = "imported"
"""As whom somebody speaks whom this store does not know."""


def give(gateway: Gateway, number: int, line: FeedbackLine) -> ImportedLine:
    """What is said of a memory stands, beside what others say of it. Raises RateLimited while it is not learnt."""
    with naming.opened(gateway, line) as owner:
        memory_id = _memory(line, owner)
        if isinstance(memory_id, ImportStatus):
            return _left(number, memory_id)
        limits.spend(gateway.principal, Bucket.WRITE)
        said = Opined(line.kind, line.note, line.at, *_speaker(gateway, line))
        return kept(number, memory_id, is_new=memory.give_feedback_again(memory_id, said))


def confirm(gateway: Gateway, number: int, line: ConfirmationLine) -> ImportedLine:
    """Somebody vouched for what is learnt again, too. Raises RateLimited while it is not learnt."""
    with naming.opened(gateway, line) as owner:
        memory_id = _memory(line, owner)
        if isinstance(memory_id, ImportStatus):
            return _left(number, memory_id)
        limits.spend(gateway.principal, Bucket.WRITE)
        return kept(number, memory_id, is_new=memory.confirm_again(memory_id, at=line.confirmed_at))


def teach(gateway: Gateway, number: int, line: TaughtLine) -> ImportedLine:
    """It is a lesson here, too, or dismissed as one. Raises RateLimited while what it stands on is not learnt."""
    with naming.opened(gateway, line) as owner:
        ground = _asked_in(line, owner) if line.pattern is Pattern.REQUEST else _memory(line, owner)
        if isinstance(ground, ImportStatus):
            return _left(number, ground)
        limits.spend(gateway.principal, Bucket.WRITE)
        lesson_id, is_new = lessons.keep_again(ExportedLesson(owner, line.pattern, line.status, line.text), on=ground)
        return kept(number, lesson_id, is_new=is_new)


def kept(number: int, row_id: UUID, *, is_new: bool) -> ImportedLine:
    status = ImportStatus.ACCEPTED if is_new else ImportStatus.DUPLICATE
    return ImportedLine(line=number, status=status, id=row_id, error="", field="")


def _memory(line: FollowingLine, owner: Audience) -> UUID | ImportStatus:
    """The memory that a line is about, or what becomes of the line without."""
    found = naming.memory(line, owner)
    if found is None:
        return ImportStatus.SKIPPED
    if found.status is Status.DELETED:
        return ImportStatus.FORGOTTEN
    return ImportStatus.SKIPPED if found.status is Status.SUPERSEDED else found.id


def _asked_in(line: FollowingLine, owner: Audience) -> Sequence[UUID] | ImportStatus:
    return naming.messages(line.messages, owner) or ImportStatus.SKIPPED


def _speaker(gateway: Gateway, line: FeedbackLine) -> tuple[str, UUID | None]:
    """The agent itself; of somebody else, who is nobody here, a code, the same each time."""
    principal = gateway.principal
    if (line.by, line.by_agent_id) == (principal.actor, principal.agent_slug):
        return line.by, principal.agent_id
    if line.by.startswith(f"{IMPORTED}:"):
        return line.by, None
    return f"{IMPORTED}:{hashlib.sha256(f'{line.by} {line.by_agent_id}'.encode()).hexdigest()[:16]}", None


def _left(number: int, status: ImportStatus) -> ImportedLine:
    return ImportedLine(line=number, status=status, id=None, error="What it is about is not here.", field="")
