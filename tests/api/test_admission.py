"""What a verb's strings, lists and times become on their way in, and what is refused."""

import base64
import random
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from uuid import UUID

import pytest
from pydantic import ValidationError

from apps.api.admission import LONGEST_JSON, LONGEST_TEXT, MOST_ENTRIES, admitted
from apps.api.contract import Paged
from apps.api.curation.contract import LogLineInput, RestoredLineInput
from apps.api.memories.contract import RememberInput
from apps.api.sessions.contract import TurnInput
from apps.memory.requests import NewMemory
from apps.resources.services import IngestLine, NewTurn
from apps.retrieval.requests import Filter, RecallRequest
from memory_platform.errors import Invalid
from memory_platform.model import Kind, Message, Role
from tests.restoring import LOGGED_LINE, RESTORED_LINE

TOKEN = "ghp_" + "a1B2" * 9
MARK = "[redacted:api_key]"
WEST, EAST = timezone(timedelta(hours=-23, minutes=-59)), timezone(timedelta(hours=23, minutes=59))


def test_every_string_of_a_request_is_cleaned_and_freed_of_secrets():
    request = RecallRequest(
        query=f"use\u200b {TOKEN}",
        filter=Filter(categories=("work\x00",), entity=TOKEN, kinds=(Kind.FACT,)),
        messages=(Message(Role.USER, f"{TOKEN}\r\n"),),
    )

    assert admitted(request) == RecallRequest(
        query=f"use {MARK}",
        filter=Filter(categories=("work",), entity=MARK, kinds=(Kind.FACT,)),
        messages=(Message(Role.USER, f"{MARK}\n"),),
    )


def test_what_was_said_is_cleaned_and_its_secrets_are_the_services():
    turn = NewTurn("s-1", user_input=f"\x00{TOKEN}", tool_calls={"a\x00": [TOKEN, 1]}, speaker=TOKEN)

    admitted_turn = admitted(turn, said=("user_input", "tool_calls"))

    assert (admitted_turn.user_input, admitted_turn.tool_calls) == (TOKEN, {"a": [TOKEN, 1]})
    assert admitted_turn.speaker == MARK


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (NewMemory("x" * (LONGEST_TEXT + 1)), "text"),
        (NewMemory("tea", service="x" * 201), "service"),
        (NewMemory("tea", entities=("x",) * (MOST_ENTRIES + 1)), "entities"),
        (NewMemory("tea", external_id="x" * 201), "externalId"),
        (NewMemory("tea", session_id="s\u200b1"), "sessionId"),
        (NewMemory("tea", user_id="mara\x00"), "userId"),
        (NewMemory("tea", user_id="mara\ud800"), "userId"),
        (NewMemory("tea", user_id=TOKEN), "userId"),
        (NewMemory("tea", occurred_at=datetime.min.replace(tzinfo=EAST)), "occurredAt"),
        (NewMemory("tea", valid_until=datetime.max.replace(tzinfo=WEST)), "validUntil"),
        (NewMemory("tea", valid_from=datetime(2026, 3, 1, tzinfo=WEST)), "validFrom"),
        (NewTurn("s-1", tool_calls=["x" * LONGEST_JSON]), "toolCalls"),
        (RecallRequest("tea", messages=(Message(Role.USER, "x" * 200_001),)), "content"),
    ],
)
def test_what_is_too_long_too_much_or_no_id_is_refused_with_its_field(request_, field):
    with pytest.raises(Invalid) as refused:
        admitted(request_)

    assert refused.value.field == field


def test_a_mark_may_make_a_name_too_long():
    with pytest.raises(Invalid, match="action has more than 64 characters"):
        admitted(f"{'x' * 20} pw: a1b2c3d4 {'x' * 25}", "action")


@pytest.mark.parametrize("name", ["text", "added_by", "removed_by"])
def test_what_is_restored_in_words_is_freed_of_secrets(name):
    assert getattr(RestoredLineInput.model_validate({**RESTORED_LINE, name: TOKEN}).as_entry(), name) == MARK


@pytest.mark.parametrize(
    ("shape", "held", "name", "value"),
    [
        (RestoredLineInput, RESTORED_LINE, "section", TOKEN),
        (LogLineInput, LOGGED_LINE, "operation", TOKEN),
        (LogLineInput, LOGGED_LINE, "actor", TOKEN),
        (LogLineInput, LOGGED_LINE, "data", {"by": TOKEN}),
        (LogLineInput, LOGGED_LINE, "data", {"fields": ["a", TOKEN]}),
        (LogLineInput, LOGGED_LINE, "data", {TOKEN: 1}),
    ],
)
def test_a_code_that_is_restored_is_refused_with_a_secret_in_it(shape, held, name, value):
    shape.model_validate(held)

    with pytest.raises((Invalid, ValidationError)):
        shape.model_validate({**held, name: value})


def test_an_input_admits_its_own_fields():
    given = RememberInput.model_validate({"text": f"use\u200b {TOKEN}", "entities": [TOKEN], "external_id": "note-1"})

    assert (given.text, given.entities, given.external_id) == (f"use {MARK}", (MARK,), "note-1")
    with pytest.raises(Invalid, match="externalId holds a secret"):
        RememberInput.model_validate({"text": "tea", "external_id": TOKEN})


def test_an_input_keeps_what_was_said_and_what_is_only_compared():
    turn = TurnInput.model_validate({"session_id": "s-1", "user_input": f"\x00{TOKEN}", "tool_calls": {"name": TOKEN}})

    assert (turn.user_input, turn.tool_calls) == (TOKEN, {"name": TOKEN})
    assert Paged.model_validate({"after": TOKEN}).after == TOKEN


def test_lines_name_their_fields_as_they_are_sent():
    with pytest.raises(Invalid) as refused:
        admitted(IngestLine("1", TOKEN, "tea"), said=("content",), spelled=str)

    assert refused.value.field == "session_id"


@dataclass(frozen=True)
class Ids:
    user_id: str


def test_ids_that_callers_use_stay_as_they_are():
    draw = random.Random(7)

    def url_safe(count):
        return base64.urlsafe_b64encode(draw.randbytes(count)).decode().rstrip("=")

    shapes = [
        lambda: str(UUID(bytes=draw.randbytes(16))),
        lambda: draw.randbytes(16).hex(),
        lambda: url_safe(21),
        lambda: draw.randbytes(20).hex(),
        lambda: str(draw.randrange(10**15, 10**19)),
        lambda: f"+49 151 {draw.randrange(10**7, 10**8)}",
        lambda: f"auth0|{draw.randbytes(12).hex()}",
        lambda: f"C{draw.randbytes(5).hex().upper()}:{draw.randrange(10**9, 10**10)}.{draw.randrange(10**6):06d}",
        lambda: f"telegram:{draw.randrange(10**8, 10**10)}",
        lambda: f"mara.{draw.randrange(99)}@nordwind.example",
        lambda: f"thread_{url_safe(18)}",
        lambda: "Zoe\u0308 Müller",
    ]
    ids = [shape() for shape in shapes for _ in range(100)]

    assert [admitted(Ids(each)).user_id for each in ids] == ids
