"""Reading what was learnt. All need an open scope, and answer what it may read."""

from apps.memory.selectors.counting import growth, packed_away, shared_domains, stats
from apps.memory.selectors.explaining import explain, own_feedback
from apps.memory.selectors.history import (
    compared,
    condensed,
    corrected_by,
    episode_states,
    forgotten_in,
    item_changes,
    item_states,
    replaced,
    replacements,
    superseded,
    superseding,
)
from apps.memory.selectors.hydrating import categories_of, hydrate, item
from apps.memory.selectors.listing import every_id, items, readable, weak
from apps.memory.selectors.naming import feedback_among, named, names, open_feedback, successors
from apps.memory.selectors.observed import count_observed, observations_of, pending, read_out_of, resting_on, unobserved
from apps.memory.selectors.origins import audiences, copies_among, insights_among, said_by_users
from apps.memory.selectors.rejected import rejection_counts, rejections, turned_down

__all__ = [
    "audiences",
    "categories_of",
    "compared",
    "condensed",
    "copies_among",
    "corrected_by",
    "count_observed",
    "episode_states",
    "every_id",
    "explain",
    "feedback_among",
    "forgotten_in",
    "growth",
    "hydrate",
    "insights_among",
    "item",
    "item_changes",
    "item_states",
    "items",
    "named",
    "names",
    "observations_of",
    "open_feedback",
    "own_feedback",
    "packed_away",
    "pending",
    "read_out_of",
    "readable",
    "rejection_counts",
    "rejections",
    "replaced",
    "replacements",
    "resting_on",
    "said_by_users",
    "shared_domains",
    "stats",
    "successors",
    "superseded",
    "superseding",
    "turned_down",
    "unobserved",
    "weak",
]
