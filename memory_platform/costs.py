"""What a model call costs in US dollars, and what follows when a budget is spent.

An unknown price is None, never 0; only a model that runs here is free.
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Final

import genai_prices

from memory_platform.model import Pressure

_LOCAL: Final = (
    "all-minilm-l6-v2-int8",
    "memory-encoder-",
    "memory-multilingual-1",
    "wordllama-",
    "rules",
    "scripted",
)


def is_local(model: str) -> bool:
    """Whether the model runs in this process and costs nothing by the call."""
    return model.startswith(_LOCAL)


def price_usd(model: str, *, tokens_in: int = 0, tokens_out: int = 0, provider_url: str | None = None) -> float | None:
    """Price of one call by the list that ships with genai-prices; None when model or provider is not in it.

    With `provider_url` that provider's list counts: the same model name behind another address has no known price, and
    none is local by its name.
    """
    if provider_url is None and is_local(model):
        return 0.0
    usage = genai_prices.Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    try:
        if provider_url is None:
            return float(genai_prices.calc_price(usage, model).total_price)
        return float(genai_prices.calc_price(usage, model, provider_api_url=provider_url).total_price)
    except LookupError:
        return None


WEEK: Final = timedelta(days=7)
_WEIGHT: Final = (Pressure.OK, Pressure.SOFT, Pressure.HARD)


def day_of(moment: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """The day around `moment` by the clocks of `zone`: its midnight and the next one, whatever lies between them."""
    day = moment.astimezone(zone).date()
    return _midnight(day, zone), _midnight(day + timedelta(days=1), zone)


def month_of(moment: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """The same of the month: the midnights that begin it and the next one."""
    first = moment.astimezone(zone).date().replace(day=1)
    return _midnight(first, zone), _midnight((first + timedelta(days=31)).replace(day=1), zone)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def pressure(spent: Decimal, *, soft: Decimal | None, hard: Decimal | None) -> Pressure:
    """Where `spent` US dollars stand against a budget: an amount that is reached counts, an absent one never is."""
    if hard is not None and spent >= hard:
        return Pressure.HARD
    return Pressure.SOFT if soft is not None and spent >= soft else Pressure.OK


def heaviest(pressures: Iterable[Pressure]) -> Pressure:
    """What several budgets come to: the strictest holds, and without any nothing presses."""
    return max(pressures, key=_WEIGHT.index, default=Pressure.OK)


def remaining(spent: Decimal, *, soft: Decimal | None, hard: Decimal | None) -> Decimal:
    """US dollars up to the hard amount, or to the soft one where there is no hard; never below 0."""
    most = soft if hard is None else hard
    return max(Decimal(0), (most or Decimal(0)) - spent)


def forecast(spent: Decimal, *, last_week: Decimal, left: timedelta) -> Decimal:
    """US dollars at the end of a period of which `left` remains, if it goes on like the mean of the last 7 days."""
    seconds = max(left, timedelta(0)).total_seconds()
    return spent + last_week * Decimal(seconds) / Decimal(WEEK.total_seconds())
