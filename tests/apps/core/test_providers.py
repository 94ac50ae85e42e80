"""Each adapter the environment can name is made as it wants to be made, and answers."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from apps import environment
from apps.core import providers
from memory_platform.errors import CircuitOpen, ProviderLate
from memory_platform.model import Role, Utterance
from tests import fake_openai

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
SAID = [Utterance(uuid4(), Role.USER, "Anna", text, NOW) for text in ("I like tea.", "I have two dogs.")]


@pytest.fixture
def served(monkeypatch):
    """An environment in which a model server answers for everything; keys are not needed."""
    with fake_openai.running() as fake:
        for name in ("LLM", "EMBEDDING"):
            monkeypatch.setenv(f"MEMORY_{name}_BASE_URL", fake.base_url)
            monkeypatch.setenv(f"MEMORY_{name}_MODEL", "gpt-4o-mini")
        monkeypatch.setenv("MEMORY_EMBEDDER", "openai")
        forget()
        yield fake
    monkeypatch.undo()
    forget()


def forget() -> None:
    environment.environment.cache_clear()
    for provider in vars(providers).values():
        if hasattr(provider, "cache_clear"):
            provider.cache_clear()


def test_the_configured_models_answer(served):
    extracted = providers.extractor().extract(SAID, now=NOW)
    rewritten, _ = providers.rewriter().rewrite("and hers?", history=(), now=NOW, timeout=5)
    vectors, _ = providers.embedder().embed(["tea"])
    served.script(fake_openai.Reply(content='{"causes": []}'))
    causes, _ = providers.cause_inferrer().infer(SAID, now=NOW)

    assert [fact.text for one in extracted.observations for fact in one.facts] == [
        "I (Anna) like tea.", "I (Anna) have two dogs.",
    ]  # fmt: skip
    assert rewritten == "and hers?"
    assert vectors.shape == (1, providers.embedder().dimension)
    assert causes == ()


def test_who_waits_leaves_a_server_of_vectors_alone_that_hangs_and_jobs_go_on(served, database):
    served.script(*[fake_openai.late(60)] * 3)
    for _ in range(3):
        with pytest.raises(ProviderLate):
            providers.embedder().embed(["tea"], as_questions=True, timeout=0.2)

    with pytest.raises(CircuitOpen):
        providers.embedder().embed(["tea"], as_questions=True, timeout=0.2)
    assert providers.embedder().embed(["tea"])[0].shape == (1, providers.embedder().dimension)


def test_without_models_rules_and_a_local_embedder_do_the_work(monkeypatch):
    for name in ("MEMORY_LLM_BASE_URL", "MEMORY_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMORY_EMBEDDER", "wordllama")
    forget()

    assert providers.extractor() is providers.fallback_extractor()
    assert (providers.rewriter(), providers.cause_inferrer()) == (None, None)
    forget()
