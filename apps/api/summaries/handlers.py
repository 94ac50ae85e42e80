"""What the verbs of summaries do, once the gateway has let the caller in."""

from apps.api import verbs
from apps.api.admission import admitted
from apps.api.contract import found
from apps.api.gateway import Gateway
from apps.api.summaries.contract import Summary, SummaryListed, SummaryVersion
from apps.memory.filing import Filing
from apps.summaries import selectors
from memory_platform.model import Visibility


def summaries(gateway: Gateway) -> list[SummaryListed]:
    with gateway.open(verbs.SUMMARIES, whose=gateway.content_of):
        return gateway.answers(SummaryListed, selectors.summaries())


def summary(gateway: Gateway, category: str, visibility: Visibility) -> Summary | None:
    with gateway.open(verbs.SUMMARY, visibility=visibility, whose=gateway.content_of):
        return gateway.answer_or_none(Summary, selectors.summary(_filing(gateway, category, visibility)))


def summary_versions(gateway: Gateway, category: str, visibility: Visibility) -> list[SummaryVersion]:
    with gateway.open(verbs.SUMMARY_VERSIONS, visibility=visibility, whose=gateway.content_of):
        return gateway.answers(SummaryVersion, selectors.versions(_filing(gateway, category, visibility)))


def summary_as_markdown(gateway: Gateway, category: str, visibility: Visibility) -> str:
    """Raises NotFound where nothing is held."""
    return found(summary(gateway, category, visibility), "summary").text


def _filing(gateway: Gateway, category: str, visibility: Visibility) -> Filing:
    agent_id = gateway.principal.agent_id if visibility is Visibility.PRIVATE else None
    return Filing(agent_id, gateway.content_of.user_id, visibility, admitted(category, "category"))
