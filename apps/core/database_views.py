"""Migration operation for a database view: what an app lets the apps above it read in SQL of their own.

Tables are their app's alone; a view says which of their columns others may rely on, and what each means.
"""

from collections.abc import Mapping

from django.db import migrations


def create_view(name: str, *, about: str, columns: Mapping[str, tuple[str, str]], source: str) -> migrations.RunSQL:
    """Create a view for `memory_app` to read: per column its expression and its meaning, then what follows FROM.

    Whoever reads it is held to the row-level policies of the tables behind it (`security_invoker`).
    """
    listed = ", ".join(f"{expression} AS {column}" for column, (expression, _) in columns.items())
    return migrations.RunSQL(
        [
            f"CREATE VIEW {name} WITH (security_invoker = true) AS SELECT {listed} FROM {source}",  # noqa: S608  constants
            f"COMMENT ON VIEW {name} IS {_quoted(about)}",
            *(f"COMMENT ON COLUMN {name}.{column} IS {_quoted(why)}" for column, (_, why) in columns.items()),
            f"GRANT SELECT ON {name} TO memory_app",
        ],
        f"DROP VIEW {name}",
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
