"""What every topic's contract is made of: inputs, answers, and the kinds of fields they share.

A contract declares each shape once, with units and bounds. GraphQL, REST, MCP and the clients use these very classes:
an input that exists has kept its bounds and is free of secrets, an answer that exists has its types.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, Generic, TypeVar
from uuid import UUID

import strawberry
from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from strawberry.scalars import JSON
from typing_extensions import override

from apps.api.admission import (
    LONGEST_MESSAGE,
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_ENTRIES,
    Admission,
    admitted_field,
)
from apps.api.descriptions import ARGUMENTS, FIELDS
from apps.core import paging, problems
from apps.core.paging import Slice
from apps.core.problems import Problem
from memory_platform.errors import NotFound

Row = TypeVar("Row")
Found = TypeVar("Found")

AGENT_NAMES: Final = "agent_names"
"""Where a validation context holds the function that tells an agent's own name by its id."""


class Sent(BaseModel):
    """What a caller sends. Fields it does not have are refused; null is as good as absent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if value is not None}


class Input(Sent):
    """What a caller sends, each of its strings bounded, cleaned and free of secrets: nobody else needs to think of it.

    Reading one raises Invalid for what is no id, and pydantic's error for what is out of bounds.
    """

    @field_validator("*")
    @classmethod
    def _as_a_service_may_have_it(cls, held: object, info: ValidationInfo) -> object:
        field = str(info.field_name)
        marks = cls.model_fields[field].metadata
        how = next((mark for mark in marks if isinstance(mark, Admission)), None)
        longest = next((mark.max_length for mark in marks if hasattr(mark, "max_length")), None)
        return admitted_field(held, field, how=how, longest=longest if isinstance(held, str) else None)


class BulkLine(Sent):
    """One of many: a line that keeps no bound is told of beside the others', so whoever takes them in admits each."""


class Answer(BaseModel):
    """What a caller gets, read off a record of a service attribute by attribute."""

    model_config = ConfigDict(from_attributes=True, frozen=True, validate_by_name=True, validate_by_alias=True)

    @classmethod
    @override
    def __pydantic_init_subclass__(cls, **_options: Any) -> None:
        """What the contract does not tell of a field, the common table does."""
        for name, field in cls.model_fields.items():
            field.description = field.description or FIELDS.get(name)
        cls.model_rebuild(force=True)


def _agent_name(held: object, info: ValidationInfo) -> object:
    if not isinstance(held, UUID):
        return held
    told: Callable[[UUID], str | None] = (info.context or {})[AGENT_NAMES]
    return told(held)


def _counts(held: object) -> object:
    """Largest first; what is no number is left out."""
    if not isinstance(held, Mapping):
        return held
    whole = [(str(name), value) for name, value in held.items() if isinstance(value, int)]
    return [{"name": name, "count": value} for name, value in sorted(whole, key=lambda each: (-each[1], each[0]))]


class Count(Answer):
    name: str = Field(description="What is counted.")
    count: int


AgentName = Annotated[str | None, BeforeValidator(_agent_name)]
Absent = Annotated[str | None, BeforeValidator(lambda held: held or None)]
"""A text that the database holds as empty and callers know as null."""
Counts = Annotated[list[Count], BeforeValidator(_counts)]
Json = Annotated[JsonValue, strawberry.field(graphql_type=JSON)]
JsonOrNull = Annotated[JsonValue, strawberry.field(graphql_type=JSON | None)]

LARGEST: Final = 2**31 - 1
"""The largest whole number that GraphQL knows."""

Name = Annotated[str, Field(max_length=LONGEST_NAME)]
NamedSession = Annotated[str, Field(max_length=LONGEST_NAME, description="The session, by the caller's own id.")]
SessionId = Annotated[
    str, Field(min_length=1, max_length=LONGEST_NAME, description="The caller's own id; the session is made when new.")
]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Message = Annotated[str, Field(max_length=LONGEST_MESSAGE)]
Names = Annotated[tuple[Name, ...], Field(max_length=MOST_ENTRIES)]
UserId = Annotated[
    Name | None,
    Field(description="For whom: this user's and what belongs to no user; absent: only the latter."),
]
AllUsers = Annotated[bool, Field(description="Every user's, side by side.")]


class Items(Answer, Generic[Row]):
    """A list that is not paged."""

    items: list[Row] = Field(description="All of them, in the list's order.")


class Page(Answer, Generic[Row]):
    """`next` is the cursor to pass as `after`; null on the last page."""

    items: list[Row] = Field(description="Those of this page, in the list's order.")
    next: str | None


def page_of(cut: Slice[Row]) -> Page[Row]:
    return Page(items=list(cut.rows), next=cut.end_cursor if cut.has_next else None)


def found(record: Found | None, name: str) -> Found:
    if record is None:
        raise NotFound(f"There is no such {name}.")
    return record


def queried(**names: str) -> ConfigDict:
    """How a query string reads fields of a filter by names of its own: `queried(statuses="status")`, which repeats."""
    return ConfigDict(alias_generator=lambda field: names.get(field, field), validate_by_name=True)


class ForUser(Input):
    """For whom something is read: one user's and what belongs to no user, every user's, or only the latter."""

    user_id: UserId = None
    all_users: AllUsers = False


class ForOneUser(Input):
    """For whom something is read, where it is never every user's."""

    user_id: UserId = None

    @property
    def all_users(self) -> bool:
        return False


class InTime(Input):
    """When the rows of a list happened."""

    since: AwareDatetime | None = Field(default=None, description="From then on.")
    until: AwareDatetime | None = Field(default=None, description="Up to but without then.")


class Paged(Input):
    """A page of a list: `first` rows, from behind the cursor `after`."""

    first: int | None = Field(
        default=None,
        ge=1,
        le=paging.MAXIMUM_PAGE_SIZE,
        description="How many rows, from 1 to 100; default: 20.",
    )
    after: Annotated[str | None, Admission.NOT_KEPT] = Field(
        default=None,
        max_length=LONGEST_TEXT,
        description=ARGUMENTS["after"],
    )

    def as_page(self) -> paging.PageRequest:
        """Raises Invalid when `first` is not within 1..100."""
        return paging.page(self.first, self.after)


class PageOf(Paged, ForUser):
    """Which rows of a list: `first` of them, from behind the cursor `after`."""


_NO_TIME: Final = "this is no time; an example is 2026-03-01T09:00:00Z"
_NO_DAY: Final = "this is no day; an example is 2026-03-01"
_PLAINLY: Final = {
    "uuid_parsing": "this is no id; an id is a UUID, as answers give it",
    "timezone_aware": "a time needs its time zone; an example is 2026-03-01T09:00:00Z",
    "datetime_parsing": _NO_TIME,
    "datetime_from_date_parsing": _NO_TIME,
    "date_parsing": _NO_DAY,
    "date_from_datetime_parsing": _NO_DAY,
}
"""What pydantic tells in the words of a parser, by the type of its error."""


def error_of(errors: Sequence[Mapping[str, Any]]) -> tuple[str, tuple[str, ...]]:
    """What the first of pydantic's errors says, and the place it speaks of."""
    first = errors[0]
    cause = first.get("ctx", {}).get("error")
    told = _PLAINLY.get(first["type"]) or str(cause or first["msg"]).removeprefix("Value error, ")
    return told, tuple(str(part) for part in first["loc"])


def out_of_bounds(message: str, place: Sequence[str]) -> Problem:
    """What a caller is told of a value no input takes, and the place where it stands."""
    field = ".".join(place) or None
    return problems.invalid(f"{field}: {message}" if field else message, field=field)


def problem_of(error: Exception, *, spelled: Callable[[str], str] = str) -> Problem:
    """What a caller is told of an error, pydantic's included; `spelled` is how an API spells a field."""
    if not isinstance(error, ValidationError):
        return problems.of(error)
    message, place = error_of(error.errors(include_url=False, include_input=False))
    return out_of_bounds(message, [spelled(part) for part in place])
