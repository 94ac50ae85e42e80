"""What a parsed text states of whom and what it names: subject, predicate, object, by its dependencies.

Only what is asserted (assertion.py) becomes a statement. A predicate is the verb with its particle and preposition; a
small vocabulary gives the states that change over a life one name each, so that a later value can end an earlier one.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from memory_platform.knowledge.assertion import (
    Aspect,
    Asserted,
    are_apart,
    asserted,
    conjuncts,
    is_negated,
    is_question,
)
from memory_platform.knowledge.entities import FoundName, is_calendar
from memory_platform.knowledge.entity_types import type_by_name
from memory_platform.knowledge.graph import EntityType, RelationKind
from memory_platform.text.parse import Named, Parse, Sentence, Token

USER: Final = "user"
"""Name of whoever talks to the agent, where no other name is known."""
NAMED_CONFIDENCE: Final = 0.8
WORDS_CONFIDENCE: Final = 0.6
"""Confidence of a statement whose object is an entity, and of one whose object is only words."""
LONGEST_OBJECT: Final = 80
LONGEST_PREDICATE: Final = 48


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate of the vocabulary: what it ties, what its ends are, and whether a subject has one value at a time.

    `comes_about`: the verb tells the change that brings the state ("joined"), which holds once that is done.
    """

    name: str
    kind: RelationKind = RelationKind.FACT
    is_single: bool = False
    comes_about: bool = False
    subject: EntityType | None = None
    object: EntityType | None = None


@dataclass(frozen=True, slots=True)
class Triple:
    """Subject, predicate and object, names as the text has them (`object_is_name`: one of them, else words).

    The subject is words only where the object is a name ("the accounts moved to Monzo"): then it is a concept.

    A negated one ("no longer works at") ends the same statement made earlier. `frame` is what the vocabulary knows of the
    predicate, None for a verb or noun of its own.
    """

    subject: str
    predicate: str
    object: str
    object_is_name: bool
    kind: RelationKind
    negated: bool
    confidence: float
    quote: str
    frame: Predicate | None = None
    subject_is_name: bool = True


@dataclass(frozen=True, slots=True)
class RoleClaim:
    """Whose role (`owner`; USER: whoever speaks), its noun, and who has it: "my boss Anna"."""

    owner: str
    role: str
    name: str


@dataclass(frozen=True, slots=True)
class OtherName:
    """Two names a text says are one's: "Anna Berg, aka Annie"."""

    name: str
    other: str


_FACT, _TIE = RelationKind.FACT, RelationKind.ENTITY
_PERSON, _PLACE, _ORGANIZATION, _TOOL = (
    EntityType.PERSON, EntityType.PLACE, EntityType.ORGANIZATION, EntityType.TOOL,
)  # fmt: skip
_WORKS: Final = Predicate("works_at", _FACT, is_single=True, subject=_PERSON, object=_ORGANIZATION)
_LIVES: Final = Predicate("lives_in", _FACT, is_single=True, subject=_PERSON, object=_PLACE)
_BASED: Final = Predicate("based_in", _FACT, is_single=True, object=_PLACE)
_USES: Final = Predicate("uses", _FACT, object=_TOOL)
_DEPENDS: Final = Predicate("depends_on", _TIE)
_STUDIED: Final = Predicate("studied_at", _FACT, subject=_PERSON, object=_ORGANIZATION)
_MARRIED: Final = Predicate("married_to", _FACT, is_single=True, subject=_PERSON, object=_PERSON)
_LIKES: Final = Predicate("likes", _FACT, subject=_PERSON)
_DISLIKES: Final = Predicate("dislikes", _FACT, subject=_PERSON)
_MANAGES: Final = Predicate("manages", _FACT, subject=_PERSON)
_FROM: Final = Predicate("from", _TIE)
_OWNS: Final = Predicate("owns", _FACT)
_BELONGS: Final = Predicate("belongs_to", _TIE)
_LOCATED: Final = Predicate("located_in", _TIE)


def _changing(predicate: Predicate) -> Predicate:
    return Predicate(
        predicate.name, predicate.kind, predicate.is_single, comes_about=True, subject=predicate.subject,
        object=predicate.object,
    )  # fmt: skip


_VOCABULARY: Final[Mapping[str, Predicate]] = {
    "work at": _WORKS, "work for": _WORKS, "employed by": _WORKS, "employed at": _WORKS,
    "join": _changing(_WORKS), "start at": _changing(_WORKS),
    "live in": _LIVES, "reside in": _LIVES, "settle in": _changing(_LIVES),
    "move to": _changing(_LIVES), "relocate to": _changing(_LIVES),
    "based in": _BASED, "base in": _BASED, "headquarter in": _BASED, "headquartered in": _BASED,
    "located in": _LOCATED, "locate in": _LOCATED, "situated in": _LOCATED, "be in": _LOCATED,
    "use": _USES, "run on": _USES, "adopt": _changing(_USES), "switch to": _changing(_USES),
    "migrate to": _changing(_USES),
    "depend on": _DEPENDS, "rely on": _DEPENDS, "require": _DEPENDS, "need": _DEPENDS,
    "study at": _STUDIED, "graduate from": _changing(_STUDIED), "attend": _STUDIED,
    "marry": _changing(_MARRIED), "married to": _MARRIED,
    "like": _LIKES, "love": _LIKES, "enjoy": _LIKES, "prefer": _LIKES,
    "hate": _DISLIKES, "dislike": _DISLIKES, "avoid": _DISLIKES,
    "manage": _MANAGES, "lead": _MANAGES, "oversee": _MANAGES, "head": _MANAGES, "supervise": _MANAGES,
    "be from": _FROM, "come from": _FROM, "hail from": _FROM, "born in": _FROM,
    "own": _OWNS, "belong to": _BELONGS,
    "found": Predicate("founded", _TIE, comes_about=True), "cofound": Predicate("founded", _TIE, comes_about=True),
    "build": Predicate("created", _TIE, comes_about=True), "write": Predicate("created", _TIE, comes_about=True),
    "create": Predicate("created", _TIE, comes_about=True), "develop": Predicate("created", _TIE, comes_about=True),
    "visit": Predicate("visited", _FACT, comes_about=True, object=_PLACE),
    "meet": Predicate("met", _FACT, comes_about=True, object=_PERSON),
}  # fmt: skip
"""By the lemma of the verb and its preposition; what is not here keeps its verb."""
_ENDS: Final[Mapping[str, Predicate]] = {"leave": _WORKS, "quit": _WORKS, "drop": _USES, "ditch": _USES, "sell": _OWNS}
"""What is over once it is done, said besides what was done itself."""
_SINGLE: Final = frozenset(one.name for one in _VOCABULARY.values() if one.is_single)

SINGLE_ROLES: Final = frozenset(
    {"boss", "manager", "wife", "husband", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance", "fiancee",
     "mother", "father", "mom", "mum", "dad", "supervisor"}
)  # fmt: skip
"""Roles one person has for another at a time; any other noun of belonging is a role that several may have."""
_SPEAKING: Final = frozenset({"i", "me", "we", "us", "my", "our", "je", "moi", "nous", "mon", "ma", "notre"})
_PAST_ROLE: Final = frozenset({"former", "old", "ex", "late", "previous", "next", "future", "last", "other", "first"})
_IDLE_ADJECTIVES: Final = frozenset({"new", "current", "present", "dear", "own", "only", "whole", "good", "great"})
_NO_OBJECT: Final = frozenset({"lot", "thing", "one", "bit", "way", "kind", "sort", "time", "stuff", "something", "anything", "hers", "mine", "yours",
                               "nothing", "everything", "everyone", "someone", "fan", "reason", "point"})  # fmt: skip
_THIRD_PERSON: Final = frozenset({"his", "her", "its", "their", "son", "sa", "ses", "leur"})
_OF_TIME: Final = frozenset({"until", "till", "during", "since", "before", "after"})
_BEFORE_NOUN: Final = frozenset({"det", "poss", "predet", "case"})
_LASTING: Final = frozenset({"every", "each", "daily", "weekly", "monthly", "now", "nowadays", "today", "currently", "days",
                             "since", "per"})  # fmt: skip
_LASTING_FROM: Final = frozenset({"since", "from", "of", "for", "until", "till", "depuis"})
_NO_WORDS: Final = frozenset({"VERB", "AUX", "PRON", "CCONJ", "SCONJ"})
_LEFT_OUT: Final = frozenset(
    {"relcl", "acl", "advcl", "punct", "cc", "conj", "appos", "parataxis", "advmod", "intj", "ccomp"}
)
_PREPOSITIONS: Final = frozenset({"prep", "agent", "iobj"})
_TIES: Final = frozenset({"from", "at", "in", "by"})
_BY_LABEL: Final = {"PLACE": EntityType.PLACE, "ORG": EntityType.ORGANIZATION}
_NAMING: Final = frozenset({"call", "name"})
_LIGHT: Final = frozenset({"be", "do", "let", "get", "go", "mean", "seem", "say", "tell", "see",
                           "know", "think", "hear", "look", "sound", "feel", "want", "hope", "ask"})  # fmt: skip
"""Verbs that say too little with words for an object; with a name they say enough."""


def predicate_of(attribute: str) -> Predicate | None:
    """The predicate of the vocabulary that a verb's lemma with its preposition stands for: "work for"."""
    return _VOCABULARY.get(attribute)


def is_single(predicate: str) -> bool:
    """Whether a subject has one value of the predicate at a time."""
    return predicate in _SINGLE or predicate in SINGLE_ROLES


def role_name(role: RoleClaim) -> str:
    """What the role is called: "my boss" for the speaker's own, "Caroline's boss" for somebody else's."""
    return f"my {role.role}" if role.owner == USER else f"{role.owner}'s {role.role}"


class _SentenceReading:
    """One sentence with the names in it, and who says "I" (`speaker`; None: nobody of whom facts are kept), and
    when (`dates`).
    """

    def __init__(
        self, sentence: Sentence, names: Sequence[FoundName], speaker: str | None, dates: Sequence[Named] = ()
    ) -> None:
        self.sentence = sentence
        self.tokens = sentence.tokens
        self.children = sentence.children
        self._amounts = [(one.start, one.start + len(one.text)) for one in dates]
        self.is_dated = any(self._is_point(one) for one in (*dates, *self._calendar()))
        self._speaker = speaker
        self._named = _by_place(sentence, names)

    def _calendar(self) -> Iterator[Named]:
        """Days and months that the reader did not recognise."""
        return (
            Named(token.text, "DATE", token.start)
            for token in self.tokens
            if token.part == "PROPN" and token.text[:1].isupper() and is_calendar(token.text)
            if not any(start <= token.start < end for start, end in self._amounts)
        )

    def _is_point(self, date: Named) -> bool:
        """Whether a time says when something is, and not since when or how often, nor which one."""
        places = [at for at, one in enumerate(self.tokens) if date.start <= one.start < date.start + len(date.text)]
        if date.label != "DATE" or not places:
            return False
        before = self.tokens[places[0] - 1].text.casefold() if places[0] else ""
        words = {self.tokens[at].text.casefold() for at in places}
        is_modifier = self.tokens[places[-1]].relation in {"compound", "amod", "nummod", "poss"}
        is_repeated = any(word.endswith("days") for word in words)
        return not (is_repeated or words & _LASTING or before in _LASTING_FROM or is_modifier)

    def name(self, place: int) -> str | None:
        """Whom or what a nominal stands for: its own name, that of its apposition, the speaker; None for mere words."""
        token = self.tokens[place]
        if place in self._named:
            return self._named[place].name
        if token.text.casefold() in _SPEAKING and (token.text != "US"):
            return self._speaker
        if token.lemma == "user" and self.is_known(place):
            return USER
        return self._apposed(place)

    def found(self, place: int) -> FoundName | None:
        return self._named.get(place)

    def is_next(self, place: int, other: int) -> bool:
        """Whether no comma stands between two words."""
        return all(token.text != "," for token in self.tokens[place + 1 : other])

    def is_possessive(self, place: int) -> bool:
        return any(self.tokens[child].text in {"'s", "’s", "'", "’"} for child in self.children[place])

    def kind_noun(self, place: int) -> str | None:
        """The common noun a name's last word is part of or stands beside."""
        if self.found(place + 1) is self.found(place):
            return None
        token, head = self.tokens[place], self.tokens[place].head
        after = self.tokens[head] if head == place + 1 and token.relation in {"compound", "nmod"} else None
        before = [self.tokens[child] for child in self.children[place] if child < place and self.found(child) is None]
        nouns = [
            one.lemma for one in (*before, *filter(None, [after])) if one.part == "NOUN" and one.relation != "poss"
        ]
        return nouns[-1] if nouns else None

    def is_speaker(self, subject: str) -> bool:
        return subject == self._speaker

    def is_worth(self, subject: str, words: str, place: int) -> bool:
        """Whether mere words behind a preposition are kept: of somebody named, not what the speaker does and where."""
        is_own = any(self.tokens[child].relation == "poss" for child in self.children[place])
        return " " not in words or (subject != self._speaker and not is_own)

    def is_defined(self, place: int) -> bool:
        """Whether a noun has an article or an "of" and is none of a list."""
        below = {self.tokens[child].relation: self.tokens[child].lemma for child in self.children[place]}
        return (below.get("det") in {"the", "a", "an"} or below.get("prep") == "of") and "conj" not in below

    def has_article(self, place: int) -> bool:
        return any(self.tokens[child].lemma in {"the", "a", "an"} for child in self.children[place])

    def follows(self, place: int, other: int) -> bool:
        """Whether all that belongs to a word stands right behind another one, or behind the comma after that."""
        first = min(self.sentence.below(place))
        between = [token.text for token in self.tokens[other + 1 : first]]
        return other < place and between in ([], [","])

    def is_known(self, place: int) -> bool:
        """Whether a noun has a "the"."""
        return any(self.tokens[child].lemma == "the" for child in self.children[place])

    def _apposed(self, place: int) -> str | None:
        """The name behind a noun it explains: "my boss Anna", "the service Orion"."""
        if self.tokens[place].part == "PRON":
            return None
        for child in self.children[place]:
            if self.tokens[child].relation == "appos" and child in self._named and self.follows(child, place):
                return self._named[child].name
        return None

    def concept(self, place: int) -> str | None:
        """What a common noun with its modifiers calls; None where it is one's own or somebody's, or a mere pronoun."""
        is_owned = any(self.tokens[child].relation == "poss" for child in self.children[place])
        return None if is_owned or self.tokens[place].part != "NOUN" else self.words(place)

    def owner(self, place: int) -> str | None:
        """Whose a noun is: "my boss", "Anna's boss"."""
        for child in self.children[place]:
            if self.tokens[child].relation == "poss" and self.tokens[child].text.casefold() not in {
                "us",
                "me",
            }:
                return self.name(child)
        return None

    def phrases(self, place: int) -> Iterator[tuple[str, int]]:
        """The prepositions of a word ("off to" is one) and the nominals behind each."""
        for child in self.children[place]:
            token = self.tokens[child]
            if (
                token.relation in _PREPOSITIONS
                and token.part in {"ADP", "ADV", "SCONJ"}
                and not self._is_hyphened(child)
            ):
                yield from self._behind(child, token.lemma)
            elif token.relation in {"obl", "nmod"}:
                for below in self.children[child]:
                    if self.tokens[below].relation == "case":
                        yield self.tokens[below].lemma, child

    def _is_hyphened(self, place: int) -> bool:
        return place + 1 < len(self.tokens) and self.tokens[place + 1].text == "-"

    def _behind(self, place: int, words: str) -> Iterator[tuple[str, int]]:
        for below in self.children[place]:
            if self.tokens[below].relation == "pobj":
                yield from ((words, one) for one in conjuncts(self.sentence, below))
            elif self.tokens[below].relation == "prep" and below > place:
                yield from self._behind(below, f"{words} {self.tokens[below].lemma}")

    def words(self, place: int) -> str | None:
        """A noun with what stands before it and its "of …", as the text has it; None for what says nothing."""
        token = self.tokens[place]
        if (
            token.part not in {"NOUN", "PROPN"}
            or {token.lemma, token.text.casefold()} & _NO_OBJECT
            or is_negated(self.sentence, place)
        ):
            return None
        if is_calendar(token.text) or any(start <= token.start < end for start, end in self._amounts):
            return None
        if any(self.tokens[child].text.casefold() in _THIRD_PERSON for child in self.children[place]):
            return None
        if token.text.isupper() and any(
            self.tokens[child].part == "NUM" and child > place for child in self.children[place]
        ):
            return None
        held = sorted(self._held(place))
        while held[0] != place and self.tokens[held[0]].relation in _BEFORE_NOUN | _LEFT_OUT:
            held.pop(0)
        is_torn = any(right - left != 1 for left, right in pairwise(held))
        if is_torn or any(self.tokens[one].part in _NO_WORDS for one in held if one != place):
            held = [place]
        start, end = self.tokens[held[0]].start, self.tokens[held[-1]].end
        text = self.sentence.text[start - self.sentence.start : end - self.sentence.start]
        if any(mark in text for mark in ",()"):
            text = token.text
        return text if 2 <= len(text) <= LONGEST_OBJECT and any(map(str.isalpha, text)) else None

    def _held(self, place: int) -> Iterator[int]:
        yield place
        for child in self.children[place]:
            token = self.tokens[child]
            is_other = token.relation in _LEFT_OUT | _BEFORE_NOUN or (
                token.relation in _PREPOSITIONS and token.lemma not in {"of", "for"}
            )
            if (not is_other or token.text == "-") and not (token.relation == "prep" and child < place):
                yield from self.sentence.below(child)


def _by_place(sentence: Sentence, names: Sequence[FoundName]) -> dict[int, FoundName]:
    """The name each token is part of."""
    held: dict[int, FoundName] = {}
    waiting = iter(names)
    name = next(waiting, None)
    for place, token in enumerate(sentence.tokens):
        while name is not None and name.end <= token.start:
            name = next(waiting, None)
        if name is not None and token.start < name.end and name.start < token.end:
            held[place] = name
    return held


def statements(parse: Parse, names: Sequence[FoundName], *, speaker: str | None = USER) -> tuple[Triple, ...]:
    """What the text states of its `names` (naming.names, in order) and, by "I" and "we", of `speaker`.

    `speaker` is None where the first person is no one of whom facts are kept, an assistant's say. Each statement once.
    """
    found: dict[tuple[str, str, str, bool], Triple] = {}
    for reading in _readings(parse, names, speaker):
        for said in (*_by_verbs(reading), *_by_nouns(reading), *map(_as_statement, _roles(reading))):
            if said.subject.casefold() != said.object.casefold():
                quoted = _with_quote(said, reading.sentence.text)
                found.setdefault((said.subject, said.predicate, said.object, said.negated), quoted)
    return tuple(found.values())


def roles(parse: Parse, names: Sequence[FoundName], *, speaker: str | None = USER) -> tuple[RoleClaim, ...]:
    """Who is somebody's boss, sister, landlord, …: "my boss Anna", "Anna is my boss". `owner` is a name or USER."""
    return tuple(dict.fromkeys(role for reading in _readings(parse, names, speaker) for role in _roles(reading)))


def kinds(parse: Parse, names: Sequence[FoundName]) -> tuple[tuple[str, str], ...]:
    """The nouns that say what sort of thing a name is, as lemmas: "the Heron project", "the vendor Adyen"."""
    return tuple(
        (found.name, noun)
        for reading in _readings(parse, names, None)
        for place in range(len(reading.tokens))
        if (found := reading.found(place)) is not None and (noun := reading.kind_noun(place)) is not None
    )


def type_hints(said: Iterable[Triple]) -> Iterator[tuple[str, EntityType]]:
    """What the predicates of statements say about the sort of their ends."""
    for one in said:
        if one.frame is not None and one.frame.subject is not None and one.subject_is_name:
            yield one.subject, one.frame.subject
        if one.frame is not None and one.frame.object is not None and one.object_is_name:
            yield one.object, one.frame.object
        if one.predicate in SINGLE_ROLES and one.object_is_name:
            yield one.object, EntityType.PERSON


def other_names(parse: Parse, names: Sequence[FoundName]) -> tuple[OtherName, ...]:
    """Which names the text says are one's: "Anna Berg, aka Annie", "Robert goes by Bob"."""
    return tuple(
        OtherName(first.name, second.name)
        for first, second in pairwise(names)
        if _ALSO.fullmatch(parse.text, first.end, second.start) and first.name.casefold() != second.name.casefold()
    )


def _readings(parse: Parse, names: Sequence[FoundName], speaker: str | None) -> Iterator[_SentenceReading]:
    dates = [one for one in parse.names if one.label in {"DATE", "MONEY"}]
    dated = [one.start for one in dates]
    starts = [one.start for one in names]
    for sentence in parse.sentences:
        if sentence.tokens and not _is_foreign(sentence):
            own = names[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
            own_dates = dates[bisect_left(dated, sentence.start) : bisect_left(dated, sentence.end)]
            yield _SentenceReading(sentence, own, speaker, own_dates)


def _is_foreign(sentence: Sentence) -> bool:
    """Whether the dictionary lacks half of the words: another language, or no language at all."""
    words = [token for token in sentence.tokens if token.text.isalpha() and token.text.islower()]
    return 2 * sum(not token.is_ordinary for token in words) > len(words)


def _with_quote(said: Triple, sentence: str) -> Triple:
    return replace(said, quote=sentence)


# Statements of verbs.


def _by_verbs(reading: _SentenceReading) -> Iterator[Triple]:
    for verb in asserted(reading.sentence):
        if verb.is_passive:
            yield from _of_agent(reading, verb)
        for place in verb.subjects:
            if (subject := reading.name(place)) is not None:
                yield from _of_verb(reading, verb, subject)
            elif (concept := reading.concept(place)) is not None:
                said = _of_verb(reading, verb, concept)
                yield from (replace(one, subject_is_name=False) for one in said if one.object_is_name)


def _of_verb(reading: _SentenceReading, verb: Asserted, subject: str) -> Iterator[Triple]:
    is_being = reading.tokens[verb.verb].lemma == "be"
    yield from (_of_being if is_being else _of_doing)(reading, verb, subject)


def _of_agent(reading: _SentenceReading, verb: Asserted) -> Iterator[Triple]:
    """Who did it, where a passive says so: "Brightwave was acquired by Acme"."""
    for preposition, place in reading.phrases(verb.verb):
        agent = reading.name(place) if preposition in {"by", "par"} else None
        for patient in verb.subjects if agent else ():
            known = _VOCABULARY.get(reading.tokens[verb.verb].lemma)
            name = known.name if known and known.comes_about else reading.tokens[verb.verb].text.casefold()
            yield from _said(reading, agent or "", name, patient, verb, known)


def _of_being(reading: _SentenceReading, verb: Asserted, subject: str) -> Iterator[Triple]:
    """What being states: "X is Y", "X is in Y", "X is allergic to Y", "X is the owner of Y"."""
    for child in reading.children[verb.verb]:
        token = reading.tokens[child]
        if not reading.is_next(verb.verb, child):
            continue
        if token.relation == "attr" and token.part in {"NOUN", "PROPN", "PRON", "X"}:
            for place in conjuncts(reading.sentence, child):
                yield from _of_attribute(reading, verb, subject, place)
        elif token.relation in {"acomp", "attr"} and token.part in {"ADJ", "VERB"}:
            yield from _of_state(reading, verb, subject, child)
            if _is_measured(reading, child):
                continue
            for preposition, place in reading.phrases(child):
                yield from _framed(reading, verb, subject, f"{token.text.casefold()} {preposition}", place)
    for preposition, place in reading.phrases(verb.verb):
        if place < verb.verb or not reading.is_next(verb.verb, place):
            continue
        yield from _framed(reading, verb, subject, f"be {preposition}", place)
        yield from _beyond(reading, verb, subject, f"be {preposition}", place)


def _of_state(reading: _SentenceReading, verb: Asserted, subject: str, place: int) -> Iterator[Triple]:
    """How somebody named is: "Nadia is vegan", "the Zeta has been binned"."""
    token = reading.tokens[place]
    is_named = any(reading.found(one) is not None for one in verb.subjects)
    if is_named and token.is_ordinary and not verb.is_negated and not reading.is_dated and _is_bare(reading, place):
        name = "was" if verb.aspect is Aspect.PAST else "is"
        yield Triple(subject, name, token.text, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")


def _is_bare(reading: _SentenceReading, place: int) -> bool:
    """Whether nothing but helpers and adverbs of a word tells more of it: no "too", "of", "to"."""
    own = {reading.tokens[child].relation for child in reading.children[place]}
    return not _is_measured(reading, place) and not own & {
        "prep",
        "prt",
        "xcomp",
        "ccomp",
        "oprd",
        "obj",
        "neg",
        "npadvmod",
        "acomp",
    }


def _is_measured(reading: _SentenceReading, place: int) -> bool:
    """Whether a word is said in comparison with something: "too many", "so big", "as good"."""
    return any(reading.tokens[child].text.casefold() in {"too", "so", "as"} for child in reading.children[place])


def _of_attribute(reading: _SentenceReading, verb: Asserted, subject: str, place: int) -> Iterator[Triple]:
    name = "was" if verb.aspect is Aspect.PAST else "is"
    if any(reading.tokens[one].text.casefold() in {"we", "nous"} for one in verb.subjects):
        return
    ties = [(preposition, one) for preposition, one in reading.phrases(place) if reading.found(one)]
    if reading.name(place) is None and ties and reading.tokens[place].part == "NOUN":
        preposition, other = ties[0]
        predicate = f"{name}_{reading.tokens[place].lemma}_{preposition}"
        yield from _said(reading, subject, predicate, other, verb)
    elif reading.owner(place) is None or reading.name(place) is not None:
        yield from _said(reading, subject, name, place, verb)


def _of_doing(reading: _SentenceReading, verb: Asserted, subject: str) -> Iterator[Triple]:
    token = reading.tokens[verb.verb]
    if token.lemma in _NAMING and not verb.is_passive:
        return
    objects = [] if verb.is_passive else _objects(reading, verb.verb)
    if verb.is_passive:
        yield from _of_state(reading, verb, subject, verb.verb)
    lemma = token.text.casefold() if verb.is_passive else _with_particle(reading, verb.verb)
    for place in objects:
        yield from _framed(reading, verb, subject, lemma, place)
        yield from _beyond(reading, verb, subject, lemma, place)
    for preposition, place in reading.phrases(verb.verb):
        if preposition in {"by", "par"} and verb.is_passive:
            continue
        if not objects:
            yield from _framed(reading, verb, subject, f"{lemma} {preposition}", place)
            yield from _beyond(reading, verb, subject, f"{lemma} {preposition}", place)
        elif reading.name(place) is not None and reading.tokens[objects[0]].part == "NOUN":
            through = f"{lemma} {reading.tokens[objects[0]].lemma} {preposition}"
            yield from _framed(reading, verb, subject, through, place)


def _objects(reading: _SentenceReading, verb: int) -> list[int]:
    """The direct objects; none behind a comma, nor where two stand side by side and are no list of names."""
    own = [child for child in reading.children[verb] if reading.tokens[child].relation == "obj"]
    is_list = all(reading.found(one) is not None for one in own)
    if not own or not reading.is_next(verb, own[0]) or (len(own) > 1 and not is_list):
        return []
    return [place for one in own for place in conjuncts(reading.sentence, one)]


def _beyond(reading: _SentenceReading, verb: Asserted, subject: str, lemma: str, place: int) -> Iterator[Triple]:
    """The names behind a mere noun: "has six freezers on Siemens S7"."""
    if reading.name(place) is not None or reading.tokens[place].part != "NOUN":
        return
    for preposition, other in reading.phrases(place):
        if reading.found(other) is not None and preposition != "of":
            through = lemma.removesuffix(" as") if lemma.endswith(" as") else f"{lemma} {reading.tokens[place].lemma}"
            yield from _framed(reading, verb, subject, f"{through} {preposition}", other)


def _with_particle(reading: _SentenceReading, place: int) -> str:
    particles = [
        reading.tokens[child].text.casefold()
        for child in reading.children[place]
        if reading.tokens[child].relation == "prt"
    ]
    return " ".join([reading.tokens[place].lemma, *particles])


def _framed(reading: _SentenceReading, verb: Asserted, subject: str, words: str, place: int) -> Iterator[Triple]:
    """A statement under the vocabulary's name for the verb, where the aspect allows it, else under the verb's own."""
    frame = _VOCABULARY.get(words)
    if frame is not None and not _suits(reading, frame, subject, place):
        frame = None
    comes_about = frame is not None and frame.comes_about
    if verb.aspect in {Aspect.GOING_ON, Aspect.PRESENT} and (comes_about or reading.is_dated):
        return
    if words.rpartition(" ")[2] in _OF_TIME:
        return
    if (
        frame is None
        and reading.found(place) is None
        and (words in _LIGHT or not reading.is_worth(subject, words, place))
    ):
        return
    yield from _said(reading, subject, _name(reading, verb, frame, words), place, verb, frame)
    yield from _ended(reading, verb, subject, words, place)


def _suits(reading: _SentenceReading, frame: Predicate, subject: str, place: int) -> bool:
    """Whether the object is what the vocabulary's predicate takes; "moved to Hetzner" is no move of a home."""
    if frame.object is None and frame.kind is RelationKind.FACT:
        return True
    found = reading.found(place)
    if found is None or (frame is _LOCATED and reading.is_speaker(subject)):
        return False
    if frame is not _LOCATED and (
        not frame.comes_about or frame.object not in {EntityType.PLACE, EntityType.ORGANIZATION}
    ):
        return True
    return (type_by_name(found.name) or _BY_LABEL.get(found.label)) is (frame.object or EntityType.PLACE)


def _name(reading: _SentenceReading, verb: Asserted, frame: Predicate | None, words: str) -> str:
    """The vocabulary's name of what is so or has come about, else the verb, in the past as it stands.

    What was so has its own name, "worked_at", which says nothing of today; what is denied of it is denied of today.
    """
    is_over = verb.aspect is Aspect.PAST and not (frame is not None and frame.comes_about)
    if frame is not None and (not is_over or verb.is_negated):
        return frame.name
    token = reading.tokens[verb.verb]
    first, _, rest = words.partition(" ")
    if token.tense == "Past" and first == token.lemma:
        first = token.text.casefold()
    elif first == "be":
        first = "is"
    return "_".join([first, *rest.split()])


def _ended(reading: _SentenceReading, verb: Asserted, subject: str, words: str, place: int) -> Iterator[Triple]:
    """What leaving, dropping or selling something puts an end to."""
    ended, found = _ENDS.get(words), reading.found(place)
    if ended is None or found is None or verb.is_negated or verb.aspect not in {Aspect.PAST, Aspect.DONE}:
        return
    if not (ended is _WORKS and found.label == "PLACE"):
        yield from _said(reading, subject, ended.name, place, replace(verb, is_negated=True), ended)


def _said(
    reading: _SentenceReading,
    subject: str,
    name: str,
    place: int,
    verb: Asserted | None,
    frame: Predicate | None = None,
) -> Iterator[Triple]:
    if verb is not None and are_apart(reading.sentence, verb.verb, place):
        return
    named = reading.name(place)
    is_denied = verb is not None and verb.is_negated
    if (
        is_negated(reading.sentence, place)
        or reading.is_possessive(place)
        or (named is None and is_denied)
        or len(name) > LONGEST_PREDICATE
    ):
        return
    words = named or (reading.words(place) if _is_word(reading.tokens[place]) else None)
    if words is None:
        return
    confidence = WORDS_CONFIDENCE if named is None else NAMED_CONFIDENCE
    kind = frame.kind if frame is not None else RelationKind.FACT
    yield Triple(subject, name, words, named is not None, kind, is_denied, confidence, "", frame)


def _is_word(token: Token) -> bool:
    """Whether the dictionary holds a word or a capital makes it a term: "thru", "haha" and "3rd" are no objects."""
    return token.text[:1].isupper() or (token.is_ordinary and token.text[:1].isalpha())


# Statements of nouns.


def _by_nouns(reading: _SentenceReading) -> Iterator[Triple]:
    """What stands beside a name: "Marco from Adyen", "Keisha Monroe, head of maintenance"."""
    if is_question(reading.sentence):
        return
    yield from _of_heading(reading)
    for place in range(len(reading.tokens)):
        found = reading.found(place)
        if found is not None:
            yield from _of_tie(reading, found.name, place)
            yield from _of_apposition(reading, found.name, place)
            yield from _of_possession(reading, found.name, place)
        elif reading.tokens[place].part == "NOUN" and reading.owner(place) is None:
            yield from _of_explained(reading, place)


def _of_tie(reading: _SentenceReading, name: str, place: int) -> Iterator[Triple]:
    for preposition, other in reading.phrases(place):
        found = reading.found(other)
        if found is None or preposition not in _TIES or found.name == name:
            continue
        if are_apart(reading.sentence, place, other) or not reading.is_next(place, other):
            continue
        # "They saw Anna in Lisbon" may say where they saw her.
        if preposition != "from" and reading.tokens[place].relation == "obj":
            continue
        if preposition != "in" or EntityType.PLACE in {type_by_name(found.name), _BY_LABEL.get(found.label)}:
            frame = _VOCABULARY.get(f"be {preposition}")
            yield from _said(reading, name, frame.name if frame else preposition, other, None, frame)


def _of_heading(reading: _SentenceReading) -> Iterator[Triple]:
    """A noun, a colon, a name: "sister: Emiko"."""
    marks = [place for place, token in enumerate(reading.tokens) if token.text == ":"]
    if not marks or not 0 < marks[0] < len(reading.tokens) - 1:
        return
    found, noun = reading.found(marks[0] + 1), marks[0] - 1
    concept = reading.concept(noun)
    is_alone = not _has_conjunct(reading, marks[0] + 1) and not any(
        token.relation == "nsubj" and reading.found(place) is found for place, token in enumerate(reading.tokens)
    )
    if found is not None and is_alone and concept is not None and min(reading.sentence.below(noun)) == 0:
        yield Triple(
            concept, "is", found.name, True, RelationKind.FACT, False, WORDS_CONFIDENCE, "", subject_is_name=False
        )


def _of_possession(reading: _SentenceReading, name: str, place: int) -> Iterator[Triple]:
    """What a possessive says somebody has: "Halima's team owns it".

    Before an article its "'s" was an "is" ("Tunde's an angel"), before a mere adjective too ("Pilar's heartbroken").
    """
    token = reading.tokens[place]
    if token.relation != "poss" or reading.name(token.head) is not None or not reading.is_next(place, token.head):
        return
    following = reading.tokens[token.head + 1] if token.head + 1 < len(reading.tokens) else token
    is_clause = following.part == "PRON" or (following.text == "," and reading.tokens[token.head].relation == "nsubj")
    if is_clause:
        return
    is_being = any(one.relation == "det" for one in reading.tokens[place + 1 : token.head])
    thing = reading.words(token.head) if is_being or token.head != reading.sentence.root else None
    if thing is not None:
        predicate = "is" if is_being else "has"
        yield Triple(name, predicate, thing, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")


def _of_apposition(reading: _SentenceReading, name: str, place: int) -> Iterator[Triple]:
    """What directly follows a name with an article, a person's with an "of": "Keisha Monroe, head of maintenance"."""
    found = reading.found(place)
    is_person = found is not None and found.label == "PERSON"
    for child in reading.children[place]:
        token = reading.tokens[child]
        is_plain = token.relation == "appos" and token.part == "NOUN" and reading.found(child) is None
        is_role = reading.is_defined(child) and (reading.has_article(child) or is_person)
        if reading.tokens[min(reading.sentence.below(child))].part == "ADV":
            continue
        if is_plain and reading.owner(child) is None and is_role and reading.follows(child, place):
            yield from _said(reading, name, "is", child, None)


def _of_explained(reading: _SentenceReading, place: int) -> Iterator[Triple]:
    """A noun with "the" that a name directly follows: "the accountant, Mr Lumb"."""
    if reading.tokens[place].relation not in {"nsubj", "ROOT", "obj"} or not reading.is_known(place):
        return
    for child in reading.children[place]:
        found = reading.found(child)
        if found is None or reading.tokens[child].relation != "appos" or not reading.follows(child, place):
            continue
        words = reading.words(place) if reading.is_defined(place) else None
        if words is not None:
            yield Triple(found.name, "is", words, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")


def _has_conjunct(reading: _SentenceReading, place: int) -> bool:
    return any(reading.tokens[child].relation == "conj" for child in reading.children[place])


# Roles.


def _roles(reading: _SentenceReading) -> Iterator[RoleClaim]:
    if is_question(reading.sentence):
        return
    for place, token in enumerate(reading.tokens):
        if token.part == "NOUN" and (role := _role_noun(reading, place)) is not None:
            owner, holder = _owner_of_role(reading, place), _beside(reading, place)
            if owner is not None and holder is not None:
                yield from _role(owner, role, holder)
    for verb in asserted(reading.sentence):
        if not verb.is_negated and verb.aspect is Aspect.PRESENT:
            yield from _roles_of_being(reading, verb)


def _role(owner: str, role: str, holder: str) -> Iterator[RoleClaim]:
    if owner.casefold() != holder.casefold():
        yield RoleClaim(owner, role, holder)


def _beside(reading: _SentenceReading, place: int) -> str | None:
    """The name a noun of a role stands beside: "my boss Anna", "Anna, my boss"."""
    token, head, following = reading.tokens[place], reading.found(reading.tokens[place].head), reading.found(place + 1)
    for child in reading.children[place]:
        if reading.tokens[child].relation == "appos" and child > place and (found := reading.found(child)) is not None:
            return found.name
    if head is not None and (
        token.relation == "appos" or (head is following and token.relation in {"compound", "nmod"})
    ):
        return head.name
    return following.name if following is not None and _is_double(reading, place) else None


def _is_double(reading: _SentenceReading, place: int) -> bool:
    """Whether the grammar gives a verb both a noun and the name right behind it: "my niece Farah does payroll"."""
    last = max(one for one in range(place + 1, len(reading.tokens)) if reading.found(one) is reading.found(place + 1))
    noun, name = reading.tokens[place], reading.tokens[last]
    return noun.head == name.head and noun.relation == "nsubj" and name.relation in {"nsubj", "npadvmod", "appos"}


def _owner_of_role(reading: _SentenceReading, place: int) -> str | None:
    """Whose role it is; of "my boss Anna" the grammar may hang "my" on either."""
    own = reading.owner(place)
    token = reading.tokens[place]
    if own is None and token.relation in {"compound", "nmod"} and token.head > place:
        return reading.owner(token.head)
    return own


def _roles_of_being(reading: _SentenceReading, verb: Asserted) -> Iterator[RoleClaim]:
    token = reading.tokens[verb.verb]
    if token.lemma != "be" and not (verb.is_passive and token.lemma in _NAMING):
        return
    for child in reading.children[verb.verb]:
        if reading.tokens[child].relation not in {"attr", "oprd"}:
            continue
        for subject in verb.subjects:
            for noun, holder in ((subject, child), (child, subject)):
                role, owner = _role_noun(reading, noun), reading.owner(noun)
                name = reading.name(holder) if reading.name(noun) is None else None
                if role is not None and owner is not None and name is not None and reading.owner(holder) is None:
                    yield from _role(owner, role, name)


def _role_noun(reading: _SentenceReading, place: int) -> str | None:
    """The noun with what tells it from others ("best friend"), None for a role of the past or of another time."""
    token = reading.tokens[place]
    if token.part != "NOUN" or reading.found(place) is not None or token.lemma in _NO_OBJECT:
        return None
    following = reading.tokens[place + 1].text if place + 1 < len(reading.tokens) else ""
    if token.text.casefold() != token.lemma or following == "-":
        return None
    before = [reading.tokens[child] for child in reading.children[place] if child < place]
    modifiers = [one for one in before if one.relation in {"amod", "compound"}]
    if any(one.text.casefold() in _PAST_ROLE for one in modifiers) or _has_conjunct(reading, place):
        return None
    kept = [one.text.casefold() for one in modifiers if one.text.casefold() not in _IDLE_ADJECTIVES]
    return " ".join([*kept, token.lemma])[:LONGEST_PREDICATE]


def _as_statement(role: RoleClaim) -> Triple:
    name = role.role.replace(" ", "_")
    return Triple(role.owner, name, role.name, True, _TIE, False, NAMED_CONFIDENCE, "")


_ALSO: Final = re.compile(
    r"\s*+[,(]?\s*+(?:aka|a\.k\.a\.|alias|(?:(?:is|was)?\s*+(?:also|better)\s++)?known as|(?:who )?goes by|(?:is )?short for"
    r"|née|dit|dite)\s+",
    re.IGNORECASE,
)
