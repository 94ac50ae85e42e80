"""What goes from the curated memory: lines and proposals that rest on what goes, or say it. Its repository follows."""

from collections import Counter
from typing import Final

from apps.core import erasing, scope
from apps.core.erasing import Doomed, Rule
from apps.core.scope import Scope
from apps.curation import projecting
from apps.curation.models import CuratedFile

_RESTING: Final = "items && %(items)s::uuid[]"


def _says(*columns: str) -> str:
    """Lines are nobody's: what a user's memories say of somebody is not among them."""
    said = " OR ".join(f"{column} ~* %(words)s::text" for column in columns)
    return f"(%(words)s::text IS NOT NULL AND '' = ANY(%(users)s::text[]) AND ({said}))"


RULES: Final = (
    Rule(
        "curation_proposal",
        erasing.either(_RESTING, _says("text", "comment")),
        tells=("section", "text", "comment", "created_at"),
    ),
    Rule("curation_entry", erasing.either(_RESTING, _says("text")), tells=("section", "text", "said_on")),
)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    return erasing.purge(RULES, doomed)


def rewrite(*, within: Scope) -> None:
    """Make this machine's repository anew of what the lines tell now: a process that died over it may have left words
    there that no commit names. Called without an open scope.
    """
    projecting.rewrite(within=within)


def left_in_file(*, within: Scope) -> int:
    """How many commits this machine's repository has if it tells anything but what the lines do, else none.

    Called without an open scope.
    """
    state = projecting.check(within=within)
    return state.commits if state.drifted else 0


def is_kept(within: Scope) -> bool:
    """Whether the tenant has a curated memory."""
    with scope.enter(within):
        return CuratedFile.objects.filter(tenant_id=within.tenant_id).exists()
