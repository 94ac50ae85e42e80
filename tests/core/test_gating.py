"""What the gate lets through, holds back and throws away."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation import gating
from memory_platform.consolidation.gating import GateDecision, GateReason
from memory_platform.model import Fact, FiledBy, Mood, Verdict


def fact(text: str = "Anna likes tea.", **changes: object) -> Fact:
    return replace(Fact(text, text), **changes)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ok!", GateReason.TOO_SHORT),
        (" ... !!! ", GateReason.TOO_SHORT),
        ("```python\nprint(1)\n```", GateReason.ARTEFACT),
        ("+++ b/apps/api/views.py", GateReason.ARTEFACT),
        ("old_str: the line", GateReason.ARTEFACT),
        ("<tool_call> search", GateReason.ARTEFACT),
        ("User: hi there\nAssistant: hello, how can I help?", GateReason.TRANSCRIPT),
        ("word " * 300, GateReason.TRANSCRIPT),
        ("Does Anna like tea or coffee?", GateReason.QUESTION),
    ],
)
def test_what_is_no_memory_is_discarded_however_useful(text, reason):
    assert gating.decide(fact(text, usefulness=1.0)) == GateDecision(Verdict.DISCARD, reason, 0.0)


def test_a_question_without_its_mark_is_one_by_its_grammar():
    assert gating.decide(fact("Do you like tea", mood=Mood.QUESTION)).reason is GateReason.QUESTION


def test_a_short_answer_is_long_enough_behind_its_question():
    assert gating.decide(fact("No.", lead_in="Do you smoke?")).verdict is Verdict.ALLOW
    assert gating.decide(fact("No.")).reason is GateReason.TOO_SHORT


@pytest.mark.parametrize(
    ("usefulness", "verdict", "reason"),
    [
        (0.46, Verdict.ALLOW, GateReason.USEFUL),
        (0.45, Verdict.HOLD, GateReason.AMBIGUOUS),
        (0.05, Verdict.HOLD, GateReason.AMBIGUOUS),
        (0.04, Verdict.DISCARD, GateReason.NOISE),
        (None, Verdict.ALLOW, GateReason.USEFUL),
    ],
)
def test_usefulness_decides(usefulness, verdict, reason):
    decision = gating.decide(fact(usefulness=usefulness))

    assert (decision.verdict, decision.reason) == (verdict, reason)
    assert decision.score == (gating.UNSTATED if usefulness is None else usefulness)


@pytest.mark.parametrize(
    "text",
    [
        "See ADR-0007 for the reasons.",
        "Run `make lint` before pushing.",
        "Limits are in config/limits.toml there.",
        "Logs lie in /var/log/app today.",
        "It follows RFC 9110.",
    ],
)
def test_references_paths_and_commands_lean_to_allow(text):
    assert gating.decide(fact(text, usefulness=0.3)).reason is GateReason.REFERENCE
    assert gating.decide(fact(text, usefulness=0.02)).verdict is Verdict.DISCARD


@pytest.mark.parametrize(
    ("suggestion", "verdict", "reason"),
    [
        (Verdict.DISCARD, Verdict.DISCARD, GateReason.EXTRACTOR_DISCARDED),
        (Verdict.HOLD, Verdict.HOLD, GateReason.EXTRACTOR_HELD),
        (Verdict.ALLOW, Verdict.ALLOW, GateReason.USEFUL),
    ],
)
def test_the_extractor_may_hold_back_but_not_let_through(suggestion, verdict, reason):
    decision = gating.decide(fact(usefulness=0.9, suggestion=suggestion))

    assert (decision.verdict, decision.reason) == (verdict, reason)
    assert gating.decide(fact(usefulness=0.02, suggestion=suggestion)).verdict is Verdict.DISCARD


def test_what_names_something_its_source_does_not_say_is_held():
    assert gating.decide(fact(usefulness=0.9, unsupported="Bob")) == GateDecision(
        Verdict.HOLD, GateReason.UNSUPPORTED, 0.9, "Bob"
    )


def test_a_marker_is_allowed():
    marked = Fact("the deploy takes a while", "[MEMORY:operations:web] the deploy takes a while", usefulness=0.1)
    given = replace(marked, filed_by=FiledBy.GIVEN)
    bare = replace(marked, quote="[MEMORY] the deploy takes a while")

    assert gating.decide(given) == gating.decide(bare) == GateDecision(Verdict.ALLOW, GateReason.MARKER, 0.9)
    assert gating.decide(marked) == GateDecision(Verdict.ALLOW, GateReason.MARKER_CATEGORY_UNKNOWN, 0.9)


def test_the_numbers_are_the_tenants():
    assert gating.decide(fact(usefulness=0.9), allow_above=0.95).verdict is Verdict.HOLD
    assert gating.decide(fact(usefulness=0.4), discard_below=0.5).verdict is Verdict.DISCARD
    assert gating.decide(fact(usefulness=0.9), minimum_length=20).reason is GateReason.TOO_SHORT


ORDER = (Verdict.DISCARD, Verdict.HOLD, Verdict.ALLOW)
facts = st.builds(
    fact,
    st.text(max_size=60),
    suggestion=st.none() | st.sampled_from(Verdict),
    mood=st.sampled_from(Mood),
    lead_in=st.sampled_from(["", "Where to?"]),
)


@given(facts, st.floats(0, 1), st.floats(0, 1))
def test_what_is_more_useful_is_never_judged_worse(one, first, second):
    low, high = (gating.decide(replace(one, usefulness=usefulness)) for usefulness in sorted((first, second)))

    assert ORDER.index(low.verdict) <= ORDER.index(high.verdict)


@given(facts, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_stricter_gate_never_lets_more_through(one, usefulness, first, second):
    asked = replace(one, usefulness=usefulness)
    low, high = (gating.decide(asked, allow_above=bound) for bound in sorted((first, second)))

    assert ORDER.index(high.verdict) <= ORDER.index(low.verdict)
