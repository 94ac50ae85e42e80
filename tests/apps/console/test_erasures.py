"""Erasing from the console: looked at first, asked for as it was seen, decided by another, proven by a receipt."""

import html
import json
import re
import socket
from contextlib import closing
from uuid import UUID, uuid4

import pytest

from apps.console import erasure_words
from apps.core import scope
from apps.erasure import receipts, services
from apps.erasure.models import Erasure, ErasureState
from apps.erasure.residue import COPY, FILE
from apps.erasure.services import previewing, targets
from apps.erasure.services.running import DATABASE, STEPS
from apps.erasure.tables import RULES
from apps.jobs import services as jobs
from apps.journal.models import Entry
from apps.memory.models import Item
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from tests import cast
from tests.api.conftest import Caller
from tests.apps.console.conftest import MOST_QUERIES

# What is kept depends on no model.
pytestmark = pytest.mark.usefixtures("home", "judge")

PAGE = "/console/erasures/"
EVE, ADAM = cast.EVE.user_id, cast.ADAM.user_id
CELLO, KETTLE, DOG = (
    "I have played the cello since 2011.",
    "The kettle of the office is blue.",
    "My dog Rex has a broken leg and limps.",
)
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


@pytest.fixture
def admin(person_of, tenant):
    return person_of(tenant, "admin")


@pytest.fixture
def work(tenant):
    return lambda: jobs.drain(worker="test", tenant_id=tenant.id)


@pytest.fixture
def say(tenant, agent, work):
    """Have users say something to the agent, and it be learnt from."""
    with scope.tenant_scope(tenant.id):
        tenants.change(Policy.objects.get(tenant_id=tenant.id), {"summary_debounce_seconds": 0})
        key = tenants.create_key(agent_id=agent.id, scopes=tenants.ALL_SCOPES)

    def capture(text, user=EVE, session="s"):
        answer = Caller(key.token).post("/api/v1/capture", {"session_id": session, "user_id": user, "user_input": text})
        assert answer.status_code == 200, answer.content
        work()

    return capture


@pytest.fixture
def held(tenant):
    """How many memories each user has."""

    def count():
        with scope.tenant_scope(tenant.id):
            return sorted(Item.objects.filter(tenant_id=tenant.id).values_list("user_id", flat=True))

    return count


@pytest.fixture
def states(tenant):
    def read():
        with scope.tenant_scope(tenant.id):
            return list(Erasure.objects.filter(tenant_id=tenant.id).order_by("id").values_list("state", flat=True))

    return read


@pytest.fixture
def _two_agree(tenant):
    with scope.tenant_scope(tenant.id):
        tenants.change(Policy.objects.get(tenant_id=tenant.id), {"erasure_approval": "second_person"})


def told(page):
    return html.unescape(page.content.decode())


def form(page):
    """What the form that asks for the previewed erasure sends, but its token."""
    (shown,) = re.findall(r'<form method="post" action="/console/erasures/request/".*?</form>', told(page), re.DOTALL)
    fields = {}
    for name, value in HIDDEN.findall(shown):
        if name != "csrfmiddlewaretoken":
            fields.setdefault(name, []).append(value)
    return fields


def preview(browser, kind, what, **fields):
    """The page that shows what would go, once it is counted; what it says at once where nothing is."""
    return counted(browser, browser.post(f"{PAGE}preview/", {"kind": kind, "what": what, **fields}))


def counted(browser, begun):
    if begun.status_code != 302:
        return begun
    jobs.drain(worker="test", tenant_id=browser.tenant_id)
    return browser.get(begun["Location"])


def ask(browser, kind="user", what=EVE, **fields):
    """Ask for what is previewed; the address of the erasure's page."""
    shown = form(preview(browser, kind, what, **fields))
    answer = browser.post(f"{PAGE}request/", {**shown, "reason": "She asked for it."})
    assert answer.status_code == 302, told(answer)
    return answer["Location"]


def test_what_would_go_is_seen_asked_for_followed_and_proven(admin, say, held, work, tenant):
    say(CELLO)
    say(KETTLE, user=ADAM)

    seen = told(preview(admin, "user", EVE))
    assert f"Everything of the user {EVE}" in seen
    assert CELLO in seen
    assert KETTLE not in seen
    assert "Texts of the search index" in seen

    there = ask(admin)
    running = admin.get(there)
    assert "Asked for: it is erased now." in told(running)
    assert 'data-refresh="3"' in told(running)
    assert "She asked for it." in told(running)
    assert re.search(r'class="present"[^>]*>Closed to every read', told(running))
    work()

    assert admin.get(there, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    over = told(admin.get(there))
    assert "data-refresh" not in over
    assert "genuine</span>" in over
    assert "She asked for it." not in over
    assert over.count('<li class="done"') == len(STEPS) + 1
    assert held() == [ADAM] * len(held()) != []
    listed = told(admin.get(PAGE))
    assert re.search(rf'href="{there}">A user</a>', listed)
    assert admin.name in listed
    with scope.tenant_scope(tenant.id):
        asked = Entry.objects.get(operation="erasure.requested")
        assert asked.actor == admin.actor


def test_a_preview_is_followed_while_it_is_counted(admin, say, work, tenant):
    say(CELLO)
    there = admin.post(f"{PAGE}preview/", {"kind": "user", "what": EVE})["Location"]
    begun = told(admin.get(there))
    preview_id = UUID(there.rstrip("/").rpartition("/")[2])
    with scope.tenant_scope(tenant.id):
        previewing._note(preview_id, services.previewed(preview_id), 7)
    further = told(admin.get(there, headers={"HX-Request": "true"}))
    work()

    assert ('data-refresh="1"' in begun, f"Everything of the user {EVE}" in begun) == (True, True)
    assert [each for each in (CELLO, "Request the erasure") if each in begun] == []
    assert f"Rows of 7 of {len(RULES)} tables are counted." in further
    assert admin.get(there, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    counted = told(admin.get(there))
    assert (CELLO in counted, "data-refresh" in counted) == (True, False)


def test_a_preview_is_over_once_it_was_asked_for(admin, say, tenant):
    say(CELLO)
    there = admin.post(f"{PAGE}preview/", {"kind": "user", "what": EVE})["Location"]
    jobs.drain(worker="test", tenant_id=tenant.id)

    admin.post(f"{PAGE}request/", form(admin.get(there)))

    late = admin.get(there)
    assert (late.status_code, "This preview is over." in told(late)) == (404, True)
    assert admin.get(there, headers={"HX-Request": "true"})["HX-Refresh"] == "true"


@pytest.fixture
def lose_valkey(settings):
    """Have the cache answer nothing from now on."""

    def lose():
        with closing(socket.create_server(("127.0.0.1", 0))) as silent:
            port = silent.getsockname()[1]
        settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": f"redis://127.0.0.1:{port}/0"}}

    return lose


def test_while_valkey_is_down_nothing_is_previewed_and_it_is_said(admin, lose_valkey):
    lose_valkey()

    page = admin.post(f"{PAGE}preview/", {"kind": "user", "what": EVE})

    assert page.status_code == 503
    assert "Valkey, where previews are kept, does not answer. Try again in a moment." in told(page)


def test_what_was_seen_before_valkey_went_down_is_asked_for_all_the_same(admin, say, lose_valkey, states):
    say(CELLO)
    seen = form(preview(admin, "user", EVE))
    lose_valkey()

    assert admin.post(f"{PAGE}request/", seen).status_code == 302
    assert states() == [ErasureState.RUNNING]


def test_the_receipt_is_a_file_that_is_genuine(admin, say, work, tenant, agent):
    say(CELLO)
    there = ask(admin)
    assert admin.get(f"{there}receipt.json").status_code == 404
    work()

    file = admin.get(f"{there}receipt.json")

    name = there.rstrip("/").rpartition("/")[2]
    assert file["Content-Disposition"] == f'attachment; filename="erasure-{name}.json"'
    assert file["Content-Type"] == "application/json"
    with scope.tenant_scope(tenant.id):
        key = tenants.create_key(agent_id=agent.id, scopes=tenants.ALL_SCOPES)
    assert Caller(key.token).post("/api/v1/erasures/verify", {"receipt": json.loads(file.content)}).json()["valid"]


def test_who_stands_behind_it_is_told_of_the_receipt_also_where_an_older_one_does_not_say(admin, say, work, tenant):
    say(CELLO)
    there = ask(admin)
    work()

    behind = f"<dt>Asked for by</dt><dd>{admin.name}</dd>"
    page = told(admin.get(there))
    with scope.tenant_scope(tenant.id):
        row = Erasure.objects.get(tenant_id=tenant.id)
        del row.receipt["signature"], row.receipt["requested"]["person"], row.receipt["removed"][COPY]
        row.receipt = receipts.sign(row.receipt)
        row.save(update_fields=["receipt"])
    older = told(admin.get(there))

    assert (page.count(behind), older.count(behind)) == (2, 1)
    assert "genuine</span>" in older


def test_what_changed_since_it_was_seen_is_not_asked_for_and_is_shown_anew(admin, say, states):
    say(CELLO)
    seen = form(preview(admin, "user", EVE))
    say("I play the harp, too.")

    late = counted(admin, admin.post(f"{PAGE}request/", {**seen, "reason": "She asked for it."}))

    assert "What would go is not what the preview showed." in told(late)
    assert "harp" in told(late)
    assert 'value="She asked for it."' in told(late)
    assert form(late)["fingerprint"] != seen["fingerprint"]
    assert states() == []
    admin.post(f"{PAGE}request/", form(late))
    assert states() == ["running"]


def test_of_several_who_go_by_a_name_one_is_chosen(admin, say, held, work):
    for user in (EVE, ADAM):
        say("My sister Anna works at the bakery in Lund.", user=user)
    both = told(preview(admin, "entity", "Anna"))
    assert "2 go by this name" in both
    of_eve = re.search(rf'of user {EVE}.*?name="entity_id" value="([^"]+)">This one alone', both, re.DOTALL)[1]

    one = preview(admin, "entity", "Anna", entity_id=of_eve)
    assert "Everything about Anna" in told(one)
    assert "All who go by the name Anna" in told(one)
    asked = admin.post(f"{PAGE}request/", form(one))
    running = told(admin.get(asked["Location"]))
    listed = told(admin.get(PAGE))
    work()

    assert ("Everything about Anna" in running, "Everything about Anna" in listed) == (True, True)
    assert held() == [ADAM] * len(held()) != []
    over = told(admin.get(asked["Location"]))
    assert "Somebody or something by name" in over
    assert "Anna" not in over


def test_a_session_is_one_users_where_that_is_said(admin, say):
    say(CELLO, user=EVE)
    say(KETTLE, user=ADAM)

    both, of_eve = (told(preview(admin, "session", "s", **user)) for user in ({}, {"user": EVE}))

    assert CELLO in both
    assert KETTLE in both
    assert f"The session s of the user {EVE}" in of_eve
    assert KETTLE not in of_eve


def test_a_topic_is_asked_for_by_what_its_preview_found(admin, say, held, work):
    say(DOG)
    say(CELLO)
    seen = form(preview(admin, "topic", "the dog with a broken leg", user=EVE))
    assert seen["memory"] or seen["message"]

    there = ask(admin, "topic", "the dog with a broken leg", user=EVE)
    work()

    assert "Memories and messages, named one by one" in told(admin.get(there))
    assert "cello" in told(preview(admin, "user", EVE))
    assert "limps" not in told(preview(admin, "user", EVE))


def test_a_topic_of_which_more_may_be_held_is_to_be_previewed_again(admin, say, work):
    say(DOG)
    say(DOG, user=ADAM)
    topic = {"kind": "topic", "what": "the dog with a broken leg"}

    first = preview(admin, **topic)
    ask(admin, **topic)
    work()

    assert "There may be more about this topic" in told(first)
    assert "There may be more about this topic" not in told(preview(admin, **topic))
    ask(admin, **topic)
    work()
    assert preview(admin, **topic).status_code == 404


@pytest.mark.usefixtures("_two_agree")
def test_another_approves_what_somebody_asked_for(admin, person_of, tenant, say, states, work):
    say(CELLO)
    assert "before somebody else has approved it" in told(preview(admin, "user", EVE))
    there = ask(admin)
    own = told(admin.get(there))
    assert CELLO in own
    assert "Approve: erase for good" not in own
    assert "Take it back" in own
    assert admin.post(f"{there}approve/").status_code == 403
    owner = person_of(tenant, "owner")
    assert "Approve: erase for good" in told(owner.get(there))

    done = owner.post(f"{there}approve/", headers={"Referer": f"http://testserver{there}"}, follow=True)

    assert "Approved: it is being erased." in told(done)
    assert f"{owner.name}, <time" in told(done)
    late = told(admin.post(f"{there}reject/", follow=True))
    assert "does not wait for approval" in late
    work()
    assert states() == [ErasureState.DONE]


@pytest.mark.usefixtures("_two_agree")
def test_what_is_rejected_leaves_everything_and_names_nobody(admin, say, held, states):
    say(CELLO)
    before = held()
    there = ask(admin)

    assert "Rejected: nothing is erased." in told(admin.post(f"{there}reject/", follow=True))

    page = told(admin.get(there))
    assert "Nothing was erased." in page
    assert EVE not in page
    assert f"rejected by {admin.name}" in told(admin.get(PAGE))
    assert (states(), held()) == ([ErasureState.REJECTED], before)
    assert "does not wait" in told(admin.post(f"{there}approve/", follow=True))


@pytest.mark.parametrize("role", ["operator", "member", "billing"])
def test_who_is_no_admin_is_refused_everything(admin, person_of, tenant, say, held, states, role):
    say(CELLO)
    there, before = ask(admin), held()
    other = person_of(tenant, role)

    looks = [
        *(other.get(each).status_code for each in (PAGE, there, f"{there}receipt.json")),
        preview(other, "user", EVE).status_code,
    ]
    does = [other.post(each).status_code for each in (f"{PAGE}request/", f"{there}approve/", f"{there}reject/")]

    assert {*looks, *does} == {403}
    assert (states(), held()) == ([ErasureState.RUNNING], before)


def test_another_tenants_erasure_is_not_found(admin, stranger, say, states, work):
    say(CELLO)
    there = ask(admin)
    work()

    assert stranger.get(there).status_code == 404
    assert stranger.get(f"{there}receipt.json").status_code == 404
    assert stranger.post(f"{there}approve/").status_code == 404
    assert stranger.post(f"{there}reject/").status_code == 404
    assert there not in told(stranger.get(PAGE))
    assert states() == [ErasureState.DONE]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"kind": "user", "what": ""}, 422),
        ({"kind": "planet", "what": EVE}, 422),
        ({"kind": "user", "what": "e\0ve"}, 422),
        ({"kind": "entity", "what": "\0"}, 422),
        ({"kind": "user", "what": "x" * 10_000}, 422),
        ({"kind": "entity", "what": "x" * 1_000}, 422),
        ({"kind": "topic", "what": "x" * 10_000}, 422),
        ({"kind": "user", "what": EVE, "user": ADAM}, 422),
        ({"kind": "session", "what": "s", "user": "x" * 10_000}, 422),
        ({"kind": "entity", "entity_id": "no id"}, 422),
        ({"kind": "entity", "entity_id": str(uuid4())}, 404),
        ({"kind": "entity", "what": "Nobody Of This Name"}, 404),
        ({"kind": "topic", "what": "the far side of the moon"}, 404),
    ],
)
def test_what_cannot_be_previewed_is_told_beside_the_form_and_asks_for_nothing(admin, agent, states, fields, status):
    seen = admin.post(f"{PAGE}preview/", fields)
    asked = admin.post(f"{PAGE}request/", {**fields, "fingerprint": "0.0", "memory": "no id"})

    assert (seen.status_code, 400 <= asked.status_code < 500) == (status, True)
    for page in (seen, asked):
        assert 'role="alert"' in told(page)
        assert 'name="what"' in told(page)
        assert "Request the erasure" not in told(page)
    assert states() == []


def test_an_empty_form_and_a_made_up_fingerprint_ask_for_nothing(admin, states):
    nothing = admin.post(f"{PAGE}request/")
    made_up = admin.post(f"{PAGE}request/", {"kind": "user", "what": EVE, "fingerprint": "x" * 10_000})
    over = counted(admin, admin.post(f"{PAGE}request/", {"kind": "user", "what": EVE, "fingerprint": "1.0"}))
    long = {**form(preview(admin, "user", EVE)), "reason": "x" * 10_000}

    assert "Say whom or what it is about." in told(nothing)
    assert made_up.status_code == 422
    assert "The preview is over." in told(over)
    assert admin.post(f"{PAGE}request/", long).status_code == 422
    assert admin.get(f"{PAGE}?after=%00").status_code == 422
    assert admin.get(f"{PAGE}no-id/").status_code == 404
    assert admin.get(f"{PAGE}{uuid4()}/").status_code == 404
    assert states() == []


def test_nothing_of_somebody_is_said_to_be_nothing_and_proven_all_the_same(admin, work):
    seen = preview(admin, "user", "nobody")
    assert "Nothing is held of this" in told(seen)
    there = admin.post(f"{PAGE}request/", form(seen))["Location"]
    work()

    over = told(admin.get(there))
    assert "Nothing was held of it" in over
    assert "<p>0 rows</p>" in over


def test_what_was_typed_comes_back_as_text(admin):
    hostile = "\"><script>alert('x')</script>"

    page = preview(admin, "user", hostile).content.decode()

    assert hostile not in page
    assert html.escape(hostile) in page


@pytest.mark.usefixtures("_two_agree")
def test_many_erasures_are_listed_in_pages_with_few_questions(admin, questions, say):
    there = ask(admin)
    for number in range(25):
        ask(admin, what=f"user-{number}")

    first = told(admin.get(PAGE))
    further = re.search(r'href="(\?after=[^"]+)">Next page', first)[1]

    assert "user-24" in first
    assert there not in first
    assert there in told(admin.get(f"{PAGE}{further}"))
    assert questions(admin, PAGE) <= MOST_QUERIES
    assert questions(admin, there) <= MOST_QUERIES


def test_everything_an_erasure_tells_by_codes_has_words():
    assert erasure_words.STEPS.keys() == STEPS.keys()
    assert [name for name in (*(rule.table for rule in RULES), "valkey") if not erasure_words.rows(name)] == []
    assert erasure_words.STORES.keys() == {DATABASE, COPY, FILE, "valkey"}
    assert erasure_words.TARGETS.keys() == {each.value for each in targets.ROWS}
    assert erasure_words.place("memory_item.text") == "Memories (text)"
    assert erasure_words.place("neo4j") == "the copy in Neo4j"
