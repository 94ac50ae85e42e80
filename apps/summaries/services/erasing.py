"""Which summaries go: all versions of one that ever rested on an item that goes. It is written anew from the rest."""

from collections import Counter
from typing import Final

from django.db.models import Exists, OuterRef

from apps.core import erasing, scope
from apps.core.erasing import OF_USER, Doomed, Rule
from apps.jobs.services import enqueue
from apps.summaries.models import CategorySummary, SummaryVersion
from apps.summaries.services.following import ONE_AFTER_ANOTHER, REWRITE_JOB

_RESTING: Final = (
    "summary_id IN (SELECT own.summary_id FROM summaries_version own WHERE own.tenant_id = %(tenant)s"
    " AND own.item_ids && %(items)s::uuid[])"
)
RULES: Final = (
    Rule("summaries_version", erasing.either(_RESTING, OF_USER, erasing.says("text")), tells=("text", "at")),
    Rule("summaries_category_summary", OF_USER),
)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    gone = erasing.purge(RULES, doomed)
    if gone["summaries_version"]:
        _write_anew()
    return gone


def _write_anew() -> None:
    """A summary whose present version is gone is as if its items had changed; a job writes it."""
    tenant_id = scope.current().tenant_id
    present = SummaryVersion.objects.filter(tenant_id=tenant_id, summary_id=OuterRef("id"), number=OuterRef("number"))
    emptied = CategorySummary.objects.filter(~Exists(present), tenant_id=tenant_id).exclude(digest="")
    ids = [str(one) for one in emptied.values_list("id", flat=True)]
    if ids:
        CategorySummary.objects.filter(tenant_id=tenant_id, id__in=ids).update(digest="", is_whole=False)
        enqueue(REWRITE_JOB, {"summaries": ids}, serial_key=ONE_AFTER_ANOTHER)
