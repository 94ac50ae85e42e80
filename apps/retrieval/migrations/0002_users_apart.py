"""Users apart: a question is that of the user it was asked for."""

from django.db import migrations, models

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="recall",
            name="user_id",
            field=models.CharField(max_length=200, null=True),
        ),
        rls.keep_users_apart("retrieval_recall"),
    ]
