"""A copy of a forgotten message is known by its content when it is imported."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def take_from_their_messages(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    said = apps.get_model("resources", "Resource").objects.filter(
        tenant_id=models.OuterRef("tenant_id"), id=models.OuterRef("resource_id")
    )
    suppressions = apps.get_model("memory", "Suppression").objects
    suppressions.update(content_hash=models.Subquery(said.values("content_hash")[:1]))


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0014_standing"),
        ("resources", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="suppression",
            name="content_hash",
            field=models.BinaryField(help_text="SHA-256 of the resource's content.", max_length=32, null=True),
        ),
        migrations.RunPython(take_from_their_messages, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="suppression",
            index=models.Index(models.F("tenant_id"), models.F("content_hash"), name="memory_suppression_content"),
        ),
    ]
