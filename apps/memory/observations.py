"""Observations as JSON and back: what an Extraction row holds."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.model import (
    Dropped,
    Fact,
    FiledBy,
    Kind,
    Mood,
    Observation,
    Priority,
    Sentiment,
    Slot,
    Standing,
    Strength,
    Verdict,
)


def dump(observation: Observation) -> dict[str, Any]:
    """As JSON: enumerations by value, times in ISO 8601, nothing left out."""
    return {
        "narrative": observation.narrative,
        "facts": [_dump_fact(fact) for fact in observation.facts],
        "dropped": [asdict(dropped) for dropped in observation.dropped],
    }


def load(resource_id: UUID, data: Mapping[str, Any]) -> Observation:
    """What `dump` was given."""
    return Observation(
        resource_id=resource_id,
        facts=tuple(_load_fact(fact) for fact in data["facts"]),
        dropped=tuple(Dropped(**dropped) for dropped in data["dropped"]),
        narrative=data["narrative"],
    )


def _dump_fact(fact: Fact) -> dict[str, Any]:
    return {**asdict(fact), "event_time": fact.event_time.isoformat() if fact.event_time else None}


def _load_fact(data: Mapping[str, Any]) -> Fact:
    known = {**data}
    known["kind"] = Kind(data["kind"])
    known["strength"] = Strength(data["strength"])
    known["sentiment"] = Sentiment(data["sentiment"])
    known["priority"] = Priority(data["priority"])
    known["suggestion"] = Verdict(data["suggestion"]) if data["suggestion"] else None
    known["mood"] = Mood(data["mood"])
    known["slot"] = _load_slot(data["slot"])
    known["entities"] = tuple(data["entities"])
    known["event_time"] = datetime.fromisoformat(data["event_time"]) if data["event_time"] else None
    known["filed_by"] = FiledBy(data.get("filed_by", FiledBy.KEYWORDS))
    return Fact(**known)


def _load_slot(data: Mapping[str, str]) -> Slot:
    """What was read before standings were has none."""
    standing = Standing(data.get("standing", ""))
    return Slot(data["subject"], data["attribute"], data["value"], data["qualifier"], standing)
