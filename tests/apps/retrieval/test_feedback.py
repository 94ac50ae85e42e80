"""Learning from what an output made of a recall: once, by its own agent, in time, within bounds, and fading."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest
import time_machine
from django.db import connection

from apps.api.flows import capturing
from apps.core import clock
from apps.core.scope import Reach, Scope, enter, tenant_scope
from apps.journal.models import Entry
from apps.memory import selectors as memory_selectors
from apps.memory.models import Item, ItemUse
from apps.resources.services import NewTurn
from apps.retrieval.requests import ContextRequest, RecallRequest
from apps.retrieval.services import context, recall, report_output
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Conflict, NotFound
from memory_platform.model import Message, Role, Sentiment

ALLERGY = "Mara is allergic to penicillin."
FLAT = "Mara rents a small flat above the bakery in the Rua das Flores in Lisbon, on the third floor."
ASKED = "What is Mara allergic to, and what does Mara rent in Lisbon?"
OTHER_WORD = "What is Mara allergic to, and which flat does Mara rent?"
OTHER_QUESTIONS = (
    "What is Mara allergic to, and what does Mara rent?",
    "Which allergic reaction does Mara have above the bakery?",
    "Is Mara allergic to a small flat on the third floor?",
    "Was anybody allergic in the Rua das Flores, Mara for one?",
)
ANSWER = "She is allergic to penicillin, so no antibiotics of that family."


@pytest.fixture
def known(know: Callable[..., UUID]) -> SimpleNamespace:
    return SimpleNamespace(allergy=know(ALLERGY), flat=know(FLAT))


def change_policy(tenant: SimpleNamespace, **fields: object) -> None:
    with tenant_scope(tenant.id):
        tenants.change(Policy.objects.get(tenant_id=tenant.id), fields)


def asked(within: Scope, query: str = ASKED) -> UUID:
    answer = recall(RecallRequest(query=query), within=within)
    assert {hit.text for hit in answer.hits} == {ALLERGY, FLAT}
    return answer.id


def report(within: Scope, recall_id: UUID, output: str = ANSWER) -> tuple[int, int]:
    with enter(within):
        told = report_output(recall_id=recall_id, output=output)
    return told.used, told.ignored


def priority(within: Scope, *items: UUID) -> list[float]:
    with enter(within):
        views = memory_selectors.hydrate(items)
    return [round(views[each].retrieval_priority, 4) for each in items]


def lines(within: Scope, operation: str) -> list[dict[str, object]]:
    with enter(within):
        return list(Entry.objects.filter(operation=operation).order_by("id").values_list("data", flat=True))


def test_a_used_memory_rises_and_an_ignored_dear_one_sinks(known, within):
    recall_id = asked(within)

    assert report(within, recall_id) == (1, 1)

    assert priority(within, known.allergy, known.flat) == [0.1, -0.1]
    assert lines(within, "recall.reported") == [{"used": 1, "ignored": 1}]


def test_an_ignored_memory_that_is_not_dear_sinks_half_as_much(known, within):
    report(within, asked(within), "She rents a flat above the bakery in the Rua das Flores.")

    assert priority(within, known.allergy, known.flat) == [-0.05, 0.1]


def test_confidence_is_not_touched(known, within):
    with enter(within):
        before = list(Item.objects.values_list("id", "confidence", "reinforced_at").order_by("id"))

    report(within, asked(within))

    with enter(within):
        assert list(Item.objects.values_list("id", "confidence", "reinforced_at").order_by("id")) == before


def test_what_was_learnt_enters_the_score(known, within):
    report(within, asked(within))

    found = {hit.id: hit for hit in recall(RecallRequest(query=ASKED), within=within).hits}

    assert found[known.allergy].scores.priority == pytest.approx(1.1, abs=1e-4)
    assert found[known.flat].scores.priority == pytest.approx(0.9, abs=1e-4)


def test_a_second_report_changes_nothing_and_answers_as_the_first(known, within):
    recall_id = asked(within)
    first = report(within, recall_id)

    again = [report(within, recall_id, output) for output in (ANSWER, "In the Rua das Flores in Lisbon.") * 5]

    assert again == [first] * 10
    assert priority(within, known.allergy, known.flat) == [0.1, -0.1]
    assert len(lines(within, "recall.reported")) == 1


def test_asking_the_same_again_and_again_teaches_once(known, within):
    for _ in range(3):
        report(within, asked(within))

    assert priority(within, known.allergy, known.flat) == [0.1, -0.1]


def test_many_reports_at_once_teach_as_much_as_one(known, within):
    """Fails where reports of one agent do not take turns: none would see what the others are about to teach."""
    recall_ids = [asked(within) for _ in range(4)]

    def reported(recall_id):
        try:
            report(within, recall_id)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(reported, recall_ids))

    assert priority(within, known.allergy, known.flat) == [0.1, -0.1]


@pytest.mark.parametrize(
    "query",
    [
        "what is mara allergic to, and what does Mara rent in Lisbon",
        f"{ASKED} (2)",
        f"Please tell me once more, quickly: {ASKED}",
        "In Lisbon, what does Mara rent, and what is she allergic to?",
    ],
)
def test_asking_the_same_in_other_words_teaches_once(known, within, query):
    report(within, asked(within))

    report(within, asked(within, query), "Penicillin: she is allergic to it.")

    assert priority(within, known.allergy, known.flat) == [0.1, -0.1]


def test_the_same_report_on_other_questions_teaches_once(known, within):
    for query in OTHER_QUESTIONS:
        report(within, asked(within, query), f"  {ANSWER.upper()}\n")

    assert priority(within, known.allergy, known.flat) == [0.1, -0.1]


def test_other_questions_teach_more_but_never_past_the_bound(known, within):
    for number, query in enumerate(OTHER_QUESTIONS):
        report(within, asked(within, query), f"{ANSWER} Case {number}.")

    assert priority(within, known.allergy, known.flat) == [0.3, -0.3]


def test_what_was_learnt_fades_by_half_in_a_half_life(known, within):
    report(within, asked(within))
    now = datetime.now(UTC)

    for days, left in ((30, 0.05), (60, 0.025), (900, 0.0)):
        with time_machine.travel(now + timedelta(days=days)):
            assert priority(within, known.allergy) == [pytest.approx(left, abs=0.001)]


def test_a_recall_that_is_too_old_is_refused_and_teaches_nothing(known, within):
    recall_id = asked(within)

    with time_machine.travel(clock.now() + timedelta(hours=25)), pytest.raises(Conflict):
        report(within, recall_id)

    assert priority(within, known.allergy) == [0.0]
    assert report(within, recall_id) == (1, 1)


def test_only_the_agent_that_asked_may_report(known, within, tenant):
    recall_id = asked(within)
    with tenant_scope(tenant.id):
        other = tenants.create_agent(slug="other")

    for reach in (Reach.OWN, Reach.SHARED, Reach.TENANT):
        with pytest.raises(NotFound):
            report(Scope(tenant.id, other.id, reach), recall_id)

    assert priority(within, known.allergy) == [0.0]


def turn(within: Scope, recall_id: UUID | None, *, session: str = "chat"):
    said = NewTurn(session_id=session, user_input=ASKED, llm_output=ANSWER, turn_number=1)
    with enter(within):
        return capturing.capture(said, recall_id=recall_id)


def test_a_captured_answer_is_judged_by_a_job(known, within, run_jobs):
    captured, plain = turn(within, asked(within)), turn(within, None, session="plain")
    assert len(captured.job_ids) == len(plain.job_ids) + 1
    assert priority(within, known.allergy) == [0.0]

    run_jobs()

    assert priority(within, known.allergy, known.flat) == [0.1, -0.1]
    assert lines(within, "recall.reported") == [{"used": 1, "ignored": 1}]


def test_a_captured_answer_and_a_report_teach_once(known, within, run_jobs):
    recall_id = asked(within)
    turn(within, recall_id)
    turn(within, recall_id)
    report(within, recall_id)
    run_jobs()

    assert priority(within, known.allergy) == [0.1]
    assert report(within, recall_id, "nothing") == (1, 1)


def test_another_agents_recall_is_not_judged_by_a_captured_turn(known, within, tenant, run_jobs):
    recall_id = asked(within)
    with tenant_scope(tenant.id):
        other = tenants.create_agent(slug="other")
    thief = Scope(tenant.id, other.id, Reach.SHARED)

    captured = turn(thief, recall_id)
    run_jobs()

    assert len(captured.resource_ids) == 2
    assert priority(within, known.allergy) == [0.0]
    assert len(lines(thief, "recall.report_refused")) == 1


def test_a_turn_is_kept_when_its_recall_is_too_old(known, within, run_jobs):
    recall_id = asked(within)
    with time_machine.travel(clock.now() + timedelta(hours=25)):
        captured = turn(within, recall_id)

    run_jobs()

    assert len(captured.resource_ids) == 2
    assert priority(within, known.allergy) == [0.0]


def test_what_a_session_began_with_is_judged_too(known, within):
    block = context(ContextRequest(query=None, session_id="chat"), within=within)

    assert report(within, block.recall_id) == (1, 1)
    assert priority(within, known.allergy, known.flat) == [0.1, -0.1]


def test_the_numbers_are_the_policys(known, within, tenant):
    change_policy(tenant, feedback_used=0.2, feedback_ignored_expensive=0.0)
    report(within, asked(within))

    assert priority(within, known.allergy, known.flat) == [0.2, 0.0]


def test_a_report_leaves_what_the_first_night_gave(known, within):
    with enter(within):
        ItemUse.objects.create(tenant_id=within.tenant_id, item_id=known.allergy, retrieval_priority=0.1, favoured=True)

    report(within, asked(within))

    assert priority(within, known.allergy) == [0.2]


LAUNCH = "The launch of the shop was a frustrating mess."


@pytest.mark.parametrize(
    ("query", "said", "factor"),
    [
        ("I am so annoyed! How did the launch of the shop go?", None, 1.05),
        ("How did the launch of the shop go?", None, 1.0),
        ("How did the launch of the shop go?", "I am so annoyed!", 1.05),
        ("I am delighted! How did the launch of the shop go?", "I am so annoyed!", 1.0),
    ],
)
def test_the_tone_of_the_question_counts_and_what_was_said_before_where_it_has_none(know, within, query, said, factor):
    item_id = know(LAUNCH)
    messages = (Message(Role.USER, said),) if said else ()
    with enter(within):
        assert memory_selectors.hydrate([item_id])[item_id].sentiment is Sentiment.FRUSTRATED

    (hit,) = recall(RecallRequest(query=query, messages=messages), within=within).hits

    assert hit.scores.sentiment == factor


@pytest.mark.parametrize(("same_from", "learnt"), [(0.75, 0.1), (1.0, 0.2)])
def test_when_a_question_is_the_same_is_the_tenants(known, within, same_from, learnt):
    with tenant_scope(within.tenant_id):
        tenants.change(Policy.objects.get(tenant_id=within.tenant_id), {"feedback_same_question_from": same_from})
    report(within, asked(within))

    report(within, asked(within, OTHER_WORD), "Penicillin: she is allergic to it.")

    assert priority(within, known.allergy) == [learnt]
