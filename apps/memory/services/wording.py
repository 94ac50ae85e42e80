"""Reason codes in words, for the caller of remember and correct."""

from apps.memory.services.deciding import Outcome

_OUTCOMES = {
    Outcome.STORED: "Stored",
    Outcome.HELD: "Held for review",
    Outcome.CLOSED: "Stored as history: something newer is known",
    Outcome.MERGED: "Merged with what was known",
    Outcome.SUPERSEDED: "Stored; it replaces what was known",
    Outcome.REJECTED: "Not stored",
    Outcome.GONE: "Not stored: it is no longer there",
}

_REASONS = {
    "too_short": "it is too short to be a fact",
    "artefact": "it reads like an editing instruction, not like a fact",
    "transcript": "it is a transcript, not a fact",
    "question": "it is a question",
    "noise": "it holds nothing worth keeping",
    "chitchat": "it is small talk",
    "acknowledgement": "it only acknowledges",
    "momentary": "it matters only for the moment",
    "boilerplate": "it says what always is said",
    "fiction": "it tells a story",
    "injection": "it holds an order to the agent",
    "memory_request": "it asks for what is remembered to be forgotten or told; forget and recall do that",
    "nothing_said": "it greets or agrees, and says nothing",
    "echo": "it is a line that the memory told; say what you know in words of your own",
    "secret": "it is a secret",
    "too_long": "it is too long to be a fact; say it in sentences",
    "not_informative": "it holds nothing worth keeping",
    "extractor_discarded": "the extractor found nothing worth keeping in it",
    "extractor_held": "the extractor was not sure of it",
    "unsupported": "it names something that its source does not say",
    "ambiguous": "it is not clear how useful it is",
    "useful": "it is a useful fact",
    "reference": "it names a reference, path or command",
    "marker": "it is marked as a memory",
    "marker_category_unknown": "it is marked as a memory of a category that there is not, so its words decide on one",
    "condensed": "it tells of others in short",
    "same_words": "it says the same in the same words",
    "paraphrase": "it says the same in other words",
    "same_source": "it comes from the same source",
    "updated": "the value has changed",
    "corrected": "it corrects the earlier one",
    "doubted": "it has probably replaced something; that question is open for review",
    "disputed": "another agent says otherwise; both are kept, and the contradiction is open for review",
    "older": "it was said earlier than what is known",
    "weaker": "it contradicts something better supported; the contradiction is open for review",
}


def in_words(outcome: Outcome, reason: str) -> str:
    """One sentence: what happened and why; an unknown reason stands for itself."""
    return f"{_OUTCOMES[outcome]}: {_REASONS.get(reason, reason.replace('_', ' '))}."
