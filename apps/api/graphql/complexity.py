"""Refuses queries that are too deep, use too many aliases or cost too much, before they are validated.

Cost: each field 1, what the database is read for once more 5, a verb as its line in the table says. What is asked of
a list's rows is multiplied by its length: that of the verb it answers, variables and their defaults included, else what
such a list usually holds. What is read of the schema costs a fiftieth, what variables hold a tenth.
A validator compares all fields of one name with each other: how often a name may be repeated is limited, too.
Fragments are weighed once each, so that a fragment bomb costs us nothing to refuse. (The library's depth limiter walks
them again at each spread, and no maintained cost limiter reads variables.)
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_list_type,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension
from typing_extensions import override

from apps.api.verbs import ENTITY, PAGE, VERBS, Length, Verb
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
USUAL_ROWS: Final = 3
"""Of a list that hangs on a row."""
LONGER_LISTS: Final = {
    "AskedRecall.hits": 15,
    "EntityProfile.facts": 20,
    "EntityProfile.related": 20,
    "EntityProfile.timeline": 20,
}
"""Those that hang on a row and hold more than usual."""
COSTLY: Final = {"NamedEntity.profile": ENTITY.cost}
"""Fields that answer a whole verb for each row."""
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


@dataclass(frozen=True, slots=True)
class Weight:
    depth: int = 0
    aliases: int = 0
    cost: int = 0
    comparisons: int = 0


@dataclass(frozen=True, slots=True)
class _SelectionWeight:
    """What some fields weigh. Of their `cost`, `beside` is not asked of a list's rows; a row of the outermost lists
    costs `row`, whatever their length.
    """

    depth: int = 0
    aliases: int = 0
    cost: int = 0
    beside: int = 0
    row: int = 0

    def __add__(self, other: "_SelectionWeight") -> "_SelectionWeight":
        return _SelectionWeight(
            max(self.depth, other.depth),
            self.aliases + other.aliases,
            self.cost + other.cost,
            self.beside + other.beside,
            self.row + other.row,
        )


class ComplexityLimiter(SchemaExtension):
    """Puts a TooComplex error in place of what the validator finds."""

    @override
    def on_validate(self) -> Iterator[None]:
        context = self.execution_context
        if context.graphql_document is not None:
            schema = context.schema._schema  # noqa: SLF001  Strawberry has no other word for it
            weight = weigh(context.graphql_document, context.variables or {}, schema, context.operation_name)
            refusal = _refusal(weight)
            if refusal is not None:
                context.pre_execution_errors = [GraphQLError(refusal.message, original_error=refusal)]
        yield


def weigh(
    document: DocumentNode, variables: Mapping[str, Any], schema: GraphQLSchema, operation_name: str | None = None
) -> Weight:
    return _Scale(document, variables, schema).weigh(operation_name)


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
    def __init__(self, document: DocumentNode, variables: Mapping[str, Any], schema: GraphQLSchema) -> None:
        self._operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
        self._fragments = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        self._schema = schema
        self._given = variables
        self._variables: Mapping[str, Any] = variables
        self._weighed: dict[str, _SelectionWeight] = {}
        self._names: Counter[str] = Counter()

    def weigh(self, operation_name: str | None) -> Weight:
        asked: Weight | None = None
        for operation in sorted(self._operations, key=lambda one: not _is_called(one, operation_name)):
            # All are validated, the one that was asked for is executed.
            self._variables = {**_defaults(operation), **self._given}
            part = self._set(operation.selection_set, self._schema.get_root_type(operation.operation))
            if asked is None and _is_called(operation, operation_name):
                held = _entries(self._variables) // ENTRIES_PER_COST
                asked = Weight(part.depth, part.aliases, part.cost + held)
        for name in self._fragments:
            self._fragment(name)
        return replace(asked or Weight(), comparisons=sum(map(_pairs, self._names.values())))

    def _set(self, selections: SelectionSetNode | None, parent: GraphQLObjectType | None) -> _SelectionWeight:
        return sum(
            (self._node(node, parent) for node in (selections.selections if selections else ())), _SelectionWeight()
        )

    def _node(self, node: object, parent: GraphQLObjectType | None) -> _SelectionWeight:
        if isinstance(node, FieldNode):
            return self._field(node, parent)
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        if isinstance(node, InlineFragmentNode):
            within = self._object(node.type_condition.name.value) if node.type_condition else parent
            return self._set(node.selection_set, within)
        raise TypeError(type(node).__name__)

    def _fragment(self, name: str) -> _SelectionWeight:
        if name not in self._weighed:
            # One that holds itself weighs nothing there, and is refused by the validator.
            self._weighed[name] = _SelectionWeight()
            if (fragment := self._fragments.get(name)) is not None:
                parent = self._object(fragment.type_condition.name.value)
                self._weighed[name] = self._set(fragment.selection_set, parent)
        return self._weighed[name]

    def _object(self, name: str) -> GraphQLObjectType | None:
        """None for what is no object, and for the types that describe the schema."""
        found = self._schema.get_type(name)
        return found if isinstance(found, GraphQLObjectType) and not name.startswith("__") else None

    def _field(self, node: FieldNode, parent: GraphQLObjectType | None) -> _SelectionWeight:
        name = node.name.value
        self._names[node.alias.value if node.alias else name] += 1
        field = parent.fields.get(name) if parent else None
        below = self._set(node.selection_set, self._object(get_named_type(field.type).name) if field else None)
        below = replace(below, aliases=below.aliases + (1 if node.alias else 0))
        if name.startswith("__"):
            # The schema lies in memory, and the tools' introspection query is deep.
            cost = 1 + below.cost // INTROSPECTED_PER_COST
            return _SelectionWeight(0, below.aliases, cost, cost)
        below = replace(below, depth=1 + below.depth)
        if field is None or parent is None:
            return _listed(below, 1, INTROSPECTED.get(name, 1))
        verb = VERBS.get(name) if parent in _roots(self._schema) else None
        return self._answered(node, f"{parent.name}.{name}", field, verb, below)

    def _answered(
        self, node: FieldNode, place: str, field: GraphQLField, verb: Verb | None, below: _SelectionWeight
    ) -> _SelectionWeight:
        own = verb.cost if verb else _field_cost(place, field)
        length = verb.length if verb else PAGE if "first" in field.args else None
        rows = None if length is None else self._rows(node, length)
        if is_list_type(get_nullable_type(field.type)):
            usual = LONGER_LISTS.get(place, USUAL_ROWS)
            return _listed(below, own, usual) if rows is None else _settled(below, own + rows * below.cost)
        if rows is None:
            return replace(below, cost=own + below.cost, beside=own + below.beside)
        return _settled(below, own + below.beside + rows * below.row)

    def _rows(self, node: FieldNode, length: Length) -> int:
        held: object = {argument.name.value: argument.value for argument in node.arguments or ()}
        for name in length.asked:
            held = self._value(held.get(name)) if isinstance(held, Mapping) else None
        asked = len(held) if isinstance(held, list) else _whole(held, length.usual)
        return asked if length.most is None else min(asked, length.most)

    def _value(self, node: object) -> object:
        """A variable's value; of an object, its fields as they are written; what is no literal, as it is."""
        match node:
            case VariableNode():
                return self._variables.get(node.name.value)
            case ObjectValueNode():
                return {field.name.value: field.value for field in node.fields}
            case ListValueNode():
                return list(node.values)
            case IntValueNode():
                # Longer ones are no Int.
                return int(node.value[:12])
            case ValueNode():
                return None
            case _:
                return node


def _field_cost(place: str, field: GraphQLField) -> int:
    """Of one that answers no verb."""
    declared = field.extensions.get("strawberry-definition")
    is_read = declared is not None and declared.base_resolver is not None
    return COSTLY.get(place, LOOKUP_COST if is_read else 1)


def _listed(below: _SelectionWeight, own: int, rows: int) -> _SelectionWeight:
    """A list of `rows` rows, unless what it answers knows better."""
    return replace(below, cost=own + rows * below.cost, beside=own, row=below.cost)


def _settled(below: _SelectionWeight, cost: int) -> _SelectionWeight:
    """Lists whose length is known."""
    return replace(below, cost=cost, beside=cost, row=0)


def _roots(schema: GraphQLSchema) -> tuple[GraphQLObjectType | None, ...]:
    return schema.query_type, schema.mutation_type, schema.subscription_type


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
