"""Refuses queries that are too deep, use too many aliases or cost too much, before anything is executed.

Cost: each field 1, a verb that searches or writes 100; what lies below a list is multiplied by the length asked for,
variables included. Fragments are weighed once each, so that a fragment bomb costs us nothing to refuse. (The library's
depth limiter walks them again at each spread, and no maintained cost limiter reads variables.)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    IntValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
)
from strawberry.extensions import SchemaExtension
from typing_extensions import override

from apps.api.verbs import VERBS
from memory_platform.errors import TooComplex

MAXIMUM_DEPTH = 10
MAXIMUM_ALIASES = 15
MAXIMUM_COST = 10_000
MAXIMUM_TOKENS = 2_000
LOOKUP_COST = 5
DEFAULT_PAGE = 20
DEFAULT_HITS = 15
# Lists below a row that have the length of a page.
PAGE_FIELDS = frozenset(
    {"versions", "facts", "timeline", "related"} | {verb.name for verb in VERBS.values() if verb.pages}
)
# Fields below a row that read the database once more for it.
LOOKUPS = frozenset({"versions", "supersedes", "supersededBy", "memory", "entities", "profile"})


@dataclass(frozen=True, slots=True)
class Weight:
    depth: int = 0
    aliases: int = 0
    cost: int = 0


class ComplexityLimiter(SchemaExtension):
    """Puts a TooComplex error in place of the result."""

    @override
    def on_execute(self) -> Iterator[None]:
        context = self.execution_context
        if context.graphql_document is not None:
            refusal = _refusal(_Scale(context.graphql_document, context.variables or {}).weigh(context.operation_name))
            if refusal is not None:
                error = GraphQLError(refusal.message, original_error=refusal)
                context.result = ExecutionResult(data=None, errors=[error])
        yield


def weigh(document: DocumentNode, variables: Mapping[str, Any], operation_name: str | None = None) -> Weight:
    return _Scale(document, variables).weigh(operation_name)


def _refusal(weight: Weight) -> TooComplex | None:
    for name, value, limit in (
        ("depth", weight.depth, MAXIMUM_DEPTH),
        ("number of aliases", weight.aliases, MAXIMUM_ALIASES),
        ("cost", weight.cost, MAXIMUM_COST),
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
        self._variables = variables
        self._fragment = lru_cache(maxsize=None)(self._weigh_fragment)

    def weigh(self, operation_name: str | None) -> Weight:
        for operation in self._operations:
            if operation_name is None or (operation.name and operation.name.value == operation_name):
                return self._set(operation.selection_set)
        return Weight()

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

    def _weigh_fragment(self, name: str) -> Weight:
        fragment = self._fragments.get(name)
        return self._set(fragment.selection_set) if fragment else Weight()

    def _field(self, node: FieldNode) -> Weight:
        name = node.name.value
        aliases = 1 if node.alias else 0
        if name.startswith("__"):
            # The schema is finite and the tools' introspection query is deep.
            return Weight(0, aliases, 1)
        below = self._set(node.selection_set)
        own = max(VERBS[name].cost if name in VERBS else 1, LOOKUP_COST if name in LOOKUPS else 1)
        return Weight(1 + below.depth, aliases + below.aliases, own + self._length(node) * below.cost)

    def _length(self, node: FieldNode) -> int:
        name = node.name.value
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        if name in PAGE_FIELDS or "first" in given:
            return self._count(given.get("first"), DEFAULT_PAGE)
        if name == "recall":
            return self._limit_of(given.get("options"))
        return 1

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
            return _whole(int(value.value), default)
        if isinstance(value, VariableNode):
            return _whole(self._variables.get(value.name.value), default)
        return default


def _whole(value: object, default: int) -> int:
    """The length a list will have: what is no number, or negative, is refused later and counts as the default."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default
