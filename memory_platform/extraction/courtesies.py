"""What a sentence says to somebody rather than about something: greetings, interjections and names at its edges."""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

_EMPHASIS: Final = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_LINE_MARK: Final = re.compile(r"\A\s{0,12}(?:#{1,6}\s+|>\s*|[-*•+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)")
_DECORATION: Final = re.compile(
    r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F]+|(?<!\w)[:;]-?[)(DPp](?!\w)|\s+[xX]{1,3}(?=\s*$)"
)
_INTERJECTION: Final = (
    r"(?:oh|ah|aw+|wow+|whoa|woah|yay+|ha(?:ha)+h?|hehe|lol|hm+|ugh|oops|phew|omg|oh my (?:god|gosh)|gosh|man|dude|bro|yo"
    r"|hey+(?: there)?|hi+(?: again)?|hello(?: again)?|howdy|good (?:morning|afternoon|evening)|yeah+|yep|yup|yes+|yea"
    r"|nope?|nah|ok(?:ay)?|sure(?: thing)?|understood|noted|none at all|alright"
    r"|of course|absolutely|definitely|totally|exactly|indeed|right|true|agreed|certainly"
    r"|thanks(?: so much| a (?:lot|bunch|ton|million))?|thank (?:you|u)(?: so much| very much)?|thx|cheers"
    r"|congrat(?:s|ulations)|cool|nice(?: one)?|great|awesome|amazing|sweet|perfect|wonderful|fantastic|well|so|anyways?"
    r"|by the way|btw|also|and|but|plus|then|you know(?: what)?|i mean|look|listen|guess what|honestly|basically"
    r"|(?:good|great|wonderful|fantastic|amazing|big|bad) news"
    r"|to be honest|tbh|no (?:worries|problem|prob|doubt)|my pleasure|you'?re welcome|got it|i see|fair enough"
    r"|good (?:point|question|idea|call)|good to (?:hear|see|know)[^,.!]{0,20}|same here|me too|long time no (?:see|talk)"
    r"|for sure|please|sorry|here you go)"
)
_LOOSE: Final = r"(?:oh|ah|well(?! done)|so|and|but|also|yeah|yep|yes|plus|then|btw|by the way|hey|hi|honestly)"
_TRAILING: Final = re.compile(
    r"(?:,\s*(?:btw|by the way|though|tho|too|lol|haha|you know|right|ok(?:ay)?|thanks|thank you|man|dude|bro)"
    r"|\s(?:lol|haha|btw))[\s.!]*\Z",
    re.IGNORECASE,
)


def bare(sentence: str, names: Collection[str] = ()) -> str:
    """The sentence without list marks, emphasis, emoji, and without the words at its edges that only address someone.

    `names` are the people talking; their short forms count too. "Actually" stays: it announces a correction. Returns
    "" when nothing else was said.
    """
    unmarked = _EMPHASIS.sub("", _LINE_MARK.sub("", sentence))
    text = " ".join(_DECORATION.sub(" ", unmarked).split())
    leading, trailing = _edges(tuple(sorted({name.split()[0] for name in names if name.strip()})))
    previous = None
    while text and text != previous:
        previous = text
        text = leading.sub("", text).lstrip(" ,.!-–—:~")
        text = _TRAILING.sub("", trailing.sub("", text) if trailing else text)
    return text if text == sentence else text[:1].upper() + text[1:]


@lru_cache(maxsize=512)
def _edges(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """What is cut off in front, and behind."""
    called = "|".join(map(_called, names))
    vocative = rf"(?:\s*,?\s+(?:{called})\b(?!['’]|\s+(?:and|is|was|has|had)\b))?" if called else ""
    alone = rf"|(?:{called})\b\s*[,!:–-]" if called else ""
    leading = re.compile(
        rf"\A(?:{_INTERJECTION}\b{vocative}(?:\s*[,.!?…:–—-]+|(?=\s*\Z))\s*|{_LOOSE}\b\s+{alone}|\s*[,.!?…–—-]+\s*)",
        re.IGNORECASE,
    )
    trailing = re.compile(rf"\s*,\s*(?:{called})\b[\s.!]*\Z", re.IGNORECASE) if called else None
    return leading, trailing


def _called(name: str) -> str:
    """The name, or its first letters: a Melanie is also called Mel."""
    if len(name) < 5 or not name.isalpha():
        return re.escape(name)
    tail = ""
    for letter in reversed(name[2:]):
        tail = f"(?:{letter}{tail})?"
    return name[:2] + tail
