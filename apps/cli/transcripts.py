"""Reading transcripts people have: JSONL, an OpenAI chat export, "Name: text" lines, a LoCoMo conversation."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_platform.errors import Invalid

_NAMED_LINE = re.compile(r"^(?:\[(?P<at>[^\]]+)\]\s*)?(?P<name>[^\s:\[\]][^:\[\]]{0,39}):\s+(?P<text>\S.*)$")
_LOCOMO_DATE = "%I:%M %p on %d %B, %Y"
FORMATS = (
    "Use JSONL of {role|speaker, content, timestamp}, an OpenAI chat export, 'Name: text' lines or a LoCoMo "
    "conversation file."
)
# Unix times past this are in milliseconds: in seconds it lies in the year 5138.
MILLISECONDS_FROM = 1e11
_ROLES = frozenset({"user", "assistant", "tool", "system"})


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One message; `external_id` is stable, so that importing a file twice stores it once.

    `number` is that of its line in the file, or its place among the messages, from 1.
    """

    number: int
    external_id: str
    session_id: str
    speaker: str
    role: str
    content: str
    content_at: datetime

    def as_ingest_line(self) -> dict[str, Any]:
        return {
            "external_id": self.external_id,
            "session_id": self.session_id,
            "speaker": self.speaker,
            "role": self.role,
            "content": self.content,
            "content_at": self.content_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Refused:
    """What stands where a message should, and is none."""

    number: int
    error: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of a file, in its order, and what of it is none."""

    lines: list[TranscriptLine]
    refused: list[Refused]


Parsed = TranscriptLine | Refused


def read(path: Path, *, session: str | None = None) -> Transcript:
    """Return the messages of a file. Raises Invalid when the format is not recognised, or nothing is a message."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Invalid(f"There is no file {path}.", hint="Give the path of a transcript.") from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8 text.", hint=FORMATS) from error
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}.") from error
    try:
        parsed = list(_parse(text, session or path.stem, default_at=_modified(path)))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        # The shapes are other programs': whatever is not where they put it, the file is not one of theirs.
        raise Invalid(
            f"{path} is not in a form that is known ({type(error).__name__}: {error}).", hint=FORMATS
        ) from error
    lines = [each for each in parsed if isinstance(each, TranscriptLine)]
    refused = [each for each in parsed if isinstance(each, Refused)]
    if not lines:
        first = f" {refused[0].error} (line {refused[0].number})" if refused else ""
        raise Invalid(f"{path} holds no messages that were recognised.{first}", hint=FORMATS)
    return Transcript(lines, refused)


def _parse(text: str, session: str, *, default_at: datetime) -> Iterator[Parsed]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError:
        yield from (
            _json_lines(text, session, default_at)
            if text.lstrip().startswith("{")
            else _named_lines(text, session, default_at)
        )
        return
    if isinstance(document, list) and all("content" in message for message in document):
        yield from _messages(document, session, default_at)
        return
    conversations = document if isinstance(document, list) else [document]
    for number, conversation in enumerate(conversations, start=1):
        own = session if len(conversations) == 1 else f"{session}:{number}"
        yield from _conversation(conversation, own, default_at)


def _conversation(document: Mapping[str, Any], session: str, default_at: datetime) -> Iterator[Parsed]:
    if "mapping" in document:
        yield from _openai_export(document, default_at)
    elif "conversation" in document:
        yield from _locomo(document["conversation"], str(document.get("sample_id", session)))
    elif "session_1" in document:
        yield from _locomo(document, session)
    elif isinstance(document.get("messages"), list):
        yield from _messages(document["messages"], session, default_at)
    elif "content" in document:
        yield _message_or_refused(document, session, 0, default_at, number=1)


def _messages(messages: Sequence[Mapping[str, Any]], session: str, default_at: datetime) -> Iterator[Parsed]:
    """Messages as chat APIs take them; those that only call tools say nothing."""
    for position, message in enumerate(messages):
        if not isinstance(message, Mapping) or message.get("content") or not message.get("tool_calls"):
            yield _message_or_refused(message, session, position, default_at, number=position + 1)


def _json_lines(text: str, session: str, default_at: datetime) -> Iterator[Parsed]:
    for number, row in enumerate(text.splitlines(), start=1):
        if not row.strip():
            continue
        try:
            message = json.loads(row)
        except json.JSONDecodeError as error:
            yield Refused(number, f"It is not JSON: {error.msg}.")
        else:
            yield _message_or_refused(message, session, number, default_at, number=number)


def _message_or_refused(message: Any, session: str, position: int, default_at: datetime, *, number: int) -> Parsed:
    if not isinstance(message, Mapping):
        return Refused(number, "It is not an object with `content`.")
    try:
        return _message(message, session, position, default_at, number=number)
    except Invalid as error:
        return Refused(number, " ".join(filter(None, (error.message, error.hint))))


def _message(
    message: Mapping[str, Any], session: str, position: int, default_at: datetime, *, number: int
) -> TranscriptLine:
    """Raises Invalid when it says nothing, or at no time."""
    content = message.get("content")
    if isinstance(content, list):
        content = " ".join(part.get("text", "") for part in content if isinstance(part, dict))
    if not isinstance(content, str) or not content.strip():
        raise Invalid("It has no text in `content`.")
    role = str(message.get("role") or "user")
    return TranscriptLine(
        number=number,
        external_id=str(message.get("external_id") or message.get("id") or f"{session}:{position}"),
        session_id=str(message.get("session_id") or session),
        speaker=str(message.get("speaker") or role.capitalize()),
        role=role if role in _ROLES else "user",
        content=content,
        content_at=_when(message.get("timestamp") or message.get("content_at"))
        or default_at + timedelta(seconds=position),
    )


def _openai_export(document: Mapping[str, Any], default_at: datetime) -> Iterator[TranscriptLine]:
    session = str(document.get("conversation_id") or document.get("id") or document.get("title") or "conversation")
    nodes = [node["message"] for node in document["mapping"].values() if node.get("message")]
    nodes.sort(key=lambda message: message.get("create_time") or 0.0)
    for position, message in enumerate(nodes):
        parts = [part for part in (message.get("content") or {}).get("parts") or [] if isinstance(part, str)]
        text = "\n".join(parts).strip()
        role = str((message.get("author") or {}).get("role") or "user")
        if text and role in {"user", "assistant"}:
            yield TranscriptLine(
                number=position + 1,
                external_id=str(message.get("id") or f"{session}:{position}"),
                session_id=session,
                speaker=role.capitalize(),
                role=role,
                content=text,
                content_at=_when(message.get("create_time")) or default_at + timedelta(seconds=position),
            )


def _locomo(conversation: Mapping[str, Any], sample: str) -> Iterator[TranscriptLine]:
    numbers = sorted(int(name.split("_")[1]) for name in conversation if re.fullmatch(r"session_\d+", name))
    count = itertools.count(1)
    for number in numbers:
        started = datetime.strptime(
            conversation[f"session_{number}_date_time"].upper().replace(" ON ", " on "), _LOCOMO_DATE
        ).replace(tzinfo=UTC)
        for position, turn in enumerate(conversation[f"session_{number}"]):
            caption = turn.get("blip_caption")
            yield TranscriptLine(
                number=next(count),
                external_id=f"{sample}:{turn['dia_id']}",
                session_id=f"{sample}:{number}",
                speaker=turn["speaker"],
                role="user",
                content=turn["text"] + (f" [shares {caption}]" if caption else ""),
                content_at=started + timedelta(seconds=30 * position),
            )


def _named_lines(text: str, session: str, default_at: datetime) -> Iterator[TranscriptLine]:
    """Lines of `Name: text`, perhaps after `[2026-03-02 08:58]`; a line without a name continues the one before."""
    pending: TranscriptLine | None = None
    for number, row in enumerate(text.splitlines(), start=1):
        named = _NAMED_LINE.match(row.strip())
        if named is None:
            if pending and row.strip():
                pending = replace(pending, content=f"{pending.content}\n{row.strip()}")
            continue
        if pending:
            yield pending
        name = named["name"].strip()
        pending = TranscriptLine(
            number=number,
            external_id=f"{session}:{number}",
            session_id=session,
            speaker=name,
            role="assistant" if name.lower() in {"assistant", "ai", "bot", "agent"} else "user",
            content=named["text"].strip(),
            content_at=_when(named["at"]) or default_at + timedelta(seconds=number),
        )
    if pending:
        yield pending


def _when(value: Any) -> datetime | None:
    """A Unix time or an ISO string; one without a zone is taken as UTC."""
    if value is None or value == "":
        return None
    if isinstance(value, (int, float)):
        return datetime.fromtimestamp(value / 1000 if value > MILLISECONDS_FROM else value, tz=UTC)
    try:
        parsed = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise Invalid(f"{value!r} is not a time.", hint="Use ISO 8601, such as 2026-03-02T08:58:00+00:00.") from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
