"""The clauses of a parse, verbatim, each with what its grammar says: who, when, whether it is asserted at all."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory_platform.extraction.asking import asks
from memory_platform.extraction.memory_requests import asks_of_memory
from memory_platform.knowledge.assertion import is_unsure
from memory_platform.knowledge.attribution import attributed_to
from memory_platform.model import Mood, Tense
from memory_platform.text.addressing import VOCATIVE
from memory_platform.text.parse import Parse, Sentence, Token
from memory_platform.text.quotations import may_quote, quotations
from memory_platform.text.records import RecordEntry
from memory_platform.text.sentences import QUESTION_MARKS


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of the text that stands for itself.

    `subject` is as it stands ("my boss"), `verb` the lemma of its verb; both empty where the grammar gives none.
    `is_unsure`: an adverb says that it may not be so. `reported_by` is who is said to have said it, `is_quoted` whether
    quotation marks stand around most of it, `points_back` whether whom or what it is about was named before it. `entry`
    is what it states where the source is no prose, and the text therefore no stretch of it. `is_left`: a stretch of
    what is too long to be kept, judged only for what it tries. `asks_of_memory`: it commands no more than to forget or
    tell what is remembered; `says_nothing`: it greets or agrees ("Hi again.", "Totally."). `past`: where in its text
    verbs in the past tense stand; `present`: where the verb of what is said or thought stands, if it is in another.
    """

    text: str
    start: int
    language: str
    subject: str = ""
    verb: str = ""
    tense: Tense = Tense.NONE
    mood: Mood = Mood.ASSERTED
    is_negated: bool = False
    is_unsure: bool = False
    reported_by: str = ""
    is_quoted: bool = False
    has_verb: bool = False
    points_back: bool = False
    entry: RecordEntry | None = None
    is_left: bool = False
    asks_of_memory: bool = False
    says_nothing: bool = False
    past: tuple[int, ...] = ()
    present: tuple[int, ...] = ()

    @property
    def end(self) -> int:
        return self.start + len(self.text)


_SPLITTING: Final = frozenset({"conj", "parataxis", "ccomp"})
_VERBAL: Final = frozenset({"VERB", "AUX"})
_SUBJECTS: Final = frozenset({"nsubj", "expl"})
CONDITIONS: Final = frozenset({"if", "unless", "whether", "suppose", "assuming", "si"})
POSSIBLE: Final = frozenset({"would", "could", "might", "may", "'d", "’d"})
_AHEAD: Final = frozenset({"will", "shall", "'ll", "’ll", "wo", "gonna"})
_SAYING: Final = frozenset(
    {"say", "tell", "claim", "mention", "think", "believe", "reckon", "hear", "guess", "suspect", "swear", "insist",
     "dire", "penser", "croire"}
)  # fmt: skip
_WISHING: Final = frozenset({"wish", "hope", "dream", "want", "love", "like", "consider", "fancy"})
NEGATIONS: Final = frozenset({"not", "n't", "n’t", "never", "no", "ne", "pas", "jamais"})
_PARTING: Final = frozenset({",", ";", "-", "–", "—", ":", "..", "...", "…"})
_DANGLING: Final = re.compile(r"(?<![\s,;])[\s,;]++(?:and|but|or|so|et|mais|ou)\Z", re.IGNORECASE)
_BEFORE_COMMAND: Final = frozenset({"INTJ", "ADV", "PUNCT", "AUX", "PART", "CCONJ", "PROPN"})
_BEFORE_SUBJECT: Final = frozenset({"INTJ", "ADV", "PUNCT", "CCONJ", "SCONJ", "SPACE", "SYM"})
_EMPTY: Final = frozenset({"INTJ", "ADV", "PUNCT", "PART", "CCONJ", "SYM", "SPACE"})
_THIRD_PERSON: Final = frozenset(
    {"he", "she", "it", "they", "his", "her", "its", "their", "him", "them", "this", "that", "these", "those", "there",
     "il", "elle", "ils", "elles", "ça", "ce", "c'"}
)  # fmt: skip


def clauses(parse: Parse) -> tuple[Clause, ...]:
    """Every clause of the text, in order; together they cover all its sentences.

    A sentence is split before a coordinate clause that has a subject of its own or commands ("It runs there, and never
    stop it"), and behind one that only a comma joins to the main clause ("I'm Mara, I live in Oslo"), unless a
    condition, a report or a quotation may reach over the split. Takes time in proportion to the length of the text.
    """
    return tuple(clause for sentence in parse.sentences for clause in _of_sentence(sentence, parse.language))


def _of_sentence(sentence: Sentence, language: str) -> Iterator[Clause]:
    if not sentence.tokens or sentence.root is None:
        yield Clause(sentence.text, sentence.start, language, mood=_marked_mood(sentence.text))
        return
    opened, speaker = _opened(sentence), attributed_to(sentence)
    ends = [*(start for _, start in opened[1:]), sentence.end]
    for (head, start), end in zip(opened, ends, strict=True):
        text = sentence.text[start - sentence.start : end - sentence.start]
        trimmed = _DANGLING.sub("", text.strip(" \t\n,;"))
        if trimmed:
            yield _clause(sentence, head, trimmed, start + text.index(trimmed[0]), language, speaker)


def _opened(sentence: Sentence) -> list[tuple[int, int]]:
    """The verbs whose clauses stand for themselves, by place, and where each clause begins, in order of the text."""
    root = sentence.root or 0
    if _holds_over(sentence):
        return [(root, sentence.start)]
    opened = [(head, _opening(sentence, head)) for head in _heads(sentence, root)]
    opened[0] = (root, sentence.start)
    first = _fronted(sentence, root)
    if first is None:
        return opened
    behind = sentence.tokens[max(sentence.below(first)) + 1].end
    return [(first, sentence.start), (root, behind), *(each for each in opened[1:] if each[1] > behind)]


def _heads(sentence: Sentence, root: int) -> list[int]:
    """The root, then the verbs that are split off from it and from each other, in order of the text."""
    heads, waiting = [root], [root]
    while waiting:
        one = waiting.pop()
        for child in sentence.children[one]:
            if _splits_off(sentence, one, child):
                heads.append(child)
                waiting.append(child)
    heads.sort(key=lambda place: _opening(sentence, place) if place != root else -1)
    return _in_order(sentence, heads)


def _in_order(sentence: Sentence, heads: Sequence[int]) -> list[int]:
    """Heads whose clauses open one behind the other; what opens inside or before its predecessor is not split off."""
    kept, reached = [heads[0]], sentence.start
    for head in heads[1:]:
        opening = _opening(sentence, head)
        if opening > reached and head > kept[-1]:
            kept.append(head)
            reached = opening
    return kept


def _fronted(sentence: Sentence, root: int) -> int | None:
    """The verb of a whole clause that only a comma parts from the main one behind it."""
    if _is_saying(sentence.tokens[root]):
        return None
    subject = next((one for one in sentence.children[root] if sentence.tokens[one].relation in _SUBJECTS), 0)
    for one in sentence.children[root]:
        if one < subject and sentence.tokens[one].relation == "ccomp" and _has_subject(sentence, one):
            last = max(sentence.below(one))
            return one if last + 1 < subject and sentence.tokens[last + 1].text in _PARTING else None
    return None


def _holds_over(sentence: Sentence) -> bool:
    """Whether a condition or an open quotation may reach over the whole sentence."""
    has_condition = any(token.relation == "mark" and token.text.casefold() in CONDITIONS for token in sentence.tokens)
    return has_condition or may_quote(sentence.text)


def _splits_off(sentence: Sentence, head: int, child: int) -> bool:
    token = sentence.tokens[child]
    if token.relation not in _SPLITTING or token.part not in _VERBAL or child < head:
        return False
    if token.relation == "ccomp" and (_is_saying(sentence.tokens[head]) or not _follows_comma(sentence, child)):
        return False
    return _has_subject(sentence, child) or _turns_to_command(sentence, head, child)


def _has_subject(sentence: Sentence, verb: int) -> bool:
    return any(sentence.tokens[one].relation in _SUBJECTS for one in sentence.children[verb])


def _turns_to_command(sentence: Sentence, head: int, child: int) -> bool:
    """Whether a bare verb is joined to one that is bent: they do not share a subject, which would bend both."""
    is_bare = sentence.tokens[child].form == "Inf" and not sentence.auxiliaries(child)
    verb = sentence.tokens[head]
    return is_bare and verb.form == "Fin" and verb.text.casefold() != verb.lemma and not sentence.auxiliaries(head)


def _follows_comma(sentence: Sentence, place: int) -> bool:
    first = min(sentence.below(place), key=lambda one: sentence.tokens[one].start)
    return first > 0 and sentence.tokens[first - 1].text in _PARTING


def _is_saying(token: Token) -> bool:
    return token.lemma in _SAYING


def _opening(sentence: Sentence, head: int) -> int:
    """Where the clause of a verb begins, the conjunction before it left to the clause before."""
    return sentence.span(head)[0]


def _clause(sentence: Sentence, head: int, text: str, start: int, language: str, speaker: str) -> Clause:
    """The clause of a verb; `speaker` is on whose word the whole sentence stands, empty for nobody's."""
    own = [place for place in range(len(sentence.tokens)) if start <= sentence.tokens[place].start < start + len(text)]
    verb = _verb(sentence, head)
    mood = _mood(sentence, head, own, text)
    is_negated = any(_negates(sentence, place) for place in own)
    return Clause(
        text,
        start,
        language,
        subject=_subject(sentence, head),
        verb=sentence.tokens[head].lemma if verb else "",
        tense=_tense(sentence, head),
        mood=mood,
        is_negated=is_negated,
        is_unsure=is_unsure(sentence, head),
        reported_by=speaker or _reporter(sentence, head),
        is_quoted=_is_quoted(text),
        has_verb=any(sentence.tokens[place].part in _VERBAL for place in own),
        points_back=_points_back(sentence, own),
        asks_of_memory=mood is Mood.COMMAND and not is_negated and asks_of_memory(sentence, head),
        says_nothing=bool(own) and all(_is_empty(sentence.tokens[place]) for place in own),
        past=tuple(sentence.tokens[place].start - start for place in own if _is_past(sentence.tokens[place])),
        present=tuple(one.start - start for place in own for one in _told_as_present(sentence, place)),
    )


def _negates(sentence: Sentence, place: int) -> bool:
    """Whether a word denies what its clause says: the "No," that answers somebody does not, nor does a "not" that sets
    something beside what is said ("Globex, not Acme").
    """
    token = sentence.tokens[place]
    if token.text.casefold() not in NEGATIONS or token.part == "INTJ":
        return False
    return token.relation != "neg" or place < token.head or sentence.tokens[token.head].part in _VERBAL


def _is_past(token: Token) -> bool:
    return token.part in _VERBAL and token.form == "Fin" and token.tense == "Past"


def _told_as_present(sentence: Sentence, place: int) -> Iterator[Token]:
    """The finite verb of what is said or thought, unless it is in the past tense: "will" of "He said he will come"."""
    if sentence.tokens[place].relation == "ccomp":
        for one in (*sentence.auxiliaries(place), sentence.tokens[place]):
            if one.part in _VERBAL and one.form == "Fin" and one.tense != "Past":
                yield one


def _is_empty(token: Token) -> bool:
    """Whether a word says nothing of anything; an adverb the dictionary does not hold may be a name."""
    is_known = token.part != "ADV" or token.is_ordinary
    return token.relation == VOCATIVE or (token.part in _EMPTY and is_known)


def _points_back(sentence: Sentence, own: Sequence[int]) -> bool:
    """Whether the clause opens with a pronoun of the third person or has no verb to stand on."""
    words = [sentence.tokens[place] for place in own if sentence.tokens[place].part not in _BEFORE_SUBJECT]
    opens = bool(words) and words[0].text.casefold() in _THIRD_PERSON
    return opens or not any(token.part in _VERBAL for token in words)


def _verb(sentence: Sentence, head: int) -> bool:
    return sentence.tokens[head].part in _VERBAL


def _subject(sentence: Sentence, head: int) -> str:
    return next((sentence.phrase(one) for one in sentence.dependents(head, "nsubj")), "")


def _tense(sentence: Sentence, head: int) -> Tense:
    verb, helpers = sentence.tokens[head], sentence.auxiliaries(head)
    words = {token.text.casefold() for token in helpers}
    if words & _AHEAD or _is_going_to(sentence, head):
        return Tense.FUTURE
    finite = next((token for token in (*helpers, verb) if token.form == "Fin" or token.tense), None)
    if finite is None:
        return Tense.NONE
    if any(token.lemma in {"have", "avoir", "être"} for token in helpers) and verb.form == "Part":
        return Tense.PAST
    return Tense.PAST if finite.tense in {"Past", "Imp"} else Tense.PRESENT


def _is_going_to(sentence: Sentence, head: int) -> bool:
    """Whether the verb is the "going" of "going to" and another verb."""
    return sentence.tokens[head].text.casefold() in {"going", "gonna"} and any(
        sentence.tokens[child].relation == "xcomp" for child in sentence.children[head]
    )


def _mood(sentence: Sentence, head: int, own: Sequence[int], text: str) -> Mood:
    if (marked := _marked_mood(text)) is not Mood.ASSERTED:
        return marked
    if asks(sentence, head, own):
        return Mood.QUESTION
    tokens = [sentence.tokens[place] for place in own]
    if any(token.relation == "mark" and token.text.casefold() in CONDITIONS for token in tokens):
        return Mood.HYPOTHETICAL
    verb, helpers = sentence.tokens[head], sentence.auxiliaries(head)
    if {token.text.casefold() for token in helpers} & POSSIBLE:
        return Mood.WISH if verb.lemma in _WISHING else Mood.HYPOTHETICAL
    if verb.lemma in {"wish", "dream"}:
        return Mood.WISH
    return Mood.COMMAND if _is_command(sentence, head, own) else Mood.ASSERTED


def _is_command(sentence: Sentence, head: int, own: Sequence[int]) -> bool:
    """Whether a bare verb without a subject opens the clause, but for words of courtesy and the like."""
    verb = sentence.tokens[head]
    is_bare = verb.part in _VERBAL and verb.form in {"Inf", ""} and verb.tense in {"", "Pres"}
    opens = all(sentence.tokens[place].part in _BEFORE_COMMAND for place in own if place < head)
    return is_bare and opens and not _has_subject(sentence, head)


def _marked_mood(text: str) -> Mood:
    return Mood.QUESTION if text.rstrip(" \"'”»)").endswith(QUESTION_MARKS) else Mood.ASSERTED


def _reporter(sentence: Sentence, head: int) -> str:
    """Who says it, where the clause hangs below a verb of saying, or is one that holds what is said."""
    token = sentence.tokens[head]
    holds_report = _is_saying(token) and any(
        sentence.tokens[child].relation in {"ccomp", "xcomp"} for child in sentence.children[head]
    )
    return _subject(sentence, head) if holds_report else ""


def _is_quoted(text: str) -> bool:
    quoted = sum(end - start - 1 for start, end in quotations(text))
    return quoted * 2 > len(text)
