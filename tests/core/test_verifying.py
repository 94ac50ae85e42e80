from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.extraction import verifying
from memory_platform.extraction.verifying import SpokenEvidence, unsupported
from memory_platform.model import Fact, Role, Slot, Utterance

NOW = datetime(2025, 3, 5, 12, tzinfo=UTC)
"""A Wednesday."""


def evidence(text: str, *before: str, speaker: str = "Anna", language: str = "en") -> SpokenEvidence:
    said, *earlier = (Utterance(uuid4(), Role.USER, speaker, one, NOW) for one in (text, *before))
    return SpokenEvidence.of_talk(said, earlier, language=language, day_first=True)


@pytest.mark.parametrize(
    ("claim", "source", "word"),
    [
        ("I moved to Berlin", "I moved to Berlin.", ""),
        ("Moved to Berlin", "I moved to Berlin.", ""),
        ("Moving to Berlin", "I moved to Berlin.", ""),
        ("I moved to Bern", "I moved to Berlin.", "Bern"),
        ("Klaus moved to Berlin", "I moved to Berlin.", "Klaus"),
        ("Anna moved to Berlin", "I moved to Berlin.", ""),
        ("The fee is 1,200 euros", "The fee is 1200 euros.", ""),
        ("The fee is 1.5 %", "The fee is 1,5 %.", ""),
        ("The fee is 3.5 %", "The fee is 3.05 %.", "3.5"),
        ("The fee is 12 euros", "The fee is 1200 euros.", "12"),
        ("I have two dogs", "I have 2 dogs.", ""),
        ("I have 2 dogs", "I have two dogs.", ""),
        ("I have three dogs", "I have two dogs.", "three"),
        ("PAY-10 is done", "PAY-1 is done after 10 days.", "pay-10"),
        ("It is on Friday", "It is on Thursday.", "Friday"),
        ("I met him on 4 March 2025", "I met him yesterday.", ""),
        ("I met him on 5 March 2025", "I met him yesterday.", "5"),
        ("The API runs on 10.0.0.12", "The API runs on 10.0.0.1", "10.0.0.12"),
    ],
)
def test_names_and_numbers_stand_in_the_source(claim, source, word):
    assert unsupported(Fact(claim, claim), evidence(source)) == word


def test_they_may_stand_in_what_was_said_before():
    assert (
        unsupported(Fact("Ben leads Orion", ""), evidence("He leads it.", "Do you know Ben?", "Orion is late.")) == ""
    )


@pytest.mark.parametrize(
    ("source", "day", "is_supported"),
    [
        ("The launch is tomorrow.", 6, True),
        ("The launch is tomorrow.", 7, False),
        ("The launch is on Friday.", 7, True),
        ("The launch was on Friday.", 7, False),
        ("The launch is next week.", 12, True),
        ("The launch is in March.", 1, True),
        ("The launch is in March.", 12, False),
        ("The launch is on 12 March 2025.", 12, True),
        ("The launch is near.", 12, False),
    ],
)
def test_a_date_is_one_that_a_phrase_of_the_source_may_mean(source, day, is_supported):
    fact = Fact(source, source, event_time=datetime(2025, 3, day, tzinfo=UTC))

    assert unsupported(fact, evidence(source)) == ("" if is_supported else f"2025-03-{day:02}")


def test_other_languages_have_their_own_numbers():
    fact = Fact("Ich habe drei Hunde", "", language="de")

    assert unsupported(fact, evidence("Ich habe 3 Hunde.", language="de")) == ""
    assert unsupported(fact, evidence("Ich habe zwei Hunde.", language="de")) == "drei"


words = st.sampled_from(["Anna", "Berlin", "PAY-7", "moved", "3", "1,200", "twelve", "the", "Friday", "I", "spaCy"])


@given(st.lists(words, min_size=1, max_size=12), st.data())
def test_what_is_copied_is_always_supported(said, data):
    source = " ".join(said)
    kept = " ".join(word for word in said if data.draw(st.booleans()))
    fact = Fact(kept, source, slot=Slot(said[0], "", said[-1], ""), entities=(said[0],))

    assert unsupported(fact, evidence(source)) == ""


def test_a_name_from_nowhere_is_always_told():
    fact = Fact("I like tea", "I like tea", slot=Slot("Zebulon"))

    assert unsupported(fact, evidence("I like tea.")) == "Zebulon"


TALK = "Hello there. I like tea. I moved to Rome. Hello there."


@pytest.mark.parametrize(
    ("mentions", "left"),
    [
        ([], ["Hello there.", "I like tea.", "I moved to Rome.", "Hello there."]),
        (["I like tea."], ["Hello there.", "I moved to Rome.", "Hello there."]),
        (["Hello there."], ["I like tea.", "I moved to Rome."]),
        (["tea. I moved"], ["Hello there.", "Hello there."]),
        (["has moved to Rome", " "], ["Hello there.", "I like tea.", "Hello there."]),
        (["Nobody said so"], ["Hello there.", "I like tea.", "I moved to Rome.", "Hello there."]),
        ([TALK], []),
    ],
)
def test_what_nothing_touches_is_unmentioned(mentions, left):
    assert verifying.unmentioned(TALK, mentions) == left


@given(st.lists(st.sampled_from(["I like tea.", "Go!", "Why?", "- -", "7 cats ran"]), max_size=8), st.data())
def test_every_sentence_is_mentioned_or_told(said, data):
    text = "\n".join(said)
    mentions = data.draw(st.lists(st.sampled_from(said), max_size=4)) if said else []

    assert verifying.unmentioned(text, mentions) == [one for one in said if one not in mentions and one != "- -"]
