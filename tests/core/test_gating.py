"""What the gate lets through, holds back and throws away."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation import gating
from memory_platform.consolidation.gating import GateReason
from memory_platform.model import Fact, Kind, Priority, Strength, Verdict


def fact(text: str, **changes: object) -> Fact:
    return replace(Fact(text, text), **changes)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I like it", GateReason.TOO_SHORT),
        ("Add after line 12 the new import.", GateReason.ARTEFACT),
        ("Add the following to the file.", GateReason.ARTEFACT),
        ("Replace the old string with the new one.", GateReason.ARTEFACT),
        ("```python\nprint(1)\n```", GateReason.ARTEFACT),
        ("User: hi there\nAssistant: hello, how can I help?", GateReason.TRANSCRIPT),
        ("word " * 300, GateReason.TRANSCRIPT),
        ("Does Anna like tea or coffee?", GateReason.QUESTION),
        ("Thanks, sounds good!", GateReason.NOISE),
        ("Hello there, good morning!", GateReason.NOISE),
        ("It was really nice to see everyone.", GateReason.NOISE),
    ],
)
def test_what_is_no_memory_is_discarded(text, reason):
    decision = gating.decide(fact(text))

    assert (decision.verdict, decision.reason) == (Verdict.DISCARD, reason)


@pytest.mark.parametrize(
    "text",
    [
        "Anna likes tea.",
        "The user prefers dark mode.",
        "Caroline adopted a dog called Rex.",
        "Melissa went to the support group on 7 May 2023.",
        "Replace the air filter every 6 months.",
    ],
)
def test_verifiable_and_useful_facts_are_allowed(text):
    decision = gating.decide(fact(text))

    assert (decision.verdict, decision.reason) == (Verdict.ALLOW, GateReason.USEFUL)
    assert decision.score > 0.7


@pytest.mark.parametrize(
    "text",
    ["See ADR-0007 for the reasons.", "Run make lint before pushing.", "Limits are in config/limits.toml there."],
)
def test_references_paths_and_commands_lean_to_allow(text):
    decision = gating.decide(fact(text, strength=Strength.INFERRED))

    assert (decision.verdict, decision.reason) == (Verdict.ALLOW, GateReason.REFERENCE)


def test_the_ambiguous_is_held():
    decision = gating.decide(fact("Maybe we could look at it later."))

    assert (decision.verdict, decision.reason) == (Verdict.HOLD, GateReason.AMBIGUOUS)


def test_a_marker_is_allowed():
    marked = Fact("the deploy takes a while", "[MEMORY:operations:web] the deploy takes a while")

    assert gating.decide(marked) == gating.GateDecision(
        Verdict.ALLOW, GateReason.MARKER, 0.9, "marker thin strength_explicit"
    )


@pytest.mark.parametrize(
    ("usefulness", "suggestion", "verdict", "reason"),
    [
        (0.9, None, Verdict.ALLOW, GateReason.USEFUL),
        (0.5, None, Verdict.HOLD, GateReason.AMBIGUOUS),
        (0.1, None, Verdict.DISCARD, GateReason.NOISE),
        (0.75, Verdict.HOLD, Verdict.HOLD, GateReason.EXTRACTOR_HELD),
        (0.5, Verdict.DISCARD, Verdict.DISCARD, GateReason.EXTRACTOR_DISCARDED),
        (0.6, Verdict.ALLOW, Verdict.ALLOW, GateReason.USEFUL),
    ],
)
def test_the_extractors_judgement_counts(usefulness, suggestion, verdict, reason):
    decision = gating.decide(fact("something was said about a matter", usefulness=usefulness, suggestion=suggestion))

    assert (decision.verdict, decision.reason) == (verdict, reason)


def test_the_policys_numbers_decide():
    held = fact("something was said about a matter", usefulness=0.5)

    assert gating.decide(held, allow_above=0.4).verdict is Verdict.ALLOW
    assert gating.decide(held, discard_below=0.6).verdict is Verdict.DISCARD
    assert gating.decide(held, minimum_length=100).reason is GateReason.TOO_SHORT


facts = st.builds(
    Fact,
    text=st.text(max_size=80),
    quote=st.just("q"),
    kind=st.sampled_from(Kind),
    strength=st.sampled_from(Strength),
    priority=st.sampled_from(Priority),
    entities=st.lists(st.text(max_size=8), max_size=2).map(tuple),
    event_time=st.none() | st.just(datetime(2025, 1, 1, tzinfo=UTC)),
    usefulness=st.none() | st.floats(0, 1),
    suggestion=st.none() | st.sampled_from(Verdict),
)


@given(facts)
def test_every_fact_gets_one_verdict_and_the_same_again(some):
    decision = gating.decide(some)

    assert 0 <= decision.score <= 1
    assert decision == gating.decide(some)


@given(facts, st.floats(0, 1), st.floats(0, 1))
def test_more_usefulness_never_judges_worse(some, first, second):
    order = [Verdict.DISCARD, Verdict.HOLD, Verdict.ALLOW]
    low, high = (gating.decide(replace(some, usefulness=value)) for value in sorted((first, second)))

    assert order.index(low.verdict) <= order.index(high.verdict)
