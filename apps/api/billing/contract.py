"""Billing: what was spent in a span of time, grouped."""

from datetime import date
from decimal import Decimal
from typing import Annotated

import strawberry
from pydantic import AwareDatetime, BeforeValidator, Field

from apps.api.contract import AgentName, Answer, Input, Paged
from apps.budgets.selectors import UsageKey

GroupBy = Annotated[
    tuple[UsageKey, ...],
    Field(max_length=len(UsageKey), description="Keys to group by, any of them; none: one group of all."),
]
Usd = Annotated[float, BeforeValidator(lambda held: float(held) if isinstance(held, Decimal) else held), Field(ge=0)]
"""US dollars."""
Tokens = Annotated[int, strawberry.field(graphql_type=float)]
"""A year's may be more than GraphQL's Int holds."""


class UsageInput(Input):
    """A span of time and how to group what was spent in it; at most 366 days."""

    since: AwareDatetime | None = Field(
        default=None, description="From then on; default: the first of the month of `until` in UTC."
    )
    until: AwareDatetime | None = Field(default=None, description="Up to but without then; default: now.")
    group_by: GroupBy = ()


class UsagePage(Paged, UsageInput):
    """The query string of usage."""


class UsageGroup(Answer):
    """What a group comes to. A key that was not asked for is null, and so is one that its rows do not have."""

    day: date | None = Field(description="Of UTC.")
    agent_id: AgentName
    operation: str | None
    model: str | None = Field(description="As it was asked for; empty for an operation that called none.")
    session_id: str | None = Field(description="The caller's own id; null also when it is no longer there.")
    calls: int = Field(description="Calls of models, every attempt.")
    failed_calls: int = Field(description="Those among them that brought no usable answer.")
    embedding_calls: int
    llm_calls: int
    tokens_in: Tokens
    tokens_out: Tokens
    milliseconds: float = Field(description="Spent waiting for models.")
    recalls: int = Field(description="Recalls and contexts answered: rows of the operation `recall`.")
    turns: int = Field(description="Turns observed: rows of the operation `observe`.")
    rows: int = Field(description="Rows of usage: one for each operation and model.")
    unpriced_rows: int = Field(description="Those among them whose price is unknown.")
    cost_usd: Usd | None = Field(description="US dollars; null when the price of one row is unknown.")
    known_cost_usd: Usd = Field(description="US dollars that the rows with a price cost.")
    cost_per_recall: Usd | None = Field(
        description="US dollars of the operation `recall` over `recalls`; null without one, or when a price is unknown."
    )
    cost_per_turn: Usd | None = Field(description="costUsd over `turns`; null without one, or when a price is unknown.")
