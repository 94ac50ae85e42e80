"""Enumerations shared with the core, ids, and how attributes become GraphQL values."""

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any, Final
from uuid import UUID

import strawberry
from strawberry.schema.types.scalar import DEFAULT_SCALAR_REGISTRY

from apps.api.descriptions import of_type
from apps.api.enumerations import meanings
from apps.curation.requests import ProposalOrder
from apps.jobs.models import JobState
from apps.memory.requests import ItemOrder
from apps.memory.results import OpenLinkKind, PendingStep, WriteOutcome
from apps.tenants.models import ApiKey
from apps.triggers.models import Ending, TriggerStatus
from memory_platform.errors import Invalid
from memory_platform.knowledge.graph import EntityType, NodeKind, RelationKind
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.lifecycle.triggers import Precision
from memory_platform.model import (
    ContextStyle,
    Intent,
    Kind,
    Mood,
    Priority,
    Profile,
    Relevance,
    Role,
    Sentiment,
    Status,
    Strength,
    TrustTag,
    Unit,
    Verdict,
    Visibility,
)

_DEFINITION: Final = "__strawberry_definition__"


def expose_enumeration(kind: type[Enum], name: str | None = None) -> None:
    """Make GraphQL know an enumeration, by the name of its class where it has none of GraphQL's own."""
    if hasattr(kind, _DEFINITION):
        return
    strawberry.enum(kind, name=name, description=of_type(kind))
    told = meanings(kind)
    for value in getattr(kind, _DEFINITION).values:
        value.description = told.get(value.name)


_NAMED: Final[Mapping[str, type[Enum]]] = {
    "ContextStyle": ContextStyle,
    "EntityType": EntityType,
    "FeedbackKind": Opinion,
    "Intent": Intent,
    "JobState": JobState,
    "KeyScope": ApiKey.Scope,
    "MemoryKind": Kind,
    "MemoryOrder": ItemOrder,
    "MemoryStatus": Status,
    "Mood": Mood,
    "NodeKind": NodeKind,
    "OpenLinkKind": OpenLinkKind,
    "PendingStep": PendingStep,
    "Priority": Priority,
    "Profile": Profile,
    "ProposalOrder": ProposalOrder,
    "RelationKind": RelationKind,
    "Relevance": Relevance,
    "Role": Role,
    "Sentiment": Sentiment,
    "Strength": Strength,
    "TriggerEnding": Ending,
    "TriggerPrecision": Precision,
    "TriggerStatus": TriggerStatus,
    "TrustTag": TrustTag,
    "Unit": Unit,
    "Verdict": Verdict,
    "Visibility": Visibility,
    "WriteOutcome": WriteOutcome,
}
for _name, _enum in _NAMED.items():
    expose_enumeration(_enum, _name)


SCALARS: Final[dict[object, Any]] = {UUID: DEFAULT_SCALAR_REGISTRY[strawberry.ID]}
"""Our ids are GraphQL's own ID."""


def resolve(source: object, name: str) -> Any:
    """The default resolver: an attribute, UUIDs as text."""
    value = getattr(source, name)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, list) and value and isinstance(value[0], UUID):
        return [str(each) for each in value]
    return value


def uuid_of(text: str, *, field: str) -> UUID:
    """Read an id of ours. Raises Invalid naming the argument."""
    try:
        return UUID(text)
    except ValueError as error:
        raise Invalid(f"{field} is not an id of this platform.", field=field) from error


def aware(value: datetime | None, *, field: str) -> datetime | None:
    """Raises Invalid for a time without a zone, which would mean another moment on each server."""
    if value is not None and value.tzinfo is None:
        raise Invalid(f"{field} has no time zone; add one, for example 2026-03-01T09:00:00Z.", field=field)
    return value
