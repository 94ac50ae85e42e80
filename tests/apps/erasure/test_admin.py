"""A second person approves in the admin."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.memory.models import Item
from apps.tenants import services
from apps.tenants.access import System
from apps.tenants.models import Category, Membership, Policy
from tests.apps.erasure.conftest import EVE

LIST = "admin:erasure_erasure_changelist"


def browser(world, role):
    user = User.objects.create_user(f"{role}-{world.tenant_id}", is_staff=True)
    with tenant_scope(world.tenant_id):
        services.add_member(user_id=user.pk, role=role, by=System(world.tenant_id))
    made = Client()
    made.force_login(user)
    return made, user.pk


@pytest.fixture
def waiting(world):
    with tenant_scope(world.tenant_id):
        services.change(Policy.objects.get(tenant_id=world.tenant_id), {"erasure_approval": "second_person"})
    world.post("memories", text="The kettle is red.", user_id=EVE)
    return world.ask(user_id=EVE)["id"]


def test_an_admin_approves_what_somebody_elses_key_asked_for_and_an_operator_does_not(world, waiting):
    (operator, _), (admin, login) = browser(world, Membership.Role.OPERATOR), browser(world, Membership.Role.ADMIN)
    chosen = {"action": "approve", "_selected_action": [waiting]}

    operator.post(reverse(LIST), chosen)
    assert world.get(f"erasures/{waiting}")["state"] == "waiting"
    admin.post(reverse(LIST), chosen)
    world.work()

    done = world.get(f"erasures/{waiting}")
    assert (done["state"], done["decided_by"]) == ("done", f"member:{login}")
    assert done["receipt"]["decided"]["person"] == f"member:{login}"


def test_who_decides_reads_whom_it_is_about_and_nobody_else_does(world, waiting):
    there = reverse("admin:erasure_erasure_change", args=[waiting])
    pages = {role: browser(world, role)[0].get(there) for role in Membership.Role.values}

    assert {role for role, page in pages.items() if page.status_code == 200} == {"owner", "admin"}
    assert {role for role, page in pages.items() if EVE in page.content.decode()} == {"owner", "admin"}
    ((_, shown),) = pages[Membership.Role.ADMIN].context["adminform"].fieldsets
    assert {"about", "reason", "requested_by"} <= set(shown["fields"])
    assert not {"tenant_id", "requested_agent_id", "steps", "receipt"} & set(shown["fields"])


def test_nobody_approves_what_the_key_they_made_asked_for(world, waiting):
    admin, login = browser(world, Membership.Role.ADMIN)
    asked = world.post("erasures/preview", user_id=EVE)["fingerprint"]
    own = world.key("erase", agent="own", by=f"member:{login}")
    erasure = world.send("post", "erasures", {"user_id": EVE, "fingerprint": asked}, token=own).json()

    page = admin.post(reverse(LIST), {"action": "approve", "_selected_action": [erasure["id"]]}, follow=True)

    assert "Who asked for an erasure does not approve it." in page.content.decode()
    assert world.get(f"erasures/{erasure['id']}")["state"] == "waiting"


def test_what_a_category_would_erase_is_told_before_it_is_saved(world, waiting):
    admin, _ = browser(world, Membership.Role.ADMIN)
    kept = world.post("memories", text="The rent is due on the first.", user_id=EVE, category="work")["memory"]
    with tenant_scope(world.tenant_id):
        Item.objects.filter(id=kept["id"]).update(recorded_at=now() - timedelta(days=8))
        work = Category.objects.get(slug="work")
    there = reverse("admin:tenants_category_change", args=[work.id])
    form = admin.get(there).context["adminform"].form
    given = {name: form[name].value() for name in form.fields if form[name].value() is not None}

    asked = admin.post(there, {**given, "erase_after_days": "7"})

    told = " ".join(asked.content.decode().split())
    assert (
        "erase 1 of them for good</strong>, and with them 0 other memories and 0 messages, once a second person" in told
    )
    assert "The rent is due on the first." in told
    with tenant_scope(world.tenant_id):
        assert Category.objects.get(slug="work").erase_after_days is None
