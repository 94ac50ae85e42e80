"""Whether English words look back or ahead from a phrase of time: tense, auxiliaries, verbs of scheduling.

What a parse takes for a verb in the past tense is one, whichever verb it is; the words below are for what nobody
parsed, and for verbs that say more than their tense.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from memory_platform.model import Tense
from memory_platform.text.dates.spans import Direction

PREPOSITIONS: Final = frozenset(
    {"in", "on", "at", "by", "to", "for", "from", "since", "until", "till", "til", "through", "thru", "throughout",
     "during", "before", "after", "between", "and", "of", "as", "due", "starting", "effective", "around", "over", "is",
     "was", "but"}
)  # fmt: skip
_UNTIL: Final = frozenset({"until", "till", "til", "by", "through", "thru", "due", "starting", "effective"})
_EDGES: Final = _UNTIL | {"from", "of", "for"}
"""What is from, for or until a day may be so still, however it is told."""
_MOVED_TO: Final = frozenset({"to", "until", "till", "til", "by", "for"})
_PLANNED_FOR: Final = _MOVED_TO | {"at", "before", "from", "due"}

_PLAN: Final = (
    r"plan(?:s|ned|ning)?|(?:re)?schedul(?:es?|ed|ing)|book(?:s|ed|ing)?|reserv(?:es?|ed|ation)|due|deadlines?"
    r"|cancel(?:s|l?ed|l?ing)?|put|arrang(?:ed|ing|ement)|appointments?|expir(?:es?|y)|renew(?:s|al)|effective"
    r"|with effect"
)
MOVES: Final = frozenset({"move", "push", "postpone", "delay", "extend", "shift", "pull", "defer", "slip"})
"""Verbs, by their lemma, that give what is planned another date."""
_MOVE: Final = "|".join(sorted(MOVES | {"agree", "decide", "promise"}))
_MOVING: Final = "mov|push|postpon|delay|extend|shift|pull|deferr|slipp|agree"
_INTENT: Final = (
    r"(?:agree[ds]?|decide[ds]?|plan(?:s|ned|ning)?|promise[ds]?|hop(?:e|es|ed|ing)|wants?|wanted|intend(?:s|ed)?"
    r"|aim(?:s|ing)?|supposed|expected)\s+to\s"
)
_PAST: Final = (
    "was|were|wasn['’]t|weren['’]t|had|hadn['’]t|did|didn['’]t|been|ago|went|got|took|made|saw|met|bought|came|gave|ran"
    "|won|lost|began|became|sent|broke|fell|drove|flew|ate|brought|built|kept|held|paid|sold|spent|stood|taught|woke"
    "|wore|chose|grew|rose|slept|caught|born"
)
_SOFT_PAST: Final = r"left|told|said|found|felt|wrote|knew|thought|heard|spoke|\w{2,40}(?<!e)ed"
"""Words that report, and what ends like a past tense: it may be an adjective."""
_MARK: Final = re.compile(
    r"(?P<sentence>[.!?;](?=\s|\Z)|\n)|(?P<colon>:(?=\s))|(?P<comma>,(?=\s)|\s[–—-]\s)"
    r"|(?P<future>\b(?:will|won['’]t|shall|gonna|going to|about to)\b|['’]ll\b)"
    r"|(?P<modal>\b(?:can|can['’]?t|cannot|could|should|would|must|might)\b)"
    rf"|(?P<intent>\b{_INTENT})"
    rf"|(?P<plan>\b(?:{_PLAN})\b)"
    rf"|(?P<moved>\b(?:{_MOVE})[rp]?e?d\b)"
    rf"|(?P<move>\b(?:set|brought forward|(?:{_MOVE})s?|(?:{_MOVING})ing)\b)"
    rf"|(?P<past>\b(?:{_PAST})\b)"
    r"|(?P<habit>\b(?:always|usually|normally|generally|typically|every|each|often|never|sometimes|most|except|daily"
    r"|nightly|weekly|monthly|yearly)\b)"
    r"|(?P<soft_future>\b(?:hop(?:e|es|ing)|wants?|wanna|next|upcoming|looking forward|can['’]t wait|soon|let['’]s"
    r"|starting|coming)\b)"
    r"|(?P<soft_present>\b(?:is|are|am|i['’]m|(?:we|you|they)['’]re|(?:he|she|it|that|there|who)['’]s)(?!\w))"
    rf"|(?P<soft_past>\b(?:{_SOFT_PAST})\b)",
    re.IGNORECASE,
)
_TENSE_OF: Final = {
    "future": Tense.FUTURE, "soft_future": Tense.FUTURE, "modal": Tense.PRESENT, "soft_present": Tense.PRESENT,
    "past": Tense.PAST, "soft_past": Tense.PAST, "moved": Tense.PAST,
}  # fmt: skip
_ENDED: Final = ("past", "soft_past", "moved")
_ALL: Final = tuple(_TENSE_OF)
_NOT_OF_STATES: Final = tuple(kind for kind in _TENSE_OF if kind != "soft_present")
"""What "is in May" may be so every year."""
_OVERRULING: Final = tuple(kind for kind in _TENSE_OF if kind != "soft_future")

_STANDS_ON: Final = re.compile(
    r"(?:\b(?:is|are)|\w['’](?:s|re)|\bnow)\s+(?:(?:now|still|only|not)\s+)?"
    r"(?:(?:on|by|due|from|until|for|at|the)\s+){0,2}\Z",
    re.IGNORECASE,
)
_RIGHT_BEFORE: Final = re.compile(r"\w+(?:n['’]t)?\s+(?:[a-z]{1,12}\s+){0,3}\Z", re.IGNORECASE)
_IS_BEING: Final = re.compile(
    r"(?:\b(?:is|are|am|be|being|gets?|getting)|\b(?:i['’]m|(?:he|she|it|that|we|you|they)['’](?:s|re)))\s+"
    r"(?:(?:now|still|only|also|not|being|just|finally)\s+)?\Z",
    re.IGNORECASE,
)
_LOOKED_BACK: Final = 32
"""Characters before a phrase in which a word that governs it stands."""


class Course:
    """Where the words of a text look, place by place. Reads the text once, when it is first asked.

    `tense` is that of the clause, `past` where verbs stand that a parse takes for past, `present` where those do that
    say otherwise of what follows ("He said she comes"); `otherwise` is what a phrase means when nothing tells.
    """

    def __init__(
        self,
        text: str,
        tense: Tense = Tense.NONE,
        *,
        past: Sequence[int] = (),
        present: Sequence[int] = (),
        otherwise: Direction = Direction.UNSURE,
    ) -> None:
        self._text = text
        self.tense = tense
        self._past = past
        self._present = present
        self._otherwise = otherwise

    def direction(self, start: int, end: int, preposition: str) -> Direction:
        """Where the phrase from `start` to `end` points, governed by `preposition` if that is not empty."""
        sentence = self._last("sentence", 0, start)
        told, is_sure = self._told(sentence, start, end, preposition)
        if preposition == "since":
            return Direction.AHEAD if told is Tense.FUTURE else Direction.BEHIND
        if told is Tense.FUTURE:
            return Direction.AHEAD
        planned = self._planned(sentence, start, preposition)
        if planned is not None:
            return planned if told is Tense.PAST else Direction.PLANNED
        if told is Tense.PAST:
            return self._behind(preposition, is_sure=is_sure)
        return self._untold(sentence, start, end, preposition, told)

    def moves(self, start: int) -> bool:
        """Whether an English verb of moving ("moved", "postponed", "pushed") stands in the sentence before a place."""
        sentence = self._last("sentence", 0, start)
        return max(self._last("move", sentence, start), self._last("moved", sentence, start)) >= 0

    def moves_at(self, place: int) -> bool:
        """Whether such a verb begins at a place."""
        return place in self._marks["move"] or place in self._marks["moved"]

    def _planned(self, sentence: int, start: int, preposition: str) -> Direction | None:
        """Where a verb of scheduling or intention that governs a phrase points if it is told as past."""
        kinds = ("past", "plan", "intent", "move", "moved")
        past, plan, intent, move, moved = (self._last(kind, sentence, start) for kind in kinds)
        move = max(move, moved)
        if (plan > past and preposition in _PLANNED_FOR) or (move > past and preposition in _MOVED_TO):
            return Direction.PLANNED
        if move > past and preposition == "from":
            return self._otherwise
        if intent > past or (plan > past and preposition in {"", "on"}):
            return Direction.EITHER
        return None

    def _behind(self, preposition: str, *, is_sure: bool) -> Direction:
        if self._otherwise is not Direction.UNSURE:
            return Direction.BEHIND
        if preposition in _EDGES:
            return Direction.EITHER
        return Direction.BEHIND if is_sure else Direction.REPORTED

    def _untold(self, sentence: int, start: int, end: int, preposition: str, told: Tense) -> Direction:
        if self._otherwise is not Direction.UNSURE and told is Tense.NONE:
            return self._otherwise
        is_plan = self._last("plan", sentence, start) >= 0 or self._first("plan", end) >= 0
        if is_plan or preposition in _UNTIL:
            return Direction.PLANNED
        is_habit = self._last("habit", sentence, start) >= 0
        return Direction.PLANNED if told is Tense.PRESENT and not is_habit else Direction.UNSURE

    def _told(self, sentence: int, start: int, end: int, preposition: str) -> tuple[Tense, bool]:
        """The tense of a phrase, and whether the verb right before it tells that, rather than its clause at large."""
        if preposition != "in" and _STANDS_ON.search(self._text[max(0, start - _LOOKED_BACK) : start]):
            return Tense.PRESENT, True
        opening = max(sentence, self._last("colon", 0, start))
        verb, kind = self._nearest(_ENDED, opening, start)
        if (present := self._last("present", opening, start)) > verb:
            return (Tense.FUTURE if self._last("future", present, start) >= 0 else Tense.PRESENT), True
        if preposition and self._is_right_before(verb, start):
            return Tense.PAST, kind == "past" or self.tense in {Tense.PAST, Tense.NONE}
        if self.tense is not Tense.NONE:
            return self._overruled(max(opening, self._last("comma", 0, start)), start), False
        place, kind = self._nearest(_NOT_OF_STATES if preposition == "in" else _ALL, opening, start)
        return _TENSE_OF[kind] if place >= 0 else self._follows(end), False

    def _is_right_before(self, verb: int, start: int) -> bool:
        is_near = verb >= 0 and start - verb <= _LOOKED_BACK
        return is_near and _RIGHT_BEFORE.match(self._text, verb, start) is not None

    def _overruled(self, opening: int, start: int) -> Tense:
        """The tense of the clause, unless an auxiliary or strong verb is nearer to the phrase than the clause's own."""
        place, kind = self._nearest(_OVERRULING, opening, start)
        return self.tense if place < 0 or kind in {"soft_past", "moved"} else _TENSE_OF[kind]

    def _follows(self, end: int) -> Tense:
        """The tense of the first mark behind a phrase."""
        behind = [(place, kind) for kind in _ALL if (place := self._first(kind, end)) >= 0]
        return _TENSE_OF[min(behind)[1]] if behind else Tense.NONE

    def _nearest(self, kinds: Sequence[str], opening: int, start: int) -> tuple[int, str]:
        """The last mark of some kinds before `start`: where it stands, -1 without one, and its kind."""
        return max((self._last(kind, opening, start), kind) for kind in kinds)

    def _last(self, kind: str, opening: int, start: int) -> int:
        """Where the last mark of a kind before `start` stands, -1 if none does from `opening` on."""
        places = self._marks[kind]
        index = bisect_left(places, start) - 1
        return places[index] if index >= 0 and places[index] >= opening else -1

    def _first(self, kind: str, end: int) -> int:
        """Where the first mark of a kind behind a phrase stands in its sentence, -1 if none does."""
        closing, place = self._next("sentence", end), self._next(kind, end)
        return place if place >= 0 and (closing < 0 or place < closing) else -1

    def _next(self, kind: str, end: int) -> int:
        places = self._marks[kind]
        index = bisect_left(places, end)
        return places[index] if index < len(places) else -1

    @cached_property
    def _marks(self) -> Mapping[str, Sequence[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for match in _MARK.finditer(self._text):
            kind = match.lastgroup or ""
            if kind in _ENDED and _IS_BEING.search(self._text[max(0, match.start() - _LOOKED_BACK) : match.start()]):
                continue
            found[kind].append(match.start())
        marked = {place for places in found.values() for place in places}
        found["past"] = sorted([*found["past"], *(place for place in self._past if place not in marked)])
        found["present"] = sorted(self._present)
        return found
