"""How far the copy of a tenant's graph on another server has come."""

from django.db import migrations, models

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("graph", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Projection",
            fields=[
                ("tenant_id", models.UUIDField(primary_key=True, serialize=False)),
                ("version", models.BigIntegerField(default=0)),
                ("rebuild_id", models.UUIDField(null=True)),
                ("completed_at", models.DateTimeField(null=True)),
            ],
            options={"db_table": "graph_projection"},
        ),
        rls.protect("graph_projection"),
    ]
