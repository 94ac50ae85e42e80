"""What the judge of claims is worth on rows it was not trained on, and the thresholds that follow from that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.model import ClaimRelation
from training import claims, corpus
from training.claims import Judged, Pair

PRECISION: Final = 0.95
"""What merging and closing keep."""
DOUBTED_WRONGLY: Final = 0.05
"""Share of pairs best left alone that may be doubted."""
JUNK_SHARES: Final = (0.05, 0.1, 0.15, 0.3, 0.5)
"""Shares of messages without anything to keep that yield an item."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tested:
    """Held-out pairs with what the judge says of them."""

    pairs: Sequence[Pair]
    relations: Sequence[ClaimRelation]

    def score(self, of: Callable[[ClaimRelation], float]) -> Floats:
        return np.array([of(relation) for relation in self.relations])

    def labelled(self, *labels: str) -> NDArray[np.bool_]:
        return np.array([pair.label in labels for pair in self.pairs])


def report() -> None:
    """Print thresholds for merging, closing and doubting, and how much worth keeping is found at which cost."""
    judge = ClaimJudge(intra_op_threads=2)
    for name, pairs in (held_out_pairs() | unseen_pairs()).items():
        _relations(name, Tested(pairs, judge.relate([one.pair for one in pairs])))
    _worth([one for one in judged_held_out() if one.clause.text], judge)
    stories = corpus.stories(corpus.development("dev_en"))
    for name, part in {"looked at": stories[::2], "not looked at": stories[1::2]}.items():
        print(name)
        _worth(claims.judged_of_stories(part), judge)


def held_out_pairs() -> dict[str, list[Pair]]:
    """Labelled pairs and those of drills, each a fifth."""
    drills = claims.drill_pairs(EncoderEmbedder(intra_op_threads=2))
    return {
        "pairs": [one for one in claims.pairs() if corpus.is_held_out(one.name)],
        "drills": [one for one in drills if corpus.is_held_out(one.name)],
    }


def unseen_pairs() -> dict[str, list[Pair]]:
    """Those of hands that nobody trains on."""
    return {name: claims.pairs_of(rows) for name, rows in corpus.unseen_pairs().items()}


def judged_held_out() -> list[Judged]:
    return claims.judged_of_turns([row for row in corpus.rows("turns") if corpus.is_held_out(row["id"])])


def threshold(scores: Floats, right: NDArray[np.bool_], precision: float) -> float:
    """The lowest score from which at least this share of what lies above it is right; 1 where none is."""
    order = np.argsort(-scores, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(shares >= precision)
    return float(scores[order[good[-1]]]) if len(good) else 1.0


def _relations(name: str, tested: Tested) -> None:
    same, replaces, alone = (
        tested.labelled("same"),
        tested.labelled("update", "correction"),
        tested.labelled("distinct", "refines"),
    )
    merge, close = tested.score(lambda one: one.same), tested.score(lambda one: one.replaces)
    doubt = tested.score(lambda one: one.replaces + one.conflict)
    print(f"{name}: {len(tested.pairs)} pairs, {same.sum()} same, {replaces.sum()} replaced, {alone.sum()} left alone")
    for action, scores, right in (("merge", merge, same), ("close", close, replaces)):
        for precision in (0.98, PRECISION, 0.9):
            at = threshold(scores, right, precision)
            print(
                f"  {action} from {at:.3f}: precision {precision:.2f}, {100 * (scores[right] >= at).mean():.0f} % found"
            )
    for share in (0.02, DOUBTED_WRONGLY, 0.1):
        at = float(np.quantile(doubt[alone], 1 - share)) if alone.any() else 1.0
        noticed = 100 * (doubt[replaces] > at).mean()
        print(f"  doubt from {at:.3f}: {100 * share:.0f} % of what is left alone, {noticed:.0f} % of changes noticed")


def _worth(judged: Sequence[Judged], judge: ClaimJudge) -> None:
    appraisals = judge.appraise([one.clause for one in judged])
    messages: dict[tuple[str, str], tuple[float, int]] = {}
    for one, appraisal in zip(judged, appraisals, strict=True):
        worth, kept = messages.get((one.group, one.message), (0.0, 0))
        messages[one.group, one.message] = max(worth, appraisal.worth), max(kept, one.worth)
    scores, kept = (np.array(column) for column in zip(*messages.values(), strict=True))
    print(f"worth: {len(scores)} messages, {kept.sum()} with something to keep")
    for share in JUNK_SHARES:
        at = float(np.quantile(scores[kept == 0], 1 - share))
        found = 100 * (scores[kept == 1] > at).mean()
        print(f"  from {at:.3f}: {100 * share:.0f} % of the others, {found:.1f} % of these")
