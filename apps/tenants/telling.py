"""What the journal holds, as people read it: who did what, and what each value was and is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, TypeAlias
from uuid import UUID

from apps.journal.selectors import EntryView
from apps.tenants.access import MEMBER

CHANGES: Final = "changes"
LOGIN: Final = "login"
"""Under which an entry about a member holds who it is, as an actor: it names them once the row is gone."""


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A value that was changed, or (`was` None) one that came with what was done."""

    name: str
    was: str | None
    now: str


@dataclass(frozen=True, slots=True)
class NamedRow:
    """What people call a row; `page` leads to it, where it is open to who asks."""

    name: str
    page: str = ""


NamedRows: TypeAlias = Mapping[tuple[str, UUID | None], NamedRow]
"""Rows by what the journal calls their kind, and their id."""


@dataclass(frozen=True, slots=True)
class Happening:
    """`actor` is the journal's code of who did it, `who` what people call them; `row` is what it was done to, if that
    has a name.
    """

    at: datetime
    what: str
    row: NamedRow | None
    actor: str
    who: str
    changes: tuple[ChangedValue, ...]

    @property
    def person(self) -> str:
        """The login's id, where it was a person."""
        return _login_id(self.actor)


def told(
    entries: Iterable[EntryView], logins: Mapping[int, str], named: NamedRows = MappingProxyType({})
) -> list[Happening]:
    """The entries in their order; `logins` are the members' names by login id, `named` the rows that still are."""
    return [
        Happening(
            at=each.at,
            what=_words(each.operation),
            row=named.get((each.subject, each.subject_id)) or _gone(each.data, logins),
            actor=each.actor,
            who=called(each.actor, logins),
            changes=tuple(_changes(each.data)),
        )
        for each in entries
    ]


def changes_in_words(values: Mapping[str, tuple[object, object]]) -> tuple[ChangedValue, ...]:
    """What each value was and would be, by its name."""
    return tuple(ChangedValue(_words(name), in_words(was), in_words(now)) for name, (was, now) in values.items())


def _changes(data: Mapping[str, Any]) -> Iterable[ChangedValue]:
    changed: Mapping[str, Any] = data.get(CHANGES, {})
    yield from changes_in_words({name: (value["was"], value["is"]) for name, value in changed.items()})
    for name in sorted(data.keys() - {CHANGES, LOGIN, *changed}):
        yield ChangedValue(_words(name), None, in_words(data[name]))


def in_words(value: object) -> str:
    """A value as people read it: a list by its entries, nothing as none."""
    match value:
        case None | "":
            return "none"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(in_words(each) for each in value) or "none"
        case _:
            return str(value)


def _words(code: str) -> str:
    return code.replace(".", " ").replace("_", " ")


def called(name: str, logins: Mapping[int, str]) -> str:
    """A name or an actor of the journal as it is, a member by the name of the login."""
    login_id = _login_id(name)
    return logins.get(int(login_id), name) if login_id.isdecimal() else name


def _login_id(label: str) -> str:
    """Of a person's label; empty for others'."""
    return label.removeprefix(MEMBER) if label.startswith(MEMBER) else ""


def _gone(data: Mapping[str, Any], logins: Mapping[int, str]) -> NamedRow | None:
    """Of rows that are gone a member has a name, that of the login."""
    return NamedRow(called(data[LOGIN], logins)) if LOGIN in data else None
