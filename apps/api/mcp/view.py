"""POST /mcp: authenticate, then let the caller's own server answer. There is no session to GET or DELETE."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from apps.api.auth import principal_of
from apps.api.gateway import Gateway
from apps.api.rest.api import refused
from apps.core import problems

_INVALID_REQUEST = -32_600  # of JSON-RPC; hosts show the message of such a body, whatever its status


@csrf_exempt  # A header authenticates; cookies do not, so there is nothing to forge.
@require_POST
def mcp(request: HttpRequest) -> HttpResponse:
    try:
        gateway = Gateway(principal_of(request))
        return _answer(gateway, request)
    except Exception as error:  # noqa: BLE001  the last resort: mapped, logged, masked
        problem = problems.of(error)
        told = {"code": _INVALID_REQUEST, "message": problem.message, "data": problem.extensions}
        return refused(problem, {"jsonrpc": "2.0", "id": None, "error": told})


def _answer(gateway: Gateway, request: HttpRequest) -> HttpResponse:
    # The SDK takes seconds and 30 MB to load: only processes that are asked pay for it.
    from apps.api.mcp.server import Caller  # noqa: PLC0415
    from apps.api.mcp.transport import exchange  # noqa: PLC0415

    return exchange(Caller(gateway).server(), request)
