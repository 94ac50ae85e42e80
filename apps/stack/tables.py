"""Whether a database has the tables that this code expects, asked without Django, which takes seconds to start."""

from pathlib import Path

import django

import apps
from apps.stack.database import OWNER, connected

DJANGOS = ("admin", "auth", "contenttypes", "sessions")
"""Apps of Django whose migrations are installed."""

Migration = tuple[str, str]


def are_current(migration_url: str) -> bool:
    """Whether every installed migration is applied. Raises Unavailable when the database does not answer."""
    with connected(migration_url, "MEMORY_MIGRATION_URL") as database:
        database.execute(f"SET ROLE {OWNER}")
        (found,) = database.execute("SELECT to_regclass('django_migrations') IS NOT NULL AS there").fetchall()
        rows = database.execute("SELECT app, name FROM django_migrations").fetchall() if found["there"] else []
    return installed() <= {(row["app"], row["name"]) for row in rows}


def installed() -> set[Migration]:
    """App and name of every migration of ours and of Django's apps."""
    ours, contrib = Path(apps.__path__[0]), Path(django.__path__[0], "contrib")
    folders = [*ours.glob("*/migrations"), *(contrib / app / "migrations" for app in DJANGOS)]
    return {(folder.parent.name, file.stem) for folder in folders for file in folder.glob("[0-9]*.py")}
