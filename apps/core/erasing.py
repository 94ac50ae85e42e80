"""Deleting for good: what is to go, and the rules by which each app says which of its rows that means.

An app's rules name its own tables only. Rows go a bounded number at a time, in the order of the rules, and what is gone
already is not found again: a purge that was cut off is simply begun anew.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.core import rows, scope

ROWS_AT_ONCE: Final = 2_000
"""Deleted by one statement."""

SESSIONS: Final = (
    "SELECT * FROM jsonb_to_recordset(%(conversations)s::jsonb) AS c (agent_id uuid, user_id text, name text)"
)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session by the caller's own id, which another agent's or user's may have, too."""

    agent_id: UUID
    user_id: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Doomed:
    """What is to go, captured `before` then: rows by their ids, and what hangs on them.

    With `user_id` also what belongs to this user and hangs on no such row. `words` is a regular expression
    (PostgreSQL's, case ignored) of names that are to go from what `users` said (an empty one: what is nobody's).
    """

    before: datetime
    item_ids: tuple[UUID, ...] = ()
    resource_ids: tuple[UUID, ...] = ()
    session_ids: tuple[UUID, ...] = ()
    entity_ids: tuple[UUID, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    user_id: str | None = None
    words: str | None = None
    users: tuple[str, ...] = ()

    @property
    def unit_ids(self) -> tuple[UUID, ...]:
        """What can be recalled."""
        return (*self.item_ids, *self.resource_ids)

    def parameters(self) -> dict[str, Any]:
        conversations = [{each.name: getattr(one, each.name) for each in fields(one)} for one in self.conversations]
        return {
            "tenant": scope.current().tenant_id,
            "before": self.before,
            "items": rows.uuids(self.item_ids),
            "resources": rows.uuids(self.resource_ids),
            "units": rows.uuids(self.unit_ids),
            "sessions": rows.uuids(self.session_ids),
            "entities": rows.uuids(self.entity_ids),
            "conversations": rows.recordset(conversations),
            "user": self.user_id,
            "words": self.words,
            "users": list(self.users),
            "limit": ROWS_AT_ONCE,
        }


@dataclass(frozen=True, slots=True)
class Rule:
    """Rows of a table that go: those for which `condition` holds, which may use what `Doomed.parameters` names.

    `tells` are the columns an export holds of them, none of what other rows say already; `key` is their unique id.
    """

    table: str
    condition: str
    tells: tuple[str, ...] = ()
    key: str = "id"


CALLERS_OWN: Final = frozenset({"external_id", "session_external_id", "user_id"})
"""Columns of ids that a caller chose: they say nothing of whom they contain the name."""
OF_USER: Final = "user_id = %(user)s::text"


def any_of(column: str, ids: str) -> str:
    """The condition that a column holds one of the doomed `ids`."""
    return f"{column} = ANY(%({ids})s::uuid[])"


def says(*columns: str) -> str:
    """The condition that one of the columns of a user's row says one of the words."""
    said = " OR ".join(f"{column}::text ~* %(words)s::text" for column in columns)
    return f"(%(words)s::text IS NOT NULL AND coalesce(user_id, '') = ANY(%(users)s::text[]) AND ({said}))"


def saying(table: str, columns: Iterable[str]) -> Rule:
    """The rows of a table that say one of the words, in any of the columns that hold content."""
    return Rule(table, says(*sorted(set(columns) - CALLERS_OWN)))


def either(*conditions: str) -> str:
    return " OR ".join(f"({each})" for each in conditions)


def purge(rules: Sequence[Rule], doomed: Doomed) -> Counter[str]:
    """Delete what the rules say, in their order; rows by table. Needs an open scope of the whole tenant.

    Where there are more rows of a table than ROWS_AT_ONCE, that many go and the tables after it wait: to be repeated
    until it deletes nothing.
    """
    gone: Counter[str] = Counter()
    given = doomed.parameters()
    for rule in rules:
        deleted = _run(f"SELECT erase_rows('{rule.table}', ARRAY(SELECT ctid {_which(rule)} LIMIT %(limit)s))", given)
        gone[rule.table] += deleted
        if deleted == ROWS_AT_ONCE:
            break
    return +gone


def count(rules: Sequence[Rule], doomed: Doomed) -> Counter[str]:
    """How many rows of each table the rules mean. Needs an open scope."""
    return +sum(counts(rules, doomed), Counter[str]())


def counts(rules: Sequence[Rule], doomed: Doomed) -> Iterator[Counter[str]]:
    """The same of each rule, one after another."""
    given = doomed.parameters()
    for rule in rules:
        yield Counter({rule.table: _run(f"SELECT count(*) {_which(rule)}", given)})


def told(rule: Rule, doomed: Doomed, *, behind: UUID | None, most: int) -> list[tuple[UUID, dict[str, Any]]]:
    """What an export holds of the rows a rule means, by their ids, from behind one on. Needs an open scope."""
    held = ", ".join(f"'{column}', {column}" for column in rule.tells)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {rule.key}, jsonb_build_object({held}) {_which(rule)}"
            f" AND (%(behind)s::uuid IS NULL OR {rule.key} > %(behind)s::uuid) ORDER BY {rule.key} LIMIT %(most)s",
            {**doomed.parameters(), "behind": behind, "most": most},
        )
        return [(row_id, json.loads(row) if isinstance(row, str) else row) for row_id, row in cursor.fetchall()]


def find(rule: Rule, doomed: Doomed) -> list[UUID]:
    """The ids of the rows a rule means. Needs an open scope."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id {_which(rule)}", doomed.parameters())
        return [row_id for (row_id,) in cursor.fetchall()]


def _which(rule: Rule) -> str:
    return f"FROM {rule.table} WHERE tenant_id = %(tenant)s AND ({rule.condition})"


def _run(sql: str, given: Mapping[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, given)
        return int(cursor.fetchone()[0])
