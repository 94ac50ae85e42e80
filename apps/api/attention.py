"""What waits for people, counted and told once, for the first pages of the admin and of the console."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from apps.budgets.standings import BudgetStanding
from apps.curation import selectors as curation
from apps.erasure import selectors as erasure
from memory_platform.model import Pressure

if TYPE_CHECKING:
    from django.db.models import QuerySet

NEARLY_SPENT: Final = 0.8
"""Of a hard amount, when somebody should know; a soft amount is told once it is reached."""
PROPOSALS: Final = "proposals"
ERASURES: Final = "erasures"
SAID: Final[Mapping[str, tuple[str, str]]] = {
    PROPOSALS: ("proposal waits for a decision", "proposals wait for a decision"),
    ERASURES: ("erasure waits for approval", "erasures wait for approval"),
}
"""How each is told of one and of several."""


@dataclass(frozen=True, slots=True)
class PressedBudgets:
    """That budgets come to their end, in words; `is_spent`: one of them has."""

    told: str
    is_spent: bool


def to_decide() -> "dict[str, QuerySet[Any]]":
    """The rows that people alone decide on, by name, to be counted. Needs an open scope of the whole tenant."""
    return {PROPOSALS: curation.flagged_proposals(), ERASURES: erasure.waiting_erasures()}


def pressed(budgets: Iterable[BudgetStanding]) -> PressedBudgets | None:
    """None while every budget has room."""
    near = [each for each in budgets if each.pressure is not Pressure.OK or _is_nearly_spent(each)]
    if not near:
        return None
    is_spent = any(each.pressure is Pressure.HARD for each in near)
    word = "budget is" if len(near) == 1 else "budgets are"
    end = "spent" if is_spent and len(near) == 1 else "near the end or spent"
    return PressedBudgets(f"{len(near):,} {word} {end}", is_spent)


def _is_nearly_spent(each: BudgetStanding) -> bool:
    return each.hard_usd is not None and float(each.spent_usd) >= NEARLY_SPENT * float(each.hard_usd)
