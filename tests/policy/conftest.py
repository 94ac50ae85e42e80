"""A victim with something in every app, and those who may not have it."""

import json
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from ipaddress import ip_address
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client

from apps.budgets.models import Budget, Price
from apps.budgets.services import add_price, set_budget
from apps.core.clock import now
from apps.core.scope import tenant_scope, unscoped
from apps.curation.models import Proposal
from apps.curation.services import lines
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject
from apps.erasure.results import Selection
from apps.erasure.services.previewing import begin_preview
from apps.erasure.services.requesting import begin
from apps.jobs import services as jobs
from apps.lessons.services import versions
from apps.memory.cold import ItemWords, packed
from apps.memory.models import ColdItem
from apps.tenants import services
from apps.tenants.access import System
from apps.tenants.models import ApiKey, Policy
from memory_platform.lifecycle.lessons import Pattern
from memory_platform.model import Audience
from tests.cast import MARA
from tests.conftest import judging

SECRET = "The safe combination is written on the back of the blue painting"
NAME = MARA.name
CURATED = "The caretaker keeps the keys of the north hall."


@dataclass
class Victim:
    """A tenant, its agent's token, and the ids of what it holds."""

    tenant_id: Any
    agent_id: Any
    token: str
    ids: dict[str, str] = field(default_factory=dict)

    def counts(self):
        """How many rows of each tenant table there are."""
        with tenant_scope(self.tenant_id), connection.cursor() as cursor:
            cursor.execute(
                """SELECT c.relname FROM pg_class c
                   JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
                   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"""
            )
            tables = sorted(name for (name,) in cursor.fetchall())
            cursor.execute(" UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in tables))
            return dict(cursor.fetchall())


def post(path, body, token=None, **headers):
    data = body if isinstance(body, str) else json.dumps(body)
    return _client().post(path, data=data, content_type="application/json", headers={**_headers(token), **headers})


def get(path, token=None):
    return _client().get(path, headers=_headers(token))


def _client():
    """From an address of its own: keys that open nothing are limited by address."""
    return Client(REMOTE_ADDR=str(ip_address(uuid4().int)))


def _headers(token):
    return {"Authorization": f"Bearer {token}"} if token else {}


def ask(query, variables, token=None):
    return post("/graphql", {"query": query, "variables": variables}, token)


def make_agent(tenant_id, slug, scopes=services.ALL_SCOPES):
    with tenant_scope(tenant_id):
        agent = services.create_agent(slug=slug)
        return agent.id, services.create_key(agent_id=agent.id, scopes=scopes)


def summarise_at_once(tenant_id):
    """Without a time of rest, so that what is drained includes the summaries."""
    with tenant_scope(tenant_id):
        services.change(Policy.objects.get(tenant_id=tenant_id), {"summary_debounce_seconds": 0})


@pytest.fixture
def catalogue(database):
    """Run a query over the catalogue as the tables' owner."""

    def run(sql, *arguments):
        with unscoped("migrate data"), connection.cursor() as cursor:
            cursor.execute(sql, arguments)
            return cursor.fetchall()

    return run


@pytest.fixture(autouse=True, scope="module")
def _judge():
    """For a whole module: whoever is looked at is made once a module."""
    with judging():
        yield


@pytest.fixture(scope="module")
def make_victim(database):
    return new_victim


@pytest.fixture(scope="module")
def victim(make_victim):
    return make_victim()


def new_victim() -> Victim:
    """A tenant with something of everything, learnt and worked off. Needs `judging`."""
    slug = f"victim-{uuid4().hex[:8]}"
    tenant = services.create_tenant(slug=slug, name=slug)
    summarise_at_once(tenant.id)
    agent_id, key = make_agent(tenant.id, "assistant")
    held = Victim(tenant.id, agent_id, key.token)
    fields = _fill(held)
    jobs.drain(worker="test", tenant_id=tenant.id)
    entity = ask("query($name: String!) { entity(name: $name) { id } }", {"name": NAME}, held.token).json()
    held.ids = {**fields, "key": str(key.key.id), "entity": entity["data"]["entity"]["id"]}
    return held


def _fill(held):
    def field_of(query, **variables):
        answer = ask(query, variables, held.token).json()
        assert "errors" not in answer, answer
        (value,) = answer["data"].values()
        return value

    remember = 'mutation($text: String!) { remember(input: {text: $text, category: "other"}) { memory { id } } }'
    turn = field_of(
        "mutation($text: String!, $user: String!) { captureTurn("
        'input: {sessionId: "private-chat", userId: $user, userInput: $text}) { jobIds } }',
        user=MARA.user_id,
        text=SECRET,
    )
    memory = field_of(remember, text=f"{SECRET} in the hall.")["memory"]["id"]
    named = field_of(remember, text=f"{NAME} works for Nordwind Logistics in Lund.")["memory"]["id"]
    spare = field_of(remember, text="The garage door opens with the code of the old bicycle lock.")["memory"]["id"]
    recall = field_of('{ recall(query: "Where is the safe combination?") { id } }')["id"]
    trigger = field_of(
        'mutation($text: String!) { createTrigger(input: {text: $text, day: "2040-06-12"}) { id } }', text=SECRET
    )["id"]
    batch = field_of("mutation($id: ID!) { forget(input: {ids: [$id]}) { batchId } }", id=spare)["batchId"]
    _pack_away(held, memory)
    _people_and_prices(held)
    budget = field_of("mutation { setBudget(input: {period: MONTH, hardUsd: 1000}) { id } }")["id"]
    session = 'query($user: String!) { session(sessionId: "private-chat", userId: $user) { id } }'
    return {
        "budget": budget,
        "memory": memory,
        "trigger": trigger,
        "erasure": _erasure(held, "nobody", waits=True),
        "preview": _preview(held),
        "erased": _erasure(held, "nobody else", waits=False),
        "lesson": _lesson(held, memory),
        "proposal": waiting_proposal(held),
        "line": _line(held),
        "named": named,
        "spare": spare,
        "recall": recall,
        "batch": batch,
        "job": turn["jobIds"][0],
        "session": "private-chat",
        "session_row": field_of(session, user=MARA.user_id)["id"],
    }


def _lesson(held, memory):
    """A lesson that stands on the memory."""
    with tenant_scope(held.tenant_id):
        return str(versions.make(Audience(held.agent_id, None), Pattern.RULE, item_id=memory).id)


def _pack_away(held, memory):
    """A row of the cold archive, of the memory's audience; the memory keeps its words."""
    with tenant_scope(held.tenant_id):
        words = packed(ItemWords(SECRET, "", {}))
        ColdItem.objects.create(tenant_id=held.tenant_id, agent_id=held.agent_id, item_id=memory, packed=words)


def _erasure(held, user_id, *, waits):
    """An erasure of what nobody holds: it waits for approval, or is over, with a receipt, once jobs have run."""
    with tenant_scope(held.tenant_id):
        return str(begin(Subject(ErasureKind.USER, user_id=user_id), Selection(), waits=waits).id)


def _preview(held):
    """A preview of what nobody holds: it is counted once jobs have run."""
    with tenant_scope(held.tenant_id):
        return str(begin_preview(Subject(ErasureKind.USER, user_id="nobody"), typed={"kind": "user", "what": "nobody"}))


def waiting_proposal(held):
    """Something that waits for a reviewer."""
    with tenant_scope(held.tenant_id):
        row = Proposal(tenant_id=held.tenant_id, section="other", change="add", text="The bell rings at noon.")
        row.kind, row.confidence, row.said_on, row.proposed_by, row.claim = (
            "fact",
            0.5,
            now().date(),
            "rules",
            uuid4().hex,
        )
        row.save(force_insert=True)
        return str(row.id)


def _line(held):
    """A line of MEMORY.md, which all agents of the tenant may read."""
    with tenant_scope(held.tenant_id):
        entry = lines.new("operations", "fact", CURATED, now().date(), [])
        change = lines.Amendment(lines.lock(), "rules")
        change.add(entry)
        change.close()
        return str(entry.id)


def _people_and_prices(held):
    """Somebody who was asked to join, what an agent may spend, and what a model costs."""
    with tenant_scope(held.tenant_id):
        services.invite_member(username=f"guest-{uuid4().hex[:8]}", role="billing", by=System(held.tenant_id))
        set_budget(agent_id=held.agent_id, period=Budget.Period.DAY, soft_usd=None, hard_usd=Decimal(1000))
        add_price(Price(model="house-model", usd_per_million_in=Decimal(3), usd_per_million_out=Decimal(15)))


@pytest.fixture
def bad_tokens(victim):
    """Tokens that must not open anything: none, wrong, malformed, expired, revoked."""
    with tenant_scope(victim.tenant_id):
        expired = services.create_key(agent_id=victim.agent_id, scopes=services.ALL_SCOPES)
        revoked = services.create_key(agent_id=victim.agent_id, scopes=services.ALL_SCOPES)
        ApiKey.objects.filter(id=expired.key.id).update(expires_at=now() - timedelta(seconds=1))
        services.revoke_key(key_id=revoked.key.id)
    wrong = victim.token[:-4] + ("AAAA" if not victim.token.endswith("AAAA") else "BBBB")
    return {"none": None, "wrong": wrong, "malformed": "mp_x", "expired": expired.token, "revoked": revoked.token}


@pytest.fixture
def stranger_token(make_tenant):
    """Every scope, in another tenant."""
    return make_agent(make_tenant().id, "stranger")[1].token


@pytest.fixture
def sibling_token(victim):
    """Another agent of the victim's tenant that may read and write its own, and what is shared."""
    return make_agent(victim.tenant_id, f"sibling-{uuid4().hex[:8]}", ("read", "write", "share"))[1].token


@pytest.fixture
def operator_token(victim):
    """Another agent of the victim's tenant, with every scope."""
    return make_agent(victim.tenant_id, f"operator-{uuid4().hex[:8]}")[1].token


@pytest.fixture
def token_without(victim):
    """The victim's own agent with every scope but these."""

    def make(*lacking):
        with tenant_scope(victim.tenant_id):
            scopes = [each for each in services.ALL_SCOPES if each not in lacking]
            return services.create_key(agent_id=victim.agent_id, scopes=scopes).token

    return make
