import pytest

from apps.core.scope import tenant_scope
from apps.jobs import registry
from apps.jobs.registry import Registration


@pytest.fixture(autouse=True)
def observed(monkeypatch):
    """Stands in for the handlers that learn and embed: keeps what they would have been given."""
    given = []
    for name in ("memory.observe", "index.embed"):

        def run(job, name=name):
            given.append((name, job.arguments))
            return {}

        monkeypatch.setitem(registry._registrations, name, Registration(name, run, 3, 60.0, None, 1, 300.0))
    return given


@pytest.fixture
def as_agent(tenant, agent):
    """Opens the scope of the tenant's agent, as a request with its key would."""
    return lambda: tenant_scope(tenant.id, agent_id=agent.id)
