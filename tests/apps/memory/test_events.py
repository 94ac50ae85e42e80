"""What memories tell those who listen: one event for what is new, held, replaced or back."""

from apps.core import scope
from apps.journal.models import Event
from apps.memory import services
from apps.memory.requests import ForgetRequest
from tests.apps.memory.conftest import UPDATE, fact, held


def told(world) -> list[tuple[str, str, str | None]]:
    """Kind, the id of the memory, and of what replaced it, in the order they were written."""
    with scope.enter(world.worker):
        rows = Event.objects.filter(tenant_id=world.tenant_id).order_by("at", "id")
        return [(row.kind, row.subject_id, row.related_id) for row in rows]


def test_what_is_new_or_held_is_told(world):
    world.learn("We deploy on Thursdays.", fact("We deploy on Thursdays."), held("Perhaps Fridays, too."))

    items = {item.text: item.id for item in world.items()}
    assert sorted(told(world)) == sorted(
        [
            ("stored", items["We deploy on Thursdays."], None),
            ("held", items["Perhaps Fridays, too."], None),
        ]
    )


def test_what_is_replaced_is_told_with_what_replaced_it(world):
    world.judged(UPDATE, "Mara lives in Lund.", "Mara lives in Lisbon.")
    world.learn("Mara lives in Lund.", fact("Mara lives in Lund."))
    world.learn("Mara lives in Lisbon.", fact("Mara lives in Lisbon."))

    items = {item.text: item.id for item in world.items()}
    assert sorted(told(world)[1:]) == sorted(
        [
            ("stored", items["Mara lives in Lisbon."], None),
            ("superseded", items["Mara lives in Lund."], items["Mara lives in Lisbon."]),
        ]
    )


def test_what_is_forgotten_is_not_told_and_told_when_it_is_back(world):
    world.learn("We deploy on Thursdays.", fact("We deploy on Thursdays."))
    (item,) = world.items()
    with scope.enter(world.agent):
        done = services.forget(ForgetRequest(item_ids=(item.id,)))
    assert len(told(world)) == 1

    with scope.enter(world.agent):
        services.restore(done.batch_id)

    assert [kind for kind, _, _ in told(world)] == ["stored", "stored"]
