"""What is erased is nowhere, what is not is untouched, and a receipt proves it."""

import json
import shutil
import subprocess
from copy import copy
from datetime import timedelta
from uuid import UUID

import pytest
from django.apps import apps
from django.conf import settings
from django.db import ProgrammingError, connection, transaction
from redis import Redis

from apps.core import erasing
from apps.core.clock import now
from apps.core.ids import new_id
from apps.core.scope import tenant_scope
from apps.curation import projecting
from apps.curation import services as curation
from apps.curation.services import erasing as curated
from apps.erasure import receipts, residue
from apps.erasure import services as erasure
from apps.erasure.models import Erasure, ErasureTarget, Target
from apps.erasure.residue import ResidueSearch
from apps.erasure.results import Scanned
from apps.erasure.services import running
from apps.erasure.tables import RULES
from apps.graph import stores
from apps.graph.models import Alias
from apps.jobs.models import Job
from apps.journal.models import Entry, LogText
from apps.memory.cold import ItemWords, packed
from apps.memory.judging import judged
from apps.memory.models import ColdItem, Item, ItemFeedback, ItemLink
from apps.memory.requests import ForgetRequest
from apps.memory.services.forgetting import forget
from apps.resources.models import Resource, Session
from apps.resources.services import IngestLine, ingest
from apps.retrieval.models import Recall, Recalled
from apps.summaries.models import SummaryVersion
from apps.tenants import services as tenants
from apps.tenants.models import Category, Policy
from apps.triggers.models import FutureTrigger
from memory_platform.adapters.graph_memory import MemoryGraph
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.knowledge.graph import GraphBatch, GraphNode, Node, NodeKind, Stamp
from memory_platform.model import Kind, Visibility
from memory_platform.ports import ClaimPair
from tests.apps.erasure.conftest import ADAM, EVE, MARKS


def rows(world, user):
    """How many rows of the user each table holds."""
    with tenant_scope(world.tenant_id), connection.cursor() as cursor:
        cursor.execute(
            """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id'
               AND a.atttypid = 'varchar'::regtype
               WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"""
        )
        tables = sorted(name for (name,) in cursor.fetchall())
        of_table = "SELECT '{0}', count(*) FROM {0} WHERE user_id = %(user)s"
        cursor.execute(" UNION ALL ".join(map(of_table.format, tables)), {"user": user})
        return {name: held for name, held in cursor.fetchall() if held}


def found(world, *phrases):
    wanted = ResidueSearch(phrases=phrases)
    with tenant_scope(world.tenant_id):
        return (*residue.scan(wanted).found, *residue.scan_valkey(wanted, tenant_id=world.tenant_id).found)


def held(world, *tables):
    """How many rows of the tenant the tables hold."""
    with tenant_scope(world.tenant_id), connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT count(*) FROM {table}" for table in tables))
        return sum(count for (count,) in cursor.fetchall())


@pytest.fixture
def history(world, home):
    """Every commit of the curated memory's repository as text."""
    folder = home / "curated" / f"{world.tenant_id}.git"
    return lambda: subprocess.check_output(["git", "--git-dir", folder, "log", "-p", "--all"], text=True)


def test_everything_of_a_user_is_erased_and_nothing_of_another(world):
    for user in (EVE, ADAM):
        world.fill(user, f"chat-of-{user}")
    before = rows(world, ADAM)
    assert len(before) > 15
    assert found(world, MARKS[EVE]) != ()

    done = world.erase(user_id=EVE)

    assert (done["state"], done["about"], done["residue"]) == ("done", {}, [])
    assert found(world, MARKS[EVE], EVE) == ()
    assert rows(world, EVE) == {}
    assert rows(world, ADAM) == before
    assert world.recalled(f"Who is Anna {MARKS[ADAM]}?", ADAM) != []


def test_the_rules_name_every_table_that_holds_content():
    """A table with erasable columns that no rule names would be left behind."""
    kept = {
        # The erasure's own row, emptied at its end.
        "erasure_erasure"
    }
    holding = {model._meta.db_table for model in apps.get_models() if getattr(model, "ERASABLE", None)}

    assert holding - {rule.table for rule in RULES} - kept == set()


def test_every_table_with_words_is_exported_or_says_what_another_says():
    copies = {
        "graph_alias", "graph_entity", "graph_relation", "index_document", "memory_cold_item", "memory_extraction",
        "memory_item_link", "memory_item_source", "memory_item_version",
    }  # fmt: skip
    held = {
        model._meta.db_table
        for model in apps.get_models()
        if getattr(model, "ERASABLE", frozenset()) - erasing.CALLERS_OWN and model is not Erasure
    }

    assert held - {rule.table for rule in RULES if rule.tells} == copies | {"memory_item", "resources_resource"}


def test_with_a_session_goes_what_was_logged_in_it(world):
    world.post("capture", session_id="first", user_id=EVE, user_input="The crane of the yard is broken.")
    for session in ("first", "second", None):
        world.post("journal", action="called", detail=f"the smith, in {session}", session_id=session, user_id=EVE)
    before = world.post("erasures/preview", session_id="first")

    done = world.erase(session_id="first")

    assert {"name": "journal_log_text", "count": 1} in before["rows"]
    assert done["state"] == "done"
    with tenant_scope(world.tenant_id):
        left = LogText.objects.filter(tenant_id=world.tenant_id).order_by("entry_id")
        assert list(left.values_list("detail", flat=True)) == ["the smith, in second", "the smith, in None"]
        assert Entry.objects.filter(tenant_id=world.tenant_id, operation="agent.logged").count() == 3


def test_what_is_left_of_a_session_in_the_log_is_found(world):
    world.post("journal", action="called", session_id="first", user_id=EVE)
    with tenant_scope(world.tenant_id):
        session = Session.objects.get(tenant_id=world.tenant_id)
        found = residue.scan(ResidueSearch(ids=frozenset({session.id}))).found

    assert "journal_log_text.session_id" in found


def test_a_session_is_erased_and_what_another_says_too_is_kept(world):
    said = "Anna Quillfeather lives in Lisbon."
    for session in ("first", "second"):
        world.post("capture", session_id=session, user_id=EVE, user_input=said)
        world.work()

    done = world.erase(session_id="first")

    assert (done["state"], done["kind"]) == ("done", "session")
    with tenant_scope(world.tenant_id):
        assert list(Session.objects.filter(tenant_id=world.tenant_id).values_list("external_id", flat=True)) == [
            "second"
        ]
    assert any("Lisbon" in text for text in world.recalled("Where does Anna Quillfeather live?", EVE))


def test_a_person_is_erased_from_what_everybody_said(world):
    world.post("capture", session_id="s", user_id=EVE, user_input="Anna Quillfeather works at the bakery in Lund.")
    world.post("capture", session_id="s", user_id=EVE, user_input="I live in a red house.")
    world.work()

    shown = world.post("erasures/preview", entity="Anna Quillfeather")
    done = world.erase(entity="Anna Quillfeather")

    assert [each["name"] for each in shown["entities"]] == ["Anna Quillfeather"]
    assert done["state"] == "done"
    assert found(world, "Quillfeather") == ()
    assert any("red house" in text for text in world.recalled("Where do I live?", EVE))


def test_a_name_is_erased_whoever_says_it_also_after_it_was_asked_for(world):
    """Another agent of the same user, a user of that name, a session and a category called so."""
    other = world.key("read", "write")
    told = "Anna Quillfeather works at the bakery in Lund."
    for token in (world.token, other):
        world.send("post", "capture", {"session_id": "s", "user_id": "anna", "user_input": told}, token=token)
    world.post("capture", session_id="to anna quillfeather", user_id="anna", user_input="I live in a red house.")
    world.work()
    (one, *_) = world.post("erasures/preview", entity="Anna Quillfeather")["entities"]
    with tenant_scope(world.tenant_id):
        Alias.objects.filter(tenant_id=world.tenant_id, entity_id=one["id"]).update(name="Work")
        Item.objects.filter(tenant_id=world.tenant_id).update(category="work")
    asked = world.ask(entity_id=one["id"])
    assert asked["about"] == {"entity_id": one["id"], "entity": "Anna Quillfeather"}
    world.post("capture", session_id="s", user_id="anna", user_input="Anna Quillfeather has a dog.")
    world.work()

    assert world.get(f"erasures/{asked['id']}")["state"] == "done"
    assert found(world, "bakery", "has a dog") == ()
    assert any("red house" in text for text in world.recalled("Where do I live?", "anna"))


def test_two_workers_that_finish_the_same_erasure_sign_one_receipt(world):
    world.post("memories", text="The kettle is red.", user_id=EVE)
    asked = world.ask(user_id=EVE)
    with tenant_scope(world.tenant_id):
        slow = running._run_of(Erasure.objects.get(tenant_id=world.tenant_id), world.within)
    world.work()
    receipt = world.get(f"erasures/{asked['id']}")["receipt"]

    assert running._closed(slow) == {"done": 0}
    assert world.get(f"erasures/{asked['id']}")["receipt"] == receipt


def test_what_is_asked_for_twice_is_done_twice(world):
    world.fill(EVE, "chat")
    first, second = world.ask(user_id=EVE), world.ask(user_id=EVE)

    world.work()

    done = [world.get(f"erasures/{each['id']}") for each in (first, second)]
    assert [each["state"] for each in done] == ["done", "done"]


def test_what_is_found_again_is_erased_by_steps_that_are_done_once_more(world, monkeypatch):
    world.fill(EVE, "chat")
    scans = iter([Scanned(found=("memory_item.text",))])
    monkeypatch.setattr(residue, "scan", lambda wanted, scan=residue.scan: next(scans, None) or scan(wanted))
    assert world.erase(user_id=EVE)["state"] == "running"

    with tenant_scope(world.tenant_id):
        Job.objects.filter(tenant_id=world.tenant_id).update(run_after=now())
    world.work()

    assert [each["state"] for each in world.get("erasures")["items"]] == ["done"]


def test_the_journal_tells_of_looking_of_keys_that_go_and_of_what_was_found_again(world, monkeypatch):
    with tenant_scope(world.tenant_id):
        key = tenants.create_key(agent_id=world.agent_id, scopes=["read"], user_id=EVE).key
    world.post("memories", text="The kettle is red.", user_id=EVE)
    scans = iter([Scanned(found=("memory_item.text",))])
    monkeypatch.setattr(residue, "scan", lambda wanted, scan=residue.scan: next(scans, None) or scan(wanted))

    world.erase(user_id=EVE)
    with tenant_scope(world.tenant_id):
        Job.objects.filter(tenant_id=world.tenant_id).update(run_after=now())
    world.work()

    with tenant_scope(world.tenant_id):
        told = Entry.objects.filter(tenant_id=world.tenant_id)
        assert told.filter(operation="erasure.previewed").count() == 1
        assert told.get(operation="key.erased").subject_id == key.id
        assert told.get(operation="erasure.residue").data == {"found": ["memory_item.text"]}
        assert told.filter(operation="erasure.done").count() == 1


def test_what_a_user_says_after_an_erasure_is_kept(world):
    world.fill(EVE, "chat")
    asked = world.ask(user_id=EVE)
    world.work()
    world.post("capture", session_id="chat", user_id=EVE, user_input="I moved to Bergen.")
    world.work()

    assert world.get(f"erasures/{asked['id']}")["state"] == "done"
    assert any("Bergen" in text for text in world.recalled("Where did I move?", EVE))


def test_a_request_needs_the_preview_of_what_is_there(world):
    seen = world.post("erasures/preview", user_id=EVE)["fingerprint"]
    world.post("memories", text="The kettle is red.", user_id=EVE)

    for fingerprint in (seen, "0.0", "no-number", f"{10**30}.{'0' * 64}", f"{seen[:-1]}é", "٣.0"):
        refused = world.send("post", "erasures", {"user_id": EVE, "fingerprint": fingerprint})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "CONFLICT")


def test_where_two_must_agree_nobody_approves_what_they_asked_for(world):
    with tenant_scope(world.tenant_id):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"erasure_approval": "second_person"})
    world.post("memories", text="The kettle is red.", user_id=EVE)
    asked = world.ask(user_id=EVE)
    world.work()
    assert asked["state"] == "waiting"
    assert world.recalled("What colour is the kettle?", EVE) != []

    own = world.send("post", f"erasures/{asked['id']}/approve")
    made = world.post("keys", agent_id="helper", scopes=["admin"])["token"]
    by_own_key = world.send("post", f"erasures/{asked['id']}/approve", token=made)
    nobodys = world.key("admin", agent="first", by="command")
    by_nobodys = world.send("post", f"erasures/{asked['id']}/approve", token=nobodys)
    assert (own.status_code, by_own_key.status_code, by_nobodys.status_code) == (403, 403, 403)
    assert "nobody can say whose hands it is in" in by_nobodys.json()["error"]["message"]
    assert world.get(f"erasures/{asked['id']}")["state"] == "waiting"

    other = world.key("admin")
    queues = [
        world.send("get", "review-queue", token=key, user=user).json()["items"]
        for key, user in ((other, None), (other, ADAM), (world.key("review", agent="reviewer"), None))
    ]
    assert [[entry["id"] for entry in queue if entry["kind"] == "erasure"] for queue in queues] == [
        [asked["id"]],
        [],
        [],
    ]
    for_another = world.send("post", f"erasures/{asked['id']}/approve", token=other, user=ADAM)
    approved = world.send("post", f"erasures/{asked['id']}/approve", token=other)
    again = world.send("post", f"erasures/{asked['id']}/reject", token=other)
    world.work()

    assert (for_another.status_code, approved.status_code, again.status_code) == (404, 200, 409)
    done = world.get(f"erasures/{asked['id']}")
    people = [done["receipt"][act]["person"] for act in ("requested", "decided")]
    assert (done["state"], done["receipt"]["decided"]["actor"], people) == ("done", "agent", ["system", "member:7"])
    assert world.recalled("What colour is the kettle?", EVE) == []


def test_who_looks_for_a_topic_uses_nothing_and_leaves_no_words(world):
    world.post("capture", session_id="s", user_id=EVE, user_input="My dog Rex has a broken leg and limps.")
    world.work()

    seen = world.post("erasures/preview", topic="the dog with a broken leg", user_id=EVE)
    world.work()

    assert seen["memory_ids"]
    with tenant_scope(world.tenant_id):
        assert not Recall.objects.filter(tenant_id=world.tenant_id).exists()
    assert world.get(f"memories/{seen['memory_ids'][0]}")["access_count"] == 0


def test_a_name_that_the_graph_does_not_know_is_to_be_looked_for_as_a_topic(world):
    answered = world.send("post", "erasures/preview", {"entity": "Nobody Atall"})

    assert answered.status_code == 404
    assert "topic" in answered.json()["error"]["hint"]


def test_a_topic_is_searched_once_and_what_was_seen_is_what_goes(world):
    dog, boat = "My dog Rex has a broken leg and limps.", "I keep my sailing boat in the harbour of Oslo."
    for text in (dog, boat):
        world.post("capture", session_id="s", user_id=EVE, user_input=text)
    world.post("capture", session_id="s", user_id=ADAM, user_input="My dog Bello has a broken leg, too.")
    world.post("capture", session_id="s", user_input="The dog Fido of the office has a broken leg.")
    world.work()

    seen = world.post("erasures/preview", topic="the dog with a broken leg", user_id=EVE)
    assert any("Rex" in each["text"] for each in seen["samples"])
    world.post("capture", session_id="later", user_id=EVE, user_input="The broken leg of my dog Rex has healed.")
    world.work()
    named = {"memory_ids": seen["memory_ids"], "message_ids": seen["message_ids"]}
    asked = world.post("erasures", **named, fingerprint=seen["fingerprint"])
    world.work()

    assert world.get(f"erasures/{asked['id']}")["state"] == "done"
    assert found(world, "limps") == ()
    assert (found(world, "Bello") != (), found(world, "Fido") != ()) == (True, True)
    assert any("harbour" in text for text in world.recalled("Where is my boat?", EVE))
    assert any("healed" in text for text in world.recalled("How is my dog Rex?", EVE))


def test_a_topic_tells_that_there_may_be_more_until_all_of_it_is_gone(world):
    dogs = {name: f"My dog {name} has a broken leg and limps." for name in ("Rex", "Bello", "Fido")}
    for text in dogs.values():
        world.post("capture", session_id="s", user_id=EVE, user_input=text)
    world.post("capture", session_id="s", user_id=EVE, user_input="I keep my sailing boat in the harbour of Oslo.")
    world.work()
    topic = {"topic": "the dog with a broken leg", "user_id": EVE}

    assert world.post("erasures/preview", **topic)["truncated"] is False
    while (seen := world.post("erasures/preview", **topic, first=2))["truncated"]:
        named = {"memory_ids": seen["memory_ids"], "message_ids": seen["message_ids"]}
        world.post("erasures", **named, fingerprint=seen["fingerprint"])
        world.work()

    assert [name for name in dogs if found(world, name)] == [name for name in dogs if name in str(seen["samples"])]
    assert world.post("erasures/preview", user_id=EVE)["truncated"] is False


@pytest.mark.parametrize(
    "asked",
    [
        {"topic": "the moon"},
        {"topic": "dogs", "session_id": "s"},
        {"topic": "dogs", "memory_ids": [str(new_id())]},
        {"topic": ""},
        {"topic": "x" * 9_000},
        {"message_ids": [str(new_id())]},
        {"memory_ids": [str(new_id()) for _ in range(1_001)]},
    ],
)
def test_what_names_nothing_or_too_much_is_not_previewed(world, asked):
    assert world.send("post", "erasures/preview", asked).status_code in {404, 422}


def test_what_other_servers_hold_is_found(world):
    item, tenant = new_id(), str(world.tenant_id)
    wanted = ResidueSearch(ids=frozenset({item}), user_id="eve", words=r"(?<!\w)(anna\ quill)(?!\w)", users=("eve",))
    planted = {
        "set": (f"k:{item}", "x"),
        "rpush": ("list", *["x"] * 1_500, f"a {item} b"),
        "sadd": ("set", f"{tenant} eve"),
        "hset": ("hash", "field", f"{tenant}: Anna Quill"),
        "zadd": ("zset", {str(item).upper(): 1}),
        "xadd": ("stream", {"a": str(item)}),
    }
    harmless = {"set": ("eve", "Anna Quill"), "rpush": ("other", f"{tenant} steve annaquill")}
    with Redis.from_url(settings.REDIS_URL) as server:
        for command, given in harmless.items():
            getattr(server, command)(*given)
        assert residue.scan_valkey(wanted, tenant_id=world.tenant_id).found == ()
        for command, given in planted.items():
            getattr(server, command)(*given)
            assert residue.scan_valkey(wanted, tenant_id=world.tenant_id).found == ("valkey",), command
            server.delete(given[0])
        server.delete("eve", "other")


def test_what_the_copy_of_the_graph_still_holds_keeps_an_erasure_from_its_end(world, monkeypatch):
    graph = MemoryGraph()
    monkeypatch.setattr(stores, "is_configured", lambda: True)
    monkeypatch.setattr(stores, "writable", lambda: graph)
    world.post("memories", text="The kettle is red.", user_id=EVE)
    node, at = Node(NodeKind.ITEM, UUID(int=1)), now() - timedelta(days=1)
    stamp = Stamp(world.tenant_id, world.agent_id, EVE, Visibility.PRIVATE, at, None, at, None)
    graph.put(GraphBatch(world.tenant_id, 1, (GraphNode(node, stamp, "The kettle is red."),)))
    asked = world.ask(user_id=EVE)
    world.work()

    waiting = world.get(f"erasures/{asked['id']}")
    assert (waiting["state"], waiting["residue"]) == ("running", ["neo4j"])
    graph.remove(world.tenant_id, [node])
    with tenant_scope(world.tenant_id):
        Job.objects.filter(tenant_id=world.tenant_id).update(run_after=now())
    world.work()
    assert world.get(f"erasures/{asked['id']}")["state"] == "done"


def test_a_rejected_erasure_leaves_everything_and_names_nobody(world):
    with tenant_scope(world.tenant_id):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"erasure_approval": "second_person"})
    world.post("memories", text="The kettle is red.", user_id=EVE)
    asked = world.ask(user_id=EVE)

    rejected = world.post(f"erasures/{asked['id']}/reject")

    assert (rejected["state"], rejected["about"], rejected["receipt"]) == ("rejected", {}, None)
    assert world.recalled("What colour is the kettle?", EVE) != []


def test_a_receipt_is_verified_and_a_changed_one_is_not(world, settings):
    world.post("memories", text="The kettle is red.", user_id=EVE)
    receipt = world.erase(user_id=EVE)["receipt"]
    forged = {**receipt, "removed": {"postgresql": {}}}
    older = {name: value for name, value in receipt.items() if name not in {"signature", "removed"}}
    with tenant_scope(world.tenant_id):
        signed_before = receipts.sign({**older, "requested": {"actor": "agent"}, "removed": {"postgresql": {}}})
    settings.SECRET_KEY = "another" * 10

    assert world.post("erasures/verify", receipt=signed_before)["valid"] is True
    assert world.post("erasures/verify", receipt=receipt)["valid"] is True
    assert world.post("erasures/verify", receipt=forged)["problem"] == "it is not what was signed"
    assert world.post("erasures/verify", receipt={**receipt, "key_id": "0" * 16})["valid"] is False
    for hostile in ({}, {"a": "\ud800"}, {**receipt, "key_id": "\0"}, {**receipt, "kind": "\ud800"}, {"a": 1e400}):
        refused = world.send("post", "erasures/verify", {"receipt": hostile})
        assert refused.status_code in {200, 422}
        assert refused.json().get("valid") is not True
    overlong = world.send("post", "erasures/verify", {"receipt": {**receipt, "note": "x" * 100_000}})
    assert (overlong.status_code, "never longer" in overlong.json()["error"]["message"]) == (422, True)
    assert len(json.dumps(receipt)) < 10_000
    assert EVE not in str(receipt)


def test_a_category_erases_what_is_older_than_it_keeps(world):
    world.post("memories", text="The kettle is red.", user_id=EVE)
    with tenant_scope(world.tenant_id):
        Item.objects.filter(tenant_id=world.tenant_id).update(recorded_at=now() - timedelta(days=8))
        assert (erasure.due(), erasure.retain()) == (0, 0)
        Category.objects.filter(tenant_id=world.tenant_id).update(erase_after_days=7)
        assert (erasure.due(), erasure.retain()) == (1, 1)
        assert erasure.retain() == 0
    world.work()

    assert found(world, "kettle") == ()
    (done,) = world.get("erasures")["items"]
    assert (done["kind"], done["state"]) == ("retention", "done")


def test_where_two_must_agree_a_category_erases_nothing_by_itself(world):
    world.post("memories", text="The kettle is red.", user_id=EVE)
    with tenant_scope(world.tenant_id):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"erasure_approval": "second_person"})
        Item.objects.filter(tenant_id=world.tenant_id).update(recorded_at=now() - timedelta(days=8))
        Category.objects.filter(tenant_id=world.tenant_id).update(erase_after_days=7)
        assert (erasure.retain(), erasure.retain()) == (1, 0)
    world.work()

    (waiting,) = world.get("erasures")["items"]
    assert (waiting["kind"], waiting["state"]) == ("retention", "waiting")
    assert found(world, "kettle") != ()
    assert world.send("post", f"erasures/{waiting['id']}/approve", token=world.key("admin")).status_code == 200
    world.work()
    assert found(world, "kettle") == ()


def test_an_agents_scope_cannot_delete_and_the_journal_is_never_erased(world):
    world.post("memories", text="The kettle is red.", user_id=EVE)
    erase = "SELECT erase_rows('{0}', ARRAY(SELECT ctid FROM {0}))"
    for scope, table in ((world.agent_id, "memory_item"), (None, "journal_entry")):
        with (
            tenant_scope(world.tenant_id, agent_id=scope),
            connection.cursor() as cursor,
            pytest.raises(ProgrammingError),
            transaction.atomic(),
        ):
            cursor.execute(erase.format(table))


def test_an_id_that_is_left_within_json_keeps_an_erasure_from_its_end(world):
    kept = world.post("memories", text="The lamp is broken.", user_id=ADAM)["memory"]["id"]
    gone = world.post("memories", text="The kettle is red.", user_id=EVE)["memory"]["id"]
    world.post(f"memories/{kept}/feedback", kind="helpful")
    with tenant_scope(world.tenant_id):
        opinions = ItemFeedback.objects.filter(tenant_id=world.tenant_id)
        opinions.update(undo={"instead": [{"of": gone.upper()}]})
    asked = world.ask(memory_ids=[gone])
    world.work()

    waiting = world.get(f"erasures/{asked['id']}")
    assert (waiting["state"], waiting["residue"], waiting["receipt"]) == (
        "running",
        ["memory_item_feedback.undo"],
        None,
    )
    with tenant_scope(world.tenant_id):
        opinions.update(undo={"instead": [{"of": kept}]})
        Job.objects.filter(tenant_id=world.tenant_id).update(run_after=now())
    world.work()
    assert world.get(f"erasures/{asked['id']}")["state"] == "done"


def run_again(world):
    with tenant_scope(world.tenant_id):
        Job.objects.filter(tenant_id=world.tenant_id).update(run_after=now())
    world.work()


def test_a_sentence_that_is_told_elsewhere_keeps_an_erasure_from_its_end(world):
    said = "The kettle of the harbour master is red."
    world.post("memories", text="The lamp is broken.", user_id=EVE)
    world.work()
    gone = world.post("memories", text=said, user_id=EVE)["memory"]["id"]
    asked = world.ask(memory_ids=[gone])
    with tenant_scope(world.tenant_id):
        summary = SummaryVersion.objects.filter(tenant_id=world.tenant_id).latest("number")
        summaries = SummaryVersion.objects.filter(id=summary.id)
        summaries.update(text=f"# Home\n\n- 2026-11-27: {said}\n{summary.text}")
    world.work()

    # Begun anew, it is still known when nothing else is left of it.
    for _ in range(2):
        waiting = world.get(f"erasures/{asked['id']}")
        assert (waiting["state"], waiting["residue"]) == ("running", ["summaries_version.text"])
        run_again(world)
    with tenant_scope(world.tenant_id):
        summaries.update(text=summary.text)
    run_again(world)
    done = world.get(f"erasures/{asked['id']}")
    assert (done["state"], done["receipt"]["targets"]) == (
        "done",
        {"entity": 0, "item": 1, "resource": 0, "session": 0},
    )
    assert held(world, "erasure_target") == 0


def test_a_sentence_that_somebody_else_says_is_theirs_and_keeps_no_erasure_from_its_end(world):
    said = "The kettle of the harbour master is red."
    gone = world.post("memories", text=said, user_id=EVE)["memory"]["id"]
    world.post("capture", session_id="s", user_id=ADAM, user_input=f"I am sure that {said} It is of copper.")
    world.post("memories", text=said, user_id=ADAM)
    world.work()

    assert world.erase(memory_ids=[gone])["state"] == "done"
    assert "summaries_version.text" in found(world, "kettle")


def test_an_answer_goes_with_the_question_whose_words_are_remembered_with_it(world):
    talk = [
        ("Ines", "I keep my sailing boat in the harbour of Oslo."),
        ("Olof", "Does Anna Quillfeather still play the cello in Lund?"),
        ("Ines", "Yes, since 2011 at least."),
        ("Olof", "The weather will be fine tomorrow morning."),
    ]
    with tenant_scope(world.tenant_id, agent_id=world.agent_id):
        lines = [IngestLine(text, "s", text, speaker, user_id=EVE) for speaker, text in talk]
        question = ingest(lines)[1].resource_id
    world.work()
    assert {"memory_item.lead_in", "index_document.text"} < {*found(world, "play the cello in Lund?")}

    done = world.erase(message_ids=[str(question)])

    assert (done["state"], done["receipt"]["targets"]["resource"]) == ("done", 2)
    assert found(world, "cello", "since 2011") == ()
    assert any("harbour" in text for text in world.recalled("Where is my boat?", EVE))
    assert found(world, "weather will be fine") != ()


def test_a_name_that_only_what_is_forgotten_says_goes_with_it(world):
    """What is forgotten mentions nobody any more; the name it was known by is another's, too, who stays."""
    said = "The Quillfeather car is parked in the garage at Karlstad."
    for user in (EVE, ADAM):
        world.post("capture", session_id=f"of {user}", user_id=user, user_input=said)
    world.work()
    for user in (EVE, ADAM):
        world.post("forget", ids=world.learnt("Karlstad", user), reason="sold")
        with tenant_scope(world.tenant_id):
            messages = Resource.objects.filter(tenant_id=world.tenant_id, user_id=user)
            forget(ForgetRequest(episode_ids=tuple(messages.values_list("id", flat=True))))
    world.work()
    named = rows(world, ADAM)["graph_entity"]
    assert rows(world, EVE)["graph_entity"] == named > 0

    assert world.erase(session_id=f"of {EVE}")["state"] == "done"

    assert "graph_entity" not in rows(world, EVE)
    assert rows(world, ADAM)["graph_entity"] == named


def test_a_name_goes_that_was_read_when_the_others_were_written_down(world):
    for text in ("The kettle is red.", "Anna Quillfeather sings."):
        gone = world.post("memories", text=text, user_id=EVE)["memory"]["id"]
    world.work()
    asked = world.ask(memory_ids=[gone])
    with tenant_scope(world.tenant_id):
        of_erasure = ErasureTarget.objects.filter(tenant_id=world.tenant_id, kind=Target.ENTITY)
        assert of_erasure.delete()[0] > 0
    world.work()

    assert world.get(f"erasures/{asked['id']}")["state"] == "done"
    assert found(world, "Quillfeather") == ()


def test_an_id_that_somebody_says_is_theirs_and_keeps_no_erasure_from_its_end(world):
    gone = world.post("memories", text="The kettle is red.", user_id=EVE)["memory"]["id"]
    called = [{"name": "forget", "arguments": {"ids": [gone]}}]
    world.post("capture", session_id="s", user_id=ADAM, user_input=f"Forget {gone}, my dear friend.", tool_calls=called)
    world.work()

    assert world.erase(memory_ids=[gone])["state"] == "done"
    assert found(world, gone) != ()


def test_what_was_told_that_something_changed_goes_with_what_it_changed_to(world):
    gone = world.post("memories", text="The kettle is red.", user_id=EVE)["memory"]["id"]
    world.post("memories", text="I keep my sailing boat in the harbour of Oslo.", user_id=ADAM)
    for question in ("Where is my boat?", "Which harbour is it?"):
        world.recalled(question, ADAM)
    with tenant_scope(world.tenant_id):
        Recall.objects.filter(tenant_id=world.tenant_id, query="Where is my boat?").update(changed=[gone])

    assert world.erase(memory_ids=[gone])["state"] == "done"
    with tenant_scope(world.tenant_id):
        left = Recall.objects.filter(tenant_id=world.tenant_id).values_list("query", flat=True)
        assert list(left) == ["Which harbour is it?"]


def test_a_curated_line_goes_with_its_memory_and_its_words_with_every_commit(world, history):
    said = "The shop is deployed with `make deploy quillfeather`."
    stored = world.post("memories", text=said, visibility="shared", category="operations")
    curation.reflect(within=world.within)
    projecting.project(within=world.within)
    assert "quillfeather" in history()
    commits = projecting.check(within=world.within).commits

    removed = world.erase(memory_ids=[stored["memory"]["id"]])["receipt"]["removed"]

    assert (removed["git"], removed["neo4j"]) == (commits, 0)
    assert commits > 0
    assert found(world, "quillfeather") == ()
    assert held(world, "curation_entry", "curation_proposal") == 0
    assert "quillfeather" not in history()
    assert not projecting.check(within=world.within).drifted


def test_a_history_that_tells_nothing_of_it_is_counted_for_nothing(world):
    world.post("memories", text="The shop is deployed with `make deploy`.", visibility="shared", category="operations")
    curation.reflect(within=world.within)
    projecting.project(within=world.within)
    stored = world.post("memories", text="The kettle is red.", user_id=EVE)

    assert world.erase(memory_ids=[stored["memory"]["id"]])["receipt"]["removed"]["git"] == 0
    assert projecting.check(within=world.within).commits > 0


def test_what_a_crash_left_of_the_repository_goes_too(world, home):
    stored = world.post("memories", text="The shop is deployed with `make deploy quillfeather`.", visibility="shared")
    curation.reflect(within=world.within)
    projecting.project(within=world.within)
    folder = home / "curated" / f"{world.tenant_id}.git"
    old = folder.with_name(f".{folder.name}.{new_id().hex}")
    shutil.copytree(folder, old)
    unnamed = subprocess.run(
        ["git", "--git-dir", folder, "hash-object", "-w", "--stdin"], input=b"quillfeather", check=True
    )
    assert unnamed.returncode == 0

    done = world.erase(memory_ids=[stored["memory"]["id"]])

    assert done["receipt"]["scanned"]["stores"] == ["git", "postgresql", "valkey"]
    assert not old.exists()
    there = ["git", "--git-dir", folder, "cat-file", "--batch-all-objects", "--batch"]
    assert b"quillfeather" not in subprocess.check_output(there)


def test_a_repository_that_tells_more_than_the_lines_is_found(world, monkeypatch):
    stored = world.post("memories", text="The shop is deployed with `make deploy quillfeather`.", visibility="shared")
    curation.reflect(within=world.within)
    projecting.project(within=world.within)
    monkeypatch.setattr(curated, "rewrite", lambda **_within: None)

    assert world.erase(memory_ids=[stored["memory"]["id"]])["residue"] == ["git"]


def test_questions_that_were_answered_with_what_goes_go_with_it(world):
    for text in ("My dog Rex has a broken leg.", "I keep my sailing boat in the harbour of Oslo."):
        world.post("capture", session_id="s", user_id=EVE, user_input=text)
    world.work()
    for question in ("How is the limping animal?", "Where is my boat?"):
        world.recalled(question, EVE)
    with tenant_scope(world.tenant_id):
        (rex, *_) = Item.objects.filter(tenant_id=world.tenant_id, text__contains="Rex")
        shown = Recalled.objects.filter(tenant_id=world.tenant_id, item_id=rex.id).values_list("recall_id", flat=True)
        asked = set(Recall.objects.filter(id__in=set(shown)).values_list("query", flat=True))
    assert "How is the limping animal?" in asked

    assert world.erase(memory_ids=[str(rex.id)])["state"] == "done"

    assert found(world, *asked) == ()
    with tenant_scope(world.tenant_id):
        recalls = set(Recall.objects.filter(tenant_id=world.tenant_id).values_list("id", flat=True))
        assert {each.recall_id for each in Recalled.objects.filter(tenant_id=world.tenant_id)} <= recalls


def test_what_a_caller_set_stays_without_the_memory_it_named(world):
    stored = world.post("memories", text="The kettle is red.", user_id=EVE)["memory"]["id"]
    own = {"text": "Buy a kettle.", "day": "2040-06-12", "user_id": EVE}
    world.post("triggers", **own, memory_ids=[stored])

    assert world.erase(memory_ids=[stored])["state"] == "done"

    with tenant_scope(world.tenant_id):
        (row,) = FutureTrigger.objects.filter(tenant_id=world.tenant_id)
    assert (row.text, row.preload) == ("Buy a kettle.", [])


def test_keys_of_valkey_that_name_a_user_are_taken_away_and_counted(world):
    world.post("memories", text="The kettle is red.", user_id=EVE)
    with Redis.from_url(settings.REDIS_URL) as server:
        server.set("planted", f"{world.tenant_id} {EVE}")

        done = world.erase(user_id=EVE)

        assert (done["state"], done["receipt"]["removed"]["valkey"]) == ("done", 1)
        assert server.get("planted") is None


PAIR = ClaimPair("The kettle is red.", "The kettle is blue.", timedelta(days=2))


def judgements(server, tenant_id):
    return list(server.scan_iter(f"*related:{tenant_id}:*"))


def test_judgements_of_pairs_go_with_an_erasure_and_those_of_another_tenant_stay(world, another_world):
    world.post("memories", text=PAIR.older, user_id=EVE)
    for each in (world, another_world):
        judged(ScriptedJudge(), [PAIR], tenant_id=each.tenant_id)

    done = world.erase(user_id=EVE)

    with Redis.from_url(settings.REDIS_URL) as server:
        left = [len(judgements(server, each.tenant_id)) for each in (world, another_world)]
    assert (done["state"], done["receipt"]["removed"]["valkey"], left) == ("done", 1, [0, 1])


@pytest.mark.parametrize(
    ("seconds_left", "is_residue"), [(None, True), (3 * 86_400 - 3_600, True), (3 * 86_400, False)]
)
def test_a_judgement_from_before_an_erasure_is_residue_and_one_made_meanwhile_is_not(world, seconds_left, is_residue):
    wanted = ResidueSearch(before_id=new_id())
    judged(ScriptedJudge(), [PAIR], tenant_id=world.tenant_id)
    with Redis.from_url(settings.REDIS_URL) as server:
        (key,) = judgements(server, world.tenant_id)
        server.persist(key) if seconds_left is None else server.expire(key, seconds_left)

        scanned = residue.scan_valkey(wanted, tenant_id=world.tenant_id)
        of_another = residue.scan_valkey(wanted, tenant_id=new_id())
        server.delete(key)

    assert (scanned.found, of_another.found) == (("valkey",) if is_residue else (), ())


def test_what_is_packed_away_is_found_by_its_words_and_goes_with_its_insight(world):
    said = "Anna Quillfeather lives in Lund."
    world.post("capture", session_id="a", user_id=EVE, user_input=said)
    world.work()
    with tenant_scope(world.tenant_id):
        (item,) = Item.objects.filter(tenant_id=world.tenant_id)
        owner = {"tenant_id": item.tenant_id, "agent_id": item.agent_id, "user_id": EVE}
        ColdItem.objects.create(**owner, item_id=item.id, packed=packed(ItemWords(said, "", {})))
        insight = copy(item)
        insight.id, insight.kind, insight.text = new_id(), Kind.INSIGHT.value, "Once: she lives there."
        insight.claim_hash = "insight"
        insight.save(force_insert=True)
        ItemLink.objects.create(**owner, kind=ItemLink.Kind.CONDENSES, from_item=insight, to_item=item)
        Item.objects.filter(id=item.id).update(text="", subject="", value="", cold_at=now())

    assert world.post("erasures/preview", entity="Anna Quillfeather")["memories"] == 2
    assert world.erase(entity="Anna Quillfeather")["state"] == "done"
    assert held(world, "memory_cold_item", "memory_item") == 0
