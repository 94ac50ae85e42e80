"""What the C library keeps of the memory that was freed."""

import ctypes
from collections.abc import Callable
from functools import cache


def return_freed_memory() -> None:
    """Give it back to the system: glibc keeps what models took and freed, page by page between what is still used.

    Takes some 15 ms and lets other threads run. Other C libraries have no malloc_trim; there it does nothing.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
