"""What is loaded once a process."""

from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Loaded = TypeVar("Loaded")


def loaded_once(load: Callable[P, Loaded]) -> Callable[P, Loaded]:
    """Keep what a function returns, by its arguments. The first caller loads it, concurrent ones wait for that instead
    of loading it again; where it raises, the next one tries.
    """
    kept = cache(load)
    loading = Lock()

    @wraps(load)
    def loaded(*args: P.args, **kwargs: P.kwargs) -> Loaded:
        with loading:
            return kept(*args, **kwargs)  # type: ignore[arg-type]  # what cannot be hashed it refuses itself

    return loaded
