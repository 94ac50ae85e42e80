"""Weeks that the filled stack did not live through: written by `manage.py shell` on the stack's own database."""

import random
from datetime import datetime, timedelta
from decimal import Decimal

import time_machine
from django.db.models import F

from apps.budgets.models import Price, Usage
from apps.budgets.services import add_price
from apps.core import rows, scope
from apps.core.clock import now
from apps.core.ids import new_id
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject
from apps.erasure.results import Selection
from apps.erasure.services.requesting import begin
from apps.jobs.models import Job, JobState
from apps.memory.models import Item
from apps.tenants import onboarding
from apps.tenants.models import Agent, Tenant
from apps.triggers.models import FutureTrigger, TriggerStatus
from memory_platform.model import Kind, Strength, Verdict

DAYS = 45
MODELS = {"observe": ("gpt-5-mini", 0.004), "recall": ("text-embedding-3-small", 0.0004), "reflect": ("gpt-5", 0.02)}


def write() -> None:
    tenant = _tenant()
    with scope.tenant_scope(tenant.id):
        _spend(tenant, Agent.objects.get(slug=onboarding.FIRST_AGENT))
        ended = FutureTrigger.objects.filter(status__in=(TriggerStatus.DONE, TriggerStatus.DISMISSED))
        ended.update(at=F("at") - timedelta(days=8))
        _fail(tenant)
        _leave_open()


def let_lie(category: str, *, days: int, number: int) -> None:
    """Memories that have lain there for so long, and that nobody asked for."""
    tenant = _tenant()
    with scope.tenant_scope(tenant.id), time_machine.travel(now() - timedelta(days=days), tick=False):
        agent = Agent.objects.get(slug=onboarding.FIRST_AGENT)
        rows.insert([_item(tenant, agent, category, f"The choir of spring {1900 + each}") for each in range(number)])


def _tenant() -> Tenant:
    with scope.unscoped("find a tenant by its slug"):
        return Tenant.objects.get(slug=onboarding.FIRST_TENANT)


def _item(tenant: Tenant, agent: Agent, category: str, text: str) -> Item:
    moments = ("reinforced_at", "event_time", "said_at", "valid_from", "recorded_at")
    return Item(
        id=new_id(),
        tenant_id=tenant.id,
        agent_id=agent.id,
        text=text,
        claim_hash=text,
        kind=Kind.FACT.value,
        category=category,
        strength=Strength.EXPLICIT.value,
        confidence=0.9,
        verdict=Verdict.ALLOW.value,
        **dict.fromkeys(moments, now()),
    )


def _spend(tenant: Tenant, agent: Agent) -> None:
    """Some weeks of models that cost something: fewer turns at weekends, dearer ones of late."""
    dice = random.Random(7)
    midnight = now().replace(hour=0, minute=0, second=0, microsecond=0)
    for days in range(DAYS, -1, -1):
        day = midnight - timedelta(days=days)
        turns = round(dice.uniform(30, 60) * (0.3 if day.weekday() >= 5 else 1) * (1 + (DAYS - days) / DAYS))
        for operation, (model, cost) in MODELS.items():
            dearer = cost * turns * dice.uniform(0.7, 1.3)
            _row(tenant, agent, day, operation, model, turns, Decimal(str(round(dearer, 6))))


def _fail(tenant: Tenant) -> None:
    """A job that somebody has to look at."""
    Job.objects.create(
        tenant_id=tenant.id,
        name="curation.triage",
        state=JobState.FAILED,
        error="attempts_exhausted:ProviderRetryable",
        attempts=8,
        started_at=now() - timedelta(seconds=4),
        finished_at=now(),
    )


def _leave_open() -> None:
    """A price of the tenant's own, and an erasure that somebody has to approve."""
    add_price(Price(model="house-model", usd_per_million_in=Decimal(3), usd_per_million_out=Decimal(15)))
    begin(Subject(ErasureKind.USER, user_id="nobody"), Selection(), waits=True)


def _row(
    tenant: Tenant, agent: Agent, day: datetime, operation: str, model: str, turns: int, cost_usd: Decimal
) -> None:
    Usage.objects.create(
        tenant_id=tenant.id,
        id=new_id(),
        agent_id=agent.id,
        at=day + timedelta(minutes=1),
        operation=operation,
        model=model,
        tokens_in=900 * turns,
        tokens_out=120 * turns,
        llm_calls=turns,
        turns=turns if operation == "observe" else 0,
        queries=turns if operation == "recall" else 0,
        memories=turns // 2 if operation == "observe" else 0,
        milliseconds=350.0 * turns,
        cost_usd=cost_usd,
    )
