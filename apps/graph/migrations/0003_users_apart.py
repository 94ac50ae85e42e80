"""Users apart."""

from django.db import migrations

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [
        ("graph", "0002_projection"),
    ]

    operations = [
        *map(
            rls.keep_users_apart,
            (
                "graph_entity",
                "graph_alias",
                "graph_mention",
                "graph_relation",
            ),
        ),
    ]
