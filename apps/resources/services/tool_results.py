"""What the tools of a turn reported: read off its tool calls, whose secrets are gone by then."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from apps.resources.services import cleaning
from apps.resources.services.cleaning import CleanJson, CleanText
from memory_platform.errors import Invalid
from memory_platform.text import secret
from memory_platform.text.redaction import JsonValue
from memory_platform.text.structure import ContentType, content_type

MOST_RESULTS: Final = 100
LONGEST_RESULT: Final = 200_000
"""Results of one turn, and characters of one: as many as a list has entries and a message characters."""
_RESULT: Final = ("result", "output", "content")
_FIELD: Final = "toolCalls"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call reported; `tool` is the tool's name where the call gives one."""

    tool: str | None
    content: CleanText
    content_type: ContentType


def tool_results(calls: CleanJson) -> list[ToolResult]:
    """The results of the calls that have one, in order; a call is an object with `name` and `result`.

    `function.name`, as chat APIs nest it, names the tool, too, and `output` or `content` holds what `result` may.
    Raises Invalid for more than MOST_RESULTS, or one longer than LONGEST_RESULT.
    """
    found = [_tool_result(call, text, calls) for call, text in _reported(calls.value)]
    if len(found) > MOST_RESULTS:
        raise Invalid(f"{_FIELD} has more than {MOST_RESULTS} results; send them in several turns.", field=_FIELD)
    return found


def _reported(calls: JsonValue) -> Iterator[tuple[Mapping[str, JsonValue], str]]:
    for call in calls if isinstance(calls, list) else [calls]:
        if isinstance(call, Mapping):
            text = next((_text(call[key]) for key in _RESULT if call.get(key) is not None), "")
            if text and not text.isspace():
                yield call, text


def _tool_result(call: Mapping[str, JsonValue], text: str, calls: CleanJson) -> ToolResult:
    if len(text) > LONGEST_RESULT:
        raise Invalid(f"{_FIELD} holds a result of more than {LONGEST_RESULT} characters.", field=_FIELD)
    kinds = tuple(kind for kind in calls.kinds if f"{secret.MARK}{kind}]" in text)
    return ToolResult(_tool(call), CleanText(text=text, raw=text, kinds=kinds), content_type(text))


def _tool(call: Mapping[str, JsonValue]) -> str | None:
    function = call.get("function")
    name = call.get("name") or (function.get("name") if isinstance(function, Mapping) else None)
    return cleaning.clean_id(name, field=_FIELD) if isinstance(name, str) and name.strip() else None


def _text(result: JsonValue) -> str:
    """A result as it is read: a text as it is, all else written as JSON; nothing for an empty one."""
    if isinstance(result, str):
        return result
    return "" if result in ({}, []) else json.dumps(result, ensure_ascii=False)
