"""Dates in words: what they become in a statement, what they select in a query, and what is no date at all."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.text.temporal import resolve, time_range

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "absolute", "day"),
    [
        ("I went to a group yesterday.", "I went to a group on 7 May 2023.", (2023, 5, 7)),
        ("Last week I ran", "In the week of 1 May 2023 I ran", (2023, 5, 1)),
        ("We are going camping next month", "We are going camping in June 2023", (2023, 6, 1)),
        ("Two days ago I fell", "On 6 May 2023 I fell", (2023, 5, 6)),
        ("I ran a race last Friday", "I ran a race on 5 May 2023", (2023, 5, 5)),
        ("The last Friday we met", "On 5 May 2023 we met", (2023, 5, 5)),
        ("This weekend we hike", "On the weekend of 13 May 2023 we hike", (2023, 5, 13)),
        ("This weekend we hiked", "On the weekend of 6 May 2023 we hiked", (2023, 5, 6)),
        ("This past weekend I swam", "On the weekend of 6 May 2023 I swam", (2023, 5, 6)),
        ("Over the weekend I painted", "On the weekend of 6 May 2023 I painted", (2023, 5, 6)),
        ("two weekends ago we swam", "On the weekend of 29 April 2023 we swam", (2023, 4, 29)),
        ("We meet next Saturday at 5pm", "We meet on 13 May 2023 at 5pm", (2023, 5, 13)),
        ("Yesterday was my birthday", "7 May 2023 was my birthday", (2023, 5, 7)),
        ("I ran this morning", "I ran on the morning of 8 May 2023", (2023, 5, 8)),
        ("Last night was fun", "The evening of 7 May 2023 was fun", (2023, 5, 7)),
        ("the week before last we ran", "In the week of 24 April 2023 we ran", (2023, 4, 24)),
        ("I moved from Sweden 4 years ago", "I moved from Sweden in 2019", (2019, 1, 1)),
        ("A few weeks ago I saw it", "A few weeks before 8 May 2023 I saw it", (2023, 4, 17)),
        ("I met her in May", "I met her in May 2023", (2023, 5, 1)),
        ("I will meet her in May", "I will meet her in May 2024", (2024, 5, 1)),
        ("The party was on June 3rd", "The party was on 3 June 2022", (2022, 6, 3)),
        ("The deadline is 5 June", "The deadline is 5 June 2023", (2023, 6, 5)),
        ("We will meet on Monday", "We will meet on 15 May 2023", (2023, 5, 15)),
        ("I went on Monday", "I went on 1 May 2023", (2023, 5, 1)),
        ("Last summer we met", "In summer 2022 we met", (2022, 6, 1)),
        ("I'll be back in two weeks", "I'll be back in the week of 22 May 2023", (2023, 5, 22)),
        ("yesterday's meeting went well", "7 May 2023's meeting went well", (2023, 5, 7)),
        ("Since last year I paint", "Since 2022 I paint", (2022, 1, 1)),
        ("It was on 2023-04-05", "It was on 2023-04-05", (2023, 4, 5)),
        ("I walked in Dec. 2022", "I walked in Dec. 2022", (2022, 12, 1)),
    ],
)
def test_a_relative_date_becomes_absolute(text, absolute, day):
    resolved = resolve(text, MONDAY)

    assert resolved.text == absolute
    assert resolved.event_time == datetime(*day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "absolute"),
    [
        ("The past two weeks were hard", "The two weeks before 8 May 2023 were hard"),
        ("I slept badly over the last month", "I slept badly over the month before 8 May 2023"),
    ],
)
def test_a_stretch_up_to_now_is_no_event(text, absolute):
    assert resolve(text, MONDAY).text == absolute
    assert resolve(text, MONDAY).event_time is None


@pytest.mark.parametrize(
    "text",
    [
        "may I ask",
        "May I ask you something",
        "the march on Washington",
        "we march on",
        "one second please",
        "she sat down",
        "the sun was out",
        "it feels like just yesterday",
        "in today's world",
        "we play every Friday",
        "Friday nights are ours",
        "I teach Sunday school",
        "the last week of school",
        "I was there the next day",
        "I read it in two weeks",
        "my birthday is in May",
        "I have 2 dogs and 30 books",
        "you may march 5 miles",
        "back in a second",
        "she was in fall colours",
        "31 February was never",
    ],
)
def test_what_is_no_sure_date_stays(text):
    resolved = resolve(text, MONDAY)

    assert (resolved.text, resolved.event_time) == (text, None)


def test_the_day_is_the_speakers():
    tokyo = timezone(timedelta(hours=9))
    resolved = resolve("I left yesterday", datetime(2023, 5, 8, 1, 0, tzinfo=tokyo))

    assert resolved.text == "I left on 7 May 2023"
    assert resolved.event_time == datetime(2023, 5, 7, tzinfo=tokyo)


@pytest.mark.parametrize(
    ("query", "start", "end", "phrase"),
    [
        ("what did I do last week?", (2023, 5, 1), (2023, 5, 8), "last week"),
        ("last_week", (2023, 5, 1), (2023, 5, 8), "last week"),
        ("who was there in May 2023", (2023, 5, 1), (2023, 6, 1), "May 2023"),
        ("yesterday", (2023, 5, 7), (2023, 5, 8), "yesterday"),
        ("next month", (2023, 6, 1), (2023, 7, 1), "next month"),
        ("what will I do on Monday", (2023, 5, 15), (2023, 5, 16), "on Monday"),
        ("what did we do on Monday", (2023, 5, 1), (2023, 5, 2), "on Monday"),
        ("what happened in may", (2023, 5, 1), (2023, 6, 1), "in may"),
        ("what happened in June", (2022, 6, 1), (2022, 7, 1), "in June"),
        ("what happened on 2023-04-05", (2023, 4, 5), (2023, 4, 6), "2023-04-05"),
        ("2023-05", (2023, 5, 1), (2023, 6, 1), "2023-05"),
        ("in 2022", (2022, 1, 1), (2023, 1, 1), "in 2022"),
        ("summer 2022", (2022, 6, 1), (2022, 9, 1), "summer 2022"),
        ("the last 10 days", (2023, 4, 28), (2023, 5, 9), "the last 10 days"),
        ("between May and June 2022", (2022, 5, 1), (2022, 7, 1), "between May and June 2022"),
        ("between November and February", (2022, 11, 1), (2023, 3, 1), "between November and February"),
        ("between November and February 2021", (2020, 11, 1), (2021, 3, 1), "between November and February 2021"),
        ("from 2023-01-05 to 2023-02-01", (2023, 1, 5), (2023, 2, 2), "from 2023-01-05 to 2023-02-01"),
        ("before 2022", (1970, 1, 1), (2022, 1, 1), "before 2022"),
        ("until yesterday", (1970, 1, 1), (2023, 5, 8), "until yesterday"),
    ],
)
def test_a_query_names_a_span(query, start, end, phrase):
    found = time_range(query, MONDAY)

    assert found is not None
    assert (found.start, found.end) == (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))
    assert found.phrase == phrase


@pytest.mark.parametrize(("query", "start"), [("since March", (2023, 3, 1)), ("after 3 April", (2023, 4, 4))])
def test_a_span_without_end_ends_now(query, start):
    found = time_range(query, MONDAY)

    assert found is not None
    assert (found.start, found.end) == (datetime(*start, tzinfo=UTC), MONDAY)


@pytest.mark.parametrize(
    "query",
    ["May I ask", "the march on Rome", "wait a second", "who sat down", "Feb 30", "when did she go?", "version 2022"],
)
def test_a_query_that_names_no_time(query):
    assert time_range(query, MONDAY) is None


WORDS = st.sampled_from(
    ["yesterday", "last", "next", "this", "week", "Friday", "in", "May", "2023", "ago", "two", "the", "on", "5", "went",
     "will", "weekend", "night", "since", "and", "between", "a few", "months", "past", ".", "I", "summer", "'s", "was"]
)  # fmt: skip


@given(
    st.lists(WORDS | st.text(max_size=4), max_size=12).map(" ".join),
    st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_resolving_twice_changes_nothing(text, said_at):
    once = resolve(text, said_at)

    assert resolve(once.text, said_at).text == once.text


@given(
    st.lists(WORDS, max_size=10).map(" ".join),
    st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_a_span_is_never_empty(query, now):
    found = time_range(query, now)

    assert found is None or found.start < found.end
