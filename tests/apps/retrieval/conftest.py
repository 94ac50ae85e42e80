from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from uuid import UUID

import pytest

from apps.core.scope import Reach, Scope, enter
from apps.index import services as index
from apps.memory import services as memory
from apps.memory.requests import NewMemory
from apps.resources import services as resources
from apps.resources.services import NewTurn
from memory_platform.adapters.scripted import ScriptedJudge

SAID_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def judged(judge: ScriptedJudge) -> ScriptedJudge:
    """What is kept and how it relates is written down here."""
    return judge


@pytest.fixture
def within(tenant: SimpleNamespace, agent: SimpleNamespace) -> Scope:
    """The scope of `agent`, as a key without `share` opens it."""
    return Scope(tenant.id, agent.id, Reach.OWN)


@pytest.fixture
def say(within: Scope) -> Callable[..., UUID]:
    """Capture one message, with its vector, and return its resource id."""

    def capture(text: str, *, session: str = "chat", at: datetime = SAID_AT) -> UUID:
        with enter(within):
            captured = resources.capture(NewTurn(session_id=session, user_input=text, occurred_at=at))
        embed_all(within)
        (resource_id,) = captured.resource_ids
        return resource_id

    return capture


@pytest.fixture
def know(within: Scope) -> Callable[..., UUID]:
    """Remember one fact and return its item's id."""

    def remember(text: str, **fields: object) -> UUID:
        result = memory.remember(NewMemory(text=text, **fields), within=within)
        assert result.item is not None, result.reason
        return result.item.id

    return remember


def embed_all(within: Scope) -> None:
    from apps.index.models import Document  # noqa: PLC0415  Django must be set up first

    with enter(within):
        ids = list(Document.objects.filter(tenant_id=within.tenant_id).values_list("id", flat=True))
    index.embed(ids, within=within)
