"""Summaries through the APIs and the admin: whole, as a file, whose they are, and only to look at."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from apps.core import scope
from apps.core.limiter import cooldown
from apps.summaries.models import CategorySummary
from apps.tenants import services as tenants
from apps.tenants.access import System
from memory_platform.model import Visibility


@pytest.fixture
def get(world):
    cooldown.end()

    def send(path, *, scopes=("read",)):
        with scope.enter(world.worker):
            token = tenants.create_key(agent_id=world.agent_id, scopes=scopes).token
        return Client().get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {token}"})

    return send


def test_a_page_is_listed_read_and_downloaded(world, get):
    item = world.hold("We deploy on Thursdays.")
    world.follow(item)

    (listed,) = get("summaries").json()["items"]
    assert (listed["category"], listed["items"], listed["version"]) == ("work", 1, 1)
    read = get("summaries/work").json()
    assert [source["memory_id"] for source in read["sources"]] == [str(item)]
    file = get("summaries/work.md")
    assert file.content.decode() == read["text"] == "# Work\n\n- 2026-03-01: We deploy on Thursdays.\n"
    assert (file["Content-Type"], file["Content-Disposition"]) == ("text/markdown; charset=utf-8", "attachment")
    (version,) = get("summaries/work/versions").json()["items"]
    assert (version["number"], version["degraded"], version["memory_ids"]) == (1, None, [str(item)])


def test_where_nothing_is_held_there_is_none(get):
    assert get("summaries").json()["items"] == []
    assert [get(path).status_code for path in ("summaries/work", "summaries/work.md", "summaries/no such")] == [404] * 3
    assert get("summaries/work/versions").json()["items"] == []


def test_what_agents_share_needs_the_scope_share(world, get):
    world.follow(world.hold("The wifi is called Orion.", visibility=Visibility.SHARED.value))

    assert get("summaries/work?visibility=shared").status_code == 403
    shared = get("summaries/work?visibility=shared", scopes=("read", "share"))
    assert "Orion" in shared.json()["text"]
    assert get("summaries/work", scopes=("read", "share")).status_code == 404


def test_the_admin_shows_versions_escaped_and_changes_nothing(world):
    world.follow(world.hold("We deploy <b>on</b> Thursdays."))
    user = User.objects.create_user(f"o-{world.tenant_id}", is_staff=True)
    with scope.enter(world.worker):
        tenants.add_member(user_id=user.pk, role="admin", by=System(world.tenant_id))
        row = CategorySummary.objects.get(tenant_id=world.tenant_id)
    client = Client()
    client.force_login(user)

    there = reverse("admin:summaries_categorysummary_change", args=[row.pk])
    page = client.get(there)

    assert page.status_code == 200
    shown = page.content.decode()
    assert "rules:1" in shown
    assert "Thursdays." in shown
    assert "<b>on</b>" not in shown
    assert client.post(there, {"category": "x"}).status_code == 403
