"""A reader that remembers what it read last: a message is read when it is observed, and again for graph and lessons."""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from memory_platform.ports import Reader
from memory_platform.text.languages import ENGLISH, language_of
from memory_platform.text.parse import Parse

MOST_CHARACTERS: Final = 150_000
"""Of the texts remembered: some 1,500 chat messages. A parse takes about 100 bytes a character: 15 MB."""

_Asked = tuple[str, str]
"""A text and the language it is read in."""


class RememberingReader(Reader):
    """Asks another reader for what it does not remember. Texts and parses never change, so nothing gets stale."""

    def __init__(self, reader: Reader, *, most_characters: int = MOST_CHARACTERS) -> None:
        self._reader = reader
        self._most = most_characters
        self._parses: OrderedDict[_Asked, Parse] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    @property
    @override
    def version(self) -> str:
        return self._reader.version

    @override
    def read(self, texts: Sequence[str], *, language: str | None = None) -> tuple[Parse, ...]:
        asked = [(text, language_of(text, otherwise=language or ENGLISH)) for text in texts]
        found = self._remembered(asked)
        missing: dict[str, list[str]] = defaultdict(list)
        for text, code in dict.fromkeys(asked):
            if (text, code) not in found:
                missing[code].append(text)
        for code, unread in missing.items():
            read = dict(zip(((text, code) for text in unread), self._reader.read(unread, language=code), strict=True))
            self._remember(read)
            found |= read
        return tuple(found[one] for one in asked)

    def _remembered(self, asked: Sequence[_Asked]) -> dict[_Asked, Parse]:
        with self._lock:
            found = {one: self._parses[one] for one in asked if one in self._parses}
            for one in found:
                self._parses.move_to_end(one)
            return found

    def _remember(self, read: dict[_Asked, Parse]) -> None:
        with self._lock:
            for one, parse in read.items():
                if one not in self._parses:
                    self._parses[one] = parse
                    self._characters += len(one[0])
            while self._characters > self._most:
                (text, _), _ = self._parses.popitem(last=False)
                self._characters -= len(text)
