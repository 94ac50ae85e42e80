"""What the verbs of erasure do, once the gateway has let the caller in: for the whole tenant, whoever remembers it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

from apps.api import verbs
from apps.api.contract import found
from apps.api.erasure.contract import (
    Erasure,
    ErasureInput,
    ErasurePreview,
    ErasurePreviewInput,
    ErasureSubject,
    ReceiptInput,
    VerifiedReceipt,
)
from apps.api.flows import forgetting
from apps.api.gateway import Gateway
from apps.core import scope
from apps.core.paging import PageRequest, Slice
from apps.erasure import receipts, selectors, services
from apps.erasure.requests import Subject
from apps.retrieval.requests import Filter
from memory_platform.errors import Forbidden, Invalid
from memory_platform.model import EVERYONE, Whose


def preview_erasure(gateway: Gateway, given: ErasurePreviewInput) -> ErasurePreview:
    with _meaning(gateway, given) as (subject, truncated):
        return gateway.answer(ErasurePreview, replace(services.preview(subject), truncated=truncated))


def begin_preview(gateway: Gateway, given: ErasurePreviewInput, *, typed: Mapping[str, str]) -> UUID:
    """The same by a job, for a page; see services.begin_preview."""
    with _meaning(gateway, given) as (subject, truncated):
        return services.begin_preview(subject, typed=typed, truncated=truncated)


@contextmanager
def _meaning(gateway: Gateway, given: ErasurePreviewInput) -> Iterator[tuple[Subject, bool]]:
    """What is meant, and whether more may be, in the scope that previews it."""
    if given.topic is not None:
        with _topic(gateway, given, given.topic) as found:
            yield found
    else:
        subject = subject_of(gateway, given)
        with gateway.open(verbs.PREVIEW_ERASURE, whose=EVERYONE, of_all_agents=True):
            yield subject, False


@contextmanager
def _topic(gateway: Gateway, given: ErasurePreviewInput, topic: str) -> Iterator[tuple[Subject, bool]]:
    """What a search finds is named by its ids: what is asked for then is what was seen, whatever is said meanwhile."""
    if given.model_dump(exclude={"topic", "first", "user_id"}, exclude_defaults=True):
        raise Invalid("A topic stands alone, or beside userId.", field="topic")
    whose = EVERYONE if given.user_id is None else Whose(given.user_id)
    _require_own(gateway, whose.user_id)
    with gateway.admit(verbs.PREVIEW_ERASURE, whose=whose, of_all_agents=True) as within:
        found = forgetting.surely(
            topic, filter=Filter(), limit=given.first, within=within, domain=gateway.principal.domain
        )
        with scope.enter(replace(within, whose=EVERYONE)):
            subject = services.named(found.item_ids, found.episode_ids, of_user=whose.user_id)
            yield subject, found.truncated


def request_erasure(gateway: Gateway, given: ErasureInput) -> Erasure:
    subject = subject_of(gateway, given)
    with gateway.open(verbs.REQUEST_ERASURE, whose=EVERYONE, of_all_agents=True):
        asked = services.request(subject, given.fingerprint, reason=given.reason)
        return gateway.answer(Erasure, asked)


def approve_erasure(gateway: Gateway, erasure_id: UUID) -> Erasure:
    with gateway.open(verbs.APPROVE_ERASURE, whose=EVERYONE):
        found(selectors.erasure(erasure_id, of_user=gateway.only_user), "erasure")
        return gateway.answer(Erasure, services.approve(erasure_id))


def reject_erasure(gateway: Gateway, erasure_id: UUID) -> Erasure:
    with gateway.open(verbs.REJECT_ERASURE, whose=EVERYONE):
        found(selectors.erasure(erasure_id, of_user=gateway.only_user), "erasure")
        return gateway.answer(Erasure, services.reject(erasure_id))


def erasures(gateway: Gateway, page: PageRequest) -> Slice[Erasure]:
    with gateway.open(verbs.ERASURES, whose=EVERYONE, of_all_agents=True):
        return gateway.page(Erasure, selectors.erasures(of_user=gateway.only_user, page=page))


def erasure(gateway: Gateway, erasure_id: UUID) -> Erasure:
    with gateway.open(verbs.ERASURE, whose=EVERYONE, of_all_agents=True):
        return gateway.answer(Erasure, found(selectors.erasure(erasure_id, of_user=gateway.only_user), "erasure"))


def verify_receipt(gateway: Gateway, given: ReceiptInput) -> VerifiedReceipt:
    if not isinstance(given.receipt, dict):
        raise Invalid("A receipt is a JSON object.", field="receipt")
    with gateway.open(verbs.VERIFY_RECEIPT, whose=EVERYONE, of_all_agents=True):
        return gateway.answer(VerifiedReceipt, receipts.verify(given.receipt))


def subject_of(gateway: Gateway, given: ErasureSubject) -> Subject:
    """Raises Forbidden when a request that is one user's asks for more than that user's."""
    subject = given.as_subject()
    _require_own(gateway, subject.user_id)
    return subject


def _require_own(gateway: Gateway, user_id: str | None) -> None:
    only = gateway.only_user
    if only is not None and user_id != only:
        raise Forbidden("This request is for one user and cannot reach what is another's.", field="userId")
