import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from apps.core.scope import tenant_scope
from apps.journal.models import Entry
from apps.tenants import selectors, services
from apps.tenants.access import System
from apps.tenants.models import Category, Membership, Policy
from apps.tenants.taxonomy import starting_categories
from memory_platform.errors import Conflict, Invalid


def test_a_tenant_starts_with_the_policy_and_the_categories_of_the_deployment(tenant):
    with tenant_scope(tenant.id):
        rules = {rule.slug: rule for rule in selectors.category_rules(tenant.id)}
        assert selectors.policy(tenant.id).writes_per_minute == 60

    assert set(rules) == {seed.slug for seed in starting_categories()}
    assert len(rules) == 18
    assert [rules[slug].ttl_days for slug in ("work", "preferences", "health", "hobbies", "relationships")] == [
        90,
        180,
        365,
        60,
        180,
    ]
    assert rules["remediation"].operational
    assert not rules["work"].operational


def test_a_slug_is_taken_once(tenant):
    with pytest.raises(Conflict):
        services.create_tenant(slug=tenant.slug, name="again")


def test_an_agents_slug_is_taken_once_in_a_tenant(tenant, agent):
    with tenant_scope(tenant.id), pytest.raises(Conflict):
        services.create_agent(slug=agent.slug)


def test_what_is_no_slug_is_refused(tenant):
    with tenant_scope(tenant.id), pytest.raises(Invalid) as refused:
        services.create_agent(slug="no slug!")
    assert refused.value.field == "slug"


def test_a_changed_number_is_seen_at_once_and_journalled_with_what_it_was(tenant):
    with tenant_scope(tenant.id):
        selectors.policy(tenant.id)
        services.change(Policy.objects.get(tenant_id=tenant.id), {"lean_limit": 4})

        assert selectors.policy(tenant.id).lean_limit == 4
        entry = Entry.objects.get(tenant_id=tenant.id, operation="policy.changed")
        assert entry.data == {"changes": {"lean_limit": {"was": 3, "is": 4}}}


def test_a_number_out_of_its_range_is_refused(tenant):
    with tenant_scope(tenant.id):
        with pytest.raises(Invalid) as refused:
            services.change(Policy.objects.get(tenant_id=tenant.id), {"gate_allow_above": 1.5})
        assert refused.value.field == "gate_allow_above"
        assert Policy.objects.get(tenant_id=tenant.id).gate_allow_above == 0.45


def test_a_category_can_be_added(tenant):
    with tenant_scope(tenant.id):
        services.create_category(Category(slug="pets", label="Pets", keywords=["cat"], ttl_days=30))

        assert "pets" in {rule.slug for rule in selectors.category_rules(tenant.id)}


def test_a_member_sees_the_tenants_they_belong_to_and_a_superuser_all(make_tenant):
    mine, other = make_tenant(), make_tenant()
    member = User.objects.create_user(f"member-{mine.slug}")
    root = User.objects.create_superuser(f"root-{mine.slug}")
    with tenant_scope(mine.id):
        services.add_member(user_id=member.pk, role=Membership.Role.ADMIN, by=System(mine.id))

    assert [(held.id, held.role) for held in selectors.member_tenants(member.pk)] == [(mine.id, "admin")]
    assert {mine.id, other.id} <= {held.id for held in selectors.member_tenants(root.pk)}


def test_an_inactive_login_has_no_tenants(tenant):
    gone = User.objects.create_user(f"gone-{tenant.slug}", is_active=False)
    with tenant_scope(tenant.id):
        services.add_member(user_id=gone.pk, by=System(tenant.id))

    assert selectors.member_tenants(gone.pk) == []


@pytest.mark.usefixtures("database")
def test_the_first_tenant_is_created_once_and_its_key_works():
    first = _run("create_first_tenant", "--json")
    again = _run("create_first_tenant", "--json")

    if first["created"]:  # another test of this session may have been first
        assert selectors.authenticate(first["api_key"]).agent_slug == "assistant"
        if first["admin_password"] is not None:  # nor is its administrator made twice
            assert User.objects.get(username="admin").check_password(first["admin_password"])
    assert again == {"created": False, "tenant": "default"}


def test_another_tenant_is_created_by_command(tenant):
    made = _run("create_tenant", f"{tenant.slug}-two", "--agent", "scribe")

    assert selectors.authenticate(made["api_key"]).agent_slug == "scribe"
    with pytest.raises(CommandError, match="exists already"):
        _run("create_tenant", tenant.slug)


def _run(*command):
    out = StringIO()
    call_command(*command, stdout=out)
    return json.loads(out.getvalue())


def test_each_edit_of_the_categories_is_a_version_of_the_taxonomy(tenant):
    with tenant_scope(tenant.id):
        assert selectors.taxonomy_version(tenant.id) == 1
        pets = services.create_category(Category(slug="pets", label="Pets", keywords=["cat"]))
        assert (pets.taxonomy_version, selectors.taxonomy_version(tenant.id)) == (2, 2)
        work = Category.objects.get(tenant_id=tenant.id, slug="work")
        services.edit_category(work, {"keywords": ["office"]})
        services.edit_category(pets, {"ttl_days": 10})

        versions = dict(Category.objects.filter(tenant_id=tenant.id).values_list("slug", "taxonomy_version"))
    assert (versions["work"], versions["pets"], versions["health"]) == (3, 4, 1)
