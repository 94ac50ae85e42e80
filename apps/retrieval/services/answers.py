"""From scored candidates to hits: fold, modify, tag, order."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import numpy as np

from apps.core import scope
from apps.index.search import Candidates
from apps.memory import selectors as memory
from apps.memory.results import EpisodeStanding, ItemView
from apps.resources import selectors as resources
from apps.resources.selectors import Source as Said
from apps.retrieval.requests import Filter
from apps.retrieval.results import Hit, HitScores, Source
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform import fusion, ranking, trust
from memory_platform.fusion import Fused, Scored, Scores
from memory_platform.model import TrustTag, Unit
from memory_platform.ranking import Asking, Aspects, Modifiers, Multipliers
from memory_platform.redaction import redact

# How many candidates are looked up for each hit asked for: folding and filters on items take some away.
LOOKED_UP_PER_HIT: Final = 4
LOOKED_UP_AT_LEAST: Final = 40

NO_STANDING: Final = EpisodeStanding(all_gone=False, superseded_by=())


@dataclass(frozen=True, slots=True)
class Reading:
    """How an answer is read: by which numbers, for whom, and whether history is asked for."""

    policy: Policy
    asking: Asking
    filter: Filter
    is_historical: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """What the other rooms say about the units that were looked up."""

    items: Mapping[UUID, ItemView]
    episodes: Mapping[UUID, Said]
    standing: Mapping[UUID, EpisodeStanding]


def hits(found: Candidates, scores: Scores, rows: Sequence[int], *, reading: Reading) -> list[Hit]:
    """Turn the candidates in `rows` (places in the arrays, best first) into hits, best first, not yet capped."""
    scored = [Scored(found.unit[row], found.unit_id(row), float(scores.score[row]), row) for row in rows]
    known = _look_up(scored)
    fused = fusion.fold(
        scored,
        sources={item.id: [source.resource_id for source in item.sources] for item in known.items.values()},
        gone=_gone(scored, known, reading),
    )
    modified = [
        (each, ranking.modifiers(_aspects(each, known, found), reading.asking, multipliers=_multipliers(reading)))
        for each in fused
    ]
    modified.sort(key=lambda pair: -pair[0].relevance * pair[1].product)
    ordered = _surer_first([each for each, _ in modified], known)
    factors = {id(each): factor for each, factor in modified}
    return [
        _hit(rank, each, factors[id(each)], known=known, found=found, scores=scores, reading=reading)
        for rank, each in enumerate(ordered, start=1)
    ]


def best_rows(scores: Scores, allowed: Collection[int] | np.ndarray, *, limit: int) -> list[int]:
    """The places worth looking up for `limit` hits, by falling score."""
    places = np.asarray(allowed)
    ordered = places[np.argsort(-scores.score[places], kind="stable")]
    return [int(place) for place in ordered[: max(LOOKED_UP_PER_HIT * limit, LOOKED_UP_AT_LEAST)]]


def _look_up(scored: Sequence[Scored]) -> _Known:
    items = memory.hydrate([unit.id for unit in scored if unit.unit is Unit.ITEM])
    episode_ids = [unit.id for unit in scored if unit.unit is Unit.EPISODE]
    return _Known(items, resources.sources(episode_ids), memory.episode_standing(episode_ids))


def _gone(scored: Iterable[Scored], known: _Known, reading: Reading) -> list[UUID]:
    """Units that may not answer: what vanished since the search, what the filter on items excludes, spent episodes."""
    gone = []
    for unit in scored:
        if unit.unit is Unit.ITEM:
            item = known.items.get(unit.id)
            if item is None or not _passes(item, reading.filter):
                gone.append(unit.id)
        elif unit.unit is Unit.EPISODE:
            spent = known.standing.get(unit.id, NO_STANDING).all_gone and not reading.is_historical
            if unit.id not in known.episodes or spent:
                gone.append(unit.id)
    return gone


def _passes(item: ItemView, wanted: Filter) -> bool:
    return (
        item.verdict in wanted.verdicts
        and (wanted.statuses is None or item.status in wanted.statuses)
        and (wanted.entity is None or wanted.entity.casefold() in map(str.casefold, item.entity_names))
        and (wanted.minimum_confidence is None or item.confidence >= wanted.minimum_confidence)
    )


def _aspects(fused: Fused, known: _Known, found: Candidates) -> Aspects:
    item = known.items.get(fused.item.id) if fused.item else None
    if item is None:
        return Aspects(recorded_at=_recorded_at(found, fused.lead.row), decay_lambda=0.01)
    rules = {rule.slug: rule for rule in tenants.category_rules(scope.current().tenant_id)}
    rule = rules.get(item.category)
    return Aspects(
        recorded_at=item.recorded_at,
        last_confirmed_at=item.last_confirmed_at,
        decay_lambda=rule.decay_lambda if rule else 0.01,
        category=item.category,
        status=item.status,
        sentiment=item.sentiment,
        retrieval_priority=item.retrieval_priority,
    )


def _multipliers(reading: Reading) -> Multipliers:
    policy = reading.policy
    return Multipliers(
        stale=policy.stale_multiplier,
        off_domain=policy.off_domain_multiplier,
        sentiment=policy.sentiment_multiplier,
        priority_clamp=policy.priority_clamp,
    )


def _surer_first(ordered: Sequence[Fused], known: _Known) -> list[Fused]:
    by_item = {each.item.id: each for each in ordered if each.item}
    ids = [each.lead.id if each.item is None else each.item.id for each in ordered]
    surer = trust.surer_first(
        ids,
        contradicts={item_id: known.items[item_id].contradicted_by for item_id in by_item},
        confidence={item_id: known.items[item_id].confidence for item_id in by_item},
    )
    by_id = dict(zip(ids, ordered, strict=True))
    return [by_id[each] for each in surer]


def _hit(
    rank: int,
    fused: Fused,
    factors: Modifiers,
    *,
    known: _Known,
    found: Candidates,
    scores: Scores,
    reading: Reading,
) -> Hit:
    item = known.items.get(fused.item.id) if fused.item else None
    episode_id = fused.episodes[0].id if fused.episodes else None
    is_item = item is not None and fused.lead.unit is Unit.ITEM
    row = fused.lead.row
    event_time = item.event_time if item else _event_time(found, row)
    return Hit(
        rank=rank,
        unit=fused.lead.unit,
        id=fused.lead.id,
        text=item.text if item and is_item else _said(known.episodes[fused.lead.id], reading.policy),
        score=fused.relevance * factors.product,
        relevance=fused.relevance,
        scores=_scores(scores, row, factors),
        item_id=item.id if item else None,
        episode_id=episode_id,
        category=item.category if item else found.category[row],
        service=item.service if item else "",
        confidence=item.confidence if item and is_item else None,
        age_days=_age_days(item.said_at if item else event_time or _recorded_at(found, row), reading.asking.now),
        event_time=event_time,
        tags=_tags(item, fused, known, reading),
        sources=_sources(fused, item, known, reading.policy),
        current_fact_ids=known.standing.get(episode_id, NO_STANDING).superseded_by if episode_id else (),
    )


def _age_days(since: datetime, now: datetime) -> float:
    return max((now - since).total_seconds() / 86_400, 0.0)


def _recorded_at(found: Candidates, row: int) -> datetime:
    return _utc(found.recorded_at[row])


def _event_time(found: Candidates, row: int) -> datetime | None:
    moment = found.event_time[row]
    return None if np.isnat(moment) else _utc(moment)


def _utc(moment: np.datetime64) -> datetime:
    naive: datetime = moment.astype("datetime64[us]").item()
    return naive.replace(tzinfo=UTC)


def _scores(scores: Scores, row: int, factors: Modifiers) -> HitScores:
    return HitScores(
        vector=float(scores.vector[row]),
        keyword=float(scores.keyword[row]),
        decay=factors.decay,
        priority=factors.priority,
        sentiment=factors.sentiment,
        domain=factors.domain,
    )


def _tags(item: ItemView | None, fused: Fused, known: _Known, reading: Reading) -> tuple[TrustTag, ...]:
    if item is None or fused.lead.unit is not Unit.ITEM:
        is_outdated = known.standing.get(fused.lead.id, NO_STANDING).superseded_by
        return (TrustTag.SUPERSEDED,) if is_outdated else ()
    rules = {rule.slug: rule for rule in tenants.category_rules(scope.current().tenant_id)}
    rule = rules.get(item.category)
    standing = trust.Standing(
        confidence=item.confidence,
        strength=item.strength,
        sources=len(item.sources),
        confirmed_at=max(item.recorded_at, item.last_confirmed_at or item.recorded_at),
        ttl_days=rule.ttl_days if rule else None,
        is_contradicted=bool(item.contradicted_by),
        is_superseded=item.valid_until is not None and item.valid_until <= reading.asking.now,
    )
    return trust.tags(standing, now=reading.asking.now, uncertain_below=reading.policy.uncertain_below)


def _said(episode: Said, policy: Policy) -> str:
    """Raw resources may hold secrets where the policy keeps them; what leaves the platform never does."""
    return redact(episode.text).text if policy.keep_raw_secrets else episode.text


def _sources(fused: Fused, item: ItemView | None, known: _Known, policy: Policy) -> tuple[Source, ...]:
    """The folded episodes first, best first, then the item's other sources; each once."""
    named = {}
    for episode in fused.episodes:
        said = known.episodes[episode.id]
        named[episode.id] = Source(said.resource_id, said.external_id, said.speaker, said.said_at, _said(said, policy))
    for source in item.sources if item else ():
        quoted = Source(source.resource_id, source.external_id, source.speaker, source.said_at, source.quote)
        named.setdefault(source.resource_id, quoted)
    return tuple(named.values())
