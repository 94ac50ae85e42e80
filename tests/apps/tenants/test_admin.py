"""The admin as people use it: log in, choose a tenant, look and change."""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from itertools import count
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.auth.models import User
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.sessions.models import Session
from django.contrib.staticfiles import finders
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.budgets.models import Budget, Price
from apps.budgets.services import add_price, set_budget
from apps.core import limiter
from apps.core.clock import now
from apps.core.context import acting_as
from apps.core.scope import tenant_scope
from apps.jobs import services as jobs
from apps.jobs.models import Schedule
from apps.journal.models import Entry
from apps.journal.services import record
from apps.tenants import selectors, services
from apps.tenants.access import System
from apps.tenants.admin.base import RefusalsShown
from apps.tenants.admin.policy import STAGES
from apps.tenants.models import Agent, ApiKey, Category, Membership, Policy, Tenant
from apps.tenants.telling import ChangedValue
from memory_platform.errors import Forbidden
from memory_platform.model import JournalLine
from tests.conftest import PROJECT_ROOT

STATIC = PROJECT_ROOT / "apps/tenants/static/tenants/alpine"
TOKEN = f"ghp_{'a1B2' * 9}"
MODELS = ("tenant", "membership", "agent", "apikey", "category", "policy")


@pytest.fixture
def login(tenant):
    """A browser logged in as a member of the tenant in a role, or as a superuser."""

    def make(role=Membership.Role.OWNER, *, superuser=False):
        name = f"{role}-{superuser}-{uuid4().hex[:8]}"
        user = User.objects.create_user(name, is_staff=True, is_superuser=superuser)
        if not superuser:
            with tenant_scope(tenant.id):
                services.add_member(user_id=user.pk, role=role, by=System(tenant.id))
        browser = Client(raise_request_exception=True)
        browser.force_login(user)
        browser.user = user
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
    assert entry.data == {"changes": {"lean_limit": {"was": 3, "is": 5}}}
    assert entry.actor == f"member:{owner.user.pk}"


def test_who_must_approve_an_erasure_is_the_owners_to_say(owner, login, tenant):
    there = reverse("admin:tenants_policy_change", args=[tenant.id])
    admin = login(Membership.Role.ADMIN)

    owner.post(there, {**_fields(owner.get(there)), "erasure_approval": "second_person"})
    done = admin.post(there, {**_fields(admin.get(there)), "erasure_approval": "none", "lean_limit": 5})

    assert done.status_code == 302
    with tenant_scope(tenant.id):
        assert Policy.objects.values_list("erasure_approval", "lean_limit").get() == ("second_person", 5)


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


def test_a_price_is_added_looked_at_and_not_changed(owner, login, tenant):
    given = {"model": "house-model", "usd_per_million_in": "3", "usd_per_million_out": "15"}
    given |= {"valid_from_0": "2026-03-01", "valid_from_1": "00:00:00"}
    owner.post(reverse("admin:budgets_price_add"), given)
    again = owner.post(reverse("admin:budgets_price_add"), given)
    refused = login(Membership.Role.BILLING).post(reverse("admin:budgets_price_add"), given | {"model": "other"})

    assert (again.status_code, refused.status_code) == (200, 403)
    with tenant_scope(tenant.id):
        row = Price.objects.get()
        entry = Entry.objects.get(operation="price.added")
    assert (row.usd_per_million_out, entry.actor) == (15, f"member:{owner.user.pk}")
    there = reverse("admin:budgets_price_change", args=[row.id])
    assert owner.get(there).status_code == 200
    assert owner.post(there, given | {"usd_per_million_in": "0"}).status_code == 403


def test_a_key_is_shown_once_and_works(owner, tenant, agent):
    made = owner.post(reverse("admin:tenants_apikey_add"), {"agent": str(agent.id), "name": "x", "scopes": ["read"]})

    (token,) = re.findall(r"mp_[0-9a-f]{12}_[\w-]+", made.content.decode())
    assert selectors.authenticate(token).scopes == {"read"}
    assert token not in str(made.cookies)
    assert token not in owner.get(reverse("admin:tenants_apikey_changelist")).content.decode()


@pytest.mark.parametrize(
    ("page", "given"),
    [
        ("tenants_agent_add", {"slug": "scribe", "name": f"Scribe {TOKEN}"}),
        (
            "tenants_category_add",
            {"slug": "pets", "label": "Pets", "keywords": TOKEN},
        ),
    ],
)
def test_no_secret_is_typed_into_what_the_journal_keeps(owner, tenant, page, given):
    category = {"purpose": "knowledge", "ttl_days": "30", "decay_lambda": "0.01", "retention": "ebbinghaus"}

    refused = owner.post(reverse(f"admin:{page}"), {**category, **given})

    assert "holds a secret (" in refused.content.decode()
    with tenant_scope(tenant.id):
        assert not Agent.objects.filter(slug="scribe").exists()
        assert not Category.objects.filter(slug="pets").exists()


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


def test_the_history_names_who_did_it(owner, tenant):
    there = reverse("admin:tenants_policy_change", args=[tenant.id])
    owner.post(there, {**_fields(owner.get(there)), "lean_limit": 5})

    assert owner.user.username in owner.get(there.replace("change", "history")).content.decode()


MEMBERS = "admin:tenants_membership_changelist"


def _membership(tenant, browser):
    with tenant_scope(tenant.id):
        return Membership.objects.get(user_id=browser.user.pk)


def _invite(browser, name, role="operator"):
    return browser.post(reverse("admin:tenants_membership_add"), {"username": name, "role": role}, follow=True)


def _give(browser, row, role):
    return browser.post(reverse("admin:tenants_membership_change", args=[row.id]), {"role": role}, follow=True)


def _remove(browser, row):
    there = reverse("admin:tenants_membership_delete", args=[row.id])
    return browser.post(there, {"post": "yes"}, follow=True)


def _roles(tenant):
    with tenant_scope(tenant.id):
        return dict(Membership.objects.values_list("user_id", "role"))


def test_a_member_is_asked_by_name_joins_and_is_removed_by_an_owner(owner, tenant):
    name = f"colleague-{tenant.slug}"
    colleague = Client()
    colleague.force_login(User.objects.create_user(name, is_staff=True))
    told = _invite(owner, name).content.decode()

    before = colleague.get(reverse("admin:tenants_category_changelist"), follow=True).content.decode()
    colleague.post(reverse("admin:choose_tenant"), {"join": str(tenant.id)})
    after = colleague.get(reverse("admin:tenants_category_changelist"))
    with tenant_scope(tenant.id):
        joined = Membership.objects.get(user__isnull=False, role="operator")
        entry = Entry.objects.get(operation="member.joined")
    _remove(owner, joined)

    assert f"{name} as operator" in told
    assert f"Join {tenant.slug}" in before
    assert after.status_code == 200
    assert (entry.actor, entry.subject_id) == (f"member:{joined.user_id}", joined.id)
    assert _roles(tenant) == {owner.user.pk: "owner"}
    assert colleague.get(reverse("admin:tenants_agent_changelist")).status_code == 302


def test_nobody_joins_without_being_asked(owner, tenant):
    stranger = Client()
    stranger.force_login(User.objects.create_user(f"stranger-{tenant.slug}", is_staff=True))
    _invite(owner, f"colleague-{tenant.slug}")

    for wanted in (str(tenant.id), "nonsense"):
        stranger.post(reverse("admin:choose_tenant"), {"join": wanted})

    assert stranger.get(reverse("admin:tenants_agent_changelist")).status_code == 302
    assert set(_roles(tenant)) == {owner.user.pk, None}


def test_inviting_tells_nothing_of_which_logins_there_are(login, tenant):
    admin = login(Membership.Role.ADMIN)
    there, nobody = (f"{kind}-{uuid4().hex[:8]}" for kind in ("login", "nobody"))
    User.objects.create_user(there, is_staff=True)

    def answers(name):
        """What is answered to an invitation, a second one, and the look at the list, without name and place."""
        told = [_invite(admin, name), _invite(admin, name), admin.get(reverse(MEMBERS))]
        return [(each.status_code, _without_marks(each.content.decode(), name)) for each in told]

    with tenant_scope(tenant.id):
        held = set(Membership.objects.values_list("id", flat=True))
    of_a_login = answers(there)
    with tenant_scope(tenant.id):
        Membership.objects.exclude(id__in=held).delete()
    of_nobody = answers(nobody)

    assert of_a_login == of_nobody
    assert "is a member already, or is invited" in of_nobody[1][1]


def _without_marks(page, name):
    changing = r"csrfmiddlewaretoken\" value=\"\w+|[0-9a-f]{8}-[0-9a-f-]{27}|\d{1,2}:\d\d|[\d.]+ms"
    return re.sub(changing, "", page.replace(name, "NAME"))


def test_an_admin_neither_becomes_owner_nor_makes_one(login, tenant):
    owner, admin = login(), login(Membership.Role.ADMIN)
    of_admin, of_owner = _membership(tenant, admin), _membership(tenant, owner)

    tries = [
        _give(admin, of_admin, "owner"),
        _invite(admin, "somebody", "owner"),
        _give(admin, of_owner, "operator"),
        _remove(admin, of_owner),
        _remove(admin, of_admin),
    ]

    assert [page.status_code for page in tries] == [200, 200, 403, 403, 403]
    assert "role" in tries[0].context["adminform"].form.errors
    assert _roles(tenant) == {owner.user.pk: "owner", admin.user.pk: "admin"}


def test_an_owner_makes_another_and_may_then_go(login, tenant):
    owner, admin = login(), login(Membership.Role.ADMIN)

    _give(owner, _membership(tenant, admin), "owner")
    _give(owner, _membership(tenant, owner), "operator")

    assert _roles(tenant) == {owner.user.pk: "operator", admin.user.pk: "owner"}


def test_the_last_owner_stays(owner, tenant):
    mine = _membership(tenant, owner)
    # Who was only asked to be one is none yet.
    _invite(owner, "somebody", "owner")

    refused = [_give(owner, mine, "admin"), _remove(owner, mine)]

    for page in refused:
        assert f"The last owner of {tenant.slug} stays" in page.content.decode()
    assert _roles(tenant)[owner.user.pk] == "owner"
    with tenant_scope(tenant.id):
        assert not Entry.objects.filter(operation__in=["member.changed", "member.removed"]).exists()


@pytest.mark.parametrize(
    ("role", "page"), [(Membership.Role.OPERATOR, "tenants_category"), (Membership.Role.BILLING, "budgets_price")]
)
def test_other_roles_look_but_do_not_change(login, tenant, agent, role, page):
    browser = login(role)

    assert browser.get(reverse(f"admin:{page}_changelist")).status_code == 200
    assert browser.post(reverse("admin:tenants_agent_add"), {"slug": "nope"}).status_code == 403
    there = reverse("admin:tenants_policy_change", args=[tenant.id])
    assert browser.post(there, {"lean_limit": 9}).status_code == 403
    with tenant_scope(tenant.id):
        assert Policy.objects.get().lean_limit == 3


def test_who_pays_sees_neither_memories_nor_the_history_and_is_told_of_spending_alone(login, tenant):
    browser = login(Membership.Role.BILLING)
    with tenant_scope(tenant.id):
        services.set_suspended(suspended=True)
        set_budget(agent_id=None, period=Budget.Period.MONTH, soft_usd=Decimal(0), hard_usd=Decimal(10))

    index = browser.get(reverse("admin:index"))
    hidden = ["curation_proposal", "summaries_categorysummary", "lessons_lesson", "triggers_futuretrigger"]

    assert [each.text for each in index.context["concerns"]] == ["1 budget is near the end"]
    for name in hidden:
        there = reverse(f"admin:{name}_changelist")
        assert there not in index.content.decode()
        assert browser.get(there).status_code == 403
    assert browser.get(reverse("admin:history")).status_code == 403
    assert browser.get(reverse("admin:tenants_policy_history", args=[tenant.id])).status_code == 403


class Unlistable(RefusalsShown):
    def get_queryset(self, _request):
        raise Forbidden("Not shown.")


def test_a_list_that_is_refused_does_not_lead_to_itself(rf):
    request = rf.get("/")
    request.user = User(is_staff=True, is_superuser=True)
    request.session = {}
    request._messages = FallbackStorage(request)

    with pytest.raises(Forbidden):
        Unlistable(Agent, admin.site).changelist_view(request)


def test_a_member_of_several_tenants_chooses_one(make_tenant):
    first, second, foreign = make_tenant(), make_tenant(), make_tenant()
    user = User.objects.create_user(f"both-{first.slug}", is_staff=True)
    for each in (first, second):
        with tenant_scope(each.id):
            services.add_member(user_id=user.pk, role=Membership.Role.OWNER, by=System(each.id))
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


def test_who_has_no_staff_status_is_told_so(database):
    name = f"olga-{uuid4().hex[:8]}"
    browser = Client()
    browser.force_login(User.objects.create_user(name))

    told = browser.get(reverse("admin:index"), follow=True).content.decode()

    assert f"{name} has no staff status" in told
    assert 'name="password"' in told
    assert "staff status" not in Client().get(reverse("admin:login")).content.decode()


LOGINS = "admin:auth_user_changelist"


def test_a_login_is_made_in_the_admin(login):
    browser, there = login(superuser=True), reverse("admin:auth_user_add")
    name, password = f"carol-{uuid4().hex[:8]}", uuid4().hex

    assert 'name="username"' in browser.get(there).content.decode()
    given = {"username": name, "password1": password, "password2": password, "is_staff": "on"}
    assert browser.post(there, given).status_code == 302

    made = User.objects.get(username=name)
    assert (made.check_password(password), made.is_staff, made.is_superuser) == (True, True, False)


def _delete_by_form(browser, user):
    there = reverse("admin:auth_user_delete", args=[user.pk])
    assert user.username in browser.get(there).content.decode()
    return browser.post(there, {"post": "yes"}, follow=True)


def _delete_by_action(browser, user):
    chosen = {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"}
    return browser.post(reverse(LOGINS), chosen, follow=True)


@pytest.mark.parametrize("delete", [_delete_by_form, _delete_by_action])
def test_a_deleted_login_leaves_its_tenants_and_the_journal_keeps_what_it_did(login, tenant, make_tenant, delete):
    root, owner, admin = login(superuser=True), login(), login(Membership.Role.ADMIN)
    other = make_tenant()
    with tenant_scope(other.id):
        services.add_member(user_id=admin.user.pk, role=Membership.Role.BILLING, by=System(other.id))
    admin.post(reverse("admin:choose_tenant"), {"tenant": str(tenant.id)})
    there = reverse("admin:tenants_policy_change", args=[tenant.id])
    admin.post(there, {**_fields(admin.get(there)), "lean_limit": 5})

    page = delete(root, admin.user)

    assert "deleted" in page.content.decode()
    assert not User.objects.filter(pk=admin.user.pk).exists()
    assert (_roles(tenant), _roles(other)) == ({owner.user.pk: "owner"}, {})
    for each in (tenant, other):
        with tenant_scope(each.id):
            assert Entry.objects.get(operation="member.removed").actor == f"member:{root.user.pk}"
    with tenant_scope(tenant.id):
        assert Entry.objects.get(operation="policy.changed").actor == f"member:{admin.user.pk}"
    assert f"member:{admin.user.pk}" in owner.get(there.replace("change", "history")).content.decode()
    assert admin.get(there).status_code == 302


@pytest.mark.parametrize("delete", [_delete_by_form, _delete_by_action])
def test_the_login_of_a_last_owner_is_not_deleted_and_stays_everywhere(login, tenant, make_tenant, delete):
    root, owner = login(superuser=True), login()
    other = make_tenant()
    with tenant_scope(other.id):
        services.add_member(user_id=owner.user.pk, role=Membership.Role.ADMIN, by=System(other.id))

    page = delete(root, owner.user)

    assert f"The last owner of {tenant.slug} stays" in page.content.decode()
    assert User.objects.filter(pk=owner.user.pk).exists()
    assert (_roles(tenant), _roles(other)) == ({owner.user.pk: "owner"}, {owner.user.pk: "admin"})


def test_an_inactive_login_leaves_its_tenants_too(login, tenant):
    root, admin = login(superuser=True), login(Membership.Role.ADMIN)
    User.objects.filter(pk=admin.user.pk).update(is_active=False)

    _delete_by_form(root, admin.user)

    assert not User.objects.filter(pk=admin.user.pk).exists()
    assert _roles(tenant) == {}


@pytest.fixture
def address():
    """Addresses nobody has logged in from."""
    net = uuid4().bytes
    return lambda: f"10.{net[0]}.{net[1]}.{next(numbers)}"


numbers = count(1)


def _attempts(names, addresses):
    there = reverse("admin:login")
    return [
        Client(REMOTE_ADDR=address).post(there, {"username": name, "password": "y"}).status_code
        for name, address in zip(names, addresses, strict=True)
    ]


# A minute may end in between, hence up to two minutes' worth.
TRIES = 2 * limiter.LOGINS_PER_MINUTE + 1


@pytest.mark.usefixtures("database")
def test_logging_in_is_limited_by_address(address):
    limiter.cooldown.end()
    here = address()

    tries = _attempts([uuid4().hex for _ in range(TRIES)], [here] * TRIES)

    assert tries[:10] == [200] * 10
    assert tries.count(429) >= 1
    assert _attempts([uuid4().hex], [address()]) == [200]


@pytest.mark.usefixtures("database")
def test_logging_in_is_limited_by_name_wherever_it_comes_from(address):
    limiter.cooldown.end()
    name = f"Name-{uuid4().hex}"
    spelled = [name, name.lower(), name.upper(), f"{name} ", f"\u00a0{name}"] * 5

    tries = _attempts(spelled, [address() for _ in spelled])

    assert tries[:10] == [200] * 10
    assert tries.count(429) >= 1
    assert _attempts([uuid4().hex], [address()]) == [200]


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("limited_by", ["name", "address"])
def test_logging_in_stays_limited_while_the_limiter_is_away(address, settings, limited_by):
    one = uuid4().hex if limited_by == "name" else address()
    names = [one if limited_by == "name" else uuid4().hex for _ in range(TRIES)]
    addresses = [one if limited_by == "address" else address() for _ in range(TRIES)]

    with _limiter_away():
        tries = _attempts(names, addresses)

    assert tries[:10] == [200] * 10
    assert tries.count(429) >= 1


@contextmanager
def _limiter_away():
    """The pause that a failing limiter is given."""
    limiter.cooldown.until = time.monotonic() + 60
    try:
        yield
    finally:
        limiter.cooldown.end()


def test_a_login_that_is_left_alone_ends(owner):
    def rest():
        return Session.objects.get(session_key=owner.session.session_key).expire_date - now()

    def leave_alone(until):
        Session.objects.filter(session_key=owner.session.session_key).update(expire_date=now() + until)

    there = reverse("admin:tenants_agent_changelist")
    owner.get(there)
    assert timedelta(hours=7, minutes=59) < rest() <= timedelta(hours=8)

    leave_alone(timedelta(minutes=1))
    assert owner.get(there).status_code == 200
    assert rest() > timedelta(hours=7, minutes=59)

    leave_alone(timedelta(seconds=-1))
    assert owner.get(there).url.startswith(reverse("admin:login"))


@pytest.mark.parametrize("page", ["index", "login", "tenants_policy_changelist", "tenants_apikey_add", "choose_tenant"])
def test_a_page_runs_nothing_that_is_written_into_it(owner, agent, page):
    answered = owner.get(reverse(f"admin:{page}"), follow=True)
    policy = dict(rule.strip().split(" ", 1) for rule in answered["Content-Security-Policy"].split(";"))
    written = answered.content.decode()

    assert (policy["default-src"], policy["frame-ancestors"], policy["base-uri"]) == ("'self'", "'none'", "'none'")
    assert "script-src" not in policy
    assert re.findall(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", written) == []
    assert re.findall(r"<[^>]+\son\w+=", written) == []


BEHIND_TLS = """
import json, django
django.setup()
from django.test import Client
page = Client().get("/admin/login/", headers={"x-forwarded-proto": "https", "host": "localhost"})
cookie = page.cookies["csrftoken"]
print(json.dumps([page.status_code, bool(cookie["secure"]), page.headers.get("Strict-Transport-Security")]))
"""
HTTPS = {"MEMORY_CSRF_TRUSTED_ORIGINS": '["https://memory.example.com"]'}


@pytest.mark.parametrize(
    ("variables", "answered"),
    [
        ({}, [200, False, None]),
        (HTTPS, [200, True, "max-age=31536000"]),
        ({"MEMORY_SECURE_COOKIES": "true"}, [200, True, "max-age=31536000"]),
        ({**HTTPS, "MEMORY_SECURE_COOKIES": "false"}, [200, False, None]),
    ],
)
def test_behind_tls_cookies_are_secure_and_browsers_stay_there(server_environment, variables, answered):
    own = {**os.environ, **server_environment, "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    done = subprocess.run(
        [sys.executable, "-c", BEHIND_TLS], env=own, capture_output=True, text=True, check=True, cwd=PROJECT_ROOT
    )

    assert json.loads(done.stdout) == answered


def test_budgets_are_added_and_changed_in_their_list(owner, login, tenant, agent):
    listed, add = reverse("admin:budgets_budget_changelist"), reverse("admin:budgets_budget_add")
    given = {"agent": str(agent.id), "period": "month", "soft_usd": "5", "hard_usd": "10"}
    owner.post(add, given)
    twice = owner.post(add, given)
    upside_down = owner.post(add, given | {"period": "day", "soft_usd": "11"})
    refused = login(Membership.Role.BILLING).post(add, given | {"period": "day"})
    with tenant_scope(tenant.id):
        row = Budget.objects.get()
    rows = {"form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "1", "form-0-id": str(row.id), "_save": "Save"}
    changed = owner.post(listed, rows | {"form-0-soft_usd": "6", "form-0-hard_usd": "12"})
    wrong = owner.post(listed, rows | {"form-0-soft_usd": "13", "form-0-hard_usd": "12"})

    assert (twice.status_code, upside_down.status_code, refused.status_code) == (200, 200, 403)
    assert "The soft amount is at most the hard one." in upside_down.content.decode()
    assert (changed.status_code, wrong.status_code) == (302, 200)
    with tenant_scope(tenant.id):
        held = Budget.objects.get()
        assert (held.soft_usd, held.hard_usd) == (6, 12)
        assert Entry.objects.filter(operation="budget.set", subject_id=row.id).count() == 2
        assert Policy.objects.get().has_budgets
    assert re.search(r"0\.00 <span class=\"badge good\">ok", owner.get(listed).content.decode())

    owner.post(reverse("admin:budgets_budget_delete", args=[row.id]), {"post": "yes"})

    with tenant_scope(tenant.id):
        assert not Policy.objects.get().has_budgets


def test_a_change_of_a_category_is_shown_with_what_it_archives_and_saved_when_confirmed(owner, tenant):
    with tenant_scope(tenant.id):
        work = Category.objects.get(slug="work")
    there = reverse("admin:tenants_category_change", args=[work.id])
    page = owner.get(there)
    assert "Here it starts as: 90." in page.content.decode()
    given = {**_fields(page), "ttl_days": "30", "examples": "I mend shoes, mostly\nWe are hiring"}

    asked = owner.post(there, given)

    with tenant_scope(tenant.id):
        assert Category.objects.get(slug="work").ttl_days == 90
    assert asked.status_code == 200
    ((preview, *_),) = asked.context["previews"]
    assert preview.changed == ("examples", "ttl_days")
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.content.decode()))
    assert hidden.items() >= {("ttl_days", "30"), ("confirmed", "1")}

    saved = owner.post(there, {**given, "confirmed": "1"})

    assert saved.status_code == 302
    with tenant_scope(tenant.id):
        row = Category.objects.get(slug="work")
        entry = Entry.objects.get(operation="category.changed")
    assert (row.ttl_days, row.examples) == (30, ["I mend shoes, mostly", "We are hiring"])
    assert entry.data["changes"]["ttl_days"] == {"was": 90, "is": 30}


def test_a_value_out_of_bounds_is_refused_in_the_form_of_a_category(owner, tenant):
    with tenant_scope(tenant.id):
        work = Category.objects.get(slug="work")
    there = reverse("admin:tenants_category_change", args=[work.id])

    page = owner.post(there, {**_fields(owner.get(there)), "ttl_days": "0", "decay_lambda": "11"})

    assert page.status_code == 200
    assert set(page.context["adminform"].form.errors) == {"ttl_days", "decay_lambda"}


def test_an_operator_previews_and_changes_no_category(login, tenant):
    with tenant_scope(tenant.id):
        work = Category.objects.get(slug="work")
    there = reverse("admin:tenants_category_change", args=[work.id])
    browser = login(Membership.Role.OPERATOR)

    assert browser.post(there, {"label": "Else", "confirmed": "1"}).status_code == 403
    assert browser.post(there, {"label": "Else"}).status_code == 403


LISTS = [
    "tenants_tenant",
    "tenants_membership",
    "tenants_agent",
    "tenants_apikey",
    "tenants_category",
    "budgets_price",
    "budgets_budget",
    "jobs_schedule",
    "jobs_job",
    "curation_proposal",
    "curation_curatedentry",
    "summaries_categorysummary",
    "lessons_lesson",
    "lessons_lessonversion",
    "triggers_futuretrigger",
    "erasure_erasure",
]
MOST_QUERIES = 12


def _queries(browser, there):
    """Of a page that was opened before: without what a process keeps and what marks a transaction."""
    browser.get(there)
    with CaptureQueriesContext(connection) as captured:
        assert browser.get(there).status_code == 200
    return [
        each["sql"] for each in captured if each["sql"] not in {"BEGIN", "COMMIT"} and "SAVEPOINT" not in each["sql"]
    ]


def _more_rows(tenant, agent, number):
    with tenant_scope(tenant.id):
        for each in range(number):
            services.create_key(agent_id=agent.id, scopes=["read"])
            made = services.create_agent(slug=f"agent-{uuid4().hex[:8]}")
            services.invite_member(username=f"guest-{each}-{uuid4().hex[:8]}", role="billing", by=System(tenant.id))
            set_budget(agent_id=made.id, period=Budget.Period.DAY, soft_usd=Decimal(1), hard_usd=Decimal(2))


@pytest.mark.parametrize("page", ["index", "history", *(f"{name}_changelist" for name in LISTS)])
def test_a_page_takes_few_queries_whatever_the_number_of_rows(owner, tenant, agent, page):
    there = reverse(f"admin:{page}")
    _more_rows(tenant, agent, 1)
    few = _queries(owner, there)
    _more_rows(tenant, agent, 4)

    many = _queries(owner, there)

    assert len(many) <= MOST_QUERIES, "\n".join(many)
    assert len(many) <= len(few) + 1  # what is cached for seconds may be read anew


def test_the_index_says_what_waits_and_where(owner, tenant, agent):
    quiet = owner.get(reverse("admin:index"))
    with tenant_scope(tenant.id):
        services.create_key(agent_id=agent.id, scopes=["read"], expires_at=now() + timedelta(days=3))
        services.create_key(agent_id=agent.id, scopes=["read"], expires_at=now() + timedelta(days=30))
        Schedule.objects.filter(name="nightly").update(next_run_at=now() - timedelta(hours=1))
        set_budget(agent_id=None, period=Budget.Period.MONTH, soft_usd=Decimal(0), hard_usd=Decimal(10))
        services.set_suspended(suspended=True)

    found = owner.get(reverse("admin:index"))

    assert quiet.context["concerns"] == []
    assert [each.text for each in found.context["concerns"]] == [
        "1 tenant is suspended: its keys are refused",
        "1 key stops working within two weeks",
        "1 schedule is overdue or failed",
        "1 budget is near the end",
    ]
    for each in found.context["concerns"]:
        assert owner.get(each.link, follow=True).status_code == 200
    expiring = found.context["concerns"][1].link
    assert owner.get(expiring).content.decode().count("expires soon</span>") == 1


def test_a_lifetime_edited_in_the_list_is_previewed_and_then_saved(owner, tenant):
    with tenant_scope(tenant.id):
        rows = list(Category.objects.order_by("label", "-id"))
    listed = reverse("admin:tenants_category_changelist")
    given = {"form-TOTAL_FORMS": str(len(rows)), "form-INITIAL_FORMS": str(len(rows)), "_save": "Save"}
    for number, row in enumerate(rows):
        ttl = {"health": "100", "work": ""}.get(row.slug, row.ttl_days or "")
        given |= {f"form-{number}-id": str(row.id), f"form-{number}-ttl_days": str(ttl)}

    asked = owner.post(listed, given)
    refused = owner.post(listed, {**given, "form-0-ttl_days": "0"})

    assert "90 days, then archived unless used" in owner.get(listed).content.decode()
    assert [(each.category.slug, each.changed) for each, *_ in asked.context["previews"]] == [
        ("health", ("ttl_days",)),
        ("work", ("ttl_days",)),
    ]
    assert refused.context["cl"].formset.errors[0].keys() == {"ttl_days"}
    with tenant_scope(tenant.id):
        assert not Entry.objects.filter(operation="category.changed").exists()

    saved = owner.post(listed, {**given, "confirmed": "1"})

    assert saved.status_code == 302
    with tenant_scope(tenant.id):
        assert dict(Category.objects.filter(slug__in=["health", "work"]).values_list("slug", "ttl_days")) == {
            "health": 100,
            "work": None,
        }
        assert Entry.objects.filter(operation="category.changed").count() == 2


def test_every_number_of_the_policy_stands_in_a_stage_with_a_sentence_and_its_start(owner, tenant):
    fields = [each for each in Policy._meta.get_fields() if getattr(each, "editable", False) and each.name != "tenant"]
    there = reverse("admin:tenants_policy_change", args=[tenant.id])

    form = owner.get(there).context["adminform"].form

    staged = [name for _, names in STAGES.values() for name in names]
    assert sorted(staged) == sorted(each.name for each in fields if each.name != "updated_at")
    assert all(Policy._meta.get_field(name).help_text for name in staged)
    assert "Hits of the lean profile at most; more" in form.fields["lean_limit"].help_text
    assert 'data-element="id_lean_limit" data-start="3"' in form.fields["lean_limit"].help_text


def _numbers():
    """Every number that a form of the admin asks for."""
    for model in (Policy, Category, Agent, Budget, Price):
        page = admin.site._registry[model]
        for name in flatten_fieldsets(page.fieldsets or [(None, {"fields": page.fields})]):
            field = model._meta.get_field(name)
            if isinstance(field, models.IntegerField | models.FloatField | models.DecimalField):
                yield pytest.param(field, id=f"{model.__name__}.{name}")


@pytest.mark.parametrize("field", list(_numbers()))
def test_a_number_is_explained_by_a_sentence_for_people_who_are_no_engineers(field):
    text = field.help_text

    assert re.match(r"[A-Z][A-Za-z]+,? [a-z]", text), "It begins with a word, not with a symbol or a name of the code."
    assert len(text.split()) > 4
    assert text.endswith(".")
    assert not text.startswith("The same")
    if field.model in {Policy, Category, Agent}:
        assert re.search(r"\b(higher|more|longer)\b", text), "It says what a larger value does."


@pytest.mark.parametrize("unit", ["days", "hours", "minutes"])
def test_no_date_falls_out_of_the_calendar(owner, tenant, unit):
    there = reverse("admin:tenants_policy_change", args=[tenant.id])
    names = [field.name for field in Policy._meta.get_fields() if field.name.endswith(f"_{unit}")]
    shown = owner.get(there)
    assert names

    page = owner.post(there, {**_fields(shown), **dict.fromkeys(names, 2_147_483_647)})

    assert set(page.context["adminform"].form.errors) == set(names)


def test_the_history_tells_what_was_and_is_and_whose_it_was(login, tenant):
    first, second = login(), login(Membership.Role.ADMIN)
    there = reverse("admin:tenants_policy_change", args=[tenant.id])
    first.post(there, {**_fields(first.get(there)), "lean_limit": 5})
    second.post(there, {**_fields(second.get(there)), "lean_limit": 6})

    of_all = first.get(reverse("admin:history")).context["happenings"]
    of_one = first.get(reverse("admin:history"), {"by": second.user.pk}).context["happenings"]
    of_the_row = first.get(there.replace("change", "history")).context["happenings"]

    assert [(each.who, each.changes) for each in of_one] == [
        (second.user.username, (ChangedValue("lean limit", "5", "6"),)),
    ]
    assert [each.what for each in of_all] == ["policy changed", "policy changed"]
    assert [each.changes[0].was for each in of_the_row if each.what == "policy changed"] == ["5", "3"]
    assert first.get(reverse("admin:history"), {"after": "nonsense"}).status_code == 302


HISTORY = "admin:history"


def _happenings(browser, **asked):
    """What the history tells last of each operation: what it was done to, where that leads, and the values by name."""
    found = browser.get(reverse(HISTORY), asked).context["happenings"]
    return {
        each.what: (
            each.row.name if each.row else None,
            each.row.page if each.row else "",
            {change.name: change.now for change in each.changes},
        )
        for each in reversed(found)
    }


@pytest.fixture
def everything_changed(owner, tenant, agent):
    """A change of each kind of row by the owner; the rows' ids by what the journal calls them."""
    with tenant_scope(tenant.id), acting_as(f"member:{owner.user.pk}"):
        category = Category.objects.get(slug="work")
        services.edit_category(category, {"ttl_days": 30})
        services.change(Agent.objects.get(id=agent.id), {"writes_per_minute": 9})
        jobs.change_schedules({"cron": "1 2 * * *"}, names=["nightly"])
        key = services.create_key(agent_id=agent.id, scopes=["read"]).key
        by = System(tenant.id)
        member = services.invite_member(username="somebody", role="member", by=by)
        budget = set_budget(agent_id=agent.id, period=Budget.Period.DAY, soft_usd=None, hard_usd=Decimal(2))
        price = add_price(Price(model="house", usd_per_million_in=Decimal("0.5"), usd_per_million_out=Decimal(2)))
        jobs.start("weekly")
        services.rename_tenant(name="Renamed")
        schedules = dict(Schedule.objects.values_list("name", "id"))
    return {
        "category": (category.id, "Work"),
        "agent": (agent.id, "assistant"),
        "schedule": (schedules["nightly"], "nightly"),
        "key": (key.id, f"{key} of assistant"),
        "membership": (member.id, "somebody"),
        "budget": (budget.id, "assistant, a day"),
        "price": (price.id, "house"),
        "tenant": (tenant.id, tenant.slug),
    }


OPERATIONS = {
    "category changed": ("category", "tenants_category"),
    "agent changed": ("agent", "tenants_agent"),
    "schedule changed": ("schedule", "jobs_schedule"),
    "key created": ("key", "tenants_apikey"),
    "member invited": ("membership", "tenants_membership"),
    "budget set": ("budget", "budgets_budget"),
    "price added": ("price", "budgets_price"),
    "tenant renamed": ("tenant", "tenants_tenant"),
}


def test_the_history_says_what_was_changed_and_leads_there(owner, everything_changed):
    told = _happenings(owner)

    assert {what: told[what][:2] for what in OPERATIONS} == {
        what: (everything_changed[kind][1], reverse(f"admin:{page}_change", args=[everything_changed[kind][0]]))
        for what, (kind, page) in OPERATIONS.items()
    }
    shown = owner.get(reverse(HISTORY)).content.decode()
    for name, page, _ in (told[what] for what in OPERATIONS):
        assert f'<a href="{page}">{name}</a>' in shown
        assert owner.get(page).status_code == 200


def test_the_history_leads_only_to_pages_that_are_open_to_who_reads_it(login, everything_changed):
    told = _happenings(login(Membership.Role.OPERATOR))

    assert {what: told[what][0] for what in OPERATIONS} == {
        what: everything_changed[kind][1] for what, (kind, _) in OPERATIONS.items()
    }
    assert {what for what in OPERATIONS if told[what][1]} == {"category changed", "schedule changed"}


def test_the_history_asks_as_much_whatever_kinds_of_rows_there_are(owner, tenant, everything_changed):
    asked = _queries(owner, reverse(HISTORY))

    assert len(asked) <= MOST_QUERIES, "\n".join(asked)


def test_what_is_added_carries_its_values(owner, tenant):
    owner.post(reverse("admin:tenants_agent_add"), {"slug": "scribe", "name": "Scribe", "domain": "work"})
    category = {"slug": "pets", "label": "Pets", "purpose": "knowledge", "keywords": "cat,dog", "ttl_days": "30"}
    category |= {"decay_lambda": "0.01", "retention": "ebbinghaus", "examples": "The cat is called Minka"}
    owner.post(reverse("admin:tenants_category_add"), category)
    price = {"model": "house", "usd_per_million_in": "3", "usd_per_million_out": "15"}
    owner.post(reverse("admin:budgets_price_add"), price | {"valid_from_0": "2026-03-01", "valid_from_1": "00:00:00"})

    told = _happenings(owner)

    assert told["agent created"][2] == {
        "slug": "scribe",
        "name": "Scribe",
        "domain": "work",
        "writes per minute": "none",
    }
    assert told["category created"][2] == {
        "slug": "pets",
        "label": "Pets",
        "purpose": "knowledge",
        "keywords": "cat, dog",
        "examples": "1",
        "ttl days": "30",
        "decay lambda": "0.01",
        "retention": "ebbinghaus",
        "protected": "no",
        "erase after days": "none",
    }
    assert told["price added"][2] == {
        "model": "house",
        "usd per million in": "3",
        "usd per million out": "15",
        "valid from": "2026-03-01T00:00:00+00:00",
    }


def test_whoever_is_removed_is_told_by_the_login_and_a_lifted_budget_by_its_agent(owner, login, tenant, agent):
    gone, back = login(Membership.Role.OPERATOR), login(Membership.Role.BILLING)
    with tenant_scope(tenant.id):
        rows = [
            set_budget(agent_id=each, period=Budget.Period.DAY, soft_usd=None, hard_usd=Decimal(2))
            for each in (agent.id, None)
        ]
    _remove(owner, _membership(tenant, gone))
    of_gone = _happenings(owner)["member removed"]
    _remove(owner, _membership(tenant, back))
    with tenant_scope(tenant.id):
        services.add_member(user_id=back.user.pk, role=Membership.Role.MEMBER, by=System(tenant.id))
    of_back = _happenings(owner)["member removed"]

    owners = []
    for row in rows:
        owner.post(reverse("admin:budgets_budget_delete", args=[row.id]), {"post": "yes"})
        owners.append(_happenings(owner)["budget deleted"][2]["agent"])

    assert of_gone == (f"member:{gone.user.pk}", "", {"role": "operator"})
    assert of_back == (back.user.username, "", {"role": "billing"})
    assert owners == ["assistant", "all agents"]


def test_the_history_of_another_tenants_rows_names_nothing(owner, tenant, make_tenant):
    other = make_tenant()
    with tenant_scope(other.id):
        foreign = services.create_agent(slug="foreign-agent")
    with tenant_scope(tenant.id), acting_as(f"member:{owner.user.pk}"):
        record(JournalLine("agent.changed", "agent", foreign.id))

    assert _happenings(owner)["agent changed"] == (None, "", {})


def test_the_pages_script_is_the_published_one():
    (line,) = (STATIC / "SHA256SUMS").read_text().splitlines()
    expected, name = line.split()

    assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == expected
    assert finders.find(f"tenants/alpine/{name}")
    assert "MIT License" in (STATIC / "LICENSES.txt").read_text()
