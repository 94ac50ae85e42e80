"""Sentences of what was erased are known again wherever they are told, and by nothing that could be read."""

import json

import pytest

from apps.erasure.sentences import digests, sentences, unsaid

SAID = "My sister Anna plays the cello in Lund."
SENTENCE = "my sister anna plays the cello in lund"


@pytest.mark.parametrize(
    "told",
    [
        SAID,
        SAID.upper(),
        "My  sister Anna\tplays the cello in Lund",
        f"# Music\n\n## Anna\n- 2026-11-27: {SAID}\n",
        f"What of her? / {SAID}",
        f"She said “{SAID}”",
        json.dumps({"facts": [{"text": f"Noted.\n{SAID}"}]}),
    ],
)
def test_a_sentence_is_known_again_however_it_is_told(told):
    assert SENTENCE in set(sentences(told))


def test_what_is_short_is_anybodys():
    assert list(sentences("Yes. Thank you, Anna! That is all.")) == []


@pytest.mark.usefixtures("database")
def test_a_digest_follows_from_the_sentence_and_from_the_deployments_secret(settings):
    ((sentence, digest),) = digests([SAID])
    assert list(digests([f"- {SAID.upper()}"])) == [(sentence, digest)]

    settings.SECRET_KEY = "another" * 10
    assert list(digests([SAID])) != [(sentence, digest)]


def test_a_sentence_is_said_where_a_text_holds_all_of_it():
    other = "my brother olof works at the dairy"
    said = [f"I think that {SAID}", "My brother Olof", "works at the dairy"]

    assert unsaid({SENTENCE, other}, said) == {other}
    assert unsaid({SENTENCE, other}, []) == {SENTENCE, other}
