"""Counting what other numbers would make of what is held."""

import copy
from dataclasses import replace

from apps.core import scope
from apps.memory.services import simulating
from apps.memory.services.ageing import Ages
from apps.tenants import selectors as tenants
from apps.tenants import services, trying
from apps.tenants.trying import TriedNumbers
from tests.apps.maintenance.conftest import NOW


def counted(memory, **policy) -> dict[str, tuple[int, int]]:
    with scope.enter(memory.worker):
        was = Ages.at(NOW)
        changed = copy.copy(was.policy)
        for name, value in policy.items():
            setattr(changed, name, value)
        return {each.step: (each.now, each.then) for each in simulating.reage(was, replace(was, policy=changed))}


def test_what_would_be_stale_is_counted_with_both_numbers(memory):
    memory.hold("a", days=40)
    memory.hold("b", days=100)

    assert counted(memory, stale_after_days=30)["stale"] == (1, 2)
    assert counted(memory, stale_after_days=120)["stale"] == (1, 0)


def test_what_a_shorter_ttl_would_archive_is_counted(memory):
    memory.hold("a", days=40)
    memory.hold("b", days=400)
    with scope.enter(memory.worker):
        was = Ages.at(NOW)
        rules = tuple(replace(rule, ttl_days=30) if rule.slug == "health" else rule for rule in was.rules)
        found = {each.step: (each.now, each.then) for each in simulating.reage(was, replace(was, rules=rules))}

    assert found["expired"] == (1, 2)


def test_no_ttl_that_is_tried_ends_what_is_protected(memory):
    memory.hold("a", days=400)
    with scope.enter(memory.worker):
        services.edit_category(tenants.category("health"), {"protected": True})
        was = Ages.at(NOW)
        rules = trying.rules_with(was.rules, TriedNumbers(categories={"health": {"ttl_days": 30}}))
        found = {each.step: (each.now, each.then) for each in simulating.reage(was, replace(was, rules=rules))}

    assert found["expired"] == (0, 0)
