"""How the console's templates write numbers, moments and links."""

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django import template
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.console import erasure_words
from apps.core.clock import now
from apps.core.ids import ID_PATTERN
from apps.jobs.selectors import JobView

register = template.Library()

_ID: Final = re.compile(ID_PATTERN)
_SPANS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


@register.filter
def amount(value: float | str | None) -> str:
    """12,345; a dash for what is unknown, a code as it is."""
    return "–" if value is None else value if isinstance(value, str) else f"{value:,}"


@register.filter
def percent(share: float | None) -> str:
    """42%, 0.1%: with one digit where it is small; a dash for what is unknown."""
    if share is None:
        return "–"
    return f"{share:.1%}" if 0 < share < 0.1 else f"{share:.0%}"


@register.filter
def usd(value: float | None) -> str:
    """$12.34, and as many digits more as a small amount needs; a dash for what is unknown."""
    if value is None:
        return "–"
    return f"${value:,.2f}" if value == 0 or abs(value) >= 1 else f"${value:.4f}"


@register.filter
def duration(seconds: float | None) -> str:
    """The largest unit that fits: 3 d, 5 h, 12 min, 8 s."""
    if seconds is None:
        return "–"
    for size, unit in _SPANS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "0 s"


@register.filter
def moment(value: datetime | None) -> str | SafeString:
    """A time by the tenant's clock; how long ago or ahead it is stands in its title."""
    return "–" if value is None else _time(value, shown=_clock(value), title=_distance(value))


@register.filter
def ago(value: datetime | None) -> str | SafeString:
    """5 min ago, in 3 h; the time by the tenant's clock stands in its title."""
    return "never" if value is None else _time(value, shown=_distance(value), title=_clock(value))


@register.filter
def told_by(label: str, names: Mapping[str, str]) -> str:
    """The name of whoever a label of the journal is."""
    return names.get(label, label)


@register.filter
def took(job: JobView) -> str:
    """How long a job ran, or has run."""
    if job.started_at is None:
        return "–"
    seconds = ((job.finished_at or now()) - job.started_at).total_seconds()
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else duration(seconds)


@register.filter
def tail(value: object) -> str:
    """The end of an id, which tells it from those of its time."""
    return f"…{str(value)[-6:]}"


@register.filter
def pairs(held: Mapping[str, object]) -> list[tuple[str, object]]:
    """A mapping's names and values: a template takes `.items` for the one that is called so."""
    return list(held.items())


@register.filter
def plain(value: object) -> str:
    """A value of JSON in a line."""
    if value is None or isinstance(value, bool):
        return {None: "–", True: "yes", False: "no"}[value]
    if isinstance(value, str):
        return tail(value) if _ID.fullmatch(value) else value or "–"
    if isinstance(value, list) and all(isinstance(each, str | int) for each in value):
        return ", ".join(map(str, value)) or "none"
    return json.dumps(value, ensure_ascii=False)


@register.filter
def words(value: str) -> str:
    """A code as words: item_held as Item held."""
    return str(value).replace("_", " ").replace(".", " ").capitalize()


@register.filter
def of_table(name: str) -> str:
    """What the rows of a table are called."""
    return erasure_words.rows(name) or words(name)


@register.filter
def pretty(value: object) -> str:
    """JSON as people read it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


@register.simple_tag(takes_context=True)
def query(context: template.Context, **changed: object) -> str:
    """The address' query with some fields set; None takes one out."""
    request: HttpRequest = context["request"]
    fields = request.GET.copy()
    for name, value in changed.items():
        fields.pop(name, None)
        if value is not None:
            fields[name] = str(value)
    return f"?{fields.urlencode()}"


def _distance(value: datetime) -> str:
    apart: timedelta = now() - value
    seconds = apart.total_seconds()
    if abs(seconds) < 1:
        return "now"
    return f"{duration(seconds)} ago" if seconds > 0 else f"in {duration(-seconds)}"


def _time(value: datetime, *, shown: str, title: str) -> SafeString:
    return format_html('<time datetime="{}" title="{}">{}</time>', value.isoformat(), title, shown)


def _clock(value: datetime) -> str:
    return f"{timezone.localtime(value):%Y-%m-%d %H:%M}"
