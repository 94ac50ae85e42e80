"""What a reader says of a text: sentences of tokens with their grammar, and the names in it. Spans point into the text.

Parts of speech are universal ones (UPOS), relations universal dependencies in short: `nsubj` is any nominal subject,
passive or not, `obj` any direct object, whatever a model calls them, `vocative` whom the sentence only speaks to.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Token:
    """One word. `head` is the place of its head in the sentence, its own for the root; `tense` and `mood` are UD's
    values ("Past", "Imp"), empty where the word has none. `is_ordinary`: the dictionary of the language holds the word;
    True where there is no dictionary.
    """

    text: str
    lemma: str
    part: str
    relation: str
    head: int
    start: int
    tense: str = ""
    mood: str = ""
    form: str = ""
    is_ordinary: bool = True

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Sentence:
    """A stretch of text without surrounding white space. No tokens where nothing parsed it."""

    text: str
    start: int
    tokens: tuple[Token, ...] = ()

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The places of each token's dependents, in order."""
        found: list[list[int]] = [[] for _ in self.tokens]
        for place, token in enumerate(self.tokens):
            if token.head != place:
                found[token.head].append(place)
        return tuple(map(tuple, found))

    @cached_property
    def root(self) -> int | None:
        """The place of the root; None without tokens."""
        return next((place for place, token in enumerate(self.tokens) if token.head == place), None)

    def dependents(self, place: int, relation: str) -> list[int]:
        """The places of a token's dependents of that relation, in order."""
        return [one for one in self.children[place] if self.tokens[one].relation == relation]

    def auxiliaries(self, verb: int) -> list[Token]:
        """The helping verbs of a verb: "has been" of "has been moved"."""
        return [self.tokens[one] for one in self.children[verb] if self.tokens[one].relation.startswith("aux")]

    def above(self, place: int) -> Iterator[int]:
        """The places of a token and of all that it depends on, up to the root."""
        yield place
        while self.tokens[place].head != place:
            place = self.tokens[place].head
            yield place

    def below(self, place: int) -> Iterator[int]:
        """The places of a token and of all that depends on it, in no particular order."""
        waiting = [place]
        while waiting:
            one = waiting.pop()
            yield one
            waiting.extend(self.children[one])

    def span(self, place: int) -> tuple[int, int]:
        """Where in the text a token with all that depends on it begins and ends."""
        held = list(self.below(place))
        return min(self.tokens[one].start for one in held), max(self.tokens[one].end for one in held)

    def phrase(self, place: int) -> str:
        """A token with all that depends on it, as it stands."""
        start, end = self.span(place)
        return self.text[start - self.start : end - self.start]


@dataclass(frozen=True, slots=True)
class Named:
    """A name a reader recognised; `label` is PERSON, ORG, PLACE, PRODUCT, WORK, EVENT, DATE, MONEY, NUMBER or OTHER."""

    text: str
    label: str
    start: int


@dataclass(frozen=True)
class Parse:
    """`language` is an ISO 639-1 code; `is_parsed` says whether the tokens carry grammar."""

    text: str
    language: str
    sentences: tuple[Sentence, ...]
    names: tuple[Named, ...] = ()
    is_parsed: bool = field(default=False)

    def sentence_at(self, place: int) -> Sentence | None:
        """The sentence with grammar in which a place of the text lies."""
        return next((one for one in self.sentences if one.start <= place < one.end and one.tokens), None)
