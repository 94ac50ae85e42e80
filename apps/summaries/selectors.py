"""Reading summaries. All need an open scope and see what it may read; nobody reads what was forgotten since."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Func, OuterRef, QuerySet

from apps.core import clock, scope
from apps.memory import filing
from apps.memory.filing import Filing
from apps.memory.results import ItemView
from apps.memory.selectors import hydrate
from apps.summaries import drafting
from apps.summaries.models import CategorySummary, SummaryVersion
from apps.summaries.results import SummaryListing, SummaryVersionView, SummaryView
from memory_platform.consolidation.summarising import WRITER
from memory_platform.model import Visibility
from memory_platform.text import differences
from memory_platform.text.terms import terms


def summaries() -> list[SummaryListing]:
    """One line for each category and audience in which something stands, by category."""
    heads = {filing_of(row): row for row in _heads()}
    return [_line(own, items, heads.get(own)) for own, items in filing.counted()]


def summary(wanted: Filing) -> SummaryView | None:
    """The summary of a filing, None when nothing stands in it and none was written.

    The written one, unless it rests on something that was forgotten since; without it, it is arranged here and now.
    """
    row = _versions(wanted).filter(number=F("summary__number")).select_related("summary").first()
    if row is not None and _stands(row):
        return _written(wanted, row)
    view = _arranged(wanted)
    return view if view.sources or row is not None else None


def versions(wanted: Filing) -> list[SummaryVersionView]:
    """The versions of a summary, the newest first, each with what it changed; those are left out that rest on something
    that was forgotten since.
    """
    shown = [row for row in _versions(wanted).order_by("number") if _stands(row)]
    before = ["", *(row.text for row in shown)]
    found = [_version(row, earlier) for row, earlier in zip(shown, before, strict=False)]
    return found[::-1]


def best(asked: Collection[str], *, most: int) -> tuple[UUID, ...]:
    """The items of the summaries that hold the most of the terms that are asked for, the fullest summary first."""
    rows = SummaryVersion.objects.filter(tenant_id=scope.current().tenant_id, number=F("summary__number"))
    held = [(len(set(asked) & terms(row.text).keys()), row) for row in rows.exclude(text="").order_by("id")]
    fullest = sorted((each for each in held if each[0]), key=lambda each: each[0], reverse=True)[:most]
    return tuple(dict.fromkeys(item_id for _, row in fullest for item_id in row.item_ids))


def filing_of(row: CategorySummary) -> Filing:
    return Filing(row.agent_id, row.user_id, Visibility(row.visibility), row.category)


def columns(wanted: Filing) -> dict[str, object]:
    """The row of a filing."""
    return {
        "agent_id": wanted.agent_id,
        "user_id": wanted.user_id,
        "visibility": wanted.visibility.value,
        "category": wanted.category,
    }


def _heads() -> "QuerySet[CategorySummary]":
    return CategorySummary.objects.filter(tenant_id=scope.current().tenant_id)


def _versions(wanted: Filing) -> "QuerySet[SummaryVersion]":
    """Each with `held`: those of its items that nobody has forgotten."""
    of_summary = {f"summary__{name}": value for name, value in columns(wanted).items()}
    named = SummaryVersion.objects.filter(id=OuterRef(OuterRef("id"))).values(
        item=Func(F("item_ids"), function="unnest")
    )
    held = ArraySubquery(filing.unforgotten_rows(named).values("id"))
    return SummaryVersion.objects.filter(tenant_id=scope.current().tenant_id, **of_summary).annotate(held=held)


def _stands(row: SummaryVersion) -> bool:
    return set(vars(row)["held"]).issuperset(row.item_ids)


def _line(own: Filing, items: int, head: CategorySummary | None) -> SummaryListing:
    number, at = (head.number, head.updated_at) if head is not None and head.number else (0, None)
    return SummaryListing(own.category, own.user_id, own.visibility, items, number, at)


def _written(wanted: Filing, row: SummaryVersion) -> SummaryView:
    return SummaryView(
        category=wanted.category,
        user_id=wanted.user_id,
        visibility=wanted.visibility,
        text=row.text,
        version=row.number,
        writer=row.writer,
        updated_at=row.at,
        is_current=row.summary.digest == filing.digest(wanted),
        sources=_latest_first(hydrate(row.item_ids).values()),
    )


def _arranged(wanted: Filing) -> SummaryView:
    basis = drafting.gathered(wanted)
    draft = drafting.arranged(basis)
    return SummaryView(
        category=wanted.category,
        user_id=wanted.user_id,
        visibility=wanted.visibility,
        text=draft.text,
        version=0,
        writer=WRITER,
        updated_at=clock.now(),
        is_current=True,
        sources=_latest_first(item for item in basis.items if item.id in draft.item_ids),
    )


def _latest_first(items: Iterable[ItemView]) -> tuple[ItemView, ...]:
    return tuple(sorted(items, key=lambda item: item.said_at, reverse=True))


def _version(row: SummaryVersion, before: str) -> SummaryVersionView:
    view = SummaryVersionView(row.number, row.at, row.writer, row.degraded, row.text, tuple(row.item_ids), "")
    return replace(view, diff=differences.unified(before, row.text))
