"""What a fact is filed under where nobody said so: by its keywords, its message and the examples of the tenant's
categories.

Examples are embedded once a process and model, and again when somebody edits them; whoever needs them first pays for
that.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock
from types import MappingProxyType
from typing import Final
from uuid import UUID

import structlog

from apps.core import providers, scope
from apps.core.scope import Scope
from apps.environment import environment
from apps.memory.services import talks
from apps.memory.services.candidates import Candidate, News
from apps.memory.services.embedding import Embedded
from apps.tenants import selectors as tenants
from memory_platform.errors import ProviderError
from memory_platform.extraction import examples
from memory_platform.extraction.classify import OTHER
from memory_platform.extraction.examples import MESSAGE_CHARACTERS, Examples
from memory_platform.model import CategoryRule, FiledBy, ModelUsage
from memory_platform.ports import Embedder, Vectors

Key = tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]

HELD_AT_ONCE: Final = 256
"""Sets of examples, as a model reads them, whose vectors a process keeps."""

_taught: OrderedDict[Key, Examples] = OrderedDict()
_teaching = Lock()

log = structlog.get_logger(__name__)


def file(
    embedded: Embedded,
    rules: tuple[CategoryRule, ...],
    *,
    within: Scope,
    said: Mapping[UUID, str] = MappingProxyType({}),
    timeout: float | None = None,
) -> Embedded:
    """The candidates, those that nobody filed by what their keywords, the examples, their messages and talks say.

    `said` are messages by the ids of their resources; what came in none stands alone. Called without an open scope;
    opens `within` for what the talks were about. What a model cannot tell, or not within `timeout` seconds, stays where
    its keywords put it.
    """
    unfiled = {place for place, one in enumerate(embedded.candidates) if _is_unfiled(one)}
    models = {found[0] for place in unfiled if (found := embedded.vector(place)) is not None}
    usages: list[ModelUsage] = []
    taught = {each.model: of_model(each, rules, usages, timeout=timeout) for each in readers() if each.model in models}
    known = {model: found for model, found in taught.items() if found is not None}
    if not known:
        return replace(embedded, usages=(*embedded.usages, *usages))
    messages = _messages(embedded, unfiled, said, usages, timeout=timeout)
    talked = _talks({embedded.candidates[place].origin.session_id for place in unfiled}, within=within)
    candidates = list(embedded.candidates)
    for place, one in enumerate(embedded.candidates):
        talk = talked.setdefault(one.origin.session_id, [])
        model, vector = embedded.vector(place) or ("", None)
        if place in unfiled and vector is not None and model in known:
            message = messages.get((model, one.origin.resource_id))
            category, filed_by = filed(known[model], vector, message=message, worded=one.fact.category, before=talk)
            candidates[place] = replace(one, fact=replace(one.fact, category=category, filed_by=filed_by))
        talk.append(candidates[place].fact.category)
    return replace(embedded, candidates=tuple(candidates), usages=(*embedded.usages, *usages))


def _is_unfiled(one: Candidate) -> bool:
    """Whether nobody said where it belongs."""
    return one.fact.filed_by is FiledBy.KEYWORDS and isinstance(one.purpose, News)


def _messages(
    embedded: Embedded,
    unfiled: set[int],
    said: Mapping[UUID, str],
    usages: list[ModelUsage],
    *,
    timeout: float | None,
) -> dict[tuple[str, UUID | None], Vectors]:
    """The vectors of the messages in which unfiled candidates stand, by the model that reads these and the resource."""
    texts, found = _heard(embedded, unfiled, said), dict[tuple[str, UUID | None], Vectors]()
    for reader in readers():
        own = texts.get(reader.model, {})
        vectors = _vectors(reader, list(own.values()), usages, timeout=timeout) if own else None
        if vectors is not None:
            found |= {(reader.model, resource_id): vector for resource_id, vector in zip(own, vectors, strict=True)}
    return found


def _heard(embedded: Embedded, unfiled: set[int], said: Mapping[UUID, str]) -> dict[str, dict[UUID, str]]:
    """By model the messages that say more than what was made of them."""
    texts: dict[str, dict[UUID, str]] = {}
    for place in unfiled:
        one, (model, _) = embedded.candidates[place], embedded.vector(place) or ("", None)
        resource_id = one.origin.resource_id
        if resource_id is not None and resource_id in said and said[resource_id].strip() != one.fact.in_context:
            texts.setdefault(model, {})[resource_id] = said[resource_id][:MESSAGE_CHARACTERS]
    return texts


def _vectors(reader: Embedder, texts: list[str], usages: list[ModelUsage], *, timeout: float | None) -> Vectors | None:
    """None where the model does not answer; what it cost is added to `usages` all the same."""
    try:
        vectors, usage = reader.embed(texts, timeout=timeout)
    except ProviderError as error:
        usages += [error.usage] if error.usage else []
        log.warning("memory.filing_not_embedded", error_class=type(error).__name__)
        return None
    usages.append(usage)
    return vectors


def filed(
    known: Examples, vector: Vectors, *, message: Vectors | None = None, worded: str, before: Sequence[str]
) -> tuple[str, FiledBy]:
    """Where a statement belongs, and what decided: its keywords where they were followed."""
    category = known.category_of(vector, message=message, worded=worded, before=before)
    return category, FiledBy.KEYWORDS if category == worded != OTHER else FiledBy.EXAMPLES


def warm() -> None:
    """Embed the deployment's own examples where that costs nothing, so that no request waits for them."""
    if environment().embedder != "openai":
        of_model(providers.embedder(), tenants.starting_rules(), [])


def of_model(
    embedder: Embedder, rules: tuple[CategoryRule, ...], usages: list[ModelUsage], *, timeout: float | None = None
) -> Examples | None:
    """What the examples teach in a model's vectors; what that cost, if it did, is added to `usages`.

    None where they teach nothing, or the model does not answer within `timeout` seconds. No lock is held meanwhile: who
    comes at the same time asks, too.
    """
    key = (embedder.model, tuple((rule.slug, rule.examples) for rule in rules))
    if (known := _remembered(key)) is not None:
        return known
    sentences = examples.texts(rules)
    if not sentences:
        return None
    vectors = _vectors(embedder, sentences, usages, timeout=timeout)
    found = None if vectors is None else examples.taught(rules, vectors)
    if found is not None:
        _remember(key, found)
    return found


def _remembered(key: Key) -> Examples | None:
    with _teaching:
        if key in _taught:
            _taught.move_to_end(key)
        return _taught.get(key)


def _remember(key: Key, found: Examples) -> None:
    with _teaching:
        _taught[key] = found
        if len(_taught) > HELD_AT_ONCE:
            _taught.popitem(last=False)


def readers() -> list[Embedder]:
    """The models that read statements, one of which may be missing."""
    return [each for each in (providers.embedder(), providers.multilingual_embedder()) if each is not None]


def _talks(session_ids: set[UUID | None], *, within: Scope) -> dict[UUID | None, list[str]]:
    """What was last filed in each session, the last one last; what was said in none has no talk."""
    sessions = [each for each in session_ids if each is not None]
    if not sessions:
        return {}
    with scope.enter(within):
        found = talks.talks(dict.fromkeys(sessions, (talks.END, talks.END)))
    return {session_id: talk.categories for session_id, talk in found.items()}
