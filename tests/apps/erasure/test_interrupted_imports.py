"""An import that dies before any statement it sends, and is sent again, leaves what an undisturbed one leaves."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from apps.core.scope import tenant_scope
from apps.lessons.models import Lesson
from apps.memory.models import Item, ItemFeedback, ItemLink, ItemVersion
from tests.apps.erasure.conftest import EVE, World

MOST_STATEMENTS = 400
SPOKEN = {"by": "member:7", "at": "2026-03-02T09:30:00+00:00"}


class _Died(BaseException):
    """As a killed process does, nobody handles it, and what is not committed is gone."""


def memory(name: str, text: str, **state: Any) -> dict[str, Any]:
    told = {"line": "memory", "external_id": name, "text": text, "user_id": EVE, "is_imported": True}
    return {**told, "occurred_at": "2026-03-01T09:30:00+00:00", **state}


def about(name: str, line: str, **told: Any) -> dict[str, Any]:
    return {"line": line, "external_id": f"{line} {name}", "user_id": EVE, "memory_id": name, **told}


LINES = {
    "archived": [memory("lamps", "The attic holds four old lamps.", status="archived", status_reason="expired")],
    "vouched for": [memory("gate", "The gate opens with the brass key.", protected=True)],
    "held, and ended": [
        memory("roof", "The roof needs new tiles.", verdict="hold", valid_until="2026-05-01T00:00:00+00:00")
    ],
    "replaced": [
        memory("ten", "The office opens at ten."),
        memory(
            "nine",
            "The office opens at nine.",
            status="superseded",
            status_reason="updated",
            valid_until="2026-05-01T00:00:00+00:00",
            replaced_by={"memory_id": "ten"},
        ),
    ],
    "told in short": [
        memory("mast", "The mast is new.", status="archived", status_reason="expired"),
        memory(
            "short", "2 times: the mast is new.", kind="insight", category="other", condenses=[{"memory_id": "mast"}]
        ),
    ],
    "judged": [
        memory("fence", "The fence is painted grey."),
        about("fence", "feedback", kind="outdated", note="It is green.", **SPOKEN),
        about("fence", "lesson", pattern="rule", status="dismissed"),
    ],
}


def dies(world: World, lines: list[Any], *, after: int) -> bool:
    """Whether an import died after so many statements, or was whole before."""
    sent = 0

    def send(execute: Any, *call: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent == after + 1:
            raise _Died
        return execute(*call)

    with connection.execute_wrapper(send):
        try:
            world.post("imports", lines=lines)
        except _Died:
            return True
    return False


def held(world: World) -> Iterator[list[Any]]:
    """How memories stand and came to that, what is said of them, and lessons."""
    state = ("text", "status", "status_reason", "verdict", "protected", "valid_until", "confidence")
    with tenant_scope(world.tenant_id):
        yield sorted(map(str, Item.objects.values_list(*state)))
        yield sorted(map(str, ItemVersion.objects.values_list("item__text", "operation", "after__status")))
        yield sorted(map(str, ItemLink.objects.values_list("from_item__text", "to_item__text", "kind", "reason")))
        yield sorted(map(str, ItemFeedback.objects.values_list("item__text", "kind", "note", "actor", "closed_at")))
        yield sorted(map(str, Lesson.objects.values_list("item__text", "pattern", "status")))


@pytest.mark.parametrize("lines", LINES.values(), ids=list(LINES))
@pytest.mark.timeout(300)
def test_an_import_that_dies_anywhere_is_mended_by_the_next(world, another_world, lines):
    died = 0
    while dies(world, lines, after=died):
        died += 1
    another_world.post("imports", lines=lines)

    assert 10 < died < MOST_STATEMENTS
    assert list(held(world)) == list(held(another_world))
    assert world.post("imports", lines=lines)["duplicate"] == len(lines)
