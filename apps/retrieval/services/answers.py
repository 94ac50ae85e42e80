"""From scored candidates to hits: fold, modify, tag, order."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from apps.index import search
from apps.index.search import Candidates
from apps.memory import selectors as memory
from apps.memory.results import EpisodeState, ItemView, SourceView
from apps.resources import selectors as resources
from apps.resources.selectors import MessageSource
from apps.retrieval.requests import Filter
from apps.retrieval.results import Hit, HitScores, HitSource
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.consolidation.authority import CALLER, Voice
from memory_platform.consolidation.claims import normalised
from memory_platform.extraction.observing import unmarked
from memory_platform.model import NO_SLOT, CategoryRule, Relevance, TrustTag, Unit, Visibility
from memory_platform.retrieval import folding, ranking, trust
from memory_platform.retrieval.folding import Fused, Scored
from memory_platform.retrieval.fusion import Scores
from memory_platform.retrieval.ranking import Asking, Aspects, Modifiers, Multipliers

# How many candidates are looked up for each hit asked for: folding and filters on items take some away.
LOOKED_UP_PER_HIT: Final = 4
LOOKED_UP_AT_LEAST: Final = 24
# Hits that are put in order anew: as many as a short answer shows (docs/adr/0034).
REORDERED: Final = 5
# What a factor of nothing counts as, where its logarithm is wanted.
TINY: Final = 1e-300
# Hits fetched beyond those asked for: some say nothing, or what another says.
SPARE: Final = 5

# What a newer fact must score, as a share of the older one's score, to stand before what it only probably replaced.
DOUBT_SHARE: Final = 0.1

NO_STATE: Final = EpisodeState()


@dataclass(frozen=True, slots=True)
class RankingContext:
    """How an answer is read: by which numbers, for whom, and whether history is asked for; a hit of less than
    `sure_from` probability is marked as weak.
    """

    policy: Policy
    rules: Mapping[str, CategoryRule]
    multipliers: Multipliers
    asking: Asking
    filter: Filter
    is_historical: bool
    as_of: datetime | None = None
    sure_from: float = 0.5


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit in its place, before its words are fetched: what folded into it and which factors it was multiplied by."""

    fused: Fused
    factors: Modifiers
    item: ItemView | None
    state: EpisodeState

    @property
    def score(self) -> float:
        return self.fused.relevance * self.factors.product

    def scoring(self, score: float) -> "Ranked":
        """The same hit, as relevant as that score tells."""
        product = self.factors.product
        return replace(self, fused=replace(self.fused, relevance=score / product if product else 0.0))

    @property
    def rows(self) -> list[int]:
        """The candidates that it stands for."""
        return [self.fused.lead.row, *(each.row for each in self.fused.episodes)]

    @property
    def identity(self) -> UUID:
        return self.item.id if self.item else self.fused.lead.id

    @property
    def superseded_by(self) -> tuple[UUID, ...]:
        """Current items that took the place of what this hit says."""
        return self.state.superseded_by

    @property
    def doubted_by(self) -> tuple[UUID, ...]:
        """Current items that probably did."""
        return (*self.state.doubted_by, *(self.item.doubted_by if self.item else ()))


def ranked(
    found: Candidates, scores: Scores, allowed: NDArray[np.bool_], *, limit: int, context: RankingContext
) -> list[Ranked]:
    """Turn the best of the `allowed` candidates into hits in their order, not yet capped: enough for `limit`."""
    scored = [_scored(found, scores, row) for row in _best_rows(scores, np.flatnonzero(allowed), limit=limit)]
    items = memory.hydrate([unit.id for unit in scored if unit.unit is Unit.ITEM], as_of=context.as_of)
    answering = [item for item in items.values() if _passes(item, context.filter)]
    scored += _own_episodes(answering, found, scores, known={unit.id for unit in scored})
    episodes = [unit.id for unit in scored if unit.unit is Unit.EPISODE]
    states = memory.episode_states(episodes, as_of=context.as_of)
    fused = folding.fold(
        scored,
        sources={item.id: [source.resource_id for source in item.sources] for item in items.values()},
        gone=_gone(scored, items, states, context),
    )
    placed = [_placed(each, items, states, found=found, context=context) for each in fused]
    placed = _best_first(sorted(placed, key=lambda each: -each.score), scores)
    if context.is_historical and context.as_of is None:
        return _surer_first(placed)
    return _current_first([*_surer_first(placed), *_successors(placed, found, scores, context=context)])


def _best_first(placed: Sequence[Ranked], scores: Scores) -> list[Ranked]:
    """The first hits put in order anew, by what tells the very best of them; each gets the score of its place."""
    if scores.first is None:
        return list(placed)
    best, others = placed[:REORDERED], placed[REORDERED:]
    odds = np.array([scores.first[each.rows].max() + np.log(each.factors.product or TINY) for each in best])
    if np.isnan(odds).any():
        return list(placed)
    order = np.argsort(-odds, kind="stable").tolist()
    return [*(best[place].scoring(other.score) for place, other in zip(order, best, strict=True)), *others]


def _successors(
    placed: Sequence[Ranked], found: Candidates, scores: Scores, *, context: RankingContext
) -> list[Ranked]:
    """What replaced a hit and was not found itself, for it is often told in other words: as relevant as the hit.

    Only what passes the filters of the search.
    """
    shown = {each.identity for each in placed}
    wanted = {newer: each for each in reversed(placed) for newer in each.superseded_by if newer not in shown}
    items = memory.hydrate(list(search.passing(list(wanted), found.limits)), as_of=context.as_of)
    rows = {found.unit_id(row): row for row in np.flatnonzero(found.units.session < 0).tolist()} if items else {}
    return [
        _successor(item, wanted[item.id], rows.get(item.id), scores, context=context)
        for item in items.values()
        if _passes(item, context.filter)
    ]


def _successor(item: ItemView, replaced: Ranked, row: int | None, scores: Scores, *, context: RankingContext) -> Ranked:
    relevance = max(replaced.fused.relevance, float(scores.score[row]) if row is not None else 0.0)
    lead = Scored(Unit.ITEM, item.id, relevance, replaced.fused.lead.row if row is None else row)
    factors = ranking.modifiers(_aspects(item, context), context.asking, multipliers=context.multipliers)
    return Ranked(Fused(lead, relevance, lead), factors, item, NO_STATE)


def _current_first(placed: Sequence[Ranked]) -> list[Ranked]:
    by_id = {each.identity: each for each in placed}
    replaced_by = {each.identity: _ahead_of(each, by_id) for each in placed}
    return [by_id[each] for each in trust.current_first(list(by_id), replaced_by=replaced_by)]


def _ahead_of(hit: Ranked, by_id: Mapping[UUID, Ranked]) -> list[UUID]:
    """What belongs in front of a hit: what replaced it, and what probably did where that answers nearly as well."""
    enough = DOUBT_SHARE * hit.score
    probably = [newer for newer in hit.doubted_by if newer in by_id and by_id[newer].score >= enough]
    return [*hit.superseded_by, *probably]


def _scored(found: Candidates, scores: Scores, row: int) -> Scored:
    return Scored(
        found.unit[row],
        found.unit_id(row),
        float(scores.score[row]),
        row,
        length=int(found.units.length[row]),
        asks=bool(found.asks[row]),
    )


def _own_episodes(
    items: Iterable[ItemView], found: Candidates, scores: Scores, *, known: Collection[UUID]
) -> list[Scored]:
    """The candidates that items came from, however low they score: an item is weighed by its episode."""
    wanted = {source.resource_id.bytes for item in items for source in item.sources} - {each.bytes for each in known}
    if not wanted:
        return []
    rows = (row for row, packed in enumerate(found.packed_unit_ids) if packed.tobytes() in wanted)
    return [_scored(found, scores, row) for row in rows]


def hits(
    placed: Sequence[Ranked], *, query: str, limit: int, found: Candidates, scores: Scores, context: RankingContext
) -> list[Hit]:
    """Fetch the words and sources of the first `limit` hits that say something: not the query itself, nothing twice."""
    shown = _worded(placed[: limit + SPARE], query=query, found=found, scores=scores, context=context)
    return [replace(hit, rank=rank) for rank, hit in enumerate(shown[:limit], start=1)]


def _worded(
    placed: Sequence[Ranked], *, query: str, found: Candidates, scores: Scores, context: RankingContext
) -> list[Hit]:
    episodes = resources.sources([episode.id for each in placed for episode in each.fused.episodes])
    owners = {each.item.agent_id for each in placed if each.item} | {said.agent_id for said in episodes.values()}
    agents = tenants.agent_slugs(owners)
    said: dict[str, Hit | None] = {normalised(query): None}
    for each in placed:
        hit = _hit(each, episodes=episodes, agents=agents, found=found, scores=scores, context=context)
        words = normalised(hit.text)
        known = said.get(words)
        if known is not None:
            said[words] = _joined(known, hit)
        else:
            said.setdefault(words, hit)
    return [hit for hit in said.values() if hit is not None]


def _joined(hit: Hit, other: Hit) -> Hit:
    """One hit of two that say the same: with the sources of both."""
    known = {source.resource_id for source in hit.sources}
    return replace(hit, sources=(*hit.sources, *(s for s in other.sources if s.resource_id not in known)))


def _best_rows(scores: Scores, allowed: NDArray[np.intp], *, limit: int) -> list[int]:
    """The places worth looking up for `limit` hits, by falling score."""
    ordered = allowed[np.argsort(-scores.score[allowed], kind="stable")]
    return [int(place) for place in ordered[: max(LOOKED_UP_PER_HIT * limit, LOOKED_UP_AT_LEAST)]]


def _gone(
    scored: Iterable[Scored],
    items: Mapping[UUID, ItemView],
    states: Mapping[UUID, EpisodeState],
    context: RankingContext,
) -> list[UUID]:
    """Units that may not answer: what vanished since the search, what the filter on items excludes, spent episodes."""
    gone = []
    for unit in scored:
        if unit.unit is Unit.ITEM:
            item = items.get(unit.id)
            if item is None or not _passes(item, context.filter):
                gone.append(unit.id)
        elif (states.get(unit.id, NO_STATE).all_gone and not context.is_historical) or (
            unit.unit is Unit.EPISODE and unit.asks
        ):
            gone.append(unit.id)
    return gone


def _passes(item: ItemView, wanted: Filter) -> bool:
    return (
        item.verdict in wanted.verdicts
        and (wanted.statuses is None or item.status in wanted.statuses)
        and (wanted.minimum_confidence is None or item.confidence >= wanted.minimum_confidence)
    )


def _placed(
    fused: Fused,
    items: Mapping[UUID, ItemView],
    states: Mapping[UUID, EpisodeState],
    *,
    found: Candidates,
    context: RankingContext,
) -> Ranked:
    item = items.get(fused.item.id) if fused.item else None
    recorded_at = _utc(found.recorded_at[fused.lead.row])
    own = states.get(fused.episodes[0].id, NO_STATE) if fused.episodes else NO_STATE
    if item:
        aspects = _aspects(item, context)
    else:
        aspects = Aspects(recorded_at, decay_lambda=context.policy.message_decay_lambda)
    factors = ranking.modifiers(aspects, context.asking, multipliers=context.multipliers)
    return Ranked(fused, factors, item, own)


def _aspects(item: ItemView, context: RankingContext) -> Aspects:
    rule = context.rules.get(item.category)
    return Aspects(
        recorded_at=item.recorded_at,
        last_confirmed_at=item.last_confirmed_at,
        decay_lambda=rule.decay_lambda if rule else context.policy.message_decay_lambda,
        category=item.category,
        status=item.status,
        sentiment=item.sentiment,
        retrieval_priority=item.retrieval_priority,
    )


def _surer_first(placed: Sequence[Ranked]) -> list[Ranked]:
    contradicts = {
        each.item.id: each.item.contradicted_by for each in placed if each.item and each.item.contradicted_by
    }
    if not contradicts:
        return list(placed)
    by_id = {each.identity: each for each in placed}
    confidence = {each.item.id: each.item.confidence for each in placed if each.item}
    ordered = trust.surer_first(list(by_id), contradicts=contradicts, confidence=confidence)
    return [by_id[each] for each in trust.side_by_side(ordered, contradicts=contradicts)]


def _hit(
    ranked: Ranked,
    *,
    episodes: Mapping[UUID, MessageSource],
    agents: Mapping[UUID, str],
    found: Candidates,
    scores: Scores,
    context: RankingContext,
) -> Hit:
    fused, item = ranked.fused, ranked.item
    row = fused.lead.row
    shown = item if item and fused.lead.unit is Unit.ITEM else None
    event_time = item.event_time if item else _event_time(found, row)
    said_at = item.said_at if item else event_time or _utc(found.recorded_at[row])
    return Hit(
        rank=0,
        unit=fused.lead.unit,
        id=fused.lead.id,
        text=shown.text if shown else unmarked(_said(episodes.get(fused.lead.id), context.policy)),
        score=ranked.score,
        probability=float(scores.probability[row]),
        relevance=_relevance(scores, ranked, context),
        lead_in=shown.lead_in if shown else "",
        slot=shown.slot if shown else NO_SLOT,
        scores=_scores(scores, row, ranked.factors),
        item_id=item.id if item else None,
        episode_id=fused.episodes[0].id if fused.episodes else None,
        category=item.category if item else found.category[row],
        service=item.service if item else "",
        confidence=shown.confidence if shown else None,
        age_days=max((context.asking.now - said_at).total_seconds() / 86_400, 0.0),
        event_time=event_time,
        tags=_tags(shown, context) if shown else _episode_tags(item, ranked.state),
        sources=_sources(fused, item, episodes, context),
        current_fact_ids=ranked.state.superseded_by,
        is_shared=item is not None and item.visibility is Visibility.SHARED,
        said_by=_said_by(item, episodes.get(fused.lead.id), agents),
        said_at=said_at,
        confirmed_at=item.last_confirmed_at if item else None,
        verdict=shown.verdict if shown else None,
        voice=shown.voice if shown else _voice(episodes.get(fused.lead.id)),
    )


def _voice(episode: MessageSource | None) -> Voice:
    return CALLER if episode is None else Voice(episode.role, episode.speaker or "")


def _relevance(scores: Scores, ranked: Ranked, context: RankingContext) -> Relevance:
    return Relevance.HIGH if scores.probability[ranked.rows].max() >= context.sure_from else Relevance.LOW


def _said_by(item: ItemView | None, episode: MessageSource | None, agents: Mapping[UUID, str]) -> str | None:
    owner = item or episode
    return agents.get(owner.agent_id) if owner else None


def _episode_tags(item: ItemView | None, state: EpisodeState) -> tuple[TrustTag, ...]:
    """An episode that answers for an item is in doubt as the item is: what is contradicted, and what was replaced."""
    return trust.doubts(
        is_contradicted=bool(item and item.contradicted_by),
        is_superseded=bool(state.superseded_by),
        is_doubted=bool(state.doubted_by),
    )


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
        graph=_share(scores.graph, scores.proximity, row),
        time=_share(scores.time, scores.window, row),
        decay=factors.decay,
        stale=factors.stale,
        priority=factors.priority,
        sentiment=factors.sentiment,
        domain=factors.domain,
    )


def _share(contributed: NDArray[np.float64], found: NDArray[np.float64] | None, row: int) -> float | None:
    """What an arm added to a score; None where it did not find the unit."""
    return float(contributed[row]) if found is not None and found[row] > 0 else None


def _tags(item: ItemView, context: RankingContext) -> tuple[TrustTag, ...]:
    """As of a moment in the past nothing was told yet of what came later."""
    now = context.as_of or context.asking.now
    return item_tags(item, context.rules.get(item.category), policy=context.policy, now=now)


def item_tags(item: ItemView, rule: CategoryRule | None, *, policy: Policy, now: datetime) -> tuple[TrustTag, ...]:
    """The warnings an item carries; `rule` is its category's."""
    known = trust.TrustEvidence(
        confidence=item.confidence,
        strength=item.strength,
        sources=len(item.sources),
        confirmed_at=max(item.recorded_at, item.last_confirmed_at or item.recorded_at),
        ttl_days=rule.ttl_days if rule else None,
        is_contradicted=bool(item.contradicted_by),
        is_superseded=item.valid_until is not None and item.valid_until <= now,
        is_doubted=bool(item.doubted_by),
    )
    return trust.tags(known, now=now, uncertain_below=policy.uncertain_below)


def _said(episode: MessageSource | None, policy: Policy) -> str:
    return resources.safe(episode.text, policy) if episode else ""


def quoted(source: SourceView) -> HitSource:
    """A source of an item, with the words it rests on."""
    return HitSource(source.resource_id, source.external_id, source.role, source.speaker, source.said_at, source.quote)


def _sources(
    fused: Fused, item: ItemView | None, episodes: Mapping[UUID, MessageSource], context: RankingContext
) -> tuple[HitSource, ...]:
    """The folded episodes first, best first, then the item's other sources; each once, none that was still to come."""
    named = {}
    for said in (episodes[episode.id] for episode in fused.episodes if episode.id in episodes):
        named[said.resource_id] = HitSource(
            said.resource_id, said.external_id, said.role, said.speaker, said.said_at, _said(said, context.policy)
        )
    for source in item.sources if item else ():
        named.setdefault(source.resource_id, quoted(source))
    return tuple(source for source in named.values() if context.as_of is None or source.said_at <= context.as_of)
