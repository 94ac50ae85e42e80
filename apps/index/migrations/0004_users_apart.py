"""Users apart."""

from django.db import migrations

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [
        ("index", "0003_document_cues"),
    ]

    operations = [
        rls.keep_users_apart("index_document"),
    ]
