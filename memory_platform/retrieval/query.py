"""What a message asks for, and how to search for it: the plan, and a rewrite by rules.

Everything is decided from the original message (RECALL.md: a rewrite that drops words or the question form destroys the
signals the fusion relies on).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from memory_platform.knowledge.entities import NO_NAME
from memory_platform.model import Intent, Message, Pressure, Profile, Role, TimeRange
from memory_platform.retrieval.cues import speaker_key
from memory_platform.text.terms import POSTGRESQL_ENGLISH_STOP_WORDS, terms

MAXIMUM_HITS: Final = 100
HISTORY_MESSAGES: Final = 5
STATEMENT_WORDS: Final = 8
COMPLEX_TERMS: Final = 14
SELF_CONTAINED_WORDS: Final = 40
ADDED_WORDS: Final = 8
TELLING_TERMS: Final = 2
BARE_WORDS: Final = 2

_QUESTION_AND_COMMAND_WORDS: Final = """
    who whom whose what whats which when where why how is are was were am do does did can could will would shall should
    may might must has have had isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't what's
    who's where's when's how's tell list show describe give explain summarize summarise name find search look walk
    provide recall remind remember compare identify let fetch get return
"""
_OPENERS: Final = frozenset(_QUESTION_AND_COMMAND_WORDS.split())
_FILLERS: Final = frozenset({"hey", "hi", "hello", "ok", "okay", "so", "and", "but", "well", "also", "then", "please"})
_FIRST_PERSON_WORDS: Final = "i i'm i've i'd i'll me my mine myself we we're we've we'll our ours us"
_FIRST_PERSON: Final = frozenset(_FIRST_PERSON_WORDS.split())
_INTENTS: Final = (
    (Intent.WHY, re.compile(r"\b(why|how come|reasons?|causes?|caused|because of what|led to|what made)\b")),
    (
        Intent.WHEN,
        re.compile(r"\b(when|how (long|recently|often)|(what|which) (time|date|day|week|month|year|season|age))\b"),
    ),
    (Intent.WHO, re.compile(r"\b(who|whom|whose|who's|(what|which) (person|people|colleague|friend|team))\b")),
    (Intent.WHAT, re.compile(r"\b(what|what's|which|where|how (many|much))\b")),
)
_COMPLEX: Final = re.compile(
    r"\b(why|how come|compare[ds]?|comparison|differences?|versus|vs|differ|because|causes?|led to|lead to"
    r"|result(ed)? in|relationship between|related to|connect(ed|ion)|all|every|each|list|summar(y|ize|ise)|overview"
    r"|history|timeline|over time|evol(ved?|ution)|chang(ed?|es)|in order|steps?|how many|how has|how have|throughout"
    r"|across|both|first and|trends?|overall)\b"
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


_NAME_SOUGHT: Final = re.compile(r"^\W*(who|whom|whose|where|which|what (is|was|are|were) the (names?|titles?))\b")
_OWN: Final = re.compile(r"\b(i|my|mine|me|i'm|i've|i'd)\b")
_OTHERS: Final = re.compile(r"\byour?\b|^\W*(how (?!many|much|long|old|far|often|big|tall)|why\b|tell\b)")


_SEVERAL: Final = re.compile(
    r"\b(how many|what (kinds?|types?|sorts?)|list|all|both|what (are|were)|what (all )?(has|have)"
    r"|(what|which)( \w+){0,2}? \w{2,}(?<!ss)(?<!us)(?<!is)s\b(?! (name|birthday|favou?rite)))\b"
)
_CAPITALISED: Final = re.compile(r"\b[A-Z][^\W\d_]+")


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What the form of an answer must be.

    It `names` something; it is the asker's `own` words about himself; there are `several` answers, of which the
    `speakers` the question names (by `cues.speaker_key`) said most themselves.
    """

    names: bool = False
    own: bool = False
    several: bool = False
    speakers: frozenset[int] = frozenset()


NOTHING_SOUGHT: Final = AnswerForm()


class Complexity(StrEnum):
    SIMPLE = "simple"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True)
class PlanLimits:
    """The numbers a plan is made with; the defaults are Policy's."""

    lean_hits: int = 3
    balanced_hits: int = 7
    deep_hits: int = 15
    simple_depth: int = 2
    complex_depth: int = 4
    simple_seeds: int = 5
    complex_seeds: int = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """How a message will be answered; `profile` is never AUTO, `reason` says what chose it.

    `hits` bounds the answer. `graph_depth` 0 means no graph arm. `ages` is False when the message names a time (or
    `asOf` was given): then nothing decays.
    """

    statement: bool
    intent: Intent
    complexity: Complexity
    profile: Profile
    reason: str
    hits: int
    may_rewrite_by_model: bool
    graph_depth: int
    graph_seeds: int
    time_range: TimeRange | None
    ages: bool


DEFAULT_LIMITS: Final = PlanLimits()


def plan(
    message: str,
    *,
    profile: Profile = Profile.AUTO,
    limit: int | None = None,
    time_range: TimeRange | None = None,
    as_of: datetime | None = None,
    limits: PlanLimits = DEFAULT_LIMITS,
    has_history: bool = False,
    pressure: Pressure = Pressure.OK,
) -> Plan:
    """Plan the answer to `message`; `time_range` is `times.time_range(message, now)`.

    AUTO is LEAN when nothing is left to look for, DEEP for a complex message, else BALANCED; an explicit profile or
    `limit` (at most 100) is kept as asked. With `has_history`, a conversation sent
    along, a message such as "And when?" has something to look for, and a model may say what: under AUTO where the
    message leans on the conversation, under an explicit profile other than LEAN always. Under `pressure` of a budget no
    model rewrites and the graph is not asked.
    """
    complexity = complexity_of(message)
    is_pressed = pressure is not Pressure.OK
    follows = has_history and leans_on_history(message)
    chosen, reason = _profile(profile, message, complexity, is_follow_up=follows)
    is_deep = complexity is Complexity.COMPLEX or chosen is Profile.DEEP
    is_worth_a_model = has_history and (follows or profile is not Profile.AUTO)
    depth = limits.complex_depth if is_deep else limits.simple_depth
    return Plan(
        statement=is_statement(message),
        intent=intent_of(message),
        complexity=complexity,
        profile=chosen,
        reason=reason,
        hits=_hits(chosen, limits) if limit is None else max(1, min(limit, MAXIMUM_HITS)),
        may_rewrite_by_model=is_worth_a_model and not is_pressed and chosen is not Profile.LEAN,
        graph_depth=0 if chosen is Profile.LEAN or is_pressed else depth,
        graph_seeds=limits.complex_seeds if is_deep else limits.simple_seeds,
        time_range=time_range,
        ages=time_range is None and as_of is None,
    )


def _hits(profile: Profile, limits: PlanLimits) -> int:
    by_profile = {
        Profile.LEAN: limits.lean_hits,
        Profile.BALANCED: limits.balanced_hits,
        Profile.DEEP: limits.deep_hits,
    }
    return by_profile[profile]


def is_statement(message: str) -> bool:
    """Say whether a message is pasted text rather than a query (RECALL.md).

    No `?`, no question or command word at its beginning, and in the first person or 8 words or longer.
    """
    words = _words(message)
    if "?" in message or not words or _opener(words) in _OPENERS:
        return False
    return len(words) >= STATEMENT_WORDS or not _FIRST_PERSON.isdisjoint(words)


def sought(message: str) -> AnswerForm:
    """Return what a question asks for; nothing of a statement.

    Who, where, which and "what is the name" want a name. I and my without you are about what the user said himself,
    but how and why are answered by others. How many, what kinds of and plurals ask for several things.
    """
    if is_statement(message):
        return NOTHING_SOUGHT
    text = message.lower().replace("’", "'")
    several = _SEVERAL.search(text) is not None
    return AnswerForm(
        names=_NAME_SOUGHT.search(text) is not None,
        own=_OWN.search(text) is not None and _OTHERS.search(text) is None,
        several=several,
        speakers=_speakers(message) if several else frozenset(),
    )


def _speakers(message: str) -> frozenset[int]:
    words = _CAPITALISED.findall(message)
    return frozenset(speaker_key(word) for word in words if word.lower() not in POSTGRESQL_ENGLISH_STOP_WORDS)


def intent_of(message: str) -> Intent:
    """Return what a question is after, by keywords; a statement is GENERAL."""
    if is_statement(message):
        return Intent.GENERAL
    text = message.lower()
    return next((intent for intent, pattern in _INTENTS if pattern.search(text)), Intent.GENERAL)


def complexity_of(message: str) -> Complexity:
    """Return COMPLEX for what needs several memories: causes, comparisons, lists, changes, several questions."""
    if is_statement(message):
        return Complexity.SIMPLE
    is_complex = (
        message.count("?") > 1 or len(terms(message)) >= COMPLEX_TERMS or _COMPLEX.search(message.lower()) is not None
    )
    return Complexity.COMPLEX if is_complex else Complexity.SIMPLE


def leans_on_history(message: str) -> bool:
    """Whether a message may need the conversation to be understood.

    A pronoun without a name or noun phrase it could stand for, an ellipsis ("And hers?"), or hardly a word to look for
    and no name, whatever the language. A long message or pasted text speaks for itself.
    """
    words = _words(message)
    if is_statement(message) or len(words) > SELF_CONTAINED_WORDS:
        return False
    is_bare = len(words) <= BARE_WORDS or len(terms(message)) < TELLING_TERMS
    person, thing = _PERSON_PRONOUN.search(message), _THING_PRONOUN.search(message)
    is_open = (person is not None and not _names(message)) or (thing is not None and not _noun_phrases(message))
    return is_open or _ELLIPSIS.search(message) is not None or (is_bare and not _names(message))


def _profile(asked: Profile, message: str, complexity: Complexity, *, is_follow_up: bool) -> tuple[Profile, str]:
    if asked is not Profile.AUTO:
        return asked, "requested"
    if not terms(message) and not is_follow_up:
        return Profile.LEAN, "nothing_to_look_for"
    if complexity is Complexity.COMPLEX:
        return Profile.DEEP, "complex"
    return Profile.BALANCED, "simple"


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def _opener(words: Sequence[str]) -> str:
    return next((word for word in words if word not in _FILLERS), words[0])


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A query that stands on its own: the message with `added` words in it. Nothing of the message is lost."""

    query: str
    added: tuple[str, ...] = ()


_PERSON_PRONOUN: Final = re.compile(r"\b(he|she|him|her|his|hers|they|them|their|theirs)\b", re.IGNORECASE)
_THING_PRONOUN: Final = re.compile(
    r"\b(it|its|they|them)\b"
    r"|\b(that|this|these|those|there)(?=\s*(?:[?.!,;]|$)|\s+(?:is|was|are|were|did|does|has|had|will|would|happen))",
    re.IGNORECASE,
)
_ELLIPSIS: Final = re.compile(r"^\W*(and|but|or|also|what about|how about|same for|what else)\b", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<![.!?:\"“]\s)(?<!^)(?<!\n)\b[A-Z][\w'’-]{0,60}[a-z0-9]\w*(?:\s+[A-Z0-9][\w-]*)*")
_SUBJECT: Final = re.compile(
    r"(?:^|[.!?:\"“]\s+)([A-Z][a-z]+)(?=['’]s\b|\s+(?:is|was|has|had|will|would|can|could|said|told|went|wants?|likes?"
    r"|loves?|works?|lives?|moved|started|and|got|bought|plans?)\b)",
    re.MULTILINE,
)
_NOUN_PHRASE: Final = re.compile(
    r"\b(?:the|my|our|your|his|her|their|a|an|this|that)\s+((?:[\w-]+\s+){0,2}[\w-]+)", re.IGNORECASE
)
_PLACE: Final = re.compile(r"\b(in|at|near|from|of)\s+\Z", re.IGNORECASE)
_LOOKED_BACK: Final = 12
"""Characters before a name in which the preposition that governs it stands."""


def rewrite_by_rules(
    message: str, *, history: Sequence[Message], now: datetime, time_range: TimeRange | None = None
) -> Rewrite:
    """Make a message searchable without its conversation; the deterministic twin of the Rewriter port.

    Adds to the message, never takes from it: the person or thing a pronoun means and the words an ellipsis leaves out,
    from the last five messages, and the absolute form of the time it names (`time_range` of `times.time_range`).
    At most eight words come in, before the closing mark, so the question stays a question.
    """
    said = [past for past in history if past.content.strip() != message.strip()][-HISTORY_MESSAGES:]
    added = _dates(time_range, now)
    if len(_words(message)) <= SELF_CONTAINED_WORDS:
        added += _people(message, said) + _meant(message, said)
    kept = tuple(_new(added, message))
    if not kept:
        return Rewrite(message)
    body = message.rstrip()
    mark = len(body.rstrip("?!. "))
    return Rewrite(f"{body[:mark]} ({', '.join(kept)}){body[mark:]}".strip(), kept)


def _dates(time_range: TimeRange | None, now: datetime) -> list[str]:
    """Return the days, months or years of a range as captured messages write them; nothing for a range of years."""
    if time_range is None:
        return []
    start, end = time_range.start, time_range.end
    last = (min(end, now) if start < now else end) - timedelta(microseconds=1)
    if start.date() == last.date():
        return [f"{start.day} {start:%B %Y}"]
    months = (last.year - start.year) * 12 + last.month - start.month
    if months <= 0:
        return [f"{start:%B %Y}"]
    if months <= 2:
        return [f"{start:%B %Y}", f"{last:%B %Y}"]
    return [f"{start:%Y}"] if start.year == last.year else []


def _people(message: str, said: Sequence[Message]) -> list[str]:
    """Return whom he, she or they mean: the person named last, unless the message names somebody itself."""
    pronoun = _PERSON_PRONOUN.search(message)
    if pronoun is None or _names(message):
        return []
    plural = pronoun.group().lower().startswith("the")
    for past in reversed(said):
        if names := [name for name in _names(past.content, places=False) if name.replace(" ", "").isalpha()]:
            return names[-2:] if plural else names[-1:]
    return []


def _meant(message: str, said: Sequence[Message]) -> list[str]:
    """Return what a message leans on: "When is it?" on a thing first, "And Melanie?" on a question."""
    if _ELLIPSIS.search(message) is not None:
        return _left_out(message, said) or _things(message, said)
    return _things(message, said) or _left_out(message, said)


def _things(message: str, said: Sequence[Message]) -> list[str]:
    """Return what it, that or there mean: the noun phrase said last, unless the message has one of its own."""
    pronoun = _THING_PRONOUN.search(message)
    if pronoun is None or _noun_phrases(message) or (pronoun.group().lower() in {"they", "them"} and _names(message)):
        return []
    for past in reversed(said):
        if phrases := _noun_phrases(past.content):
            return phrases[-1:]
    return []


def _left_out(message: str, said: Sequence[Message]) -> list[str]:
    """Return what "And Melanie?" or "Why?" leave out: words of the last question, another name replacing its own."""
    if _ELLIPSIS.search(message) is None and terms(message):
        return []
    asked = [past for past in said if past.role is Role.USER and "?" in past.content]
    if not asked and terms(message):
        return []
    source = asked[-1] if asked else next(iter(said[-1:]), None)
    if source is None:
        return []
    replaced = {word for name in _names(source.content) for word in _words(name)} if _names(message) else set()
    replaced |= {f"{word}'s" for word in replaced}
    words = [word for word in _WORD.findall(source.content) if word.lower().replace("’", "'") not in replaced]
    return [word for word in words if terms(word)][:6]


def _names(text: str, *, places: bool = True) -> list[str]:
    """Return capitalised names in order; a word that merely opens a sentence is one only before a verb or 's.

    Without `places`, names after in, at, near, from and of are left out.
    """
    found = [(match.start(), match.group()) for match in _NAME.finditer(text)]
    found += [(match.start(1), match.group(1)) for match in _SUBJECT.finditer(text)]
    named = (
        re.sub(r"['’]s$", "", name)
        for at, name in sorted(found)
        if places or not _PLACE.search(text, max(0, at - _LOOKED_BACK), at)
    )
    return [name for name in dict.fromkeys(named) if _is_name(name)]


def _is_name(name: str) -> bool:
    first = name.split(maxsplit=1)[0].lower()
    return first not in NO_NAME and first not in POSTGRESQL_ENGLISH_STOP_WORDS


def _noun_phrases(text: str) -> list[str]:
    return [phrase for match in _NOUN_PHRASE.finditer(text) if (phrase := _nouns(match.group(1).split()))]


def _nouns(words: Sequence[str]) -> str:
    """Return the words up to the first stop word or, after the first, one that looks like a verb."""
    kept: list[str] = []
    for word in words:
        if not terms(word) or (kept and re.search(r"(ed|ing|ly)$", word.lower())):
            break
        kept.append(word)
    return " ".join(kept)


def _new(added: Iterable[str], message: str) -> list[str]:
    """Drop what the message already says and what exceeds the allowance."""
    known, kept, words = set(terms(message)), [], 0
    for phrase in added:
        fresh = set(terms(phrase)) - known
        count = len(phrase.split())
        if fresh and words + count <= ADDED_WORDS:
            kept.append(phrase)
            known |= fresh
            words += count
    return kept
