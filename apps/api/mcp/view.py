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
        return _answer(Gateway(principal_of(request)), request)
    except Exception as error:  # noqa: BLE001  the last resort: mapped, logged, masked
        problem = problems.of(error)
        told = {"code": _INVALID_REQUEST, "message": problem.message, "data": problem.extensions}
        return refused(problem, {"jsonrpc": "2.0", "id": None, "error": told})


def _answer(gateway: Gateway, request: HttpRequest) -> HttpResponse:
    from apps.api.mcp.server import Toolbox  # noqa: PLC0415
    from apps.api.mcp.transport import exchange  # noqa: PLC0415

    return exchange(Toolbox(gateway).server(), request)


def warm() -> None:
    """Load the SDK, which takes seconds and 30 MB: only what serves pays, before the first caller does.

    Commands and workers know the routes, and with them this module.
    """
    from apps.api.mcp import server, transport  # noqa: F401, PLC0415
