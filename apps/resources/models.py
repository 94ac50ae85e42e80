"""Session, Checkpoint and Resource: what happened, in the words it happened in. The last two are append-only."""

from django.db import models

from apps.core.clock import now
from apps.core.ids import new_id
from memory_platform.model import Role, Visibility

_VISIBILITIES = [(visibility.value, visibility.value) for visibility in Visibility]
_ROLES = [(role.value, role.value) for role in Role]


class Session(models.Model):
    """One conversation of an agent with one user, under the caller's own id, which another user's may have, too.

    Hands out the ordinals and turn numbers of its rows. A branch begins as its parent was after `parent_turn`: what was
    said until then stays the parent's, and is read through.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent = models.ForeignKey("tenants.Agent", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False)
    external_id = models.CharField(max_length=200)
    user_id = models.CharField(max_length=200, null=True)
    next_ordinal = models.PositiveIntegerField(default=0)
    next_turn = models.PositiveIntegerField(default=1)
    started_at = models.DateTimeField(default=now)
    last_active_at = models.DateTimeField(default=now)
    opened_at = models.DateTimeField(default=now, help_text="When it began, or last went on after it had ended.")
    ended_at = models.DateTimeField(null=True)
    parent = models.ForeignKey(
        "self", models.DO_NOTHING, db_constraint=False, related_name="branches", db_index=False, null=True
    )
    parent_turn = models.PositiveIntegerField(null=True, help_text="The last turn that is the parent's.")

    ERASABLE = frozenset({"external_id", "user_id"})

    class Meta:
        db_table = "resources_session"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "agent", "user_id", "external_id"],
                name="resources_session_external",
                nulls_distinct=False,
            ),
        ]

    @property
    def parent_session_id(self) -> str | None:
        """The caller's own id of the session this one is a branch of."""
        return None if self.parent is None else self.parent.external_id


class Checkpoint(models.Model):
    """One turn as the agent reported it, secrets removed: what `replay` goes through."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    session = models.ForeignKey(
        Session, models.DO_NOTHING, db_constraint=False, related_name="checkpoints", db_index=False
    )
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    turn_number = models.PositiveIntegerField()
    user_input = models.TextField(null=True)
    tool_calls = models.JSONField(null=True)
    llm_output = models.TextField(null=True)
    internal_state = models.JSONField(null=True)
    content_hash = models.BinaryField(max_length=32, help_text="SHA-256 of the turn without its secrets.")
    occurred_at = models.DateTimeField(default=now)
    created_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"internal_state", "llm_output", "tool_calls", "user_id", "user_input"})
    NOT_CONTENT = frozenset({"content_hash", "visibility"})

    class Meta:
        db_table = "resources_checkpoint"
        constraints = [
            models.UniqueConstraint("tenant_id", "session", "turn_number", name="resources_checkpoint_turn"),
        ]


class Resource(models.Model):
    """One message. `ordinal` is its place in the session, `content_at` when it was said."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    session = models.ForeignKey(
        Session, models.DO_NOTHING, db_constraint=False, related_name="resources", db_index=False
    )
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    ordinal = models.PositiveIntegerField()
    turn_number = models.PositiveIntegerField(null=True)
    role = models.CharField(max_length=9, choices=_ROLES, default=Role.USER.value)
    speaker = models.CharField(max_length=200, null=True)
    content_type = models.CharField(max_length=64, default="text/plain")
    raw_content = models.TextField()
    content_hash = models.BinaryField(max_length=32, help_text="SHA-256 of the content without its secrets.")
    external_id = models.CharField(max_length=200, null=True)
    content_at = models.DateTimeField(default=now)
    created_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"external_id", "raw_content", "speaker", "user_id"})
    NOT_CONTENT = frozenset({"content_hash", "content_type", "role", "visibility"})

    class Meta:
        db_table = "resources_resource"
        # None on `created_at`: what is asked since a moment goes by id, which begins with the time (ids.earliest_id).
        indexes = [
            models.Index(
                "tenant_id", "user_id", name="resources_resource_user", condition=models.Q(user_id__isnull=False)
            ),
        ]
        constraints = [
            models.UniqueConstraint("tenant_id", "session", "ordinal", name="resources_resource_ordinal"),
            models.UniqueConstraint(
                "tenant_id",
                "session",
                "external_id",
                name="resources_resource_external",
                condition=models.Q(external_id__isnull=False),
            ),
        ]
