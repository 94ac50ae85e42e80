"""Entry is the log itself; LogText holds what agents wrote about their own actions, beside it and erasable."""

from typing import Final

from django.db import models

from apps.core.clock import now
from apps.core.ids import new_id
from memory_platform.model import EventKind, Visibility

PEOPLE: Final = "member"
"""What the actor of an entry begins with that a person made."""


class Entry(models.Model):
    """One thing that happened. Append-only by trigger; tenant and agent are plain ids, for the log outlives them."""

    pk = models.CompositePrimaryKey("tenant_id", "id")
    tenant_id = models.UUIDField()
    id = models.UUIDField(default=new_id)
    agent_id = models.UUIDField(null=True)
    at = models.DateTimeField(default=now)
    operation = models.CharField(max_length=64)
    actor = models.CharField(max_length=64)
    subject = models.CharField(max_length=32, blank=True, default="")
    subject_id = models.UUIDField(null=True)
    request_id = models.CharField(max_length=64, blank=True, default="")
    data = models.JSONField(default=dict)

    NOT_CONTENT = frozenset({"actor", "data", "operation", "request_id", "subject"})

    class Meta:
        db_table = "journal_entry"
        indexes = [
            models.Index("tenant_id", models.F("at").desc(), name="journal_entry_at"),
            models.Index("tenant_id", "subject_id", name="journal_entry_subject"),
            models.Index("tenant_id", "operation", models.F("at").desc(), name="journal_entry_operation"),
            # Few among the many of agents: without it, whoever reads what people did reads what everybody did.
            models.Index(
                "tenant_id",
                models.F("at").desc(),
                name="journal_entry_people",
                condition=models.Q(actor__startswith=PEOPLE),
            ),
        ]


class LogText(models.Model):
    """The words of an agent's own log entry: content, hence outside the append-only row."""

    pk = models.CompositePrimaryKey("tenant_id", "entry_id")
    tenant_id = models.UUIDField()
    entry_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    session_id = models.UUIDField(null=True, help_text="In which it happened: its words go when that is erased.")
    action = models.CharField(max_length=64)
    tool = models.CharField(max_length=128, blank=True, default="")
    detail = models.TextField(blank=True, default="")
    reason = models.TextField(blank=True, default="")

    ERASABLE = frozenset({"action", "detail", "reason", "tool", "user_id"})

    class Meta:
        db_table = "journal_log_text"


class Event(models.Model):
    """Something that those who listen are told, by ids and codes. It belongs to the audience of what it tells of;
    a budget and a proposal are no agent's.

    `position` says in which order events are told. It is given when somebody first looks, to what is committed by then:
    ids are made before a transaction ends, and a listener who waits behind the latest would miss those that end later.
    """

    pk = models.CompositePrimaryKey("tenant_id", "id")
    tenant_id = models.UUIDField()
    id = models.UUIDField(default=new_id)
    position = models.BigIntegerField(null=True)
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=[(one.value, one.value) for one in Visibility])
    at = models.DateTimeField(default=now)
    kind = models.CharField(max_length=16, choices=[(kind.value, kind.value) for kind in EventKind])
    subject = models.CharField(max_length=32)
    subject_id = models.UUIDField()
    related_id = models.UUIDField(null=True)
    code = models.CharField(max_length=32, blank=True, default="")

    ERASABLE = frozenset({"user_id"})
    NOT_CONTENT = frozenset({"code", "kind", "subject", "visibility"})

    class Meta:
        db_table = "journal_event"
        indexes = [
            models.Index("tenant_id", "at", name="journal_event_at"),
            models.Index("tenant_id", name="journal_event_waiting", condition=models.Q(position__isnull=True)),
        ]
        constraints = [models.UniqueConstraint(fields=["tenant_id", "position"], name="journal_event_position")]


class EventCount(models.Model):
    """The latest position of a tenant's events, and the latest of those that are no longer kept; who gives positions
    holds the row's lock.
    """

    tenant_id = models.UUIDField(primary_key=True)
    latest = models.BigIntegerField(default=0)
    pruned = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        db_table = "journal_event_count"
