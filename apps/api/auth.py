"""From an HTTP request to a Principal: `Authorization: Bearer mp_…`, and nothing else."""

from django.http import HttpRequest

from apps.api import limits
from apps.tenants import selectors
from apps.tenants.keys import Principal
from memory_platform.errors import Unauthenticated


def principal_of(request: HttpRequest) -> Principal:
    """Authenticate and count the request. Raises Unauthenticated or RateLimited."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated("An API key is missing.", hint="Send the header Authorization: Bearer mp_….")
    principal = selectors.authenticate(token.strip())
    limits.count_request(request, principal)
    return principal
