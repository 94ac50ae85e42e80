"""Every address of the console, opened by those who may not: nobody, a stranger with the right ids, each wrong role.

Chromium opens them as a stranger, too.
"""

import re
from functools import partial

import pytest
from django.test import Client

from apps.api.erasure import handlers as erasing
from apps.api.erasure.contract import ErasureInput, ErasurePreviewInput
from apps.api.gateway import Gateway
from apps.api.simulation import handlers as simulation
from apps.api.simulation.contract import ContextTrialInput, RecallTrialInput
from apps.console import pages
from apps.console.views import memories, review
from apps.console.views.cost import SPLITS
from apps.console.views.recall import VIEWS
from apps.console.views.review import KINDS
from apps.core.scope import tenant_scope
from apps.curation.requests import ReviewDecision
from apps.journal.models import Entry
from apps.memory.models import Item
from apps.tenants.access import Member
from apps.tenants.models import Membership
from memory_platform.errors import Conflict
from memory_platform.model import Status
from tests import console_deeds
from tests.cast import MARA
from tests.console_addresses import NAMES, PAGES, address
from tests.console_deeds import CHANGING_NOTHING, DEEDS, filled_in
from tests.policy import growing
from tests.policy.conftest import NAME, SECRET

WITHOUT_A_PAGE = {"home", "login", "logout", "tenant"}
ROLES = [role.value for role in Membership.Role]
# What replaced a hit is read once more where it was not among the hits itself: what passes, its row, its sources.
OF_SUCCESSORS = 3
POSTED = [page for page in pages.PAGES if page.method == "POST"]
QUESTION = "Where is the safe combination?"


def try_recall(gateway):
    simulation.try_recall(gateway, RecallTrialInput(query=QUESTION, explain=True))


def try_context(gateway):
    simulation.try_context(gateway, ContextTrialInput(query=QUESTION, explain=True))


def find_topic(gateway):
    erasing.begin_preview(gateway, ErasurePreviewInput(topic=QUESTION), typed={})


def request_unseen(gateway):
    with pytest.raises(Conflict):
        erasing.request_erasure(gateway, ErasureInput(user_id=MARA.user_id, fingerprint="0.0"))


# What the addresses of pages ask for besides, each as often as there is something else to show.
ASKED = [
    ("memories", "status=all&kind=fact&category=other&agent=assistant&order=oldest"),
    ("memories", f"user={MARA.user_id}&entity={NAME}"),
    ("sessions", f"agent=assistant&user={MARA.user_id}&since=2020-01-01"),
    ("graph", f"search=mara&type=person&user={MARA.user_id}"),
    ("entity", "back=2&view=known"),
    ("triggers", "month=2040-06"),
    ("summaries", f"agent=assistant&user={MARA.user_id}"),
    ("summary", "agent=assistant&category=other"),
    ("summary", "agent=assistant&category=other&show=versions"),
    ("summary", "agent=assistant&category=other&show=versions&file=1"),
    ("summary", f"agent=assistant&category=other&visibility=shared&user={MARA.user_id}"),
    ("lessons", "status=all"),
    *(("review", f"kind={kind}") for kind in KINDS),
    ("jobs", "state=done&name=memory.observe"),
    ("journal", "operation=memory.remembered&actor=agent:assistant&subject={memory}&since=2020-01-01T00:00"),
    *(("cost", f"by={split}") for split in SPLITS),
    ("recall", "agent=assistant"),
]
VIEWED = {"hits": (try_recall,), "block": (try_context,), "numbers": (try_recall, try_recall)}
RECALLING = {try_recall, try_context, find_topic}
OF_MARA = {"kind": "user", "what": MARA.user_id}
# What pages answer themselves: what is posted, the verbs whose answers are shown and which take more than a page may,
# and the status.
ANSWERED = {
    "no question": ("recall_answer", {"question": ""}, (), 422),
    "a user": ("preview_erasure", OF_MARA, (), 302),
    "a name": ("preview_erasure", {"kind": "entity", "what": NAME}, (), 302),
    "a topic": ("preview_erasure", {"kind": "topic", "what": QUESTION}, (find_topic,), 302),
    "nobody": ("preview_erasure", {"kind": "user", "what": ""}, (), 422),
    "what was not seen": ("request_erasure", {**OF_MARA, "fingerprint": "0.0"}, (request_unseen,), 302),
    "to forget": ("memories_act", {"action": "preview", "id": "{memory}"}, (), 200),
    "no correction": ("memory_correct", {"text": "", "version": "1"}, (), 422),
    "no decision": (
        "review_decide",
        {"kind": "proposal", "id": "{proposal}", "decision": "edit", "version": "1"},
        (),
        422,
    ),
    **{
        view: ("recall_answer", {"question": QUESTION, "view": view, "relevance_floor": "0.2"}, VIEWED[view], 200)
        for view in VIEWS
    },
}


@pytest.fixture
def browser_of(database):
    """Somebody logged in who is a member of a tenant in a role."""
    return growing.member


def opened(client, name, ids):
    method = PAGES[name].method if name in PAGES else "GET"
    return client.generic(method, address(name, ids))


def test_every_address_is_a_page_or_a_door():
    assert WITHOUT_A_PAGE | PAGES.keys() == NAMES
    assert len(PAGES) == len(pages.PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_nobody_is_asked_to_log_in(victim, name):
    answer = opened(Client(), name, victim.ids)

    assert answer.status_code == 302
    assert answer["Location"].startswith("/console/login/?next=")


@pytest.mark.parametrize("name", PAGES)
def test_a_stranger_gets_nothing_with_the_right_ids(victim, make_tenant, browser_of, name):
    before = victim.counts()
    stranger = browser_of(make_tenant().id, "owner")

    answer = opened(stranger, name, victim.ids)

    assert answer.status_code < 500
    if PAGES[name].has_parameters and PAGES[name].method == "GET":
        assert answer.status_code == 404
    told = answer.content.decode()
    assert not [each for each in (SECRET, NAME, str(victim.tenant_id)) if each in told]
    assert victim.counts() == before


@pytest.fixture(scope="module")
def filled(make_victim):
    """A tenant that holds something for every deed, which nobody does."""
    return ready(make_victim())


def ready(held):
    """With the rows that deeds are done to."""
    held.ids |= console_deeds.prepare(held.tenant_id, held.agent_id, held.ids["job"])
    return held


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_a_stranger_changes_nothing_by_a_filled_form_with_the_right_ids(filled, make_tenant, browser_of, deed):
    before = console_deeds.contents(filled.tenant_id)
    stranger = browser_of(make_tenant().id, "owner")

    answer = stranger.post(address(deed.page, filled.ids), deed.filled_in(filled.ids), follow=True)

    assert answer.status_code in {200, 404}, "Nothing lacks in the form."
    told = answer.content.decode()
    assert not [each for each in (SECRET, NAME, str(filled.tenant_id)) if each in told]
    assert console_deeds.contents(filled.tenant_id) == before


def test_there_is_a_deed_for_whatever_can_be_posted():
    acts = {deed.form["action"] for deed in DEEDS.values() if deed.page == "memories_act"}
    decided = {(deed.form["kind"], deed.form["decision"]) for deed in DEEDS.values() if deed.page == "review_decide"}

    assert {deed.page for deed in DEEDS.values()} | CHANGING_NOTHING == {page.name for page in POSTED}
    assert acts == memories._ACTIONS.keys() - {"preview"}
    assert decided >= {("held", each.value) for each in review._ON_HELD}
    assert decided >= {("contradiction", each.value) for each in review._ON_PAIR}
    assert decided >= {("proposal", each.value) for each in ReviewDecision}
    assert decided >= {("erasure", "approve"), ("erasure", "reject")}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_sees_exactly_its_pages(victim, browser_of, role):
    member = browser_of(victim.tenant_id, role)

    seen = {
        name
        for name, page in PAGES.items()
        if page.method == "GET" and opened(member, name, victim.ids).status_code == 200
    }
    refused = {
        name
        for name, page in PAGES.items()
        if role not in page.roles and opened(member, name, victim.ids).status_code == 403
    }

    assert seen == {name for name, page in PAGES.items() if role in page.roles and page.method == "GET"}
    assert refused == {name for name, page in PAGES.items() if role not in page.roles}


@pytest.mark.parametrize("role", ROLES)
def test_everybody_lands_on_a_page_whose_navigation_is_theirs(victim, browser_of, role):
    landed = browser_of(victim.tenant_id, role).get("/console/", follow=True)

    links = set(re.findall(r'href="(/console/[^"?]+/)"', landed.content.decode()))
    assert landed.status_code == 200
    assert links - {"/console/tenant/"} == {f"/console/{page.path}" for page in pages.seen_by(role)}


@pytest.mark.parametrize("name", [*(name for name, page in PAGES.items() if page.method == "GET"), "login", "tenant"])
def test_pages_run_nothing_of_their_own_and_are_kept_by_nobody(victim, browser_of, name):
    answer = opened(browser_of(victim.tenant_id, "owner"), name, victim.ids)

    assert answer["Content-Security-Policy"].startswith("default-src 'self'; img-src")
    assert answer["Cache-Control"] == "no-store"
    told = answer.content.decode()
    inline = re.findall(r"<script(?![^>]*(?:src=|application/json))[^>]*>|<style|\sstyle=|\son\w+=", told)
    assert inline == []


@pytest.fixture(scope="module")
def crowds(make_victim):
    """A tenant that has a few rows of every kind, and one that has many."""
    return growing.grow(make_victim(), growing.FEW), growing.grow(make_victim(), growing.MANY)


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.method == "GET"])
def test_a_page_asks_few_questions_whatever_there_is(crowds, browser_of, name):
    def asked(held):
        owner = browser_of(held.tenant_id, "owner")
        return growing.statements(held, lambda: opened(owner, name, held.ids))

    growing.require_few(*map(asked, crowds))


@pytest.mark.parametrize(("name", "asked"), ASKED)
def test_what_an_address_asks_for_takes_few_statements_whatever_there_is(crowds, browser_of, name, asked):
    def opened_so(held):
        owner = browser_of(held.tenant_id, "owner")
        return growing.statements(held, partial(owner.get, f"{address(name, held.ids)}?{asked.format(**held.ids)}"))

    growing.require_few(*map(opened_so, crowds))


def test_a_summary_that_rests_on_what_was_forgotten_takes_few_statements_too(make_victim, browser_of):
    held = make_victim()
    with tenant_scope(held.tenant_id):
        Item.objects.filter(id=held.ids["memory"]).update(status=Status.DELETED)
    owner = browser_of(held.tenant_id, "owner")

    asked = growing.statements(held, partial(owner.get, f"{address('summary', held.ids)}?category=other"))

    growing.require_few(asked, asked)


@pytest.mark.parametrize("given", ANSWERED)
def test_an_answer_to_a_form_asks_few_questions_whatever_there_is(crowds, browser_of, given):
    """A recall and a request of an erasure ask more than a page may, which statements.json pins: the page asks as few
    as any other beside what its verbs ask when they are called alone.
    """
    name, form, verbs, status = ANSWERED[given]

    def asked(held):
        owner = browser_of(held.tenant_id, "owner")
        answer = partial(owner.post, address(name, held.ids), filled_in(form, held.ids))
        answer()
        return growing.statements(held, answer, status=status)

    def called(held):
        gateway = Gateway(Member(held.tenant_id, 0, "owner", held.agent_id))
        return growing.captured(held, lambda: [verb(gateway) for verb in verbs])

    few, many = map(asked, crowds)
    # Of both, for what verbs leave behind is on the pages that other tests open.
    _, by_verbs = map(called, crowds)
    by_chance = OF_SUCCESSORS * sum(verb in RECALLING for verb in verbs)
    growing.require_few(few, many, most=growing.MOST_STATEMENTS + len(by_verbs), by_chance=by_chance)


@pytest.mark.parametrize("page", POSTED, ids=lambda page: page.name)
def test_an_action_needs_its_token(victim, browser_of, page):
    owner = browser_of(victim.tenant_id, "owner")
    checking = Client(enforce_csrf_checks=True)
    checking.cookies = owner.cookies

    assert checking.post(address(page.name, victim.ids)).status_code == 403


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_an_action_stands_in_the_journal_as_the_persons(make_victim, browser_of, deed):
    held = ready(make_victim())
    owner = browser_of(held.tenant_id, "owner")
    actor = f"member:{owner.session['_auth_user_id']}"

    answer = owner.post(address(deed.page, held.ids), deed.filled_in(held.ids))

    assert answer.status_code in {200, 302}, answer.content.decode()
    with tenant_scope(held.tenant_id):
        theirs = Entry.objects.filter(tenant_id=held.tenant_id, actor=actor)
        assert deed.operation in theirs.values_list("operation", flat=True)
