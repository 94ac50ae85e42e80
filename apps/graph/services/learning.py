"""Projecting what is remembered into entities, mentions and relations."""

from collections.abc import Sequence
from uuid import UUID

from apps.core.scope import Scope
from apps.graph.results import Projected


def project(*, item_ids: Sequence[UUID] = (), resource_ids: Sequence[UUID] = (), within: Scope) -> Projected:
    """Bring the graph's rows of these units in line with their present state. Called without an open scope."""
    raise NotImplementedError
