"""A Neo4j in /readyz: shown when configured, and no reason to take the platform out of service when it is down."""

import re

import pytest
from django.test import Client

from apps.core import providers
from memory_platform.adapters.graph_memory import MemoryGraph
from memory_platform.errors import ProviderRetryable


class Down(MemoryGraph):
    def ping(self, *, timeout: float) -> None:  # noqa: ARG002  the port names it
        raise ProviderRetryable("Neo4j does not answer in time or at all.")


@pytest.fixture
def checks(database: None, patient: None, monkeypatch: pytest.MonkeyPatch):
    def ask(server: MemoryGraph | None) -> dict:
        monkeypatch.setattr(providers, "graph_server", lambda: server)
        return Client().get("/readyz").json()

    return ask


def test_without_a_neo4j_there_is_no_line(checks) -> None:
    assert "neo4j" not in checks(None)["checks"]


def test_one_that_answers_shows_its_lag_and_breaker(checks) -> None:
    line = checks(MemoryGraph())["checks"]["neo4j"]

    assert line["ok"] is True
    assert re.fullmatch(r"answers; copying lags \d+\.\d s; breaker (untried|closed)", line["detail"])


def test_one_that_is_down_is_named_and_leaves_the_platform_ready(checks) -> None:
    body = checks(Down())

    assert body["ready"] is True
    assert body["down"] == ["neo4j"]
    assert body["checks"]["neo4j"]["detail"] == "ProviderRetryable"
