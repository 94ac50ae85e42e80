"""Enumerations shared with the core, and how attributes become GraphQL values."""

from typing import Any
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from apps.jobs.models import JobState
from apps.memory.requests import ItemOrder
from apps.memory.results import OpenLinkKind, PendingStep, WriteOutcome
from apps.tenants.models import ApiKey
from memory_platform.errors import Invalid
from memory_platform.knowledge.graph import EntityType, NodeKind, RelationKind
from memory_platform.model import (
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
from memory_platform.retrieval.context import Style as ContextStyle

for _name, _enum in {
    "ContextStyle": ContextStyle,
    "EntityType": EntityType,
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
    "RelationKind": RelationKind,
    "Relevance": Relevance,
    "Role": Role,
    "Sentiment": Sentiment,
    "Strength": Strength,
    "TrustTag": TrustTag,
    "Unit": Unit,
    "Verdict": Verdict,
    "Visibility": Visibility,
    "WriteOutcome": WriteOutcome,
}.items():
    strawberry.enum(_enum, name=_name)


def resolve(source: object, name: str) -> Any:
    """The default resolver: an attribute, UUIDs as text."""
    value = getattr(source, name)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, tuple) and value and isinstance(value[0], UUID):
        return [str(each) for each in value]
    return value


def uuid_of(text: str, *, field: str) -> UUID:
    """Read an id of ours. Raises Invalid naming the argument."""
    try:
        return UUID(text)
    except ValueError as error:
        raise Invalid(f"{field} is not an id of this platform.", field=field) from error


__all__ = ["JSON", "resolve", "uuid_of"]
