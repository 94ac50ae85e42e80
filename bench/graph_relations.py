"""Relations read off the parse: how many claims of the stories yield one, how many of a judged sample are right.

A claim is a message a story's fact stands in; it counts when it names two things or people (by the parse or by the
finder without one), the one who says "I" counted in the second pair of figures. It is read clause by clause as an item
of it would be, all clauses taken as kept. Stories with an odd place were looked at, the others are held out. The rival,
the pattern extractor that this replaced (commit 2c12336 and before), found one in 1.7 % of the same claims looked
at and in 11.8 % of those held out, and took 0.15 ms a text.

The sheet was judged once by hand as drawn: 178 of 200 right. Three kinds of mistake were mended after that (told by
somebody, "too many for", an aside before the verb), and the three rows no longer read were replaced by the next ones.
"""

import csv
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path

from bench.figures import at_least, figure
from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.extraction.clauses import Clause, clauses
from memory_platform.knowledge import entities, naming
from memory_platform.knowledge.entities import EntityForm
from memory_platform.knowledge.relations.annotated_sentence import USER, annotate
from memory_platform.knowledge.relations.statements import statements
from memory_platform.knowledge.relations.triples import Triple
from memory_platform.model import Mood
from memory_platform.ports import Reader
from memory_platform.text import structure
from memory_platform.text.parse import Parse
from memory_platform.text.terms import is_name

HERE = Path(__file__).parent
STORIES = HERE / "data" / "stories" / "dev_en.jsonl"
OTHERS = HERE.parent / "training" / "data"
JUDGED = HERE / "data" / "relations_judged.tsv"
COLUMNS = ("source", "said_by", "clause", "subject", "predicate", "object", "negated", "verdict", "reason")
BAR_CLAIMS = at_least(0.6)
BAR_RIGHT = at_least(0.9)
SAMPLE = 200
SALT = "judged once"
_FIRST_PERSON = re.compile(r"\b(?:I|i|[Mm]e|[Ww]e|[Uu]s|[Mm]y|[Oo]ur)\b")


@dataclass(frozen=True)
class Turn:
    """A message of a story, said as `role` by `speaker`; `claims` says whether a fact of the story stands in it."""

    key: str
    role: str
    speaker: str | None
    text: str
    claims: bool

    @property
    def first_person(self) -> str | None:
        return self.speaker or (USER if self.role == "user" else None)


def run() -> None:
    reader = SpacyReader()
    stories = list(read(STORIES))
    for name, own in (("looked_at", stories[::2]), ("held_out", stories[1::2])):
        _coverage(reader, name, [turn for story in own for turn in story if turn.claims])
    _speed(reader, [turn for story in stories for turn in story])
    _precision(reader)


def read(path: Path) -> Iterator[list[Turn]]:
    """The turns of each story of a file, without those of tools."""
    for line in path.read_text(encoding="utf-8").splitlines():
        story = json.loads(line)
        gold = {one["turn"] for fact in story["facts"] for one in fact["history"]}
        yield [
            Turn(
                f"{story['id']}/{turn['id']}",
                turn["role"],
                turn["speaker"] if is_name(turn["speaker"]) else None,
                turn["content"],
                turn["id"] in gold,
            )
            for session in story["sessions"]
            for turn in session["turns"]
            if turn["role"] in {"user", "assistant"}
        ]


def stated(reader: Reader, turns: Sequence[Turn]) -> list[list[tuple[Clause, Triple]]]:
    """What each turn's asserted clauses state, each clause parsed by itself, as the item made of it is."""
    parses = reader.read([structure.blanked(turn.text) for turn in turns])
    kept = [[one for one in clauses(parse) if one.mood is Mood.ASSERTED and not one.reported_by] for parse in parses]
    texts = [clause.text for own in kept for clause in own]
    again = iter(_read_each(reader, texts, [clause.language for own in kept for clause in own]))
    found = []
    for turn, own in zip(turns, kept, strict=True):
        said = []
        for clause, parse in ((clause, next(again)) for clause in own):
            names = naming.names(parse, known=[turn.speaker] if turn.speaker else [])
            sentences = annotate(parse, names, speaker=turn.first_person)
            said += [(clause, one) for one in statements(sentences)]
        found.append(said)
    return found


def _read_each(reader: Reader, texts: Sequence[str], languages: Sequence[str]) -> list[Parse]:
    """A parse of each text, in the language of the message it is from unless it is surely in another."""
    found: dict[int, Parse] = {}
    for language in set(languages):
        places = [place for place, one in enumerate(languages) if one == language]
        parses = reader.read([texts[place] for place in places], language=language)
        found.update(zip(places, parses, strict=True))
    return [found[place] for place in range(len(texts))]


def _coverage(reader: Reader, name: str, turns: Sequence[Turn]) -> None:
    found = stated(reader, turns)
    named = [_named(reader, turn) for turn in turns]
    for what, room in (("", 0), ("_or_speaker", 1)):
        own = [
            [one for _, one in said]
            for turn, said, names in zip(turns, found, named, strict=True)
            if names + room * bool(turn.first_person and _FIRST_PERSON.search(turn.text)) > 1
        ]
        figure(f"claims_with_two_names{what}_{name}", len(own), "claims")
        share = sum(map(bool, own)) / len(own)
        figure(f"claims_with_two_names{what}_yield_relation_{name}", share, "share", bar=None if room else BAR_CLAIMS)
        both = sum(any(one.object_is_name for one in said) for said in own) / len(own)
        figure(f"claims_with_two_names{what}_yield_relation_of_two_{name}", both, "share")


def _named(reader: Reader, turn: Turn) -> int:
    """How many things or people a message names."""
    (parse,) = reader.read([turn.text])
    found = chain(naming.names(parse), entities.find(turn.text))
    names = {one.name.casefold() for one in found if one.form is EntityForm.NAME}
    return sum(not any(name != other and name in other for other in names) for name in names)


def _speed(reader: Reader, turns: Sequence[Turn]) -> None:
    parses = reader.read([turn.text for turn in turns])
    started = time.process_time()
    parses = reader.read([turn.text for turn in turns])
    read_in = time.process_time() - started
    started = time.process_time()
    for parse in parses:
        statements(annotate(parse, naming.names(parse)))
    figure("texts_parsed_per_processor_second", len(turns) / read_in, "1/s")
    figure("texts_related_per_processor_second", len(turns) / (time.process_time() - started), "1/s")


def candidates(reader: Reader) -> list[tuple[Turn, Clause, Triple]]:
    """Every relation of the held-out stories and of all those the judgements were trained on, in a fixed order."""
    others = (story for path in sorted(OTHERS.glob("*_stories.jsonl")) for story in read(path))
    stories = [*list(read(STORIES))[1::2], *others]
    turns = [turn for story in stories for turn in story]
    return [(turn, *one) for turn, said in zip(turns, stated(reader, turns), strict=True) for one in said]


def sample() -> None:
    """Write the relations to judge over the sheet, with the verdicts it has: `bench.graph_relations.sample()`.

    They are the first by a hash of themselves, so that a change of the reading replaces only what it no longer reads.
    """
    judged = {_key(row["source"], row): (row["verdict"], row["reason"]) for row in _sheet()}
    drawn = {_key(turn.key, _row(one)): (turn, clause, one) for turn, clause, one in candidates(SpacyReader())}
    order = sorted(drawn, key=lambda key: sha256("\x1f".join((SALT, *key)).encode()).digest())
    with JUDGED.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file, delimiter="\t", lineterminator="\n")
        sheet.writerow(COLUMNS)
        for key in order[:SAMPLE]:
            turn, clause, one = drawn[key]
            said = (turn.first_person or "", " ".join(clause.text.split()))
            sheet.writerow((turn.key, *said, *_row(one).values(), *judged.get(key, ("", ""))))


def _sheet() -> list[dict[str, str]]:
    if not JUDGED.exists():
        return []
    with JUDGED.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _row(said: Triple) -> dict[str, str]:
    negated = "not" if said.negated else ""
    return {"subject": said.subject, "predicate": said.predicate, "object": said.object, "negated": negated}


def _key(source: str, row: Mapping[str, str]) -> tuple[str, ...]:
    return (source, row["subject"], row["predicate"], row["object"], row["negated"])


def _precision(reader: Reader) -> None:
    rows = _sheet()
    figure("judged_relations_right", sum(row["verdict"] == "right" for row in rows) / len(rows), "share", bar=BAR_RIGHT)
    now = {_key(turn.key, _row(one)) for turn, _, one in candidates(reader)}
    still = sum(_key(row["source"], row) in now for row in rows)
    figure("judged_relations_still_read", still / len(rows), "share")
