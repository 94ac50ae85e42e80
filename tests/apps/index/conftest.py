from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import UUID, uuid4

import numpy as np
import pytest

from apps.index.services import NewDocument
from memory_platform.model import Audience, Unit, Visibility

SAID_AT = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def new_document(agent: SimpleNamespace) -> Callable[..., NewDocument]:
    """Make an item of `agent`; with `session` and `ordinal` an episode, each said a minute after the one before."""

    def make(
        text: str,
        *,
        session: UUID | None = None,
        ordinal: int | None = None,
        agent_id: UUID = agent.id,
        user_id: str | None = None,
        visibility: Visibility = Visibility.PRIVATE,
        **fields,
    ) -> NewDocument:
        said_at = SAID_AT + timedelta(minutes=ordinal or 0)
        return NewDocument(
            **{
                "unit": Unit.ITEM if ordinal is None else Unit.EPISODE,
                "unit_id": uuid4(),
                "text": text,
                "audience": Audience(agent_id, user_id, visibility),
                "session_id": session,
                "ordinal": ordinal,
                "event_time": said_at,
                "recorded_at": said_at,
                **fields,
            }
        )

    return make


def unit_vectors(count: int, dimension: int = 384, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
