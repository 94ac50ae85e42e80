"""Terms: what the keyword arm counts.

Lower-cased words, PostgreSQL's `english` stop list, Snowball english stems (RECALL.md), word families joined. Capture
calls this for every message, so a word is stemmed once and remembered.
"""

import re
import threading
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Final, cast

import Stemmer

# tsearch_data/english.stop of PostgreSQL 18, unchanged since 8.3.
_ENGLISH_STOP: Final = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves what which who whom this that these those am is are was were be
    been being have has had having do does did doing a an the and but if or because as until while of at by for with
    about against between into through during before after above below to from up down in out on off over under again
    further then once here there when where why how all any both each few more most other some such no nor not only
    own same so than too very s t can will just don should now
"""
POSTGRESQL_ENGLISH_STOP_WORDS: Final = frozenset(_ENGLISH_STOP.split())

LONG_MESSAGE_WORDS: Final = 100
ROLE_NAMES: Final = frozenset(
    {"user", "human", "assistant", "ai", "bot", "agent", "model", "system", "tool", "function"}
)

_SHORTEST_FAMILY: Final = 7
"""Letters of a stem."""

_WORD: Final = re.compile(r"[^\W_]+")
_per_thread: Final = threading.local()


def terms(text: str) -> Counter[str]:
    """Return the kept terms of `text` with how often each occurs, in order of first occurrence."""
    return Counter(filter(None, map(_stem, _WORD.findall(text.lower()))))


def kept_length(counts: Mapping[str, int]) -> int:
    """Return the length of a unit in kept terms, repetitions included (`len_i` of RECALL.md)."""
    return sum(counts.values())


@lru_cache(maxsize=1 << 16)
def lexeme_hash(term: str) -> int:
    """Return the signed 64-bit hash a posting stores: BLAKE2b, 8 bytes, big-endian; never changes between versions."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big", signed=True)


def indexed_text(text: str, *, speaker: str | None, said_at: datetime | None) -> str:
    """Return what both arms index for a message.

    A turn of up to 100 words by somebody with a name becomes `(8 May 2023) Caroline said, "text"`: who and when are
    words people search by. Everything else stays bare: "User said" names nobody. docs/benchmarks.md tells what the
    frame is worth.
    """
    if said_at is None or not is_name(speaker) or len(text.split()) > LONG_MESSAGE_WORDS:
        return text
    return f'({said_at.day} {said_at:%B %Y}) {speaker} said, "{text}"'


def is_name(speaker: str | None) -> bool:
    """Whether a speaker label names somebody, rather than a role."""
    name = (speaker or "").strip().lower()
    return bool(name) and name not in ROLE_NAMES


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str | None:
    return None if word in POSTGRESQL_ENGLISH_STOP_WORDS else _family(cast("str", _stemmer().stemWord(word)))


def _family(stem: str) -> str:
    """The stem without the i that Snowball writes for a final y, which keeps "allergy" apart from "allergic".

    Short stems keep it: without it "policy" would be "police", "county" a count.
    """
    return stem[:-1] if len(stem) >= _SHORTEST_FAMILY and stem.endswith("i") else stem


def _stemmer() -> "Stemmer.Stemmer":
    """Return this thread's stemmer: a Stemmer object must not be used by two threads at once."""
    stemmer = getattr(_per_thread, "stemmer", None)
    if stemmer is None:
        stemmer = _per_thread.stemmer = Stemmer.Stemmer("english")
        stemmer.maxCacheSize = 0
    return stemmer
