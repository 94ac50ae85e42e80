"""Of labelled messages and pairs, which become lessons, and how many of those are none.

`python -m bench lessons` reads what users say in training/data's turns, each behind the message before it: a message is
to be a lesson where one of its claims is labelled as a rule, a preference or a procedure, the kinds that say how
something is done. Corrections are pairs labelled so; one becomes a lesson where the judge is sure that the new claim
takes the old one's place because that never held. Both on the rows that the judges were fitted to (`looked_at`) and on
the fifth that nobody looked at, beside the plainest rivals: an imperative, and a word of contradiction to begin with.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bench import extraction, relations
from bench.figures import Bar, at_least, figure
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.clause_extractor import ClauseExtractor
from memory_platform.adapters.guidance import GuidanceHead
from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.consolidation import gating
from memory_platform.lifecycle import lessons
from memory_platform.lifecycle.lessons import LessonGround
from memory_platform.model import Fact, Mood, Verdict
from memory_platform.ports import ClaimPair
from training import corpus
from training.corpus import Row

GUIDANCE_FROM: Final = 0.35
"""Policy's lesson_guidance_from."""
GUIDING: Final = frozenset({"rule", "preference", "procedure"})
BAR_PRECISION: Final = at_least(0.9)
_CONTRADICTING: Final = re.compile(r"\W*(?:no|nope|nah|not|actually|sorry|wait|oops|correction)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judged:
    """A row, whether it is to be a lesson, whether it becomes one, and whether it does by the plainest rival."""

    row: Row
    wanted: bool
    found: bool
    rival: bool


def run() -> None:
    told, corrected = list(_turns()), list(_pairs())
    for part, held_out in (("looked_at", False), ("held_out", True)):
        rules, corrections = (
            [one for one in judged if corpus.is_held_out(one.row["id"]) is held_out] for judged in (told, corrected)
        )
        _report(f"lessons_{part}_rules", rules)
        _report(f"lessons_{part}_corrections", corrections)
        _report(f"lessons_{part}", [*rules, *corrections], bar=BAR_PRECISION)


def _turns() -> Iterable[Judged]:
    extractor, head = ClauseExtractor(SpacyReader(), ClaimJudge(intra_op_threads=2)), GuidanceHead(intra_op_threads=2)
    for row in corpus.rows("turns"):
        if row["role"] == "user":
            facts = extraction.facts_of(extractor, row)
            wanted = any(kept["kind"] in GUIDING for kept in row["keep"])
            yield Judged(row, wanted, _teaches(facts, head), any(fact.mood is Mood.COMMAND for fact in facts))


def _teaches(facts: Sequence[Fact], head: GuidanceHead) -> bool:
    allowed = [fact for fact in facts if gating.decide(fact).verdict is Verdict.ALLOW]
    grounds = [
        LessonGround(fact.kind, fact.mood, guidance, is_said_by_user=True)
        for fact, guidance in zip(allowed, head.guidance([fact.in_context for fact in allowed]), strict=True)
    ]
    return any(lessons.pattern_of(ground, guidance_from=GUIDANCE_FROM) for ground in grounds)


def _pairs() -> Iterable[Judged]:
    judge = ClaimJudge(intra_op_threads=2)
    pairs = [relations.labelled(row) for row in corpus.rows("pairs")]
    asked = [
        ClaimPair(one.older.in_context, one.newer.in_context, one.newer.said_at - one.older.said_at) for one in pairs
    ]
    for one, relation in zip(pairs, judge.relate(asked), strict=True):
        is_sure = relation.replaces >= judge.thresholds.close and relation.correction > relation.update
        rival = _CONTRADICTING.match(one.row["new"]) is not None
        yield Judged(one.row, one.label == "correction", is_sure, rival)


def _report(name: str, judged: Sequence[Judged], *, bar: Bar | None = None) -> None:
    wanted = sum(one.wanted for one in judged)
    for rival, found in (("", [one for one in judged if one.found]), ("_rival", [one for one in judged if one.rival])):
        right = sum(one.wanted for one in found)
        precision = right / max(1, len(found))
        figure(f"{name}{rival}_precision", precision, f"share of {len(found)}", bar=None if rival else bar)
        figure(f"{name}{rival}_found", right / max(1, wanted), f"share of {wanted}")


if __name__ == "__main__":
    run()
