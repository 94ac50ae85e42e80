"""Who says an item: its own words' speaker, and those of the messages that merges brought."""

from collections.abc import Iterable, Iterator

from memory_platform.consolidation.authority import CALLER, Voice
from memory_platform.model import Role
from memory_platform.text.terms import is_name

Spoken = tuple[Role | None, str | None, bool]
"""As what (None: it may not be read here) and by whom a message was said, and whether a merge brought it."""


def voices(spoken: Iterable[Spoken], *, said_by: str, is_vouched: bool = False) -> frozenset[Voice]:
    """`said_by` is the speaker of the item's own words; where they rest on no message, they are a caller's.

    `is_vouched`: a caller confirmed the item. What nobody can read counts as a user's word.
    """
    own, brought = [], []
    for role, speaker, is_brought in spoken:
        name = speaker.strip() if speaker and is_name(speaker) else ""
        if is_brought:
            brought.append(Voice(role or Role.USER, name))
        else:
            own.append(Voice(role or Role.USER, said_by or name))
    return frozenset(_vouched([*(own or [Voice(Role.USER, said_by)]), *brought], is_vouched=is_vouched))


def _vouched(said: list[Voice], *, is_vouched: bool) -> Iterator[Voice]:
    yield from said
    if is_vouched and all(voice.role is not Role.USER for voice in said):
        yield CALLER
