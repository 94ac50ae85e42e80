"""How confidence and relevance age. Computed from the stored base and the clock, never written back."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memory_platform.model import Retention

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Curve:
    """How a category forgets; the defaults are Policy's.

    EBBINGHAUS: c·exp(−rate·days^power). OPERATIONAL: c until `grace_days`, then −`weekly_loss` a week, linearly.
    NONE: c, however long ago.
    """

    retention: Retention = Retention.EBBINGHAUS
    rate: float = 0.1
    power: float = 0.8
    grace_days: float = 30
    weekly_loss: float = 0.1


def days_between(since: datetime, now: datetime) -> float:
    """Days from `since` to `now`, 0 when `since` lies ahead (clocks of two servers differ)."""
    return max(0.0, (now - since) / _DAY)


def effective_confidence(
    base: float, *, since: datetime, now: datetime, curve: Curve | None = None, is_protected: bool = False
) -> float:
    """What is left at `now` of the confidence `base` had at `since` (the last access or reinforcement), 0..1."""
    curve = curve or Curve()
    if is_protected or curve.retention is Retention.NONE:
        return base
    days = days_between(since, now)
    if curve.retention is Retention.OPERATIONAL:
        return max(0.0, base - curve.weekly_loss * max(0.0, days - curve.grace_days) / 7)
    return base * math.exp(-curve.rate * days**curve.power)


def reinforce(effective: float, delta: float) -> float:
    """The new base after `delta` (may be negative) is added to the effective confidence; the clock restarts with it."""
    return min(1.0, max(0.0, effective + delta))


def recency(*, since: datetime, now: datetime, decay_lambda: float, least: float = 0.25) -> float:
    """Score multiplier exp(−λ·days) since the later of recorded_at and last_confirmed_at, `least` (Policy's
    least_recency) at least.

    At .25 and λ = 0.01 only relevance decides of history older than 139 days; without a bound three years would weigh
    0.00002, more than any evidence can.
    """
    return max(least, math.exp(-decay_lambda * days_between(since, now)))


def access_bonus(accesses: int, *, bonus: float = 0.05, scale: float = 20) -> float:
    """What `accesses` accesses have added to the confidence in total: bonus·ln(1 + n/scale)."""
    return bonus * math.log1p(accesses / scale)


def is_past_ttl(*, since: datetime, now: datetime, ttl_days: float | None) -> bool:
    """Whether `ttl_days` have passed since the last confirmation; None never expires."""
    return ttl_days is not None and now - since > ttl_days * _DAY
