"""What became no memory can be found again: by session, turn and reason, and counted by week."""

from datetime import timedelta

import pytest

from apps.core import clock, scope
from apps.core.paging import PageRequest
from apps.memory import selectors, services
from apps.memory.models import ItemLink, Rejection
from apps.memory.requests import RejectionFilter
from memory_platform.errors import Invalid
from memory_platform.model import Fact, Strength

from .conftest import UPDATE, fact

OSLO, BERGEN = "Mara lives in Oslo.", "Mara lives in Bergen."
NOISE = Fact(text="Sure thing, sounds good to me.", quote="Sure thing", usefulness=0.04)
SHORT = Fact(text="ok", quote="ok", usefulness=0.9)


@pytest.fixture
def rejected(world):
    world.learn("Sure thing, sounds good to me.", NOISE, session="monday")
    world.learn("ok", SHORT, session="tuesday")
    return world


def texts(world, **wanted) -> list[str]:
    with scope.enter(world.agent):
        return [
            row.text for row in selectors.rejections(wanted=RejectionFilter(**wanted), page=PageRequest(first=20)).rows
        ]


def test_rejections_are_listed_by_session_turn_stage_and_reason(rejected):
    assert texts(rejected) == ["ok", "Sure thing, sounds good to me."]
    assert texts(rejected, session_id="monday") == ["Sure thing, sounds good to me."]
    assert texts(rejected, session_id="tuesday", turn=1) == ["ok"]
    assert texts(rejected, session_id="tuesday", turn=2) == []
    assert texts(rejected, stage="gate", reason="too_short") == ["ok"]


def test_rejections_are_counted_by_week_and_reason(rejected):
    with scope.enter(rejected.agent):
        Rejection.objects.filter(reason="too_short").update(created_at=clock.now() - timedelta(days=7))
        this_week, last_week = selectors.rejection_counts()
        assert (this_week.stage, this_week.reason, this_week.count) == ("gate", "noise", 1)
        assert (last_week.reason, this_week.week - last_week.week) == ("too_short", timedelta(days=7))
        assert selectors.rejection_counts(weeks=1)[0] == this_week


@pytest.mark.parametrize("weeks", [0, -1, 105])
def test_weeks_out_of_range_are_refused(world, weeks):
    with scope.enter(world.agent), pytest.raises(Invalid, match="weeks is 1 to 104"):
        selectors.rejection_counts(weeks=weeks)


def test_rejections_are_kept_as_long_as_the_policy_says(rejected):
    with scope.enter(rejected.worker):
        rows = Rejection.objects.filter(tenant_id=rejected.tenant_id)
        rows.filter(text="ok").update(created_at=clock.now() - timedelta(days=90, hours=1))
        rows.exclude(text="ok").update(created_at=clock.now() - timedelta(days=89))
        assert (services.prune_rejections(), services.prune_rejections()) == (1, 0)

    assert texts(rejected) == ["Sure thing, sounds good to me."]


def test_a_rejection_stays_while_it_is_an_open_question(world):
    world.judged(UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO))
    world.learn("b", fact(BERGEN, strength=Strength.INFERRED, confidence=0.5), day=2)
    with scope.enter(world.worker):
        rows = Rejection.objects.filter(tenant_id=world.tenant_id)
        assert rows.update(created_at=clock.now() - timedelta(days=400)) == 1
        assert services.prune_rejections() == 0
        ItemLink.objects.filter(tenant_id=world.tenant_id, closed_at=None).update(closed_at=clock.now())
        assert services.prune_rejections() == 1
