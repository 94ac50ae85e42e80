"""Lines of a block that are quoted, as the block writes them and as an assistant frames them."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation.authority import Voice
from memory_platform.lifecycle.lessons import LessonLine, Pattern, markdown
from memory_platform.model import Role, TrustTag, Unit
from memory_platform.retrieval.context import ContextMemory, dated, filed, line
from memory_platform.text.cleaning import inline
from memory_platform.text.quoting import quoted

DAY = datetime(2026, 5, 1, tzinfo=UTC)
MUNICH = "I live in Munich."
LINE = f"~ {MUNICH} (confidence: 0.9; age: 12d; other) [superseded]"


WORDS = st.text(st.characters(exclude_characters="~"), min_size=1).filter(
    lambda text: text.strip(" \t>*•-\"'“”`") == text
)


@given(WORDS, st.sampled_from(Role), st.lists(st.sampled_from(TrustTag), max_size=3, unique=True))
def test_every_line_of_a_block_is_known_again(text, role, tags):
    memory = ContextMemory(text, Unit.ITEM, 3, 0.7, "work", tags=tuple(tags), voice=Voice(role))

    (found,) = quoted(line(memory))
    assert found.text == inline(text).lstrip(" \t>*•-\"'“”`").strip()
    assert (found.start, found.end) == (0, len(line(memory)))


@pytest.mark.parametrize("render", [line, filed, dated])
@given(WORDS, st.sampled_from(Unit), st.none() | st.just(0.7), st.lists(st.sampled_from(TrustTag), max_size=3))
def test_a_line_is_known_in_every_style_and_of_every_unit(render, text, unit, confidence, tags):
    memory = ContextMemory(text, unit, 3, confidence, tags=tuple(tags), event_time=DAY, said_by="sales", said_at=DAY)

    (found,) = quoted(render(memory))
    assert (found.start, found.end) == (0, len(render(memory)))


@given(WORDS, st.sampled_from(Pattern), st.integers(1, 99), st.just("") | WORDS)
def test_every_line_of_the_lessons_is_known(text, pattern, heard, instead_of):
    lesson = LessonLine(pattern, text, "api", heard, DAY.date(), instead_of)
    file, _ = markdown([lesson], max_tokens=10**6, count_tokens=len)

    (found,) = quoted(file)
    assert file[found.start : found.end] == file.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LINE, [MUNICH]),
        (f"My memory says:\n> {LINE}\nIs that so?", [MUNICH]),
        (f"- {LINE.removeprefix('~ ')}", [MUNICH]),
        (f"I know this: {LINE} and {LINE}", [MUNICH, MUNICH]),
        ("~ assistant: It is. (age: 3d; episode)", ["assistant: It is."]),
        (f"~ 2026-05-01: {MUNICH} (confidence: 0.9; age: 12d; other)", [MUNICH]),
        (f"~ [other] {MUNICH} (confidence: 0.9; age: 12d) [superseded]", [MUNICH]),
        (f"~ [episode] user: {MUNICH} (age: 12d)", [f"user: {MUNICH}"]),
        (f"~ {MUNICH} (curated; age: 12d; other)", [MUNICH]),
        (f"~ due 2026-05-01: {MUNICH}\nIs that so?", [MUNICH]),
        (f"- {MUNICH} (api; heard 3 times, last on 2026-05-01)", [MUNICH]),
        (json.dumps({"text": f"# Lessons\n\n- {MUNICH} (heard once, last on 2026-05-01)"}), [MUNICH]),
        (json.dumps({"text": f"~ due 2026-05-01: {MUNICH}", "tokens": 9}), [MUNICH]),
        (json.dumps({"text": f"{LINE}\n{LINE}"}), [MUNICH, MUNICH]),
        ("The calf (age: 3d) is ill.", []),
        ("The bridge (age: 90 years) is closed.", []),
        ("We are sure (confidence: 0.9).", []),
        (MUNICH, []),
    ],
)
def test_quoted_lines_are_told_from_other_words(text, expected):
    assert [one.text for one in quoted(text)] == expected
