"""What a change of a category would archive, told before it is saved; what is protected, whatever its numbers say."""

import pytest

from apps.core import scope
from apps.core.paging import PageRequest
from apps.erasure import services as erasure
from apps.journal.models import Entry
from apps.maintenance import previewing
from apps.memory import selectors
from apps.memory.models import Item, ItemVersion
from apps.memory.services import ageing
from apps.memory.services.ageing import Ages
from apps.tenants import selectors as tenants
from apps.tenants import services
from memory_platform.errors import Invalid
from memory_platform.model import FiledBy
from tests.apps.maintenance.conftest import NOW, STALE


def edit(memory, slug, **changes):
    with scope.enter(memory.worker):
        return services.edit_category(tenants.category(slug), changes)


def preview(memory, slug, *, samples=10, **changes):
    with scope.enter(memory.worker):
        return previewing.preview(tenants.category(slug), changes, samples=samples)


def test_a_shorter_ttl_names_what_it_would_archive_and_changes_nothing(memory):
    old = [memory.hold(f"work of {days}", days=days, category="work") for days in (80, 40, 31)]
    memory.hold("young", days=29, category="work")
    memory.hold("of another category", days=80, category="health")
    memory.hold("would go anyway", days=91, category="work")

    told = preview(memory, "work", ttl_days=30)

    assert (told.items, told.archived, told.spared) == (5, 3, 0)
    assert (told.archived_sample, told.changed) == (tuple(old), ("ttl_days",))
    assert [(step.step, step.now, step.then) for step in told.steps] == [
        ("expired", 1, 4),
        ("pruned", 1, 1),
        ("decayed", 0, 0),
    ]
    assert memory.status(*old) == ["active"] * 3
    assert memory.run()["expired"] == 1


def test_what_would_be_erased_for_good_is_told_before_it_is_saved(memory):
    old = [memory.hold(f"work of {days}", days=days, category="work") for days in (9, 8)]
    memory.hold("young", days=6, category="work")
    memory.hold("of another category", days=80, category="health")

    told = preview(memory, "work", erase_after_days=7)
    unchanged, ended = preview(memory, "work", ttl_days=30), preview(memory, "work", erase_after_days=None)

    assert (told.erased.memories, told.erased.along, told.erased.sample) == (2, 0, tuple(old))
    assert (unchanged.erased, ended.erased) == (None, None)
    with scope.enter(memory.worker):
        assert erasure.due() == 0
    edit(memory, "work", erase_after_days=7)
    assert memory.run()["erased"] == 2


def test_what_the_preview_counts_is_what_the_next_run_archives(memory):
    for days in (95, 80, 40, 31, 10):
        memory.hold(f"work of {days}", days=days, category="work")
    told = preview(memory, "work", ttl_days=30)
    edit(memory, "work", ttl_days=30)

    assert memory.run()["expired"] == told.archived + told.steps[0].now == 4


def test_a_longer_ttl_and_protection_name_what_they_would_spare(memory):
    old = memory.hold("old", days=91, category="work")

    for changes in ({"ttl_days": 120}, {"ttl_days": None, "retention": "none"}, {"protected": True}):
        told = preview(memory, "work", **changes)
        assert (told.archived, told.spared, told.spared_sample) == (0, 1, (old,)), changes


def test_a_lifetime_ends_what_never_fades_and_protection_holds_it(memory):
    old = memory.hold("old", days=31, category="work")

    assert preview(memory, "work", ttl_days=30, retention="none").archived_sample == (old,)
    assert preview(memory, "work", ttl_days=30, retention="none", protected=True).archived == 0
    edit(memory, "work", ttl_days=30, retention="none")
    assert memory.run()["expired"] == 1
    assert memory.status(old) == ["archived expired"]


def test_a_sample_is_as_large_as_asked_and_no_change_archives_nothing(memory):
    for number in range(5):
        memory.hold(f"work {number}", days=50, category="work")

    assert len(preview(memory, "work", ttl_days=30, samples=2).archived_sample) == 2
    assert preview(memory, "work", ttl_days=30, samples=0).archived == 5
    told = preview(memory, "work", ttl_days=90)
    assert (told.archived, told.changed) == (0, ())


@pytest.mark.parametrize(
    "changes", [{"ttl_days": 0}, {"ttl_days": 36_501}, {"decay_lambda": -1.0}, {"retention": "gone"}, {"label": ""}]
)
def test_a_preview_refuses_what_could_not_be_saved(memory, changes):
    with pytest.raises(Invalid) as refused:
        preview(memory, "work", **changes)
    assert refused.value.field == next(iter(changes))


@pytest.mark.parametrize(
    "rule",
    [ageing.EXPIRED, ageing.PRUNED, ageing.STALE, ageing.FORGOTTEN, ageing.DECAYED],
    ids=lambda rule: rule.operation,
)
def test_no_step_touches_what_is_in_a_protected_category(memory, rule):
    """Each in the category whose memories the step is for."""
    slug = "operations" if rule is ageing.DECAYED else "work"
    status = STALE if rule is ageing.FORGOTTEN else "active"
    item = memory.hold("due", days=1_000, used=900, category=slug, status=status, confidence=0.3)
    with scope.enter(memory.worker):
        assert ageing.count_due(rule, Ages.at(NOW)) == 1
    edit(memory, slug, protected=True)

    with scope.enter(memory.worker):
        assert ageing.count_due(rule, Ages.at(NOW)) == 0
    memory.run()
    memory.run("weekly")

    assert memory.status(item) == [status]
    with scope.enter(memory.worker):
        view = selectors.item(item)
    assert (view.confidence, view.expires_at) == (0.3, None)


def test_weak_names_what_fades_and_nothing_that_cannot(memory):
    fading = memory.hold("fading", days=100, category="work")
    memory.hold("confirmed", days=100, category="work", protected=True, confidence=0.2)
    memory.hold("a rule", days=100, category="rules-conventions", confidence=0.2)
    memory.hold("kept", days=100, category="projects", confidence=0.2)
    edit(memory, "projects", protected=True)

    with scope.enter(memory.worker):
        assert [row.id for row in selectors.weak(page=PageRequest()).rows] == [fading]


def test_an_edit_is_journalled_with_what_was_and_is(memory):
    edit(memory, "work", ttl_days=30, keywords=["office"], examples=["I work in Oslo", "My boss is Ida"])

    with scope.enter(memory.worker):
        entry = Entry.objects.get(operation="category.changed")
    assert entry.data["changes"]["ttl_days"] == {"was": 90, "is": 30}
    assert entry.data["changes"]["keywords"]["is"] == ["office"]
    assert entry.data["changes"]["examples"] == {"was": None, "is": 2}
    assert entry.data["taxonomy_version"] == 2


def test_what_is_as_it_was_is_no_edit(memory):
    edit(memory, "work", ttl_days=90)

    with scope.enter(memory.worker):
        assert not Entry.objects.filter(operation="category.changed").exists()
        assert tenants.taxonomy_version(memory.tenant_id, fresh=True) == 1


def test_each_month_what_an_older_taxonomy_filed_is_filed_anew(memory):
    moved = memory.hold("Rex is a spaniel", category="other", filed_by=FiledBy.EXAMPLES.value)
    given = memory.hold("The spaniel is at work", category="work", filed_by=FiledBy.GIVEN.value)
    with scope.enter(memory.worker):
        services.create_category(services.Category(slug="pets", label="Pets", keywords=["spaniel"]))

    assert memory.run("monthly", dry_run=True)["refiled"] == 1
    assert memory.run("monthly")["refiled"] == 1

    with scope.enter(memory.worker):
        found = {row.id: (row.category, row.filed_by, row.taxonomy_version) for row in Item.objects.all()}
        versions = ItemVersion.objects.filter(operation="refiled").values_list("item_id", "before", "after")
        assert list(versions) == [(moved, {"category": "other"}, {"category": "pets"})]
    assert found == {moved: ("pets", "keywords", 2), given: ("work", "given", 1)}
    assert memory.run("monthly")["refiled"] == 0
