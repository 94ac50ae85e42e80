"""The names a text holds where nobody parses it (a query, say): people, places and products by their capitals; and what
machines write: handles, URLs, paths.

Rules cannot tell a person from a place; `EntityForm` says only how a name is written, which is what can be known.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memory_platform.text.dates.spans import MONTHS, WEEKDAYS
from memory_platform.text.terms import POSTGRESQL_ENGLISH_STOP_WORDS


class EntityForm(StrEnum):
    NAME = "name"
    URL = "url"
    EMAIL = "email"
    HANDLE = "handle"
    HASHTAG = "hashtag"
    PATH = "path"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name as the text writes it, without possessive or closing punctuation, and where it starts.

    `label` is what a reader took it for (parse.Named), empty where none looked.
    """

    name: str
    form: EntityForm
    start: int
    label: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.name)


_WRITTEN: Final = re.compile(
    r"""(?P<url>\bhttps?://[^\s<>"')\]]{3,300})
      | (?P<email>(?<![\w.+-])[\w+-][\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{2,63}){1,4}\b)
      | (?P<handle>(?<![\w@.])@[A-Za-z_][\w.-]{1,38}\w)
      | (?P<hashtag>(?<![\w\#&])\#[A-Za-z]\w{1,60})
      | (?P<reference>\b(?:ADR|RFC|PEP|CVE|JIRA|ISSUE)[-\s]?\d[\d-]{0,12}\b|\b[A-Z]{2,8}-\d{1,6}\b)
      | (?P<path>(?<![\w/.-])(?:~|\.{1,2})?(?:/[\w.+-]{1,80}){2,12}/?|
        (?<![\w/.-])[\w.-]{1,60}(?:/[\w.-]{1,60}){1,12}\.\w{1,6}\b
        |(?<![\w/.@-])[\w-]{1,60}\.(?:py|ts|tsx|js|go|rs|java|md|ya?ml|toml|json|sql|sh|conf|ini|tf|csv|txt|pdf|ipynb)\b)""",
    re.VERBOSE,
)
_FORMS: Final = {form.value: form for form in EntityForm}
_NAME_WORD: Final = r"(?:[A-Z][\w&]*(?:['’.-][A-Za-z]\w*)*|[a-z]+[A-Z]\w*)"
_NAMES: Final = re.compile(
    rf"(?<![\w@#/.-]){_NAME_WORD}(?:\s+(?:(?:of|de|van|von|der|la|du|the|and)\s+(?={_NAME_WORD}))?{_NAME_WORD}"
    rf"|\s+\d{{1,4}}\b(?![:%]|\.\d))*"
)
_OPENER: Final = re.compile(r"(?:\A|[.!?:;…]['\"”)]*\s+|\n|[\"“(*•-]\s*)\s*\Z")
_ODD_CASE: Final = re.compile(r"[A-Z]{2,}[\d&]*s?|(?:(?![a-z][A-Z])\w)*+[a-z][A-Z]\w*+|[A-Z][^\W\d]*+\d\w*+")
_NO_NAME_WORDS: Final = """
    i i'm i've i'd i'll ok okay hi hey hello thanks thank yes yeah yep no nope oh wow well so also please sorry sure
    great good nice cool dear mr mrs ms dr sir madam god lol omg btw fyi tv pm am ps asap idk imo haha congrats bye
    today tomorrow yesterday
"""
# Words that open a sentence with a capital and are no part of the name behind them: "Use PostgreSQL", "Met Anna".
_OPENING_WORDS: Final = """
    use try run add set get make take see read write call ask tell give show find keep let put send open close move
    visit meet met saw went got made took had loved liked bought told asked called visited used ran won lost left came
    family friends kids people life music work love home time day year week dad mom mum everyone everything someone
    something nothing nobody nature art food sports exercise dancing education health money last next first second new
    old big small best happy proud both many most some every one two three four five six seven eight nine ten another
    since until while during after before because although though if when where however therefore meanwhile finally
    maybe perhaps actually basically honestly luckily unfortunately hopefully recently currently usually sometimes
    often always never still even just only yesterday though plus instead check note remember prefer prefers deploy
    deploys never avoid install create update delete remove replace start stop restart enable disable
"""
CALENDAR: Final = frozenset(
    {*(day_or_month[:length] for day_or_month in (*WEEKDAYS, *MONTHS) for length in (3, 9)), "sept"}
)
NO_NAME: Final = CALENDAR | frozenset(_NO_NAME_WORDS.split())
"""Words with a capital that name nobody: days, months, small talk."""
_NO_NAMES: Final = POSTGRESQL_ENGLISH_STOP_WORDS | NO_NAME
_CONTRACTION: Final = re.compile(r"['’](?:s|m|ve|d|ll|re|t)\Z", re.IGNORECASE)
_OPENING: Final = frozenset(_OPENING_WORDS.split())
_ORDINARY_ENDING: Final = re.compile(r"[a-z]{2,}(?:ing|ed|ly|ness|tion|ment)", re.IGNORECASE)
_JOINER: Final = re.compile(r"(?<!\s)\s++and\s+")
_SPACED: Final = re.compile(r"\S+")


def find(text: str, *, known: Collection[str] = ()) -> tuple[FoundName, ...]:
    """Every name of `text`, in order, each once (case folded).

    A capital at the start of a sentence is a name only if it is in `known` (the speakers, say), written oddly (iOS,
    NASA), part of a longer name, or capitalised elsewhere inside a sentence. Days and months are none.
    """
    by_machines = written(text)
    taken = [(found.start, found.end) for found in by_machines]
    folded = {name.casefold() for name in known}
    starts = [start for start, _ in taken]

    def is_taken(found: FoundName) -> bool:
        index = bisect_left(starts, found.end) - 1
        return index >= 0 and found.start < taken[index][1]

    names = [found for found in _names(text, folded) if not is_taken(found)]
    unique: dict[str, FoundName] = {}
    for found in sorted([*by_machines, *names], key=lambda found: found.start):
        unique.setdefault(found.name.casefold(), found)
    return tuple(unique.values())


def is_calendar(word: str) -> bool:
    """Whether a word is a day or a month, in the plural or cut short, too."""
    folded = word.casefold().rstrip(".")
    return folded in CALENDAR or (folded.endswith("days") and folded.removesuffix("s") in CALENDAR)


def written(text: str) -> tuple[FoundName, ...]:
    """What machines write, every occurrence in order: URLs, addresses, handles, paths, tickets."""
    return tuple(_written(match) for match in _WRITTEN.finditer(text))


def entity_names(text: str, *, known: Collection[str] = ()) -> tuple[str, ...]:
    """The names alone: what Fact.entities holds."""
    return tuple(found.name for found in find(text, known=known))


def _written(match: re.Match[str]) -> FoundName:
    name = match[0].rstrip(".,;:!?")
    return FoundName(name, _FORMS[match.lastgroup or EntityForm.NAME], match.start())


def _names(text: str, known: set[str]) -> Iterator[FoundName]:
    spans = [span for match in _NAMES.finditer(text) for span in _parts(match)]
    inside = {
        word.casefold()
        for start, name in spans
        if not _OPENER.search(text, max(0, start - 6), start)
        for word in name.split()
    }
    for start, name in spans:
        at, kept = _trimmed(start, name)
        if kept and at == start and _OPENER.search(text, max(0, start - 6), start):
            at, kept = _opened(at, kept, known, inside)
        if kept:
            yield FoundName(_bare(kept), EntityForm.NAME, at)


def _parts(match: re.Match[str]) -> Iterator[tuple[int, str]]:
    """Split "Anna and Ben", two names; "Anna Berg" is one."""
    at = match.start()
    for joiner in [*_JOINER.finditer(match[0]), None]:
        end = match.start() + joiner.start() if joiner else match.end()
        yield at, match.string[at:end]
        at = match.start() + joiner.end() if joiner else end


def _trimmed(start: int, name: str) -> tuple[int, str]:
    """Without the words at either end that are no name: "The Beatles", "I", "Monday Anna"."""
    words = list(_SPACED.finditer(name))
    first, end = 0, len(words)
    while first < end and _is_no_name(words[first][0]):
        first += 1
    while first < end and (_is_no_name(words[end - 1][0]) or (end - first == 1 and words[first][0].isdigit())):
        end -= 1
    if first == end:
        return start, ""
    at = words[first].start()
    return start + at, name[at : words[end - 1].end()]


def _is_no_name(word: str) -> bool:
    folded = _CONTRACTION.sub("", word.casefold().replace("’", "'").rstrip("."))
    return folded in _NO_NAMES or word.casefold().replace("’", "'") in _NO_NAMES or (len(folded) == 1)


def _opened(start: int, name: str, known: Collection[str], inside: Collection[str]) -> tuple[int, str]:
    """What of a sentence's first words is a name; their capitals say nothing about the very first one."""
    first, _, rest = name.partition(" ")
    word = _bare(first).casefold()
    if _bare(name).casefold() in known or word in known or word in inside or _ODD_CASE.fullmatch(_bare(first)):
        return start, name
    if word in _OPENING or _ORDINARY_ENDING.fullmatch(word):
        return _trimmed(start + len(first) + 1, rest)
    is_possessive = first.endswith(("'s", "’s"))
    return (start, name) if is_possessive or rest[:1].isupper() else (start, "")


def _bare(name: str) -> str:
    return _CONTRACTION.sub("", name.rstrip("."))
