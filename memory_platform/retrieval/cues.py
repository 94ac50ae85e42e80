"""Cues: what the form of a message says about what it can answer, noted when it is captured.

They are for fusion: a turn that ends with a question hands its words on to the turn that answers it; who, where and
which ask for a name; a question about oneself is about what the user said, one about what all a person does is about
what that person said.
"""

import re
from enum import IntFlag
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from memory_platform.knowledge import entities
from memory_platform.model import Role
from memory_platform.text.sentences import QUESTION_MARKS, sentences
from memory_platform.text.terms import LONG_MESSAGE_WORDS


class Cue(IntFlag):
    """The lower bits of Document.cues; the speaker's key lies above them.

    ASKS: ends with a question. NAMES: a brief message names somebody or something. OWN: the user says it. TIMES: it
    says when. MACHINE: a tool or the system says it. ASSISTANT: the assistant does.
    """

    ASKS = 1
    NAMES = 2
    OWN = 4
    TIMES = 8
    MACHINE = 16
    ASSISTANT = 32


SPEAKER_SHIFT: Final = 6
SPEAKER_KEYS: Final = 511
"""How many speakers' keys fit a smallint above the bits; two who share one are taken for each other, which is rare and
costs a place in a ranking."""


_ASKS: Final = re.compile(rf"[{''.join(QUESTION_MARKS)}][\s\"'”’)*]*(?:\[[^\]]*\]\s*)?\Z")


_TIMES: Final = re.compile(
    r"\b(yesterday|today|tomorrow|tonight|ago|last|next|weekend|month|year|recently|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|(?-i:March)|april|june|july|august|september|october|november|december|summer|winter|spring"
    r"|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def speaker_key(name: str) -> int:
    """Return a number of 1 to SPEAKER_KEYS for the first word of a name, whatever its case; 0 for no name."""
    first = name.split(maxsplit=1)[0].casefold() if name.strip() else ""
    return 1 + int.from_bytes(blake2b(first.encode(), digest_size=8).digest(), "big") % SPEAKER_KEYS if first else 0


def cues(text: str, *, speaker: str | None = None, role: Role | None = None) -> int:
    """Return the bits of a message and its speaker's key. What is shared in brackets at its end hides no question mark.

    The speaker's own name and whom a sentence merely addresses are no names; a message of more than 100 words names
    something in any case, which says nothing.
    """
    bits = {
        Cue.ASKS: _ASKS.search(text) is not None,
        Cue.NAMES: len(text.split()) <= LONG_MESSAGE_WORDS and _names(text, speaker or ""),
        Cue.OWN: role is Role.USER,
        Cue.TIMES: _TIMES.search(text) is not None,
        Cue.MACHINE: role in {Role.TOOL, Role.SYSTEM},
        Cue.ASSISTANT: role is Role.ASSISTANT,
    }
    return (speaker_key(speaker or "") << SPEAKER_SHIFT) + sum(bit for bit, holds in bits.items() if holds)


def _names(text: str, speaker: str) -> bool:
    own = speaker.casefold()
    return any(name.casefold() != own for sentence in sentences(text) for name in entities.entity_names(sentence.text))
