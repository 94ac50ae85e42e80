"""What the rules keep of a conversation, how it reads, and why the rest is left out."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.extraction.observing import DropReason, observe
from memory_platform.model import CategoryRule, Kind, Role, Utterance

SAID_AT = datetime(2026, 3, 11, 18, tzinfo=UTC)
CATEGORIES = (
    CategoryRule("health", ("allergic",)),
    CategoryRule("rules-conventions", ("must",)),
    CategoryRule("other"),
)


def said(text: str, speaker: str | None = "Mara", role: Role = Role.USER) -> Utterance:
    return Utterance(uuid4(), role, speaker, text, SAID_AT)


def texts(text: str, *earlier: Utterance, speaker: str | None = "Mara", role: Role = Role.USER) -> list[str]:
    return [fact.text for fact in observe(said(text, speaker, role), earlier=earlier, categories=CATEGORIES).facts]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I moved to Lisbon last month.", ["Mara moved to Lisbon in February 2026."]),
        ("Hey! By the way, I prefer short answers.", ["Mara prefers short answers."]),
        ("Yesterday I adopted a dog from Porto.", ["On 10 March 2026, Mara adopted a dog from Porto."]),
        (
            "I don't eat meat any more, I became a vegetarian in May 2025.",
            ["Mara doesn't eat meat any more.", "Mara became a vegetarian in May 2025."],
        ),
        ("Harbor runs on PostgreSQL 15 and Django.", ["Harbor runs on PostgreSQL 15.", "Harbor runs on Django."]),
        ("We decided to convert all times to UTC.", ["Mara and others decided to convert all times to UTC."]),
        (
            "Ines changed the date of her wedding. It is on 5 September 2026 now.",
            ["Ines changed the date of her wedding.", "Ines's wedding is on 5 September 2026 now."],
        ),
    ],
)
def test_facts_stand_alone(text, facts):
    assert texts(text) == facts


def test_a_pronoun_takes_the_only_name_said_before():
    earlier = said("Deployments always go through Tomás.")

    assert texts("He approves every release before it ships.", earlier) == [
        "Tomás approves every release before it ships."
    ]


def test_a_speaker_without_a_name_is_the_user():
    assert texts("I am allergic to penicillin.", speaker=None) == ["The user is allergic to penicillin."]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Where do you live?", DropReason.QUESTION),
        ("Good morning!", DropReason.GREETING),
        ("Thanks a lot for your help!", DropReason.FILLER),
        ("That sounds amazing!", DropReason.REACTION),
        ('Please add after the second paragraph: "All prices include VAT."', DropReason.INSTRUCTION_ARTEFACT),
        ("Replace the first line with a title.", DropReason.INSTRUCTION_ARTEFACT),
        ("The password is [redacted:password]", DropReason.NOT_INFORMATIVE),
        ("I am so frustrated!", DropReason.NOT_INFORMATIVE),
    ],
)
def test_what_asserts_nothing_is_dropped_with_its_reason(text, reason):
    seen = observe(said(text))

    assert seen.facts == ()
    assert [dropped.reason for dropped in seen.dropped] == [reason]


@pytest.mark.parametrize(
    "text", ["I will keep that in mind.", "You could use UTC.", "Noted!", "Happy to help with it."]
)
def test_an_assistant_that_only_answers_yields_nothing(text):
    assert texts(text, speaker="Assistant", role=Role.ASSISTANT) == []


def test_a_marker_states_category_and_service():
    (fact,) = observe(
        said("[MEMORY:rules-conventions:harbor] Migrations must be reversible."), categories=CATEGORIES
    ).facts

    assert (fact.text, fact.category, fact.service) == (
        "Migrations must be reversible.",
        "rules-conventions",
        "harbor",
    )
    assert (fact.kind, fact.confidence) == (Kind.RULE, 0.7)


def test_an_image_is_a_fact_of_who_shared_it():
    assert texts("Look! [shares a photo of a white dog]") == ["Mara shared: a photo of a white dog."]


@given(st.text(max_size=300))
def test_any_text_is_read_and_every_quote_stands_in_it(text):
    seen = observe(said(text))

    assert all(fact.quote in text for fact in seen.facts)
