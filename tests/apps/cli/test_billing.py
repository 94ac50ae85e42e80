import pytest

from apps.budgets.selectors import UsageKey
from apps.cli import billing, options, output

GROUP = {
    "day": "2026-11-22",
    "agent_id": "assistant",
    "operation": "observe",
    "model": "a-model-of-the-house-with-a-long-name",
    "session_id": None,
    "calls": 1200,
    "failed_calls": 3,
    "tokens_in": 3_000_000_000.0,
    "tokens_out": 999_999.0,
    "recalls": 0,
    "turns": 12,
    "unpriced_rows": 0,
    "cost_usd": 0.5,
    "known_cost_usd": 0.5,
}


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(output.console, "_width", 80)


def test_usage_is_grouped_by_every_key_of_the_verb():
    assert set(billing.Key) == set(UsageKey)


def test_a_group_by_all_keys_fits_eighty_columns(capsys: pytest.CaptureFixture[str]):
    billing.print_usage([GROUP], list(billing.Key))

    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    (first,) = [line.split() for line in lines if "3,000.0M" in line]
    assert first == ["2026-11-22,", "1,200", "3", "3,000.0M", "999,999", "0", "12", "0.5000"]
    named = "".join(line[:18].strip() for line in lines[3:])
    assert named == "2026-11-22,assistant,observe,a-model-of-the-house-with-a-long-name, –"


def test_a_cost_that_is_partly_unknown_is_a_bound_with_its_reason(capsys: pytest.CaptureFixture[str]):
    billing.print_usage([{**GROUP, "cost_usd": None, "unpriced_rows": 2}], [])

    said = capsys.readouterr().out
    assert said.splitlines()[1].split() == ["all", "1,200", "3", "3,000.0M", "999,999", "0", "12", "≥0.5000"]
    assert said.splitlines()[-1].startswith("≥: some rows have no known price;")


def test_the_next_page_repeats_each_key():
    assert options.again("memory usage", by=["agent", "day"], first=5) == ("memory usage --by agent --by day --first 5")
