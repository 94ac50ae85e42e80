"""Rebuilding the index while it is in use: from the apps it projects, or from its documents where none registered."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from apps.core import scope
from apps.core.scope import Scope
from apps.index import readers, services, statistics
from apps.index.models import Document
from apps.index.services import NewDocument
from apps.index.statistics import IndexDrift
from memory_platform.model import Audience, Unit, Visibility

BATCH: Final = 500


class Rebuilder(Protocol):
    """Indexes all units of a kind anew by `services.replace` and drops what is gone, opening `within` itself.

    Returns how many documents it wrote.
    """

    def __call__(self, *, within: Scope) -> int: ...


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """How many documents were written, and asked to be embedded; what was wrong before."""

    documents: int
    embedding: int
    drift: IndexDrift


_sources: dict[Unit, Rebuilder] = {}


def register(unit: Unit, source: Rebuilder) -> None:
    """Let `source` rebuild the documents of this unit. Called once, where an app registers its jobs."""
    _sources[unit] = source


def rebuild(*, within: Scope) -> Rebuilt:
    """Rebuild documents, postings and statistics of a tenant; vectors of changed texts come from jobs.

    Called without an open scope; a transaction a batch. Search answers meanwhile, a batch at a time from the new state.
    """
    with scope.enter(within):
        before = statistics.drift()
    documents = sum(
        _sources[unit](within=within) if unit in _sources else restate(unit, within=within) for unit in Unit
    )
    if not _recounted(within).is_zero:  # documents that no source knows of
        documents += sum(restate(unit, within=within) for unit in _sources)
        _recounted(within)
    return Rebuilt(documents, _embed_the_rest(within), before)


def _recounted(within: Scope) -> IndexDrift:
    with scope.enter(within):
        statistics.recount()
        return statistics.drift()


def restate(unit: Unit, *, within: Scope) -> int:
    """Cut the texts of the index's own documents into terms again; returns how many."""
    done, after = 0, -(1 << 63)
    while True:
        with scope.enter(within):
            rows = Document.objects.filter(tenant_id=within.tenant_id, unit=unit.value, id__gt=after)
            batch = list(rows.order_by("id").select_for_update()[:BATCH])
            services.replace([_stated(row) for row in batch])
        if not batch:
            return done
        done, after = done + len(batch), batch[-1].id


def _stated(row: Document) -> NewDocument:
    return NewDocument(
        unit=Unit(row.unit),
        unit_id=row.unit_id,
        text=row.text,
        audience=Audience(row.agent_id, row.user_id, Visibility(row.visibility)),
        session_id=row.session_id,
        ordinal=row.ordinal,
        event_time=row.event_time,
        recorded_at=row.recorded_at,
        retracted_at=row.retracted_at,
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        kind=row.kind,
        category=row.category,
        service=row.service,
        entities=tuple(row.entities),
        hidden=row.hidden,
        archived=row.archived,
        cues=row.cues,
    )


def _embed_the_rest(within: Scope) -> int:
    """Ask for the vectors that the configured models lack; returns how many."""
    asked = 0
    with scope.enter(within):
        ids = Document.objects.filter(tenant_id=within.tenant_id).order_by("id").values_list("id", flat=True)
        for batch in _batches(ids.iterator(BATCH)):
            waiting = [document_id for _, texts in readers.lacking(batch) for document_id, _ in texts]
            if waiting:
                services.enqueue_embedding(waiting)
            asked += len(waiting)
    return asked


def _batches(ids: Iterable[int]) -> Iterable[list[int]]:
    batch: list[int] = []
    for document_id in ids:
        batch.append(document_id)
        if len(batch) == services.EMBEDDED_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
