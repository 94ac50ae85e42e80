"""Changing the lines of the curated memory: one after another, each change with its number, journal line and commit."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Final
from uuid import UUID

from apps.core import clock, context, rows, scope
from apps.curation.models import CuratedEntry, CuratedFile, Removal
from apps.curation.requests import NO_NUMBERS, GivenNumbers
from apps.jobs.services import enqueue
from apps.journal.services import record
from apps.tenants import selectors as tenants
from memory_platform.model import JournalLine

PROJECT_JOB: Final = "curation.project"
ADDED: Final = "curated.added"
REMOVED: Final = "curated.removed"
"""The operations of a line that came or went, with the numbers of the change and of a decision."""
RULES: Final = "rules"
"""Who decides what nobody looked at."""


def lock() -> CuratedFile:
    """The tenant's row, locked until the transaction ends: whoever changes lines or decides proposals holds it."""
    tenant_id = scope.current().tenant_id
    rows.insert([CuratedFile(tenant_id=tenant_id, changed_at=_now())], ignore_conflicts=True)
    return CuratedFile.objects.select_for_update().get(tenant_id=tenant_id)


def present() -> list[CuratedEntry]:
    """The lines that stand, in the order they came."""
    return list(CuratedEntry.objects.filter(tenant_id=scope.current().tenant_id, removed=None).order_by("added", "id"))


def given() -> GivenNumbers:
    """The last numbers that a change and a decision got."""
    found = CuratedFile.objects.filter(tenant_id=scope.current().tenant_id).values_list("changes", "decisions").first()
    return NO_NUMBERS if found is None else GivenNumbers(*found)


def line(entry_id: UUID) -> CuratedEntry | None:
    """The line if it stands."""
    return CuratedEntry.objects.filter(tenant_id=scope.current().tenant_id, id=entry_id, removed=None).first()


def label() -> str:
    """Who acts, as lines and commits name them: `agent:scribe`, `member:7`; never a person's name or address."""
    actor = context.current().actor
    agent_id = scope.current().agent_id
    if agent_id is None or ":" in actor:
        return actor
    return f"{actor}:{tenants.agent_slugs({agent_id}).get(agent_id, agent_id)}"


class Amendment:
    """One change of the lines: what goes and what comes with it share its number, time and author.

    Needs the lock. `close` writes the number, tells the journal, and has the repository follow.
    """

    def __init__(self, file: CuratedFile, by: str) -> None:
        self._file = file
        self._by = by
        file.changes += 1
        # Commits tell whole seconds, and come in the order of their numbers.
        file.changed_at = max(_now(), file.changed_at)
        self._lines: list[JournalLine] = []

    def add(self, entry: CuratedEntry, *, as_decision: bool = False) -> CuratedEntry:
        """Store a line, which gets a decision's number where it is one."""
        if as_decision:
            self._file.decisions += 1
            entry.decision = self._file.decisions
        entry.added, entry.added_at, entry.added_by = self._file.changes, self._file.changed_at, self._by
        entry.save(force_insert=True)
        numbered = {} if entry.decision is None else {"decision": entry.decision}
        self._note(ADDED, entry, section=entry.section, **numbered)
        return entry

    def add_again(self, entry: CuratedEntry) -> CuratedEntry:
        """The line that went comes back, as another one: a decision with a number of its own."""
        again = new(entry.section, entry.kind, entry.text, entry.said_on, entry.items)
        again.replaces_id = entry.id
        return self.add(again, as_decision=entry.decision is not None)

    def remove(self, entry: CuratedEntry, removal: Removal) -> None:
        entry.removed, entry.removed_at, entry.removed_by = self._file.changes, self._file.changed_at, self._by
        entry.removal = removal
        entry.save(update_fields=["removed", "removed_at", "removed_by", "removal"])
        self._note(REMOVED, entry, reason=removal.value)

    def close(self) -> None:
        self._file.save(update_fields=["changes", "changed_at", "decisions"])
        record(*self._lines)
        follow()

    def _note(self, operation: str, entry: CuratedEntry, **data: str | int) -> None:
        told = {"change": self._file.changes, "by": self._by, **data}
        self._lines.append(JournalLine(operation, "curated", entry.id, told))


def follow() -> None:
    """Have the repository follow, after the commit."""
    enqueue(PROJECT_JOB, {}, serial_key=PROJECT_JOB, dedup_key=PROJECT_JOB)


def new(section: str, kind: str, text: str, said_on: date, items: Iterable[UUID]) -> CuratedEntry:
    """A line that is not stored yet."""
    return CuratedEntry(
        tenant_id=scope.current().tenant_id, section=section, kind=kind, text=text, said_on=said_on, items=list(items)
    )


def _now() -> datetime:
    return clock.now().replace(microsecond=0)
