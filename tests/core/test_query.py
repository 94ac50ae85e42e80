from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.model import Intent, Message, Profile, Role, TimeRange
from memory_platform.retrieval import query
from memory_platform.retrieval.cues import speaker_key
from memory_platform.retrieval.query import (
    ADDED_WORDS,
    Complexity,
    PlanLimits,
    complexity_of,
    intent_of,
    is_statement,
    plan,
    rewrite_by_rules,
)
from memory_platform.text.terms import terms
from memory_platform.text.times import time_range

NOW = datetime(2023, 5, 10, 12, tzinfo=UTC)


def user(text):
    return Message(Role.USER, text)


def assistant(text):
    return Message(Role.ASSISTANT, text)


def rewritten(message, *history, time_range=None):
    return rewrite_by_rules(message, history=history, now=NOW, time_range=time_range).query


def days(start, end, phrase="then"):
    return TimeRange(datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC), phrase)


@pytest.mark.parametrize(
    "message",
    [
        "I'm planning to add a login to my app.",
        "we moved",
        "The deployment pipeline broke again after somebody changed the cache key.",
    ],
)
def test_pasted_text_is_a_statement(message):
    assert is_statement(message)


@pytest.mark.parametrize(
    "message",
    [
        "Where do I live?",
        "I moved, didn't I?",
        "Tell me everything I said about the deployment pipeline last week",
        "hey, what did we decide about my database",
        "dark mode",
        "Caroline adoption agency",
        "",
        "!!",
    ],
)
def test_questions_commands_and_short_searches_are_no_statements(message):
    assert not is_statement(message)


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("Why did Tom leave?", Intent.WHY),
        ("What is the reason the build failed?", Intent.WHY),
        ("What day did we meet?", Intent.WHEN),
        ("How long have you known Melanie?", Intent.WHEN),
        ("Who joined the team?", Intent.WHO),
        ("Which database do we use?", Intent.WHAT),
        ("tell me about dogs", Intent.GENERAL),
        ("I know why he left.", Intent.GENERAL),
    ],
)
def test_intent_by_keywords(message, intent):
    assert intent_of(message) is intent


@pytest.mark.parametrize(
    ("message", "complexity"),
    [
        ("Where does Tom live?", Complexity.SIMPLE),
        ("How has my budget changed over time?", Complexity.COMPLEX),
        ("Where does Tom live? And who lives with him?", Complexity.COMPLEX),
        ("I wonder why all of this changed.", Complexity.SIMPLE),
    ],
)
def test_complexity_by_keywords(message, complexity):
    assert complexity_of(message) is complexity


@pytest.mark.parametrize(
    ("message", "profile", "hits", "reason"),
    [
        ("Where does Tom live?", Profile.BALANCED, 7, "simple"),
        ("Compare Tom with Anna", Profile.DEEP, 15, "complex"),
        ("why?", Profile.LEAN, 3, "nothing_to_look_for"),
    ],
)
def test_auto_profile(message, profile, hits, reason):
    made = plan(message)

    assert (made.profile, made.hits, made.reason) == (profile, hits, reason)


def test_a_requested_profile_is_kept():
    made = plan("Where does Tom live?", profile=Profile.DEEP)

    assert (made.profile, made.reason, made.graph_depth, made.graph_seeds) == (Profile.DEEP, "requested", 4, 20)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("When is it?", True),
        ("Why?", True),
        ("And Melanie?", True),
        ("When did she start?", True),
        ("Und wann?", True),
        ("When did Caroline start at Siemens?", False),
        ("Where is Tom?", False),
        ("Which database do we use for staging?", False),
        ("What did Tom say about his job?", False),
        ("I think it is fine.", False),
    ],
)
def test_auto_has_a_model_rewrite_what_leans_on_the_conversation(message, expected):
    made = plan(message, has_history=True)

    assert made.may_rewrite_by_model is expected
    assert plan(message).may_rewrite_by_model is False


def test_a_follow_up_has_something_to_look_for():
    assert (plan("When is it?").profile, plan("When is it?").reason) == (Profile.LEAN, "nothing_to_look_for")
    assert (plan("When is it?", has_history=True).profile, plan("Why?", has_history=True).profile) == (
        Profile.BALANCED, Profile.DEEP,
    )  # fmt: skip


@pytest.mark.parametrize("profile", [Profile.BALANCED, Profile.DEEP])
def test_who_asks_for_a_profile_gets_its_rewrite(profile):
    assert plan("Where does Tom live?", profile=profile, has_history=True).may_rewrite_by_model


def test_lean_neither_rewrites_by_model_nor_walks_the_graph():
    made = plan("Where does Tom live?", profile=Profile.LEAN, has_history=True)

    assert (made.may_rewrite_by_model, made.graph_depth) == (False, 0)


def test_an_explicit_limit_is_bounded():
    assert plan("Tom", limit=40).hits == 40
    assert plan("Tom", limit=1_000).hits == 100
    assert plan("Tom", limits=PlanLimits(balanced_hits=9)).hits == 9


def test_nothing_ages_when_a_time_is_named():
    assert plan("What happened in May?", time_range=days((2023, 5, 1), (2023, 6, 1))).ages is False
    assert plan("What happened?", as_of=NOW).ages is False
    assert plan("What happened?").ages is True


@pytest.mark.parametrize(
    ("message", "time_range", "expected"),
    [
        ("What did I do yesterday?", days((2023, 5, 9), (2023, 5, 10)), "What did I do yesterday (9 May 2023)?"),
        ("What did I do last week?", days((2023, 5, 1), (2023, 5, 8)), "What did I do last week (May 2023)?"),
        (
            "What did I do last weekend?",
            days((2023, 4, 29), (2023, 5, 2)),
            "What did I do last weekend (April 2023, May 2023)?",
        ),
        ("What is due next month?", days((2023, 6, 1), (2023, 7, 1)), "What is due next month (June 2023)?"),
        ("What happened since Monday?", days((2023, 5, 8), (2023, 9, 1)), "What happened since Monday (May 2023)?"),
        ("what did I do last year", days((2022, 1, 1), (2023, 1, 1)), "what did I do last year (2022)"),
        ("What did I do in May 2023?", days((2023, 5, 1), (2023, 6, 1)), "What did I do in May 2023?"),
        ("What did I do in the nineties?", days((1990, 1, 1), (2000, 1, 1)), "What did I do in the nineties?"),
    ],
)
def test_relative_dates_become_absolute(message, time_range, expected):
    assert rewritten(message, time_range=time_range) == expected


def test_a_pronoun_becomes_the_person_named_last():
    history = user("What does Caroline do?"), assistant("Caroline works at the counseling center in Boston.")

    assert rewritten("When did she start?", *history) == "When did she start (Caroline)?"


def test_a_pronoun_whose_name_is_in_the_message_stays():
    assert rewritten("What did Tom say about his job?", user("Melanie has a dog.")) == "What did Tom say about his job?"


def test_it_becomes_the_thing_spoken_of_last():
    history = user("I'm thinking of switching the staging database to PostgreSQL."), assistant("Sounds good.")

    assert rewritten("When did we decide on it?", *history) == "When did we decide on it (staging database)?"


def test_a_question_of_pronouns_alone_is_about_a_thing_and_no_exclamation():
    history = user("We moved the launch to 29 June."), assistant("Nice! Anything else?")

    assert rewritten("When is it?", *history) == "When is it (launch)?"


def test_an_ellipsis_takes_the_words_of_the_last_question_but_not_its_name():
    history = user("Where does Caroline work?"), assistant("At the clinic.")

    assert rewritten("And Melanie?", *history) == "And Melanie (work)?"
    assert rewritten("Why?", *history) == "Why (Caroline, work)?"


def test_only_the_last_five_messages_count():
    history = [user("Caroline is here."), *[assistant("Fine so far.")] * 5]

    assert rewritten("When did she leave?", *history) == "When did she leave?"


def test_a_message_that_stands_alone_is_left_alone():
    assert rewritten("Which database do we use?", user("My dog is called Rex.")) == "Which database do we use?"
    assert rewritten("Why?") == "Why?"


text = st.text(st.sampled_from("abcdeTh ISwo'?!.,(it)\nü7"), max_size=80) | st.sampled_from(
    ["And Melanie?", "Why did she do it?", "What about that?", "Tell me when they moved there.", "I like it"]
)
ranges = st.none() | st.builds(
    lambda at, length: TimeRange(at, at + length, "then"),
    st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis wants naive bounds
    st.timedeltas(timedelta(hours=1), timedelta(days=800)),
)


@given(text, st.lists(text | st.sampled_from(["Where does Caroline keep the red bicycle?"]), max_size=7), ranges)
def test_a_rewrite_keeps_every_term_the_question_form_and_pastes_nothing(message, history, time_range):
    said = [user(content) for content in history]

    made = rewrite_by_rules(message, history=said, now=NOW, time_range=time_range)

    assert not set(terms(message)) - set(terms(made.query))
    assert ("?" in made.query) == ("?" in message)
    assert len(" ".join(made.added).split()) <= ADDED_WORDS
    if not made.added:
        assert made.query == message
    if "?" in message:
        assert not is_statement(made.query)


def test_a_long_message_of_the_history_is_never_pasted():
    past = "Could you tell me whether the migration of our billing service moved to the new cluster in Frankfurt?"

    made = rewrite_by_rules("And?", history=[user(past)], now=NOW)

    assert past not in made.query
    assert 0 < len(made.added) <= 6


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("What did I do yesterday?", "What did I do yesterday (9 May 2023)?"),
        ("What did we plan last month?", "What did we plan last month (April 2023)?"),
        ("Where does Tom live?", "Where does Tom live?"),
    ],
)
def test_time_words_are_resolved_by_temporal(message, expected):
    assert rewritten(message, time_range=time_range(message, NOW)) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Where does Anna live?", query.AnswerForm(names=True)),
        ("Which city did they visit?", query.AnswerForm(names=True)),
        ("What is the name of her dog?", query.AnswerForm(names=True)),
        ("What did Anna paint?", query.NOTHING_SOUGHT),
        ("Have I worked with Flask?", query.AnswerForm(own=True)),
        ("How many commits did I merge?", query.AnswerForm(own=True, several=True)),
        ("Where did I say I live?", query.AnswerForm(names=True, own=True)),
        ("How did I solve it?", query.NOTHING_SOUGHT),
        (
            "What activities does Anna do?",
            query.AnswerForm(several=True, speakers=frozenset({speaker_key("anna")})),
        ),
        (
            "What kind of art does Anna's mother make?",
            query.AnswerForm(several=True, speakers=frozenset({speaker_key("Anna")})),
        ),
        ("What did you recommend for my resume?", query.NOTHING_SOUGHT),
        ("I went to Rome with my brother and we ate pizza", query.NOTHING_SOUGHT),
    ],
)
def test_what_is_sought(message, expected):
    assert query.sought(message) == expected
