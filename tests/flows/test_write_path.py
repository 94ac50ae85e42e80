"""The write path whole: turns captured, jobs run, a real reader and a real embedder; only the judge is scripted."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.core import scope
from apps.core.paging import PageRequest
from apps.jobs import selectors as jobs
from apps.lessons import selectors as lessons
from apps.memory import selectors
from apps.memory.models import Item, Rejection
from apps.memory.requests import ItemFilter
from apps.resources import services as resources
from apps.resources.services import NewTurn
from memory_platform.model import Appraisal, ClaimRelation

START = datetime(2025, 3, 3, 9, 0, tzinfo=UTC)

CONVERSATION = [
    ("day-1", 0, "Hi there!"),
    ("day-1", 0, "I live in Hamburg and I work at Siemens as an engineer."),
    ("day-1", 0, "What's the weather like?"),
    ("day-1", 0, "My password is hunter2-Correct-Horse and please keep it."),
    ("day-2", 7, "As I said, I work at Siemens as an engineer."),
    ("day-2", 7, "I'm allergic to peanuts."),
    ("day-3", 30, "I no longer live in Hamburg. I live in Berlin now."),
    ("day-3", 30, "[MEMORY:operations:billing] Restart billing after each deploy."),
]

HAMBURG, WORK = "I (Caroline) live in Hamburg", "I (Caroline) work at Siemens as an engineer."
LEFT, BERLIN = "I (Caroline) no longer live in Hamburg.", "I (Caroline) live in Berlin now."
AGAIN = "As I (Caroline) said, I work at Siemens as an engineer."


@pytest.fixture
def told(tenant, agent, run_jobs, judge):
    judge.appraisals["Hi there!"] = Appraisal(0.01, dropped_as="chitchat")
    judge.relations[WORK, AGAIN] = ClaimRelation(same=0.95, distinct=0.05)
    judge.relations.update({(HAMBURG, newer): ClaimRelation(update=0.95, distinct=0.05) for newer in (LEFT, BERLIN)})
    captured = []
    for session, day, text in CONVERSATION:
        with scope.tenant_scope(tenant.id, agent_id=agent.id):
            turn = NewTurn(
                session_id=session, user_input=text, user_id="caroline", speaker="Caroline",
                occurred_at=START + timedelta(days=day),
            )  # fmt: skip
            captured.append(resources.capture(turn))
    run_jobs()
    with scope.tenant_scope(tenant.id, agent_id=agent.id):
        for turn in captured:
            assert {job.state for job in jobs.jobs(turn.job_ids)} == {"done"}
        yield selectors.items(filter=ItemFilter(), page=PageRequest(first=100)).rows


def test_what_matters_is_kept_resolved_and_current(told):
    assert {item.text for item in told if item.slot.subject == "Caroline"} == {
        WORK,
        "I'm (Caroline) allergic to peanuts.",
        LEFT,
        BERLIN,
    }


def test_questions_greetings_and_secrets_are_not(told):
    everything = " ".join(text for text in Item.objects.values_list("text", flat=True))
    everything += " ".join(text for text in Rejection.objects.values_list("text", flat=True))

    assert "hunter2" not in everything
    assert not any(item.text.endswith("?") for item in told)
    assert not any("hi there" in item.text.casefold() for item in told)
    reasons = Rejection.objects.values_list("text", "reason")
    assert {("Hi there!", "chitchat"), ("What's the weather like?", "question")} <= set(reasons)


def test_what_is_said_twice_is_one_item_with_two_sources(told):
    (work,) = [item for item in told if "Siemens" in item.text]

    assert len(work.sources) == 2
    assert {source.said_at.date() for source in work.sources} == {START.date(), (START + timedelta(days=7)).date()}


def test_no_two_claims_are_compared_twice_and_none_with_itself(told, judge):
    asked = [(pair.older, pair.newer) for pair in judge.pairs]

    assert len(asked) == len(set(asked))
    assert all(older != newer for older, newer in asked)


def test_a_marker_names_category_and_service(told):
    (marked,) = [item for item in told if "billing" in item.text.casefold()]

    assert (marked.category, marked.service, marked.base_confidence) == ("operations", "billing", 0.7)


def test_every_item_can_be_explained(told):
    for item in told:
        why = selectors.explain(item.id)
        assert why.versions[0].operation == "stored"
        assert why.item.sources
        assert all(source.quote for source in why.item.sources if source.resource_id == why.item.sources[0].resource_id)


def test_what_a_user_denies_by_name_ends_and_is_a_lesson(tenant, agent, run_jobs, judge):
    wrong, denial = "My supplier is Harlow Timber.", "No, my supplier is not Harlow Timber"
    judge.relations[wrong, denial] = ClaimRelation(same=0.05, correction=0.8, conflict=0.1, distinct=0.05)
    for day, text in enumerate((wrong, f"{denial}, it is Brook & Sons.")):
        with scope.tenant_scope(tenant.id, agent_id=agent.id):
            resources.capture(NewTurn("supplier", user_input=text, occurred_at=START + timedelta(days=day)))
        run_jobs()

    with scope.tenant_scope(tenant.id, agent_id=agent.id):
        current = {item.text for item in selectors.items(filter=ItemFilter(), page=PageRequest()).rows}
        learnt = [(one.pattern, one.text, one.instead_of) for one in lessons.file().lessons]
    assert current == {denial, "it is Brook & Sons."}
    assert learnt == [("correction", denial, wrong)]
