"""Items that are hits without having been searched for."""

from datetime import datetime

from apps.memory.results import ItemView
from apps.retrieval.results import Hit, HitScores
from apps.retrieval.services.answers import quoted
from memory_platform.model import Relevance, TrustTag, Unit, Visibility


def hit_of(item: ItemView, now: datetime, *, tags: tuple[TrustTag, ...], as_of: datetime | None = None) -> Hit:
    """`as_of`: only what had been said by then is a source."""
    heard = [source for source in item.sources if as_of is None or source.said_at <= as_of]
    return Hit(
        rank=0,
        unit=Unit.ITEM,
        id=item.id,
        text=item.text,
        score=item.confidence,
        probability=item.confidence,
        relevance=Relevance.HIGH,
        lead_in=item.lead_in,
        scores=HitScores(),
        item_id=item.id,
        episode_id=None,
        category=item.category,
        service=item.service,
        confidence=item.confidence,
        age_days=max((now - item.said_at).total_seconds() / 86_400, 0.0),
        event_time=item.event_time,
        tags=tags,
        is_shared=item.visibility is Visibility.SHARED,
        said_at=item.said_at,
        sources=tuple(map(quoted, heard)),
        verdict=item.verdict,
        voice=item.voice,
    )
