"""What an assistant only says back: a link from its message to the item."""

import django.db.models.deletion
import django.db.models.lookups
from django.db import migrations, models

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0009_learning_from_use"),
        ("resources", "0006_branches"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="itemlink",
            name="memory_item_link_one_origin",
        ),
        migrations.AddField(
            model_name="itemlink",
            name="from_resource",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="resources.resource",
            ),
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
                ],
                max_length=20,
            ),
        ),
        migrations.AddIndex(
            model_name="itemlink",
            index=models.Index(
                models.F("tenant_id"),
                models.F("from_resource"),
                condition=models.Q(("from_resource__isnull", False)),
                name="memory_item_link_resource",
            ),
        ),
        migrations.AddConstraint(
            model_name="itemlink",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(
                    models.Func(
                        models.F("from_item"),
                        models.F("from_rejection"),
                        models.F("from_resource"),
                        function="num_nonnulls",
                        output_field=models.IntegerField(),
                    ),
                    1,
                ),
                name="memory_item_link_one_origin",
            ),
        ),
        rls.tenant_foreign_key("memory_item_link", "from_resource_id", "resources_resource", on_delete="CASCADE"),
    ]
