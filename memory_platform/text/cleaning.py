"""Text as it may enter, and as it may stand in one line of a prompt.

`clean` is what every string of every verb goes through once, before secrets are looked for; `inline` is what every
text, name and label goes through on its way into the context block.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from memory_platform.model import TrustTag
from memory_platform.text.redaction import JsonValue, distinct_keys, require_depth

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Colours and cursor movements of a terminal go whole: without their escape the rest would be words.
_TERMINAL: Final = re.compile(r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]")
_LINE_BREAK: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL: Final = r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_ASCII_TO_CLEAN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

_BIDIRECTIONAL: Final = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE: Final = (
    r"\u00ad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_FLAG: Final = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_UNSEEN: Final = re.compile(rf"(?P<kept>{_FLAG})|[{_CONTROL}{_BIDIRECTIONAL}{_INVISIBLE}]")

_EMOJI: Final = r"\u20e3\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_IDEOGRAPHS: Final = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_VARIED: Final = (
    r"0-9#*\u00a9\u00ae\u1000-\u109f\u2010-\u2027\u2030-\u205e\u2070-\u2bff\u3000-\u33ff\ua840-\ua87f\U0001f000-\U0001faff"
    rf"{_IDEOGRAPHS}"
)
_LOOSE: Final = re.compile(
    rf"(?P<joiner>[\u200c\u200d](?P<emoji>(?<=\u200d)(?=[{_EMOJI}]))?)"
    rf"|(?<![{_VARIED}])[\ufe00-\ufe0f]|(?<![{_IDEOGRAPHS}])[\U000e0100-\U000e01ef]"
)
_EMOJI_BEFORE: Final = re.compile(rf"[{_EMOJI}]|[{_VARIED}]\ufe0f")
# Scripts whose letters change their form beside a joiner: Arabic, Syriac, the Indic ones, Mongolian, Adlam.
_JOINING: Final = re.compile(
    r"[\u0600-\u07ff\u0840-\u0fff\u1780-\u18af\u1a20-\u1cff\ua800-\uaaff\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)
_MARKS_BEFORE_JOINER: Final = 3
MOST_MARKS: Final = 30
"""Combining marks on one character, as in the Stream-Safe Text Format (Unicode Standard Annex 15); no language needs as
many, and putting more into order takes time that grows with their square."""

_TAGS: Final = "|".join([*TrustTag, "redacted", "memory(?=:)", "/?inst", "/?sys(?:tem)?"])
_TAG: Final = re.compile(
    rf"[\[［](?!redacted(?::[a-z_]{{1,20}})?\])(?P<tag>\s*(?:{_TAGS})(?!\w))(?:(?P<rest>[^\[\]［］]{{0,80}})[\]］])?",
    re.IGNORECASE,
)
_NOTE: Final = re.compile(r"([(（;；]\s*(?:confidence|age))(?:\s*[:：])++", re.IGNORECASE)
_LINE_MARK: Final = re.compile(r"(?<![\w~～])[~～]+(?=\s|\Z)|\A[~～]+(?![\d./]|[\w.-]{1,40}/)")
_HEADING: Final = re.compile(r"\A#{1,6}(?=\s|\Z)")
_FENCE: Final = re.compile(r"`{3,}|~{3,}")
_TAG_OPENING: Final = re.compile(r"<(?=[/|｜!?]|\s?memor(?:y|ies)(?!\w))|(?<!\w)<(?=[A-Za-z])", re.IGNORECASE)
_HARMLESS: Final = str.maketrans({"~": "∼", "～": "∼", "#": "＃", "`": "ˋ", "<": "‹"})
"""What means something in a prompt becomes what looks like it and means nothing."""


def clean(text: str) -> str:
    """Return `text` in Unicode's composed form (NFC), with lines parted by a line feed and without what nobody sees.

    Control characters but tab and line feed, terminal colours, marks of direction and characters without width go;
    joiners stay between letters that need them and within emoji. Half a surrogate pair becomes U+FFFD. Doing it twice
    changes nothing.
    """
    if text.isascii() and not _ASCII_TO_CLEAN.search(text):
        return text
    visible = _UNSEEN.sub(r"\g<kept>", _TERMINAL.sub("", _without_surrogates(text)))
    composed = _composed(_LINE_BREAK.sub("\n", visible))
    return _composed(_LOOSE.sub(_joiner, composed))


def clean_json(value: JsonValue) -> JsonValue:
    """Return `value` with every string cleaned, keys included; keys that become the same are numbered.

    Raises Invalid for what is nested deeper than `redaction.MAXIMUM_DEPTH`.
    """
    top: list[Any] = [value]
    pending: list[tuple[Any, Any, int]] = [(top, 0, 0)]
    while pending:
        container, place, depth = pending.pop()
        node = container[place]
        if isinstance(node, str):
            container[place] = clean(node)
        elif isinstance(node, (Mapping, list)):
            require_depth(depth + 1)
            container[place] = copy = _copy(node)
            pending += [(copy, inner, depth + 1) for inner in (copy if isinstance(copy, dict) else range(len(copy)))]
    return top[0]  # type: ignore[no-any-return]


def inline(text: str) -> str:
    """Return `text` as one line in which nothing looks like a memory's line, a tag, a fence or a heading of a prompt.

    A redaction mark stays as it is. Doing it twice changes nothing.
    """
    line = " ".join(clean(text).split())
    for pattern in (_FENCE, _LINE_MARK, _HEADING, _TAG_OPENING):
        line = pattern.sub(lambda match: match[0].translate(_HARMLESS), line)
    return _NOTE.sub(r"\1", _TAG.sub(_in_parentheses, line))


def _in_parentheses(match: re.Match[str]) -> str:
    closed = "" if match["rest"] is None else f"{match['rest']})"
    return f"({match['tag']}{closed}"


def _without_surrogates(text: str) -> str:
    if not _SURROGATE.search(text):
        return text
    # Two halves that belong together become their character.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _composed(text: str) -> str:
    if unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", _with_fewer_marks(text))


def _with_fewer_marks(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def _joiner(match: re.Match[str]) -> str:
    """The joiner if it joins something; nothing for another match."""
    if not match["joiner"]:
        return ""
    is_emoji = match["emoji"] is not None and _ends_with_emoji(match.string, match.start())
    return match["joiner"] if is_emoji or _ends_with_joining_letter(match.string, match.start()) else ""


def _ends_with_emoji(text: str, end: int) -> bool:
    return bool(
        _EMOJI_BEFORE.fullmatch(text, max(0, end - 1), end) or _EMOJI_BEFORE.fullmatch(text, max(0, end - 2), end)
    )


def _ends_with_joining_letter(text: str, end: int) -> bool:
    """Whether `text` up to `end` ends with such a letter and its marks: a sign between them has its own place."""
    for place in range(end - 1, max(-1, end - 2 - _MARKS_BEFORE_JOINER), -1):
        if not unicodedata.combining(text[place]):
            return bool(_JOINING.match(text, place))
    return False


def _copy(node: Mapping[str, Any] | list[Any]) -> dict[str, Any] | list[Any]:
    if isinstance(node, list):
        return list(node)
    return dict(zip(distinct_keys(map(clean, node)), node.values(), strict=True))
