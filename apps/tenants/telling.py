"""What the journal holds, as people read it: who did what, and what each value was and is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.journal.selectors import EntryView

CHANGES = "changes"


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A value that was changed, or (`was` None) one that came with what was done."""

    name: str
    was: str | None
    now: str


@dataclass(frozen=True, slots=True)
class Happening:
    """`actor` is the journal's code of who did it, `who` what people call them."""

    at: datetime
    what: str
    actor: str
    who: str
    changes: tuple[ChangedValue, ...]

    @property
    def person(self) -> str:
        """The login's id, where it was a person."""
        kind, _, login_id = self.actor.partition(":")
        return login_id if kind == "member" else ""


def told(entries: Iterable[EntryView], logins: Mapping[int, str]) -> list[Happening]:
    """The entries in their order; `logins` are the members' names by login id."""
    return [
        Happening(
            at=each.at,
            what=_words(each.operation),
            actor=each.actor,
            who=_who(each.actor, logins),
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
    for name in sorted(data.keys() - {CHANGES, *changed}):
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


def _who(actor: str, logins: Mapping[int, str]) -> str:
    """An actor of the journal, a member by the name of the login."""
    kind, _, login_id = actor.partition(":")
    return logins.get(int(login_id), actor) if kind == "member" and login_id else actor
