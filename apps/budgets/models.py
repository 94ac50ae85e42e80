"""Usage: a row per operation that spent something, attributable to an agent, a session and a turn; prices, budgets."""

from typing import Final

from django.core.validators import MinValueValidator
from django.db import models
from typing_extensions import override

from apps.core.clock import now
from apps.core.ids import new_id
from apps.tenants.models import Agent, Tenant

ALL_AGENTS: Final = "all agents"
_NOT_NEGATIVE = [MinValueValidator(0)]


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
    queries = models.PositiveIntegerField(default=0, help_text="Recalls answered.")
    turns = models.PositiveIntegerField(default=0, help_text="Turns observed.")
    memories = models.PositiveIntegerField(default=0, help_text="Memories stored.")
    milliseconds = models.FloatField(default=0)
    cost_usd = models.DecimalField(
        max_digits=14, decimal_places=8, null=True, help_text="Unknown price: null, never zero."
    )
    session_id = models.UUIDField(null=True)
    turn_number = models.PositiveIntegerField(null=True)

    NOT_CONTENT = frozenset({"model", "operation"})

    class Meta:
        db_table = "budgets_usage"
        indexes = [
            models.Index("tenant_id", "at", name="budgets_usage_at"),
            # What budgets add up: not what runs here for nothing.
            models.Index(
                fields=["tenant_id", "at"],
                name="budgets_usage_paid",
                include=["agent_id", "cost_usd"],
                condition=models.Q(cost_usd__gt=0) | models.Q(cost_usd__isnull=True),
            ),
        ]


class UsageDay(models.Model):
    """The usage of a UTC day that is over, summed up, so that a month is read in thousands of rows and not millions."""

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField()
    day = models.DateField()
    agent_id = models.UUIDField(null=True)
    operation = models.CharField(max_length=32)
    model = models.CharField(max_length=128)
    session_id = models.UUIDField(null=True)
    rows = models.BigIntegerField()
    unpriced_rows = models.BigIntegerField()
    tokens_in = models.BigIntegerField()
    tokens_out = models.BigIntegerField()
    embedding_calls = models.BigIntegerField()
    llm_calls = models.BigIntegerField()
    failed_calls = models.BigIntegerField()
    queries = models.BigIntegerField()
    turns = models.BigIntegerField()
    memories = models.BigIntegerField(default=0)
    milliseconds = models.FloatField()
    cost_usd = models.DecimalField(max_digits=20, decimal_places=8, help_text="Of the rows whose price is known.")

    NOT_CONTENT = frozenset({"model", "operation"})

    class Meta:
        db_table = "budgets_usage_day"
        indexes = [models.Index("tenant_id", "day", name="budgets_usage_day_day")]


class Price(models.Model):
    """What a model costs this tenant from a time on. Never changed: a new price is a new row."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant = models.ForeignKey(Tenant, models.CASCADE)
    model = models.CharField(max_length=128, help_text="The name under which it is asked for.")
    usd_per_million_in = models.DecimalField(
        max_digits=14, decimal_places=6, validators=_NOT_NEGATIVE, help_text="US dollars per million tokens sent."
    )
    usd_per_million_out = models.DecimalField(
        max_digits=14, decimal_places=6, validators=_NOT_NEGATIVE, help_text="US dollars per million tokens answered."
    )
    valid_from = models.DateTimeField(default=now, help_text="Calls before it keep the cost they were metered with.")

    NOT_CONTENT = frozenset({"model"})

    class Meta:
        db_table = "budgets_price"
        constraints = [models.UniqueConstraint(fields=["tenant", "model", "valid_from"], name="budgets_price_once")]

    @override
    def __str__(self) -> str:
        return self.model


class Budget(models.Model):
    """What a tenant, or one of its agents, may spend on models in a day or month by the tenant's clock."""

    class Period(models.TextChoices):
        DAY = "day"
        """A day by the tenant's clock."""
        MONTH = "month"
        """A month by the tenant's clock."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant = models.ForeignKey(Tenant, models.CASCADE)
    agent = models.ForeignKey(
        Agent, models.CASCADE, db_constraint=False, null=True, blank=True, help_text="Empty: all agents together."
    )
    period = models.CharField(max_length=5, choices=Period.choices, default=Period.MONTH)
    soft_usd = models.DecimalField(
        "soft (US dollars)",
        max_digits=14,
        decimal_places=6,
        null=True,
        blank=True,
        validators=_NOT_NEGATIVE,
        help_text="From here on answers do without models that only make them better, and contexts are shorter.",
    )
    hard_usd = models.DecimalField(
        "hard (US dollars)",
        max_digits=14,
        decimal_places=6,
        null=True,
        blank=True,
        validators=_NOT_NEGATIVE,
        help_text="From here on no model is called that costs something. What is captured is kept all the same.",
    )

    NOT_CONTENT = frozenset({"period"})

    class Meta:
        db_table = "budgets_budget"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "agent", "period"],
                name="budgets_budget_once",
                nulls_distinct=False,
                violation_error_message="There is such a budget already; change that one.",
            ),
            models.CheckConstraint(
                condition=models.Q(soft_usd__isnull=False) | models.Q(hard_usd__isnull=False),
                name="budgets_budget_amount",
                violation_error_message="A budget has a soft amount, a hard one, or both.",
            ),
            models.CheckConstraint(
                condition=models.Q(soft_usd__lte=models.F("hard_usd")),
                name="budgets_budget_order",
                violation_error_message="The soft amount is at most the hard one.",
            ),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.agent_or_all}, a {self.period}"

    @property
    def agent_or_all(self) -> str:
        """Whose it is, by slug."""
        return self.agent.slug if self.agent else ALL_AGENTS
