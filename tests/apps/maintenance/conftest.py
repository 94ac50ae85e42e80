"""A tenant whose items are as old as the test says; the clock stands at NOW."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import time_machine

from apps.core import rows, scope
from apps.core.ids import new_id
from apps.core.scope import Reach, Scope
from apps.jobs import services as jobs
from apps.jobs.models import Job
from apps.maintenance import services
from apps.memory.models import Item, ItemUse
from memory_platform.model import Kind, Status, Strength, Verdict

NOW = datetime(2031, 6, 2, 2, 30, tzinfo=UTC)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@dataclass
class Memory:
    tenant_id: UUID
    agent_id: UUID

    @property
    def worker(self) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT)

    def made(self, text: str, *, days: float = 0, used: float | None = None, **fields: object) -> Item:
        """An item not yet stored: written and said `days` ago. `used`: days since it was recalled."""
        with time_machine.travel(ago(days), tick=False):
            return Item(
                id=new_id(),
                **{
                    "tenant_id": self.tenant_id,
                    "agent_id": self.agent_id,
                    "text": text,
                    "claim_hash": text,
                    "kind": Kind.FACT.value,
                    "category": "health",
                    "strength": Strength.EXPLICIT.value,
                    "confidence": 0.9,
                    "reinforced_at": ago(days if used is None else used),
                    "verdict": Verdict.ALLOW.value,
                    "event_time": ago(days),
                    "said_at": ago(days),
                    "valid_from": ago(days),
                    "recorded_at": ago(days),
                    **fields,
                },
            )

    def hold(self, text: str, *, days: float = 0, used: float | None = None, **fields: object) -> UUID:
        item = self.made(text, days=days, used=used, **fields)
        with scope.enter(self.worker):
            rows.insert([item])
            if used is not None:
                ItemUse.objects.create(tenant_id=self.tenant_id, item_id=item.id, last_accessed_at=ago(used))
        return item.id

    def status(self, *item_ids: UUID) -> list[str]:
        """`status`, or `status reason`, of each."""
        with scope.enter(self.worker):
            found = {item.id: item for item in Item.objects.filter(id__in=item_ids)}
        return [f"{found[each].status} {found[each].status_reason}".strip() for each in item_ids]

    def run(self, name: str = "nightly", *, dry_run: bool = False) -> dict[str, int | str]:
        """Run maintenance as a worker does, to its end; what it counted."""
        with scope.enter(self.worker):
            job_id = services.start(name, dry_run=dry_run)
        jobs.drain("test", tenant_id=self.tenant_id)
        return self.outcome(job_id)

    def outcome(self, job_id: UUID) -> dict[str, int | str]:
        with scope.enter(self.worker):
            job = Job.objects.get(id=job_id)
        assert (job.state, job.error) == ("done", "")
        return {step: count for step, count in job.outcome.items() if "." not in step}


@pytest.fixture
def memory(tenant, agent) -> Iterator[Memory]:
    with time_machine.travel(NOW, tick=False):
        yield Memory(tenant.id, agent.id)


ACTIVE, STALE = Status.ACTIVE.value, Status.STALE.value
