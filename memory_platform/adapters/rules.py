"""Extraction by rules: no model, no network, the same answer each time. The extractor of last resort."""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from typing_extensions import override

from memory_platform.extraction.observing import observe
from memory_platform.model import CategoryRule, Extracted, ModelUsage, Utterance
from memory_platform.ports import Extractor

_EARLIER_MESSAGES: Final = 6


class RulesExtractor(Extractor):
    """Reads each utterance beside the few before it, for whom "she" means; of the clock it needs only `said_at`."""

    @property
    @override
    def version(self) -> str:
        return "rules-1"

    @override
    def extract(
        self,
        utterances: Sequence[Utterance],
        *,
        context: Sequence[Utterance] = (),
        categories: Sequence[CategoryRule] = (),
        now: datetime,
    ) -> Extracted:
        started = time.perf_counter()
        said = [*context, *utterances]
        observations = tuple(
            observe(utterance, earlier=said[max(0, position - _EARLIER_MESSAGES) : position], categories=categories)
            for position, utterance in enumerate(utterances, len(context))
        )
        milliseconds = 1000 * (time.perf_counter() - started)
        return Extracted(observations, self.version, ModelUsage(model=self.version, milliseconds=milliseconds))
