"""Dates in words: what is put beside them in a statement, what they select in a query, and what is no date at all."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.model import Tense
from memory_platform.text.times import planned_for, resolve, time_range
from tests.core.timing import grows_in_proportion

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
WEDNESDAY = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
APRIL = datetime(2026, 4, 10, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "dated", "day"),
    [
        ("I went to a group yesterday.", "I went to a group yesterday (7 May 2023).", (2023, 5, 7)),
        ("Last week I ran", "Last week (week of 1 May 2023) I ran", (2023, 5, 1)),
        ("We are going camping next month", "We are going camping next month (June 2023)", (2023, 6, 1)),
        ("Two days ago I fell", "Two days ago (6 May 2023) I fell", (2023, 5, 6)),
        ("I ran a race last Friday", "I ran a race last Friday (5 May 2023)", (2023, 5, 5)),
        ("The last Friday we met", "The last Friday (5 May 2023) we met", (2023, 5, 5)),
        ("This weekend we hike", "This weekend (weekend of 13 May 2023) we hike", (2023, 5, 13)),
        ("This weekend we hiked", "This weekend (weekend of 6 May 2023) we hiked", (2023, 5, 6)),
        ("This past weekend I swam", "This past weekend (weekend of 6 May 2023) I swam", (2023, 5, 6)),
        ("Over the weekend I painted", "Over the weekend (weekend of 6 May 2023) I painted", (2023, 5, 6)),
        ("two weekends ago we swam", "two weekends ago (weekend of 29 April 2023) we swam", (2023, 4, 29)),
        ("We meet next Saturday at 5pm", "We meet next Saturday (13 May 2023) at 5pm", (2023, 5, 13)),
        ("Yesterday was my birthday", "Yesterday (7 May 2023) was my birthday", (2023, 5, 7)),
        ("I ran this morning", "I ran this morning (8 May 2023)", (2023, 5, 8)),
        ("Last night was fun", "Last night (7 May 2023) was fun", (2023, 5, 7)),
        ("the week before last we ran", "the week before last (week of 24 April 2023) we ran", (2023, 4, 24)),
        ("I moved from Sweden 4 years ago", "I moved from Sweden 4 years ago (2019)", (2019, 1, 1)),
        ("A few weeks ago I saw it", "A few weeks ago (before 8 May 2023) I saw it", (2023, 4, 17)),
        ("I met her in May", "I met her in May (May 2023)", (2023, 5, 1)),
        ("I will meet her in May", "I will meet her in May (May 2024)", (2024, 5, 1)),
        ("The party was on June 3rd", "The party was on June 3rd (3 June 2022)", (2022, 6, 3)),
        ("The deadline is 5 June", "The deadline is 5 June (5 June 2023)", (2023, 6, 5)),
        ("We will meet on Monday", "We will meet on Monday (15 May 2023)", (2023, 5, 15)),
        ("I went on Monday", "I went on Monday (1 May 2023)", (2023, 5, 1)),
        ("Last summer we met", "Last summer (summer 2022) we met", (2022, 6, 1)),
        ("I'll be back in two weeks", "I'll be back in two weeks (week of 22 May 2023)", (2023, 5, 22)),
        ("yesterday's meeting went well", "yesterday's (7 May 2023) meeting went well", (2023, 5, 7)),
        ("Since last year I paint", "Since last year (2022) I paint", (2022, 1, 1)),
        ("It was on 2023-04-05", "It was on 2023-04-05", (2023, 4, 5)),
        ("I walked in Dec. 2022", "I walked in Dec. 2022", (2022, 12, 1)),
    ],
)
def test_a_date_stands_beside_its_words(text, dated, day):
    resolved = resolve(text, MONDAY)

    assert resolved.text == dated
    assert resolved.event_time is not None
    assert resolved.event_time.date() == datetime(*day, tzinfo=UTC).date()


@pytest.mark.parametrize(
    ("text", "dated", "start", "end"),
    [
        ("we leave at the end of this month btw", "this month (31 March 2026) btw", (2026, 3, 31), (2026, 4, 1)),
        ("by the end of the quarter", "quarter (31 March 2026)", (2026, 3, 31), (2026, 4, 1)),
        ("done by end of the year", "year (31 December 2026)", (2026, 12, 31), (2027, 1, 1)),
        ("end of the week, latest", "week (6 to 8 March 2026), latest", (2026, 3, 6), (2026, 3, 9)),
        ("it starts at the beginning of next month", "next month (1 April 2026)", (2026, 4, 1), (2026, 4, 2)),
        ("in the middle of next month", "next month (mid-April 2026)", (2026, 4, 11), (2026, 4, 21)),
        ("We'll know in 6 months", "in 6 months (September 2026)", (2026, 9, 1), (2026, 10, 1)),
        ("The contract ends in 6 months", "in 6 months (September 2026)", (2026, 9, 1), (2026, 10, 1)),
        ("I'll be back in a fortnight", "a fortnight (week of 16 March 2026)", (2026, 3, 16), (2026, 3, 23)),
        ("the wife is due on the 30th", "the 30th (30 March 2026)", (2026, 3, 30), (2026, 3, 31)),
        ("We'll meet on the 3rd", "the 3rd (3 April 2026)", (2026, 4, 3), (2026, 4, 4)),
        ("We move on the 1st of next month", "next month (1 April 2026)", (2026, 4, 1), (2026, 4, 2)),
        ("a week from Friday we leave", "Friday (13 March 2026) we", (2026, 3, 13), (2026, 3, 14)),
        ("Friday week we leave", "Friday week (13 March 2026) we", (2026, 3, 13), (2026, 3, 14)),
        ("the day after tomorrow", "tomorrow (6 March 2026)", (2026, 3, 6), (2026, 3, 7)),
        ("It will ship in Q3", "Q3 (Q3 2026)", (2026, 7, 1), (2026, 10, 1)),
        ("It will ship mid-August", "mid-August (mid-August 2026)", (2026, 8, 11), (2026, 8, 21)),
        ("delivery is due by week 22", "week 22 (week of 25 May 2026)", (2026, 5, 25), (2026, 6, 1)),
        ("I'll be off 14 to 17 April", "14 to 17 April (14 to 17 April 2026)", (2026, 4, 14), (2026, 4, 18)),
        ("I'll be off from 27 April to 3 May", "to 3 May (3 May 2026)", (2026, 4, 27), (2026, 5, 4)),
        ("Sober three years today", "three years today (4 March 2023)", (2023, 3, 4), (2023, 3, 5)),
        ("Dad died on the 9th of November four years ago", "ago (9 November 2022)", (2022, 11, 9), (2022, 11, 10)),
        ("until Easter Monday I'm out", "Easter Monday (6 April 2026) I'm", (2026, 4, 6), (2026, 4, 7)),
        ("the lease ends 31 August next year", "next year (31 August 2027)", (2027, 8, 31), (2027, 9, 1)),
        ("Opening night: Friday 20 March, at seven", "20 March (20 March 2026), at", (2026, 3, 20), (2026, 3, 21)),
        ("The rest of the week I'm away", "week (4 to 8 March 2026) I'm", (2026, 3, 4), (2026, 3, 9)),
        ("From the first of July she's ours", "July (1 July 2026) she's", (2026, 7, 1), (2026, 7, 2)),
        ("The review is next Friday", "next Friday (13 March 2026)", (2026, 3, 13), (2026, 3, 14)),
        ("The review is next Saturday", "next Saturday (7 March 2026)", (2026, 3, 7), (2026, 3, 8)),
        ("Thursday next week is fine", "next week (12 March 2026) is", (2026, 3, 12), (2026, 3, 13)),
    ],
)
def test_many_forms_of_dates(text, dated, start, end):
    resolved = resolve(text, WEDNESDAY, tense=Tense.NONE)

    assert dated in resolved.text
    assert (resolved.event_time, resolved.until) == (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "tense", "dated"),
    [
        ("We moved the launch to 29 June.", Tense.PAST, "We moved the launch to 29 June (29 June 2026)."),
        ("We moved the launch to 29 June.", Tense.NONE, "We moved the launch to 29 June (29 June 2026)."),
        ("They postponed it until the 20th", Tense.PAST, "They postponed it until the 20th (20 April 2026)"),
        ("I booked a table for Friday", Tense.PAST, "I booked a table for Friday (17 April 2026)"),
        ("The deadline was extended by 5 May", Tense.PAST, "The deadline was extended by 5 May (5 May 2026)"),
        ("The launch is on 3 May", Tense.PRESENT, "The launch is on 3 May (3 May 2026)"),
        ("The launch is on 3 May", Tense.NONE, "The launch is on 3 May (3 May 2026)"),
        ("Rent due by 3 May", Tense.NONE, "Rent due by 3 May (3 May 2026)"),
        ("He said he'll come on Monday", Tense.PAST, "He said he'll come on Monday (13 April 2026)"),
        ("We launched on 29 June.", Tense.PAST, "We launched on 29 June (29 June 2025)."),
        ("It broke in November", Tense.PAST, "It broke in November (November 2025)"),
        ("I use it since Monday", Tense.PRESENT, "I use it since Monday (6 April 2026)"),
        ("We'll use it from Monday", Tense.FUTURE, "We'll use it from Monday (13 April 2026)"),
        ("the offsite 29 June", Tense.FUTURE, "the offsite 29 June (29 June 2026)"),
        ("the offsite 29 June", Tense.PAST, "the offsite 29 June"),
        ("the offsite 29 June", Tense.NONE, "the offsite 29 June"),
        ("the incident on 27 February?", Tense.NONE, "the incident on 27 February?"),
        ("The commit is from 22 March", Tense.PRESENT, "The commit is from 22 March"),
        ("We always go to Italy in August", Tense.PRESENT, "We always go to Italy in August"),
        ("We scheduled the demo on Monday", Tense.PAST, "We scheduled the demo on Monday"),
        ("It moved from Tuesday to Thursday", Tense.PAST, "It moved from Tuesday to Thursday (16 April 2026)"),
    ],
)
def test_tense_and_verb_tell_the_direction(text, tense, dated):
    assert resolve(text, APRIL, tense=tense).text == dated


def test_a_stretch_of_every_year_is_left_alone():
    text = "English is the default from May to September"

    assert resolve(text, datetime(2026, 8, 25, tzinfo=UTC), tense=Tense.PRESENT).text == text


@pytest.mark.parametrize(
    ("text", "day_first", "dated", "day"),
    [
        ("paid 12/1/2026", True, "paid 12/1/2026", (2026, 1, 12)),
        ("paid 12/1/2026", False, "paid 12/1/2026", (2026, 12, 1)),
        ("paid 12.1.2026", True, "paid 12.1.2026", (2026, 1, 12)),
        ("paid 12.1.2026", False, "paid 12.1.2026", (2026, 12, 1)),
        ("paid 13/1/2026", False, "paid 13/1/2026", (2026, 1, 13)),
        ("due by 1/12", True, "due by 1/12 (1 December 2026)", (2026, 12, 1)),
        ("due by 1/12", False, "due by 1/12 (12 January 2027)", (2027, 1, 12)),
        ("expires 04/2029", True, "expires 04/2029", (2029, 4, 1)),
    ],
)
def test_numbers_are_read_in_the_order_of_the_tenant(text, day_first, dated, day):
    resolved = resolve(text, APRIL, day_first=day_first)

    assert (resolved.text, resolved.event_time) == (dated, datetime(*day, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("We'll meet Thursday at 3pm", 15, 0),
        ("We'll meet at 3pm on Thursday", 15, 0),
        ("tomorrow 15:30, room 2", 15, 30),
        ("tomorrow at noon", 12, 0),
        ("tomorrow, 11.15 am", 11, 15),
        ("on 2026-03-05T07:55", 7, 55),
        ("on 2026-03-05T03:12Z", 5, 12),
        ("on 2026-03-04T23:30:00.5+00:00", 1, 30),
    ],
)
def test_a_time_of_day_beside_a_date_is_in_the_event(text, hour, minute):
    zone = timezone(timedelta(hours=2))
    resolved = resolve(text, datetime(2026, 3, 4, 9, tzinfo=zone))

    assert resolved.event_time == datetime(2026, 3, 5, hour, minute, tzinfo=zone)
    assert resolved.until == datetime(2026, 3, 6, tzinfo=zone)


@pytest.mark.parametrize("text", ["tomorrow at 3", "tomorrow at 3:30", "tomorrow, version 3.11", "tomorrow 12 people"])
def test_an_unsure_time_of_day_is_left_out(text):
    assert resolve(text, WEDNESDAY).event_time == datetime(2026, 3, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "tense", "is_ahead"),
    [
        ("I leave tomorrow", Tense.PRESENT, True),
        ("I left yesterday", Tense.PAST, False),
        ("I'll call tonight", Tense.FUTURE, True),
        ("I called today", Tense.PAST, False),
        ("The call is today at 5pm", Tense.PRESENT, True),
        ("The call was today at 8:15", Tense.PAST, False),
        ("We'll decide this week", Tense.FUTURE, True),
        ("We decided this week", Tense.PAST, False),
    ],
)
def test_what_is_still_to_come_is_ahead(text, tense, is_ahead):
    assert resolve(text, WEDNESDAY, tense=tense).is_ahead is is_ahead


@pytest.mark.parametrize(
    ("language", "text", "tense", "dated", "day"),
    [
        ("de", "Wir treffen uns morgen früh", Tense.PRESENT, "morgen früh (5. März 2026)", (2026, 3, 5)),
        ("de", "Start am 1. Oktober", Tense.PRESENT, "1. Oktober (1. Oktober 2026)", (2026, 10, 1)),
        ("de", "Mama wird am 8.11. siebzig", Tense.FUTURE, "8.11. (8. November 2026) siebzig", (2026, 11, 8)),
        ("de", "Er kam am Montag", Tense.PAST, "am Montag (2. März 2026)", (2026, 3, 2)),
        ("de", "ab Montag in Reha", Tense.PRESENT, "Montag (9. März 2026) in", (2026, 3, 9)),
        ("de", "vor drei Wochen", Tense.NONE, "Wochen (Woche vom 9. Februar 2026)", (2026, 2, 9)),
        ("de", "nächsten Monat", Tense.NONE, "Monat (April 2026)", (2026, 4, 1)),
        ("de", "kommenden Freitag", Tense.NONE, "Freitag (6. März 2026)", (2026, 3, 6)),
        ("de", "Umgebucht auf den 18., Sitz 14C", Tense.PAST, "18. (18. März 2026), Sitz", (2026, 3, 18)),
        ("de", "am ersten Juli", Tense.FUTURE, "Juli (1. Juli 2026)", (2026, 7, 1)),
        ("de", "Ende Juni", Tense.FUTURE, "Juni (21. Juni 2026 – 30. Juni 2026)", (2026, 6, 21)),
        ("de", "nächste Woche Dienstag", Tense.NONE, "Dienstag (10. März 2026)", (2026, 3, 10)),
        ("fr", "le premier juillet", Tense.FUTURE, "juillet (1er juillet 2026)", (2026, 7, 1)),
        ("fr", "mi-août on ferme", Tense.FUTURE, "août (11 août 2026 – 20 août 2026) on", (2026, 8, 11)),
        ("fr", "mardi de la semaine prochaine", Tense.NONE, "prochaine (10 mars 2026)", (2026, 3, 10)),
        ("es", "el primero de julio", Tense.FUTURE, "julio (1 de julio de 2026)", (2026, 7, 1)),
        ("es", "a finales de junio", Tense.FUTURE, "(21 de junio de 2026 – 30 de junio de 2026)", (2026, 6, 21)),
        ("es", "el martes de la semana que viene", Tense.NONE, "viene (10 de marzo de 2026)", (2026, 3, 10)),
        ("de", "vom 8. bis 11. Mai", Tense.FUTURE, "(8. Mai 2026 – 11. Mai 2026)", (2026, 5, 8)),
        ("fr", "le vol est le 9 juillet à 10h25", Tense.PRESENT, "9 juillet (9 juillet 2026) à", (2026, 7, 9)),
        ("fr", "il est parti hier", Tense.PAST, "hier (3 mars 2026)", (2026, 3, 3)),
        ("fr", "arrêté depuis lundi", Tense.PAST, "lundi (2 mars 2026)", (2026, 3, 2)),
        ("fr", "sans alcool depuis le 1er janvier", Tense.PRESENT, "janvier (1er janvier 2026)", (2026, 1, 1)),
        ("fr", "la semaine prochaine", Tense.NONE, "prochaine (semaine du 9 mars 2026)", (2026, 3, 9)),
        ("fr", "il y a trois jours", Tense.NONE, "jours (1er mars 2026)", (2026, 3, 1)),
        ("fr", "la fête a lieu le 12.", Tense.PRESENT, "le 12 (12 mars 2026).", (2026, 3, 12)),
        ("es", "la boda es el 26 de septiembre", Tense.PRESENT, "(26 de septiembre de 2026)", (2026, 9, 26)),
        ("es", "ayer presenté la renuncia", Tense.PAST, "ayer (3 de marzo de 2026)", (2026, 3, 3)),
        ("es", "hace dos semanas", Tense.NONE, "semanas (semana del 16 de febrero de 2026)", (2026, 2, 16)),
        ("es", "el mes que viene", Tense.NONE, "viene (abril de 2026)", (2026, 4, 1)),
        ("es", "mi nieta nace en agosto", Tense.PRESENT, "agosto (agosto de 2026)", (2026, 8, 1)),
        ("it", "l'assemblea ha votato ieri", Tense.PAST, "ieri (2026-03-03)", (2026, 3, 3)),
        ("nl", "vorige week", Tense.NONE, "vorige week (2026-02-23 – 2026-03-01)", (2026, 2, 23)),
        ("xx", "2026-03-09 qwert", Tense.NONE, "2026-03-09 qwert", (2026, 3, 9)),
    ],
)
def test_other_languages_by_their_own_words(language, text, tense, dated, day):
    resolved = resolve(text, WEDNESDAY, tense=tense, language=language)

    assert dated in resolved.text
    assert resolved.event_time is not None
    assert resolved.event_time.date() == datetime(*day, tzinfo=UTC).date()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "am Morgen trinke ich Tee"),
        ("de", "mit der Sonne so oder so"),
        ("de", "jeden Montag Chor"),
        ("de", "der 2. Stock"),
        ("de", "Start 1. Oktober"),
        ("fr", "le jeu est dans la mer"),
        ("fr", "tous les lundis"),
        ("es", "por la mañana corro"),
        ("es", "los lunes hay mercado"),
        ("es", "el 26 de septiembre"),
        ("xx", "le 9 juillet"),
        ("en", "Wir sehen uns übermorgen"),
    ],
)
def test_what_is_no_sure_date_in_another_language_stays(language, text):
    resolved = resolve(text, WEDNESDAY, language=language)

    assert (resolved.text, resolved.event_time) == (text, None)


@pytest.mark.parametrize(
    "text",
    [
        'He said "I leave tomorrow"',
        "He said “I leave tomorrow”",
        "Er sagt „tomorrow“",
        "«tomorrow» is its name",
        "He said 'I'm off tomorrow'",
        "He said ‘I’m off tomorrow’",
    ],
)
def test_nothing_is_put_into_a_quotation(text):
    assert resolve(text, MONDAY).text == text
    assert resolve(f"{text} and left yesterday", MONDAY).text == f"{text} and left yesterday (7 May 2023)"


def test_a_date_beside_its_phrase_is_not_put_in_again():
    text = "We leave tomorrow (9 May 2023) and come back next week (week of 15 May 2023)"

    assert resolve(text, MONDAY + timedelta(days=30)).text == text
    assert resolve(text, MONDAY + timedelta(days=30)).event_time == datetime(2023, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("The past two weeks were hard", "The past two weeks (24 April to 8 May 2023) were hard"),
        ("I slept badly over the last month", "I slept badly over the last month (8 April to 8 May 2023)"),
    ],
)
def test_a_stretch_up_to_now_is_no_event(text, dated):
    assert resolve(text, MONDAY).text == dated
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
        "we met on the 2nd floor",
        "it took 1/2 a cup",
        "that was on a quiet Sunday",
        "he waters them of a Tuesday",
        "the second Tuesday was ours",
        "by the 25th of every month",
        "see #today before ten",
        "v12.1.26 was it",
        "on call Mon-Fri",
        "the Tuesday after, same time",
    ],
)
def test_what_is_no_sure_date_stays(text):
    resolved = resolve(text, MONDAY)

    assert (resolved.text, resolved.event_time) == (text, None)


def test_the_day_is_the_speakers():
    tokyo = timezone(timedelta(hours=9))
    resolved = resolve("I left yesterday", datetime(2023, 5, 8, 1, 0, tzinfo=tokyo))

    assert resolved.text == "I left yesterday (7 May 2023)"
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


@pytest.mark.parametrize(
    ("language", "query", "start", "end"),
    [
        ("de", "Wo habe ich letztes Jahr gewohnt?", (2022, 1, 1), (2023, 1, 1)),
        ("es", "¿Dónde trabajaba el año pasado?", (2022, 1, 1), (2023, 1, 1)),
        ("fr", "Où habitais-je en mai 2022 ?", (2022, 5, 1), (2022, 6, 1)),
        ("it", "Che cosa ho fatto ieri?", (2023, 5, 7), (2023, 5, 8)),
        ("ru", "Где я жил в прошлом году?", (2022, 1, 1), (2023, 1, 1)),
    ],
)
def test_a_query_names_a_span_in_its_own_language(language, query, start, end):
    found = time_range(query, MONDAY, language=language)

    assert found is not None
    assert (found.start, found.end) == (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))
    assert time_range(query.replace("2022", ""), MONDAY) is None


def test_what_has_been_so_since_a_date_goes_on_in_any_language():
    found = time_range("Wer ist seit März mein Chef?", MONDAY, language="de")

    assert found is not None
    assert (found.start, found.end) == (datetime(2023, 3, 1, tzinfo=UTC), MONDAY)


WORDS = st.sampled_from(
    ["yesterday", "last", "next", "this", "week", "Friday", "in", "May", "2023", "ago", "two", "the", "on", "5", "went",
     "will", "weekend", "night", "since", "and", "between", "a few", "months", "past", ".", "I", "summer", "'s", "was",
     "3rd", "30th", "2026-03-04T23:30-0500", "to", "moved", "until", "1/12", "12.1.2026", "end of", "month", "at 3pm",
     "15:30", '"', "(", ")", "from", "Q3", "mid-August", "week 22", "Easter", "due", ":", ",", "\n"]
)  # fmt: skip
FOREIGN_WORDS = st.sampled_from(
    ["gestern", "am", "Montag", "1.", "8.11.", "Mai", "bis", "vor", "drei", "Wochen", "hier", "le", "12", "lundi",
     "prochain", "depuis", "mañana", "el", "31", "de", "marzo", "próximo", "(", "2026", ",", "um 15 Uhr"]
)  # fmt: skip
TEXTS = st.lists(WORDS | FOREIGN_WORDS | st.text(max_size=4), max_size=12).map(" ".join)
LANGUAGES = st.sampled_from(["en", "", "de", "fr", "es", "it", "zh", "xx", "EN-gb", "../x"])
OFFSETS = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
ALL_TIMES = st.datetimes(timezones=OFFSETS)
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(TEXTS, TIMES, st.sampled_from(Tense), LANGUAGES)
def test_resolving_twice_changes_nothing(text, said_at, tense, language):
    once = resolve(text, said_at, tense=tense, language=language)

    assert resolve(once.text, said_at, tense=tense, language=language).text == once.text


@given(TEXTS, ALL_TIMES, st.sampled_from(Tense), LANGUAGES)
def test_no_character_of_a_text_is_changed(text, said_at, tense, language):
    dated = resolve(text, said_at, tense=tense, language=language).text
    anywhere = "".join(rf"{re.escape(one)}(?: \([^()]*\))?" for one in text)

    assert re.fullmatch(anywhere, dated, re.DOTALL)


@given(TEXTS, ALL_TIMES, st.sampled_from(Tense), LANGUAGES, st.booleans())
def test_no_text_and_no_time_is_too_odd(text, said_at, tense, language, day_first):
    resolved = resolve(text, said_at, tense=tense, language=language, day_first=day_first)

    assert (resolved.event_time is None) == (resolved.until is None)
    if resolved.event_time is not None and resolved.until is not None:
        assert resolved.event_time.tzinfo == resolved.until.tzinfo == said_at.tzinfo
        assert resolved.event_time.replace(tzinfo=None) < resolved.until.replace(tzinfo=None)


@given(TEXTS, ALL_TIMES)
def test_no_query_is_too_odd(query, now):
    time_range(query, now)


@given(st.lists(WORDS, max_size=10).map(" ".join), TIMES)
def test_a_span_is_never_empty(query, now):
    found = time_range(query, now)

    assert found is None or found.start < found.end


READINGS = {
    "statement": lambda text: resolve(text, MONDAY, tense=Tense.PAST),
    "untold": lambda text: resolve(text, MONDAY),
    "german": lambda text: resolve(text, MONDAY, tense=Tense.PRESENT, language="de"),
    "query": lambda text: time_range(text, MONDAY),
    "german query": lambda text: time_range(text, MONDAY, language="de"),
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(
    "repeated",
    ["on 3 May 2026 ", "on 3 May ", "next week ", "and ", "I moved to Lisbon ", "3 ", "the 30th ", "since ",
     "from Monday to ", "“", '"', " ", "Monday: ", "a", "vor drei Wochen "],
)  # fmt: skip
def test_twice_the_text_takes_about_twice_the_time(repeated, reading):
    once, twice = (repeated * (length // len(repeated)) for length in (8_000, 16_000))

    assert grows_in_proportion(READINGS[reading], once, twice)


@pytest.mark.parametrize(
    ("text", "tense", "words", "day", "until"),
    [
        ("due in early June", Tense.FUTURE, "early June 2023", (2023, 6, 1), (2023, 6, 11)),
        ("due by the end of June", Tense.FUTURE, "30 June 2023", (2023, 6, 30), (2023, 7, 1)),
        ("in the second half of June", Tense.FUTURE, "second half of June 2023", (2023, 6, 16), (2023, 7, 1)),
        ("due by EOM", Tense.FUTURE, "31 May 2023", (2023, 5, 31), (2023, 6, 1)),
        ("due by EOD", Tense.FUTURE, "8 May 2023", (2023, 5, 8), (2023, 5, 9)),
        ("for the rest of the week", Tense.FUTURE, "8 to 14 May 2023", (2023, 5, 8), (2023, 5, 15)),
        ("at the beginning of next month", Tense.FUTURE, "1 June 2023", (2023, 6, 1), (2023, 6, 2)),
        ("in the middle of next month", Tense.FUTURE, "mid-June 2023", (2023, 6, 11), (2023, 6, 21)),
        ("We met last May", Tense.PAST, "May 2022", (2022, 5, 1), (2022, 6, 1)),
        ("We meet next May", Tense.FUTURE, "May 2024", (2024, 5, 1), (2024, 6, 1)),
        ("on the 3rd of last month", Tense.PAST, "3 April 2023", (2023, 4, 3), (2023, 4, 4)),
        ("due on the 30th", Tense.FUTURE, "30 May 2023", (2023, 5, 30), (2023, 5, 31)),
        ("The 12th, we leave", Tense.FUTURE, "12 May 2023", (2023, 5, 12), (2023, 5, 13)),
        ("from the 12th to the 14th", Tense.FUTURE, "12 to 14 May 2023", (2023, 5, 12), (2023, 5, 15)),
        ("a week from Friday", Tense.FUTURE, "19 May 2023", (2023, 5, 19), (2023, 5, 20)),
        ("two weeks from tomorrow", Tense.FUTURE, "23 May 2023", (2023, 5, 23), (2023, 5, 24)),
        ("planned for Q3", Tense.FUTURE, "Q3 2023", (2023, 7, 1), (2023, 10, 1)),
        ("at the end of Q3 2024", Tense.FUTURE, "30 September 2024", (2024, 9, 30), (2024, 10, 1)),
        ("planned for week 30", Tense.FUTURE, "week of 24 July 2023", (2023, 7, 24), (2023, 7, 31)),
        ("We met at Christmas", Tense.PAST, "25 December 2022", (2022, 12, 25), (2022, 12, 26)),
        ("We meet next Easter", Tense.FUTURE, "31 March 2024", (2024, 3, 31), (2024, 4, 1)),
        ("on New Year's Eve", Tense.FUTURE, "31 December 2023", (2023, 12, 31), (2024, 1, 1)),
        ("from 3 May to 5 May 2022", Tense.PAST, "", (2022, 5, 3), (2022, 5, 6)),
        ("in summer 2021", Tense.PAST, "", (2021, 6, 1), (2021, 9, 1)),
        ("three decades ago", Tense.PAST, "1993", (1993, 1, 1), (1994, 1, 1)),
        ("two quarters ago", Tense.PAST, "Q4 2022", (2022, 10, 1), (2023, 1, 1)),
    ],
)  # fmt: skip
def test_edges_quarters_feasts_and_days_of_a_month(text, tense, words, day, until):
    resolved = resolve(text, MONDAY, tense=tense)

    assert (f"({words})" in resolved.text) is bool(words)
    assert resolved.text.replace(f" ({words})", "") == text
    assert (resolved.event_time, resolved.until) == (datetime(*day, tzinfo=UTC), datetime(*until, tzinfo=UTC))


@pytest.mark.parametrize(
    ("words", "first", "until"),
    [
        ("29 June", (2026, 6, 29), (2026, 6, 30)),
        ("October", (2026, 10, 1), (2026, 11, 1)),
        ("Friday", (2026, 3, 6), (2026, 3, 7)),
        ("the end of June", (2026, 6, 30), (2026, 7, 1)),
        ("Q3", (2026, 7, 1), (2026, 10, 1)),
    ],
)
def test_words_alone_name_the_date_of_what_is_still_to_come(words, first, until):
    named = planned_for(words, WEDNESDAY)

    assert (named.start, named.end) == (0, len(words))
    assert (named.first.timetuple()[:3], named.until.timetuple()[:3]) == (first, until)


@pytest.mark.parametrize("words", ["Frankfurt", "two weeks", "3pm", "the week of 5 June", "", "further notice"])
def test_places_durations_and_times_of_day_are_no_date(words):
    assert planned_for(words, WEDNESDAY) is None
