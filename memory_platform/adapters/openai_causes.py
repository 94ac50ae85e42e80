"""A CauseInferrer over any OpenAI-compatible server: one structured call a batch of messages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from typing_extensions import override

from memory_platform.adapters.openai_prompted import PromptedModel, StrictAnswer, transcript
from memory_platform.model import InferredCause, ModelUsage, Utterance
from memory_platform.ports import CauseInferrer

FARTHEST: Final = 3
"""Messages between a cause and its effect, at most: beyond, a model guesses."""


class _CauseAnswer(StrictAnswer):
    cause: int
    effect: int


class _CausesAnswer(StrictAnswer):
    causes: list[_CauseAnswer]


class OpenAiCauseInferrer(PromptedModel, CauseInferrer):
    """What the model says about messages that are not there, or too far apart, is left out."""

    PROMPT = "causes"

    @override
    def infer(self, utterances: Sequence[Utterance], *, now: datetime) -> tuple[tuple[InferredCause, ...], ModelUsage]:
        """See the port. `timeout_seconds` of the constructor bound the whole of it."""
        if len(utterances) < 2:
            return (), self._nothing_asked()
        system = self._prompt.fill(now=now.isoformat(timespec="minutes"))
        answer, usage = self._ask(system, transcript(utterances, ()), _CausesAnswer)
        pairs = dict.fromkeys((one.cause - 1, one.effect - 1) for one in answer.causes)
        kept = tuple(InferredCause(*pair) for pair in pairs if _is_plausible(*pair, count=len(utterances)))
        return kept, usage


def _is_plausible(cause: int, effect: int, *, count: int) -> bool:
    return 0 <= cause < effect < count and effect - cause <= FARTHEST
