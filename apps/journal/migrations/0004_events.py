"""Events for those who listen, and the function that says in which order they are told."""

from django.db import migrations, models

import apps.core.clock
import apps.core.ids
from apps.core import rls

# Only what is committed is seen, and only one at a time gives positions: nothing is ever placed before what was told.
PLACE = """
CREATE FUNCTION place_events() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    tenant constant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
    held bigint;
    placed bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM journal_event WHERE tenant_id = tenant AND position IS NULL) THEN
        RETURN coalesce((SELECT latest FROM journal_event_count WHERE tenant_id = tenant), 0);
    END IF;
    INSERT INTO journal_event_count (tenant_id, latest) VALUES (tenant, 0) ON CONFLICT DO NOTHING;
    SELECT latest INTO held FROM journal_event_count WHERE tenant_id = tenant FOR UPDATE;
    UPDATE journal_event event SET position = held + waiting.place
    FROM (SELECT id, row_number() OVER (ORDER BY at, id) AS place FROM (
              -- What is locked is just being pruned.
              SELECT id, at FROM journal_event WHERE tenant_id = tenant AND position IS NULL FOR UPDATE SKIP LOCKED
          ) unplaced) waiting
    WHERE event.tenant_id = tenant AND event.id = waiting.id;
    GET DIAGNOSTICS placed = ROW_COUNT;
    UPDATE journal_event_count SET latest = held + placed WHERE tenant_id = tenant;
    RETURN held + placed;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("journal", "0003_agents_apart")]

    operations = [
        migrations.CreateModel(
            name="EventCount",
            fields=[
                ("tenant_id", models.UUIDField(primary_key=True, serialize=False)),
                ("latest", models.BigIntegerField(default=0)),
            ],
            options={"db_table": "journal_event_count"},
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id", "id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("tenant_id", models.UUIDField()),
                ("id", models.UUIDField(default=apps.core.ids.new_id)),
                ("position", models.BigIntegerField(null=True)),
                ("agent_id", models.UUIDField(null=True)),
                ("user_id", models.CharField(max_length=200, null=True)),
                (
                    "visibility",
                    models.CharField(choices=[("private", "private"), ("shared", "shared")], max_length=8),
                ),
                ("at", models.DateTimeField(default=apps.core.clock.now)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("stored", "stored"),
                            ("held", "held"),
                            ("superseded", "superseded"),
                            ("trigger_due", "trigger_due"),
                            ("budget", "budget"),
                        ],
                        max_length=16,
                    ),
                ),
                ("subject", models.CharField(max_length=32)),
                ("subject_id", models.UUIDField()),
                ("related_id", models.UUIDField(null=True)),
                ("code", models.CharField(blank=True, default="", max_length=32)),
            ],
            options={
                "db_table": "journal_event",
                "indexes": [
                    models.Index(models.F("tenant_id"), models.F("at"), name="journal_event_at"),
                    models.Index(
                        models.F("tenant_id"),
                        name="journal_event_waiting",
                        condition=models.Q(("position__isnull", True)),
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant_id", "position"), name="journal_event_position")
                ],
            },
        ),
        rls.protect("journal_event", audience=True, grants="SELECT, INSERT, DELETE"),
        rls.narrow("journal_event", deletes=rls.NO_AGENT),
        rls.keep_users_apart("journal_event"),
        rls.protect("journal_event_count", grants="SELECT"),
        migrations.RunSQL(
            [
                PLACE,
                "REVOKE EXECUTE ON FUNCTION place_events() FROM PUBLIC",
                "GRANT EXECUTE ON FUNCTION place_events() TO memory_app",
            ],
            "DROP FUNCTION place_events()",
        ),
    ]
