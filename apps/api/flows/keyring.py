"""Keys for agents by name: the agent is created when new."""

from collections.abc import Sequence
from datetime import datetime

from apps.core import scope
from apps.tenants import services
from apps.tenants.selectors import agent_by_slug, category_rules
from apps.tenants.services import NewKey
from memory_platform.errors import Invalid


def create(
    agent_id: str,
    *,
    scopes: Sequence[str],
    domain: str | None,
    name: str,
    expires_at: datetime | None,
    user_id: str | None,
) -> NewKey:
    """`agent_id` is the caller's own name. Raises Invalid on a bad name, domain, scope or date."""
    if domain and domain not in {rule.slug for rule in category_rules(scope.current().tenant_id)}:
        raise Invalid(f"There is no domain {domain!r}.", field="domain", hint="A domain is the slug of a category.")
    agent = agent_by_slug(agent_id) or services.create_agent(slug=agent_id, domain=domain or "")
    if domain is not None and agent.domain != domain:
        services.change(agent, {"domain": domain})
    return services.create_key(agent_id=agent.id, scopes=scopes, name=name, expires_at=expires_at, user_id=user_id)
