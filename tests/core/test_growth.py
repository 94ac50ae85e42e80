"""Every stage takes time in proportion to its text, whatever is repeated in it: nobody holds a worker with 64 KB."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from uuid import UUID

import pytest
from typing_extensions import override

from memory_platform.adapters.clause_extractor import ClauseExtractor
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.consolidation import claims, gating
from memory_platform.extraction import dated_things, naming, observing, slots
from memory_platform.extraction.clauses import Clause, clauses
from memory_platform.knowledge import entities, entity_types
from memory_platform.knowledge import naming as knowledge_naming
from memory_platform.knowledge.relations.annotated_sentence import annotate
from memory_platform.knowledge.relations.roles import roles
from memory_platform.knowledge.relations.statements import statements
from memory_platform.knowledge.relations.type_hints import kinds
from memory_platform.model import Fact, Message, Role, Unit, Utterance
from memory_platform.ports import Reader
from memory_platform.retrieval import context, cues, query
from memory_platform.text import structure, times
from memory_platform.text.parse import Parse
from memory_platform.text.quoting import quoted
from memory_platform.text.redaction import redact, redact_json
from memory_platform.text.sentences import sentences, stretches
from memory_platform.text.terms import terms
from tests.core.parses import chained, plain
from tests.core.timing import LEAST, MOST, grows_in_proportion, seconds

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
KILOBYTES = (2, 4, 8, 16, 32, 64)

REPEATED = {
    "words": "lorem ",
    "and": "and ",
    "likes": "I like ",
    "sentences": "I like tea. ",
    "dates": "3 May 2023, ",
    "days": "yesterday ",
    "full dates": "on 3 May 2026 ",
    "next weeks": "next week ",
    "moves": "I moved to Lisbon ",
    "likings": "we like and ",
    "statements": "Anna works at Siemens. ",
    "ranges": "from May to ",
    "numeric dates": "3/5/2024 ",
    "brackets": "(",
    "square brackets": "[",
    "open JSON": '{"a": [1, ',
    "JSON lines": '{"a": "\\u0041b", "c": 1}\n',
    "quotes": '"',
    "quoted singly": "'Go' ",
    "opened singly": "'a ",
    "stops without blanks": "我「。",
    "quoted": '“Go.” "I said". ',
    "digits": "7",
    "numbers": "1,000.5 ",
    "capitals": "A-",
    "names": "Anna Berg ",
    "moved dates": "The launch was moved back to 3 May. ",
    "moved and moved": "moved the launch to 3 May and ",
    "tickets": "PAY-1 Anna, ",
    "tickets in one word": "PAY-1,Anna,",
    "contractions": "I'm ",
    "abbreviations": "Dr. ",
    "dots": ".",
    "spaces": "a          ",
    "lines": "\n",
    "keys": "key: value\n",
    "cells": "a | b\tc\n",
    "markers": "[MEMORY:a] b ",
    "backticks": "`",
    "handles": "@a#b/c.d ",
    "memories": "~ I like tea (confidence: 0.9; age: 12d; other) [stale]",
    "notes": " (confidence: 0.9; age: 12d; x",
    "ages": " (age: 3d)",
    "lessons": " (x; heard once, ",
    "due": '~ due 2026-05-01: a "  ',
}


class PlainReader(Reader):
    """Sentences without grammar: what is left of extraction when no model is asked."""

    @property
    @override
    def version(self) -> str:
        return "plain:1"

    @override
    def read(self, texts, *, language=None) -> tuple[Parse, ...]:
        return tuple(map(plain, texts))


READER = SpacyReader()
EXTRACTOR = ClauseExtractor(PlainReader(), ScriptedJudge())


def extract(text: str, role: Role) -> None:
    EXTRACTOR.extract([Utterance(UUID(int=1), role, "Ines", text, NOW)], now=NOW)


def read_query(text: str) -> None:
    query.plan(text, time_range=times.time_range(text, NOW))
    query.sought(text)
    query.rewrite_by_rules(text, history=[], now=NOW)


def slot(text: str) -> None:
    slots.slot_of(Clause(text, 0, "en"), Parse(text, "en", ()), speaker="Ines")


def date(parse: Parse) -> None:
    for sentence in parse.sentences:
        for verb in range(len(sentence.tokens)):
            dated_things.dated_thing(sentence, verb)


def name(text: str) -> None:
    naming.with_speaker(text, Clause(text, 0, "en"), "Ines", Parse(text, "en", ()))
    naming.names_in_text(text)


def relate(parse: Parse) -> None:
    names = knowledge_naming.names(parse)
    sentences = annotate(parse, names)
    statements(sentences)
    roles(sentences)
    kinds(sentences)
    knowledge_naming.other_names(parse, names)


def count_words(text: str) -> int:
    return len(text.split())


def pack(text: str) -> None:
    memory = context.ContextMemory(text, Unit.EPISODE, 1)
    context.pack([memory], max_tokens=40, count_tokens=count_words)
    context.excerpt(text, asked={"tea"}, max_tokens=40, count_tokens=count_words)


STAGES: dict[str, Callable[[str], object]] = {
    "redaction": redact,
    "sentences": sentences,
    "stretches": lambda text: list(stretches(text, 300)),
    "clauses": lambda text: clauses(plain(text)),
    "clauses of chains": lambda text: clauses(chained(text)),
    "relations": lambda text: relate(chained(text)),
    "structure": structure.taken_apart,
    "quoting": lambda text: list(quoted(text)),
    "times": lambda text: times.resolve(text, NOW),
    "times in German": lambda text: times.resolve(text, NOW, language="de"),
    "slots": slot,
    "dated things": lambda text: date(chained(text)),
    "a date alone": lambda text: times.planned_for(text, NOW),
    "naming": name,
    "entities": entities.find,
    "observing a user": lambda text: extract(text, Role.USER),
    "observing a tool": lambda text: extract(text, Role.TOOL),
    "gate": lambda text: gating.decide(Fact(text, text)),
    "claims": lambda text: (claims.normalised(text), claims.numbers(text)),
    "terms": terms,
    "cues": lambda text: cues.cues(text, speaker="Ines", role=Role.USER),
    "query": read_query,
    "history": lambda text: query.rewrite_by_rules("And why did he?", history=[Message(Role.USER, text)], now=NOW),
    "context": pack,
}


def _read(text: str) -> Parse:
    return READER.read([text])[0]


READ: dict[str, Callable[[str], object]] = {
    **STAGES,
    "clauses as read": lambda text: clauses(_read(text)),
    "relations as read": lambda text: relate(_read(text)),
    "dated things as read": lambda text: date(_read(text)),
}
"""With names and verbs as a reader finds them."""


def repeated(piece: str, kilobytes: int) -> str:
    """Ends with another character: what matches to the end of a text may not match before one."""
    length = 1024 * kilobytes - 1
    return (piece * (length // len(piece) + 1))[:length] + "x"


def between_names(piece: str, kilobytes: int) -> str:
    """As where code, which is blanked before a text is read, stands between two names."""
    return f"Anna Berg, {repeated(piece, kilobytes)[:-1]} and Ben Okri like it, too."


def stays_in_proportion(
    stage: Callable[[str], object], piece: str, text_of: Callable[[str, int], str] = repeated
) -> bool:
    """In one of three tries, the first a quick one: a machine that was busy is not when it is measured again."""
    return any(growth(stage, piece, text_of, tries=tries) <= MOST for tries in (1, 3, 3))


def growth(stage: Callable[[str], object], piece: str, text_of: Callable[[str, int], str], *, tries: int) -> float:
    """The most that twice the text took, of two doublings in a row: one alone may be a busy machine."""
    spent = [max(LEAST, seconds(stage, text_of(piece, KILOBYTES[0]), tries=tries))]
    ratios = [1.0]
    for kilobytes in KILOBYTES[1:]:
        spent.append(max(LEAST, seconds(stage, text_of(piece, kilobytes), tries=tries)))
        ratios.append(spent[-1] / spent[-2])
        if min(ratios[-2:]) > MOST:
            break
    return max(min(pair) for pair in pairwise(ratios))


@pytest.mark.heavy
@pytest.mark.slow
@pytest.mark.parametrize("repeating", REPEATED)
@pytest.mark.parametrize("stage", STAGES)
def test_twice_the_text_takes_about_twice_the_time(stage, repeating):
    assert stays_in_proportion(STAGES[stage], REPEATED[repeating])


@pytest.mark.heavy
@pytest.mark.slow
@pytest.mark.parametrize("piece", [" ", "\n", "\t ", ", ", "-", "."])
@pytest.mark.parametrize("stage", READ)
def test_what_stands_between_two_names_takes_its_own_time_only(stage, piece):
    assert stays_in_proportion(READ[stage], piece, between_names)


OPENED = {
    "blanks behind a service's key": ("ibm_cloud_iam_api_key", " "),
    "blanks behind a key of storage": ("cos_hmac_secret_access_key", " "),
    "blanks behind a key of the cloud": ("cloudant_password", " "),
    "a rule below a heading": ("user,password\n", "-"),
    "columns of many passes": ("", "a pass,b pass,"),
    "private keys in a key's headers": ("", "-----BEGIN PRIVATE KEY-----\nA-a: "),
    "a call of passwords": ("password=", "password"),
    "words in camel case": ("", "aA"),
    "blanks behind a marker": ("[MEMORY:work] tea", " "),
    "names in blanks": ("Anna Berg", " "),
    "a line of tabs": ("", "\t"),
    "blanks in a value": ("key: a\nother = b", " "),
}
"""What is repeated behind a beginning that makes a rule look at it. What follows fits none: a rule must try it all."""
OPENED_STAGES: dict[str, Callable[[str], object]] = {
    "redaction": redact,
    "observing a user": lambda text: extract(text, Role.USER),
    "entities": entities.find,
    "entity types": lambda text: entity_types.type_of(entities.FoundName(text, entities.EntityForm.NAME, 0)),
    "structure": structure.taken_apart,
    "gate": lambda text: gating.has_reference(text[:8_000]),
}


@pytest.mark.heavy
@pytest.mark.slow
@pytest.mark.parametrize("opened", OPENED)
@pytest.mark.parametrize("stage", OPENED_STAGES)
def test_what_a_rule_looks_at_takes_its_own_time_only(stage, opened):
    beginning, piece = OPENED[opened]

    def text_of(_: str, kilobytes: int) -> str:
        return f"{beginning}{repeated(piece, kilobytes)} {'a1' * 12}!"

    assert stays_in_proportion(OPENED_STAGES[stage], piece, text_of)


KEYS: dict[str, Callable[[int], dict[str, str]]] = {
    "passes": lambda n: {f"{letters(one)} pass": "a" for one in range(n)},
    "values": lambda n: {f"value{one}": "a" for one in range(n)},
    "tokens": lambda n: {f"ghp_{one:036}": "a" for one in range(n)},
}


def letters(number: int) -> str:
    return f"{number:06}".translate(str.maketrans("0123456789", "abcdefghij"))


@pytest.mark.slow
@pytest.mark.parametrize("keys", KEYS)
def test_twice_the_keys_take_about_twice_the_time(keys):
    once, twice = KEYS[keys](2_500), KEYS[keys](5_000)

    assert grows_in_proportion(redact_json, once, twice)


PRINTS: dict[str, Callable[[int], str]] = {
    "records": lambda n: json.dumps([{"id": one, "status": "open"} for one in range(n)]),
    "plain values": lambda n: json.dumps({"id": 1, "values": list(range(4 * n))}),
    "long keys": lambda n: json.dumps({"k" * n: list(range(n)), "x" * n: [{"a": one} for one in range(n)]}),
    "one key": lambda n: "{" + ", ".join(f'"id": {one}' for one in range(4 * n)) + "}",
    "nesting": lambda n: json.dumps([{"id": 1, "a": {"id": 2, "b": {"id": 3, "c": [one]}}} for one in range(n)]),
    "a table": lambda n: "id,status\n" + "".join(f"{one},open\n" for one in range(4 * n)),
    "blocks": lambda n: "".join(f"id: {one}\nstatus: open\n" for one in range(n)),
    "unfinished": lambda n: '{"a": [' + "1, " * 8 * n,
    "not a number": lambda n: json.dumps({"a": [float("nan")] * 4 * n}),
}


@pytest.mark.slow
@pytest.mark.parametrize("printed", PRINTS)
def test_twice_the_print_takes_about_twice_the_time(printed):
    """Up to 64 KB and beyond; a list of 10,000 elements among them."""
    once, twice = PRINTS[printed](2_500), PRINTS[printed](5_000)

    assert grows_in_proportion(structure.taken_apart, once, twice)


@pytest.mark.parametrize("printed", [*PRINTS.values(), lambda n: "lorem ipsum " * n], ids=[*PRINTS, "one clause"])
def test_what_is_judged_of_a_print_is_no_longer_than_the_print(printed):
    text = printed(2_000)
    passage = observing.passage(Utterance(UUID(int=1), Role.TOOL, "lookup", text, NOW))
    judged = observing.read(passage, plain(passage.prose)).clauses

    assert sum(len(clause.text) for clause in judged) <= len(text)
    assert all(len(clause.text) <= observing.LONGEST_CLAUSE for clause in judged)


@pytest.mark.slow
@pytest.mark.parametrize("repeating", ["words", "and", "likes", "dates", "brackets", "quotes", "digits", "capitals"])
def test_a_reader_takes_twice_the_time_for_twice_the_text(repeating):
    assert stays_in_proportion(lambda text: READER.read([text]), REPEATED[repeating])


def test_a_reader_takes_twice_the_time_for_twice_the_sentences():
    once, twice = ("I like tea. " * count for count in (80, 160))

    assert grows_in_proportion(lambda text: READER.read([text]), once, twice)
