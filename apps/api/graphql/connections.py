"""Relay connections over keyset pages."""

from typing import Generic, TypeVar

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


def connection(cut: Slice[Node], *, after: str | None) -> Connection[Node]:
    edges = [Edge(cursor=cursor, node=row) for row, cursor in zip(cut.rows, cut.cursors, strict=True)]
    info = PageInfo(
        has_next_page=cut.has_next,
        has_previous_page=after is not None,
        start_cursor=cut.cursors[0] if cut.cursors else None,
        end_cursor=cut.end_cursor,
    )
    return Connection(edges=edges, page_info=info)
