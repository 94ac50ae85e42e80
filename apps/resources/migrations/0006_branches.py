"""A session may begin as another was after one of its turns."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("resources", "0005_session_opened")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="parent",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="branches",
                to="resources.session",
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="parent_turn",
            field=models.PositiveIntegerField(help_text="The last turn that is the parent's.", null=True),
        ),
        rls.tenant_foreign_key("resources_session", "parent_id", "resources_session", on_delete="SET NULL"),
    ]
