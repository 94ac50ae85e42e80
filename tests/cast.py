"""The people of the tests, so that a name means the same person everywhere. New tests take theirs from here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody an agent talks to or of: `user_id` is the caller's id, `mark` a word that stands in no other's rows."""

    user_id: str
    name: str
    mark: str = ""


MARA = Person("mara", "Mara Lindqvist")
"""The user of an agent whose memory is tested; who must not see it is a stranger or a sibling, not a person."""
EVE = Person("eve-7f3a", "Eve", "Quillfeather")
"""Who asks to be erased."""
ADAM = Person("adam-91c2", "Adam", "Brambleworth")
"""Who talks to the same agent, and of whom nothing may go with her."""
