"""Many rows set by one statement, whatever their columns hold."""

from datetime import UTC, datetime

from apps.core import rows
from apps.core.scope import tenant_scope
from apps.tenants import services
from apps.tenants.models import Agent

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def test_each_row_gets_its_own_values_and_the_others_keep_theirs(make_tenant):
    tenant = make_tenant()
    with tenant_scope(tenant.id):
        librarian, gardener, _ = (services.create_agent(slug=slug) for slug in ("librarian", "gardener", "cook"))
        values = [{"id": each.id, "name": f"The {each.slug}", "created_at": WHEN} for each in (librarian, gardener)]

        assert rows.update(Agent, values, tenant_id=tenant.id) == {librarian.id, gardener.id}

        stored = set(Agent.objects.filter(created_at=WHEN).values_list("slug", "name"))
        assert stored == {("librarian", "The librarian"), ("gardener", "The gardener")}


def test_a_column_may_be_computed_of_what_was_and_what_is_new_where_a_condition_holds(make_tenant):
    tenant = make_tenant()
    with tenant_scope(tenant.id):
        busy = services.create_agent(slug="busy", writes_per_minute=60)
        idle = services.create_agent(slug="idle", writes_per_minute=1)
        services.create_agent(slug="other", writes_per_minute=60)

        told = rows.update(
            Agent,
            [{"id": each.id, "writes_per_minute": 5} for each in (busy, idle)],
            tenant_id=tenant.id,
            computed={"writes_per_minute": "stored.writes_per_minute + new.writes_per_minute"},
            where="stored.writes_per_minute > 10 OR stored.slug = 'other'",
            returning="slug",
        )

        assert told == {"busy"}
        assert dict(Agent.objects.values_list("slug", "writes_per_minute")) == {"busy": 65, "idle": 1, "other": 60}


def test_nothing_to_set_asks_nothing(make_tenant, django_assert_num_queries):
    tenant = make_tenant()
    with tenant_scope(tenant.id), django_assert_num_queries(0):
        assert rows.update(Agent, [], tenant_id=tenant.id) == set()
