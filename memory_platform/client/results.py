"""What the client returns: the API's own words as frozen records."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Capture:
    session_id: str
    turn_number: int
    resource_ids: tuple[str, ...]
    job_ids: tuple[str, ...]
    duplicate: bool

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            session_id=data["sessionId"],
            turn_number=data["turnNumber"],
            resource_ids=tuple(data["resourceIds"]),
            job_ids=tuple(data["jobIds"]),
            duplicate=data["duplicate"],
        )


@dataclass(frozen=True, slots=True)
class Source:
    """Where a hit comes from; `external_id` is the caller's own id of the message."""

    resource_id: str
    external_id: str | None
    speaker: str | None
    said_at: datetime
    quote: str

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            resource_id=data["resourceId"],
            external_id=data["externalId"],
            speaker=data["speaker"],
            said_at=datetime.fromisoformat(data["saidAt"]),
            quote=data["quote"] or "",
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory worth knowing. `confidence` is None for episodes, which are what was said and not a claim.

    `agent_id` is whose memory it is, the agent's own name.
    """

    rank: int
    unit: str
    id: str
    text: str
    score: float
    scores: Mapping[str, float | None]
    confidence: float | None
    age_days: float
    tags: tuple[str, ...]
    sources: tuple[Source, ...]
    agent_id: str | None = None
    said_at: datetime | None = None

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            rank=data["rank"],
            unit=data["unit"],
            id=data["id"],
            text=data["text"],
            score=data["score"],
            scores=data["scores"],
            confidence=data["confidence"],
            age_days=data["ageDays"],
            tags=tuple(data["tags"]),
            sources=tuple(Source.parse(source) for source in data["sources"]),
            agent_id=data.get("agentId"),
            said_at=datetime.fromisoformat(data["saidAt"]) if data.get("saidAt") else None,
        )


@dataclass(frozen=True, slots=True)
class Recall:
    """An answer; `degraded` names what did not take part, `explanation` is there when it was asked for."""

    id: str
    hits: tuple[Hit, ...]
    rewritten_query: str
    intent: str
    profile: str
    tier: int
    degraded: tuple[str, ...]
    took_ms: float
    cost_usd: float | None
    explanation: Mapping[str, Any] | None

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            id=data["id"],
            hits=tuple(Hit.parse(hit) for hit in data["hits"]),
            rewritten_query=data["rewrittenQuery"],
            intent=data["intent"],
            profile=data["profile"],
            tier=data["tier"],
            degraded=tuple(data["degraded"]),
            took_ms=data["tookMs"],
            cost_usd=data["costUsd"],
            explanation=data.get("explanation"),
        )


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """Text for the prompt: `included` of `available` relevant memories, `tokens` long."""

    recall_id: str
    text: str
    tokens: int
    included: int
    available: int

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            recall_id=data["recallId"],
            text=data["text"],
            tokens=data["tokens"],
            included=data["included"],
            available=data["available"],
        )


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of an explicit fact; `memory_id` is None when it was rejected."""

    outcome: str
    memory_id: str | None
    reason: str
    supersedes: str | None
    pending: tuple[str, ...]

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            outcome=data["outcome"],
            memory_id=data["memory"]["id"] if data["memory"] else None,
            reason=data["reason"],
            supersedes=data["supersedes"]["id"] if data["supersedes"] else None,
            pending=tuple(data["pending"]),
        )
