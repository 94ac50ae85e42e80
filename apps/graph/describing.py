"""What the facts of an entity say, as somebody wrote it for its audience or as they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import connection

from apps.core import scope
from apps.graph.traversal import holds
from apps.memory.results import ItemView
from apps.memory.summary_facts import summary_fact
from memory_platform.consolidation import summarising
from memory_platform.knowledge.graph import Moment
from memory_platform.model import Role, SummaryFact
from memory_platform.text.terms import is_name

MOST_FACTS: Final = 5

_BASES: Final = f"""
    SELECT e.id, e.summary, e.summary_digest,
        coalesce(md5(string_agg(DISTINCT i.id::text, ',' ORDER BY i.id::text)), '')
    FROM graph_entity e
    LEFT JOIN graph_mention m ON m.tenant_id = %(tenant)s AND m.entity_id = e.id AND m.unit = 'item'
    LEFT JOIN memory_live_item i ON i.id = m.unit_id AND {holds("i")}
    WHERE e.tenant_id = %(tenant)s"""  # noqa: S608  constants only
_OF: Final = f"{_BASES} AND e.id = ANY(%(ids)s) GROUP BY e.id, e.summary, e.summary_digest"
_DUE: Final = f"""SELECT id, digest FROM (
    {_BASES} AND e.mention_count >= %(least)s GROUP BY e.id, e.summary, e.summary_digest
    ) AS base (id, text, known, digest) WHERE digest <> known ORDER BY id"""  # noqa: S608  constants only


@dataclass(frozen=True, slots=True)
class Due:
    """An entity whose facts are others than when its summary was written; `digest` tells them."""

    entity_id: UUID
    digest: str


def written(entity_ids: Sequence[UUID], moment: Moment) -> str | None:
    """What was written of entities of one name; None unless it was of each, from exactly the facts that hold."""
    rows = _rows(_OF, moment, ids=list(entity_ids))
    texts = [text for _, text, known, digest in rows if text and known == digest]
    return " ".join(texts) if len(texts) == len(rows) and texts else None


def due(moment: Moment, *, least: int) -> list[Due]:
    """The entities with `least` mentions whose summary is not written from what holds; one statement."""
    return [Due(*row) for row in _rows(_DUE, moment, least=least)]


def unchanged(batch: Sequence[Due], moment: Moment) -> frozenset[UUID]:
    """The entities whose facts are still those that were read."""
    rows = _rows(_OF, moment, ids=[one.entity_id for one in batch])
    digests = {entity_id: digest for entity_id, _, _, digest in rows}
    return frozenset(one.entity_id for one in batch if digests.get(one.entity_id) == one.digest)


def told(facts: Sequence[ItemView], zone: ZoneInfo) -> str:
    """The first of the facts, of each state the latest, each with when it was said and by whom."""
    places = summarising.current(summary_facts(facts, zone))
    return " ".join(_told(facts[place], zone) for place in places[:MOST_FACTS])


def summary_facts(facts: Sequence[ItemView], zone: ZoneInfo) -> list[SummaryFact]:
    return [summary_fact(fact, zone, is_doubted=bool(fact.doubted_by)) for fact in facts]


def day(time: datetime, zone: ZoneInfo) -> str:
    """1 March 2025."""
    local = time.astimezone(zone)
    return f"{local.day} {local:%B %Y}"


def _told(fact: ItemView, zone: ZoneInfo) -> str:
    speaker = next((source.speaker for source in fact.sources if source.speaker and is_name(source.speaker)), None)
    told_by = speaker if fact.voice.role is Role.USER else " ".join(filter(None, (fact.voice.role.value, speaker)))
    by = f", {told_by}" if told_by else ""
    return f"{fact.text.rstrip('.')} ({day(fact.said_at, zone)}{by})."


def _rows(statement: str, moment: Moment, **values: int | list[UUID]) -> list[tuple[Any, ...]]:
    given: Mapping[str, Any] = {
        "tenant": scope.current().tenant_id,
        "believed": moment.believed_at,
        "true": moment.true_at,
        **values,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        return list(cursor.fetchall())
