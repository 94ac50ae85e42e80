"""What asks without a question mark: the verb before its subject, or a word of asking in front."""

from collections.abc import Sequence
from typing import Final

from memory_platform.knowledge.assertion import ASKING, OPENERS
from memory_platform.text.parse import Sentence

_HELPERS: Final = frozenset({"aux", "auxpass"})
_REQUESTING: Final = frozenset({"can", "could", "will", "would"})
_PERSONS_ASKED: Final = frozenset({"who", "what"})


def asks(sentence: Sentence, head: int, own: Sequence[int]) -> bool:
    """Whether the clause of a main verb, whose words are `own`, is a question: "where do I live", "is Ana still vegan".

    "Where I live it rains" and "never have I seen it" are none: nothing is turned round, or something else opens it.
    Neither is "can you answer in German from now on", which asks for a deed.
    """
    words = [place for place in own if sentence.tokens[place].part not in OPENERS]
    if head != sentence.root or not words:
        return False
    subject = next((place for place in sentence.children[head] if sentence.tokens[place].relation == "nsubj"), None)
    if subject is None:
        return False
    if subject == words[0]:
        return sentence.tokens[subject].text.casefold() in _PERSONS_ASKED and not sentence.text.rstrip().endswith(".")
    is_turned = _is_turned(sentence, head, subject, words[0]) and _opens_question(sentence, head, words[0])
    return is_turned and not _is_request(sentence, subject, words[0])


def _is_turned(sentence: Sentence, head: int, subject: int, first: int) -> bool:
    """Whether the finite verb stands before what is asked about, and no comma between them: "can't, I'm away"."""
    finite = [place for place in sentence.children[head] if sentence.tokens[place].relation in _HELPERS]
    finite += [head] if sentence.tokens[head].lemma == "be" else []
    begin = min(sentence.below(subject))
    return any(first <= place < begin and not _is_parted(sentence, place, begin) for place in finite)


def _is_parted(sentence: Sentence, start: int, end: int) -> bool:
    return any(sentence.tokens[place].part == "PUNCT" for place in range(start, end))


def _opens_question(sentence: Sentence, head: int, first: int) -> bool:
    token = sentence.tokens[first]
    is_finite = first == head or (token.relation in _HELPERS and token.head == head)
    return is_finite or token.text.casefold() in ASKING


def _is_request(sentence: Sentence, subject: int, first: int) -> bool:
    opener, asked = sentence.tokens[first].text.casefold(), sentence.tokens[subject].text.casefold()
    return opener in _REQUESTING and asked == "you"
