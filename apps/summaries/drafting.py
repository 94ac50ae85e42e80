"""From what stands in a filing to the text of its summary."""

from dataclasses import dataclass
from uuid import UUID

from apps.core import scope
from apps.memory import filing
from apps.memory.filing import Filing
from apps.memory.results import ItemView
from apps.memory.summary_facts import summary_fact
from apps.tenants import selectors as tenants
from memory_platform.consolidation import summarising
from memory_platform.consolidation.summarising import WRITER
from memory_platform.model import SummaryFact, SummarySection


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a summary is written from: the facts, and the items they are, place by place."""

    label: str
    facts: tuple[SummaryFact, ...]
    items: tuple[ItemView, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A text, who wrote it (`degraded`: why not the model), and the items it rests on."""

    text: str
    writer: str
    item_ids: tuple[UUID, ...]
    degraded: str = ""


def gathered(wanted: Filing, *, known: frozenset[UUID] = frozenset()) -> Gathered:
    """The facts said last, as many as the tenant has in a summary. Needs an open scope.

    `known` are the items the present summary rests on; the others are new.
    """
    tenant_id = scope.current().tenant_id
    zone = tenants.time_zone(tenant_id)
    items = filing.current(wanted, most=tenants.policy(tenant_id).summary_items)
    facts = tuple(
        summary_fact(item, zone, is_new=item.id not in known, is_doubted=bool(item.doubted_by)) for item in items
    )
    return Gathered(tenants.category_label(wanted.category), facts, tuple(items))


def arranged(basis: Gathered, *, degraded: str = "") -> Draft:
    """The summary by rules."""
    return composed(basis, summarising.arranged(basis.facts), writer=WRITER, degraded=degraded)


def composed(basis: Gathered, sections: tuple[SummarySection, ...], *, writer: str, degraded: str = "") -> Draft:
    """The text of sections that rest on the facts."""
    used = sorted(summarising.sources(sections))
    text = summarising.rendered(basis.label, sections)
    return Draft(text, writer, tuple(basis.items[place].id for place in used), degraded)
