"""Asking as an agent, the graph by months, triggers by days, and what was made of memories: what pages show and do."""

import html
import json
import re
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.core import clock, providers
from apps.core.scope import Reach, Scope, tenant_scope
from apps.curation import services as curation
from apps.graph.models import Entity, Mention
from apps.lessons.models import Lesson
from apps.memory.models import Item, ItemUse
from apps.retrieval.models import Recall
from apps.tenants import services
from apps.tenants.access import System
from apps.tenants.models import Policy
from apps.triggers.models import FutureTrigger
from tests.api.conftest import Caller
from tests.cast import MARA

# What is kept depends on no model.
pytestmark = pytest.mark.usefixtures("home", "judge")

DEPLOY = "We deploy the harbour service on Thursdays."
ASKED = "When do we deploy the harbour service?"
HOSTILE = "<script>alert('x')</script> & \"quotes\" <img src=x onerror=alert(1)>"
NOW = clock.now()


@pytest.fixture(scope="session")
def _warm_embedder(database):
    providers.embedder().embed(["warm"])


@pytest.fixture
def visitor(tenant):
    """Somebody logged in who is a member of the tenant in a role."""

    def make(role="operator", there=tenant):
        user = User.objects.create_user(f"{role}-{uuid4().hex[:8]}")
        with tenant_scope(there.id):
            services.add_member(user_id=user.pk, role=role, by=System(there.id))
        made = Client()
        made.force_login(user)
        return made

    return make


@pytest.fixture
def caller(tenant, agent, _warm_embedder):
    """The agent itself, with every scope."""
    with tenant_scope(tenant.id):
        return Caller(services.create_key(agent_id=agent.id, scopes=services.ALL_SCOPES).token)


def remember(caller, text, **fields):
    answer = caller.post("/api/v1/memories", {"text": text, **fields}).json()
    return answer["memory"]["id"]


def ask(browser, question=ASKED, **fields):
    return browser.post("/console/recall/answer/", {"question": question, **fields})


def text_of(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def test_an_answer_shows_hits_arms_the_floor_and_where_the_time_went(visitor, caller):
    remember(caller, DEPLOY)
    remember(caller, "The canteen serves soup.")

    page = text_of(ask(visitor("member")))

    assert DEPLOY in page
    told = ("High relevance", "Relevance floor 0.1%", "Hits here are at least", "Where the time went", "Rank")
    for shown in told:
        assert shown in page
    for arm in ("vector", "keyword"):
        assert f'aria-label="{arm}"' in page
    assert page.index(DEPLOY) < page.index("Hits here are at least")


def test_looking_is_no_use_of_a_memory(visitor, caller, tenant, run_jobs):
    remember(caller, DEPLOY)
    with tenant_scope(tenant.id):
        before = list(ItemUse.objects.values())

    for view in ("hits", "block", "numbers"):
        assert DEPLOY in text_of(ask(visitor(), view=view))
    run_jobs()

    with tenant_scope(tenant.id):
        assert (Recall.objects.count(), list(ItemUse.objects.values())) == (0, before)


def test_the_block_is_what_the_agent_gets(visitor, caller):
    remember(caller, DEPLOY)

    page = ask(visitor(), view="block").content.decode()

    block = caller.post("/api/v1/context", {"query": ASKED}).json()["text"]
    assert re.search(r'<pre class="block"[^>]*>([^<]*)</pre>', page)[1] == block


def test_other_numbers_are_tried_beside_the_present_ones_and_changed_by_nobody(visitor, caller, tenant):
    remember(caller, DEPLOY)

    page = text_of(ask(visitor(), view="numbers", relevance_floor="1"))

    assert "falls out" in page
    assert "1 hits before, 0 after" in page
    with tenant_scope(tenant.id):
        assert Policy.objects.get(tenant_id=tenant.id).relevance_floor == 0.001


def test_numbers_of_a_category_show_what_becomes_of_a_hit_that_ages(visitor, caller):
    remember(caller, DEPLOY, category="work")
    remember(caller, "Tom deploys the harbour service, too.", category="other")

    with time_machine.travel(NOW + timedelta(days=40), tick=False):
        browser = visitor()
        shorter = text_of(ask(browser, view="numbers", category="work", ttl_days="30"))
        faster = text_of(ask(browser, view="numbers", category="work", decay_lambda="0.5"))
        neither = text_of(ask(browser, view="numbers", category="work"))

    assert shorter.count("now stale") == 1
    assert "now stale" not in faster + neither
    before, after = scores_of(faster, DEPLOY)
    assert after < before
    assert len(set(scores_of(neither, DEPLOY))) == 1
    assert 'placeholder="90"' in neither


def scores_of(page, text):
    """Of a hit in Compare: before and after."""
    return [float(score) for score in re.findall(r"<td[^>]*>(0\.\d+)", page[page.index(f">{text}<") :])[:2]]


def test_a_question_is_answered_as_for_the_user_and_the_agent(visitor, caller, tenant, other_agent):
    remember(caller, DEPLOY, user_id=MARA.user_id)
    browser = visitor()

    assert DEPLOY not in text_of(ask(browser, agent="assistant"))
    assert DEPLOY in text_of(ask(browser, agent="assistant", user=MARA.user_id))
    assert DEPLOY not in text_of(ask(browser, user=MARA.user_id, agent=other_agent.slug))


@pytest.mark.parametrize("view", ["hits", "block", "numbers"])
def test_what_was_asked_and_said_is_shown_as_text(visitor, caller, view):
    remember(caller, f"We deploy the harbour service with {HOSTILE}.")

    page = ask(visitor(), f"How do we deploy the harbour service with {HOSTILE}?", view=view).content.decode()

    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"question": ""}, 422),
        ({"question": "   ", "view": "block"}, 422),
        ({"question": "why " * 3_000}, 422),
        ({"profile": "furious"}, 422),
        ({"view": "secrets"}, 422),
        ({"view": "block", "style": "baroque"}, 422),
        ({"view": "numbers", "relevance_floor": "1e9"}, 422),
        ({"view": "numbers", "priority_clamp": "nan"}, 422),
        ({"view": "numbers", "stale_multiplier": "'; DROP TABLE"}, 422),
        ({"view": "numbers", "ttl_days": "30"}, 422),
        ({"view": "numbers", "category": "work", "ttl_days": "0"}, 422),
        ({"view": "numbers", "category": "work", "ttl_days": "a week"}, 422),
        ({"view": "numbers", "category": "work", "decay_lambda": "-1"}, 422),
        ({"view": "numbers", "category": "nosuch", "ttl_days": "30"}, 422),
        ({"agent": "nosuch"}, 404),
        ({"user": "x" * 300}, 422),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(visitor, caller, fields, status):
    answer = ask(visitor(), **{"question": ASKED, **fields})

    assert answer.status_code == status
    assert 'role="alert"' in answer.content.decode()
    assert ("The question is empty" in answer.content.decode()) == (not fields.get("question", ASKED).strip())


def test_what_was_typed_stays_when_it_is_refused(visitor, caller):
    page = text_of(ask(visitor(), view="numbers", relevance_floor="2"))

    assert ASKED in page
    assert 'value="2"' in page
    assert '<details class="more" open>' in page


def test_a_tenant_without_an_agent_says_so(visitor):
    browser = visitor()

    assert "No agent to ask" in text_of(browser.get("/console/recall/"))
    assert "No agent to ask" in text_of(ask(browser))


@pytest.fixture
def mara(caller, tenant, run_jobs):
    """Mara works at Nordwind, which is in Lund; the id of the entity."""
    remember(caller, "Mara Lindqvist works at Nordwind.")
    remember(caller, "The ferry company Nordwind is based in Lund.")
    run_jobs()
    with tenant_scope(tenant.id):
        return Entity.objects.get(tenant_id=tenant.id, canonical_name="Mara Lindqvist").id


def drawn_on(answer):
    return json.loads(html.unescape(re.search(r'data-around="([^"]*)"', answer.content.decode())[1]))


def test_entities_are_found_by_part_of_a_name_and_by_type(visitor, mara):
    browser = visitor("member")

    assert f"/console/graph/{mara}/" in text_of(browser.get("/console/graph/", {"search": "lindq"}))
    assert "Nobody and nothing of that name" in text_of(browser.get("/console/graph/", {"search": "zzz"}))
    assert str(mara) not in text_of(browser.get("/console/graph/", {"type": "place"}))
    assert browser.get("/console/graph/", {"type": "ghost"}).status_code == 422


def test_the_picture_and_the_table_tell_the_same(visitor, mara):
    answer = visitor().get(f"/console/graph/{mara}/")

    drawn, page = drawn_on(answer), text_of(answer)
    assert drawn["nodes"][0] | {"id": "", "url": ""} == {
        "id": "", "name": "Mara Lindqvist", "type": "person", "center": True, "url": "",
    }  # fmt: skip
    assert [tie["says"] for tie in drawn["ties"]] == ["works at"]
    assert f"{len(drawn['ties'])} tie" in page
    assert "works at" in page
    assert page.count("Nordwind") >= 2


def test_months_ago_nothing_of_it_was_known(visitor, mara, tenant):
    with tenant_scope(tenant.id):
        Entity.objects.filter(id=mara).update(first_seen_at=NOW - timedelta(days=120))
    browser = visitor()

    past = browser.get(f"/console/graph/{mara}/", {"back": 2, "view": "known"})

    assert drawn_on(past)["ties"] == []
    assert "Nothing tied to it then" in text_of(past)
    assert 'max="4"' in text_of(past) or 'max="3"' in text_of(past)


@pytest.mark.parametrize("query", [{"back": "x"}, {"back": "99999"}, {"back": "-1"}, {"back": "²"}, {"view": "odd"}])
def test_an_odd_time_is_refused(visitor, mara, query):
    assert visitor().get(f"/console/graph/{mara}/", query).status_code == 422


def test_the_earliest_month_there_is_holds_nothing(visitor, mara):
    assert visitor().get(f"/console/graph/{mara}/", {"back": "9999"}).status_code == 200


def test_a_name_is_shown_as_text(visitor, mara, tenant):
    with tenant_scope(tenant.id):
        Entity.objects.filter(id=mara).update(canonical_name=HOSTILE)

    answer = visitor().get(f"/console/graph/{mara}/")

    assert "<img src=x" not in answer.content.decode()
    assert drawn_on(answer)["nodes"][0]["name"] == HOSTILE


def test_a_hub_takes_no_more_questions_and_is_cut(visitor, mara, tenant, agent):
    browser = visitor()
    with CaptureQueriesContext(connection) as few:
        browser.get(f"/console/graph/{mara}/")
    with tenant_scope(tenant.id):
        (mention,) = Mention.objects.filter(entity_id=mara, unit="item")[:1]
        for number in range(50):
            _spoken_of_beside(mention, f"Guest {number}")
    with CaptureQueriesContext(connection) as many:
        answer = browser.get(f"/console/graph/{mara}/")

    assert len(drawn_on(answer)["nodes"]) == 41
    assert "the closest 40 entities" in text_of(answer)
    assert len(many) <= len(few)


def _spoken_of_beside(mention, name):
    """Another entity that the unit of a mention names."""
    whose = {"tenant_id": mention.tenant_id, "agent_id": mention.agent_id, "visibility": mention.visibility}
    entity = Entity.objects.create(
        **whose, canonical_name=name, name_key=name.lower(), type="person", mention_count=1, first_seen_at=NOW,
        last_seen_at=NOW,
    )  # fmt: skip
    alias = entity.aliases.create(**whose, name=name, name_key=name.lower(), mention_count=1)
    Mention.objects.create(
        **whose, entity=entity, alias=alias, unit=mention.unit, unit_id=mention.unit_id, event_time=NOW,
        valid_from=mention.valid_from, recorded_at=mention.recorded_at,
    )  # fmt: skip


def create(caller, text="Call the bank.", day="2040-06-12", **fields):
    return caller.post("/api/v1/triggers", {"text": text, "day": day, **fields}).json()["id"]


def month_page(browser, **query):
    return browser.get("/console/triggers/", {"month": "2040-06", **query})


def opened(browser, trigger):
    return browser.get(f"/console/triggers/{trigger}/")


def test_a_month_shows_what_falls_due_on_its_days(visitor, caller):
    create(caller)
    browser = visitor("member")

    page = text_of(month_page(browser))

    day = page[page.index("2040-06-12") :]
    assert day.index("Call the bank.") < day.index("2040-06-13")
    assert "June 2040" in page
    assert "month=2040-05" in page
    assert "month=2040-07" in page
    assert "Call the bank." not in text_of(month_page(browser, month="2040-08"))


def test_what_is_done_and_dropped_stays_and_says_so(visitor, caller, tenant):
    kept, dropped = create(caller), create(caller, "Cancel the hall.")
    browser = visitor()

    browser.post(f"/console/triggers/{kept}/done/")
    browser.post(f"/console/triggers/{dropped}/drop/")

    page = text_of(month_page(browser))
    assert 'class="trigger done"' in page
    assert 'class="trigger dismissed"' in page


def test_an_opened_trigger_says_when_it_falls_due_and_who_set_it(visitor, caller):
    trigger = create(caller, recurrence="FREQ=YEARLY")

    told = text_of(opened(visitor("member"), trigger))

    assert "Call the bank." in told
    assert "2040-06-12, all day" in told
    assert "FREQ=YEARLY" in told
    assert "a caller" in told


def test_what_is_no_trigger_is_not_opened(visitor, caller):
    create(caller)

    assert opened(visitor(), uuid4()).status_code == 404


def test_a_trigger_is_put_off(visitor, caller, tenant):
    trigger = create(caller)
    browser = visitor()

    answer = browser.post(f"/console/triggers/{trigger}/snooze/", {"days": "7"}, follow=True)

    assert "Put off for a week." in text_of(answer)
    with tenant_scope(tenant.id):
        row = FutureTrigger.objects.get(id=trigger)
    assert (row.status, row.snoozed_until.date()) == ("snoozed", (clock.now() + timedelta(days=7)).date())
    assert browser.post(f"/console/triggers/{trigger}/snooze/", {"days": "4000"}).status_code == 422


def test_a_member_looks_and_changes_nothing(visitor, caller, tenant):
    trigger = create(caller)
    browser = visitor("member")

    refused = [browser.post(f"/console/triggers/{trigger}/{verb}/").status_code for verb in ("done", "drop")]

    assert refused == [403, 403]
    assert "Put off" not in text_of(opened(browser, trigger))
    assert "Put off" in text_of(opened(visitor(), trigger))
    with tenant_scope(tenant.id):
        assert FutureTrigger.objects.get(id=trigger).status == "waiting"


def test_nobody_of_another_tenant_changes_it(visitor, caller, make_tenant, tenant):
    trigger = create(caller)
    other = visitor("owner", make_tenant())

    assert other.post(f"/console/triggers/{trigger}/done/").status_code == 404
    assert opened(other, trigger).status_code == 404
    assert "Call the bank." not in text_of(month_page(other))


def test_the_words_of_a_trigger_are_shown_as_text(visitor, caller):
    trigger = create(caller, f"Call {HOSTILE}")
    browser = visitor()

    assert "<img src=x" not in month_page(browser).content.decode()
    assert "<img src=x" not in opened(browser, trigger).content.decode()


@pytest.mark.parametrize("month", ["2040-13", "2040-00", "0001-01", "9999-12", "next", "2040-6", "२०४०-०६"])
def test_an_odd_month_is_refused(visitor, month):
    assert month_page(visitor(), month=month).status_code == 422


@pytest.mark.parametrize("month", ["1900-01", "2200-12"])
def test_the_first_and_the_last_month_have_a_page(visitor, month):
    assert month_page(visitor(), month=month).status_code == 200


def test_a_full_month_takes_few_questions_and_says_when_there_is_more(visitor, caller, tenant):
    (first,) = [create(caller)]
    browser = visitor()
    month_page(browser)
    with CaptureQueriesContext(connection) as few:
        month_page(browser)
    with tenant_scope(tenant.id):
        row = FutureTrigger.objects.get(id=first)
        FutureTrigger.objects.bulk_create(
            FutureTrigger(**_copied(row), text=f"Call number {number}.", digest=str(number)) for number in range(320)
        )
    with CaptureQueriesContext(connection) as many:
        page = text_of(month_page(browser))

    assert page.count('class="trigger waiting"') == 300
    assert "there are more than a calendar shows" in page
    questions = [each for each in many.captured_queries if "triggers_future_trigger" in each["sql"]]
    assert len(questions) == 3
    assert len(many) <= len(few) + 3 * 4


def _copied(row):
    names = ("tenant_id", "agent_id", "visibility", "at", "precision", "time_zone", "begins_at")
    return {name: getattr(row, name) for name in names}


def test_a_summary_shows_its_text_its_memories_and_its_versions(visitor, caller, tenant, run_jobs):
    with tenant_scope(tenant.id):
        services.change(Policy.objects.get(tenant_id=tenant.id), {"summary_debounce_seconds": 0})
    remember(caller, DEPLOY, category="operations")
    run_jobs()
    remember(caller, "The harbour office opens at nine o'clock.", category="operations")
    run_jobs()
    browser = visitor("member")

    listed = text_of(browser.get("/console/summaries/"))
    assert "category=operations" in listed
    page = text_of(browser.get("/console/summaries/text/", {"category": "operations"}))
    assert DEPLOY in page
    assert "2 memories it rests on" in page
    versions = text_of(browser.get("/console/summaries/text/", {"category": "operations", "show": "versions"}))
    assert "Version 2" in versions
    assert re.search(r'<p class="added"><ins>[^<]*harbour office', versions)
    asked = {"category": "operations", "show": "versions"}
    file = browser.get("/console/summaries/text/", {**asked, "file": "1"})
    assert file["Content-Type"] == "text/markdown; charset=utf-8"
    assert file["Content-Disposition"] == 'attachment; filename="operations-1.md"'
    assert (DEPLOY in file.content.decode(), "harbour office" in file.content.decode()) == (True, False)
    for odd in ("0", "99", "-1", "x", "1\0", "1" * 5_000):
        assert browser.get("/console/summaries/text/", {**asked, "file": odd}).status_code == 404


@pytest.mark.parametrize(
    ("query", "status"),
    [({"visibility": "odd", "category": "x"}, 422), ({"category": "x" * 300}, 422), ({"agent": "odd"}, 404)],
)
def test_an_odd_summary_is_refused(visitor, caller, query, status):
    assert visitor().get("/console/summaries/text/", query).status_code == status


def test_lessons_are_shown_with_their_words_and_dismissed(visitor, caller, tenant):
    said = remember(caller, "Always answer me in German, please.", user_id=MARA.user_id)
    with tenant_scope(tenant.id):
        item = Item.objects.get(id=said)
        fields = {"tenant_id": tenant.id, "agent_id": item.agent_id, "user_id": MARA.user_id}
        lesson = Lesson.objects.create(**fields, item=item, pattern="rule")
    browser = visitor()

    page = text_of(browser.get("/console/lessons/"))
    assert "in German" in page
    assert "mara" in page
    browser.post(f"/console/lessons/{lesson.id}/dismiss/")

    assert "No lessons here" in text_of(browser.get("/console/lessons/"))
    assert "in German" in text_of(browser.get("/console/lessons/", {"status": "dismissed"}))
    assert browser.get("/console/lessons/", {"status": "odd"}).status_code == 422


@pytest.fixture
def curated(caller, tenant):
    """A line that was promoted by rule."""
    text = f"The shop is deployed with `make deploy`, not with {HOSTILE}."
    remember(caller, text, category="operations", visibility="shared")
    curation.reflect(within=Scope(tenant.id, None, Reach.TENANT))


def test_memory_md_is_shown_by_sections_with_its_address(visitor, curated):
    answer = visitor("member").get("/console/memory-md/")

    page = text_of(answer)
    assert "Operations" in page
    assert "`make deploy`" in page
    assert "git clone http://testserver/git/memory.git" in page
    assert "<img src=x" not in answer.content.decode()


def test_each_commit_shows_what_it_changed(visitor, curated):
    answer = visitor("member").get("/console/memory-md/history/")

    page = text_of(answer)
    assert "Add to operations" in page
    assert "signed" in page
    assert re.search(r'<p class="added"><ins>- \d{4}-\d\d-\d\d: The shop is deployed', page)
    assert "<img src=x" not in answer.content.decode()


def test_an_odd_cursor_is_refused(visitor, curated):
    assert visitor().get("/console/memory-md/history/", {"after": "odd"}).status_code == 422
