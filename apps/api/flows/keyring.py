"""Keys for agents by name: the agent is created when new."""

from collections.abc import Sequence
from datetime import datetime

from apps.tenants import services
from apps.tenants.selectors import agent_by_slug
from apps.tenants.services import NewKey


def create(agent_id: str, *, scopes: Sequence[str], name: str, expires_at: datetime | None) -> NewKey:
    """`agent_id` is the caller's own name. Raises Invalid on a bad name, scope or date."""
    agent = agent_by_slug(agent_id) or services.create_agent(slug=agent_id)
    return services.create_key(agent_id=agent.id, scopes=scopes, name=name, expires_at=expires_at)
