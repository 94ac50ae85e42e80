"""Agents apart: statistics of the tenant are folded by jobs; postings are never changed (ADR 15)."""

from django.db import migrations

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("index", "0005_multilingual")]

    operations = [
        *(
            rls.narrow(table, inserts=rls.NO_AGENT, updates=rls.NO_AGENT, deletes=rls.NO_AGENT)
            for table in ("index_term_stat", "index_corpus_stat")
        ),
        rls.narrow("index_term_delta", deletes=rls.NO_AGENT),
        migrations.RunSQL(
            "REVOKE UPDATE ON index_posting, index_term_delta FROM memory_app",
            "GRANT UPDATE ON index_posting, index_term_delta TO memory_app",
        ),
    ]
