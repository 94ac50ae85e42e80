"""Erasures: what somebody asked to have erased, what that meant, how far it has come, and the receipt."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from typing_extensions import override

from apps.core.clock import now
from apps.core.ids import new_id


class ErasureKind(models.TextChoices):
    """Everything about whom or what."""

    USER = "user"
    """All that is of a user."""
    SESSION = "session"
    """A conversation, and what was learnt in it."""
    ENTITY = "entity"
    """All that names an entity."""
    MEMORIES = "memories"
    """Memories, by their ids."""
    RETENTION = "retention"
    """What a category no longer keeps."""


class ErasureState(models.TextChoices):
    """How far an erasure has come."""

    WAITING = "waiting"
    """A second person has to agree."""
    RUNNING = "running"
    """It is being erased."""
    REJECTED = "rejected"
    """A second person said no."""
    DONE = "done"
    """All is gone, and there is a receipt."""


class Target(models.TextChoices):
    """What a target is. An entity is only touched: it stays where something else speaks of it. A sentence is looked for
    by its digest at the end.
    """

    ITEM = "item"
    RESOURCE = "resource"
    SESSION = "session"
    ENTITY = "entity"
    SENTENCE = "sentence"


class Erasure(models.Model):
    """Written before anything is erased, with its targets, so that it is finished whatever happens in between.

    `about` names whom or what it is about (the request as it came), and is emptied when it is over; `digest` stays, by
    which somebody who knows the name finds it. `steps` are those that are done; `removed` counts rows by table, and by
    store what went from others.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    kind = models.CharField(max_length=9, choices=ErasureKind.choices)
    about = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)
    reason = models.TextField(blank=True, default="")
    state = models.CharField(max_length=8, choices=ErasureState.choices, default=ErasureState.RUNNING)
    requested_by = models.CharField(max_length=64)
    requested_agent_id = models.UUIDField(null=True)
    requested_person = models.CharField(max_length=64, default="", help_text="Who made the key that asked, or asked.")
    requested_at = models.DateTimeField(default=now)
    decided_by = models.CharField(max_length=64, blank=True, default="")
    decided_agent_id = models.UUIDField(null=True)
    decided_person = models.CharField(max_length=64, default="", help_text="Who made the key that decided, or decided.")
    decided_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    targets_count = models.PositiveIntegerField(default=0)
    steps = ArrayField(models.CharField(max_length=16), default=list)
    removed = models.JSONField(default=dict)
    residue = models.JSONField(default=list, help_text="Columns in which something was found again, in the last scan.")
    receipt = models.JSONField(null=True)

    ERASABLE = frozenset({"about", "reason"})
    NOT_CONTENT = frozenset(
        {
            "decided_by",
            "decided_person",
            "digest",
            "kind",
            "receipt",
            "removed",
            "requested_by",
            "requested_person",
            "residue",
            "state",
            "steps",
        }
    )

    class Meta:
        db_table = "erasure_erasure"
        indexes = [
            models.Index("tenant_id", "digest", name="erasure_digest"),
            models.Index("tenant_id", "id", name="erasure_open", condition=models.Q(state__in=("waiting", "running"))),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.kind} {self.digest[:12]}"


class ErasureTarget(models.Model):
    """A row that is to go, by its id, or a sentence, by its digest; gone with the erasure's end."""

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField()
    erasure = models.ForeignKey(Erasure, models.DO_NOTHING, db_constraint=False, related_name="targets", db_index=False)
    kind = models.CharField(max_length=8, choices=Target.choices)
    unit_id = models.UUIDField()

    NOT_CONTENT = frozenset({"kind"})

    class Meta:
        db_table = "erasure_target"
        constraints = [models.UniqueConstraint("tenant_id", "erasure", "kind", "unit_id", name="erasure_target_once")]

    @override
    def __str__(self) -> str:
        return f"{self.kind} {self.unit_id}"


class ReceiptKey(models.Model):
    """A public key that signed receipts of the tenant: they are verified by it after the secret was changed."""

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField()
    key_id = models.CharField(max_length=16)
    public_key = models.CharField(max_length=64, help_text="Ed25519, 32 bytes in base64.")
    created_at = models.DateTimeField(default=now)

    NOT_CONTENT = frozenset({"key_id", "public_key"})

    class Meta:
        db_table = "erasure_receipt_key"
        constraints = [models.UniqueConstraint("tenant_id", "key_id", name="erasure_receipt_key_once")]

    @override
    def __str__(self) -> str:
        return self.key_id
