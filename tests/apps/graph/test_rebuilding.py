"""What was captured before there was a graph gets into it, and rebuilding twice changes nothing."""

from apps.core import scope
from apps.graph import services
from apps.jobs.models import Job
from apps.journal.models import Entry
from tests.apps.graph.conftest import World


def test_rebuilding_reads_everything_again(world: World, run_jobs):
    world.hear("Anna Berg works at Brightwave.", at=0, speaker="Caroline")
    world.hear("They saw Anna Berg in Lisbon.", at=1)
    world.project()
    before = (world.mentions(), world.relations(), world.partition())
    world.clear()
    with scope.enter(world.worker):
        Job.objects.filter(tenant_id=world.tenant_id).delete()

    for _ in range(2):
        with scope.enter(world.worker):
            assert services.rebuild() == 2
        run_jobs()

        assert (world.mentions(), world.relations(), world.partition()) == before
    with scope.enter(world.worker):
        entries = Entry.objects.filter(tenant_id=world.tenant_id, operation="graph.rebuilding")
        assert [entry.data for entry in entries] == [{"jobs": 2}, {"jobs": 2}]
        assert not Job.objects.filter(tenant_id=world.tenant_id, state="failed").exists()


def test_rebuilding_an_empty_tenant_is_nothing_to_do(world: World):
    with scope.enter(world.worker):
        assert services.rebuild() == 0
