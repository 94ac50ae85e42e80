"""The contracts of all topics, as they are declared."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TypeVar

Shape = TypeVar("Shape")
API = Path(__file__).resolve().parents[2] / "apps" / "api"


def below(kind: type[Shape]) -> list[type[Shape]]:
    """Every class that rests on `kind`, in the order of module and name."""
    for contract in API.glob("*/contract.py"):
        import_module(f"apps.api.{contract.parent.name}.contract")
    return sorted(set(_resting_on(kind)), key=lambda each: (each.__module__, each.__qualname__))


def _resting_on(kind: type[Shape]) -> Iterator[type[Shape]]:
    for each in kind.__subclasses__():
        yield each
        yield from _resting_on(each)
