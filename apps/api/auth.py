"""From an HTTP request to a Principal: `Authorization: Bearer mp_…`, and `Memory-User` where it is for one user.

The latter binds the request to the user as a key of that user's would be. It is the caller's own id, percent-encoded.
"""

import base64
from dataclasses import replace
from urllib.parse import unquote

from django.http import HttpRequest

from apps.api import limits
from apps.api.admission import LONGEST_NAME, admitted
from apps.tenants import selectors
from apps.tenants.keys import Principal
from memory_platform.errors import Forbidden, Invalid, Unauthenticated

USER_HEADER = "Memory-User"


def principal_of(request: HttpRequest, *, with_password: bool = False) -> Principal:
    """Authenticate and count the request. Raises Unauthenticated or RateLimited; Invalid or Forbidden for its user.

    `with_password`: the key may come as the password of whatever name, as git sends it.
    """
    token = (_password(request) if with_password else None) or _token(request)
    try:
        principal = selectors.authenticate(token)
    except Unauthenticated:
        # Asked only now: behind a proxy good keys come from the same address as bad ones.
        limits.count_failure(request.META.get("REMOTE_ADDR", ""))
        raise
    limits.count_request(request, principal)
    return _bound(principal, request.headers.get(USER_HEADER))


def principal_again(request: HttpRequest) -> Principal:
    """Whose a request is that was counted and still goes on. Raises as before."""
    return _bound(selectors.authenticate(_token(request)), request.headers.get(USER_HEADER))


def _token(request: HttpRequest) -> str:
    """Raises Unauthenticated."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise Unauthenticated(
            "The header Authorization does not begin with Bearer.",
            hint="Prefix the API key with Bearer: Authorization: Bearer mp_….",
        )
    if not token:
        raise Unauthenticated("An API key is missing.", hint="Send the header Authorization: Bearer mp_….")
    return token.strip()


def _password(request: HttpRequest) -> str | None:
    """The password of `Authorization: Basic`; None where the header says something else."""
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        return base64.b64decode(given, validate=True).decode().partition(":")[2]
    except ValueError:
        return None


def _bound(principal: Principal, header: str | None) -> Principal:
    if header is None:
        return principal
    user_id = unquote(header)
    if not 1 <= len(user_id) <= LONGEST_NAME or not user_id.isprintable():
        raise Invalid(f"{USER_HEADER} has 1 to {LONGEST_NAME} printable characters.", field="userId")
    user_id = admitted(user_id, "user_id")
    if principal.user_id not in {None, user_id}:
        raise Forbidden("This key speaks for one user and cannot name another.", field="userId")
    return replace(principal, user_id=user_id)
