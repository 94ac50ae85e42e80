"""The names that callers know the fields by."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from memory_platform.errors import Invalid


@contextmanager
def called(names: Mapping[str, str]) -> Iterator[None]:
    """What is refused within names the field as the caller sent it: `called({"category": "domain"})`."""
    try:
        yield
    except Invalid as refusal:
        refusal.field = names.get(refusal.field or "", refusal.field)
        raise
