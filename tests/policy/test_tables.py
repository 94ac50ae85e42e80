"""A table is its app's alone: other apps read it through views and selectors that the app offers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps as installed

ROOT = Path(__file__).parents[2]
FOREIGN_KEY = re.compile(r"rls\.tenant_foreign_key\([^)]*\)")
STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
ANY_STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|MERGE|WITH|CREATE|ALTER|DROP|GRANT|DO)\b")
LONGEST_LINES = 10
# What an old migration did to rows that were there is done; it is not to be rewritten.
DONE = {("apps/memory/migrations/0004_users_apart.py", "resources_resource")}


def tables() -> dict[str, str]:
    """Every table of ours and the app that owns it."""
    return {
        model._meta.db_table: config.name
        for config in installed.get_app_configs()
        if config.name.startswith("apps.")
        for model in config.get_models()
    }


def texts(name: str, source: str) -> Iterator[str]:
    """What a file says in SQL or in strings; foreign keys point where they must."""
    if name.endswith(".sql"):
        yield source
        return
    source = FOREIGN_KEY.sub("None", source) if "/migrations/" in name else source
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def foreign_tables(name: str, source: str, owners: dict[str, str]) -> set[str]:
    """The tables of other apps that a file names."""
    app = ".".join(Path(name).parts[:2])
    words = {word for text in texts(name, source) for word in re.findall(r"\w+", text)}
    return {table for table in words & owners.keys() if owners[table] != app}


def test_no_app_names_the_table_of_another() -> None:
    owners = tables()
    files = [file for file in (ROOT / "apps").rglob("*") if file.suffix in {".py", ".sql"}]

    found = {
        (name, table)
        for name, file in ((str(file.relative_to(ROOT)), file) for file in files)
        for table in foreign_tables(name, file.read_text(), owners)
    }

    assert len(owners) > 30
    assert found - DONE == set()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("apps/graph/reading.py", 'ROWS = f"SELECT id FROM memory_item WHERE {1}"', {"memory_item"}),
        ("apps/graph/reading.py", 'ROWS = "SELECT id FROM memory_live_item JOIN graph_entity"', set()),
        ("apps/graph/sql/near.sql", "SELECT id FROM resources_session", {"resources_session"}),
        ("apps/memory/migrations/0009.py", 'rls.tenant_foreign_key("memory_item", "x", "resources_session")', set()),
    ],
)
def test_a_name_in_a_statement_is_noticed(name, text, expected) -> None:
    assert foreign_tables(name, text, tables()) == expected


WALKS_ALL = "erasure"
"""What is to go for good is in every app's rows, and an erasure must find it whatever their selectors show."""


def foreign_rows(name: str, source: str) -> set[str]:
    """The models of other apps whose rows a file asks for itself."""
    tree, app = ast.parse(source), ".".join(Path(name).parts[:2])
    imported = {
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and re.match(r"apps\.\w+\.models\b", node.module or "")
        if not (node.module or "").startswith(f"{app}.")
        for each in node.names
    }
    asked = (node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute) and "objects" in node.attr)
    return {holder.id for holder in asked if isinstance(holder, ast.Name)} & imported


def test_no_app_asks_for_the_rows_of_another() -> None:
    files = [file for file in (ROOT / "apps").rglob("*.py") if "migrations" not in file.parts]
    found = {
        (name, model)
        for name, file in ((str(file.relative_to(ROOT)), file) for file in files)
        for model in foreign_rows(name, file.read_text())
    }

    assert {(name, model) for name, model in found if Path(name).parts[1] != WALKS_ALL} == set()


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("apps/memory/x.py", "from apps.resources.models import Resource as R\nR.objects.filter(id=1)", {"R"}),
        ("apps/resources/x.py", "from apps.resources.models import Resource\nResource.objects.all()", set()),
        ("apps/memory/x.py", "from apps.resources.models import Resource\nrow: Resource", set()),
    ],
)
def test_rows_that_are_asked_for_are_noticed(name: str, source: str, expected: set[str]) -> None:
    assert foreign_rows(name, source) == expected


def long_statements(source: str) -> set[int]:
    """The lines on which SQL of more than LONGEST_LINES lines begins: in one literal or several, formatted or not."""
    literals = (node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    return {
        node.lineno
        for node in literals
        if ANY_STATEMENT.match(words(node)) and (node.end_lineno or 0) - node.lineno >= LONGEST_LINES
    }


def words(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(words(part) for part in node.values if isinstance(part, ast.Constant))
    return node.value if isinstance(node.value, str) else ""


def test_long_statements_lie_in_files_of_their_own() -> None:
    """Migrations keep theirs beside them; what is put together from parts is a file with room for them."""
    files = [file for file in (ROOT / "apps").rglob("*.py") if "migrations" not in file.parts]

    found = [f"{file.relative_to(ROOT)}:{line}" for file in files for line in long_statements(file.read_text())]

    assert found == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('x = """' + "\n".join(["SELECT 1,", *["1,"] * 9, "1"]) + '"""', {1}),
        ('x = """' + "\n".join(["SELECT 1,", *["1,"] * 8, "1"]) + '"""', set()),
        ('x = f"""' + "\n".join(["WITH a AS {y}", *["b"] * 10]) + '"""', {1}),
        ('x = (\n    "UPDATE a "\n' + '    "b "\n' * 9 + '    "c"\n)', {2}),
        ('x = """\n' + "DO $$\n" * 11 + '"""', {1}),
        ('x = """' + "Words.\n" * 20 + '"""', set()),
    ],
)
def test_a_long_statement_is_noticed(source, expected) -> None:
    assert long_statements(source) == expected


def test_every_view_is_held_to_the_rows_its_reader_may_see(catalogue) -> None:
    rows = catalogue(
        """SELECT c.relname, coalesce('security_invoker=true' = ANY (c.reloptions), false),
                  obj_description(c.oid) IS NOT NULL AND bool_and(col_description(c.oid, a.attnum) IS NOT NULL)
           FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
           WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v' GROUP BY c.oid, c.relname, c.reloptions"""
    )

    assert len(rows) >= 6
    assert [name for name, held, documented in rows if not held or not documented] == []
