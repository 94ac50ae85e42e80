"""The review queue: everything that waits, decided once, and taken back."""

import re
from uuid import uuid4

import pytest

from apps.core import paging, scope
from apps.core.clock import now
from apps.curation.models import CuratedEntry, Proposal
from apps.erasure import services as erasing
from apps.erasure.models import Erasure, ErasureKind
from apps.erasure.requests import Subject
from apps.journal.models import Entry
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from tests.apps.console.conftest import MOST_QUERIES

HARBOUR, CRANE, GATE = (
    "The harbour office opens at nine.",
    "The crane is repaired in March.",
    "The gate of the yard is painted green.",
)
HTMX = {"HX-Request": "true"}


def entries(page):
    """The fields of each entry's form, in order."""
    forms = re.findall(r'<form[^>]*class="decision">(.*?)</form>', page.content.decode(), re.DOTALL)
    return [_fields(form) for form in forms]


def _fields(form):
    given = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)
    fields = {name: value for name, value in given if name != "csrfmiddlewaretoken"}
    seen = [value for name, value in given if name == "seen"]
    return {**fields, "seen": seen} if seen else fields


def decide(browser, entry, decision, **fields):
    return browser.post("/console/review/decide/", {**entry, **fields, "decision": decision}, headers=HTMX)


def undo(browser, page):
    form = re.search(r"<form.*?</form>", page.content.decode(), re.DOTALL)[0]
    return decide(browser, _fields(form), "undo")


def _standing(row):
    return row.verdict, row.status, row.protected, row.confidence, row.last_confirmed_at, row.valid_until


@pytest.fixture
def states(tenant):
    def read():
        with scope.tenant_scope(tenant.id):
            return sorted(Proposal.objects.filter(tenant_id=tenant.id).values_list("text", "state"))

    return read


@pytest.fixture
def queued(operator, propose):
    """The page with one proposal, as its form sends it."""
    propose(HARBOUR)
    (entry,) = entries(operator.get("/console/review/"))
    return entry


def test_a_proposal_is_shown_with_its_task_and_evidence(operator, queued):
    told = operator.get("/console/review/").content.decode()

    assert "Shall every agent know this?" in told
    assert HARBOUR in told
    assert "Evidence (1)" in told
    assert (queued["kind"], queued["version"]) == ("proposal", "1")


@pytest.mark.parametrize(
    ("decision", "fields", "state"),
    [("approve", {}, "approved"), ("reject", {}, "rejected"), ("edit", {"text": GATE, "section": "work"}, "approved")],
)
def test_a_proposal_is_decided_and_the_decision_taken_back(operator, queued, states, tenant, decision, fields, state):
    done = decide(operator, queued, decision, **fields)

    assert done.status_code == 200
    assert "<!DOCTYPE" not in done.content.decode()
    assert states() == [(HARBOUR, state)]
    with scope.tenant_scope(tenant.id):
        assert Proposal.objects.get().decided_by == operator.actor
        assert Entry.objects.filter(operation=f"proposal.{state}", actor=operator.actor).count() == 1

    back = undo(operator, done)
    (again,) = entries(back)
    assert (again["id"], f'data-entry="{queued["id"]}"' in back.content.decode()) == (queued["id"], True)
    assert states() == [(HARBOUR, "queued")]
    assert decide(operator, again, "approve").status_code == 200
    assert states() == [(HARBOUR, "approved")]


def test_who_comes_second_sees_who_decided_what(operator, person_of, tenant, queued, states):
    other = person_of(tenant, "admin")
    decide(other, queued, "approve")

    told = decide(operator, queued, "reject").content.decode()

    assert f"{other.name} decided this before you: approved." in told
    assert "<time" in told
    assert "Undo" not in told
    assert states() == [(HARBOUR, "approved")]


def test_a_held_memory_is_kept_reworded_or_forgotten(operator, learn, item):
    kept, reworded, forgotten = (learn(text, held=True) for text in (HARBOUR, CRANE, GATE))
    first, second, third = entries(operator.get("/console/review/", {"kind": "held"}))

    done = decide(operator, first, "approve")
    decide(operator, second, "edit", text="The crane is repaired in April.")
    gone = decide(operator, third, "reject")

    assert (item(kept).verdict, item(kept).protected) == ("allow", True)
    assert item(reworded).status == "superseded"
    assert item(forgotten).status == "deleted"
    assert entries(operator.get("/console/review/")) == []
    undo(operator, done)
    undo(operator, gone)
    assert (item(kept).verdict, item(kept).protected) == ("hold", False)
    assert (item(forgotten).verdict, item(forgotten).status) == ("hold", "active")


def test_two_people_do_not_decide_on_a_held_memory_twice(operator, person_of, tenant, learn, item):
    held = learn(HARBOUR, held=True)
    (entry,) = entries(operator.get("/console/review/"))
    other = person_of(tenant)
    decide(other, entry, "approve")
    confirmed = item(held)

    told = [decide(operator, entry, verdict, text=GATE).content.decode() for verdict in ("reject", "approve", "edit")]

    assert all(f"{other.name} decided this before you: confirmed." in each for each in told)
    assert (item(held).status, item(held).confidence) == ("active", confirmed.confidence)


@pytest.mark.parametrize(("decision", "holds"), [("approve", 1), ("reject", 0)])
def test_of_two_that_disagree_one_holds(operator, dispute, item, decision, holds):
    pair = dispute("The gate is painted green.", "The gate is painted red.")
    (entry,) = entries(operator.get("/console/review/", {"kind": "contradiction"}))

    decide(operator, entry, decision)

    assert [item(one).protected for one in pair] == [holds == 0, holds == 1]
    assert item(pair[1 - holds]).status == "superseded"
    assert entries(operator.get("/console/review/")) == []


def test_what_was_decided_of_two_that_disagree_is_taken_back(operator, dispute, item):
    pair = dispute("The gate is painted green.", "The gate is painted red.")
    before = [_standing(item(one)) for one in pair]
    (entry,) = entries(operator.get("/console/review/"))

    undo(operator, decide(operator, entry, "approve"))

    assert [_standing(item(one)) for one in pair] == before
    (again,) = entries(operator.get("/console/review/"))
    assert (again["kind"], again["id"]) == (entry["kind"], entry["id"])


def test_what_changed_since_it_was_kept_is_not_taken_back(operator, person_of, tenant, learn, item):
    held = learn(HARBOUR, held=True)
    (entry,) = entries(operator.get("/console/review/"))
    done = decide(operator, entry, "approve")
    other = person_of(tenant)
    other.post("/console/memories/act/", {"action": "confirm", "id": str(held)})
    kept = _standing(item(held))

    told = undo(operator, done).content.decode()

    assert f"{other.name} decided this before you: confirmed." in told
    assert _standing(item(held)) == kept


def test_two_people_do_not_both_forget_one_of_a_pair(operator, person_of, tenant, dispute, item):
    earlier, later = dispute("The gate is painted green.", "The gate is painted red.")
    (entry,) = entries(operator.get("/console/review/"))
    person_of(tenant).post("/console/memories/act/", {"action": "forget", "id": str(later)})

    told = decide(operator, entry, "reject").content.decode()

    assert "decided this before you: forgotten." in told
    assert (item(earlier).protected, item(earlier).status) == (False, "active")


def test_it_works_without_a_script(operator, queued, states):
    done = operator.post("/console/review/decide/", {**queued, "decision": "approve"}, follow=True)

    assert done.redirect_chain == [("/console/review/", 302)]
    assert f"Approved: {HARBOUR}" in done.content.decode()
    assert states() == [(HARBOUR, "approved")]


@pytest.mark.parametrize(
    "given",
    [
        {"decision": "maybe"},
        {"decision": ""},
        {"kind": "nonsense"},
        {"id": "nonsense"},
        {"version": "-1"},
        {"version": "x"},
        {"decision": "edit", "text": "x" * 1_001},
        {"decision": "edit", "text": "Better words.", "section": "nonsense"},
        {"kind": "held"},
        {"kind": "contradiction", "decision": "edit"},
        {"kind": "held", "seen": "nonsense"},
        {"kind": "held", "seen": [f"{uuid4()}:1"] * 3},
    ],
)
def test_what_is_no_decision_is_refused_beside_the_entry(operator, queued, states, given):
    answer = decide(operator, queued, given.pop("decision", "approve"), **given)
    page = operator.post("/console/review/decide/", {**queued, "decision": "nonsense"})

    assert answer["HX-Retarget"] == "find .refusal"
    assert 'role="alert"' in answer.content.decode()
    assert page.status_code == 422
    assert states() == [(HARBOUR, "queued")]


def test_words_are_shown_and_never_run(operator, learn, say_in):
    say_in(learn(CRANE, held=True), "<script>alert('deep')</script> is what the banner of the shop says.")
    (entry,) = entries(operator.get("/console/review/"))

    told = operator.get("/console/review/").content.decode() + decide(operator, entry, "reject").content.decode()

    assert "<script>alert" not in told
    assert told.count("&lt;script&gt;alert(") > 1


def test_another_tenants_entries_are_not_there(stranger, queued, learn, states, item):
    held = learn(CRANE, held=True)
    seen = {"kind": "held", "id": str(held), "seen": [f"{held}:{item(held).change_number}"]}

    assert entries(stranger.get("/console/review/")) == []
    for given in (queued, seen):
        assert "There is no such" in decide(stranger, given, "reject").content.decode()
    assert states() == [(HARBOUR, "queued")]
    assert item(held).status == "active"


@pytest.mark.parametrize("role", ["member", "billing"])
def test_a_role_that_does_not_review_does_not_decide(person_of, tenant, queued, states, role):
    looking = person_of(tenant, role)

    assert looking.get("/console/review/").status_code == 403
    assert decide(looking, queued, "approve").status_code == 403
    assert states() == [(HARBOUR, "queued")]


def test_many_entries_take_no_more_statements(operator, propose, learn, dispute, questions):
    propose(HARBOUR)
    learn(CRANE, held=True)
    dispute("The gate is painted green.", "The gate is painted red.")

    few = questions(operator, "/console/review/")
    for number in range(9):
        learn(f"The dock number {number} belongs to company {number}.", held=True)
    dispute("The roof is made of tin.", "The roof is made of slate.")

    assert len(entries(operator.get("/console/review/"))) == 13
    assert questions(operator, "/console/review/") == few <= MOST_QUERIES


DECIDED = "/console/review/decided/"


def articles(page):
    """The text of each decided proposal, in order."""
    found = re.findall(r'<article class="panel decided".*?</article>', page.content.decode(), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", each).split()) for each in found]


def undo_there(browser, page, **more):
    """Press the first Undo of a page, as a browser without a script does."""
    form = re.search(
        r"<form method=\"post\" action=\"/console/review/decide/\".*?</form>", page.content.decode(), re.DOTALL
    )
    return browser.post("/console/review/decide/", {**_fields(form[0]), "decision": "undo"}, **more)


def test_decided_proposals_are_listed_the_last_decision_first(operator, person_of, tenant, propose, states):
    propose(HARBOUR, CRANE)
    other = person_of(tenant, "admin")
    harbour, crane = entries(operator.get("/console/review/"))
    decide(operator, crane, "edit", text=GATE, section="operations", comment="The crane is gone.")
    decide(other, harbour, "reject")

    last, first = articles(operator.get(DECIDED))

    assert f"Rejected by {other.name}" in last
    assert HARBOUR in last
    assert f"Approved in other words by {operator.name}" in first
    assert (CRANE.rstrip(".") in first, GATE in first, "The crane is gone." in first) == (True, True, True)


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_decision_is_taken_back_long_after(operator, queued, states, decision):
    decide(operator, queued, decision)
    page = operator.get(DECIDED)

    back = undo_there(operator, page, headers={"Referer": f"http://testserver{DECIDED}"}, follow=True)
    again = undo_there(operator, page, headers=HTMX).content.decode()

    assert back.redirect_chain == [(f"http://testserver{DECIDED}", 302)]
    assert "Taken back: it waits again." in back.content.decode()
    assert articles(back) == []
    assert states() == [(HARBOUR, "queued")]
    assert "decided this before you: taken back, it waits again." in again


def test_what_was_decided_by_rule_says_so_and_is_taken_back(operator, propose, states, tenant):
    propose(HARBOUR)
    with scope.tenant_scope(tenant.id):
        Proposal.objects.update(
            state="rejected", reason="low_confidence", decided_by="rules", decided_at=now(), version=2
        )
    page = operator.get(DECIDED)

    (told,) = articles(page)

    assert "Rejected by rules" in told
    assert "because: low confidence" in told
    undo_there(operator, page)
    assert states() == [(HARBOUR, "queued")]


def test_what_cannot_be_taken_back_has_no_button(operator, queued, learn, tenant):
    decide(operator, queued, "approve")
    with scope.tenant_scope(tenant.id):
        CuratedEntry.objects.update(removed=9, removed_at=now(), removed_by="rules", removal="removed")

    (told,) = articles(operator.get(DECIDED))

    assert "Undo" not in told


def test_a_proposal_whose_memories_were_forgotten_tells_no_words(operator, queued, tenant):
    decide(operator, queued, "reject", comment="Not for all.")
    with scope.tenant_scope(tenant.id):
        (memory_id,) = Proposal.objects.get().items
    operator.post("/console/memories/act/", {"action": "forget", "id": str(memory_id)})

    (told,) = articles(operator.get(DECIDED))

    assert "its words with it" in told
    assert (HARBOUR in told, "Undo" in told) == (False, False)


def test_who_may_erase_is_led_to_what_was_decided_on_erasures(operator, person_of, tenant):
    there = 'href="/console/erasures/">with them'

    assert there in person_of(tenant, "admin").get(DECIDED).content.decode()
    assert there not in operator.get(DECIDED).content.decode()


def test_nothing_was_decided_and_a_cursor_that_is_none(operator, queued):
    assert "Nothing was decided yet" in operator.get(DECIDED).content.decode()
    for hostile in ("nothing", "\0", "x" * 2_000, cursor_of_another_order()):
        assert operator.get(DECIDED, {"after": hostile}).status_code == 422


def cursor_of_another_order():
    return paging.encode([now(), uuid4()], order=("created_at", "id"))


def test_decided_proposals_come_page_by_page_and_take_no_more_statements(operator, propose, tenant, questions):
    propose(HARBOUR)
    with scope.tenant_scope(tenant.id):
        held = Proposal.objects.get()
        _decide_copies(held, 1)
    few = questions(operator, DECIDED)
    with scope.tenant_scope(tenant.id):
        _decide_copies(held, 24)

    first = operator.get(DECIDED)
    second = operator.get(DECIDED, {"after": first.context["cut"].end_cursor})

    assert (len(articles(first)), len(articles(second))) == (20, 5)
    assert not set(articles(first)) & set(articles(second))
    assert questions(operator, DECIDED) == few <= MOST_QUERIES


def _decide_copies(held, count):
    for _ in range(count):
        held.pk = uuid4()
        held.text, held.claim = f"The dock {held.pk} is closed.", str(held.pk)
        held.state, held.decided_by, held.decided_at = "rejected", "member:1", now()
        held.save(force_insert=True)


def test_another_tenants_decisions_and_other_roles(operator, stranger, person_of, tenant, queued):
    decide(operator, queued, "approve")

    assert articles(stranger.get(DECIDED)) == []
    assert {person_of(tenant, role).get(DECIDED).status_code for role in ("member", "billing")} == {403}


@pytest.fixture
def erasure(tenant, agent, learn):
    """An erasure of a user that an agent's key asked for and a second person has to approve."""
    learn(HARBOUR, user_id="eve")
    with scope.tenant_scope(tenant.id):
        tenants.change(Policy.objects.get(tenant_id=tenant.id), {"erasure_approval": "second_person"})
        subject = Subject(ErasureKind.USER, user_id="eve")
        asked = erasing.request(subject, erasing.preview(subject).fingerprint, reason="She asked for it.")
    return asked.id


def test_an_erasure_waits_in_the_queue_of_those_who_may_decide_on_it(person_of, tenant, operator, erasure):
    admin = person_of(tenant, "admin")
    page = admin.get("/console/review/", {"kind": "erasure"})
    told = page.content.decode()

    assert [(entry["kind"], entry["id"]) for entry in entries(page)] == [("erasure", str(erasure))]
    assert "Everything of the user eve (memories: 1, messages: 0, sessions: 0, names: 0)" in told
    assert told.count(HARBOUR) == 1
    assert "She asked for it." in told
    assert "Edit" not in told.split("<dialog")[0].split('class="queue"')[1]
    assert entries(operator.get("/console/review/")) == []
    assert "Erasures" not in operator.get("/console/review/").content.decode()


def test_who_asked_for_an_erasure_is_offered_to_take_it_back_and_nothing_else(person_of, tenant, erasure):
    asker, other = person_of(tenant, "admin"), person_of(tenant, "admin")
    with scope.tenant_scope(tenant.id):
        Erasure.objects.update(requested_by=asker.actor, requested_person=asker.actor)

    asked, told = (each.get("/console/review/", {"kind": "erasure"}).content.decode() for each in (asker, other))

    assert ('value="approve"' in asked, "Take it back" in asked) == (False, True)
    assert ('value="approve"' in told, "Take it back" in told) == (True, False)


@pytest.mark.parametrize(("decision", "state"), [("approve", "running"), ("reject", "rejected")])
def test_an_erasure_is_decided_once_and_who_comes_second_is_told(person_of, tenant, erasure, decision, state):
    first, second = person_of(tenant, "admin"), person_of(tenant, "owner")
    (entry,) = entries(first.get("/console/review/", {"kind": "erasure"}))

    done = decide(first, entry, decision).content.decode()
    late = decide(second, entry, "approve").content.decode()

    assert "Undo" not in done
    assert f"{first.name} decided this before you: {'approved' if decision == 'approve' else 'rejected'}." in late
    with scope.tenant_scope(tenant.id):
        row = Erasure.objects.get(id=erasure)
        assert (row.state, row.decided_by) == (state, first.actor)


def test_an_erasure_is_not_edited_and_no_operator_decides_on_it(person_of, tenant, operator, erasure):
    entry = {"kind": "erasure", "id": str(erasure)}

    assert "approved or rejected" in decide(person_of(tenant, "admin"), entry, "edit").content.decode()
    assert "scope" in decide(operator, entry, "approve").content.decode()
    with scope.tenant_scope(tenant.id):
        assert Erasure.objects.get(id=erasure).state == "waiting"
