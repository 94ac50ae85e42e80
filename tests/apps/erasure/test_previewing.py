"""A preview that a job counts: followed while it is, without words at rest, and gone with whom it is about."""

import pytest
from django.conf import settings
from django.core.cache import cache
from redis import Redis

from apps.core.scope import enter
from apps.erasure import residue, services
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject
from apps.erasure.residue import ResidueSearch
from apps.erasure.services import previewing, requesting
from apps.erasure.tables import RULES
from apps.graph.models import Entity
from memory_platform.errors import NotFound
from tests.apps.erasure.conftest import ADAM, EVE

KETTLE = "The kettle of the office is blue."


def of(user):
    return Subject(ErasureKind.USER, user_id=user)


def begin(world, subject):
    with enter(world.within):
        return services.begin_preview(subject, typed={"kind": subject.kind.value})


def look(world, preview_id):
    with enter(world.within):
        return services.previewed(preview_id)


def test_a_job_counts_what_the_verb_counts_at_once(world):
    world.post("memories", text=KETTLE, user_id=EVE)
    world.work()
    preview_id = begin(world, of(EVE))
    waiting = look(world, preview_id)
    world.work()

    shown = look(world, preview_id).preview

    at_once = world.post("erasures/preview", user_id=EVE)
    assert (waiting.tables, waiting.preview) == (0, None)
    assert (shown.memories, shown.messages) == (at_once["memories"], at_once["messages"]) == (1, 0)
    assert [each.text for each in shown.samples] == [each["text"] for each in at_once["samples"]] == [KETTLE]
    assert dict(shown.rows) == {each["name"]: each["count"] for each in at_once["rows"]}


def test_each_table_that_is_counted_is_told_of(world):
    seen = []

    with enter(world.within):
        requesting.looked(of(EVE), counted=seen.append)

    assert seen == list(range(1, len(RULES) + 1))


def test_no_words_of_what_would_go_lie_in_valkey(world):
    world.post("memories", text=KETTLE, user_id=EVE)
    preview_id = begin(world, of(EVE))
    world.work()

    with Redis.from_url(settings.REDIS_URL) as server:
        (held,) = [server.get(key).decode(errors="replace") for key in server.scan_iter(f"*{preview_id}")]

    assert EVE in held
    assert "kettle" not in held


def test_what_it_was_of_may_be_gone_when_it_is_shown(world):
    stored = world.post("memories", text=KETTLE, user_id=EVE)["memory"]["id"]
    preview_id = begin(world, of(EVE))
    world.work()
    held = cache.get(f"erasure:preview:{world.tenant_id}:{preview_id}")
    world.erase(memory_ids=[stored])

    cache.set(f"erasure:preview:{world.tenant_id}:{preview_id}", held, timeout=60)

    assert look(world, preview_id).preview.samples == ()


def test_an_erasure_takes_away_the_previews_that_name_whom_it_erases(world):
    for user in (EVE, ADAM):
        world.post("memories", text=KETTLE, user_id=user)
    of_eve, of_adam = (begin(world, of(user)) for user in (EVE, ADAM))
    world.work()

    done = world.erase(user_id=EVE)

    assert done["state"] == "done"
    assert (look(world, of_eve), look(world, of_adam).preview.memories) == (None, 1)


def test_what_was_taken_away_is_not_stored_again_by_who_counts_it(world):
    preview_id = begin(world, of(EVE))
    run = look(world, preview_id)

    with enter(world.within):
        services.drop_preview(preview_id)
        previewing._note(preview_id, run, 3)

    assert look(world, preview_id) is None
    assert previewing.count(preview_id, tenant_id=world.tenant_id) == {"done": 0}


def test_who_is_not_there_is_told_at_once_and_who_is_gone_since_ends_it(world):
    with pytest.raises(NotFound):
        begin(world, Subject(ErasureKind.ENTITY, entity="Nobody Of This Name"))
    world.post("memories", text="Anna Quill works at the bakery in Lund.", user_id=EVE)
    world.work()
    preview_id = begin(world, Subject(ErasureKind.ENTITY, entity="Anna Quill"))

    with enter(world.within):
        for row in Entity.objects.filter(tenant_id=world.tenant_id, canonical_name="Anna Quill"):
            Entity.objects.filter(id=row.id).update(merged_into=row)
    world.work()

    assert look(world, preview_id) is None


def test_a_user_is_found_in_valkey_however_json_spells_the_id(world):
    preview_id = begin(world, of('the "boss"'))
    wanted = ResidueSearch(user_id='the "boss"')

    found = residue.scan_valkey(wanted, tenant_id=world.tenant_id).found
    residue.clear_valkey(wanted, tenant_id=world.tenant_id)

    assert (found, look(world, preview_id)) == (("valkey",), None)


def test_another_tenant_sees_nothing_of_it(world, another_world):
    preview_id = begin(world, of(EVE))

    assert look(another_world, preview_id) is None
