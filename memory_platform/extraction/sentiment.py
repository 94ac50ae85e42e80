"""The mood of a text, from a lexicon: what the speaker shows, not what happened to them."""

import re
from collections.abc import Mapping
from typing import Final

from memory_platform.model import Sentiment

_LEXICON: Final[Mapping[Sentiment, str]] = {
    Sentiment.FRUSTRATED: """
        frustrated frustrating frustration annoyed annoying annoys angry furious mad upset irritated irritating hate
        hates terrible awful horrible worst sucks sick tired exhausted exhausting fed-up disappointed disappointing
        disappointment stuck useless ridiculous broken struggling struggle stressed stressful stress overwhelmed
        overwhelming unfair miserable ugh damn argh nightmare unacceptable sad depressed heartbroken lost hurts painful
        devastated failed
    """,
    Sentiment.EXCITED: """
        excited exciting thrilled thrilling awesome amazing fantastic wonderful great love loves loved happy glad
        delighted stoked pumped proud yay woohoo wow hooray incredible brilliant excellent perfect fun joy joyful
        thankful grateful blessed best beautiful inspiring congrats congratulations celebrate cheers ecstatic adorable
        enjoy enjoyed lovely eager
    """,
    Sentiment.UNCERTAIN: """
        unsure uncertain maybe perhaps possibly probably confused confusing confusion wonder wondering doubt doubtful
        doubts hesitant hesitating undecided unclear torn nervous worried worry worries anxious anxiety scared afraid
        might guess suppose dunno unsettled scary
    """,
}
_MOODS: Final = {word: mood for mood, words in _LEXICON.items() for word in words.split()}
_PHRASES: Final = (
    (re.compile(r"\bnot sure\b|\bdon't know\b|\bno idea\b|\bnot certain\b|\bhard to say\b"), Sentiment.UNCERTAIN),
    (re.compile(r"\bcan't wait\b|\blooking forward\b|\bover the moon\b"), Sentiment.EXCITED),
    (
        re.compile(r"\bcan't stand\b|\bgive up\b|\bgave up\b|\bfed up\b|\bdoesn't work\b|\bnot working\b"),
        Sentiment.FRUSTRATED,
    ),
)
_NEGATORS: Final = frozenset(
    ["not", "no", "never", "isn't", "wasn't", "don't", "doesn't", "didn't", "aren't", "without", "hardly"]
)
_OPPOSITE: Final = {Sentiment.EXCITED: Sentiment.FRUSTRATED}
_WORD: Final = re.compile(r"[a-z]+(?:['-][a-z]+)*")
# Two words that add up on a tie: anger and doubt are rarer in writing than politeness, and say more.
_ORDER: Final = (Sentiment.FRUSTRATED, Sentiment.UNCERTAIN, Sentiment.EXCITED)


def sentiment_of(text: str) -> Sentiment:
    """The mood with the most words; "not happy" counts as frustrated, a negated complaint as nothing."""
    lowered = text.casefold().replace("’", "'")
    counts = dict.fromkeys(_ORDER, 0)
    for pattern, mood in _PHRASES:
        counts[mood] += 2 * len(pattern.findall(lowered))
    words: list[str] = _WORD.findall(lowered)
    for position, word in enumerate(words):
        shown = _MOODS.get(word)
        is_negated = not _NEGATORS.isdisjoint(words[max(0, position - 3) : position])
        meant = _OPPOSITE.get(shown) if is_negated and shown else shown
        if meant is not None:
            counts[meant] += 1
    strongest = max(_ORDER, key=lambda mood: counts[mood])
    return strongest if counts[strongest] else Sentiment.NEUTRAL
