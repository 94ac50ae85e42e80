"""Cues: what the form of a message says about what it can answer, noted when it is captured.

They are for fusion: a turn that ends with a question hands its words on to the turn that answers it; who, where and
which ask for a name; a question about oneself is about what the user said.
"""

import re
from enum import IntFlag
from typing import Final

from memory_platform import courtesies, entities
from memory_platform.model import Role
from memory_platform.sentences import sentences
from memory_platform.terms import LONG_MESSAGE_WORDS


class Cue(IntFlag):
    """Bits of Document.cues.

    ASKS: ends with a question. NAMES: a brief message names somebody or something. OWN: the user says it.
    """

    NONE = 0
    ASKS = 1
    NAMES = 2
    OWN = 4


_ASKS: Final = re.compile(r"\?[\s\"'”’)*]*(?:\[[^\]]*\]\s*)?\Z")


def cues(text: str, *, speaker: str | None = None, role: Role | None = None) -> Cue:
    """Return the cues of a message. What is shared in brackets at its end does not hide its question mark.

    The speaker's own name and whom a sentence merely addresses are no names; a message of more than 100 words names
    something in any case, which says nothing.
    """
    found = Cue.ASKS if _ASKS.search(text) else Cue.NONE
    if len(text.split()) <= LONG_MESSAGE_WORDS and _names(text, speaker or ""):
        found |= Cue.NAMES
    if role is Role.USER:
        found |= Cue.OWN
    return found


def _names(text: str, speaker: str) -> bool:
    own = speaker.casefold()
    return any(
        name.casefold() != own
        for sentence in sentences(text)
        for name in entities.entity_names(courtesies.bare(sentence.text))
    )
