import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from apps.cli import transcripts
from apps.cli.demo import BUNDLED, BUNDLED_QUESTIONS, questions_for
from memory_platform.errors import Invalid


def written(folder: Path, text: str, name: str = "chat.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_json_lines_keep_speaker_role_and_time(tmp_path: Path):
    rows = [
        {"speaker": "Mara", "content": "Hello", "timestamp": "2026-03-02T08:58:00Z"},
        {"role": "assistant", "content": "Hi", "timestamp": 1772441910},
    ]

    first, second = transcripts.read(written(tmp_path, "\n".join(map(json.dumps, rows)))).lines

    assert (first.speaker, first.role, first.content) == ("Mara", "user", "Hello")
    assert first.content_at == datetime(2026, 3, 2, 8, 58, tzinfo=UTC)
    assert (second.speaker, second.role) == ("Assistant", "assistant")
    assert (first.external_id, second.external_id) == ("chat:1", "chat:2")


def test_named_lines_continue_and_take_their_time(tmp_path: Path):
    text = "[2026-03-02 08:58] Mara: I moved to Lisbon.\nIt is warm.\n\nAssistant: Lovely!\n"

    first, second = transcripts.read(written(tmp_path, text)).lines

    assert first.content == "I moved to Lisbon.\nIt is warm."
    assert first.content_at == datetime(2026, 3, 2, 8, 58, tzinfo=UTC)
    assert (second.role, second.content) == ("assistant", "Lovely!")


def test_openai_exports_are_read_in_the_order_of_time(tmp_path: Path):
    def node(role: str, text: str, at: float) -> dict[str, object]:
        return {"message": {"id": text, "author": {"role": role}, "create_time": at, "content": {"parts": [text]}}}

    export = [
        {
            "conversation_id": "c-1",
            "title": "Trip",
            "mapping": {
                "b": node("assistant", "Porto", 1772441920.0),
                "a": node("user", "Where to?", 1772441910.0),
                "root": {"message": None},
                "s": node("system", "Be brief", 1772441900.0),
            },
        }
    ]

    lines = transcripts.read(written(tmp_path, json.dumps(export), "conversations.json")).lines

    assert [(line.session_id, line.external_id, line.role) for line in lines] == [
        ("c-1", "Where to?", "user"),
        ("c-1", "Porto", "assistant"),
    ]


def test_locomo_sessions_become_sessions_with_captions(tmp_path: Path):
    conversation = {
        "speaker_a": "Ann",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a red boat"}],
    }

    (line,) = transcripts.read(
        written(tmp_path, json.dumps({"sample_id": "x", "conversation": conversation}), "x.json")
    ).lines

    assert (line.external_id, line.session_id, line.content) == ("x:D1:1", "x:1", "Look! [shares a red boat]")
    assert line.content_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing to see", "no messages that were recognised"),
        ('{"role": ', "not JSON.*line 1"),
        ('{"role": "user", "content": ""}', "no text"),
        ('{"role": "user", "content": "a", "timestamp": "yesterday"}', "is not a time"),
    ],
)
def test_bad_input_says_what_is_wrong(tmp_path: Path, text: str, says: str):
    with pytest.raises(Invalid, match=says):
        transcripts.read(written(tmp_path, text))


def test_what_is_no_message_is_named_by_its_line_and_the_rest_is_read(tmp_path: Path):
    rows = [
        '{"role": "user", "content": "a"}',
        '{"role": ',
        "",
        "7",
        '{"role": "user", "content": "b", "timestamp": "yesterday"}',
        '{"role": "user", "content": "c"}',
    ]

    found = transcripts.read(written(tmp_path, "\n".join(rows)))

    assert [(line.number, line.content, line.external_id) for line in found.lines] == [
        (1, "a", "chat:1"),
        (6, "c", "chat:6"),
    ]
    assert [(each.number, each.error) for each in found.refused] == [
        (2, "It is not JSON: Expecting value."),
        (4, "It is not an object with `content`."),
        (5, "'yesterday' is not a time. Use ISO 8601, such as 2026-03-02T08:58:00+00:00."),
    ]


def test_messages_of_a_list_keep_the_ids_they_had_and_are_counted_from_one(tmp_path: Path):
    messages = [{"role": "user", "content": "a"}, {"role": "user"}, {"role": "user", "content": "c"}]

    found = transcripts.read(written(tmp_path, json.dumps({"messages": messages})))

    assert [(line.number, line.external_id) for line in found.lines] == [(1, "chat:0"), (3, "chat:2")]
    assert [(each.number, each.error) for each in found.refused] == [(2, "It has no text in `content`.")]


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(Invalid, match="no file"):
        transcripts.read(tmp_path / "absent.jsonl")


def test_the_bundled_conversation_spans_five_dates_and_has_its_own_questions():
    lines = transcripts.read(BUNDLED).lines

    assert len(lines) >= 60
    assert len({line.content_at.date() for line in lines}) == 5
    assert questions_for(None, lines) == BUNDLED_QUESTIONS
