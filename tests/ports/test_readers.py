"""What every reader promises: of each language with a model, without any model, and with none installed."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters.remembering_reader import RememberingReader
from memory_platform.adapters.spacy_reader import SpacyReader, language_of
from memory_platform.ports import Reader
from memory_platform.text.parse import Parse
from memory_platform.text.sentences import LONGEST_SENTENCE

ADAPTERS: dict[str, Callable[[], Reader]] = {
    "spacy": SpacyReader,
    "without models": lambda: SpacyReader({}),
    "models not installed": lambda: SpacyReader({"en": "no_such_model"}),
    "remembering": lambda: RememberingReader(SpacyReader()),
}
ENGLISH = "Marco negotiated the contract with Adyen in May. He got us 10 % off."
GERMAN = "Ich wohne seit Mai in Hamburg und arbeite dort bei Siemens."
RUSSIAN = "Я живу в Москве и работаю в большом банке."


@pytest.fixture(params=ADAPTERS, scope="module")
def reader(request) -> Reader:
    return ADAPTERS[request.param]()


def assert_well_formed(parse: Parse, text: str) -> None:
    assert parse.text == text
    encodable, done = text.replace("\ud800", "\ufffd"), 0
    for sentence in parse.sentences:
        assert text[sentence.start : sentence.end] == sentence.text == sentence.text.strip()
        assert not text[done : sentence.start].strip()
        done = sentence.end
        for token in sentence.tokens:
            assert encodable[token.start : token.end] == token.text.replace("\ud800", "\ufffd")
            assert 0 <= token.head < len(sentence.tokens)
        roots = [place for place, token in enumerate(sentence.tokens) if token.head == place]
        assert roots == ([] if not sentence.tokens else [sentence.root])
    assert not text[done:].strip()
    assert all(text[named.start :].startswith(named.text) for named in parse.names)


def test_one_parse_per_text_in_order(reader):
    texts = [ENGLISH, GERMAN, "", "Ok.", RUSSIAN, ENGLISH]

    assert [parse.text for parse in reader.read(texts)] == texts
    assert reader.read([]) == ()


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        GERMAN,
        "",
        " \n ",
        "🙂🙂",
        "one\ntwo\n\n\nthree",
        "\ud800 lone surrogate is here today.",
        "word " * 400,
        'She said "no." and left... :) ok?! Dr. No e.g.',
        "a\u200bb\u00a0c. \x00 d",
    ],
)
def test_sentences_and_tokens_are_stretches_of_the_text(reader, text):
    [parse] = reader.read([text])

    assert_well_formed(parse, text)


@given(st.text(max_size=60))
def test_any_text_can_be_read(text):
    reader = ADAPTERS["spacy"]()

    assert_well_formed(reader.read([text])[0], text)


def test_the_same_text_reads_the_same_beside_others(reader):
    assert reader.read([ENGLISH, GERMAN])[0] == reader.read([ENGLISH])[0]


def test_the_language_is_told_by_the_text_or_by_the_talk(reader):
    parses = reader.read([GERMAN, RUSSIAN, ENGLISH])
    short = reader.read(["Ja, gern."], language="de")

    assert [parse.language for parse in (*parses, *short)] == ["de", "ru", "en", "de"]


def test_concurrent_callers_get_what_a_single_one_gets(reader):
    expected = reader.read([ENGLISH])
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: reader.read([ENGLISH]), range(4))) == [expected] * 4


def test_a_language_with_a_model_has_grammar():
    [parse] = SpacyReader().read([ENGLISH])
    [first, second] = parse.sentences

    assert parse.is_parsed
    assert first.tokens[first.root].lemma == "negotiate"
    assert (parse.names[0].text, parse.names[0].label) == ("Marco", "PERSON")
    assert second.tokens[second.root].tense == "Past"


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN])
def test_a_language_without_one_has_sentences_only(text):
    [parse] = SpacyReader().read([text])

    assert not parse.is_parsed
    assert [(one.text, one.tokens) for one in parse.sentences] == [(text, ())]


def test_a_sentence_too_long_for_grammar_stays_beside_one_that_is_not():
    long = "and " * (LONGEST_SENTENCE // 4) + "so on."
    [parse] = SpacyReader().read([f"I moved.\n{long}\nIt rains."])

    assert [bool(one.tokens) for one in parse.sentences] == [True, False, True]


def test_the_version_names_the_models_that_are_there():
    assert SpacyReader().version == "spacy-3:en"
    assert SpacyReader({"en": "no_such_model"}).version == "spacy-3:"


@pytest.mark.parametrize("text", ["", "Ok.", "12345 67890 !!!", "Hola amigos"])
def test_too_short_a_text_is_in_the_language_of_the_talk(text):
    assert language_of(text, otherwise="xx") == "xx"


@pytest.mark.parametrize(
    ("text", "numbered"),
    [
        ("World War I ended in 1918.", "War"),
        ("Phase I costs 40k.", "Phase"),
        ("Elizabeth I died in 1603.", "Elizabeth"),
        ("Appendix I lists the fees.", "Appendix"),
    ],
)
def test_a_numeral_is_not_who_speaks(text, numbered):
    ((sentence,),) = (parse.sentences for parse in SpacyReader().read([text]))
    (numeral,) = (token for token in sentence.tokens if token.text == "I")
    before = sentence.tokens[numeral.head]

    assert (numeral.part, before.text, before.relation) == ("NUM", numbered, "nsubj")


@pytest.mark.parametrize("text", ["In Berlin I met Tom.", "Last Friday I met Tom.", "Luckily I live near Aarhus."])
def test_who_speaks_behind_a_name_or_a_day_is_no_numeral(text):
    ((sentence,),) = (parse.sentences for parse in SpacyReader().read([text]))

    assert [token.part for token in sentence.tokens if token.text == "I"] == ["PRON"]


def spoken_to(text: str) -> list[str]:
    (parse,) = SpacyReader().read([text], language="en")
    return [token.text for sentence in parse.sentences for token in sentence.tokens if token.relation == "vocative"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Thanks, Tom.", ["Tom"]),
        ("Thanks Tom, that helps a lot.", ["Tom"]),
        ("Hi Priya, the deploy is done.", ["Priya"]),
        ("Good morning Anna, I finished the report.", ["Anna"]),
        ("Claude, remember that I am vegan.", ["Claude"]),
        ("Good to see you, Caroline!", ["Caroline"]),
        ("Hey Mel! We moved to Porto.", ["Mel"]),
        ("Tom is leaving, Anna.", ["Anna"]),
        ("Wow, Caroline, you moved to Lisbon.", ["Caroline"]),
    ],
)
def test_whom_a_sentence_speaks_to_is_no_part_of_what_it_says(text, names):
    assert spoken_to(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Tom, I think.",
        "Tom, who runs ops, is leaving.",
        "Ines, my sister, lives in Porto.",
        "My sister, Ines, lives in Porto.",
        "In Oslo, Tom met Ana.",
        "Great, Tom moved to Porto.",
        "If I don't pick up, Bernadette.",
        "You find me at 3 Kingfisher Walk, Harrogate.",
        "Perfect, Adyen it is.",
        "We hired two people, Tom and Ana.",
        "Te Kawa Rooms, 4 December, 150 seated.",
    ],
)
def test_what_a_sentence_tells_of_is_not_spoken_to(text):
    assert spoken_to(text) == []
