"""How directly a sentence states what it states."""

import re
from typing import Final

from memory_platform.model import Strength

_INFERRED: Final = re.compile(
    r"\b(?:probably|perhaps|maybe|possibly|presumably|apparently|supposedly|might (?:be|have)|may (?:be|have)"
    r"|must (?:be|have been)|(?:seems?|appears?) (?:to|like|that)|(?:sounds?|looks?) like"
    r"|i (?:guess|suppose|assume|suspect)|not sure|i'm guessing|could be|likely|as far as i (?:know|can tell)"
    r"|i heard|rumou?r)\b",
)
_IMPLIED: Final = re.compile(
    r"\b(?:i (?:think|believe|feel|hope|wish|want|wanna|would like)|i'd (?:like|love)|hoping|hope to"
    r"|thinking (?:about|of)|considering|trying to|planning|kind of|kinda|sort of|usually|often|sometimes"
    r"|tends? to|generally|mostly|almost"
    r"|nearly|about to|might|looking (?:into|for|forward)|interested in|curious|dream(?:ing|s)? of|someday|one day"
    r"|would)\b",
)


def strength_of(sentence: str) -> Strength:
    """INFERRED when the speaker guesses, IMPLIED when they hedge, wish or generalise, else EXPLICIT."""
    # Patterns that ignore case take three times as long.
    lowered = sentence.lower()
    if _INFERRED.search(lowered):
        return Strength.INFERRED
    return Strength.IMPLIED if _IMPLIED.search(lowered) else Strength.EXPLICIT
