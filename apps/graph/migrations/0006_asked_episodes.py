"""Which pairs of episodes a model was asked about; only a worker's scope reads them."""

from django.db import migrations, models

from apps.core import rls

TABLE = "graph_asked_episode"


class Migration(migrations.Migration):
    dependencies = [("graph", "0005_entity_summaries")]

    operations = [
        migrations.CreateModel(
            name="AskedEpisode",
            fields=[
                ("pk", models.CompositePrimaryKey("tenant_id", "resource_id", primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField()),
                ("resource_id", models.UUIDField()),
            ],
            options={"db_table": TABLE},
        ),
        rls.protect(TABLE),
        rls.narrow(TABLE, reads=rls.NO_AGENT, inserts=rls.NO_AGENT, updates=rls.NO_AGENT, deletes=rls.NO_AGENT),
    ]
