"""Two names of the client that came before `memory_client`, for scripts outside the repository that import them.

`MemoryAgent` ingests and tells what waits; `transport.Transport` runs GraphQL documents. Nothing here uses them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from memory_client import MemoryClient


class MemoryAgent(MemoryClient):
    @override
    def ingest(self, lines: Iterable[Any]) -> Any:
        """Counts by state and a result for each line, as a mapping."""
        return super().ingest(lines).as_dict()

    @override
    def stats(self, **_options: Any) -> Any:
        """In GraphQL's spelling: {jobsQueued}."""
        found: Mapping[str, Any] = self.graphql("{ stats { jobsQueued } }")["stats"]
        return found
