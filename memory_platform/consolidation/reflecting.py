"""Reflection: what the facts all agents share would change in the curated memory, by slots, clusters and counts.

Nothing is worded anew: a proposal has the words of the surest fact it rests on. A model may word one
(`ports.Curator`); `unsupported` says whether its words stand in the evidence.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final
from uuid import UUID

from memory_platform.consolidation.claims import differ_by_a_word, normalised, state_different_numbers
from memory_platform.extraction.slots import identifiers
from memory_platform.extraction.verifying import SpokenEvidence
from memory_platform.model import Change, CuratedFact, CuratedLine, Kind, Mood, ProposalDraft, Slot
from memory_platform.text.terms import terms

_UNREAL: Final = frozenset({Mood.QUESTION, Mood.HYPOTHETICAL, Mood.WISH})
_ACTING: Final = frozenset({Kind.RULE, Kind.PROCEDURE, Kind.PREFERENCE})
_State = tuple[str, str, str]


def reflect(
    facts: Sequence[CuratedFact], lines: Sequence[CuratedLine], *, near_from: float, most_lines: int
) -> tuple[ProposalDraft, ...]:
    """Proposals, those about lines that stand first: replaced, removed, too many; then what is new.

    A line whose memories are gone is replaced by their successor among the facts, or removed; one whose state a later
    fact gives another value is replaced. Other facts are clustered (`near_from`, a share 0..1 of words) and proposed
    once a cluster. Beyond `most_lines` the least sure and oldest lines are to go. What a line rests on is not new.
    """
    told = {item_id for line in lines for item_id in line.item_ids}
    fresh = [fact for fact in facts if fact.id not in told and fact.mood not in _UNREAL]
    about = [*_replaced(lines, {fact.id: fact for fact in fresh}), *_changed(lines, fresh)]
    used = {item_id for draft in about for item_id in draft.item_ids}
    new = [
        _draft(Change.ADD, cluster) for cluster in _clusters([one for one in fresh if one.id not in used], near_from)
    ]
    changed = {draft.line_id for draft in about}
    pruned = _pruned([line for line in lines if line.id not in changed], most_lines)
    return (*about, *pruned, *new)


def are_near(first: str, second: str, *, near_from: float, negated: bool = False) -> bool:
    """Whether two texts say nearly the same: share of the words either has, with the same numbers and identifiers and
    no single word in another's place. `negated`: one of them denies.
    """
    own, other = terms(first).keys(), terms(second).keys()
    if negated or not own or len(own & other) < near_from * len(own | other):
        return False
    if set(identifiers(first)) != set(identifiers(second)) or state_different_numbers(first, second):
        return False
    return normalised(first) == normalised(second) or not differ_by_a_word(first, second)


def unsupported(draft: ProposalDraft, facts: Sequence[CuratedFact]) -> str:
    """The first name, number or date of a proposal that the facts it rests on do not say; empty: none is missing."""
    if not facts:
        return draft.text
    language = facts[0].language
    said = [part for fact in facts for part in (fact.text, fact.slot.subject, fact.said_on.isoformat())]
    return SpokenEvidence.of_texts(said, language=language).missing(draft.text, language=language)


def left_out(
    facts: Iterable[CuratedFact], lines: Iterable[CuratedLine], drafts: Iterable[ProposalDraft]
) -> Counter[str]:
    """How many facts are in no proposal and behind no line, by reason: `unasserted` are questions, wishes and
    hypotheses, `passed_over` those that a model named in none.
    """
    told = {item_id for line in lines for item_id in line.item_ids}
    used = told.union(*(draft.item_ids for draft in drafts))
    left = [fact for fact in facts if fact.id not in used]
    return Counter("unasserted" if fact.mood in _UNREAL else "passed_over" for fact in left)


def drafted(change: Change, text: str, facts: Sequence[CuratedFact], *, line_id: UUID | None = None) -> ProposalDraft:
    """A proposal in these words that rests on the facts: filed, dated and as sure as the surest of them."""
    return _draft(change, facts, line_id=line_id, text=text)


def claim_of(draft: ProposalDraft) -> str:
    """What tells a proposal made before (SHA-256): the change, the line it is about, the words in whatever dress."""
    return sha256(f"{draft.change} {draft.line_id or ''} {normalised(draft.text)}".encode()).hexdigest()


def _replaced(lines: Sequence[CuratedLine], facts: Mapping[UUID, CuratedFact]) -> Iterator[ProposalDraft]:
    for line in lines:
        if line.is_over:
            successors = [facts[one] for one in line.successors if one in facts]
            yield _draft(Change.REPLACE, successors, line_id=line.id) if successors else removal(line)


def _changed(lines: Sequence[CuratedLine], facts: Sequence[CuratedFact]) -> Iterator[ProposalDraft]:
    """Lines that stand, and whose state a later fact gives another value."""
    latest: dict[_State, CuratedFact] = {}
    for fact in sorted(facts, key=lambda one: one.said_on):
        if (state := _state(fact.slot)) is not None:
            latest[state] = fact
    for line in lines:
        state = None if line.is_over else _state(line.slot)
        newer = None if state is None else latest.get(state)
        if newer is not None and newer.said_on >= line.said_on and _value(newer.slot) != _value(line.slot):
            yield _draft(Change.REPLACE, [newer], line_id=line.id)


def _clusters(facts: Sequence[CuratedFact], near_from: float) -> list[list[CuratedFact]]:
    """Facts of a category that say nearly the same, the surest first; each is compared with the first of a cluster."""
    clusters: list[list[CuratedFact]] = []
    for fact in sorted(facts, key=_rank):
        alike = (cluster for cluster in clusters if _are_alike(cluster[0], fact, near_from))
        found = next(alike, None)
        if found is None:
            clusters.append([fact])
        else:
            found.append(fact)
    return clusters


def _are_alike(first: CuratedFact, second: CuratedFact, near_from: float) -> bool:
    if first.category != second.category:
        return False
    return are_near(first.text, second.text, near_from=near_from, negated=first.is_negated != second.is_negated)


def _pruned(lines: Sequence[CuratedLine], most_lines: int) -> Iterable[ProposalDraft]:
    weakest = sorted(lines, key=lambda line: (line.confidence, line.said_on, line.id))
    return [removal(line) for line in weakest[: max(0, len(lines) - most_lines)]]


def removal(line: CuratedLine) -> ProposalDraft:
    """That a line goes."""
    return ProposalDraft(
        change=Change.REMOVE,
        section=line.section,
        text="",
        kind=Kind.FACT,
        item_ids=line.item_ids,
        confidence=1.0 - line.confidence,
        said_on=line.said_on,
        line_id=line.id,
    )


def _draft(
    change: Change, facts: Sequence[CuratedFact], *, line_id: UUID | None = None, text: str | None = None
) -> ProposalDraft:
    first = min(facts, key=_rank)
    return ProposalDraft(
        change=change,
        section=first.category,
        text=first.text if text is None else text,
        kind=first.kind,
        item_ids=tuple(fact.id for fact in facts),
        confidence=first.confidence,
        said_on=max(fact.said_on for fact in facts),
        line_id=line_id,
        acts=any(fact.kind in _ACTING or fact.mood is Mood.COMMAND for fact in facts),
        is_said_by_user=first.is_said_by_user,
        is_negated=first.is_negated,
    )


def _rank(fact: CuratedFact) -> tuple[float, int, int, str]:
    """The surest first; of those that are as sure the one heard most, then last, then stored first."""
    return (-round(fact.confidence, 2), -fact.heard, -fact.said_on.toordinal(), str(fact.id))


def _state(slot: Slot) -> _State | None:
    if not (slot.subject and slot.attribute):
        return None
    return (slot.subject.casefold(), slot.attribute.casefold(), slot.qualifier.casefold())


def _value(slot: Slot) -> str:
    return normalised(slot.value)
