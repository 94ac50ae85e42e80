"""The admin as people use it: log in, choose a tenant, look and change."""

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from apps.core import limiter
from apps.core.scope import tenant_scope
from apps.journal.models import Entry
from apps.tenants import selectors, services
from apps.tenants.models import Agent, ApiKey, Category, Membership, Policy, Tenant

MODELS = ("tenant", "membership", "agent", "apikey", "category", "policy")


@pytest.fixture
def login(tenant):
    """A browser logged in as a member of the tenant in a role, or as a superuser."""

    def make(role=Membership.Role.OWNER, *, superuser=False):
        name = f"{role}-{superuser}-{tenant.slug}"
        user = User.objects.create_user(name, is_staff=True, is_superuser=superuser)
        if not superuser:
            with tenant_scope(tenant.id):
                services.add_member(user_id=user.pk, role=role)
        browser = Client(raise_request_exception=True)
        browser.force_login(user)
        return browser

    return make


@pytest.fixture
def owner(login):
    return login()


def _fields(page):
    """The form's values as a browser would send them back."""
    form = page.context["adminform"].form
    found = {}
    for name in form.fields:
        value = form[name].value()
        if value is None or value is False:
            continue
        found[name] = ",".join(value) if name == "keywords" and not isinstance(value, str) else value
    return found


@pytest.mark.parametrize("model", MODELS)
def test_every_list_and_form_opens(owner, agent, tenant, model):
    with tenant_scope(tenant.id):
        services.create_key(agent_id=agent.id, scopes=["read"])

    listed = owner.get(reverse(f"admin:tenants_{model}_changelist"), follow=True)

    assert listed.status_code == 200
    links = set(re.findall(rf"/admin/tenants/{model}/[^/\"?]+/change/", listed.content.decode()))
    for link in list(links)[:2]:
        assert owner.get(link).status_code == 200
        assert owner.get(link.replace("change", "history")).status_code == 200


def test_the_index_names_the_tenant(owner, tenant):
    page = owner.get(reverse("admin:index")).content.decode()

    assert tenant.slug in page
    assert reverse("admin:tenants_policy_changelist") in page


def test_another_tenants_rows_are_neither_listed_nor_found(owner, make_tenant):
    other = make_tenant()
    with tenant_scope(other.id):
        foreign = services.create_agent(slug="foreign-agent")

    assert b"foreign-agent" not in owner.get(reverse("admin:tenants_agent_changelist")).content
    assert owner.get(reverse("admin:tenants_agent_change", args=[foreign.id])).status_code == 302


def test_a_number_of_the_policy_is_changed_through_the_service(owner, tenant):
    there = reverse("admin:tenants_policy_change", args=[tenant.id])
    page = owner.get(there)

    done = owner.post(there, {**_fields(page), "lean_limit": 5})

    assert done.status_code == 302, done.context["errors"]
    with tenant_scope(tenant.id):
        assert Policy.objects.get().lean_limit == 5
        entry = Entry.objects.get(operation="policy.changed")
    assert (entry.data, entry.actor) == ({"fields": ["lean_limit"]}, "member")


def test_a_number_out_of_range_is_refused_in_the_form(owner, tenant):
    there = reverse("admin:tenants_policy_change", args=[tenant.id])

    page = owner.post(there, {**_fields(owner.get(there)), "gate_allow_above": "1.5"})

    assert page.status_code == 200
    assert "gate_allow_above" in page.context["adminform"].form.errors


def test_an_agent_and_a_category_are_added(owner, tenant):
    owner.post(reverse("admin:tenants_agent_add"), {"slug": "scribe", "name": "Scribe", "domain": "work"})
    again = owner.post(reverse("admin:tenants_agent_add"), {"slug": "scribe", "name": "Twice"})
    category = {"slug": "pets", "label": "Pets", "purpose": "knowledge", "keywords": "cat,dog", "ttl_days": "30"}
    owner.post(reverse("admin:tenants_category_add"), {**category, "decay_lambda": "0.01", "retention": "ebbinghaus"})

    assert again.status_code == 200  # the form again, with its error
    with tenant_scope(tenant.id):
        assert Agent.objects.get(slug="scribe").domain == "work"
        assert Category.objects.get(slug="pets").keywords == ["cat", "dog"]
        assert Entry.objects.filter(operation="agent.created").count() == 1


def test_a_key_is_shown_once_and_works(owner, tenant, agent):
    made = owner.post(reverse("admin:tenants_apikey_add"), {"agent": str(agent.id), "name": "x", "scopes": ["read"]})

    (token,) = re.findall(r"mp_[0-9a-f]{12}_[\w-]+", made.content.decode())
    assert selectors.authenticate(token).scopes == {"read"}
    assert token not in str(made.cookies)
    assert token not in owner.get(reverse("admin:tenants_apikey_changelist")).content.decode()


def test_keys_are_rotated_and_revoked_by_action(owner, tenant, agent):
    with tenant_scope(tenant.id):
        key = services.create_key(agent_id=agent.id, scopes=["read"])
    listed = reverse("admin:tenants_apikey_changelist")

    rotated = owner.post(listed, {"action": "rotate", "_selected_action": [str(key.key.id)]})
    (token,) = re.findall(r"mp_[0-9a-f]{12}_[\w-]+", rotated.content.decode())
    fresh = selectors.authenticate(token).key_id
    owner.post(listed, {"action": "revoke", "_selected_action": [str(fresh)]})

    with tenant_scope(tenant.id):
        assert ApiKey.objects.filter(revoked_at__isnull=True).count() == 0


def test_the_tenant_is_suspended_and_renamed_but_never_added(owner, tenant):
    listed = reverse("admin:tenants_tenant_changelist")
    owner.post(listed, {"action": "suspend", "_selected_action": [str(tenant.id)]})
    owner.post(reverse("admin:tenants_tenant_change", args=[tenant.id]), {"name": "New name"})

    assert owner.get(reverse("admin:tenants_tenant_add")).status_code == 403
    with tenant_scope(tenant.id):
        row = Tenant.objects.get()
    assert row.suspended_at is not None
    assert row.name == "New name"


def test_a_member_is_added_by_name_and_removed_by_an_owner(owner, tenant):
    name = f"colleague-{tenant.slug}"
    colleague = User.objects.create_user(name, is_staff=True)

    owner.post(reverse("admin:tenants_membership_add"), {"username": name, "role": "operator"})
    unknown = owner.post(reverse("admin:tenants_membership_add"), {"username": "nobody at all", "role": "operator"})
    with tenant_scope(tenant.id):
        added = Membership.objects.get(user_id=colleague.pk)
    listed = owner.get(reverse("admin:tenants_membership_changelist")).content.decode()
    owner.post(reverse("admin:tenants_membership_delete", args=[added.id]), {"post": "yes"})

    assert "There is no active login of that name" in unknown.content.decode()
    assert name in listed
    with tenant_scope(tenant.id):
        assert not Membership.objects.filter(user_id=colleague.pk).exists()


@pytest.mark.parametrize("role", [Membership.Role.OPERATOR, Membership.Role.BILLING])
def test_other_roles_look_but_do_not_change(login, tenant, agent, role):
    browser = login(role)

    assert browser.get(reverse("admin:tenants_agent_changelist")).status_code == 200
    assert browser.post(reverse("admin:tenants_agent_add"), {"slug": "nope"}).status_code == 403
    there = reverse("admin:tenants_policy_change", args=[tenant.id])
    assert browser.post(there, {"lean_limit": 9}).status_code == 403
    with tenant_scope(tenant.id):
        assert Policy.objects.get().lean_limit == 3


def test_a_member_of_several_tenants_chooses_one(make_tenant):
    first, second, foreign = make_tenant(), make_tenant(), make_tenant()
    user = User.objects.create_user(f"both-{first.slug}", is_staff=True)
    for each in (first, second):
        with tenant_scope(each.id):
            services.add_member(user_id=user.pk, role=Membership.Role.OWNER)
    browser = Client()
    browser.force_login(user)
    agents = reverse("admin:tenants_agent_changelist")

    sent_away = browser.get(agents)
    browser.post(reverse("admin:choose_tenant"), {"tenant": str(foreign.id)})
    refused = browser.get(agents)
    back = browser.post(reverse("admin:choose_tenant"), {"tenant": str(second.id), "next": agents})
    elsewhere = browser.post(reverse("admin:choose_tenant"), {"tenant": str(second.id), "next": "https://evil.example"})

    assert sent_away.url.startswith(reverse("admin:choose_tenant"))
    assert refused.url.startswith(reverse("admin:choose_tenant"))
    assert back.url == agents
    assert elsewhere.url == reverse("admin:index")
    assert second.slug in browser.get(agents).content.decode()


def test_a_login_without_membership_sees_no_tenant_data(tenant):
    user = User.objects.create_user(f"alone-{tenant.slug}", is_staff=True)
    browser = Client()
    browser.force_login(user)

    assert browser.get(reverse("admin:tenants_agent_changelist")).status_code == 302
    assert b"belongs to no tenant" in browser.get(reverse("admin:choose_tenant")).content


def test_a_superuser_manages_logins_and_any_tenant(login, tenant, agent):
    browser = login(superuser=True)
    browser.post(reverse("admin:choose_tenant"), {"tenant": str(tenant.id)})

    assert browser.get(reverse("admin:auth_user_changelist")).status_code == 200
    assert b"assistant" in browser.get(reverse("admin:tenants_agent_changelist")).content


@pytest.mark.usefixtures("database")
def test_logging_in_is_limited_by_address():
    net = uuid4().bytes
    here, elsewhere = (f"10.{net[0]}.{net[1]}.{number}" for number in (1, 2))
    browser = Client(REMOTE_ADDR=here)
    there = reverse("admin:login")

    limiter.resume()

    # A minute may end in between, hence up to two minutes' worth.
    tries = [browser.post(there, {"username": "x", "password": "y"}).status_code for _ in range(21)]

    assert tries[:10] == [200] * 10
    assert tries.count(429) >= 1
    assert Client(REMOTE_ADDR=elsewhere).post(there, {"username": "x", "password": "y"}).status_code == 200
