"""The contract as TypeScript: contract.d.ts, verbs.js and verbs.d.ts, for which no compiler is needed."""

import json
from collections.abc import Iterator

from clients.openapi import Contract, Field, Kind, Operation, Shape

NOTE = "Made from openapi.json by scripts/generate_clients.py: do not edit."
_SCALARS = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "moment": "string",
    "day": "string",
    "json": "unknown",
}
_ANSWERS = {"": "{}", "Items": "{}[]", "Page": "Page<{}>"}


def files(contract: Contract) -> dict[str, str]:
    """Text by file name."""
    made = {"contract.d.ts": _contract(contract), "verbs.js": _verbs(contract), "verbs.d.ts": _signatures(contract)}
    return {name: "\n".join([f"// {NOTE}", *lines]) + "\n" for name, lines in made.items()}


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _contract(contract: Contract) -> Iterator[str]:
    for word in contract.words:
        yield from _comment(word.description, "")
        values = " | ".join(json.dumps(value) for value in word.values)
        yield f"export type {word.name} = {values};\n"
    yield from _comment("A part of a list; `next` is what to pass as `after`, null on the last page.", "")
    yield "export interface Page<Row> {\n  items: Row[];\n  next: string | null;\n}\n"
    for shape in contract.inputs:
        yield from _interface(shape, answered=False)
    for shape in contract.records:
        yield from _interface(shape, answered=True)


def _interface(shape: Shape, *, answered: bool) -> Iterator[str]:
    yield from _comment(shape.description, "")
    yield f"export interface {shape.name} {{"
    for field in shape.fields:
        yield from _comment(field.description, "  ")
        null = " | null" if answered and field.kind.optional else ""
        yield f"  {field.name}{'' if field.required else '?'}: {_type(field.kind)}{null};"
    yield "}\n"


def _verbs(contract: Contract) -> Iterator[str]:
    yield 'import { Connection } from "./connection.js";\n'
    yield "const segment = encodeURIComponent;\n"
    for operation in contract.operations:
        yield f"const {camel(operation.name)} = ({_names(operation)}) => ({{ {', '.join(_request(operation))} }});"
    yield "\nexport class Verbs extends Connection {"
    for operation in contract.operations:
        yield from _method(operation)
    yield "}"


def _request(operation: Operation) -> Iterator[str]:
    yield f'method: "{operation.method}"'
    yield f"path: {_path(operation)}"
    yield f"repeatable: {_repeatable(operation)}"
    if operation.in_query:
        yield f"query: {_sent(operation, operation.in_query)}"
    if operation.in_body is not None:
        yield f"body: {_sent(operation, operation.in_body)}"


def _path(operation: Operation) -> str:
    path = operation.path
    for field in operation.in_path:
        path = path.replace(f"{{{field.name}}}", f"${{segment({_argument(field)})}}")
    return f"`{path}`" if operation.in_path else f'"{path}"'


def _repeatable(operation: Operation) -> str:
    if operation.repeat_key is None or operation.makes_key:
        return str(operation.repeatable or operation.makes_key).lower()
    return f"options.{operation.repeat_key} != null"


def _sent(operation: Operation, fields: tuple[Field, ...]) -> str:
    """The options as they are, and what is required beside them."""
    parts = [f"{field.name}: {_argument(field)}" for field in fields if field.required]
    if operation.options:
        parts.append("...options")
    if operation.makes_key:
        parts.append(f"{operation.repeat_key}: options.{operation.repeat_key} ?? crypto.randomUUID()")
    return f"{{ {', '.join(parts)} }}" if parts else "{}"


def _method(operation: Operation) -> Iterator[str]:
    name, names = camel(operation.name), _names(operation)
    handed = names.replace(" = {}", "")
    unpacked = f"(await this.send({name}({handed}))).items" if operation.answer.wrapper == "Items" else None
    yield f"  async {name}({names}) {{\n    return {unpacked or f'this.send({name}({handed}))'};\n  }}"
    if operation.answer.wrapper == "Page":
        yield f"  {_iterator(name)}({names}) {{\n    return this.pages({name}({handed}));\n  }}"


def _signatures(contract: Contract) -> Iterator[str]:
    yield 'import type * as contract from "./contract.js";\nimport { Connection } from "./connection.js";\n'
    yield "export declare class Verbs extends Connection {"
    for operation in contract.operations:
        yield from _signature(operation)
    yield "}"


def _signature(operation: Operation) -> Iterator[str]:
    required = [f"{_argument(field)}: {_type(field.kind, 'contract.')}" for field in operation.required]
    options = [f"{field.name}?: {_type(field.kind, 'contract.')}" for field in operation.options]
    arguments = ", ".join([*required, *([f"options?: {{ {'; '.join(options)} }}"] if options else [])])
    shape = f"contract.{operation.answer.shape}"
    answer = _ANSWERS[operation.answer.wrapper].format(shape).replace("Page<", "contract.Page<")
    yield from _comment(" ".join(part for part in (operation.summary, operation.description) if part), "  ")
    yield f"  {camel(operation.name)}({arguments}): Promise<{answer}>;"
    if operation.answer.wrapper == "Page":
        yield f"  {_iterator(camel(operation.name))}({arguments}): AsyncIterable<{shape}>;"


def _names(operation: Operation) -> str:
    return ", ".join([*map(_argument, operation.required), *(["options = {}"] if operation.options else [])])


def _iterator(name: str) -> str:
    return f"iter{name[0].upper()}{name[1:]}"


def _argument(field: Field) -> str:
    return camel(field.name)


def _type(kind: Kind, prefix: str = "") -> str:
    word = f"{prefix}{kind.name}" if kind.is_shape else _SCALARS[kind.name]
    return f"{word}[]" if kind.many else word


def _comment(text: str, indent: str) -> Iterator[str]:
    if text:
        told = text.replace("\n", f"\n{indent} * ")
        yield f"{indent}/** {told} */"
