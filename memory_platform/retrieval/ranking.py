"""Ranking: what multiplies relevance once it has passed the floor (DESIGN 6, final score)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_platform.lifecycle.decay import recency
from memory_platform.model import Sentiment, Status


@dataclass(frozen=True, slots=True)
class Multipliers:
    """The tenant's numbers; the defaults are Policy's."""

    stale: float = 0.5
    off_domain: float = 0.7
    sentiment: float = 1.05
    priority_clamp: float = 0.3
    least_recency: float = 0.25


@dataclass(frozen=True, slots=True)
class Aspects:
    """What ranking looks at in a hit. An episode has no category, status, sentiment or priority: the defaults.

    `recorded_at` is since when it is believed, so when it was said, however late it was imported.
    """

    recorded_at: datetime
    last_confirmed_at: datetime | None = None
    decay_lambda: float = 0.01
    category: str = ""
    status: Status = Status.ACTIVE
    sentiment: Sentiment = Sentiment.NEUTRAL
    retrieval_priority: float = 0.0


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and when. `domain` is the category the agent is at home in; `ages` is Plan.ages."""

    now: datetime
    domain: str = ""
    sentiment: Sentiment = Sentiment.NEUTRAL
    ages: bool = True


@dataclass(frozen=True, slots=True)
class Modifiers:
    """One factor each, 1 where it does not apply."""

    decay: float = 1.0
    stale: float = 1.0
    domain: float = 1.0
    sentiment: float = 1.0
    priority: float = 1.0

    @property
    def product(self) -> float:
        return self.decay * self.stale * self.domain * self.sentiment * self.priority


DEFAULT_MULTIPLIERS: Final = Multipliers()


def modifiers(aspects: Aspects, asking: Asking, *, multipliers: Multipliers = DEFAULT_MULTIPLIERS) -> Modifiers:
    """Return the factors of exp(−λ·days) × stale × off-domain × sentiment match × (1 + clamped priority)."""
    since = max(aspects.recorded_at, aspects.last_confirmed_at or aspects.recorded_at)
    is_off_domain = bool(asking.domain and aspects.category) and aspects.category != asking.domain
    feels_alike = aspects.sentiment is asking.sentiment and asking.sentiment is not Sentiment.NEUTRAL
    bound, least = multipliers.priority_clamp, multipliers.least_recency
    aged = recency(since=since, now=asking.now, decay_lambda=aspects.decay_lambda, least=least)
    return Modifiers(
        decay=aged if asking.ages else 1.0,
        stale=multipliers.stale if aspects.status is Status.STALE else 1.0,
        domain=multipliers.off_domain if is_off_domain else 1.0,
        sentiment=multipliers.sentiment if feels_alike else 1.0,
        priority=1.0 + min(max(aspects.retrieval_priority, -bound), bound),
    )
