"""Which embedder reads which document: by its language, told by itself or by the talk around it.

After a change of the model both read what is new until the present one has read everything: then questions go to it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

from apps.core import providers, scope
from apps.core.scope import Scope
from apps.index import embeddings
from memory_platform.ports import Embedder
from memory_platform.text.languages import ENGLISH, language_of, tells

TALK: Final = 8
"""Units of a session on either side that tell the language of one too short to tell."""
HELD_SECONDS: Final = 600.0
NOT_HELD_SECONDS: Final = 5.0
"""For how long a process believes that a tenant has vectors of the multilingual model, or that it has none."""

_Believed = dict[UUID, tuple[float, bool]]
"""By tenant: until when, and what."""

_held: _Believed = {}
_behind: _Believed = {}

Texts = list[tuple[int, str]]


def lacking(document_ids: Sequence[int]) -> list[tuple[Embedder, Texts]]:
    """The documents, with their texts, that lack the vector of the embedder that is to read them; never empty lists.

    Needs an open scope. What the multilingual model has read stays with it.
    """
    own, other = providers.embedder(), providers.multilingual_embedder()
    if other is None:
        english, found = list(document_ids), []
    else:
        unread = _lacking(document_ids, other)
        foreign = _foreign(unread, other)
        english = [document_id for document_id, _ in unread if not foreign[document_id]]
        found = [(other, [row for row in unread if foreign[row[0]]])]
    found.append((own, _lacking(english, own)))
    if (former := providers.former_embedder()) is not None and english and is_behind():
        found.append((former, _lacking(english, former)))
    return [(embedder, texts) for embedder, texts in found if texts]


def answering(*, within: Scope) -> Embedder:
    """The model that questions are asked of: the former one until the configured one has read all that it read.

    Opens `within` when this process does not know.
    """
    former = providers.former_embedder()
    if former is None:
        return providers.embedder()
    behind = _believed(_behind, within, is_behind, lasting=False)
    return former if behind else providers.embedder()


def is_behind() -> bool:
    """Whether the former model has read what neither of the present ones has. Needs an open scope."""
    former, present = providers.former_embedder(), (providers.embedder(), providers.multilingual_embedder())
    return former is not None and embeddings.is_unread(former, [one for one in present if one is not None])


def multilingual(*, within: Scope) -> Embedder | None:
    """The multilingual model where the tenant has vectors of it. Opens `within` when this process does not know."""
    other = providers.multilingual_embedder()
    if other is None:
        return None
    held = _believed(_held, within, lambda: embeddings.holds(other.model, other.dimension), lasting=True)
    return other if held else None


def _believed(known: _Believed, within: Scope, look: Callable[[], bool], *, lasting: bool) -> bool:
    """What this process knows of the tenant, or sees now: `lasting` is the answer that is believed for long."""
    until, answer = known.get(within.tenant_id, (0.0, False))
    if until < time.monotonic():
        with scope.enter(within):
            answer = look()
        seconds = HELD_SECONDS if answer is lasting else NOT_HELD_SECONDS
        known[within.tenant_id] = (time.monotonic() + seconds, answer)
    return answer


def forget_held(tenant_id: UUID) -> None:
    """Drop what this process believes, after it stored vectors."""
    _held.pop(tenant_id, None)
    _behind.pop(tenant_id, None)


def _lacking(document_ids: Sequence[int], embedder: Embedder) -> Texts:
    if not document_ids:
        return []
    return embeddings.without_vector(document_ids, model=embedder.model, dimension=embedder.dimension)


def _foreign(texts: Texts, other: Embedder) -> Mapping[int, bool]:
    """Whether each document is in another language than English."""
    told = {document_id: language_of(text) != ENGLISH for document_id, text in texts if tells(text)}
    short = [document_id for document_id, _ in texts if document_id > 0 and document_id not in told]
    around = dict(told)
    if short:
        near = embeddings.beside(short, distance=TALK, model=other.model, dimension=other.dimension)
        around |= dict.fromkeys(near, True)
    return {document_id: told.get(document_id, _nearest(document_id, around)) for document_id, _ in texts}


def _nearest(document_id: int, around: Mapping[int, bool]) -> bool:
    """Whether the nearest unit of the session that can be told is foreign; units without neighbours are English."""
    places = sorted(range(-TALK, TALK + 1), key=abs) if document_id > 0 else ()
    return next((around[document_id + place] for place in places if document_id + place in around), False)
