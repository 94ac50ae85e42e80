"""The contract's classes as GraphQL's types, and the fields by which a query walks on from one row to others."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Annotated, TypeVar

import strawberry.pydantic
from pydantic import BaseModel
from strawberry.types import get_object_definition
from strawberry.types.field import StrawberryField

from apps.api.contract import Answer, Sent
from apps.api.descriptions import ARGUMENTS, of_type
from apps.api.enumerations import within
from apps.api.graphql.scalars import expose_enumeration
from apps.api.verbs import Verb

OfUser = Annotated[
    str | None,
    strawberry.argument(description="For whom: this user's and what belongs to no user; absent: only the latter."),
]

Resolver = TypeVar("Resolver", bound=Callable[..., object])


def query(verb: Verb) -> StrawberryField:
    """A root field for a verb."""
    return strawberry.field(name=verb.name, description=verb.summary)


def mutation(verb: Verb) -> StrawberryField:
    return strawberry.mutation(name=verb.name, description=verb.summary)


def describe(topic: ModuleType) -> None:
    """Tell of the arguments of a topic's root fields what its contract tells of its inputs' fields of that name."""
    told = {**ARGUMENTS, **_told_by(import_module(f"{topic.__package__}.contract"))}
    for root in filter(None, (topic.Query, getattr(topic, "Mutation", None))):
        for field in get_object_definition(root, strict=True).fields:
            for argument in field.arguments:
                argument.description = argument.description or told.get(argument.python_name)


def _told_by(contract: ModuleType) -> Mapping[str, str]:
    """What all inputs that have a field of a name say of it, where they agree."""
    said = defaultdict[str, set[str | None]](set)
    for shape in vars(contract).values():
        if isinstance(shape, type) and issubclass(shape, Sent):
            for name, field in shape.model_fields.items():
                said[name].add(field.description)
    return {name: told for name, each in said.items() if len(each) == 1 for told in each if told}


def walk(shape: type[Answer], *, description: str) -> Callable[[Resolver], Resolver]:
    """Give a shape a field of GraphQL's own, resolved when it is asked for. It takes the answer as `Parent`."""

    def give(resolver: Resolver) -> Resolver:
        setattr(shape, resolver.__name__, strawberry.pydantic.field(resolver, description=description))
        return resolver

    return give


def expose(*contracts: ModuleType) -> None:
    """Make types and inputs of what these modules declare; its walks must have been given before."""
    for contract in contracts:
        for shape in vars(contract).values():
            if isinstance(shape, type) and issubclass(shape, BaseModel) and shape.__module__ == contract.__name__:
                _expose(shape)


def _expose(shape: type[BaseModel]) -> None:
    for field in shape.model_fields.values():
        for kind in within(field.annotation):
            expose_enumeration(kind)
    if issubclass(shape, Sent):
        strawberry.pydantic.input(shape, description=of_type(shape))
    elif issubclass(shape, Answer) and not shape.__pydantic_generic_metadata__["parameters"]:
        strawberry.pydantic.type(shape, description=of_type(shape))
