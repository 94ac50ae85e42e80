"""Closing an item that another replaced: with its version, its journal line and the link that says so."""

from dataclasses import dataclass
from datetime import datetime

from apps.memory.confidence import Confidence
from apps.memory.models import Item, ItemLink
from apps.memory.services.changes import Changes
from memory_platform.model import Status

SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Closing:
    """Which item replaces it and why, until when it was true, and the moment that says so; `is_wrong`: it never was."""

    by: Item
    reason: str
    until: datetime
    at: datetime
    is_wrong: bool = False


def close(target: Item, closing: Closing, *, changes: Changes, confidence: Confidence, penalty: float) -> None:
    """Close `target`; `penalty` is Policy's contradicted_penalty."""
    changes.alter(
        target,
        SUPERSEDED,
        closing.reason,
        status=Status.SUPERSEDED,
        status_reason=closing.reason,
        valid_until=closing.until,
        retracted_at=closing.at if closing.is_wrong else None,
        confidence=confidence.when(closing.at).changed(target, -penalty),
        reinforced_at=max(target.reinforced_at, closing.at),
    )
    changes.link(ItemLink.Kind.SUPERSEDES, to=target, start=closing.by, reason=closing.reason)
