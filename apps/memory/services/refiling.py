"""Items that were filed by an older version of the taxonomy, filed anew: by keywords and examples.

What somebody said belongs somewhere, or a model that read the message, stays there; so does what has no vector yet.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from apps.budgets.services import meter, spending
from apps.core import clock, scope
from apps.core.ids import new_id
from apps.core.scope import Scope
from apps.core.sql import statement
from apps.index import embeddings
from apps.index import services as index
from apps.memory import topics
from apps.memory.models import Item
from apps.memory.services import audience as audiences
from apps.memory.services import classifying
from apps.memory.services.talks import SessionTalk, talks
from apps.tenants import selectors as tenants
from memory_platform.extraction.classify import OTHER, category_of
from memory_platform.extraction.examples import Examples
from memory_platform.model import CategoryRule, FiledBy, Status, Unit
from memory_platform.ports import Embedder, Vectors

OPERATION: Final = "refile"
REFILED_AT_ONCE: Final = 256
_OPEN: Final = (Status.ACTIVE.value, Status.STALE.value)
_BY_US: Final = (FiledBy.KEYWORDS.value, FiledBy.EXAMPLES.value)


@dataclass(frozen=True, slots=True)
class Refiled:
    """How many items got another category, and the last one looked at; None: there is nothing behind it."""

    items: int
    last: UUID | None


@dataclass(frozen=True, slots=True)
class _Assignment:
    category: str
    filed_by: FiledBy


@dataclass(frozen=True, slots=True)
class _RefilingBatch:
    """Items to be filed by the rules of a version of the taxonomy: their vectors by model, their talks by session."""

    rows: Sequence[Item]
    rules: tuple[CategoryRule, ...]
    version: int
    vectors: Mapping[str, Mapping[UUID, Vectors]]
    talks: Mapping[UUID, SessionTalk]


def count_outdated() -> int:
    """How many items an older version of the taxonomy filed. Needs an open scope of the whole tenant."""
    return _outdated().count()


def refile(*, within: Scope, after: UUID | None = None) -> Refiled:
    """Look at the next REFILED_AT_ONCE items behind `after`; no transaction is open while a model works."""
    with scope.enter(within):
        batch = _read(within.tenant_id, after)
    with spending(operation=OPERATION, within=within) as asked:
        known = {
            reader.model: classifying.of_model(reader, batch.rules, asked.usages)
            for reader in classifying.readers()
            if batch.vectors[reader.model]
        }
        found = {row.id: filing for row in batch.rows if (filing := _filing(row, batch, known)) is not None}
        with scope.enter(within):
            if asked.usages:
                meter(operation=OPERATION, usages=tuple(asked.usages))
            changed = _write(found, batch.version)
    return Refiled(changed, batch.rows[-1].id if len(batch.rows) == REFILED_AT_ONCE else None)


def _read(tenant_id: UUID, after: UUID | None) -> _RefilingBatch:
    # What is filed by rules of before an edit must not carry its version.
    tenants.forget_cached(tenant_id)
    behind = _outdated() if after is None else _outdated().filter(id__gt=after)
    rows = list(behind.order_by("id")[:REFILED_AT_ONCE])
    return _RefilingBatch(
        rows,
        tenants.category_rules(tenant_id),
        tenants.taxonomy_version(tenant_id),
        vectors={reader.model: _vectors(reader, rows) for reader in classifying.readers()},
        talks=_talks(rows),
    )


def _outdated() -> "QuerySet[Item]":
    tenant_id = scope.current().tenant_id
    return Item.objects.filter(
        Q(filed_by__in=_BY_US) | Q(category=OTHER),
        tenant_id=tenant_id,
        status__in=_OPEN,
        taxonomy_version__lt=tenants.taxonomy_version(tenant_id, fresh=True),
    )


def _vectors(reader: Embedder, rows: Sequence[Item]) -> dict[UUID, Vectors]:
    ids = [row.id for row in rows]
    return embeddings.vectors_of(Unit.ITEM, ids, model=reader.model, dimension=reader.dimension)


def _talks(rows: Sequence[Item]) -> dict[UUID, SessionTalk]:
    """What was filed in the sessions of the rows: from a little before the first of them to the last."""
    said: dict[UUID, list[UUID]] = defaultdict(list)
    for row in rows:
        if row.session_id is not None:
            said[row.session_id].append(row.id)
    return talks({session_id: (ids[0], ids[-1]) for session_id, ids in said.items()})


def _filing(row: Item, batch: _RefilingBatch, known: Mapping[str, Examples | None]) -> _Assignment | None:
    """Where an item belongs; None: that cannot be told yet."""
    worded = category_of(f"{row.lead_in} {row.text}", batch.rules)
    before = batch.talks[row.session_id].before(row.id) if row.session_id else []
    for model, held in batch.vectors.items():
        if row.id in held and (examples := known.get(model)) is not None:
            return _Assignment(*classifying.filed(examples, held[row.id], worded=worded, before=before))
    return None if worded == OTHER else _Assignment(worded, FiledBy.KEYWORDS)


def _write(found: Mapping[UUID, _Assignment], version: int) -> int:
    """Lock the audiences of what was found and file it; what somebody filed or closed meanwhile stays."""
    audiences.lock_owners(list(found))
    rows = _outdated().filter(id__in=list(found))
    held = dict(rows.values_list("id", "category"))
    _restate({item_id: found[item_id] for item_id in held}, version)
    moved = {item_id: found[item_id].category for item_id, old in held.items() if found[item_id].category != old}
    if moved:
        index.set_categories(Unit.ITEM, moved)
        topics.items_changed(moved)
    return len(moved)


def _restate(filings: Mapping[UUID, _Assignment], version: int) -> None:
    if not filings:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "refile_items"),
            {
                "tenant": scope.current().tenant_id,
                "ids": list(filings),
                "categories": [each.category for each in filings.values()],
                "filed_by": [each.filed_by.value for each in filings.values()],
                "version_ids": [new_id() for _ in filings],
                "taxonomy": version,
                "at": clock.now(),
            },
        )
