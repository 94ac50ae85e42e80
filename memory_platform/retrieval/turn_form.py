"""What the form of a turn adds to its words: that it answers a question, is taken up, names somebody, says when.

How much each part is worth, and on which data, stands in docs/benchmarks.md.
"""

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_platform.retrieval.contextual import NO_SESSION, Floats, Integers, Units, beside_each
from memory_platform.retrieval.cues import SPEAKER_SHIFT, Cue
from memory_platform.retrieval.query import AnswerForm

BRIEF: Final = 60
"""Kept terms up to which a message is one turn of a talk, about 100 words; a longer one stands for itself."""
ANSWER_SHARE: Final = 0.3
"""Of a question's X that the brief turn behind it gets, but of no more than OWN_OF_ASKED times what the question says
itself: one that merely stands beside the query's words asks something else."""
OWN_OF_ASKED: Final = 2.0
ECHO_SHARE: Final = 0.15
"""Of the next turn's L that a brief turn gets whose words it takes up."""
NAME_WEIGHT: Final = 0.15
TIMES_WEIGHT: Final = 0.02
OWN_WEIGHT: Final = 0.1
SPEAKER_WEIGHT: Final = 0.08


def form(units: Units, cues: Integers, contextual: Floats, lexical: Floats, sought: AnswerForm) -> Floats:
    """Return what the form of each unit adds: `lexical` is L over the sum of idf."""
    is_brief = (units.length <= BRIEF) & (units.session != NO_SESSION)
    asks = (cues & Cue.ASKS) > 0
    before, after = beside_each(units, -1), beside_each(units, 1)
    answers = is_brief & ~asks & (before >= 0) & (is_brief & asks)[before]
    asked = np.minimum(contextual, OWN_OF_ASKED * lexical)
    added = ANSWER_SHARE * np.where(answers, asked[before], 0.0)
    added += ECHO_SHARE * np.where(is_brief & (after >= 0), lexical[after], 0.0)
    added += TIMES_WEIGHT * (is_brief & ((cues & Cue.TIMES) > 0))
    if sought.names:
        added += NAME_WEIGHT * (is_brief & ((cues & Cue.NAMES) > 0))
    if sought.own:
        added += OWN_WEIGHT * ((cues & Cue.OWN) > 0)
    if sought.several:
        added += SPEAKER_WEIGHT * _said_by_the_one(cues >> SPEAKER_SHIFT, sought.speakers)
    return np.asarray(added, dtype=np.float64)


def _said_by_the_one(speakers: Integers, named: Collection[int]) -> NDArray[np.bool_]:
    """Say which units the only speaker said whom the question names; none where it names several of them."""
    said = np.isin(speakers, list(named))
    return said if len(np.unique(speakers[said])) == 1 else np.zeros_like(said)
