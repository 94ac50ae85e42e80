"""Reading who there is and which numbers apply."""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import connection
from django.db.models import Max, Q, QuerySet

from apps.core import context, scope
from apps.core.clock import now
from apps.core.ids import NO_ROW
from apps.tenants import keys
from apps.tenants.access import AgentKey, Limits
from apps.tenants.models import Agent, ApiKey, Category, Membership, Policy, Tenant
from apps.tenants.taxonomy import TAXONOMY_VERSION, starting, starting_categories
from memory_platform.errors import NotFound, Unauthenticated
from memory_platform.model import CategoryRule, Retention

# A change in the admin reaches every process within this many seconds.
CACHE_SECONDS = 5.0
EXPIRES_SOON: Final = timedelta(days=14)

_policies: dict[UUID, tuple[float, Policy]] = {}
_categories: dict[UUID, tuple[float, tuple[CategoryRule, ...]]] = {}
_taxonomies: dict[UUID, tuple[float, int]] = {}
_slugs: dict[tuple[UUID, UUID], tuple[float, str]] = {}


def policy(tenant_id: UUID) -> Policy:
    """The tenant's numbers, at most CACHE_SECONDS old. Needs an open scope when not cached."""
    held = _policies.get(tenant_id)
    if held is None or held[0] < time.monotonic():
        held = (time.monotonic() + CACHE_SECONDS, Policy.objects.get(tenant_id=tenant_id))
        _policies[tenant_id] = held
    return held[1]


def cached_policy(tenant_id: UUID) -> Policy | None:
    """The tenant's numbers if this process holds them and they are fresh; needs no scope."""
    held = _policies.get(tenant_id)
    return None if held is None or held[0] < time.monotonic() else held[1]


def time_zone(tenant_id: UUID) -> ZoneInfo:
    """Where the tenant's days begin."""
    return ZoneInfo(policy(tenant_id).time_zone)


def reported_since(tenant_id: UUID, at: datetime) -> datetime:
    """From when on the health report and the hit rates of the tiers tell, `at` a time."""
    return at - timedelta(days=policy(tenant_id).report_days)


def category_rules(tenant_id: UUID) -> tuple[CategoryRule, ...]:
    """The tenant's categories as stages need them, at most CACHE_SECONDS old, ordered by slug."""
    held = _categories.get(tenant_id)
    if held is None or held[0] < time.monotonic():
        rows = Category.objects.filter(tenant_id=tenant_id).order_by("slug")
        held = (time.monotonic() + CACHE_SECONDS, tuple(rule_of(row) for row in rows))
        _categories[tenant_id] = held
    return held[1]


def operational_categories(tenant_id: UUID) -> frozenset[str]:
    """Categories of how services run; as old as `category_rules` may be."""
    return frozenset(rule.slug for rule in category_rules(tenant_id) if rule.operational)


def categories(tenant_id: UUID) -> list[Category]:
    """The tenant's categories, ordered by slug."""
    return list(Category.objects.filter(tenant_id=tenant_id).order_by("slug"))


def taxonomy_version(tenant_id: UUID, *, fresh: bool = False) -> int:
    """The number of the last edit of the tenant's categories; unless `fresh` at most CACHE_SECONDS old."""
    held = _taxonomies.get(tenant_id)
    if fresh or held is None or held[0] < time.monotonic():
        last = Category.objects.filter(tenant_id=tenant_id).aggregate(last=Max("taxonomy_version"))["last"]
        held = (time.monotonic() + CACHE_SECONDS, last or TAXONOMY_VERSION)
        _taxonomies[tenant_id] = held
    return held[1]


def category_label(slug: str) -> str:
    """What people call a category; its slug where the tenant has none of that name."""
    rows = Category.objects.filter(tenant_id=scope.current().tenant_id, slug=slug)
    return rows.values_list("label", flat=True).first() or slug


def forget_cached(tenant_id: UUID) -> None:
    """Drop this process's copies after a change, so that the one who made it sees it at once."""
    _policies.pop(tenant_id, None)
    _categories.pop(tenant_id, None)
    _taxonomies.pop(tenant_id, None)


def category(slug: str) -> Category:
    """A category of the scope's tenant. Raises NotFound."""
    row = Category.objects.filter(tenant_id=scope.current().tenant_id, slug=slug).first()
    if row is None:
        raise NotFound(f"There is no category {slug!r}.", field="slug")
    return row


def rule_of(row: Category) -> CategoryRule:
    """A category as stages need it: what is protected fades by no curve and has no TTL, whatever its numbers say."""
    return CategoryRule(
        slug=row.slug,
        keywords=tuple(row.keywords),
        ttl_days=None if row.protected else row.ttl_days,
        decay_lambda=row.decay_lambda,
        retention=Retention.NONE if row.protected else Retention(row.retention),
        operational=row.purpose == Category.Purpose.OPERATIONAL,
        examples=examples_of(row),
        protected=row.protected,
    )


def examples_of(row: Category) -> tuple[str, ...]:
    """The category's own examples, else those of the deployment's category of its name."""
    if row.examples is not None:
        return tuple(row.examples)
    default = starting(row.slug)
    return () if default is None else default.examples


def starting_rules() -> tuple[CategoryRule, ...]:
    """The categories a new tenant would start with, ordered by slug."""
    rows = [Category(slug=each.slug, keywords=list(each.keywords)) for each in starting_categories()]
    return tuple(rule_of(row) for row in sorted(rows, key=lambda row: row.slug))


@dataclass(frozen=True, slots=True)
class MemberTenant:
    """A tenant a login may act in, and as what."""

    id: UUID
    slug: str
    name: str
    role: str


def authenticate(token_text: str) -> AgentKey:
    """Who holds this token. One round trip; needs no scope, for it precedes the tenant.

    Raises Unauthenticated for anything but a live key of a live tenant; what exactly is wrong with a key is told
    only to who holds its secret.
    """
    token = keys.parse(token_text)
    row = _key_row(token.prefix) if token else None
    if token is None or not keys.matches(token, row.secret_hash if row else None) or row is None:
        raise Unauthenticated("The API key is not valid.", hint="Send the header Authorization: Bearer mp_….")
    if row.problem:
        raise Unauthenticated(_PROBLEMS[row.problem])
    if row.unused_lately:
        _call("SELECT touch_key(%s)", row.principal.key_id)
    return row.principal


def person() -> str:
    """Who stands behind the caller: whoever made its key, or made the key that one was made with. Needs a scope of the
    whole tenant.
    """
    caller = context.current()
    if not caller.key_id:
        return caller.actor
    made_by = ApiKey.objects.filter(tenant_id=scope.current().tenant_id, id=caller.key_id).values_list("made_by")
    return "".join(*made_by)


def member_tenants(user_id: int) -> list[MemberTenant]:
    """The tenants a login may act in, by name; a superuser may act in all. Needs no scope."""
    return [MemberTenant(*row) for row in _call("SELECT * FROM member_tenants(%s)", user_id)]


def invitations(user_id: int) -> list[MemberTenant]:
    """The tenants that ask a login to join, and as what. Needs no scope."""
    return [MemberTenant(*row) for row in _call("SELECT * FROM invitations(%s)", user_id)]


def accept_invitation(*, tenant_id: UUID, user_id: int) -> bool:
    """Make the invited login a member; whether it was invited. Needs no scope."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT accept_invitation(%s, %s)", [tenant_id, user_id])
        return bool(cursor.fetchone()[0])


def memberships_of(user_id: int) -> list[tuple[UUID, UUID]]:
    """Tenant and id of every membership of a login. Needs no scope."""
    return _call("SELECT * FROM memberships_of(%s)", user_id)


def is_last_owner(member: Membership) -> bool:
    """Whether the tenant had no owner without this member; an invited one is none yet."""
    owners = Membership.objects.filter(tenant_id=member.tenant_id, role=Membership.Role.OWNER, user_id__isnull=False)
    return set(owners.values_list("id", flat=True)) == {member.id}


def member_logins() -> dict[int, str]:
    """The user names of the scope's tenant's members, by user id."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT user_id, username FROM member_logins()")
        return dict(cursor.fetchall())


def agents() -> tuple[Agent, ...]:
    """Every agent of the scope's tenant, by slug."""
    return tuple(Agent.objects.filter(tenant_id=scope.current().tenant_id).order_by("slug"))


def agent_by_slug(slug: str) -> Agent | None:
    return Agent.objects.filter(tenant_id=scope.current().tenant_id, slug=slug).first()


def is_suspended() -> bool:
    """Whether the scope's tenant is."""
    return suspension().exists()


def suspension() -> QuerySet[Tenant]:
    """The scope's tenant where it is suspended, else nothing."""
    return Tenant.objects.filter(id=scope.current().tenant_id, suspended_at__isnull=False)


def tenant_slugs(*, only: str | None = None) -> list[tuple[str, UUID]]:
    """Every tenant there is, or the one of this slug, each with its id. Needs `scope.unscoped`."""
    rows = Tenant.objects.order_by("slug") if only is None else Tenant.objects.filter(slug=only)
    return list(rows.values_list("slug", "id"))


def tenant_slug(tenant_id: UUID) -> str:
    return Tenant.objects.get(id=tenant_id).slug


def agent_id_of(slug: str | None) -> UUID | None:
    """The id of the agent a filter names by its own name; NO_ROW when there is none."""
    if slug is None:
        return None
    agent = agent_by_slug(slug)
    return agent.id if agent else NO_ROW


def agent_slugs(agent_ids: set[UUID]) -> dict[UUID, str]:
    """The callers' own names (`agentId` in the API) of agents of the scope's tenant, at most CACHE_SECONDS old."""
    tenant_id, fresh = scope.current().tenant_id, time.monotonic()
    held = {agent_id: _slugs[tenant_id, agent_id] for agent_id in agent_ids if (tenant_id, agent_id) in _slugs}
    known = {agent_id: slug for agent_id, (until, slug) in held.items() if until > fresh}
    if missing := agent_ids - known.keys():
        rows = dict(Agent.objects.filter(tenant_id=tenant_id, id__in=missing).values_list("id", "slug"))
        _slugs.update({(tenant_id, agent_id): (fresh + CACHE_SECONDS, slug) for agent_id, slug in rows.items()})
        known |= rows
    return known


def api_keys() -> list[ApiKey]:
    """Every key of the scope's tenant, newest first, with its agent."""
    rows = ApiKey.objects.filter(tenant_id=scope.current().tenant_id).select_related("agent")
    return list(rows.defer("secret_hash").order_by("-created_at", "-id"))


class KeyState(StrEnum):
    WORKS = "works"
    EXPIRES = "expires soon"
    EXPIRED = "expired"
    REVOKED = "revoked"


def key_state(row: ApiKey) -> KeyState:
    moment = now()
    if row.revoked_at is not None:
        return KeyState.REVOKED
    if row.expires_at is None or row.expires_at > moment + EXPIRES_SOON:
        return KeyState.WORKS
    return KeyState.EXPIRES if row.expires_at > moment else KeyState.EXPIRED


def keys_in(state: KeyState) -> Q:
    """Which keys `key_state` says this of."""
    moment = now()
    if state is KeyState.REVOKED:
        return Q(revoked_at__isnull=False)
    by_expiry = {
        KeyState.WORKS: Q(expires_at__isnull=True) | Q(expires_at__gt=moment + EXPIRES_SOON),
        KeyState.EXPIRES: Q(expires_at__gt=moment, expires_at__lte=moment + EXPIRES_SOON),
        KeyState.EXPIRED: Q(expires_at__lte=moment),
    }
    return Q(revoked_at__isnull=True) & by_expiry[state]


def expiring_keys() -> QuerySet[ApiKey]:
    """The scope's tenant's keys that stop working within EXPIRES_SOON unless somebody rotates them."""
    return ApiKey.objects.filter(keys_in(KeyState.EXPIRES), tenant_id=scope.current().tenant_id)


@dataclass(frozen=True, slots=True)
class _KeyRow:
    principal: AgentKey
    secret_hash: bytes
    problem: str
    unused_lately: bool


_PROBLEMS = {
    "revoked": "The API key is revoked; create a new one.",
    "expired": "The API key has expired; rotate it or create a new one.",
    "suspended": "The tenant is suspended.",
}


def _key_row(prefix: str) -> _KeyRow | None:
    rows = _call("SELECT * FROM authenticate_key(%s)", prefix)
    if not rows:
        return None
    key_id, tenant_id, agent_id, slug, domain, scopes, user_id, secret_hash, problem, unused_lately, *limits = rows[0]
    principal = AgentKey(tenant_id, agent_id, slug, domain, frozenset(scopes), key_id, Limits(*limits), user_id)
    return _KeyRow(principal, bytes(secret_hash), problem, unused_lately)


def _call(sql: str, argument: str | int | UUID) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [argument])
        return list(cursor.fetchall())
