"""What was decided on proposals, by whom, and how to take it back."""

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.api.curation import handlers as curation
from apps.api.curation.contract import Proposal
from apps.api.gateway import Gateway
from apps.console import people
from apps.console.views.review import ReviewVerdict, became, offered
from apps.core import paging
from apps.curation.models import ProposalState
from apps.curation.requests import ProposalFilter, ProposalOrder, ReviewDecision
from apps.curation.results import QueueKind

AT_ONCE: Final = 20
_BY_PEOPLE: Final = {"approved", "edited", "turned_down"}
_TONES: Final = {ProposalState.APPROVED: "good", ProposalState.REJECTED: "bad"}


@dataclass(frozen=True, slots=True)
class DecidedProposal:
    """A proposal with what became of it, in words, and what takes that back where it can be."""

    proposal: Proposal
    by: str

    @property
    def became(self) -> str:
        return became(self.proposal)

    @property
    def tone(self) -> str:
        return _TONES.get(self.proposal.state, "mark")

    @property
    def because(self) -> str:
        """Why a rule or a model decided so; people say it in a comment."""
        return "" if self.proposal.reason in _BY_PEOPLE else self.proposal.reason

    @property
    def stands_as(self) -> str:
        """The line it made, where that has other words."""
        return "" if self.proposal.made == self.proposal.text else self.proposal.made

    @property
    def undo(self) -> ReviewVerdict | None:
        held = self.proposal
        if not held.can_be_undone:
            return None
        return ReviewVerdict(kind=QueueKind.PROPOSAL, id=held.id, decision=ReviewDecision.UNDO, version=held.version)


def decided(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    page = paging.page(AT_ONCE, request.GET.get("after") or None)
    cut = curation.proposals(gateway, ProposalFilter(), page, ProposalOrder.DECIDED)
    names = people.told(gateway, (label for row in cut.rows for label in (row.decided_by, row.proposed_by)))
    shown = cut.of([DecidedProposal(row, names[row.decided_by]) for row in cut.rows])
    told = {"cut": shown, "people": names, "kinds": offered(gateway)}
    return render(request, "console/review_decided.html", told)
