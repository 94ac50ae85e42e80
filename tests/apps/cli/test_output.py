import pytest

from apps.cli import explicit, output, reading
from memory_platform.errors import RateLimited

HIT = {
    "rank": 1,
    "unit": "item",
    "id": "01a202e4-e751-7d0f-8025-1bf50e9b559c",
    "text": "In Lisbon.",
    "lead_in": "Where do you live?",
    "score": 0.18,
    "probability": 0.18,
    "relevance": "low",
    "confidence": 0.9,
    "age_days": 1.2,
    "tags": ["probably_superseded"],
    "sources": [{"role": "user", "speaker": "Mara"}],
    "agent_id": "assistant",
    "said_at": "2026-03-02T08:58:00Z",
    "already_given": False,
}


def test_a_doubtful_hit_is_marked_and_what_it_leans_on_is_shown(capsys: pytest.CaptureFixture[str]):
    reading.print_recall({"hits": [HIT], "took_ms": 4.2, "profile": "lean", "degraded": [], "explanation": None})

    assert " ".join(capsys.readouterr().out.split()) == (
        "1. (Where do you live?) In Lisbon. memory 0e9b559c, confidence 0.90, LOW relevance, probably superseded, "
        "1 day old, said by Mara 4 ms, lean"
    )


def test_forgetting_by_a_query_says_that_more_may_answer(capsys: pytest.CaptureFixture[str]):
    found = {"items": [HIT], "episodes": 1, "dry_run": True, "batch_id": None}

    for truncated in (True, False):
        explicit.print_forgotten({**found, "truncated": truncated})

    told = [line for line in capsys.readouterr().out.splitlines() if "would be" in line]
    would = "1 memory and 1 episode would be forgotten."
    assert told == [f"{would} More may answer the query: forget by it again.", would]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "–"),
        (True, "yes"),
        (0.123, "0.12"),
        (["card", "email"], "card, email"),
        ({"subject": "I", "value_of": "x", "qualifier": ""}, "subject I, value of x"),
        ([{"kind": "a"}, {"kind": "b"}], "kind a\nkind b"),
        ("2026-03", "2026-03"),
    ],
)
def test_values_are_words_and_never_python(value: object, says: str):
    assert output.cell(value) == says


def test_amounts_agree_in_number():
    assert [output.amount(count, "memory", "memories") for count in (0, 1, 1200)] == [
        "0 memories",
        "1 memory",
        "1,200 memories",
    ]


def test_a_page_ends_with_the_command_for_the_next(capsys: pytest.CaptureFixture[str]):
    page = {"items": [HIT], "next": "abc"}

    output.page(page, command="memory weak --first 5", rows=lambda _rows: None, none="")

    assert capsys.readouterr().out == "More: memory weak --first 5 --after abc\n"


def test_an_error_speaks_of_what_people_type(capsys: pytest.CaptureFixture[str]):
    error = RateLimited(
        "maxTokens is too much for 'myTool'.", retry_after=2.1, hint="Wait retryAfter seconds, or leave userId out."
    )

    output.fail(error)

    assert capsys.readouterr().err == (
        "error: max tokens is too much for 'myTool'. Wait 3 seconds, or leave user id out.\n"
    )
