"""The write path: from captured messages to gated, deduplicated, contradiction-checked items."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from uuid import UUID

from apps.budgets.services import Done, meter, spending
from apps.core import scope
from apps.core.scope import Scope
from apps.journal.services import record
from apps.memory import topics
from apps.memory.results import Observed
from apps.memory.services import classifying, neighbourhood
from apps.memory.services.arbitrating import arbitrate
from apps.memory.services.candidates import Candidate, Origin, judge
from apps.memory.services.embedding import Embedded, embed
from apps.memory.services.extracting import Extract, extract, load
from apps.memory.services.relating import relate
from apps.memory.services.returned import without_returned
from apps.memory.services.storing import Discards, Stored, store
from apps.tenants.models import Policy
from memory_platform.model import Audience, Dropped, JournalLine, Verdict

# What one run may read for before it lets others work; what it has read it finishes.
READING_SECONDS = 5.0


def observe(
    resource_ids: Sequence[UUID], *, within: Scope, fall_back: bool = False, seconds: float = READING_SECONDS
) -> Observed:
    """Distil resources into items: extract, gate, embed, dedup, conflict, store; each resource once, ever.

    What could not be read within `seconds` is `left` for another run; at least one call's messages are read.

    Called without an open scope, so that no transaction waits for a model. Raises ProviderRetryable, unless
    `fall_back`: then rules extract, and what cannot be embedded is stored and compared later.
    """
    total: Counter[str] = Counter()
    started = time.perf_counter()
    unread = load(resource_ids, within=within)
    extracts = without_returned(extract(unread, within=within, fall_back=fall_back, seconds=seconds), within=within)
    for audience, own in _by_audience(extracts):
        allowed, discarded = _gate(own, unread.policy)
        with spending(operation="observe", within=within, agent_id=audience.agent_id) as asked:
            embedded = embed(allowed, unread.policy, required=not (fall_back or asked.hold.stops))
            said = {one.id: one.captured.utterance.text for one in own}
            embedded = classifying.file(embedded, unread.categories, within=within, said=said)
            asked.usages.extend(embedded.usages)
            with scope.enter(within):
                near = neighbourhood.read(embedded, audience)
            relate(near, policy=unread.policy, required=not fall_back)
            arbitrate(near, within=within)
            with scope.enter(within):
                stored = store(audience, near, Discards(discarded, tuple(one.id for one in own), _dropped(own)))
                counts = _counts(own, stored, started)
                _account(own, embedded, counts, Done(turns=_turns(own, stored), memories=stored.memories))
        total.update(counts)
    return Observed(
        **total,
        extractor="+".join(sorted({one.extractor for one in extracts})),
        degraded=next((one.degraded for one in extracts if one.degraded), ""),
        left=len(unread.captured) - len(extracts),
    )


def _by_audience(extracts: Sequence[Extract]) -> Iterator[tuple[Audience, list[Extract]]]:
    def key(one: Extract) -> tuple[str, str, str]:
        audience = one.captured.audience
        return str(audience.agent_id), audience.user_id or "", audience.visibility.value

    for _, group in groupby(sorted(extracts, key=key), key=lambda one: one.captured.audience):
        own = list(group)
        yield own[0].captured.audience, own


def _gate(extracts: Sequence[Extract], policy: Policy) -> tuple[list[Candidate], tuple[Candidate, ...]]:
    judged = [judge(fact, _origin(one), policy) for one in extracts for fact in one.observation.facts]
    discarded = tuple(one for one in judged if one.gate.verdict is Verdict.DISCARD)
    return [one for one in judged if one.gate.verdict is not Verdict.DISCARD], discarded


def _dropped(extracts: Sequence[Extract]) -> tuple[tuple[UUID, Origin, Dropped], ...]:
    """Every sentence that was left out, with the extraction it belongs to."""
    return tuple((one.id, _origin(one), each) for one in extracts for each in one.observation.dropped)


def _origin(one: Extract) -> Origin:
    return Origin(
        audience=one.captured.audience,
        said_at=one.captured.utterance.said_at,
        session_id=one.captured.session_id,
        resource_id=one.captured.utterance.resource_id,
        extraction_id=one.id,
        ordinal=one.captured.ordinal,
        role=one.captured.utterance.role,
    )


def _counts(extracts: Sequence[Extract], stored: Stored, started: float) -> Counter[str]:
    """What this run did; what another one stored first is that one's to count."""
    own = [one for one in extracts if one.id in stored.extraction_ids]
    return Counter(
        resources=len(own),
        extracted=sum(len(one.observation.facts) for one in own),
        dropped=sum(len(one.observation.dropped) for one in own),
        milliseconds=round((time.perf_counter() - started) * 1000),
        **stored.counts,
    )


def _turns(extracts: Sequence[Extract], stored: Stored) -> int:
    """How many turns this run observed; what was ingested outside of one is none."""
    captured = [one.captured for one in extracts if one.id in stored.extraction_ids]
    return len({(one.session_id, one.turn_number) for one in captured if one.turn_number is not None})


def _account(extracts: Sequence[Extract], embedded: Embedded, counts: Counter[str], done: Done) -> None:
    """One journal entry a run, and what its embedding cost, in the transaction that stores it."""
    first = extracts[0].captured
    numbers = {one.captured.turn_number for one in extracts}
    degraded = next((one.degraded for one in extracts if one.degraded), "")
    line = JournalLine(operation="memory.observed", data={**counts, "degraded": degraded, "success": True})
    record(line, agent_id=first.audience.agent_id)
    topics.episodes_changed(one.captured.utterance.resource_id for one in extracts)
    meter(
        operation="observe",
        usages=embedded.usages,
        agent_id=first.audience.agent_id,
        session_id=first.session_id,
        turn_number=first.turn_number if len(numbers) == 1 else None,
        done=done,
    )
