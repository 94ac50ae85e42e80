"""The arms of a recall: keyword and vector search, the graph, the asked-for time; then one score a candidate."""

from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from apps.core.ids import NO_ROW
from apps.index import search
from apps.index.search import CandidateRequest, Candidates, Filters
from apps.resources import selectors as resources
from apps.retrieval.requests import Filter, RecallRequest
from apps.retrieval.services import graph_arm, periods
from apps.retrieval.services.graph_arm import Proximity
from apps.retrieval.services.questions import Question, Telemetry
from apps.tenants.models import Policy
from apps.tenants.selectors import agent_id_of
from memory_platform.model import Profile, Status, TimeRange
from memory_platform.retrieval import fusion, query, windows
from memory_platform.retrieval.fusion import Formula, FusionForm, Scores


def ask(
    request: RecallRequest,
    question: Question,
    *,
    policy: Policy,
    now: datetime,
    telemetry: Telemetry,
    among: tuple[UUID, ...] | None = None,
) -> tuple[Candidates, Scores]:
    """Ask every arm and fuse what they found; where the items are known `among` which to look, not the graph.

    One connection and one transaction, in which each statement has its own snapshot: a common one (REPEATABLE READ)
    would make writers of the same rows fail, and the trace is written here, too. None is needed: whatever answers
    comes from the search's second statement, and what vanishes after it is dropped when its words are fetched.
    """
    window = question.plan.time_range if question.plan.profile is not Profile.LEAN else None
    with telemetry.stage("graph"):
        asked = graph_arm.ask(question, request, now=now) if among is None else Proximity
    with telemetry.stage("search"):
        begun = search.begin(_wanted(question, _filters(request, now, among), now=now, window=window))
    with telemetry.stage("graph"):
        near = asked()
    if near.degraded:
        telemetry.degraded.append("graph")
    with telemetry.stage("search"):
        found = search.complete(begun, units=tuple(near.units))
    with telemetry.stage("fuse"):
        scores = fusion.score(
            found.query,
            found.units,
            found.postings,
            statement=question.plan.statement,
            thresholds=question.thresholds,
            formula=_formula(policy),
            proximity=_proximity(found, near),
            window=windows.nearness(found.event_time, window) if window else None,
            sought=query.sought(request.query),
        )
    return found, scores


def _wanted(question: Question, filters: Filters, *, now: datetime, window: TimeRange | None) -> CandidateRequest:
    return CandidateRequest(
        lexemes=question.lexemes,
        vector=question.vector,
        model=question.model,
        other=question.other,
        now=now,
        filters=filters,
        window=window,
    )


def _proximity(found: Candidates, near: Proximity) -> NDArray[np.float64] | None:
    """How near each candidate is in the graph, 0 where the arm did not reach it; None when it was not asked."""
    if not near.units:
        return None
    by_packed = {unit_id.bytes: nearness for unit_id, nearness in near.units.items()}
    return np.array([by_packed.get(packed.tobytes(), 0.0) for packed in found.packed_unit_ids])


def _filters(request: RecallRequest, now: datetime, among: tuple[UUID, ...] | None) -> Filters:
    wanted = request.filter
    if among is None and wanted.entity is not None:
        among = graph_arm.units_naming(wanted.entity)
    after, before = periods.bounds(wanted, now=now)
    return Filters(
        units=request.units,
        kinds=wanted.kinds,
        categories=wanted.domain_categories,
        services=wanted.services,
        agent_id=agent_id_of(wanted.agent_id),
        session_id=_session_id(wanted),
        visibility=wanted.visibility,
        after=after,
        before=before,
        as_of=request.as_of,
        valid_at=request.valid_at,
        include_superseded=Status.SUPERSEDED in (wanted.statuses or ()),
        include_archived=Status.ARCHIVED in (wanted.statuses or ()),
        among=among,
    )


def _session_id(wanted: Filter) -> UUID | None:
    if wanted.session_id is None:
        return None
    found = resources.session(wanted.session_id)
    return found.id if found else NO_ROW


def _formula(policy: Policy) -> Formula:
    return Formula(
        FusionForm(policy.fusion),
        policy.rrf_k,
        policy.rrf_keyword_weight,
        policy.rrf_vector_weight,
        graph_weight=policy.graph_weight,
        time_weight=policy.time_weight,
    )
