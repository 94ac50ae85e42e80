"""Sessions: what a conversation was already given is not repeated unless it changed, and what changed is told once."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core import clock
from apps.core.scope import Reach, Scope, enter, tenant_scope
from apps.memory import services as memory
from apps.memory.models import Item, ItemLink
from apps.memory.requests import ForgetRequest
from apps.memory.services import audience
from apps.memory.services.changes import Changes
from apps.resources import selectors as resources
from apps.resources import services as resource_services
from apps.retrieval.models import Recall
from apps.retrieval.requests import ContextRequest, Filter, RecallRequest
from apps.retrieval.services import context, recall, sessions
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import (
    ContextStyle,
    Message,
    Role,
    SessionChangeKind,
    Status,
    TrustTag,
    Verdict,
    Visibility,
    Whose,
)
from memory_platform.retrieval.context import Omission
from tests.cast import ADAM, MARA

OFFICES = ("Lisbon", "Porto", "Faro", "Braga", "Evora")
QUERY = "Where does Northwind Ferries have a ticket office?"
BOX = "The lock box code is 4711."


@pytest.fixture
def offices(know):
    return [know(f"Northwind Ferries has a ticket office in {place}.") for place in OFFICES]


def ask(within: Scope, query: str | None = QUERY, session: str | None = "chat", **options: object):
    return context(ContextRequest(query=query, session_id=session, **options), within=within)


def find(within: Scope, query: str = QUERY, session: str | None = "chat", **options: object):
    return recall(RecallRequest(query=query, session_id=session, **options), within=within)


def ids(block) -> set:
    return {hit.id for hit in block.included_hits}


def doubt(old, new, within: Scope) -> None:
    with enter(within):
        ItemLink.objects.create(
            tenant_id=within.tenant_id,
            agent_id=within.agent_id,
            kind=ItemLink.Kind.PROBABLY_SUPERSEDED,
            from_item_id=new,
            to_item_id=old,
            reason="test",
        )


def test_a_context_does_not_repeat_what_its_session_has(offices, within: Scope):
    first = ask(within, max_tokens=60)
    second = ask(within)
    third = ask(within)

    assert 0 < len(ids(first)) < 5
    assert ids(first) | ids(second) == set(offices)
    assert ids(first) & ids(second) == set()
    assert (first.available, second.available, third.available) == (5, 5 - len(ids(first)), 0)
    assert (third.text, third.included, third.included_hits) == ("", 0, ())


def test_what_a_recall_gave_is_not_repeated_either(offices, within: Scope):
    given = {hit.id for hit in find(within, limit=2).hits}

    assert ids(ask(within)) == set(offices) - given


def test_another_session_and_none_are_given_everything(offices, within: Scope):
    ask(within)

    assert ids(ask(within, session="other")) == set(offices)
    assert ids(ask(within, session=None)) == set(offices)


def test_the_same_session_id_of_another_agent_or_user_is_another_session(know, within: Scope):
    box = know(BOX, visibility=Visibility.SHARED)
    with tenant_scope(within.tenant_id):
        other = tenants.create_agent(slug="other")
    reach = replace(within, reach=Reach.SHARED)
    query = "What is the lock box code?"

    assert ids(ask(reach, query)) == {box}
    assert ids(ask(reach, query)) == set()
    assert ids(ask(replace(reach, agent_id=other.id), query)) == {box}
    assert ids(ask(replace(reach, whose=Whose(MARA.user_id)), query)) == {box}
    assert ids(ask(replace(reach, whose=Whose(ADAM.user_id)), query)) == {box}


def branch(within: Scope, name: str, *, of: str, turn: int) -> None:
    with enter(within):
        resource_services.branch(resources.session(of), turn=turn, new_session_id=name)


def test_a_branch_has_what_its_parent_was_given_until_that_turn(offices, say, within: Scope):
    early = {hit.id for hit in find(within, limit=1).hits}
    say("Which offices are there?")
    ask(within)
    say("And which of them are open?")
    branch(within, "side", of="chat", turn=1)
    branch(within, "late", of="chat", turn=2)

    assert ids(ask(within, session="side")) == set(offices) - early
    assert ids(ask(within, session="late")) == set()


def test_a_branch_of_a_branch_has_what_both_were_given_until_that_turn(offices, say, within: Scope):
    first = {hit.id for hit in find(within, limit=1).hits}
    say("Which offices are there?")
    branch(within, "side", of="chat", turn=1)
    second = ids(ask(within, session="side", max_tokens=40))
    say("And which of them are open?", session="side")
    ask(within)
    ask(within, session="side")
    branch(within, "deeper", of="side", turn=2)
    branch(within, "early", of="side", turn=1)

    assert first
    assert second
    assert ids(ask(within, session="deeper")) == set(offices) - first - second
    assert ids(ask(within, session="early")) == set(offices) - first


def test_a_branch_is_told_what_changed_since_its_parent_was_given_it(know, say, within: Scope):
    old = know("Harbor runs on PostgreSQL 15.")
    query = "Which PostgreSQL does Harbor run on?"
    ask(within, query)
    say("We shall see to Harbor.")
    branch(within, "side", of="chat", turn=1)
    new = memory.correct(old, "Harbor runs on PostgreSQL 17.", "upgraded", within=within).item.id

    (change,) = ask(within, query, session="side").changed

    assert (change.id, change.replaced_by) == (old, new)
    assert ask(within, query, session="side").changed == ()


def test_repeat_gives_it_again_and_still_says_so(offices, within: Scope):
    ask(within)

    again = ask(within, repeat=True)

    assert ids(again) == set(offices)
    assert (again.available, {hit.already_given for hit in again.included_hits}) == (5, {True})


def test_a_recall_answers_in_full_and_marks_what_its_session_has(offices, within: Scope):
    first = find(within, limit=2)
    with enter(within):
        at = Recall.objects.get(id=first.id).at
    find(within, limit=2)

    hits = find(within, limit=5).hits

    assert [hit.already_given for hit in first.hits] == [False, False]
    assert {hit.id for hit in hits} == set(offices)
    assert {hit.id: hit.given_at for hit in hits if hit.already_given} == {hit.id: at for hit in first.hits}
    assert {hit.given_at for hit in hits if not hit.already_given} == {None}


def test_a_recall_that_is_not_to_repeat_leaves_out_what_its_session_has_and_counts_it(offices, within: Scope):
    first = find(within, limit=2)

    then = find(within, limit=5, repeat=False, explain=True)

    assert {hit.id for hit in then.hits} == set(offices) - {hit.id for hit in first.hits}
    assert [hit.rank for hit in then.hits] == [1, 2, 3]
    assert (first.already_given, then.already_given) == (0, 2)
    assert {one.id for one in then.explanation.left_out} == {hit.id for hit in first.hits}
    assert find(within, limit=5, session="other", repeat=False).already_given == 0


def test_a_recall_tells_once_what_replaced_a_memory_of_its_session(know, within: Scope):
    old = know("Mara keeps her bicycle in the cellar.")
    find(within, "Where does Mara keep her bicycle?")
    new = know("The uncle sold her something from Bohemia.")
    doubt(old, new, within)
    query = "What does Mara like to drink?"

    assert find(within, query, session="other").changed == ()
    (change,) = find(within, query).changed
    assert (change.id, change.replaced_by, change.tag) == (old, new, TrustTag.PROBABLY_SUPERSEDED)
    assert find(within, query).changed == ask(within, query).changed == ()


def test_what_replaced_a_memory_is_given_and_told_once(know, within: Scope):
    old = know("Harbor runs on PostgreSQL 15.")
    query = "Which PostgreSQL does Harbor run on?"
    first = ask(within, query)
    new = memory.correct(old, "Harbor runs on PostgreSQL 17.", "upgraded", within=within).item.id

    elsewhere = ask(within, "What does Mara like to drink?")
    then = ask(within, query)

    (change,) = elsewhere.changed
    assert (change.id, change.text) == (old, "Harbor runs on PostgreSQL 15.")
    assert (change.tag, change.replaced_by) == (TrustTag.SUPERSEDED, new)
    assert change.replacement == "Harbor runs on PostgreSQL 17."
    with enter(within):
        assert change.given_at == Recall.objects.get(id=first.recall_id).at
    assert (first.changed, then.changed) == ((), ())
    assert ids(then) == {new}


def test_what_replaced_a_memory_is_no_news_to_a_session_that_has_it(know, within: Scope):
    old = know("Harbor runs on PostgreSQL 15.")
    query = "Which PostgreSQL does Harbor run on?"
    ask(within, query)
    memory.correct(old, "Harbor runs on PostgreSQL 17.", "upgraded", within=within)
    find(within, query)

    assert ask(within, query).changed == ()


def test_what_has_come_into_doubt_is_given_again_with_its_doubt(know, within: Scope):
    old, new = know("Mara keeps her bicycle in the cellar."), know("The bicycle went to the garage in the yard.")
    query = "Where does Mara keep her bicycle?"
    find(within, query, limit=1)
    ask(within, query)
    doubt(old, new, within)

    then = ask(within, query)

    (hit,) = then.included_hits
    assert (hit.id, hit.tags, hit.already_given) == (old, (TrustTag.PROBABLY_SUPERSEDED,), False)
    assert hit.given_at is not None
    assert ask(within, query).included == 0


def test_a_doubt_names_what_raised_it_to_a_session_that_has_not_seen_it(know, within: Scope):
    old = know("Mara keeps her bicycle in the cellar.")
    ask(within, "Where does Mara keep her bicycle?")
    new = know("The uncle sold her something from Bohemia.")
    doubt(old, new, within)

    (change,) = ask(within, "What does Mara like to drink?").changed

    assert (change.id, change.replaced_by, change.tag) == (old, new, TrustTag.PROBABLY_SUPERSEDED)


def test_another_verdict_is_a_change(know, within: Scope):
    box = know(BOX)
    both = Filter(verdicts=(Verdict.ALLOW, Verdict.HOLD))
    query = "What is the lock box code?"
    ask(within, query)
    with enter(within):
        Item.objects.filter(tenant_id=within.tenant_id, id=box).update(verdict=Verdict.HOLD.value)

    assert ids(ask(within, query, filter=both)) == {box}


def test_the_start_of_a_session_counts_and_explains_what_it_left_out(offices, within: Scope):
    first = ask(within, query=None, max_tokens=60, explain=True)
    second = ask(within, query=None, explain=True)

    considered = first.explanation.left_out
    assert first.explanation.candidates == 5
    assert {each.id for each in considered} == set(offices) - ids(first)
    assert {each.reason for each in considered} == {Omission.BUDGET}
    assert ids(second) == set(offices) - ids(first)
    assert {(each.id, each.reason) for each in second.explanation.left_out} == {
        (each, Omission.ALREADY_GIVEN) for each in ids(first)
    }
    assert ask(within, query=None).explanation is None


def test_what_opened_a_session_is_not_repeated_by_a_question(say, run_jobs, within: Scope):
    say("I moved to Lisbon because of the light.")
    run_jobs()
    opened = ask(within, query=None)

    assert opened.included == 1
    assert ask(within, "Where did I move to?").available == 0


def test_a_context_explains_its_search_and_the_limit(know, within: Scope):
    for place in (*OFFICES, "Sines", "Lagos", "Aveiro", "Tavira", "Olhão", "Viana", "Peniche"):
        know(f"Northwind Ferries has a ticket office in {place}.")

    explained = ask(within, session=None, explain=True).explanation

    assert {"keyword", "vector"} <= {arm.name for arm in explained.arms}
    assert explained.floor > 0
    assert [each.reason for each in explained.left_out] == [Omission.LIMIT, Omission.LIMIT]
    assert all(each.text.startswith("Northwind Ferries has") for each in explained.left_out)


def test_a_recall_explains_what_its_tokens_left_out(offices, within: Scope):
    answer = find(within, limit=5, max_tokens=25, explain=True)

    assert [each.reason for each in answer.explanation.left_out] == [Omission.BUDGET] * 3
    assert {hit.id for hit in answer.hits} | {each.id for each in answer.explanation.left_out} == set(offices)


def test_sections_leave_out_what_the_session_has(offices, within: Scope):
    ask(within, max_tokens=60)
    block = ask(within, style=ContextStyle.SECTIONS, max_tokens=600)

    assert len(ids(block)) == block.included == block.available < 5


def test_a_message_that_was_cut_is_given_again_where_another_part_is_asked_for(say, within: Scope):
    filler = "The ferry was late. "
    say(f"{filler * 6}We chose the red ferry. {filler * 6}The blue lighthouse was sold to a painter. {filler * 6}")

    first = ask(within, "Which ferry was chosen?", max_tokens=320)
    second = ask(within, "Which blue lighthouse was sold to a painter?", max_tokens=320)
    find(within, "Which blue lighthouse was sold to a painter?")

    assert "lighthouse" not in first.text
    assert "lighthouse" in second.text
    assert ask(within, "Which blue lighthouse was sold to a painter?", max_tokens=320).included == 0


def test_only_so_many_hits_are_looked_at(offices, within: Scope):
    with tenant_scope(within.tenant_id):
        tenants.change(Policy.objects.get(tenant_id=within.tenant_id), {"session_given_hits": 3})
    ask(within)

    assert len(ids(ask(within))) == 2


def test_the_past_is_asked_about_without_what_came_later(know, within: Scope):
    old = know("Harbor runs on PostgreSQL 15.")
    ask(within, "Which PostgreSQL does Harbor run on?")
    memory.correct(old, "Harbor runs on PostgreSQL 17.", "upgraded", within=within)

    assert ask(within, "What does Mara like to drink?", as_of=datetime.now(tz=UTC)).changed == ()


def forget(item_id: UUID, within: Scope) -> UUID:
    with enter(within):
        return memory.forget(ForgetRequest(item_ids=(item_id,))).batch_id


def judge(item_id: UUID, opinion: Opinion, within: Scope) -> None:
    with enter(within):
        memory.give_feedback(item_id, opinion)


def archive(item_id: UUID, within: Scope) -> None:
    with enter(within):
        item = Item.objects.get(id=item_id)
        changes = Changes(now=clock.now(), number=audience.lock(audience.of(item)))
        changes.alter(item, "archived", "expired", status=Status.ARCHIVED.value)
        changes.write()


def end(item_id: UUID, within: Scope) -> None:
    with tenant_scope(within.tenant_id):
        tenants.change(Policy.objects.get(tenant_id=within.tenant_id), {"outdated_ends_validity": True})
    judge(item_id, Opinion.OUTDATED, within)


BOX_QUERY = "What is the lock box code?"
ELSEWHERE = "What does Mara like to drink?"


@pytest.mark.parametrize(
    ("happen", "became", "text"),
    [
        (forget, SessionChangeKind.FORGOTTEN, None),
        (partial(judge, opinion=Opinion.WRONG), SessionChangeKind.HELD, BOX),
        (archive, SessionChangeKind.ARCHIVED, BOX),
        (partial(judge, opinion=Opinion.OUTDATED), SessionChangeKind.OUTDATED, BOX),
        (end, SessionChangeKind.OUTDATED, BOX),
    ],
)
def test_a_session_is_told_once_what_became_of_what_it_has(know, within: Scope, happen, became, text):
    box = know(BOX)
    ask(within, BOX_QUERY)
    happen(box, within=within)

    assert find(within, ELSEWHERE, session="other").changed == ()
    (change,) = find(within, ELSEWHERE).changed
    assert (change.id, change.became, change.text) == (box, became, text)
    assert (change.tag, change.replaced_by, change.replacement) == (None, None, None)
    assert find(within, ELSEWHERE).changed == ask(within, ELSEWHERE).changed == ()
    assert ask(within, BOX_QUERY).included == 0


def test_what_became_of_a_memory_before_it_was_given_is_no_news(know, within: Scope):
    box = know(BOX)
    judge(box, Opinion.OUTDATED, within)

    assert ids(ask(within, BOX_QUERY)) == {box}
    assert ask(within, ELSEWHERE).changed == ()


def test_what_comes_back_is_given_again_and_told_of_when_it_goes_again(know, within: Scope):
    box = know(BOX)
    ask(within, BOX_QUERY)
    batch = forget(box, within)
    ask(within, ELSEWHERE)
    with enter(within):
        memory.restore(batch)

    assert ids(ask(within, BOX_QUERY)) == {box}
    assert ids(ask(within, BOX_QUERY)) == set()
    forget(box, within)
    assert [change.id for change in ask(within, ELSEWHERE).changed] == [box]


def test_what_replaced_a_memory_and_is_forgotten_then_is_told_too(know, within: Scope):
    old = know(BOX)
    ask(within, BOX_QUERY)
    new = memory.correct(old, "The lock box code is 4712.", "changed", within=within).item.id
    told = ask(within, ELSEWHERE).changed
    forget(new, within)

    (change,) = ask(within, ELSEWHERE).changed

    assert [each.became for each in told] == [SessionChangeKind.REPLACED]
    assert (change.id, change.became, change.text) == (new, SessionChangeKind.FORGOTTEN, None)


def test_what_became_of_a_memory_is_told_of_once_though_it_is_doubted_too(know, within: Scope):
    old = know("Mara keeps her bicycle in the cellar.")
    ask(within, "Where does Mara keep her bicycle?")
    doubt(old, know("The uncle sold her something from Bohemia."), within)
    judge(old, Opinion.WRONG, within)

    told = [each for _ in range(2) for each in ask(within, ELSEWHERE).changed]

    assert [(each.id, each.became) for each in told] == [(old, SessionChangeKind.HELD)]


def test_what_another_agent_may_no_longer_read_it_is_not_told_of(know, within: Scope):
    box = know(BOX, visibility=Visibility.SHARED)
    with tenant_scope(within.tenant_id):
        other = replace(within, reach=Reach.SHARED, agent_id=tenants.create_agent(slug="other").id)
    assert ids(ask(other, BOX_QUERY)) == {box}
    with enter(within):
        Item.objects.filter(tenant_id=within.tenant_id, id=box).update(visibility=Visibility.PRIVATE.value)
    forget(box, within)

    assert ask(other, ELSEWHERE).changed == ()


def test_the_past_is_asked_about_without_what_was_forgotten_since(know, within: Scope):
    box = know(BOX)
    ask(within, BOX_QUERY)
    forget(box, within)

    assert ask(within, ELSEWHERE, as_of=datetime.now(tz=UTC)).changed == ()


@pytest.fixture
def launched(say):
    say("The launch of Orion is near.", at=datetime(2026, 3, 2, 9, tzinfo=UTC))


@pytest.mark.usefixtures("launched")
def test_a_question_that_leans_on_its_session_is_read_with_its_last_messages(within: Scope):
    sent = find(within, "When is it?", session=None, messages=(Message(Role.USER, "The launch of Orion is near."),))

    assert find(within, "When is it?").rewritten_query == sent.rewritten_query != "When is it?"
    assert find(within, "When is it?", session="other").rewritten_query == "When is it?"
    assert find(within, "When is it?", session=None).rewritten_query == "When is it?"


def read_messages(within: Scope, query: str) -> list[str]:
    return [sql for sql in statements(lambda: find(within, query)) if "resources_resource" in sql and "LIMIT 5" in sql]


def statements(asked) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        asked()
    return [each["sql"] for each in captured.captured_queries]


@pytest.mark.usefixtures("launched")
def test_a_session_costs_a_recall_one_statement_and_its_history_only_where_it_is_needed(within: Scope):
    query = "When is the launch of Orion?"
    find(within, query, session=None)

    without, with_session = (len(statements(lambda s=s: find(within, query, session=s))) for s in (None, "chat"))

    assert with_session == without + 1
    assert [len(read_messages(within, each)) for each in (query, "When is it?")] == [0, 1]


def test_the_statement_reads_the_sessions_index(within: Scope):
    with enter(within), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            "EXPLAIN " + sessions.GIVEN,
            {"tenant": within.tenant_id, "agent": within.agent_id, "user": None, "session": "chat", "limit": 200},
        )
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "retrieval_recall_session" in plan
