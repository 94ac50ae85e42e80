"""Every list that a query can ask for weighs more than one of its rows: the limit of a query's cost holds everywhere.

The paths are read from the schema itself: a new verb or list is tried without an entry here.
"""

import pytest
from graphql import GraphQLInterfaceType, GraphQLUnionType, get_named_type, get_nullable_type, is_list_type, parse

from apps.api.graphql.complexity import weigh
from apps.api.graphql.schema import schema
from apps.api.verbs import VERBS

GRAPH = schema._schema
ROOTS = {"query": GRAPH.query_type, "mutation": GRAPH.mutation_type}
VERB_FIELDS = {name: (kind, field) for kind, root in ROOTS.items() for name, field in root.fields.items()}
ASKING = {"first", "limit", "weeks", "maxDepth"}
"""Arguments that say how long the answer may be."""


def fields_of(field):
    return getattr(get_named_type(field.type), "fields", {})


def is_list(field):
    return is_list_type(get_nullable_type(field.type)) and bool(fields_of(field))


def paths(field, path, within=()):
    """Those to every list below a field, each with how many lists lie on it."""
    kind = get_named_type(field.type).name
    if kind in within:
        return
    if is_list(field):
        yield path
    for name, inner in fields_of(field).items():
        if fields_of(inner):
            yield from paths(inner, (*path, (name, is_list(inner))), (*within, kind))


def rows(kind, names, given=""):
    """How many times a field at the end of a path is counted."""
    first, *others = names
    begun = "{ " + " { ".join([first + given, *others])
    costs = [
        weigh(parse(f"{kind} {begun} {{ {asked} }}" + " }" * len(names)), {}, GRAPH).cost
        for asked in ("unknownA", "unknownA unknownB")
    ]
    return costs[1] - costs[0]


@pytest.mark.parametrize("name", VERB_FIELDS)
def test_each_list_on_the_way_makes_what_is_asked_of_its_rows_dearer(name):
    kind, field = VERB_FIELDS[name]
    verb = VERBS[name]
    given = _asking(field, verb.length.asked, 2) if verb.length and verb.length.asked else ""

    for path in paths(field, ((name, is_list(field)),)):
        lists = sum(is_one for _, is_one in path)
        assert rows(kind, [step for step, _ in path], given) >= 2**lists, path


@pytest.mark.parametrize("name", [name for name in VERB_FIELDS if (length := VERBS[name].length) and length.asked])
def test_what_is_asked_for_by_number_is_what_is_counted(name):
    kind, field = VERB_FIELDS[name]
    path = next(path for path in paths(field, ((name, is_list(field)),)) if sum(is_one for _, is_one in path) == 1)

    given = _asking(field, VERBS[name].length.asked, 3)

    assert rows(kind, [step for step, _ in path], given) == 3


@pytest.mark.parametrize("name", VERB_FIELDS)
def test_a_verb_that_answers_as_many_as_are_asked_for_says_so_in_its_line(name):
    _, field = VERB_FIELDS[name]
    options = field.args.get("options")
    asking = [(each,) for each in field.args if each in ASKING]
    asking += [("options", each) for each in (get_named_type(options.type).fields if options else ()) if each in ASKING]
    length = VERBS[name].length

    assert asking == [] or (length is not None and length.asked in asking)
    assert length is not None or not (is_list(field) or "edges" in fields_of(field))


def test_no_field_answers_with_a_kind_that_the_limit_cannot_follow():
    followed = [kind for kind in GRAPH.type_map.values() if isinstance(kind, GraphQLInterfaceType | GraphQLUnionType)]

    assert followed == []


def _asking(field, path, count):
    """The arguments that ask for so many rows."""
    name, *inner = path
    given = field.args[name].type
    for each in inner:
        given = get_named_type(given).fields[each].type
    asked = f"[{' '.join(['1'] * count)}]" if is_list_type(get_nullable_type(given)) else str(count)
    for each in reversed(inner):
        asked = f"{{{each}: {asked}}}"
    return f"({name}: {asked})"
