"""correct: what a person or an agent says an item should have said."""

from dataclasses import replace
from uuid import UUID

from apps.core import clock, scope
from apps.core.scope import Scope
from apps.memory.requests import SeenItem
from apps.memory.results import WriteResult
from apps.memory.services import audience as audiences
from apps.memory.services import explicit
from apps.memory.services.candidates import Candidate, Correction, Origin, judge
from apps.memory.services.finding import refuse_changed, refuse_past, writable
from apps.tenants import selectors as tenants
from memory_platform.consolidation.claims import claim_hash
from memory_platform.errors import Invalid
from memory_platform.model import FiledBy, Kind, Strength, Verdict


def correct(
    item_id: UUID, text: str, reason: str = "", *, seen: tuple[SeenItem, ...] = (), within: Scope
) -> WriteResult:
    """Replace what an item says by a new item that supersedes it. Called without an open scope.

    Raises NotFound, Forbidden for another agent's shared item, Invalid for a text that says the same, Conflict when
    the item is superseded or forgotten already, or one that was `seen` has changed.
    """
    text = explicit.checked(text)
    with scope.enter(within):
        wrong = writable(item_id)
        refuse_changed(seen)
        policy = tenants.policy(within.tenant_id)
        categories = tenants.category_rules(within.tenant_id)
    refuse_past(wrong)
    if wrong.claim_hash == claim_hash(text):
        raise Invalid("The correction says what the memory says already.", field="text")
    origin = Origin(audiences.of(wrong), clock.now(), wrong.session_id)
    fact = replace(
        explicit.read(text, origin, categories, day_first=policy.day_first).fact,
        kind=Kind(wrong.kind),
        category=wrong.category,
        filed_by=FiledBy(wrong.filed_by),
        service=wrong.service or None,
        strength=Strength.EXPLICIT,
        confidence=None,
        suggestion=None,
    )
    purpose = Correction(item_id, reason, seen)
    candidate = replace(judge(fact, origin, policy), purpose=purpose, valid_from=wrong.valid_from)
    return explicit.write(_reviewed(candidate), policy, categories, within=within, operation="correct")


def _reviewed(candidate: Candidate) -> Candidate:
    """Who corrects an item has looked at it: its correction does not wait for another review."""
    if candidate.gate.verdict is not Verdict.HOLD:
        return candidate
    return replace(candidate, gate=replace(candidate.gate, verdict=Verdict.ALLOW))
