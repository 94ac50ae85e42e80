"""What is kept of labelled messages nobody trained on: of those with something to keep, and of those without.

The held-out fifth of training/data's turns and those of hands that nobody trains on, each read behind the message
before it, appraised and put through the gate with its default numbers.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from apps.tenants.taxonomy import starting_categories
from bench.figures import at_least, at_most, figure
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.clause_extractor import ClauseExtractor
from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.consolidation import gating
from memory_platform.model import CategoryRule, Fact, Role, Utterance, Verdict
from training import corpus
from training.corpus import Row

UNSEEN = ("plain", "handed", "ordered")
"""Ordinary messages behind one that has nothing to do with them; texts handed over to be worked on, beside tasks that
tell something of whoever sets them; and orders and questions to an agent, of now beside those that hold from now on.
"""
BAR_KEPT = at_least(0.85)
BAR_JUNK = at_most(0.15)
BAR_MILLISECONDS = at_most(40.0)
"""25 texts a second."""
CATEGORIES = tuple(CategoryRule(slug=category.slug, keywords=category.keywords) for category in starting_categories())


@dataclass(frozen=True, slots=True)
class Read:
    """A labelled message and the verdict on each fact found in it."""

    row: Row
    verdicts: tuple[Verdict, ...]


def run() -> None:
    extractor = ClauseExtractor(SpacyReader(), ClaimJudge())
    rows = [row for row in corpus.rows("turns") if corpus.is_held_out(row["id"])]
    facts_of(extractor, rows[0])
    began = time.process_time()
    read = [_read(extractor, row) for row in rows]
    figure("extraction_processor_time_a_message", 1000 * (time.process_time() - began) / len(rows), "ms",
           bar=BAR_MILLISECONDS)  # fmt: skip
    for language, part in corpus.by_language(read, lambda one: one.row):
        _report(f"extraction_{language}", part)
    for name in UNSEEN:
        _report(f"extraction_{name}", [_read(extractor, row) for row in corpus.unseen(f"{name}_turns")])
    worthless = [one for one in read if not one.row["keep"]]
    for reason in sorted({one.row["drop"] for one in worthless}):
        own = [one for one in worthless if one.row["drop"] == reason]
        figure(f"extraction_allowed_of_{reason}", _share(own, _is_allowed), f"share of {len(own)}")


def _read(extractor: ClauseExtractor, row: Row) -> Read:
    return Read(row, tuple(gating.decide(fact).verdict for fact in facts_of(extractor, row)))


def facts_of(extractor: ClauseExtractor, row: Row) -> Sequence[Fact]:
    said = list(_utterances(row))
    found = extractor.extract(said[-1:], context=said[:-1], categories=CATEGORIES, now=said[-1].said_at)
    return found.observations[0].facts


def _utterances(row: Row) -> Iterator[Utterance]:
    """The message, behind the one before it where there is one."""
    role, at = Role(row["role"]), datetime.fromisoformat(row["said"]).replace(tzinfo=UTC)
    if row["prev"]:
        yield Utterance(uuid4(), Role.ASSISTANT if role is Role.USER else Role.USER, None, row["prev"], at)
    yield Utterance(uuid4(), role, row["speaker"], row["text"], at)


def _report(label: str, read: Sequence[Read]) -> None:
    worth = [one for one in read if one.row["keep"]]
    junk = [one for one in read if not one.row["keep"]]
    figure(f"{label}_worth_keeping_allowed", _share(worth, _is_allowed), f"share of {len(worth)}", bar=BAR_KEPT)
    figure(f"{label}_worth_keeping_allowed_or_held", _share(worth, _is_kept), f"share of {len(worth)}")
    figure(f"{label}_worthless_allowed", _share(junk, _is_allowed), f"share of {len(junk)}", bar=BAR_JUNK)
    figure(f"{label}_worthless_allowed_or_held", _share(junk, _is_kept), f"share of {len(junk)}")


def _share(read: Sequence[Read], holds: Callable[[Read], bool]) -> float:
    return sum(map(holds, read)) / max(1, len(read))


def _is_allowed(one: Read) -> bool:
    return Verdict.ALLOW in one.verdicts


def _is_kept(one: Read) -> bool:
    return _is_allowed(one) or Verdict.HOLD in one.verdicts


if __name__ == "__main__":
    run()
