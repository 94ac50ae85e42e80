"""How many tokens a text costs, counted as the o200k models do, without network."""

from functools import cache
from typing import Any

import quicktok


@cache
def _encoding() -> Any:
    return quicktok.get_encoding("o200k_base")


def count(text: str) -> int:
    """Tokens of `text` in o200k_base; what looks like a special token counts as plain text."""
    return int(_encoding().count(text.encode("utf-8", "replace").decode()))
