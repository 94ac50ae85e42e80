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
from apps.memory.results import Replacement
from apps.resources.selectors import SESSION_LINE
from apps.retrieval.results import Hit, SessionChange
from apps.tenants import selectors as tenants
from memory_platform.model import TrustTag, Verdict
from memory_platform.text.tokens import count as count_tokens

GIVEN: Final = statement("retrieval", "given_in_session").format(line=SESSION_LINE)
CHANGES_AT_MOST: Final = 10
"""Told at once; the others are told with the next answers."""


@dataclass(frozen=True, slots=True)
class HandedHit:
    """A hit as it was last handed to the session, which first had it at `since`, with at most `tokens` of its text."""

    item_id: UUID | None
    tags: frozenset[TrustTag]
    verdict: Verdict | None
    tokens: int
    since: datetime

    def is_still(self, hit: Hit) -> bool:
        """Whether `hit` is what was given; of a message that was cut, another question may want another part."""
        is_as_it_was = frozenset(hit.tags) == self.tags and hit.verdict is self.verdict
        return is_as_it_was and self.tokens >= count_tokens(hit.text)


@dataclass(frozen=True, slots=True)
class GivenSoFar:
    """The hits a session was given, by their unit; `told` are the items that it was told have replaced one."""

    hits: Mapping[UUID, HandedHit] = field(default_factory=dict)
    told: frozenset[UUID] = frozenset()

    def marked(self, hits: Sequence[Hit]) -> list[Hit]:
        """`hits`, each saying whether and since when the session has it."""
        return [self._marked(hit) for hit in hits]

    def _marked(self, hit: Hit) -> Hit:
        given = self.hits.get(hit.id)
        return hit if given is None else replace(hit, already_given=given.is_still(hit), given_at=given.since)

    def changes(self) -> list[SessionChange]:
        """What replaced a memory after it was given and is news to the session: at most CHANGES_AT_MOST."""
        given = {each.item_id: each for each in self.hits.values() if each.item_id}
        known = self.told | given.keys()
        news = [
            each
            for each in memory.replacements(list(given))
            if each.by not in known and _tag(each) not in given[each.replaced_id].tags
        ][:CHANGES_AT_MOST]
        items = memory.hydrate([*{each.replaced_id for each in news}, *{each.by for each in news}])
        return [
            SessionChange(
                id=each.replaced_id,
                text=items[each.replaced_id].text,
                given_at=given[each.replaced_id].since,
                tag=_tag(each),
                replaced_by=each.by,
                replacement=items[each.by].text,
            )
            for each in news
            if each.replaced_id in items and each.by in items
        ]


NOTHING_GIVEN: Final = GivenSoFar()


def given(session_id: str | None) -> GivenSoFar:
    """What the scope's agent was given in the session, for the scope's user; one statement, none without a session."""
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
    told = frozenset(unit_id for _, unit, unit_id, *_ in rows if unit is None)
    return GivenSoFar(_hits(row for row in rows if row[1] is not None), told)


def _hits(rows: Iterable[tuple[Any, ...]]) -> dict[UUID, HandedHit]:
    hits: dict[UUID, HandedHit] = {}
    for at, _, unit_id, item_id, tags, verdict, tokens in rows:
        given = HandedHit(
            item_id, frozenset(map(TrustTag, json.loads(tags))), Verdict(verdict) if verdict else None, tokens, at
        )
        latest = hits.get(unit_id, given)
        hits[unit_id] = replace(latest, since=at, tokens=max(latest.tokens, tokens))
    return hits


def _tag(replacement: Replacement) -> TrustTag:
    return TrustTag.SUPERSEDED if replacement.is_sure else TrustTag.PROBABLY_SUPERSEDED
