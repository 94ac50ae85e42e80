"""Ids as people read and type them: the last eight characters, since ids of one moment begin alike.

Any four characters in a row will do where they name one thing.
"""

import re
from collections.abc import Sequence
from uuid import UUID

from apps.cli.server import Answer, Server
from memory_platform.errors import Invalid, NotFound
from memory_platform.model import Status, Verdict

SHORT = 8
_PART = re.compile(r"[0-9a-f-]{4,36}")
_HELD = [Verdict.ALLOW.value, Verdict.HOLD.value]


def short(full: str) -> str:
    return full[-SHORT:]


def is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def memory_id(server: Server, given: str) -> str:
    """The id of the one memory whose id is or holds `given`, whatever its status.

    Raises NotFound when there is none, Invalid when there are several or `given` is no part of an id.
    """
    if is_id(given):
        return given
    statuses = [status.value for status in Status]
    found = server.get(
        "memories", id_part=_part_of_id(given), status=statuses, verdict=_HELD, first=3, **server.every_user()
    )
    return _only(given, found["items"], kind="memory", lister="memory show")


def key_id(server: Server, given: str) -> str:
    """The same among the tenant's keys."""
    if is_id(given):
        return given
    part = _part_of_id(given)
    keys = [key for key in server.get("keys")["items"] if part in key["id"]]
    return _only(given, keys, kind="key", lister="memory keys list")


def _part_of_id(given: str) -> str:
    if not _PART.fullmatch(given.lower()):
        raise Invalid(
            f"{given!r} is not an id.", hint="Give one that `memory show` lists, or at least four characters of it."
        )
    return given.lower()


def _only(given: str, found: Sequence[Answer], *, kind: str, lister: str) -> str:
    if not found:
        raise NotFound(f"There is no {kind} with {given} in its id.", hint=f"`{lister}` lists them.")
    if len(found) > 1:
        raise Invalid(
            f"More than one {kind} has {given} in its id.",
            hint=f"Give more of it: {', '.join(str(each['id']) for each in found)}.",
        )
    return str(found[0]["id"])
