import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.text.languages import language_of, tells


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The backup runs every night at half past two.", "en"),
        ("Das Backup läuft jede Nacht um halb drei.", "de"),
        ("Me cambió el aparato, ahora tengo un Zyxel.", "es"),
        ("いちごアレルギーがあります", "ja"),
        ("Я переехала в Казань", "ru"),
        ("我对花生过敏", "zh"),
        ("我用 Python 写代码", "zh"),
        ("저는 채식해요", "ko"),
        ("أنا نباتي", "ar"),
    ],
)
def test_a_sentence_tells_its_language(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text", ["asynchron", "Wirklich?", "14 Uhr, A7 / B12", "", "🙂", "东京", "李雷 likes tea", "Да"]
)
def test_what_is_too_short_is_in_the_language_of_the_talk(text):
    assert not tells(text)
    assert (language_of(text), language_of(text, otherwise="de")) == ("en", "de")


@pytest.mark.parametrize(
    "text",
    [
        "packages/skarv:\nButton.svelte  Card.svelte  Dialog.svelte  index.ts  tokens.css",
        '{"kunde":"Schreinerei Vontobel","zahlungsziel_tage":45,"rabatt":"2%"}',
        "scheduler/   @amadou\nrenderer/    @linnea\nimporteur/   @jacques",
        '10.0.3.7 - - [24/Mar/2026:09:14:02 +0100] "GET /gesundheit HTTP/1.1" 200 2',
    ],
)
def test_code_paths_and_numbers_are_in_no_language(text):
    assert language_of(text, otherwise="en") == "en"
    assert language_of(text, otherwise="fr") == "fr"


@given(st.text(max_size=300))
def test_any_text_has_a_language(text):
    assert language_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "Jelena Mitić and Søren Kjærgaard met Gudrun Hämäläinen in Malmö.",
        "Kowalczyk moved from Haruka to Hämäläinen with Łódź Marchand.",
        "Send it to Łódź Eneko and Gutiérrez Þóra.",
        "The Montessori one. Iker starts 1 September",
    ],
)
def test_names_do_not_tell_a_language(text):
    assert language_of(text) == "en"


@pytest.mark.parametrize(
    "text", ["Bernd Müller wohnt jetzt bei Frau Schmidt in Halle.", "DER SERVER IST NACH FRANKFURT UMGEZOGEN"]
)
def test_a_foreign_sentence_with_names_or_all_in_capitals_tells_its_language(text):
    assert language_of(text) == "de"


def test_two_languages_of_one_talk_are_not_taken_for_a_third_between_them():
    german = "Ich bin Vegetarier. Unser Büro ist in der Goethestraße 12."
    spanish = "Soy alérgico a los cacahuetes. Mi hermana se llama Lucía."
    talk = language_of(f"{german}\n{spanish}")

    assert talk in {"de", "es"}
    assert (language_of(german, otherwise=talk), language_of(spanish, otherwise=talk)) == ("de", "es")


def test_one_english_word_does_not_make_a_german_sentence_english():
    assert language_of("Ab jetzt bitte alles in UTC loggen, und die Commits immer auf Englisch.") == "de"
