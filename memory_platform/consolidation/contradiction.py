"""How two statements contradict each other, by rules: negation, opposites, a changed value, an explicit correction."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Final

from memory_platform.consolidation.claims import Reading, alignment, missing_names, read, unmatched
from memory_platform.text.lexicon import OPPOSITES, is_same_word, stem, swaps


class Disagreement(StrEnum):
    """Stable codes, stored with the link between the two items."""

    NEGATED = "negated"
    OPPOSITE = "opposite"
    VALUE_CHANGED = "value_changed"
    CORRECTED = "corrected"


_COEXIST: Final = frozenset({"also", "too", "another", "other", "additionally", "besides", "second"})
"""Words with which a speaker adds to what was said before instead of replacing it."""
_MODALS: Final = frozenset({"must", "should", "shall", "might"})
_BE: Final = r"(?:is|are|am|was|were|'re|'m)"
_NOW: Final = r"(?:(?:now|actually|currently|really|still|today)\s+)*"
_CHANGED: Final = (
    r"(?:moved|changed|pushed(?:\s+back)?|postponed|raised|lowered|increased|decreased|reduced|rescheduled|upgraded|"
    r"updated|bumped|switched|migrated|shifted|extended|set|cut)"
)
_ATTRIBUTES: Final = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("name", rf"^(?P<subject>.+?)\s+(?:{_BE}|was\s+renamed(?:\s+to)?)\s+{_NOW}(?:called|named)\s+(?P<value>.+)$"),
        ("name", rf"^(?P<subject>.+?)(?:'s)?\s+name\s+{_BE}\s+{_NOW}(?P<value>.+)$"),
        ("employer",
         rf"^(?P<subject>.+?)\s+{_NOW}(?:works?|working|is\s+employed|started)\s+{_NOW}(?:for|at|by)\s+(?P<value>.+)$"),
        ("spouse", rf"^(?P<subject>.+?)\s+{_BE}\s+{_NOW}(?:married|engaged)\s+to\s+(?P<value>.+)$"),
        ("school",
         rf"^(?P<subject>.+?)\s+{_NOW}(?:studies\s+at|goes\s+to|attends)\s+(?P<value>[^a-z].+)$"),
        ("place", rf"^(?P<subject>.+?)\s+{_NOW}(?:lives?|living|resides?|stays?|runs?)\s+{_NOW}in\s+(?P<value>.+)$"),
        ("place", rf"^(?P<subject>.+?)\s+{_BE}\s+{_NOW}(?:based|hosted|located|deployed|living)\s+in\s+(?P<value>.+)$"),
        ("change",
         rf"^(?P<subject>.+?)\s+(?:(?:was|were|is|has\s+been|have\s+been|got)\s+)?{_NOW}{_CHANGED}\s+(?:from\s+.+?\s+)?to\s+(?P<value>.+)$"),
        ("value", rf"^(?P<subject>.+?)\s+{_BE}\s+{_NOW}(?P<value>.+)$"),
    )
)  # fmt: skip
_ABANDONED: Final = re.compile(
    r"\b(?:from\s+(?P<a>[^,.]+?)\s+to\s+(?P<to>[^,.]+)|(?:instead|in\s+place)\s+of\s+(?P<b>[^,.]+)"
    r"|rather\s+than\s+(?P<c>[^,.]+)|replaced?\s+(?P<d>[^,.]+?)\s+(?:with|by)\s+(?P<with>[^,.]+)"
    r"|no\s+longer\s+(?:\w+\s+)?(?P<e>[^,.]+?)\s+but\b|not\s+(?P<f>[^,.]+?)\s+but\b)",
    re.IGNORECASE,
)
_CORRECTING: Final = re.compile(
    r"^(?:actually|correction|sorry|no,|wait)\b|\b(?:i\s+meant|scratch\s+that|was\s+wrong\s+about|not\s+anymore|"
    r"turns\s+out)\b|\b(?:actually|instead|now)\b",
    re.IGNORECASE,
)
_SOLE: Final = frozenset(
    stem(word)
    for word in ("owns", "leads", "manages", "maintains", "runs", "chairs", "heads", "coaches", "owner", "approves")
)
"""Verbs with one subject at a time: a new one replaces the old."""
_FUNCTIONAL: Final = frozenset(
    stem(word)
    for word in (
        "deadline", "provider", "lead", "owner", "manager", "boss", "doctor", "dentist", "teacher", "therapist", "name",
        "region", "theme", "language", "framework", "author", "colour", "color", "favourite", "favorite", "port",
        "address", "email", "phone", "number", "status", "capital", "default", "primary", "version", "budget", "price",
        "limit", "timeout", "birthday", "size", "age", "host", "server", "editor", "partner", "captain", "password",
        "database", "stack", "platform", "tool", "job", "title", "major", "goal", "venue", "location", "nickname",
        "president", "contact", "salary", "rent", "schedule", "channel", "branch", "cluster", "vendor", "plan",
    )
)  # fmt: skip
_BY: Final = re.compile(r"\b(?:is|are|was|were|been|being|be)\s+(?:\w+\s+)?\w+(?:ed|en)\s+by\s+(\w+)")
"""Who does it, in a passive sentence."""
_DEFINITE: Final = re.compile(r"^(?:the|my|our|your|his|her|their)\b|^\S+(?:\s\S+)?'s?\s", re.IGNORECASE)
"""Subjects that there is one of: "the log store is X", "Anna's dog is Y"."""
_IDENTIFIED: Final = re.compile(
    r"\b(?:node|issue|sprint|incident|ticket|adr|pr|rfc|room|chapter|phase|step|shard|episode|season|line|bug|case|order|"
    r"invoice|task|web|level|part|day|week|android|ios)[\s#-]+(?:no\.?\s*)?(\d+)",
    re.IGNORECASE,
)
_STATIVE: Final = re.compile(
    rf"\b{_BE}\b|\b(?:has|have|takes?|costs?|uses?|needs?|requires?|listens?|expires?|lasts|runs?|turns|weighs|measures|earns|pays|"
    rf"owns?|wakes?|gets|starts|ends|opens|closes|leaves|arrives|scrapes?|deploy|deploys|meets?|supports?|allows?|lives?|contains?|"
    rf"keeps?|retains?|sleeps?|works?|celebrates?|{_CHANGED})\b",
    re.IGNORECASE,
)
_CHANGE_WORDS: Final = frozenset(stem(word) for word in _CHANGED.strip("(?:)").replace(r"(?:\s+back)?", "").split("|"))
_CALENDAR_VALUE: Final = re.compile(
    r"^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)$"
)


def disagreement(
    newer: str, older: str, *, newer_entities: Sequence[str] = (), older_entities: Sequence[str] = ()
) -> Disagreement | None:
    """How two texts contradict each other (NEGATED, OPPOSITE, VALUE_CHANGED, CORRECTED), or None when both can hold.

    Cautious on purpose: a missed contradiction leaves two items side by side, an invented one hides a true memory.
    """
    new, old = read(newer, newer_entities), read(older, older_entities)
    if not _COEXIST.isdisjoint(new.words) or set(_IDENTIFIED.findall(newer)) != set(_IDENTIFIED.findall(older)):
        return None
    if new.is_negated != old.is_negated:
        positive, negative = (old, new) if new.is_negated else (new, old)
        return Disagreement.NEGATED if _denies(negative, positive) else None
    if _is_opposite(new, old):
        return Disagreement.OPPOSITE
    if _replaces(newer, new, old):
        return Disagreement.CORRECTED
    if _number_changed(newer, older, new, old) or _is_redated(newer, new, old) or _attribute_changed(newer, older):
        return Disagreement.VALUE_CHANGED
    return Disagreement.CORRECTED if _corrects(newer, older, new, old) else None


def restates(newer: str, older: str, *, newer_entities: Sequence[str] = (), older_entities: Sequence[str] = ()) -> bool:
    """Whether the newer text says the older one again with one part exchanged, and says that it does."""
    return _corrects(newer, older, read(newer, newer_entities), read(older, older_entities))


def _denies(negative: Reading, positive: Reading) -> bool:
    """Whether what is negated is no more special than what is affirmed: "no tea" denies "green tea", not reversed."""
    if swaps(negative.stems, positive.stems, OPPOSITES):
        return False
    if unmatched(negative, positive) - _MODALS or not negative.numbers <= positive.numbers:
        return False
    has_same_names = not (missing_names(negative, positive, openers=True) or missing_names(positive, negative))
    return has_same_names and len(negative.content) >= min(2, len(positive.content))


def _is_opposite(new: Reading, old: Reading) -> bool:
    """One pair of opposites in otherwise the same statement; two pairs tell of two situations ("light by day …")."""
    pairs = swaps(new.stems, old.stems, OPPOSITES)
    mine, theirs = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    if len(mine) != 1 or len(theirs) != 1 or (new.numbers != old.numbers and new.numbers and old.numbers):
        return False
    return not (unmatched(new, old) - mine) and not (unmatched(old, new) - theirs)


def _replaces(newer: str, new: Reading, old: Reading) -> bool:
    """The newer text names what it gives up ("from X to Y", "X instead of Z"), and the older one asserts just that."""
    for match in _ABANDONED.finditer(newer):
        groups = {name: text for name, text in match.groupdict().items() if text}
        given_up = _terms(next(text for name, text in groups.items() if name not in {"to", "with"}))
        taken = _terms(groups.get("to") or groups.get("with") or " ".join(newer[: match.start()].split()[-1:]))
        brings_another = (
            not taken <= old.stems
            or not new.numbers <= old.numbers | given_up
            or bool(missing_names(new, old, openers=True))
        )
        shared = (new.content - unmatched(new, old)) - given_up
        if given_up and given_up <= old.stems and brings_another and unmatched(new, old) and shared:
            return True
    return False


def _terms(text: str) -> frozenset[str]:
    """Stems of the content words and numbers of a phrase."""
    reading = read(text.casefold())
    return reading.content | {word for word in reading.words if word[0].isdigit()}


def _number_changed(newer: str, older: str, new: Reading, old: Reading) -> bool:
    """The same state with another quantity, version or date. What merely happened on another occasion is no change."""
    if not new.numbers or not old.numbers or new.numbers == old.numbers or not _is_state(newer, older):
        return False
    if new.numbers < old.numbers or old.numbers < new.numbers or _is_other_occasion(new, old):
        return False
    return _only_change_words(unmatched(new, old)) and _only_change_words(unmatched(old, new))


def _is_redated(newer: str, new: Reading, old: Reading) -> bool:
    """A word of correction, another date, and nothing else that the older text does not say."""
    if not _CORRECTING.search(newer) or unmatched(new, old) or missing_names(new, old, openers=True):
        return False
    is_dated = all(any(_CALENDAR_VALUE.match(number) for number in reading.numbers) for reading in (new, old))
    return is_dated and len(new.content) >= 2 and not new.numbers <= old.numbers


def _is_state(newer: str, older: str) -> bool:
    return bool(_STATIVE.search(newer) and _STATIVE.search(older))


def _is_other_occasion(new: Reading, old: Reading) -> bool:
    """Both the date and something else differ."""
    changed = new.numbers ^ old.numbers
    dates = {number for number in changed if _CALENDAR_VALUE.match(number)}
    return bool(dates) and len(new.numbers - old.numbers) > 1 and not _is_date(new.numbers) and bool(changed - dates)


def _is_date(numbers: frozenset[str]) -> bool:
    """A weekday or month with nothing but a day of the month, a year or a clock time beside it."""
    others = [number for number in numbers if not _CALENDAR_VALUE.match(number)]
    return all(re.fullmatch(r"\d{1,2}|\d{4}|t\d+", number) for number in others) and len(others) <= 1


def _only_change_words(stems: frozenset[str]) -> bool:
    return all(word in _CHANGE_WORDS or any(is_same_word(word, known) for known in ("use", "run")) for word in stems)


def _attribute_changed(newer: str, older: str) -> bool:
    """Both texts give one attribute of one subject, which has one value at a time, and the values share no word."""
    return any(
        new.subject == old.subject and new.is_same_attribute(old) and new.value.isdisjoint(old.value)
        for new, old in product(_attributes(newer), _attributes(older))
    )


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    subject: frozenset[str]
    value: frozenset[str]
    has_short_value: bool
    has_name: bool
    is_definite: bool

    def is_same_attribute(self, other: "_Attribute") -> bool:
        if not self.value or not other.value or not self.subject:
            return False
        if self.name == other.name == "change" or {self.name, other.name} == {"change", "place"}:
            return self.has_short_value and other.has_short_value
        if {self.name, other.name} <= {"value", "change"}:
            if self.has_name and other.has_name:
                return self.is_definite and other.is_definite
            is_functional = any(word in _FUNCTIONAL for word in self.subject)
            return is_functional and self.has_short_value and other.has_short_value
        return self.name == other.name


def _attributes(text: str) -> list[_Attribute]:
    """Every reading of the sentence as "subject – attribute – value"; the special ones exclude the bare copula."""
    sentence = text.strip().rstrip(".!").replace("’", "'")
    found: list[_Attribute] = []
    for name, pattern in _ATTRIBUTES:
        match = pattern.match(sentence)
        if match is None or (name == "value" and found):
            continue
        subject, value = match["subject"], re.split(r"\s+(?:now|since|because|instead|anymore)\b", match["value"])[0]
        reading = read(value)
        terms = _terms(value) or reading.numbers
        has_name = bool(reading.names or reading.openers)
        found.append(
            _Attribute(
                name,
                _terms(subject) or frozenset(subject.casefold().split()),
                terms,
                has_short_value=has_name or bool(reading.numbers) or len(reading.content) <= 2,
                has_name=has_name,
                is_definite=_DEFINITE.match(subject) is not None,
            )
        )
    return found


def _corrects(newer: str, older: str, new: Reading, old: Reading) -> bool:
    """A word of correction and the same sentence with one part exchanged: the object, or the one subject of a role."""
    if not _CORRECTING.search(newer):
        return False
    added, lost = unmatched(new, old), unmatched(old, new)
    if not 1 <= len(added) <= 2 or not 1 <= len(lost) <= 2:
        return False
    subjects = _doer(newer, new), _doer(older, old)
    if subjects[0] != subjects[1]:
        if _SOLE.isdisjoint(new.stems & old.stems):
            return False
        if added == {stem(name) for name in subjects[0]} and len(new.content - added) >= 2:
            return True
    frames = [[word for word in r.words if word not in {"now", "actually", "instead"} and stem(word) not in own]
              for r, own in ((new, added), (old, lost))]  # fmt: skip
    return alignment(*frames) >= 0.8


def _doer(text: str, reading: Reading) -> tuple[str, ...]:
    """Who does it: "Tomás approves …" and "… is approved by Tomás" alike."""
    passive = _BY.search(text)
    name = passive[1].casefold() if passive else None
    return (name,) if name in (*reading.names, *reading.openers) else (reading.openers or reading.names)[:1]
