"""MEMORY.md's repository: a projection of the lines, one commit a change, and of the log, one a day.

Whoever looks brings it up to date: each machine makes the same commits out of the same rows. The rows are the truth;
what differs from them is made anew (docs/adr/0028). What it was last made of is noted beside it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import starmap
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.core import clock, paging, rows, scope, signing
from apps.core.paging import PageRequest, Slice
from apps.core.scope import Reach, Scope
from apps.curation import selectors
from apps.curation.models import CuratedEntry, Removal
from apps.curation.requests import NO_NUMBERS, GivenNumbers, RestoredEntry
from apps.curation.results import CommitView
from apps.curation.services import lines
from apps.curation.services.lines import ADDED, REMOVED
from apps.environment import environment
from apps.journal import selectors as journal
from apps.journal.selectors import LoggedLine
from apps.journal.services import record, write_again
from memory_platform.adapters.git_markdown import (
    FILE,
    HISTORY_FOLDER,
    LOG_FOLDER,
    NUMBERS_FILE,
    GitFolder,
    NewCommit,
    Reply,
    ToldCommit,
    json_lines,
    tree_of,
)
from memory_platform.consolidation import memory_file
from memory_platform.consolidation.memory_file import Record
from memory_platform.errors import Conflict, Invalid
from memory_platform.model import JournalLine
from memory_platform.text import differences

__all__ = ["LoggedLine", "RepositoryState", "check", "history", "project", "rebuild", "restore", "rewrite", "serve"]

LOGGED: Final = (
    "category.",
    "curated.",
    "curation.",
    "erasure.",
    "key.",
    "maintenance.",
    "policy.",
    "proposal.",
    "schedule.",
)
"""The operations the log is of, by their beginnings: what changes the memory as a whole and by which rules it is kept.
What is done to single memories is their agents' and users', and not in it.
"""
SETTLED: Final = timedelta(minutes=5)
"""After midnight, until all that was written before it is committed."""
CHANGES_IN_A_FILE: Final = 200
"""Of the history: a change writes one or two of its files anew, however long it is."""
EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Before it no commit is dated."""
_HISTORY_ORDER: Final = ("-commit",)
_SYSTEM: Final = "system"


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """How the repository stands to the rows; `signed` commits carry this deployment's signature, which is checked with
    `public_key` (base64).
    """

    commit: str | None
    commits: int
    drifted: bool
    behind: int
    signed: int
    public_key: str


@dataclass(frozen=True, slots=True)
class _Commit:
    """A commit to be: after how many changes of the lines, and of the log up to which day (exclusive)."""

    change: int
    before: date
    at: datetime
    author: str
    message: str


def project(*, within: Scope) -> int:
    """Bring the repository up to date, or make it anew where it is not what the rows make; how many commits were added.

    Called without an open scope.
    """
    folder = _folder(within)
    with folder.writing():
        told = _told_of(within)
        if folder.is_noted(told):
            return 0
        added = _bring_up(folder, _Story.load(within))
        folder.note(told)
        return added


def _bring_up(folder: GitFolder, story: "_Story") -> int:
    there = folder.trees()
    if not story.begins_with(there):
        folder.rewrite(story.steps())
        return len(story.commits)
    folder.append(story.steps(len(there)))
    return len(story.commits) - len(there)


def _told_of(within: Scope) -> str:
    """The lines, the numbers that were given, and the last day whose log is settled: while all are the same there is
    nothing to read again.
    """
    with scope.enter(within):
        given = lines.given()
        day = (clock.now() - SETTLED).astimezone(UTC).date()
        return f"{day} {given.changes} {given.decisions} {selectors.lines_digest()}"


def rebuild(*, within: Scope) -> None:
    """Make the repository anew out of the rows; nothing of the old one is left, its history neither."""
    rewrite(within=within)
    with scope.enter(within):
        record(JournalLine("curation.rebuilt"))


def rewrite(*, within: Scope) -> None:
    """The same without a line in the journal; also takes away what a crash left of older ones."""
    folder = _folder(within)
    with folder.writing():
        folder.rewrite(_Story.load(within).steps())


def check(*, within: Scope) -> RepositoryState:
    """Compare the repository with the rows; changes nothing."""
    folder = _folder(within)
    with folder.reading():
        story, there = _Story.load(within), folder.trees()
        drifted = not story.begins_with(there)
        behind = 0 if drifted else len(story.commits) - len(there)
        return RepositoryState(folder.head(), len(there), drifted, behind, folder.signed(), signing.public_key())


def history(page: PageRequest, *, within: Scope) -> Slice[CommitView]:
    """The commits of a repository that is up to date, the last first. Called without an open scope. Raises Invalid."""
    behind = None if page.after is None else str(paging.decode(page.after, order=_HISTORY_ORDER)[0])
    project(within=within)
    folder = _folder(within)
    try:
        with folder.reading():
            found = folder.changes(FILE, behind=behind, most=page.first + 1)
    except LookupError:
        raise paging.malformed() from None
    kept = found[: page.first]
    cursors = tuple(paging.encode([change.id], order=_HISTORY_ORDER) for change in kept)
    return Slice(tuple(_commit_view(change) for change in kept), cursors, len(found) > page.first)


def _commit_view(change: ToldCommit) -> CommitView:
    return CommitView(
        id=change.id,
        at=datetime.fromtimestamp(change.at, UTC),
        by=change.author,
        message=change.message,
        signed=change.is_signed,
        files=change.files,
        diff=differences.unified(change.before, change.after),
    )


def serve(method: str, path: str, query: str, *, content_type: str, encoding: str, body: bytes, within: Scope) -> Reply:
    """Answer a git client that fetches, from a repository that is up to date."""
    project(within=within)
    folder = _folder(within)
    with folder.reading():
        return folder.serve(method, path, query, content_type=content_type, encoding=encoding, body=body)


def restore(
    entries: Sequence[RestoredEntry], log: Sequence[LoggedLine], *, within: Scope, given: GivenNumbers = NO_NUMBERS
) -> None:
    """Take back what a clone tells: all lines with the changes they came and went with, the log, and the numbers that
    were `given` to changes and decisions.

    A part of the log without entries makes no repository: the entries come behind it.

    Raises Conflict where there are lines already, Invalid for what is no history of ours.
    """
    if any(not line.operation.startswith(LOGGED) for line in log):
        raise Invalid("The log holds what was never logged there.", field="log")
    _require_past(*(line.at for line in log), field="log")
    try:
        with scope.enter(within), transaction.atomic():
            _take_back(entries, log, given)
            write_again(log)
            told = {"lines": len(entries), "log": len(log), "by": lines.label()}
            record(JournalLine("curated.restored", data=told))
    except IntegrityError:
        raise Conflict("These lines are held already, or contradict each other.", field="lines") from None
    if entries or not log:
        project(within=within)


def _take_back(entries: Sequence[RestoredEntry], log: Sequence[LoggedLine], given: GivenNumbers) -> None:
    file = lines.lock()
    if CuratedEntry.objects.filter(tenant_id=file.tenant_id).exists():
        raise Conflict("There is a curated memory already.", hint="Restore into a tenant that has none.")
    known = {entry.id for entry in entries}
    rows.insert([_entry(entry, known, file.tenant_id) for entry in entries])
    numbers = [number for entry in entries for number in (entry.added, entry.removed) if number is not None]
    times = [at for entry in entries for at in (entry.added_at, entry.removed_at) if at is not None]
    file.changes = max([file.changes, given.changes, *numbers, *_logged_numbers(log, "change")])
    file.changed_at = max([file.changed_at, *times])
    decided = [entry.decision for entry in entries if entry.decision is not None]
    file.decisions = max([file.decisions, given.decisions, *decided, *_logged_numbers(log, "decision")])
    file.save(update_fields=["changes", "changed_at", "decisions"])


def _logged_numbers(log: Sequence[LoggedLine], name: str) -> list[int]:
    """Of lines that came or went, those that were erased since among them: no number is given twice."""
    told = [line.data.get(name) for line in log if line.operation in {ADDED, REMOVED}]
    return [number for number in told if isinstance(number, int)]


def _entry(given: RestoredEntry, known: set[UUID], tenant_id: UUID) -> CuratedEntry:
    is_there = given.removed is None
    if is_there != (given.removed_at is None) or is_there != (given.removal == ""):
        raise Invalid("A line went half.", field="lines")
    if given.removal not in {"", *Removal.values} or (given.removed or given.added + 1) <= given.added:
        raise Invalid("A line came or went in a way of its own.", field="lines")
    _require_past(given.added_at, given.removed_at, field="lines")
    fields = asdict(given)
    replaces = fields.pop("replaces")
    return CuratedEntry(tenant_id=tenant_id, replaces_id=replaces if replaces in known else None, **fields)


def _require_past(*times: datetime | None, field: str) -> None:
    """Raises Invalid: what was, was; a day's log waits for the day to end."""
    if any(at is not None and not EARLIEST <= at <= clock.now() for at in times):
        raise Invalid("This has a time before 1970, or one that is still to come.", field=field)


class _Story:
    """All lines there were and the log, as commits in order."""

    def __init__(
        self, entries: Sequence[CuratedEntry], given: GivenNumbers, log: Sequence[LoggedLine], now: datetime
    ) -> None:
        self._entries = entries
        self._given = given
        self._days: dict[date, list[LoggedLine]] = {}
        for line in log:
            self._days.setdefault(line.at.astimezone(UTC).date(), []).append(line)
        self.commits = list(_ordered(_changes(entries, given), sorted(self._days), now))

    @classmethod
    def load(cls, within: Scope) -> "_Story":
        with scope.enter(within):
            # Before the lines: a change in between has a number that is the next one.
            given = lines.given()
            found = CuratedEntry.objects.filter(tenant_id=within.tenant_id).order_by("added", "id")
            return cls(list(found), given, journal.logged(LOGGED), clock.now())

    def begins_with(self, trees: Sequence[str]) -> bool:
        """Whether a repository with these folders holds the first of the commits: the last one tells."""
        if not trees:
            return True
        if len(trees) > len(self.commits):
            return False
        folder = _WorkingTree(self._entries, self._given, self._days)
        folder.bring_to(self.commits[len(trees) - 1])
        return tree_of(folder.files) == trees[-1]

    def steps(self, start: int = 0) -> Iterator[NewCommit]:
        folder = _WorkingTree(self._entries, self._given, self._days)
        if start:
            folder.bring_to(self.commits[start - 1])
        for commit in self.commits[start:]:
            folder.bring_to(commit)
            yield NewCommit(dict(folder.files), commit.author, int(commit.at.timestamp()), commit.message)


class _WorkingTree:
    """The repository's files as they stand after some changes; going on to a later one costs what that one changes."""

    def __init__(
        self, entries: Sequence[CuratedEntry], given: GivenNumbers, days: Mapping[date, Sequence[LoggedLine]]
    ) -> None:
        self.files: dict[str, str] = {FILE: memory_file.rendered([])}
        self._changes = _by_number(entries)
        self._numbers = sorted(self._changes, reverse=True)
        self._given = given
        self._decided = sorted(
            ((entry.added, entry.decision) for entry in entries if entry.decision is not None), reverse=True
        )
        self._last_decision = 0
        self._days = days
        self._days_left = sorted(days, reverse=True)
        self._decisions = {entry.id: entry.decision for entry in entries}
        self._known: dict[UUID, CuratedEntry] = {}
        self._present: dict[UUID, CuratedEntry] = {}
        self._successors: dict[UUID, CuratedEntry] = {}
        self._history: dict[str, dict[UUID, str]] = {}

    def bring_to(self, commit: _Commit) -> None:
        touched: dict[UUID, CuratedEntry] = {}
        while self._numbers and self._numbers[-1] <= commit.change:
            touched.update((entry.id, entry) for _, entry in self._changes[self._numbers.pop()])
        for entry in touched.values():
            self._take(entry, commit.change)
        if touched:
            self.files[FILE] = memory_file.rendered([selectors.file_line(entry) for entry in self._present.values()])
        for path in {_history_file(entry) for entry in touched.values()}:
            self.files[path] = "".join(self._history[path].values())
        self._write_records(touched, commit.change)
        self.files[NUMBERS_FILE] = json_lines([asdict(self._given_by(commit.change))])
        while self._days_left and self._days_left[-1] < commit.before:
            day = self._days_left.pop()
            self.files[f"{LOG_FOLDER}/{day.isoformat()}.jsonl"] = json_lines(map(_logged, self._days[day]))

    def _given_by(self, change: int) -> GivenNumbers:
        """The last numbers that were given by then: up to the next that a line has, for those of erased lines are
        nobody's. The changes that follow leave them as they are.
        """
        while self._decided and self._decided[-1][0] <= change:
            self._last_decision = max(self._last_decision, self._decided.pop()[1])
        changes = self._numbers[-1] - 1 if self._numbers else max(change, self._given.changes)
        decisions = self._decided[-1][1] - 1 if self._decided else max(self._last_decision, self._given.decisions)
        return GivenNumbers(changes, decisions)

    def _take(self, entry: CuratedEntry, change: int) -> None:
        """A line as it stands after a change."""
        self._known[entry.id] = entry
        self._present[entry.id] = entry
        if _is_gone(entry, change):
            del self._present[entry.id]
        if entry.replaces_id is not None:
            self._successors[entry.replaces_id] = entry
        self._history.setdefault(_history_file(entry), {})[entry.id] = json_lines([_told(entry, change)])

    def _write_records(self, touched: Mapping[UUID, CuratedEntry], change: int) -> None:
        """Of decisions that came or went, and of those that were replaced."""
        replaced = {entry.replaces_id for entry in touched.values() if entry.replaces_id in self._known}
        for entry in (self._known[one] for one in {*touched, *replaced} if one is not None):
            if entry.decision is not None:
                successor, is_gone = self._successors.get(entry.id), _is_gone(entry, change)
                found = _record(entry, entry.decision, self._decisions, successor, is_gone=is_gone)
                self.files[f"decisions/{memory_file.record_name(found)}"] = memory_file.record_text(found)


def _history_file(entry: CuratedEntry) -> str:
    return f"{HISTORY_FOLDER}/{entry.added // CHANGES_IN_A_FILE:06}.jsonl"


def _by_number(entries: Iterable[CuratedEntry]) -> dict[int, list[tuple[str, CuratedEntry]]]:
    """What was done to the lines, by number of the change."""
    found: dict[int, list[tuple[str, CuratedEntry]]] = {}
    for entry in entries:
        found.setdefault(entry.added, []).append(("added", entry))
        if entry.removed is not None:
            found.setdefault(entry.removed, []).append(("removed", entry))
    return found


def _changes(entries: Iterable[CuratedEntry], given: GivenNumbers) -> list[_Commit]:
    """What was done to the lines, one commit a number. Where the first ones are erased their numbers have one."""
    found = _by_number(entries)
    begins_later = bool(found or given.changes) and 1 not in found
    begun = [_Commit(0, date.min, EARLIEST, _SYSTEM, "Begin\n\nChange: 0")] if begins_later else []
    return [*begun, *(_change(number, found[number]) for number in sorted(found))]


def _change(number: int, parts: Sequence[tuple[str, CuratedEntry]]) -> _Commit:
    added = [entry for how, entry in parts if how == "added"]
    removed = [entry for how, entry in parts if how == "removed"]
    entry = (added or removed)[0]
    at, by = (entry.added_at, entry.added_by) if added else (entry.removed_at or entry.added_at, entry.removed_by)
    verb = "Replace in" if added and removed else "Add to" if added else "Remove from"
    why = "" if not removed else f" ({removed[0].removal})"
    return _Commit(number, date.min, at, by, f"{verb} {entry.section}{why}\n\nChange: {number}")


def _ordered(changes: Sequence[_Commit], days: Sequence[date], now: datetime) -> Iterator[_Commit]:
    """Each day's log after the day's changes. What came after a day that is not settled waits for its log."""
    left, before, number = list(days), date.min, 0
    for change in changes:
        while left and change.at >= _end(left[0]):
            if now < _end(left[0]) + SETTLED:
                return
            before = left.pop(0) + timedelta(days=1)
            yield _log(number, before)
        number = change.change
        yield replace(change, before=before)
    for day in left:
        if now >= _end(day) + SETTLED:
            yield _log(number, day + timedelta(days=1))


def _log(number: int, before: date) -> _Commit:
    day = before - timedelta(days=1)
    return _Commit(number, before, _end(day), _SYSTEM, f"Log of {day.isoformat()}")


def _end(day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(), tzinfo=UTC)


def _is_gone(entry: CuratedEntry, change: int) -> bool:
    return entry.removed is not None and entry.removed <= change


def _told(entry: CuratedEntry, change: int) -> Mapping[str, Any]:
    """A line as it stood after a change."""
    gone = _is_gone(entry, change)
    return {
        "id": entry.id,
        "section": entry.section,
        "kind": entry.kind,
        "text": entry.text,
        "said_on": entry.said_on,
        "items": [str(one) for one in entry.items],
        "decision": entry.decision,
        "replaces": entry.replaces_id,
        "added": entry.added,
        "added_at": entry.added_at.isoformat(),
        "added_by": entry.added_by,
        "removed": entry.removed if gone else None,
        "removed_at": entry.removed_at.isoformat() if gone and entry.removed_at else None,
        "removed_by": entry.removed_by if gone else "",
        "removal": entry.removal if gone else "",
    }


def _logged(line: LoggedLine) -> Mapping[str, Any]:
    return {**asdict(line), "at": line.at.isoformat(), "data": dict(starmap(_coded, line.data.items()))}


def _coded(name: str, value: object) -> tuple[str, object]:
    """Of what was changed the names of the fields alone: values may be words, which no erasure would find in git."""
    return ("fields", sorted(value)) if isinstance(value, Mapping) else (name, value)


def _record(
    entry: CuratedEntry,
    number: int,
    numbers: Mapping[UUID, int | None],
    successor: CuratedEntry | None,
    *,
    is_gone: bool,
) -> Record:
    by = None if successor is None else successor.decision
    return Record(
        number=number,
        text=entry.text,
        section=entry.section,
        decided_on=entry.added_at.date(),
        decided_by=entry.added_by,
        memories=tuple(map(str, entry.items)),
        supersedes=None if entry.replaces_id is None else numbers.get(entry.replaces_id),
        ended="" if not is_gone else "superseded" if by is not None else "withdrawn",
        successor=by if is_gone else None,
    )


def _folder(within: Scope) -> GitFolder:
    """Of the whole tenant, whoever asks."""
    if within.reach is not Reach.TENANT:
        raise ValueError("The curated memory is the whole tenant's.")
    path: Path = environment().home / "curated" / f"{within.tenant_id}.git"
    return GitFolder(path, key=signing.key())
