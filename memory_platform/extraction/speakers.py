"""Who "I", "we" and "you" are: a sentence of a dialogue rewritten so that it names them and agrees with them."""

import re
from typing import Final

_PAST_FORMS: Final = """
    was were had did went got took made saw met bought came gave told said found ran won lost felt began left knew
    thought became brought built caught chose drew drank drove ate fell fed fought flew forgot forgave froze grew
    heard held hid kept led learnt lent lay meant paid rode rang rose sent shook shot sang sank sat slept slid spoke
    spent spun stood stole stuck swept swam taught tore threw understood woke wore wrote broke bet burst cut hit
    hurt let put quit read rid set shut split spread thrust upset dealt dreamt dug hung knelt lit overcame proved
    sewed shone sought sold stung struck swore swung wept wound withdrew used ought
"""
_PAST: Final = frozenset(_PAST_FORMS.split())
_MODALS: Final = frozenset(
    ["can", "could", "will", "would", "shall", "should", "may", "might", "must", "can't", "couldn't", "won't",
     "wouldn't", "shouldn't", "mustn't", "cannot", "didn't", "wasn't", "weren't", "hadn't", "gotta"]
)  # fmt: skip
_ADVERBS: Final = frozenset(
    ["also", "always", "never", "still", "just", "really", "often", "usually", "sometimes", "even", "already",
     "once", "now", "only", "recently", "finally", "actually", "definitely", "both", "mostly", "totally",
     "currently", "ever", "rarely", "honestly", "simply", "truly", "absolutely", "kinda", "probably", "especially",
     "generally", "personally", "sure", "do", "certainly", "hardly", "literally", "clearly", "constantly", "mainly",
     "normally", "occasionally", "regularly", "then"]
)  # fmt: skip
_NO_VERBS: Final = frozenset(
    ["and", "or", "but", "to", "for", "with", "in", "on", "at", "of", "from", "about", "by", "as", "than", "the",
     "a", "an", "this", "that", "so", "too", "all", "who", "which", "when", "if", "because", "next", "last", "more",
     "better", "there", "here", "up", "out", "well", "again", "through", "into", "after", "before", "not", "how",
     "what", "why", "where"]
)  # fmt: skip
_THIRD: Final = {
    "am": "is", "are": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "aren't": "isn't",
    "ain't": "isn't", "were": "was", "weren't": "wasn't", "go": "goes", "gonna": "is going to", "wanna": "wants to",
    "got": "got", "be": "is",
}  # fmt: skip
_ED_BASES: Final = frozenset(
    ["need", "feed", "succeed", "proceed", "exceed", "speed", "bleed", "breed", "heed", "embed"]
)
_AUXILIARY_BEFORE: Final = re.compile(
    r"\b(?:do|does|did|am|are|was|were|have|had|can|could|will|would|should|may|might|must|nor|neither|let|so do"
    r"|so am|help"
    r"|helps|helped|make|makes|made)\s+\Z",
    re.IGNORECASE,
)
_PLURAL_BEFORE: Final = re.compile(r"(?:\b[A-Z][\w'’]+|\b(?:my|our|his|her|the) (?:\w+ ){1,3})\s?and\s+\Z")
_SUBJECT_PLACE: Final = re.compile(
    r"(?:\A|[,;:(–—-]\s*|\b(?:that|when|if|because|how|what|and|but|so|since|as|while|where|thinks?|thought|hopes?"
    r"|knows?|glad|happy"
    r"|sure|believes?|guess(?:es)?|sees?|hears?|heard|sounds like|looks like|wish|whenever|until|before|after|why"
    r"|who|which|like|everything"
    r"|all|than)\s+)\Z",
    re.IGNORECASE,
)
_GENERIC_YOU: Final = re.compile(
    r"\b(?:makes?|made|helps?|lets?|gives?|keeps?|gets?|takes?|brings?|teaches|reminds|allows|shows)\s+you\b"
    r"|\b(?:when|if|once|whenever|like|as|where|unless)\s+you\b|\byou\s+(?:can|could|never|always|have to|gotta"
    r"|need to"
    r"|don't have to|just have to|get to|know|can't)\b|\byour own\b",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(
    r"(?<![\w'’-])(?P<word>I(?=['’\s,.!?;:)]|\Z)|i(?=['’][mvdl]|\s)|me|my|mine|myself|[Ww]e|us|[Oo]urs?|ourselves"
    r"|[Yy]ou|[Yy]ours?"
    r"|[Yy]oursel(?:f|ves)|Me|My|Mine|Us|Myself|u(?=\s)|ur(?=\s))(?:(?P<short>['’](?:m|ve|d|ll|re|s))"
    r"|(?P<after>\s+[A-Za-z'’]+(?:\s+[A-Za-z'’]+)?(?:\s+[A-Za-z'’]+)?))?"
    r"(?![\w'’])"
)
_QUOTED: Final = re.compile(r"(\"[^\"]*\"|“[^”]*”)")


def name_speakers(sentence: str, *, speaker: str, addressee: str | None) -> str:
    """The sentence with "I" as `speaker`, "we" as the speaker and others, "you" as `addressee` or people in general.

    Verbs follow: "I don't paint" becomes "Caroline doesn't paint". What stands in double quotes is left alone.
    """
    parts = _QUOTED.split(sentence)
    is_generic = addressee is None or _GENERIC_YOU.search(sentence) is not None
    you = None if is_generic else addressee
    return "".join(part if position % 2 else _named(part, speaker, you) for position, part in enumerate(parts))


def _named(text: str, speaker: str, addressee: str | None) -> str:
    parts: list[str] = []
    done = 0
    for match in _PRONOUN.finditer(text):
        if match.start() < done:
            continue
        parts.append(text[done : match.start()])
        replaced, done = _replaced(match, speaker, addressee)
        parts.append(replaced)
    named = "".join([*parts, text[done:]])
    # The three words looked at behind a pronoun may hold another one.
    return named if named == text or not _PRONOUN.search(named) else _named(named, speaker, addressee)


def _replaced(match: re.Match[str], speaker: str, addressee: str | None) -> tuple[str, int]:
    """The new words, and where the text goes on."""
    word, end = match["word"].casefold(), match.end("word")
    before = match.string[: match.start()]
    if word == "i":
        is_plural = _PLURAL_BEFORE.search(before) is not None
        return _subject(match, speaker, is_plural=is_plural or _AUXILIARY_BEFORE.search(before) is not None)
    if word == "we":
        return _subject(match, f"{speaker} and others", is_plural=True)
    if word in {"you", "u"}:
        if addressee is None:
            return _subject(match, _case("people", match["word"]), is_plural=True)
        is_subject = _SUBJECT_PLACE.search(before) is not None and not _AUXILIARY_BEFORE.search(before)
        return _subject(match, addressee, is_plural=not (is_subject or match["short"]))
    owner = addressee or _case("people", match["word"])
    plain = {
        "me": speaker, "my": f"{speaker}'s", "mine": f"{speaker}'s", "myself": "themself", "ourselves": "themselves",
        "us": f"{speaker} and others", "our": f"{speaker}'s", "ours": f"{speaker}'s", "your": f"{owner}'s",
        "yours": f"{owner}'s", "yourself": "themself", "yourselves": "themselves", "ur": f"{owner}'s",
    }  # fmt: skip
    return plain[word], end


def _case(word: str, like: str) -> str:
    return word.capitalize() if like[0].isupper() else word


_SHORT: Final = {"m": "is", "re": "is", "ll": "will", "ve": "has", "s": "is"}
_SHORT_PLURAL: Final = {"m": "are", "re": "are", "ll": "will", "ve": "have", "s": "is"}


def _subject(match: re.Match[str], name: str, *, is_plural: bool) -> tuple[str, int]:
    if match["short"]:
        short = match["short"][1:].casefold()
        if short == "d":
            verb = "had" if re.match(r"\s+(?:better|been|\w+ed)\b", match.string[match.end() :]) else "would"
        else:
            verb = (_SHORT_PLURAL if is_plural else _SHORT)[short]
        return f"{name} {verb}", match.end("short")
    if is_plural or not match["after"]:
        return name, match.end("word")
    words = re.split(r"(\s+)", match["after"])[1:]
    spaces, following = words[0::2], words[1::2]
    for position, word in enumerate(following):
        folded = word.casefold().replace("’", "'")
        if folded in _ADVERBS and position + 1 < len(following) and folded != "do":
            continue
        verb = third_person(word)
        kept = "".join(space + earlier for space, earlier in zip(spaces, following[:position], strict=False))
        length = sum(map(len, spaces[: position + 1])) + sum(map(len, following[: position + 1]))
        return f"{name}{kept}{spaces[position]}{verb}", match.end("word") + length
    return name, match.end("word")


def third_person(word: str) -> str:
    """The form a verb in the present takes after one name; a past form, a modal or no verb stays."""
    folded = word.casefold().replace("’", "'")
    if folded in _THIRD:
        return _THIRD[folded]
    is_past = folded in _PAST or (folded.endswith("ed") and folded not in _ED_BASES)
    if (
        is_past
        or folded in _MODALS
        or folded in _NO_VERBS
        or folded in _ADVERBS
        or not folded.isalpha()
        or word[0].isupper()
    ):
        return word
    if folded.endswith(("ing", "ly")) and folded not in {"bring", "sing", "rely", "apply", "fly", "supply", "ring"}:
        return word
    if folded.endswith(("s", "x", "z", "ch", "sh", "o")):
        return word if folded.endswith("s") and not folded.endswith("ss") else word + "es"
    if folded.endswith("y") and folded[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def is_past_form(word: str) -> bool:
    folded = word.casefold()
    return folded in _PAST or (folded.endswith("ed") and len(folded) > 4 and folded not in _ED_BASES)


def speaks_of_anyone(sentence: str) -> bool:
    """Whether a first or second person is left outside quotes: such a sentence does not stand alone."""
    return any(_PRONOUN.search(part) for part in _QUOTED.split(sentence)[::2])
