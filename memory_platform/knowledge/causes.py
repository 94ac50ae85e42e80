"""What a text says caused what: grounds behind "because" and "due to", consequences behind "so", verbs of causing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memory_platform.knowledge.assertion import asserted, is_question
from memory_platform.text.parse import Parse, Sentence

LONGEST_HALF: Final = 160
"""Letters of a cause or an effect: what is longer is several sentences run together."""
_SHORTEST_HALF: Final = 4


@dataclass(frozen=True, slots=True)
class Cause:
    """A sentence's cause and effect, as it words them, and the words that join the two."""

    cause: str
    effect: str
    connective: str


_GROUNDS: Final = frozenset({"because", "due", "owing", "thanks"})
_CONSEQUENCES: Final = frozenset({"so", "therefore", "hence", "thus", "consequently"})
_CAUSING: Final = frozenset({"lead to", "cause", "trigger", "result in"})
_EDGES: Final = " ,;.!—–-"
_LINKING: Final = frozenset({"of", "to", "that", "by"})
_POINTS_BACK: Final = re.compile(
    r"\A\W*(?:and\s+|but\s+)?(?P<connective>because of (?:that|this)|as a result|therefore|consequently|hence|thus"
    r"|that['’]s why"
    r"|that is why|this is why|for (?:that|this) reason|so (?=(?:we|i|they|he|she|it)\b)"
    r"|(?:this|that|which) (?:led|leads) to"
    r"|(?:this|that) (?:caused|resulted in)|due to (?:that|this))\b",
    re.IGNORECASE,
)
_EXPLAINS_BACK: Final = re.compile(
    r"\A\W*(?P<connective>(?:that['’]s|that is|this is|it['’]s|it is|it was) because|because|the reason (?:is|was))\b",
    re.IGNORECASE,
)


def causes(parse: Parse) -> tuple[Cause, ...]:
    """What the text says caused what, one at most a sentence; questions say nothing."""
    found = (next(_causes(sentence), None) for sentence in parse.sentences if not is_question(sentence))
    return tuple(cause for cause in found if cause is not None)


def points_back(text: str) -> tuple[str, bool] | None:
    """The connective with which `text` takes up what was said just before it, if it does.

    The flag is True when the text before is the cause ("Therefore …"), False when this one is ("That's because …").
    """
    if match := _EXPLAINS_BACK.match(text):
        return match["connective"].casefold(), False
    if match := _POINTS_BACK.match(text):
        return match["connective"].strip().casefold(), True
    return None


def _causes(sentence: Sentence) -> Iterator[Cause]:
    for place, token in enumerate(sentence.tokens):
        word = token.text.casefold()
        if word in _GROUNDS:
            yield from _ground(sentence, place)
        elif word in _CONSEQUENCES and token.relation in {"advmod", "cc", "mark"}:
            yield from _consequence(sentence, place)
    for verb in asserted(sentence):
        if not verb.is_negated:
            yield from _causing(sentence, verb.verb, verb.subjects[0])


def _ground(sentence: Sentence, place: int) -> Iterator[Cause]:
    token = sentence.tokens[place]
    behind = place + 1 + _linking(sentence, place)
    if behind >= len(sentence.tokens):
        return
    if place > 0 and any(one.text.isalpha() for one in sentence.tokens[:place]):
        yield from _halves(
            _text(sentence, behind, len(sentence.tokens)), _text(sentence, 0, place), sentence, place, behind
        )
        return
    reach = token.head if token.relation == "mark" else place
    end = max(sentence.below(reach)) + 1
    yield from _halves(
        _text(sentence, behind, end), _text(sentence, end, len(sentence.tokens)), sentence, place, behind
    )


def _consequence(sentence: Sentence, place: int) -> Iterator[Cause]:
    """What follows from what stands before a comma, or what is done "so that" it follows."""
    behind = place + 1 + _linking(sentence, place)
    has_comma = place > 0 and sentence.tokens[place - 1].text in {",", ";", "and", "—", "–"}
    if not has_comma and behind == place + 1:
        return
    head = sentence.tokens[sentence.tokens[place].head]
    if head.part in {"VERB", "AUX"} and sentence.tokens[place].head > place:
        effect = _text(sentence, behind, len(sentence.tokens))
        yield from _halves(_text(sentence, 0, place).removesuffix("and"), effect, sentence, place, behind)


def _causing(sentence: Sentence, verb: int, subject: int) -> Iterator[Cause]:
    for child in sentence.children[verb]:
        token = sentence.tokens[child]
        words = sentence.tokens[verb].lemma + (f" {token.lemma}" if token.relation == "prep" else "")
        if words in _CAUSING and token.relation in {"obj", "prep"}:
            start = child + 1 if token.relation == "prep" else min(sentence.below(child))
            cause = sorted(sentence.below(subject))
            effect = _text(sentence, start, max(sentence.below(child)) + 1)
            yield from _halves(_text(sentence, cause[0], cause[-1] + 1), effect, sentence, verb, verb + 1)


def _linking(sentence: Sentence, place: int) -> int:
    following = sentence.tokens[place + 1 : place + 2]
    return 1 if following and following[0].text.casefold() in _LINKING else 0


def _text(sentence: Sentence, first: int, end: int) -> str:
    """The words from one place up to another, as the text has them."""
    tokens = sentence.tokens[first:end]
    if not tokens:
        return ""
    return sentence.text[tokens[0].start - sentence.start : tokens[-1].end - sentence.start].strip(_EDGES)


def _halves(cause: str, effect: str, sentence: Sentence, first: int, end: int) -> Iterator[Cause]:
    if min(len(cause), len(effect)) >= _SHORTEST_HALF and max(len(cause), len(effect)) <= LONGEST_HALF:
        yield Cause(cause, effect, _text(sentence, first, end).casefold())
