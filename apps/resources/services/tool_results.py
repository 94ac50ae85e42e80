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
    found = [_tool_result(call, result, calls) for call, result in _reported(calls.value)]
    if len(found) > MOST_RESULTS:
        raise Invalid(f"{_FIELD} has more than {MOST_RESULTS} results; send them in several turns.", field=_FIELD)
    return found


def _reported(calls: JsonValue) -> Iterator[tuple[Mapping[str, JsonValue], JsonValue]]:
    for call in calls if isinstance(calls, list) else [calls]:
        if isinstance(call, Mapping):
            result = next((call[key] for key in _RESULT if call.get(key) is not None), "")
            if result not in ({}, []) and not (isinstance(result, str) and not result.strip()):
                yield call, result


def _tool_result(call: Mapping[str, JsonValue], result: JsonValue, calls: CleanJson) -> ToolResult:
    """A text as it is; all else is written as JSON, and known to be that without being read again."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    if len(text) > LONGEST_RESULT:
        raise Invalid(f"{_FIELD} holds a result of more than {LONGEST_RESULT} characters.", field=_FIELD)
    kind = ContentType.JSON if isinstance(result, dict | list) else content_type(text)
    kinds = tuple(each for each in calls.kinds if f"{secret.MARK}{each}]" in text)
    return ToolResult(_tool(call), CleanText(text=text, raw=text, kinds=kinds), kind)


def _tool(call: Mapping[str, JsonValue]) -> str | None:
    function = call.get("function")
    name = call.get("name") or (function.get("name") if isinstance(function, Mapping) else None)
    return cleaning.clean_id(name, field=_FIELD) if isinstance(name, str) and name.strip() else None
