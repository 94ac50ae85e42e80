"""Secrets of which only a table's heading says what they are: the cells below "password" or "api_key", and those of an
account and its bank.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memory_platform.text import secret_keys
from memory_platform.text.secret import Secret
from memory_platform.text.secret_languages import STEMS
from memory_platform.text.secret_words import Means, is_measure, is_placeholder, is_remark, looks_like

_HINT: Final = re.compile(
    r"pass|pwd|pw|mdp|senha|kennwort|contrase|wachtwoord|key|token|secret|cred|clave|pin|cvv|cvc|csc|cookie|authorization|"
    r"sort.?code|routing|(?<![a-z])aba|bsb|blz|bankleitzahl|" + "|".join(STEMS),
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"(?:[\w#%/().-]+(?:[ \t]+(?=\S)|\Z)){0,4}")
_RULE: Final = re.compile(r"[\s|:+=]*+-[\s|:+=-]*+")
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r?\n|\r|\Z)")
_QUOTES: Final = "\"'`"
_SHORTEST_NUMBER: Final = 4
_FEWEST_COLUMNS: Final = 2
_MOST_COLUMNS: Final = 200

Cut = Callable[[str], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class _Row:
    """A line, where it begins in the text, and where its cells lie in it: without blanks and quotes."""

    start: int
    line: str
    cells: Sequence[tuple[int, int]]

    def value(self, column: int) -> str:
        start, end = self.cells[column]
        return self.line[start:end]


def columns(text: str) -> Iterator[Secret]:
    """The cells of a table, in CSV, TSV, Markdown or columns of blanks, below a heading that names a secret.

    Takes time in proportion to the length of the text: a line is read at most twice for each way of parting cells.
    """
    if not _HINT.search(text):
        return
    lines = [(match.start(), match[0].rstrip("\r\n")) for match in _LINE.finditer(text)]
    place = 0
    while place < len(lines):
        rows = _table(lines, place) if _HINT.search(lines[place][1]) else []
        yield from _secrets(rows)
        place += max(len(rows), 1)


def _table(lines: Sequence[tuple[int, str]], first: int) -> list[_Row]:
    """The heading and the rows of the table that begins at a line; none where no secret is headed or no row follows."""
    for cut in _CUTS:
        heading = _row(lines[first], cut)
        if _headings(heading):
            below = list(_rows_below(lines, first, cut, width=len(heading.cells)))
            if any(len(row.cells) == len(heading.cells) for row in below):
                return [heading, *below]
    return []


def _rows_below(lines: Sequence[tuple[int, str]], first: int, cut: Cut, *, width: int) -> Iterator[_Row]:
    for place in range(first + 1, len(lines)):
        row = _row(lines[place], cut)
        if len(row.cells) != width and not _RULE.fullmatch(row.line) and _ends_table(row):
            return
        yield row


def _ends_table(row: _Row) -> bool:
    """Whether a row of another width is no row that was written amiss: a line that is not parted, or a heading."""
    return len(row.cells) < _FEWEST_COLUMNS or bool(_headings(row))


def _headings(row: _Row) -> dict[int, Means]:
    """Which columns hold secrets, and of which kind; none where the line is no heading."""
    names = [row.value(column) for column in range(len(row.cells))]
    if not _FEWEST_COLUMNS <= len(names) <= _MOST_COLUMNS or not all(_HEADING.fullmatch(name) for name in names):
        return {}
    surroundings = secret_keys.Surroundings.of_headings(names)
    meanings = {column: secret_keys.meaning_in(name, surroundings) for column, name in enumerate(names)}
    return {column: meaning for column, meaning in meanings.items() if meaning is not None}


def _secrets(rows: Sequence[_Row]) -> Iterator[Secret]:
    if not rows:
        return
    heading, *below = rows
    held = [row for row in below if len(row.cells) == len(heading.cells)]
    is_written = ", " in heading.line or "; " in heading.line
    headings = _headings(heading)
    below_it = {Means.BANK_ACCOUNT: _of_bank_accounts(heading, held, headings)}
    found = [
        secret
        for column, meaning in headings.items()
        for secret in _column(below_it.get(meaning, held), column, meaning, is_written=is_written)
    ]
    yield from sorted(found, key=lambda secret: secret.start)


def _of_bank_accounts(heading: _Row, rows: Sequence[_Row], headings: Mapping[int, Means]) -> list[_Row]:
    """The rows that hold the number of an account and that of its bank."""
    names = {column: heading.value(column) for column, meaning in headings.items() if meaning is Means.BANK_ACCOUNT}
    return [
        row
        for row in rows
        if names and secret_keys.holds_bank_account({name: row.value(column) for column, name in names.items()})
    ]


def _column(rows: Sequence[_Row], column: int, meaning: Means, *, is_written: bool) -> list[Secret]:
    """The secrets of a column; a column of mere remarks, such as "required", tells of secrets."""
    holding = [row for row in rows if _is_secret(meaning, row.value(column), is_written=is_written)]
    if all(is_remark(row.value(column)) for row in holding):
        return []
    kind = secret_keys.KIND_OF_MEANING[meaning]
    return [Secret(row.start + row.cells[column][0], row.start + row.cells[column][1], kind) for row in holding]


def _is_secret(meaning: Means, value: str, *, is_written: bool) -> bool:
    """People write commas, too: a word behind theirs is no password."""
    if is_placeholder(value):
        return False
    if meaning is not Means.PASSWORD or is_written:
        return looks_like(meaning, value)
    is_count = is_measure(value) and not (value.isdecimal() and len(value) >= _SHORTEST_NUMBER)
    return not is_count and secret_keys.is_secret_text(meaning, value)


def _row(line: tuple[int, str], cut: Cut) -> _Row:
    start, text = line
    return _Row(start, text, [_bare(text, *cell) for cell in cut(text)])


def _bare(line: str, start: int, end: int) -> tuple[int, int]:
    """A cell without the blanks and the quotes around what it holds."""
    while start < end and line[start].isspace():
        start += 1
    while start < end and line[end - 1].isspace():
        end -= 1
    is_quoted = end - start > 1 and line[start] in _QUOTES and line[start] == line[end - 1]
    return (start + 1, end - 1) if is_quoted else (start, end)


def _marked(mark: str) -> Cut:
    """Cells between marks; within double quotes a mark is text."""
    cell = re.compile(rf'[ \t]*"(?:[^"]|"")*+"[ \t]*(?={re.escape(mark)}|\Z)|[^{re.escape(mark)}]*+')

    def cut(line: str) -> Iterator[tuple[int, int]]:
        end = -1
        while end < len(line) and (match := cell.match(line, end + 1)):
            yield match.span()
            end = match.end()

    return cut


_ALIGNED: Final = re.compile(r"\S+(?: \S+)*+")


def _aligned(line: str) -> Iterator[tuple[int, int]]:
    """Cells between two blanks or more."""
    return (match.span() for match in _ALIGNED.finditer(line))


_CUTS: Final[tuple[Cut, ...]] = (*map(_marked, ",;\t|"), _aligned)
