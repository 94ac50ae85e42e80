"""Looking for what was erased: in every column of every table of the tenant, by the catalogue, and in all of Valkey."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import chain, groupby
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db import connection
from redis import Redis

from apps.budgets.models import Usage, UsageDay
from apps.core import clock, erasing, rows, scope
from apps.core.ids import ID_PATTERN, earliest_id
from apps.core.sql import statement
from apps.curation.models import CuratedEntry, Proposal
from apps.erasure.models import Erasure, ErasureTarget
from apps.erasure.results import Scanned
from apps.erasure.sentences import SHORTEST, digests, unsaid
from apps.jobs.models import Job
from apps.journal.models import Entry, LogText
from apps.memory import cold, judging
from apps.memory.models import Extraction, ForgetBatch, Item, ItemFeedback, ItemVersion, Rejection
from apps.resources.models import Checkpoint, Resource
from apps.retrieval.models import Recall
from apps.triggers.models import FutureTrigger

# They tell what happened by ids and counts, never content, and are kept: the log, jobs, and what was spent.
KEEP_IDS: Final = frozenset(model._meta.db_table for model in (Entry, Job, Usage, UsageDay))  # noqa: SLF001
OWN: Final = frozenset(model._meta.db_table for model in (Erasure, ErasureTarget))  # noqa: SLF001
# What somebody said is theirs, whoever else said so, too; what was taken of one message or memory names it by its id.
SAID: Final = frozenset(
    model._meta.db_table  # noqa: SLF001
    for model in (
        Checkpoint,
        CuratedEntry,
        ForgetBatch,
        FutureTrigger,
        ItemFeedback,
        ItemVersion,
        LogText,
        Proposal,
        Recall,
        Resource,
    )
)
# How one message was read, by its id: what is read into it stands in no other row, and others may say just that.
READ: Final = frozenset(model._meta.db_table for model in (Extraction, Rejection))  # noqa: SLF001
ITEM_TEXT: Final = (Item._meta.db_table, "text")  # noqa: SLF001
KEYS_AT_ONCE: Final = 1_000
VALKEY: Final = "valkey"
COPY: Final = "neo4j"
FILE: Final = "git"
ELSEWHERE: Final = frozenset({VALKEY, COPY, FILE})
"""Stores beside the database: what is removed there is counted in keys, nodes and commits, not in rows."""
ID_CHARACTERS: Final = 36
_UUID: Final = re.compile(ID_PATTERN, re.IGNORECASE)
_LIKE_ID: Final = "%-____-____-____-____________%"


@dataclass(frozen=True, slots=True)
class ResidueSearch:
    """What is looked for: `ids` in columns of ids and within what nobody said, `phrases` anywhere in a text, `user_id`
    in columns of that name, `sentences` by their digests in what was made of what is said.

    A sentence that is left is no residue where a message or a memory that stays says it, too. Rows that are one
    message's or memory's own are looked for by their ids alone: what was read in a message, and what is packed away.
    So are other servers: Valkey holds no text, each node of Neo4j is named by its id, and the repository of the curated
    memory is compared with its lines.

    `words` is a regular expression for texts of `users`, as in `Doomed`. What a user says from now on is theirs to say:
    with `before_id`, an id made when the erasure began, rows whose own id is later are not looked at. Judgements of
    pairs of texts are looked for with it alone: their keys do not tell which texts, so that all from before count.
    """

    ids: frozenset[UUID] = frozenset()
    phrases: tuple[str, ...] = ()
    words: str | None = None
    users: tuple[str, ...] = ()
    user_id: str | None = None
    before_id: UUID | None = None
    sentences: frozenset[UUID] = frozenset()

    def parameters(self) -> dict[str, Any]:
        return {
            "tenant": scope.current().tenant_id,
            "ids": rows.uuids(self.ids),
            "phrases": list(self.phrases),
            "words": self.words,
            "users": list(self.users),
            "user_id": self.user_id,
            "before_id": self.before_id,
        }


@dataclass(frozen=True, slots=True)
class _Column:
    """`holds`: `id`, `ids` or `text`; `has_user`: its rows are users'; `key`: the id that says when one was made;
    `longest`: characters a text may have, None for any number.
    """

    table: str
    name: str
    has_user: bool
    key: str | None
    holds: str
    longest: int | None

    @property
    def says(self) -> bool:
        """Whether it holds what somebody said: not a code, nor an id of the caller's own."""
        return self.name not in erasing.CALLERS_OWN and (self.table, self.name) not in _codes()

    @property
    def is_said(self) -> bool:
        """Whether it holds, word for word, what callers said, or a memory that stands on that."""
        return self._may_say and (self.table in SAID or (self.table, self.name) == ITEM_TEXT)

    @property
    def may_tell(self) -> bool:
        """Whether it holds what was made of what several said."""
        return self._may_say and not self.is_said and self.table not in READ

    @property
    def _may_say(self) -> bool:
        return self.holds == "text" and self.says and (self.longest is None or self.longest >= SHORTEST)

    @property
    def may_name(self) -> bool:
        """Whether an id in its text is the platform's doing: somebody may say one, too, and what they say is theirs."""
        is_own = (self.table, self.name) in _codes() and self.name not in erasing.CALLERS_OWN
        return self.holds == "text" and is_own and (self.longest is None or self.longest >= ID_CHARACTERS)

    def conditions(self, wanted: ResidueSearch) -> Iterator[str]:
        if self.holds != "text":
            if wanted.ids and self.table not in KEEP_IDS:
                yield f'"{self.name}" {"&&" if self.holds == "ids" else "= ANY"} (%(ids)s::uuid[])'
            return
        if wanted.phrases:
            said = f'strpos(lower("{self.name}"::text), lower(phrase)) > 0'
            yield f"EXISTS (SELECT FROM unnest(%(phrases)s::text[]) phrase WHERE {said})"
        if wanted.before_id is not None and self.key is None:
            return
        made = "true" if wanted.before_id is None else f'"{self.key}" < %(before_id)s::uuid'
        if wanted.words is not None and self.has_user and self.says:
            said = f'"{self.name}"::text ~* %(words)s::text'
            yield f"(coalesce(user_id, '') = ANY (%(users)s::text[]) AND {said} AND {made})"
        if wanted.user_id is not None and self.name == "user_id":
            yield f'("user_id" = %(user_id)s::text AND {made})'


def scan(wanted: ResidueSearch) -> Scanned:
    """Where it is still found (table.column). Needs an open scope of the whole tenant."""
    columns = [each for each in _columns() if each.table not in OWN]
    given = wanted.parameters()
    held = (f"{each.table}.{each.name}" for each in columns if _holds(each, wanted, given))
    named = _naming(columns, wanted.ids) if wanted.ids else ()
    telling = _telling(columns, wanted.sentences) if wanted.sentences else ()
    return Scanned(columns=len(columns), found=tuple(dict.fromkeys((*held, *named, *telling))))


def scan_valkey(wanted: ResidueSearch, *, tenant_id: UUID) -> Scanned:
    """The same of every key: its name, and what it holds of whatever type. Called without an open scope.

    A user or a name is looked for where the tenant is named, too: the server is every tenant's.
    """
    seen, is_held = 0, False
    with Redis.from_url(settings.REDIS_URL) as server:
        for key in server.scan_iter(count=KEYS_AT_ONCE):
            seen += 1
            is_held = is_held or _holds_any(server, key, wanted, tenant_id) or _is_left(server, key, wanted, tenant_id)
    return Scanned(keys=seen, found=(VALKEY,) if is_held else ())


def clear_valkey(wanted: ResidueSearch, *, tenant_id: UUID) -> int:
    """Take away every key that the scan would find, and all judgements of the tenant's; how many. Called without an
    open scope.

    Nothing there is the only copy: counts of limits begin anew, a hint that a job waits is given again, and a pair is
    judged again.
    """
    with Redis.from_url(settings.REDIS_URL) as server:
        keys = server.scan_iter(count=KEYS_AT_ONCE)
        doomed = (key for key in keys if _is_judgement(key, tenant_id) or _holds_any(server, key, wanted, tenant_id))
        return sum(server.delete(key) for key in doomed)


def _is_judgement(key: bytes, tenant_id: UUID) -> bool:
    return key.startswith(judging.prefix(tenant_id).encode())


def _is_left(server: Any, key: bytes, wanted: ResidueSearch, tenant_id: UUID) -> bool:
    """Whether it is a judgement remembered before `before_id`. One without an end is as old as can be."""
    if wanted.before_id is None or not _is_judgement(key, tenant_id):
        return False
    left = timedelta(milliseconds=max(0, server.pttl(key)))
    judged_at = clock.now() + left - timedelta(seconds=judging.REMEMBERED_SECONDS)
    return earliest_id(judged_at) < wanted.before_id and bool(server.exists(key))


def _holds_any(server: Any, key: bytes, wanted: ResidueSearch, tenant_id: UUID) -> bool:
    return any(_says(text, wanted, tenant_id) for text in _texts(server, key))


@cache
def _codes() -> frozenset[tuple[str, str]]:
    """Columns of codes, among which a name may be: a project is called Work as a category is."""
    return frozenset(
        (model._meta.db_table, column)  # noqa: SLF001  the documented way to a model's table
        for model in apps.get_models()
        for column in getattr(model, "NOT_CONTENT", ())
    )


def _columns() -> list[_Column]:
    with connection.cursor() as cursor:
        cursor.execute(statement("erasure", "columns"))
        return [_Column(*row) for row in cursor.fetchall()]


def _holds(column: _Column, wanted: ResidueSearch, given: Mapping[str, Any]) -> bool:
    either = " OR ".join(column.conditions(wanted))
    if not either:
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT EXISTS (SELECT FROM {column.table} WHERE tenant_id = %(tenant)s AND ({either}))",  # noqa: S608  names of the catalogue
            given,
        )
        return bool(cursor.fetchone()[0])


def _naming(columns: Sequence[_Column], ids: frozenset[UUID]) -> Iterator[str]:
    """The columns (table.column) within whose texts one of the ids stands; one statement a table."""
    able = [each for each in columns if each.may_name and each.table not in KEEP_IDS]
    # As one text: written out once, and not anew for every table.
    wanted = rows.uuids(ids)
    for table, own in groupby(able, key=lambda column: column.table):
        yield from (f"{table}.{name}" for name in _names(table, own, wanted))


def _names(table: str, own: Iterable[_Column], ids: str) -> list[str]:
    """Each row is read once, and what looks like an id is looked up in a hash of them, however many there are."""
    texts = ", ".join(f"""('{each.name}', "{each.name}"::text)""" for each in own)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT name FROM ("  # noqa: S608  names of the catalogue
            "SELECT held.name, (regexp_matches(held.said, %(id)s, 'gi'))[1]::uuid AS named"
            f" FROM {table} CROSS JOIN LATERAL (VALUES {texts}) AS held (name, said)"
            " WHERE tenant_id = %(tenant)s AND held.said LIKE %(like)s"
            ") found WHERE named = ANY (%(ids)s::uuid[]) ORDER BY name",
            {"id": ID_PATTERN, "like": _LIKE_ID, "ids": ids, "tenant": scope.current().tenant_id},
        )
        return [name for (name,) in cursor.fetchall()]


def _telling(columns: Sequence[_Column], wanted: frozenset[UUID]) -> Iterator[str]:
    """The columns (table.column) that tell one of the sentences, which nothing that stays says.

    What stays is read last: what is told meanwhile was said before.
    """
    told = {each: _told(each, wanted) for each in columns if each.may_tell}
    doubtful = frozenset().union(*told.values())
    left = unsaid(doubtful, _said(columns)) if doubtful else doubtful
    yield from (f"{each.table}.{each.name}" for each, sentences in told.items() if sentences & left)


def _told(column: _Column, wanted: frozenset[UUID]) -> frozenset[str]:
    return frozenset(sentence for sentence, digest in digests(_written(column)) if digest in wanted)


def _said(columns: Sequence[_Column]) -> Iterator[str]:
    """Every text that is somebody's own, and every memory's, be it packed away."""
    return chain(chain.from_iterable(_written(each) for each in columns if each.is_said), cold.texts())


def _written(column: _Column) -> Iterator[str]:
    """Every text of the column, as they are needed."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            f"""SELECT "{column.name}"::text FROM {column.table}"""  # noqa: S608  names of the catalogue
            f""" WHERE tenant_id = %s AND length("{column.name}"::text) >= %s""",
            [scope.current().tenant_id, SHORTEST],
        )
        yield from (text for (text,) in cursor)


def _texts(server: Any, key: bytes) -> Iterator[str]:
    """A key with each of the values it holds, read in parts. The client's types are of its asynchronous twin, too."""
    name = key.decode(errors="replace")
    yield name
    read = _VALUES.get(server.type(key))
    for value in () if read is None else read(server, key):
        yield f"{name} {value.decode(errors='replace')}"


def _listed(server: Any, key: bytes) -> Iterator[bytes]:
    for start in range(0, server.llen(key), KEYS_AT_ONCE):
        yield from server.lrange(key, start, start + KEYS_AT_ONCE - 1)


def _streamed(server: Any, key: bytes) -> Iterator[bytes]:
    last = b"-"
    while entries := server.xrange(key, min=last, count=KEYS_AT_ONCE):
        yield from (part for _, fields in entries for pair in fields.items() for part in pair)
        last = b"(" + entries[-1][0]


_VALUES: Final[Mapping[bytes, Callable[[Any, bytes], Iterable[bytes]]]] = {
    b"string": lambda server, key: [server.get(key) or b""],
    b"list": _listed,
    b"set": lambda server, key: server.sscan_iter(key, count=KEYS_AT_ONCE),
    b"zset": lambda server, key: (member for member, _ in server.zscan_iter(key, count=KEYS_AT_ONCE)),
    b"hash": lambda server, key: (part for pair in server.hscan_iter(key, count=KEYS_AT_ONCE) for part in pair),
    b"stream": _streamed,
}


def _says(text: str, wanted: ResidueSearch, tenant_id: UUID) -> bool:
    if any(UUID(each) in wanted.ids for each in _UUID.findall(text)) or any(each in text for each in wanted.phrases):
        return True
    if str(tenant_id) not in text:
        return False
    names = _spellings(wanted.user_id) if wanted.user_id is not None else []
    names += [wanted.words] if wanted.words is not None else []
    return any(re.search(rf"(?<!\w)(?:{name})(?!\w)", text, re.IGNORECASE) for name in names)


def _spellings(user_id: str) -> list[str]:
    """An id as it is, and as it stands in JSON."""
    return [re.escape(each) for each in {user_id, json.dumps(user_id, ensure_ascii=False)[1:-1]}]
