"""What users' corrections and repeated wishes teach an agent."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.core.clock import now
from apps.core.ids import new_id
from memory_platform.lifecycle.lessons import Pattern
from memory_platform.model import Visibility

_VISIBILITIES = [(visibility.value, visibility.value) for visibility in Visibility]


class LessonStatus(models.TextChoices):
    """How a lesson stands."""

    ACTIVE = "active"
    """It holds."""
    SUPERSEDED = "superseded"
    """Another took its place."""
    DISMISSED = "dismissed"
    """Somebody dismissed it."""
    ENDED = "ended"
    """What it rests on was forgotten."""


class Lesson(models.Model):
    """A lesson stands on a memory, whose words it has, or (pattern request) on the messages that ask the same.

    `text` is what those ask for, in the words of the latest; empty for one on a memory. `resources` are the messages.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent = models.ForeignKey("tenants.Agent", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    pattern = models.CharField(max_length=10, choices=[(one.value, one.value) for one in Pattern])
    text = models.TextField(blank=True, default="")
    item = models.ForeignKey(
        "memory.Item", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    resources = ArrayField(models.UUIDField(), default=list, help_text="The messages that ask for it.")
    status = models.CharField(max_length=10, choices=LessonStatus.choices, default=LessonStatus.ACTIVE)
    replaced_by = models.ForeignKey(
        "self", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    created_at = models.DateTimeField(default=now)
    updated_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"text", "user_id"})
    NOT_CONTENT = frozenset({"pattern", "status", "visibility"})

    class Meta:
        db_table = "lessons_lesson"
        indexes = [
            models.Index("tenant_id", "id", name="lessons_active", condition=models.Q(status="active")),
            models.Index(
                "tenant_id", "agent", "user_id", name="lessons_requests", condition=models.Q(pattern="request")
            ),
            models.Index(
                "tenant_id", "replaced_by", name="lessons_replaced", condition=models.Q(replaced_by__isnull=False)
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                "tenant_id", "item", name="lessons_item_once", condition=models.Q(item__isnull=False)
            ),
            models.CheckConstraint(
                condition=models.Q(item__isnull=False) ^ models.Q(pattern="request"), name="lessons_stands_on_one"
            ),
        ]


class LessonVersion(models.Model):
    """One change of a lesson: which operation, and its status before and after."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    lesson = models.ForeignKey(Lesson, models.DO_NOTHING, db_constraint=False, related_name="versions", db_index=False)
    at = models.DateTimeField(default=now)
    operation = models.CharField(max_length=16)
    before = models.CharField(max_length=10, blank=True, default="")
    after = models.CharField(max_length=10)

    ERASABLE = frozenset({"user_id"})
    NOT_CONTENT = frozenset({"after", "before", "operation", "visibility"})

    class Meta:
        db_table = "lessons_version"
        indexes = [models.Index("tenant_id", "lesson", "id", name="lessons_version_lesson")]
