"""What an item's confidence is worth at a moment: its base, its category's curve and the clock."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Self

from django.db.models import Case, DurationField, ExpressionWrapper, F, FloatField, Func, Q, Value, When
from django.db.models.functions import Exp, Greatest, Power

from apps.memory.models import Item
from apps.tenants.models import Policy
from memory_platform.lifecycle import decay
from memory_platform.lifecycle.decay import Curve
from memory_platform.model import CategoryRule, Retention

# PostgreSQL refuses what Python rounds to 0: an exponential, or a product, smaller than any number. So neither factor
# is less than 1e-100.
_LEAST: Final = 1e-100
_LEAST_EXPONENT: Final = -230.0


@dataclass(frozen=True, slots=True)
class Confidence:
    """The tenant's curves at `now`, by category; unknown categories follow `usual`."""

    now: datetime
    curves: dict[str, Curve]
    usual: Curve
    ttl_days: dict[str, int | None]

    @classmethod
    def at(cls, now: datetime, policy: Policy, rules: Iterable[CategoryRule]) -> Self:
        known = list(rules)
        curves = {rule.slug: _curve(rule.retention, policy) for rule in known}
        return cls(now, curves, _curve(Retention.EBBINGHAUS, policy), {rule.slug: rule.ttl_days for rule in known})

    def when(self, moment: datetime) -> Self:
        """The same at an earlier moment; what was imported is weighed when it was said."""
        return replace(self, now=min(self.now, moment))

    def effective(self, item: Item) -> float:
        return self.value(item.confidence, item.reinforced_at, item.category, is_protected=item.protected)

    def changed(self, item: Item, delta: float) -> float:
        """The new base when `delta` is added now; set `reinforced_at` with it."""
        return decay.reinforce(self.effective(item), delta)

    def repeated(self, item: Item, delta: float, worth: float) -> float:
        """The new base when what is worth `worth` by itself says the same and adds `delta`.

        What is said again does not count for less than when it was said first, however long ago that was.
        """
        return max(self.changed(item, delta), min(item.confidence, worth))

    def value(self, base: float, since: datetime, category: str, *, is_protected: bool) -> float:
        curve = self.curves.get(category, self.usual)
        return decay.effective_confidence(base, since=since, now=self.now, curve=curve, is_protected=is_protected)

    def expression(self) -> Case:
        """`effective` in SQL, over rows of Item."""
        age = ExpressionWrapper(Value(self.now) - F("reinforced_at"), output_field=DurationField())
        # EXTRACT is a numeric, whose powers and exponentials take PostgreSQL ten times as long as those of a double.
        seconds = Func(Value("epoch"), age, function="date_part", output_field=FloatField())
        days = Greatest(seconds / 86_400.0, 0.0, output_field=FloatField())
        late = Greatest(days - self.usual.grace_days, 0.0, output_field=FloatField())
        return Case(
            When(Q(protected=True) | Q(category__in=self._following(Retention.NONE)), then=F("confidence")),
            When(
                category__in=self._following(Retention.OPERATIONAL),
                then=Greatest(F("confidence") - self.usual.weekly_loss * late / 7, 0.0),
            ),
            default=Greatest(F("confidence"), _LEAST, output_field=FloatField())
            * Exp(Greatest(-self.usual.rate * Power(days, self.usual.power), _LEAST_EXPONENT)),
            output_field=FloatField(),
        )

    def _following(self, retention: Retention) -> list[str]:
        return [slug for slug, curve in self.curves.items() if curve.retention is retention]

    def expires_at(self, category: str, recorded_at: datetime, last_confirmed_at: datetime | None) -> datetime | None:
        """When the TTL runs out that starts with the last confirmation."""
        days = self.ttl_days.get(category)
        return None if days is None else (last_confirmed_at or recorded_at) + timedelta(days=days)


def _curve(retention: Retention, policy: Policy) -> Curve:
    return Curve(
        retention=retention,
        rate=policy.ebbinghaus_rate,
        power=policy.ebbinghaus_power,
        grace_days=policy.operational_grace_days,
        weekly_loss=policy.operational_weekly_loss,
    )
