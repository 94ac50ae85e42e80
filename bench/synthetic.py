"""Synthetic tenants: documents of about 26 terms from a Zipf vocabulary, with vectors, written by the services."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from uuid import UUID

import numpy as np

from apps.core import providers
from apps.core.scope import tenant_scope
from apps.index import services as index
from apps.index import statistics
from apps.index.models import Document
from apps.jobs.models import Job
from apps.resources import services as resources
from apps.resources.services import IngestLine
from apps.tenants import services as tenants
from memory_platform.ports import Vectors

TERMS = 26
VOCABULARY = 30_000
SESSION = 100
CHUNK = 500
# Distinct embedded texts; other documents get one of their vectors, moved a little.
EMBEDDED = 1_500
SAID_AT = datetime(2026, 3, 2, tzinfo=UTC)

_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstv" for vowel in "aeio"]


class Corpus:
    """Texts drawn with Zipf's frequencies, the same ones for the same seed."""

    def __init__(self, seed: int = 7) -> None:
        self._chance = random.Random(seed)
        self._words = self._make_words()
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))

    def text(self, terms: int = TERMS) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=terms))

    def question(self) -> str:
        """Eight terms, as questions of the development data have."""
        return f"What about {self.text(8)}?"

    def _make_words(self) -> list[str]:
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            words["".join(self._chance.choices(_SYLLABLES, k=self._chance.randint(2, 4)))] = None
        return list(words)


def vectors_of(texts: Sequence[str]) -> Vectors:
    """Real vectors of the configured model, shape (texts, dimension)."""
    found, _ = providers.embedder().embed(texts)
    return found


def fill(tenant_id: UUID, texts: Sequence[str], base: Vectors, *, agent_id: UUID, seed: int = 7) -> None:
    """Ingest `texts` and store a vector for each; the jobs they ask for are dropped, the statistics folded."""
    noise = np.random.default_rng(seed)
    for start in range(0, len(texts), CHUNK):
        chunk = texts[start : start + CHUNK]
        lines = [line(start + place, text) for place, text in enumerate(chunk)]
        with tenant_scope(tenant_id, agent_id=agent_id):
            resources.ingest(lines)
            Job.objects.filter(tenant_id=tenant_id).delete()
    with tenant_scope(tenant_id):
        ids = list(Document.objects.filter(tenant_id=tenant_id).order_by("id").values_list("id", flat=True))
        for start in range(0, len(ids), CHUNK):
            part = ids[start : start + CHUNK]
            picked = base[noise.integers(len(base), size=len(part))]
            moved = picked + noise.normal(scale=0.02, size=picked.shape).astype(np.float32)
            unit = moved / np.linalg.norm(moved, axis=1, keepdims=True)
            index.store_embeddings(part, unit.astype(np.float32), providers.embedder().model)
        while statistics.fold():
            pass
        Job.objects.filter(tenant_id=tenant_id).delete()


def line(number: int, text: str) -> IngestLine:
    return IngestLine(
        external_id=str(number),
        session_id=f"session-{number // SESSION}",
        content=text,
        speaker="Mara",
        content_at=SAID_AT + timedelta(minutes=number),
    )


def new_tenant(slug: str) -> tuple[UUID, UUID]:
    """A tenant and its agent."""
    tenant = tenants.create_tenant(slug=slug, name=slug)
    with tenant_scope(tenant.id):
        agent = tenants.create_agent(slug="assistant")
    return tenant.id, agent.id
