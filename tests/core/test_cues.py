import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.model import Role
from memory_platform.retrieval.cues import SPEAKER_SHIFT, Cue, cues, speaker_key


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where did you go?", True),
        ('He said "really?" ', True),
        ("我的车停在哪里？", True),
        ("أين سيارتي؟", True),
        ("Have you seen this? [shares a photo of a dog]", True),
        ("Where did you go? I stayed home.", False),
        ("I stayed home.", False),
        ("", False),
    ],
)
def test_a_message_asks_when_it_ends_with_a_question(text, asks):
    assert bool(cues(text) & Cue.ASKS) is asks


@pytest.mark.parametrize(
    ("text", "speaker", "names"),
    [
        ("I visited Paris last week.", "Anna", True),
        ("We went to the beach.", "Anna", False),
        ("It is me, Anna.", "Anna", False),
        ("Wow! That sounds great.", None, False),
        ("I read Dune. " + "word " * 100, "Anna", False),
    ],
)
def test_a_brief_message_names_what_is_neither_speaker_nor_greeting(text, speaker, names):
    assert bool(cues(text, speaker=speaker) & Cue.NAMES) is names


@pytest.mark.parametrize(("role", "own"), [(Role.USER, True), (Role.ASSISTANT, False), (None, False)])
def test_own_is_what_the_user_says(role, own):
    assert bool(cues("hello", role=role) & Cue.OWN) is own


def test_cues_add_up_and_fit_the_column():
    found = cues("Have you been to Rome last year?", speaker="Anna Berg", role=Role.USER)

    assert found == (speaker_key("anna") << SPEAKER_SHIFT) + 15
    assert found < 1 << 15


@given(st.text())
def test_every_speaker_has_a_key_that_fits_the_column(name):
    assert (speaker_key(name) == 0) is not bool(name.split())
    assert (speaker_key(name) << SPEAKER_SHIFT) + 15 < 1 << 15


@pytest.mark.parametrize(
    ("text", "times"),
    [("We met yesterday.", True), ("In June 2023.", True), ("On the 3rd.", True), ("Maybe I may march on.", False)],
)
def test_a_message_says_when(text, times):
    assert bool(cues(text) & Cue.TIMES) is times
