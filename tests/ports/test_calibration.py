"""The thresholds in the adapters are the ones the calibration computes, and they are as good as the document says."""

from collections import Counter

import pytest

from bench import calibrate_dedup

PAIRS = calibrate_dedup.load_pairs()


def test_there_are_enough_pairs_of_every_kind():
    counts = Counter(pair.type for pair in PAIRS)

    assert len(PAIRS) >= 500
    assert set(counts) == {"paraphrase", "negation", "number", "name", "opposite", "related", "detail", "unrelated"}
    assert len({(pair.stored, pair.claim) for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("embedder", calibrate_dedup.local_models(), ids=lambda embedder: embedder.model)
def test_thresholds_are_the_calibrated_ones(embedder):
    found = calibrate_dedup.calibrate(embedder, PAIRS)

    # int8 kernels differ a little between processors
    assert embedder.thresholds.duplicate == pytest.approx(found.duplicate, abs=0.02)
    assert embedder.thresholds.related == pytest.approx(found.related, abs=0.02)
    assert found.merge.precision >= calibrate_dedup.TARGET_PRECISION
    assert found.merge.recall >= 0.74
    assert found.held_out.precision >= 0.95


def test_contradictions_are_found_and_not_invented():
    everything, held_out = calibrate_dedup.conflicts(PAIRS)

    assert everything.precision >= 0.98
    assert everything.recall >= 0.95
    assert held_out.recall >= 0.9
