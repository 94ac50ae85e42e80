"""What a session was already given, and what has become of it since."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.core import scope
from apps.core.sql import statement
from apps.memory import selectors as memory
from apps.memory.results import ItemChange, ItemView, Replacement
from apps.resources.selectors import SESSION_LINE
from apps.retrieval.results import Hit, SessionChange
from apps.tenants import selectors as tenants
from memory_platform.model import SessionChangeKind, TrustTag, Verdict
from memory_platform.text.tokens import count as count_tokens

GIVEN: Final = statement("retrieval", "given_in_session").format(line=SESSION_LINE)
CHANGES_AT_MOST: Final = 10
"""Told at once; the others are told with the next answers."""


@dataclass(frozen=True, slots=True)
class Handed:
    """When the session was first given, or told of, something, and when last."""

    since: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class HandedHit(Handed):
    """A hit as it was last handed to the session, with at most `tokens` of its text."""

    item_id: UUID | None
    tags: frozenset[TrustTag]
    verdict: Verdict | None
    tokens: int

    def is_still(self, hit: Hit) -> bool:
        """Whether `hit` is what was given; of a message that was cut, another question may want another part."""
        is_as_it_was = frozenset(hit.tags) == self.tags and hit.verdict is self.verdict
        return is_as_it_was and self.tokens >= count_tokens(hit.text)


@dataclass(frozen=True, slots=True)
class GivenSoFar:
    """The hits a session was given, by their unit; `told` are the items that it was told have replaced one, or are gone
    or in question; `became` is what items of either have become.
    """

    hits: Mapping[UUID, HandedHit] = field(default_factory=dict)
    told: Mapping[UUID, Handed] = field(default_factory=dict)
    became: Sequence[ItemChange] = ()

    def marked(self, hits: Sequence[Hit]) -> list[Hit]:
        """`hits`, each saying whether and since when the session has it."""
        returned = self._returned()
        return [self._marked(hit, is_back=hit.id in returned) for hit in hits]

    def _marked(self, hit: Hit, *, is_back: bool) -> Hit:
        given = self.hits.get(hit.id)
        if given is None:
            return hit
        return replace(hit, already_given=given.is_still(hit) and not is_back, given_at=given.since)

    def _returned(self) -> set[UUID]:
        """The items that the session was told are gone after it was given them, and that are not any more."""
        given = self._items()
        back = {one for one, told in self.told.items() if one in given and given[one].last < told.last}
        return back - self._gone()

    def changes(self) -> list[SessionChange]:
        """What became of memories after they were given and is news to the session: at most CHANGES_AT_MOST."""
        given = self._items()
        news = self._news(given)[:CHANGES_AT_MOST]
        shown = {each.item_id for each in news if each.became is not SessionChangeKind.FORGOTTEN}
        items = memory.hydrate([*shown, *{each.replacement.by for each in news if each.replacement}])
        handed = {**self.told, **given}
        return [_change(each, handed[each.item_id].since, items) for each in news if _can_be_told(each, items)]

    def _news(self, given: Mapping[UUID, HandedHit]) -> list[ItemChange]:
        gone, last = self._gone(), self._last(given)
        return [
            each
            for each in self.became
            if (self._is_new(each.replacement, given) and each.item_id not in gone)
            or (each.at is not None and last[each.item_id] < each.at)
        ]

    def _is_new(self, replacement: Replacement | None, given: Mapping[UUID, HandedHit]) -> bool:
        if replacement is None or replacement.replaced_id not in given:
            return False
        is_known = replacement.by in given or replacement.by in self.told
        return not is_known and _tag(replacement) not in given[replacement.replaced_id].tags

    def _last(self, given: Mapping[UUID, HandedHit]) -> dict[UUID, datetime]:
        """When the session last heard of each item that it has."""
        told = {one: each.last for one, each in self.told.items()}
        return told | {one: max(each.last, told.get(one, each.last)) for one, each in given.items()}

    def _gone(self) -> set[UUID]:
        return {each.item_id for each in self.became if each.replacement is None}

    def _items(self) -> dict[UUID, HandedHit]:
        return {each.item_id: each for each in self.hits.values() if each.item_id}


def _can_be_told(change: ItemChange, items: Mapping[UUID, ItemView]) -> bool:
    """Whether what it says can be read: of what was forgotten nothing is said."""
    if change.replacement is not None and change.replacement.by not in items:
        return False
    return change.became is SessionChangeKind.FORGOTTEN or change.item_id in items


def _change(change: ItemChange, given_at: datetime, items: Mapping[UUID, ItemView]) -> SessionChange:
    by = change.replacement
    return SessionChange(
        id=change.item_id,
        text=None if change.became is SessionChangeKind.FORGOTTEN else items[change.item_id].text,
        given_at=given_at,
        became=change.became,
        tag=_tag(by) if by else None,
        replaced_by=by.by if by else None,
        replacement=items[by.by].text if by else None,
    )


NOTHING_GIVEN: Final = GivenSoFar()


def given(session_id: str | None) -> GivenSoFar:
    """What the scope's agent was given in the session, for the scope's user, and what became of it: two statements,
    one where it was given nothing, none without a session.
    """
    if session_id is None:
        return NOTHING_GIVEN
    opened = scope.current()
    with connection.cursor() as cursor:
        cursor.execute(
            GIVEN,
            {
                "tenant": opened.tenant_id,
                "agent": opened.agent_id,
                "user": opened.whose.user_id,
                "session": session_id,
                "limit": tenants.policy(opened.tenant_id).session_given_hits,
            },
        )
        rows = cursor.fetchall()
    hits, told = _hits(row for row in rows if row[1] is not None), _told(row for row in rows if row[1] is None)
    items = {each.item_id for each in hits.values() if each.item_id}
    return GivenSoFar(hits, told, memory.item_changes([*items | told.keys()]))


def _hits(rows: Iterable[tuple[Any, ...]]) -> dict[UUID, HandedHit]:
    hits: dict[UUID, HandedHit] = {}
    for at, _, unit_id, item_id, tags, verdict, tokens in rows:
        given = HandedHit(
            at, at, item_id, frozenset(map(TrustTag, json.loads(tags))), Verdict(verdict) if verdict else None, tokens
        )
        latest = hits.get(unit_id, given)
        hits[unit_id] = replace(latest, since=at, tokens=max(latest.tokens, tokens))
    return hits


def _told(rows: Iterable[tuple[Any, ...]]) -> dict[UUID, Handed]:
    told: dict[UUID, Handed] = {}
    for at, _, item_id, *_ in rows:
        told[item_id] = replace(told.get(item_id, Handed(at, at)), since=at)
    return told


def _tag(replacement: Replacement) -> TrustTag:
    return TrustTag.SUPERSEDED if replacement.is_sure else TrustTag.PROBABLY_SUPERSEDED
