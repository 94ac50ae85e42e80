"""Relay connections over keyset pages."""

from typing import Generic, TypeVar

import strawberry

from apps.core.paging import Slice

Node = TypeVar("Node")


@strawberry.type
class PageInfo:
    has_next_page: bool = strawberry.field(description="Rows follow behind this page.")
    has_previous_page: bool = strawberry.field(description="The page was asked for from behind a cursor.")
    start_cursor: str | None = strawberry.field(description="The cursor of the first row; null: there are none.")
    end_cursor: str | None = strawberry.field(
        description="The cursor of the last row, to pass as `after`; null: there are none."
    )


@strawberry.type
class Edge(Generic[Node]):
    cursor: str = strawberry.field(description="Where the row stands: `after` goes on behind it.")
    node: Node = strawberry.field(description="The row.")


@strawberry.type
class Connection(Generic[Node]):
    edges: list[Edge[Node]] = strawberry.field(description="The rows of this page, in the list's order.")
    page_info: PageInfo = strawberry.field(description="Where the page stands in the list.")


def connection(cut: Slice[Node], *, after: str | None) -> Connection[Node]:
    edges = [Edge(cursor=cursor, node=row) for row, cursor in zip(cut.rows, cut.cursors, strict=True)]
    info = PageInfo(
        has_next_page=cut.has_next,
        has_previous_page=after is not None,
        start_cursor=cut.cursors[0] if cut.cursors else None,
        end_cursor=cut.end_cursor,
    )
    return Connection(edges=edges, page_info=info)
