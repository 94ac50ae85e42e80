"""A batch in two languages: each candidate is read by one model, and compared with what that one reads."""

from datetime import UTC, datetime
from uuid import uuid4

import numpy as np
import pytest

from apps.core import providers
from apps.memory.services.candidates import Candidate, Origin
from apps.memory.services.embedding import embed
from apps.tenants.models import Policy
from memory_platform.adapters.scripted import ScriptedEmbedder
from memory_platform.consolidation.gating import GateDecision, GateReason
from memory_platform.errors import ProviderRetryable
from memory_platform.model import Audience, Fact, Thresholds, Verdict

GERMAN = "Das Backup läuft jede Nacht um halb drei."
ENGLISH = "The backup runs every night at half past two."
SHORT = "Um vier."


def candidate(text, *, ordinal=0, language="en", session=None):
    origin = Origin(Audience(uuid4(), None), datetime(2026, 3, 2, tzinfo=UTC), session, ordinal=ordinal)
    gate = GateDecision(Verdict.ALLOW, GateReason.USEFUL, 1.0)
    return Candidate(Fact(text=text, quote=text, language=language), origin, gate, 0.9, text)


@pytest.fixture
def both(monkeypatch):
    own = ScriptedEmbedder(dimension=256)
    other = ScriptedEmbedder(dimension=384, thresholds=Thresholds(duplicate=0.9, related=0.7, spread=0.1))
    monkeypatch.setattr(providers, "embedder", lambda: own)
    monkeypatch.setattr(providers, "multilingual_embedder", lambda: other)
    return own, other


def test_each_candidate_is_read_once_by_the_model_of_its_language(both):
    own, other = both
    batch = [candidate(SHORT, ordinal=3, language="de"), candidate(ENGLISH, ordinal=2), candidate(GERMAN, ordinal=1)]

    embedded = embed(batch, Policy(), required=True)

    assert [one.fact.text for one in embedded.candidates] == [GERMAN, ENGLISH, SHORT]
    assert (own.calls, other.calls) == ([(ENGLISH,)], [(GERMAN, SHORT)])
    assert [one.related for one in embedded.thresholds] == [0.7, 0.4, 0.7]
    assert [embedded.vector(position)[0] for position in range(3)] == ["scripted-384", "scripted-256", "scripted-384"]
    assert len(embedded.usages) == 2


def test_what_is_too_short_to_tell_is_read_with_the_nearest_of_its_session(both):
    monday, tuesday = uuid4(), uuid4()
    said = [(ENGLISH, monday), (SHORT, monday), (SHORT, tuesday), (GERMAN, tuesday), (SHORT, None)]
    batch = [candidate(text, ordinal=n, session=session) for n, (text, session) in enumerate(said)]

    embedded = embed(batch, Policy(), required=True)

    assert {part.model: part.positions for part in embedded.parts} == {
        "scripted-256": (0, 1, 4),
        "scripted-384": (2, 3),
    }


def test_what_two_models_read_is_not_compared(both):
    embedded = embed([candidate(GERMAN), candidate(ENGLISH), candidate(GERMAN)], Policy(), required=True)

    assert embedded.cosines(*embedded.vector(0)) == pytest.approx(np.array([1.0, -1.0, 1.0]))


def test_one_model_that_does_not_answer_puts_the_batch_off(both, monkeypatch):
    failing = ScriptedEmbedder(dimension=384, failures=[ProviderRetryable("down")])
    monkeypatch.setattr(providers, "multilingual_embedder", lambda: failing)

    embedded = embed([candidate(GERMAN), candidate(ENGLISH)], Policy(), required=False)

    assert embedded.parts == ()
    assert all(one.pending for one in embedded.candidates)


def test_a_tenants_own_threshold_is_a_cosine_of_the_first_model(both):
    embedded = embed([candidate(GERMAN), candidate(ENGLISH)], Policy(dedup_related=0.55), required=True)

    assert [one.related for one in embedded.thresholds] == [0.7, 0.55]
