"""Jobs learn from here how long a tenant keeps them; two budgets that nothing read go."""

from django.db import migrations

JOB_RETENTION = """
CREATE OR REPLACE FUNCTION job_retention() RETURNS TABLE (tenant_id uuid, days integer)
LANGUAGE sql STABLE AS $$ SELECT p.tenant_id, p.job_retention_days FROM tenants_policy p $$
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0006_agents_and_admins"), ("jobs", "0003_prune")]
    operations = [
        migrations.RunSQL(JOB_RETENTION, migrations.RunSQL.noop),
        migrations.RemoveField(model_name="policy", name="simple_tokens"),
        migrations.RemoveField(model_name="policy", name="complex_tokens"),
    ]
