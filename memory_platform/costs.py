"""What a model call costs in US dollars. An unknown price is None, never 0; only a model that runs here is free."""

from typing import Final

import genai_prices

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

    With `provider_url` that provider's list counts: the same model name behind another address has no known price.
    """
    if is_local(model):
        return 0.0
    usage = genai_prices.Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    try:
        if provider_url is None:
            return float(genai_prices.calc_price(usage, model).total_price)
        return float(genai_prices.calc_price(usage, model, provider_api_url=provider_url).total_price)
    except LookupError:
        return None
