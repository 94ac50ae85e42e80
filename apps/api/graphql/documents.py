"""How long a GraphQL document may be, and which ones are kept parsed and validated."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from graphql import DocumentNode
from strawberry.extensions import SchemaExtension
from typing_extensions import override

from memory_platform.errors import TooComplex

LONGEST_DOCUMENT: Final = 65_536
"""Bytes of a document that are parsed at all."""
LONGEST_KEPT: Final = 4_096
MOST_KEPT: Final = 131_072
"""Characters of a document that is kept parsed, and of all that are. The tree of a document of one-letter names takes
about 400 bytes a character (tracemalloc), so that all of them take at most about 50 MB, and usually a fifth of it."""


def require_short(document: str) -> None:
    """Raises TooComplex for a document that is not worth the time it takes to parse."""
    # A lone surrogate has no encoding, and is refused by the parser.
    if len(document.encode(errors="replace")) > LONGEST_DOCUMENT:
        raise TooComplex(
            f"The GraphQL document is longer than {LONGEST_DOCUMENT} bytes.", hint="Send values as variables."
        )


class Documents:
    """The valid documents asked last, at most `most` characters of them together. Safe to use from many threads."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[str, DocumentNode] = OrderedDict()
        self._lock = threading.Lock()
        self.characters = 0

    def get(self, text: str) -> DocumentNode | None:
        with self._lock:
            document = self._kept.get(text)
            if document is not None:
                self._kept.move_to_end(text)
        return document

    def put(self, text: str, document: DocumentNode) -> None:
        with self._lock:
            if text not in self._kept:
                self._kept[text] = document
                self.characters += len(text)
            while self.characters > self._most:
                oldest, _ = self._kept.popitem(last=False)
                self.characters -= len(oldest)


class DocumentCache(SchemaExtension):
    """Parses and validates a short document once, as long as it is among those asked last."""

    documents: Final = Documents(most=MOST_KEPT)

    @override
    def on_parse(self) -> Iterator[None]:
        context = self.execution_context
        if context.query and (document := self.documents.get(context.query)) is not None:
            context.graphql_document = document
            # None would have it validated again.
            context.pre_execution_errors = []
        yield

    @override
    def on_validate(self) -> Iterator[None]:
        yield
        context = self.execution_context
        text, document = context.query, context.graphql_document
        if text and document is not None and not context.pre_execution_errors and len(text) <= LONGEST_KEPT:
            self.documents.put(text, document)
