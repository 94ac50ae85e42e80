"""The categories a tenant starts with: those of the deployment's file; afterwards they are rows the tenant edits."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from apps.environment import environment
from memory_platform.errors import Invalid
from memory_platform.extraction.classify import OTHER
from memory_platform.model import Retention

TAXONOMY_VERSION: Final = 1

SHIPPED: Final = Path(__file__).with_name("categories.toml")
LONGEST_LABEL: Final = 100
LONGEST_KEYWORD: Final = 64
LONGEST_EXAMPLE: Final = 300
MOST_KEYWORDS: Final = 100
MOST_EXAMPLES: Final = 50
MOST_CATEGORIES: Final = 100
LONGEST_TTL_DAYS: Final = 36_500
LARGEST_LAMBDA: Final = 10.0
NEVER: Final = "never"

Keyword = Annotated[str, Field(min_length=1, max_length=LONGEST_KEYWORD)]
Example = Annotated[str, Field(min_length=1, max_length=LONGEST_EXAMPLE)]
Slug = Annotated[str, Field(max_length=64, pattern=re.compile(r"^[-a-zA-Z0-9_]+\Z"))]


class StartingCategory(BaseModel):
    """A category of the file: a table by its slug, a key each; `ttl_days` "never": it does not expire."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    slug: str
    label: str = Field(min_length=1, max_length=LONGEST_LABEL)
    keywords: tuple[Keyword, ...] = Field(default=(), max_length=MOST_KEYWORDS, strict=False)
    examples: tuple[Example, ...] = Field(default=(), max_length=MOST_EXAMPLES, strict=False)
    ttl: Annotated[int, Field(ge=1, le=LONGEST_TTL_DAYS)] | Literal["never"] = Field(default=90, alias="ttl_days")
    decay_lambda: float = Field(default=0.01, ge=0.0, le=LARGEST_LAMBDA, allow_inf_nan=False)
    curve: Literal["ebbinghaus", "operational", "none"] | None = Field(default=None, alias="retention")
    purpose: Literal["knowledge", "operational"] = "knowledge"
    protected: bool = False

    @property
    def ttl_days(self) -> int | None:
        return None if self.ttl == NEVER else int(self.ttl)

    @property
    def retention(self) -> Retention:
        """As the file says, else what fits: none where nothing expires, the operational one for operations."""
        if self.curve is not None:
            return Retention(self.curve)
        if self.ttl_days is None:
            return Retention.NONE
        return Retention.OPERATIONAL if self.purpose == "operational" else Retention.EBBINGHAUS


_FILE: Final = TypeAdapter(dict[Slug, StartingCategory])


@cache
def starting_categories() -> tuple[StartingCategory, ...]:
    """The categories of MEMORY_CATEGORIES_FILE, else the shipped ones, in the order of the file.

    Raises Invalid, in a line that names the file, the key and its bound.
    """
    return read(environment().categories_file or SHIPPED)


def read(path: Path) -> tuple[StartingCategory, ...]:
    """The categories of a file. Raises Invalid."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        named = {slug: {"slug": slug, **_table(slug, table)} for slug, table in tables.items()}
        found = tuple(_FILE.validate_python(named).values())
    except ValidationError as error:
        raise Invalid(f"{path}: {_told(error)}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, TypeError, ValueError) as error:
        raise Invalid(f"{path}: {' '.join(str(error).split())}") from error
    if len(found) > MOST_CATEGORIES:
        raise Invalid(f"{path}: {len(found)} categories; at most {MOST_CATEGORIES} can be.")
    if not any(each.slug == OTHER for each in found):
        raise Invalid(f"{path}: there is no [{OTHER}], which holds what belongs nowhere else.")
    return found


def starting(slug: str) -> StartingCategory | None:
    """The deployment's own category of that name."""
    return next((each for each in starting_categories() if each.slug == slug), None)


def _table(slug: str, table: object) -> dict[str, object]:
    if not isinstance(table, dict):
        raise TypeError(f"{slug} stands in no table; a category is a table [{slug}] with its keys.")
    if "slug" in table:
        raise ValueError(f"{slug}.slug: the name of the table is the slug.")
    return table


def _told(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part not in {"int", "constrained-int", "[key]"})
    return f"{place}: {first['msg']}"
