"""Texts as token ids, and graphs run in batches."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory_platform.adapters import onnx_model
from memory_platform.adapters.onnx_model import HEADS, Encoding, OnnxModel, Tokens
from memory_platform.errors import ProviderRefused

TEXT = "Marco negotiated the contract"
FIRST_NUMBERS = [-0.07171, 0.14417, -0.00337, 0.04758, -0.04796, 0.06457]
"""Of its vector. With products that saturate, as on a processor without VNNI, they differ from the second digit on."""


def test_a_text_stands_between_its_marks_and_is_cut():
    whole, cut = Tokens().single(TEXT, limit=64), Tokens().single(TEXT, limit=5)
    start, end = whole.ids[0], whole.ids[-1]

    assert cut.ids == (start, *whole.ids[1:4], end)
    assert set(whole.types) == {0}


def test_a_pair_keeps_both_texts_each_to_its_limit():
    tokens = Tokens()
    first, second = (tokens.single(text, limit=64).ids[1:-1] for text in (TEXT, "He got us off"))
    start, end = tokens.single(TEXT, limit=64).ids[0], tokens.single(TEXT, limit=64).ids[-1]

    assert tokens.pair(TEXT, "He got us off", limits=(2, 3)) == Encoding(
        (start, *first[:2], end, *second[:3], end), (0, 0, 0, 0, 1, 1, 1, 1)
    )
    assert tokens.pair(TEXT, "He", limits=(2, 3), from_end=True).ids[1:3] == first[-2:]


def test_a_text_that_spells_a_mark_is_no_mark():
    tokens = Tokens()
    end = tokens.single(TEXT, limit=64).ids[-1]

    assert tokens.single("a [SEP] b", limit=64).ids.count(end) <= 2
    assert len(tokens.single("", limit=8).ids) == 2


def test_company_changes_no_answer():
    model = OnnxModel(HEADS / "encoder.onnx", threads=1)
    encodings = [Tokens().single(text, limit=64) for text in (TEXT, "tea " * 30, "a dog")]
    alone = [next(model.run([encoding]))["embedding"] for encoding in encodings]

    assert all(
        np.array_equal(one["embedding"], by_itself) for one, by_itself in zip(model.run(encodings), alone, strict=True)
    )


def test_every_processor_gives_these_numbers():
    (outputs,) = OnnxModel(HEADS / "encoder.onnx", threads=1).run([Tokens().single(TEXT, limit=64)])

    assert outputs["embedding"][:6] == pytest.approx(FIRST_NUMBERS, abs=1e-4)


def test_nothing_to_run_runs_nothing():
    assert list(OnnxModel(HEADS / "encoder.onnx", threads=1).run([])) == []


def test_a_missing_graph_is_refused(tmp_path):
    with pytest.raises(ProviderRefused, match=r"none\.onnx is missing"):
        OnnxModel(tmp_path / "none.onnx", threads=1)


def test_a_graph_is_loaded_once_a_setting(monkeypatch):
    OnnxModel(HEADS / "encoder.onnx", threads=1)
    loads = []
    monkeypatch.setattr(onnx_model.onnxruntime, "InferenceSession", lambda path, *_, **__: loads.append(path))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: OnnxModel(HEADS / "encoder.onnx", threads=1), range(8)))

    assert loads == []
