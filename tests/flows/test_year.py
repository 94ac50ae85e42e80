"""A year of one user and one agent on a driven clock: what is said and changes, and all nights, weeks and months of it.

`tests/data/year.json` holds the sessions, what is asked at the end, and the days on which something falls due.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.db.models.functions import Now

from apps.core import clock
from apps.core.scope import tenant_scope
from apps.jobs import services as jobs
from apps.jobs.models import Job, JobState
from apps.journal.models import Entry
from apps.resources.models import Resource
from apps.tenants import services as tenants
from tests.api.conftest import Caller

pytestmark = [pytest.mark.heavy, pytest.mark.slow, pytest.mark.timeout(1200)]

STORY = json.loads((Path(__file__).resolve().parents[1] / "data" / "year.json").read_text())
BEGINS = datetime(2031, 1, 6, 8, tzinfo=UTC)
ENDS = datetime(2031, 12, 15, 10, tzinfo=UTC)
NIGHT = time(3, 30, tzinfo=UTC)
"""After every tenant's nightly run, which is spread over the hour from two o'clock on."""
MISSING = 1_000
MARA = {"filter": {"userId": "mara"}}

BEGIN = "mutation($input: SessionInput!) { startSession(input: $input) { text } }"
CAPTURE = "mutation($input: TurnInput!) { captureTurn(input: $input) { resourceIds } }"
RECALL = (
    "query($ask: String!, $options: RecallOptions) { recall(query: $ask, options: $options) { hits { text tags } } }"
)
DUE = "query($of: TriggerFilter) { triggers(first: 100, filter: $of) { edges { node { text isDue } } } }"
REPLAY = 'query($session: String!) { replay(sessionId: $session, userId: "mara") { userInput llmOutput } }'
TRIGGERS = "query($of: TriggerFilter) { triggers(first: 100, filter: $of) { edges { node { text status ending } } } }"
LESSONS = '{ lessons(filter: {userId: "mara"}, first: 100) { edges { node { text } } } }'
SUMMARY = 'query($category: String!) { summary(category: $category, userId: "mara") { text } }'


@dataclass
class Year:
    """By day: what was told at the start of its session, what summaries held then, and what had fallen due by its
    morning.
    """

    caller: Caller
    tenant_id: UUID
    told: dict[str, str] = field(default_factory=dict)
    summed: dict[str, dict[str, str]] = field(default_factory=dict)
    due: dict[str, str] = field(default_factory=dict)

    def live(self) -> None:
        sessions = {datetime.fromisoformat(each["at"]).date(): each for each in STORY["sessions"]}
        for day in _days(BEGINS.date(), ENDS.date()):
            self._sleep(day)
            if day in sessions:
                self._talk(sessions[day])

    def recall(self, ask: str, **options: object) -> list[dict[str, Any]]:
        with time_machine.travel(ENDS):
            found: list[dict[str, Any]] = self.caller.field(RECALL, ask=ask, options={**MARA, **options})["hits"]
        return found

    def _sleep(self, day: date) -> None:
        with time_machine.travel(datetime.combine(day, NIGHT)):
            with tenant_scope(self.tenant_id):
                jobs.run_overdue()
            self._work()
            found = self.caller.field(DUE, of={"userId": "mara"})["edges"]
        self.due[str(day)] = " | ".join(each["node"]["text"] for each in found if each["node"]["isDue"])

    def _talk(self, session: dict[str, Any]) -> None:
        at = datetime.fromisoformat(session["at"])
        name = str(at.date())
        with time_machine.travel(at):
            self.told[name] = self.caller.field(BEGIN, input={"sessionId": name, "userId": "mara"})["text"]
            self.summed[name] = {
                category: self.caller.field(SUMMARY, category=category)["text"]
                for category in STORY["summaries"].get(name, ())
            }
            for role, text in session["turns"]:
                said = {"userInput": text, "speaker": "Mara"} if role == "user" else {"llmOutput": text}
                self.caller.field(CAPTURE, input={"sessionId": name, "userId": "mara", **said})
            self._work()

    def _work(self) -> None:
        """Run what is due by the driven clock: the database's own has not moved."""
        with tenant_scope(self.tenant_id):
            waiting = Job.objects.filter(tenant_id=self.tenant_id, state=JobState.QUEUED, run_after__lte=clock.now())
            waiting.update(run_after=Now())
        jobs.drain("year", tenant_id=self.tenant_id)


def _days(first: date, last: date) -> Iterator[date]:
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def _place(hits: list[dict[str, Any]], words: str) -> int:
    """The rank of the first hit that says it, 0 being the first."""
    return next((rank for rank, hit in enumerate(hits) if words.casefold() in hit["text"].casefold()), MISSING)


@pytest.fixture(scope="module")
def year(database: None) -> Year:
    with time_machine.travel(BEGINS):
        tenant = tenants.create_tenant(slug="a-year", name="A year")
        with tenant_scope(tenant.id):
            agent = tenants.create_agent(slug="assistant")
            key = tenants.create_key(agent_id=agent.id, scopes=tenants.ALL_SCOPES)
    lived = Year(Caller(key.token), tenant.id)
    lived.live()
    return lived


def test_every_night_week_and_month_ran_to_its_end(year):
    days = (ENDS.date() - BEGINS.date()).days
    with tenant_scope(year.tenant_id):
        runs = Entry.objects.filter(tenant_id=year.tenant_id, operation__startswith="maintenance.")
        ran = Counter(runs.values_list("operation", flat=True))
        assert not Job.objects.filter(tenant_id=year.tenant_id, state=JobState.FAILED).exists()
    assert (ran["maintenance.nightly"], ran["maintenance.weekly"], ran["maintenance.monthly"]) == (days, days // 7, 11)


def test_nothing_that_was_said_is_lost(year):
    said = [text for session in STORY["sessions"] for _, text in session["turns"]]
    with tenant_scope(year.tenant_id):
        kept = Resource.objects.filter(tenant_id=year.tenant_id).values_list("raw_content", flat=True)
        assert sorted(kept) == sorted(said)


def test_every_session_is_told_again_by_its_name_as_it_was_said(year):
    for session in STORY["sessions"]:
        name = session["at"][: len("2031-01-06")]
        turns = year.caller.field(REPLAY, session=name)
        assert [each["userInput"] or each["llmOutput"] for each in turns] == [text for _, text in session["turns"]]


@pytest.mark.parametrize("asked", STORY["present"], ids=lambda asked: asked["ask"])
def test_what_holds_now_is_answered(year, asked):
    assert _place(year.recall(asked["ask"]), asked["right"]) < MISSING


@pytest.mark.parametrize(
    "asked", [each for each in STORY["present"] if "stale" in each], ids=lambda asked: asked["ask"]
)
def test_what_held_before_is_not_answered_first(year, asked):
    hits = year.recall(asked["ask"])

    assert _place(hits, asked["right"]) <= _place(hits, asked["stale"])


@pytest.mark.parametrize("asked", STORY["past"], ids=lambda asked: asked["ask"])
def test_what_held_then_is_answered_and_nothing_that_came_later(year, asked):
    hits = year.recall(asked["ask"], validAt=asked["at"])

    assert _place(hits, asked["right"]) == 0
    assert _place(hits, asked["later"]) == MISSING


@pytest.mark.parametrize(("day", "words"), STORY["due"].items())
def test_what_was_announced_falls_due_on_its_day(year, day, words):
    before = str(date.fromisoformat(day) - timedelta(days=1))

    assert words in year.due[day]
    assert words not in year.due[before]


@pytest.mark.parametrize(("day", "words"), STORY["never_due"].items())
def test_what_was_moved_or_cancelled_does_not_fall_due(year, day, words):
    assert words not in year.due[day]


@pytest.mark.parametrize(("day", "words"), STORY["told"].items())
def test_a_session_begins_with_what_holds_by_then(year, day, words):
    said = [each for each in words["says"] if each not in year.told[day]]
    unsaid = [each for each in words["not"] if each in year.told[day]]

    assert (said, unsaid) == ([], [])


def test_a_rule_of_the_first_day_begins_every_session_and_an_order_from_content_none(year):
    later = [told for day, told in year.told.items() if day > str(BEGINS.date())]

    assert len(later) == len(STORY["sessions"]) - 1
    assert all("never push to main" in told.split("~")[0] for told in later)
    assert not any("refund" in told for told in later)


def test_each_time_that_was_announced_has_come_to_its_end(year):
    with time_machine.travel(ENDS):
        found = year.caller.field(TRIGGERS, of={"userId": "mara", "statuses": ["WAITING", "DUE", "SNOOZED", "ENDED"]})

    triggers = [each["node"] for each in found["edges"]]
    assert {each["text"]: f"{each['status']} {each['ending'] or ''}".strip() for each in triggers} == STORY["triggers"]
    assert len(triggers) == len(STORY["triggers"])


def test_the_one_rule_that_was_taught_is_the_one_lesson(year):
    with time_machine.travel(ENDS):
        found = year.caller.field(LESSONS)

    assert [each["node"]["text"] for each in found["edges"]] == STORY["lessons"]


@pytest.mark.parametrize(
    ("day", "category", "words"),
    [(day, category, words) for day, own in STORY["summaries"].items() for category, words in own.items()],
)
def test_a_summary_says_what_holds(year, day, category, words):
    text = year.summed[day][category]

    assert words in text
    assert [each for each in STORY["unsummed"] if each in text] == []


def test_what_is_held_is_summed_up(year):
    with time_machine.travel(ENDS):
        summaries = year.caller.field('{ summaries(userId: "mara") { category version } }')

    assert {each["category"] for each in summaries} >= {"rules-conventions", "behavior"}
    assert all(each["version"] >= 1 for each in summaries)
