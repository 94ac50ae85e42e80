"""A Curator over any OpenAI-compatible server: one structured call to reflect, one to review a batch."""

import json
from collections.abc import Sequence
from typing import Literal

from typing_extensions import override

from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.openai_prompted import PromptedModel, StrictAnswer
from memory_platform.consolidation.reflecting import drafted, removal
from memory_platform.consolidation.triage import Reason
from memory_platform.model import (
    Change,
    CuratedFact,
    CuratedLine,
    ModelUsage,
    ProposalDraft,
    Triage,
    TriageDecision,
)
from memory_platform.ports import Curator


class _ChangeAnswer(StrictAnswer):
    change: Literal["add", "replace", "remove"]
    text: str
    line: int
    memories: list[int]


class _ReflectionAnswer(StrictAnswer):
    changes: list[_ChangeAnswer]


class _DecisionAnswer(StrictAnswer):
    verdict: Literal["promote", "reject", "merge", "review"]
    line: int


class _ReviewAnswer(StrictAnswer):
    decisions: list[_DecisionAnswer]


class _Reflecting(PromptedModel):
    PROMPT = "reflection"

    def ask(
        self, facts: Sequence[CuratedFact], lines: Sequence[CuratedLine]
    ) -> tuple[tuple[ProposalDraft, ...], ModelUsage]:
        memories = "\n".join(f"[{number}] {_fact(fact)}" for number, fact in enumerate(facts, start=1))
        answer, usage = self._ask(
            self._prompt.fill(),
            f"{_lines(lines)}\n\nMemories:\n{memories}",
            _ReflectionAnswer,
            problem=lambda found: _misnamed(found, len(facts), len(lines)),
        )
        return tuple(_draft(each, facts, lines) for each in answer.changes), usage


class _Reviewing(PromptedModel):
    PROMPT = "triage"

    def ask(
        self, drafts: Sequence[ProposalDraft], lines: Sequence[CuratedLine]
    ) -> tuple[tuple[TriageDecision, ...], ModelUsage]:
        proposals = "\n".join(f"[{number}] {_proposal(each)}" for number, each in enumerate(drafts, start=1))
        answer, usage = self._ask(
            self._prompt.fill(),
            f"{_lines(lines)}\n\nProposals:\n{proposals}",
            _ReviewAnswer,
            problem=lambda found: _miscounted(found, len(drafts), len(lines)),
        )
        return tuple(_decision(each, lines) for each in answer.decisions), usage


class OpenAiCurator(Curator):
    """The model puts in order what it is given; each change says which memories it rests on."""

    def __init__(self, endpoint: Endpoint, *, timeout_seconds: float = 60) -> None:
        self._reflecting = _Reflecting(endpoint, timeout_seconds=timeout_seconds)
        self._reviewing = _Reviewing(endpoint, timeout_seconds=timeout_seconds)

    @property
    @override
    def version(self) -> str:
        return self._reflecting.version

    @override
    def reflect(
        self, facts: Sequence[CuratedFact], lines: Sequence[CuratedLine]
    ) -> tuple[tuple[ProposalDraft, ...], ModelUsage]:
        return self._reflecting.ask(facts, lines)

    @override
    def review(
        self, drafts: Sequence[ProposalDraft], lines: Sequence[CuratedLine]
    ) -> tuple[tuple[TriageDecision, ...], ModelUsage]:
        return self._reviewing.ask(drafts, lines)


def _lines(lines: Sequence[CuratedLine]) -> str:
    """The file as JSON lines, so that no text can pose as another one."""
    told = (
        json.dumps(
            {"section": line.section, "text": line.text, "said_on": line.said_on.isoformat()}, ensure_ascii=False
        )
        for line in lines
    )
    return "\n".join(["Lines:", *(f"[{number}] {each}" for number, each in enumerate(told, start=1))])


def _fact(fact: CuratedFact) -> str:
    told = {"text": fact.text, "said_on": fact.said_on.isoformat(), "category": fact.category, "heard": fact.heard}
    return json.dumps(told, ensure_ascii=False)


def _proposal(draft: ProposalDraft) -> str:
    told = {"change": draft.change.value, "section": draft.section, "text": draft.text}
    return json.dumps({**told, "confidence": round(draft.confidence, 2)}, ensure_ascii=False)


def _misnamed(answer: _ReflectionAnswer, facts: int, lines: int) -> str | None:
    """What is wrong with the answer: its numbers name memories and lines that are there."""
    for each in answer.changes:
        has_line = each.change != "add"
        if has_line != (1 <= each.line <= lines):
            return f"give as line the number, from 1 to {lines}, of what is replaced or removed, and 0 for add"
        if each.change != "remove" and not (each.text and each.memories):
            return "give a text and the memories it rests on, but for remove"
        if not all(1 <= number <= facts for number in each.memories):
            return f"give memories by their numbers, from 1 to {facts}"
    return None


def _miscounted(answer: _ReviewAnswer, drafts: int, lines: int) -> str | None:
    if len(answer.decisions) != drafts:
        return f"give exactly {drafts} decisions, one for each proposal"
    if all((each.verdict == "merge") == (1 <= each.line <= lines) for each in answer.decisions):
        return None
    return f"give as line a number from 1 to {lines} for merge, and 0 otherwise"


def _draft(each: _ChangeAnswer, facts: Sequence[CuratedFact], lines: Sequence[CuratedLine]) -> ProposalDraft:
    line = lines[each.line - 1] if each.line else None
    if each.change == "remove" and line is not None:
        return removal(line)
    rests_on = [facts[number - 1] for number in dict.fromkeys(each.memories)]
    return drafted(Change(each.change), each.text, rests_on, line_id=None if line is None else line.id)


def _decision(each: _DecisionAnswer, lines: Sequence[CuratedLine]) -> TriageDecision:
    into = lines[each.line - 1].id if each.verdict == "merge" else None
    return TriageDecision(Triage(each.verdict), Reason.MODEL, into)
