"""What the judge of claims is worth on pairs by hands it never read: its relation head trained again without them.

`python -m training authors --without i j o`: on all labelled pairs of the other hands that write English, twice; no
drills and no stories, so that a model takes minutes, not an hour. What ships has read five times as much.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np

from memory_platform.adapters.claim_judge import relation_encoding, shares
from memory_platform.model import ClaimRelation
from training import calibration, claims, corpus, minilm
from training.calibration import PRECISION, Tested
from training.claims import Pair

WITHOUT: Final = ("i", "j", "o")
EPOCHS: Final = 2
LIKELY: Final = 0.5


def report(without: Collection[str] = WITHOUT) -> None:
    """Train without these hands, and print for each what would be merged and closed at a precision of .95."""
    pairs = [one for one in claims.pairs() if one.group not in corpus.OTHER_LANGUAGES]
    weights = claims.train([one for one in pairs if one.group not in without], [], epochs=EPOCHS)
    strange = [one for one in pairs if one.group in without]
    table(strange, judged(weights, strange))


def judged(weights: minilm.Parameters, pairs: Sequence[Pair]) -> list[ClaimRelation]:
    """The relation of every pair, by weights that are not quantised."""

    def relation(held: minilm.Parameters, batch: minilm.Batch) -> Any:
        return claims.outputs(held, batch)["relation"]

    logits = minilm.answers(relation, weights, [relation_encoding(one.pair) for one in pairs])
    return [ClaimRelation(*row) for row in shares(logits).tolist()]


def table(pairs: Sequence[Pair], relations: Sequence[ClaimRelation]) -> None:
    """One line for all hands and one for each: the thresholds of all, so that no hand sets its own."""
    whole = Tested(pairs, relations)
    same, replaced = whole.labelled("same"), whole.labelled("update", "correction")
    merge = calibration.threshold(whole.score(lambda one: one.same), same, PRECISION)
    close = calibration.threshold(whole.score(lambda one: one.replaces), replaced, PRECISION)
    for hand in (None, *sorted({one.group for one in pairs})):
        chosen = [place for place, one in enumerate(pairs) if hand in {None, one.group}]
        own = Tested([pairs[place] for place in chosen], [relations[place] for place in chosen])
        print(f"{hand or 'all'}: {len(chosen)} pairs, {_figures(own, merge, close)}")


def _figures(tested: Tested, merge: float, close: float) -> str:
    same, replaced = tested.labelled("same"), tested.labelled("update", "correction")
    alone = tested.labelled("distinct", "refines")
    merged, closed = tested.score(lambda one: one.same) >= merge, tested.score(lambda one: one.replaces) >= close
    noticed = tested.score(lambda one: one.replaces + one.conflict) >= LIKELY
    found = {
        "same merged": merged[same],
        "right of merged": same[merged],
        "changes closed": closed[replaced],
        "right of closed": replaced[closed],
        "changes more likely than not": noticed[replaced],
        "others left alone then": ~noticed[alone],
    }
    return ", ".join(
        f"{name} {100 * np.mean(values):.0f} % ({len(values)})" for name, values in found.items() if len(values)
    )
