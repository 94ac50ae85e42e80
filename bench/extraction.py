"""How much of what matters the rules keep: evidence turns against all turns of LoCoMo's development half."""

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

from apps.tenants.taxonomy import STARTING_CATEGORIES
from bench import development_data
from bench.figures import figure
from memory_platform.adapters.rules import RulesExtractor
from memory_platform.consolidation import gating
from memory_platform.model import CategoryRule, Role, Utterance, Verdict

BAR_EVIDENCE = 0.75
BAR_ALL = 0.60
BAR_MILLISECONDS = 0.5
CATEGORIES = tuple(CategoryRule(slug=category.slug, keywords=category.keywords) for category in STARTING_CATEGORIES)


def run() -> None:
    if not development_data.available():
        return
    best, milliseconds = _best_usefulness()
    evidence = {key for key in best if key in _evidence()}
    for threshold in (0.3, 0.7, 0.75, 0.8, 0.85, 0.9):
        kept = {key for key, useful in best.items() if useful >= threshold}
        figure(f"extraction_evidence_turns_kept_at_{threshold}", len(kept & evidence) / len(evidence), "share")
        figure(f"extraction_all_turns_kept_at_{threshold}", len(kept) / len(best), "share")
    kept = {key for key, useful in best.items() if useful >= 0}
    figure("extraction_evidence_turns_kept", len(kept & evidence) / len(evidence), "share", bar=BAR_EVIDENCE)
    figure("extraction_all_turns_kept", len(kept) / len(best), "share", bar=BAR_ALL)
    figure("extraction_processor_time_per_turn", milliseconds, "ms", bar=BAR_MILLISECONDS)


def _evidence() -> frozenset[str]:
    return frozenset(
        f"{conversation.name}/{gold}"
        for conversation in development_data.locomo()
        for question in conversation.questions
        for gold in question.gold
    )


def _best_usefulness() -> tuple[Mapping[str, float], float]:
    """Each turn's highest usefulness that the gate does not discard, -1 without one; and processor ms per turn."""
    best: dict[str, float] = {}
    extractor = RulesExtractor()
    seconds = 0.0
    for conversation in development_data.locomo():
        utterances = [_utterance(line) for line in conversation.lines]
        started = time.process_time()
        observations = extractor.extract(utterances, categories=CATEGORIES, now=utterances[-1].said_at).observations
        seconds += time.process_time() - started
        for line, seen in zip(conversation.lines, observations, strict=True):
            decisions = [gating.decide(fact) for fact in seen.facts]
            useful = [decision.score for decision in decisions if decision.verdict is not Verdict.DISCARD]
            best[f"{conversation.name}/{line['external_id']}"] = max(useful, default=-1.0)
    return best, 1000 * seconds / len(best)


def _utterance(line: Mapping[str, Any]) -> Utterance:
    return Utterance(
        uuid4(), Role.USER, str(line["speaker"]), str(line["content"]), datetime.fromisoformat(line["content_at"])
    )
