"""What an assistant only says back of what a user told it: "You live in Munich." of "I live in Munich."."""

from collections.abc import Sequence
from typing import Final

from memory_platform.consolidation.claims import Claim, Neighbour, normalised
from memory_platform.model import Role, Slot, Status
from memory_platform.text.terms import terms

_SPEAKER: Final = frozenset({"i", "me", "we", "us", "je", "nous"})
_SPEAKERS_OWN: Final = frozenset({"my", "our", "mon", "ma", "mes", "notre", "nos"})
_LISTENER: Final = frozenset({"you", "tu", "vous"})
_LISTENERS_OWN: Final = frozenset({"your", "ton", "ta", "tes", "votre", "vos"})
"""The persons of a talk, in the languages that have a parser."""
_LONGEST_OPENING: Final = 4
"""Words."""
_USER: Final = "@"
"""No word, so that an assistant's own "I" is nobody else's."""


def tells_back(claim: Claim, neighbour: Neighbour) -> bool:
    """Whether an assistant's claim gives a state the value that a user gave it, whatever else it says of it."""
    if claim.role is not Role.ASSISTANT or neighbour.role is not Role.USER:
        return False
    heard, said = _heard(claim.slot), _said(neighbour.slot, neighbour.said_by)
    return bool(claim.slot.value) and heard == said and claim.is_negated == neighbour.is_negated


def is_echo(claim: Claim, neighbour: Neighbour) -> bool:
    """Whether it says nothing beside that, however it opens: "Got it, your boss is Anna."."""
    return tells_back(claim, neighbour) and terms(_opened(claim)).keys() <= terms(neighbour.in_context).keys()


def _opened(claim: Claim) -> str:
    """Its text from its subject on, where a few words that name and number nothing stand before that."""
    opening = claim.text[: max(0, claim.text.find(claim.slot.subject))]
    is_brief = len(opening.split()) <= _LONGEST_OPENING and not any(map(str.isdigit, opening))
    return claim.text[len(opening) :] if is_brief and opening[1:] == opening[1:].casefold() else claim.text


def echoed(claim: Claim, neighbours: Sequence[Neighbour]) -> Neighbour | None:
    """What a claim is a mere echo of: something that holds, else the latest of what was replaced."""
    found = [n for n in neighbours if (n.is_open or _is_replaced(n)) and is_echo(claim, n)]
    return max(found, key=lambda n: (n.is_open, n.said_at, str(n.id)), default=None)


def _is_replaced(neighbour: Neighbour) -> bool:
    return neighbour.status is Status.SUPERSEDED and neighbour.valid_until is not None


def _heard(slot: Slot) -> tuple[str, ...]:
    """A state as the listener would speak of it."""
    first, *rest = slot.subject.casefold().split() or [""]
    return _state(_subject(rest, is_self=first in _LISTENER, is_own=first in _LISTENERS_OWN) or slot.subject, slot)


def _said(slot: Slot, speaker: str) -> tuple[str, ...]:
    """A state as its speaker speaks of it, whether or not the speaker's name was put in."""
    first, *rest = slot.subject.casefold().split() or [""]
    name = speaker.casefold()
    is_self, is_own = first in _SPEAKER, first in _SPEAKERS_OWN
    if name and slot.subject.casefold() == name:
        is_self, rest = True, []
    elif name and slot.subject.casefold().startswith(f"{name}'s "):
        is_own, rest = True, slot.subject.casefold().removeprefix(f"{name}'s ").split()
    return _state(_subject(rest, is_self=is_self, is_own=is_own) or slot.subject, slot)


def _subject(rest: Sequence[str], *, is_self: bool, is_own: bool) -> str:
    """The one who is told of, or what is theirs; empty where it is neither."""
    if is_self and not rest:
        return _USER
    return " ".join([_USER, *rest]) if is_own else ""


def _state(subject: str, slot: Slot) -> tuple[str, ...]:
    return subject.casefold(), slot.attribute.casefold(), slot.qualifier, normalised(slot.value)
