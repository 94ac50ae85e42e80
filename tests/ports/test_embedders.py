"""What every embedder promises, on each adapter."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.adapters.multilingual import MultilingualEmbedder
from memory_platform.adapters.openai_embedder import OpenAiEmbedder
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.scripted import ScriptedEmbedder
from memory_platform.adapters.wordllama import WordLlamaEmbedder
from memory_platform.errors import ProviderRefused, ProviderRetryable
from memory_platform.ports import Embedder
from tests import fake_openai

ADAPTERS: dict[str, Callable[[fake_openai.FakeOpenAi], Embedder]] = {
    "encoder": lambda _: EncoderEmbedder(),
    "wordllama": lambda _: WordLlamaEmbedder(),
    "multilingual": lambda _: MultilingualEmbedder(),
    "openai": lambda fake: OpenAiEmbedder(Endpoint(fake.base_url, "k", "text-embedding-3-small", backoff_seconds=0.01)),
    "scripted": lambda _: ScriptedEmbedder(),
}


@pytest.fixture(params=ADAPTERS)
def embedder(request, fake) -> Embedder:
    return ADAPTERS[request.param](fake)


def test_rows_have_length_one_and_the_stated_dimension(embedder):
    vectors, _ = embedder.embed(["Anna likes tea.", "Deploy on Thursdays only."])

    assert vectors.shape == (2, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_order_of_the_texts_is_kept_whatever_their_length(embedder):
    texts = ["tea " * 40, "tea", "a dog", "deploy the order service on Thursday", "tea " * 5] * 9
    vectors, _ = embedder.embed(texts)
    alone = np.vstack([embedder.embed([text])[0] for text in texts[:5]])

    assert np.einsum("ij,ij->i", vectors[:5], alone) == pytest.approx(np.ones(5), abs=1e-5)


def test_same_text_same_vector(embedder):
    first, _ = embedder.embed(["Anna likes tea."])
    second, _ = embedder.embed(["Anna likes tea."])

    assert np.array_equal(first, second)


def test_no_texts_no_rows_no_call(embedder):
    vectors, usage = embedder.embed([])

    assert vectors.shape == (0, embedder.dimension)
    assert (usage.embedding_calls, usage.tokens_in) == (0, 0)


@pytest.mark.parametrize("text", ["", "  \n", "🙂", "\ud800 lone surrogate", "日本語のテキスト", "word " * 3000])
def test_odd_texts_get_a_unit_vector(embedder, text):
    vectors, _ = embedder.embed([text, "Anna likes tea."])

    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_usage_names_the_call(embedder):
    _, usage = embedder.embed(["Anna likes tea."])

    assert usage.embedding_calls == 1
    assert usage.llm_calls == 0
    assert usage.model


def test_thresholds_are_in_order(embedder):
    thresholds = embedder.thresholds

    assert 0 < thresholds.related < thresholds.duplicate < 1
    assert 0 < thresholds.spread < 0.5


def test_concurrent_callers_get_what_a_single_one_gets(embedder):
    expected, _ = embedder.embed(["Anna likes tea."])
    gate = threading.Barrier(4)

    def ask(_: int) -> np.ndarray:
        gate.wait()
        return embedder.embed(["Anna likes tea."])[0]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, range(4)))

    assert all(np.array_equal(answer, expected) for answer in answers)


@pytest.mark.parametrize("local", [EncoderEmbedder(), MultilingualEmbedder(), WordLlamaEmbedder()])
def test_local_models_are_free_and_stop_at_the_timeout(local):
    _, usage = local.embed(["Anna likes tea."])
    assert usage.cost_usd == 0.0

    with pytest.raises(ProviderRetryable):
        local.embed(["Anna likes tea."] * 2000, timeout=0.0)


@pytest.mark.parametrize("local", [EncoderEmbedder(), WordLlamaEmbedder()])
def test_local_models_place_a_paraphrase_nearer_than_another_matter(local):
    vectors, _ = local.embed(
        ["The deadline is May 15.", "The project is due on May 15.", "My sister plays the violin."]
    )

    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_the_encoder_refuses_without_its_graph(tmp_path):
    with pytest.raises(ProviderRefused, match="missing"):
        EncoderEmbedder(path=tmp_path / "encoder.onnx").embed(["tea"])


def test_what_lies_behind_the_encoders_reach_changes_nothing():
    vectors, _ = EncoderEmbedder().embed(["tea " * 300, "tea " * 300 + "and a dog"])

    assert vectors[0] == pytest.approx(vectors[1], abs=1e-6)


@pytest.mark.parametrize(
    ("asked", "answer", "other"),
    [
        (
            "Wo wohnt Mara jetzt?",
            "Mara ist im Mai nach Leipzig gezogen.",
            "Der Satzlauf der Sonntagszeitung ist durch.",
        ),
        ("¿A qué soy alérgico?", "No puedo comer gambas, me sientan fatal.", "La factura llega el día cinco."),
        ("What must I not eat?", "Titouan est allergique aux arachides.", "On loge chez Fiona, quatre nuits."),
    ],
)
def test_the_multilingual_model_finds_an_answer_in_whatever_language(asked, answer, other):
    question, _ = MultilingualEmbedder().embed([asked], as_questions=True)
    texts, _ = MultilingualEmbedder().embed([answer, other])

    near, far = texts @ question[0]
    assert near > far


def test_the_multilingual_models_cosines_spread_about_nothing_and_a_greeting_is_near_to_no_question():
    asked = ["Wo wohnt Mara jetzt?", "¿A qué soy alérgico?", "Quel bateau prend-on ?"]
    questions, _ = MultilingualEmbedder().embed(asked, as_questions=True)
    texts, _ = MultilingualEmbedder().embed(["hola, buenas tardes", "Der Satzlauf der Sonntagszeitung ist durch."])

    assert np.abs(questions @ texts.T).max() < 0.35


def test_the_multilingual_model_reads_a_question_otherwise_than_a_text():
    embedder = MultilingualEmbedder()
    question, _ = embedder.embed(["Mara ist nach Leipzig gezogen."], as_questions=True)
    text, _ = embedder.embed(["Mara ist nach Leipzig gezogen."])

    assert not np.array_equal(question, text)


def test_what_lies_behind_the_multilingual_models_reach_changes_nothing():
    vectors, _ = MultilingualEmbedder().embed(["Kaffee " * 200, "Kaffee " * 2000])

    assert np.array_equal(vectors[0], vectors[1])


BESIDE_ONNX = """
import os
from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.adapters.multilingual import MultilingualEmbedder
EncoderEmbedder().embed(["tea"])
before = len(os.listdir("/proc/self/task"))
MultilingualEmbedder().embed(["Tee und Kuchen"] * 32)
print(len(os.listdir("/proc/self/task")) - before, os.environ["OMP_NUM_THREADS"])
"""


def test_the_multilingual_model_starts_no_threads_that_could_spin_beside_onnx_runtimes():
    done = subprocess.run(
        [sys.executable, "-c", BESIDE_ONNX],
        env={**os.environ, "OMP_NUM_THREADS": "4"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["0", "4"], "no thread of its own, and others' OpenMP keeps its setting"


def test_openai_asks_for_short_vectors_and_knows_the_price(fake):
    embedder = OpenAiEmbedder(Endpoint(fake.base_url, "k", "text-embedding-3-small"))
    vectors, usage = embedder.embed(["tea", "coffee"])

    assert fake.received[0].body["dimensions"] == 256
    assert vectors.shape == (2, 256)
    assert (usage.tokens_in, usage.embedding_calls) == (10, 1)
    assert usage.cost_usd is None, "the price behind an unknown address is unknown, not 0"


def test_openai_cuts_and_renormalises_what_the_server_left_long(fake):
    fake.ignores_dimensions = True
    embedder = OpenAiEmbedder(Endpoint(fake.base_url, "k", "m"), asks_for_dimensions=False)
    vectors, _ = embedder.embed(["tea"])
    expected = np.asarray(fake_openai.vector("tea")[:256])

    assert "dimensions" not in fake.received[0].body
    assert vectors[0] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)


def test_openai_sends_at_most_256_texts_a_request(fake):
    _, usage = OpenAiEmbedder(Endpoint(fake.base_url, "k", "m")).embed([f"text {n}" for n in range(300)])

    assert [len(request.body["input"]) for request in fake.received] == [256, 44]
    assert usage.embedding_calls == 2


def test_openai_refuses_vectors_that_are_too_short(fake):
    short = {"object": "embedding", "index": 0, "embedding": [1.0, 0.0]}
    answer = {"object": "list", "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}, "data": [short]}
    fake.script(fake_openai.Reply(body=json.dumps(answer).encode()))

    with pytest.raises(ProviderRefused, match="fewer than 256"):
        OpenAiEmbedder(Endpoint(fake.base_url, "k", "m")).embed(["tea"])
