"""The sentences of what goes: a keyed digest of each, by which a copy is known and nobody reads it."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final
from uuid import UUID

from apps.core import signing

SHORTEST: Final = 24
"""Characters of one that is looked for: shorter ones many say, who never heard of each other."""
WINDOW: Final = 16
"""Characters by which a text is compared with what was found."""
DIGEST_BYTES: Final = 16
_PURPOSE: Final = b"memory-platform erased sentence"
# What parts texts in JSON, in summaries and in the index is among them: a copy there is cut as the text itself is.
_ENDS: Final = re.compile(r"(?:\\[nrt]|[\\.!?…。！？\r\n:;/\"“”«»])+")
_EDGES: Final = " -–*#>()[]{}',|"


def sentences(text: str) -> Iterator[str]:
    """Those of at least SHORTEST characters, case and white space folded."""
    folded = (_folded(part).strip(_EDGES) for part in _ENDS.split(text))
    return (sentence for sentence in folded if len(sentence) >= SHORTEST)


def digests(texts: Iterable[str]) -> Iterator[tuple[str, UUID]]:
    """Each sentence of the texts with its digest, which follows from the deployment's secret, too."""
    key = signing.derived(_PURPOSE)
    for text in texts:
        for sentence in sentences(text):
            made = hashlib.blake2b(sentence.encode(), digest_size=DIGEST_BYTES, key=key)
            yield sentence, UUID(bytes=made.digest())


def unsaid(wanted: Collection[str], texts: Iterable[str]) -> set[str]:
    """Those of the sentences that are said in none of the texts: some WINDOW of theirs is nowhere. In linear time."""
    left = {window for sentence in wanted for window in _windows(sentence)}
    for text in texts:
        left.difference_update(_windows(_folded(text)))
    return {sentence for sentence in wanted if not left.isdisjoint(_windows(sentence))}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _windows(text: str) -> Iterator[str]:
    return (text[start : start + WINDOW] for start in range(len(text) - WINDOW + 1))
