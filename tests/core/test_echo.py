"""What an assistant only says back of what it was told."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory_platform.consolidation.authority import Voice
from memory_platform.consolidation.claims import Claim, Neighbour
from memory_platform.consolidation.echo import echoed, is_echo, tells_back
from memory_platform.model import Role, Slot, Status

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
BEFORE = NOW - timedelta(days=3)
HOME = ("live in", "Munich")


def claim(text: str, subject: str, rest: tuple[str, str], **changes) -> Claim:
    return Claim(text, NOW, **({"role": Role.ASSISTANT, "slot": Slot(subject, *rest)} | changes))


def held(
    text: str, subject: str, rest: tuple[str, str], number: int = 1, role: Role = Role.USER, **changes
) -> Neighbour:
    voices = frozenset({Voice(role, changes.get("said_by", ""))})
    values = {"said_at": BEFORE, "cosine": 0.9, "slot": Slot(subject, *rest), "voices": voices} | changes
    return Neighbour(UUID(int=number), text, **values)


MUNICH = held("I live in Munich.", "I", HOME)
YOURS = claim("You live in Munich.", "You", HOME)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (YOURS, MUNICH),
        (YOURS, held("I (Tom) live in Munich.", "Tom", HOME, said_by="Tom")),
        (
            claim("So your dentist is Dr. Weber.", "your dentist", ("be", "Dr. Weber")),
            held("My (Tom's) dentist is Dr. Weber.", "Tom's dentist", ("be", "Dr. Weber"), said_by="Tom"),
        ),
        (
            claim("Your vendor is Adyen.", "Your vendor", ("be", "Adyen")),
            held("Our vendor is Adyen!", "Our vendor", ("be", "Adyen")),
        ),
        (
            claim("Got it, your vendor is Adyen.", "your vendor", ("be", "Adyen")),
            held("Our vendor is Adyen!", "Our vendor", ("be", "Adyen")),
        ),
        (
            claim("The launch is on May 5.", "The launch", ("be on", "May 5")),
            held("the launch is on May 5", "the launch", ("be on", "May 5")),
        ),
    ],
)
def test_what_a_user_said_comes_back_as_an_echo(said, heard):
    assert is_echo(said, heard)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (claim("You live in Munich.", "You", HOME, role=Role.USER), MUNICH),
        (claim("You live in Munich.", "You", HOME, role=Role.TOOL), MUNICH),
        (YOURS, held("I live in Munich.", "I", HOME, role=Role.ASSISTANT)),
        (claim("I live in Munich.", "I", HOME), MUNICH),
        (claim("You live in Berlin.", "You", ("live in", "Berlin")), MUNICH),
        (claim("Anna lives in Munich.", "Anna", HOME), MUNICH),
        (claim("Your sister lives in Munich.", "Your sister", HOME), MUNICH),
        (claim("You do not live in Munich.", "You", HOME, is_negated=True), MUNICH),
        (claim("You", "You", ("", "")), held("I", "I", ("", ""))),
    ],
    ids=["a user", "a tool", "of an assistant", "of itself", "another value", "another person", "a relative", "denied",
         "no value"],
)  # fmt: skip
def test_what_is_told_of_something_else_is_none(said, heard):
    assert not tells_back(said, heard)


@pytest.mark.parametrize("opening", ["On Friday, ", "In 2 weeks ", "With all that you said before, "])
def test_what_opens_with_more_than_a_few_words_that_name_nothing_is_no_mere_echo(opening):
    assert not is_echo(claim(f"{opening}you live in Munich.", "you", HOME), MUNICH)


def test_what_says_more_or_says_it_in_other_forms_is_no_mere_echo():
    lyon = ("habiter", "Lyon")
    french = claim("Vous habitez Lyon.", "Vous", lyon)
    assert tells_back(french, held("Nous habitons Lyon.", "Nous", lyon))
    assert not is_echo(french, held("Nous habitons Lyon.", "Nous", lyon))

    more = claim("You live in Munich, where the rents went up.", "You", HOME)

    assert tells_back(more, MUNICH)
    assert not is_echo(more, MUNICH)


def test_what_holds_is_echoed_before_what_was_replaced():
    gone = {"status": Status.SUPERSEDED, "valid_until": BEFORE}
    older, old = (held("I live in Munich.", "I", HOME, number, **gone) for number in (2, 3))
    merged = held("I live in Munich.", "I", HOME, 4, status=Status.SUPERSEDED)

    assert echoed(YOURS, [older, MUNICH, old]) == MUNICH
    assert echoed(YOURS, [older, old, merged]) == old
    assert echoed(YOURS, [merged]) is None
