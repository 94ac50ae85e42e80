"""People at the console of a tenant whose agent has learnt something."""

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.core import providers, scope
from apps.core.scope import Reach, Scope
from apps.curation import services as curation
from apps.memory import services as memory
from apps.memory.models import Item, ItemLink
from apps.memory.requests import NewMemory
from apps.tenants import selectors, services
from apps.tenants.access import System
from memory_platform.adapters.scripted import ScriptedEmbedder
from memory_platform.model import Visibility

MOST_QUERIES = 12
# What opens and closes a transaction and its scope is no question to the database.
FRAME = re.compile(r"^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SELECT set_config)", re.IGNORECASE)


@pytest.fixture
def person_of(database):
    """Somebody logged in who is a member of a tenant: the browser, with `.name` and `.tenant_id`."""

    def make(tenant, role="operator"):
        user = User.objects.create_user(f"{role}-{uuid4().hex[:8]}")
        with scope.tenant_scope(tenant.id):
            services.add_member(user_id=user.pk, role=role, by=System(tenant.id))
        browser = Client()
        browser.force_login(user)
        browser.name, browser.actor, browser.tenant_id = user.username, f"member:{user.pk}", tenant.id
        return browser

    return make


@pytest.fixture
def operator(person_of, tenant):
    return person_of(tenant)


@pytest.fixture
def stranger(person_of, make_tenant):
    """An owner of another tenant."""
    return person_of(make_tenant(), "owner")


@pytest.fixture
def learn(tenant, agent, judge, monkeypatch):
    """Remember a text for the tenant's agent; the id of the memory."""
    embedder = ScriptedEmbedder(dimension=256)
    monkeypatch.setattr(providers, "embedder", lambda: embedder)

    def remember(text, *, shared=False, held=False, **fields):
        fields = {"category": "operations", **fields}
        visibility = Visibility.SHARED if shared else Visibility.PRIVATE
        given = NewMemory(text=text, visibility=visibility, **fields)
        made = memory.remember(given, within=Scope(tenant.id, agent.id, Reach.SHARED)).item
        if held:
            with scope.tenant_scope(tenant.id):
                Item.objects.filter(id=made.id).update(verdict="hold", verdict_reason="ambiguous")
        return made.id

    return remember


@pytest.fixture
def say_in(tenant):
    """Put words into a memory that nothing would have learnt."""

    def write(item_id, text):
        with scope.tenant_scope(tenant.id):
            Item.objects.filter(id=item_id).update(text=text)

    return write


@pytest.fixture
def questions(tenant):
    """How many statements a page takes that ask for something, whatever was cached before."""

    def count(browser, there):
        selectors.forget_cached(tenant.id)
        selectors._slugs.clear()
        with CaptureQueriesContext(connection) as asked:
            assert browser.get(there).status_code == 200
        return len([each for each in asked.captured_queries if not FRAME.match(each["sql"].strip())])

    return count


@pytest.fixture
def item(tenant):
    """What a memory is in the database."""

    def read(item_id):
        with scope.tenant_scope(tenant.id):
            return Item.objects.get(id=item_id)

    return read


@pytest.fixture
def propose(tenant, learn):
    """Have texts proposed for MEMORY.md and queued for people."""

    def make(*texts):
        for text in texts:
            learn(text, shared=True)
        worker = Scope(tenant.id, None, Reach.TENANT)
        curation.reflect(within=worker)
        curation.sort(within=worker)

    return make


@pytest.fixture
def dispute(tenant, learn):
    """Two memories of which one contradicts the other."""

    def make(one, other, kind=ItemLink.Kind.CONTRADICTS):
        earlier, later = learn(one), learn(other)
        with scope.tenant_scope(tenant.id):
            item = Item.objects.get(id=earlier)
            link = ItemLink(tenant_id=tenant.id, agent_id=item.agent_id, visibility=item.visibility, kind=kind)
            link.from_item_id, link.to_item_id, link.reason, link.batch = later, earlier, "differs", uuid4()
            link.save(force_insert=True)
        return earlier, later

    return make
