"""The pages of memories: found, corrected in their row, confirmed, forgotten and given back."""

import re
from uuid import uuid4

import pytest

from apps.core import scope
from apps.journal.models import Entry
from apps.memory.models import Item
from tests.apps.console.conftest import MOST_QUERIES
from tests.cast import MARA

LUND, BERGEN, CRANE = "Mara lives in Lund.", "The harbour of Bergen is deep.", "The crane belongs to the yard."
HOSTILE = "<script>alert('deep')</script> <img src=x onerror=alert(1)> is what the banner of the shop says."
HTMX = {"HX-Request": "true"}


def ids(page):
    return re.findall(r'id="memory-([0-9a-f-]{36})"', page.content.decode())


def version_in(page):
    return re.search(r'name="version" value="(\d+)"', page.content.decode())[1]


def actors(tenant, operation):
    with scope.tenant_scope(tenant.id):
        return list(Entry.objects.filter(tenant_id=tenant.id, operation=operation).values_list("actor", flat=True))


@pytest.mark.parametrize(
    ("filters", "texts"),
    [
        ({}, {LUND, BERGEN}),
        ({"kind": "fact", "category": "work"}, {LUND}),
        ({"service": "harbour"}, {BERGEN}),
        ({"user": "mara"}, {LUND, BERGEN}),
        ({"user": "eve"}, {BERGEN}),
        ({"agent": "nobody"}, set()),
        ({"agent": "assistant"}, {LUND, BERGEN}),
        ({"status": "held"}, {CRANE}),
        ({"status": "deleted"}, set()),
    ],
)
def test_memories_are_found_by_what_they_are(operator, learn, filters, texts):
    learn(LUND, category="work", user_id=MARA.user_id)
    learn(BERGEN, service="harbour")
    learn(CRANE, held=True)

    told = operator.get("/console/memories/", filters).content.decode()

    assert {text for text in (LUND, BERGEN, CRANE) if f">{text}</a>" in told} == texts


def test_a_page_goes_on_where_the_one_before_ended(operator, learn):
    for number in range(52):
        learn(f"The dock number {number} belongs to company {number}.")

    first = operator.get("/console/memories/")
    there = re.search(r'href="(\?[^"]*after=[^"]+)">Next page', first.content.decode())[1]
    second = operator.get(f"/console/memories/{there}")

    assert (len(ids(first)), len(ids(second))) == (50, 2)
    assert not set(ids(first)) & set(ids(second))


def test_a_memory_is_corrected_in_its_row_as_the_persons_deed(operator, learn, item, tenant):
    wrong = learn(LUND)
    form = operator.get(f"/console/memories/{wrong}/edit/", headers=HTMX)
    given = {"text": "Mara lives in Malmö.", "reason": "She moved.", "version": version_in(form)}

    row = operator.post(f"/console/memories/{wrong}/correct/", given, headers=HTMX)

    (corrected,) = ids(row)
    assert row.status_code == 200
    assert "<!DOCTYPE" not in row.content.decode()
    assert item(corrected).text == "Mara lives in Malmö."
    assert (item(wrong).status, item(wrong).status_reason) == ("superseded", "corrected")
    assert actors(tenant, "memory.correct") == [operator.actor]
    told = operator.get(f"/console/memories/{corrected}/").content.decode()
    assert "Took the place of" in told
    assert "it is archived from" in told
    replaced = operator.get(f"/console/memories/{wrong}/").content.decode()
    assert f"by {operator.name}" in replaced
    assert "it is archived from" not in replaced


def test_who_corrects_what_another_corrected_is_led_to_what_took_its_place(operator, person_of, tenant, learn, item):
    wrong = learn(LUND)
    seen = version_in(operator.get(f"/console/memories/{wrong}/edit/"))
    other = person_of(tenant)
    other.post(f"/console/memories/{wrong}/correct/", {"text": "Lund is a town in Sweden.", "version": seen})

    page = operator.post(f"/console/memories/{wrong}/correct/", {"text": "My own words here.", "version": seen})

    told = page.content.decode()
    assert item(wrong).status == "superseded"
    assert "It says now" not in told
    assert f'<a href="/console/memories/{wrong}/">See what became of it</a>' in told
    assert "My own words here." in told


def test_who_corrects_what_somebody_changed_meanwhile_keeps_their_words(operator, person_of, tenant, learn, item):
    wrong = learn(LUND)
    seen = version_in(operator.get(f"/console/memories/{wrong}/edit/"))
    other = person_of(tenant)
    other.post("/console/memories/act/", {"action": "confirm", "id": str(wrong)})

    page = operator.post(f"/console/memories/{wrong}/correct/", {"text": "My own words here.", "version": seen})

    told = page.content.decode()
    assert page.status_code == 409
    assert "Somebody changed this memory meanwhile" in told
    assert "My own words here." in told
    assert version_in(page) != seen
    assert item(wrong).status == "active"
    with scope.tenant_scope(tenant.id):
        assert Item.objects.filter(tenant_id=tenant.id).count() == 1


@pytest.mark.parametrize(
    ("kind", "label", "state"),
    [
        ("helpful", "Helpful", ("allow", "active")),
        ("wrong", "Wrong", ("hold", "active")),
        ("outdated", "Outdated", ("allow", "stale")),
    ],
)
def test_somebody_says_what_they_think_of_a_memory_and_takes_it_back(operator, learn, item, tenant, kind, label, state):
    held = learn("The harbour office opens at nine.")
    there = f"/console/memories/{held}/"

    operator.post(f"{there}feedback/", {"kind": kind, "note": "The smith told me."})

    assert (item(held).verdict, item(held).status) == state
    pressed = re.findall(r'aria-pressed="true">(\w+)<', operator.get(there).content.decode())
    assert pressed == [label]
    operator.post(f"{there}feedback/", {"kind": ""})
    assert (item(held).verdict, item(held).status) == ("allow", "active")
    assert 'aria-pressed="true"' not in operator.get(there).content.decode()
    with scope.tenant_scope(tenant.id):
        entries = Entry.objects.filter(operation__startswith="memory.feedback_", subject_id=held).order_by("id")
        told = [
            (entry.operation, entry.actor, entry.data) for entry in entries.exclude(operation="memory.feedback_undone")
        ]
    assert told == [
        ("memory.feedback_given", operator.actor, {"kind": kind}),
        ("memory.feedback_withdrawn", operator.actor, {"kind": kind}),
    ]


def test_what_somebody_else_says_of_a_memory_is_not_shown_as_ones_own(operator, person_of, tenant, learn):
    held = learn("The harbour office opens at nine.")
    person_of(tenant).post(f"/console/memories/{held}/feedback/", {"kind": "helpful"})

    assert 'aria-pressed="true"' not in operator.get(f"/console/memories/{held}/").content.decode()


@pytest.mark.parametrize(("role", "kind", "status"), [("member", "wrong", 403), ("operator", "splendid", 422)])
def test_feedback_that_may_not_be_given_changes_nothing(person_of, tenant, learn, item, role, kind, status):
    held = learn("The harbour office opens at nine.")

    answer = person_of(tenant, role).post(f"/console/memories/{held}/feedback/", {"kind": kind})

    assert (answer.status_code, item(held).verdict, item(held).status) == (status, "allow", "active")


def test_a_merge_is_undone_on_the_page_of_its_wording(operator, person_of, learn, item, tenant):
    kept = learn(LUND)
    learn(LUND)
    with scope.tenant_scope(tenant.id):
        wording = Item.objects.get(tenant_id=tenant.id, status_reason="merged")
    there = f"/console/memories/{wording.id}/"
    given = {"action": "unmerge", "id": str(wording.id), "next": there}
    refused = person_of(tenant, "member").post("/console/memories/act/", given)
    assert (refused.status_code, item(wording.id).status) == (403, "superseded")
    assert ">Undo the merge</button>" in operator.get(there).content.decode()
    assert "Undo the merge" not in operator.get(f"/console/memories/{kept}/").content.decode()

    page = operator.post("/console/memories/act/", given, follow=True)

    assert "1 merge undone." in page.content.decode()
    assert "Undo the merge" not in page.content.decode()
    assert (item(wording.id).status, item(kept).merged_count) == ("active", 0)
    assert actors(tenant, "memory.unmerged") == [operator.actor] * 2
    assert "taken back" in operator.get(f"/console/memories/{kept}/").content.decode()
    again = operator.post("/console/memories/act/", given, follow=True).content.decode()
    assert "0 merges undone. 1 could not be: This memory is not merged into another one." in again


def test_marked_ones_are_confirmed_and_the_result_is_told(operator, learn, item, tenant):
    first, second, gone = learn(LUND), learn(BERGEN), learn(CRANE)
    operator.post("/console/memories/act/", {"action": "forget", "id": [str(gone)]})

    page = operator.post(
        "/console/memories/act/", {"action": "confirm", "id": [str(first), str(second), str(gone)]}, follow=True
    )

    assert "2 memories confirmed. 1 could not be: The memory has been superseded or forgotten." in page.content.decode()
    assert (item(first).protected, item(second).protected) == (True, True)
    assert actors(tenant, "memory.confirmed") == [operator.actor] * 2


def test_what_would_be_forgotten_is_shown_first_and_can_be_given_back(operator, learn, item):
    first, second = learn(LUND), learn(BERGEN)
    marked = {"id": [str(first), str(second)], "next": "/console/memories/?status=all"}

    preview = operator.post("/console/memories/act/", {**marked, "action": "preview"}).content.decode()
    assert "Forget 2 memories?" in preview
    assert (item(first).status, item(second).status) == ("active", "active")

    done = operator.post("/console/memories/act/", {**marked, "action": "forget"}, follow=True)
    assert "2 memories forgotten." in done.content.decode()
    assert (item(first).status, item(second).status) == ("deleted", "deleted")
    batch = re.search(r'name="batch" value="([^"]+)"', done.content.decode())[1]

    back = operator.post("/console/memories/give-back/", {"batch": batch}, follow=True)
    assert "2 memories given back." in back.content.decode()
    assert (item(first).status, item(second).status) == ("active", "active")


def test_what_was_forgotten_is_given_back_once_as_the_persons_deed_and_by_nobody_else(
    operator, person_of, stranger, tenant, learn, item
):
    gone = learn(LUND)
    there = operator.post("/console/memories/act/", {"action": "forget", "id": str(gone)})["Location"]
    batch = re.search(r"batch=([0-9a-f-]{36})", there)[1]

    def give_back(browser):
        return browser.post("/console/memories/give-back/", {"batch": batch}).status_code

    assert (give_back(stranger), give_back(person_of(tenant, "member"))) == (404, 403)
    assert item(gone).status == "deleted"
    assert actors(tenant, "memory.restored_batch") == []

    assert give_back(operator) == 302
    assert item(gone).status == "active"
    assert actors(tenant, "memory.restored_batch") == [operator.actor]
    assert give_back(operator) == 409
    assert actors(tenant, "memory.restored_batch") == [operator.actor]


def test_forgotten_ones_that_are_marked_come_back_with_what_went_with_them(operator, learn, item):
    first, second = learn(LUND), learn(BERGEN)
    operator.post("/console/memories/act/", {"action": "forget", "id": [str(first), str(second)]})

    page = operator.post("/console/memories/act/", {"action": "restore", "id": [str(first)]}, follow=True)

    assert "2 memories given back. 1 memory among them had been" in page.content.decode()
    assert (item(first).status, item(second).status) == ("active", "active")


def test_who_only_looks_changes_nothing(person_of, tenant, learn, item):
    looking = person_of(tenant, "member")
    kept = learn(LUND)

    page = looking.get("/console/memories/").content.decode()
    assert LUND in page
    assert 'name="action"' not in page
    assert f"/console/memories/{kept}/edit/" not in page
    assert looking.get(f"/console/memories/{kept}/").status_code == 200
    assert looking.post("/console/memories/act/", {"action": "forget", "id": str(kept)}).status_code == 403
    assert looking.post(f"/console/memories/{kept}/correct/", {"text": "No.", "version": "1"}).status_code == 403
    assert item(kept).status == "active"


def test_words_are_shown_and_never_run(operator, learn, say_in):
    held = learn(LUND, service="<b>bold</b>")
    say_in(held, HOSTILE)

    for there in ("/console/memories/", f"/console/memories/{held}/", f"/console/memories/{held}/edit/"):
        told = operator.get(there).content.decode()
        assert "<script>alert" not in told
        assert "<img src=x" not in told
        assert "&lt;script&gt;alert(&#x27;deep&#x27;)&lt;/script&gt;" in told
    told = operator.get("/console/memories/", {"service": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in told


@pytest.mark.parametrize(
    "filters",
    [
        {"service": "x" * 201},
        {"user": "x" * 5_000},
        {"kind": "nonsense"},
        {"status": "nonsense"},
        {"order": "x"},
        {"id": "1"},
        {"after": "nonsense"},
        {"batch": "nonsense"},
        {"unknown": "1"},
    ],
)
def test_what_is_no_filter_is_refused_with_what_to_do(operator, filters):
    page = operator.get("/console/memories/", filters)

    assert page.status_code == 422
    assert 'role="alert"' in page.content.decode()


def test_a_state_that_there_is_not_is_answered_with_those_there_are(operator):
    for page, states in (("memories", "held, stale"), ("lessons", "superseded, dismissed")):
        assert f"One of {states}" in operator.get(f"/console/{page}/", {"status": "nonsense"}).content.decode()


def test_marks_are_bounded_and_known(operator, learn, item):
    kept = str(learn(LUND))

    for given in (
        {"action": "forget"},
        {"action": "forget", "id": "nonsense"},
        {"action": "nonsense", "id": kept},
        {"action": "forget", "id": [str(uuid4()) for _ in range(101)]},
        {"action": "forget", "id": [kept, str(uuid4())]},
    ):
        assert operator.post("/console/memories/act/", given).status_code in {404, 422}
    assert operator.post("/console/memories/give-back/", {"batch": str(uuid4())}).status_code == 404
    assert operator.post("/console/memories/give-back/", {}).status_code == 422
    there = operator.post("/console/memories/act/", {"action": "confirm", "id": kept, "next": "https://example.org/"})
    assert there["Location"] == "/console/memories/"
    assert item(kept).status == "active"


def test_another_tenants_memory_is_not_there(stranger, learn, item):
    kept = learn(LUND)

    for there in ("", "edit/", "row/"):
        assert stranger.get(f"/console/memories/{kept}/{there}").status_code == 404
    assert stranger.post(f"/console/memories/{kept}/correct/", {"text": "Mine now.", "version": 1}).status_code == 404
    for action in ("preview", "forget"):
        assert stranger.post("/console/memories/act/", {"action": action, "id": str(kept)}).status_code == 404
    page = stranger.post("/console/memories/act/", {"action": "confirm", "id": str(kept)}, follow=True)
    assert "0 memories confirmed. 1 could not be: There is no such memory." in page.content.decode()
    assert LUND not in stranger.get("/console/memories/", {"status": "all", "id": str(kept)}).content.decode()
    assert (item(kept).status, item(kept).protected) == ("active", False)


def test_many_rows_take_no_more_statements(operator, learn, questions):
    learn(LUND)
    few = questions(operator, "/console/memories/")
    for number in range(12):
        learn(f"The dock number {number} belongs to company {number}.", user_id=f"user-{number}")

    assert questions(operator, "/console/memories/") == few <= MOST_QUERIES
