"""What a text is read to assert."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation import claims


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Startup takes about a minute", {"60s"}),
        ("Takes 60s to start", {"60s"}),
        ("twenty minutes", {"1200s"}),
        ("at 3 pm", {"t900"}),
        ("at 15:00", {"t900"}),
        ("It costs $1,200 or 3.5k", {"1200", "3500"}),
        ("90 percent", {"90%"}),
        ("PostgreSQL 16.2", {"16.2"}),
        ("on Mondays and in May", {"mon", "may"}),
        ("May 3", {"may", "3"}),
        ("you may march on", set()),
        ("two kids", {"2"}),
        ("works as a nurse at the children's hospital", set()),
    ],
)
def test_numbers_are_read_as_quantities(text, numbers):
    assert claims.read(text).numbers == numbers


@pytest.mark.parametrize(
    ("text", "is_negated"),
    [
        ("Anna likes tea", False),
        ("Anna doesn't like tea", True),
        ("Anna doesn’t like tea", True),
        ("Anna gave up tea", True),
        ("Anna no longer drinks tea", True),
        ("Don't stop the worker", False),
        ("not only tea but also coffee", False),
    ],
)
def test_negation_is_counted(text, is_negated):
    assert claims.read(text).is_negated is is_negated


def test_names_are_told_from_openers():
    reading = claims.read("Releases happen in Lisbon on AWS. Anna agrees", entities=["Anna Berg"])

    assert reading.names == ("lisbon", "aws", "anna", "berg")
    assert reading.openers == ("releases",)


@pytest.mark.parametrize(
    ("claim", "stored", "agree"),
    [
        ("Anna likes tea", "Bob likes tea", False),
        ("She likes tea", "Anna likes tea", True),
        ("Deployments happen on Friday", "We deploy on Fridays", True),
        ("The trip to NYC", "The trip to New York City", True),
        ("We use PostgreSQL", "We use Postgres", True),
        ("Joanna wants Nate's recipe", "Nate has a recipe", False),
    ],
)
def test_names_agree(claim, stored, agree):
    assert claims.names_agree(claims.read(claim), claims.read(stored)) is agree


def test_the_hash_ignores_case_and_punctuation():
    assert claims.claim_hash("Anna likes tea.") == claims.claim_hash("  anna LIKES   tea!")
    assert claims.claim_hash("Anna likes tea") != claims.claim_hash("Anna likes teas")


@given(st.text(max_size=200))
def test_any_text_can_be_read(text):
    assert claims.read(text) == claims.read(text)
    assert len(claims.claim_hash(text)) == 64


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_alignment_is_symmetric_and_bounded(first, second):
    assert claims.alignment(first, second) == claims.alignment(second, first)
    assert 0 <= claims.alignment(first, second) <= 1
