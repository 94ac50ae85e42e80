"""Triggers: which times a message names are worth coming back to."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.extraction import observing
from memory_platform.extraction.clauses import Clause
from memory_platform.lifecycle import recurrence, triggers
from memory_platform.lifecycle.anchors import DatedEvent
from memory_platform.lifecycle.triggers import Bars, Detected, Precision, TimeSettlement, Weighed
from memory_platform.model import Dropped, Fact, Observation, Role, Utterance
from tests.core.timing import grows_in_proportion

BERLIN = ZoneInfo("Europe/Berlin")
SAID = datetime(2026, 5, 4, 9, 30, tzinfo=BERLIN)
"""A Monday."""


@cache
def reader() -> SpacyReader:
    return SpacyReader()


def read(text: str, *, said_at: datetime = SAID) -> observing.Reading:
    passage = observing.passage(Utterance(UUID(int=1), Role.USER, "Nora", text, said_at))
    [parse] = reader().read([passage.prose])
    return observing.read(passage, parse)


def detect(text: str, *, events: Sequence[DatedEvent] = ()) -> list[Detected]:
    return list(triggers.detect(read(text), events=events))


def days(text: str, *, events: Sequence[DatedEvent] = ()) -> list[str]:
    return [one.at.date().isoformat() for one in detect(text, events=events)]


@pytest.mark.parametrize(
    ("text", "when", "precision"),
    [
        ("The dentist appointment is on 12 June.", "2026-06-12T00:00:00+02:00", Precision.DAY),
        ("My flight leaves on Friday at 16:40.", "2026-05-08T16:40:00+02:00", Precision.MINUTE),
        ("Deadline for the evidence: 31 July", "2026-07-31T00:00:00+02:00", Precision.DAY),
        ("I have to see her again in 6 months.", "2026-11-04T00:00:00+01:00", Precision.DAY),
        ("We leave for Skye in three weeks.", "2026-05-25T00:00:00+02:00", Precision.DAY),
        ("We leave for Skye in a month's time.", "2026-06-04T00:00:00+02:00", Precision.DAY),
        ("Closed for the works from 20 July to 24 August 2026.", "2026-07-20T00:00:00+02:00", Precision.DAY),
        ("We leave for Skye in about three weeks.", "2026-05-25T00:00:00+02:00", Precision.DAY),
        ("The exam is on the first Monday of June.", "2026-06-01T00:00:00+02:00", Precision.DAY),
        ("The fair is on the last Friday in May.", "2026-05-29T00:00:00+02:00", Precision.DAY),
        ("The review is on the third Thursday of next month.", "2026-06-18T00:00:00+02:00", Precision.DAY),
        ("We are in Rome from June 8th through the 12th.", "2026-06-08T00:00:00+02:00", Precision.DAY),
        ("Wir fahren in drei Wochen nach Skye.", "2026-05-25T00:00:00+02:00", Precision.DAY),
        ("The visa expires 14-Aug-2026.", "2026-08-14T00:00:00+02:00", Precision.DAY),
        ("PNR 6RT9WQ MR 14AUG26 LHR-ACC SEAT 22A", "2026-08-14T00:00:00+02:00", Precision.DAY),
        (
            "The vet told us that she must lose two kilos before Christmas.",
            "2026-12-25T00:00:00+01:00",
            Precision.DAY,
        ),
        ("I'm out from 6 to 17 July.", "2026-07-06T00:00:00+02:00", Precision.DAY),
        ("Booked: a table for four on 14 May at 19:00.", "2026-05-14T19:00:00+02:00", Precision.MINUTE),
        ("Der Vertrag mit der Versicherung endet am 30. Juni.", "2026-06-30T00:00:00+02:00", Precision.DAY),
        ("The demo starts at 2026-05-06T07:00Z.", "2026-05-06T09:00:00+02:00", Precision.MINUTE),
        ("The retake forms close a week today.", "2026-05-11T00:00:00+02:00", Precision.DAY),
        ("The grant application is due on the last day of the month.", "2026-05-31T00:00:00+02:00", Precision.DAY),
        ("The contract starts on the first day of June.", "2026-06-01T00:00:00+02:00", Precision.DAY),
        ("The gas man comes Wed between 8 and 1.", "2026-05-06T00:00:00+02:00", Precision.DAY),
        ("The boiler is serviced Thurs, so be there.", "2026-05-07T00:00:00+02:00", Precision.DAY),
    ],
)
def test_a_plan_ahead_is_a_trigger_on_its_day_or_minute(text: str, when: str, precision: Precision) -> None:
    [found] = detect(text)
    assert (found.at.isoformat(), found.precision) == (when, precision)
    assert found.recurrence == ""


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("We're not doing anything on the 24th, nor on the 25th.", []),
        ("The label launches in June now, not in July.", ["2026-06-01"]),
        ("I can't make it on the 24th.", ["2026-05-24"]),
        ("The bridge won't be finished before 3 June.", ["2026-06-03"]),
        ("She still doesn't crawl, her appointment is on 3 July.", ["2026-07-03"]),
    ],
)
def test_a_day_that_is_denied_is_no_trigger_and_one_that_somebody_is_not_free_is(text: str, when: list[str]) -> None:
    assert days(text) == when


@pytest.mark.parametrize(
    "text",
    ["I failed it by two points in October so I'm not too scared.", "Decaf only, since my heart thing in August."],
)
def test_a_month_that_hangs_on_what_was_lies_behind(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("The warranty runs until 30 September, and it lapses if the yearly service is skipped.", ["2026-09-30"]),
        ("If the scan on 12 June is clear, we book the trip for 3 July.", []),
        ("I'd come on 12 June, and we could stay until the end.", []),
    ],
)
def test_a_condition_takes_along_what_stands_under_it_and_no_more(text: str, when: list[str]) -> None:
    assert days(text) == when


@pytest.mark.parametrize(
    "text",
    [
        "We met on 3 March.",
        "Is the party on 12 June?",
        "If they say yes on 12 June, we move.",
        'He wrote "the release is on 12 June".',
        "The card expires in 2029.",
        "Yesterday was fun.",
        "Falls es am 12. Juni regnet, bleiben wir doch lieber zu Hause.",
    ],
)
def test_what_is_past_asked_supposed_quoted_or_vague_is_no_trigger(text: str) -> None:
    assert detect(text) == []


@pytest.mark.parametrize(
    ("text", "rule", "first"),
    [
        ("I have physio every Monday at 17:20.", "FREQ=WEEKLY;BYDAY=MO", "2026-05-04T17:20:00+02:00"),
        ("We meet every Tuesday and Friday.", "FREQ=WEEKLY;BYDAY=TU,FR", "2026-05-05T00:00:00+02:00"),
        ("The rent is due every month on the 1st.", "FREQ=MONTHLY;BYMONTHDAY=1", "2026-06-01T00:00:00+02:00"),
        ("The rent is due on the first of every month.", "FREQ=MONTHLY;BYMONTHDAY=1", "2026-06-01T00:00:00+02:00"),
        ("We are paid on the twenty-fifth of each month.", "FREQ=MONTHLY;BYMONTHDAY=25", "2026-05-25T00:00:00+02:00"),
        ("Remind me daily at 21:00 to take the pill.", "FREQ=DAILY", "2026-05-04T21:00:00+02:00"),
        ("We play every other Thursday.", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH", "2026-05-07T00:00:00+02:00"),
        ("The board meets on the first Monday of every month.", "FREQ=MONTHLY;BYDAY=1MO", "2026-06-01T00:00:00+02:00"),
        ("Mum's birthday is 4 January.", "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=4", "2027-01-04T00:00:00+01:00"),
        ("The club meets every year on 3 October.", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=3", "2026-10-03T00:00:00+02:00"),
        ("Standup is every weekday at 9:15 am.", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-05-05T09:15:00+02:00"),
    ],
)
def test_what_comes_back_has_a_rule_and_its_first_time(text: str, rule: str, first: str) -> None:
    [found] = detect(text)
    assert (found.recurrence, found.at.isoformat()) == (rule, first)


@pytest.mark.parametrize(
    "text",
    [
        "Parking is free on Sundays.",
        "I'm always tired on Mondays.",
        "On Fridays the office is a ghost town.",
    ],
)
def test_how_something_is_on_such_days_does_not_come_back(text: str) -> None:
    assert detect(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Bins go out on Tuesdays.",
        "The course is on Tuesdays.",
        "We have therapy on Tuesdays at 9.",
        "Gran expects my call on Tuesdays and she sulks if I forget.",
    ],
)
def test_what_happens_on_such_days_comes_back(text: str) -> None:
    assert [one.recurrence for one in detect(text)] == ["FREQ=WEEKLY;BYDAY=TU"]


def test_an_anniversary_with_its_year_and_a_party_come_once() -> None:
    assert [one.recurrence for one in detect("Her birthday party is on 5 June.")] == [""]
    assert [one.recurrence for one in detect("It is billed every year and renews on 2 June 2027.")] == [""]


def test_how_long_something_has_been_so_is_no_time_ahead() -> None:
    assert days("It's two weeks today since I stopped smoking.") == []
    assert days("Two weeks today and I still cough.") == []


@pytest.mark.parametrize(
    "text", ["I drink coffee every morning.", "We used to meet every Monday.", "I never run on Mondays."]
)
def test_a_habit_without_a_time_and_one_that_is_over_or_denied_do_not_come_back(text: str) -> None:
    assert [one for one in detect(text) if one.recurrence] == []


def test_the_day_before_an_event_is_reckoned_from_the_same_message() -> None:
    assert days("The launch is on 12 June. Remind me the day before the launch.") == ["2026-06-12", "2026-06-11"]
    assert days("The launch is on 12 June, and remind me two weeks before.") == ["2026-06-12", "2026-05-29"]


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("The scan is on Friday, bloods the Monday after.", ["2026-05-08", "2026-05-11"]),
        ("The form is due on 29 May. I need your part by the Friday before that.", ["2026-05-29", "2026-05-22"]),
        ("The resit is on the 20th. The results come out three weeks later.", ["2026-05-20", "2026-06-10"]),
        ("The audit is on 9 June, the review a week later.", ["2026-06-09", "2026-06-16"]),
        ("Test it the Monday before. The launch is on 12 June.", ["2026-06-08", "2026-06-12"]),
        ("I was there the Monday after.", []),
    ],
)
def test_a_day_told_from_another_is_told_from_the_one_spoken_of_last(text: str, when: list[str]) -> None:
    assert days(text) == when


def test_the_day_before_an_event_known_from_elsewhere() -> None:
    known = [
        DatedEvent("The wedding is on 20 June.", date(2026, 6, 20)),
        DatedEvent("Launch: 12 June", date(2026, 6, 12)),
    ]
    assert days("Remind me the day before the launch.", events=known) == ["2026-06-11"]
    assert days("Remind me the day before the audit.", events=known) == []


def test_a_move_is_to_its_goal_and_tells_what_it_leaves() -> None:
    [found] = detect("The dentist moved my appointment from 12 June to 14 June.")
    assert (found.at.date(), found.is_moved, found.moved_from) == (date(2026, 6, 14), True, date(2026, 6, 12))
    [found] = detect("Our booking for 12 June must move to 14 June.")
    assert (found.at.date(), found.is_moved, found.moved_from) == (date(2026, 6, 14), True, date(2026, 6, 12))
    [found] = detect("The demo planned for 12 June moves to 14 June.")
    assert (found.at.date(), found.moved_from) == (date(2026, 6, 14), date(2026, 6, 12))
    [found] = detect("The meeting is now on 6 June instead of 27 May.")
    assert found.at.date() == date(2026, 6, 6)


def test_a_move_leaves_no_day_of_what_another_verb_tells() -> None:
    text = "I've added your dentist appointment on 14 May 2026 and moved the lab meeting that clashed to 15 May 2026."
    assert days(text) == ["2026-05-14", "2026-05-15"]


def test_what_a_record_states_beyond_the_entries_that_are_kept_has_its_times() -> None:
    legs = [{"flight": f"BA 24{n}", "from": "LGW", "to": "FAO", "dep": f"2026-10-{n}T06:55"} for n in range(10, 14)]
    [parse] = reader().read([""])
    said = Utterance(UUID(int=1), Role.TOOL, None, json.dumps({"pnr": "QX7T2L", "legs": legs}), SAID)
    found = triggers.detect(observing.read(observing.passage(said), parse))
    assert [one.at.isoformat() for one in found] == [f"2026-10-{n}T06:55:00+02:00" for n in range(10, 14)]


def test_a_cancellation_is_told_as_one() -> None:
    [found] = detect("The dentist on 12 June is cancelled.")
    assert found.is_cancelled
    assert not detect("The dentist is on 12 June.")[0].is_cancelled


@pytest.mark.parametrize(
    ("known", "new", "becomes"),
    [
        ("Dentist appointment on 12 June", "The dentist moved my appointment to 14 June.", TimeSettlement.MOVED),
        (
            "Dentist appointment on 12 June",
            "The dentist moved my appointment from 12 June to 14 June.",
            TimeSettlement.MOVED,
        ),
        (
            "Dentist appointment on 12 June",
            "The dentist moved my appointment from 2 June to 14 June.",
            TimeSettlement.NONE,
        ),
        ("The launch of the shop is on 12 June.", "The dentist moved my appointment to 14 June.", TimeSettlement.NONE),
        ("Dentist appointment on 12 June", "My dentist appointment is on 12 June.", TimeSettlement.DUPLICATE),
        ("Dentist appointment on 12 June", "My dentist appointment is on 12 June at 9:00.", TimeSettlement.REFINED),
        (
            "Dentist appointment on 12 June",
            "The dentist appointment on 12 June is cancelled.",
            TimeSettlement.CANCELLED,
        ),
        ("Dentist appointment on 12 June", "The dentist appointment on 13 June is cancelled.", TimeSettlement.NONE),
        ("Dentist appointment on 12 June", "My dentist appointment is on 19 June.", TimeSettlement.NONE),
        ("We have yoga every Monday at 18:00.", "Our yoga is every Monday at 18:00.", TimeSettlement.DUPLICATE),
        ("We have yoga every Monday at 18:00.", "Our yoga is every Monday at 19:00.", TimeSettlement.NONE),
        ("We have yoga every Monday at 18:00.", "Yoga on 11 May is cancelled.", TimeSettlement.NONE),
    ],
)
def test_a_time_told_anew_settles_what_becomes_of_the_known_one(known: str, new: str, becomes: TimeSettlement) -> None:
    assert triggers.settle(detect(new)[0], detect(known)[0]) is becomes


def test_a_short_answer_is_in_the_language_of_its_talk() -> None:
    assert not triggers.may_tell("übermorgen um acht")
    assert triggers.may_tell("übermorgen um acht", language="de")


def test_a_bare_name_of_a_day_needs_a_clause_worth_keeping() -> None:
    small_talk, plan = read("See you tomorrow."), read("The audit is on 12 June.")
    assert triggers.detect(small_talk, judged=lambda _: Weighed(0.1)) == ()
    assert len(triggers.detect(small_talk, judged=lambda _: Weighed(0.9))) == 1
    assert len(triggers.detect(plan, judged=lambda _: Weighed(0.1))) == 1


def test_how_much_a_bare_name_of_a_day_needs_is_the_callers() -> None:
    plain, sure = read("See you tomorrow."), Bars(worth=0.05)
    assert len(triggers.detect(plain, judged=lambda _: Weighed(0.1), bars=sure)) == 1
    strict = Bars(planned=0.5)
    assert triggers.detect(read("We launch on Tuesday."), judged=lambda _: Weighed(planned=0.3), bars=strict) == ()
    assert len(triggers.detect(read("We launch on Tuesday."), judged=lambda _: Weighed(planned=0.3))) == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The cheese is sold at the Thursday market.", 0),
        ("We tag on Tuesday.", 0),
        ("We tag on Tuesday at 10:00.", 1),
        ("We tag tomorrow.", 1),
        ("The clinic is a week on Thursday.", 1),
        ("The rent goes up in January.", 1),
        ("Der Verein hat ab Montag geschlossen.", 1),
    ],
)
def test_a_bare_name_of_a_day_is_no_plan_where_an_english_clause_tells_what_is_always_so(
    text: str, number: int
) -> None:
    assert len(triggers.detect(read(text), judged=lambda _: Weighed(planned=0.05))) == number


def test_a_clause_is_judged_by_the_facts_and_refusals_that_hold_it() -> None:
    text = "The audit is on 12 June."
    clause = Clause(text, 0, "en")
    fact = Fact(text=text, quote=text, usefulness=0.4)
    assert triggers.judged_by(Observation(UUID(int=1), facts=(fact,)))(clause) == Weighed(0.4)
    assert triggers.judged_by(Observation(UUID(int=1)))(clause).worth == 0.0
    habit = Observation(UUID(int=1), facts=(replace(fact, planned=0.05),))
    assert triggers.judged_by(habit)(clause) == Weighed(0.4, planned=0.05)
    refused = triggers.judged_by(Observation(UUID(int=1), dropped=(Dropped(text, "injection"),)))
    assert triggers.detect(read(text), judged=refused) == ()


def test_no_more_than_a_message_can_mean() -> None:
    dates = " ".join(f"The course is on {day} June." for day in range(1, 29))
    assert len(detect(dates)) == triggers.MOST_TRIGGERS


@given(st.text(max_size=80))
def test_any_text_yields_aware_times_ahead_of_it(text: str) -> None:
    for one in triggers.detect(read(f"The launch of {text} is on 12 June every Monday.")):
        assert one.at.tzinfo is BERLIN
        assert one.at > SAID or one.at.date() > SAID.date()


def test_the_latest_time_a_rule_fell_due() -> None:
    first = datetime(2026, 5, 4, 9, tzinfo=BERLIN)
    assert recurrence.latest("FREQ=DAILY", first, until=datetime(2026, 5, 9, 8, tzinfo=BERLIN)) == datetime(
        2026, 5, 8, 9, tzinfo=BERLIN
    )
    assert recurrence.latest("FREQ=DAILY", first, until=datetime(2026, 5, 4, 8, tzinfo=BERLIN)) is None


def test_nine_o_clock_stays_nine_o_clock_over_summer_time() -> None:
    first = datetime(2026, 3, 22, 9, tzinfo=BERLIN)
    following = recurrence.following("FREQ=WEEKLY;BYDAY=SU", first, after=first)
    assert following is not None
    assert following.isoformat() == "2026-03-29T09:00:00+02:00"


def test_an_hour_that_summer_time_skips_is_told_as_the_one_after() -> None:
    first = datetime(2026, 3, 28, 2, 30, tzinfo=BERLIN)
    following = recurrence.following("FREQ=DAILY", first, after=first)
    assert following is not None
    assert following.isoformat() == "2026-03-29T03:30:00+02:00"


@pytest.mark.parametrize(
    ("day", "moment", "falls_next", "fell_last"),
    [
        # In the hour that comes twice it has fallen due once.
        ((2026, 10, 20), (2026, 10, 25, 1, 15), "2026-10-26T02:30:00+01:00", "2026-10-25T02:30:00+02:00"),
        # Behind the hour that is skipped its time is still to come.
        ((2026, 3, 20), (2026, 3, 29, 1, 10), "2026-03-29T03:30:00+02:00", "2026-03-28T02:30:00+01:00"),
    ],
)
def test_where_summer_time_moves_the_clocks_a_rule_falls_due_once(day, moment, falls_next, fell_last) -> None:
    first, then = datetime(*day, 2, 30, tzinfo=BERLIN), datetime(*moment, tzinfo=UTC)
    following = recurrence.following("FREQ=DAILY", first, after=then)
    latest = recurrence.latest("FREQ=DAILY", first, until=then)
    assert following is not None
    assert latest is not None
    assert following.isoformat() == falls_next
    assert latest.isoformat() == fell_last


def test_a_rule_that_is_over_falls_due_no_more() -> None:
    first = datetime(2026, 5, 4, 9, tzinfo=UTC)
    assert recurrence.following("FREQ=WEEKLY;COUNT=1", first, after=first) is None


@pytest.mark.parametrize(
    "rule", ["", "FREQ=SECONDLY", "FREQ=DAILY;BYHOUR=3", "FREQ=DAILY;INTERVAL=0", "FREQ=WEEKLY;BYDAY=XX", "every day"]
)
def test_a_rule_outside_the_subset_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        recurrence.checked(rule)


@pytest.mark.parametrize("rule", ["FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2", "FREQ=DAILY;BYDAY=MO;BYMONTHDAY=30;BYMONTH=2"])
def test_a_rule_that_never_falls_due_is_refused_without_a_look_at_each_day(rule: str) -> None:
    def refused(never: object) -> None:
        with pytest.raises(ValueError, match="never"):
            recurrence.checked(str(never))

    assert grows_in_proportion(refused, "FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2", rule)


def test_a_rule_is_checked_and_written_plainly() -> None:
    assert recurrence.checked("rrule:freq=weekly; byday=mo") == "FREQ=WEEKLY;BYDAY=MO"
