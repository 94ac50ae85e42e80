"""Rows that are read together: GraphQL asks for what hangs on a row, a row at a time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

Found = TypeVar("Found")


@dataclass(slots=True)
class Batch:
    """The rows of one root field's answer, and what was read of them by the name of the reading."""

    _rows: dict[UUID, None] = field(default_factory=dict)
    _read: dict[str, dict[UUID, Any]] = field(default_factory=dict)

    def add(self, row_ids: Iterable[UUID]) -> None:
        """Rows are answered of which the same will be asked."""
        self._rows.update(dict.fromkeys(row_ids))

    def get(
        self, name: str, row_id: UUID, read: Callable[[Sequence[UUID]], Mapping[UUID, Found]], *, default: Found
    ) -> Found:
        """What `read` finds for a row; it is asked once for all rows there are by then."""
        known: dict[UUID, Found] = self._read.setdefault(name, {})
        if row_id not in known:
            self.add([row_id])
            wanted = [each for each in self._rows if each not in known]
            known.update(dict.fromkeys(wanted, default) | dict(read(wanted)))
        return known[row_id]
