"""Erasing: the one way to delete rows that are append-only, or that requests may only add to."""

from django.db import migrations

REFUSE_CHANGE = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (current_user = 'memory_eraser' {erasing}) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
"""
# Only the owner's function below is the owner and says so; the application can say so and is not the owner.
ERASING = "OR current_user = 'memory_owner' AND current_setting('app.erasing', true) = 'on'"

ERASE_ROWS = """
CREATE FUNCTION erase_rows(target regclass, places tid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    erased bigint;
BEGIN
    IF current_setting('app.audience', true) IS DISTINCT FROM 'tenant'
        OR current_setting('app.user', true) IS DISTINCT FROM '*' THEN
        RAISE EXCEPTION 'only a scope of the whole tenant erases' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = target AND tgfoid = 'refuse_change()'::regprocedure)
        AND NOT has_table_privilege('memory_eraser', target, 'DELETE') THEN
        RAISE EXCEPTION '% is not erased', target USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM set_config('app.erasing', 'on', true);
    EXECUTE format('DELETE FROM %s WHERE tenant_id = $1 AND ctid = ANY($2)', target)
        USING nullif(current_setting('app.tenant', true), '')::uuid, places;
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('app.erasing', '', true);
    RETURN erased;
END $$;
REVOKE ALL ON FUNCTION erase_rows(regclass, tid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_rows(regclass, tid[]) TO memory_app;
"""


class Migration(migrations.Migration):
    dependencies = [("core", "0001_roles")]

    operations = [
        migrations.RunSQL(REFUSE_CHANGE.format(erasing=ERASING), REFUSE_CHANGE.format(erasing="")),
        migrations.RunSQL(ERASE_ROWS, "DROP FUNCTION erase_rows(regclass, tid[])"),
    ]
