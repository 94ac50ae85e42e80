"""A lower app says what changed; whoever subscribed has a job enqueued for it, in the same transaction."""

import pytest
from django.db import transaction

from apps.core import scope
from apps.jobs import registry, services
from apps.jobs.models import Job


@pytest.fixture
def listening(monkeypatch):
    """Two handlers that listen to `test.changed`."""
    monkeypatch.setattr(registry, "_subscribers", {})
    monkeypatch.setattr(registry, "_registrations", dict(registry._registrations))
    for name in ("test.first", "test.second"):
        registry.handler(name)(lambda _job: {})
        registry.subscribe("test.changed", job=name)


def jobs_of(tenant) -> list[tuple[str, dict, str]]:
    with scope.tenant_scope(tenant.id):
        rows = Job.objects.filter(tenant_id=tenant.id).order_by("name")
        return list(rows.values_list("name", "arguments", "serial_key"))


def test_each_subscriber_gets_one_job(tenant, listening):
    with scope.tenant_scope(tenant.id):
        services.publish("test.changed", {"items": ["a", "b"]}, serial_key="k")

    assert jobs_of(tenant) == [
        ("test.first", {"items": ["a", "b"]}, "k"),
        ("test.second", {"items": ["a", "b"]}, "k"),
    ]


def test_subscribing_twice_is_subscribing_once(tenant, listening):
    registry.subscribe("test.changed", job="test.first")

    with scope.tenant_scope(tenant.id):
        assert len(services.publish("test.changed", {"items": ["a"]})) == 2


def test_nobody_listening_means_no_job(tenant, listening):
    with scope.tenant_scope(tenant.id):
        assert services.publish("test.other", {"items": ["a"]}) == []

    assert jobs_of(tenant) == []


def test_a_job_goes_with_the_change_that_was_rolled_back(tenant, listening):
    with scope.tenant_scope(tenant.id), transaction.atomic():
        services.publish("test.changed", {"items": ["a"]})
        transaction.set_rollback(True)

    assert jobs_of(tenant) == []
