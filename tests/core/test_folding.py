"""One hit a fact, however many of its units were found."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.model import Unit
from memory_platform.retrieval.folding import Fused, Scored, fold

ITEM = UUID(int=1)
OTHER_ITEM = UUID(int=2)
EPISODE = UUID(int=11)
OTHER_EPISODE = UUID(int=12)


def test_an_item_and_its_episode_are_one_hit_that_names_both():
    item, episode = Scored(Unit.ITEM, ITEM, 0.8), Scored(Unit.EPISODE, EPISODE, 0.5)

    assert fold([episode, item], sources={ITEM: [EPISODE]}) == [Fused(item, pytest.approx(0.8), item, (episode,))]


def test_an_item_without_a_known_source_stands_for_itself():
    item = Scored(Unit.ITEM, ITEM, 0.8)

    assert fold([item], sources={}) == [Fused(item, 0.8, item)]


@pytest.mark.parametrize("unit", [Unit.SUMMARY, Unit.NOTE, Unit.CHUNK])
def test_what_is_neither_item_nor_episode_stands_alone(unit):
    found = Scored(unit, OTHER_ITEM, 0.6)

    assert fold([found], sources={OTHER_ITEM: [EPISODE]}) == [Fused(found, 0.6)]


@pytest.mark.parametrize(("length", "expected"), [(0, 0.8), (1, 0.8), (60, 0.8), (120, 0.65), (600, 0.53)])
def test_an_item_lifts_a_long_episode_less(length, expected):
    item, episode = Scored(Unit.ITEM, ITEM, 0.8), Scored(Unit.EPISODE, EPISODE, 0.5, length=length)

    [hit] = fold([item, episode], sources={ITEM: [EPISODE]})

    assert hit.relevance == pytest.approx(expected)


@pytest.mark.parametrize(("score", "leads"), [(0.44, False), (0.45, True)])
def test_the_episode_leads_where_its_item_is_about_something_else(score, leads):
    item, episode = Scored(Unit.ITEM, ITEM, score), Scored(Unit.EPISODE, EPISODE, 0.9)

    [hit] = fold([item, episode], sources={ITEM: [EPISODE]})

    assert hit.lead == (item if leads else episode)
    assert hit.item == item


def test_an_episode_folds_into_its_best_item_only():
    good, weak = Scored(Unit.ITEM, ITEM, 0.8), Scored(Unit.ITEM, OTHER_ITEM, 0.4)
    episode = Scored(Unit.EPISODE, EPISODE, 0.7)

    hits = fold([weak, episode, good], sources={ITEM: [EPISODE], OTHER_ITEM: [EPISODE]})

    assert [(hit.lead, hit.episodes) for hit in hits] == [(good, (episode,)), (weak, ())]
    assert [hit.relevance for hit in hits] == pytest.approx([0.8, 0.7 * 0.7])


def test_an_item_weaker_than_its_episode_takes_nothing_from_it():
    item, episode = Scored(Unit.ITEM, ITEM, 0.6), Scored(Unit.EPISODE, EPISODE, 0.7)

    [hit] = fold([item, episode], sources={ITEM: [EPISODE]})

    assert (hit.lead, hit.relevance) == (item, 0.7)


def test_an_item_whose_episode_was_no_candidate_is_weighed_by_the_lowest_one():
    item, other = Scored(Unit.ITEM, ITEM, 0.8), Scored(Unit.EPISODE, OTHER_EPISODE, 0.2)

    hits = fold([item, other], sources={ITEM: [EPISODE]})

    assert [(hit.lead, hit.relevance) for hit in hits] == [(item, pytest.approx(0.5)), (other, 0.2)]


def test_a_merged_item_answers_for_all_its_episodes_best_first():
    item = Scored(Unit.ITEM, ITEM, 0.8)
    first, second = Scored(Unit.EPISODE, EPISODE, 0.2), Scored(Unit.EPISODE, OTHER_EPISODE, 0.6)

    [hit] = fold([item, first, second], sources={ITEM: [EPISODE, OTHER_EPISODE]})

    assert hit.episodes == (second, first)


def test_gone_units_are_not_returned():
    superseded, episode = Scored(Unit.ITEM, ITEM, 0.8), Scored(Unit.EPISODE, EPISODE, 0.7)
    dead = Scored(Unit.EPISODE, OTHER_EPISODE, 0.9)

    hits = fold([superseded, episode, dead], sources={ITEM: [EPISODE]}, gone={ITEM, OTHER_EPISODE})

    assert [hit.lead for hit in hits] == [episode]


ids = st.integers(0, 9)


@given(
    st.dictionaries(ids, st.floats(0, 1), max_size=8),
    st.dictionaries(ids, st.floats(0, 1), max_size=8),
    st.dictionaries(ids, st.sets(ids, max_size=4)),
)
def test_folding_keeps_every_unit_in_exactly_one_hit_and_no_pair_apart(items, episodes, sources):
    units = [Scored(Unit.ITEM, UUID(int=100 + i), s) for i, s in items.items()]
    units += [Scored(Unit.EPISODE, UUID(int=200 + i), s) for i, s in episodes.items()]
    mapping = {UUID(int=100 + i): {UUID(int=200 + e) for e in of} for i, of in sources.items()}

    hits = fold(units, sources=mapping)

    named = [one.id for hit in hits for one in ([hit.item] if hit.item else []) + list(hit.episodes)]
    assert sorted(named) == sorted(unit.id for unit in units)
    standing_alone = {hit.lead.id for hit in hits if hit.item is None}
    assert not any(standing_alone & mapping.get(UUID(int=100 + i), set()) for i in items)
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 500))
def test_a_folded_hit_is_at_least_its_episode_and_at_most_the_better_of_the_two(of_item, of_episode, length):
    item, episode = Scored(Unit.ITEM, ITEM, of_item), Scored(Unit.EPISODE, EPISODE, of_episode, length=length)

    [hit] = fold([item, episode], sources={ITEM: [EPISODE]})

    assert of_episode <= hit.relevance <= max(of_item, of_episode) + 1e-9
