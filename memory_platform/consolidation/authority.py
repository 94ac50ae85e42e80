"""Whose word a claim is, and whose word may close it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from memory_platform.model import Role


@dataclass(frozen=True, slots=True)
class Voice:
    """Who says something: as what, and under which name, empty where nobody is named."""

    role: Role = Role.USER
    name: str = ""


CALLER: Final = Voice()
"""Whoever remembers, corrects or confirms something: a caller is a user."""

MAY_CLOSE: Final[Mapping[Role, frozenset[Role]]] = {
    Role.USER: frozenset(Role),
    Role.TOOL: frozenset({Role.TOOL, Role.ASSISTANT}),
    Role.SYSTEM: frozenset({Role.SYSTEM, Role.ASSISTANT}),
    Role.ASSISTANT: frozenset({Role.ASSISTANT}),
}
"""Whose claims each role's claim may close. What it may not close it can at most put in doubt."""

_RANK: Final = {Role.ASSISTANT: 0, Role.SYSTEM: 1, Role.TOOL: 2, Role.USER: 3}


def may_close(role: Role, held: Role, *, are_records: bool = False) -> bool:
    """Whether a claim of `role` may close one that is held on the word of `held`.

    Of two records (docs/adr/0021) a tool's closes the other whoever repeated it meanwhile: it is read off the thing.
    """
    return held in MAY_CLOSE[role] or (are_records and role is Role.TOOL)


def word_of(voices: Collection[Voice]) -> Role:
    """On whose word something is held that several say: the one fewest may close. A caller's, where nobody is known."""
    return max((voice.role for voice in voices), key=_RANK.__getitem__, default=Role.USER)


def are_one(first: Voice, second: Voice) -> bool:
    """Whether two may be one and the same: who is not named is no other person."""
    is_named = bool(first.name and second.name)
    return first.role is second.role and not (is_named and first.name.casefold() != second.name.casefold())
