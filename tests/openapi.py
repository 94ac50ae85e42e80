"""What REST declares of itself, made once a process: making it takes a second or more of processor."""

from functools import cache
from typing import Any

from apps.api.rest.api import api


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, its paths as seen from below `/api/v1`. Not to be changed."""
    return api.get_openapi_schema(path_prefix="/")


def paths() -> dict[str, Any]:
    """By path, its operations by method."""
    return document()["paths"]
