"""Billing: what was spent in a span of time, grouped, and what may be spent."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Final
from uuid import UUID

import strawberry
from pydantic import AwareDatetime, BeforeValidator, Field

from apps.api.contract import AgentName, Answer, Input, InTime, Name, Paged
from apps.budgets.models import Budget as BudgetRow
from apps.budgets.selectors import UsageKey
from memory_platform.model import Pressure

MOST_USD: Final = 10_000_000

GroupBy = Annotated[
    tuple[UsageKey, ...],
    Field(max_length=len(UsageKey), description="Keys to group by, any of them; none: one group of all."),
]
Usd = Annotated[float, BeforeValidator(lambda held: float(held) if isinstance(held, Decimal) else held), Field(ge=0)]
"""US dollars."""
UsdInput = Annotated[float | None, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]
Tokens = Annotated[int, strawberry.field(graphql_type=float)]
"""A year's may be more than GraphQL's Int holds."""


class UsageInput(InTime):
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
    operation: str | None = Field(description="What it was spent on, by its code, such as recall.")
    model: str | None = Field(description="As it was asked for; empty for an operation that called none.")
    session_id: str | None = Field(description="The caller's own id; null also when it is no longer there.")
    calls: int = Field(description="Calls of models, every attempt.")
    failed_calls: int = Field(description="Those among them that brought no usable answer.")
    embedding_calls: int = Field(description="Calls of embedding models, every attempt.")
    llm_calls: int = Field(description="Calls of language models, every attempt.")
    tokens_in: Tokens = Field(description="Tokens sent to models.")
    tokens_out: Tokens = Field(description="Tokens that models answered with.")
    milliseconds: float = Field(description="Spent waiting for models.")
    recalls: int = Field(description="Recalls and contexts answered: rows of the operation `recall`.")
    turns: int = Field(description="Turns observed: rows of the operation `observe`.")
    memories: int = Field(description="Memories stored, observed or remembered.")
    rows: int = Field(description="Rows of usage: one for each operation and model.")
    unpriced_rows: int = Field(description="Those among them whose price is unknown.")
    cost_usd: Usd | None = Field(description="US dollars; null when the price of one row is unknown.")
    known_cost_usd: Usd = Field(description="US dollars that the rows with a price cost.")
    cost_per_recall: Usd | None = Field(
        description="US dollars of the operation `recall` over `recalls`; null without one, or when a price is unknown."
    )
    cost_per_turn: Usd | None = Field(description="costUsd over `turns`; null without one, or when a price is unknown.")
    cost_per_memory: Usd | None = Field(
        description="costUsd over `memories`; null without one, or when a price is unknown."
    )


class BudgetInput(Input):
    """At least one amount, the soft at most the hard one. They take the place of what held for the period."""

    agent_id: Name | None = Field(default=None, description="The agent's own name; absent: all agents together.")
    period: BudgetRow.Period
    soft_usd: UsdInput = Field(
        default=None, description="From here on nothing is rewritten by a model, contexts are shorter."
    )
    hard_usd: UsdInput = Field(default=None, description="From here on no model is called that costs something.")


class Budget(Answer):
    """What may be spent in a day or month by the tenant's clock, and what was since it began."""

    id: UUID
    agent_id: AgentName = Field(description="The agent's own name; null: all agents together.")
    period: BudgetRow.Period = Field(description="Whether it is for a day or for a month.")
    soft_usd: Usd | None = Field(
        description="US dollars from which on nothing is rewritten and contexts are shorter; null: none."
    )
    hard_usd: Usd | None = Field(
        description="US dollars from which on no model is called that costs something; null: none."
    )
    spent_usd: Usd = Field(description="Of the calls whose price is known.")
    unpriced_rows: int = Field(description="Rows of usage in the period whose price is unknown.")
    remaining_usd: Usd = Field(description="Up to the hard amount, or the soft one where there is no hard.")
    forecast_usd: Usd = Field(
        description="What it comes to at the period's end, if it goes on like the mean of the last 7 days."
    )
    since: datetime = Field(description="When the period began.")
    until: datetime = Field(description="When the period ends, and spending starts again from nothing.")
    state: Pressure = Field(validation_alias="pressure", description="The amount that is reached.")


class DeletedBudget(Answer):
    """The budget that was lifted."""

    id: UUID
