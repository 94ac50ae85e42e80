"""Running an erasure: step after step, a bounded transaction at a time, each of which may be done twice.

What is to go was written down before. The first step closes it to every read, so that whatever happens afterwards
nothing of it is recalled; the last one looks for it everywhere, and only then is there a receipt.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from apps.core import clock, scope
from apps.core.erasing import Doomed
from apps.core.ids import new_id
from apps.core.scope import Reach, Scope
from apps.curation.services import erasing as curation
from apps.erasure import receipts, residue
from apps.erasure.models import Erasure, ErasureKind, ErasureState, ErasureTarget, Target
from apps.erasure.residue import ResidueSearch
from apps.erasure.results import Scanned
from apps.erasure.sentences import digests
from apps.erasure.services import selecting, targets
from apps.graph.services import erasing as graph
from apps.index import erasing as index
from apps.journal import erasing as journal
from apps.journal.services import record
from apps.lessons.services import erasing as lessons
from apps.memory import topics
from apps.memory.models import Item
from apps.memory.services import erasing as memory
from apps.resources.models import Resource
from apps.resources.services import erasing as resources
from apps.retrieval.services import erasing as retrieval
from apps.summaries.services import erasing as summaries
from apps.tenants import erasing as tenants
from apps.triggers.services import erasing as triggers
from memory_platform.errors import ProviderRetryable
from memory_platform.model import JournalLine

UNITS_AT_ONCE: Final = 200
"""Targets of one transaction."""

DATABASE: Final = "postgresql"

# What was made before is looked for, and found once more when a scan finds something.
_BEGAN: Final = "began"

Purge = Callable[[Doomed], "Counter[str]"]


@dataclass(frozen=True, slots=True)
class ErasureRun:
    """An erasure that runs: `within` is its tenant, `doomed` all that goes, `sentences` what that says by digests,
    `began` an id made when it began.
    """

    erasure_id: UUID
    within: Scope
    doomed: Doomed
    sentences: tuple[UUID, ...]
    began: UUID

    def parts(self) -> Iterator[Doomed]:
        """The targets in parts, then what hangs on none of them."""
        targets_only = replace(self.doomed, user_id=None, words=None, conversations=(), users=())
        longest = max(len(ids) for ids in self._ids().values())
        for start in range(0, longest, UNITS_AT_ONCE):
            cut: dict[str, Any] = {name: ids[start : start + UNITS_AT_ONCE] for name, ids in self._ids().items()}
            yield replace(targets_only, **cut)
        none: dict[str, Any] = dict.fromkeys(self._ids(), ())
        yield replace(self.doomed, **none)

    def _ids(self) -> Mapping[str, tuple[UUID, ...]]:
        held = self.doomed
        return {
            "item_ids": held.item_ids,
            "resource_ids": held.resource_ids,
            "session_ids": held.session_ids,
            "entity_ids": held.entity_ids,
        }


def _purging(*purges: Purge) -> Callable[[ErasureRun], None]:
    def purge(run: ErasureRun) -> None:
        for part in run.parts():
            for each in purges:
                while _purged(run, each, part):
                    pass

    return purge


def _purged(run: ErasureRun, purge: Purge, part: Doomed) -> bool:
    """Whether anything was deleted; it is counted in the transaction that deletes it."""
    with scope.enter(run.within):
        gone = purge(part)
        if gone:
            targets.count(run.erasure_id, gone)
        return bool(gone)


DERIVED: Final[Sequence[Purge]] = (lessons.purge, triggers.purge, summaries.purge, curation.purge)


def _close(run: ErasureRun) -> None:
    """Let nobody read it any more. What was captured since it was asked for goes, too."""
    erased = frozenset(run.doomed.item_ids)
    for part in run.parts():
        with scope.enter(run.within):
            memory.close(part, erased=erased)
            derived = (each(part) for each in DERIVED)
            targets.count(run.erasure_id, sum(derived, Counter[str]()))


def _copy(run: ErasureRun) -> None:
    gone = sum(graph.purge_copy(part, within=run.within) for part in run.parts())
    with scope.enter(run.within):
        targets.count_once(run.erasure_id, Counter({residue.COPY: gone}))


def _rewrite(run: ErasureRun) -> None:
    if not curation.is_kept(run.within):
        return
    # Counted before: once it is made anew nothing tells how much was in the old one.
    outdated = curation.left_in_file(within=run.within)
    with scope.enter(run.within):
        targets.count_once(run.erasure_id, Counter({residue.FILE: outdated}))
    curation.rewrite(within=run.within)


def _uncache(run: ErasureRun) -> None:
    with scope.enter(run.within):
        wanted = _wanted(run)
    gone = residue.clear_valkey(wanted, tenant_id=run.within.tenant_id)
    with scope.enter(run.within):
        targets.count(run.erasure_id, Counter({residue.VALKEY: gone}))


def _renew(run: ErasureRun) -> None:
    """What was said since is read into what was thrown away with the rest."""
    if run.doomed.user_id is None:
        return
    with scope.enter(run.within):
        own = {"tenant_id": run.within.tenant_id, "user_id": run.doomed.user_id}
        topics.items_changed(Item.objects.filter(**own).values_list("id", flat=True))
        topics.episodes_changed(Resource.objects.filter(**own).values_list("id", flat=True))


STEPS: Final[Mapping[str, Callable[[ErasureRun], None]]] = {
    "closed": _close,
    "derived": _purging(*DERIVED),
    "file": _rewrite,
    "index": _purging(index.purge),
    "graph": _purging(graph.purge),
    "copy": _copy,
    "traces": _purging(retrieval.purge),
    "memory": _purging(memory.purge),
    "resources": _purging(resources.purge, memory.purge_last),
    "journal": _purging(journal.purge),
    "keys": _purging(tenants.purge),
    "cache": _uncache,
    "renewed": _renew,
}
"""In this order: what is read, what was derived, what that was derived from, what told of it."""


class Residue(ProviderRetryable):
    """Something was found again: a run that was under way stored it. The steps are done once more."""


def run(erasure_id: UUID, *, tenant_id: UUID) -> Mapping[str, int | str]:
    """Do what is left of an erasure; called without an open scope. Doing it again changes nothing.

    Raises Residue when the scan finds something, ProviderRetryable while Neo4j is down.
    """
    within = Scope(tenant_id, None, Reach.TENANT)
    with scope.enter(within):
        row = Erasure.objects.filter(tenant_id=tenant_id, id=erasure_id).first()
        if row is None or row.state != ErasureState.RUNNING:
            return {"done": 0}
        held = _run_of(row, within)
    done = list(row.steps)
    for name, step in STEPS.items():
        if name not in done:
            step(held)
            with scope.enter(within):
                targets.note_step(erasure_id, name)
    return _closed(held)


def _run_of(row: Erasure, within: Scope) -> ErasureRun:
    """With what was captured since it was asked for, as long as nothing is closed yet."""
    if _BEGAN not in row.about:
        row.about = {**row.about, _BEGAN: str(new_id())}
        row.started_at = clock.now()
        row.save(update_fields=["about", "started_at"])
        targets.add(row, selecting.select_again(row))
        _note_sentences(row)
    ids = targets.by_kind(row)
    doomed = Doomed(
        before=row.started_at or clock.now(),
        item_ids=ids[Target.ITEM],
        resource_ids=ids[Target.RESOURCE],
        session_ids=ids[Target.SESSION],
        entity_ids=ids[Target.ENTITY],
        conversations=targets.conversations(row),
        user_id=row.about.get("user_id") if row.kind == ErasureKind.USER else None,
        words=row.about.get("words"),
        users=tuple(row.about.get("users", ())),
    )
    return ErasureRun(row.id, within, doomed, ids[Target.SENTENCE], UUID(row.about[_BEGAN]))


def _note_sentences(row: Erasure) -> None:
    """All that is a user's bears the user: what is erased of one is known by that."""
    if row.kind != ErasureKind.USER:
        ids = targets.by_kind(row)
        said = (text for _, text in selecting.texts(ids[Target.ITEM], ids[Target.RESOURCE]))
        targets.add_sentences(row, (digest for _, digest in digests(said)))


def _closed(run: ErasureRun) -> Mapping[str, int | str]:
    """Look for it, and either begin anew or sign the receipt, in one transaction with the end of the erasure."""
    elsewhere = _scanned_elsewhere(run)
    with scope.enter(run.within):
        tables = residue.scan(_wanted(run))
        scanned = replace(elsewhere, columns=tables.columns, found=(*tables.found, *elsewhere.found))
        row = Erasure.objects.select_for_update().get(tenant_id=run.within.tenant_id, id=run.erasure_id)
        if row.state != ErasureState.RUNNING:
            # Another worker, to whom this one seemed dead, was faster.
            return {"done": 0}
        row.residue = list(scanned.found)
        if scanned.found:
            told = {"found": row.residue}
            record(JournalLine("erasure.residue", "erasure", row.id, told))
            row.steps = []
            row.about = {name: value for name, value in row.about.items() if name != _BEGAN}
            row.save(update_fields=["residue", "steps", "about"])
        else:
            _finish(row, scanned)
    if scanned.found:
        raise Residue("Something that was to be erased is there again.")
    return {"done": 1, "rows": sum(_rows(row).values()), "targets": row.targets_count}


def _scanned_elsewhere(run: ErasureRun) -> Scanned:
    """On other servers, while no transaction is open."""
    with scope.enter(run.within):
        wanted = _wanted(run)
    scanned = residue.scan_valkey(wanted, tenant_id=run.within.tenant_id)
    left: dict[str, bool] = {}
    if graph.is_copied():
        left[residue.COPY] = graph.left_in_copy(run.doomed, before=run.began, within=run.within) > 0
    if curation.is_kept(run.within):
        left[residue.FILE] = curation.left_in_file(within=run.within) > 0
    return replace(
        scanned,
        stores=(DATABASE, residue.VALKEY, *left),
        found=(*scanned.found, *(name for name, is_left in left.items() if is_left)),
    )


def _wanted(run: ErasureRun) -> ResidueSearch:
    held = run.doomed
    return ResidueSearch(
        ids=frozenset({*held.unit_ids, *_silent(held)}),
        words=held.words,
        users=held.users,
        user_id=held.user_id,
        before_id=run.began,
        sentences=frozenset(run.sentences),
    )


def _silent(held: Doomed) -> list[UUID]:
    """Sessions that did not go on since: one that did stays, with what was said in it then."""
    rows = Resource.objects.filter(tenant_id=scope.current().tenant_id, session_id__in=held.session_ids)
    going_on = set(rows.exclude(id__in=held.resource_ids).values_list("session_id", flat=True))
    return sorted(set(held.session_ids) - going_on)


def _finish(row: Erasure, scanned: Scanned) -> None:
    row.finished_at = clock.now()
    row.state = ErasureState.DONE
    row.receipt = receipts.sign(_receipt(row, scanned))
    row.about, row.reason = {}, ""
    row.save(update_fields=["finished_at", "state", "receipt", "about", "reason", "residue"])
    ErasureTarget.objects.filter(tenant_id=row.tenant_id, erasure_id=row.id).delete()
    data = {"kind": row.kind, "rows": sum(_rows(row).values()), "targets": row.targets_count}
    record(JournalLine("erasure.done", "erasure", row.id, data))


def _rows(row: Erasure) -> dict[str, int]:
    """What was removed of the database, by table."""
    return {table: removed for table, removed in sorted(row.removed.items()) if table not in residue.ELSEWHERE}


def _receipt(row: Erasure, scanned: Scanned) -> dict[str, Any]:
    """Counts and digests: a receipt tells nothing of what is gone."""
    held = targets.by_kind(row)
    ids = [one for kind in targets.ROWS for one in held[kind]]
    elsewhere = {store: row.removed.get(store, 0) for store in sorted(residue.ELSEWHERE)}
    return {
        "erasure_id": str(row.id),
        "tenant_id": str(row.tenant_id),
        "kind": row.kind,
        "about_digest": row.digest,
        "targets": {kind.value: len(held[kind]) for kind in targets.ROWS},
        "targets_sha256": receipts.digest_of_ids(ids),
        "removed": {DATABASE: _rows(row), **elsewhere},
        "scanned": {"stores": sorted(scanned.stores), "columns": scanned.columns, "keys": scanned.keys, "found": 0},
        "requested": _who(row.requested_by, row.requested_agent_id, row.requested_person, row.requested_at),
        "decided": _decided(row),
        "started_at": _moment(row.started_at),
        "finished_at": _moment(row.finished_at),
    }


def _decided(row: Erasure) -> dict[str, str | None] | None:
    if row.decided_at is None:
        return None
    return _who(row.decided_by, row.decided_agent_id, row.decided_person, row.decided_at)


def _who(actor: str, agent_id: UUID | None, person: str, at: Any) -> dict[str, str | None]:
    """`person` stands behind the agent's key; None where that was not written down yet."""
    agent = None if agent_id is None else str(agent_id)
    return {"actor": actor, "agent_id": agent, "person": person or None, "at": _moment(at)}


def _moment(at: Any) -> str | None:
    """With its offset from UTC."""
    return None if at is None else at.isoformat()
