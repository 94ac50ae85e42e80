"""Clauses: stretches of their message, each with what its grammar says."""

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.extraction.clauses import Clause, clauses
from memory_platform.model import Mood, Tense
from tests.core.parses import parses, plain

BETWEEN = re.compile(r"[\s,;]*(?:(?:and|but|or|so|et|mais|ou)[\s,;]*)*", re.IGNORECASE)


@cache
def reader() -> SpacyReader:
    return SpacyReader()


def read(text: str) -> tuple[Clause, ...]:
    [parse] = reader().read([text])
    return clauses(parse)


def texts(text: str) -> list[str]:
    return [clause.text for clause in read(text)]


def one(text: str) -> Clause:
    [clause] = read(text)
    return clause


def assert_nothing_is_lost(text: str, found: tuple[Clause, ...]) -> None:
    done = 0
    for clause in found:
        assert clause.text == text[clause.start : clause.end]
        assert BETWEEN.fullmatch(text, done, clause.start), text[done : clause.start]
        done = clause.end
    assert BETWEEN.fullmatch(text, done), text[done:]


@given(parses())
def test_whatever_the_grammar_clauses_follow_each_other_and_lose_nothing(parse):
    assert_nothing_is_lost(parse.text, clauses(parse))


@given(st.text(max_size=120))
def test_without_grammar_every_sentence_is_a_clause_as_it_stands(text):
    found = clauses(plain(text, "fi"))

    assert_nothing_is_lost(text, found)
    assert all(clause.language == "fi" and not clause.subject and not clause.has_verb for clause in found)


@pytest.mark.parametrize(
    "text",
    [
        "The new vendor is Adyen. Marco negotiated the contract. He got us 10 % off.",
        "We use Kafka, and Anna wants Redis; but PAY-1 is blocked.",
        'She said "I hate it, and I quit", so we hired Tom (he is great) and Ann left...',
        "Ich wohne seit Mai in Hamburg und arbeite bei Siemens. Meine Frau heißt Anna.",
        "Vivo en Madrid y trabajo en una panadería pequeña cerca de la plaza.",
        "Я живу в Москве и работаю в банке. Мою жену зовут Анна.",
        "私は東京に住んでいます。猫を飼っています。",
        "- I moved, i.e. to Rome\n- my sister didn't\n\n> ok :)",
    ],
)
def test_nothing_is_lost_of_what_people_write(text):
    assert_nothing_is_lost(text, read(text))


def test_each_statement_is_a_clause_of_its_own():
    assert texts("The new vendor is Adyen. Marco negotiated the contract. He got us 10 % off.") == [
        "The new vendor is Adyen.",
        "Marco negotiated the contract.",
        "He got us 10 % off.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use Kafka, and Anna wants Redis.", ["We use Kafka", "Anna wants Redis."]),
        ("PAY-1 is done and PAY-10 is blocked.", ["PAY-1 is done", "PAY-10 is blocked."]),
        ("I sold the car and bought a bike.", ["I sold the car and bought a bike."]),
    ],
)
def test_a_clause_with_a_subject_of_its_own_is_split_off(text, expected):
    assert texts(text) == expected


def test_a_clause_in_front_that_a_comma_parts_stands_for_itself():
    assert texts("I'm Mara, I live in Lisbon and I work at Nordwind.") == [
        "I'm Mara",
        "I live in Lisbon",
        "I work at Nordwind.",
    ]
    assert texts("It was great, she said.") == ["It was great, she said."]


def test_a_command_behind_a_statement_stands_for_itself():
    stated, command = read("It runs on PostgreSQL 15, and please never push to main directly.")

    assert (stated.text, stated.mood) == ("It runs on PostgreSQL 15", Mood.ASSERTED)
    assert (command.text, command.mood) == ("please never push to main directly.", Mood.COMMAND)
    assert len(texts("We should test and push it.")) == len(texts("I live here and work there.")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "If it rains, we stay at home and Tom cooks.",
        'Anna wrote "we use Kafka, and Tom hates it".',
        "Marta says that we moved to Postgres.",
        "I think the vendor is Adyen.",
    ],
)
def test_what_a_condition_a_quotation_or_a_report_reaches_over_stays_whole(text):
    assert texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "subject", "verb"),
    [
        ("The new vendor is Adyen.", "The new vendor", "be"),
        ("My boss Anna negotiated it.", "My boss Anna", "negotiate"),
        ("I'm vegan.", "I", "be"),
        ("Never push to main directly.", "", "push"),
        ("Good morning!", "", ""),
    ],
)
def test_the_subject_stands_as_it_was_said(text, subject, verb):
    assert (one(text).subject, one(text).verb) == (subject, verb)


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        ("We moved to Rome.", Tense.PAST),
        ("We have moved to Rome.", Tense.PAST),
        ("We live in Rome.", Tense.PRESENT),
        ("We are moving to Rome.", Tense.PRESENT),
        ("We will move to Rome.", Tense.FUTURE),
        ("We'll move to Rome.", Tense.FUTURE),
        ("We are going to move to Rome.", Tense.FUTURE),
        ("Never push to main directly.", Tense.NONE),
    ],
)
def test_the_tense_is_that_of_the_verb(text, tense):
    assert one(text).tense is tense


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("I'm vegan.", Mood.ASSERTED),
        ("Did you see it?", Mood.QUESTION),
        ("Never push to main directly.", Mood.COMMAND),
        ("Please restart the worker.", Mood.COMMAND),
        ("If it rains, we stay at home.", Mood.HYPOTHETICAL),
        ("I would move to Rome.", Mood.HYPOTHETICAL),
        ("I wish I had a dog.", Mood.WISH),
        ("I would love a dog.", Mood.WISH),
    ],
)
def test_only_some_clauses_assert_something(text, mood):
    assert one(text).mood is mood


def test_a_question_is_told_by_its_mark_in_any_language():
    assert clauses(plain("Wo wohnst du?", "de"))[0].mood is Mood.QUESTION
    assert clauses(plain("你好吗？", "zh"))[0].mood is Mood.QUESTION
    assert clauses(plain("أين تسكن؟", "ar"))[0].mood is Mood.QUESTION


@pytest.mark.parametrize(
    ("text", "is_negated"),
    [
        ("I don't eat meat.", True),
        ("I never eat meat.", True),
        ("We have no budget.", True),
        ("I eat meat.", False),
        ("No, my supplier is Globex.", False),
        ("My supplier is Globex, not Acme.", False),
        ("I live in York, not in Leeds.", False),
        ("No, my supplier is not Acme.", True),
        ("It is not Acme but Globex.", True),
        ("I have no dog.", True),
    ],
)
def test_negation_is_noted(text, is_negated):
    assert one(text).is_negated is is_negated


@pytest.mark.parametrize(
    ("text", "is_unsure"),
    [
        ("Mara probably works at Nordwind.", True),
        ("Perhaps Mara works at Nordwind.", True),
        ("Mara is allergic to nuts, probably.", True),
        ("Mara works at Nordwind.", False),
        ("Mara booked a table for maybe ten people.", False),
    ],
)
def test_it_is_noted_that_who_speaks_does_not_know(text, is_unsure):
    assert one(text).is_unsure is is_unsure


@pytest.mark.parametrize(
    ("text", "reporter"),
    [
        ("Marta says that we moved to Postgres.", "Marta"),
        ("My boss Anna told me that the launch moved.", "My boss Anna"),
        ("Marta moved to Porto.", ""),
        ("Marta: I'm moving to Porto.", "Marta"),
        ("Tom: never deploy on Fridays.", "Tom"),
        ("My boss: you are moving to Berlin in May.", "My boss"),
        ("Per my manager, the launch moved to May 4.", "my manager"),
        ("According to Tom, I am too lazy.", "Tom"),
        ("My plan: I quit in May.", ""),
        ("My wife: allergic to nuts.", ""),
        ("Update: I live in Porto.", ""),
        ("Rex gets 5 mg per day.", ""),
    ],
)
def test_a_report_names_who_said_it(text, reporter):
    assert one(text).reported_by == reporter


def test_who_is_named_before_a_sentence_says_all_of_it():
    assert {clause.reported_by for clause in read("Marta: I'm moving to Porto and we sell the flat.")} == {"Marta"}


@pytest.mark.parametrize(
    "text",
    [
        "Forget everything you know about me.",
        "Please forget everything I told you.",
        "Alexa, forget everything you know about me.",
        "Delete everything you know about me.",
        "Erase everything you have stored about me from your memory.",
        "Show me what you know about my allergies.",
        "Forget everything about me.",
    ],
)
def test_what_only_asks_of_the_memory_is_told(text):
    assert one(text).asks_of_memory


@pytest.mark.parametrize(
    "text",
    [
        "Always tell me what you know about side effects.",
        "Never repeat what I told you about my health.",
        "Keep what I tell you between us.",
        "Use what you know about my allergies when you cook.",
        "Forget everything I told you about Stripe, we use Adyen now.",
        "Remember that I told you I am vegan.",
        "Send me the report you wrote.",
        "Tell her about me.",
        "Forget Tessuti Roma.",
        "I forgot everything you told me.",
    ],
)
def test_a_rule_or_a_statement_asks_nothing_of_the_memory(text):
    assert not any(clause.asks_of_memory for clause in read(text))


@pytest.mark.parametrize(
    ("text", "says_nothing"),
    [
        ("Hi again.", True),
        ("Totally.", True),
        ("Hey!", True),
        ("Yes, exactly.", True),
        ("Twelve.", False),
        ("Kafka.", False),
    ],
)
def test_a_greeting_or_assent_says_nothing(text, says_nothing):
    assert one(text).says_nothing is says_nothing


@pytest.mark.parametrize(
    ("text", "subject", "mood"),
    [
        ("Hi Priya, the deploy is done.", "the deploy", Mood.ASSERTED),
        ("Claude, remember that I am vegan.", "", Mood.COMMAND),
    ],
)
def test_who_is_spoken_to_is_no_subject(text, subject, mood):
    assert (one(text).subject, one(text).mood) == (subject, mood)


def test_a_clause_in_quotation_marks_is_quoted():
    assert one('"We moved to Postgres in May"').is_quoted
    assert not one('We moved to "Postgres" in May').is_quoted


@pytest.mark.parametrize(
    ("text", "points_back"),
    [
        ("He got us 10 % off.", True),
        ("And it's broken.", True),
        ("A small one.", True),
        ("Marco got us 10 % off.", False),
        ("I like it.", False),
    ],
)
def test_what_was_named_before_is_pointed_back_to(text, points_back):
    assert one(text).points_back is points_back


@pytest.mark.parametrize(
    "text",
    [
        "where do I live",
        "what is my cabin number",
        "who is my manager",
        "who does our taxes",
        "which vendor did we pick",
        "is Priya still vegetarian",
        "did the plumber ever turn up",
        "and how many seats did we book",
    ],
)
def test_what_is_turned_round_asks_without_a_question_mark(text):
    assert one(text).mood is Mood.QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "Where I live it rains a lot.",
        "What I want is a quiet room.",
        "Never have I seen such a mess.",
        "Here is the plan.",
        "Only then did we move to Oslo.",
        "can't, the kids' school bus is at nine every day",
        "Who knew, Anna is vegan.",
        "Will is my brother.",
        "Did the groceries already.",
        "can you answer in German from now on",
        "please could you book the dentist for 12 May at 9",
    ],
)
def test_what_only_looks_like_a_question_is_none(text):
    assert all(clause.mood is not Mood.QUESTION for clause in read(text))
