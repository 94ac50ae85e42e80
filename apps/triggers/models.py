"""Times to come back to what was said."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.core.clock import now
from apps.core.ids import new_id
from memory_platform.lifecycle.triggers import Precision
from memory_platform.model import Visibility

_VISIBILITIES = [(visibility.value, visibility.value) for visibility in Visibility]


class TriggerStatus(models.TextChoices):
    """How a trigger stands."""

    WAITING = "waiting"
    """Its time has not come."""
    DUE = "due"
    """Its time has come."""
    SNOOZED = "snoozed"
    """It was put off."""
    DONE = "done"
    """Somebody did it."""
    DISMISSED = "dismissed"
    """Somebody does not want it."""
    ENDED = "ended"
    """It ended by itself; `ending` tells why."""


class Ending(models.TextChoices):
    """Why a trigger ended by itself."""

    MOVED = "moved"
    """It was said to be at another time."""
    REFINED = "refined"
    """The same time was told more exactly."""
    CANCELLED = "cancelled"
    """It was said not to be."""
    SUPERSEDED = "superseded"
    """What it rests on was replaced."""
    FORGOTTEN = "forgotten"
    """What it rests on was forgotten."""
    LAPSED = "lapsed"
    """It was due for long, and nobody took it."""


class FutureTrigger(models.Model):
    """A time ahead that a message named, or a caller set.

    `at` is the moment it falls due next, `begins_at` the first time of one that comes back (`recurrence`, RFC 5545
    without DTSTART, in `time_zone`). Of a whole day (precision day) `at` is the midnight it begins with in that zone.
    `resource` is the message it was read in, null for one that a caller set or told; `item` the memory it stands on.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent = models.ForeignKey("tenants.Agent", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    text = models.TextField(help_text="The clause that named it, or what the caller wants to be reminded of.")
    at = models.DateTimeField()
    precision = models.CharField(max_length=6, choices=[(one.value, one.value) for one in Precision])
    time_zone = models.CharField(max_length=64)
    recurrence = models.CharField(max_length=200, blank=True, default="")
    begins_at = models.DateTimeField()
    resource = models.ForeignKey(
        "resources.Resource", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    item = models.ForeignKey(
        "memory.Item", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    preload = ArrayField(models.UUIDField(), default=list, help_text="Memories to show when it is due.")
    status = models.CharField(max_length=9, choices=TriggerStatus.choices, default=TriggerStatus.WAITING)
    ending = models.CharField(max_length=10, choices=Ending.choices, blank=True, default="")
    replaced_by = models.ForeignKey(
        "self", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    forget_batch_id = models.UUIDField(null=True)
    snoozed_until = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True, help_text="Since when it is due.")
    digest = models.CharField(
        max_length=64, help_text="SHA-256 of what was read or imported, which makes doing so again harmless."
    )
    created_at = models.DateTimeField(default=now)
    updated_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"text", "user_id"})
    NOT_CONTENT = frozenset({"digest", "ending", "precision", "recurrence", "status", "time_zone", "visibility"})

    class Meta:
        db_table = "triggers_future_trigger"
        indexes = [
            models.Index(
                "tenant_id",
                "at",
                "id",
                name="triggers_open",
                condition=models.Q(status__in=("waiting", "due", "snoozed")),
            ),
            models.Index("tenant_id", "item", name="triggers_item", condition=models.Q(item__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(
                "tenant_id",
                "resource",
                "digest",
                name="triggers_read_once",
                condition=models.Q(resource__isnull=False),
            ),
            models.UniqueConstraint(
                "tenant_id",
                "agent_id",
                "digest",
                name="triggers_set_once",
                condition=models.Q(resource__isnull=True),
            ),
        ]
