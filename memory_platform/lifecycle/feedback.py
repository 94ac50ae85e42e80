"""Echo and fizzle: which recalled memories an agent's output used, and what that does to their priority."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median
from typing import Final
from uuid import UUID

from memory_platform.text.sentences import sentences
from memory_platform.text.terms import terms


class Use(StrEnum):
    USED = "used"
    IGNORED = "ignored"
    IGNORED_DEAR = "ignored_dear"


class Opinion(StrEnum):
    """What a person or an agent says of a memory."""

    HELPFUL = "helpful"
    """It was of use: it gains priority for a while."""
    WRONG = "wrong"
    """It is not so: it is held for review."""
    OUTDATED = "outdated"
    """It was so: it counts as stale, or ends being true, as the policy says."""


@dataclass(frozen=True, slots=True)
class RecalledText:
    """A memory as it was handed out; `tokens` is what it cost in the prompt."""

    id: UUID
    text: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class UseEvidence:
    """What an output shows of a memory's own words, those that neither the question nor most other memories hold.

    `share` 0..1 of them is in the output, `amount` is the logarithm of 1 + how many that is, and `density` 0..1 is
    the largest share they have of what a sentence of the output adds to the question.
    """

    share: float
    amount: float
    density: float

    @property
    def likelihood(self) -> float:
        """The probability that the output used the memory: a logistic regression over the three.

        The weights were fitted to the half of bench/data/outputs.jsonl that is looked at: `python -m bench.outputs`.
        """
        return 1 / (1 + math.exp(-(_BIAS + _SHARE * self.share + _AMOUNT * self.amount + _DENSITY * self.density)))


@dataclass(frozen=True, slots=True)
class Judgement:
    id: UUID
    use: Use
    likelihood: float


@dataclass(frozen=True, slots=True)
class Effects:
    """What a judgement adds to a memory's learnt offset; the defaults are Policy's."""

    used: float = 0.1
    ignored: float = -0.05
    ignored_dear: float = -0.1

    def of(self, use: Use) -> float:
        return {Use.USED: self.used, Use.IGNORED: self.ignored, Use.IGNORED_DEAR: self.ignored_dear}[use]


_BIAS: Final = -2.9
_SHARE: Final = 1.8
_AMOUNT: Final = 2.3
_DENSITY: Final = 1.65

_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS: Final = re.compile(r"[.,](?=\d{3}(?!\d))")
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")


def judge(
    output: str, recalled: Sequence[RecalledText], *, query: str = "", used_from: float = 0.45
) -> tuple[Judgement, ...]:
    """Judge every recalled memory, in order. `used_from` is Policy's feedback_used_from.

    An ignored one is dear when it cost more tokens than the median of what was recalled.
    """
    usual = median(memory.tokens for memory in recalled) if recalled else 0
    judged = []
    for memory, seen in zip(recalled, evidence(output, [each.text for each in recalled], query=query), strict=True):
        ignored = Use.IGNORED_DEAR if memory.tokens > usual else Use.IGNORED
        use = Use.USED if seen.share and seen.likelihood >= used_from else ignored
        judged.append(Judgement(memory.id, use, seen.likelihood))
    return tuple(judged)


def evidence(output: str, texts: Sequence[str], *, query: str = "") -> list[UseEvidence]:
    """What the output shows of each text.

    Words of the query prove nothing (an output repeats its question), and of n texts that hold a word each gets the nth
    part of it. Numbers are compared as numbers, however they are written.
    """
    asked, said = _words(query), [_words(sentence.text) for sentence in sentences(output)]
    own = [_words(text) - asked for text in texts]
    spread = Counter(word for held in own for word in held)
    added = [words - asked for words in said]
    return [_evidence({word: 1 / spread[word] for word in held}, added) for held in own]


def _evidence(weights: Mapping[str, float], added: Sequence[frozenset[str]]) -> UseEvidence:
    found = sum(weights[word] for word in weights.keys() & frozenset().union(*added))
    densest = max((sum(weights.get(word, 0) for word in words) / len(words) for words in added if words), default=0.0)
    return UseEvidence(found / sum(weights.values()) if weights else 0.0, math.log1p(found), densest)


def _words(text: str) -> frozenset[str]:
    return frozenset(terms(_NUMBER.sub(_plain, _ORDINAL.sub("", text))))


def _plain(number: re.Match[str]) -> str:
    """4,350 as 4350, 08:15 as 8h15 and 02:00 as 2: one word each."""
    plain = _THOUSANDS.sub("", number[0]).removesuffix(":00").lstrip("0") or "0"
    return plain.replace(":", "h").replace(".", "p").replace(",", "p")


def asks_again(query: str, other: str, *, same_from: float = 0.75) -> bool:
    """Whether two questions are one in other words: of two words or more they share, the shorter one has few others:
    they are a share of `same_from` of its words, Policy's feedback_same_question_from.
    """
    mine, others = terms(query).keys(), terms(other).keys()
    shared = len(mine & others)
    return mine == others or (shared > 1 and shared >= same_from * min(len(mine), len(others)))


def left_of(offset: float, *, since: datetime | None, now: datetime, half_life_days: float) -> float:
    """What is left of an offset learnt at `since`: half of it after each half-life. None: nothing was learnt yet."""
    if since is None:
        return 0.0
    return offset * math.pow(0.5, max((now - since) / timedelta(days=half_life_days), 0.0))


def moved(offset: float, delta: float, *, bound: float) -> float:
    """An offset after one more effect: never further from 0 than `bound`, Policy's priority_clamp."""
    return min(max(offset + delta, -bound), bound)
