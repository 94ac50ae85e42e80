"""A CauseInferrer over any OpenAI-compatible server: one structured call a batch of messages."""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from typing_extensions import override

from memory_platform import prompts
from memory_platform.adapters.openai_compatible import (
    Endpoint,
    Server,
    StrictAnswer,
    Tally,
    chat_message,
    structured,
    transcript,
)
from memory_platform.model import InferredCause, ModelUsage, Utterance
from memory_platform.ports import CauseInferrer

FARTHEST: Final = 3
"""Messages between a cause and its effect, at most: beyond, a model guesses."""


class _PairAnswer(StrictAnswer):
    cause: int
    effect: int


class _CausesAnswer(StrictAnswer):
    causes: list[_PairAnswer]


class OpenAiCauseInferrer(CauseInferrer):
    """What the model says about messages that are not there, or too far apart, is left out."""

    def __init__(self, endpoint: Endpoint, *, timeout_seconds: float = 60, has_strict_schema: bool = True) -> None:
        self._server = Server(endpoint)
        self._timeout_seconds = timeout_seconds
        self._has_strict_schema = has_strict_schema
        self._prompt = prompts.load("causes")

    @property
    @override
    def version(self) -> str:
        return f"openai:{self._server.endpoint.model}:{self._prompt.identity}"

    @override
    def infer(self, utterances: Sequence[Utterance], *, now: datetime) -> tuple[tuple[InferredCause, ...], ModelUsage]:
        """See the port. `timeout_seconds` of the constructor bound the whole of it."""
        if len(utterances) < 2:
            return (), Tally(self._server.endpoint).usage()
        system = self._prompt.fill(now=now.isoformat(timespec="minutes"))
        answer, usage = structured(
            self._server,
            [chat_message("system", system), chat_message("user", transcript(utterances, ()))],
            _CausesAnswer,
            deadline=time.monotonic() + self._timeout_seconds,
            is_strict=self._has_strict_schema,
            problem=lambda _: None,
        )
        pairs = dict.fromkeys((one.cause - 1, one.effect - 1) for one in answer.causes)
        kept = tuple(InferredCause(*pair) for pair in pairs if _is_plausible(*pair, count=len(utterances)))
        return kept, usage


def _is_plausible(cause: int, effect: int, *, count: int) -> bool:
    return 0 <= cause < effect < count and effect - cause <= FARTHEST
