"""`python -m training [encoder] [claims] [relevance] [multilingual] [lessons] [judge]`: makes the named models, or all.

`judge` says what the judge of claims is worth and which thresholds follow; `authors`, only when named, what one is
worth to hands it never read (`--without i j o`).
"""

import argparse
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory_platform.heads import FOLDER
from training import authors, calibration, claims, corpus, encoder, export, lessons, multilingual, relevance

MADE = Path(__file__).resolve().parent / ".made"
"""Weights before they are quantised, so that one model can be made again without the others."""
STEPS = ("encoder", "claims", "relevance", "multilingual", "lessons", "judge")
WHEN_NAMED = ("authors",)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("steps", nargs="*", choices=[[], *STEPS, *WHEN_NAMED], metavar="step", help="default: all")
    parser.add_argument(
        "--without", nargs="+", default=authors.WITHOUT, metavar="hand", help="whom `authors` leaves out"
    )
    parser.add_argument(
        "--further",
        nargs="*",
        metavar="hand",
        help="go on from the `claims` that ship for one round, instead of three from the pretrained weights;"
        " with these hands and a part of the rest when some are named",
    )
    parser.add_argument(
        "--blend",
        type=float,
        default=1.0,
        metavar="share",
        help="how much of the weights is what that round made; the rest is what shipped before it (default: all)",
    )
    parser.add_argument(
        "--refit",
        nargs="*",
        metavar="hand",
        help="fit anew only those heads of the `claims` that ship by which a clause is weighed; what these hands wrote"
        " counts three times",
    )
    parser.add_argument(
        "--stricter",
        type=float,
        default=0.0,
        metavar="log-odds",
        help="how much less likely the `claims` made then find a clause worth keeping (default: as they were made)",
    )
    arguments = parser.parse_args()
    wanted = arguments.steps or STEPS
    MADE.mkdir(exist_ok=True)
    if "encoder" in wanted:
        read = [row for row in corpus.rows("stories") if row["hand"] not in corpus.UNREAD]
        weights = encoder.train(corpus.stories(read), encoder.paraphrases())
        _keep("encoder", weights)
        export.encoder(weights)
    if "claims" in wanted:
        weights = _claims(arguments)
        weights = claims.stricter(weights, by=arguments.stricter)
        _keep("claims", weights)
        export.claims(weights)
    if "relevance" in wanted:
        relevance.train()
    if "multilingual" in wanted:
        multilingual.fit()
    if "lessons" in wanted:
        lessons.train()
    if "judge" in wanted:
        calibration.report()
    if "authors" in wanted:
        authors.report(arguments.without)


def _claims(arguments: argparse.Namespace) -> Any:
    if arguments.refit is not None:
        held = export.weights_of(FOLDER / "claims.onnx")
        return claims.refitted(
            held, claims.judged_examples(corpus.stories(corpus.rows("stories"))), named=arguments.refit
        )
    if arguments.further is not None:
        return _further_claims(arguments.further, share=arguments.blend)
    return claims.train(*claims.examples())


def _further_claims(hands: Sequence[str], *, share: float) -> Any:
    """One more round from what ships, and a mean of both: it keeps more of what the earlier rounds knew."""
    before = export.weights_of(FOLDER / "claims.onnx")
    after = claims.train(
        *claims.going_on(hands),
        start=dict(before),
        named=hands,
        epochs=claims.FURTHER_EPOCHS,
        rate=claims.FURTHER_RATE,
    )
    return {name: (1 - share) * before[name] + share * np.asarray(after[name]) for name in before}


def _keep(name: str, weights: Any) -> None:
    with (MADE / f"{name}.pickle").open("wb") as file:
        pickle.dump({key: np.asarray(value) for key, value in weights.items()}, file)


if __name__ == "__main__":
    main()
