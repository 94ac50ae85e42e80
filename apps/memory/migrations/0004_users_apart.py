"""Users apart: what hangs on an item or a message is its user's, as the item or the message is."""

from django.db import migrations, models

from apps.core import rls

OWNERS = (
    ("memory_extraction", "resource_id", "resources_resource"),
    ("memory_item_version", "item_id", "memory_item"),
    ("memory_item_source", "item_id", "memory_item"),
    ("memory_item_link", "to_item_id", "memory_item"),
)
# A batch that took memories of one user, and of no other, is that user's to take back.
OF_ONE_USER = """
UPDATE memory_forget_batch batch SET user_id = taken.user_id FROM (
    SELECT unit.tenant_id, unit.batch_id, min(item.user_id) AS user_id FROM memory_forgotten_unit unit
    JOIN memory_item item ON item.tenant_id = unit.tenant_id AND item.id = unit.unit_id
    GROUP BY unit.tenant_id, unit.batch_id
    HAVING count(DISTINCT item.user_id) = 1 AND bool_and(item.user_id IS NOT NULL)
) taken WHERE batch.tenant_id = taken.tenant_id AND batch.id = taken.batch_id
"""


def _as_its(table: str, column: str, owner: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"UPDATE {table} t SET user_id = o.user_id FROM {owner} o"
        f" WHERE o.tenant_id = t.tenant_id AND o.id = t.{column} AND o.user_id IS NOT NULL",
        migrations.RunSQL.noop,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0003_understanding"),
    ]

    operations = [
        migrations.AddField(
            model_name="extraction",
            name="user_id",
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AddField(
            model_name="itemversion",
            name="user_id",
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AddField(
            model_name="itemsource",
            name="user_id",
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AddField(
            model_name="itemlink",
            name="user_id",
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AddField(
            model_name="forgetbatch",
            name="user_id",
            field=models.CharField(max_length=200, null=True),
        ),
        *(_as_its(table, column, owner) for table, column, owner in OWNERS),
        migrations.RunSQL(OF_ONE_USER, migrations.RunSQL.noop),
        migrations.RemoveConstraint(model_name="item", name="memory_item_external"),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.UniqueConstraint(
                condition=models.Q(("external_id__isnull", False)),
                fields=("tenant_id", "agent", "user_id", "external_id"),
                name="memory_item_external",
                nulls_distinct=False,
            ),
        ),
        *map(
            rls.keep_users_apart,
            (
                "memory_item",
                "memory_rejection",
                "memory_extraction",
                "memory_item_source",
                "memory_item_link",
                "memory_item_version",
                "memory_audience_clock",
                "memory_forget_batch",
            ),
        ),
    ]
