"""What use and people teach about items: an offset of the priority that fades, and what somebody says of one."""

import django.db.models.deletion
from django.db import migrations, models

import apps.core.clock
import apps.core.ids
from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_favoured")]

    operations = [
        migrations.AddField(
            model_name="itemuse",
            name="learnt",
            field=models.FloatField(db_default=0.0, help_text="What use taught about its priority, as of `learnt_at`."),
        ),
        migrations.AddField(model_name="itemuse", name="learnt_at", field=models.DateTimeField(null=True)),
        migrations.CreateModel(
            name="ItemFeedback",
            fields=[
                ("id", models.UUIDField(default=apps.core.ids.new_id, primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField()),
                ("agent_id", models.UUIDField()),
                ("user_id", models.CharField(max_length=200, null=True)),
                (
                    "visibility",
                    models.CharField(
                        choices=[("private", "private"), ("shared", "shared")], default="private", max_length=8
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="feedback",
                        to="memory.item",
                    ),
                ),
                ("actor", models.CharField(max_length=64)),
                ("by_agent_id", models.UUIDField(null=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[("helpful", "helpful"), ("wrong", "wrong"), ("outdated", "outdated")], max_length=8
                    ),
                ),
                ("note", models.TextField(blank=True, default="")),
                ("undo", models.JSONField(default=dict)),
                ("at", models.DateTimeField(default=apps.core.clock.now)),
                ("closed_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "memory_item_feedback",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("closed_at", None)),
                        fields=("tenant_id", "item", "actor", "by_agent_id"),
                        name="memory_item_feedback_once",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        rls.tenant_foreign_key("memory_item_feedback", "item_id", "memory_item", on_delete="CASCADE"),
        rls.protect("memory_item_feedback", audience=True),
        rls.keep_users_apart("memory_item_feedback"),
    ]
