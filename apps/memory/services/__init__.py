"""Writing what was learnt. Functions with `within` call a model first and open the scope themselves."""

from apps.memory.services.comparing import compare
from apps.memory.services.condensing import condense, count_condensable, insights_of
from apps.memory.services.confirming import confirm, confirm_again, settle_again, withdraw_confirmation
from apps.memory.services.correcting import correct
from apps.memory.services.counting import count_uses
from apps.memory.services.ending import end_session, end_silent_session, flush
from apps.memory.services.feedback import give_feedback, give_feedback_again, withdraw_feedback
from apps.memory.services.forgetting import (
    EVERYTHING,
    end_claims,
    ended_claims,
    forget,
    forgotten_among,
    forgotten_messages,
    restore,
    suppressed_episodes,
)
from apps.memory.services.learning import learn
from apps.memory.services.merging import unmerge
from apps.memory.services.observing import observe
from apps.memory.services.pruning import prune_rejections
from apps.memory.services.rebuilding import rebuild_episodes, rebuild_items
from apps.memory.services.remembering import remember
from apps.memory.services.sharing import share

__all__ = [
    "EVERYTHING",
    "compare",
    "condense",
    "confirm",
    "confirm_again",
    "correct",
    "count_condensable",
    "count_uses",
    "end_claims",
    "end_session",
    "end_silent_session",
    "ended_claims",
    "flush",
    "forget",
    "forgotten_among",
    "forgotten_messages",
    "give_feedback",
    "give_feedback_again",
    "insights_of",
    "learn",
    "observe",
    "prune_rejections",
    "rebuild_episodes",
    "rebuild_items",
    "remember",
    "restore",
    "settle_again",
    "share",
    "suppressed_episodes",
    "unmerge",
    "withdraw_confirmation",
    "withdraw_feedback",
]
