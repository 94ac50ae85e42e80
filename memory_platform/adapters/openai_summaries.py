"""A Summariser over any OpenAI-compatible server: one structured call a summary."""

import json
from collections.abc import Sequence

from typing_extensions import override

from memory_platform.adapters.openai_prompted import PromptedModel, StrictAnswer
from memory_platform.model import ModelUsage, SummaryFact, SummaryLine, SummarySection
from memory_platform.ports import Summariser


class _LineAnswer(StrictAnswer):
    text: str
    memories: list[int]


class _SectionAnswer(StrictAnswer):
    heading: str
    lines: list[_LineAnswer]


class _SummaryAnswer(StrictAnswer):
    sections: list[_SectionAnswer]


class OpenAiSummariser(PromptedModel, Summariser):
    """The model puts what it is given in order; each line says which memories it rests on."""

    PROMPT = "summary"

    @override
    def summarise(
        self, label: str, facts: Sequence[SummaryFact], *, present: str = ""
    ) -> tuple[tuple[SummarySection, ...], ModelUsage]:
        """See the port. `timeout_seconds` of the constructor bound the whole of it."""
        if not facts:
            return (), self._nothing_asked()
        lines = "\n".join(f"[{number}] {_line(fact)}" for number, fact in enumerate(facts, start=1))
        answer, usage = self._ask(
            self._prompt.fill(label=label),
            f"Present summary:\n{json.dumps(present, ensure_ascii=False)}\n\nMemories:\n{lines}",
            _SummaryAnswer,
            problem=lambda found: _problem(found, len(facts)),
        )
        return tuple(map(_section, answer.sections)), usage


def _line(fact: SummaryFact) -> str:
    """One memory as JSON, so that no text can pose as another one."""
    said = {"text": fact.text, "said_on": fact.said_on.isoformat(), "subject": fact.slot.subject}
    return json.dumps({**said, "new": fact.is_new, "doubted": fact.is_doubted}, ensure_ascii=False)


def _problem(answer: _SummaryAnswer, count: int) -> str | None:
    """What is wrong with the answer: it has lines, and each names memories that are there."""
    lines = [line for section in answer.sections for line in section.lines]
    if not lines:
        return "write at least one line"
    if all(line.memories and all(1 <= number <= count for number in line.memories) for line in lines):
        return None
    return f"give for each line the numbers, from 1 to {count}, of the memories it rests on"


def _section(given: _SectionAnswer) -> SummarySection:
    return SummarySection(given.heading, tuple(map(_written, given.lines)))


def _written(given: _LineAnswer) -> SummaryLine:
    return SummaryLine(given.text, tuple(dict.fromkeys(number - 1 for number in given.memories)))
