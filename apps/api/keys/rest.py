"""Keys over REST."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Router

from apps.api import verbs
from apps.api.contract import Items
from apps.api.keys import handlers
from apps.api.keys.contract import ApiKey, ApiKeyInput, NewApiKey, RotateInput
from apps.api.rest.routing import gateway_of, serve

router = Router()


@serve(router, "GET", "/keys", verbs.KEYS)
def keys(request: HttpRequest) -> Items[ApiKey]:
    return Items(items=handlers.keys(gateway_of(request)))


@serve(router, "POST", "/keys", verbs.CREATE_API_KEY)
def create_api_key(request: HttpRequest, body: ApiKeyInput) -> NewApiKey:
    return handlers.create_api_key(gateway_of(request), body)


@serve(router, "POST", "/keys/{key_id}/rotate", verbs.ROTATE_API_KEY)
def rotate_api_key(request: HttpRequest, key_id: UUID, body: RotateInput | None = None) -> NewApiKey:
    return handlers.rotate_api_key(gateway_of(request), key_id, body or RotateInput())


@serve(router, "POST", "/keys/{key_id}/revoke", verbs.REVOKE_API_KEY)
def revoke_api_key(request: HttpRequest, key_id: UUID) -> ApiKey:
    return handlers.revoke_api_key(gateway_of(request), key_id)
