from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.journal.models import Entry
from apps.tenants import keys, selectors, services
from apps.tenants.models import Agent, ApiKey
from memory_platform.errors import Conflict, Invalid, NotFound, Unauthenticated


def test_a_token_survives_the_round_trip():
    token = keys.new_token()

    assert keys.parse(str(token)) == token
    assert keys.matches(token, token.secret_hash)


@pytest.mark.parametrize("text", ["", "mp_", "mp_abc_def", "sk_0123456789ab_x", "mp_0123456789ab", "mp_0123456789äb_x"])
def test_what_is_no_token_is_none(text):
    assert keys.parse(text) is None


def test_no_hash_never_matches():
    assert not keys.matches(keys.new_token(), None)


@pytest.fixture
def new_key(tenant, agent):
    with tenant_scope(tenant.id):
        return services.create_key(agent_id=agent.id, scopes=["read", "write"], name="laptop")


def test_a_key_authenticates_as_its_agent(tenant, agent, new_key):
    principal = selectors.authenticate(new_key.token)

    assert (principal.tenant_id, principal.agent_id, principal.agent_slug) == (tenant.id, agent.id, "assistant")
    assert principal.scopes == {"read", "write"}
    assert (principal.limits.writes, principal.limits.captures, principal.limits.captures_burst) == (60, 600, 120)


def test_the_agents_own_write_limit_wins(tenant, agent, new_key):
    with tenant_scope(tenant.id):
        services.change(Agent.objects.get(id=agent.id), {"writes_per_minute": 7})

    assert selectors.authenticate(new_key.token).limits.writes == 7


def test_authentication_is_one_query_and_notes_the_use_once_a_minute(tenant, new_key, django_assert_num_queries):
    selectors.authenticate(new_key.token)

    with django_assert_num_queries(1):
        selectors.authenticate(new_key.token)
    with tenant_scope(tenant.id):
        assert ApiKey.objects.get(id=new_key.key.id).last_used_at is not None


def test_only_the_hash_of_the_secret_is_stored(tenant, new_key):
    secret = new_key.token.split("_", 2)[2]

    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT tenants_api_key::text FROM tenants_api_key WHERE id = %s", [new_key.key.id])
        assert secret not in cursor.fetchone()[0]


def test_a_wrong_secret_says_no_more_than_an_unknown_prefix(new_key):
    wrong = new_key.token[:-1] + ("A" if new_key.token[-1] != "A" else "B")

    with pytest.raises(Unauthenticated) as of_wrong:
        selectors.authenticate(wrong)
    with pytest.raises(Unauthenticated) as of_unknown:
        selectors.authenticate(str(keys.new_token()))
    assert of_wrong.value.message == of_unknown.value.message


def test_a_revoked_key_is_refused(tenant, new_key):
    with tenant_scope(tenant.id):
        services.revoke_key(key_id=new_key.key.id)
        services.revoke_key(key_id=new_key.key.id)
        assert Entry.objects.filter(tenant_id=tenant.id, operation="key.revoked").count() == 1

    with pytest.raises(Unauthenticated, match="revoked"):
        selectors.authenticate(new_key.token)


def test_an_expired_key_is_refused(tenant, new_key):
    with tenant_scope(tenant.id):
        ApiKey.objects.filter(id=new_key.key.id).update(expires_at=now() - timedelta(seconds=1))

    with pytest.raises(Unauthenticated, match="expired"):
        selectors.authenticate(new_key.token)


def test_keys_of_a_suspended_tenant_are_refused_until_it_resumes(tenant, new_key):
    with tenant_scope(tenant.id):
        services.set_suspended(suspended=True)
    with pytest.raises(Unauthenticated, match="suspended"):
        selectors.authenticate(new_key.token)

    with tenant_scope(tenant.id):
        services.set_suspended(suspended=False)
    assert selectors.authenticate(new_key.token).tenant_id == tenant.id


def test_rotation_replaces_the_key(tenant, new_key):
    with tenant_scope(tenant.id):
        fresh = services.rotate_key(key_id=new_key.key.id)

    assert selectors.authenticate(fresh.token).scopes == {"read", "write"}
    with pytest.raises(Unauthenticated, match="revoked"):
        selectors.authenticate(new_key.token)
    with tenant_scope(tenant.id), pytest.raises(Conflict):
        services.rotate_key(key_id=new_key.key.id)


def test_rotation_with_an_overlap_keeps_both_working(tenant, new_key):
    with tenant_scope(tenant.id):
        fresh = services.rotate_key(key_id=new_key.key.id, overlap=timedelta(hours=1))

    assert selectors.authenticate(fresh.token).tenant_id == selectors.authenticate(new_key.token).tenant_id


def test_a_key_of_another_tenant_cannot_be_revoked(make_tenant, new_key):
    with tenant_scope(make_tenant().id), pytest.raises(NotFound):
        services.revoke_key(key_id=new_key.key.id)

    selectors.authenticate(new_key.token)


@pytest.mark.parametrize("scopes", [[], ["everything"]])
def test_unknown_scopes_are_refused(tenant, agent, scopes):
    with tenant_scope(tenant.id), pytest.raises(Invalid) as refused:
        services.create_key(agent_id=agent.id, scopes=scopes)
    assert refused.value.field == "scopes"


def test_a_key_needs_an_agent_of_this_tenant(make_tenant, agent):
    with tenant_scope(make_tenant().id), pytest.raises(NotFound):
        services.create_key(agent_id=agent.id, scopes=["read"])
    with tenant_scope(make_tenant().id), pytest.raises(NotFound):
        services.create_key(agent_id=uuid4(), scopes=["read"])
