"""What a statement is about and what sort of knowledge it is, by keywords and wording."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory_platform.model import CategoryRule, Kind, Priority
from memory_platform.text.terms import terms

OTHER: Final = "other"
ALIASES: Final = {"people-relationships": "relationships"}


def category_of(text: str, categories: Sequence[CategoryRule]) -> str:
    """The slug with the most keywords in `text`, by stem; the earlier one on a tie, "other" when none occurs.

    What is merely liked belongs to what it is about: "preferences" wins only when no topic does.
    """
    index, order, phrases = _index(tuple(categories))
    scores: dict[str, float] = {}
    for term in terms(text):
        for slug, weight in index.get(term, ()):
            scores[slug] = scores.get(slug, 0.0) + weight
    lowered = text.casefold()
    for phrase, slug in phrases:
        if phrase in lowered:
            scores[slug] = scores.get(slug, 0.0) + 1.5
    if not scores:
        return OTHER
    return min(scores, key=lambda slug: (-scores[slug], order[slug]))


def known_category(name: str, categories: Sequence[CategoryRule]) -> str | None:
    """The slug a writer meant, through its aliases; None if this tenant has no such category."""
    slug = name.strip().casefold().replace("_", "-").replace(" ", "-")
    slug = ALIASES.get(slug, slug)
    return slug if any(rule.slug == slug for rule in categories) else None


@lru_cache(maxsize=64)
def _index(
    categories: tuple[CategoryRule, ...],
) -> tuple[dict[str, list[tuple[str, float]]], dict[str, int], tuple[tuple[str, str], ...]]:
    """Stem → (slug, weight): a keyword shared by n categories counts 1/n, because it tells them apart less."""
    owners: dict[str, list[str]] = {}
    phrases: list[tuple[str, str]] = []
    for rule in categories:
        for keyword in rule.keywords:
            stems = list(terms(keyword))
            if len(keyword.split()) > 1:
                phrases.append((keyword.casefold(), rule.slug))
            elif stems and rule.slug not in owners.setdefault(stems[0], []):
                owners[stems[0]].append(rule.slug)
    index = {stem: [(slug, 1 / len(slugs)) for slug in slugs] for stem, slugs in owners.items()}
    return index, {rule.slug: position for position, rule in enumerate(categories)}, tuple(phrases)


_KINDS: Final = (
    (
        Kind.LESSON,
        re.compile(
            r"\b(?:lessons? (?:learned|learnt)|learned the hard way|(?:i|we) (?:\w+ )?(?:learned|learnt) (?:that"
            r"|to|not to)"
            r"|next time (?:i|we)\b|should(?:n't)? have \w+ed|never again|note to self|turns out)",
        ),
    ),
    (
        Kind.PROCEDURE,
        re.compile(
            r"^to \w+[^,]{2,60}, (?:first |then )?(?:run|use|open|call|click|add|set|go|start|stop|execute|type"
            r"|press|apply)\b"
            r"|\b(?:steps? (?:to|for|are)|first,? .{3,80}\bthen\b|how to \w+|run `[^`]+`|by running\b|procedure"
            r"|runbook)\b",
        ),
    ),
    (
        Kind.RULE,
        re.compile(
            r"^(?:always|never|do not|don't|please (?:always|never|don't))\b|\b(?:must(?: not|n't)?|(?:is"
            r"|are) (?:forbidden"
            r"|required|mandatory|prohibited|not allowed)|the (?:rule|policy|convention) is|(?:our|the) (?:rule|policy"
            r"|convention|standard)s?\b|we (?:always|never)\b|should (?:always|never))",
        ),
    ),
    (
        Kind.PREFERENCE,
        re.compile(
            r"\b(?:prefer(?:s|red|ence)?|favou?rites?|(?:really |also |just |absolutely )?(?:love|loves|like|likes"
            r"|enjoy"
            r"|enjoys|hate|hates|dislike|dislikes|adore|adores)\b|would rather|can't stand|(?:big |huge )?fan of"
            r"|fond of"
            r"|into (?:\w+ing|music|art|sports)|not a fan|passionate about)",
        ),
    ),
    (
        Kind.REFLECTION,
        re.compile(
            r"\b(?:made me (?:realise|realize|think|reflect|appreciate)|looking back|i(?:'ve)? (?:realised"
            r"|realized|come to)"
            r"|reminds? me (?:that|of|to)|taught me|i've been thinking)\b",
        ),
    ),
    (
        Kind.INSIGHT,
        re.compile(r"\b(?:root cause|the reason (?:is|was|why)|which (?:means|explains)|it follows|key insight)\b"),
    ),
    (
        Kind.OPINION,
        re.compile(
            r"\b(?:i (?:think|believe|feel that|find|guess)|in my (?:opinion|view)|imo|if you ask me|is (?:so "
            r"|really |very )?"
            r"(?:important|overrated|underrated|the best|the worst|worth it)|i(?:'m| am) convinced)\b",
        ),
    ),
)

_HIGH: Final = re.compile(
    r"\b(?:allerg\w+|diagnos\w+|surgery|hospital\w*|pregnan\w+|emergency|died|passed away|funeral|married|wedding"
    r"|engaged"
    r"|divorc\w+|born|birthday|anniversary|deadline|due (?:on|by)|critical|urgent|important|never|must|always"
    r"|forbidden"
    r"|security|outage|incident|decided|decision|agreed|promised|moved to|moving to|hired|fired|quit|graduat\w+"
    r"|adopt\w+"
    r"|accepted|promoted|broke|lost my|my name is|lives? in|root cause)\b",
)


def kind_of(sentence: str) -> Kind:
    """The first wording that fits, from the most to the least specific; FACT when none does."""
    # Patterns that ignore case take three times as long.
    lowered = sentence.lower()
    return next((kind for kind, pattern in _KINDS if pattern.search(lowered)), Kind.FACT)


def priority_of(sentence: str, *, informativeness: float) -> Priority:
    """HIGH for what would hurt to forget and for the most informative; LOW below 0.5; both on the scale 0..1."""
    if _HIGH.search(sentence.lower()) or informativeness >= 0.9:
        return Priority.HIGH
    return Priority.LOW if informativeness < 0.5 else Priority.MEDIUM
