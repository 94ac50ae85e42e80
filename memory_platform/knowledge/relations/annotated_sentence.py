"""One sentence with the names in it: what a nominal stands for, whose it is, and what hangs on it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from memory_platform.knowledge.assertion import conjuncts, is_negated
from memory_platform.knowledge.entities import FoundName, is_calendar
from memory_platform.text.parse import Named, Parse, Sentence

USER: Final = "user"
"""Name of whoever talks to the agent, where no other name is known."""
LONGEST_OBJECT: Final = 80
_SPEAKING: Final = frozenset({"i", "me", "we", "us", "my", "our", "je", "moi", "nous", "mon", "ma", "notre"})
NO_OBJECT: Final = frozenset({"lot", "thing", "one", "bit", "way", "kind", "sort", "time", "stuff", "something",
                              "anything", "hers", "mine", "yours", "nothing", "everything", "everyone", "someone",
                              "fan", "reason", "point"})  # fmt: skip
"""Nouns that say too little to be what is stated, or a role."""
_THIRD_PERSON: Final = frozenset({"his", "her", "its", "their", "son", "sa", "ses", "leur"})
_BEFORE_NOUN: Final = frozenset({"det", "poss", "predet", "case"})
_LASTING: Final = frozenset({"every", "each", "daily", "weekly", "monthly", "now", "nowadays", "today", "currently",
                             "days", "since", "per"})  # fmt: skip
_LASTING_FROM: Final = frozenset({"since", "from", "of", "for", "until", "till", "depuis"})
_NO_WORDS: Final = frozenset({"VERB", "AUX", "PRON", "CCONJ", "SCONJ"})
_LEFT_OUT: Final = frozenset(
    {"relcl", "acl", "advcl", "punct", "cc", "conj", "appos", "parataxis", "advmod", "intj", "ccomp"}
)
_PREPOSITIONS: Final = frozenset({"prep", "agent", "iobj"})


class AnnotatedSentence:
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
        return " " not in words or (subject != self._speaker and not self._is_owned(place))

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

    def has_conjunct(self, place: int) -> bool:
        return any(self.tokens[child].relation == "conj" for child in self.children[place])

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
        return None if self._is_owned(place) or self.tokens[place].part != "NOUN" else self.words(place)

    def _is_owned(self, place: int) -> bool:
        return any(self.tokens[child].relation == "poss" for child in self.children[place])

    def owner(self, place: int) -> str | None:
        """Whose a noun is: "my boss", "Anna's boss"."""
        for child in self.children[place]:
            token = self.tokens[child]
            if token.relation == "poss" and token.text.casefold() not in {"us", "me"}:
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
            or {token.lemma, token.text.casefold()} & NO_OBJECT
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


def annotate(parse: Parse, names: Sequence[FoundName], *, speaker: str | None = USER) -> tuple[AnnotatedSentence, ...]:
    """The sentences of a text that are in a language the reader knows, each with those of `names` that it holds.

    `names` are those of naming.names, in order. `speaker` is whom "I" and "we" mean, None where the first person is no
    one of whom facts are kept, an assistant's say.
    """
    return tuple(_annotated(parse, names, speaker))


def _annotated(parse: Parse, names: Sequence[FoundName], speaker: str | None) -> Iterator[AnnotatedSentence]:
    dates = [one for one in parse.names if one.label in {"DATE", "MONEY"}]
    dated = [one.start for one in dates]
    starts = [one.start for one in names]
    for sentence in parse.sentences:
        if sentence.tokens and not _is_foreign(sentence):
            own = names[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
            own_dates = dates[bisect_left(dated, sentence.start) : bisect_left(dated, sentence.end)]
            yield AnnotatedSentence(sentence, own, speaker, own_dates)


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


def _is_foreign(sentence: Sentence) -> bool:
    """Whether the dictionary lacks half of the words: another language, or no language at all."""
    words = [token for token in sentence.tokens if token.text.isalpha() and token.text.islower()]
    return 2 * sum(not token.is_ordinary for token in words) > len(words)
