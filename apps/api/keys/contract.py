"""Keys: what opens the platform to an agent."""

from datetime import datetime
from uuid import UUID

from pydantic import AliasChoices, AliasPath, AwareDatetime, Field

from apps.api.contract import Answer, Input, Name
from apps.tenants.models import ApiKey as ApiKeyRow

LONGEST_OVERLAP_SECONDS = 30 * 86_400


class ApiKeyInput(Input):
    scopes: tuple[ApiKeyRow.Scope, ...] = Field(
        min_length=1, max_length=len(ApiKeyRow.Scope), description="What the key may do."
    )
    agent_id: Name | None = Field(
        default=None, description="The agent's own name, created when new; default: the caller."
    )
    domain: Name | None = Field(default=None, description="The agent's home category from now on.")
    name: Name = Field(default="", description="What people know the key by.")
    expires_at: AwareDatetime | None = Field(default=None, description="When it stops working; absent: never.")
    user_id: Name | None = Field(
        default=None, description="Binds it to one user: it reaches no other's memories. Scopes: read, write, share."
    )


class RotateInput(Input):
    overlap_seconds: int = Field(
        default=0, ge=0, le=LONGEST_OVERLAP_SECONDS, description="How much longer the old key works."
    )


class ApiKey(Answer):
    id: UUID
    prefix: str
    agent_id: str = Field(
        validation_alias=AliasChoices(AliasPath("agent", "slug")), description="The agent's own name."
    )
    user_id: str | None = Field(description="The one user it is bound to.")
    name: str
    scopes: list[ApiKeyRow.Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class NewApiKey(Answer):
    """The token is shown this once."""

    token: str
    key: ApiKey
