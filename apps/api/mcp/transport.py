"""One exchange of the streamable HTTP transport inside a Django request: a message in, its answer out.

Through Django and not beside it, so that hosts, bodies, request ids, metrics, threads and connections are looked after
as for every request. Nothing is kept between requests: any web process answers any of them.
"""

from typing import Any

import httpx
from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


@async_to_sync
async def exchange(server: Server[Any], request: HttpRequest) -> HttpResponse:
    """Have the server answer what the request carries. Raises RequestDataTooBig."""
    longest = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    manager = StreamableHTTPSessionManager(server, stateless=True, json_response=True, max_request_body_size=longest)
    headers = [(name.encode(), value.encode("latin-1", "replace")) for name, value in request.headers.items()]
    asked = httpx.Request(request.method or "", "http://localhost/mcp", headers=headers, content=request.body)
    async with manager.run():
        answer = await httpx.ASGITransport(manager.handle_request).handle_async_request(asked)
    return HttpResponse(await answer.aread(), status=answer.status_code, headers=dict(answer.headers))
