"""Which verbs of a sentence state that something is or was so, and when: nothing asked, supposed, wished, planned,
quoted or told by somebody else is asserted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memory_platform.knowledge.attribution import attributed_to
from memory_platform.text.parse import Sentence, Token
from memory_platform.text.sentences import QUESTION_MARKS


class Aspect(StrEnum):
    """PRESENT: it is so; GOING_ON: it is being done; PAST: it was so; DONE: it has come about."""

    PRESENT = "present"
    GOING_ON = "going_on"
    PAST = "past"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Asserted:
    """A verb that is asserted: its place, the places of what it is asserted of, and whether it is denied."""

    verb: int
    subjects: tuple[int, ...]
    aspect: Aspect
    is_negated: bool = False
    is_passive: bool = False


_VERBAL: Final = frozenset({"VERB", "AUX"})
_NOMINAL: Final = frozenset({"NOUN", "PROPN", "PRON", "X", "NUM", "ADJ"})
_HELPERS: Final = frozenset({"aux", "auxpass", "cop"})
_MODALS: Final = frozenset(
    {"will", "shall", "would", "could", "can", "might", "may", "must", "should", "ought", "wo", "ca", "'ll", "’ll",
     "'d", "’d", "gonna", "need", "dare", "pouvoir", "devoir"}
)  # fmt: skip
_SUPPOSING: Final = frozenset({"if", "unless", "whether", "once", "until", "till", "lest", "si"})
_GROUNDS: Final = frozenset(
    {"because", "since", "although", "though", "while", "whereas", "as", "after", "when", "parce"}
)
_SAYING: Final = frozenset(
    {"say", "tell", "claim", "mention", "think", "believe", "reckon", "hear", "guess", "suspect", "swear", "insist",
     "suppose", "assume", "hope", "imagine", "dire", "penser", "croire"}
)  # fmt: skip
_UNSURE: Final = frozenset(
    {"maybe", "perhaps", "probably", "possibly", "presumably", "supposedly", "allegedly", "apparently", "peut-être",
     "probablement"}
)  # fmt: skip
_HEDGES: Final = _UNSURE | frozenset({"almost", "nearly", "hopefully", "soon", "tomorrow", "bientôt"})
_NEGATIONS: Final = frozenset(
    {"not", "n't", "n’t", "never", "no", "hardly", "barely", "neither", "nor", "pas", "jamais"}
)
_NO: Final = frozenset({"no", "not", "plus"})
_LONGER: Final = frozenset({"longer", "long", "anymore", "more"})
_STARTING: Final = frozenset({"start", "begin", "keep", "continue", "end"})
STOPPING: Final = frozenset({"stop", "quit", "cease"})
ASKING: Final = frozenset({"what", "who", "whom", "whose", "where", "when", "why", "how", "which"})
_ASKERS: Final = ASKING | {"whatever", "whoever", "wherever", "whichever", "however"}
_QUOTES: Final = frozenset({'"', "“", "”", "«", "»", "``", "''"})
_JOINING: Final = frozenset({"and", "&", "plus", "et"})
_ALTERNATIVES: Final = frozenset({"or", "nor", "ou", "/"})
_CONTRASTS: Final = frozenset({"but", "mais"})
_BREAKS: Final = frozenset({":", ";", ".", "!", "?", "=", "…", "..", "..."})
_AHEAD: Final = frozenset({"tomorrow", "tonight", "next", "demain"})
OPENERS: Final = frozenset({"INTJ", "PUNCT", "CCONJ", "SYM", "SPACE"})


def asserted(sentence: Sentence) -> Iterator[Asserted]:
    """The asserted verbs that have a subject, of their own or shared with the verb they are joined to."""
    if is_question(sentence) or attributed_to(sentence):
        return
    quoted = _quoted(sentence)
    verdicts: dict[int, bool] = {}
    for place, token in enumerate(sentence.tokens):
        if token.part not in _VERBAL or token.relation in _HELPERS or place in quoted or not token.lemma[:1].isalpha():
            continue
        if _is_asserted(sentence, place, verdicts):
            yield from _read(sentence, place)


def is_unsure(sentence: Sentence, place: int) -> bool:
    """Whether an adverb says of a verb that who speaks does not know: "Mara probably works at Nordwind"."""
    return any(
        sentence.tokens[child].relation == "advmod" and sentence.tokens[child].text.casefold() in _UNSURE
        for child in sentence.children[place]
    )


def is_question(sentence: Sentence) -> bool:
    return sentence.text.rstrip(" \"'”»)*").endswith(QUESTION_MARKS)


def _read(sentence: Sentence, place: int) -> Iterator[Asserted]:
    leader = _leader(sentence, place)
    own = _subjects(sentence, place) or _subjects(sentence, leader)
    subjects = tuple(one for one in own if not are_apart(sentence, one, place))
    aspect = _aspect(sentence, leader if leader != place and _is_complement(sentence.tokens[place]) else place, leader)
    if not subjects or aspect is None:
        return
    stops = leader != place and sentence.tokens[leader].lemma in STOPPING and _is_complement(sentence.tokens[place])
    denied = is_negated(sentence, place) or (_is_complement(sentence.tokens[place]) and is_negated(sentence, leader))
    passive = any(sentence.tokens[child].relation == "auxpass" for child in sentence.children[place])
    yield Asserted(place, subjects, aspect, denied != stops, passive)


def _is_complement(token: Token) -> bool:
    return token.relation == "xcomp"


def _leader(sentence: Sentence, place: int) -> int:
    """The verb whose subject a verb shares: the one before "and", or that of beginning and ending."""
    token = sentence.tokens[place]
    if _subjects(sentence, place):
        return place
    head = sentence.tokens[token.head]
    has_joint = any(sentence.tokens[child].relation == "cc" for child in sentence.children[token.head])
    if token.relation == "conj" and head.part in _VERBAL and has_joint:
        return _leader(sentence, token.head) if token.head < place else place
    return token.head if token.relation == "xcomp" and _is_phase(sentence, token.head) else place


def _is_phase(sentence: Sentence, place: int) -> bool:
    """Whether a verb says no more than that what follows begins, goes on or ends."""
    has_object = any(sentence.tokens[child].relation == "obj" for child in sentence.children[place])
    return sentence.tokens[place].lemma in _STARTING | STOPPING and not has_object


def _subjects(sentence: Sentence, place: int) -> tuple[int, ...]:
    """The nominal subject, with those joined to it by "and"; of a relative clause what it is about.

    Of two subjects the nearer one: the other is who is spoken to ("Marisol, that's fantastic").
    """
    token = sentence.tokens[place]
    own = [child for child in sentence.children[place] if sentence.tokens[child].relation == "nsubj"]
    if not own:
        return ()
    nearest = min(own, key=lambda child: abs(place - child))
    is_relative = sentence.tokens[nearest].text.casefold() in {"who", "which", "that", "qui"}
    if is_relative and token.relation in {"relcl", "acl"}:
        return (token.head,)
    return conjuncts(sentence, nearest) if sentence.tokens[nearest].part in _NOMINAL else ()


def conjuncts(sentence: Sentence, place: int) -> tuple[int, ...]:
    """A nominal and those an "and" joins to it; what only commas join may be another clause. Nothing
    where an "or" leaves open which of them.
    """
    chain, joins = [place], 0
    while (following := _next_conjunct(sentence, chain[-1])) is not None:
        links = {sentence.tokens[child].text.casefold() for child in sentence.children[chain[-1]]}
        if links & _ALTERNATIVES:
            return ()
        if links & _CONTRASTS:
            break
        chain.append(following)
        if links & _JOINING:
            joins = len(chain) - 1
    return tuple(chain[: joins + 1])


def _next_conjunct(sentence: Sentence, place: int) -> int | None:
    return next(
        (
            child
            for child in sentence.children[place]
            if sentence.tokens[child].relation == "conj" and sentence.tokens[child].part in _NOMINAL
        ),
        None,
    )


def are_apart(sentence: Sentence, place: int, other: int) -> bool:
    """Whether a mark between two words says that they belong to different sentences."""
    first, last = sorted((place, other))
    return any(token.text in _BREAKS for token in sentence.tokens[first + 1 : last])


def is_negated(sentence: Sentence, place: int) -> bool:
    """Whether "not", "never" or "no longer" stands with a word."""
    return any(
        sentence.tokens[child].text.casefold() in _NEGATIONS
        and sentence.tokens[child].relation in {"neg", "advmod", "det", "preconj", "cc"}
        for child in sentence.children[place]
    ) or any(_is_longer(sentence, child, _NO) for child in sentence.children[place])


def is_no_more(sentence: Sentence, place: int) -> bool:
    """Whether it is denied of a word from now on only: "no longer", "not … anymore", "not … any longer"."""
    return is_negated(sentence, place) and any(says_no_more(sentence, child) for child in sentence.children[place])


def says_no_more(sentence: Sentence, place: int) -> bool:
    """Whether a word leads "no longer", "any longer" or "anymore"."""
    return sentence.tokens[place].text.casefold() == "anymore" or _is_longer(sentence, place, _NO | {"any"})


def _is_longer(sentence: Sentence, place: int, amounts: frozenset[str]) -> bool:
    """Whether a word is the "longer" or "more" of one of these amounts: "no longer", "any more"."""
    beside = {sentence.tokens[below].text.casefold() for below in sentence.children[place]}
    return sentence.tokens[place].lemma in _LONGER and bool(beside & amounts)


def _is_asserted(sentence: Sentence, place: int, verdicts: dict[int, bool]) -> bool:
    """Whether a verb, and whatever it depends on, is asserted; what was found out of a head is kept in `verdicts`."""
    chain: list[int] = []
    while place not in verdicts:
        chain.append(place)
        outcome = _alone(sentence, place)
        head = sentence.tokens[place].head
        if outcome is not None or head == place:
            verdicts[place] = bool(outcome)
            break
        place = head
    verdict = verdicts[place]
    for one in reversed(chain):
        verdicts.setdefault(one, verdict)
    return verdict


def _alone(sentence: Sentence, place: int) -> bool | None:
    """What can be said of a verb by itself; None: it is as its head is."""
    token = sentence.tokens[place]
    if token.part not in _VERBAL:
        return True if token.head == place else None
    if _is_unreal(sentence, place):
        return False
    if token.head == place:
        return True
    if token.relation in {"relcl", "acl"}:
        return not _is_told(sentence, place)
    if token.relation == "ccomp":
        return _is_spliced(sentence, place)
    if token.relation == "xcomp":
        is_carried = _is_phase(sentence, token.head)
    elif token.relation == "advcl":
        is_carried = _mark(sentence, place) in _GROUNDS
    else:
        is_carried = token.relation in {"parataxis", "conj", "dep", "appos"}
    return None if is_carried else False


def _is_unreal(sentence: Sentence, place: int) -> bool:
    tokens, own = sentence.tokens, sentence.children[place]
    words = {tokens[child].text.casefold() for child in own if tokens[child].relation in _HELPERS}
    if words & _MODALS or _is_ahead(sentence, place) or _is_asked(sentence, place):
        return True
    if tokens[place].tense != "Past" and any(_is_soon(sentence, child) for child in own):
        return True
    if any(tokens[child].lemma in _HEDGES and tokens[child].relation in {"advmod", "npadvmod"} for child in own):
        return True
    return (
        any(tokens[child].relation == "advcl" and _mark(sentence, child) in _SUPPOSING for child in own)
        or _mark(sentence, place) in _SUPPOSING
    )


def _is_soon(sentence: Sentence, place: int) -> bool:
    """Whether a word of time points ahead: "tomorrow", "next week"."""
    if sentence.tokens[place].relation not in {"npadvmod", "advmod", "obl"}:
        return False
    return any(sentence.tokens[one].text.casefold() in _AHEAD for one in (place, *sentence.children[place]))


def _mark(sentence: Sentence, place: int) -> str:
    return next(
        (
            sentence.tokens[child].text.casefold()
            for child in sentence.children[place]
            if sentence.tokens[child].relation in {"mark", "advmod"}
            and sentence.tokens[child].text.casefold() in _SUPPOSING | _GROUNDS
        ),
        "",
    )


def _is_ahead(sentence: Sentence, place: int) -> bool:
    """Whether a verb is the "going" of "going to do" or the "about" of "about to do"."""
    return sentence.tokens[place].text.casefold() in {"going", "gonna", "supposed", "meant"} and any(
        sentence.tokens[child].relation == "xcomp" for child in sentence.children[place]
    )


def _is_asked(sentence: Sentence, place: int) -> bool:
    """Whether a verb or helper stands before the subject ("had we the staff"), or a word of asking before the verb."""
    tokens, own = sentence.tokens, sentence.children[place]
    subject = next((child for child in own if tokens[child].relation == "nsubj"), None)
    if subject is None:
        return False
    if subject > place and tokens[place].lemma != "be":
        return True
    asks = any(
        child < subject and tokens[child].text.casefold() in _ASKERS and tokens[child].relation not in {"mark", "nsubj"}
        for child in own
        if tokens[place].relation != "advcl"
    )
    first = next((at for at, token in enumerate(tokens) if token.part not in OPENERS), 0)
    if first < subject and tokens[first].text.casefold().endswith("ever") and tokens[first].part in {"PRON", "DET"}:
        return True
    return (
        asks
        or (first in own and tokens[first].relation in _HELPERS)
        or (first == place and tokens[first].part == "AUX")
    )


def _is_told(sentence: Sentence, place: int) -> bool:
    """Whether what looks like a relative clause is what somebody is told: "told the mate that Kofi signs off"."""
    head = sentence.tokens[sentence.tokens[place].head]
    has_that = any(sentence.tokens[child].text.casefold() == "that" for child in sentence.children[place])
    return has_that and head.relation in {"obj", "iobj"} and sentence.tokens[head.head].lemma in _SAYING


def _is_spliced(sentence: Sentence, place: int) -> bool:
    """Whether a clause stands before another one with no more than a comma between them, and nobody tells it."""
    token, head = sentence.tokens[place], sentence.tokens[sentence.tokens[place].head]
    if token.head < place or head.lemma in _SAYING or head.part not in _VERBAL:
        return False
    return any(
        one.text in {",", ";", "-", "–", "—", ":", "...", "…"} for one in sentence.tokens[place + 1 : token.head]
    )


def _aspect(sentence: Sentence, place: int, leader: int) -> Aspect | None:
    """None for a verb without a tense of its own or of its helpers, and for what was only going on."""
    token = sentence.tokens[place]
    helpers = [
        sentence.tokens[child] for child in sentence.children[place] if sentence.tokens[child].relation in _HELPERS
    ]
    if not helpers and leader != place and token.form == "Part":
        return _aspect(sentence, leader, leader)
    if not helpers and token.form == "Part" and _has_clitic(sentence, place):
        return Aspect.DONE if token.tense == "Past" else Aspect.GOING_ON
    has = any(one.lemma in {"have", "'ve", "avoir", "être"} and one.tense != "Past" for one in helpers)
    if has and token.form == "Part":
        return Aspect.DONE if token.tense == "Past" else Aspect.GOING_ON
    finite = next((one for one in (*helpers, token) if one.form == "Fin" or (one.tense and one.form != "Part")), None)
    if finite is None:
        return None
    is_progressive = token.form == "Part" and token.tense == "Pres"
    if finite.tense in {"Past", "Imp"}:
        return None if is_progressive else Aspect.PAST
    return Aspect.GOING_ON if is_progressive and helpers else Aspect.PRESENT


def _has_clitic(sentence: Sentence, place: int) -> bool:
    """Whether the "'s" before a participle was read as a possessive: "Camila's moved"."""
    return place > 0 and sentence.tokens[place - 1].text in {"'s", "’s"}


def _quoted(sentence: Sentence) -> frozenset[int]:
    """The places between quotation marks."""
    inside: set[int] = set()
    opened: int | None = None
    for place, token in enumerate(sentence.tokens):
        if token.text not in _QUOTES:
            continue
        if opened is None:
            opened = place
        else:
            inside.update(range(opened, place))
            opened = None
    return frozenset(inside)
