"""Small things the tests of the clients share."""

import json
from typing import Any

from pytest_httpserver import HTTPServer

from memory_client import Retries

AT_ONCE = Retries(first_wait=0.001)


def sent(httpserver: HTTPServer) -> dict[str, Any]:
    """The body of the last request."""
    request, _ = httpserver.log[-1]
    return json.loads(request.get_data())
