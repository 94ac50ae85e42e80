"""Agents apart: a question and what it brought are the asking agent's."""

from django.db import migrations

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0002_users_apart")]

    operations = [
        *(
            rls.narrow(table, reads=rls.OWN, inserts=rls.OWN, updates=rls.OWN, deletes=rls.OWN)
            for table in ("retrieval_recall", "retrieval_recalled")
        ),
    ]
