"""Simulation: numbers of the policy to try, and what they would have changed."""

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field
from typing_extensions import override

from apps.api.admission import LONGEST_NAME
from apps.api.contract import Answer, Input, Name
from apps.api.recall.contract import ContextInput, ContextOptions, RecallInput, RecallOptions
from apps.tenants.trying import TriedNumbers
from memory_platform.model import Verdict

LONGEST_WINDOW: Final = 30
MOST_CATEGORIES: Final = 50
MOST_SAMPLES: Final = 20
LONGEST_SPAN: Final = 36_500

Unit = Annotated[float | None, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Amount = Annotated[float | None, Field(ge=0.0, le=100.0, allow_inf_nan=False)]
Days = Annotated[int | None, Field(ge=1, le=LONGEST_SPAN)]


class CategoryChange(Input):
    """Other numbers of a category; what is absent stays as it is."""

    slug: str = Field(min_length=1, max_length=LONGEST_NAME, description="Which category.")
    ttl_days: Days = Field(
        default=None,
        description="Days since last confirmed after which a memory is tagged stale, and archived if unused.",
    )
    decay_lambda: Amount = Field(default=None, description="λ of the recall score's exp(−λ·days).")


class PolicyChange(Input):
    """Numbers of the policy, by their names there; what is absent stays as it is."""

    relevance_floor: Unit = Field(default=None, description="Probability below which nothing is answered.")
    stale_multiplier: Unit = Field(default=None, description="What a stale memory's score is multiplied by.")
    off_domain_multiplier: Unit = Field(
        default=None, description="What the score is multiplied by outside of the agent's domain."
    )
    sentiment_multiplier: Amount = Field(
        default=None, description="What the score is multiplied by when the sentiments match."
    )
    priority_clamp: Unit = Field(default=None, description="By how much learned priority may move a score.")
    gate_allow_above: Unit = Field(default=None, description="Usefulness above which a fact is allowed.")
    gate_discard_below: Unit = Field(
        default=None, description="Usefulness below which it is discarded; between the two it is held."
    )
    stale_after_days: Days = Field(
        default=None, description="Days without a recall or a confirmation after which a memory is stale."
    )
    forget_stale_after_days: Days = Field(
        default=None, description="Days a memory is stale before it is forgotten; restore undoes it."
    )
    prune_below: Unit = Field(
        default=None, description="Effective confidence below which a memory past its TTL is archived."
    )
    operational_inactive_below: Unit = Field(
        default=None, description="Effective confidence below which an operational memory is archived."
    )
    categories: Annotated[tuple[CategoryChange, ...], Field(max_length=MOST_CATEGORIES)] = Field(
        default=(), description="Numbers of categories."
    )

    def as_numbers(self) -> TriedNumbers:
        return TriedNumbers(
            policy=self.model_dump(exclude={"categories"}, exclude_none=True),
            categories={each.slug: each.model_dump(exclude={"slug"}, exclude_none=True) for each in self.categories},
        )


class RecallTrialOptions(RecallOptions):
    policy: PolicyChange = Field(default_factory=PolicyChange, description="Other numbers to answer with.")

    @override
    def _asked(self) -> dict[str, Any]:
        return _tried(super()._asked())


class RecallTrialInput(RecallTrialOptions, RecallInput):
    """A question that is tried out."""


class ContextTrialOptions(ContextOptions):
    policy: PolicyChange = Field(default_factory=PolicyChange, description="Other numbers to answer with.")

    @override
    def _asked(self) -> dict[str, Any]:
        return _tried(super()._asked())


class ContextTrialInput(ContextTrialOptions, ContextInput):
    """A block for the prompt that is tried out."""


def _tried(asked: dict[str, Any]) -> dict[str, Any]:
    policy: PolicyChange = asked.pop("policy")
    return {**asked, "trial": policy.as_numbers()}


class SimulationInput(Input):
    policy: PolicyChange = Field(description="The numbers to try.")
    days: int = Field(default=7, ge=1, le=LONGEST_WINDOW, description="How far to look back.")
    samples: int = Field(default=5, ge=0, le=MOST_SAMPLES, description="How many recalls and messages to name.")
    user_id: Name | None = Field(
        default=None, description="Over what is this user's and no user's; absent: every user's."
    )


class RetoldRecall(Answer):
    """A recall that would have been answered otherwise."""

    recall_id: UUID
    at: datetime = Field(description="When it was asked.")
    lost: list[UUID] = Field(description="Units below the floor.")
    is_emptied: bool = Field(description="There would have been no answer.")
    is_reordered: bool = Field(description="Its hits would stand in another order.")
    first: UUID | None = Field(description="The unit with the best score.")
    new_first: UUID | None = Field(description="The unit that would have the best score; null: there would be none.")


class RetoldRecalls(Answer):
    """What would have become of the recalls, by their hits; of what was no hit nothing is kept."""

    recalls: int = Field(description="Recalls with a question in the time that is looked at.")
    examined: int
    hits: int = Field(description="What those examined were answered with, all together.")
    unscored: int = Field(description="Hits whose probability was not kept: no floor takes them.")
    lost: int = Field(description="Hits that would be below the floor.")
    emptied: int = Field(description="Recalls that would have no answer.")
    reordered: int = Field(description="Recalls whose hits would stand in another order.")
    first_changed: int = Field(description="Recalls that another hit would be the first of.")
    changed: list[RetoldRecall] = Field(
        description="The latest that would be answered otherwise, as many as were asked for."
    )


class Turned(Answer):
    """Facts that would have met another verdict."""

    was: Verdict = Field(description="What the gate says with the numbers as they are.")
    would_be: Verdict = Field(description="What it would say with those that are tried.")
    facts: int = Field(description="How many facts.")


class Regated(Answer):
    """What the gate would have made of what was read, before any comparison with what is known."""

    messages: int = Field(description="Messages that were read in the time that is looked at.")
    examined: int
    facts: int = Field(description="What was read out of those examined.")
    turned: list[Turned] = Field(description="How many facts would meet another verdict, by both verdicts.")
    sample: list[UUID] = Field(description="Messages (resources) in which a fact would turn.")


class ReagedStep(Answer):
    """How many memories a step of maintenance would change if it ran now, with the numbers as they are and as tried."""

    step: str
    now: int
    then: int


class Simulation(Answer):
    """What was simulated, and in `unknown` what the numbers would change besides that nothing kept can tell."""

    since: datetime = Field(description="Since when is looked at.")
    recalls: RetoldRecalls = Field(description="What would have become of recalls.")
    captures: Regated = Field(description="What the gate would have made of messages.")
    memories: list[ReagedStep] = Field(description="What steps of maintenance would do now.")
    unknown: list[str] = Field(description="What cannot be told, in words.")
