"""Entries are never erased: they carry ids, counts and codes, and outlive what they tell of."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("core", "0002_erasing"), ("journal", "0004_events")]

    operations = [
        migrations.RunSQL(
            "REVOKE DELETE ON journal_entry FROM memory_eraser", "GRANT DELETE ON journal_entry TO memory_eraser"
        )
    ]
