"""Relay connections over keyset pages."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import strawberry

from apps.core.paging import Slice

Node = TypeVar("Node")


@strawberry.type
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type
class Edge(Generic[Node]):
    cursor: str
    node: Node


@strawberry.type
class Connection(Generic[Node]):
    edges: list[Edge[Node]]
    page_info: PageInfo


def connection(cut: Slice[Any], *, after: str | None) -> Any:
    """Wrap one page; `Any` because views are resolved by attribute and need no copy."""
    return Connection(edges=_edges(cut.rows, cut.cursors), page_info=_page_info(cut, after))


def _edges(rows: Sequence[Any], cursors: Sequence[str]) -> list[Edge[Any]]:
    return [Edge(cursor=cursor, node=row) for row, cursor in zip(rows, cursors, strict=True)]


def _page_info(cut: Slice[Any], after: str | None) -> PageInfo:
    return PageInfo(
        has_next_page=cut.has_next,
        has_previous_page=after is not None,
        start_cursor=cut.cursors[0] if cut.cursors else None,
        end_cursor=cut.end_cursor,
    )
