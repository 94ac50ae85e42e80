"""What a model says of some facts on one line, where it can be believed; else what the rules say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import structlog

from apps.budgets.services import NOTHING, Done, meter, spending
from apps.core import providers, scope
from apps.core.scope import Scope
from memory_platform.consolidation.summarising import unsupported
from memory_platform.errors import ProviderError
from memory_platform.model import SummaryFact
from memory_platform.ports import Summariser
from memory_platform.text.cleaning import inline
from memory_platform.text.redaction import redact

UNSUPPORTED: Final = "unsupported"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Wording:
    """A text, who wrote it, and (`degraded`) why it was not the model."""

    text: str
    writer: str
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Under what a model's words are metered, for whom, and what is done by them."""

    operation: str
    agent_id: UUID | None
    done: Done = NOTHING


def worded(
    label: str, facts: Sequence[SummaryFact], *, by_rules: Wording, occasion: Occasion, within: Scope
) -> Wording:
    """The configured model's words where the facts say all of their names, numbers and dates, else `by_rules`.

    Called without an open scope, so that no transaction waits for the model.
    """
    summariser = providers.summariser()
    if summariser is None or not facts:
        return by_rules
    try:
        text = _asked(summariser, label, facts, occasion=occasion, within=within)
    except ProviderError as error:
        log.warning("memory.wording_failed", operation=occasion.operation, error_class=type(error).__name__)
        return replace(by_rules, degraded=type(error).__name__)
    return Wording(text, summariser.version) if text else replace(by_rules, degraded=UNSUPPORTED)


def _asked(
    summariser: Summariser, label: str, facts: Sequence[SummaryFact], *, occasion: Occasion, within: Scope
) -> str:
    """Empty where the facts do not say it."""
    with spending(operation=occasion.operation, within=within, agent_id=occasion.agent_id) as asked:
        sections, usage = summariser.summarise(label, facts)
        asked.usages.append(usage)
        with scope.enter(within):
            meter(operation=occasion.operation, usages=(usage,), agent_id=occasion.agent_id, done=occasion.done)
    if unsupported(label, sections, facts):
        return ""
    return inline(redact(" ".join(line.text for section in sections for line in section.lines)).text)
