"""What an erasure has written down: its targets before anything goes, its steps and counts as they are done."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Final
from uuid import UUID

from apps.core import scope
from apps.core.erasing import Conversation
from apps.erasure.models import Erasure, ErasureTarget, Target
from apps.erasure.results import Selection

WRITTEN_AT_ONCE: Final = 5_000
ROWS: Final = tuple(kind for kind in Target if kind is not Target.SENTENCE)
"""What is to go, and is counted: a sentence is only looked for."""


def add(row: Erasure, selection: Selection) -> None:
    """Write down what the selection means beside what was written before."""
    named = {
        Target.ITEM: selection.item_ids,
        Target.RESOURCE: selection.resource_ids,
        Target.SESSION: selection.session_ids,
        Target.ENTITY: selection.entity_ids,
    }
    _write(row, [(kind, one) for kind, ids in named.items() for one in ids])
    held = ErasureTarget.objects.filter(tenant_id=row.tenant_id, erasure_id=row.id, kind__in=ROWS)
    row.targets_count = held.count()
    row.about = {**row.about, **_found(row, selection)}
    row.save(update_fields=["targets_count", "about"])


def add_sentences(row: Erasure, made: Iterable[UUID]) -> None:
    """Write down the digests of what the targets say, while they are there to say it."""
    _write(row, [(Target.SENTENCE, one) for one in set(made)])


def _write(row: Erasure, own: list[tuple[Target, UUID]]) -> None:
    held = {"tenant_id": row.tenant_id, "erasure_id": row.id}
    ErasureTarget.objects.bulk_create(
        [ErasureTarget(**held, kind=kind.value, unit_id=one) for kind, one in own],
        batch_size=WRITTEN_AT_ONCE,
        ignore_conflicts=True,
    )


def _found(row: Erasure, selection: Selection) -> dict[str, object]:
    """What cannot be found again once the rows that say it are gone."""
    sessions = {*conversations(row), *selection.conversations}
    found = {
        "conversations": [
            {**asdict(each), "agent_id": str(each.agent_id)} for each in sorted(sessions, key=lambda one: one.name)
        ],
        "words": selection.words,
        "users": list(selection.users),
        "entity": _chosen(row, selection),
    }
    return {name: value for name, value in found.items() if value}


def _chosen(row: Erasure, selection: Selection) -> str | None:
    """The name of the one entity that was asked for by its id, for who decides and who watches."""
    return selection.matched[0].name if "entity_id" in row.about and selection.matched else None


def conversations(row: Erasure) -> tuple[Conversation, ...]:
    held = row.about.get("conversations", ())
    return tuple(Conversation(UUID(each["agent_id"]), each["user_id"], each["name"]) for each in held)


def by_kind(row: Erasure) -> Mapping[Target, tuple[UUID, ...]]:
    held: dict[Target, list[UUID]] = {kind: [] for kind in Target}
    own = ErasureTarget.objects.filter(tenant_id=row.tenant_id, erasure_id=row.id)
    for kind, unit_id in own.order_by("unit_id").values_list("kind", "unit_id"):
        held[Target(kind)].append(unit_id)
    return {kind: tuple(ids) for kind, ids in held.items()}


def count(erasure_id: UUID, gone: Counter[str]) -> None:
    """Add to what was removed. Needs the transaction that removes it."""
    row = _locked(erasure_id)
    row.removed = dict(Counter(row.removed) + gone)
    row.save(update_fields=["removed"])


def count_once(erasure_id: UUID, gone: Counter[str]) -> None:
    """The same of what is counted by what is gone, not by what was taken: counted again, it is as much."""
    row = _locked(erasure_id)
    row.removed = dict(Counter(row.removed) | gone)
    row.save(update_fields=["removed"])


def note_step(erasure_id: UUID, name: str) -> None:
    row = _locked(erasure_id)
    if name not in row.steps:
        row.steps = [*row.steps, name]
        row.save(update_fields=["steps"])


def _locked(erasure_id: UUID) -> Erasure:
    return Erasure.objects.select_for_update().get(tenant_id=scope.current().tenant_id, id=erasure_id)
