"""Requests to the memory itself: "Forget everything you know about me" says nothing that could be remembered."""

from typing import Final

from memory_platform.text.parse import Sentence

_FORGET: Final = "forget"
_ALWAYS: Final = "always"
_ALL: Final = frozenset({"all", "anything", "everything"})
_SECOND_PERSON: Final = "you"
_FIRST_PERSON: Final = frozenset({"i", "we", "me", "us", "my", "our", "myself", "ourselves"})
_BESIDE: Final = frozenset({"obj", "iobj", "ccomp", "prep", "intj", "punct", "advmod", "vocative", "npadvmod", "prt"})
_QUALIFYING: Final = frozenset({"advcl", "mark"})


def asks_of_memory(sentence: Sentence, verb: int) -> bool:
    """Whether a command is about no more than what its hearer knows of who speaks, or is to forget what he heard.

    What holds always, under a condition or beside another statement is no request but a rule: "Always tell me what you
    know about side effects".
    """
    own = sentence.children[verb]
    if any(sentence.tokens[one].relation not in _BESIDE or _says_how(sentence, one) for one in own):
        return False
    if any(sentence.tokens[one].relation in _QUALIFYING for one in sentence.below(verb)):
        return False
    is_forgetting = sentence.tokens[verb].lemma == _FORGET
    return _is_all_of_it(sentence, verb) or any(_is_known(sentence, one, is_forgetting=is_forgetting) for one in own)


def _says_how(sentence: Sentence, place: int) -> bool:
    """Whether it says how or when the command holds; "about me" and "from your memory" do not."""
    token = sentence.tokens[place]
    if token.relation == "prep":
        return token.lemma != "about" and "your" not in _words(sentence, place)
    return token.relation == "advmod" and token.lemma == _ALWAYS


def _is_known(sentence: Sentence, place: int, *, is_forgetting: bool) -> bool:
    """Whether an object is what "you" know of the speaker or, where that is to be forgotten, were told by him."""
    if sentence.tokens[place].relation not in {"obj", "ccomp"} or not _is_of_speaker(sentence, place):
        return False
    hearers = [one for one in sentence.below(place) if sentence.tokens[one].text.casefold() == _SECOND_PERSON]
    return any(is_forgetting or sentence.tokens[one].relation == "nsubj" for one in hearers)


def _is_all_of_it(sentence: Sentence, verb: int) -> bool:
    """Whether it is "everything about me"."""
    own = [sentence.tokens[one] for one in sentence.children[verb]]
    abouts = [place for place in sentence.below(verb) if sentence.tokens[place].lemma == "about"]
    is_all = any(one.relation == "obj" and one.lemma in _ALL for one in own)
    return is_all and any(_is_of_speaker(sentence, place) for place in abouts)


def _is_of_speaker(sentence: Sentence, place: int) -> bool:
    return not _words(sentence, place).isdisjoint(_FIRST_PERSON)


def _words(sentence: Sentence, place: int) -> set[str]:
    return {sentence.tokens[one].text.casefold() for one in sentence.below(place)}
