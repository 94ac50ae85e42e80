"""`memory serve` and `memory doctor`: the commands that know the stack."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps.cli.connection import connect, home, server_url
from apps.cli.options import RUN, add
from apps.cli.output import Json, ListRow, console, entries, show, working
from apps.stack.data_root import write_private
from memory_platform.errors import Invalid, MemoryPlatformError

if TYPE_CHECKING:
    from apps.stack.supervisor import Stack

SETTINGS_HINT = "docs/guides/configuration.md lists every variable with its type."
_MENDING = {
    "server": "Start it with `memory serve` (or `docker compose up`), or set MEMORY_URL.",
    "key": "Set MEMORY_API_KEY to a valid key: `memory keys create`, or the one `memory serve` printed first.",
    "postgresql": "See postgres/postgres.log in MEMORY_HOME; check MEMORY_DATABASE_URL; `memory serve` starts its own.",
    "valkey": "See valkey/valkey.log in MEMORY_HOME; check MEMORY_REDIS_URL. Jobs start later until it is back.",
    "jobs": "Is the worker running? See logs/worker.log in MEMORY_HOME; `memory serve` restarts it by itself.",
    "neo4j": "SQL answers meanwhile. Check MEMORY_NEO4J_URL and its password; `make neo4j` runs one here.",
    "home": "Let this account write there, or name another folder with MEMORY_HOME.",
}


def register(app: typer.Typer) -> None:
    add(app, "serve", serve_command, "memory serve", "memory serve --port 9000 --quiet", group=RUN)
    add(app, "doctor", doctor, "memory doctor", "memory doctor --json", group=RUN)


def serve_command(
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port of the web server, 0 for a free one; default MEMORY_PORT or 8000."),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on; default MEMORY_HOST or 127.0.0.1.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Development mode: GraphiQL for everybody.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show the servers' logs.")] = False,
) -> None:
    """Start PostgreSQL, Valkey, the web server and the worker; Ctrl-C stops them all."""
    from apps.stack.supervisor import StackOptions, serve

    for name, value in (("MEMORY_PORT", port), ("MEMORY_HOST", host), ("MEMORY_DEBUG", "true" if debug else None)):
        if value is not None:
            os.environ[name] = str(value)
    require_valid_settings()
    options = StackOptions.from_environment(os.environ)
    serve(options, report=_report, announce=_announce, follow_logs=not quiet)


def require_valid_settings() -> None:
    """Raise Invalid, naming the variable, when a MEMORY_* setting cannot be used: before anything starts."""
    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    from apps.environment import Environment
    from apps.tenants.taxonomy import starting_categories

    try:
        Environment()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = f"MEMORY_{str(first['loc'][0]).upper()}"
        raise Invalid(f"{name}={os.environ.get(name)}: {first['msg']}.", hint=SETTINGS_HINT) from error
    except SettingsError as error:
        raise Invalid(f"{error}.", hint=SETTINGS_HINT) from error
    starting_categories()


def _report(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)


def _announce(stack: "Stack") -> None:
    first = stack.first_tenant
    key = str(first.get("api_key") or "")
    write_private(stack.root / "url", stack.url + "\n")
    if key:
        write_private(stack.root / "api-key", key + "\n")
        _introduce(stack.url, key, first)
    else:
        console.print(f"\n[bold green]Ready[/] at {stack.url}. {_whereabouts(stack.root / 'api-key')}", soft_wrap=True)
    for name, where in (
        ("First page", "/"),
        ("GraphQL", "/graphql"),
        ("REST, with docs", "/api/v1/docs"),
        ("Console", "/console/"),
        ("Admin", "/admin/"),
    ):
        console.print(f"  {name:16} {stack.url}{where}")
    console.print("Stop with Ctrl-C.\n")


def _whereabouts(key: Path) -> str:
    if key.exists():
        return f"The agent's key was shown on the first start and is kept in {key}."
    return "The first agent's key is not kept here; log in to the admin to create another."


def _introduce(url: str, key: str, first: Mapping[str, object]) -> None:
    console.print("\n[bold green]Ready.[/] A first tenant, agent and administrator were created; shown this once:")
    console.print(f"  API key          {key}", soft_wrap=True)
    console.print(f"  Admin login      {first.get('admin_username')} / {first.get('admin_password')}", markup=False)
    query = 'mutation { remember(input: {text: "Mara moved to Lisbon in February 2026."}) { outcome reason } }'
    console.print("\nCopy and paste, a first memory and a first recall:", style="bold")
    for text in (query, '{ recall(query: "Where did Mara move?") { hits { text confidence tags } } }'):
        body = json.dumps({"query": text}).replace("'", "'\\''")
        headers = f"-H 'Authorization: Bearer {key}' -H 'Content-Type: application/json'"
        console.print(f"\n  curl -s {url}/graphql {headers} -d '{body}'; echo", soft_wrap=True, markup=False)
    console.print()


def doctor(as_json: Json = False) -> None:
    """Check every component and say how to mend what is not well; exit 1 when something is down."""
    with working("Asking the server"):
        checks = list(_checks())
    show(
        checks,
        as_json=as_json,
        people=lambda: entries(
            ListRow("ok" if check["ok"] else "DOWN", f"{check['name']}: {check['detail']}", (check["mend"],))
            for check in checks
        ),
    )
    if not all(check["ok"] for check in checks):
        raise typer.Exit(1)


def _checks() -> list[dict[str, Any]]:
    import httpx

    try:
        ready = httpx.get(f"{server_url()}/readyz", timeout=10.0).json()
        parts = [
            _check(name, ok=bool(state["ok"]), detail=str(state["detail"])) for name, state in ready["checks"].items()
        ]
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return [_check("server", ok=False, detail=f"{server_url()}: {type(error).__name__}")]
    except (ValueError, LookupError, TypeError, AttributeError):
        return [_check("server", ok=False, detail=f"{server_url()} answers, and is not a memory server")]
    return [_check("server", ok=True, detail=server_url()), *parts, _key_check(), _home_check()]


def _key_check() -> dict[str, Any]:
    try:
        with connect() as server:
            viewer = server.get("viewer")
    except MemoryPlatformError as error:
        return _check("key", ok=False, detail=error.message)
    return _check("key", ok=True, detail=f"{viewer['agent_id']} of {viewer['tenant']}: {', '.join(viewer['scopes'])}")


def _home_check() -> dict[str, Any]:
    folder = home()
    is_writable = os.access(folder if folder.exists() else folder.parent, os.W_OK)
    return _check("home", ok=is_writable, detail=str(folder))


def _check(name: str, *, ok: bool, detail: str) -> dict[str, Any]:
    return {"name": name, "ok": ok, "detail": detail, "mend": "" if ok else _MENDING.get(name, "See the server's log.")}
