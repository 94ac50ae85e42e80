"""Extraction by grammar and learned judgement: a reader's clauses, an appraiser's word on each. No network."""

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Final

from typing_extensions import override

from memory_platform.extraction import observing
from memory_platform.extraction.observing import Passage, Talk
from memory_platform.model import Appraisal, CategoryRule, Extracted, ModelUsage, Observation, Utterance
from memory_platform.ports import Appraiser, Extractor, Reader

_UNASKED: Final = Appraisal(worth=0.0)
"""Of a clause that its form bars, whatever it is worth."""


class ClauseExtractor(Extractor):
    """Reads each utterance beside the one before it; of the clock it needs only `said_at`."""

    def __init__(self, reader: Reader, appraiser: Appraiser) -> None:
        self._reader = reader
        self._appraiser = appraiser

    @property
    @override
    def version(self) -> str:
        return f"clauses-3:{self._reader.version}:{self._appraiser.version}"

    @override
    def extract(
        self,
        utterances: Sequence[Utterance],
        *,
        context: Sequence[Utterance] = (),
        categories: Sequence[CategoryRule] = (),
        now: datetime,
        day_first: bool = True,
    ) -> Extracted:
        started = time.perf_counter()
        said = [*context, *utterances]
        passages = [
            observing.passage(utterance, said[:place]) for place, utterance in enumerate(utterances, len(context))
        ]
        speakers = sorted({name for one in said if (name := observing.speaker_of(one))})
        talk = Talk(tuple(categories), tuple(speakers), day_first)
        observations = tuple(self._observations(passages, talk, language=observing.language_of_talk(said)))
        milliseconds = 1000 * (time.perf_counter() - started)
        return Extracted(observations, self.version, ModelUsage(model="clauses-3", milliseconds=milliseconds))

    def _observations(self, passages: Sequence[Passage], talk: Talk, *, language: str) -> Iterator[Observation]:
        marked = [observing.said_by_markers(one) for one in passages]
        texts = [*(one.prose for one in passages), *chain.from_iterable(marked)]
        parses = iter(self._reader.read(texts, language=language))
        prose = [next(parses) for _ in passages]
        readings = [
            observing.read(one, parse, [next(parses) for _ in own])
            for one, parse, own in zip(passages, prose, marked, strict=True)
        ]
        asked = [
            in_context
            for reading in readings
            for clause, in_context in zip(reading.clauses, reading.in_context, strict=True)
            if observing.reason_barred(clause) is None
        ]
        appraised = iter(self._appraiser.appraise(asked))
        for reading in readings:
            own = [_UNASKED if observing.reason_barred(clause) else next(appraised) for clause in reading.clauses]
            yield observing.observation(reading, own, talk=talk)
