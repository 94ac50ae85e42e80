"""The bars of times ahead hold for what nobody looked at, too."""

from datetime import date

import pytest

from bench import figures, triggers
from bench.triggers import Expected

AHEAD = (date(2030, 5, 1), date(2030, 5, 2))


@pytest.mark.parametrize("is_right", [True, False])
def test_a_miss_in_either_part_fails_the_bench(monkeypatch, is_right):
    rows = [{"id": str(number)} for number in range(40)]
    assert {triggers.is_held_out(row) for row in rows} == {True, False}
    found = AHEAD[0] if is_right else AHEAD[1]
    monkeypatch.setattr(figures, "missed", [])
    monkeypatch.setattr(triggers, "messages", lambda: rows)
    monkeypatch.setattr(triggers, "sheet", lambda: {row["id"]: Expected(ahead=[AHEAD]) for row in rows})
    monkeypatch.setattr(triggers, "detected", lambda _row: {found})
    monkeypatch.setattr(triggers, "every_date", lambda _row: set())

    triggers.run()

    parts = ("looked_at", "held_out")
    expected = [f"triggers_{part}_{what}" for part in parts for what in ("found", "false")]
    assert figures.missed == ([] if is_right else expected)
