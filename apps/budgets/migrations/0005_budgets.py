"""Budgets, and what was spent against them."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

import apps.core.ids
from apps.core import rls

# SECURITY DEFINER: an agent's request is held to what the whole tenant spent, whose rows it does not see. Days that are
# summed up are those of UTC that lie wholly in the period; what lies beside them is read row by row, from an index of
# what costs something.
STANDINGS = """
CREATE FUNCTION budget_standings(
    day_since timestamptz, day_until timestamptz, month_since timestamptz, month_until timestamptz
) RETURNS TABLE (
    id uuid, agent_id uuid, period text, soft_usd numeric, hard_usd numeric, spent_usd numeric, unpriced_rows bigint
) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH mine AS MATERIALIZED (
        SELECT b.* FROM budgets_budget b WHERE b.tenant_id = nullif(current_setting('app.tenant', true), '')::uuid
    ),
    summed AS (
        SELECT coalesce(max(d.day) + 1, '-infinity') AS until FROM budgets_usage_day d
        WHERE d.tenant_id = nullif(current_setting('app.tenant', true), '')::uuid
    ),
    bounds AS (
        SELECT span.*, ((span.since - interval '1 microsecond') AT TIME ZONE 'UTC')::date + 1 AS first_day
        FROM (VALUES ('day', day_since, day_until), ('month', month_since, month_until)) span (period, since, until)
        WHERE span.period IN (SELECT mine.period FROM mine)
    ),
    days AS (
        SELECT bounds.*, greatest(
            least((bounds.until AT TIME ZONE 'UTC')::date, summed.until), bounds.first_day
        ) AS end_day
        FROM bounds CROSS JOIN summed
    ),
    spans AS (
        SELECT days.*,
            CASE WHEN end_day > first_day THEN first_day::timestamp AT TIME ZONE 'UTC' ELSE since END AS rolled_from,
            CASE WHEN end_day > first_day THEN end_day::timestamp AT TIME ZONE 'UTC' ELSE since END AS rolled_until
        FROM days
    ),
    spent AS (
        SELECT spans.period, d.agent_id, d.cost_usd, d.unpriced_rows
        FROM spans JOIN budgets_usage_day d ON d.day >= spans.first_day AND d.day < spans.end_day
        WHERE d.tenant_id = nullif(current_setting('app.tenant', true), '')::uuid
        UNION ALL
        SELECT spans.period, u.agent_id, u.cost_usd, (u.cost_usd IS NULL)::int
        FROM spans JOIN budgets_usage u ON u.at >= spans.since AND u.at < spans.rolled_from
        WHERE u.tenant_id = nullif(current_setting('app.tenant', true), '')::uuid
            AND (u.cost_usd > 0 OR u.cost_usd IS NULL)
        UNION ALL
        SELECT spans.period, u.agent_id, u.cost_usd, (u.cost_usd IS NULL)::int
        FROM spans JOIN budgets_usage u ON u.at >= spans.rolled_until AND u.at < spans.until
        WHERE u.tenant_id = nullif(current_setting('app.tenant', true), '')::uuid
            AND (u.cost_usd > 0 OR u.cost_usd IS NULL)
    ),
    by_agent AS (
        SELECT period, agent_id, sum(cost_usd) AS cost_usd, sum(unpriced_rows) AS unpriced_rows
        FROM spent GROUP BY period, agent_id
    )
    SELECT mine.id, mine.agent_id, mine.period::text, mine.soft_usd, mine.hard_usd,
        coalesce(sum(by_agent.cost_usd), 0), coalesce(sum(by_agent.unpriced_rows), 0)::bigint
    FROM mine LEFT JOIN by_agent
        ON by_agent.period = mine.period AND (mine.agent_id IS NULL OR by_agent.agent_id = mine.agent_id)
    GROUP BY mine.id, mine.agent_id, mine.period, mine.soft_usd, mine.hard_usd
$$
"""
SIGNATURE = "budget_standings(timestamptz, timestamptz, timestamptz, timestamptz)"
_NOT_NEGATIVE = [django.core.validators.MinValueValidator(0)]


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0004_prices_and_days"),
        ("tenants", "0010_budgets"),
    ]

    operations = [
        migrations.CreateModel(
            name="Budget",
            fields=[
                ("id", models.UUIDField(default=apps.core.ids.new_id, primary_key=True, serialize=False)),
                (
                    "period",
                    models.CharField(choices=[("day", "Day"), ("month", "Month")], default="month", max_length=5),
                ),
                (
                    "soft_usd",
                    models.DecimalField(
                        blank=True,
                        decimal_places=6,
                        help_text="From here on answers do without models that only make them better, and contexts are"
                        " shorter.",
                        max_digits=14,
                        null=True,
                        validators=_NOT_NEGATIVE,
                        verbose_name="soft (US dollars)",
                    ),
                ),
                (
                    "hard_usd",
                    models.DecimalField(
                        blank=True,
                        decimal_places=6,
                        help_text="From here on no model is called that costs something. What is captured is kept all"
                        " the same.",
                        max_digits=14,
                        null=True,
                        validators=_NOT_NEGATIVE,
                        verbose_name="hard (US dollars)",
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        help_text="Empty: all agents together.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="tenants.agent",
                    ),
                ),
                ("tenant", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="tenants.tenant")),
            ],
            options={
                "db_table": "budgets_budget",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "agent", "period"),
                        name="budgets_budget_once",
                        nulls_distinct=False,
                        violation_error_message="There is such a budget already; change that one.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("soft_usd__isnull", False), ("hard_usd__isnull", False), _connector="OR"),
                        name="budgets_budget_amount",
                        violation_error_message="A budget has a soft amount, a hard one, or both.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("soft_usd__lte", models.F("hard_usd"))),
                        name="budgets_budget_order",
                        violation_error_message="The soft amount is at most the hard one.",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="usage",
            index=models.Index(
                condition=models.Q(("cost_usd__gt", 0), ("cost_usd__isnull", True), _connector="OR"),
                fields=["tenant_id", "at"],
                include=("agent_id", "cost_usd"),
                name="budgets_usage_paid",
            ),
        ),
        rls.tenant_foreign_key("budgets_budget", "agent_id", "tenants_agent", on_delete="CASCADE"),
        rls.protect("budgets_budget"),
        rls.narrow(
            "budgets_budget", reads=rls.NO_AGENT, inserts=rls.NO_AGENT, updates=rls.NO_AGENT, deletes=rls.NO_AGENT
        ),
        migrations.RunSQL(
            [
                STANDINGS,
                f"REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC",
                f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO memory_app",
            ],
            f"DROP FUNCTION {SIGNATURE}",
        ),
    ]
