"""Creating and changing tenants, agents, keys, policies and categories; each change writes its journal entry."""

from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction

from apps.core import scope
from apps.core.clock import now
from apps.jobs import services as jobs
from apps.journal.services import record
from apps.tenants import access, keys, selectors, topics
from apps.tenants.access import MEMBER, Member, System
from apps.tenants.models import Agent, ApiKey, Category, Membership, Policy, Tenant
from apps.tenants.taxonomy import MOST_CATEGORIES, TAXONOMY_VERSION, starting_categories
from memory_platform.errors import Conflict, Forbidden, Invalid, NotFound
from memory_platform.model import JournalLine

Row = TypeVar("Row", Agent, Membership)

ALL_SCOPES = tuple(ApiKey.Scope.values)
STARTING_SCOPES = tuple(each for each in ALL_SCOPES if each != ApiKey.Scope.ERASE)
"""Of a tenant's first key: what erases for good is asked for by its name."""
# What a key of one user may do: the others reach beyond any user.
USER_SCOPES = frozenset({ApiKey.Scope.READ.value, ApiKey.Scope.WRITE.value, ApiKey.Scope.SHARE.value})
LONGEST_USER_ID = 200
_TOLD_OF_A_CATEGORY = (
    "slug",
    "label",
    "purpose",
    "keywords",
    "examples",
    "ttl_days",
    "decay_lambda",
    "retention",
    "protected",
    "erase_after_days",
)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key and its token, which exists nowhere else and is shown once."""

    key: ApiKey
    token: str


def create_tenant(*, slug: str, name: str) -> Tenant:
    """Create a tenant with the default policy, schedules and categories. For commands only: it looks across tenants.

    Raises Conflict when the slug is taken, Invalid when it is no slug.
    """
    tenant = Tenant(slug=slug, name=name)
    _validate(tenant, unique=False)
    try:
        with scope.unscoped("create a tenant"):
            tenant.save(force_insert=True)
            with scope.tenant_scope(tenant.id):
                policy = Policy.objects.create(tenant_id=tenant.id)
                jobs.create_schedules(policy.time_zone)
                Category.objects.bulk_create(_starting_categories(tenant.id))
                record(JournalLine(operation="tenant.created", subject="tenant", subject_id=tenant.id))
    except IntegrityError as error:
        raise Conflict(f"A tenant with the slug {slug!r} exists already.", field="slug") from error
    return tenant


def set_suspended(*, suspended: bool) -> Tenant:
    """Suspend the scope's tenant, whose keys are refused from then on, or lift it again."""
    tenant = Tenant.objects.get(id=scope.current().tenant_id)
    if (tenant.suspended_at is not None) == suspended:
        return tenant
    tenant.suspended_at = now() if suspended else None
    tenant.save(update_fields=["suspended_at"])
    operation = "tenant.suspended" if suspended else "tenant.resumed"
    record(JournalLine(operation=operation, subject="tenant", subject_id=tenant.id))
    return tenant


def rename_tenant(*, name: str) -> Tenant:
    tenant = Tenant.objects.get(id=scope.current().tenant_id)
    was, tenant.name = tenant.name, name
    _validate(tenant, unique=False)
    tenant.save(update_fields=["name"])
    data = {"changes": {"name": {"was": was, "is": name}}}
    record(JournalLine(operation="tenant.renamed", subject="tenant", subject_id=tenant.id, data=data))
    return tenant


def add_member(*, user_id: int, role: str = Membership.Role.OPERATOR, by: Member | System) -> Membership:
    """Make a login a member of the scope's tenant without asking it: for commands and for tests of what members do.

    Raises Forbidden when `by` may not give the role.
    """
    _require_owner(by, role)
    member = Membership.objects.create(
        tenant_id=scope.current().tenant_id, user_id=user_id, role=Membership.Role(role).value
    )
    _record_member("member.added", member)
    return member


def invite_member(*, username: str, role: str, by: Member | System) -> Membership:
    """Ask whoever logs in under this name to join the scope's tenant; it does not matter whether there is such a login.

    Raises Forbidden when `by` may not give the role, Conflict when the name is a member's or was invited already.
    """
    _require_owner(by, role)
    tenant_id = scope.current().tenant_id
    invited = Membership.objects.filter(tenant_id=tenant_id, user=None, invited_as=username)
    if username in selectors.member_logins().values() or invited.exists():
        raise Conflict("This name is a member already, or is invited.", field="username")
    member = Membership.objects.create(tenant_id=tenant_id, invited_as=username, role=Membership.Role(role).value)
    _record_member("member.invited", member)
    return member


def join(*, tenant_id: UUID, user_id: int) -> None:
    """Accept the invitation of a tenant. Needs no scope. Raises NotFound when there is none."""
    asking = next((held for held in selectors.invitations(user_id) if held.id == tenant_id), None)
    with transaction.atomic():
        if asking is None or not selectors.accept_invitation(tenant_id=tenant_id, user_id=user_id):
            raise NotFound("There is no such invitation.")
        with access.opened(Member(tenant_id, user_id, asking.role)):
            _record_member("member.joined", Membership.objects.get(tenant_id=tenant_id, user_id=user_id))


def change_member(*, membership_id: UUID, role: str, by: Member | System) -> Membership:
    """Give a member another role.

    Raises Forbidden when only an owner may, Conflict when it is the last owner's, NotFound.
    """
    member = _held_member(membership_id)
    _require_owner(by, role, member.role)
    if role != Membership.Role.OWNER:
        _require_another_owner(member)
    was, member.role = member.role, Membership.Role(role).value
    member.save(update_fields=["role"])
    _record_member("member.changed", member, changes={"role": {"was": was, "is": member.role}})
    return member


def remove_member(*, membership_id: UUID, by: Member | System) -> None:
    """Raises Forbidden when only an owner may, Conflict when it is the last owner, NotFound."""
    member = _held_member(membership_id)
    _require_owner(by, member.role)
    _require_another_owner(member)
    _record_member("member.removed", member)
    member.delete()


def leave_tenants(*, user_id: int, by: int) -> None:
    """End every membership of a login that the login `by` is about to delete; journals keep what it did.

    Needs no scope. Raises Conflict when it is the last owner of a tenant, and changes nothing then.
    """
    with transaction.atomic():
        for tenant_id, membership_id in selectors.memberships_of(user_id):
            operator = Member(tenant_id, by, Membership.Role.OWNER)
            with access.opened(operator):
                remove_member(membership_id=membership_id, by=operator)


def _held_member(membership_id: UUID) -> Membership:
    """The member, while nobody else changes members of the tenant: two owners may not remove each other at once."""
    Tenant.objects.select_for_update().get(id=scope.current().tenant_id)
    return _get(Membership, membership_id)


def _require_owner(by: Member | System, *roles: str) -> None:
    if Membership.Role.OWNER in roles and not by.is_owner:
        raise Forbidden("Only an owner adds, changes or removes owners.", field="role")


def _require_another_owner(member: Membership) -> None:
    if selectors.is_last_owner(member):
        tenant = selectors.tenant_slug(member.tenant_id)
        raise Conflict(f"The last owner of {tenant} stays: make somebody else an owner first.", field="role")


def _record_member(operation: str, member: Membership, **data: object) -> None:
    """Whoever was invited has no login as yet, and the name is in the row alone."""
    whose = {"login": f"{MEMBER}{member.user_id}"} if member.user_id else {}
    data = {"role": member.role, **whose, **data}
    record(JournalLine(operation=operation, subject="membership", subject_id=member.id, data=data))


def create_agent(*, slug: str, name: str = "", domain: str = "", writes_per_minute: int | None = None) -> Agent:
    """Create an agent in the scope's tenant. Raises Conflict when the slug is taken, Invalid on a bad value."""
    agent = Agent(
        tenant_id=scope.current().tenant_id, slug=slug, name=name, domain=domain, writes_per_minute=writes_per_minute
    )
    _validate(agent, unique=False)
    try:
        with transaction.atomic():
            agent.save(force_insert=True)
    except IntegrityError as error:
        raise Conflict(f"An agent with the slug {slug!r} exists already.", field="slug") from error
    data = {"slug": slug, "name": name, "domain": domain, "writes_per_minute": writes_per_minute}
    record(JournalLine(operation="agent.created", subject="agent", subject_id=agent.id, data=data), agent_id=agent.id)
    return agent


def change(row: Agent | Policy, changes: Mapping[str, object]) -> None:
    """Apply `changes` to a row of the scope's tenant and journal what each field was and is.

    Raises Invalid with the field's name on a value its validators refuse.
    """
    # Of what is stored: a form has put its values into the row already.
    was = type(row).objects.filter(tenant_id=row.tenant_id, pk=row.pk).values(*changes).get()
    for field, value in changes.items():
        setattr(row, field, value)
    _validate(row, unique=True)
    row.save(update_fields=[*changes, "updated_at"] if isinstance(row, Policy) else list(changes))
    if isinstance(row, Policy) and "time_zone" in changes:
        jobs.change_schedules({"time_zone": row.time_zone})
        topics.time_zone_changed()
    subject = type(row).__name__.lower()
    subject_id = row.tenant_id if isinstance(row, Policy) else row.id
    data = {"changes": {field: {"was": was[field], "is": value} for field, value in changes.items()}}
    record(JournalLine(operation=f"{subject}.changed", subject=subject, subject_id=subject_id, data=data))
    _refresh(row.tenant_id)


def note_budgets(*, held: Callable[[], bool]) -> None:
    """Say in the policy, which every request has at hand, whether the scope's tenant has budgets: `held` looks.

    Who changes budgets takes turns here, or the last one to go could hide the first one to come.
    """
    tenant_id = scope.current().tenant_id
    Policy.objects.select_for_update().get(tenant_id=tenant_id)
    Policy.objects.filter(tenant_id=tenant_id).update(has_budgets=held())
    _refresh(tenant_id)


def _next_taxonomy() -> int:
    """The number of this edit of the tenant's categories; who edits them takes turns."""
    tenant_id = scope.current().tenant_id
    Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
    return selectors.taxonomy_version(tenant_id, fresh=True) + 1


def create_category(category: Category) -> Category:
    """Add a category to the scope's tenant.

    Raises Conflict when the slug is taken, Invalid on a bad value or one category too many.
    """
    category.tenant_id = scope.current().tenant_id
    _validate(category, unique=True)
    category.taxonomy_version = _next_taxonomy()
    if Category.objects.filter(tenant_id=category.tenant_id).count() >= MOST_CATEGORIES:
        raise Invalid(f"A tenant has at most {MOST_CATEGORIES} categories.", field="slug")
    try:
        with transaction.atomic():
            category.save(force_insert=True)
    except IntegrityError as error:
        raise Conflict(f"A category with the slug {category.slug!r} exists already.", field="slug") from error
    data = {field: _told(field, getattr(category, field)) for field in _TOLD_OF_A_CATEGORY}
    record(JournalLine(operation="category.created", subject="category", subject_id=category.id, data=data))
    _refresh(category.tenant_id)
    return category


def edited_category(row: Category, changes: Mapping[str, object]) -> Category:
    """The category as it would be with `changes`, not saved. Raises Invalid on a value its validators refuse."""
    would_be = copy(row)
    for field, value in changes.items():
        setattr(would_be, field, value)
    _validate(would_be, unique=True)
    return would_be


def edit_category(row: Category, changes: Mapping[str, object]) -> Category:
    """Save `changes` to a category of the scope's tenant: a new version of its taxonomy, journalled with what it was
    and is; what is as it was is no change. Raises Invalid on a value its validators refuse.
    """
    was = {field: getattr(row, field) for field in changes}
    edited = edited_category(row, changes)
    is_now = {field: getattr(edited, field) for field, old in was.items() if getattr(edited, field) != old}
    if not is_now:
        return row
    edited.taxonomy_version = _next_taxonomy()
    edited.save(update_fields=[*is_now, "taxonomy_version"])
    told = {field: {"was": _told(field, was[field]), "is": _told(field, value)} for field, value in is_now.items()}
    data = {"taxonomy_version": edited.taxonomy_version, "changes": told}
    record(JournalLine(operation="category.changed", subject="category", subject_id=edited.id, data=data))
    _refresh(edited.tenant_id)
    return edited


def _told(field: str, value: object) -> object:
    """Of examples, which are sentences, how many: the journal holds no content."""
    return len(value) if field == "examples" and isinstance(value, list) else value


def create_key(
    *,
    agent_id: UUID,
    scopes: Collection[str],
    name: str = "",
    expires_at: datetime | None = None,
    user_id: str | None = None,
) -> NewKey:
    """Make a key for an agent of the scope's tenant, with `user_id` one that reaches this user's memories only.

    Raises NotFound, or Invalid on an unknown scope, one that no user's key has, or a past date.
    """
    if not scopes or not set(scopes) <= set(ALL_SCOPES):
        raise Invalid(f"Scopes are one or more of {', '.join(ALL_SCOPES)}.", field="scopes")
    if user_id is not None:
        _check_user(user_id, scopes)
    if expires_at is not None and expires_at <= now():
        raise Invalid("expiresAt lies in the past.", field="expiresAt")
    agent = _get(Agent, agent_id)
    token = keys.new_token()
    key = ApiKey.objects.create(
        tenant_id=agent.tenant_id,
        agent=agent,
        user_id=user_id,
        name=name[:200],
        made_by=selectors.person(),
        prefix=token.prefix,
        secret_hash=token.secret_hash,
        scopes=sorted(set(scopes)),
        expires_at=expires_at,
    )
    _record_key("key.created", key, scopes=key.scopes)
    return NewKey(key, str(token))


def _check_user(user_id: str, scopes: Collection[str]) -> None:
    if not 1 <= len(user_id) <= LONGEST_USER_ID or not user_id.isprintable():
        raise Invalid(f"userId has 1 to {LONGEST_USER_ID} printable characters.", field="userId")
    if beyond := sorted(set(scopes) - USER_SCOPES):
        raise Invalid(
            f"A key of one user cannot have the scope {beyond[0]}.",
            field="scopes",
            hint=f"Its scopes are among {', '.join(sorted(USER_SCOPES))}.",
        )


def rotate_key(*, key_id: UUID, overlap: timedelta = timedelta(0)) -> NewKey:
    """Replace a key by one with the same agent, user, scopes, name and expiry; the old one works `overlap` longer.

    Raises NotFound, and Conflict when the key is revoked already.
    """
    old = _locked_key(key_id)
    if old.revoked_at is not None:
        raise Conflict("The key is revoked already; create a new one instead.")
    fresh = create_key(
        agent_id=old.agent_id, scopes=old.scopes, name=old.name, expires_at=old.expires_at, user_id=old.user_id
    )
    if overlap:
        ends = now() + overlap
        old.expires_at = ends if old.expires_at is None else min(ends, old.expires_at)
        old.save(update_fields=["expires_at"])
    else:
        revoke_key(key_id=key_id)
    _record_key("key.rotated", old, successor=str(fresh.key.id))
    return fresh


def revoke_key(*, key_id: UUID) -> ApiKey:
    """Refuse the key from now on; revoking again changes nothing. Raises NotFound."""
    key = _locked_key(key_id)
    if key.revoked_at is None:
        key.revoked_at = now()
        key.save(update_fields=["revoked_at"])
        _record_key("key.revoked", key)
    return key


def _locked_key(key_id: UUID) -> ApiKey:
    key = (
        ApiKey.objects.select_for_update(of=("self",))
        .select_related("agent")
        .filter(tenant_id=scope.current().tenant_id, id=key_id)
        .first()
    )
    if key is None:
        raise NotFound("No such key.")
    return key


def _record_key(operation: str, key: ApiKey, **data: object) -> None:
    record(JournalLine(operation=operation, subject="key", subject_id=key.id, data=data), agent_id=key.agent_id)


def _get(model: type[Row], row_id: UUID) -> Row:
    row = model.objects.filter(tenant_id=scope.current().tenant_id, id=row_id).first()
    if row is None:
        raise NotFound(f"No such {model.__name__.lower()}.")
    return row


def _validate(row: models.Model, *, unique: bool) -> None:
    try:
        row.full_clean(exclude=["tenant"], validate_unique=unique, validate_constraints=unique)
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise Invalid(messages[0], field=field) from error


def _starting_categories(tenant_id: UUID) -> list[Category]:
    """Examples stay in the file, where they may get better, until the tenant writes its own."""
    return [
        Category(
            tenant_id=tenant_id,
            slug=seed.slug,
            label=seed.label,
            keywords=list(seed.keywords),
            ttl_days=seed.ttl_days,
            decay_lambda=seed.decay_lambda,
            retention=seed.retention.value,
            purpose=seed.purpose,
            protected=seed.protected,
            taxonomy_version=TAXONOMY_VERSION,
        )
        for seed in starting_categories()
    ]


def _refresh(tenant_id: UUID) -> None:
    """Drop cached numbers now, for this transaction, and once it is visible to others."""
    selectors.forget_cached(tenant_id)
    transaction.on_commit(lambda: selectors.forget_cached(tenant_id))
