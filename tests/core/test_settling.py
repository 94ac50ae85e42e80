from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation.settling import Settlement, Side, settle

START = datetime(2026, 3, 1, tzinfo=UTC)
MINE, THEIRS = UUID(int=1), UUID(int=2)


def said(day, *, by="", author=MINE):
    return Side(START + timedelta(days=day), author, by)


@pytest.mark.parametrize(
    ("repeats_newer", "is_contradiction", "expected"),
    [
        (True, False, Settlement.REPLACED),
        (True, True, Settlement.REPLACED),
        (False, False, Settlement.DISMISSED),
        (False, True, Settlement.REPLACED),
    ],
)
def test_the_side_said_again_stands(repeats_newer, is_contradiction, expected):
    newer, older = said(2), said(0)
    repeated, other = (newer, older) if repeats_newer else (older, newer)

    assert settle(said(5), repeated, other, repeats_newer=repeats_newer, is_contradiction=is_contradiction) is expected


def test_who_repeats_takes_back_only_what_he_said_himself():
    def by(speaker):
        return settle(
            said(5, by=speaker), said(2, by="Ben"), said(0, by="Ann"), repeats_newer=True, is_contradiction=False
        )

    assert by("Ben") is None
    assert by("ANN") is Settlement.REPLACED
    assert by("") is Settlement.REPLACED


DAYS = st.floats(0, 10)


@given(DAYS, DAYS, DAYS, st.booleans(), st.booleans())
def test_nothing_is_settled_by_what_was_said_before_either_side(claim, repeated, other, newer, contradicts):
    settled = settle(said(claim), said(repeated), said(other), repeats_newer=newer, is_contradiction=contradicts)

    assert (settled is None) == (said(claim).said_at <= max(said(repeated).said_at, said(other).said_at))


@given(DAYS, DAYS, st.booleans(), st.booleans())
def test_no_agent_settles_against_another(repeated, other, newer, contradicts):
    theirs = said(other, author=THEIRS)

    assert settle(said(20), said(repeated), theirs, repeats_newer=newer, is_contradiction=contradicts) is None
