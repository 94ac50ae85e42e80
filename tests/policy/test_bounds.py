"""A bound that is published is kept: what is past it is refused, and names the field."""

from uuid import UUID

import pytest
from django.test import Client
from graphql import get_named_type, is_leaf_type
from pydantic import ValidationError

from apps.api.admission import LONGEST_MESSAGE, LONGEST_NAME
from apps.api.contract import LARGEST, BulkLine
from apps.api.exports.contract import MessageLine
from apps.api.graphql.schema import schema
from apps.api.sessions.contract import IngestLine
from memory_platform.errors import Invalid
from tests.policy.conftest import ask, post
from tests.policy.test_inputs import kinds
from tests.policy.test_secrets import VARIABLES, filled, put, request, rest_inputs, send, without_limits


def past(field, shapes):
    """Values that are each past one bound of a field."""
    if "anyOf" in field:
        # A bound beside the alternatives is one of the field, whichever of them it is.
        beside = {name: held for name, held in field.items() if name != "anyOf"}
        for each in field["anyOf"]:
            yield from past({**beside, **each}, shapes) if each.get("type") != "null" else ()
        return
    for name, past_it in _PAST.items():
        if name in field:
            yield past_it(field[name])
    if "maxItems" in field:
        yield [sample(field["items"], shapes)] * (field["maxItems"] + 1)
    if field.get("type") == "array":
        yield from ([each] for each in past(field["items"], shapes))


_PAST = {
    "maxLength": lambda bound: "x" * (bound + 1),
    "pattern": lambda _: "no such thing \n",
    "minimum": lambda bound: bound - 1,
    "maximum": lambda bound: bound + 1,
    "exclusiveMinimum": lambda bound: bound,
    "exclusiveMaximum": lambda bound: bound,
}


def sample(field, shapes):
    """A value that keeps the bounds."""
    if "$ref" in field:
        return sample(shapes[field["$ref"].rpartition("/")[2]], shapes)
    if "enum" in field:
        return field["enum"][0]
    if field.get("type") == "object":
        return {name: sample(field["properties"][name], shapes) for name in field.get("required", ())}
    return _SAMPLES.get(field.get("format", field.get("type")), "x")


_SAMPLES = {"uuid": str(UUID(int=1)), "date": "2026-03-01", "date-time": "2026-03-01T09:00:00Z", "integer": 1}


def tried():
    for kind in kinds():
        schema_ = kind.model_json_schema()
        for name, field in schema_.get("properties", {}).items():
            yield from ((kind, name, value) for value in past(field, schema_.get("$defs", {})))


def is_refused(kind, name, value):
    try:
        kind.model_validate({name: value})
    except Invalid:
        return True
    except ValidationError as error:
        # What else is wrong is that the other fields are missing.
        return any(each["loc"][0] == name for each in error.errors())
    return False


def test_what_is_past_a_bound_that_is_published_is_refused():
    bounds = [each for each in tried() if not issubclass(each[0], BulkLine)]

    assert len(bounds) > 300
    assert [(kind.__name__, name) for kind, name, value in bounds if not is_refused(kind, name, value)] == []


def test_a_line_of_many_that_is_past_a_bound_is_told_of_and_not_stored(victim):
    bounds = [(name, value) for kind, name, value in tried() if kind is IngestLine]
    line = {"external_id": "past-a-bound", "session_id": "past-a-bound", "content": "The bridge opens at noon."}

    for name, value in bounds:
        (told,) = post("/api/v1/ingest", {**line, name: value}, victim.token).json()["results"]
        assert (told["status"], told["field"]) == ("invalid", name)
    assert {kind for kind, _, _ in tried() if issubclass(kind, BulkLine)} == {IngestLine, MessageLine}
    assert len(bounds) == 7


ROOTS = {"query": schema._schema.query_type, "mutation": schema._schema.mutation_type}


def arguments_of(*names):
    """Those of root fields that are of one of these kinds, each as kind, verb and argument."""
    return [
        (kind, name, argument)
        for kind, root in ROOTS.items()
        for name, field in root.fields.items()
        for argument, given in field.args.items()
        if get_named_type(given.type).name in names
    ]


def refused_field(victim, place, value):
    """Which field GraphQL refuses a verb for, with one of its arguments so."""
    kind, name, argument = place
    field = ROOTS[kind].fields[name]
    variables = filled(put(VARIABLES.get(name), (argument,), value), victim)
    declared = ", ".join(f"${each}: {field.args[each].type}" for each in variables)
    passed = ", ".join(f"{each}: ${each}" for each in variables)
    selected = "" if is_leaf_type(get_named_type(field.type)) else "{ __typename }"
    told = ask(f"{kind}({declared}) {{ {name}({passed}) {selected} }}", variables, victim.token).json()
    return told["errors"][0]["extensions"].get("field") if "errors" in told else None


@pytest.mark.parametrize("place", arguments_of("Int"), ids=" ".join)
@pytest.mark.parametrize("value", [-1, LARGEST])
def test_a_number_beside_the_inputs_is_bounded(victim, place, value):
    assert refused_field(victim, place, value) == place[2]


@pytest.mark.parametrize("place", arguments_of("String"), ids=" ".join)
def test_a_text_beside_the_inputs_is_bounded(victim, place):
    value = "x" * (LONGEST_MESSAGE + 1)
    kind, name, argument = place
    given = [value] if "[" in str(ROOTS[kind].fields[name].args[argument].type) else value

    assert (refused_field(victim, place, given) or "").partition(".")[0] == argument


AS_LONG_AS_NAMES = ("b" * LONGEST_NAME, f"{'The bell rings at noon. ' * 9}"[:LONGEST_NAME])


@pytest.mark.timeout(600)
def test_what_is_as_long_as_a_name_may_be_is_stored_or_refused_and_no_failure(victim):
    """A column that is shorter than its bound would be one."""
    without_limits(victim)
    client = Client()
    tried = [(each, text) for each in rest_inputs() for text in AS_LONG_AS_NAMES]
    answers = [send(client, request(each, text, victim), at, victim) for at, (each, text) in enumerate(tried)]

    assert len(tried) > 200
    failed = [each for (each, _), answer in zip(tried, answers, strict=True) if answer.status_code >= 500]
    assert list(map(str, failed)) == []
