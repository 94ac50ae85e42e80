"""What the verbs on keys do, once the gateway has let the caller in."""

from datetime import timedelta
from uuid import UUID

from apps.api import verbs
from apps.api.flows import keyring
from apps.api.gateway import Gateway
from apps.api.keys.contract import ApiKey, ApiKeyInput, NewApiKey, RotateInput
from apps.tenants import selectors as tenants
from apps.tenants import services as tenant_services


def keys(gateway: Gateway) -> list[ApiKey]:
    with gateway.open(verbs.KEYS):
        return gateway.answers(ApiKey, tenants.api_keys())


def create_api_key(gateway: Gateway, given: ApiKeyInput) -> NewApiKey:
    """`domain`, when given, becomes the agent's home category; with `user_id` the key reaches this user only."""
    with gateway.open(verbs.CREATE_API_KEY):
        made = keyring.create(
            given.agent_id or gateway.principal.agent_slug,
            scopes=given.scopes,
            domain=given.domain,
            name=given.name,
            expires_at=given.expires_at,
            user_id=given.user_id,
        )
        return gateway.answer(NewApiKey, made)


def rotate_api_key(gateway: Gateway, key_id: UUID, given: RotateInput) -> NewApiKey:
    with gateway.open(verbs.ROTATE_API_KEY):
        overlap = timedelta(seconds=given.overlap_seconds)
        return gateway.answer(NewApiKey, tenant_services.rotate_key(key_id=key_id, overlap=overlap))


def revoke_api_key(gateway: Gateway, key_id: UUID) -> ApiKey:
    with gateway.open(verbs.REVOKE_API_KEY):
        return gateway.answer(ApiKey, tenant_services.revoke_key(key_id=key_id))
