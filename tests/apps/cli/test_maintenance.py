"""While maintenance runs the terminal tells how far it is."""

import pytest

from apps.cli.maintenance import progress

STEPS = ["revived", "expired", "pruned"]


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({}, "Step 1 of 3: revived"),
        ({"revived": 0}, "Step 2 of 3: expired"),
        ({"revived": 2, "expired_so_far": 7}, "Step 2 of 3: expired"),
        ({"revived": 2, "expired": 9}, "Step 3 of 3: pruned"),
        (dict.fromkeys(STEPS, 1), "Finishing"),
    ],
)
def test_the_terminal_tells_which_step_is_being_taken(counts, told):
    assert progress(STEPS, counts) == told
