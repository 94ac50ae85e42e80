"""Entry is the log itself; LogText holds what agents wrote about their own actions, beside it and erasable."""

from django.db import models

from apps.core.clock import now
from apps.core.ids import new_id


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
        ]


class LogText(models.Model):
    """The words of an agent's own log entry: content, hence outside the append-only row."""

    pk = models.CompositePrimaryKey("tenant_id", "entry_id")
    tenant_id = models.UUIDField()
    entry_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    action = models.CharField(max_length=64)
    tool = models.CharField(max_length=128, blank=True, default="")
    detail = models.TextField(blank=True, default="")
    reason = models.TextField(blank=True, default="")

    ERASABLE = frozenset({"action", "detail", "reason", "tool", "user_id"})

    class Meta:
        db_table = "journal_log_text"
