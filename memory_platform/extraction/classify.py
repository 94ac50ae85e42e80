"""What a statement is about: its category, by the keywords of the tenant's categories."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory_platform.model import CategoryRule
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
