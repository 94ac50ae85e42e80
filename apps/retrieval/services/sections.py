"""What a block in sections holds beside the hits: profiles of who is asked about, and the words facts rest on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from apps.core.clock import now as clock_now
from apps.graph import selectors as graph
from apps.graph.results import EntityProfile
from apps.retrieval.requests import ContextRequest
from apps.retrieval.results import Hit
from apps.retrieval.services import graph_arm
from apps.retrieval.services.questions import Question
from apps.tenants.models import Policy
from memory_platform.consolidation.authority import Voice
from memory_platform.extraction.observing import unmarked
from memory_platform.model import Intent, Role, Unit
from memory_platform.retrieval.context import ContextMemory, Section


@dataclass(frozen=True, slots=True)
class SectionLine:
    """A line that may come into the block; `hit` is the place of the hit it belongs to, None for a profile."""

    memory: ContextMemory
    hit: int | None = None


def shares(policy: Policy) -> dict[Section, float]:
    return {
        Section.FACTS: policy.facts_share,
        Section.PROFILES: policy.profiles_share,
        Section.TIMELINE: policy.timeline_share,
        Section.EVIDENCE: policy.evidence_share,
    }


def arranged(
    told: Sequence[SectionLine],
    hits: Sequence[Hit],
    *,
    question: Question | None,
    request: ContextRequest,
    policy: Policy,
) -> list[SectionLine]:
    """Return the lines of the hits in their sections, best first, then profiles, then the quotes of facts."""
    is_about_time = question is not None and (
        question.plan.intent is Intent.WHEN or question.plan.time_range is not None
    )
    placed = [replace(each, memory=_placed(each.memory, hits[place], is_about_time)) for place, each in enumerate(told)]
    quotes = chain.from_iterable(_quotes(hit, place) for place, hit in enumerate(hits))
    return [*placed, *_profiles(question, request, policy), *quotes]


def _placed(memory: ContextMemory, hit: Hit, is_about_time: bool) -> ContextMemory:  # noqa: FBT001
    """A fact with a time of its own belongs to the timeline; anything does when the question is about time."""
    happened_at = hit.event_time or hit.said_at
    if hit.unit is Unit.EPISODE:
        return replace(memory, event_time=happened_at, section=Section.TIMELINE if is_about_time else None)
    has_own = hit.event_time not in {None, hit.said_at, *(source.said_at for source in hit.sources)}
    return replace(memory, event_time=happened_at) if is_about_time or has_own else memory


def _quotes(hit: Hit, place: int) -> Iterator[SectionLine]:
    """What was said, where the hit is a fact made of it."""
    if hit.unit is Unit.EPISODE:
        return
    for source in hit.sources:
        said = unmarked(source.quote)
        if said and said != hit.text:
            voice = Voice(source.role or Role.USER, source.speaker or "")
            yield SectionLine(
                ContextMemory(
                    said, Unit.EPISODE, hit.age_days, event_time=source.said_at, says=source.resource_id,
                    voice=voice,
                ),
                place,
            )  # fmt: skip


def _profiles(question: Question | None, request: ContextRequest, policy: Policy) -> Iterator[SectionLine]:
    if question is None:
        return
    for seed in graph_arm.named(question.text, at_most=policy.section_profiles):
        profile = graph.entity(entity_id=seed.id, as_of=request.as_of)
        if profile is not None and (about := _about(profile, most=policy.profile_statements)):
            age_days = (clock_now() - profile.last_seen_at).total_seconds() / 86_400
            yield SectionLine(
                ContextMemory(about, Unit.SUMMARY, age_days, category=profile.type.value, says=profile.id)
            )


def _about(profile: EntityProfile, *, most: int) -> str:
    """The summary, or the `most` statements made last of the entity that hold; empty when there are none."""
    if profile.summary:
        return profile.summary
    current = [each for each in profile.timeline if not each.negated and _holds(each.valid_until)]
    said = dict.fromkeys(f"{each.subject} {each.predicate} {each.object}" for each in reversed(current))
    return "; ".join([*said][:most])


def _holds(until: datetime | None) -> bool:
    return until is None or until > clock_now()
