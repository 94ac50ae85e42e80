"""Echo and fizzle: which recalled memories an agent's output used, and what that does to their priority."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from memory_platform.text.terms import terms


class Use(StrEnum):
    USED = "used"
    IGNORED = "ignored"
    IGNORED_EXPENSIVE = "ignored_expensive"


@dataclass(frozen=True, slots=True)
class RecalledText:
    """A memory as it was handed out; `tokens` is what it cost in the prompt."""

    id: UUID
    text: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Feedback:
    """`overlap` is the share 0..1 of the memory's own terms found in the output; `delta` goes to retrieval_priority."""

    id: UUID
    use: Use
    overlap: float
    delta: float


def judge(
    output: str,
    recalled: Sequence[RecalledText],
    *,
    query: str = "",
    used: float = 0.1,
    ignored: float = 0.05,
    ignored_expensive: float = 0.1,
    expensive_tokens: int = 100,
    minimum_overlap: float = 0.5,
) -> tuple[Feedback, ...]:
    """Judge every recalled memory, in order.

    Terms of the query prove nothing (an output repeats its question) and neither do terms that every recalled memory
    holds; numbers and the rest count by how few of the memories hold them. A memory without terms of its own counts as
    ignored. The deltas are Policy's feedback_used, feedback_ignored (taken off) and feedback_ignored_expensive.
    """
    answer, asked = frozenset(terms(output)), frozenset(terms(query))
    own = [frozenset(terms(memory.text)) - asked for memory in recalled]
    spread = Counter(term for held in own for term in held)
    results = []
    for memory, held in zip(recalled, own, strict=True):
        overlap = _overlap(held, answer, spread)
        if overlap >= minimum_overlap:
            use, delta = Use.USED, used
        elif memory.tokens > expensive_tokens:
            use, delta = Use.IGNORED_EXPENSIVE, -ignored_expensive
        else:
            use, delta = Use.IGNORED, -ignored
        results.append(Feedback(memory.id, use, overlap, delta))
    return tuple(results)


def _overlap(held: frozenset[str], answer: frozenset[str], spread: Counter[str]) -> float:
    """Weighted share of a memory's terms in the answer; a term held by n memories weighs 1/n."""
    weights = {term: 1 / spread[term] for term in held}
    found = sum(weight for term, weight in weights.items() if term in answer)
    return found / sum(weights.values()) if weights else 0.0
