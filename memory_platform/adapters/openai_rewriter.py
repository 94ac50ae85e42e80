"""Rewriter over any OpenAI-compatible server."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from typing_extensions import override

from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.openai_prompted import PromptedModel, StrictAnswer
from memory_platform.model import Message, ModelUsage
from memory_platform.ports import Rewriter
from memory_platform.text.cleaning import inline


class _RewriteAnswer(StrictAnswer):
    query: str


class OpenAiRewriter(PromptedModel, Rewriter):
    """Rewrites with one structured call, no retry and no repair: recall waits for it."""

    PROMPT = "rewrite"

    def __init__(self, endpoint: Endpoint, *, has_strict_schema: bool = True) -> None:
        super().__init__(replace(endpoint, attempts=1), has_strict_schema=has_strict_schema)

    @override
    def rewrite(
        self, message: str, *, history: Sequence[Message], now: datetime, timeout: float = 2
    ) -> tuple[str, ModelUsage]:
        """See the port. DESIGN allows 2 s; an empty answer is ProviderRefused, the caller keeps the original."""
        lines = [f"{earlier.role}: {inline(earlier.content)}" for earlier in history]
        answer, usage = self._ask(
            self._prompt.fill(now=now.isoformat(timespec="minutes")),
            "History:\n" + "\n".join(lines) + f"\n\nLast message:\n{message}",
            _RewriteAnswer,
            problem=lambda found: None if found.query.strip() else "the query is empty",
            timeout=timeout,
            has_repair=False,
        )
        return answer.query.strip(), usage
