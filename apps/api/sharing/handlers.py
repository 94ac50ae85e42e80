"""What the verbs of shared memory do, once the gateway has let the caller in."""

from uuid import UUID

from apps.api import verbs
from apps.api.flows import sharing
from apps.api.gateway import Gateway
from apps.api.memories import handlers as memories
from apps.api.memories.contract import Memory, WriteResult
from apps.api.recall.contract import Recall, RecallInput
from apps.api.sharing.contract import SharedDomain, SharedMemoryInput, ShareInput
from apps.api.spelling import called
from apps.memory import services as memory_services
from apps.retrieval import services as retrieval
from memory_platform.model import Visibility


def recall_shared(gateway: Gateway, asked: RecallInput) -> Recall:
    """What any agent of the tenant shared and what answers the question."""
    admit = gateway.admit(verbs.RECALL_SHARED, visibility=Visibility.SHARED, whose=gateway.content_of)
    with admit as within:
        request = sharing.among_shared(asked.as_request())
        return gateway.answer(Recall, retrieval.recall(request, within=within, domain=gateway.principal.domain))


def remember_shared(gateway: Gateway, given: SharedMemoryInput) -> WriteResult:
    with called({"category": "domain"}):
        return memories.remember(gateway, given.as_remember())


def share(gateway: Gateway, item_id: UUID, given: ShareInput) -> Memory:
    """Make a private memory known to all agents; the one that is returned is the shared one."""
    with gateway.admit(verbs.SHARE_MEMORY, visibility=Visibility.SHARED) as within:
        domain = sharing.domain_of(gateway.principal, given.domain)
        return gateway.answer(Memory, memory_services.share(item_id, domain=domain, within=within))


def shared_domains(gateway: Gateway) -> list[SharedDomain]:
    with gateway.open(verbs.SHARED_DOMAINS, visibility=Visibility.SHARED):
        return gateway.answers(SharedDomain, sharing.domains())
