"""The contract as Python: memory_client's contract.py, operations.py and verbs.py."""

import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator

from clients.openapi import Contract, Field, Kind, Operation, Shape

NOTE = "Made from openapi.json by scripts/generate_clients.py: do not edit."
WIDTH = 116
_SCALARS = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "moment": "datetime",
    "day": "date",
    "json": "Any",
}
_READERS = {"": "one", "Items": "several", "Page": "page_of"}
_ANSWERS = {"": "{}", "Items": "tuple[{}, ...]", "Page": "Page[{}]"}


def files(contract: Contract) -> dict[str, str]:
    """Text by file name."""
    made = {"contract.py": _contract(contract), "operations.py": _operations(contract), "verbs.py": _verbs(contract)}
    return {name: _formatted("\n".join(lines)) for name, lines in made.items()}


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _contract(contract: Contract) -> Iterator[str]:
    yield f'"""The words, inputs and records of the service. {NOTE}"""'
    yield "from collections.abc import Sequence\nfrom dataclasses import dataclass\nfrom datetime import date, datetime"
    yield "from typing import Any, Literal, Required, TypedDict\n\nfrom memory_client.decoding import Record\n"
    for shape in contract.words:
        yield f"{shape.name} = Literal[{', '.join(repr(value) for value in shape.values)}]"
        yield from _docstring(*shape.description.splitlines(), indent="")
    for shape in contract.inputs:
        yield from _input(shape)
    for shape in contract.records:
        yield from _record(shape)


def _input(shape: Shape) -> Iterator[str]:
    yield f"class {shape.name}(TypedDict, total=False):"
    yield from _docstring(shape.description)
    for field in shape.fields:
        asked = _asked(field.kind)
        yield f"    {field.name}: {f'Required[{asked}]' if field.required else asked}"
        yield from _docstring(field.description)


def _record(shape: Shape) -> Iterator[str]:
    yield f"@dataclass(frozen=True, slots=True)\nclass {shape.name}(Record):"
    yield from _docstring(shape.description)
    for field in shape.fields:
        yield f"    {field.name}: {_answered(field)}"
        yield from _docstring(field.description)


def _operations(contract: Contract) -> Iterator[str]:
    shapes = {each.answer.shape for each in contract.operations}
    shapes |= {field.kind.name for each in contract.operations for field in each.fields if field.kind.is_shape}
    yield f'"""Each verb as the request it sends. {NOTE}"""'
    yield "from collections.abc import Sequence\nfrom datetime import date, datetime\nfrom typing import Any\n"
    yield f"from memory_client.contract import {', '.join(sorted(shapes))}"
    yield "from memory_client.decoding import Page, one, page_of, present, several"
    yield "from memory_client.requests import Request, new_id, segment\n"
    for operation in contract.operations:
        yield from _operation(operation)


def _operation(operation: Operation) -> Iterator[str]:
    required = [f"{_name(field)}: {_asked(field.kind)}" for field in operation.required]
    options = [f"{_name(field)}: {_asked(field.kind)} | None = None" for field in operation.options]
    arguments = ", ".join([*required, *(["*"] if options else []), *options])
    answer = _ANSWERS[operation.answer.wrapper].format(operation.answer.shape)
    yield f"def {snake(operation.name)}({arguments}) -> Request[{answer}]:"
    described = [f"{_name(field)}: {field.description}" for field in operation.fields if field.description]
    yield from _docstring(operation.summary, operation.description, *described)
    yield f"    return Request({', '.join(_request(operation))})"


def _request(operation: Operation) -> Iterator[str]:
    yield repr(operation.method)
    yield _path(operation)
    yield f"{_READERS[operation.answer.wrapper]}({operation.answer.shape})"
    yield f"repeatable={_repeatable(operation)}"
    if operation.in_query:
        yield f"query={_present(operation, operation.in_query)}"
    if operation.in_body is not None:
        yield f"body={_present(operation, operation.in_body)}"


def _path(operation: Operation) -> str:
    path = operation.path
    for field in operation.in_path:
        path = path.replace(f"{{{field.name}}}", f"{{segment({_name(field)})}}")
    return f'f"{path}"' if operation.in_path else f'"{path}"'


def _repeatable(operation: Operation) -> str:
    if operation.repeat_key is None or operation.makes_key:
        return str(operation.repeatable or operation.makes_key)
    return f"{operation.repeat_key} is not None"


def _present(operation: Operation, fields: Iterable[Field]) -> str:
    values = (
        f"{field.name!r}: {_name(field)}"
        + (" or new_id()" if operation.makes_key and field.name == operation.repeat_key else "")
        for field in fields
    )
    return f"present({{{', '.join(values)}}})"


def _verbs(contract: Contract) -> Iterator[str]:
    yield f'"""The verbs as methods of both clients. {NOTE}"""'
    yield "from memory_client import operations"
    yield "from memory_client.running import Awaiting, Blocking, awaiting, blocking, every, every_awaiting\n"
    for driver, method, pages in (("Blocking", "blocking", "every"), ("Awaiting", "awaiting", "every_awaiting")):
        yield f"class {driver}Verbs({driver}):"
        for operation in contract.operations:
            name = snake(operation.name)
            yield f"    {name} = {method}(operations.{name})"
            if operation.answer.wrapper == "Page":
                yield f"    iter_{name} = {pages}(operations.{name})"


def _name(field: Field) -> str:
    return f"{field.name}_" if keyword.iskeyword(field.name) else field.name


def _asked(kind: Kind) -> str:
    word = kind.name if kind.is_shape else _SCALARS[kind.name]
    return f"Sequence[{word}]" if kind.many else word


def _answered(field: Field) -> str:
    kind = field.kind
    word = kind.name if kind.is_shape else _SCALARS[kind.name]
    many = f"tuple[{word}, ...]" if kind.many else word
    return f"{many}{' | None' if kind.optional else ''}{'' if field.required else ' = None'}"


def _docstring(*parts: str, indent: str = "    ") -> Iterator[str]:
    said = [part for part in parts if part]
    if not said:
        return
    first, *rest = (textwrap.wrap(part, WIDTH - len(indent)) for part in said)
    lines = [*first, *(line for part in rest for line in ["", *part])]
    if len(lines) == 1 and len(lines[0]) <= WIDTH - len(indent) - 3:
        yield f'{indent}"""{lines[0]}"""'
        return
    yield f'{indent}"""{lines[0]}'
    yield from (f"{indent}{line}".rstrip() for line in lines[1:])
    yield f'{indent}"""'


def _formatted(text: str) -> str:
    """As the repository's own formatter has it, imports that are not used left out."""
    for command in (["check", "--fix", "--quiet", "--select", "F401,I"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", "sdk/python/memory_client/made.py", "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text
