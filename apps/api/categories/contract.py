"""Categories: what memories are filed under, how long each kind lasts, and what a change would archive."""

import math
from typing import Annotated, Any, Final, Self
from uuid import UUID

from pydantic import AfterValidator, Field, model_validator

from apps.api.contract import Answer, Input
from apps.tenants.models import Category as CategoryRow
from apps.tenants.taxonomy import (
    LARGEST_LAMBDA,
    LONGEST_EXAMPLE,
    LONGEST_KEYWORD,
    LONGEST_LABEL,
    LONGEST_TTL_DAYS,
    MOST_EXAMPLES,
    MOST_KEYWORDS,
)
from memory_platform.model import Retention

SHORTEST_HALF_LIFE: Final = math.log(2) / LARGEST_LAMBDA
LONGEST_HALF_LIFE: Final = 1_000_000
MOST_SAMPLES: Final = 100

_SLUG: Final = r"^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$"


def _distinct(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without what is empty or said twice, whatever its case."""
    return tuple({word.strip().casefold(): word.strip() for word in reversed(words) if word.strip()}.values())[::-1]


Slug = Annotated[str, Field(min_length=1, max_length=64, pattern=_SLUG)]
Label = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL)]
Keywords = Annotated[
    tuple[Annotated[str, Field(max_length=LONGEST_KEYWORD)], ...],
    Field(max_length=MOST_KEYWORDS),
    AfterValidator(_distinct),
]
Examples = Annotated[
    tuple[Annotated[str, Field(max_length=LONGEST_EXAMPLE)], ...],
    Field(max_length=MOST_EXAMPLES),
    AfterValidator(_distinct),
]


class CategoryNumbers(Input):
    """How a category files and ages; what is absent stays as it is."""

    keywords: Keywords | None = Field(default=None, description="Words that file a statement under it, by stem.")
    examples: Examples | None = Field(
        default=None, description="What is said in it, for statements without a keyword; an empty list: none."
    )
    has_default_examples: bool | None = Field(default=None, description="True: the deployment's examples again.")
    ttl_days: int | None = Field(
        default=None,
        ge=0,
        le=LONGEST_TTL_DAYS,
        description="Days since confirmed after which a memory is tagged stale, and archived if unused; 0: never.",
    )
    decay_lambda: float | None = Field(
        default=None, ge=0.0, le=LARGEST_LAMBDA, allow_inf_nan=False, description="λ of the score's exp(−λ·days)."
    )
    half_life_days: float | None = Field(
        default=None,
        ge=SHORTEST_HALF_LIFE,
        le=LONGEST_HALF_LIFE,
        allow_inf_nan=False,
        description="The same as days in which the score halves.",
    )
    retention: Retention | None = Field(default=None, description="Curve the confidence follows.")
    purpose: CategoryRow.Purpose | None = Field(default=None, description="Knowledge, or operational memories.")
    is_protected: bool | None = Field(default=None, description="Its memories never fade, expire or are archived.")

    @model_validator(mode="after")
    def _said_once(self) -> Self:
        if self.decay_lambda is not None and self.half_life_days is not None:
            raise ValueError("decayLambda and halfLifeDays say the same; send one of them.")
        if self.examples is not None and self.has_default_examples:
            raise ValueError("examples and hasDefaultExamples exclude each other; send one of them.")
        return self

    def columns(self) -> dict[str, Any]:
        """The columns of a category that are to change, as it holds them."""
        plain = self.model_dump(
            exclude_none=True,
            exclude={"has_default_examples", "half_life_days", "is_protected", "ttl_days", "slug", "samples"},
        )
        found: dict[str, Any] = {name: list(held) if isinstance(held, tuple) else held for name, held in plain.items()}
        if self.has_default_examples:
            found["examples"] = None
        if self.half_life_days is not None:
            found["decay_lambda"] = math.log(2) / self.half_life_days
        if self.ttl_days is not None:
            found["ttl_days"] = self.ttl_days or None
        if self.is_protected is not None:
            found["protected"] = self.is_protected
        return found


class CategoryEdit(CategoryNumbers):
    """What is to change of a category; its slug stays, for memories name it."""

    label: Label | None = Field(default=None, description="What people call it.")


class NewCategory(CategoryNumbers):
    """A category of the tenant's own; what is absent is as in any other."""

    slug: Slug = Field(description="What memories and other verbs name it by; it never changes.")
    label: Label = Field(description="What people call it.")


class CategoryDefault(Answer):
    """The deployment's own category of that name, which a new tenant would start with."""

    label: str
    keywords: list[str]
    ttl_days: int | None
    decay_lambda: float
    retention: Retention
    purpose: CategoryRow.Purpose
    is_protected: bool = Field(validation_alias="protected")


class Category(Answer):
    """What memories are filed under: the slug stands in a memory, a filter and as a domain."""

    slug: str = Field(description="What memories and other verbs name it by; it never changes.")
    label: str
    keywords: list[str]
    examples: list[str] = Field(description="What is said in it: the tenant's own sentences, else the deployment's.")
    has_default_examples: bool = Field(description="Its examples are the deployment's.")
    ttl_days: int | None
    decay_lambda: float
    half_life_days: float | None = Field(description="Days in which the score halves; null: it does not.")
    retention: Retention
    purpose: CategoryRow.Purpose
    is_protected: bool
    taxonomy_version: int = Field(description="The number of its last edit among those of all categories.")
    default: CategoryDefault | None = Field(description="What a new tenant would start with.")


class PreviewedStep(Answer):
    """What a step of maintenance would archive of the category if it ran now: as it is, and as it would be."""

    step: str
    now: int
    then: int


class CategoryPreview(Answer):
    """What a change would do to the memories of a category; steps can name the same memory."""

    category: Category = Field(description="As it would be.")
    changed: list[str] = Field(description="What would change of it.")
    items: int = Field(description="Active and stale memories in it.")
    archived: int = Field(description="Memories that the next runs would archive, and would not as it is.")
    spared: int = Field(description="Memories that they would archive as it is, and would not then.")
    steps: list[PreviewedStep] = Field(description="What each step of maintenance that archives would take.")
    archived_sample: list[UUID] = Field(description="Some of the memories that would be archived, the oldest first.")
    spared_sample: list[UUID] = Field(description="Some of the memories that would be spared, the oldest first.")


class PreviewInput(CategoryEdit):
    """A change to try."""

    samples: int = Field(default=10, ge=0, le=MOST_SAMPLES, description="How many memories to name.")


def half_life(decay_lambda: float) -> float | None:
    """Days in which exp(−λ·days) halves; None: it does not."""
    return math.log(2) / decay_lambda if decay_lambda else None
