"""Lessons over the APIs: what a session begins with, the file, the list, and taking one out."""

import pytest

from apps.core.scope import tenant_scope
from apps.lessons.models import Lesson
from apps.memory.models import Item
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from tests.cast import ADAM, MARA

RULE, FACT = "Never deploy on a Friday without asking.", "The harbour office opens at nine."
START = "mutation($input: SessionInput!) { startSession(input: $input) { text sections { name text } } }"
REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { memory { id } } }"
LIST = """query($filter: LessonFilter) { lessons(filter: $filter) {
  edges { node { id text pattern scope heard status userId } } } }"""


@pytest.fixture
def taught(caller, tenant):
    """A lesson of Mara's, and a memory that is none; the lesson's id."""
    for text in (RULE, FACT):
        caller.field(REMEMBER, input={"text": text, "userId": MARA.user_id, "category": "operations"})
    with tenant_scope(tenant.id):
        item = Item.objects.get(tenant_id=tenant.id, text=RULE)
        return str(
            Lesson.objects.create(
                tenant_id=tenant.id, agent_id=item.agent_id, user_id=MARA.user_id, item=item, pattern="rule"
            ).id
        )


def test_a_session_begins_with_lessons_and_says_them_once(caller, taught):
    begun = caller.field(START, input={"sessionId": "chat-1", "userId": MARA.user_id})

    assert [section["name"] for section in begun["sections"]] == ["lessons", "memories"]
    assert begun["text"].startswith(f"# Lessons\n\n## Rules\n- {RULE} (operations; heard once, last on ")
    assert begun["text"].count(RULE) == 1
    assert FACT in begun["text"]
    adams = caller.field(START, input={"sessionId": "chat-2", "userId": ADAM.user_id})
    assert RULE not in adams["text"]


def test_the_file_is_markdown_and_the_list_has_the_ids(caller, taught):
    file = caller.get("/api/v1/lessons.md", user_id=MARA.user_id)

    assert file.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert file.content.decode().startswith("# Lessons\n\n## Rules\n")
    assert caller.field('{ lessonsFile(userId: "mara") { text } }')["text"] == file.content.decode()
    assert caller.get("/api/v1/lessons.md", user_id=ADAM.user_id).content == b""
    assert caller.get("/api/v1/lessons.md", user_id=MARA.user_id, max_tokens=0).status_code == 422
    (edge,) = caller.field(LIST, filter={"userId": MARA.user_id})["edges"]
    assert edge["node"] == {
        "id": taught,
        "text": RULE,
        "pattern": "RULE",
        "scope": "operations",
        "heard": 1,
        "status": "ACTIVE",
        "userId": MARA.user_id,
    }


def test_a_dismissed_lesson_leaves_the_file_and_the_memory_stays(caller, taught):
    gone = caller.post(f"/api/v1/lessons/{taught}/dismiss", {}).json()

    assert gone["status"] == "dismissed"
    assert caller.get("/api/v1/lessons.md", user_id=MARA.user_id).content == b""
    dismissed = caller.field(LIST, filter={"userId": MARA.user_id, "statuses": ["DISMISSED"]})
    assert dismissed["edges"][0]["node"]["id"] == taught
    assert RULE in caller.field(START, input={"sessionId": "chat-1", "userId": MARA.user_id})["text"]


def test_no_stranger_reads_or_dismisses_it(caller, stranger, taught):
    assert stranger.field(LIST, filter={"allUsers": True})["edges"] == []
    refused = stranger.post(f"/api/v1/lessons/{taught}/dismiss", {})
    assert refused.status_code == 404
    assert caller.field(LIST, filter={"userId": MARA.user_id})["edges"][0]["node"]["status"] == "ACTIVE"


def test_how_long_the_file_is_is_the_tenants(caller, taught, tenant):
    for numbers, is_told in (({"lesson_file_tokens": 5}, False), ({"lesson_file_tokens": 500}, True)):
        with tenant_scope(tenant.id):
            tenants.change(Policy.objects.get(tenant_id=tenant.id), numbers)

        assert (RULE in caller.get("/api/v1/lessons.md", user_id=MARA.user_id).content.decode()) is is_told

    assert RULE not in caller.get("/api/v1/lessons.md", user_id=MARA.user_id, max_tokens=5).content.decode()


def test_how_many_lessons_the_file_tells_is_the_tenants(caller, taught, tenant):
    with tenant_scope(tenant.id):
        older = Lesson.objects.get(id=taught)
        item = Item.objects.get(tenant_id=tenant.id, text=FACT)
        Lesson.objects.create(
            tenant_id=tenant.id, agent_id=older.agent_id, user_id=MARA.user_id, item=item, pattern="rule"
        )
        tenants.change(Policy.objects.get(tenant_id=tenant.id), {"lesson_file_lines": 1})

    file = caller.get("/api/v1/lessons.md", user_id=MARA.user_id).content.decode()

    assert (RULE in file, FACT in file) == (False, True)
