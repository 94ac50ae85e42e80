"""How facts are arranged, and what of a model's summary is believed."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation.summarising import arranged, rendered, sources, unsupported
from memory_platform.model import Slot, SummaryFact, SummaryLine, SummarySection

FACTS = (
    SummaryFact("Mara lives in Bergen.", date(2026, 3, 4), Slot("Mara", "home", "Bergen")),
    SummaryFact("Tom pays 1,200 for the flat in Oslo.", date(2026, 2, 1), Slot("Tom", "rent", "1,200")),
    SummaryFact("The launch is on 2026-05-07.", date(2026, 1, 9)),
)
WORDS = st.text("abc \n#-", max_size=12)
ANY = st.lists(
    st.builds(
        SummaryFact,
        text=WORDS,
        said_on=st.dates(date(2020, 1, 1), date(2030, 1, 1)),
        slot=st.builds(Slot, subject=WORDS, attribute=WORDS),
        is_doubted=st.booleans(),
    ),
    max_size=8,
)


def said(text: str, *facts: int, heading: str = "") -> tuple[SummarySection, ...]:
    return (SummarySection(heading, (SummaryLine(text, facts),)),)


@pytest.mark.parametrize(
    "sections",
    [
        said("Mara lives in Bergen since 2026-03-04.", 0),
        said("Mara is living in Bergen.", 0, heading="Mara"),
        said("Tom pays 1200.", 1),
        said("The launch is on 2026-05-07.", 2, heading="Work"),
    ],
)
def test_what_the_named_facts_say_is_believed(sections):
    assert unsupported("Work", sections, FACTS) == ""


@pytest.mark.parametrize(
    ("sections", "strange"),
    [
        (said("Mara lives in Oslo.", 0), "Oslo"),
        (said("Tom lives in Bergen.", 0), "Tom"),
        (said("Tom pays 1,300.", 1), "1300"),
        (said("Tom pays twelve.", 1), "twelve"),
        (said("Mara lives in Bergen since 2026-04-03.", 0), "2026-04-03"),
        (said("Mara lives in Bergen.", 0, heading="Anna"), "Anna"),
        (said("It is good.", heading=""), "It is good."),
    ],
)
def test_a_name_a_number_or_a_date_of_another_fact_or_of_none_is_not(sections, strange):
    assert unsupported("Work", sections, FACTS) == strange


@given(ANY)
def test_every_fact_stands_once_and_the_order_it_comes_in_does_not_matter(facts):
    sections = arranged(facts)

    assert sorted(place for section in sections for line in section.lines for place in line.facts) == list(
        range(len(facts))
    )
    assert sources(sections) == frozenset(range(len(facts)))
    assert {section.heading.casefold() for section in sections} == {
        section.heading.casefold() for section in arranged(facts[::-1])
    }


@given(ANY)
def test_a_summary_by_rules_supports_itself(facts):
    assert unsupported("Work", arranged(facts), facts) == ""


@given(ANY)
def test_each_line_of_markdown_is_the_title_a_heading_or_a_fact(facts):
    lines = rendered("Work", arranged(facts)).splitlines()

    assert len([line for line in lines if line.startswith("- ")]) == len(facts)
    assert [line for line in lines if line and not line.startswith(("- ", "## ", "# Work"))] == []


def test_no_fact_is_no_text():
    assert rendered("Work", arranged([])) == ""
