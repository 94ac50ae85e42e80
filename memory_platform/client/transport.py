"""GraphQL documents with one root field."""

from collections.abc import Mapping
from typing import Any

from memory_client import MemoryClient


class Transport:
    def __init__(self, url: str, api_key: str, *, timeout: float = 30.0) -> None:
        self._client = MemoryClient(url, api_key, timeout=timeout)

    def graphql(self, document: str, variables: Mapping[str, Any]) -> Any:
        """The value of the document's one root field. Raises MemoryClientError."""
        (value,) = self._client.graphql(document, variables).values()
        return value
