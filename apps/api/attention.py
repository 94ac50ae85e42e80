"""What needs people, counted and told once, for the first pages of the admin and of the console."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from apps.budgets.balances import BudgetBalance
from apps.curation import selectors as curation
from apps.erasure import selectors as erasure
from memory_platform.model import Pressure

NEARLY_SPENT: Final = 0.8
"""Of a hard amount, when somebody should know; a soft amount is told once it is reached."""
PROPOSALS: Final = "proposals"
REPLACEMENTS: Final = "replacements"
ERASURES: Final = "erasures"
SAID: Final[Mapping[str, tuple[str, str]]] = {
    PROPOSALS: ("proposal waits for a decision", "proposals wait for a decision"),
    REPLACEMENTS: ("memory may have been replaced", "memories may have been replaced"),
    ERASURES: ("erasure waits for approval", "erasures wait for approval"),
}
"""How each is told of one and of several."""


def to_decide(*, erasures: bool = True) -> dict[str, QuerySet[Any]]:
    """The rows that people alone decide on, by name, to be counted; `erasures` only for those who approve them.

    Needs an open scope of the whole tenant.
    """
    rows: dict[str, QuerySet[Any]] = {
        PROPOSALS: curation.flagged_proposals(),
        REPLACEMENTS: curation.open_replacements(),
    }
    return rows | ({ERASURES: erasure.waiting_erasures()} if erasures else {})


@dataclass(frozen=True, slots=True)
class PressedBudgets:
    """That budgets come to their end, in words; `is_spent`: one of them has."""

    told: str
    is_spent: bool


def pressed(budgets: Iterable[BudgetBalance]) -> PressedBudgets | None:
    """None while every budget has room."""
    near = [each for each in budgets if each.pressure is not Pressure.OK or _is_nearly_spent(each)]
    if not near:
        return None
    spent = [each.pressure is Pressure.HARD for each in near]
    word = "budget is" if len(near) == 1 else "budgets are"
    end = "spent" if all(spent) else "near the end or spent" if any(spent) else "near the end"
    return PressedBudgets(f"{len(near):,} {word} {end}", any(spent))


def _is_nearly_spent(each: BudgetBalance) -> bool:
    return each.hard_usd is not None and float(each.spent_usd) >= NEARLY_SPENT * float(each.hard_usd)
