"""Intent: what a question is after, by its vector's nearest example; `query.intent_of` is the keyword twin.

The examples say nothing in particular, so that what they share with a question is how it asks. An intent also says
which relations lead to its answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_platform.knowledge.graph import RelationKind
from memory_platform.model import Intent
from memory_platform.ports import Vectors

THRESHOLD: Final = 0.45
"""Cosine to the nearest example below which a vector says nothing about the intent (DESIGN)."""

EXEMPLARS: Final[Mapping[Intent, tuple[str, ...]]] = {
    Intent.WHY: (
        "Why did this happen?",
        "What is the reason for that decision?",
        "What caused the problem?",
        "What motivated her to do it?",
        "What led him to change his mind?",
        "What is the purpose of this?",
        "Explain the reasoning behind the choice.",
        "What triggered the failure?",
        "Why did they choose this one?",
        "What inspired them?",
        "What made her quit her job?",
        "What was the cause of the delay?",
        "What is the rationale for the rule?",
        "What was the motivation for the move?",
        "How did it come to this?",
        "What convinced him to buy it?",
    ),
    Intent.WHEN: (
        "When did this happen?",
        "On what date was it?",
        "How long did it take?",
        "What year was that?",
        "How long ago was it?",
        "What time does it start?",
        "When is the deadline?",
        "How often does it happen?",
        "Since when has it been like this?",
        "Did it happen before or after?",
        "What was the date of the meeting?",
        "Which day is the appointment?",
        "How many weeks ago did they move?",
        "How soon will it be ready?",
        "Which came first?",
        "By when must it be done?",
    ),
    Intent.WHO: (
        "Who did this?",
        "Which person is responsible for it?",
        "Who was there with them?",
        "Whose is it?",
        "Which colleague said that?",
        "What is the name of her friend?",
        "Who are the members of the family?",
        "Who should I ask about it?",
        "What is her husband called?",
        "Which engineer fixed it?",
        "Which doctor treated him?",
        "Which customer asked for it?",
        "Which of his friends came along?",
        "Which manager approved it?",
        "Who was it given to?",
    ),
    Intent.WHAT: (
        "What did she say?",
        "Which one do we use?",
        "Where is it?",
        "How many are there?",
        "What kind of thing is it?",
        "What does he like?",
        "Where does she live?",
        "How much did it cost?",
        "What is it called?",
        "Which version is it?",
        "What did he buy?",
        "What is her favourite food?",
        "Which tool does the team use?",
    ),
    Intent.GENERAL: (
        "Tell me about it.",
        "Give me an overview.",
        "Summarise what we discussed.",
        "How does it work?",
        "Is that true?",
        "Help me with this task.",
        "Let us continue.",
        "List everything about it.",
        "Good morning!",
        "I am working on my project today.",
        "Compare the two.",
        "Describe the picture.",
        "Would he like it?",
        "Can you write this for me?",
    ),
}


RELATIONS: Final[Mapping[Intent, Mapping[RelationKind, float]]] = {
    Intent.WHY: {
        RelationKind.CAUSAL: 1.0,
        RelationKind.MENTIONS: 0.7,
        RelationKind.FACT: 0.5,
        RelationKind.DERIVED_FROM: 0.5,
    },
    Intent.WHEN: {
        RelationKind.MENTIONS: 1.0,
        RelationKind.TEMPORAL: 0.7,
        RelationKind.FACT: 0.7,
        RelationKind.SUPERSEDES: 0.7,
    },
    Intent.WHO: {
        RelationKind.FACT: 1.0,
        RelationKind.ENTITY: 1.0,
        RelationKind.MENTIONS: 0.7,
        RelationKind.DERIVED_FROM: 0.5,
    },
    Intent.WHAT: {
        RelationKind.FACT: 1.0,
        RelationKind.MENTIONS: 0.7,
        RelationKind.ENTITY: 0.7,
        RelationKind.DERIVED_FROM: 0.5,
    },
    Intent.GENERAL: {},
}
"""Which relations the graph arm walks for an intent, and how much of what stands at one end passes along each (0..1):

why follows causes first, when the order of events, who and what facts and ties of entities; a question after nothing
in particular walks nowhere. Units hang on entities by being mentions of them, so no walk does without those.
"""


@dataclass(frozen=True, slots=True)
class IntentExamples:
    """The intents of the examples and their vectors of shape (examples, dimension), rows of length 1."""

    intents: tuple[Intent, ...]
    vectors: Vectors


def texts() -> list[str]:
    """Every example, in the order in which `examples` wants its vectors."""
    return [text for own in EXEMPLARS.values() for text in own]


def examples(vectors: Vectors) -> IntentExamples:
    """The examples with the vectors of `texts()` by one embedding model, shape (examples, dimension)."""
    return IntentExamples(tuple(intent for intent, own in EXEMPLARS.items() for _ in own), vectors)


def nearest(vector: NDArray[np.float32], known: IntentExamples, *, threshold: float = THRESHOLD) -> Intent | None:
    """Return the intent of the example nearest to `vector` of shape (dimension,); None where none is near enough."""
    cosine = known.vectors @ vector
    best = int(np.argmax(cosine))
    return known.intents[best] if cosine[best] >= threshold else None
