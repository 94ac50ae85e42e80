"""The roles' floor: refuse to run as the wrong one, and grant the login role Django's own tables and nothing else."""

from django.db import migrations

DJANGO_TABLES = (
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "auth_user",
    "auth_user_groups",
    "auth_user_user_permissions",
    "django_content_type",
    "django_migrations",
    "django_session",
    "django_admin_log",
)

CHECK_ROLE = """
DO $$ BEGIN
    IF current_user <> 'memory_owner' THEN
        RAISE EXCEPTION 'Run migrations as memory_owner: set MEMORY_DATABASE_ROLE=memory_owner (roles: `memory database prepare`).';
    END IF;
END $$;
"""

REFUSE_CHANGE = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_user = 'memory_eraser' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("sessions", "0001_initial"),
    ]
    operations = [
        migrations.RunSQL(CHECK_ROLE, migrations.RunSQL.noop),
        migrations.RunSQL(REFUSE_CHANGE, "DROP FUNCTION refuse_change()"),
        migrations.RunSQL(
            [
                f"GRANT SELECT, INSERT, UPDATE, DELETE ON {', '.join(DJANGO_TABLES)} TO SESSION_USER",
                "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO SESSION_USER",
            ],
            migrations.RunSQL.noop,
        ),
    ]
