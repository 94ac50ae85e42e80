"""What becomes of labelled pairs nobody trained on: merged, closed, put in doubt, disputed, or left alone.

The held-out fifth of training/data's pairs; those of corpus.unseen_pairs, by hands that nobody trains on; and pairs
that are older than the judge, by yet other hands. Both sides are read as messages, the judge relates them, their slots
are asked what grammar knows of it, and dedup and conflict decide with the judge's thresholds.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

from bench.figures import Bar, at_least, figure
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.consolidation import conflict, dedup
from memory_platform.consolidation.claims import Claim, Neighbour
from memory_platform.consolidation.dedup import DedupOutcome
from memory_platform.consolidation.states import StatedValue, with_states
from memory_platform.model import ClaimRelation
from memory_platform.ports import ClaimPair, Relator
from training import corpus
from training.corpus import Row

OTHERS = Path(__file__).with_name("data") / "dedup_pairs.jsonl"
SAME = "same"
CHANGED = frozenset({"update", "correction"})
ALONE = frozenset({"distinct", "refines"})
BAR_MERGED, BAR_CLOSED, BAR_NOTICED, BAR_ALONE = map(at_least, (0.55, 0.65, 0.9, 0.95))


@dataclass(frozen=True, slots=True)
class Labelled:
    """The older and the newer claim of a pair, and what its author says of them."""

    older: Claim
    newer: Claim
    label: str
    row: Row


def run() -> None:
    judge = ClaimJudge(intra_op_threads=2)
    held_out = [labelled(row) for row in corpus.rows("pairs") if corpus.is_held_out(row["id"])]
    for language, part in corpus.by_language(held_out, lambda one: one.row):
        _report(f"relations_{language}", part, judge)
    for name, rows in corpus.unseen_pairs().items():
        _report(f"relations_{name}", [labelled(row) for row in rows], judge)
    _report_others([labelled(row) for row in others()], judge)


def others() -> Iterator[Row]:
    """Pairs labelled same, contradicts or different; said a month apart, for they do not say when."""
    for line in OTHERS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        times = {"old_said": "2026-01-10", "new_said": "2026-02-10"}
        yield {"old": row["stored"], "new": row["claim"], "label": row["relation"], **times}


def labelled(row: Row) -> Labelled:
    older = _claim(row["old"], said=row["old_said"])
    newer = _claim(row["new"], said=row["new_said"], before=row.get("prev") or "")
    return Labelled(older, newer, row["label"], row)


def _claim(text: str, *, said: str, before: str = "") -> Claim:
    """The claim a message becomes where it is one clause, else the message as it stands."""
    turn = corpus.message(text, before=before, said=said[:10])
    at = datetime.fromisoformat(said[:10]).replace(tzinfo=UTC)
    if len(turn.facts) != 1:
        return Claim(text, at, lead_in=turn.reading.passage.lead_in, source_id=uuid4())
    (fact,) = turn.facts
    return Claim(
        fact.text, at, lead_in=fact.lead_in, slot=fact.slot, is_negated=fact.is_negated, source_id=uuid4()
    )  # fmt: skip


def outcomes(pairs: Sequence[Labelled], relator: Relator) -> list[str]:
    """merged, closed, doubted (disputed among them) or alone, for each pair."""
    asked = [ClaimPair(one.older.in_context, one.newer.in_context, one.newer.said_at - one.older.said_at)
             for one in pairs]  # fmt: skip
    judged = relator.relate(asked)
    return [
        _outcome(one.newer, _neighbour(one.older, _as_compared(one, relation, relator)), relator)
        for one, relation in zip(pairs, judged, strict=True)
    ]


def _as_compared(pair: Labelled, relation: ClaimRelation, relator: Relator) -> ClaimRelation:
    older, newer = (StatedValue(one.slot, one.said_at) for one in (pair.older, pair.newer))
    return with_states(relation, older, newer, relator.thresholds)


def _neighbour(claim: Claim, relation: ClaimRelation) -> Neighbour:
    return Neighbour(
        UUID(int=1), claim.text, claim.said_at, 1.0, relation, lead_in=claim.lead_in, slot=claim.slot,
        is_negated=claim.is_negated,
    )  # fmt: skip


def _outcome(claim: Claim, neighbour: Neighbour, relator: Relator) -> str:
    thresholds = relator.thresholds
    if dedup.decide(claim, [neighbour], merge_from=thresholds.merge).outcome is DedupOutcome.MERGE:
        return "merged"
    decided = conflict.decide(claim, [neighbour], thresholds=thresholds)
    if decided.targets:
        return "closed"
    return "doubted" if decided.doubted or decided.disputed else "alone"


def _report(label: str, pairs: Sequence[Labelled], relator: Relator) -> None:
    found = list(zip((one.label for one in pairs), outcomes(pairs, relator), strict=True))
    same, changed, alone = (_counted(found, labels) for labels in ({SAME}, CHANGED, ALONE))
    conflicting, whole = _counted(found, {"conflict"}), _counted(found, {one.label for one in pairs})
    _share(f"{label}_same_merged", same, "merged", bar=BAR_MERGED)
    _share(f"{label}_changed_closed", changed, "closed", bar=BAR_CLOSED)
    _share(f"{label}_changed_closed_or_doubted", changed, "closed", "doubted", bar=BAR_NOTICED)
    _share(f"{label}_changed_merged", changed, "merged")
    _share(f"{label}_conflicting_closed_or_doubted", conflicting, "closed", "doubted")
    _share(f"{label}_left_alone", alone, "alone", bar=BAR_ALONE)
    figure(f"{label}_precision_of_merging", same["merged"] / max(1, whole["merged"]), f"share of {whole['merged']}")
    figure(f"{label}_precision_of_closing", changed["closed"] / max(1, whole["closed"]), f"share of {whole['closed']}")


def _report_others(pairs: Sequence[Labelled], relator: Relator) -> None:
    found = list(zip((one.label for one in pairs), outcomes(pairs, relator), strict=True))
    same, against, different = (_counted(found, {label}) for label in (SAME, "contradicts", "different"))
    _share("relations_elsewhere_same_merged", same, "merged")
    _share("relations_elsewhere_contradicting_closed_or_doubted", against, "closed", "doubted")
    _share("relations_elsewhere_contradicting_merged", against, "merged")
    _share("relations_elsewhere_different_left_alone", different, "alone")


def _counted(found: Iterable[tuple[str, str]], labels: Iterable[str]) -> Counter[str]:
    wanted = frozenset(labels)
    return Counter(outcome for label, outcome in found if label in wanted)


def _share(name: str, counts: Counter[str], *outcomes: str, bar: Bar | None = None) -> None:
    whole = counts.total()
    figure(name, sum(counts[outcome] for outcome in outcomes) / max(1, whole), f"share of {whole}", bar=bar)


if __name__ == "__main__":
    run()
