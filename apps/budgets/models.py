"""Usage: one row per operation that spent something, attributable to an agent, a session and a turn."""

from django.db import models

from apps.core.clock import now
from apps.core.ids import new_id


class Usage(models.Model):
    pk = models.CompositePrimaryKey("tenant_id", "id")
    tenant_id = models.UUIDField()
    id = models.UUIDField(default=new_id)
    agent_id = models.UUIDField(null=True)
    at = models.DateTimeField(default=now)
    operation = models.CharField(max_length=32)
    model = models.CharField(max_length=128, blank=True, default="")
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    embedding_calls = models.PositiveIntegerField(default=0)
    llm_calls = models.PositiveIntegerField(default=0)
    failed_calls = models.PositiveIntegerField(default=0, help_text="Calls among them that brought no usable answer.")
    queries = models.PositiveIntegerField(default=0)
    milliseconds = models.FloatField(default=0)
    cost_usd = models.DecimalField(
        max_digits=14, decimal_places=8, null=True, help_text="Unknown price: null, never zero."
    )
    session_id = models.UUIDField(null=True)
    turn_number = models.PositiveIntegerField(null=True)

    NOT_CONTENT = frozenset({"model", "operation"})

    class Meta:
        db_table = "budgets_usage"
        indexes = [models.Index("tenant_id", "at", name="budgets_usage_at")]
