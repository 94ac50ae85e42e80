"""Texts parsed as the worker parses them, for tests of what is read off a parse."""

from functools import cache

from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.text.parse import Parse


@cache
def reader() -> SpacyReader:
    return SpacyReader()


def parsed(text: str) -> Parse:
    (parse,) = reader().read([text], language="en")
    return parse
