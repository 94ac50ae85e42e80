"""Where sentences and their independent clauses begin and end: spans of the text, so that a quote stays a quote."""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Span:
    """`text` without surrounding white space, as it stands in the source from `start` on."""

    text: str
    start: int


_BOUNDARY: Final = re.compile(r"[.!?…]+[\"'”’)\]]*(?:\s*[:;]-?[)DPp(])?(?=\s|\Z)|\n\s*|(?<=\w)\s+[:;]-?[)D]+(?=\s|\Z)")
_ABBREVIATION: Final = re.compile(
    r"(?:\A|[\s(])(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|no|fig|approx|dept|est|inc|ltd|co|jan|feb|mar|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|e\.g|i\.e|cf|al|[a-z]|[ap]\.m|u\.s|u\.k|ph\.d)\.\Z",
    re.IGNORECASE,
)
_ALWAYS_ABBREVIATED: Final = re.compile(
    r"(?:\A|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|no|fig|approx|[A-HJ-Z])\.\Z", re.IGNORECASE
)
_JOINT: Final = re.compile(
    r"(?:\s*;|,(?:\s+(?:and|but|so|plus|yet))?|\s+(?:and|but)|\s+[–—-])\s+"
    r"(?=(?:(?:also|now|then|recently|currently|actually)\s+)?(?:i|i['’](?:m|ve|ll|d)|we|we['’](?:re|ve|ll|d)|my|our|he|she)[\s'’]"
    r"|it(?:['’]s|\s+is|\s+was|\s+has)?\s+(?:no\s+longer|not|now)\b)"
    r"|,\s+(?:and|but|so)\s+(?=(?-i:[A-Z][\w'’]+)\s+(?:[a-z]+s|is|was|has|will|[a-z]+ed)\b)",
    re.IGNORECASE,
)
_CHANGED_STATE: Final = re.compile(r"it\b(?!.*\b(?:it|that|this|them|those|these|there)\b)", re.IGNORECASE)
_TWO_NAMES: Final = re.compile(
    r"(?P<head>[A-Z][\w'’-]*(?:\s[\w'’-]+){0,3}?\s(?:runs\son|uses|depends\son|relies\son|requires|supports|speaks"
    r"|is\s(?:built|based|written)\s(?:on|in|with)))\s(?P<first>[A-Z][\w+.#-]*(?:\s\d[\w.]*)?)\sand\s"
    r"(?P<second>[A-Z][\w+.#-]*?(?:\s\d[\w.]*?)?)\.?\Z"
)
_SUBORDINATE: Final = re.compile(
    r"^(?:if|when|while|since|because|although|though|after|before|once|as|until|unless|whenever|even)\b", re.IGNORECASE
)
_ANAPHOR: Final = re.compile(r"\b(?:it|that|this|them|those|these|there|one|ones|either|too|so)\b", re.IGNORECASE)
_SHORTEST_CLAUSE: Final = 3


def sentences(text: str) -> list[Span]:
    """Split at sentence ends and line breaks; abbreviations, initials, decimals, URLs and quotations stay whole."""
    found: list[Span] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        if boundary[0][0] == "." and _is_inside(text, start, boundary):
            continue
        if _has_open_quote(text, start, boundary.end()) and "\n" not in boundary[0]:
            continue
        found += _span(text, start, boundary.end())
        start = boundary.end()
    return found + _span(text, start, len(text))


def _is_inside(text: str, start: int, boundary: re.Match[str]) -> bool:
    head = text[max(start, boundary.start() - 12) : boundary.start() + 1]
    if not _ABBREVIATION.search(head):
        return text[boundary.end() : boundary.end() + 2].strip()[:1].islower()
    return bool(_ALWAYS_ABBREVIATED.search(head)) or not text[boundary.end() :].lstrip()[:1].isupper()


def _has_open_quote(text: str, start: int, end: int) -> bool:
    """An odd number of double quotes before, and the closing one not far behind."""
    head = text[start:end]
    is_open = head.count('"') % 2 == 1 or head.count("“") > head.count("”")
    return is_open and any(0 <= text.find(mark, end) < end + 300 for mark in '"”')


def _span(text: str, start: int, end: int) -> list[Span]:
    piece = text[start:end]
    stripped = piece.strip()
    return [Span(stripped, start + piece.index(stripped[0]))] if stripped else []


def clauses(sentence: str) -> list[str]:
    """Split off a clause with a subject of its own if both halves can stand alone."""
    if _SUBORDINATE.match(sentence) or '"' in sentence or "(" in sentence:
        return [sentence]
    found: list[str] = []
    start = 0
    for joint in _JOINT.finditer(sentence):
        head, tail = sentence[start : joint.start()], sentence[joint.end() :]
        if not (_stands(head) and _stands(tail)) or (_ANAPHOR.search(tail) and not _CHANGED_STATE.match(tail)):
            continue
        found.append(head.strip())
        start = joint.end()
    return [*found, sentence[start:].strip()]


def conjuncts(clause: str) -> list[str]:
    """Read "X runs on A and B" as two statements if A and B are names and the verb a lasting state."""
    match = _TWO_NAMES.match(clause)
    if match is None:
        return [clause]
    return [f"{match['head']} {match['first']}.", f"{match['head']} {match['second']}."]


def _stands(clause: str) -> bool:
    return len(clause.split()) >= _SHORTEST_CLAUSE
