"""Insights, linked to the items they tell of; the words of items that lay archived for long, compressed."""

import django.db.models.deletion
from django.db import migrations, models

import apps.core.clock
import apps.core.ids
from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0010_echoes"),
    ]

    operations = [
        migrations.AddField(
            model_name="item",
            name="cold_at",
            field=models.DateTimeField(help_text="Since when its words are packed away, in its ColdItem.", null=True),
        ),
        migrations.AlterField(
            model_name="itemlink",
            name="kind",
            field=models.CharField(
                choices=[
                    ("supersedes", "Supersedes"),
                    ("probably_superseded", "Probably Superseded"),
                    ("merged_into", "Merged Into"),
                    ("contradicts", "Contradicts"),
                    ("shared_from", "Shared From"),
                    ("echoes", "Echoes"),
                    ("condenses", "Condenses"),
                ],
                max_length=20,
            ),
        ),
        migrations.CreateModel(
            name="ColdItem",
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
                ("packed", models.BinaryField(help_text="zlib over JSON: text, lead_in, and the quotes by source.")),
                ("packed_at", models.DateTimeField(default=apps.core.clock.now)),
                (
                    "item",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memory.item",
                    ),
                ),
            ],
            options={
                "db_table": "memory_cold_item",
                "constraints": [
                    models.UniqueConstraint(models.F("tenant_id"), models.F("item"), name="memory_cold_item_once")
                ],
            },
        ),
        rls.tenant_key("memory_cold_item"),
        rls.tenant_foreign_key("memory_cold_item", "agent_id", "tenants_agent"),
        rls.tenant_foreign_key("memory_cold_item", "item_id", "memory_item", on_delete="CASCADE"),
        rls.protect("memory_cold_item", audience=True),
        rls.keep_users_apart("memory_cold_item"),
    ]
