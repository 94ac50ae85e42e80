"""A tenant in which two users talk to an agent, and a key that may erase."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.test import Client
from redis import Redis

from apps.core.clock import now
from apps.core.context import acting_as
from apps.core.scope import Reach, Scope, tenant_scope
from apps.curation.services import lines
from apps.jobs import services as jobs
from apps.memory.models import Item
from apps.tenants import services
from apps.tenants.models import Policy
from tests import cast
from tests.conftest import judging

EVE, ADAM = cast.EVE.user_id, cast.ADAM.user_id
MARKS = {person.user_id: person.mark for person in (cast.EVE, cast.ADAM)}


@dataclass
class World:
    tenant_id: UUID
    agent_id: UUID
    token: str

    @property
    def within(self) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT)

    def send(
        self, method: str, path: str, body: object = None, *, token: str | None = None, user: str | None = None
    ) -> Any:
        headers = {"Authorization": f"Bearer {token or self.token}"} | ({} if user is None else {"Memory-User": user})
        there = f"/api/v1/{path}"
        if method == "get":
            return Client().get(there, headers=headers)
        return Client().post(there, data=json.dumps(body), content_type="application/json", headers=headers)

    def post(self, path: str, **body: object) -> Any:
        answer = self.send("post", path, body)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def get(self, path: str) -> Any:
        answer = self.send("get", path)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def work(self) -> int:
        return jobs.drain(worker="test", tenant_id=self.tenant_id)

    def ask(self, **subject: object) -> Any:
        """Have it erased as it is previewed, without the job."""
        return self.post("erasures", **subject, fingerprint=self.post("erasures/preview", **subject)["fingerprint"])

    def erase(self, **subject: object) -> Any:
        asked = self.ask(**subject)
        self.work()
        return self.get(f"erasures/{asked['id']}")

    def exported(self, **subject: object) -> list[Any]:
        found, after = [], None
        while True:
            page = self.post("exports", **subject, first=7, after=after)
            found += [each["content"] for each in page["items"]]
            if (after := page["next"]) is None:
                return found

    def recalled(self, query: str, user: str) -> list[str]:
        found = self.post("recall", query=query, filter={"user_id": user})
        return [hit["text"] for hit in found["hits"]]

    def learnt(self, words: str, user: str) -> list[str]:
        with tenant_scope(self.tenant_id):
            rows = Item.objects.filter(user_id=user, text__contains=words, status="active")
            return [str(one) for one in rows.values_list("id", flat=True)]

    def key(self, *scopes: str, agent: str = "another", by: str = "member:7") -> str:
        with tenant_scope(self.tenant_id), acting_as(by):
            made = services.create_agent(slug=agent)
            return services.create_key(agent_id=made.id, scopes=scopes).token

    def fill(self, user: str, session: str) -> None:
        """Something of the user in every table that a caller can write to, and in a line of MEMORY.md."""
        mark = MARKS[user]
        turn = {"session_id": session, "user_id": user}
        self.post("capture", **turn, user_input=f"My sister Anna {mark} works at the {mark} bakery in Lund.",
                  llm_output=f"Noted: {mark}.", internal_state={"note": mark},
                  tool_calls=[{"name": "look", "arguments": {"who": mark}}])  # fmt: skip
        self.post("capture", **turn, user_input=f"Never call {mark} before nine. Remind me on 12 June 2040 of {mark}.")
        self.post("capture", **turn, user_input=f"The {mark} car is parked in the garage at Karlstad.")
        self.post("capture", **turn, user_input=f"My brother Olof {mark} works at the mill in Ystad.")
        memory = self.post("memories", text=f"The {mark} cup stands on the shelf.", user_id=user, external_id=mark)
        spare = self.post("memories", text=f"The {mark} lamp is broken.", user_id=user)
        self.post("triggers", text=f"Buy flowers for {mark}.", day="2040-06-12", user_id=user)
        self._curate(f"The {mark} cup stands on the shelf.", memory["memory"]["id"])
        self.work()
        self.post("forget", ids=[spare["memory"]["id"], *self.learnt("Karlstad", user)], reason=f"because of {mark}")
        (olof,) = self.learnt("Ystad", user)
        self.post(f"memories/{olof}/correct", text=f"My brother Olof {mark} works at the dairy in Kalmar.")
        self.post(f"memories/{memory['memory']['id']}/feedback", kind="helpful", note=f"as {mark} says")
        self.post("recall", query=f"Who is {mark}?", filter={"user_id": user}, session_id=session)
        self.work()

    def _curate(self, text: str, memory_id: str) -> None:
        """A line of the curated memory that rests on a memory."""
        with tenant_scope(self.tenant_id):
            amendment = lines.Amendment(lines.lock(), "rules")
            amendment.add(lines.new("operations", "fact", text, now().date(), [UUID(memory_id)]))
            amendment.close()


@pytest.fixture(scope="module", autouse=True)
def _judge():
    with judging():
        yield


@pytest.fixture
def world(tenant, agent, home) -> World:
    return _world(tenant.id, agent.id)


@pytest.fixture
def make_world(make_tenant, home) -> Callable[[], World]:
    def make() -> World:
        tenant = make_tenant()
        with tenant_scope(tenant.id):
            agent = services.create_agent(slug="librarian")
        return _world(tenant.id, agent.id)

    return make


@pytest.fixture
def another_world(make_world) -> World:
    return make_world()


def _world(tenant_id: UUID, agent_id: UUID) -> World:
    _forget_previews()
    with tenant_scope(tenant_id):
        services.change(
            Policy.objects.get(tenant_id=tenant_id), {"summary_debounce_seconds": 0, "writes_per_minute": 10_000}
        )
        key = services.create_key(agent_id=agent_id, scopes=services.ALL_SCOPES)
    return World(tenant_id, agent_id, key.token)


def _forget_previews() -> None:
    """Those of other tests' tenants are of users of the same names."""
    with Redis.from_url(settings.REDIS_URL) as server:
        for key in server.scan_iter("*erasure:preview:*"):
            server.delete(key)
