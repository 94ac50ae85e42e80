"""`memory database prepare`, `memory backup`, `memory restore`: what an operator does beside the running platform."""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from apps.cli.options import RUN, add
from apps.cli.output import Json, console, show, working
from apps.cli.serving import require_valid_settings
from memory_platform.errors import Invalid

ADMIN_VARIABLE: Final = "MEMORY_DATABASE_ADMIN_URL"
_ADMIN_HELP: Final = "postgresql:// URL of a superuser, or of a managed server's administrator."

app = typer.Typer(help="A PostgreSQL of your own: prepare it for the platform.", no_args_is_help=True)


def register(whole: typer.Typer) -> None:
    add(whole, "backup", back_up, "memory backup memory.backup", group=RUN)
    add(whole, "restore", restore, "memory restore memory.backup", group=RUN)
    whole.add_typer(app, name="database", rich_help_panel=RUN)


@app.callback()
def _database() -> None:
    """Keep `prepare` a subcommand while it is the only one."""


def prepare(
    admin_url: Annotated[str, typer.Option("--admin-url", envvar=ADMIN_VARIABLE, help=_ADMIN_HELP)],
    as_json: Json = False,
) -> None:
    """Create roles, database and pgvector where they are missing; MEMORY_DATABASE_URL says name and password, and
    MEMORY_MIGRATION_URL those of a login of the migrations' own.
    """
    from apps.stack import database
    from apps.stack.database import DatabaseLogin

    named = os.environ.get("MEMORY_DATABASE_URL")
    login = DatabaseLogin.of(named) if named else DatabaseLogin(database.LOGIN, None, database.DATABASE)
    named_login = named or database.with_login(admin_url, login)
    with working("Preparing the database"):
        made_up = database.prepare(admin_url, named_login, os.environ.get("MEMORY_MIGRATION_URL") or None)
    secret = DatabaseLogin(login.name, made_up, login.database) if made_up else None
    answer = {
        "database": login.database,
        "login": login.name,
        "url": database.with_login(admin_url, secret) if secret else None,
    }
    show(answer, as_json=as_json, people=lambda: _show_prepared(answer))


add(
    app,
    "prepare",
    prepare,
    "memory database prepare --admin-url postgresql://postgres:PASSWORD@db.example.com:5432/postgres",
)


def back_up(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")], as_json: Json = False
) -> None:
    """Write the whole database to one file, from one snapshot, with its checksum; the platform may run meanwhile."""
    from apps.stack import backup
    from apps.stack.supervisor import StackOptions

    require_valid_settings()
    with backup.database_url(StackOptions.from_environment(os.environ)) as url, working("Writing the backup"):
        made = backup.back_up(url, file)
    answer = {
        "file": str(file),
        "tables": len(made.rows),
        "rows": made.total,
        "bytes": made.bytes,
        "sha256": made.sha256,
    }
    show(
        answer,
        as_json=as_json,
        people=lambda: console.print(
            f"{len(made.rows)} tables, {made.total} rows, {made.bytes / 1e6:.1f} MB in {file}. It holds what everybody"
            " said and no key of an embedded stack: keep it where only you can read it.",
            markup=False,
            soft_wrap=True,
        ),
    )


def restore(
    file: Annotated[Path, typer.Argument(help="What `memory backup` wrote.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the data that is there.")] = False,
    admin_url: Annotated[
        str | None,
        typer.Option("--admin-url", envvar=ADMIN_VARIABLE, help=f"With MEMORY_DATABASE_URL: {_ADMIN_HELP}"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make the database what a backup holds, bring it up to this version and make search index and graph copy anew."""
    from apps.stack import backup
    from apps.stack.supervisor import StackOptions

    require_valid_settings()
    options = StackOptions.from_environment(os.environ)
    if options.database_url and not admin_url:
        raise Invalid(
            "A server of your own is restored by its administrator.", hint=f"Add --admin-url or {ADMIN_VARIABLE}."
        )
    found = backup.restore_deployment(
        options, file, admin_url=admin_url, force=force, report=_silent if as_json else _report
    )
    answer = {"file": str(file), "made_at": found.made_at, "tables": len(found.rows), "rows": found.total}
    show(
        answer,
        as_json=as_json,
        people=lambda: _report(f"{found.total} rows of {found.made_at} are back. Start the platform again."),
    )


def _show_prepared(answer: dict[str, str | None]) -> None:
    _report(f"The database {answer['database']} is ready for the login {answer['login']}.")
    if answer["url"]:
        _report(f"Its password was made up and is shown this once:\nMEMORY_DATABASE_URL={answer['url']}")
    _report("`memory serve` makes the tables; without it: MEMORY_DATABASE_ROLE=memory_owner python -m django migrate.")


def _silent(_line: str) -> None:
    """JSON is the only thing printed."""


def _report(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
