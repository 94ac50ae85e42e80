"""correct and confirm: what a person or an agent says about an item itself."""

from dataclasses import replace
from uuid import UUID

from apps.core import clock, scope
from apps.core.scope import Scope
from apps.memory import selectors
from apps.memory.confidence import Confidence
from apps.memory.models import Item
from apps.memory.requests import SeenItem
from apps.memory.results import ItemView, WriteResult
from apps.memory.services import audience as audiences
from apps.memory.services import explicit, feedback, settling
from apps.memory.services.candidates import Candidate, Correction, Origin, judge
from apps.memory.services.changes import Changes
from apps.memory.services.finding import readable, refuse_changed, refuse_other_users, refuse_past, writable
from apps.memory.services.settling import Settler
from apps.tenants import selectors as tenants
from memory_platform.consolidation.claims import claim_hash
from memory_platform.errors import Invalid
from memory_platform.lifecycle import decay
from memory_platform.model import FiledBy, Kind, Status, Strength, Verdict


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


def confirm(item_id: UUID, *, seen: tuple[SeenItem, ...] = ()) -> ItemView:
    """Someone vouches for an item: it no longer decays, if it waited for review it is allowed, and what was open about
    it is answered as if it had been said again: of two that cannot both be true the other is closed.

    Needs an open scope. Raises NotFound, Forbidden, Conflict when it is superseded or forgotten, or one that
    was `seen` has changed.
    """
    found = readable(item_id)
    refuse_other_users(found)
    number = audiences.lock(audiences.of(found))
    item = writable(item_id)
    refuse_changed(seen)
    refuse_past(item)
    tenant_id, now = scope.current().tenant_id, clock.now()
    policy = tenants.policy(tenant_id)
    confidence = Confidence.at(now, policy, tenants.category_rules(tenant_id))
    changes = Changes(now=now, number=number)
    feedback.answer(item, changes)
    changes.alter(
        item,
        "confirmed",
        "",
        confidence=decay.reinforce(item.confidence, policy.reinforce_other_source),
        reinforced_at=now,
        last_confirmed_at=now,
        protected=True,
        verdict=Verdict.ALLOW.value,
        status=Status.ACTIVE.value,
        status_reason="",
    )
    _answer_questions(item, Settler(changes, confidence, policy.contradicted_penalty))
    changes.write()
    return selectors.hydrate([item_id])[item_id]


def _answer_questions(item: Item, settler: Settler) -> None:
    links = settling.open_questions([item.id], settler.changes)
    others = Item.objects.select_for_update().filter(
        tenant_id=item.tenant_id, id__in=set().union(*map(settling.ends, links)) - {item.id}
    )
    items = {item.id: item, **{other.id: other for other in others}}
    settler.settle(settling.vouched(item, settler.changes.now), [item.id], links, items)


def _reviewed(candidate: Candidate) -> Candidate:
    """Who corrects an item has looked at it: its correction does not wait for another review."""
    if candidate.gate.verdict is not Verdict.HOLD:
        return candidate
    return replace(candidate, gate=replace(candidate.gate, verdict=Verdict.ALLOW))
