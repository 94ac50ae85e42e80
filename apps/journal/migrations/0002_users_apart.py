"""Users apart: the words an agent logs while it speaks for a user are that user's."""

from django.db import migrations, models

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [
        ("journal", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="logtext",
            name="user_id",
            field=models.CharField(max_length=200, null=True),
        ),
        rls.keep_users_apart("journal_log_text"),
    ]
