"""Callers: a key of the test's tenant and agent, speaking GraphQL or REST through Django's own client."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from apps.api import health
from apps.core import limiter, providers
from apps.core.scope import tenant_scope
from apps.tenants import services


@dataclass
class Caller:
    token: str | None
    key_id: Any = None

    def post(self, path, data, content_type="application/json", **headers):
        body = data if isinstance(data, (str, bytes)) else json.dumps(data, default=str)
        return Client().post(path, data=body, content_type=content_type, headers={**self._auth(), **headers})

    def get(self, path, **query):
        return Client().get(path, data=query, headers=self._auth())

    def ask(self, query, **variables):
        """Run an operation; the whole answer."""
        return self.post("/graphql", {"query": query, "variables": variables}).json()

    def field(self, query, **variables):
        """The one root field of an operation that must succeed."""
        answer = self.ask(query, **variables)
        assert "errors" not in answer, answer["errors"]
        (value,) = answer["data"].values()
        return value

    def code(self, query, **variables):
        """The code with which an operation is refused."""
        return self.ask(query, **variables)["errors"][0]["extensions"]["code"]

    def _auth(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


@pytest.fixture(autouse=True)
def _patient_limiter():
    limiter.cooldown.end()


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch):
    """What an earlier test found of the servers is none of the next one's business."""
    monkeypatch.setattr(health, "KEPT_SECONDS", 0.0)


@pytest.fixture(autouse=True)
def _judge(judge):
    """What an API answers does not depend on what a model learnt."""


@pytest.fixture
def patient(monkeypatch):
    """Jobs that other tests left waiting are no sign of illness, however long they wait."""
    monkeypatch.setattr(health, "JOBS_LAG_LIMIT_SECONDS", float("inf"))


@pytest.fixture(scope="session")
def _warm_embedder(database):
    """Loading the model can take longer than the second a request waits for it."""
    providers.embedder().embed(["warm"])


@pytest.fixture
def make_caller(tenant, agent, _warm_embedder):
    """A caller with a fresh key of the test's agent."""

    def make(*scopes, **fields):
        with tenant_scope(tenant.id):
            made = services.create_key(agent_id=agent.id, scopes=scopes or services.ALL_SCOPES, **fields)
        return Caller(made.token, made.key.id)

    return make


@pytest.fixture
def caller(make_caller):
    """With every scope."""
    return make_caller()


@pytest.fixture
def stranger(make_tenant):
    """A caller of another tenant, with every scope."""
    other = make_tenant()
    with tenant_scope(other.id):
        made = services.create_agent(slug="stranger")
        key = services.create_key(agent_id=made.id, scopes=services.ALL_SCOPES)
    return Caller(key.token, key.key.id)


@pytest.fixture
def nobody():
    """A caller without a key."""
    return Caller(None)
