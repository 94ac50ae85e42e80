"""Counts lines of Python: those of code, of tests and their ratio, or those of the folders and files it is given.

`lines` are all of them; `code` is without blank lines, comments and docstrings; `statements` without imports, too.
Migrations and what is generated count for neither code nor tests.
"""

import ast
import io
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import generate_clients

ROOT = Path(__file__).resolve().parent.parent
CODE = ("apps", "config", "memory_platform", "memory_server", "sdk")
TESTS = ("tests",)
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True, slots=True)
class Count:
    lines: int = 0
    code: int = 0
    statements: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(self.lines + other.lines, self.code + other.code, self.statements + other.statements)

    def __str__(self) -> str:
        return f"{self.lines:>8,} lines {self.code:>8,} code {self.statements:>8,} statements"


def main() -> None:
    for folder in sys.argv[1:]:
        print(f"{folder:24}{_total([folder])}")
    if not sys.argv[1:]:
        code, tests = _total(CODE), _total(TESTS)
        print(f"code   {code}\ntests  {tests}\ntests to code: {tests.lines / code.lines:.2f}")


def _total(folders: Iterable[str]) -> Count:
    return sum((_count(path.read_text(encoding="utf-8")) for folder in folders for path in _files(folder)), Count())


def _files(folder: str) -> Iterator[Path]:
    generated = generate_clients.texts()
    named = ROOT / folder
    for path in [named] if named.is_file() else named.rglob("*.py"):
        if "migrations" not in path.parts and path not in generated:
            yield path


def _count(text: str) -> Count:
    tree = ast.parse(text)
    code = {number for token in _tokens(text) for number in range(token.start[0], token.end[0] + 1)}
    code -= _lines_of(filter(_is_docstring, ast.walk(tree)))
    imports = _lines_of(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return Count(len(text.splitlines()), len(code), len(code - imports))


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return (token for token in found if token.type not in _NO_CODE)


def _is_docstring(node: ast.AST) -> bool:
    """Also a string below a constant, which says what that is."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _lines_of(nodes: Iterable[ast.AST]) -> set[int]:
    return {number for node in nodes for number in range(node.lineno, node.end_lineno + 1)}


if __name__ == "__main__":
    main()
