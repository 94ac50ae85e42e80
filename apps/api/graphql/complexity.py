"""Refuses queries that are too deep, use too many aliases or cost too much, before they are validated.

Cost: each field 1, a verb that searches or writes 100; what lies below a list is multiplied by the length asked for,
variables and their defaults included. What is read of the schema costs a fiftieth, what variables hold a tenth.
A validator compares all fields of one name with each other: how often a name may be repeated is limited, too.
Fragments are weighed once each, so that a fragment bomb costs us nothing to refuse. (The library's depth limiter walks
them again at each spread, and no maintained cost limiter reads variables.)
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension
from typing_extensions import override

from apps.api.verbs import VERBS
from memory_platform.errors import TooComplex

MAXIMUM_DEPTH = 10
MAXIMUM_ALIASES = 15
MAXIMUM_COST = 10_000
MAXIMUM_TOKENS = 2_000
MAXIMUM_COMPARISONS = 5_000
"""Pairs of fields of one name, about 15 µs each to validate; a name repeated 100 times is as many."""
LOOKUP_COST = 5
INTROSPECTED_PER_COST = 50
ENTRIES_PER_COST = 10
DEFAULT_PAGE = 20
DEFAULT_HITS = 15
# Lists below a row that have the length of a page.
PAGE_FIELDS = frozenset(
    {"versions", "facts", "timeline", "related"} | {verb.name for verb in VERBS.values() if verb.pages}
)
# About how long the lists of the schema are.
INTROSPECTED = {
    "types": 150,
    "fields": 10,
    "inputFields": 10,
    "args": 3,
    "enumValues": 5,
    "directives": 5,
    "possibleTypes": 1,
    "interfaces": 1,
}
# Fields below a row that read the database once more for it.
LOOKUPS = frozenset({"versions", "supersedes", "supersededBy", "memory", "entities", "profile"})


@dataclass(frozen=True, slots=True)
class Weight:
    depth: int = 0
    aliases: int = 0
    cost: int = 0
    comparisons: int = 0


class ComplexityLimiter(SchemaExtension):
    """Puts a TooComplex error in place of what the validator finds."""

    @override
    def on_validate(self) -> Iterator[None]:
        context = self.execution_context
        if context.graphql_document is not None:
            refusal = _refusal(weigh(context.graphql_document, context.variables or {}, context.operation_name))
            if refusal is not None:
                context.pre_execution_errors = [GraphQLError(refusal.message, original_error=refusal)]
        yield


def weigh(document: DocumentNode, variables: Mapping[str, Any], operation_name: str | None = None) -> Weight:
    return _Scale(document, variables).weigh(operation_name)


def _refusal(weight: Weight) -> TooComplex | None:
    for name, value, limit in (
        ("depth", weight.depth, MAXIMUM_DEPTH),
        ("number of aliases", weight.aliases, MAXIMUM_ALIASES),
        ("cost", weight.cost, MAXIMUM_COST),
        ("number of fields of one name, in pairs,", weight.comparisons, MAXIMUM_COMPARISONS),
    ):
        if value > limit:
            return TooComplex(
                f"The query's {name} is {value}; at most {limit} is allowed.", hint="Ask for less at once."
            )
    return None


class _Scale:
    def __init__(self, document: DocumentNode, variables: Mapping[str, Any]) -> None:
        self._operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
        self._fragments = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        self._given = variables
        self._variables: Mapping[str, Any] = variables
        self._weighed: dict[str, Weight] = {}
        self._names: Counter[str] = Counter()

    def weigh(self, operation_name: str | None) -> Weight:
        asked = Weight()
        for operation in sorted(self._operations, key=lambda one: not _is_called(one, operation_name)):
            # All are validated, the one that was asked for is executed.
            self._variables = {**_defaults(operation), **self._given}
            weight = self._set(operation.selection_set)
            if _is_called(operation, operation_name) and asked == Weight():
                asked = replace(weight, cost=weight.cost + _entries(self._variables) // ENTRIES_PER_COST)
        for name in self._fragments:
            self._fragment(name)
        return replace(asked, comparisons=sum(map(_pairs, self._names.values())))

    def _set(self, selections: SelectionSetNode | None) -> Weight:
        depth = aliases = cost = 0
        for node in selections.selections if selections else ():
            part = self._node(node)
            depth, aliases, cost = max(depth, part.depth), aliases + part.aliases, cost + part.cost
        return Weight(depth, aliases, cost)

    def _node(self, node: object) -> Weight:
        if isinstance(node, FieldNode):
            return self._field(node)
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        if isinstance(node, InlineFragmentNode):
            return self._set(node.selection_set)
        raise TypeError(type(node).__name__)

    def _fragment(self, name: str) -> Weight:
        if name not in self._weighed:
            # One that holds itself weighs nothing there, and is refused by the validator.
            self._weighed[name] = Weight()
            fragment = self._fragments.get(name)
            self._weighed[name] = self._set(fragment.selection_set) if fragment else Weight()
        return self._weighed[name]

    def _field(self, node: FieldNode) -> Weight:
        name = node.name.value
        self._names[node.alias.value if node.alias else name] += 1
        below = self._set(node.selection_set)
        aliases = below.aliases + (1 if node.alias else 0)
        if name.startswith("__"):
            # The schema lies in memory, and the tools' introspection query is deep.
            return Weight(0, aliases, 1 + below.cost // INTROSPECTED_PER_COST)
        own = max(VERBS[name].cost if name in VERBS else 1, LOOKUP_COST if name in LOOKUPS else 1)
        return Weight(1 + below.depth, aliases, own + self._length(node) * below.cost)

    def _length(self, node: FieldNode) -> int:
        name = node.name.value
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        if name in PAGE_FIELDS or "first" in given:
            return self._count(given.get("first"), DEFAULT_PAGE)
        if name == "recall":
            return self._limit_of(given.get("options"))
        if name == "jobs":
            return self._listed(given.get("ids"))
        return INTROSPECTED.get(name, 1)

    def _listed(self, value: ValueNode | None) -> int:
        held = self._variables.get(value.name.value) if isinstance(value, VariableNode) else None
        return len(value.values) if isinstance(value, ListValueNode) else len(held) if isinstance(held, list) else 1

    def _limit_of(self, options: ValueNode | None) -> int:
        if isinstance(options, VariableNode):
            held = self._variables.get(options.name.value)
            return _whole(held.get("limit"), DEFAULT_HITS) if isinstance(held, Mapping) else DEFAULT_HITS
        if isinstance(options, ObjectValueNode):
            fields = {field.name.value: field.value for field in options.fields}
            return self._count(fields.get("limit"), DEFAULT_HITS)
        return DEFAULT_HITS

    def _count(self, value: ValueNode | None, default: int) -> int:
        if isinstance(value, IntValueNode):
            # Longer ones are no Int.
            return _whole(int(value.value[:12]), default)
        if isinstance(value, VariableNode):
            return _whole(self._variables.get(value.name.value), default)
        return default


def _defaults(operation: OperationDefinitionNode) -> dict[str, Any]:
    defaults: dict[str, Any] = {}
    for each in operation.variable_definitions or ():
        # A number of thousands of digits is none, and refused by the validator.
        with suppress(ValueError):
            if each.default_value is not None:
                defaults[each.variable.name.value] = value_from_ast_untyped(each.default_value)
    return defaults


def _is_called(operation: OperationDefinitionNode, name: str | None) -> bool:
    return name is None or (operation.name is not None and operation.name.value == name)


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def _entries(value: object) -> int:
    """Values in the lists and objects of a JSON value, however deep."""
    count, waiting = 0, [value]
    while waiting:
        held = waiting.pop()
        inner = list(held.values()) if isinstance(held, Mapping) else held if isinstance(held, list) else []
        count += len(inner)
        waiting.extend(one for one in inner if isinstance(one, list | Mapping))
    return count


def _whole(value: object, default: int) -> int:
    """The length a list will have: what is no number, or negative, is refused later and counts as the default."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default
