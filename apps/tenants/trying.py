"""Numbers to try: a policy and its categories as they would be with others, which nobody saves."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.model import CategoryRule


@dataclass(frozen=True, slots=True)
class TriedNumbers:
    """Other numbers of a policy, and choices, by their names there, of its categories by slug and name; what is absent
    stays.
    """

    policy: Mapping[str, float | str] = field(default_factory=dict)
    categories: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def policy_with(policy: Policy, numbers: TriedNumbers) -> Policy:
    """A copy with these numbers. Raises Invalid for thresholds that cross."""
    changed = copy.copy(policy)
    for name, value in numbers.policy.items():
        setattr(changed, name, value)
    if changed.gate_discard_below > changed.gate_allow_above:
        raise Invalid("gateDiscardBelow lies above gateAllowAbove.", field="policy.gate_discard_below")
    return changed


def rules_with(rules: Sequence[CategoryRule], numbers: TriedNumbers) -> tuple[CategoryRule, ...]:
    """The rules with these numbers; what is protected never expires. Raises Invalid for a category there is not."""
    if unknown := numbers.categories.keys() - {rule.slug for rule in rules}:
        raise Invalid(f"There is no category {min(unknown)!r}.", field="policy.categories.slug")
    return tuple(_rule_with(rule, numbers.categories.get(rule.slug, {})) for rule in rules)


def _rule_with(rule: CategoryRule, numbers: Mapping[str, Any]) -> CategoryRule:
    changed = replace(rule, **numbers)
    return replace(changed, ttl_days=rule.ttl_days) if rule.protected else changed
