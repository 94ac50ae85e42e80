"""Reading what is packed away: the words of items that lay archived or forgotten for long.

Such an item has no text in its row. Nothing is asked of the database about items that have theirs.
"""

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import Q

from apps.core import rows, scope
from apps.core.sql import statement
from apps.memory.models import ColdItem, Item
from apps.memory.results import ItemView, SourceView

LEVEL: Final = 9


@dataclass(frozen=True, slots=True)
class ItemWords:
    """What an item says, what it leans on, and what its sources say, by their ids; only those that say something."""

    text: str
    lead_in: str
    quotes: Mapping[UUID, str]

    @property
    def said(self) -> tuple[str, ...]:
        return (self.text, self.lead_in, *self.quotes.values())


def packed(words: ItemWords) -> bytes:
    """The compressed form."""
    quotes = {source_id.hex: quote for source_id, quote in words.quotes.items()}
    return zlib.compress(json.dumps([words.text, words.lead_in, quotes], ensure_ascii=False).encode(), LEVEL)


def unpacked(data: bytes) -> ItemWords:
    text, lead_in, quotes = json.loads(zlib.decompress(data))
    return ItemWords(text, lead_in, {UUID(source_id): quote for source_id, quote in quotes.items()})


def words(item_ids: Sequence[UUID]) -> dict[UUID, ItemWords]:
    """Those of the items whose words are packed away, as far as the scope may read them; at most one statement."""
    if not item_ids:
        return {}
    found = ColdItem.objects.filter(tenant_id=scope.current().tenant_id, item_id__in=item_ids)
    return {item_id: unpacked(bytes(data)) for item_id, data in found.values_list("item_id", "packed")}


def saying(pattern: str, whose: Q) -> list[UUID]:
    """The items whose packed words match a regular expression, case ignored, of the audiences `whose` means."""
    said = re.compile(pattern, re.IGNORECASE)
    found = ColdItem.objects.filter(whose, tenant_id=scope.current().tenant_id).values_list("item_id", "packed")
    return [item_id for item_id, data in found.iterator() if said.search(" ".join(unpacked(bytes(data)).said))]


def texts() -> Iterator[str]:
    """What each item says that is packed away. Needs an open scope."""
    found = ColdItem.objects.filter(tenant_id=scope.current().tenant_id).values_list("packed", flat=True)
    return (unpacked(bytes(data)).text for data in found.iterator())


def fill(items: Iterable[Item]) -> None:
    """Give items that are packed away their words for this transaction; their rows stay as they are."""
    lacking = [item for item in items if item.cold_at is not None and not item.text]
    found = words([item.id for item in lacking])
    for item in lacking:
        if item.id in found:
            item.text, item.lead_in = found[item.id].text, found[item.id].lead_in


def worded(views: Sequence[ItemView]) -> list[ItemView]:
    """The views with the words of those that are packed away."""
    found = words([view.id for view in views if not view.text])
    return [_worded(view, found[view.id]) if view.id in found else view for view in views]


def unpack(item_ids: Sequence[UUID]) -> None:
    """Put the words of items back where they were. Called under their audiences' locks."""
    held = [
        {
            "id": item_id,
            "text": each.text,
            "lead_in": each.lead_in,
            "quotes": {str(resource_id): quote for resource_id, quote in each.quotes.items()},
        }
        for item_id, each in words(item_ids).items()
    ]
    if held:
        with connection.cursor() as cursor:
            cursor.execute(
                statement("memory", "unpack_items"),
                {"tenant": scope.current().tenant_id, "held": rows.recordset(held)},
            )


def _worded(view: ItemView, held: ItemWords) -> ItemView:
    sources = tuple(_quoted(source, held.quotes.get(source.resource_id, "")) for source in view.sources)
    return replace(view, text=held.text, lead_in=held.lead_in, sources=sources)


def _quoted(source: SourceView, quote: str) -> SourceView:
    return replace(source, quote=source.quote or quote)
