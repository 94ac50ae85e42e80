"""Recall and Recalled: the trace of an answer, kept so that it can be explained, charged and learnt from."""

from django.db import models

from apps.core.clock import now
from apps.core.ids import new_id


class Recall(models.Model):
    """One answered question. Query texts are content: erasable, and pruned after Policy.recall_retention_days.

    `session_external_id` is the caller's own id of the conversation, which need not have a captured message yet;
    `changed` are the items that it was told have replaced what it was given before, or are gone or in question.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    session_external_id = models.CharField(max_length=200, null=True)
    at = models.DateTimeField(default=now)
    query = models.TextField()
    rewritten = models.TextField()
    profile = models.CharField(max_length=8)
    intent = models.CharField(max_length=8)
    tier = models.PositiveSmallIntegerField(default=2)
    degraded = models.JSONField(default=list)
    stage_milliseconds = models.JSONField(default=dict)
    candidates = models.PositiveIntegerField(default=0)
    returned = models.PositiveSmallIntegerField(default=0)
    changed = models.JSONField(default=list)
    milliseconds = models.FloatField(default=0)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    reported_at = models.DateTimeField(null=True)
    report_digest = models.CharField(
        max_length=64, db_default="", help_text="Of the output that was reported, keyed by the server's secret."
    )

    ERASABLE = frozenset({"query", "rewritten", "session_external_id", "user_id"})
    NOT_CONTENT = frozenset({"changed", "degraded", "intent", "profile", "report_digest", "stage_milliseconds"})

    class Meta:
        db_table = "retrieval_recall"
        indexes = [
            models.Index("tenant_id", "at", name="retrieval_recall_at"),
            models.Index(
                "tenant_id",
                "session_external_id",
                "at",
                name="retrieval_recall_session",
                condition=models.Q(session_external_id__isnull=False),
            ),
        ]


class Recalled(models.Model):
    """One hit of a recall: where it stood, why, and later whether the output used it."""

    pk = models.CompositePrimaryKey("tenant_id", "recall_id", "rank")
    tenant_id = models.UUIDField()
    recall_id = models.UUIDField()
    rank = models.PositiveSmallIntegerField()
    agent_id = models.UUIDField(null=True)
    unit = models.CharField(max_length=8)
    unit_id = models.UUIDField()
    item_id = models.UUIDField(null=True)
    score = models.FloatField()
    scores = models.JSONField(default=dict)
    tags = models.JSONField(default=list)
    verdict = models.CharField(max_length=8, null=True)
    tokens = models.PositiveIntegerField(default=0)
    used = models.BooleanField(null=True)
    counted = models.BooleanField(default=False)

    NOT_CONTENT = frozenset({"scores", "tags", "unit", "verdict"})

    class Meta:
        db_table = "retrieval_recalled"
        indexes = [
            models.Index("tenant_id", "recall_id", name="retrieval_recalled_pending", condition=models.Q(counted=False))
        ]
