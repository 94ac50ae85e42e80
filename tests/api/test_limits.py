import socket
import time
from contextlib import closing
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.test import Client

from apps.api import limits, moving_window
from apps.core import limiter
from apps.core.scope import tenant_scope
from apps.tenants import services
from apps.tenants.models import Agent, Policy
from memory_platform.errors import RateLimited

LOG = 'mutation { logAction(input: {action: "looked"}) { id } }'


def test_the_agents_write_limit_refuses_with_a_time_to_wait(caller, tenant, agent):
    with tenant_scope(tenant.id):
        services.change(Agent.objects.get(id=agent.id), {"writes_per_minute": 3})

    answers = [caller.ask(LOG) for _ in range(4)]

    assert [("errors" in answer) for answer in answers] == [False, False, False, True]
    refusal = answers[3]["errors"][0]["extensions"]
    assert refusal["code"] == "RATE_LIMITED"
    assert 55 < refusal["retryAfter"] <= 60


def test_a_minute_never_holds_more_writes_than_the_limit(monkeypatch):
    monkeypatch.setattr(moving_window, "WINDOW_MILLISECONDS", 300)
    key, admitted = uuid4().hex, []
    began = time.monotonic()
    while time.monotonic() - began < 1.2:
        if not moving_window.admit(key, 5, timeout=1.0):
            admitted.append(time.monotonic())
        time.sleep(0.005)

    assert len(admitted) >= 15
    assert all(later - first >= 0.29 for first, later in zip(admitted, admitted[5:], strict=False))


def test_captures_come_in_bursts(caller, tenant):
    with tenant_scope(tenant.id):
        services.change(Policy.objects.get(tenant_id=tenant.id), {"captures_burst": 2, "captures_per_minute": 2})
    turn = 'mutation { captureTurn(input: {sessionId: "s", userInput: "Hello, all of you."}) { turnNumber } }'

    codes = ["errors" in caller.ask(turn) for _ in range(3)]

    assert codes == [False, False, True]


def test_reading_does_not_spend_the_write_limit(caller, tenant, agent):
    with tenant_scope(tenant.id):
        services.change(Agent.objects.get(id=agent.id), {"writes_per_minute": 1})

    for _ in range(3):
        assert "errors" not in caller.ask("{ viewer { tenant } }")
    assert "errors" not in caller.ask(LOG)


def test_requests_of_a_key_are_limited_across_both_apis(caller, tenant):
    with tenant_scope(tenant.id):
        services.change(Policy.objects.get(tenant_id=tenant.id), {"requests_per_minute": 2})

    statuses = [
        caller.get("/api/v1/viewer").status_code,
        caller.post("/graphql", {"query": "{__typename}"}).status_code,
    ]
    refused = caller.post("/graphql", {"query": "{ viewer { tenant } }"})

    assert statuses == [200, 200]
    assert refused.status_code == 429
    assert refused.json()["errors"][0]["extensions"]["code"] == "RATE_LIMITED"
    assert int(refused.headers["Retry-After"]) >= 1


def test_agents_do_not_share_a_limit(caller, stranger, tenant, agent):
    with tenant_scope(tenant.id):
        services.change(Agent.objects.get(id=agent.id), {"writes_per_minute": 1})
    caller.ask(LOG)

    assert caller.code(LOG) == "RATE_LIMITED"
    assert "errors" not in stranger.ask(LOG)


def test_an_unreachable_limiter_lets_calls_through_and_is_counted(caller, tenant, agent, settings):
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        port = silent.getsockname()[1]
    settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
    limits._store.cache_clear()
    limits._limiter.cache_clear()
    with tenant_scope(tenant.id):
        services.change(Agent.objects.get(id=agent.id), {"writes_per_minute": 1})
    before = limiter.FAILURES._value.get()

    answers = [caller.ask(LOG) for _ in range(3)]
    limits._store.cache_clear()
    limits._limiter.cache_clear()

    assert not any("errors" in answer for answer in answers)
    assert limiter.FAILURES._value.get() >= before + 3


@pytest.fixture
def absent_limiter(settings):
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        port = silent.getsockname()[1]
    settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
    limits._store.cache_clear()
    yield
    limits._store.cache_clear()


def _knock(token, address):
    return Client(REMOTE_ADDR=address).get("/api/v1/viewer", headers={"Authorization": f"Bearer {token}"})


def test_behind_a_proxy_each_caller_is_counted_apart(caller, settings):
    settings.FAILED_KEYS_PER_MINUTE, settings.PROXIES = 3, 1
    busy, other = (f"2001:db8::{uuid4().hex[:4]}" for _ in range(2))

    def knock(address):
        headers = {"Authorization": f"Bearer mp_{'0' * 12}_wrong", "X-Forwarded-For": f"{other}, {address}"}
        return Client(REMOTE_ADDR="10.0.0.2").get("/api/v1/viewer", headers=headers).status_code

    # A minute may end in between.
    assert [knock(busy) for _ in range(8)].count(429) >= 2
    assert knock(other) == 401


@pytest.mark.parametrize("limiter_is", ["there", "away"])
def test_keys_that_open_nothing_are_counted_by_address_and_good_ones_let_in(caller, settings, request, limiter_is):
    if limiter_is == "away":
        request.getfixturevalue("absent_limiter")
    settings.FAILED_KEYS_PER_MINUTE = 3
    address, other = (f"2001:db8::{uuid4().hex[:4]}" for _ in range(2))

    answers = [_knock(f"mp_{'0' * 12}_wrong", address) for _ in range(8)]

    # A minute may end in between.
    statuses = [answer.status_code for answer in answers]
    assert statuses[:3] == [401] * 3
    assert 429 in statuses[3:]
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.json()["error"]["code"] == "RATE_LIMITED"
    assert int(refused.headers["Retry-After"]) >= 1
    assert _knock(caller.token, address).status_code == 200
    assert _knock("mp_x", other).status_code == 401


@pytest.mark.usefixtures("database")
def test_the_caches_counters_are_shared_and_atomic():
    cache = caches["default"]
    cache.delete("counter")

    assert cache.add("counter", 1, 60)
    assert not cache.add("counter", 1, 60)
    assert cache.incr("counter") == 2
    with pytest.raises(ValueError, match="not found"):
        cache.incr("missing")
    assert cache.get("missing") is None


def test_what_was_done_is_charged_as_far_as_the_limit_reaches(caller, tenant):
    from apps.tenants.selectors import authenticate  # noqa: PLC0415

    with tenant_scope(tenant.id):
        services.change(Policy.objects.get(tenant_id=tenant.id), {"ingest_lines_per_minute": 10})
    principal = authenticate(caller.token)

    limits.charge(principal, limits.Bucket.INGEST, 7)
    assert limits.left(principal, limits.Bucket.INGEST) == 3
    limits.charge(principal, limits.Bucket.INGEST, 9)
    with pytest.raises(RateLimited):
        limits.left(principal, limits.Bucket.INGEST)
