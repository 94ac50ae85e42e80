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
    prefix: str = Field(description="What its token begins with, after mp_.")
    agent_id: str = Field(validation_alias=AliasChoices(AliasPath("agent", "slug")))
    user_id: str | None = Field(description="The one user it is bound to.")
    name: str = Field(description="What people know the key by.")
    scopes: list[ApiKeyRow.Scope] = Field(description="What the key may do.")
    created_at: datetime
    expires_at: datetime | None = Field(description="When it stops working; null: never.")
    revoked_at: datetime | None = Field(description="When it was revoked; null: it was not.")
    last_used_at: datetime | None = Field(description="When it was used last, to the minute; null: never.")


class NewApiKey(Answer):
    """The token is shown this once."""

    token: str = Field(description="The secret: what a caller sends as `Authorization: Bearer`.")
    key: ApiKey = Field(description="The key, as lists tell it.")
