"""The states that a list is filtered by, as the page names them."""

from collections.abc import Mapping
from typing import TypeVar

from memory_platform.errors import Invalid

States = TypeVar("States")


def chosen(states: Mapping[str, States], status: str) -> States:
    """What a name stands for; the empty one is the list as it is shown at first. Raises Invalid."""
    if status not in states:
        raise Invalid("There is no such state.", field="status", hint=f"One of {', '.join(filter(None, states))}.")
    return states[status]
